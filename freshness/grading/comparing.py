"""Yes or no said by answering: "2012 was higher" to "Was it higher in 2011 than in 2012?".

A sentence is taken apart into words that compare or tell of a change, and the years that it speaks of. What
doesn't say which of the two years is meant, or speaks of another one, says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import regex

from freshness.grading import compared_years, comparing_cues
from freshness.grading.compared_years import Asked, Ref
from freshness.grading.letters import Naming
from freshness.grading.numbers import find
from freshness.grading.numbers.roles import Role, roles
from freshness.grading.options import Options
from freshness.grading.tying import tie
from freshness.grading.years import LATER, explicit

_NEAR: Final = 40
"""Characters between a word and the year it is about."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """``[start, end)`` says that the first year named in the question was the higher one, or not.

    ``higher`` is None where it says that both were the same.
    """

    start: int
    end: int
    higher: bool | None


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Where it stands, the years in it and the words that compare."""

    text: str
    start: int
    end: int
    refs: Sequence[Ref]
    words: Sequence[regex.Match[str]]


def stated(text: str, options: Options, question: str) -> list[Naming]:
    """Where a plain text says in its own words whether what was asked is so."""
    asked = compared_years.asked(question)
    if asked is None:
        return []
    refs = compared_years.refs(text, asked)
    claims = [
        claim for sentence in _sentences(text, refs, asked.phrase) for claim in _claims(sentence, asked)
    ]
    claims = claims or list(_by_figures(text, asked))
    return [
        Naming(options.yes[claim.higher is asked.more], claim.start, claim.end, "comparison")
        for claim in sorted(claims, key=lambda claim: claim.start)
    ]


def _sentences(text: str, refs: Sequence[Ref], phrase: frozenset[str]) -> Iterator[_Sentence]:
    """All sentences but questions; ``phrase``: words that tell nothing."""
    ends = [0, *(match.end() for match in comparing_cues.STOP.finditer(text)), len(text)]
    for low, high in pairwise(ends):
        if low < high and not text[low:high].rstrip().endswith("?"):
            words = [
                word
                for word in comparing_cues.WORDS.finditer(text, low, high)
                if word[0].casefold() not in phrase
                and (word["thing"] is None or word["thing"].casefold() in phrase)
            ]
            yield _Sentence(text, low, high, [ref for ref in refs if low <= ref.start < high], words)


def _claims(sentence: _Sentence, asked: Asked) -> Iterator[_Claim]:
    said = False
    for n, word in enumerate(sentence.words):
        if _is_supposed(sentence, word):
            said = True
            continue
        until = sentence.words[n + 1].start() if n + 1 < len(sentence.words) else sentence.end
        since = sentence.words[n - 1].end() if n else sentence.start
        claim = _claim(sentence, word, since, until, asked)
        if claim is not None:
            said = True
            yield claim
    if not said and not sentence.words:
        yield from _in_short(sentence, asked)


def _is_supposed(sentence: _Sentence, word: regex.Match[str]) -> bool:
    """Whether it stands behind "whether" or "if"."""
    since = max(sentence.start, word.start() - 130)
    return comparing_cues.SUPPOSED.search(sentence.text, since, word.start()) is not None


def _claim(
    sentence: _Sentence, word: regex.Match[str], since: int, until: int, asked: Asked
) -> _Claim | None:
    """What one word says; None where it is not about the two years."""
    denied = comparing_cues.DENIED.search(sentence.text[max(since, word.start() - 60) : word.start()])
    start = word.start() - (len(denied[0]) if denied else 0)
    if word["same"] or word["reverse"]:
        if any(ref.year is None for ref in sentence.refs) or denied:
            return None
        return _Claim(start, word.end(), None if word["same"] else not asked.more)
    behind = [ref for ref in sentence.refs if word.end() <= ref.start < until]
    before = [ref for ref in sentence.refs if ref.end <= word.start()]
    if word["up"] or word["down"]:
        found = _changed(sentence, [ref for ref in before if ref.start >= since], behind, asked)
    elif word["over"] or word["under"]:
        found = _other(behind[0].year, asked) if behind and behind[0].against else None
    else:
        found = _compared(sentence, word, behind, before, asked)
    if found is None:
        return None
    more = bool(word["up"] or word["more"] or word["over"]) != bool(denied)
    return _Claim(start, word.end(), more == (found == asked.one))


def _other(year: int | None, asked: Asked) -> int | None:
    return None if year is None else asked.other(year)


