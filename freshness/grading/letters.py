"""Letters that name an option: "(b)", "b)", "**B**", "Answer: B", "option b", "the second option".

A letter alone counts only where it can't be a word, an article or part of a name: "a" in "a country", the C
of "vitamin C" and of "C'est" choose nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import regex

from freshness.grading.choice_cues import CHOOSING, NAMING


@dataclass(frozen=True, slots=True)
class Naming:
    """Words at ``[start, end)`` that name the option of that index. ``how``: a stable word.

    ``bare``: a small letter by itself, which at the end of a cut text may have been the start of a word.
    """

    option: int
    start: int
    end: int
    how: str
    bare: bool = False


class _Patterns(NamedTuple):
    bracketed: regex.Pattern[str]
    opening: regex.Pattern[str]
    announced: regex.Pattern[str]
    predicated: regex.Pattern[str]
    joined: regex.Pattern[str]
    paired: regex.Pattern[str]
    hedged: regex.Pattern[str]
    denied: regex.Pattern[str]
    then: regex.Pattern[str]
    alone: regex.Pattern[str]


MAX_NAMED: Final = 400
"""No answer needs to name options more often; of a text that does, the first and the last are read."""
_CONNECT: Final = (
    r"(?:[ ]*(?:is|was|are|be|would[ ]be|should[ ]be|must[ ]be|that|it|it['’]s|the|probably|likely|most|"
    r"clearly|definitely|therefore|"
    r"option|choice|letter|answer|correct|one|lautet|ist|es|est|é|是|为|為|:|=|->|=>|→|-|–|,|\||'|\(|\[|\{|"
    r"\n)){0,6}[ ]*"
)
_SPACED: Final = r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{N}]"
"""What words of scripts with spaces are made of."""
_ORDINALS: Final = {
    word: n
    for words in ("first second third fourth fifth sixth", "1st 2nd 3rd 4th 5th 6th")
    for n, word in enumerate(words.split())
}
_CARDINALS: Final = {"one": 0, "two": 1, "three": 2, "four": 3, "five": 4, "six": 5}
_ORDINAL: Final = rf"(?:{'|'.join(_ORDINALS)}|last)"
_CARDINAL: Final = rf"(?:{'|'.join(_CARDINALS)}|\d{{1,2}})"
_COUNTED: Final = regex.compile(
    rf"\b(?P<ordinal>{_ORDINAL})[ ](?:(?:answer[ ])?option|choice|alternative|one|answer|of[ ](?:the|these|"
    rf"those)[ ](?:four|options|choices|answers))\b"
    rf"|(?:^\W*(?:the[ ])?|\b{CHOOSING}[ :]{{1,3}}(?:the[ ]))(?P<alone>{_ORDINAL})"
    rf"(?=[ ]*(?:[.;!)\n]|$)|(?<=\bthe[ ](?P=alone))[ ]*,)"
    rf"|\b(?:option|choice|alternative)[ ](?:number[ ]|no\.?[ ]|\#)?(?P<cardinal>{_CARDINAL})(?![.,]\d|\w)"
    rf"|(?:^\W*|\b{CHOOSING}[ :]{{1,3}})(?:number|no\.)[ ](?P<number>{_CARDINAL})(?=[ ]*(?:[.,;!)\n]|$))",
    regex.I,
)
_LEADING: Final = (
    r"(?:^|[\n.!?:;,]|\b(?:so|that|think|believe|and|or|but|because|hence|thus|therefore|since|options?|"
    r"choice|answer|say)\b)[ ]*"
)


@cache
def _patterns(count: int) -> _Patterns:
    """The patterns for so many options."""
    last = chr(ord("a") + count - 1)
    small, large = f"[a-{last}]", f"[A-{last.upper()}]"
    any_case = f"[a-{last}A-{last.upper()}]"
    end = rf"(?!{_SPACED}|')"
    stop = r"(?=[ ]*(?:[.,;:!?)\]}|/\n]|$))"
    return _Patterns(
        regex.compile(
            rf"[(\[{{][ ]?(?P<letter>{any_case})[ ]?(?:[)\]}}]|[.:]|{end})|"
            rf"(?<![\p{{L}}\p{{N}}'(\[{{.-])(?P<half>{any_case})[)\]}}]"
        ),
        regex.compile(
            rf"(?:^|\n)[ \t>#✅✔☑•→-]{{0,8}}(?P<letter>{any_case})(?:(?=[ \t]*(?:[.):;/=|\n]|,(?!\d)|$))|"
            rf"(?=[ ]+(?:because|since|is|was|as|[-–—(→]))"
            rf"|(?<![aA])(?=[ ]+[\d$€£]))"
        ),
        regex.compile(rf"(?<!{_SPACED})(?i:{NAMING}){_CONNECT}(?P<letter>{large}{end}|{small}{end}{stop})"),
        regex.compile(
            rf"{_LEADING}(?P<letter>{any_case})(?=[ ]+(?:is|was|would|seems|appears|looks|must|has|fits|"
            rf"matches)\b)"
        ),
        regex.compile(
            rf"[ ]?(?:,|/|&|\bor\b|\band\b|,[ ]?or\b|,[ ]?and\b|"
            rf"\bnor\b)[ ]?(?:option[ ])?(?P<letter>{any_case}){end}{stop}"
        ),
        regex.compile(
            rf"(?:^|\b(?:either|both|between)[ ])(?P<letter>{any_case})(?=[ ](?:or|and|/|"
            rf"&)[ ]{any_case}{end})",
            regex.I,
        ),
        regex.compile(
            rf"\b(?i:but|maybe|perhaps|possibly|probably|"
            rf"likely)\b[ ,:]{{0,3}}(?P<letter>{any_case}){end}{stop}"
        ),
        regex.compile(rf"(?:^|[\n.!?:;,])[ ]*(?i:not|neither)[ ](?P<letter>{large}){end}{stop}"),
        regex.compile(rf"[.:;!][ ]{{1,2}}(?P<letter>{large})(?=[ ]*[.!]?[ ]*(?:\n|$))"),
        regex.compile(
            rf"(?:[.!?…]|,(?<!\p{{Lu}}\p{{L}}{{0,20}},))[ ]{{1,2}}"
            rf"(?P<letter>{large})[.!](?=[ ]*(?:\n|$)|[ ]\p{{Lu}})"
        ),
    )


def letters(text: str, count: int) -> list[Naming]:
    """Where a plain text names one of so many options by its letter or its number, in order."""
    patterns = _patterns(count)
    found: dict[int, Naming] = {}
    for pattern in patterns[:4] + patterns[5:8] + patterns[9:]:
        for match in pattern.finditer(text):
            naming = _naming(text, match)
            found.setdefault(naming.start, naming)
    for naming in list(found.values()):
        _join(text, naming, patterns.joined, found)
    for naming in list(found.values()):
        _join(text, naming, patterns.then, found)
    for naming in _counted(text, count):
        found.setdefault(naming.start, naming)
    named = [found[start] for start in sorted(found) if not _marks_an_answer(text, found[start], found)]
    return named if len(named) <= MAX_NAMED else [*named[: MAX_NAMED // 2], *named[-MAX_NAMED // 2 :]]


def _naming(text: str, match: regex.Match[str]) -> Naming:
    group = "half" if "half" in match.re.groupindex and match["half"] else "letter"
    start, end = match.span(group)
    if start > match.start() and text[start - 1] in "([{":
        start -= 1
    end += text[end : end + 1] in (")", "]", "}")
    letter = match[group]
    return Naming(
        ord(letter.casefold()) - ord("a"), start, end, "letter", bare=end - start == 1 and letter.islower()
    )


def _join(text: str, naming: Naming, joined: regex.Pattern[str], found: dict[int, Naming]) -> None:
    """Letters that stand in a row with one that counts."""
    for _ in range(8):
        match = joined.match(text, naming.end)
        if match is None:
            return
        naming = _naming(text, match)
        found.setdefault(naming.start, naming)


def _counted(text: str, count: int) -> Iterator[Naming]:
    for match in _COUNTED.finditer(text):
        words = (match["ordinal"], match["alone"], match["cardinal"], match["number"])
        word = next(word for word in words if word).casefold()
        if word == "last":
            option = count - 1
        elif word.isdecimal():
            option = int(word) - 1
        else:
            option = _ORDINALS.get(word, _CARDINALS.get(word, count))
        if 0 <= option < count:
            yield Naming(option, match.start(), match.end(), "counted")


def _marks_an_answer(text: str, naming: Naming, found: dict[int, Naming]) -> bool:
    """Whether it is the A of "A: (b)", short for answer."""
    if text[naming.start : naming.end] != "A":
        return False
    marked = regex.compile(r"[ ]?:\s*").match(text, naming.end)
    return marked is not None and any(start in found for start in range(marked.end(), marked.end() + 2))
