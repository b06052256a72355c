"""How indicators and series look on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from freshness.app import series_failing
from freshness.app.series_news import changes
from freshness.app.series_views import IndicatorView, SeriesView
from freshness.changes.revisions import countries, newest_year, number_text
from freshness.report.fitting import Fitted
from freshness.report.frames import lines, table
from freshness.report.text import DASH, clean, clean_name, counted, word
from freshness.series import NO_LICENCE, SeriesSnapshot, Vintage

if TYPE_CHECKING:  # numpy comes with it
    from freshness.suites.numeric.selection import Candidate, Chosen, Selection

NAME: Final = 60
EDITIONS: Final = 3
"""So many earlier editions stand beside the newest one."""
YEARS: Final = 20
"""So many years of a series are shown unless all are asked for."""
OTHERS: Final = 3
"""So many charts that were not chosen are named."""


def listed(views: Sequence[IndicatorView]) -> RenderableType:
    """Indicators by category: what each counts, how new it is, where it is from; what could not be taken."""
    here = [one.chart for one in views if one.chart is not None]
    licences = Counter(clean(chart.vintage.licence, NAME) or NO_LICENCE for chart in here)
    summary = [f"{counted(len(views), 'indicator')}, {len(here)} with series"]
    summary += [f"{licence}: {number}" for licence, number in licences.most_common()]
    faults = [Text(f"{name}: {clean(text, 2000)}") for name, text in _faults(views)]
    parts: list[RenderableType] = [*faults, ""] if faults else []
    return Group(Fitted(_indicators(views), _narrow(views)), "", *parts, Text("; ".join(summary), "dim"))


def _faults(views: Sequence[IndicatorView]) -> Iterator[tuple[str, str]]:
    """What the last refresh could not take: of what is there, and of what never was."""
    for name, is_there in (("failing", True), ("not taken", False)):
        found = [one.fault for one in views if one.fault and (one.chart is not None) is is_there]
        yield from ((name, text) for text in series_failing.told(found))


def _indicators(views: Sequence[IndicatorView]) -> Table:
    """One row an indicator, whose id is never broken."""
    view = table()
    view.add_column("indicator", no_wrap=True)
    view.add_column("unit")
    for name in ("newest", "countries"):
        view.add_column(name, justify="right")
    view.add_column("from", no_wrap=True)
    for category, members in groupby(views, key=lambda one: one.indicator.category):
        view.add_row(Text(word(clean_name(category)), "bold"))
        for one in members:
            chart = one.chart
            found = [str(newest_year(chart) or DASH), str(countries(chart))] if chart else [DASH, DASH]
            view.add_row(
                Text(f"  {clean_name(one.indicator.id)}"), Text(_unit(one)), *map(Text, found), _from(one)
            )
    return view


def _narrow(views: Sequence[IndicatorView]) -> RenderableType:
    """Two lines an indicator."""
    told: list[RenderableType] = []
    for category, members in groupby(views, key=lambda one: one.indicator.category):
        told.append(Text(word(clean_name(category)), "bold"))
        for one in members:
            chart, unit = one.chart, _unit(one)
            known = [] if unit == DASH else [unit]
            known += [f"{countries(chart)} countries to {newest_year(chart) or DASH}"] if chart else []
            told.append(Text(f"  {clean_name(one.indicator.id)}"))
            line = Text("".join(f"{part}, " for part in known), "dim").append_text(_from(one))
            told.append(Padding(line, (0, 0, 0, 4)))
    return Group(*told)


def _unit(one: IndicatorView) -> str:
    return clean(one.indicator.unit, NAME) or DASH


def _from(one: IndicatorView) -> Text:
    """Where the numbers are from, and that the last refresh did not take them."""
    if one.chart is None:
        return Text("not taken" if one.fault else "not fetched yet", "dim")
    failing = ", failing" if one.fault else ""
    return Text(f"{clean(one.source, NAME)} {one.chart.vintage.label()}{failing}")


def shown(one: SeriesView, *, every: bool = False) -> RenderableType:
    """One series: what it is and whose, what happened to it, and its newest values (``every``: all of them).

    The newest year first, with what earlier editions gave instead.
    """
    head = f"{one.series.entity} ({one.series.code or 'no code'}), {one.chart.indicator.topic}"
    parts: list[RenderableType] = [Text(clean(head, 200), "bold"), lines(_about(one)), ""]
    parts += [changes(one.events), ""] if one.events else []
    years = len(one.series.years)
    count = years if every else min(years, YEARS)
    parts.append(Fitted(_values(one, count)))
    if count < years:
        parts.append(Text(f"… and {years - count} earlier years: --all shows them, --format json too", "dim"))
    return Group(*parts)


def _values(one: SeriesView, count: int) -> Table:
    view = table()
    view.add_column("year", no_wrap=True)
    view.add_column("value", justify="right")
    last = one.chart.vintage.last_year
    newest = sorted(one.series.points.items(), reverse=True)[:count]
    projected = [""] * any(year > last for year, _ in newest)
    for name in projected:
        view.add_column(name, no_wrap=True, style="dim")
    for _, vintage in one.earlier[:EDITIONS]:
        view.add_column(f"in {vintage.label()}", justify="right", style="dim")
    earlier = [was.points for was, _ in one.earlier[:EDITIONS]]
    for year, value in newest:
        mark = ["projection" if year > last else "" for _ in projected]
        others = [_differing(known.get(year), value) for known in earlier]
        view.add_row(str(year), Text(number_text(value), "dim" if year > last else ""), *mark, *others)
    return view


def _differing(was: float | None, now: float) -> str:
    return "" if was is None or was == now else number_text(was)


def _about(one: SeriesView) -> list[tuple[str, str]]:
    vintage = one.chart.vintage
    last = one.series.years[-1] if one.series.years else vintage.last_year
    told = [
        ("unit", clean(one.chart.indicator.unit, NAME)),
        ("from", f"{clean(one.source, NAME)}, edition of {vintage.label()}"),
        ("projections", f"after {vintage.last_year}; never asked about" if last > vintage.last_year else ""),
        ("", "" if one.series.is_country else "never asked about: no country of today"),
        *data(vintage),
    ]
    return [(name, text) for name, text in told if text]


def data(vintage: Vintage) -> list[tuple[str, str]]:
    """Whose data these are, as has to be shown with them."""
    return [
        ("title", clean(vintage.title, 200)),
        ("data", clean(vintage.credit, 800)),
        ("licence", clean(vintage.licence, 200) or "not given"),
    ]


def selected(selection: Selection, snapshot: SeriesSnapshot) -> RenderableType:
    """For each category what the rule takes and why, what it doesn't meet, and what was not taken."""
    parts: list[RenderableType] = []
    for one in selection.categories:
        title = Text(word(one.category), "bold").append(f"  {clean_name(one.indicator or DASH)}", "not bold")
        parts += [title, Padding(lines(_choice(one)), (0, 0, 1, 2))]
    rule = selection.to_json()["rule"]
    told = (
        f"rule: {rule['years']} continuous years ({rule['first_year']}-{rule['last_year']}) for "
        f"{rule['countries']} countries, and of those charts the one that changes most from year to year"
    )
    taken = f"from the {clean(snapshot.source, NAME)} series of {snapshot.taken_at:%Y-%m-%d}"
    return Group(*parts, Text(told, "dim"), Text(taken, "dim"))


def _choice(one: Chosen) -> list[tuple[str, str]]:
    chosen = next((c for c in one.candidates if c.indicator == one.indicator), None)
    others = [c for c in one.candidates if c is not chosen]
    names = [_passed_by(c, one.years) for c in others[:OTHERS]]
    names += [f"and {len(others) - OTHERS} more"] if len(others) > OTHERS else []
    told = [
        ("why", one.why),
        ("rule", f"not met: {one.relaxed}" if one.relaxed else "met" if chosen else ""),
        ("change", f"{chosen.change:.1%}" if chosen else ""),
        ("not taken", "\n".join(names)),
    ]
    return [(name, text) for name, text in told if text]


def _passed_by(other: Candidate, years: int) -> str:
    short = f", no more than {other.longest} continuous years" if other.longest < years else ""
    return f"{clean_name(other.indicator)}: {other.change:.1%}{short}"
