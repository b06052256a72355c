"""What a newer vintage of an indicator says that the one before did not. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isclose
from statistics import median
from typing import Any, Final, Literal

from freshness.changes.events import Effect, effects_json
from freshness.series import Chart, Series, Vintage

SeriesKind = Literal["revision", "new_years", "series_gone", "new_series", "renamed"]

SAME: Final = 1e-9
"""Relative: what a float's last digits make of one number is no revision."""
MOST_YEARS: Final = 100
"""So many years of one event are kept, the newest; ``differing`` counts them all."""
FEW: Final = 4
"""Of fewer series than this half may go without being suspicious."""
MOVED: Final = 0.1
"""Relative: when most of the history moves by more than this, the unit or the method is another."""


@dataclass(frozen=True, slots=True)
class SeriesEvent:
    """What one vintage tells of one series that the vintage before did not.

    ``revision``: years that were over have other values than before, or none. ``new_years``: years without
    a value have got one, which makes nothing wrong. ``series_gone``, ``new_series``: the source gives the
    series no more, or for the first time. ``renamed``: the entity has another name (``formerly``) or code.

    ``years``: which ones, ascending, the newest ``MOST_YEARS`` at most, with the values they had (``was``)
    and have (``now``), None for no value; ``differing``: how many there are in all. ``vintages``: labels of
    the vintage before and of this one. ``effects``: models' stored answers that are judged differently.
    """

    kind: SeriesKind
    seen_at: datetime
    indicator: str
    category: str
    entity: str
    code: str
    vintages: tuple[str, str]
    years: tuple[int, ...] = ()
    was: tuple[float | None, ...] = ()
    now: tuple[float | None, ...] = ()
    differing: int = 0
    formerly: str = ""
    effects: tuple[Effect, ...] = ()

    @property
    def series(self) -> str:
        """The series' id: ``FRA/life-expectancy``."""
        return f"{self.code or self.entity}/{self.indicator}"

    @property
    def before(self) -> list[str]:
        """What was: ``81.9 (2011)``; a former name."""
        return [self.formerly] if self.kind == "renamed" else _told(self.was, self.years)

    @property
    def after(self) -> list[str]:
        """What is."""
        return [self.entity] if self.kind == "renamed" else _told(self.now, self.years)

    def to_json(self) -> dict[str, Any]:
        """One entry of ``changes --format json``, in the shape of the facts' events."""
        return {
            "seen_at": self.seen_at.isoformat(),
            "kind": self.kind,
            "group": self.category,
            "subject": {"id": self.code or self.entity, "name": self.entity},
            "property": self.indicator,
            "before": self.before,
            "after": self.after,
            **effects_json(self.effects),
            "vintages": list(self.vintages),
            "differing": self.differing,
        }


def _told(values: Sequence[float | None], years: Sequence[int]) -> list[str]:
    pairs = zip(years, values, strict=True)
    return [f"{number_text(value)} ({year})" for year, value in pairs if value is not None]


