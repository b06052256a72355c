"""The options of a question taken apart: letters, numbers, yes and no, plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

import regex

from freshness.grading.numbers import Number, find, plain, units
from freshness.grading.numbers.units import Unit

Kind = Literal["numbers", "yes or no", "words"]

MAX_OPTIONS: Final = 26
YES: Final = frozenset("yes true correct right y ja oui sí si sim да はい 是 yep yeah indeed".split())
NO: Final = frozenset("no false incorrect wrong n nein non não нет いいえ 否 不是 nope nay".split())
_YEAR: Final = regex.compile(r"\d{3,4}")
_PER: Final = regex.compile(r"\bper[ ]?$")


@dataclass(frozen=True, slots=True)
class Shown:
    """A number that an option shows: in the option's unit, and the worth of one in its last digit.

    ``written``: as it stands there, which tells 0 from 0.0. ``exact``: the worth of one in the last digit
    that isn't 0 in all options: 10,000 of 5,860,000 and 6,230,000.
    """

    value: float
    step: float
    unit: Unit
    written: str = ""
    exact: float = 0.0


@dataclass(frozen=True, slots=True)
class Options:
    """``texts`` as the model read them; ``numbers``: the values that each shows.

    ``telling``: at which places they are not all the same. ``yes``: the index of yes and of no, by truth.
    ``words``: each text's letters and digits alone.
    """

    texts: tuple[str, ...]
    kind: Kind
    numbers: tuple[tuple[Shown, ...], ...]
    yes: dict[bool, int]
    words: tuple[str, ...]
    telling: tuple[int, ...] = ()

    def shown(self, index: int) -> str:
        """``(b) 81.9 years``."""
        return f"({chr(ord('a') + index)}) {self.texts[index]}"

    def width(self) -> int:
        """How many numbers an option has; 0 where they differ in it."""
        return len(self.numbers[0]) if self.numbers else 0

    def signs(self) -> frozenset[int]:
        """Of which signs its numbers are: 1, 0 and -1."""
        return frozenset((one.value > 0) - (one.value < 0) for row in self.numbers for one in row)


def bones(text: str) -> str:
    """Letters and digits alone, for comparing what was copied."""
    return regex.sub(r"[^\p{L}\p{N}]+", "", text.casefold())


@lru_cache(maxsize=1024)
def prepare(texts: tuple[str, ...], unit: str) -> Options:
    """The options of one question; of more than there are letters, the first."""
    texts = texts[:MAX_OPTIONS]
    words = tuple(bones(text) for text in texts)
    yes = _yes_and_no(words)
    if yes:
        return Options(texts, "yes or no", (), yes, words)
    numbers = _numbers(texts, unit)
    telling = _telling(numbers)
    return Options(texts, "numbers" if telling else "words", numbers if telling else (), {}, words, telling)


def _yes_and_no(folded: Sequence[str]) -> dict[bool, int]:
    if len(folded) != 2 or not all(text in YES | NO for text in folded):
        return {}
    found = {text in YES: index for index, text in enumerate(folded)}
    return found if len(found) == 2 else {}


def _numbers(texts: Sequence[str], unit: str) -> tuple[tuple[Shown, ...], ...]:
    """Each option's numbers, without labels that all of them show at the same place, such as the years.

    A value that all of them share stays, since it stands among the others when it is repeated. Empty where
    the options have no numbers, or not equally many.
    """
    plains = [plain(text).text for text in texts]
    found = [find(text) for text in plains]
    width = len(found[0]) if found else 0
    if not width or any(len(row) != width for row in found):
        return ()
    columns = [
        n
        for n in range(width)
        if len({row[n].value for row in found}) > 1 or not _is_label(plains[0], found[0][n])
    ]
    wanted = units.of_indicator(unit)
    shown = [[_shown(text, row[n], wanted) for n in columns] for text, row in zip(plains, found, strict=True)]
    exact = min((coarse(one.value, one.step) for row in shown for one in row), default=0.0)
    return tuple(tuple(replace(one, exact=exact) for one in row) for row in shown)


def coarse(value: float, step: float) -> float:
    """The worth of one in the last digit that is not 0: of 43,800 it is a hundred."""
    digits = round(abs(value) / step)
    if not digits or digits > 10**15:
        return step
    text = str(digits)
    return step * 10.0 ** (len(text) - len(text.rstrip("0")))


def _telling(numbers: Sequence[Sequence[Shown]]) -> tuple[int, ...]:
    """The places at which the options differ, in value or, where that tells nothing, in writing."""
    places = range(len(numbers[0]) if numbers else 0)
    return tuple(n for n in places if len({row[n].value for row in numbers}) > 1) or tuple(
        n for n in places if len({row[n].written for row in numbers}) > 1
    )


def _is_label(text: str, number: Number) -> bool:
    """A year, or what stands behind "per"."""
    written = text[number.start : number.end]
    return bool(_YEAR.fullmatch(written) or _PER.search(text[: number.start]))


def _shown(text: str, number: Number, wanted: Unit) -> Shown:
    written = text[number.start : number.end]
    return Shown(number.value, number.readings[0].step, unit_of(text, number, wanted), written)


def unit_of(text: str, number: Number, otherwise: Unit = units.NONE) -> Unit:
    """The unit that stands at the number."""
    if number.percent:
        return Unit("percent", number.percent)
    unit = units.read(text, number.end)
    if number.currency:
        return replace(unit, measures=number.currency, factor=1.0)
    if unit.measures or unit.below or unit.per != 1.0:
        return unit
    if otherwise.scaled == 1.0:
        return otherwise
    return replace(otherwise, factor=otherwise.factor / otherwise.scaled, scaled=1.0)


def is_part_of_one(text: str, number: Number) -> bool:
    """Whether it may be a share of one: between 0 and 1, in digits, with no unit or sign."""
    if number.form != "digits" or number.percent or number.currency or number.scaled:
        return False
    return 0 < abs(number.value) < 1 and units.read(text, number.end) == Unit(end=number.end)
