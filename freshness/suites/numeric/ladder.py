"""Fair options: a ladder of seven numbers with the key in the middle, of which four neighbours are shown.

How many of those lie below the key is drawn from 0 to 3, and the steps between rungs are drawn alike on both
sides, whatever the key is: so among the four, each is as likely to be the key as any other, by size, by its
distance from the others, by place. Steps are ratios, up to ``reach`` and at least half of the largest.

All options have as many decimals, as many digits before the point and the same last digits, or, where there
are few digits, as many zeros at the end. Of several numbers those of the largest's sign and at least half of
it move by the same amount, so that order, differences and smoothness stay. A smaller minimum is the same in
all options; a sequence with smaller numbers moves by a factor.

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
from freshness.suites.numeric.draws import PLACE, STEPS, STRAYS, Draws, below, fraction
from freshness.suites.numeric.panel import Floats, Ints

REACH: Final = 0.08
"""Values are from 4 % to 8 % apart, where there is room..."""
REACH_OF_TRENDS: Final = 0.12
"""... and percentages of change from 6 % to 12 % of themselves."""

_SMALLEST: Final = 0.006
"""A reach below this is not taken: neither for the sake of the number of digits, nor at a bound."""
_FINE: Final = 100
"""With so many units in the largest number the last digit can stay, where steps are five units or more."""
_KEEPING: Final = 20
"""Of a sequence that moves by a factor a number can keep its last digit where steps are ten units or more."""
_STRAY: Final = 0.25
"""By how much of the reach a number of a sequence that moves by a factor strays, half of it each way."""
_SLACK: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large a step may be (as a ratio, less 1), what is possible, and how many decimals are shown."""

    reach: float = REACH
    lowest: float | None = None
    highest: float | None = None
    most_decimals: int = 18


@dataclass(frozen=True, slots=True)
class _Key:
    """The key's magnitudes in whole units, and what the indicator allows: arrays (questions, numbers).

    ``exact``: unrounded. ``pivot``: the largest; ``moving``: which change from option to option, ``wide``: by
    a factor; ``zeros``: how many a moving one ends in, 0 for the others.
    """

    shown: Whole
    exact: Floats
    signs: Ints
    pivot: Ints
    moving: Truths
    wide: Truths
    zeros: Ints
    least: Floats
    most: Floats


def fair(keys: Floats, draws: Draws, bounds: Bounds) -> Choices:
    """Four options for each row of ``keys`` (questions, numbers), the key, rounded, among them.

    Each question is drawn for by itself: neither its neighbours nor their number matter.
    """
    large = across(np.maximum, np.abs(keys)) >= LARGEST
    key = _key(np.where(large[:, None], 0.0, keys), bounds)
    weights = np.stack([0.5 + 0.5 * fraction(draws, STEPS + n) for n in range(6)], axis=1)
    reach, roomy = _reach(key, weights, bounds.reach)
    rungs = _rungs(key, _ratios(reach, weights), reach, draws)
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
    pivot = across(np.maximum, shown.values)
    largest = (shown.values == pivot[:, None]).argmax(axis=1)
    signs = np.sign(keys).astype(np.int64)
    sign = np.take_along_axis(signs, largest[:, None], axis=1)
    there = shown.values > 0
    moving = (2 * shown.values >= pivot[:, None]) & there & (signs == sign)
    wide = across(np.logical_or, there & ~moving) & (keys.shape[1] > 2)
    moving = np.where(wide[:, None], there, moving)
    zeros = digits.trailing_zeros(np.where(moving, shown.values, 0))
    least, most = _allowed(shown, signs, bounds)
    exact = digits.scaled(np.abs(keys), shown.decimals[:, None])
    return _Key(shown, exact, signs, pivot, moving, wide, zeros, least, most)


def _allowed(shown: Whole, signs: Ints, bounds: Bounds) -> tuple[Floats, Floats]:
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
    return reach, reach >= _SMALLEST


def _of_the_same_length(key: _Key) -> tuple[Floats, Floats]:
    """Between which magnitudes each number is written with as many digits before the point."""
    decimals = key.shown.decimals[:, None]
    length = np.maximum(digits.lengths(key.shown.values), np.where(decimals >= 0, decimals + 1, 1))
    single = (decimals >= 0) & (length == decimals + 1)
    least = np.where(single, 0, digits.tens(length - 1))
    return least.astype(np.float64), (digits.tens(length) - 1).astype(np.float64)


def _room(key: _Key, least: Floats, most: Floats) -> Floats:
    """By which ratio, less 1, the largest number can go up and down while all stay between the limits."""
    pivot = np.maximum(key.pivot, 1).astype(np.float64)
    up = pivot + across(np.minimum, np.where(key.moving, most - key.shown.values, np.inf))
    down = pivot - across(np.minimum, np.where(key.moving, key.shown.values - least, np.inf))
    by_amount = np.minimum(up / pivot, pivot / np.maximum(down, 0.5))
    values = np.maximum(key.shown.values, 1).astype(np.float64)
    # A number that has but one digit left stays above zero whatever the factor.
    ratios = np.minimum(most / values, np.where(least > 0, values / np.maximum(least, 0.5), np.inf))
    by_factor = across(np.minimum, np.where(key.moving, ratios, np.inf))
    room: Floats = np.where(key.wide, by_factor, by_amount) - 1
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


