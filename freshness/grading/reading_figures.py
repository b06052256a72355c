"""Numbers of an answer as figures in the series' unit: with their units, ranges and bounds put together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import regex

from freshness.grading import figure_cues
from freshness.grading.figure_cues import Bound
from freshness.grading.numbers import Number, Reading, find, units
from freshness.grading.numbers.units import Unit
from freshness.grading.options import is_part_of_one
from freshness.grading.years import LATER

NEAR_YEARS: Final = 30
"""Values of so many years around the one asked about say what order of size is plausible."""
WINDOW: Final = 90
"""Characters of context looked at before a number."""
ODD: Final = 2
"""So many orders of size outside the series make a number another thing's."""
WIDE: Final = 0.1
"""A range wider than this part of its upper end commits to nothing."""
WORD: Final = regex.compile(r"[\p{L}\p{M}']+|\d+")
"""A word, or digits."""


class Weight(IntEnum):
    """How far a number is the answer."""

    OUT = 0
    ASIDE = 1
    OTHER_YEAR = 2
    PLAIN = 3
    ASKED_YEAR = 4
    TOTAL = 5
    GUESSED = 6
    HEAD = 7
    BEGAN = 8
    FINAL = 9


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known of the number asked for, apart from what is right.

    ``low``, ``high``: the least and greatest size of the values around the year (not 0); ``signed``: some are
    negative; ``share``: all lie between 0 and 1. ``asked``: the question's words, ``numbers`` those in it.
    ``now``: the year that "now" means. ``heading``: the unit that the answer gives for its bare numbers.
    """

    year: int
    now: int
    unit: Unit
    unit_text: str
    low: float
    high: float
    signed: bool
    share: bool
    asked: frozenset[str]
    numbers: frozenset[float]
    heading: Unit | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in the series' unit, from ``low`` to ``high`` (mostly the same), at ``[start, end)``.

    ``step``: the worth of one in its last shown digit. ``year``: the one that it is said to be of, if any.
    ``maybe_share``: it may be a part of one where percents are asked for.
    """

    low: float
    high: float
    step: float
    start: int
    end: int
    year: int | None = None
    bound: Bound = ""
    weight: Weight = Weight.PLAIN
    cue: str = "first named"
    maybe_share: bool = False


def scope(values: Sequence[tuple[int, float]], year: int, unit: str, question: str) -> Scope:
    """What is known of the number asked for."""
    near = [value for at, value in values if abs(at - year) <= NEAR_YEARS] or [value for _, value in values]
    sizes = [abs(value) for value in near if value and math.isfinite(value)] or [1.0]
    asked = frozenset(word.casefold() for word in WORD.findall(question))
    is_newest = all(at <= year for at, _ in values)
    return Scope(
        year,
        year if is_newest or str(year) not in asked else LATER,
        units.of_indicator(unit),
        unit,
        min(sizes),
        max(sizes),
        signed=any(value < 0 for _, value in values),
        share=not unit.strip() and all(0 <= value <= 1 for _, value in values),
        asked=asked,
        numbers=frozenset(number.value for number in find(question)),
    )


def read_figures(text: str, said: Sequence[Number], known: Scope) -> list[Figure]:
    """The numbers with their units, ranges put together."""
    found: list[Figure] = []
    at = 0
    while at < len(said):
        figure = _figure(text, said[at], known)
        after = said[at + 1] if at + 1 < len(said) else None
        joined = _joined(text, said[at], after, known) if after else None
        if joined is not None:
            found.append(joined)
            at += 1
        elif figure is not None:
            found.append(figure)
        at += 1
    return found


def _figure(text: str, number: Number, known: Scope) -> Figure | None:
    """The number in the series' unit; None where it measures something else."""
    unit = units.read(text, number.end)
    times = _factor(number, unit, known)
    if times is None:
        return None
    reading = _plausible(number, times, known)
    if _has_no_unit(number, unit) and oddness(reading.value, known) >= ODD:
        reading = _as_headed(number, known) or reading
    if known.signed and figure_cues.LOSS.search(text[max(0, number.start - WINDOW) : number.start]):
        reading = Reading(-abs(reading.value), reading.step)
    end = max(number.end, unit.end)
    return Figure(
        reading.value,
        reading.value,
        reading.step,
        number.start,
        end,
        bound=figure_cues.bound(text, number.start),
        maybe_share=known.unit.measures == "percent" and is_part_of_one(text, number),
    )


