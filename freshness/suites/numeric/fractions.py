"""Changes that are simple fractions, and look it: from 10 to 15, or between multiples of a large unit."""

from __future__ import annotations

from typing import Final

import numpy as np

from freshness.suites.numeric import digits
from freshness.suites.numeric.digits import Truths, across
from freshness.suites.numeric.panel import Floats, Ints
from freshness.suites.numeric.precision import segments

_DIGITS: Final = 9
_FEW: Final = 100
"""Numbers below a hundred units have ratios that are simple fractions..."""
_FEW_APART: Final = 10
"""... and less than ten units are a simple fraction of any number."""
_LARGEST: Final = 30
"""Terms of a simple fraction are no larger..."""
_NEAR: Final = 1e-4
"""... and a ratio that is as near to one is taken for it."""


def simple(first: Floats, last: Floats, series: Ints) -> Truths:
    """Whether the change from one number to the other gives itself away; ``series``: whose it is."""
    shown, unit = _units(first, last)
    found: Truths = across(np.minimum, shown) < _FEW * unit
    like = _like_fractions(first, last)
    for part in segments(series):
        # By chance there are about six in a hundred.
        some = like[part]
        if some.sum() > 3 + 0.12 * some.size:
            found[part] |= some
    return found


def least_change(first: Floats, last: Floats) -> Floats:
    """In percent of the first number the least change that isn't a simple fraction of it."""
    shown, unit = _units(first, last)
    least: Floats = 100.0 * _FEW_APART * unit / np.maximum(shown[:, 0], 1)
    return least


def _units(first: Floats, last: Floats) -> tuple[Ints, Ints]:
    """Both numbers, (changes, 2), at one scale, and the power of ten that they are multiples of."""
    pairs = np.abs(np.stack([first, last], axis=1))
    pairs = np.where(pairs < digits.LARGEST, pairs, 0.0)
    largest = across(np.maximum, pairs)
    decimals = _DIGITS - 1 - digits.exponents(np.where(largest > 0, largest, 1.0))
    shown = np.rint(digits.scaled(pairs, decimals[:, None])).astype(np.int64)
    zeros = np.where(shown > 0, digits.trailing_zeros(shown), _DIGITS)
    return shown, digits.tens(across(np.minimum, zeros))


def _like_fractions(first: Floats, last: Floats) -> Truths:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where((first > 0) & (last > 0), last / np.where(first > 0, first, 1.0), np.nan)
    found = np.zeros(len(ratio), np.bool_)
    for term in range(1, _LARGEST + 1):
        over = ratio * term
        found |= (np.abs(over - np.rint(over)) <= _NEAR * over) & (over < _LARGEST + 0.5)
    changed: Truths = found & (first != last)
    return changed
