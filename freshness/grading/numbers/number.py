"""A number as it stands in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

FIRST_YEAR: Final = 1500
LAST_YEAR: Final = 2150
"""Four digits in between may be a year."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a number may mean, and the worth of one in its last shown digit."""

    value: float
    step: float

    def times(self, factor: float) -> Reading:
        """The same in another unit, or with a scale word."""
        return Reading(self.value * factor, self.step * abs(factor))


@dataclass(frozen=True, slots=True)
class Number:
    """A number at ``[start, end)`` with its sign, currency, scale words and percent sign.

    ``readings``: what it may mean, likeliest first ("1.234" has two). ``form``: how it is written; a
    fraction ("one in four", "a quarter") is a part of one. ``percent``: what one of it is in percent (1; 0.1
    for per mille), 0 without such a sign. ``currency``: its code, or empty. ``bare``: digits and nothing
    else, so that it may be a year. ``scale``: what its scale words multiply it by.
    """

    start: int
    end: int
    readings: tuple[Reading, ...]
    form: Literal["digits", "spelled", "fraction"] = "digits"
    percent: float = 0.0
    currency: str = ""
    bare: bool = False
    scale: float = 1.0

    @property
    def value(self) -> float:
        """The likeliest reading."""
        return self.readings[0].value

    @property
    def scaled(self) -> bool:
        """Whether a scale word, letter or power of ten belongs to it."""
        return self.scale != 1.0
