"""Changes that are simple fractions, and look it: from 10 to 15, or between multiples of a large unit."""

from __future__ import annotations

from typing import Final

import numpy as np

from freshness.suites.numeric import digits
from freshness.suites.numeric.digits import Truths, across
from freshness.suites.numeric.panel import Floats, Ints
from freshness.suites.numeric.precision import segments

_FEW: Final = 100
"""Numbers below a hundred units have ratios that are simple fractions..."""
_FEW_APART: Final = 10
"""... and less than ten units are a simple fraction of any number."""
_LARGEST: Final = 30
"""Terms of a simple fraction are no larger..."""
_NEAR: Final = 1e-4
"""... and a ratio that is as near to one is taken for it."""


def simple(first: Floats, last: Floats, series: Ints) -> tuple[Truths, Floats]:
    """Whether the change from one number to the other gives itself away; ``series``: whose it is.

    And in percent of the first number the least change that isn't a simple fraction of it.
    """
    pairs = np.abs(np.stack([first, last], axis=1))
    shown, unit = digits.exact(np.where(pairs < digits.LARGEST, pairs, 0.0))
    found: Truths = across(np.minimum, shown) < _FEW * unit
    like = _like_fractions(first, last)
    for part in segments(series):
        # By chance there are about six in a hundred.
        some = like[part]
        if some.sum() > 3 + 0.12 * some.size:
            found[part] |= some
    least: Floats = 100.0 * _FEW_APART * unit / np.maximum(shown[:, 0], 1)
    return found, least


def _like_fractions(first: Floats, last: Floats) -> Truths:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where((first > 0) & (last > 0), last / np.where(first > 0, first, 1.0), np.nan)
    found = np.zeros(len(ratio), np.bool_)
    for term in range(1, _LARGEST + 1):
        over = ratio * term
        found |= (np.abs(over - np.rint(over)) <= _NEAR * over) & (over < _LARGEST + 0.5)
    changed: Truths = found & (first != last)
    return changed
