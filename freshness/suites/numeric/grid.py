"""Numbers of one form, counted: those that a number could be swapped for without its form telling which.

Where a series has digits enough, these are the numbers with the same last digit. Where it hasn't, they are
all that end in as many zeros; of numbers that have been rounded, which can end in anything, all there are.

Each has a cell on a line, so that between the cells a number can move continuously and come out at a place
that depends on nothing but where in its cell it set out: that is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from freshness.suites.numeric import digits
from freshness.suites.numeric.digits import Truths
from freshness.suites.numeric.panel import Floats, Ints

LEAST: Final = 10
"""The main number of an option has at least so many units: two digits without the zeros it ends in."""
_FINE: Final = 100
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
    """All arrays are (questions, numbers). ``unit``: of what numbers are multiples.

    ``fine``: whether the last digit stays; ``endings``: the last digits there are, a bit for each.
    """

    unit: Ints
    fine: Truths
    endings: Ints

    @classmethod
    def of(cls, values: Ints, usual: Floats, free: Truths) -> Grid:
        """Of these numbers; ``usual``: of the series, (questions, 1); ``free``: can end in anything."""
        unit = np.where(free, 1, digits.tens(digits.trailing_zeros(values)))
        return cls.at(unit, values, usual, np.where(free, _ANY, _ANY - 1))

    @classmethod
    def at(cls, unit: Ints, values: Ints, usual: Floats, endings: Ints) -> Grid:
        """Of multiples of these units, with these endings where there are too few digits to keep the last."""
        fine = usual / unit >= _FINE
        return cls(unit, fine, np.where(fine, 1 << (values // unit % 10), endings))

    @property
    def soft(self) -> Floats:
        """What is added to a number before a step is taken as a ratio, in units."""
        soft: Floats = np.where(self.fine, _SOFT[1], _SOFT[0])
        return soft

    def place(self, values: Ints, fraction: Floats) -> Floats:
        """Where on the line numbers are, in units, ``fraction`` of a cell behind its beginning."""
        units = values // self.unit
        count = _COUNT[self.endings]
        index = units // 10 * count + _RANK[self.endings, units % 10]
        place: Floats = (index + fraction) * (10 / count) + _BEGIN[self.endings]
        return place

    def value(self, place: Floats) -> Ints:
        """The number in whose cell a place lies; 0 or less where there is none."""
        count = _COUNT[self.endings]
        index = np.floor((place - _BEGIN[self.endings]) * (count / 10)).astype(np.int64)
        value: Ints = (index // count * 10 + _NTH[self.endings, index % count]) * self.unit
        return value


def endings_beside(values: Ints, unit: Ints, first: Ints, free: Truths) -> Ints:
    """With which last digits of ``first`` none of several numbers that move with it gets rounder.

    ``values``, and ``free``, which can end in anything: (questions, numbers); the others: (questions, 1).
    """
    units = values // unit
    forbidden = (first // unit - units) % 10
    bound = (units * unit == values) & ~free
    found = np.full((len(values), 1), _ANY, np.int64)
    for column, held in zip(forbidden.T, bound.T, strict=True):
        found[:, 0] &= np.where(held, ~(1 << column), _ANY)
    return found
