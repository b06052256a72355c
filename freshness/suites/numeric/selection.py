"""Which charts to ask about: TempUN_s's rule (section 3), one for each category.

Candidates have a value for each of 76 years, 1947 to 2022, and of those the one that changes most from year
to year is taken. The paper says neither for how many countries nor what "most significant changes" are. Here:
for ten countries, or half of the chart's where it has fewer than twenty; and the mean over its countries of
their mean change from one year to the next within the available data, ``|b - a| / (|a| + |b|)``: half of the
relative change where that is small, at most 1, the same in any unit, and bounded where a series touches zero.

Where a category has no candidate the rule is relaxed, first to fewer years, then to fewer countries, and
what was relaxed is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

import numpy as np

from freshness.series import CATEGORIES, Chart, by_category
from freshness.suites.numeric.options import FIRST_YEAR, Options
from freshness.suites.numeric.panel import Floats, Panel, panel_of

LAST_YEAR: Final = 2022
YEARS: Final = LAST_YEAR - FIRST_YEAR + 1
COUNTRIES: Final = 10

_STEPS: Final = (*((years, COUNTRIES) for years in (YEARS, 70, 60, 50, 40, 30, 20, 10)), (10, 1))
"""How many continuous years for how many countries, from the rule to what is better than nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chart's figures: for how many countries it has ``years`` continuous years, and how it changes.

    ``change``: the mean over all countries of their mean change from year to year, from 0 to 1. ``longest``:
    continuous years of the country that has most. All of this in 1947-2022.
    """

    indicator: str
    subcategory: str
    countries: int
    change: float
    longest: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """A category's chart and why; ``relaxed``: what of the rule it doesn't meet, or empty."""

    category: str
    indicator: str | None
    why: str
    relaxed: str
    years: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """One entry for each category, in the paper's order; those without a chart too."""

    categories: tuple[Chosen, ...]

    @property
    def indicators(self) -> tuple[str, ...]:
        """What to ask about."""
        return tuple(chosen.indicator for chosen in self.categories if chosen.indicator)

    def to_json(self) -> dict[str, Any]:
        """The rule, and for each category what was chosen, why, and instead of what."""
        rule = {"first_year": FIRST_YEAR, "last_year": LAST_YEAR, "years": YEARS, "countries": COUNTRIES}
        return {"rule": rule, "categories": [asdict(chosen) for chosen in self.categories]}


def select(charts: Iterable[Chart], as_of: date) -> Selection:
    """The chart of each category that the rule takes, with the others' figures."""
    grouped = by_category(charts)
    names = dict.fromkeys([*CATEGORIES, *grouped])
    return Selection(tuple(_chosen(name, grouped.get(name, []), as_of) for name in names))


def _chosen(category: str, charts: Sequence[Chart], as_of: date) -> Chosen:
    panels = [_panel(chart, as_of) for chart in charts]
    for years, countries in _STEPS:
        figures = [_figures(panel, years) for panel in panels]
        pairs = zip(figures, panels, strict=True)
        fit = [figure for figure, panel in pairs if figure.countries >= _enough(panel, countries)]
        if fit:
            return _best(category, figures, fit, years)
    why = "no chart has ten continuous years of any country" if charts else "no chart is there"
    return Chosen(category, None, why, "", YEARS, tuple(_figures(panel, YEARS) for panel in panels))


def _best(category: str, figures: Sequence[Candidate], fit: Sequence[Candidate], years: int) -> Chosen:
    """Of those that fit the one that changes most; the others by how much they change."""
    first, *_ = sorted(fit, key=_most_change)
    others = sorted((figure for figure in figures if figure is not first), key=_most_change)
    relaxed = _relaxed(years, first.countries)
    return Chosen(category, first.indicator, _why(first, fit, years), relaxed, years, (first, *others))


def _most_change(figure: Candidate) -> tuple[float, str]:
    return -figure.change, figure.indicator


def _panel(chart: Chart, as_of: date) -> Panel:
    return panel_of(chart, as_of, Options(last_year=LAST_YEAR))


def _enough(panel: Panel, countries: int) -> int:
    return max(min(countries, len(panel.series) // 2), 1)


def _figures(panel: Panel, years: int) -> Candidate:
    runs = _longest_runs(panel.values)
    changes = [_change(panel.values[row]) for row in np.flatnonzero(runs > 1)]
    indicator = panel.indicator
    return Candidate(
        indicator.id,
        indicator.subcategory,
        int((runs >= years).sum()),
        round(float(np.mean(changes)), 4) if changes else 0.0,
        int(runs.max(initial=0)),
    )


def _longest_runs(values: Floats) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The most continuous years of each row."""
    run = np.zeros(len(values), np.int64)
    longest = run
    for there in np.isfinite(values).T:
        run = np.where(there, run + 1, 0)
        longest = np.maximum(longest, run)
    return longest


def _change(values: Floats) -> float:
    """The mean of ``|b - a| / (|a| + |b|)`` over consecutive years; no change where both are zero."""
    before, after = values[:-1], values[1:]
    both = np.isfinite(before) & np.isfinite(after)
    apart = np.abs(after[both] - before[both])
    size = np.abs(after[both]) + np.abs(before[both])
    return float(np.mean(np.where(size > 0, apart / np.where(size > 0, size, 1.0), 0.0)))


def _why(best: Candidate, fit: Sequence[Candidate], years: int) -> str:
    told = f"{years} continuous years for enough countries (this one for {best.countries})"
    if len(fit) == 1:
        return f"the only chart with {told}"
    return f"of {len(fit)} charts with {told} the one that changes most from year to year"


def _relaxed(years: int, countries: int) -> str:
    fewer = f"{years} continuous years instead of {YEARS}" if years < YEARS else ""
    some = f"{countries} countries instead of {COUNTRIES}" if countries < COUNTRIES else ""
    return " and ".join(part for part in (fewer, some) if part)
