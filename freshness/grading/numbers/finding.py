"""All numbers of a text in order, overlaps settled and compounds put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import regex

from freshness.grading.numbers.number import Number, Reading
from freshness.grading.numbers.numerals import numerals
from freshness.grading.numbers.spelled import fractions, spelled

_TOGETHER: Final = regex.compile(r",?[ ](?:and[ ])?|[ ]?")
_MINUS: Final = regex.compile(r"\b(?:minus|negative)[ ]$", regex.I)
_PERCENT: Final = regex.compile(r"[ -](?:percent(?!age)|per[ ]cent|pct)(?!\p{L})|[ ]?%", regex.I)


MAX_NUMBERS: Final = 400
"""No answer needs more numbers than this; of a text that has more, the first and the last are read."""


def find(text: str) -> list[Number]:
    """The numbers of a plain text (``plain``), in order; none overlaps another."""
    digits = list(numerals(text))
    words = [*fractions(text), *spelled(text)] if any(c.isalpha() for c in text) else []
    found = _apart([_completed(text, number) for number in words], digits)
    if len(found) > MAX_NUMBERS:
        found = [*found[: MAX_NUMBERS // 2], *found[-MAX_NUMBERS // 2 :]]
    return _compounded(text, found)


def _completed(text: str, number: Number) -> Number:
    """A number in words with its minus and its percent sign."""
    minus = _MINUS.search(text[max(0, number.start - 10) : number.start])
    sign = _PERCENT.match(text, number.end)
    if number.form != "spelled":
        return number
    if minus:
        negative = tuple(Reading(-reading.value, reading.step) for reading in number.readings)
        number = replace(number, start=number.start - len(minus[0]), readings=negative)
    return replace(number, end=sign.end(), percent=1.0) if sign else number


def _apart(words: Iterable[Number], digits: Iterable[Number]) -> list[Number]:
    """The longest of those that overlap, digits before words: "one in four", "half a million"."""
    kept: list[Number] = []
    taken: set[int] = set()
    for number in sorted([*digits, *words], key=lambda n: n.start - n.end):
        places = range(number.start, number.end)
        if taken.isdisjoint(places):
            kept.append(number)
            taken.update(places)
    return sorted(kept, key=lambda number: number.start)


def _compounded(text: str, numbers: Sequence[Number]) -> list[Number]:
    """One number where a scaled one is followed by a smaller scaled one: "1 million 200 thousand"."""
    joined: list[Number] = []
    for number in numbers:
        last = joined[-1] if joined else None
        if last is not None and _continues(text, last, number):
            joined[-1] = replace(
                last,
                end=number.end,
                readings=(Reading(last.value + number.value, number.readings[0].step),),
                percent=number.percent,
                scale=number.scale,
            )
        else:
            joined.append(number)
    return joined


def _continues(text: str, last: Number, number: Number) -> bool:
    if not (last.scaled and number.scaled and not last.percent and not number.currency):
        return False
    gap = text[last.end : number.start]
    return 0 < number.value < last.readings[0].step and _TOGETHER.fullmatch(gap) is not None
