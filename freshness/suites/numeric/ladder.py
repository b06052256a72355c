"""Fair options: four rungs of a ladder, of which the key is one, drawn.

The steps between neighbours are drawn alike, whichever of the four is the key and whatever it is: so the same
four are as likely to stand beside any of them, and nothing that can be seen of them tells which is right, no
size, place, distance or form. What keeps it so:

- steps are ratios, up to ``REACH``, of a number's size, or, near the highest that the indicator can be, of
  what is missing to it too. They never depend on what room the key itself has.
- numbers are written alike (``precision``, ``grid``); where in its cell of the grid the key lies is drawn.
- nothing is drawn again, nor made to fit. Where one of the four isn't possible or isn't of their form, the
  question isn't asked: so it would be if another of them were the key.

A sequence moves by one amount, so that order, differences and smoothness stay, or, where one of its numbers
is small beside another, by a factor; so do minimum and maximum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from freshness.suites.numeric import digits
from freshness.suites.numeric.choices import (
    AT_BOUND,
    KEPT,
    TOO_FEW_DIGITS,
    TOO_LARGE,
    UNEVEN,
    ZERO,
    Choices,
)
from freshness.suites.numeric.digits import LARGEST, Truths, Whole, across
from freshness.suites.numeric.draws import CELLS, PLACE, STEPS, Draws, below, fraction
from freshness.suites.numeric.grid import LEAST, Grid, endings, endings_beside, roundness
from freshness.suites.numeric.panel import Floats, Ints
from freshness.suites.numeric.precision import Series, Shown, shown
from freshness.suites.numeric.zeros import mixed

REACH: Final = 0.08
"""Neighbours are from 4 % to 8 % apart..."""
REACH_OF_SHARES: Final = 0.12
"""... and numbers with a highest from 6 % to 12 % of themselves, times the share that is missing to it."""

_EVEN: Final = 0.4
"""A sequence moves by one amount where its smallest number is at least so much of its largest."""
_SLACK: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the numbers can be, and how many significant digits the small ones of a series are shown with.

    ``least``: of each question, a magnitude below which none of its options may be.
    """

    lowest: float | None = None
    highest: float | None = None
    shown: int = 4
    least: Floats | None = None


@dataclass(frozen=True, slots=True)
class _Key:
    """The key's magnitudes as they are shown, and what they can be at least and at most, at the same scale.

    ``zeros``: how round they are, ``endings``: which last digits they could have as well (``grid``). All are
    arrays (questions, numbers), but ``usual``, what is usual in the series: (questions, 1).
    """

    values: Ints
    zeros: Ints
    endings: Ints
    least: Floats
    most: Floats
    usual: Floats

    def take(self, rows: Ints) -> _Key:
        arrays = (self.values, self.zeros, self.endings, self.least, self.most, self.usual)
        return _Key(*(array[rows] for array in arrays))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Steps:
    """``ratios`` of each option to the key, (questions, 4), from the lowest option to the highest.

    ``cells``: where in its cell of the grid each of the key's numbers lies, (questions, numbers).
    """

    ratios: Floats
    cells: Floats

    def take(self, rows: Ints) -> _Steps:
        return _Steps(self.ratios[rows], self.cells[rows])


@dataclass(frozen=True, slots=True)
class _Rungs:
    """``options``: (questions, 4, numbers); ``main``: the number in each that decides, in its units."""

    options: Ints
    main: Ints


def fair(keys: Floats, askable: Truths, series: Series, draws: Draws, bounds: Bounds) -> Choices:
    """Four options for each row of ``keys`` (questions, numbers), the key, rounded, among them.

    ``askable``: whether there is such a question. The other keys of its series matter for a question's number
    of decimals and for what stands beside a zero; which other series there are doesn't matter.
    """
    large = across(np.maximum, np.abs(keys)) >= LARGEST
    keys = np.where(large[:, None], 0.0, keys)
    key, signs, seen = _key(keys, series, bounds)
    zero = across(np.logical_and, keys == 0)
    mix = mixed(zero & ~large & askable, ~zero & askable, series, draws)
    place, steps = _steps(draws, mix.shown, bounds, keys.shape[1])
    one = key.take(mix.row) if zero.any() else key
    rungs = _rungs(one, steps)
    reason = _reason(one, rungs, mix.shown)
    options = np.where(_first(mix.shown)[:, :, None], 0, rungs.options) * seen.grain[:, None, None]
    reason = np.where(mix.asked, reason, np.where(large, TOO_LARGE, ZERO)).astype(np.int8)
    text = digits.written(Whole(options, seen.whole.decimals), _common_zeros(options))
    signed = text.values * signs[mix.row][:, None, :]
    is_zero = mix.row != np.arange(len(keys))
    return Choices(signed, text.decimals, np.where(is_zero, 0, place), reason).shuffled(draws)