def _rungs(key: _Key, ratios: Floats, reach: Floats, draws: Draws) -> Ints:
    """All seven, from the lowest to the highest: an array (questions, 7, numbers)."""
    rungs = _by_amount(key, ratios)
    wide = np.flatnonzero(key.wide)
    if wide.size:
        zeros, values = key.zeros[wide], key.shown.values[wide]
        factors = _factors(ratios[wide], reach[wide], draws[wide], values.shape[1])
        keeping = values // digits.tens(zeros) * reach[wide, None] >= _KEEPING
        rungs[wide] = _by_factor(values, key.exact[wide], zeros, factors, keeping)
    return rungs


def _by_amount(key: _Key, ratios: Floats) -> Ints:
    most_zeros = across(np.maximum, key.zeros)
    unit = digits.tens(most_zeros)
    amounts = np.abs(ratios - 1) * key.pivot[:, None]
    fine = (key.pivot // unit >= _FINE) & (across(np.minimum, amounts[:, 2:4]) >= 5 * unit)
    unit = np.where(fine, 10 * unit, unit)
    last = np.where(
        key.moving & (key.zeros == most_zeros[:, None]), key.shown.values // unit[:, None] % 10, 0
    )
    last[fine] = 0
    targets = amounts / unit[:, None]
    up, down = _climb(targets[:, 3:], last, 1), _climb(targets[:, 2::-1], last, -1)
    steps = np.stack([-down[2], -down[1], -down[0], np.zeros_like(up[0]), *up], axis=1)
    moves = (steps * unit[:, None])[:, :, None]
    return key.shown.values[:, None, :] + np.where(key.moving[:, None, :], moves, 0)


def _climb(targets: Floats, last: Ints, side: int) -> Sequence[Ints]:
    """Units from the key to each rung of one side: near the target, ever farther, no last digit zero.

    ``last``: the last digits of the numbers that end in most zeros, without these; 0 for what never matters.
    Rungs are counted without what ends in zero, so that the other last digits are equally frequent.
    """
    digit = across(np.maximum, last)
    coarse = digit > 0
    begin = np.where(side > 0, digit - 1, 9 - digit)
    counts = np.rint(np.where(coarse[:, None], 0.9 * targets, targets)).astype(np.int64)
    rungs: list[Ints] = []
    count = units = np.zeros(len(targets), np.int64)
    for wanted in counts.T:
        count = np.maximum(wanted, count + 1)
        units = np.maximum(count + np.where(coarse, (begin + count) // 9, 0), units + 1)
        units = _past_zeros(units, last, side, np.flatnonzero(coarse))
        rungs.append(units)
    return rungs


def _past_zeros(units: Ints, last: Ints, side: int, rows: Ints) -> Ints:
    """Farther in these rows, as long as one of several last digits is zero there."""
    for _ in range(9):
        there, digit = units[rows], last[rows]
        zero = across(np.logical_or, (digit > 0) & ((digit + side * there[:, None]) % 10 == 0))
        rows = rows[zero]
        if not rows.size:
            return units
        units = units.copy()
        units[rows] += 1
    return units


def _factors(ratios: Floats, reach: Floats, draws: Draws, count: int) -> Floats:
    """Of each number in each rung: an array (questions, 7, numbers).

    Numbers on a grid can't keep their ratios exactly, and the key would be the one in the middle. So each
    option strays by a little, more than the grid does, and by as much more as if the key had strayed too.
    """
    drawn = [fraction(draws, STRAYS + n) for n in range(7 * count)]
    strays = (np.stack(drawn, axis=1).reshape(-1, 7, count) - 0.5) * _STRAY * reach[:, None, None]
    all_ratios = np.insert(ratios, 3, 1.0, axis=1)[:, :, None]
    return all_ratios * (1 + strays) / (1 + strays[:, 3:4])


def _by_factor(values: Ints, exact: Floats, zeros: Ints, factors: Floats, keeping: Truths) -> Ints:
    """Each ``keeping`` its last digit that is not zero, or, where it has few digits, with as many zeros."""
    unit = digits.tens(zeros)[:, None, :]
    last = (values[:, None, :] // unit) % 10
    wanted = exact[:, None, :] / unit * factors
    fine = np.rint((wanted - last) / 10).astype(np.int64) * 10 + last
    coarse = np.rint(wanted).astype(np.int64)
    coarse += np.where(coarse % 10 == 0, np.where(wanted > coarse, 1, -1), 0)
    moved = np.where(keeping[:, None, :], fine, np.maximum(coarse, 1)) * unit
    moved[:, 3] = values
    return np.where(values[:, None, :] > 0, moved, 0)


def _possible(key: _Key, rungs: Ints) -> Truths:
    """Whether all seven are above zero, within the bounds, and apart in their largest number."""
    least, most = np.maximum(key.least, 1)[:, None, :], key.most[:, None, :]
    inside = across(np.logical_and, ~key.moving[:, None, :] | ((rungs >= least) & (rungs <= most)))
    apart = np.diff(across(np.maximum, rungs), axis=1) > 0
    possible: Truths = across(np.logical_and, inside) & across(np.logical_and, apart)
    return possible


def _common_zeros(key: _Key) -> Ints:
    """How many last decimals are zero in all numbers of all options."""
    there = key.shown.values > 0
    zeros = across(np.minimum, np.where(there, digits.trailing_zeros(key.shown.values), 99))
    return np.where(key.pivot > 0, zeros, 0)
