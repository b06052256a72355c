"""Numbers of one form, counted: those that a number could be swapped for without its form telling which.

Where a series has digits enough, these are the numbers with the same last digit before the zeros they end in.
Where it hasn't, they are all that end in as many zeros; of numbers that have been rounded, which can end in
anything, all there are. Where a series has heaps of round numbers, what is as good as round (2.0002) counts
as round and keeps what is over.

Each has a cell on a line, so that between the cells a number can move continuously and come out at a place
that depends on nothing but where in its cell it set out: that is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from freshness.suites.numeric import digits
from freshness.suites.numeric.digits import Truths, across
from freshness.suites.numeric.panel import Floats, Ints
from freshness.suites.numeric.precision import TRIFLE

LEAST: Final = 10
"""The main number of an option has at least so many units: two digits without the zeros it ends in."""
_FINE: Final = 200
"""With so many units in the numbers of a series their last digit can stay."""
_SOFT: Final = (25.0, 150.0)
"""By how many units, of few digits and of many, a step is as if the number were larger."""

_ANY: Final = 2**10 - 1
_HAS: Final = (np.arange(_ANY + 1)[:, None] >> np.arange(10)) & 1
_COUNT: Final = np.maximum(_HAS.sum(axis=1), 1)
_RANK: Final = np.maximum(np.cumsum(_HAS, axis=1) - 1, 0)
_NTH: Final = np.argsort(1 - _HAS, axis=1, kind="stable")
_BEGIN: Final = (_HAS * np.arange(10)).sum(axis=1) / _COUNT - 5.0
"""For each set of last digits: how many, the rank of each, the n-th, and where the first cell begins."""


@dataclass(frozen=True, slots=True)
class Grid:
    """All arrays are (questions, numbers). ``unit``: of what numbers are multiples, ``rest``: but for that.

    ``fine``: whether the last digit stays; ``endings``: the last digits there are, a bit for each.
    """

    unit: Ints
    rest: Ints
    fine: Truths
    endings: Ints

    @classmethod
    def of(cls, values: Ints, unit: Ints, usual: Floats, endings: Ints) -> Grid:
        """With these endings where there are too few digits to keep the last.

        ``usual``: what is usual in the series, (questions, 1). A five stays where ``endings`` have none.
        """
        units = nearest(values, unit)
        fine = (usual / unit >= _FINE) | (~_HAS[endings, units % 10].astype(np.bool_))
        return cls(unit, values - units * unit, fine, np.where(fine, 1 << (units % 10), endings))

    @property
    def soft(self) -> Floats:
        """What is added to a number before a step is taken as a ratio, in units."""
        soft: Floats = np.where(self.fine, _SOFT[1], _SOFT[0])
        return soft

    def place(self, values: Ints, fraction: Floats) -> Floats:
        """Where on the line numbers are, in units, ``fraction`` of a cell behind its beginning."""
        units = (values - self.rest) // self.unit
        count = _COUNT[self.endings]
        index = units // 10 * count + _RANK[self.endings, units % 10]
        place: Floats = (index + fraction) * (10 / count) + _BEGIN[self.endings]
        return place

    def value(self, place: Floats) -> Ints:
        """The number in whose cell a place lies; 0 or less where there is none."""
        count = _COUNT[self.endings]
        index = np.floor((place - _BEGIN[self.endings]) * (count / 10)).astype(np.int64)
        units = index // count * 10 + _NTH[self.endings, index % count]
        value: Ints = units * self.unit + self.rest
        return value


def nearest(values: Ints, unit: Ints) -> Ints:
    """To how many units numbers above zero are nearest."""
    return (values + unit // 2) // unit


def roundness(values: Ints, finer: Truths, heaped: Truths) -> Ints:
    """How many of their last digits are zero; none of numbers that are rounded, for these end in anything.

    Of ``heaped`` series, (questions, 1), what would be zero but for a trifle: 2.0002 is as round as 2.
    """
    zeros = np.where(finer & ~heaped, 0, digits.trailing_zeros(values))
    rows = np.flatnonzero(heaped)
    some = zeros[rows]
    for more in range(1, 18 if rows.size else 0):
        unit = digits.tens(np.full(1, more))
        away = np.abs(values[rows] - nearest(values[rows], unit) * unit)
        rounder = (away <= TRIFLE * values[rows]) & (values[rows] > 0)
        if not rounder.any():
            break
        some = np.where(rounder, np.maximum(some, more), some)
    zeros[rows] = some
    return zeros


def endings(finer: Truths, heaped: Truths) -> Ints:
    """The last digits that numbers could have as well; the arrays as for ``roundness``.

    Any where they are rounded, else no zero; in ``heaped`` series no five either: that is as good as round.
    """
    return np.where(heaped, _ANY - 1 - (1 << 5), np.where(finer, _ANY, _ANY - 1))


def endings_beside(values: Ints, zeros: Ints, first: Ints, endings: Ints) -> Ints:
    """With which last digits of the ``first``, (questions, 1), none of what moves with it gets rounder.

    ``zeros``: how round the numbers are; ``endings``: of each by itself: (questions, numbers).
    """
    most = across(np.maximum, zeros)[:, None]
    unit = digits.tens(most)
    forbidden = (nearest(first, unit) - nearest(values, unit)) % 10
    held = (zeros == most) & (endings != _ANY)
    no_five = held & (endings >> 5 & 1 == 0)
    found = np.full((len(values), 1), _ANY, np.int64)
    for n in range(values.shape[1]):
        found[:, 0] &= np.where(held[:, n], ~(1 << forbidden[:, n]), _ANY)
        found[:, 0] &= np.where(no_five[:, n], ~(1 << (forbidden[:, n] + 5) % 10), _ANY)
    return found
