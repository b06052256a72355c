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
SEQUENCE: Final = 3
"""So many values are a sequence."""
YES: Final = frozenset("yes true correct right y ja oui sí si sim да はい 是 yep yeah indeed".split())
NO: Final = frozenset("no false incorrect wrong n nein non não нет いいえ 否 不是 nope nay".split())
_YEAR: Final = regex.compile(r"\d{3,4}")
_PER: Final = regex.compile(r"\bper[ ]?$")


@dataclass(frozen=True, slots=True)
class Shown:
    """A number that an option shows: in the option's unit, and the worth of one in its last digit."""

    value: float
    step: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Options:
    """``texts`` as the model read them; ``numbers``: those of each that tell it from the others.

    ``yes``: the index of yes and of no, by truth. ``words``: each text's letters and digits alone.
    """

    texts: tuple[str, ...]
    kind: Kind
    numbers: tuple[tuple[Shown, ...], ...]
    yes: dict[bool, int]
    words: tuple[str, ...]
    signs: bool

    def shown(self, index: int) -> str:
        """``(b) 81.9 years``."""
        return f"({chr(ord('a') + index)}) {self.texts[index]}"

    def width(self) -> int:
        """How many numbers an option has; 0 where they differ in it."""
        return len(self.numbers[0]) if self.numbers else 0


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
        return Options(texts, "yes or no", (), yes, words, False)
    numbers = _numbers(texts, unit)
    signs = any(shown.value < 0 for row in numbers for shown in row)
    return Options(texts, "numbers" if numbers else "words", numbers, {}, words, signs)


def _yes_and_no(folded: Sequence[str]) -> dict[bool, int]:
    if len(folded) != 2 or not all(text in YES | NO for text in folded):
        return {}
    found = {text in YES: index for index, text in enumerate(folded)}
    return found if len(found) == 2 else {}


def _numbers(texts: Sequence[str], unit: str) -> tuple[tuple[Shown, ...], ...]:
    """Each option's numbers, without what all of them show at the same place, such as the years.

    In a sequence a value that all of them share stays, since it stands among the others when it is repeated.
    Empty where the options have no numbers, or not equally many.
    """
    plains = [plain(text).text for text in texts]
    found = [find(text) for text in plains]
    width = len(found[0]) if found else 0
    if not width or any(len(row) != width for row in found):
        return ()
    telling = [n for n in range(width) if not _are_same([row[n] for row in found])]
    values = [n for n in range(width) if n in telling or not _is_label(plains[0], found[0][n])]
    columns = values if telling and len(values) >= SEQUENCE else telling
    wanted = units.of_indicator(unit)
    rows = tuple(
        tuple(_shown(text, row[n], wanted) for n in columns) for text, row in zip(plains, found, strict=True)
    )
    return rows if columns else ()


def _are_same(column: Sequence[Number]) -> bool:
    return len({number.value for number in column}) == 1


def _is_label(text: str, number: Number) -> bool:
    """A year, or what stands behind "per"."""
    written = text[number.start : number.end]
    return bool(_YEAR.fullmatch(written) or _PER.search(text[: number.start]))


def _shown(text: str, number: Number, wanted: Unit) -> Shown:
    return Shown(number.value, number.readings[0].step, unit_of(text, number, wanted))


def unit_of(text: str, number: Number, otherwise: Unit = units.NONE) -> Unit:
    """The unit that stands at the number."""
    if number.percent:
        return Unit("percent", number.percent)
    unit = units.read(text, number.end)
    if number.currency:
        return replace(unit, measures=number.currency, factor=1.0)
    if unit.measures or unit.below or unit.per != 1.0:
        return unit
    return replace(otherwise, factor=otherwise.factor / otherwise.scaled, scaled=1.0)
