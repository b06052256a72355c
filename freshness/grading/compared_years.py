"""The two years of a comparison, and how an answer speaks of them: "2012", "the later year", "then"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from freshness.grading.numbers import find
from freshness.grading.numbers.roles import roles
from freshness.grading.years import LATER, Said, explicit, relative

_ASKED: Final = regex.compile(
    r".*(?P<word>\b(?:(?P<more>higher|greater|larger|more|bigger)|lower|less|smaller|fewer)\b)[^?\n]{0,200}?"
    r"\b(?P<one>\d{4})[ ]than[ ](?:in[ ]|it[ ]was[ ]in[ ]|during[ ])?(?P<two>\d{4})",
    regex.I | regex.S,
)
_OF_TWO: Final = r"(?:[ ](?:of[ ](?:the|these|those)[ ](?:two(?:[ ]years)?|years)|year|one)\b)"
_ORDERED: Final = regex.compile(
    rf"\bthe[ ](?:(?P<later>later|(?:more|most)[ ]recent|latest|newer){_OF_TWO}|"
    rf"(?P<earlier>earlier|older|earliest){_OF_TWO}|"
    rf"(?P<second>second|last){_OF_TWO}|(?P<first>first){_OF_TWO}|(?P<latter>latter)|(?P<former>former))"
    rf"(?:[ ]year)?(?:[ ]of[ ](?:the|these|those)[ ](?:two(?:[ ]years)?|years))?(?![ ]\d)|"
    r"\b(?:(?P<later>later|afterwards?|subsequently)|(?P<earlier>before|earlier|previously|beforehand))"
    r"(?=\W*$|[.,;!])",
    regex.I,
)
_SMALL: Final = frozenset(
    "in the it was that of for during its had been level levels value values figure figures at what "
    "they were year years one recorded a an those did his their amount number is and by s just".split()
)
_WORD: Final = regex.compile(r"\w+")
_CUE: Final = regex.compile(
    r".*(?P<cue>[<>]|\b(?:than|compared[ ](?:to|with)|relative[ ]to|versus|vs\.?|as[ ]against|over|on|above|"
    r"below|(?:exceed|surpass|outstripp?)(?:s|es|ed|ing)?|"
    r"(?:up|down|increase|decrease|decline|drop|rise|fall)[ ]from)(?=[ ]))[ ]?(?P<between>[^.;,\n]{0,80})$",
    regex.I | regex.S,
)
"""The last word before a year that makes it one to compare with."""


@dataclass(frozen=True, slots=True)
class Asked:
    """``one`` was asked to be higher than ``two``, or lower where it is not ``more``.

    ``phrase``: the other words of the question, which say nothing when they come again.
    """

    one: int
    two: int
    more: bool
    phrase: frozenset[str]

    @property
    def later(self) -> int:
        """The later of the two."""
        return max(self.one, self.two)

    def other(self, year: int) -> int:
        """The other of the two."""
        return self.two if year == self.one else self.one


@dataclass(frozen=True, slots=True)
class Ref:
    """Words at ``[start, end)`` that mean one of the years, or None: another one.

    ``against``: it is what something is compared with, or is above or below of.
    """

    start: int
    end: int
    year: int | None
    against: bool


def asked(question: str) -> Asked | None:
    """The comparison that a question asks for, if it is one of two years."""
    match = _ASKED.match(question)
    if match is None or match["one"] == match["two"]:
        return None
    phrase = frozenset(word.casefold() for word in _WORD.findall(question[: match.start("word")]))
    return Asked(int(match["one"]), int(match["two"]), match["more"] is not None, phrase)


def refs(text: str, years: Asked) -> list[Ref]:
    """Where a plain text speaks of years, in order."""
    numbers = find(text)
    digits = explicit(text, numbers, roles(text, numbers, {years.one, years.two}))
    said = [*digits, *_relative(text, digits, years), *_ordered(text, digits, years)]
    taken, found = 0, []
    for one in sorted(said, key=lambda one: (one.start, -one.end)):
        if one.start >= taken:
            taken = one.end
            year = one.year if one.year in (years.one, years.two) else None
            found.append(Ref(one.start, one.end, year, _is_against(text, one.start, years.phrase)))
    return found


def _relative(text: str, digits: Sequence[Said], years: Asked) -> Iterator[Said]:
    """The previous year is the earlier of the two, unless it stands behind a year that it precedes."""
    earlier, later = sorted((years.one, years.two))
    for said in relative(text, (), 0, LATER):
        before = [one.year for one in digits if one.end <= said.start]
        if said.year in (LATER, 0):
            continue
        anchor = before[-1] if before else (earlier if said.year > 0 else later)
        yield Said(said.start, said.end, anchor + said.year, explicit=False)


def _ordered(text: str, digits: Sequence[Said], years: Asked) -> Iterator[Said]:
    """The later year, the latter; the first only where the order of words is that of time."""
    earlier, later = sorted((years.one, years.two))
    for match in _ORDERED.finditer(text):
        named = [one.year for one in digits if one.end <= match.start()][-2:]
        one, two = named if sorted(named) == [earlier, later] else (years.one, years.two)
        if match["later"] or match["earlier"]:
            year = later if match["later"] else earlier
        elif match["latter"] or match["former"]:
            year = two if match["latter"] else one
        elif (one, two) == (earlier, later):
            year = later if match["second"] else earlier
        else:
            year = LATER
        yield Said(*match.span(), year, explicit=False)


def _is_against(text: str, start: int, phrase: frozenset[str]) -> bool:
    """Whether it stands behind "than" and the like, with nothing but small words between."""
    cue = _CUE.match(text[max(0, start - 120) : start])
    if cue is None or cue["cue"].casefold() in phrase:
        return False
    return all(word.casefold() in _SMALL | phrase for word in _WORD.findall(cue["between"]))
