"""What a number is there for: a value, or a year, a rank, a share's whole, a footnote.

English cues, looked for right before or right behind the number; every repetition is bounded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Final

import regex

from freshness.grading.numbers import units
from freshness.grading.numbers.number import FIRST_YEAR, LAST_YEAR, Number
from freshness.grading.numbers.reckoning import reckonings

WINDOW: Final = 60
"""Characters of context looked at on each side."""


class Role(StrEnum):
    """What a number is there for."""

    VALUE = "value"
    YEAR = "year"
    DATE = "date"
    RANK = "rank"
    LIST = "list"
    WHOLE = "whole"
    NOTE = "note"
    CHANGE = "change"
    SURENESS = "sureness"
    AGE = "age"
    LABEL = "label"
    SPAN = "span"
    TERM = "term"
    JUNK = "junk"


def _cue(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.I)


_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_BEFORE: Final = {
    Role.DATE: _cue(rf"\b{_MONTH}[ ]$"),
    Role.RANK: _cue(
        r"(?:\b(?:rank(?:s|ed|ing)?(?:[ ](?:at|as|number|no\.?|is|of|was))?|top|number|no\.|place|"
        r"position)[ ]|#[ ]?)$"
    ),
    Role.WHOLE: _cue(
        r"(?:\bout[ ]of|\bper|(?<=\d%?[ ])of|\bevery|(?<=\d[ ]?)/|\bscale[ ](?:of|from)|\bscale[ ](?:of|"
        r"from)[ ]\d{1,3}(?:[ ]?[-–][ ]?|[ ]to[ ]))[ ]?$"
    ),
    Role.NOTE: _cue(r"(?:(?<=\S[ ]?)\[|\^)$"),
    Role.CHANGE: _cue(
        r"\b(?:(?:increas|decreas|grew|grow|rose|ris|fell|fall|declin|dropp?|shr[aiu]nk|chang|up|down|gain|"
        r"lost|improv|higher|lower|"
        r"more|less)\w*[ ](?:\w+[ ]){0,2}?by|(?:increase|decrease|growth|rise|fall|decline|drop|change|"
        r"gain)[ ](?:rate[ ])?of)"
        r"[ ](?:(?:about|around|approximately|roughly|over|nearly|almost|some|just|only)[ ]){0,2}$|"
        r"\b(?:margin[ ]of[ ]error|plus[ ]or[ ]minus)[ ](?:of[ ]|is[ ]|:[ ]?)?$"
    ),
    Role.SURENESS: _cue(
        r"\b(?:confidence|certainty|probability|likelihood)(?:[ ](?:level|score|interval))?[ ]?(?:of|is|:|"
        r"=)?[ ]*$"
    ),
    Role.AGE: _cue(
        r"\b(?:age[ds]?|ages|between[ ]the[ ]ages[ ]of|(?:children|those|people|adults|women|men|population|"
        r"persons|aged|and)[ ](?:under|over))[ ](?:\d{1,3}[ ]?(?:[-–]|"
        r"to|and)[ ]?)?$"
    ),
    Role.LABEL: _cue(
        r"\b(?:table|figure|fig\.|page|p\.|chapter|section|article|goal|sdg|target|option|question|step|"
        r"item|version|edition|"
        r"volume|vol\.|type|world[ ]war|level|phase|appendix|line|row|column|note)[ ]$"
    ),
    Role.SPAN: _cue(
        r"\b(?:past|last|next|previous|over|for|within|every|after|first|another)[ ](?:the[ ])?(?:past[ ]|"
        r"last[ ]|next[ ])?(?:about[ ])?$"
    ),
}
_AFTER: Final = {
    Role.RANK: _cue(r"^(?:st|nd|rd|th)\b"),
    Role.DATE: _cue(rf"^(?:st|nd|rd|th)?(?:[ ]of)?[ ]{_MONTH}(?![\p{{L}}])"),
    Role.CHANGE: _cue(
        r"^[ ]?(?:percentage[ ])?(?:points?\b|(?:\w+[ ]){0,2}(?:increase|decrease|growth|rise|decline|drop|"
        r"reduction|higher|lower|more[ ]than|"
        r"less[ ]than|faster|change)\b)"
    ),
    Role.SURENESS: _cue(r"^[ ]?(?:sure|confident|certain|confidence|probability|chance|likely)\b"),
    Role.AGE: _cue(
        r"^[ -]year[ -]olds?\b|^[ ]years?[ ]old\b|^[ ](?:and|or)[ ](?:over|older|above|younger|under)\b"
    ),
    Role.SPAN: _cue(r"^[ -](?:years?|decades?|months?|days?)[ ](?:ago|later|earlier|before|period|span)\b"),
    Role.JUNK: _cue(r"^(?:s\b|[dDxX]\b|-[\p{L}])"),
}
_OF_UNIT: Final = regex.compile(r"^[ ]?(?:years?|decades?|months?|days?|%|percent)\b", regex.I)
_YEAR_BEFORE: Final = _cue(
    r"(?:\b(?:in|of|the|constant|real|since|by|for|during|year|until|till|from|to|through|as[ ]of|and|"
    r"between|before|"
    r"after|"
    r"around|circa|c\.|"
    rf"early|late|mid|fy|{_MONTH}|\d{{1,2}},|\d{{4}}[ ]?[-–/,])[ ]?|[(\[:|,;]|^|\n)[ ]?$"
)
_LIST_MARK: Final = regex.compile(r"(?:^|\n)[ \t]*[(#]?$")
_LIST_END: Final = regex.compile(r"^[.)][ \t]+\S")
_MORE_DIGITS: Final = regex.compile(r"^[.)][ \t]+[^\n]{0,50}\d")
_CHAIN_AFTER: Final = regex.compile(r"^[-/:.]\d{1,4}[-/:.]\d")
_CHAIN_BEFORE: Final = regex.compile(r"\d[-/:.]\d{1,4}[-/:.]$")
_JOINT_BEFORE: Final = regex.compile(r"\d[-/:.]$")
_JOINT_AFTER: Final = regex.compile(r"^[-/:.]\d")
_YEARS_BEFORE: Final = regex.compile(r"(?<!\d)(?:1[5-9]|20|21)\d\d[ ]?[-–/][ ]?$")
"""Before the rest of another year, "2020-22"."""
_PRICES_BEFORE: Final = _cue(r"(?:\b(?:dollars?|prices|ppp|usd|euros?|pounds)|\$)[ ](?:of|at)[ ]$")
_PRICES_AFTER: Final = _cue(
    r"[ ](?:(?:international|constant|us|ppp|real)[ -])*(?:prices|dollars?|us\$|usd|int(?:l|ernational|"
    r"\.)?-?\$|\$|euros?|ppp)(?![ ]?[-(]?\d)"
)
_YEAR_RANGE: Final = regex.compile(r"[-–/]\d|年|[ ]?(?:and|to|[-–])[ ]?\d{4}(?!\d)")
_YEAR_AFTER: Final = regex.compile(rf"[ ]?[,:|)]|{_YEAR_RANGE.pattern}")
_YEAR_OF: Final = _cue(
    r"[ ](?:data|estimates?|figures?|census|survey|stud(?:y|ies)|report|analysis|assessment|edition|"
    r"statistics|article|paper)(?![ ]?points?|\w)"
)
"""Behind the year of a source: "2022 data", "the 2011 census"."""
_GROUPED: Final = regex.compile(r"\d{1,3}(?:[ ]\d{3})+")
_PHONE: Final = regex.compile(r"\+?\d{1,4}(?:[ -]\(?\d{2,5}\)?){2,5}")
MAX_LIST: Final = 40
"""No list in an answer goes on beyond this."""


def roles(text: str, numbers: Sequence[Number], years: Collection[int] = ()) -> list[Role]:
    """The role of each number of a plain text. ``years``: those that are spoken of."""
    known = frozenset(years)
    junk = _junk(text)
    marks = {number.value for number in numbers if _opens_line(text, number)}
    found = [Role.JUNK if number.start in junk else _role(text, number, known, marks) for number in numbers]
    starts = [number.start for number in numbers]
    for low, high in reckonings(text):
        for n in range(bisect_left(starts, low), bisect_left(starts, high)):
            found[n] = Role.TERM if found[n] is Role.VALUE else found[n]
    return found


def _junk(text: str) -> set[int]:
    """Places within digits that stand in groups as in telephone numbers."""
    spans = (match.span() for match in _PHONE.finditer(text))
    return {
        at for start, end in spans if not _GROUPED.fullmatch(text, start, end) for at in range(start, end)
    }


def _role(text: str, number: Number, years: Collection[int], marks: Collection[float]) -> Role:
    before = text[max(0, number.start - WINDOW) : number.start]
    after = text[number.end : number.end + WINDOW]
    if _is_year(number, before, after, years):
        # Of which year's prices a value is says nothing about when it was so.
        return Role.LABEL if _PRICES_BEFORE.search(before) or _PRICES_AFTER.match(after) else Role.YEAR
    if number.bare and (_in_chain(before, after) or _is_rest_of_year(number, before)):
        return Role.DATE
    if _opens_line(text, number) and _is_list_mark(number, marks, after):
        return Role.LIST
    return _by_cues(number, before, after)


def _by_cues(number: Number, before: str, after: str) -> Role:
    for role, pattern in _BEFORE.items():
        if pattern.search(before) and _may_be(role, number, after):
            return role
    for role, pattern in _AFTER.items():
        if pattern.search(after) and (role is not Role.JUNK or number.bare):
            return role
    return Role.VALUE


def _may_be(role: Role, number: Number, after: str) -> bool:
    """What a cue before the number asks of it besides."""
    if role in (Role.LABEL, Role.RANK, Role.DATE, Role.NOTE, Role.AGE):
        return number.bare and (role is not Role.AGE or number.value < 120) and not _OF_UNIT.match(after)
    if role is Role.SPAN:
        return _OF_UNIT.match(after) is not None and not number.percent and number.form != "fraction"
    return role is not Role.WHOLE or not number.percent


def _is_year(number: Number, before: str, after: str, years: Collection[int]) -> bool:
    """Four digits and nothing else, where a year may stand, or that are spoken of as one."""
    if not number.bare or number.end - number.start != 4 or not FIRST_YEAR <= number.value <= LAST_YEAR:
        return False
    said_so = _YEAR_BEFORE.search(before)
    if (said_so and before.strip()) or _YEAR_OF.match(after):
        return True
    if units.read(after, 0).measures:
        return False
    return int(number.value) in years or (_YEAR_AFTER if said_so else _YEAR_RANGE).match(after) is not None


def _is_rest_of_year(number: Number, before: str) -> bool:
    return number.end - number.start == 2 and _YEARS_BEFORE.search(before) is not None


def _in_chain(before: str, after: str) -> bool:
    """Within a date: three groups of digits in a row."""
    if _CHAIN_AFTER.match(after) or _CHAIN_BEFORE.search(before):
        return True
    return _JOINT_BEFORE.search(before) is not None and _JOINT_AFTER.match(after) is not None


def _opens_line(text: str, number: Number) -> bool:
    """A small number that opens a line, with a point and more text behind it."""
    if not number.bare or number.value > MAX_LIST:
        return False
    before, after = text[max(0, number.start - 8) : number.start], text[number.end : number.end + 8]
    return _LIST_MARK.search(before) is not None and _LIST_END.match(after) is not None


def _is_list_mark(number: Number, marks: Collection[float], after: str) -> bool:
    """Whether it has a neighbour in the list, or is the first before a line that has a number of its own."""
    if number.value - 1 in marks or number.value + 1 in marks:
        return True
    return number.value == 1 and _MORE_DIGITS.match(after) is not None
