"""Years that a text speaks of: as digits, and by words that need another one ("five years later", "now")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from freshness.grading.numbers import Number
from freshness.grading.numbers.roles import Role

LATER: Final = 9999
"""Of "now" where the question is about a year that is over: later than any year of the series."""

EARLIER: Final = -9999
"""Of "then" where the question is about now."""

_COUNTS: Final = {
    word: n for n, word in enumerate("one two three four five six seven eight nine ten".split(), start=1)
} | {"a": 1, "an": 1}
_NOW: Final = (
    r"now(?![ ](?:that|let)\b)|today|nowadays|at[ ]present|presently|these[ ]days|currently|"
    r"(?:has|have)[ ]since|since[ ]then"
)
_THEN: Final = r"back[ ]then|at[ ](?:the|that)[ ]time|(?:in[ ])?that[ ](?:same[ ])?year"
_NAMED: Final = r"(?![ ](?:of[ ])?\d{4}(?!\d))"
_RELATIVE: Final = regex.compile(
    rf"\b(?:(?P<now>{_NOW})|(?P<then>{_THEN})|"
    rf"(?P<count>\d{{1,2}}|{'|'.join(_COUNTS)})[ ](?P<unit>year|decade)s?[ ]"
    rf"(?:(?P<later>later|after(?:wards?)?|on)|earlier|before(?:hand)?|prior){_NAMED}|"
    r"(?:the[ ])?(?:(?P<next>following|next|subsequent|succeeding)|previous|preceding|prior)[ ]year|"
    rf"the[ ]year[ ](?:(?P<after>after(?:wards)?|following)|before|prior){_NAMED})(?![\p{{L}}\p{{N}}])",
    regex.I,
)
_BESIDE: Final = regex.compile(
    r"\b(?:the[ ])?year[ ](?:(?P<after>after|following)|before|preceding|prior[ ]to)[ ]$", regex.I
)


@dataclass(frozen=True, slots=True)
class Said:
    """A year spoken of at ``[start, end)``; ``explicit``: in digits."""

    start: int
    end: int
    year: int
    explicit: bool = True


def explicit(text: str, numbers: Sequence[Number], kinds: Sequence[Role]) -> list[Said]:
    """The years in digits; "the year after 2011" is the one after it."""
    found = []
    for number, kind in zip(numbers, kinds, strict=True):
        if kind is not Role.YEAR:
            continue
        year = int(number.value)
        beside = _BESIDE.search(text[max(0, number.start - 30) : number.start])
        if beside:
            shift, back = (1 if beside["after"] else -1), len(beside[0])
            found.append(Said(number.start - back, number.end, year + shift))
        else:
            found.append(Said(number.start, number.end, year))
    return found


def relative(text: str, years: Sequence[Said], asked: int, now: int) -> Iterator[Said]:
    """Years told by another: the last one in digits before, or else the one asked about.

    ``now``: the year that "now" means.
    """
    for match in _RELATIVE.finditer(text):
        if match["now"]:
            yield Said(*match.span(), now, explicit=False)
        elif match["then"]:
            yield Said(*match.span(), asked if asked != now else EARLIER, explicit=False)
        else:
            before = [said.year for said in years if said.end <= match.start()]
            anchor = before[-1] if before else asked
            yield Said(*match.span(), anchor + _shift(match), explicit=False)


def _shift(match: regex.Match[str]) -> int:
    """How many years on, or back."""
    forward = match["later"] or match["next"] or match["after"]
    count = match["count"]
    if count is None:
        return 1 if forward else -1
    years = int(count) if count.isdecimal() else _COUNTS[count.casefold()]
    return years * (10 if match["unit"].casefold() == "decade" else 1) * (1 if forward else -1)
