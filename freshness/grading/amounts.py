"""Options named by their numbers: one value, several in a row, or the largest of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import regex

from freshness.grading import figure_cues
from freshness.grading.letters import Naming
from freshness.grading.meanings import (
    EPSILON,
    REACH,
    Meaning,
    Scene,
    bare,
    is_rounded_to,
    meanings_of,
    tiny,
)
from freshness.grading.numbers import Number, find, units
from freshness.grading.numbers.roles import Role, roles
from freshness.grading.options import Options, Shown, is_part_of_one
from freshness.grading.refusals import is_refusal
from freshness.grading.tying import tie
from freshness.grading.value_rows import SEQUENCE, in_rows
from freshness.grading.years import LATER, Said, explicit

CLEARLY: Final = 4.0
"""How many times nearer a rounded number must be to its option than to any other."""
CUT: Final = 10.0
"""The same of a number whose last digits were left off."""
ABOUT: Final = 0.02
"""How far off its option, as a part of it, a number with "about" may be, if no other is as near."""

_SKIPPED: Final = frozenset(
    {Role.YEAR, Role.DATE, Role.RANK, Role.LIST, Role.NOTE, Role.LABEL, Role.SURENESS, Role.WHOLE, Role.JUNK}
    | {Role.TERM}
)
_OF_CHANGE: Final = regex.compile(r"\b(?:change|growth|grow|trend|development)\b", regex.I)
_OR: Final = regex.compile(r",?[ ]or[ ]" + figure_cues.APPROX, regex.I)
_ABOUT: Final = regex.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|some|circa|ca\.?|nearly|almost|close[ ]to|"
    r"an?[ ]estimated|in[ ]the[ ](?:region|order|neighbou?rhood)[ ]of)|[~≈])[ ]?$",
    regex.I,
)
_OF_ALL: Final = (
    r"[ ](?:option|choice|answer|alternative)s?\b|(?:[ ](?:one|value|number|figure|amount))?[ ](?:of|among|"
    r"out[ ]of)[ ](?:all[ ])?(?:(?:the|these|those)[ ])?(?:them\b|these\b|those\b|all\b|four\b|given\b|"
    r"listed\b|options?\b|choices\b|(?:given|listed)[ ])"
)
_EXTREME: Final = regex.compile(
    rf"\bthe[ ](?:(?P<low>lowest|smallest|least|minimum)|highest|largest|greatest|biggest|maximum)"
    rf"(?:{_OF_ALL})",
    regex.I,
)


def amounts(text: str, options: Options, question: str) -> list[Naming]:
    """Where a plain text names one of the options by what it shows, in order."""
    numbers = find(text)
    years = {int(word) for word in regex.findall(r"(?<!\d)\d{4}(?!\d)", question)}
    kinds = roles(text, numbers, years)
    kept = [number for number, kind in zip(numbers, kinds, strict=True) if kind not in _SKIPPED]
    scene = Scene(text, kept, options.signs(), _OF_CHANGE.search(question) is not None)
    spoken_of = explicit(text, numbers, kinds)
    named = in_rows(scene, options, spoken_of) if options.width() > 1 else []
    if len(options.telling) == 1 and options.width() < SEQUENCE:
        named += _of_the_year(scene, _single(scene, options, named), spoken_of, years)
        named += _extreme(text, options)
    return sorted(named, key=lambda naming: naming.start)


def _single(scene: Scene, options: Options, rows: Sequence[Naming]) -> list[Naming]:
    """Options named by the one value that tells them apart; ``rows``: those read out in full already."""
    place = options.telling[0]
    shown = [row[place] for row in options.numbers]
    shared = {one.value for n, one in enumerate(options.numbers[0]) if n != place}
    loose = _in_ranges(scene, shown) if options.width() == 1 else frozenset()
    found = []
    for number in scene.kept:
        if (
            number.value in shared
            or number.start in loose
            or any(row.start <= number.start < row.end for row in rows)
        ):
            continue
        option = _option(scene, number, shown)
        if option is not None:
            end = max(number.end, units.read(scene.text, number.end).end)
            found.append(Naming(option, number.start, end, "value"))
    return found


def _in_ranges(scene: Scene, shown: Sequence[Shown]) -> frozenset[int]:
    """Where numbers start that are the ends of a range, how unsure a value is, or two guesses at it."""
    starts: set[int] = set()
    for one, two in pairwise(scene.kept):
        gap = scene.text[max(one.end, units.read(scene.text, one.end).end) : two.start]
        before = scene.text[max(0, one.start - REACH) : one.start]
        if figure_cues.PLUS_MINUS.fullmatch(gap):
            starts.add(two.start)
        elif figure_cues.is_range(before, gap) or _OR.fullmatch(gap):
            is_certain = any(_is_shown(scene, number, shown) for number in (one, two))
            if not is_certain or (_ascend(one, two) and not _OR.fullmatch(gap)):
                starts |= {one.start, two.start}
    return frozenset(starts)


def _ascend(one: Number, two: Number) -> bool:
    """Whether the first may be a range's lower end; of what fell it may be the nearer one to 0."""
    return one.value <= two.value or abs(one.value) <= abs(two.value)


