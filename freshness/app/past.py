"""What was measured before: a model's history, two models side by side, answers judged again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from freshness.app.judging import judge_again
from freshness.app.keys import Keys
from freshness.app.series_refreshing import ASKING
from freshness.app.setup import open_history
from freshness.app.snapshots import Talk
from freshness.app.summaries import ensure_summaries
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.grading import JUDGE_VERSION
from freshness.history import Comparison, Counts, Run, Step, compare, steps
from freshness.report.data import run_json
from freshness.store import Store
from freshness.store.scrub import scrub
from freshness.verdicts import verdicts_of


def history(settings: Settings, model: str, suite: str, limit: int) -> list[Step]:
    """The last runs of a model, oldest first, each with what changed since the one before.

    Raises ``UsageError`` for a model that was never asked.
    """
    with open_history(settings) as store:
        found = _runs(store, model, suite, limit)
        return steps(store.run(run.id) for run in found)


def side_by_side(settings: Settings, a: str, b: str, suite: str) -> tuple[Run, Run, Comparison]:
    """The latest runs of two models (or two runs by id), paired by question.

    Raises ``UsageError`` for a name that was never asked, and when both name the same run.
    """
    with open_history(settings) as store:
        first, second = _one(store, a, suite), _one(store, b, suite)
    if first.id == second.id:
        raise UsageError(
            f"both are run {first.id} of {first.model}; name another by its id (see `freshness history`)"
        )
    return first, second, compare(first.sample, second.sample)


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
        raise UsageError(
            f"no runs of {scrub(model)!r} with suite {suite} in the history; asked so far: {_known(store)}"
        )
    return found[:limit]


@dataclass(frozen=True, slots=True)
class Regraded:
    """A run that was judged again.

    ``before`` and ``after``: its answers by the judgements that counted, and by the new ones; ``changed``:
    how many judgements differ; ``stored``: whether the new ones count from now on; ``skipped``: why nothing
    was judged.
    """

    run: Run
    as_of: date
    before: Counts
    after: Counts
    changed: int = 0
    stored: bool = False
    skipped: str = ""

    def to_json(self) -> dict[str, Any]:
        """One entry of ``regrade --format json``."""
        return {
            "run": self.run.id,
            "model": self.run.model,
            "as_of": self.as_of.isoformat(),
            "answers": len(self.run.trials),
            "changed": self.changed,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "stored": self.stored,
            "skipped": self.skipped or None,
        }


def regrade(
    settings: Settings,
    model: str | None,
    as_of: date | None,
    *,
    keep: bool,
    snapshot: str = "latest",
    talk: Talk | None = None,
) -> list[Regraded]:
    """Judge all stored answers (or one model's) again, by what is known now and the present judge.

    ``as_of`` None: each run as of the day that it was asked about. ``keep``: the new judgements count from
    now on; else this is but a look at what they would be. ``snapshot``: the facts to judge by: ``own``, as
    each run was asked; ``latest``, what is known now of the facts it was asked about; or as in ``probe``.
    Nothing is asked.

    Raises ``UsageError`` for a model that was never asked.
    """
    with open_history(settings) as store:
        found = store.runs(model)
        if model is not None and not found:
            raise UsageError(f"no runs of {scrub(model)!r} in the history; asked so far: {_known(store)}")
        keys = Keys(settings, store, snapshot, talk)
        done = [_regrade(store, run.id, as_of, keep, keys) for run in reversed(found)]
        if keep:
            ensure_summaries(store)
        return done


def rejudge_latest(settings: Settings, *, numbers: bool = False) -> list[Regraded]:
    """Judge the newest finished run of each model and suite by what is known now, as of today, and keep it.

    For after a refresh: what the models said is held against the world as it is, without asking them.
    ``numbers``: of the suites that series judge; else of all others. A run whose answers were not kept is
    skipped. Raises ``StoreError``.
    """
    today = datetime.now(UTC).date()
    with open_history(settings) as store:
        ensure_summaries(store)
        keys = Keys(settings, store, "latest")
        newest = [one.run for one in store.latest_summaries() if (one.suite in ASKING) is numbers]
        done = [_regrade(store, run_id, today, True, keys) for run_id in newest]
        ensure_summaries(store)
        return done


def _known(store: Store) -> str:
    return ", ".join(store.models()) or "none yet"


def _regrade(store: Store, run_id: str, as_of: date | None, keep: bool, keys: Keys) -> Regraded:
    # By its own keys and its own day; the judgements in it are those that count.
    run = store.run(run_id, as_asked=True)
    day = as_of or run.as_of
    among = verdicts_of(run.suite)
    before = Counts.of((trial.judgement.verdict for trial in run.trials if trial.judgement), among)
    if run.status == "running":
        return Regraded(run, day, before, before, skipped="it is still being asked")
    if unfit := keys.unfit(run):
        return Regraded(run, day, before, before, skipped=unfit)
    basis = keys.of(run, day)
    judged = judge_again(run, basis.questions)
    if not judged:
        return Regraded(run, day, before, before, skipped="it has no answers that were kept")
    if keep:
        store.add_judgements(run.id, JUDGE_VERSION, day, judged, key=basis.key, renewed=basis.renewed)
    now = {(trial.question, trial.prompt): trial.judgement for trial in run.trials if trial.judgement}
    changed = sum(now.get(asked) != judgement for asked, judgement in judged.items())
    after = Counts.of((judgement.verdict for judgement in (now | judged).values()), among)
    return Regraded(run, day, before, after, changed, keep)
