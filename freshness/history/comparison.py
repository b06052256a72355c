"""Two sets of trials side by side: a paired test between models, and what changed from run to run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from freshness.changes.revisions import is_same
from freshness.history.choices import ChoiceFigures, figures
from freshness.history.records import Run, Trial
from freshness.history.tallies import Tally, judgement_of, outcomes, tally_run
from freshness.questions import Question
from freshness.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Pair:
    """One question that both sides answered, each side by its best trial."""

    a: Trial
    b: Trial

    @property
    def verdicts(self) -> tuple[Verdict, Verdict]:
        return judgement_of(self.a).verdict, judgement_of(self.b).verdict

    def to_json(self) -> dict[str, Any]:
        return {
            "fact": self.b.fact,
            "group": self.b.group,
            "question": self.b.question,
            "a": _side(self.a),
            "b": _side(self.b),
        }


def _side(trial: Trial) -> dict[str, Any]:
    judgement = judgement_of(trial)
    return {"verdict": str(judgement.verdict), "matched": judgement.matched}


def pairs(a: Iterable[Trial], b: Iterable[Trial]) -> list[Pair]:
    """The questions that both sides answered, joined by id, in the order of ``a``."""
    left, right = outcomes(a), outcomes(b)
    return [Pair(trial, right[question]) for question, trial in left.items() if question in right]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Correct or not, question by question, of two sides.

    ``only_a`` and ``only_b``: the pairs where just that side is correct. ``unpaired``: questions that only
    one side was asked or could answer; they don't count.
    """

    both: int
    neither: int
    only_a: tuple[Pair, ...]
    only_b: tuple[Pair, ...]
    unpaired: int

    @property
    def questions(self) -> int:
        return self.both + self.neither + len(self.only_a) + len(self.only_b)

    @property
    def p_value(self) -> float:
        return mcnemar(len(self.only_a), len(self.only_b))

    def to_json(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "unpaired": self.unpaired,
            "both_correct": self.both,
            "only_a_correct": len(self.only_a),
            "only_b_correct": len(self.only_b),
            "neither_correct": self.neither,
            "test": "mcnemar_exact",
            "p_value": self.p_value,
            "differing": [pair.to_json() for pair in (*self.only_a, *self.only_b)],
        }


def compare(a: Iterable[Trial], b: Iterable[Trial]) -> Comparison:
    """Upper bound of two sides on the questions that both answered."""
    left, right = list(a), list(b)
    paired = pairs(left, right)
    split: dict[tuple[bool, bool], list[Pair]] = {}
    for pair in paired:
        first, second = pair.verdicts
        split.setdefault((first is Verdict.CORRECT, second is Verdict.CORRECT), []).append(pair)
    asked = {trial.question for trial in left} | {trial.question for trial in right}
    return Comparison(
        both=len(split.get((True, True), [])),
        neither=len(split.get((False, False), [])),
        only_a=tuple(split.get((True, False), [])),
        only_b=tuple(split.get((False, True), [])),
        unpaired=len(asked) - len(paired),
    )


def judged_alike(a: Run, b: Run) -> bool:
    """Whether the questions that both asked were judged by the same facts or numbers.

    Of whatever else their snapshots held, and of when these were last seen, no verdict tells.
    """
    theirs = {question.id: question for question in b.questions}
    return a.snapshot_digest == b.snapshot_digest or all(
        _same_key(question, theirs[question.id]) for question in a.questions if question.id in theirs
    )


def _same_key(a: Question, b: Question) -> bool:
    one, other = a.numeric, b.numeric
    if one is None or other is None:
        return (a.values, a.holders, one) == (b.values, b.holders, other)
    # Options, and which of them is right, are the sample's matter.
    values, others = dict(one.values), dict(other.values)
    return (
        (one.unit, one.older) == (other.unit, other.older)
        and values.keys() == others.keys()
        and all(is_same(value, others[year]) for year, value in values.items())
    )


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided p-value of McNemar's test: could the differing pairs fall so by a fair coin?

    Twice the binomial tail of the smaller count out of ``only_a + only_b`` with 1/2, at most 1.
    """
    n = only_a + only_b
    tail = sum(math.comb(n, k) for k in range(min(only_a, only_b) + 1))
    # Integers never underflow, however many pairs; the quotient is rounded once.
    return min(1.0, 2 * tail / (1 << n))


@dataclass(frozen=True, slots=True)
class Step:
    """One run of a model's history with what changed since the run before it.

    ``newly_correct``: correct now, not before. ``newly_outdated``: outdated now, not before (the world
    moved on, or the model lost it). ``lost``: named a value before, none now. ``paired``: how many questions
    both runs answered: of these alone it can be told. ``choices``: the figures of a run with numbers.
    """

    run: Run
    tally: Tally
    newly_correct: tuple[Pair, ...] = ()
    newly_outdated: tuple[Pair, ...] = ()
    lost: tuple[Pair, ...] = ()
    paired: int = 0
    choices: ChoiceFigures | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "run": self.run.id,
            "model": self.run.model,
            "served_model": self.run.served_model,
            "suite": self.run.suite,
            "as_of": self.run.as_of.isoformat(),
            "started_at": self.run.started_at.isoformat(),
            "status": self.run.status,
            "snapshot_source": self.run.snapshot_source,
            "snapshot_taken_at": self.run.snapshot_taken_at.isoformat(),
            "snapshot_digest": self.run.snapshot_digest,
            "judge": self.run.judge,
            **self.tally.to_json(),
            "paired": self.paired,
            "newly_correct": [pair.to_json() for pair in self.newly_correct],
            "newly_outdated": [pair.to_json() for pair in self.newly_outdated],
            "lost": [pair.to_json() for pair in self.lost],
        }


def steps(runs: Iterable[Run]) -> list[Step]:
    """A model's runs in order of time, each with its tally and what changed since the one before.

    Of both what their samples asked is held against each other. Runs of different suites ask different
    questions: pass those of one suite.
    """
    ordered = sorted(runs, key=lambda run: run.started_at)
    before: list[Run | None] = [None, *ordered]
    return [_step(previous, run) for previous, run in zip(before, ordered, strict=False)]


def _step(previous: Run | None, run: Run) -> Step:
    paired = pairs(previous.sample, run.sample) if previous else []
    has_numbers = any(question.numeric for question in run.questions)
    return Step(
        run,
        tally_run(run),
        _became(paired, Verdict.CORRECT),
        _became(paired, Verdict.OUTDATED),
        tuple(pair for pair in paired if _names(pair.verdicts[0]) and not _names(pair.verdicts[1])),
        len(paired),
        figures(run.questions, run.trials) if has_numbers else None,
    )


def _became(paired: Sequence[Pair], verdict: Verdict) -> tuple[Pair, ...]:
    return tuple(pair for pair in paired if pair.verdicts[1] is verdict and pair.verdicts[0] is not verdict)


def _names(verdict: Verdict) -> bool:
    return verdict in (Verdict.CORRECT, Verdict.OUTDATED)
