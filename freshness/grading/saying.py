"""Options named by what they say: their numbers, "yes" and "no", their words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import regex

from freshness.grading.letters import Naming
from freshness.grading.numbers import Number, find, units
from freshness.grading.numbers.roles import Role, roles
from freshness.grading.options import NO, YES, Options, Shown, unit_of
from freshness.grading.tying import year_of

CLEARLY: Final = 4.0
"""How many times nearer a rounded number must be to its option than to any other."""
CUT: Final = 10.0
"""The same of a number whose last digits were left off."""
_EPSILON: Final = 1e-9

_SKIPPED: Final = frozenset(
    {Role.YEAR, Role.DATE, Role.RANK, Role.LIST, Role.NOTE, Role.LABEL, Role.SURENESS, Role.WHOLE, Role.JUNK}
)
_DOWN: Final = regex.compile(
    r"\b(?:decreas|declin|fell|fall|drop|reduc|shr[aiu]nk|contract|los[st]|negativ|down|"
    r"dip)\w*\b[^.;\d]{0,30}$",
    regex.I,
)
_DOWN_AFTER: Final = regex.compile(
    r"[ ]?(?:\w+[ ]){0,2}(?:decreas|declin|fall|drop|reduc|contraction|loss|lower)\w*\b", regex.I
)
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
    r"or|and|either|that['’]s|option|choose|pick)[ :]*$",
    regex.I,
)
_NO_THING: Final = regex.compile(
    r"[ ](?:data|idea|info\w*|clue|one|longer|way|doubt|answer|record\w*|official|reliable|such|specific|"
    r"exact|available|figures?|statistics|knowledge|access|"
    r"evidence|significant|change|difference|of|need|problem|more|less|matter)\b",
    regex.I,
)


def said(text: str, options: Options, question: str) -> list[Naming]:
    """Where a plain text says what one of the options says, in order."""
    if options.kind == "yes or no":
        return list(_yes_or_no(text, options))
    if options.kind == "words":
        return list(_words(text, options))
    numbers = find(text)
    years = {int(word) for word in regex.findall(r"(?<!\d)\d{4}(?!\d)", question)}
    kinds = roles(text, numbers, years)
    kept = [number for number, kind in zip(numbers, kinds, strict=True) if kind not in _SKIPPED]
    if options.width() != 1:
        return list(_rows(text, kept, options))
    named = list(_single(text, kept, options))
    spoken_of = [number for number, kind in zip(numbers, kinds, strict=True) if kind is Role.YEAR]
    return _of_the_year(text, named, [number.start for number in kept], spoken_of, years)


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


def _single(text: str, numbers: Sequence[Number], options: Options) -> Iterator[Naming]:
    shown = [row[0] for row in options.numbers]
    for number in numbers:
        option = _nearest(_meanings(text, number, shown, options.signs), shown)
        if option is not None:
            end = max(number.end, units.read(text, number.end).end)
            yield Naming(option, number.start, end, "value")


def _of_the_year(
    text: str, named: list[Naming], starts: Sequence[int], spoken_of: Sequence[Number], years: set[int]
) -> list[Naming]:
    """Without values that are said to be another year's, where the question asks about one."""
    if len(years) != 1 or len({naming.option for naming in named}) < 2:
        return named
    kept = [n for n in named if year_of(text, n.start, n.end, starts, spoken_of) in (None, *years)]
    return kept or named


def _meanings(
    text: str, number: Number, shown: Sequence[Shown], signs: bool
) -> list[tuple[float, float, float]]:
    """What a number may mean in the options' unit: value, worth of its last digit, of the last not 0."""
    if number.form == "fraction":
        times = 100.0 if shown[0].unit.measures == "percent" else None
    else:
        times = units.factor(unit_of(text, number), shown[0].unit, scaled=False)
    if times is None:
        return []
    down = signs and (
        _DOWN.search(text[max(0, number.start - 60) : number.start]) or _DOWN_AFTER.match(text, number.end)
    )
    found = []
    for reading in number.readings:
        value, step = reading.value * times, reading.step * times
        found.append((-abs(value) if down else value, step, _coarse(value, step)))
    return found


def _coarse(value: float, step: float) -> float:
    """The worth of one in the last digit that is not 0: of 43,800 it is a hundred."""
    digits = round(abs(value) / step)
    if not digits or digits > 10**15:
        return step
    text = str(digits)
    return step * 10.0 ** (len(text) - len(text.rstrip("0")))


def _nearest(meanings: Sequence[tuple[float, float, float]], shown: Sequence[Shown]) -> int | None:
    """The only option that one of the meanings is: as shown, rounded, or with its last digits left off."""
    for value, _, _ in meanings:
        exact = [
            n
            for n, s in enumerate(shown)
            if abs(value - s.value) <= s.step / 2 * (1 - 1e-6) + _EPSILON * abs(s.value)
        ]
        if len(exact) == 1:
            return exact[0]
        if exact:
            equal = [n for n in exact if math.isclose(value, shown[n].value)]
            return equal[0] if len(equal) == 1 else None
    for value, step, coarse in meanings:
        for width, clearly in ((coarse / 2, CLEARLY), (step, CUT)):
            near = sorted(range(len(shown)), key=lambda n: abs(value - shown[n].value))
            off = [abs(value - shown[n].value) for n in near]
            if abs(value) < 5 * width or off[0] > width * (1 + _EPSILON):
                continue
            if len(off) == 1 or (off[1] > width and off[1] >= clearly * off[0]):
                return near[0]
    return None


def _rows(text: str, numbers: Sequence[Number], options: Options) -> Iterator[Naming]:
    """Numbers in a row that are those of one option, all of them."""
    width = options.width()
    at = 0
    while at + width <= len(numbers):
        row = numbers[at : at + width]
        option = _row(text, row, options)
        if option is None:
            at += 1
            continue
        yield Naming(option, row[0].start, row[-1].end, "values")
        at += width


def _row(text: str, row: Sequence[Number], options: Options) -> int | None:
    ascending = all(a.value <= b.value for shown in options.numbers for a, b in pairwise(shown))
    orders = [list(row)]
    if len(row) == 2 and ascending:
        orders.append([row[1], row[0]])
    for order in orders:
        found = [
            n for n, shown in enumerate(options.numbers) if _all_match(text, order, shown, options.signs)
        ]
        if len(found) == 1:
            return found[0]
    return None


def _all_match(text: str, row: Sequence[Number], shown: Sequence[Shown], signs: bool) -> bool:
    return all(_matches(text, number, one, signs) for number, one in zip(row, shown, strict=True))


def _matches(text: str, number: Number, one: Shown, signs: bool) -> bool:
    for value, step, coarse in _meanings(text, number, [one], signs):
        off = abs(value - one.value)
        if (
            off <= one.step / 2 + _EPSILON * abs(one.value)
            or (abs(value) >= 5 * coarse and off <= coarse / 2)
            or (abs(value) >= 10 * step and off < step)
        ):
            return True
    return False
