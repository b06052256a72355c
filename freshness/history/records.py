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
