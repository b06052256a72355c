"""Zeros among the options, as often right as any other number beside them.

Beside zero there is nothing of its form, and where zero stands it would be right nearly always, or never. So
of a series with zeros and other values, zero stands in some questions about the others too, and of those
about zeros so many are asked that it is right in one of four. Their other options are made as if one of the
series' other questions were asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from freshness.suites.numeric.digits import Truths
from freshness.suites.numeric.draws import DONOR, ZERO_SHOWN, Draws, draw, fraction
from freshness.suites.numeric.panel import Ints
from freshness.suites.numeric.precision import Series

_MOST_SHOWN: Final = 0.5
"""Of the questions about other values at most so many have zero among their options."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """For each question: in which ``row`` its options are made, whether zero is ``shown``, whether asked."""

    row: Ints
    shown: Truths
    asked: Truths


def mixed(zero: Truths, other: Truths, series: Series, draws: Draws) -> Mixed:
    """``zero``: whether the key is, ``other``: whether it is something else; neither: it isn't asked about.

    Each series is balanced by itself.
    """
    row = np.arange(len(zero))
    if not zero.any():
        return Mixed(row, zero, other)
    shown = zero.copy()
    asked = other.copy()
    chance = fraction(draws, ZERO_SHOWN)
    for part in series.parts():
        zeros, others = row[part][zero[part]], row[part][other[part]]
        if not zeros.size or not others.size:
            continue
        share = min(_MOST_SHOWN, 3 * zeros.size / others.size)
        shown[others] = chance[others] < share
        asked[zeros] = chance[zeros] < share * others.size / (3 * zeros.size)
        donor = draw(draws[zeros], DONOR) % np.uint64(others.size)
        row[zeros] = others[donor.astype(np.int64)]
    return Mixed(row, shown, asked)
