"""Numbers as whole multiples of a power of ten: how many digits are shown, and how round a number is.

Products and quotients with powers of ten that a double holds exactly, and ``rint``, are the only
operations on floats: IEEE 754 rounds them alike everywhere (no logarithm, no power, whose last bit is
the maths library's own).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from freshness.suites.numeric.panel import Floats, Ints

Truths = NDArray[np.bool_]

LARGEST: Final = 4e18
"""What lies above can't be written with the machine's integers; what lies below 1e-18 is shown as zero."""

_SHOWN: Final = 4
"""Significant digits of the largest number in an option..."""
_SHOWN_OF_SMALL: Final = 2
"""... and at least of the smallest."""
_EXACT_DIGITS: Final = 9
_MOST_DIGITS: Final = 15
_MOST_DECIMALS: Final = 18
_LOWEST: Final = -30
_POWERS: Final = np.array([float(f"1e{n}") for n in range(_LOWEST, 31)])
_TENS: Final = 10 ** np.arange(19, dtype=np.int64)
_EXACT: Final = np.array([float(f"1e{n}") for n in range(23)])


@dataclass(frozen=True, slots=True)
class Whole:
    """``values * 10^-decimals`` are the magnitudes, without signs: an array (questions, numbers).

    ``decimals``: one for each question, negative where whole tens, hundreds and so on are not shown.
    """

    values: Ints
    decimals: Ints


def across(function: np.ufunc, values: NDArray[Any]) -> Any:
    """``function.reduce`` over the last axis, of which there is little: by columns, many times as fast."""
    columns = [values[..., n] for n in range(values.shape[-1])]
    return reduce(function, columns[1:], columns[0])


def exponents(values: Floats) -> Ints:
    """The power of ten of the first digit; -31 for what is smaller than 1e-30."""
    return np.searchsorted(_POWERS, values, side="right").astype(np.int64) - 1 + _LOWEST


def power_below(values: Floats) -> Floats:
    """The largest power of ten that is no larger."""
    powers: Floats = _POWERS[np.clip(exponents(values) - _LOWEST, 0, len(_POWERS) - 1)]
    return powers


def scaled(values: Floats, decimals: Ints) -> Floats:
    """Times ten to the power of ``decimals``, unrounded."""
    up = _EXACT[np.clip(decimals, 0, 22)]
    down = _EXACT[np.clip(-decimals, 0, 22)]
    at_scale: Floats = values * up / down
    return at_scale


def tens(exponent: Ints) -> Ints:
    """Ten to that power, up to 18."""
    return _TENS[np.clip(exponent, 0, 18)]


def lengths(values: Ints) -> Ints:
    """How many digits whole numbers above zero have; 0 for zero."""
    return np.searchsorted(_TENS, values, side="right").astype(np.int64)


def trailing_zeros(values: Ints) -> Ints:
    """How many zeros whole numbers end in; 0 for zero itself."""
    zeros = np.zeros(values.shape, np.int64)
    tenths = values // 10
    left = np.flatnonzero((tenths * 10 == values) & (values != 0))  # cheaper than a remainder
    rest = tenths.ravel()[left]
    while left.size:
        zeros.ravel()[left] += 1
        tenths = rest // 10
        more = tenths * 10 == rest
        left, rest = left[more], tenths[more]
    return zeros


def whole(values: Floats, most_decimals: int = _MOST_DECIMALS) -> Whole:
    """Four significant digits of the largest number, and at least two of the smallest above zero.

    A number that these make very round (4.0004 is 4.000) gets up to two more where the data have them, so
    that there are others as round.
    """
    magnitudes = np.abs(values)
    smallest = across(np.minimum, np.where(magnitudes > 0, magnitudes, np.inf))
    largest = across(np.maximum, magnitudes)
    smallest = np.where(largest > 0, smallest, 1.0)
    decimals = np.maximum(_SHOWN - 1 - exponents(largest), _SHOWN_OF_SMALL - 1 - exponents(smallest))
    decimals = np.minimum(decimals, _MOST_DIGITS - 1 - exponents(largest))
    decimals = np.minimum(decimals, most_decimals)
    shown = Whole(_rounded(magnitudes, decimals), decimals)
    for _ in range(2):
        shown = _finer(shown, magnitudes, most_decimals)
    return shown


def _finer(shown: Whole, magnitudes: Floats, most_decimals: int) -> Whole:
    round_ones = across(np.maximum, trailing_zeros(shown.values)) >= _SHOWN - 1
    round_ones &= shown.decimals < most_decimals
    round_ones &= across(np.maximum, lengths(shown.values)) < _MOST_DIGITS
    if not round_ones.any():
        return shown
    decimals = shown.decimals + round_ones
    values = _rounded(magnitudes, decimals)
    useful = round_ones & across(np.logical_or, values != shown.values * 10)
    return Whole(np.where(useful[:, None], values, shown.values), np.where(useful, decimals, shown.decimals))


def _rounded(magnitudes: Floats, decimals: Ints) -> Ints:
    return np.rint(scaled(magnitudes, decimals[:, None])).astype(np.int64)


def exact(magnitudes: Floats) -> tuple[Ints, Ints]:
    """Rows of numbers to nine digits of the largest, as whole ones, and what power of ten divides a row.

    What a value has beyond that is what a float adds to it.
    """
    largest = across(np.maximum, magnitudes)
    decimals = _EXACT_DIGITS - 1 - exponents(np.where(largest > 0, largest, 1.0))
    shown = np.rint(scaled(magnitudes, decimals[:, None])).astype(np.int64)
    zeros = np.where(shown > 0, trailing_zeros(shown), _EXACT_DIGITS)
    return shown, tens(across(np.minimum, zeros))


def written(shown: Whole, zeros: Ints) -> Whole:
    """Without ``zeros`` last decimals, and with the zeros that stand before the decimal point."""
    cut = np.minimum(zeros, np.maximum(shown.decimals, 0))
    values = shown.values // tens(cut).reshape(-1, *[1] * (shown.values.ndim - 1))
    decimals = shown.decimals - cut
    values = values * tens(-decimals).reshape(-1, *[1] * (values.ndim - 1))
    return replace(shown, values=values, decimals=np.maximum(decimals, 0))
