"""Asking a model now, and keeping what it says."""

from __future__ import annotations

import platform
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from freshness import __version__, pipeline
from freshness.app import asking, setup, summaries, watching
from freshness.app.dating import date_answers
from freshness.app.judging import current
from freshness.app.refreshing import SOURCE
from freshness.app.setup import Advance, Asked, Choice, ModelChoice, Say
from freshness.app.snapshots import Talk
from freshness.config import Settings
from freshness.errors import Interrupted, StoreError
from freshness.facts import Snapshot
from freshness.grading import JUDGE_VERSION
from freshness.history import Run, Trial, figures
from freshness.protocols import Suite
from freshness.questions import Question
from freshness.report import INSTEAD, Report
from freshness.report.text import counted
from freshness.series import SeriesSnapshot
from freshness.store import Store

LIBRARIES = ("torch", "transformers")
"""Whose releases change answers."""

Ended = Literal["interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class Request:
    """One probe: ``model`` as the user named it; ``options`` of the model, None where not given.

    ``details`` go into the run: on whose behalf it was asked.
    """

    model: str
    choice: Choice
    store: bool = True
    options: Mapping[str, Any] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Plan:
    run: Run
    asked: ModelChoice
    questions: Sequence[Question]
    world: Snapshot | SeriesSnapshot

    @property
    def suite(self) -> Suite:
        return setup.judging_suite(self.run.suite)


def probe(settings: Settings, request: Request, *, advance: Advance, warn: Say, note: Say) -> Report:
    """Ask, judge, keep, and sum up; ``advance(done, total)`` counts prompts.

    A run like this one that was interrupted goes on where it stopped. Raises ``UsageError``,
    ``UnavailableError``, ``StoreError``; ``Interrupted`` for Ctrl-C.
    """
    talk = Talk(advance, warn, note)
    plan = _plan(settings, request, talk)
    try:
        run = _run(settings, request, plan, advance, talk)
    except KeyboardInterrupt:
        kept = "the same command goes on from there" if request.store else "nothing was kept (--no-store)"
        raise Interrupted(f"interrupted; {kept}") from None
    unmatched = run.details.get("unmatched_lines")
    if unmatched and request.choice.limit is None:
        note(f"{counted(unmatched, 'recorded line')} matched no prompt that was asked")
    return report_of(run)


def _run(settings: Settings, request: Request, plan: _Plan, advance: Advance, talk: Talk) -> Run:
    if not request.store:
        return _ask(plan, advance)
    with setup.open_history(settings, create=True) as store:
        return _ask_and_store(store, plan, advance, talk)


def report_of(run: Run) -> Report:
    """The report of a run with its questions and trials."""
    dating = date_answers(run.questions, run.trials)
    has_numbers = any(question.numeric for question in run.questions)
    choices = figures(run.questions, run.trials, dating.known_years) if has_numbers else None
    return Report.of_run(run, current, window=dating.window, starts=dating.starts, choices=choices)


def _plan(settings: Settings, request: Request, talk: Talk) -> _Plan:
    asked = setup.model(settings, request.model, request.options or {})
    fetching = Talk(warn=talk.warn, note=talk.note)
    found = asking.gather(settings, request.choice, fetching, keep=request.store)
    return _Plan(_new_run(request, found), asked, found.questions, found.world)


def _new_run(request: Request, found: Asked) -> Run:
    world = found.world
    return Run(
        id=uuid.uuid4().hex[:12],
        model=request.model,
        suite=request.choice.suite,
        as_of=request.choice.as_of,
        started_at=datetime.now(UTC),
        snapshot_source=world.source,
        snapshot_taken_at=world.taken_at,
        snapshot_digest=world.digest,
        judge=JUDGE_VERSION,
        details={**request.details, **found.details, **({INSTEAD: found.instead} if found.instead else {})},
    )


def _ask(plan: _Plan, advance: Advance) -> Run:
    """Ask, and keep nothing."""
    trials: list[Trial] = []
    begun = time.monotonic()
    pipeline.probe(plan.suite, plan.questions, plan.asked.model, _counting(plan, trials.extend, 0, advance))
    told = _told(plan, trials)
    return replace(
        plan.run,
        served_model=told.served,
        finished_at=datetime.now(UTC),
        status="finished",
        seconds=time.monotonic() - begun,
        details={**plan.run.details, **told.details},
        questions=tuple(plan.questions),
        trials=_in_order(plan, trials),
    )


def _in_order(plan: _Plan, trials: Sequence[Trial]) -> tuple[Trial, ...]:
    by_prompt = {(trial.question, trial.prompt): trial for trial in trials}
    return tuple(by_prompt[q.id, p.name] for q in plan.questions for p in q.prompts)


def _ask_and_store(store: Store, plan: _Plan, advance: Advance, talk: Talk) -> Run:
    """Ask what the history has no answer to yet, and store answers as they come."""
    run = _begin(store, plan)
    answered = {(t.question, t.prompt) for t in run.trials if t.answer.error is None}
    if answered:
        begun = f"{run.started_at:%Y-%m-%d %H:%M} UTC"
        talk.note(
            f"going on with the run of {begun}: {len(answered)} of {counted(_total(plan), 'prompt')} answered"
        )
    seen: list[Trial] = []

    def keep(trials: Sequence[Trial]) -> None:
        store.add_trials(run.id, trials)
        seen.extend(trials)

    sink = _counting(plan, keep, len(answered), advance)
    with _ending(store, plan, run, seen):
        pipeline.probe(plan.suite, plan.questions, plan.asked.model, sink, answered=answered)
    done = store.run(run.id)
    summaries.keep(store, done)
    for event in watching.watch(store, done):
        talk.warn(watching.told(event))
    return done


def _begin(store: Store, plan: _Plan) -> Run:
    """The interrupted run that asks just this, else a new one."""
    world = plan.world
    # What was fetched is stored already, with what was not confirmed; of numbers each question has its own.
    if isinstance(world, Snapshot) and world.source != SOURCE:
        store.save_snapshot(world, datetime.now(UTC))
    spec, options = plan.asked.spec, plan.asked.options
    kept = store.unfinished_run(plan.run, plan.questions, spec=spec, options=options)
    if kept is None:
        store.start_run(plan.run, plan.questions, spec=spec, options=options)
    return kept or plan.run


@contextmanager
def _ending(store: Store, plan: _Plan, run: Run, seen: Sequence[Trial]) -> Iterator[None]:
    """Tell the history how the run ended, however it ends."""
    begun = time.monotonic()
    try:
        yield
    except BaseException as error:
        status: Ended = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        # What ended the run is worth more than that its end can't be written down either.
        with suppress(StoreError):
            store.finish_run(run.id, datetime.now(UTC), status, seconds=_seconds(run, begun))
            summaries.keep(store, store.run(run.id))
        raise
    told = _told(plan, seen)
    store.finish_run(
        run.id,
        datetime.now(UTC),
        "finished",
        seconds=_seconds(run, begun),
        details={**plan.run.details, **told.details} if told.details else run.details,
        served_model=told.served or run.served_model,
    )


def _seconds(run: Run, begun: float) -> float | None:
    """Wall time in all; None where an earlier part was killed before it could tell its own."""
    if run.trials and run.seconds is None:
        return None
    return (run.seconds or 0.0) + time.monotonic() - begun


@dataclass(frozen=True, slots=True)
class _Told:
    served: str
    details: Mapping[str, Any]


def _told(plan: _Plan, trials: Sequence[Trial]) -> _Told:
    """What the model said of itself; nothing when nothing was asked, since that could load it."""
    if not trials:
        return _Told("", {})
    info = plan.asked.model.info()
    served = [trial.answer.served_model for trial in trials if trial.answer.served_model]
    versions = {"freshness": __version__, "python": platform.python_version()}
    versions |= {name: info.details[name] for name in LIBRARIES if name in info.details}
    return _Told(
        served[-1] if served else info.served, {**info.details, "style": info.style, "versions": versions}
    )


def _counting(plan: _Plan, sink: pipeline.Sink, done: int, advance: Advance) -> pipeline.Sink:
    """The sink that also tells how far it is."""
    total = _total(plan)
    count = done
    advance(count, total)

    def counted(trials: Sequence[Trial]) -> None:
        nonlocal count
        sink(trials)
        count += len(trials)
        advance(count, total)

    return counted


def _total(plan: _Plan) -> int:
    return sum(len(question.prompts) for question in plan.questions)
