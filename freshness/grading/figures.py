"""Which of an answer's numbers is its answer.

As in ``claims``: every number is weighed by the words around it, the strongest wins, then the first. Ranges,
uncertainties, bounds and units are put together with their number; years, ranks and the like are none
(``numbers.roles``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import regex

from freshness.grading import cues, figure_cues, words
from freshness.grading.figure_cues import Bound
from freshness.grading.numbers import Number, Reading, find, units
from freshness.grading.numbers.roles import Role, roles
from freshness.grading.numbers.units import Unit
from freshness.grading.options import is_part_of_one
from freshness.grading.tying import tie
from freshness.grading.years import LATER, explicit

NEAR_YEARS: Final = 30
"""Values of so many years around the one asked about say what order of size is plausible."""
WINDOW: Final = 90
"""Characters of context looked at before a number."""
ODD: Final = 2
"""So many orders of size outside the series make a number another thing's."""
SAME: Final = 0.01
"""Numbers that differ by no more than this part are one, said twice."""
WIDE: Final = 0.1
"""A range wider than this part of its upper end commits to nothing."""


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
    ``now``: the year that "now" means.
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


@dataclass(frozen=True, slots=True)
class Commitment:
    """The number that an answer commits to, or None and why. ``rule`` is a stable word."""

    figure: Figure | None
    rule: str


_FILLERS: Final = words.FUNCTION_WORDS | frozenset(
    "about around approximately approx roughly some circa ca nearly almost close over usd us dollars years "
    "year number value figure "
    "estimated total exactly reported recorded average stood level amounted equal equals sure known".split()
)
_WORD: Final = regex.compile(r"[\p{L}\p{M}']+|\d+")


def scope(values: Sequence[tuple[int, float]], year: int, unit: str, question: str) -> Scope:
    """What is known of the number asked for."""
    near = [value for at, value in values if abs(at - year) <= NEAR_YEARS] or [value for _, value in values]
    sizes = [abs(value) for value in near if value and math.isfinite(value)] or [1.0]
    asked = frozenset(word.casefold() for word in _WORD.findall(question))
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


def commit(text: str, known: Scope, cut_off: bool) -> Commitment:
    """The number that a plain text commits to."""
    numbers = find(text)
    asked = {known.year, *(int(word) for word in known.asked if word.isdecimal() and len(word) == 4)}
    kinds = roles(text, numbers, asked)
    said = [number for number, kind in zip(numbers, kinds, strict=True) if kind is Role.VALUE]
    if cut_off and said and _may_go_on(text, said[-1]):
        said.pop()
        if not said:
            return Commitment(None, "cut off")
    figures = _figures(text, [n for n in said if n.value not in known.numbers], known)
    # A number of the question counts where there is no other.
    figures = figures or _figures(text, said, known)
    if not figures:
        return Commitment(None, "another unit" if said else "no number")
    figures = _before_run_on(text, figures)
    spans = [(figure.start, figure.end) for figure in figures]
    of_year = tie(text, spans, explicit(text, numbers, kinds), known.year, known.now)
    weighed = _by_size([_weigh(text, figure, of_year.get(figure.start), known) for figure in figures], known)
    return _chosen(text, [figure for figure in weighed if figure.weight > Weight.OUT], weighed[0].cue)


def _may_go_on(text: str, number: Number) -> bool:
    """Whether more digits, or a scale word, may have followed where the text was cut off."""
    return not number.percent and not number.scaled and number.end >= len(text.rstrip(" \n.,'"))


def _figures(text: str, said: Sequence[Number], known: Scope) -> list[Figure]:
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
    scaled = [Reading(reading.value * times, reading.step * abs(times)) for reading in number.readings]
    return min(scaled, key=lambda reading: _oddness(reading.value, known))


def _oddness(value: float, known: Scope) -> int:
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
        first = replace(first, readings=_times(first.readings, second.scale), scale=second.scale)
    if unit == units.NONE or not unit.measures:
        unit = units.read(text, second.end)
    one, two = _shared(text, first, second, unit, known)
    if one is None or two is None:
        return None
    if figure_cues.PLUS_MINUS.fullmatch(gap):
        spread = abs(two.low) if two.low <= WIDE / 2 * abs(one.low) else math.inf
        return (
            replace(one, end=two.end)
            if math.isfinite(spread)
            else replace(one, low=one.low - two.low, high=one.low + two.low, end=two.end)
        )
    if figure_cues.is_range(before, gap) and one.low <= two.low:
        return replace(one, high=two.high, end=two.end, step=max(one.step, two.step))
    if (
        known.unit.measures == "time"
        and figure_cues.MONTHS.fullmatch(gap)
        and _are_parts(text, first, second)
    ):
        return replace(one, low=one.low + two.low, high=one.high + two.high, end=two.end, step=two.step)
    return None


def _times(readings: Sequence[Reading], factor: float) -> tuple[Reading, ...]:
    return tuple(Reading(reading.value * factor, reading.step * factor) for reading in readings)


def _shared(
    text: str, first: Number, second: Number, unit: Unit, known: Scope
) -> tuple[Figure | None, Figure | None]:
    """Both numbers as figures; the first has the unit and the percent sign of the second where it has "
    "none.
    """
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


def _before_run_on(text: str, figures: list[Figure]) -> list[Figure]:
    """Figures up to where a completion model goes on with a question of its own."""
    for match in cues.RUN_ON.finditer(text):
        before = [figure for figure in figures if figure.start < match.start()]
        if before:
            return before
    return figures


