"""What was measured before: a model's history, two models side by side, answers judged again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from freshness.app.setup import judging_suite, open_history
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.grading import JUDGE_VERSION
from freshness.history import Comparison, Run, Step, Trial, compare, steps
from freshness.report.data import run_json
from freshness.store import NOT_KEPT, Store
from freshness.verdicts import Judgement


def history(settings: Settings, model: str, suite: str, limit: int) -> list[Step]:
    """The last runs of a model, oldest first, each with what changed since the one before.

    Raises ``UsageError`` for a model that was never asked.
    """
    with open_history(settings) as store:
        found = _runs(store, model, suite, limit)
        return steps(store.run(run.id) for run in found)


def side_by_side(settings: Settings, a: str, b: str, suite: str) -> tuple[Run, Run, Comparison]:
    """The latest runs of two models (or two runs by id), paired by question; raises ``UsageError``."""
    with open_history(settings) as store:
        first, second = _one(store, a, suite), _one(store, b, suite)
    return first, second, compare(first.trials, second.trials)


def comparison_json(first: Run, second: Run, compared: Comparison) -> dict[str, Any]:
    """``compare --format json``: the two runs, and how they differ."""
    return {"a": run_json(first), "b": run_json(second), **compared.to_json()}


def _one(store: Store, name: str, suite: str) -> Run:
    by_id = next((run for run in store.runs() if run.id == name), None)
    return store.run((by_id or _runs(store, name, suite, 1)[0]).id)


def _runs(store: Store, model: str, suite: str, limit: int) -> list[Run]:
    """The newest runs with that many finished ones at most; unfinished ones only where no other is."""
    found = store.runs(model, suite)
    found = [run for run in found if run.status == "finished"] or found
    if not found:
        known = ", ".join(store.models()) or "none yet"
        raise UsageError(f"no runs of {model!r} with suite {suite} in the history; asked so far: {known}")
    return found[:limit]


@dataclass(frozen=True, slots=True)
class Regraded:
    """A run that was judged again; ``changed``: how many verdicts differ from those before."""

    run: Run
    as_of: date
    changed: int
    skipped: str = ""

    def to_json(self) -> dict[str, Any]:
        """One entry of ``regrade --format json``."""
        return {
            "run": self.run.id,
            "model": self.run.model,
            "as_of": self.as_of.isoformat(),
            "answers": len(self.run.trials),
            "changed": self.changed,
            "skipped": self.skipped or None,
        }


def regrade(settings: Settings, model: str | None, as_of: date | None) -> list[Regraded]:
    """Judge all stored answers (or one model's) again, by their own keys and the present judge.

    ``as_of`` None: each run as of the day it was last judged by. Nothing is asked.
    """
    with open_history(settings) as store:
        return [_regrade(store, run.id, as_of) for run in reversed(store.runs(model))]


def _regrade(store: Store, run_id: str, as_of: date | None) -> Regraded:
    run = store.run(run_id)
    day = as_of or run.as_of
    if run.status == "running":
        return Regraded(run, day, 0, "it is still being asked")
    judged = _judge(run, day)
    if not judged:
        return Regraded(run, day, 0, "it has no answers that were kept")
    return Regraded(run, day, store.add_judgements(run.id, JUDGE_VERSION, day, judged))


def _judge(run: Run, day: date) -> Mapping[tuple[str, str], Judgement]:
    suite = judging_suite(run.suite)
    questions = {question.id: replace(question, as_of=day) for question in run.questions}
    judged = {}
    for trial in run.trials:
        if _can_be_judged(trial):
            question = questions[trial.question]
            prompt = next(p for p in question.prompts if p.name == trial.prompt)
            judged[trial.question, trial.prompt] = suite.judge(question, prompt, trial.answer)
    return judged


def _can_be_judged(trial: Trial) -> bool:
    return trial.answer.error is None and NOT_KEPT not in trial.answer.flags
