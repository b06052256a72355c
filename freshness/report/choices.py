"""Figures of runs with numbers as every format shows them: a line a kind, category or span of years.

After TempUN's table 3 and its figures by year: shares of each verdict, here with their intervals and what
guessing would bring.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from freshness.history import NO_ANSWER, Counts, Trial
from freshness.history.choices import Against, ChoiceFigures, Share, against_chance
from freshness.report.text import DASH
from freshness.series import CATEGORIES
from freshness.verdicts import CHOICES, Verdict

PAPER_KINDS: Final = {
    "date": "DB",
    "comparative": "CP",
    "window": "WB",
    "minmax": "MM",
    "range": "RB",
    "trend": "TB",
}
"""The kinds in the order of the paper's tables, with its letters."""

_DRAWN: Final = (Verdict.CORRECT, Verdict.OUTDATED, Verdict.NOT_AVAILABLE, Verdict.REFUSED)
"""The verdicts in the pictures; the rest is what remains."""

SPAN: Final = 5
"""Years that are shown as one: a sample has few questions about each."""


@dataclass(frozen=True, slots=True)
class Line:
    """``n`` answers (questions) under one name, with the share of each verdict that the suite gives.

    ``against``: whether more or less is right than by chance, all lines of its table considered.
    """

    name: str
    n: int
    shares: Mapping[Verdict, Share]
    against: Against = ""

    @property
    def correct(self) -> Share:
        """The share that is right, with its chance."""
        return self.shares[Verdict.CORRECT]

    def to_json(self) -> dict[str, Any]:
        """Shares by verdict, their 95 % intervals, and chance of correct (None without options); 0 to 1."""
        return {
            "questions": self.n,
            **{str(verdict): share.value for verdict, share in self.shares.items()},
            "interval_95": {str(verdict): [share.low, share.high] for verdict, share in self.shares.items()},
            "chance": self.correct.chance or None,
            "against_chance": self.against or None,
        }


def verdicts(figures: ChoiceFigures) -> tuple[Verdict, ...]:
    """Those that the figures count, best first."""
    return tuple(dict.fromkeys(Verdict(v) for counts in figures.kinds.values() for v in counts))


def drawn(figures: ChoiceFigures) -> list[Verdict]:
    """Those that a picture shows: all of a choice but incorrect, which remains; of others what was given."""
    got = {verdict for counts in figures.kinds.values() for verdict, number in counts.items() if number}
    return [v for v in verdicts(figures) if v in _DRAWN and (v in got or v in CHOICES)]


def kinds(figures: ChoiceFigures) -> list[Line]:
    """One line a kind, in the paper's order."""
    totals = {kind: sum(counts.values()) for kind, counts in figures.kinds.items()}
    order = [*PAPER_KINDS, *(kind for kind in totals if kind not in PAPER_KINDS)]
    return _lines(figures, {kind: totals[kind] for kind in order if kind in totals}, figures.share)


def average(figures: ChoiceFigures) -> Line | None:
    """All kinds, each weighing the same; None where nothing was judged."""
    n = sum(sum(counts.values()) for counts in figures.kinds.values())
    found = _lines(figures, {"average": n}, lambda _, verdict: figures.average(verdict))
    return found[0] if found else None


def categories(figures: ChoiceFigures) -> list[Line]:
    """One line a category, in the paper's order."""
    totals = _totals(figures.categories)
    ordered = {name: totals[name] for name in (*CATEGORIES, *totals) if name in totals}
    return _lines(figures, ordered, figures.of_category)


def spans(figures: ChoiceFigures, years: int = SPAN) -> dict[tuple[int, int], Line]:
    """One line for so many years, by the first and the last of them, as far as any were asked about."""
    cells = {kind: _merged(by_year, years) for kind, by_year in figures.cells.items()}
    merged = replace(figures, cells=cells)
    lines = _lines(merged, _totals(merged.years), merged.of_year)
    newest = max((int(year) for year in figures.years), default=0)
    ends = [(int(line.name), min(int(line.name) + years - 1, newest)) for line in lines]
    return {
        end: replace(line, name=f"{end[0]}{DASH}{end[1]}" if end[0] < end[1] else line.name)
        for end, line in zip(ends, lines, strict=True)
    }


def indicators(figures: ChoiceFigures) -> list[Line]:
    """One line an indicator, by name."""
    totals: Counter[str] = Counter()
    for by_indicator in figures.indicators.values():
        totals.update(_totals(by_indicator))
    return _lines(figures, dict(sorted(totals.items())), figures.of_indicator)


def to_json(figures: ChoiceFigures) -> dict[str, Any]:
    """What an entry of ``models`` has beside the tallies, for runs with numbers."""
    mean = average(figures)
    return {
        "kinds": {line.name: line.to_json() for line in kinds(figures)},
        "average_over_kinds": mean.to_json() if mean else None,
        "categories": {line.name: line.to_json() for line in categories(figures)},
        "years": {line.name: line.to_json() for line in spans(figures, 1).values()},
        "indicators": {line.name: line.to_json() for line in indicators(figures)},
        "chance": {kind: chance or None for kind, chance in figures.chance.items()},
        "newest_years_known": {name: known.to_json() for name, known in figures.known.items()},
    }


def in_thousandths(line: Line) -> Counts:
    """The line's shares as counts, for a bar."""
    return Counts({verdict: round(1000 * share.value) for verdict, share in line.shares.items()})


def as_published(line: Line) -> float:
    """The share that is irrelevant as DyKnow publishes it: whatever names no value counts."""
    return sum(share.value for verdict, share in line.shares.items() if verdict in NO_ANSWER)


def rules(trials: Iterable[Trial]) -> list[tuple[Verdict, str, int, float]]:
    """Verdict, rule, how many answers it decided and their share; the best verdict and most answers first."""
    judged = [trial.judgement for trial in trials if trial.judgement]
    decided = Counter((judgement.verdict, judgement.rule) for judgement in judged)
    order = list(Verdict)
    ranked = sorted(decided.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1]))
    return [(verdict, rule, n, n / len(judged)) for (verdict, rule), n in ranked]


def _lines(
    figures: ChoiceFigures, totals: Mapping[str, int], of: Callable[[str, Verdict], Share | None]
) -> list[Line]:
    found = verdicts(figures)
    shares = {name: {verdict: of(name, verdict) for verdict in found} for name in totals}
    told = {
        name: {verdict: share for verdict, share in by_verdict.items() if share}
        for name, by_verdict in shares.items()
    }
    told = {name: by_verdict for name, by_verdict in told.items() if by_verdict}
    marks = against_chance({name: by_verdict[Verdict.CORRECT] for name, by_verdict in told.items()})
    return [Line(name, totals[name], by_verdict, marks[name]) for name, by_verdict in told.items()]


def _totals(counted: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {name: sum(counts.values()) for name, counts in counted.items()}


def _merged(by_year: Mapping[str, Mapping[str, int]], years: int) -> dict[str, dict[str, int]]:
    merged: dict[str, Counter[str]] = defaultdict(Counter)
    for year, counts in by_year.items():
        merged[str(int(year) // years * years)].update(counts)
    return {first: dict(counts) for first, counts in merged.items()}
