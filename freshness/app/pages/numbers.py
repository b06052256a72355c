"""What a model knows of numbers: right choices by kind, category and year beside chance, and until when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from freshness.history import Summary
from freshness.history.choices import ChoiceFigures, KnownStatus, Share
from freshness.report import choices
from freshness.report.text import clean
from freshness.verdicts import CHOICES, Verdict, verdicts_of


@dataclass(frozen=True, slots=True)
class Interval:
    """A share between 0 and 1 with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Shares:
    """``questions`` of one kind, category, indicator or span of years, with each verdict's share.

    ``chance``: the share that guessing gets right, None of open answers; ``against``: ``above`` or ``below``
    it, all rows of its table considered; empty where that can't be told.
    """

    name: str
    questions: int
    shares: Mapping[str, Interval]
    chance: float | None
    against: str

    @property
    def correct(self) -> Interval:
        """The share that is right."""
        return self.shares[Verdict.CORRECT]

    def of(self, verdict: str) -> float:
        """The share with that verdict."""
        return self.shares[verdict].value if verdict in self.shares else 0.0

    @property
    def parts(self) -> dict[str, float]:
        """The share of each verdict, which add up to 1."""
        return {verdict: share.value for verdict, share in self.shares.items()}


@dataclass(frozen=True, slots=True)
class Span:
    """The questions about these years, each by the newest that it asks about."""

    first: int
    last: int
    told: Shares


@dataclass(frozen=True, slots=True)
class Until:
    """The newest year that it knows an indicator for, with its 90 % interval; see ``history.KnownYears``."""

    indicator: str
    status: KnownStatus
    newest: int
    questions: int
    estimate: int | None
    low: int | None
    high: int | None
    told: Shares | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """``choosing``: its questions have options, answered or not.

    ``average`` None: nothing was answered. ``extra``: questions asked for ``until`` alone.
    """

    choosing: bool
    average: Shares | None
    kinds: tuple[Shares, ...]
    categories: tuple[Shares, ...]
    spans: tuple[Span, ...]
    until: tuple[Until, ...]
    extra: int


def numbers(run: Summary | None) -> Numbers | None:
    """The figures of a run with numbers; None for others."""
    if run is None or run.choices is None:
        return None
    figures = run.choices
    return Numbers(
        verdicts_of(run.suite) == CHOICES,
        average(figures),
        tuple(_shares(line) for line in choices.kinds(figures)),
        tuple(_shares(line) for line in choices.categories(figures)),
        tuple(Span(*years, _shares(line)) for years, line in choices.spans(figures).items()),
        untils(figures),
        figures.extra,
    )


def average(figures: ChoiceFigures) -> Shares | None:
    """All kinds, each weighing the same."""
    line = choices.average(figures)
    return _shares(line) if line else None


def untils(figures: ChoiceFigures) -> tuple[Until, ...]:
    """One for each indicator, by name."""
    told = {line.name: _shares(line) for line in choices.indicators(figures)}
    return tuple(
        Until(
            clean(name), known.status, known.newest, known.questions,
            known.estimate, known.low, known.high, told.get(name),
        )
        for name, known in sorted(figures.known.items())
    )  # fmt: skip


def _shares(line: choices.Line) -> Shares:
    return Shares(
        clean(line.name),
        line.n,
        {str(verdict): _interval(share) for verdict, share in line.shares.items()},
        line.correct.chance or None,
        line.against,
    )


def _interval(share: Share) -> Interval:
    return Interval(share.value, share.low, share.high)