def _key(keys: Floats, series: Series, bounds: Bounds) -> tuple[_Key, Ints, Shown]:
    """The key, in grains, its signs, and how numbers are shown."""
    signs = np.where(keys < 0, -1, 1)
    lowest = -np.inf if bounds.lowest is None else bounds.lowest
    highest = np.inf if bounds.highest is None else bounds.highest
    least: Floats = np.where(signs < 0, max(-highest, 0.0), max(lowest, 0.0))
    if bounds.least is not None:
        least = np.maximum(least, bounds.least[:, None])
    most: Floats = np.where(signs < 0, -lowest, highest)
    magnitudes = np.abs(keys)
    seen = shown(magnitudes, most - magnitudes, series, bounds.shown)
    decimals, grain = seen.whole.decimals, seen.grain[:, None]
    # What isn't zero isn't shown as zero: too small a number leaves no question.
    values = np.where((keys != 0) & (seen.whole.values == 0), 1, seen.whole.values // grain)
    heaped, free = series.heaped[:, None] & (grain == 1), seen.finer | (grain > 1)
    zeros, ends = roundness(values, free, heaped), endings(free, heaped)
    least = digits.scaled(least, decimals[:, None]) * (1 - _SLACK) / grain
    most = digits.scaled(most, decimals[:, None]) * (1 + _SLACK) / grain
    return _Key(values, zeros, ends, least, most, seen.usual[:, None] / grain), signs, seen


def _steps(draws: Draws, with_zero: Truths, bounds: Bounds, numbers: int) -> tuple[Ints, _Steps]:
    """Which option is the key, from the lowest, and the ratios of all to it. Beside zero there are three."""
    bounded = bounds.highest is not None or (bounds.lowest or 0.0) < 0
    reach = REACH_OF_SHARES if bounded else REACH
    chain = [np.ones(len(draws))]
    for number in range(3):
        chain.append(chain[-1] * (1 + reach * (0.5 + 0.5 * fraction(draws, STEPS + number))))
    rungs = np.stack(chain, axis=1)
    drawn = below(draws, PLACE, 12)
    place = np.where(with_zero, drawn % 3, drawn % 4)
    order = np.maximum(np.arange(4) - with_zero[:, None], 0)
    ratios = np.take_along_axis(rungs, order, axis=1) / np.take_along_axis(rungs, place[:, None], axis=1)
    cells = np.stack([fraction(draws, CELLS + n) for n in range(numbers)], axis=1)
    return place + with_zero, _Steps(ratios, cells)


def _rungs(key: _Key, steps: _Steps) -> _Rungs:
    if key.values.shape[1] == 1:
        return _by_factor(key, steps)
    even = _even(key.values)
    if even.all():
        return _by_amount(key, steps)
    options = np.empty((*steps.ratios.shape, key.values.shape[1]), np.int64)
    main = np.empty(steps.ratios.shape, np.int64)
    for rows, move in ((np.flatnonzero(even), _by_amount), (np.flatnonzero(~even), _by_factor)):
        moved = move(key.take(rows), steps.take(rows))
        options[rows], main[rows] = moved.options, moved.main
    return _Rungs(options, main)


def _even(values: Ints) -> Truths:
    """Whether the numbers on the last axis are of one size."""
    even: Truths = across(np.minimum, values) >= _EVEN * across(np.maximum, values)
    return even


def _first(with_zero: Truths) -> Truths:
    """Which option is zero: (questions, 4)."""
    first: Truths = with_zero[:, None] & (np.arange(4) == 0)
    return first


def _by_factor(key: _Key, steps: _Steps) -> _Rungs:
    """Each number on its own grid, by the factor by which the largest moves, the main one; zeros stay."""
    grid = Grid.of(key.values, digits.tens(key.zeros), key.usual, key.endings)
    largest = key.values.argmax(axis=1)[:, None]
    here = grid.place(key.values, _alike_where_equal(key.values, steps.cells))
    main, soft, most = (np.take_along_axis(a, largest, axis=1) for a in (here, grid.soft, key.most))
    unit = np.take_along_axis(grid.unit, largest, axis=1)
    moved = []
    for ratio in steps.ratios.T[:, :, None]:
        factor = _flowed(main, ratio, soft, most / unit) / np.maximum(main, 0.5)  # less is never asked about
        moved.append(np.where(ratio == 1, key.values, grid.value(here * factor)))
    options = np.where((key.values > 0)[:, None, :], np.stack(moved, axis=1), 0)
    return _Rungs(options, np.take_along_axis(options, largest[:, :, None], axis=2)[:, :, 0] // unit)


def _alike_where_equal(values: Ints, cells: Floats) -> Floats:
    """Where in their cells numbers lie: equal ones at the same place."""
    found = cells[:, : values.shape[1]].copy()
    for n in range(1, values.shape[1]):
        for before in range(n):
            found[:, n] = np.where(values[:, n] == values[:, before], found[:, before], found[:, n])
    return found


def _by_amount(key: _Key, steps: _Steps) -> _Rungs:
    """All numbers of a sequence by as much as the smallest moves, so that none loses its last digits."""
    roundest = np.take_along_axis(key.values, key.zeros.argmax(axis=1)[:, None], axis=1)
    unit = digits.tens(across(np.maximum, key.zeros))[:, None]
    ends = endings_beside(key.values, key.zeros, roundest, key.endings)
    grid = Grid.of(roundest, unit, key.usual, ends)
    smallest = across(np.minimum, key.values)[:, None]
    above = (roundest - smallest) / unit
    highest = (smallest + across(np.minimum, key.most - key.values)[:, None]) / unit
    here = grid.place(roundest, steps.cells[:, :1]) - above
    moved = [
        np.where(ratio == 1, roundest, grid.value(_flowed(here, ratio, grid.soft, highest) + above))
        for ratio in steps.ratios.T[:, :, None]
    ]
    options = key.values[:, None, :] + np.stack(moved, axis=1) - roundest[:, :, None]
    return _Rungs(options, across(np.minimum, options) // unit)


def _flowed(here: Floats, ratio: Floats, soft: Floats, highest: Floats) -> Floats:
    """By a ratio of the number, or, where there is a highest, of its odds: a flow, so that steps add up.

    So the same steps lead from each of the four to the others.
    """
    raised = (here + soft) * ratio
    bounded = np.isfinite(highest)
    if not bounded.any():
        return raised - soft
    highest = np.where(bounded, highest, 0.0)
    room = np.maximum(highest - here, 0.0)
    # Odds are (here + soft) / room: multiplied by the ratio without dividing by room, which may be none.
    held = (highest * raised - soft * room) / np.maximum(room + raised, 1.0)
    place: Floats = np.where(bounded, held, raised - soft)
    return place


def _reason(key: _Key, rungs: _Rungs, with_zero: Truths) -> NDArray[np.int8]:
    """Why these four can't be asked about; ``KEPT`` where they can. The same whichever of them is the key."""
    options = rungs.options
    least, most = np.maximum(key.least, LEAST)[:, None, :], key.most[:, None, :]
    there = (key.values > 0)[:, None, :]
    inside = across(np.logical_and, across(np.logical_and, ~there | (options <= most)))
    digits_left = across(np.logical_and, across(np.logical_and, ~there | (options >= least)))
    digits_left &= across(np.minimum, rungs.main) >= LEAST
    apart = np.diff(across(np.maximum, options), axis=1) > 0
    digits_left &= across(np.logical_and, apart | (with_zero[:, None] & (np.arange(3) == 0)))
    high = across(np.logical_or, 8 * (key.most - key.values) < key.most)
    reason = np.where(_alike(options, with_zero), KEPT, UNEVEN)
    reason = np.where(inside, reason, AT_BOUND)
    return np.where(digits_left, reason, np.where(high, AT_BOUND, TOO_FEW_DIGITS)).astype(np.int8)


def _alike(options: Ints, with_zero: Truths) -> Truths:
    """Whether numbers rise and fall alike in all options, and would move in the same manner."""
    if options.shape[2] == 1:
        return np.ones(len(options), np.bool_)
    turns = np.sign(np.diff(options, axis=2))
    same: Truths = across(np.logical_and, across(np.logical_and, turns == turns[:, -1:]) | _first(with_zero))
    even = _even(options)
    same &= across(np.logical_and, (even == even[:, -1:]) | _first(with_zero))
    return same


def _common_zeros(options: Ints) -> Ints:
    """How many last decimals are zero in all numbers of all options."""
    zeros = np.where(options > 0, digits.trailing_zeros(options), 18)
    common: Ints = across(np.minimum, across(np.minimum, zeros))
    return common
