"""How many digits the numbers of a series are shown with: as many decimals in all its questions of a kind.

Were the number of digits the key's own, it would tell the key: of 9.9 and 10.1 only one has been written with
the same digits whichever of them is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from freshness.suites.numeric import digits
from freshness.suites.numeric.digits import Truths, Whole, across
from freshness.suites.numeric.panel import Floats, Ints

_MOST_DIGITS: Final = 15
_MOST_DECIMALS: Final = 18
_WHOLE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Shown:
    """``whole``: rounded magnitudes; ``exact``: unrounded, at the same scale; both (questions, numbers).

    ``finer``: which are rounded, or of a series of which half are, (questions, numbers); ``usual``: what is
    small for the series, of a number or what is missing to the highest, at the same scale, (questions,).
    """

    whole: Whole
    exact: Floats
    finer: Truths
    usual: Floats


def shown(magnitudes: Floats, room: Floats, series: Ints, significant: int) -> Shown:
    """Numbers that are small for their series, its lowest tenth, have that many ``significant`` digits.

    ``room``: what is missing to the highest possible, which has one less; infinite where there is no highest.
    ``series``: ascending.
    """
    usual = _small(magnitudes, series)
    decimals = significant - 1 - digits.exponents(usual)
    bounded = np.isfinite(room) & (magnitudes > 0)
    if bounded.any():
        left = _small(np.where(bounded, room, 0.0), series)
        decimals = np.where(
            left > 0, np.maximum(decimals, significant - 2 - digits.exponents(left)), decimals
        )
        usual = np.where(left > 0, np.minimum(usual, left), usual)
    longest = digits.exponents(_largest(magnitudes, series)) + 1
    decimals = np.minimum(np.minimum(decimals, _MOST_DIGITS - longest), _MOST_DECIMALS)
    exact = digits.scaled(magnitudes, decimals[:, None])
    nearest = np.rint(exact)
    finer = np.abs(exact - nearest) > _WHOLE * np.maximum(nearest, 1.0)
    finer |= _mostly(finer, series)[:, None]
    return Shown(Whole(nearest.astype(np.int64), decimals), exact, finer, digits.scaled(usual, decimals))


def segments(series: Ints) -> list[slice]:
    """Where the questions of each series lie."""
    ends = [*(np.flatnonzero(np.diff(series)) + 1).tolist(), len(series)]
    return [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]


def _small(magnitudes: Floats, series: Ints) -> Floats:
    """For each question what a tenth of its series' numbers above zero is below; 0 where there are none."""
    found = np.zeros(len(series))
    for part in segments(series):
        there = magnitudes[part]
        there = there[there > 0]
        if there.size:
            middle = (there.size - 1) // 10
            found[part] = np.partition(there, middle)[middle]
    return found


def _largest(magnitudes: Floats, series: Ints) -> Floats:
    found = np.zeros(len(series))
    widest = across(np.maximum, magnitudes)
    for part in segments(series):
        found[part] = widest[part].max()
    return found


def _mostly(finer: Truths, series: Ints) -> Truths:
    found = np.zeros(len(series), np.bool_)
    for part in segments(series):
        found[part] = 2 * np.count_nonzero(finer[part]) >= finer[part].size
    return found
