"""Runs and trials: what was asked of whom, and what came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal

from freshness.questions import Answer, Question
from freshness.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class Trial:
    """One prompt put to one model: the answer with its judgement, or the answer's error.

    ``asked`` is the text that the model got; ``prompt`` the prompt's name in its question.
    ``judgement`` is None exactly when ``answer.error`` is set.
    """

    question: str
    group: str
    fact: str
    prompt: str
    asked: str
    answer: Answer
    judgement: Judgement | None


@dataclass(frozen=True, slots=True)
class Run:
    """One suite put to one model once. ``details``: dtype, batch, versions ... as the model told.

    ``judged_at``: when the history judged it as it counts now; None for a run that is in no history.
    ``trials`` are all that was asked; every share is one of ``sample``.
    """

    id: str
    model: str
    suite: str
    as_of: date
    started_at: datetime
    snapshot_source: str
    snapshot_taken_at: datetime
    snapshot_digest: str
    judge: str
    served_model: str = ""
    finished_at: datetime | None = None
    status: Literal["running", "finished", "interrupted", "failed"] = "running"
    seconds: float | None = None
    details: dict[str, Any] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    trials: tuple[Trial, ...] = ()
    judged_at: datetime | None = field(default=None, compare=False)

    @property
    def beside(self) -> frozenset[str]:
        """Ids of the questions that were asked beside the sample, to date the newest year known alone."""
        keys = ((question.id, question.numeric) for question in self.questions)
        return frozenset(name for name, key in keys if key and key.extra)

    @property
    def sample(self) -> tuple[Trial, ...]:
        """The trials that every share is made of; of a run without numbers all of them."""
        beside = self.beside
        return tuple(trial for trial in self.trials if trial.question not in beside)
