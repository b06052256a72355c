"""Which year a number is said to be of."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import regex

from freshness.grading import cues
from freshness.grading.years import Said, relative

REACH: Final = 400
"""Characters of a sentence looked at on each side."""
REACH_OUT: Final = 60
"""Characters between a number and the year that belongs to it alone."""

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
_BREAK: Final = regex.compile(
    r"(?:[,;]|\b(?:and|but|while|whereas)\b)[ ]?(?:(?:and|but|in|for|by)[ ]){0,2}(?:the[ ]year[ ])?$", regex.I
)
"""What stands before a year that begins a part of the sentence."""
_AS_OF: Final = regex.compile(
    r"\b(?:as[ ]of|until|up[ ]to|update|(?<!\bno[ ])data|cut-?off)\b[^.;\d]{0,40}$", regex.I
)


def tie(
    text: str, spans: Sequence[tuple[int, int]], years: Sequence[Said], asked: int, now: int
) -> dict[int, int]:
    """The year that the number at each ``(start, end)`` is said to be of, by its start, where one is said.

    ``years``: those in digits; ``asked``: the one that the question is about; ``now``: the one that "now"
    means. A year belongs to the number that it stands right behind. Else none of the other numbers may come
    between; where a sentence begins with a year, years stand before their values, elsewhere behind them.
    """
    said = sorted([*years, *relative(text, years, asked, now)], key=lambda one: one.start)
    spans = sorted(spans)
    owners = [_owner(text, one, spans) for one in said]
    found: dict[int, int] = {}
    for start, end in spans:
        low, high = _sentence(text, start, end)
        first, last = (bisect_left(said, at, key=lambda one: one.start) for at in (low, high))
        free = [one for one, owner in zip(said[first:last], owners[first:last], strict=True) if owner is None]
        own = [n for n in range(first, last) if owners[n] == start]
        near = [at for at, _ in spans if low <= at < high]
        year = said[own[0]] if own else _around(text, (start, end), near, free, said[first:last])
        if year is not None:
            found[start] = year.year
    return found


def _around(
    text: str, span: tuple[int, int], near: Sequence[int], free: Sequence[Said], inside: Sequence[Said]
) -> Said | None:
    """The year before or behind a number that has none of its own.

    ``near``: where the numbers of its sentence stand. ``free``: the years ``inside`` it that are no other's.
    """
    start, end = span
    last = max((at for at in near if at < start), default=-1)
    following = min((at for at in near if at > start), default=len(text))
    before = [one for one in free if last < one.start < start]
    after = [one for one in free if end <= one.start < following and not _leads(text, end, one, following)]
    year_first = bool(inside) and inside[0].start < min(near)
    if before and (year_first or not after):
        return _of_those_before(text, before)
    return after[0] if after else None


def _leads(text: str, end: int, said: Said, following: int) -> bool:
    """Whether a year begins a new part of the sentence, with its own number: "161 million, in 2015 184"."""
    return (
        _BREAK.search(text, end, said.start) is not None
        and _RIGHT_BEFORE.fullmatch(text, said.end, following) is not None
    )


def _owner(text: str, said: Said, spans: Sequence[tuple[int, int]]) -> int | None:
    """The number that a year stands right behind, or that follows right on "now" and the like."""
    at = bisect_left(spans, (said.end, 0))
    if not said.explicit and at < len(spans):
        following = spans[at][0]
        if following - said.end <= REACH_OUT and _RIGHT_BEFORE.fullmatch(text, said.end, following):
            return following
    before = bisect_left(spans, (said.start, 0)) - 1
    if before < 0:
        return None
    start, end = spans[before]
    if not 0 <= said.start - end <= REACH_OUT or _RIGHT_BEHIND.fullmatch(text, end, said.start) is None:
        return None
    return start if not said.explicit or _PREPOSED.search(text, end, said.start) else None


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
