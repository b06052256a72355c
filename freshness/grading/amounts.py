"""Options named by their numbers: one value, a row of them, some of a row, or the largest of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import regex

from freshness.grading import figure_cues
from freshness.grading.letters import Naming
from freshness.grading.numbers import Number, find, units
from freshness.grading.numbers.roles import Role, roles
from freshness.grading.options import Options, Shown, is_part_of_one, unit_of
from freshness.grading.tying import tie
from freshness.grading.years import LATER, Said, explicit

CLEARLY: Final = 4.0
"""How many times nearer a rounded number must be to its option than to any other."""
CUT: Final = 10.0
"""The same of a number whose last digits were left off."""
ABOUT: Final = 0.02
"""How far off its option, as a part of it, a number with "about" may be, if no other is as near."""
SEQUENCE: Final = 3
"""So many values are a sequence, of which most may stand for all."""
_EPSILON: Final = 1e-9
_REACH: Final = 60

_SKIPPED: Final = frozenset(
    {Role.YEAR, Role.DATE, Role.RANK, Role.LIST, Role.NOTE, Role.LABEL, Role.SURENESS, Role.WHOLE, Role.JUNK}
)
_DOWN: Final = regex.compile(
    r"\b(?:decreas|declin|fell|fall|drop|reduc|shr[aiu]nk|contract|los[st]|negativ|down|"
    r"dip)\w*\b[^.;\d]{0,30}$",
    regex.I,
)
_UP: Final = regex.compile(
    r"(?:\b(?:increas|ris[ei]|rose|grew|grow|climb|jump|gain|surg|positiv)\w*\b|\bup\b)[^.;\d]{0,30}$|[+]$",
    regex.I,
)
_DOWN_AFTER: Final = regex.compile(
    r"[ ]?(?:\w+[ ]){0,2}(?:decreas|declin|fall|drop|reduc|contraction|loss|lower)\w*\b", regex.I
)
_UP_AFTER: Final = regex.compile(
    r"[ ]?(?:\w+[ ]){0,2}(?:increas|ris[ei]|growth|gain|jump|higher)\w*\b", regex.I
)
_TO: Final = regex.compile(r"\bto[ ](?:(?:about|around|roughly|approximately|some|just)[ ])?$", regex.I)
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


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a number may mean in an option's unit.

    ``step``: the worth of one in its last digit, ``coarse`` in its last digit that is not 0.
    """

    value: float
    step: float
    coarse: float


@dataclass(frozen=True, slots=True)
class _Scene:
    """The text with its numbers: ``kept``, those that may be values. ``change``: of a change was asked."""

    text: str
    kept: Sequence[Number]
    signs: frozenset[int]
    change: bool


def amounts(text: str, options: Options, question: str) -> list[Naming]:
    """Where a plain text names one of the options by what it shows, in order."""
    numbers = find(text)
    years = {int(word) for word in regex.findall(r"(?<!\d)\d{4}(?!\d)", question)}
    kinds = roles(text, numbers, years)
    kept = [number for number, kind in zip(numbers, kinds, strict=True) if kind not in _SKIPPED]
    scene = _Scene(text, kept, options.signs(), _OF_CHANGE.search(question) is not None)
    named = list(_rows(scene, options)) if options.width() > 1 else []
    if not named and options.width() >= SEQUENCE:
        named = list(_most_of_a_row(scene, options))
    if len(options.telling) == 1 and options.width() < SEQUENCE:
        named += _of_the_year(scene, _single(scene, options, named), explicit(text, numbers, kinds), years)
        named += _extreme(text, options)
    return sorted(named, key=lambda naming: naming.start)


def _single(scene: _Scene, options: Options, rows: Sequence[Naming]) -> list[Naming]:
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


def _in_ranges(scene: _Scene, shown: Sequence[Shown]) -> frozenset[int]:
    """Where numbers start that are the ends of a range, how unsure a value is, or two guesses at it."""
    starts: set[int] = set()
    for one, two in pairwise(scene.kept):
        gap = scene.text[max(one.end, units.read(scene.text, one.end).end) : two.start]
        before = scene.text[max(0, one.start - _REACH) : one.start]
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


def _is_shown(scene: _Scene, number: Number, shown: Sequence[Shown]) -> bool:
    written = scene.text[number.start : number.end]
    return _exactly(written, _meanings(scene, number, shown[0]), shown) is not None


