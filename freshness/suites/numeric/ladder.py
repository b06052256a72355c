"""Fair options: a ladder of seven numbers with the key in the middle, of which four neighbours are shown.

How many of those lie below the key is drawn from 0 to 3, and the steps between rungs are drawn alike on both
sides, whatever the key is: so among the four, each is as likely to be the key as any other, by size, by its
distance from the others, by place. Steps are ratios, up to ``reach`` and at least half of the largest.

All options have as many decimals, as many digits before the point and the same last digits, or, where
there are few digits, as many zeros at the end. Several numbers move together: by the same amount where they
are alike, so that order, differences and smoothness stay, else by the same factor. A zero stays a zero.

Near a power of ten and near a bound of the indicator steps are smaller, on both sides alike. Where they
would get too small at a power of ten, options may differ in their number of digits. Where there is no room
for three rungs on each side, there is no fair question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from freshness.suites.numeric import digits
from freshness.suites.numeric.choices import AT_BOUND, KEPT, TOO_FEW_DIGITS, TOO_LARGE, ZERO, Choices
from freshness.suites.numeric.digits import LARGEST, Truths, Whole, across
from freshness.suites.numeric.draws import PLACE, STEPS, Draws, below, fraction
from freshness.suites.numeric.panel import Floats, Ints

_SMALLEST: Final = 0.012
"""A ``reach`` below this is not taken for the sake of the number of digits..."""
_SMALLEST_AT_BOUND: Final = 0.006
"""... nor one below this at a bound."""
_NARROW: Final = 2
"""Numbers of one sign are alike where the largest is no more than twice the smallest."""
_FINE: Final = 100
"""With so many units in the largest number the last digit can stay, where steps are five units or more."""
_SLACK: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is possible; how large a step may be (as a ratio, less 1); how many decimals are shown."""

    reach: float
    lowest: float | None = None
    highest: float | None = None
    most_decimals: int = 18


@dataclass(frozen=True, slots=True)
class _Key:
    """The key's magnitudes in whole units, and what limits each: arrays (questions, numbers).

    ``zeros`` at the end of each; ``pivot``: the largest; ``narrow``: whether they move by the same amount.
    """

    shown: Whole
    signs: Ints
    zeros: Ints
    pivot: Ints
    narrow: Truths
    least: Floats
    most: Floats

    def take(self, rows: Ints) -> _Key:
        shown = Whole(self.shown.values[rows], self.shown.decimals[rows])
        rest = (self.signs, self.zeros, self.pivot, self.narrow, self.least, self.most)
        return _Key(shown, *(array[rows] for array in rest))  # type: ignore[arg-type]


def fair(keys: Floats, draws: Draws, bounds: Bounds) -> Choices:
    """Four options for each row of ``keys`` (questions, numbers), the key, rounded, among them.

    Each question is drawn for by itself: neither its neighbours nor their number matter.
    """
    large = across(np.maximum, np.abs(keys)) >= LARGEST
    key = _key(np.where(large[:, None], 0.0, keys), bounds)
    weights = np.stack([0.5 + 0.5 * fraction(draws, STEPS + n) for n in range(6)], axis=1)
    reach, roomy = _reach(key, weights, bounds.reach)
    rungs = _rungs(key, _ratios(reach, weights))
    reason = np.where(_possible(key, rungs), KEPT, TOO_FEW_DIGITS)
    reason = np.where(roomy, reason, AT_BOUND)
    reason = np.where(key.pivot == 0, np.where(large, TOO_LARGE, ZERO), reason).astype(np.int8)
    place = below(draws, PLACE, 4)
    seen = np.take_along_axis(rungs, (np.arange(4) + 3 - place[:, None])[:, :, None], axis=1)
    text = digits.written(Whole(seen, key.shown.decimals), _common_zeros(key))
    signed = text.values * key.signs[:, None, :]
    return Choices(signed, text.decimals, place, reason).shuffled(draws)


