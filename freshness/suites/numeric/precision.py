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
_WHOLE: Final = 1e-6
"""What is as near to a whole number, by its size, is one: many values were kept in single precision."""
_ENOUGH: Final = 8
TRIFLE: Final = 3e-4
"""What is no farther from a rounder number than so much of itself looks as if it were that number."""


@dataclass(frozen=True, slots=True)
class Shown:
    """``whole``: rounded magnitudes; ``finer``: which are rounded, (questions, numbers).

    ``usual``: what is small for the series, at the same scale; ``grain``: of what all its numbers are
    multiples (25 of quarters with two decimals), 1 where nothing is to be seen: one for each question.
    """

    whole: Whole
    finer: Truths
    usual: Floats
    grain: Ints


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
    whole = Whole(nearest.astype(np.int64), decimals)
    return Shown(whole, finer, digits.scaled(usual, decimals), _grain(whole.values, finer, series))


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


def _grain(values: Ints, finer: Truths, series: Series) -> Ints:
    found = np.ones(len(series.of), np.int64)
    for part in series.parts():
        if finer[part].any():
            continue
        numbers = np.unique(values[part])
        grain = int(np.gcd.reduce(numbers))
        # A power of ten shows as zeros, and few numbers have something in common by chance.
        if grain > 1 and str(grain).rstrip("0") != "1" and len(numbers) >= _ENOUGH:
            found[part] = 1 if _coarser(numbers // grain) else grain
    return found


def _coarser(grains: Ints) -> bool:
    """Whether more of these numbers are multiples of 2, 5 or 10 than chance would give: some are rounder."""
    count = len(grains)
    shares = ((2, 0.5), (5, 0.2), (10, 0.1))
    return any(
        np.count_nonzero(grains % by == 0) > 2 + share * count + 2 * np.sqrt(share * (1 - share) * count)
        for by, share in shares
    )


def heaped(table: Floats) -> Truths:
    """Which series, the rows, have more round numbers than chance would give: some values are estimates.

    Of two digits, or as good as that: more than twice as many and two; ending in 0 or 5: more than a fifth by
    three standard deviations and two.
    """
    magnitudes = np.where(np.isfinite(table), np.abs(table), 0.0)
    there = magnitudes > 0
    spacing = digits.power_below(magnitudes) / 10
    away = np.abs(magnitudes - np.rint(magnitudes / spacing) * spacing)
    expected = np.where(there, np.minimum(2 * TRIFLE * magnitudes / spacing, 1.0), 0.0).sum(axis=1)
    short = (there & (away <= TRIFLE * magnitudes)).sum(axis=1) > 2 + 2 * expected
    count = there.sum(axis=1)
    found: Truths = short | (_fives(magnitudes) > 2 + 0.2 * count + 3 * np.sqrt(0.16 * count))
    return found


def _fives(magnitudes: Floats) -> Ints:
    """How many numbers of each row end in 0 or 5, with as many digits as the row has, at most nine."""
    shown, unit = digits.exact(np.minimum(magnitudes, digits.LARGEST))
    found: Ints = ((shown > 0) & (shown // unit[:, None] % 5 == 0)).sum(axis=1)
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
