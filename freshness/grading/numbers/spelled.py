"""Numbers in English words: "eighty-one point nine", "two million three hundred thousand", "one in four"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import regex

from freshness.grading.numbers.number import FIRST_YEAR, LAST_YEAR, Number, Reading
from freshness.grading.numbers.scales import WORDS

_SMALL: Final = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen".split()
    )
}
_TENS: Final = {
    word: 10 * n
    for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_SCALES: Final = {
    word: WORDS[word]
    for word in "thousand thousands lakh lakhs million millions crore crores billion billions trillion "
    "trillions".split()
}
_PARTS: Final = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}
_COUNTS: Final = "|".join(sorted([*_SMALL, *_TENS], key=len, reverse=True))
_VOCABULARY: Final = "|".join(
    sorted(
        [*_SMALL, *_TENS, *_SCALES, "hundred", "half", "and", "point", "oh", "an", "a"], key=len, reverse=True
    )
)
_RUN: Final = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}.'-])(?:{_VOCABULARY})(?![\p{{L}}'])"
    rf"(?:(?:[ -]|(?<=thousand|million|billion),[ ])(?:{_VOCABULARY})(?![\p{{L}}'])){{0,24}}",
    regex.I,
)
_FRACTION: Final = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}.,-])(?:(?P<n>\d{{1,3}}|an?|{_COUNTS})(?:[ ](?:in|out[ ]of)(?:[ ]every)?[ ]"
    rf"(?P<of>\d{{1,4}}|{_COUNTS})|[ -](?P<part>{'|'.join(_PARTS)})s?)|(?P<half>half|"
    rf"halves))(?![\p{{L}}\p{{N}}'-]|\.\d)",
    regex.I,
)
_FILLERS: Final = frozenset({"and", "a", "an", "point", "oh"})
_WORDS: Final = regex.compile(r"\p{L}+")


def fractions(text: str) -> Iterator[Number]:
    """Parts of a whole, as parts of one: "one in four", "3 out of 5", "two thirds", "half"."""
    for match in _FRACTION.finditer(text):
        if match["half"]:
            above, below = 1.0, 2.0
        else:
            above = _count(match["n"])
            below = _count(match["of"]) if match["of"] else float(_PARTS[match["part"].casefold()])
        # "1 in 2023" is no share, but a value and its year.
        if 0 < above <= below and not (FIRST_YEAR <= below <= LAST_YEAR):
            yield Number(match.start(), match.end(), (Reading(above / below, 0.01),), "fraction")


def _count(word: str) -> float:
    word = word.casefold()
    if word in ("a", "an"):
        return 1.0
    return float(word) if word.isdecimal() else float(_SMALL.get(word, _TENS.get(word, 0)))


def spelled(text: str) -> Iterator[Number]:
    """Numbers in words; a year said so ("nineteen ninety") is none."""
    for match in _RUN.finditer(text):
        words = [(word.start(), word.end(), word[0].casefold()) for word in _WORDS.finditer(match[0])]
        while words and words[0][2] in _FILLERS - {"a", "an"}:
            words.pop(0)
        while words and words[-1][2] in _FILLERS:
            words.pop()
        said = [word for _, _, word in words]
        # A scale alone counts nothing: "several million", "(in thousands)".
        is_scale = len(said) == 1 and said[0] in _SCALES
        reading = _reading(said) if set(said) - _FILLERS - {"half"} and not is_scale else None
        if reading is not None:
            start, end = match.start() + words[0][0], match.start() + words[-1][1]
            yield Number(start, end, (reading,), "spelled", scale=_SCALES.get(said[-1], 1.0))


def _reading(words: Sequence[str]) -> Reading | None:
    if "point" not in words:
        whole = _whole(words)
        return None if whole is None else Reading(whole, 1.0)
    at = words.index("point")
    whole, digits, scale = _whole(words[:at]) if at else 0.0, "", 1.0
    for word in words[at + 1 :]:
        if word in _SCALES:
            scale *= _SCALES[word]
        elif scale == 1.0 and word in _SMALL and _SMALL[word] < 10:
            digits += str(_SMALL[word])
        elif scale == 1.0 and word in _TENS | _SMALL:
            digits += str(_TENS.get(word, _SMALL.get(word)))
        else:
            return None
    if whole is None or not digits:
        return None
    return Reading((whole + float(f"0.{digits}")) * scale, scale * 10.0 ** -len(digits))


def _whole(words: Sequence[str]) -> float | None:
    """The value of words without a decimal part; None where they make no number ("fifty sixty")."""
    total, current, last = 0.0, 0.0, ""
    for word in words:
        if word in _TENS or word in _SMALL:
            amount = _TENS.get(word, _SMALL.get(word, 0))
            if last in _SMALL or (last in _TENS and not 0 < amount < 10):
                return None
            current += amount
        elif word == "hundred":
            current = max(current, 1.0) * 100
        elif word in _SCALES:
            if not current and total:
                total *= _SCALES[word]
            else:
                total, current = total + (current or 1.0) * _SCALES[word], 0.0
        elif word == "half":
            current += 0.5
        if word not in _FILLERS:
            last = word
    return total + current
