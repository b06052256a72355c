"""The option that is zero, named in words: "There were none", "No deaths", "nil"."""

from __future__ import annotations

from typing import Final

import regex

from freshness.grading import choice_cues, comparing_cues, cues
from freshness.grading.letters import Naming
from freshness.grading.options import Options
from freshness.grading.refusals import is_refusal
from freshness.grading.words import FUNCTION_WORDS

_REACH: Final = 200
"""Characters looked at on each side."""
_LEAD: Final = (
    r"(?:(?:^|[.!?:;,(\n])[ ]*|\b(?:there|was|were|is|are|be|been|had|has|have|say|think|believe|guess|so|"
    r"but|probably|likely|practically|virtually|almost)[ ])"
)
_TAIL: Final = (
    r"(?:[ ](?:at[ ]all|whatsoever|in[ ]total|that[ ]year|(?:(?:was|were|has|have|had)[ ](?:been[ ])?)?"
    r"(?:recorded|reported|measured)|(?:in|for|during)[ ](?:the[ ])?[\p{L}\p{N}][\p{L}\p{N}' -]{0,40}?)){0,3}"
    r"(?=[ ]*(?:[.!?,;:)\n]|$))"
)
_ALONE: Final = regex.compile(rf"{_LEAD}(?P<said>none|nil|nought|naught|nothing){_TAIL}", regex.I)
_SAME: Final = regex.compile(
    r"\b(?:unchanged|(?:did|has|have)[ ]?(?:not|n't)[ ]chang\w+|(?:stayed|remained)[ ](?:exactly[ ])?"
    r"(?:the[ ]same|constant))\b",
    regex.I,
)
_NO: Final = regex.compile(r"(?:\b(?:no|not[ ]any)|n't[ ](?:have[ ])?any)(?=[ ])", regex.I)
_WORD: Final = regex.compile(r"[ ](?P<word>\p{L}+)(?![\p{L}\p{N}'-])")
_WORDS: Final = regex.compile(r"\p{L}+")
_BEHIND: Final = regex.compile(r"[ ](?:\p{L}+ed|came|comes|took|grown|done)\b", regex.I)
_RECORDED: Final = frozenset("recorded reported registered such".split())
_MEASURES: Final = frozenset(
    "rate value mean minimum maximum number share percent index average annual range order total "
    "option".split()
)
"""Words of a question that say how something is measured, not what."""
_CHANGE: Final = frozenset({"change"})
_OTHERWISE: Final = regex.compile(
    r"[^.!?;,\n]{0,60}\b(?:data|information|figures?|statistics|estimates?|known|available|given|provided|above|"
    r"options?|choices?|answers?|list(?:ed)?|match\w*|fits?|correct|right)\b",
    regex.I,
)
"""Behind "none" or "no deaths": that there are no data, or that no option is right."""


def nothing(text: str, options: Options, question: str) -> list[Naming]:
    """Where a plain text says in words that it was zero, where just one option is: "none", "no deaths".

    What there is none of has to be the question's (or the options') own thing.
    """
    zeros = [n for n, row in enumerate(options.numbers) if len(row) == 1 and not row[0].value]
    if len(zeros) != 1 or choice_cues.NONE_OF_THEM.search(text):
        return []
    things = _things(f"{question} {options.texts[zeros[0]]}")
    spans = [match.span("said") for match in _ALONE.finditer(text)]
    spans += [(match.start(), _end(text, match.end(), things)) for match in _NO.finditer(text)]
    if things == _CHANGE:
        spans += [match.span() for match in _SAME.finditer(text)]
    return [
        Naming(zeros[0], *span, "nothing") for span in sorted(spans) if span[1] and _is_meant(text, *span)
    ]


def _things(text: str) -> frozenset[str]:
    """What a question is about, by its words without their plural; change alone where it asks for that."""
    words = {word.casefold() for word in _WORDS.findall(text)} - FUNCTION_WORDS
    found = frozenset(_singular(word) for word in words if len(word) > 2) - _MEASURES
    return _CHANGE if found >= _CHANGE else found


def _singular(word: str) -> str:
    return word.casefold().removesuffix("s")


def _end(text: str, start: int, things: frozenset[str]) -> int:
    """Where the words for the question's thing end that begin there; 0 where it is another thing."""
    end, is_one = start, False
    while word := _WORD.match(text, end):
        is_own = _singular(word["word"]) in things
        if not is_own and word["word"].casefold() not in _RECORDED:
            break
        is_one |= is_own
        end = word.end()
    goes_on = word is not None and word["word"].casefold() not in FUNCTION_WORDS
    if not is_one or text[end : end + 1] == "-" or (goes_on and not _BEHIND.match(text, end)):
        return 0
    return end


def _is_meant(text: str, start: int, end: int) -> bool:
    """Whether it is said at all, and not that nothing is known or that no option fits."""
    before = cues.asserted(cues.last_sentence(text[max(0, start - _REACH) : start]))
    if comparing_cues.SUPPOSED.search(before) or _OTHERWISE.match(text, end):
        return False
    return not is_refusal(f"{before} {text[end : end + _REACH]}")