def _is_shown(scene: Scene, number: Number, shown: Sequence[Shown]) -> bool:
    written = scene.text[number.start : number.end]
    return _exactly(written, meanings_of(scene, number, shown[0]), shown) is not None


def _option(scene: Scene, number: Number, shown: Sequence[Shown]) -> int | None:
    """The only option that a number is: as shown, rounded or cut, about it, or as a share of one."""
    meanings = meanings_of(scene, number, shown[0])
    found = _exactly(scene.text[number.start : number.end], meanings, shown)
    if found is None:
        found = _rounded(meanings, shown)
        if found is not None and _is_beyond(scene, number, meanings, shown[found]):
            return None
    if found is None and _ABOUT.search(scene.text[max(0, number.start - REACH) : number.start]):
        found = _within(meanings, shown, ABOUT)
    if found is None and shown[0].unit.measures == "percent" and is_part_of_one(scene.text, number):
        found = _within([Meaning(100 * m.value, 100 * m.step, m.coarse) for m in meanings], shown, ABOUT / 2)
    return found


def _is_beyond(scene: Scene, number: Number, meanings: Sequence[Meaning], one: Shown) -> bool:
    """Whether an option lies on the wrong side of a bound: 76.91 of "at least 77"."""
    bound = figure_cues.bound(scene.text, number.start)
    sizes = [abs(meaning.value) for meaning in meanings]
    return (bound == "over" and abs(one.value) < min(sizes)) or (
        bound == "under" and abs(one.value) > max(sizes)
    )


def _of_the_year(
    scene: Scene, named: list[Naming], spoken_of: Sequence[Said], years: set[int]
) -> list[Naming]:
    """Without values that are said to be another year's, where the question asks about one.

    Where there are no others they count, unless the answer says that it doesn't know.
    """
    if len(years) != 1 or not named:
        return named
    spans = [(number.start, number.end) for number in scene.kept]
    of_year = tie(scene.text, spans, spoken_of, max(years), LATER)
    of_this = [n for n in named if of_year.get(n.start) in (None, *years)]
    return of_this or ([] if is_refusal(scene.text) else named)


def _exactly(written: str, meanings: Sequence[Meaning], shown: Sequence[Shown]) -> int | None:
    """The nearest option, if it shows this number; of several of the same value the one written so."""
    for meaning in meanings:
        nearest = min(abs(meaning.value - one.value) for one in shown)
        found = [n for n, one in enumerate(shown) if abs(meaning.value - one.value) <= nearest + tiny(one)]
        near = [n for n in found if nearest <= shown[n].step / 2 * (1 - 1e-6) + tiny(shown[n])]
        if len(near) > 1:
            near = [n for n in near if bare(shown[n].written) == bare(written)]
        if len(near) == 1 and (len(found) == 1 or nearest <= tiny(shown[near[0]])):
            return near[0]
    return None


def _rounded(meanings: Sequence[Meaning], shown: Sequence[Shown]) -> int | None:
    """The only option that is this number rounded, or with its last digits left off."""
    for meaning in meanings:
        near = sorted(range(len(shown)), key=lambda n: abs(meaning.value - shown[n].value))
        off = [abs(meaning.value - shown[n].value) for n in near]
        for width, clearly in ((meaning.coarse / 2, CLEARLY), (meaning.step, CUT)):
            if abs(meaning.value) < 5 * width or off[0] > width * (1 + EPSILON):
                continue
            if len(off) == 1 or (off[1] > width and off[1] >= clearly * off[0]):
                return near[0]
        if is_rounded_to(meaning.value, shown[near[0]]) and (len(off) == 1 or off[1] >= CLEARLY * off[0]):
            return near[0]
    return None


def _within(meanings: Sequence[Meaning], shown: Sequence[Shown], part: float) -> int | None:
    """The only option that a number is no further from than this part of it."""
    for meaning in meanings:
        near = [n for n, one in enumerate(shown) if abs(meaning.value - one.value) <= part * abs(one.value)]
        if len(near) == 1:
            return near[0]
    return None


def _extreme(text: str, options: Options) -> Iterator[Naming]:
    """The option said to be the lowest or the highest of them."""
    values = [row[options.telling[0]].value for row in options.numbers]
    for match in _EXTREME.finditer(text):
        wanted = min(values) if match["low"] else max(values)
        if values.count(wanted) == 1:
            yield Naming(values.index(wanted), match.start(), match.end(), "counted")
