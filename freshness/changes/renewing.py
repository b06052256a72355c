"""The key of a question about numbers, by the numbers of a newer vintage. Pure.

For multiple choice the options stay as the model read them; the right one is that which shows the new
numbers. Where none does, the old one stays right as long as the new numbers are nearer to it than half the
way to any other; beyond that no option is right any more, and the question is judged as it was. An open
question gets the new values, and the old ones as an older vintage's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean
from typing import Final

from freshness.changes.revisions import Older, is_same
from freshness.questions import NumericKey, NumericKind, Question
from freshness.series import Indicator, Series

_NUMBER: Final = re.compile(r"[-\u2212]?\d+(?:,\d{3})*(?:\.\d+)?", re.ASCII)
_SCALES: Final = (1.0, 1e3, 1e6, 1e9, 1e12, 1e15)
"""What a number may be shown in: as it is, thousands, millions ..."""

Truth = float | bool | tuple[float, ...]


class OwnKey(StrEnum):
    """Why a question keeps the key that it was asked with.

    ``as_good``: the new numbers say the same. ``unit_changed``: they are counted in another unit.
    ``value_gone``: there is none for a year of it. ``beyond_options``: none of its options is right by them,
    so that it can't be asked any more. ``unreadable``: its key was made in another way than ours are.
    """

    AS_GOOD = "as_good"
    UNIT_CHANGED = "unit_changed"
    VALUE_GONE = "value_gone"
    BEYOND_OPTIONS = "beyond_options"
    UNREADABLE = "unreadable"


def renew(question: Question, indicator: Indicator, series: Series, older: Older = ()) -> Question | OwnKey:
    """The question with the key that these numbers give, or why it keeps its own.

    ``series``: what was known on the day asked about, of the question's entity. ``older``: what earlier
    vintages gave. An indicator that is counted in another unit now replaces no key.
    """
    key = question.numeric
    if key is None:
        return OwnKey.UNREADABLE
    if indicator.unit != key.unit:
        return OwnKey.UNIT_CHANGED
    again = _open(key, series, older) if key.kind == "next_word" else _choice(key, series)
    if isinstance(again, OwnKey):
        return again
    return replace(question, numeric=again) if again != key else OwnKey.AS_GOOD


def _open(key: NumericKey, series: Series, older: Older) -> NumericKey | OwnKey:
    value = series.value(key.years[-1])
    if value is None:
        return OwnKey.VALUE_GONE
    values = tuple(series.points.items())
    kept = tuple(told for told in older if told[0] in series.years)
    return replace(key, answer_value=value, values=values, older=kept)


def _choice(key: NumericKey, series: Series) -> NumericKey | OwnKey:
    known = series.points
    values = [(year, known.get(year)) for year, _ in key.values]
    found = [(year, value) for year, value in values if value is not None]
    if len(found) < len(values):
        return OwnKey.VALUE_GONE
    if _same(found, key.values):
        return OwnKey.AS_GOOD
    was, now = (truth(key.kind, key.years, dict(told)) for told in (key.values, found))
    if was is None or not _is_told(was, key.answer_value):
        return OwnKey.UNREADABLE
    if now is None:  # two that are equal now, a change of what was zero: no option tells it
        return OwnKey.BEYOND_OPTIONS
    letter = _right(key, now)
    if isinstance(letter, OwnKey):
        return letter
    return replace(key, answer=letter, answer_value=now, values=tuple(found))


def _same(found: Sequence[tuple[int, float]], values: Sequence[tuple[int, float]]) -> bool:
    return all(is_same(a, b) for (_, a), (_, b) in zip(found, values, strict=True))


def truth(kind: NumericKind, years: Sequence[int], values: Mapping[int, float]) -> Truth | None:
    """What is right by these values; None: they don't tell (two that are equal, no change of zero).

    As the questions are made (TempUN, section 3): date-based the value; comparative whether the first year's
    is higher; window-based the values in the order of the years; range-based the mean; min-max both;
    trend-based the change from the first year to the last, in percent of the first.
    """
    told = [values[year] for year in sorted(values)]
    if kind == "comparative":
        first, second = (values[year] for year in years)
        return None if first == second else first > second
    if kind == "trend":
        return None if told[0] <= 0 else (told[-1] - told[0]) / told[0] * 100
    if kind == "minmax":
        return min(told), max(told)
    if kind == "range":
        return sum(told) / len(told)
    return tuple(told) if kind == "window" else told[0]


def _is_told(was: Truth, answer: Truth) -> bool:
    """Whether the key was made as ``truth`` makes it; one made otherwise is left alone."""
    if isinstance(was, bool) or isinstance(answer, bool):
        return was is answer
    a, b = numbers_of(was), numbers_of(answer)
    return len(a) == len(b) and all(
        abs(x - y) <= 1e-6 * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True)
    )


def numbers_of(told: Truth) -> tuple[float, ...]:
    """As a sequence, also of one."""
    return told if isinstance(told, tuple) else (float(told),)


def _right(key: NumericKey, now: Truth) -> str | OwnKey:
    """The letter of the option that is right by the new numbers."""
    if isinstance(now, bool):
        if now is key.answer_value:
            return key.answer
        others = [letter for letter in _letters(key) if letter != key.answer]
        return others[0] if len(others) == 1 else OwnKey.UNREADABLE
    shown = _shown(key)
    if shown is None:
        return OwnKey.UNREADABLE
    wanted = numbers_of(now)
    for letter, numbers in shown.items():
        if all(number.shows(value) for number, value in zip(numbers, wanted, strict=True)):
            return letter
    options = {letter: [number.value for number in numbers] for letter, numbers in shown.items()}
    is_right = _is_near(wanted, options.pop(key.answer), options.values())
    return key.answer if is_right else OwnKey.BEYOND_OPTIONS


def _is_near(wanted: Sequence[float], own: Sequence[float], others: Iterable[Sequence[float]]) -> bool:
    """Whether the new numbers are nearer to an option than half the way from there to any other.

    By how far they are on average, each relative to its size. What two options have in common (a minimum that
    is the same in all) is no way between them.
    """
    scales = [max(abs(a), abs(b)) or 1.0 for a, b in zip(wanted, own, strict=True)]
    moved = _apart(wanted, own, scales)
    ways = ([way for way in _apart(own, other, scales) if way] for other in others)
    return all(way and fmean(moved) < fmean(way) / 2 for way in ways)


def _apart(one: Sequence[float], other: Sequence[float], scales: Sequence[float]) -> list[float]:
    return [abs(a - b) / scale for a, b, scale in zip(one, other, scales, strict=True)]


def _letters(key: NumericKey) -> list[str]:
    return [f"({chr(ord('a') + place)})" for place in range(len(key.options))]


@dataclass(frozen=True, slots=True)
class _Number:
    """A number as an option shows it: in which scale, and half of its last digit."""

    value: float
    half: float

    def shows(self, value: float) -> bool:
        return abs(self.value - value) <= self.half * (1 + 1e-9)


def _shown(key: NumericKey) -> dict[str, list[_Number]] | None:
    """The numbers that each option names for the answer; None where the right one doesn't show its own.

    Where these stand, and in which scale, the right option tells: all have one form.
    """
    letters = _letters(key)
    if key.answer not in letters:
        return None
    options = [[text.replace(",", "") for text in _NUMBER.findall(option)] for option in key.options]
    right = options[letters.index(key.answer)]
    if any(len(option) != len(right) for option in options):
        return None
    for scale in _SCALES:
        places = _places([_number(text, scale, _last_digit([text])) for text in right], key)
        if places:
            kept = [[option[place] for place in places] for option in options]
            last = _last_digit([text for option in kept for text in option])
            numbers = [[_number(text, scale, last) for text in option] for option in kept]
            return dict(zip(letters, numbers, strict=True))
    return None


def _places(numbers: Sequence[_Number], key: NumericKey) -> list[int] | None:
    """Where the numbers of the answer stand, one after the other."""
    assert not isinstance(key.answer_value, bool)
    wanted = numbers_of(key.answer_value)
    # In a list of years with their values every other number is a year, which may look like a value.
    years = [number.value for number in numbers[: 2 * len(wanted) : 2]]
    every = range(1, 2 * len(wanted), 2) if years == list(key.years) else range(len(numbers))
    found: list[int] = []
    for place in every:
        if len(found) < len(wanted) and numbers[place].shows(wanted[len(found)]):
            found.append(place)
    return found if len(found) == len(wanted) else None


def _number(text: str, scale: float, last: float) -> _Number:
    return _Number(float(text.replace("\u2212", "-")) * scale, 0.5 * last * scale)


def _last_digit(texts: Sequence[str]) -> float:
    """What the last digit counts: 0.01 for two decimals, 100 where all numbers end in two zeros."""
    decimals = max(len(text.partition(".")[2]) for text in texts)
    if decimals:
        return 10.0**-decimals
    told = [text for text in texts if float(text.replace("\u2212", "-"))]
    return 10.0 ** min((len(text) - len(text.rstrip("0")) for text in told), default=0)