def _has_no_unit(number: Number, unit: Unit) -> bool:
    return unit == Unit(end=number.end) and not (number.percent or number.currency or number.scaled)


def _as_headed(number: Number, known: Scope) -> Reading | None:
    """A bare number in the unit that the answer gives for all of them, where that has the right size."""
    unit = known.heading
    if unit is None or number.start < unit.end:
        return None
    times = units.factor(unit, known.unit, unit.scaled != 1.0)
    if times is None:
        return None
    reading = _plausible(
        number, times if unit.measures and known.unit.measures else times * unit.scaled, known
    )
    return reading if oddness(reading.value, known) < ODD else None


def _factor(number: Number, unit: Unit, known: Scope) -> float | None:
    if number.form == "fraction":
        return {"percent": 100.0}.get(known.unit.measures, 1.0 if known.share else None)
    if number.percent:
        if known.unit.measures == "percent" or not known.unit_text.strip():
            return number.percent * (0.01 if known.share else 1.0)
        per = known.unit.per if not known.unit.measures else 1.0
        return number.percent * per / 100 if per != 1.0 else None
    if number.currency:
        unit = replace(unit, measures=number.currency, factor=1.0)
    return units.factor(unit, known.unit, number.scaled)


def _plausible(number: Number, times: float, known: Scope) -> Reading:
    """The reading whose size is that of the series; the likeliest where several are."""
    scaled = (reading.times(times) for reading in number.readings)
    return min(scaled, key=lambda reading: oddness(reading.value, known))


def oddness(value: float, known: Scope) -> int:
    """How many orders of size a value lies outside the series, a wrong sign counted as ten."""
    sign = 10 if value < 0 and not known.signed else 0
    size = abs(value)
    if not size:
        return sign
    return sign + round(
        max(0.0, math.log10(known.low) - math.log10(size), math.log10(size) - math.log10(known.high))
    )


def _joined(text: str, first: Number, second: Number, known: Scope) -> Figure | None:
    """Two numbers that are one figure: a range, a value with its uncertainty, years and months."""
    unit = units.read(text, first.end)
    gap = text[max(first.end, unit.end) : second.start]
    before = text[max(0, first.start - WINDOW) : first.start]
    if len(gap) > 40:
        return None
    if first.scale == 1.0 and second.scale != 1.0 and first.value < 1000:
        scaled = tuple(reading.times(second.scale) for reading in first.readings)
        first = replace(first, readings=scaled, scale=second.scale)
    if unit == units.NONE or not unit.measures:
        unit = units.read(text, second.end)
    one, two = _shared(text, first, second, unit, known)
    if one is None or two is None:
        return None
    if figure_cues.PLUS_MINUS.fullmatch(gap):
        if math.isfinite(two.low) and two.low <= WIDE / 2 * abs(one.low):
            return replace(one, end=two.end)
        return replace(one, low=one.low - two.low, high=one.low + two.low, end=two.end)
    if figure_cues.is_range(before, gap) and one.low <= two.low:
        return replace(one, high=two.high, end=two.end, step=max(one.step, two.step))
    if (
        known.unit.measures == "time"
        and figure_cues.MONTHS.fullmatch(gap)
        and _are_parts(text, first, second)
    ):
        return replace(one, low=one.low + two.low, high=one.high + two.high, end=two.end, step=two.step)
    return None


def _shared(
    text: str, first: Number, second: Number, unit: Unit, known: Scope
) -> tuple[Figure | None, Figure | None]:
    """Both numbers as figures; the first has the second's unit and percent sign where it has none."""
    if second.percent and not first.percent:
        first = replace(first, percent=second.percent)
    two = _figure(text, second, known)
    times = _factor(first, unit, known)
    if times is None or two is None:
        return None, None
    reading = _plausible(first, times, known)
    return Figure(reading.value, reading.value, reading.step, first.start, two.end), two


def _are_parts(text: str, first: Number, second: Number) -> bool:
    whole, part = units.read(text, first.end), units.read(text, second.end)
    return whole.measures == part.measures == "time" and part.factor < whole.factor