def _compared(
    sentence: _Sentence,
    word: regex.Match[str],
    behind: Sequence[Ref],
    before: Sequence[Ref],
    asked: Asked,
) -> int | None:
    """The year that something is said of that is higher or lower, or None.

    The year behind the word, unless it is what is compared with; else the nearest one before it; else the one
    that the question names first.
    """
    if behind:
        gap = sentence.text[word.end() : behind[0].start]
        against = next((ref for ref in behind if ref.against), None)
        if against is not None and (against.year is None or against is behind[0]):
            return _other(against.year, asked)
        if comparing_cues.THAN.search(gap):
            return None  # than something else: "higher than its neighbour's in 2011"
        if not before or (len(gap) <= _NEAR and not comparing_cues.BREAK.search(gap)):
            return behind[0].year
    if comparing_cues.THAN.search(sentence.text, word.end(), min(sentence.end, word.end() + _NEAR)):
        return before[-1].year if before and not behind and _is_than_it(sentence, word) else None
    if before:
        nearest = before[-1]
        return _other(nearest.year, asked) if nearest.against else nearest.year
    later = [ref for ref in sentence.refs if ref.start > word.end()]
    return later[0].year if later else asked.one


def _is_than_it(sentence: _Sentence, word: regex.Match[str]) -> bool:
    """Whether it is compared with the other year by a pronoun: "2012 was higher than that"."""
    return comparing_cues.THAN_IT.match(sentence.text, word.end(), sentence.end) is not None


def _changed(sentence: _Sentence, before: Sequence[Ref], behind: Sequence[Ref], asked: Asked) -> int | None:
    """The year in which a change had come about: mostly the later one. None for a change of another time."""
    refs = [*before, *behind]
    if any(ref.year is None for ref in refs):
        return None
    if behind and behind[0].against and len({ref.year for ref in refs}) == 1:
        return _other(behind[0].year, asked)
    years = {ref.year for ref in refs}
    if len(years) == 2:
        first, last = [ref for ref in refs if ref.year is not None][:2]
        gap = sentence.text[max(sentence.start, first.start - 12) : last.start]
        if first.year == asked.later and comparing_cues.FROM.search(gap):
            return last.year if comparing_cues.TO.search(gap) else None
        return asked.later
    if not years:
        return asked.later
    return _of_one_year(sentence, refs[0], asked)


def _of_one_year(sentence: _Sentence, ref: Ref, asked: Asked) -> int | None:
    """The later year, where a change "in" it or "since" the earlier one is spoken of."""
    lead = sentence.text[max(sentence.start, ref.start - 20) : ref.start]
    after = comparing_cues.SINCE.search(lead) is not None
    onwards = comparing_cues.ONWARDS.match(sentence.text, ref.end) is not None
    if ref.year == asked.later:
        return None if after or onwards or comparing_cues.UNTIL.search(lead) else asked.later
    return asked.later if after or onwards else None


def _in_short(sentence: _Sentence, asked: Asked) -> Iterator[_Claim]:
    """A year alone ("2012 was."), or the question's verb alone ("It was not.", "That is the case.")."""
    years = {ref.year for ref in sentence.refs}
    if years and None not in years:
        ref = sentence.refs[0]
        lead, tail = sentence.text[sentence.start : ref.start], sentence.text[ref.end : sentence.end]
        if (
            len(sentence.refs) == 1
            and comparing_cues.LEAD.fullmatch(lead)
            and comparing_cues.TAIL.fullmatch(tail)
        ):
            yield _Claim(ref.start, ref.end, (ref.year == asked.one) == asked.more)
        return
    match = comparing_cues.SO.fullmatch(sentence.text, sentence.start, sentence.end)
    if match and not years:
        holds = not (match["not"] or match["untrue"]) or bool(match["not"] and match["untrue"])
        yield _Claim(match.start("said"), match.end("said"), holds == asked.more)


def _by_figures(text: str, asked: Asked) -> Iterator[_Claim]:
    """What the values that are given for the two years come to, where nothing is said of them."""
    numbers = find(text)
    kinds = roles(text, numbers, {asked.one, asked.two})
    values = [number for number, kind in zip(numbers, kinds, strict=True) if kind is Role.VALUE]
    spans = [(number.start, number.end) for number in values]
    of_year = tie(text, spans, explicit(text, numbers, kinds), asked.one, LATER)
    one, two = (
        [number for number in values if of_year.get(number.start) == year] for year in (asked.one, asked.two)
    )
    if len(one) == len(two) == 1 and one[0].percent == two[0].percent:
        first, last = sorted((one[0], two[0]), key=lambda number: number.start)
        higher = one[0].value > two[0].value
        yield _Claim(first.start, last.end, None if one[0].value == two[0].value else higher)
