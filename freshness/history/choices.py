"""How answers about numbers add up: by kind of question, category, year and indicator, each beside chance.

TempUN (table 3 and its tables by year) gives the shares of each verdict by kind, and their average over the
kinds. What a share of a sample means is in ``docs/numeric-window.md``.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, NamedTuple

from freshness.history.records import Trial
from freshness.history.tallies import judgement_of, outcomes, wilson
from freshness.questions import NumericKey, Question
from freshness.verdicts import CHOICES, CLAIMS, Verdict

MOST_YEARS: Final = 150
"""So many of the newest years are counted one by one."""
MOST_INDICATORS: Final = 200
"""So many indicators, those asked about most, are counted one by one."""

KnownStatus = Literal["estimated", "reaches_newest", "at_chance", "too_few"]
Counted = Mapping[str, int]
Cells = Mapping[str, Mapping[str, Counted]]


LEVEL: Final = 0.05
"""How often a table of mere guesses may say of any row that it is above or below chance."""
LEAST_ANSWERS: Final = 20
"""Fewer answers are not held against chance: the test is an approximation."""

Against = Literal["above", "below", ""]


class Share(NamedTuple):
    """A share between 0 and 1 with its 95 % interval, and what guessing would bring of ``correct``.

    ``answers``: how many answers of one kind would tell as much; of one kind, how many there are.
    """

    value: float
    low: float
    high: float
    chance: float
    answers: float = 0.0

    @property
    def p_value(self) -> float | None:
        """Two-sided score test against chance, whose interval is Wilson's; None where that tells nothing."""
        if self.answers < LEAST_ANSWERS or not 0 < self.chance < 1:
            return None
        spread = math.sqrt(self.chance * (1 - self.chance) / self.answers)
        return math.erfc(abs(self.value - self.chance) / spread / math.sqrt(2))


def against_chance(rows: Mapping[str, Share]) -> dict[str, Against]:
    """By name, whether the share that is right is above or below chance; empty: that can't be told.

    ``rows``: all of one table. The more rows, the likelier is one that luck alone moves away from chance:
    each is asked as much more of as there are rows (Holm 1979), so that of tables without any knowledge one
    in twenty has a row that is marked.
    """
    found = {name: share.p_value for name, share in rows.items()}
    tested = sorted((p, name) for name, p in found.items() if p is not None)
    marks: dict[str, Against] = dict.fromkeys(rows, "")
    for place, (p, name) in enumerate(tested):
        if p > LEVEL / (len(tested) - place):
            break
        marks[name] = "above" if rows[name].value > rows[name].chance else "below"
    return marks


