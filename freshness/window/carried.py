"""What an answer about a year's number tells, beside what a guess or an older number would bring.

A model whose data end earlier can be right about a later year all the same: life expectancy moves so little
that last year's is next year's answer, and most things mostly grow. So each answer comes with how often it
would be right by a guess, and by carrying on from what was known 1, 2, 3, ... years before. Only kinds of
question count whose answer needs the newest year that they name: a mean over ten years, or the right one of
four lists of five years, can be told without its last year.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isclose, log
from statistics import median
from typing import Final

from freshness.questions import NumericKey

HORIZONS: Final = 10
"""So many years a number is carried on; from farther back counts as from there."""
COINCIDENCE: Final = 0.03
"""How often an open answer is within one percent by accident."""

_CLOSE: Final = 0.01
_FEWEST: Final = 5  # changes that tell how much an indicator moves
_NUMBER: Final = re.compile(r"[-\u2212]?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer about ``year``: whether it was right, and how often it would be.

    ``chance``: by a guess; ``carried``: from what was known 1, 2, ... years before, the last for all farther
    back; empty: no better than by a guess.
    """

    year: int
    chance: float
    correct: bool
    carried: tuple[float, ...] = ()

    def from_before(self, back: int) -> float:
        """How often it is right from what was known ``back`` years before, at least 1."""
        return self.carried[min(back, len(self.carried)) - 1] if self.carried else self.chance


def asked(answers: Iterable[tuple[NumericKey, bool]]) -> dict[str, list[Asked]]:
    """By indicator, in order of first mention; answers that tell nothing of the newest year are left out.

    Whatever the questions' keys say of an indicator tells how far its numbers can be carried on. ``bool``:
    whether the answer was right; for an open one, within one percent.
    """
    answers = list(answers)
    records = _records(key for key, _ in answers)
    found: dict[str, list[Asked]] = {}
    for key, correct in answers:
        carried = _carried(key, records[key.indicator]) if key.years else None
        of_indicator = found.setdefault(key.indicator, [])
        if carried is not None:
            chance = key.chance if key.options else COINCIDENCE
            of_indicator.append(Asked(max(key.years), chance, correct, carried))
    return found


@dataclass(frozen=True)
class _Record:
    """What the questions tell of one indicator: values by country and year, and how they change."""

    values: Mapping[str, Mapping[int, float]]

    @cached_property
    def changes(self) -> Sequence[Sequence[float]]:
        """For 1, 2, ... years the sorted logarithms of the growth over them; none where too few are known."""
        found = [sorted(self._growths(back)) for back in range(1, HORIZONS + 1)]
        return [growths if len(growths) >= _FEWEST else [] for growths in found]

    def _growths(self, years: int) -> Iterator[float]:
        for series in self.values.values():
            for year, value in series.items():
                before = series.get(year - years, 0.0)
                if value > 0 and before > 0:
                    yield log(value) - log(before)  # the ratio itself may be too small for a number

    @cached_property
    def usual(self) -> Sequence[float]:
        """The median of each of ``changes``."""
        return [median(growths) if growths else 0.0 for growths in self.changes]

    @cached_property
    def rising(self) -> float | None:
        """Which share of the changes from one year to the next is upwards; None where too few are known."""
        pairs = [
            (value, series[year - 1])
            for series in self.values.values()
            for year, value in series.items()
            if year - 1 in series
        ]
        moved = [now > before for now, before in pairs if now != before]
        return sum(moved) / len(moved) if len(moved) >= _FEWEST else None


def _records(keys: Iterable[NumericKey]) -> Mapping[str, _Record]:
    values: dict[str, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for key in keys:
        values[key.indicator][key.code or key.entity].update(key.values)
    return {indicator: _Record(of_indicator) for indicator, of_indicator in values.items()}


def _carried(key: NumericKey, record: _Record) -> tuple[float, ...] | None:
    """How often carrying on is right by how many years back; None where that can't be told."""
    if key.kind == "date":
        return _date(key, record)
    if key.kind == "comparative":
        return _comparative(key, record)
    return _open(key) if key.kind == "next_word" else None


def _date(key: NumericKey, record: _Record) -> tuple[float, ...] | None:
    options, right = _numbers(key), "abcdefghij".find(key.answer.strip("()"))
    if not options or not 0 <= right < len(options) or min(options) <= 0:
        return None
    numbers = [log(option) for option in options]
    low, high = _reach(numbers, right)
    series, year = record.values[key.code or key.entity], key.years[0]
    shares: list[float] = []
    for back, (changes, usual) in enumerate(zip(record.changes, record.usual, strict=True), 1):
        before = series.get(year - back, 0.0)
        if before > 0:
            shares.append(float(low < log(before) < high or low < log(before) + usual < high))
        elif changes:
            shares.append(_share_within(changes, usual, numbers[right] - high, numbers[right] - low))
        elif shares:
            shares.append(shares[-1])
        else:
            return None
    return tuple(shares)


def _numbers(key: NumericKey) -> list[float] | None:
    """The options' numbers; a scale word, the same in all, drops out. None when they aren't single ones."""
    found = [_NUMBER.search(option) for option in key.options]
    numbers = [float(m[0].replace(",", "").replace("\u2212", "-")) for m in found if m]
    return numbers if numbers and len(numbers) == len(key.options) else None


def _reach(options: Sequence[float], right: int) -> tuple[float, float]:
    """Between which numbers the right option is the nearest."""
    ordered = sorted(options)
    place = bisect.bisect_left(ordered, options[right])
    middles = [(one + other) / 2 for one, other in itertools.pairwise(ordered)]
    return [-inf, *middles][place], [*middles, inf][place]


def _share_within(changes: Sequence[float], usual: float, low: float, high: float) -> float:
    """How often a value that is carried on stays within reach: as it is, or grown as usual."""
    plain = bisect.bisect_left(changes, high) - bisect.bisect_right(changes, low)
    grown = bisect.bisect_left(changes, high + usual) - bisect.bisect_right(changes, low + usual)
    return max(plain, grown) / len(changes)


def _comparative(key: NumericKey, record: _Record) -> tuple[float, ...] | None:
    """Who only knows which way things mostly go says that; the odds are squared, as it is said every time."""
    rising = record.rising
    values = dict(key.values)
    first, last = min(key.years), max(key.years)
    if rising is None or first not in values or last not in values:
        return None
    usual = rising if values[last] > values[first] else 1 - rising
    return (usual**2 / (usual**2 + (1 - usual) ** 2),)


def _open(key: NumericKey) -> tuple[float, ...] | None:
    """The value of an older year, or the line through it and the year before it, within one percent."""
    series, year = dict(key.values), max(key.years)
    if year not in series:
        return None
    shares: list[float] = []
    for back in range(1, HORIZONS + 1):
        told = _told_from(series, year, back)
        shares.append(float(any(isclose(t, series[year], rel_tol=_CLOSE) for t in told)))
    return tuple(shares)


def _told_from(series: Mapping[int, float], year: int, back: int) -> list[float]:
    if year - back not in series:
        return []
    last, before = series[year - back], series.get(year - back - 1)
    return [last] if before is None else [last, last + back * (last - before)]
