"""The pictures of numbers in numbers: what a model knows by year, and how a series goes.

Places across are per cent of the width. Places down are pixels of a picture ``HEIGHT`` high, or per cent
where lines are drawn, whose points SVG doesn't take in per cent of a width.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from freshness.app.pages.numbers import Numbers
from freshness.app.pages.series import SeriesPage
from freshness.app.pages.words import number, percent
from freshness.report.figure import ticks as years_between
from freshness.verdicts import Verdict

HEIGHT: Final = 200
"""Of a picture, without its axis."""
LEFT: Final = 5.0
"""Per cent of the width that stay free for the labels of the other axis."""
LINES: Final = 5
"""About so many lines across stand behind a curve."""
LARGEST: Final = 1e300
SMALLEST: Final = 1e-300
"""Beyond these an axis can't be reckoned with floats."""


@dataclass(frozen=True, slots=True)
class _Across:
    low: float
    high: float

    def place(self, at: float) -> float:
        return round(LEFT + (100 - LEFT) * (at - self.low) / (self.high - self.low), 2)

    def ticks(self) -> tuple[tuple[int, float], ...]:
        return tuple((year, self.place(year)) for year in years_between(self.low, self.high))


@dataclass(frozen=True, slots=True)
class Mark:
    """The questions about a few years: what is right (``y``, its interval from ``low`` to ``high``).

    ``chance`` is drawn from ``start`` to ``end``; ``silent``: the share that is not available. Both are None
    where there were no options.
    """

    x: float
    start: float
    end: float
    y: float
    low: float
    high: float
    chance: float | None
    silent: float | None
    words: str


@dataclass(frozen=True, slots=True)
class ByYear:
    """``lines``: shares and their places down."""

    marks: tuple[Mark, ...]
    ticks: tuple[tuple[int, float], ...]
    lines: tuple[tuple[str, float], ...]
    words: str


def by_year(shown: Numbers) -> ByYear | None:
    """None where fewer than two spans of years were asked about."""
    if len(shown.spans) < 2:
        return None
    across = _Across(shown.spans[0].first - 0.5, shown.spans[-1].last + 0.5)
    first, last = shown.spans[0], shown.spans[-1]
    words = (
        f"right answers by year, from {percent(first.told.correct.value)} ({first.told.name}) "
        f"to {percent(last.told.correct.value)} ({last.told.name}); the table has the numbers"
    )
    lines = tuple((f"{share:.0%}", _down(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    return ByYear(tuple(_marks(shown, across)), across.ticks(), lines, words)


def _marks(shown: Numbers, across: _Across) -> Iterable[Mark]:
    for span in shown.spans:
        right = span.told.correct
        yield Mark(
            across.place((span.first + span.last) / 2),
            across.place(span.first - 0.5),
            across.place(span.last + 0.5),
            _down(right.value),
            _down(right.low),
            _down(right.high),
            _down(span.told.chance) if span.told.chance else None,
            _down(span.told.of(Verdict.NOT_AVAILABLE)) if shown.choosing else None,
            f"{span.told.name}: {percent(right.value)} right of {span.told.questions}",
        )


def _down(share: float) -> float:
    return round(4 + (1 - share) * (HEIGHT - 8), 1)


@dataclass(frozen=True, slots=True)
class Curve:
    """Lines as SVG ``points`` in per cent of both sides; ``band``: the middle half of all countries.

    ``shown``: the entity's values; empty where none was asked for.
    """

    band: str
    median: str
    shown: str
    ticks: tuple[tuple[int, float], ...]
    lines: tuple[tuple[str, float], ...]
    words: str


def curve(page: SeriesPage) -> Curve | None:
    """None where there are fewer than two years to draw."""
    points = page.shown.points if page.shown else ()
    years = [*(middle.year for middle in page.middle), *(point.year for point in points)]
    values = [*(v for m in page.middle for v in (m.q1, m.q3)), *(point.value for point in points)]
    if len(set(years)) < 2:
        return None
    across, steps = _Across(min(years), max(years)), _steps(min(values), max(values))
    down = _Down(steps[0], steps[-1])
    band = [(m.year, m.q3) for m in page.middle] + [(m.year, m.q1) for m in reversed(page.middle)]
    return Curve(
        _drawn(band, across, down),
        _drawn([(m.year, m.median) for m in page.middle], across, down),
        _drawn([(point.year, point.value) for point in points], across, down),
        across.ticks(),
        tuple((number(step), down.place(step)) for step in steps),
        _words(page),
    )


@dataclass(frozen=True, slots=True)
class _Down:
    low: float
    high: float

    def place(self, at: float) -> float:
        at = min(max(at, self.low), self.high)
        return round(2 + 96 * (self.high - at) / (self.high - self.low), 2)


def _drawn(points: Sequence[tuple[int, float]], across: _Across, down: _Down) -> str:
    return " ".join(f"{across.place(year):g},{down.place(value):g}" for year, value in points)


def _steps(low: float, high: float) -> list[float]:
    """Round numbers with equal distances from below ``low`` to above ``high``."""
    # Values that are all but the same, or beyond what floats tell apart, still get an axis.
    low, high = max(low, -LARGEST), min(high, LARGEST)
    rough = max(high - low, 1e-9 * max(abs(low), abs(high)), SMALLEST) / LINES
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)
    return [place * step for place in range(first, last + 1)]


def _words(page: SeriesPage) -> str:
    told = f"{page.line.phrase} of the middle half of {page.line.countries} countries"
    if page.shown and page.shown.points:
        first, last = page.shown.points[0], page.shown.points[-1]
        told += f", and of {page.shown.entity}: {first.text} in {first.year}, {last.text} in {last.year}"
    return told