def _key(keys: Floats, bounds: Bounds) -> _Key:
    shown = digits.whole(keys, bounds.most_decimals)
    there = shown.values > 0
    signs = np.where(there, np.sign(keys), 0).astype(np.int64)
    pivot = across(np.maximum, shown.values)
    smallest = across(np.minimum, np.where(there, shown.values, pivot[:, None]))
    narrow = (pivot <= _NARROW * smallest) & (
        np.abs(across(np.add, signs)) == across(np.add, there.astype(np.int64))
    )
    least, most = _possible_magnitudes(shown, signs, bounds)
    return _Key(shown, signs, digits.trailing_zeros(shown.values), pivot, narrow, least, most)


def _possible_magnitudes(shown: Whole, signs: Ints, bounds: Bounds) -> tuple[Floats, Floats]:
    """The smallest and the largest magnitude of each number that the indicator allows, in units."""
    lowest = -np.inf if bounds.lowest is None else bounds.lowest
    highest = np.inf if bounds.highest is None else bounds.highest
    decimals = shown.decimals[:, None]
    least = digits.scaled(np.maximum(np.where(signs < 0, -highest, lowest), 0.0), decimals)
    most = digits.scaled(np.where(signs < 0, -lowest, highest), decimals)
    return np.ceil(least * (1 - _SLACK)), np.floor(most * (1 + _SLACK))


def _reach(key: _Key, weights: Floats, widest: float) -> tuple[Floats, Truths]:
    """How large steps may be, and whether there is room for them between the bounds."""
    sums = np.maximum(across(np.add, weights[:, :3]), across(np.add, weights[:, 3:]))
    least, most = _of_the_same_length(key)
    alike = _fitting(_room(key, np.maximum(least, key.least), np.minimum(most, key.most)), sums)
    possible = _fitting(_room(key, key.least, key.most), sums)
    reach = np.minimum(np.where(alike >= _SMALLEST, alike, possible), widest)
    return np.maximum(reach, 0.0), reach >= _SMALLEST_AT_BOUND


def _of_the_same_length(key: _Key) -> tuple[Floats, Floats]:
    """Between which magnitudes each number is written with as many digits before the point."""
    decimals = key.shown.decimals[:, None]
    length = np.maximum(digits.lengths(key.shown.values), np.where(decimals >= 0, decimals + 1, 1))
    single = (decimals >= 0) & (length == decimals + 1)
    least = np.where(single, 0, digits.tens(length - 1))
    return least.astype(np.float64), (digits.tens(length) - 1).astype(np.float64)


def _room(key: _Key, least: Floats, most: Floats) -> Floats:
    """By which ratio, less 1, the largest number can go up and down while all stay between the limits."""
    there = key.shown.values > 0
    values = np.where(there, key.shown.values, 1).astype(np.float64)
    pivot = np.maximum(key.pivot, 1).astype(np.float64)
    up = pivot + across(np.minimum, np.where(there, most - values, np.inf))
    down = pivot - across(np.minimum, np.where(there, values - least, np.inf))
    by_amount = np.minimum(up / pivot, pivot / np.maximum(down, 0.5))
    ratios = np.minimum(most / values, values / np.maximum(least, 0.5))
    # A number that has but one digit left stays above zero whatever the factor.
    ratios = np.where(there & (least > 0), ratios, np.where(there, most / values, np.inf))
    by_factor = across(np.minimum, ratios)
    room: Floats = np.where(key.narrow, by_amount, by_factor) - 1
    return room


def _fitting(room: Floats, sums: Floats) -> Floats:
    """The reach with which three steps stay within the room: (1+rw1)(1+rw2)(1+rw3) <= 1 + rs + (rs)^2."""
    reach: Floats = (np.sqrt(1 + 4 * np.maximum(room, 0.0)) - 1) / (2 * sums)
    return reach


def _ratios(reach: Floats, weights: Floats) -> Floats:
    """Of the six other rungs to the key, from the lowest to the highest."""
    steps = 1 + reach[:, None] * weights
    up = [steps[:, 0], steps[:, 0] * steps[:, 1], steps[:, 0] * steps[:, 1] * steps[:, 2]]
    down = [steps[:, 3], steps[:, 3] * steps[:, 4], steps[:, 3] * steps[:, 4] * steps[:, 5]]
    return np.stack([1 / down[2], 1 / down[1], 1 / down[0], *up], axis=1)


