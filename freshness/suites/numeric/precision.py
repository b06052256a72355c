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
from freshness.suites.numeric.draws import STRETCH, Draws, below
from freshness.suites.numeric.panel import Floats, Ints

_MOST_DIGITS: Final = 15
_MOST_DECIMALS: Final = 18
_STRETCHES: Final = np.array([float(f"{10 ** ((n + 0.5) / 32 - 0.5):.4f}") for n in range(32)])
"""From a third to three, evenly in the logarithm."""
_WHOLE: Final = 1e-9
TRIFLE: Final = 3e-4
"""What is no farther from a rounder number than so much of itself looks as if it were that number."""


@dataclass(frozen=True, slots=True)
class Shown:
    """``whole``: rounded magnitudes; ``finer``: which are rounded, (questions, numbers).

    ``usual``: what is small for the series, at the same scale, one for each question.
    """

    whole: Whole
    finer: Truths
    usual: Floats


def shown(magnitudes: Floats, room: Floats, series: Series, significant: int) -> Shown:
    """Numbers that are small for their series, its lowest tenth, have about that many ``significant`` digits.

    At which size there are more is drawn for the series, so that of numbers on both sides of it none is told
    by it. ``room``: what is missing to the highest possible, which has one digit less; infinite where there
    is no highest.
    """
    usual = _small(magnitudes, series) * series.stretch
    decimals = significant - 1 - digits.exponents(usual)
    bounded = np.isfinite(room) & (magnitudes > 0)
    if bounded.any():
        left = _small(np.where(bounded, room, 0.0), series) * series.stretch
        decimals = np.where(
            left > 0, np.maximum(decimals, significant - 2 - digits.exponents(left)), decimals
        )
        usual = np.where(left > 0, np.minimum(usual, left), usual)
    longest = digits.exponents(_largest(magnitudes, series)) + 1
    decimals = np.minimum(np.minimum(decimals, _MOST_DIGITS - longest), _MOST_DECIMALS)
    exact = digits.scaled(magnitudes, decimals[:, None])
    nearest = np.rint(exact)
    finer = np.abs(exact - nearest) > _WHOLE * np.maximum(nearest, 1.0)
    return Shown(Whole(nearest.astype(np.int64), decimals), finer, digits.scaled(usual, decimals))


@dataclass(frozen=True, slots=True)
class Series:
    """To which each question belongs: ``of``, ascending; the same for all of a series are the others.

    ``stretch``: a draw, about 1; ``heaped``: whether many of its numbers are as good as round.
    """

    of: Ints
    stretch: Floats
    heaped: Truths

    @classmethod
    def drawn(cls, of: Ints, draws: Draws, heaped: Truths) -> Series:
        """``draws``: one number for each question, the same for all of a series."""
        return cls(of, _STRETCHES[below(draws, STRETCH, len(_STRETCHES))], heaped)

    def parts(self) -> list[slice]:
        """Where the questions of each series lie."""
        return segments(self.of)


def segments(series: Ints) -> list[slice]:
    """Where each number of an ascending sequence lies."""
    ends = [*(np.flatnonzero(np.diff(series)) + 1).tolist(), len(series)]
    return [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]


def heaped(table: Floats) -> Truths:
    """Which series, the rows, have more numbers of two digits, or as good as that, than chance would give.

    Twice as many and two more: where some values are estimates to two digits and others are measured.
    """
    magnitudes = np.where(np.isfinite(table), np.abs(table), 0.0)
    spacing = digits.power_below(magnitudes) / 10
    away = np.abs(magnitudes - np.rint(magnitudes / spacing) * spacing)
    there = magnitudes > 0
    expected = np.where(there, np.minimum(2 * TRIFLE * magnitudes / spacing, 1.0), 0.0).sum(axis=1)
    found: Truths = (there & (away <= TRIFLE * magnitudes)).sum(axis=1) > 2 + 2 * expected
    return found


def _small(magnitudes: Floats, series: Series) -> Floats:
    """For each question what a tenth of its series' numbers above zero is below; 0 where there are none."""
    found = np.zeros(len(series.of))
    for part in series.parts():
        there = magnitudes[part]
        there = there[there > 0]
        if there.size:
            middle = (there.size - 1) // 10
            found[part] = np.partition(there, middle)[middle]
    return found


def _largest(magnitudes: Floats, series: Series) -> Floats:
    found = np.zeros(len(series.of))
    widest = across(np.maximum, magnitudes)
    for part in series.parts():
        found[part] = widest[part].max()
    return found
