"""Four options of a question, in the order in which they are read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from freshness.suites.numeric.draws import ORDER, Draws, below
from freshness.suites.numeric.panel import Ints

KEPT, ZERO, TOO_LARGE, AT_BOUND, TOO_FEW_DIGITS, EQUAL, NO_BASE, UNEVEN = range(8)
REASONS: Final = (
    "",
    "zero",
    "too_large",
    "at_bound",
    "too_few_digits",
    "equal_values",
    "first_value_not_above_zero",
    "uneven",
)
"""Why no question is asked, by number; nothing where it is. See ``docs/numeric-questions.md``."""

_ORDERS: Final = np.array(list(permutations(range(4))))


@dataclass(frozen=True, slots=True)
class Choices:
    """``shown / 10^decimals``: an array (questions, 4, numbers); ``place``: which of the four is the key.

    ``reason``: the number of one of ``REASONS``, for each question.
    """

    shown: Ints
    decimals: Ints
    place: Ints
    reason: NDArray[np.int8]

    def take(self, rows: Ints) -> Choices:
        return Choices(self.shown[rows], self.decimals[rows], self.place[rows], self.reason[rows])

    def shuffled(self, draws: Draws) -> Choices:
        """The same in an order that depends on nothing but the draw."""
        order = _ORDERS[below(draws, ORDER, len(_ORDERS))]
        shown = np.take_along_axis(self.shown, order[:, :, None], axis=1)
        return Choices(shown, self.decimals, (order == self.place[:, None]).argmax(axis=1), self.reason)
