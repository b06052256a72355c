"""Posterior over the cutoff, given dated observations; ``docs/window.md`` derives it.

The probability that a model with cutoff ``c`` knows of a change at ``t`` is

    q(c - t) = floor + (plateau - floor) * F(c - t),   F(x) = x^k / (x^k + h^k) for x > 0, else 0

``F`` is log-logistic: the world writes about an event for long after it, so a model knows half of what
it can know of events ``h`` months before its cutoff, and ever less of later ones. ``floor``: guesses and
changes that were announced before. All four are integrated out on a grid. Cutoffs and observations lie
on the same cells, so that the likelihood of every cutoff is one convolution, whatever the number of
observations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freshness.facts import Precision
from freshness.window.evidence import Observation
from freshness.window.months import WIDTHS, months

Array = NDArray[np.float64]

# Priors: each parameter is uniform on its grid, and the grids are coarse because data can't tell
# neighbours apart. The half-way lag runs from two weeks (events that the whole world writes about, a large
# model) to four years (offices, a small model). The shape is more than 1: the text about an event grows in
# proportion to the time since, and has to pass a threshold before a model knows of it.
HALF_LAGS = np.geomspace(0.5, 48.0, 12, dtype=np.float64)
SHAPES = np.geomspace(1.5, 4.0, 5, dtype=np.float64)
PLATEAUS = np.array([0.3, 0.5, 0.7, 0.9, 0.98])
FLOORS = np.array([0.0005, 0.002, 0.008, 0.03, 0.1, 0.3])
# Where knowledge ends it falls to at most this share of the plateau; else there is no cutoff to be seen.
FALL = 0.6

# A cutoff outside the observed dates is the less likely the farther away: observations are collected
# around the cutoffs that people expect.
TAIL_MONTHS = 6.0
MARGIN_MONTHS = 24.0
# Dates farther from the middle of all are moved to this distance: one absurd date must not coarsen the grid.
REACH_MONTHS = 300.0
FINEST_STEP = 0.5
MAX_CELLS = 400


@dataclass(frozen=True, slots=True)
class Posterior:
    """Weights over cutoffs, and how well the model is expected to know the observed range's two ends.

    ``edges``: the cutoff cells' bounds in months, one more than ``weights``, which sum to 1. ``first``,
    ``last``: the observed range. ``knows_first``, ``knows_last``: expected probability that a change at
    these dates is known.
    """

    edges: Array
    weights: Array
    first: float
    last: float
    knows_first: float
    knows_last: float

    def mass_before(self, position: float) -> float:
        """Probability that the cutoff lies before this position."""
        cumulated = np.concatenate(([0.0], np.cumsum(self.weights)))
        return float(np.interp(position, self.edges, cumulated))

    def quantile(self, share: float, low: float = -np.inf, high: float = np.inf) -> float:
        """Position below which lies this share of the mass between ``low`` and ``high``."""
        below, above = self.mass_before(low), self.mass_before(high)
        cumulated = np.concatenate(([0.0], np.cumsum(self.weights)))
        return float(np.interp(below + share * (above - below), cumulated, self.edges))


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cell ``i`` is centred at ``start + i * step``; cutoffs and dates share the cells."""

    start: float
    step: float
    count: int

    def index(self, positions: Array) -> NDArray[np.int64]:
        found = np.rint((positions - self.start) / self.step)
        return np.clip(found, 0, self.count - 1).astype(np.int64)

    def reach(self, precision: Precision) -> int:
        """How many cells a date of this precision may lie off to either side."""
        return round(WIDTHS[precision] / self.step / 2)

    @property
    def centres(self) -> Array:
        return np.asarray(self.start + self.step * np.arange(self.count), dtype=np.float64)


