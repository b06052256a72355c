"""Series of one indicator as a table: a row for each entity, a column for each year, NaN where none is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import NDArray

from freshness.series import Chart, Indicator, Series
from freshness.suites.numeric.options import Options

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CELLS: Final = 8000
"""Years of series in one batch: there are up to six questions about each, of half a kilobyte."""
_MOST_YEARS: Final = 10_000
"""A table is no wider; what lies further back is not asked about."""


@dataclass(frozen=True, slots=True)
class Panel:
    """``values[n, k]``: of ``series[n]`` in the year ``first + k``."""

    indicator: Indicator
    series: tuple[Series, ...]
    first: int
    values: Floats

    def parts(self) -> Iterator[Panel]:
        """The same in parts of so few series that a batch of questions stays small."""
        size = max(_CELLS // max(self.values.shape[1], 1), 1)
        for begin in range(0, len(self.series), size):
            part = slice(begin, begin + size)
            yield Panel(self.indicator, self.series[part], self.first, self.values[part])

    def windows(self, span: int) -> tuple[Ints, Ints, Floats]:
        """Where ``span`` consecutive years are complete: the row, the first column, and the values."""
        if self.values.shape[1] < span:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, span))
        rolling = np.lib.stride_tricks.sliding_window_view(self.values, span, axis=1)
        there = np.isfinite(self.values)
        last = there.shape[1] - span + 1
        complete = there[:, :last].copy()
        for year in range(1, span):
            complete &= there[:, year : year + last]
        rows, columns = np.nonzero(complete)
        return rows, columns, rolling[rows, columns]


def panel_of(chart: Chart, as_of: date, options: Options) -> Panel:
    """What is known on that day of the years asked about."""
    known = [series for series in chart.known(as_of) if series.years]
    first, last = _bounds(known, options)
    table = np.full((len(known), max(last - first + 1, 0)), np.nan)
    for row, series in enumerate(known):
        years = np.fromiter(series.years, np.int64, len(series.years)) - first
        inside = (years >= 0) & (years < table.shape[1])
        table[row, years[inside]] = np.fromiter(series.values, np.float64, len(series.values))[inside]
    table[~np.isfinite(table)] = np.nan
    return Panel(chart.indicator, tuple(known), first, table)


def _bounds(known: Sequence[Series], options: Options) -> tuple[int, int]:
    if not known:
        return options.first_year, options.first_year - 1
    last = max(series.years[-1] for series in known)
    if options.last_year is not None:
        last = min(last, options.last_year)
    first = max(options.first_year, min(series.years[0] for series in known), last - _MOST_YEARS)
    return first, last
