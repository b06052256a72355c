"""How trials add up: DyKnow's upper bound, average and prompt agreement, and the lag of what is outdated.

After "DyKnow: Dynamically Verifying Time-Sensitive Factual Knowledge in LLMs", RQ1, and its tables 1 (upper
bound), 4 (average) and 5 (agreement). ``docs/report.md`` gives the formulas.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist, median
from typing import Any

from freshness.history.records import Run, Trial
from freshness.verdicts import CHOICES, CLAIMS, Judgement, Verdict, verdicts_of

_BEST_FIRST = (*CLAIMS, *CHOICES[1:])

NO_ANSWER = (Verdict.IRRELEVANT, Verdict.REFUSED, Verdict.UNREADABLE)
"""What DyKnow publishes as one column, "irrelevant"."""

RULES = {
    "upper_bound": "best_of_prompts",
    "average": "mean_over_prompts",
    "agreement": "same_value_where_any_named",
}
"""Names of the rules that the ratios follow; a ratio is comparable only with one of the same rule."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many questions (or prompts) got each verdict. Errors are in none of them."""

    by_verdict: Mapping[Verdict, int]

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], among: Sequence[Verdict] = CLAIMS) -> Counts:
        """``among``: the verdicts there can be, those that nothing got among them (``verdicts_of``)."""
        found = Counter(verdicts)
        return cls({verdict: found[verdict] for verdict in among})

    @property
    def total(self) -> int:
        return sum(self.by_verdict.values())

    @property
    def irrelevant_as_published(self) -> int:
        return sum(self.by_verdict.get(verdict, 0) for verdict in NO_ANSWER)

    def ratio(self, verdict: Verdict) -> float | None:
        """Between 0 and 1; None when nothing was judged: no data is not zero."""
        return share(self.by_verdict[verdict], self.total)

    def ratios(self) -> dict[str, float | None]:
        """By verdict name; of claims, with ``irrelevant_as_published`` for comparison with the paper."""
        ratios = {str(verdict): self.ratio(verdict) for verdict in self.by_verdict}
        if Verdict.IRRELEVANT not in self.by_verdict:
            return ratios
        return ratios | {"irrelevant_as_published": share(self.irrelevant_as_published, self.total)}

    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """95 % Wilson interval of each ratio."""
        return {str(v): wilson(count, self.total) for v, count in self.by_verdict.items()}

    def to_json(self) -> dict[str, int]:
        return {str(verdict): count for verdict, count in self.by_verdict.items()}


def share(part: int, whole: int) -> float | None:
    """``part / whole``, None when there is no whole."""
    return part / whole if whole else None


