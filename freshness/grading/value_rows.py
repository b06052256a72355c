"""Options named by several numbers in a row: all of theirs, or most of a sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import regex

from freshness.grading import figure_cues
from freshness.grading.letters import Naming
from freshness.grading.meanings import Scene, bare, is_rounded_to, meanings_of, tiny
from freshness.grading.numbers import Number
from freshness.grading.options import Options, Shown
from freshness.grading.years import Said

SEQUENCE: Final = 3
"""So many values are a sequence, of which most may stand for all."""
_IN_ROW: Final = regex.compile(
    r"[ ]?(?:[,;/–-]|,?[ ]?\b(?:and|or|to)\b)[ ](?:(?:and|in|finally|then)[ ])?" + figure_cues.APPROX, regex.I
)


def in_rows(scene: Scene, options: Options, spoken_of: Sequence[Said]) -> list[Naming]:
    """Options named by all of their numbers in a row, or, where none is, by most of a sequence.

    Where an answer goes back in time, so does its row.
    """
    if lent := _lent(scene):
        scene = replace(scene, lent=lent)
    named = list(_rows(scene, options))
    if named or options.width() < SEQUENCE:
        return named
    if len(spoken_of) > 1 and all(one.year > two.year for one, two in pairwise(spoken_of)):
        scene = replace(scene, kept=scene.kept[::-1])
        named = list(_rows(scene, options))
    return named or list(_most_of_a_row(scene, options))


def _lent(scene: Scene) -> dict[int, Number]:
    """The number behind each bare one in its row that has the scale and the unit of both."""
    found: dict[int, Number] = {}
    for one, two in pairwise(scene.kept[::-1]):
        is_bare = not (two.percent or two.currency or two.scaled)
        if is_bare and _IN_ROW.fullmatch(scene.text, two.end, one.start):
            found[two.start] = found.get(one.start, one)
    return found


def _rows(scene: Scene, options: Options) -> Iterator[Naming]:
    """Numbers in a row that are those of one option, all of them."""
    width, at = options.width(), 0
    while at + width <= len(scene.kept):
        row = scene.kept[at : at + width]
        option = _row(scene, row, options)
        if option is None:
            at += 1
            continue
        yield _naming(option, row)
        at += width


def _naming(option: int, row: Sequence[Number]) -> Naming:
    """From the first number in the text to the last, whichever way the row goes."""
    return Naming(option, min(row[0].start, row[-1].start), max(row[0].end, row[-1].end), "values")


def _row(scene: Scene, row: Sequence[Number], options: Options) -> int | None:
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


def _row_fit(scene: Scene, row: Sequence[Number], shown: Sequence[Shown]) -> int | None:
    """How well, at worst, numbers fit an option's: see ``_fit``; None where one of them doesn't."""
    worst = 0
    for number, one in zip(row, shown, strict=True):
        fit = _fit(scene, number, one)
        if fit is None:
            return None
        worst = max(worst, fit)
    return worst


def _fit(scene: Scene, number: Number, one: Shown) -> int | None:
    """0: written so; 1: of that value; 2: that value rounded or cut; None: another."""
    found = []
    for meaning in meanings_of(scene, number, one):
        off = abs(meaning.value - one.value)
        if off <= tiny(one):
            same = bare(scene.text[number.start : number.end]) == bare(one.written)
            found.append(0 if same else 1)
        elif (
            off <= one.step / 2 + tiny(one)
            or is_rounded_to(meaning.value, one)
            or (abs(meaning.value) >= 5 * meaning.coarse and off <= meaning.coarse / 2)
            or (abs(meaning.value) >= 10 * meaning.step and off < meaning.step)
        ):
            found.append(2)
    return min(found, default=None)


def _most_of_a_row(scene: Scene, options: Options) -> Iterator[Naming]:
    """The only option that has all values of the text in their order, where those are most of its own."""
    row, width = scene.kept, options.width()
    if not width / 2 < len(row) < width:
        return
    option = _best([_ordered_fit(scene, row, shown) for shown in options.numbers])
    if option is not None:
        yield _naming(option, row)


def _ordered_fit(scene: Scene, row: Sequence[Number], shown: Sequence[Shown]) -> int | None:
    """As ``_row_fit``, where values of the option may have been left out."""
    worst, at = 0, 0
    for number in row:
        fit = None
        while fit is None:
            if at == len(shown):
                return None
            fit = _fit(scene, number, shown[at])
            at += 1
        worst = max(worst, fit)
    return worst
