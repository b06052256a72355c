"""Options named by what they say: their numbers, "yes" and "no", their words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex

from freshness.grading.amounts import amounts
from freshness.grading.letters import Naming
from freshness.grading.nothing import nothing
from freshness.grading.options import NO, YES, Options

_YES_NO: Final = "|".join(sorted(map(regex.escape, YES | NO), key=len, reverse=True))
_SAID: Final = regex.compile(rf"(?<![\p{{L}}\p{{N}}'])(?P<word>{_YES_NO})(?![\p{{L}}\p{{N}}'])", regex.I)
_FLATLY: Final = regex.compile(
    r"\W*(?P<flat>(?:(?:definitely|certainly|absolutely|of[ ]course|probably|surely|"
    r"clearly)[ ]?)?(?P<not>not)(?=\W*(?:[.!,\n]|$))|"
    r"(?:definitely|absolutely|of[ ]course|certainly)(?=\W*$))",
    regex.I,
)
_WEAK: Final = frozenset("correct right incorrect wrong indeed y n si non 是".split())
_SAYS_SO: Final = regex.compile(
    r"(?:^|[.!?:;,(\[\n→=✅-])\s*$|\b(?:is|was|say|be|answer|think|believe|guess|so|therefore|thus|hence|"
    r"boxed:|"
    r"or|and|but|however|probably|likely|perhaps|maybe|either|that['’]s|option|choose|pick)[ :]*$",
    regex.I,
)
_NO_THING: Final = regex.compile(
    r"[ ](?:(?:real|clear|big|large|notable|further|significant)[ ])?"
    r"(?:other|source|data|idea|info\w*|clue|one|longer|way|doubt|answer|record\w*|official|reliable|such|specific|"
    r"exact|available|figures?|statistics|knowledge|access|evidence|significant|change|difference|of|need|"
    r"problem|more|less|matter|higher|lower|greater|increase|decrease|rise|fall|drop|decline|growth|"
    r"reduction)\b",
    regex.I,
)


def said(text: str, options: Options, question: str) -> list[Naming]:
    """Where a plain text says what one of the options says, in order."""
    if options.kind == "yes or no":
        return list(_yes_or_no(text, options))
    if options.kind == "words":
        return list(_words(text, options))
    return amounts(text, options, question) + nothing(text, options, question)


def _yes_or_no(text: str, options: Options) -> Iterator[Naming]:
    if flat := _FLATLY.match(text):
        yield Naming(options.yes[not flat["not"]], flat.start("flat"), flat.end("flat"), "yes or no")
    for match in _SAID.finditer(text):
        word = match["word"].casefold()
        if word in ("no", "non") and _NO_THING.match(text, match.end()):
            continue
        if not _SAYS_SO.search(text[max(0, match.start() - 24) : match.start()]):
            continue
        if word in _WEAK and text[: match.start()].strip(" '(["):
            continue
        yield Naming(options.yes[word in YES], match.start(), match.end(), "yes or no")


def _words(text: str, options: Options) -> Iterator[Naming]:
    """Options that are words, as they stand; the longest first, so that one may begin another."""
    order = sorted(range(len(options.texts)), key=lambda index: -len(options.texts[index]))
    parts = [r"\W+".join(map(regex.escape, regex.findall(r"\w+", options.texts[index]))) for index in order]
    known = [(index, part) for index, part in zip(order, parts, strict=True) if part]
    if not known:
        return
    pattern = regex.compile(
        "|".join(f"(?<!\\w)(?P<o{index}>{part})(?!\\w)" for index, part in known), regex.I
    )
    for match in pattern.finditer(text):
        yield Naming(int((match.lastgroup or "o0")[1:]), match.start(), match.end(), "text")