def number_text(value: float) -> str:
    """A value as it stands in the source, without a needless ``.0``."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def is_same(a: float | None, b: float | None) -> bool:
    """Whether two values of a year are one number (None: no value)."""
    if a is None or b is None:
        return a is b
    return isclose(a, b, rel_tol=SAME)


def compare(before: Chart | None, after: Chart, seen_at: datetime) -> list[SeriesEvent]:
    """What a vintage says of each series that the one before did not, in the order of the chart.

    Projections are no history: what is said of years that were not over when a vintage came out counts for
    nothing in it. Without a vintage before there is nothing to tell.
    """
    if before is None:
        return []
    pairs = pair_up(before, after)
    labels = before.vintage.label(), after.vintage.label()
    ends = before.vintage.last_year, after.vintage.last_year
    indicator = after.indicator
    return [
        SeriesEvent(
            kind,
            seen_at,
            indicator.id,
            indicator.category,
            known.entity,
            known.code,
            labels,
            **_bounded(changed),
            formerly=formerly,
        )
        for was, now in pairs
        for kind, changed, formerly in _happened(was, now, ends)
        for known in [now or was]
        if known is not None
    ]


Changed = list[tuple[int, float | None, float | None]]
"""A year, the value it had and the one it has."""


def _happened(
    was: Series | None, now: Series | None, ends: tuple[int, int]
) -> Iterator[tuple[SeriesKind, Changed, str]]:
    if now is None:
        yield "series_gone", [], ""
        return
    if was is None:
        yield "new_series", [], ""
        return
    if (was.entity, was.code) != (now.entity, now.code):
        yield "renamed", [], was.entity if was.entity != now.entity else f"{was.entity} ({was.code})"
    old, new = history(was, ends[0]), history(now, ends[1])
    revised: Changed = [(year, old[year], new.get(year)) for year in sorted(old)]
    revised = [one for one in revised if not is_same(one[1], one[2])]
    if revised:
        yield "revision", revised, ""
    come: Changed = [(year, None, new[year]) for year in sorted(new.keys() - old.keys())]
    if come:
        yield "new_years", come, ""


def _bounded(changed: Changed) -> dict[str, Any]:
    kept = changed[-MOST_YEARS:]
    years, was, now = zip(*kept, strict=True) if kept else ((), (), ())
    return {"years": years, "was": was, "now": now, "differing": len(changed)}


def history(series: Series, last_year: int) -> dict[int, float]:
    """The values of years up to that one."""
    return series.until(last_year).points


def pair_up(before: Chart, after: Chart) -> list[tuple[Series | None, Series | None]]:
    """Each series before with the same one after: by code, else by the entity's name; None: there is none.

    In the order of ``after``; what is gone comes last.
    """
    left = _by_key(before)
    pairs = [(left.pop(key, None), series) for key, series in _by_key(after).items()]
    names = {series.entity: key for key, series in left.items()}
    found: list[tuple[Series | None, Series | None]] = []
    for was, now in pairs:
        key = names.pop(now.entity, None) if was is None else None
        found.append((left.pop(key) if key else was, now))
    return found + [(series, None) for series in left.values()]


def _by_key(chart: Chart) -> dict[str, Series]:
    found: dict[str, Series] = {}
    for series in chart.series:
        found.setdefault(key_of(series), series)
    return found


def key_of(series: Series) -> str:
    """What makes it the same one in another vintage: the code, where it has one."""
    return series.code or series.entity


def newest_year(chart: Chart) -> int | None:
    """The newest year that is over and has a value for some country."""
    last = chart.vintage.last_year
    years = (year for series in chart.series if series.is_country for year in series.years if year <= last)
    return max(years, default=None)


def countries(chart: Chart) -> int:
    """How many of its series are of countries."""
    return sum(series.is_country for series in chart.series)


def doubt(before: Chart | None, after: Chart) -> str:
    """Why a newer vintage looks like a fault of the source, in a line; empty: it doesn't.

    It is an older edition; half of the countries or of the values are gone; or most of the history moved at
    once, as when the unit changes. Where the indicator was defined anew (another column or unit), somebody
    meant it to be another, and only the edition's age counts.
    """
    if before is None:
        return ""
    told = _too_old(before.vintage, after.vintage)
    is_other = (before.indicator.column, before.indicator.unit) != (
        after.indicator.column,
        after.indicator.unit,
    )
    return told if told or is_other else _too_little(before, after) or _all_other(before, after)


def _too_old(was: Vintage, now: Vintage) -> str:
    if was.updated and now.updated and now.updated < was.updated:
        return f"an edition of {now.updated}, where that of {was.updated} is known"
    return ""


def _too_little(before: Chart, after: Chart) -> str:
    was, now = countries(before), countries(after)
    if was >= FEW and now < was / 2:
        return f"{now} countries, where {was} were known"
    held, holds = _size(before), _size(after)
    if held >= FEW and holds < held / 2:
        return f"{holds:,} values, where {held:,} were known"
    return ""


def _size(chart: Chart) -> int:
    return sum(len(history(series, chart.vintage.last_year)) for series in chart.series)


def _all_other(before: Chart, after: Chart) -> str:
    last = min(before.vintage.last_year, after.vintage.last_year)
    moves = [move for was, now in pair_up(before, after) if was and now for move in _moves(was, now, last)]
    if len(moves) < FEW or median(moves) <= MOVED:
        return ""
    units = before.vintage.unit, after.vintage.unit
    unit = f"; the unit was {units[0]!r} and is {units[1]!r}" if units[0] != units[1] and all(units) else ""
    return f"most of the history changed at once, by {median(moves):.0%} in the median{unit}"


def _moves(was: Series, now: Series, last_year: int) -> list[float]:
    """How far each value of both moved, relative to the larger one."""
    old, new = history(was, last_year), history(now, last_year)
    sizes = {year: max(abs(old[year]), abs(new[year])) for year in old.keys() & new.keys()}
    return [abs(old[year] - new[year]) / size if size else 0.0 for year, size in sizes.items()]


Older = tuple[tuple[int, float, str], ...]
"""Year, value, label of the newest vintage that gave it."""

OLDER_VALUES: Final = 3
"""So many former values of one year are kept, the newest."""


def older_values(now: Series, earlier: Sequence[tuple[Series, Vintage]]) -> Older:
    """What earlier vintages (the newest first) gave for a series' years that ``now`` no longer gives.

    By year, for each the newest first; projections of those vintages are left out.
    """
    present = now.points
    found: dict[int, list[tuple[float, str]]] = {}
    for series, vintage in earlier:
        for year, value in history(series, vintage.last_year).items():
            known = found.setdefault(year, [])
            others = [present.get(year), *(one for one, _ in known)]
            if len(known) < OLDER_VALUES and not any(is_same(value, other) for other in others):
                known.append((value, vintage.label()))
    return tuple((year, value, label) for year in sorted(found) for value, label in found[year])
