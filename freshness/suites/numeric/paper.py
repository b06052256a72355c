"""TempUN's options (section 3): ``v + U(0,1) * 10^floor(log10(v + 1))``, each number drawn for by itself.

The formula needs ``v > -1``; we put the magnitude in its logarithm, so that a negative number is raised by as
much as its opposite may be, and zero and tiny ones by up to 1, as the formula has it. It only ever adds: the
key is the smallest of its options. Kept for comparison; nothing is left out but what can't be written.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from freshness.suites.numeric import digits
from freshness.suites.numeric.choices import KEPT, TOO_LARGE, Choices
from freshness.suites.numeric.digits import LARGEST, Whole
from freshness.suites.numeric.draws import STEPS, Draws, fraction
from freshness.suites.numeric.panel import Floats, Ints

_MOST_DECIMALS: Final = 15
"""An option can be 1 where the key is close to 0: both are written in full."""
_DECIMALS_OF_ZERO: Final = 2


def added(keys: Floats, draws: Draws, most_decimals: int = _MOST_DECIMALS) -> Choices:
    """Four options for each row of ``keys`` (questions, numbers): the key and three that lie above it."""
    large = np.abs(keys).max(axis=1) >= LARGEST
    keys = np.where(large[:, None], 0.0, keys)
    decimals = digits.whole(keys, min(most_decimals, _MOST_DECIMALS)).decimals
    decimals = np.where((keys == 0).all(axis=1), _DECIMALS_OF_ZERO, decimals)
    others = [_rounded(_raised(keys, draws, n), decimals) for n in range(3)]
    values = _apart([_rounded(keys, decimals), *others])
    shown = digits.written(Whole(values, decimals), np.zeros_like(decimals))
    reason = np.where(large, TOO_LARGE, KEPT).astype(np.int8)
    place = np.zeros(len(keys), np.int64)
    return Choices(shown.values, shown.decimals, place, reason).shuffled(draws)


def _raised(keys: Floats, draws: Draws, option: int) -> Floats:
    width = keys.shape[1]
    by = [fraction(draws, STEPS + option * width + n) for n in range(width)]
    return keys + np.stack(by, axis=1) * digits.power_below(np.abs(keys) + 1)


def _rounded(values: Floats, decimals: Ints) -> Ints:
    return np.rint(digits.scaled(values, decimals[:, None])).astype(np.int64)


def _apart(options: list[Ints]) -> Ints:
    """As one array (questions, options, numbers), the first number of equal ones raised by one unit."""
    found = options[:1]
    for option in options[1:]:
        for _ in found:
            same = np.zeros(len(option), bool)
            for other in found:
                same |= (option == other).all(axis=1)
            option = option.copy()
            option[:, 0] += same
        found.append(option)
    return np.stack(found, axis=1)
