"""Whole numbers with a decimal point as text, in pieces, a column at a time: ``-1,234.50``."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from freshness.suites.numeric import digits
from freshness.suites.numeric.panel import Ints

_GROUPS: Final = pl.Series([str(n) for n in range(1000)] + [f",{n:03}" for n in range(1000)] + [""])
_LOWER_GROUP, _NO_GROUP = 1000, 2000
_DECIMALS: Final = pl.Series(
    [f".{n}" for n in range(10)]
    + [f".{n:02}" for n in range(100)]
    + [f".{n:03}" for n in range(1000)]
    + [f"{n:03}" for n in range(1000)]
    + [""]
)
_AFTER_POINT: Final = np.array([0, 0, 10, 110])
"""Where the first one, two or three decimals begin in ``_DECIMALS``."""
_LATER, _NO_DECIMALS = 1110, 2110


def pieces(values: Ints, decimals: Ints) -> list[pl.Series]:
    """``values / 10^decimals`` with all their decimals, and a comma between thousands.

    In pieces that are as long as ``values`` each: they are joined once, with what stands around them.
    """
    magnitudes = np.abs(values)
    whole, rest = np.divmod(magnitudes, digits.tens(decimals))
    return [*_signs(values), *_groups(whole), *_decimals(rest, decimals)]


def _signs(values: Ints) -> list[pl.Series]:
    negative = values < 0
    return [_picked(pl.Series(["", "-"]), negative.astype(np.int64))] if negative.any() else []


def _groups(whole: Ints) -> list[pl.Series]:
    """Thousands, from the highest that any number has; nothing where one has none so high."""
    groups: list[pl.Series] = []
    highest = max(len(str(int(whole.max(initial=0)))) - 1, 0) // 3
    for power in range(highest, -1, -1):
        group = whole // 1000**power
        index = np.where(group < 1000, group, group % 1000 + _LOWER_GROUP)
        if power:
            index[group == 0] = _NO_GROUP
        groups.append(_picked(_GROUPS, index))
    return groups


def _decimals(fraction: Ints, decimals: Ints) -> list[pl.Series]:
    """The point with one to three decimals, then three each."""
    parts: list[pl.Series] = []
    first = np.where(decimals > 0, (decimals - 1) % 3 + 1, 0)
    for done in range(0, int(decimals.max(initial=0)), 3):
        left = decimals - first - done
        index = fraction // digits.tens(left)
        index = index + _AFTER_POINT[first] if done == 0 else index % 1000 + _LATER
        index[(left < 0) | (decimals == 0)] = _NO_DECIMALS
        parts.append(_picked(_DECIMALS, index))
    return parts


def _picked(texts: pl.Series, index: Ints) -> pl.Series:
    return texts.gather(pl.Series(index.astype(np.uint32)))