def wilson(successes: float, n: float, confidence: float = 0.95) -> tuple[float, float] | None:
    """Score interval of a proportion (Wilson 1927); None for ``n`` 0.

    Fit for small ``n`` and for ratios near 0 or 1, where the normal interval leaves [0, 1].
    """
    if not n:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many questions got one and the same value from all their prompts (DyKnow, table 5).

    ``named``: questions with at least two prompts, none failed, where at least one prompt named a value;
    ``same``: those of them where all prompts named that one; ``silent``: no prompt named any value, so
    there is nothing to agree about; ``incomplete``: a prompt failed.
    """

    same: int
    named: int
    silent: int
    incomplete: int

    @property
    def ratio(self) -> float | None:
        return share(self.same, self.named)

    def to_json(self) -> dict[str, int]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Lag:
    """How far behind the outdated facts are: one entry a fact, that of its least outdated answer.

    ``days`` and ``values`` in ascending order; shorter than ``facts`` where an end's date is unknown.
    """

    facts: int
    days: tuple[int, ...] = ()
    values: tuple[int, ...] = ()

    def to_json(self) -> dict[str, float | int | None]:
        return {
            "facts": self.facts,
            "median_days": median(self.days) if self.days else None,
            "max_days": self.days[-1] if self.days else None,
            "median_values": median(self.values) if self.values else None,
            "max_values": self.values[-1] if self.values else None,
        }


@dataclass(frozen=True, slots=True)
class Tally:
    """Trials added up. ``upper_bound`` counts questions, ``average`` prompts.

    ``failed_prompts`` by kind of error and ``failed_questions`` (no prompt of theirs brought an answer)
    stand apart, are in no denominator, and are of all that was asked, beside the sample too.
    """

    upper_bound: Counts
    average: Counts
    agreement: Agreement
    lag: Lag
    failed_prompts: Mapping[str, int]
    failed_questions: int

    def to_json(self) -> dict[str, Any]:
        """The entry of one model (or group) in ``grade --format json``; ratios between 0 and 1, or null."""
        return {
            "questions": self.upper_bound.total,
            "prompts": self.average.total,
            "upper_bound": self.upper_bound.ratios(),
            "upper_bound_interval_95": self.upper_bound.intervals(),
            "average": self.average.ratios(),
            "agreement": self.agreement.ratio,
            "lag": self.lag.to_json(),
            "counts": {
                "upper_bound": self.upper_bound.to_json(),
                "average": self.average.to_json(),
                "agreement": self.agreement.to_json(),
            },
            "errors": {
                "prompts": sum(self.failed_prompts.values()),
                "questions": self.failed_questions,
                "kinds": dict(self.failed_prompts),
            },
            "rules": dict(RULES),
        }


def tally(trials: Iterable[Trial], among: Sequence[Verdict] = CLAIMS, beside: Container[str] = ()) -> Tally:
    """Upper bound, average, agreement and lag of one model's trials (DyKnow, section 3, tables 1, 4, 5).

    ``among``: the verdicts that the suite gives, see ``verdicts_of``. ``beside``: ids of questions that were
    asked beside the sample (``Run.beside``); nothing but failures of theirs is counted.
    """
    trials = list(trials)
    sample = [trial for trial in trials if trial.question not in beside]
    best = outcomes(sample)
    return Tally(
        Counts.of((judgement_of(trial).verdict for trial in best.values()), among),
        Counts.of((trial.judgement.verdict for trial in sample if trial.judgement), among),
        _agreement(by_question(sample).values()),
        _lag(best.values()),
        Counter(trial.answer.error_kind or "error" for trial in trials if not trial.judgement),
        len(by_question(trials)) - len(outcomes(trials)),
    )


def tally_groups(
    trials: Iterable[Trial], among: Sequence[Verdict] = CLAIMS, beside: Container[str] = ()
) -> dict[str, Tally]:
    """One tally a group, in order of first mention; ``among`` and ``beside`` as in ``tally``."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.group].append(trial)
    return {name: tally(members, among, beside) for name, members in groups.items()}


def tally_run(run: Run) -> Tally:
    """Of a run with its questions and trials, by the verdicts of its suite: its sample alone."""
    return tally(run.trials, verdicts_of(run.suite), run.beside)


def by_question(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """Trials joined by their question's id, never by position."""
    questions: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        questions[trial.question].append(trial)
    return dict(questions)


def outcomes(trials: Iterable[Trial]) -> dict[str, Trial]:
    """Each question's best trial: what stands for it in the upper bound.

    Best by the order of ``CLAIMS`` or ``CHOICES``, of several outdated ones the one that fell behind last.
    A question whose prompts all failed has none.
    """
    best = {}
    for question, members in by_question(trials).items():
        judged = [trial for trial in members if trial.judgement]
        if judged:
            best[question] = min(judged, key=_badness)
    return best


def judgement_of(trial: Trial) -> Judgement:
    """The judgement of a trial that has one; raises ``ValueError`` for a failed one."""
    if trial.judgement is None:
        raise ValueError(f"prompt {trial.prompt} of {trial.question} failed and has no judgement")
    return trial.judgement


def _badness(trial: Trial) -> tuple[int, float]:
    judgement = judgement_of(trial)
    lag = math.inf if judgement.lag_days is None else judgement.lag_days
    return _BEST_FIRST.index(judgement.verdict), lag


def _agreement(questions: Iterable[Sequence[Trial]]) -> Agreement:
    found = Counter(_accord(members) for members in questions if len(members) > 1)
    named = found["same"] + found["differ"]
    return Agreement(found["same"], named, found["silent"], found["incomplete"])


def _accord(members: Sequence[Trial]) -> str:
    named = {trial.judgement.matched for trial in members if trial.judgement}
    if any(trial.judgement is None for trial in members):
        return "incomplete"
    if named == {None}:
        return "silent"
    return "same" if len(named) == 1 else "differ"


def _lag(best: Iterable[Trial]) -> Lag:
    behind = [judgement_of(t) for t in best if judgement_of(t).verdict is Verdict.OUTDATED]
    days = sorted(j.lag_days for j in behind if j.lag_days is not None)
    values = sorted(j.lag_values for j in behind if j.lag_values is not None)
    return Lag(len(behind), tuple(days), tuple(values))
