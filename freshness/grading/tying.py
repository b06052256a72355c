"""Which year a number is said to be of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from freshness.grading import cues
from freshness.grading.years import Said, relative

REACH: Final = 400
"""Characters of a sentence looked at on each side."""

_WORD: Final = r"(?!(?:and|but|while|whereas|to|or|than|from|up|down|versus|vs)\b)[\p{L}%$€£°²₂/-]+"
_RIGHT_BEHIND: Final = regex.compile(
    rf"(?:[ ]?{_WORD}){{0,5}}?[ ]?(?:\(|\b(?:back[ ]in|in|for|as[ ]of|of|by|during|around|since|as)\b)?"
    r"(?:[ ](?:the[ ])?year)?[ ]?",
    regex.I,
)
"""What stands between a number and the year that belongs to it alone: "56 % in 2015", "56 (2015)"."""
_PREPOSED: Final = regex.compile(r"\(|\b(?:in|for|as[ ]of|of|by|during|around|since)\b", regex.I)
_RIGHT_BEFORE: Final = regex.compile(
    r"[ ]?(?:(?:it['’]?s?|is|was|at|reached|stood|about|around|roughly|some|approximately|nearly)[ ]){0,4}",
    regex.I,
)
_AS_OF: Final = regex.compile(r"\b(?:as[ ]of|until|up[ ]to|update|data|cut-?off)\b[^.;\d]{0,40}$", regex.I)


def tie(
    text: str, spans: Sequence[tuple[int, int]], years: Sequence[Said], asked: int, now: int
) -> dict[int, int]:
    """The year that the number at each ``(start, end)`` is said to be of, by its start, where one is said.

    ``years``: those in digits; ``asked``: the one that the question is about; ``now``: the one that "now"
    means. A year belongs to the number that it stands right behind. Else none of the other numbers may come
    between; where a sentence begins with a year, years stand before their values, elsewhere behind them.
    """
    said = sorted([*years, *relative(text, years, asked, now)], key=lambda one: one.start)
    found: dict[int, int] = {}
    for start, end in spans:
        low, high = _sentence(text, start, end)
        inside = [one for one in said if low <= one.start < high]
        near = [span for span in spans if low <= span[0] < high]
        year = _tied(text, (start, end), near, inside) if inside else None
        if year is not None:
            found[start] = year
    return found


def _tied(
    text: str, span: tuple[int, int], near: Sequence[tuple[int, int]], inside: Sequence[Said]
) -> int | None:
    """The year of the number, among those of its sentence."""
    start, end = span
    owners = {said.start: _owner(text, said, near) for said in inside}
    own = [said for said in inside if owners[said.start] == start]
    if own:
        return own[0].year
    free = [said for said in inside if owners[said.start] is None]
    others = [at for at, _ in near if at != start]
    before = [one for one in free if one.start < start and not any(one.start < at < start for at in others)]
    after = [one for one in free if one.start >= end and not any(start < at < one.start for at in others)]
    year_first = any(one.start < min(at for at, _ in near) for one in inside)
    if before and (year_first or not after):
        return _of_those_before(text, before).year
    return after[0].year if after else None


def _owner(text: str, said: Said, near: Sequence[tuple[int, int]]) -> int | None:
    """The number that a year stands right behind, or that follows right on "now" and the like."""
    following = next((span[0] for span in near if span[0] >= said.end), None)
    if not said.explicit and following is not None and _RIGHT_BEFORE.fullmatch(text[said.end : following]):
        return following
    before = [span for span in near if span[1] <= said.start]
    if not before:
        return None
    start, end = before[-1]
    gap = text[end : said.start]
    if len(gap) > 60 or _RIGHT_BEHIND.fullmatch(gap) is None:
        return None
    return start if not said.explicit or _PREPOSED.search(gap) else None


def _of_those_before(text: str, before: Sequence[Said]) -> Said:
    """The nearest; "now" is when the data ends that are spoken of: "as of 2015 it is now 56 %"."""
    dated = [
        one for one in before if one.explicit and _AS_OF.search(text[max(0, one.start - 60) : one.start])
    ]
    return dated[-1] if dated else before[-1]


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    low = 0
    for match in cues.SENTENCE.finditer(text, max(0, start - REACH), start):
        low = match.end()
    stop = cues.SENTENCE.search(text, end, end + REACH)
    return low, stop.start() if stop else min(len(text), end + REACH)