@dataclass(frozen=True, slots=True)
class KnownYears:
    """The newest year that a model knows an indicator for; made by ``window.known_years``.

    ``estimate`` with its 90 % interval ``low`` to ``high``, which says "or later" where it is ``newest``, the
    newest year asked about. ``estimated``: knowledge ends among the years asked about; ``reaches_newest``: it
    doesn't end before ``newest``; ``at_chance``: no sign that it knows any; ``too_few``: the answers don't
    tell. The three years are None in the last two. ``questions``: how many answers tell of this.
    """

    status: KnownStatus
    newest: int
    questions: int
    estimate: int | None = None
    low: int | None = None
    high: int | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ChoiceFigures:
    """Counts of a run with numbers by verdict (``verdicts_of`` its suite), each by kind of question first.

    ``topics``: by category; ``cells``: by the newest year asked about; ``indicators``: by indicator. Failed
    prompts are in none. Left out one by one, though not of ``topics``: years older than the newest 150, and
    all but 200 indicators. ``chance``: how often a guess is right, by kind. ``known``: the newest year known
    by indicator. ``extra``: questions that were asked for ``known`` alone and count nowhere else, since they
    would shift every share towards the newest years.
    """

    topics: Cells
    cells: Cells
    indicators: Cells
    chance: Mapping[str, float]
    known: Mapping[str, KnownYears] = field(default_factory=dict)
    extra: int = 0

    @property
    def kinds(self) -> dict[str, dict[str, int]]:
        """Counts by kind, as in TempUN's table 3."""
        return {kind: _added(by_category.values()) for kind, by_category in self.topics.items()}

    @property
    def categories(self) -> dict[str, dict[str, int]]:
        """Counts by category, all kinds together."""
        return _across(self.topics)

    @property
    def years(self) -> dict[str, dict[str, int]]:
        """Counts by the newest year asked about, ascending, all kinds together."""
        found = _across(self.cells)
        return {year: found[year] for year in sorted(found, key=int)}

    @property
    def newest_years(self) -> dict[str, int]:
        """The newest year known, of each indicator where that can be said."""
        return {name: found.estimate for name, found in self.known.items() if found.estimate is not None}

    def share(self, kind: str, verdict: Verdict) -> Share | None:
        """Of one kind; None where nothing of it was judged."""
        return self._share({kind: _added(self.topics.get(kind, {}).values())}, verdict)

    def of_category(self, category: str, verdict: Verdict) -> Share | None:
        """Of one category: the mean over its kinds, each weighing the same."""
        return self._share(_slice(self.topics, category), verdict)

    def of_year(self, year: str, verdict: Verdict) -> Share | None:
        """Of one newest year asked about: the mean over its kinds, each weighing the same."""
        return self._share(_slice(self.cells, year), verdict)

    def of_indicator(self, indicator: str, verdict: Verdict) -> Share | None:
        """Of one indicator: the mean over its kinds, each weighing the same."""
        return self._share(_slice(self.indicators, indicator), verdict)

    def average(self, verdict: Verdict) -> Share | None:
        """The mean over all kinds, each weighing the same: the last column of TempUN's table 3."""
        return self._share(self.kinds, verdict)

    def _share(self, kinds: Mapping[str, Counted], verdict: Verdict) -> Share | None:
        """The mean over kinds. Its interval is Wilson's for as many answers as tell as much.

        That is exact where the kinds have one share, and too wide where they differ.
        """
        totals = {kind: sum(counts.values()) for kind, counts in kinds.items()}
        asked = [kind for kind, total in totals.items() if total]
        if not asked:
            return None
        value = sum(kinds[kind].get(verdict, 0) / totals[kind] for kind in asked) / len(asked)
        answers = len(asked) ** 2 / sum(1 / totals[kind] for kind in asked)
        low, high = wilson(value * answers, answers) or (0.0, 1.0)
        chance = sum(self.chance.get(kind, 0.0) for kind in asked) / len(asked)
        # The interval's end at 0 or 1 may miss it by a rounding.
        return Share(value, min(low, value), max(high, value), chance, answers)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, counts as lists in the order of ``verdicts``; ``from_json`` reads it."""
        verdicts = list(dict.fromkeys(v for counts in self.kinds.values() for v in counts))
        tables = {name: _packed(getattr(self, name), verdicts) for name in _TABLES}
        known = {name: found.to_json() for name, found in self.known.items()}
        return {
            "verdicts": verdicts,
            **tables,
            "chance": dict(self.chance),
            "known": known,
            "extra": self.extra,
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> ChoiceFigures:
        """What ``to_json`` wrote."""
        tables = {name: _unpacked(raw[name], raw["verdicts"]) for name in _TABLES}
        known = {name: KnownYears(**found) for name, found in raw["known"].items()}
        return cls(**tables, chance=raw["chance"], known=known, extra=raw["extra"])


_TABLES: Final = ("topics", "cells", "indicators")


def figures(
    questions: Iterable[Question], trials: Iterable[Trial], known: Mapping[str, KnownYears] | None = None
) -> ChoiceFigures:
    """Added up from a run's questions and trials; ``known``: by indicator, as ``window`` has it.

    Questions without a ``NumericKey`` count nowhere, and of a question its best trial does.
    """
    keys = {question.id: question.numeric for question in questions if question.numeric}
    best = {name: trial for name, trial in outcomes(trials).items() if name in keys}
    judged = [(keys[name], judgement_of(trial).verdict) for name, trial in best.items()]
    counted = [(key, verdict) for key, verdict in judged if not key.extra]
    dated = [(key, max(key.years), verdict) for key, verdict in counted if key.years]
    years = _most({year for _, year, _ in dated}, MOST_YEARS, lambda year: year)
    asked = Counter(key.indicator for key, _ in judged)
    indicators = _most(asked, MOST_INDICATORS, lambda name: (asked[name], name))
    return ChoiceFigures(
        topics=_cells((key.kind, key.category, verdict) for key, verdict in counted),
        cells=_cells((key.kind, str(year), verdict) for key, year, verdict in dated if year in years),
        indicators=_cells((k.kind, k.indicator, v) for k, v in counted if k.indicator in indicators),
        chance=_chances(key for key, _ in counted),
        known={name: found for name, found in (known or {}).items() if name in indicators},
        extra=len(judged) - len(counted),
    )


def _verdicts(kind: str) -> tuple[Verdict, ...]:
    return CLAIMS if kind == "next_word" else CHOICES


def _most(names: Iterable[Any], most: int, size: Callable[[Any], Any]) -> set[Any]:
    return set(sorted(names, key=size)[-most:])


def _cells(counted: Iterable[tuple[str, str, Verdict]]) -> dict[str, dict[str, dict[str, int]]]:
    """Counts by the first two, in order of first mention, with those verdicts that nothing got."""
    found: dict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
    for kind, name, verdict in counted:
        found[kind, name][verdict] += 1
    cells: dict[str, dict[str, dict[str, int]]] = {}
    for (kind, name), counts in found.items():
        cells.setdefault(kind, {})[name] = {str(verdict): counts[verdict] for verdict in _verdicts(kind)}
    return cells


def _chances(keys: Iterable[NumericKey]) -> dict[str, float]:
    """Mean over the questions of each kind."""
    chances: dict[str, list[float]] = defaultdict(list)
    for key in keys:
        chances[key.kind].append(key.chance)
    return {kind: sum(found) / len(found) for kind, found in chances.items()}


def _added(several: Iterable[Counted]) -> dict[str, int]:
    total: dict[str, int] = {}
    for counts in several:
        for verdict, number in counts.items():
            total[verdict] = total.get(verdict, 0) + number
    return total


def _across(cells: Cells) -> dict[str, dict[str, int]]:
    """Counts by the second name, all kinds together."""
    names = dict.fromkeys(name for by_name in cells.values() for name in by_name)
    return {name: _added(_slice(cells, name).values()) for name in names}


def _slice(cells: Cells, name: str) -> dict[str, Counted]:
    """Counts by kind of what has this second name."""
    return {kind: by_name[name] for kind, by_name in cells.items() if name in by_name}


def _packed(cells: Cells, verdicts: Sequence[str]) -> dict[str, dict[str, list[int]]]:
    return {
        kind: {name: [counts.get(verdict, 0) for verdict in verdicts] for name, counts in by_name.items()}
        for kind, by_name in cells.items()
    }


def _unpacked(raw: Mapping[str, Any], verdicts: Sequence[str]) -> dict[str, dict[str, dict[str, int]]]:
    return {
        kind: {name: dict(zip(verdicts, counts, strict=True)) for name, counts in by_name.items()}
        for kind, by_name in raw.items()
    }