def _rungs(key: _Key, ratios: Floats) -> Ints:
    """All seven, from the lowest to the highest: an array (questions, 7, numbers)."""
    rungs = np.empty((len(ratios), 7, key.signs.shape[1]), np.int64)
    narrow, wide = np.flatnonzero(key.narrow), np.flatnonzero(~key.narrow)
    if narrow.size:
        rungs[narrow] = _by_amount(key.take(narrow), ratios[narrow])
    if wide.size:
        rungs[wide] = _by_factor(key.take(wide), ratios[wide])
    return rungs


def _by_amount(key: _Key, ratios: Floats) -> Ints:
    most_zeros = across(np.maximum, key.zeros)
    unit = digits.tens(most_zeros)
    amounts = np.abs(ratios - 1) * key.pivot[:, None]
    fine = (key.pivot // unit >= _FINE) & (across(np.minimum, amounts[:, 2:4]) >= 5 * unit)
    unit = np.where(fine, 10 * unit, unit)
    last = np.where(key.zeros == most_zeros[:, None], key.shown.values // digits.tens(key.zeros) % 10, 0)
    last[fine] = 0
    targets = np.rint(amounts / unit[:, None]).astype(np.int64)
    up, down = _climb(targets[:, 3:], last, 1), _climb(targets[:, 2::-1], last, -1)
    steps = np.stack([-down[2], -down[1], -down[0], np.zeros_like(up[0]), *up], axis=1)
    values = key.shown.values[:, None, :]
    return np.where(values > 0, values + (steps * unit[:, None])[:, :, None], 0)


def _climb(targets: Ints, last: Ints, side: int) -> Sequence[Ints]:
    """Units from the key to each rung of one side: near the target, ever farther, no last digit zero.

    ``last``: the last digits of the numbers that end in most zeros, without these; 0 for what never matters.
    """
    rungs: list[Ints] = []
    units = np.zeros(len(targets), np.int64)
    coarse = np.flatnonzero(across(np.logical_or, last > 0))
    for target in targets.T:
        units = np.maximum(target, units + 1)
        if coarse.size:
            units[coarse] = _past_zeros(units[coarse], last[coarse], side)
        rungs.append(units)
    return rungs


def _past_zeros(units: Ints, last: Ints, side: int) -> Ints:
    """Farther, as long as one of the last digits is zero there."""
    for _ in range(9):
        zero = (last > 0) & ((last + side * units[:, None]) % 10 == 0)
        units = units + across(np.logical_or, zero)
    return units


def _by_factor(key: _Key, ratios: Floats) -> Ints:
    unit = digits.tens(key.zeros)[:, None, :]
    units = key.shown.values[:, None, :] // unit
    all_ratios = np.insert(ratios, 3, 1.0, axis=1)[:, :, None]
    exact = units * all_ratios
    near = np.rint(exact).astype(np.int64)
    near += np.where((near % 10 == 0) & (near > 0), np.where(exact > near, 1, -1), 0)
    return np.where(units > 0, np.maximum(near, 1), 0) * unit


def _possible(key: _Key, rungs: Ints) -> Truths:
    """Whether all seven are above zero, within the bounds, and apart."""
    there = (key.shown.values > 0)[:, None, :]
    least, most = np.maximum(key.least, 1)[:, None, :], key.most[:, None, :]
    inside = across(np.logical_and, ~there | ((rungs >= least) & (rungs <= most)))
    apart = np.diff(across(np.add, rungs), axis=1) > 0
    possible: Truths = across(np.logical_and, inside) & across(np.logical_and, apart)
    return possible


def _common_zeros(key: _Key) -> Ints:
    zeros = across(np.minimum, np.where(key.shown.values > 0, key.zeros, 99))
    return np.where(key.pivot > 0, zeros, 0)