def cutoff_posterior(observations: Sequence[Observation], asked: float | None = None) -> Posterior:
    """The posterior; ``asked``: months position after which the cutoff can't lie. Needs an observation."""
    positions = _positions(observations)
    first, last = float(positions.min()), float(positions.max())
    cells = _cells(first, last)
    reaches = np.array([cells.reach(o.date.precision) for o in observations])
    tables = {int(reach): _table(cells, int(reach)) for reach in np.unique(reaches)}
    likelihood = _log_likelihood(cells, tables, observations, positions, reaches)
    likelihood += _log_prior(cells, first, last, asked)[:, None]
    joint = np.exp(likelihood - likelihood.max())
    joint /= joint.sum()
    narrowest = tables[min(tables)]
    knows = [_expected(joint, narrowest, int(cells.index(np.array([p]))[0])) for p in (first, last)]
    edges = np.append(cells.centres, cells.centres[-1] + cells.step) - cells.step / 2
    return Posterior(edges, np.asarray(joint.sum(axis=1)), first, last, knows[0], knows[1])


def _positions(observations: Sequence[Observation]) -> Array:
    found = np.array([months(o.date) for o in observations])
    middle = float(np.median(found))
    return np.asarray(np.clip(found, middle - REACH_MONTHS, middle + REACH_MONTHS))


def _cells(first: float, last: float) -> _Cells:
    start, end = first - MARGIN_MONTHS, last + MARGIN_MONTHS
    step = max(FINEST_STEP, (end - start) / MAX_CELLS)
    return _Cells(start, step, int(np.ceil((end - start) / step)) + 1)


def _table(cells: _Cells, reach: int) -> Array:
    """Probability to know, by lag from ``-(count - 1)`` to ``count - 1`` cells and by parameters.

    Averaged over dates that lie up to ``reach`` cells off.
    """
    lags = cells.step * np.arange(1.0 - cells.count - reach, cells.count + reach)
    known = _known_share(lags)
    if reach:
        sums = np.concatenate((np.zeros((1, known.shape[1])), np.cumsum(known, axis=0)))
        known = (sums[2 * reach + 1 :] - sums[: -2 * reach - 1]) / (2 * reach + 1)
    levels = [(p, f) for p in PLATEAUS for f in FLOORS if f <= FALL * p]
    plateau, floor = (np.array(level) for level in zip(*levels, strict=True))
    table = floor + (plateau - floor) * known[:, :, None]
    return np.asarray(table.reshape(len(table), -1), dtype=np.float64)


def _known_share(lags: Array) -> Array:
    """F for each lag and each pair of ``h`` and ``k``."""
    half, shape = (grid.ravel() for grid in np.meshgrid(HALF_LAGS, SHAPES))
    odds = (np.maximum(lags, 0.0)[:, None] / half) ** shape
    return np.asarray(odds / (1.0 + odds), dtype=np.float64)


def _log_likelihood(
    cells: _Cells,
    tables: Mapping[int, Array],
    observations: Sequence[Observation],
    positions: Array,
    reaches: NDArray[np.int64],
) -> Array:
    """Cutoffs x parameters; ``tables`` by reach."""
    index, size = cells.index(positions), 2 * cells.count
    weights = np.array([o.weight for o in observations])
    known = np.array([o.known for o in observations])
    spectrum = np.zeros((1, 1), dtype=np.complex128)
    for reach, table in tables.items():
        for mask, logs in ((known, np.log(table)), (~known, np.log1p(-table))):
            chosen = mask & (reaches == reach)
            counts = np.bincount(index[chosen], weights[chosen], cells.count).astype(np.float64)
            spectrum = spectrum + np.fft.rfft(counts, size)[:, None] * np.fft.rfft(logs, size, axis=0)
    # Lag 0 stands at count - 1; what wraps around falls below it, and is cut off.
    return np.fft.irfft(spectrum, size, axis=0)[cells.count - 1 : 2 * cells.count - 1]


def _log_prior(cells: _Cells, first: float, last: float, asked: float | None) -> Array:
    outside = np.maximum(np.maximum(first - cells.centres, cells.centres - last), 0.0)
    prior = -outside / TAIL_MONTHS
    if asked is not None:
        prior = np.where(cells.centres <= max(asked, cells.start), prior, -np.inf)
    return np.asarray(prior)


def _expected(joint: Array, table: Array, cell: int) -> float:
    """Posterior mean of q for a change in this cell."""
    count = len(joint)
    lag_zero = count - 1
    return float((joint * table[lag_zero - cell : lag_zero - cell + count]).sum())
