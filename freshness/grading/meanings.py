"""What a number of an answer may mean in the unit of a question's options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import regex

from freshness.grading.numbers import Number, units
from freshness.grading.options import Shown, coarse, unit_of

EPSILON: Final = 1e-9
"""Of a number: less than any digit tells."""
REACH: Final = 60
"""Characters of context looked at before a number."""
_DOWN: Final = regex.compile(
    r"\b(?:decreas|declin|fell|fall|drop|reduc|shr[aiu]nk|contract|los[st]|negativ|down|"
    r"dip)\w*\b[^.;\d]{0,30}$",
    regex.I,
)
_UP: Final = regex.compile(
    r"(?:\b(?:increas|ris[ei]|rose|grew|grow|climb|jump|gain|surg|positiv)\w*\b|\bup\b)[^.;\d]{0,30}$|[+]$",
    regex.I,
)
_DOWN_AFTER: Final = regex.compile(
    r"[ ]?(?:\w+[ ]){0,2}(?:decreas|declin|fall|drop|reduc|contraction|loss|lower)\w*\b", regex.I
)
_UP_AFTER: Final = regex.compile(
    r"[ ]?(?:\w+[ ]){0,2}(?:increas|ris[ei]|growth|gain|jump|higher)\w*\b", regex.I
)
_TO: Final = regex.compile(r"\bto[ ](?:(?:about|around|roughly|approximately|some|just)[ ])?$", regex.I)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a number may mean in an option's unit.

    ``step``: the worth of one in its last digit, ``coarse`` in its last digit that is not 0.
    """

    value: float
    step: float
    coarse: float


@dataclass(frozen=True, slots=True)
class Scene:
    """The text with its numbers: ``kept``, those that may be values. ``change``: of a change was asked.

    ``lent``: by where it starts, the number whose scale and unit a bare one has ("1.4, 1.6 and 2 million").
    """

    text: str
    kept: Sequence[Number]
    signs: frozenset[int]
    change: bool
    lent: Mapping[int, Number] = field(default_factory=dict)


def meanings_of(scene: Scene, number: Number, one: Shown) -> list[Meaning]:
    """What a number may mean in the options' unit; nothing where it measures something else."""
    if lender := scene.lent.get(number.start):
        number = _borrowing(number, lender)
    if number.form == "fraction":
        times = 100.0 if one.unit.measures == "percent" else None
    else:
        times = units.factor(unit_of(scene.text, number), one.unit, scaled=False)
    if times is None:
        return []
    way = _way(scene, number)
    found = []
    readings = number.readings
    if scene.change and number.value < 0:
        readings = tuple(reading for reading in readings if reading.value < 0)  # no bullet
    for reading in readings:
        meant = reading.times(times)
        signed = meant.value if meant.value < 0 or not way else way * meant.value
        found.append(Meaning(signed, meant.step, coarse(meant.value, meant.step)))
    return found


def _borrowing(number: Number, lender: Number) -> Number:
    """A bare number with the scale, the percent sign and the unit of the one that ends its row."""
    scaled = tuple(reading.times(lender.scale) for reading in number.readings)
    return replace(number, end=lender.end, readings=scaled, scale=lender.scale, percent=lender.percent)


def _way(scene: Scene, number: Number) -> int:
    """The sign that the words around give a number without one: "a drop of 5 %"; 0 where they give none.

    Where all options fell, a bare number is how far.
    """
    if scene.signs <= {0, 1} and not scene.change:
        return 0
    before = scene.text[max(0, number.start - REACH) : number.start]
    if _TO.search(before):
        return -1 if scene.signs <= {0, -1} else 0
    down, up = _DOWN.search(before), _UP.search(before)
    if _DOWN_AFTER.match(scene.text, number.end) or (down and (not up or down.start() > up.start())):
        return -1
    if up or _UP_AFTER.match(scene.text, number.end):
        return 1
    return -1 if scene.signs <= {0, -1} else 0


def tiny(one: Shown) -> float:
    """Less than any number shown tells."""
    return EPSILON * max(abs(one.value), one.step)


def bare(written: str) -> str:
    """A number as it is written, without its signs of percent and money."""
    return written.strip("%$€£ ")


def is_rounded_to(value: float, one: Shown) -> bool:
    """Whether an option is this number, rounded to the digits that the options show."""
    return abs(one.value) >= 10 * one.exact and abs(value - one.value) <= one.exact / 2 * (1 + EPSILON)