def _by_size(figures: Sequence[Figure], known: Scope) -> list[Figure]:
    """What is a hundred times too large or small is beside the point where something else isn't."""
    if not any(figure.weight > Weight.OUT and _oddness(figure.low, known) < ODD for figure in figures):
        return list(figures)
    return [
        replace(figure, weight=min(figure.weight, Weight.ASIDE))
        if _oddness(figure.low, known) >= ODD
        else figure
        for figure in figures
    ]


def _weigh(text: str, figure: Figure, year: int | None, known: Scope) -> Figure:
    """With the year that it is said to be of, and how far it is the answer."""
    weight, cue = _weight(text, replace(figure, year=year), known)
    return replace(figure, year=year, weight=weight, cue=cue)


def _weight(text: str, figure: Figure, known: Scope) -> tuple[Weight, str]:
    before, after = text[max(0, figure.start - WINDOW) : figure.start], text[figure.end : figure.end + WINDOW]
    sentence = cues.last_sentence(before)
    for cue, pattern in figure_cues.OUT_BEFORE.items():
        if pattern.search(sentence):
            return Weight.OUT, cue
    if cues.is_withheld(sentence):
        return Weight.OUT, "withheld"
    if cues.CORRECTED.search(after):
        return Weight.OUT, "corrected"
    if _is_part(sentence, after) and not known.asked & figure_cues.PART:
        return Weight.OUT, "of a part"
    if figure_cues.FINAL.search(before):
        return Weight.FINAL, "final answer"
    if _is_aside(sentence, after):
        # What something rose from in the year asked about is its value then, and the other one another's.
        is_asked = figure.year == known.year and figure_cues.MOVED_FROM.search(sentence) is not None
        if is_asked or figure.year != known.year:
            return (Weight.BEGAN, "of the year asked about") if is_asked else (Weight.ASIDE, "compared with")
    if figure.year is not None and figure.year != known.year:
        return Weight.OTHER_YEAR, "of another year"
    if _is_head(text[: figure.start], known):
        return Weight.HEAD, "opens the answer"
    if figure_cues.GUESSED.search(sentence):
        return Weight.GUESSED, "guessed"
    if _is_total(sentence, after, known):
        return Weight.TOTAL, "in total"
    return (Weight.ASKED_YEAR, "of the year asked about") if figure.year else (Weight.PLAIN, "first named")


def _is_aside(sentence: str, after: str) -> bool:
    """Whether something else is compared with it, or it is where a change began."""
    if figure_cues.ASIDE_BEFORE.search(sentence) or figure_cues.ASIDE_AFTER.match(after):
        return True
    if figure_cues.FROM.search(sentence) is None:
        return False
    return figure_cues.MOVED.search(sentence) is not None or figure_cues.TO_ANOTHER.match(after) is not None


def _is_total(sentence: str, after: str, known: Scope) -> bool:
    """Whether it is said to be what the parts of the thing asked for come to."""
    before = figure_cues.TOTAL_BEFORE.search(sentence)
    if before is None:
        return figure_cues.TOTAL_AFTER.match(after) is not None
    return all(word in known.asked or word in _FILLERS for word in before["thing"].casefold().split())


def _is_part(sentence: str, after: str) -> bool:
    """Whether it is said of men or of women alone."""
    before = figure_cues.PART_BEFORE.search(sentence)
    return before is not None or figure_cues.PART_AFTER.match(after) is not None


def _is_head(before: str, known: Scope) -> bool:
    """Whether nothing but the question's own words and fillers stands before it, in its sentence."""
    if len(before) > 400 or cues.SENTENCE.search(before.strip()):
        return False
    found = (word.casefold() for word in _WORD.findall(before))
    return all(word in known.asked or word in _FILLERS or word == str(known.year) for word in found)


def _chosen(text: str, standing: Sequence[Figure], why_none: str) -> Commitment:
    """The strongest, then the first that is no bound; of other years' the latest."""
    if not standing:
        return Commitment(None, why_none)
    best = max(figure.weight for figure in standing)
    strongest = [figure for figure in standing if figure.weight == best]
    chosen = next((figure for figure in strongest if not figure.bound), strongest[0])
    if best is Weight.OTHER_YEAR:
        chosen = max(strongest, key=lambda figure: (figure.year or 0, -figure.start))
    if best not in (Weight.OTHER_YEAR, Weight.TOTAL) and _is_uncommitted(text, chosen, standing):
        return Commitment(None, "several numbers")
    return Commitment(chosen, chosen.cue)


def _is_uncommitted(text: str, chosen: Figure, standing: Sequence[Figure]) -> bool:
    """Whether it stands in a row of others, with only commas and "or" between."""
    at = next(n for n, figure in enumerate(standing) if figure is chosen)
    near = [(standing[n], standing[n + 1]) for n in (at - 1, at) if 0 <= n < len(standing) - 1]
    return any(
        figure_cues.LISTED.fullmatch(text[one.end : two.start]) is not None
        and not (_are_close(one, two) or _allows(one, two) or _allows(two, one))
        for one, two in near
    )


def _allows(bound: Figure, other: Figure) -> bool:
    """Whether one is only a bound, and the other lies within it: "more than a third, 35 %"."""
    if bound.bound == "over":
        return other.low >= bound.low
    return bound.bound == "under" and other.high <= bound.high


def _are_close(one: Figure, two: Figure) -> bool:
    return abs(one.low - two.low) <= SAME * max(abs(one.low), abs(two.low))
