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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freshness.facts import Precision
from freshness.window.evidence import Observation
from freshness.window.months import WIDTHS, months

Array = NDArray[np.float64]
_Spectra = dict[int, list[NDArray[np.complex128]]]

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
_LEVELS = [(p, f) for p in PLATEAUS for f in FLOORS if f <= FALL * p]
_PARAMETERS = HALF_LAGS.size * SHAPES.size * len(_LEVELS)

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
class Cells:
    """Cell ``i`` is centred at ``start + i * step`` (months); cutoffs and dates share the cells."""

    start: float
    step: float
    count: int

    def index(self, positions: Array) -> NDArray[np.int64]:
        """The cell of each position; what lies outside counts as in the first or the last one."""
        found = np.rint((positions - self.start) / self.step)
        return np.clip(found, 0, self.count - 1).astype(np.int64)

    def reach(self, precision: Precision) -> int:
        """How many cells a date of this precision may lie off to either side."""
        return round(WIDTHS[precision] / self.step / 2)

    @property
    def centres(self) -> Array:
        return np.asarray(self.start + self.step * np.arange(self.count), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Joint:
    """The posterior over the cutoff and all other parameters.

    ``weights``: cutoffs x parameters, which sum to 1. ``first``, ``last`` (months): where the cutoff's prior
    is flat. ``reach``: how many cells the most exact date of the evidence may lie off.
    """

    cells: Cells
    weights: Array
    first: float
    last: float
    reach: int = 0

    def cutoffs(self) -> Posterior:
        """The cutoff alone."""
        table = _table(self.cells, self.reach)
        ends = self.cells.index(np.array([self.first, self.last]))
        knows = [_expected(self.weights, table, int(cell)) for cell in ends]
        edges = np.append(self.cells.centres, self.cells.centres[-1] + self.cells.step) - self.cells.step / 2
        weights = np.asarray(self.weights.sum(axis=1))
        return Posterior(edges, weights, self.first, self.last, knows[0], knows[1])

    def table(self, precision: Precision) -> Array:
        """How probably a change with a date of this precision is known: lags x parameters.

        Row ``count - 1`` is for a change in the cutoff's own cell, each row below it for a cell earlier.
        """
        return _table(self.cells, self.cells.reach(precision))

    def knows(self, precision: Precision) -> Array:
        """Cutoffs x cells: how probably a model of this cutoff knows of a change in that cell.

        Expected over the other parameters, given the cutoff; 0 for a cutoff that can't be.
        """
        mass = self.weights.sum(axis=1, keepdims=True)
        given = np.divide(self.weights, mass, out=np.zeros_like(self.weights), where=mass > 0)
        by_lag = given @ self.table(precision).T
        cell = np.arange(self.cells.count)
        lags = cell[:, None] - cell + self.cells.count - 1
        return np.asarray(np.take_along_axis(by_lag, lags, axis=1), dtype=np.float64)

    def updated(self, answers: Iterable[Sequence[Observation]]) -> Iterator[Joint]:
        """With each of these pieces of evidence on top, on the same cells and prior.

        A date outside the cells counts at their edge.
        """
        spectra: _Spectra = {}
        with np.errstate(divide="ignore"):  # a cutoff that can't be stays so
            before = np.log(self.weights)
        for observations in answers:
            positions = np.array([months(o.date) for o in observations])
            likelihood = _log_likelihood(self.cells, observations, positions, spectra)
            yield replace(self, weights=_normalised(before + likelihood))


def cutoff_posterior(observations: Sequence[Observation], asked: float | None = None) -> Posterior:
    """The posterior; ``asked``: months position after which the cutoff can't lie. Needs an observation."""
    return joint_posterior(observations, asked).cutoffs()


def joint_posterior(
    observations: Sequence[Observation],
    asked: float | None = None,
    span: tuple[float, float] | None = None,
) -> Joint:
    """The posterior over all parameters; ``asked`` as for ``cutoff_posterior``.

    ``span`` (months): where the cutoff's prior is flat, in place of the observed range; without it there
    must be an observation.
    """
    first, last = span or _range(observations)
    cells = _cells(first, last)
    positions = np.clip([months(o.date) for o in observations], first, last)
    likelihood = _log_likelihood(cells, observations, positions, {})
    weights = _normalised(likelihood + _log_prior(cells, first, last, asked)[:, None])
    reach = min((cells.reach(o.date.precision) for o in observations), default=0)
    return Joint(cells, weights, first, last, reach)


def _range(observations: Sequence[Observation]) -> tuple[float, float]:
    found = np.array([months(o.date) for o in observations])
    middle = float(np.median(found))
    within = np.clip(found, middle - REACH_MONTHS, middle + REACH_MONTHS)
    return float(within.min()), float(within.max())


def _cells(first: float, last: float) -> Cells:
    start, end = first - MARGIN_MONTHS, last + MARGIN_MONTHS
    step = max(FINEST_STEP, (end - start) / MAX_CELLS)
    return Cells(start, step, int(np.ceil((end - start) / step)) + 1)


def _normalised(logs: Array) -> Array:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _table(cells: Cells, reach: int) -> Array:
    """Probability to know, by lag from ``-(count - 1)`` to ``count - 1`` cells and by parameters.

    Averaged over dates that lie up to ``reach`` cells off.
    """
    lags = cells.step * np.arange(1.0 - cells.count - reach, cells.count + reach)
    known = _known_share(lags)
    if reach:
        sums = np.concatenate((np.zeros((1, known.shape[1])), np.cumsum(known, axis=0)))
        known = (sums[2 * reach + 1 :] - sums[: -2 * reach - 1]) / (2 * reach + 1)
    plateau, floor = (np.array(level) for level in zip(*_LEVELS, strict=True))
    table = floor + (plateau - floor) * known[:, :, None]
    return np.asarray(table.reshape(len(table), -1), dtype=np.float64)


def _known_share(lags: Array) -> Array:
    """F for each lag and each pair of ``h`` and ``k``."""
    half, shape = (grid.ravel() for grid in np.meshgrid(HALF_LAGS, SHAPES))
    odds = (np.maximum(lags, 0.0)[:, None] / half) ** shape
    return np.asarray(odds / (1.0 + odds), dtype=np.float64)


def _log_likelihood(
    cells: Cells, observations: Sequence[Observation], positions: Array, spectra: _Spectra
) -> Array:
    """Cutoffs x parameters; ``spectra`` keeps what took longest, for more evidence on the same cells."""
    reaches = np.array([cells.reach(o.date.precision) for o in observations], dtype=np.int64)
    weights = np.array([o.weight for o in observations])
    known = np.array([o.known for o in observations], dtype=np.bool_)
    index, size = cells.index(positions), _fast_length(2 * cells.count)
    total = np.zeros((1, _PARAMETERS), dtype=np.complex128)
    for reach in np.unique(reaches).tolist():
        if reach not in spectra:
            table = _table(cells, reach)
            spectra[reach] = [np.fft.rfft(logs, size, axis=0) for logs in (np.log(table), np.log1p(-table))]
        for mask, spectrum in zip((known, ~known), spectra[reach], strict=True):
            chosen = mask & (reaches == reach)
            counts = np.bincount(index[chosen], weights[chosen], cells.count).astype(np.float64)
            total = total + np.fft.rfft(counts, size)[:, None] * spectrum
    # Lag 0 stands at count - 1; what wraps around falls below it, and is cut off.
    return np.fft.irfft(total, size, axis=0)[cells.count - 1 : 2 * cells.count - 1]


def _fast_length(least: int) -> int:
    """A length without large prime factors, which make a Fourier transform slow."""
    return -(-least // 64) * 64


def _log_prior(cells: Cells, first: float, last: float, asked: float | None) -> Array:
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
