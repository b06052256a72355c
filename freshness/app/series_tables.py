"""How indicators, series and what happened to them look on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.text import Text

from freshness.app.series_refreshing import SeriesRefreshed
from freshness.app.series_views import IndicatorView, SeriesView
from freshness.changes import Effect, SeriesEvent
from freshness.changes.events import newly_outdated
from freshness.changes.revisions import countries, newest_year, number_text
from freshness.report.fitting import Fitted
from freshness.report.frames import lines, table
from freshness.report.text import DASH, clean, clean_name, counted, seconds, word
from freshness.series import SeriesSnapshot, Vintage

if TYPE_CHECKING:  # numpy comes with it
    from freshness.suites.numeric.selection import Chosen, Selection

NAME: Final = 60
ROWS: Final = 50
"""As many rows of what happened as one cares to scroll through; JSON has all."""
NAMED: Final = 3
"""So many series are named where many share a row."""


def listed(views: Sequence[IndicatorView]) -> RenderableType:
    """One row an indicator, by category: what it counts, how new it is, where it is from."""
    view = table()
    view.add_column("indicator", overflow="fold")
    view.add_column("unit")
    for name in ("newest", "countries"):
        view.add_column(name, justify="right")
    view.add_column("from", no_wrap=True)
    for category, members in groupby(views, key=lambda one: one.indicator.category):
        view.add_row(Text(word(clean_name(category)), "bold"))
        for one in members:
            view.add_row(*_indicator_row(one))
    faults = [
        (one.indicator.id, clean(one.state.fault.text, 300)) for one in views if one.state and one.state.fault
    ]
    here = [one.chart for one in views if one.chart is not None]
    licences = Counter(clean(chart.vintage.licence, NAME) or "no licence named" for chart in here)
    told = [f"{counted(len(views), 'indicator')}, {len(here)} with series"]
    told += [f"{licence}: {number}" for licence, number in licences.most_common()]
    parts: list[RenderableType] = [lines(faults), ""] if faults else []
    return Group(Fitted(view), "", *parts, Text("; ".join(told), "dim"))


def _indicator_row(one: IndicatorView) -> list[Text]:
    indicator, chart = one.indicator, one.chart
    name = Text(f"  {clean_name(indicator.id)}")
    unit = Text(clean(indicator.unit, NAME) or DASH)
    if chart is None:
        return [name, unit, Text(DASH), Text(DASH), Text("not fetched yet", "dim")]
    found = [str(newest_year(chart) or DASH), str(countries(chart))]
    return [name, unit, *map(Text, found), Text(f"{clean(one.source, NAME)} {chart.vintage.label()}")]


def shown(one: SeriesView) -> RenderableType:
    """One series: its values, what earlier vintages gave instead, what happened to it, whose data it is."""
    chart, series = one.chart, one.series
    view = table()
    view.add_column("year", no_wrap=True)
    view.add_column("value", justify="right")
    for _, vintage in one.earlier[:NAMED]:
        view.add_column(f"in {vintage.label()}", justify="right", style="dim")
    earlier = [was.points for was, _ in one.earlier[:NAMED]]
    for year, value in series.points.items():
        style = "dim" if year > chart.vintage.last_year else ""
        others = [_differing(known.get(year), value) for known in earlier]
        view.add_row(str(year), Text(number_text(value), style), *others)
    head = f"{series.entity} ({series.code or 'no code'}), {chart.indicator.phrase}"
    parts: list[RenderableType] = [Text(clean(head, 200), "bold"), Fitted(view), "", lines(_about(one))]
    return Group(*parts, *(["", changes(one.events)] if one.events else []))


def _differing(was: float | None, now: float) -> str:
    return "" if was is None or was == now else number_text(was)


def _about(one: SeriesView) -> list[tuple[str, str]]:
    vintage = one.chart.vintage
    last = one.series.years[-1] if one.series.years else vintage.last_year
    told = [
        ("unit", one.chart.indicator.unit),
        ("from", f"{one.source}, edition of {vintage.label()}"),
        ("projections", f"after {vintage.last_year}; never asked about" if last > vintage.last_year else ""),
        *data(vintage),
    ]
    return [(name, text) for name, text in told if text]


def data(vintage: Vintage) -> list[tuple[str, str]]:
    """Whose data these are, as has to be shown with them."""
    return [
        ("title", clean(vintage.title, 200)),
        ("data", clean(vintage.citation, 600)),
        ("licence", clean(vintage.licence, 200)),
    ]


def refreshed(done: SeriesRefreshed) -> RenderableType:
    """How many charts there are now, what changed, and whose answers that touches."""
    said = [
        ("charts", f"{counted(len(done.charts), 'chart')}, {len(done.changed)} new or another edition"),
        ("asked", f"{counted(done.requests, 'request')}, {seconds(done.seconds)}"),
    ]
    if done.failed:
        kept = ", ".join(clean_name(fault.indicator) for fault in done.failed)
        said.append(("kept as known", clean(kept, 300)))
    outdated = newly_outdated(done.events)
    if outdated:
        told = [f"{clean_name(model)} ({number:,} series)" for model, number in outdated.items()]
        said.append(("newly outdated", ", ".join(told)))
    cited = [(chart.indicator.id, clean(chart.vintage.citation, 300)) for chart in done.charts]
    parts: list[RenderableType] = [lines(said)]
    if done.events:
        parts += ["", changes(done.events)]
    return Group(*parts, "", Text("Data", "bold"), lines(cited)) if cited else Group(*parts)


def changes(events: Sequence[SeriesEvent]) -> RenderableType:
    """What happened to series, the newest first; one row for all of a kind in one vintage."""
    groups = [list(group) for _, group in groupby(sorted(events, key=_order), key=_order)]
    groups.sort(key=lambda group: group[0].seen_at, reverse=True)
    view = table()
    for name in ("seen", "kind", "indicator"):
        view.add_column(name, no_wrap=True)
    for name in ("series", "before", "now", "models"):
        view.add_column(name, ratio=3)
    view.expand = True
    for group in groups[:ROWS]:
        view.add_row(*_row(group))
    more = len(groups) - ROWS
    parts: list[RenderableType] = [Fitted(view)]
    if more > 0:
        parts.append(Text(f"… and {more:,} more rows: --format json has all", "dim"))
    return Group(*parts)


def _order(event: SeriesEvent) -> tuple[str, str, str]:
    return event.seen_at.isoformat(), event.indicator, event.kind


def _row(group: Sequence[SeriesEvent]) -> list[Text]:
    first = max(group, key=lambda event: (len(event.effects), event.differing))
    rest = [event for event in group if event is not first]
    names = [clean(event.entity, NAME) for event in (first, *rest[: NAMED - 1])]
    if len(group) > NAMED:
        names.append(f"and {len(group) - NAMED} more")
    values = sum(event.differing for event in group)
    told = f" ({counted(values, 'value')})" if values else ""
    # A row for many series shows the newest year of the one that matters most.
    return [
        Text(f"{first.seen_at:%Y-%m-%d %H:%M}"),
        Text(first.kind.replace("_", " "), "bold" if first.kind == "revision" else "dim"),
        Text(clean_name(first.indicator)),
        Text(", ".join(names) + told),
        Text(clean(first.before[-1], NAME) if first.before else DASH),
        Text(clean(first.after[-1], NAME) if first.after else DASH),
        _models([effect for event in group for effect in event.effects]),
    ]


def _models(effects: Sequence[Effect]) -> Text:
    """How many answers of each model are judged differently, and how."""
    counts: dict[tuple[str, str, str], int] = {}
    for effect in effects:
        key = effect.model, str(effect.before), str(effect.after)
        counts[key] = counts.get(key, 0) + 1
    told = [
        f"{clean_name(model, 40)} ({number} {before}, now {after})"
        for (model, before, after), number in counts.items()
    ]
    return Text(", ".join(told) or DASH, "" if told else "dim")


def selected(selection: Selection, snapshot: SeriesSnapshot) -> RenderableType:
    """One row a category: what the rule takes, why, what it doesn't meet, and what it was taken before."""
    view = table()
    view.add_column("category", no_wrap=True)
    for name in ("indicator", "why"):
        view.add_column(name, ratio=1)
    view.add_column("change", no_wrap=True)
    view.add_column("instead of", ratio=1)
    view.expand = True
    for one in selection.categories:
        view.add_row(*_choice_row(one))
    rule = selection.to_json()["rule"]
    told = (
        f"rule: {rule['years']} continuous years ({rule['first_year']}-{rule['last_year']}) for "
        f"{rule['countries']} countries, and of those charts the one that changes most from year to year"
    )
    taken = f"from the {clean(snapshot.source, NAME)} series of {snapshot.taken_at:%Y-%m-%d}"
    return Group(Fitted(view), "", Text(told, "dim"), Text(taken, "dim"))


def _choice_row(one: Chosen) -> list[Text]:
    chosen = next((c for c in one.candidates if c.indicator == one.indicator), None)
    others = [f"{clean_name(c.indicator)} ({c.change:.1%})" for c in one.candidates if c is not chosen]
    if len(others) > NAMED:
        others[NAMED:] = [f"and {len(others) - NAMED} more"]
    why = Text(one.why)
    if one.relaxed:
        why.append(f"\nrelaxed: {one.relaxed}", "yellow")
    return [
        Text(word(one.category)),
        Text(clean_name(one.indicator) if one.indicator else DASH),
        why,
        Text(f"{chosen.change:.1%}" if chosen else DASH),
        Text("\n".join(others) or DASH, "dim"),
    ]