def _option(scene: _Scene, number: Number, shown: Sequence[Shown]) -> int | None:
    """The only option that a number is: as shown, rounded or cut, about it, or as a share of one."""
    meanings = _meanings(scene, number, shown[0])
    found = _exactly(scene.text[number.start : number.end], meanings, shown)
    if found is None:
        found = _rounded(meanings, shown)
        if found is not None and _is_beyond(scene, number, meanings, shown[found]):
            return None
    if found is None and _ABOUT.search(scene.text[max(0, number.start - _REACH) : number.start]):
        found = _within(meanings, shown, ABOUT)
    if found is None and shown[0].unit.measures == "percent" and is_part_of_one(scene.text, number):
        found = _within([_Meaning(100 * m.value, 100 * m.step, m.coarse) for m in meanings], shown, ABOUT / 2)
    return found


def _is_beyond(scene: _Scene, number: Number, meanings: Sequence[_Meaning], one: Shown) -> bool:
    """Whether an option lies on the wrong side of a bound: 76.91 of "at least 77"."""
    bound = figure_cues.bound(scene.text, number.start)
    sizes = [abs(meaning.value) for meaning in meanings]
    return (bound == "over" and abs(one.value) < min(sizes)) or (
        bound == "under" and abs(one.value) > max(sizes)
    )


def _of_the_year(
    scene: _Scene, named: list[Naming], spoken_of: Sequence[Said], years: set[int]
) -> list[Naming]:
    """Without values that are said to be another year's, where the question asks about one."""
    if len(years) != 1 or len({naming.option for naming in named}) < 2:
        return named
    spans = [(number.start, number.end) for number in scene.kept]
    of_year = tie(scene.text, spans, spoken_of, max(years), LATER)
    return [n for n in named if of_year.get(n.start) in (None, *years)] or named


def _meanings(scene: _Scene, number: Number, one: Shown) -> list[_Meaning]:
    """What a number may mean in the options' unit; nothing where it measures something else."""
    if number.form == "fraction":
        times = 100.0 if one.unit.measures == "percent" else None
    else:
        times = units.factor(unit_of(scene.text, number), one.unit, scaled=False)
    if times is None:
        return []
    way = _way(scene, number)
    found = []
    readings = number.readings
    if scene.change and number.value < 0:
        readings = tuple(reading for reading in readings if reading.value < 0)  # no bullet
    for reading in readings:
        value, step = reading.value * times, reading.step * times
        signed = value if value < 0 or not way else way * value
        found.append(_Meaning(signed, step, _coarse(value, step)))
    return found


def _way(scene: _Scene, number: Number) -> int:
    """The sign that the words around give a number without one: "a drop of 5 %"; 0 where they give none.

    Where all options fell, a bare number is how far.
    """
    if scene.signs <= {0, 1} and not scene.change:
        return 0
    before = scene.text[max(0, number.start - _REACH) : number.start]
    if _TO.search(before):
        return -1 if scene.signs <= {0, -1} else 0
    down, up = _DOWN.search(before), _UP.search(before)
    if _DOWN_AFTER.match(scene.text, number.end) or (down and (not up or down.start() > up.start())):
        return -1
    if up or _UP_AFTER.match(scene.text, number.end):
        return 1
    return -1 if scene.signs <= {0, -1} else 0


def _coarse(value: float, step: float) -> float:
    """The worth of one in the last digit that is not 0: of 43,800 it is a hundred."""
    digits = round(abs(value) / step)
    if not digits or digits > 10**15:
        return step
    text = str(digits)
    return step * 10.0 ** (len(text) - len(text.rstrip("0")))


def _exactly(written: str, meanings: Sequence[_Meaning], shown: Sequence[Shown]) -> int | None:
    """The nearest option, if it shows this number; of several of the same value the one written so."""
    for meaning in meanings:
        nearest = min(abs(meaning.value - one.value) for one in shown)
        found = [n for n, one in enumerate(shown) if abs(meaning.value - one.value) <= nearest + _tiny(one)]
        near = [n for n in found if nearest <= shown[n].step / 2 * (1 - 1e-6) + _tiny(shown[n])]
        if len(near) > 1:
            near = [n for n in near if _bare(shown[n].written) == _bare(written)]
        if len(near) == 1 and (len(found) == 1 or nearest <= _tiny(shown[near[0]])):
            return near[0]
    return None


