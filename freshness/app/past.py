"""What was measured before: a model's history, two models side by side, answers judged again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Final

from freshness.app import setup
from freshness.app.judging import judge_again
from freshness.app.keys import Basis, Keys
from freshness.app.series_refreshing import ASKING
from freshness.app.setup import Say, open_history
from freshness.app.snapshots import Talk
from freshness.app.summaries import ensure_summaries
from freshness.changes.renewing import OwnKey
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.grading import JUDGE_VERSION
from freshness.history import Comparison, Counts, Run, Step, compare, steps
from freshness.report import choices as choosing
from freshness.report.data import run_json
from freshness.store import Store
from freshness.store.scrub import scrub
from freshness.verdicts import Judgement, verdicts_of

DEFAULT: Final = "current"
"""The suite that is meant where none is named and there are runs of it."""

BY_KIND: Final = ("kinds", "average_over_kinds", "categories", "chance")
"""What a run with numbers has in the history beside the tallies."""


def history(
    settings: Settings, model: str, suite: str | None, limit: int, note: Say = setup.silent
) -> list[Step]:
    """The last runs of a model, oldest first, each with what changed since the one before.

    ``suite`` None: ``current`` where it was asked that, else the only one that it was asked, as a note
    tells. Raises ``UsageError`` for a model that was never asked, or not by this suite.
    """
    with open_history(settings) as store:
        found = _runs(store, model, _suite(store, (model,), suite, note), limit)
        return steps(store.run(run.id) for run in found)


def history_json(step: Step) -> dict[str, Any]:
    """One run of ``history --format json``; of a run with numbers also by kind and category."""
    told = choosing.to_json(step.choices) if step.choices else {}
    return step.to_json() | {name: told[name] for name in BY_KIND if name in told}


def side_by_side(
    settings: Settings, a: str, b: str, suite: str | None, note: Say = setup.silent
) -> tuple[Run, Run, Comparison]:
    """The latest runs of two models (or two runs by id), paired by question.

    ``suite`` None: that of a run that is named by its id, else as in ``history``, of those that both were
    asked. Raises ``UsageError`` for a name that was never asked, when both name the same run, and for runs
    of different suites.
    """
    with open_history(settings) as store:
        named = [_by_id(store, name) for name in (a, b)]
        suites = dict.fromkeys(run.suite for run in named if run)
        models = tuple(name for name, run in zip((a, b), named, strict=True) if run is None)
        chosen = _suite(store, models, suite or next(iter(suites), None), note) if models else ""
        first, second = (
            store.run((run or _runs(store, name, chosen, 1)[0]).id)
            for name, run in zip((a, b), named, strict=True)
        )
    if first.id == second.id:
        raise UsageError(
            f"both are run {first.id} of {first.model}; name another by its id (see `freshness history`)"
        )
    if first.suite != second.suite:
        raise UsageError(
            f"run {first.id} is of suite {first.suite}, {second.id} of {second.suite}: "
            "they ask other questions"
        )
    return first, second, compare(first.sample, second.sample)


def comparison_json(first: Run, second: Run, compared: Comparison) -> dict[str, Any]:
    """``compare --format json``: the two runs, and how they differ."""
    return {"a": run_json(first), "b": run_json(second), **compared.to_json()}


def _by_id(store: Store, name: str) -> Run | None:
    return next((run for run in store.runs() if run.id == name), None)


def _suite(store: Store, models: Sequence[str], suite: str | None, note: Say) -> str:
    """The suite meant where none is named: one that all these models were asked."""
    asked = {model: _suites(store, model) for model in models}
    if suite is not None:
        setup.judging_suite(suite)
        for model, found in asked.items():
            if suite not in found:
                raise UsageError(f"no runs of {scrub(model)!r} with suite {suite}; it has {_words(found)}")
        return suite
    common = [name for name in setup.SUITES if all(name in found for found in asked.values())]
    if DEFAULT in common:
        return DEFAULT
    if len(common) == 1:
        note(f"suite {common[0]}: the only one with runs of {' and '.join(map(scrub, models))}")
        return common[0]
    told = "; ".join(f"{scrub(model)}: {_words(found)}" for model, found in asked.items())
    why = "which suite? name one with --suite" if common else "they were asked by no suite in common"
    raise UsageError(f"{why}; {told}")


def _suites(store: Store, model: str) -> list[str]:
    """Those that the model was asked by; raises ``UsageError`` where it never was."""
    found = list(dict.fromkeys(run.suite for run in store.runs(model)))
    if not found:
        raise UsageError(f"no runs of {scrub(model)!r} in the history; asked so far: {_known(store)}")
    return found


def _words(suites: Sequence[str]) -> str:
    return f"runs with suite {' and '.join(sorted(suites))}"


def _runs(store: Store, model: str, suite: str, limit: int) -> list[Run]:
    """The newest runs with that many finished ones at most; unfinished ones only where no other is."""
    found = store.runs(model, suite)
    found = [run for run in found if run.status == "finished"] or found
    return found[:limit]


@dataclass(frozen=True, slots=True)
class Regraded:
    """A run that was judged again.

    ``before`` and ``after``: its sample's answers by the judgements that counted, and by the new ones;
    ``changed``: how many judgements differ, ``changed_beside`` of them of answers beside the sample;
    ``stored``: whether the new ones count from now on; ``skipped``: why nothing was judged. ``own_keys``:
    how many of the sample's questions were judged by their own key though newer ones were wanted, by why.
    """

    run: Run
    as_of: date
    before: Counts
    after: Counts
    changed: int = 0
    stored: bool = False
    skipped: str = ""
    changed_beside: int = 0
    own_keys: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """One entry of ``regrade --format json``."""
        return {
            "run": self.run.id,
            "model": self.run.model,
            "as_of": self.as_of.isoformat(),
            "suite": self.run.suite,
            "answers": len(self.run.trials),
            "changed": self.changed,
            "changed_beside": self.changed_beside,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "own_keys": dict(self.own_keys),
            "no_longer_askable": self.own_keys.get(OwnKey.BEYOND_OPTIONS, 0),
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
    suite: str | None = None,
    talk: Talk | None = None,
) -> list[Regraded]:
    """Judge all stored answers (or one model's, one suite's) again, by what is known and the present judge.

    ``as_of`` None: each run as of the day that it was asked about. ``keep``: the new judgements count from
    now on; else this is but a look at what they would be. ``snapshot``: the facts to judge by: ``own``, as
    each run was asked; ``latest``, what is known now of the facts it was asked about; or as in ``probe``.
    Nothing is asked.

    Raises ``UsageError`` for a model that was never asked, or not by this suite.
    """
    with open_history(settings) as store:
        if suite is not None:
            _suite(store, (model,) if model is not None else (), suite, setup.silent)
        elif model is not None:
            _suites(store, model)
        found = store.runs(model, suite)
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
    before = _counts(run, _judgements(run))
    if run.status == "running":
        return Regraded(run, day, before, before, skipped="it is still being asked")
    if unfit := keys.unfit(run):
        return Regraded(run, day, before, before, skipped=unfit)
    return _judge(store, run, day, keep, keys.of(run, day))


def _judge(store: Store, run: Run, day: date, keep: bool, basis: Basis) -> Regraded:
    now = _judgements(run)
    before = _counts(run, now)
    judged = judge_again(run, basis.questions)
    if not judged:
        return Regraded(run, day, before, before, skipped="it has no answers that were kept")
    if keep:
        store.add_judgements(run.id, JUDGE_VERSION, day, judged, key=basis.key, renewed=basis.renewed)
    beside = run.beside
    changed = [question for (question, prompt), new in judged.items() if now.get((question, prompt)) != new]
    own = Counter(why for name, why in basis.own.items() if name not in beside)
    return Regraded(
        run,
        day,
        before,
        _counts(run, now | judged),
        len(changed),
        keep,
        changed_beside=sum(name in beside for name in changed),
        own_keys=dict(own.most_common()),
    )


def _judgements(run: Run) -> dict[tuple[str, str], Judgement]:
    """Those that count, by question and prompt."""
    return {(trial.question, trial.prompt): trial.judgement for trial in run.trials if trial.judgement}


def _counts(run: Run, judged: Mapping[tuple[str, str], Judgement]) -> Counts:
    """The sample's answers by verdict."""
    beside = run.beside
    said = (judgement.verdict for (question, _), judgement in judged.items() if question not in beside)
    return Counts.of(said, verdicts_of(run.suite))