def _tiny(one: Shown) -> float:
    """Less than any number shown tells."""
    return _EPSILON * max(abs(one.value), one.step)


def _bare(written: str) -> str:
    return written.strip("%$€£ ")


def _rounded(meanings: Sequence[_Meaning], shown: Sequence[Shown]) -> int | None:
    """The only option that is this number rounded, or with its last digits left off."""
    for meaning in meanings:
        near = sorted(range(len(shown)), key=lambda n: abs(meaning.value - shown[n].value))
        off = [abs(meaning.value - shown[n].value) for n in near]
        for width, clearly in ((meaning.coarse / 2, CLEARLY), (meaning.step, CUT)):
            if abs(meaning.value) < 5 * width or off[0] > width * (1 + _EPSILON):
                continue
            if len(off) == 1 or (off[1] > width and off[1] >= clearly * off[0]):
                return near[0]
    return None


def _within(meanings: Sequence[_Meaning], shown: Sequence[Shown], part: float) -> int | None:
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


def _rows(scene: _Scene, options: Options) -> Iterator[Naming]:
    """Numbers in a row that are those of one option, all of them."""
    width, at = options.width(), 0
    while at + width <= len(scene.kept):
        row = scene.kept[at : at + width]
        option = _row(scene, row, options)
        if option is None:
            at += 1
            continue
        yield Naming(option, row[0].start, row[-1].end, "values")
        at += width


def _row(scene: _Scene, row: Sequence[Number], options: Options) -> int | None:
    """The option whose values these are; of two the larger may come first."""
    ascending = len(row) == 2 and all(shown[0].value <= shown[1].value for shown in options.numbers)
    for order in (list(row), [row[1], row[0]]) if ascending else (list(row),):
        found = _best([_row_fit(scene, order, shown) for shown in options.numbers])
        if found is not None:
            return found
    return None


def _best(fits: Sequence[int | None]) -> int | None:
    """The only option that fits best; None where none fits, or several alike."""
    found = [fit for fit in fits if fit is not None]
    return fits.index(min(found)) if found and found.count(min(found)) == 1 else None


def _row_fit(scene: _Scene, row: Sequence[Number], shown: Sequence[Shown]) -> int | None:
    """How well, at worst, numbers fit an option's: see ``_fit``; None where one of them doesn't."""
    worst = 0
    for number, one in zip(row, shown, strict=True):
        fit = _fit(scene, number, one)
        if fit is None:
            return None
        worst = max(worst, fit)
    return worst


def _fit(scene: _Scene, number: Number, one: Shown) -> int | None:
    """0: written so; 1: of that value; 2: that value rounded or cut; None: another."""
    found = []
    for meaning in _meanings(scene, number, one):
        off = abs(meaning.value - one.value)
        if off <= _tiny(one):
            same = _bare(scene.text[number.start : number.end]) == _bare(one.written)
            found.append(0 if same else 1)
        elif (
            off <= one.step / 2 + _tiny(one)
            or (abs(meaning.value) >= 5 * meaning.coarse and off <= meaning.coarse / 2)
            or (abs(meaning.value) >= 10 * meaning.step and off < meaning.step)
        ):
            found.append(2)
    return min(found, default=None)


def _most_of_a_row(scene: _Scene, options: Options) -> Iterator[Naming]:
    """The only option that has all values of the text in their order, where those are most of its own."""
    row, width = scene.kept, options.width()
    if not width / 2 < len(row) < width:
        return
    option = _best([_ordered_fit(scene, row, shown) for shown in options.numbers])
    if option is not None:
        yield Naming(option, row[0].start, row[-1].end, "values")


def _ordered_fit(scene: _Scene, row: Sequence[Number], shown: Sequence[Shown]) -> int | None:
    """As ``_row_fit``, where values of the option may have been left out."""
    worst, at = 0, 0
    for number in row:
        while at < len(shown) and _fit(scene, number, shown[at]) is None:
            at += 1
        if at == len(shown):
            return None
        worst = max(worst, _fit(scene, number, shown[at]) or 0)
        at += 1
    return worst
