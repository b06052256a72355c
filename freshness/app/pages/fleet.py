"""All models at a glance: what each knows, how that went over time, and what needs somebody's attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from freshness.app.pages.changing import Change, changes
from freshness.app.pages.looking import Look
from freshness.app.pages.numbers import Shares, average
from freshness.history import JobState, ModelEvent, Run, Summary, share
from freshness.history.jobs import probe_job
from freshness.report.text import clean, counted, percent
from freshness.verdicts import Verdict

TREND: Final = 30
"""So many runs make a trend."""
NEWS: Final = timedelta(days=7)
"""So long a swapped model stays in sight."""
OUTDATED_ABOVE: Final = 0.2
"""A model is called outdated when a larger share of its answers is, as the alert of the same name has it."""

NUMBERS: Final = ("numeric", "next-word")
"""Suites that ask about years gone by: an older value there says little of how far behind a model is."""

State = Literal["failing", "swapped", "outdated", "never_asked", "not_registered", "ok"]

_EVENTS: Final = {
    "served_model_changed": "another model is served under its name",
    "fingerprint_changed": "its fingerprint is another",
    "answers_shifted": "its answers on unchanged facts shifted",
}


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a trend; shares of the upper bound between 0 and 1."""

    at: datetime
    correct: float
    outdated: float


@dataclass(frozen=True, slots=True)
class LastRun:
    """The newest run, however it ended."""

    run: str
    status: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """How a model stands in a suite: its newest finished run, if any, and what is amiss with it.

    ``reasons``: what speaks for the ``state``, the worst first. ``trend``: its last runs, the oldest first.
    ``numbers``: of a suite about numbers, all kinds of questions, each weighing the same.
    """

    model: str
    suite: str
    state: State
    reasons: tuple[str, ...]
    registered: bool
    newest: Summary | None
    agreement: float | None
    trend: tuple[Point, ...]
    last_run: LastRun | None
    next_run: datetime | None
    numbers: Shares | None


@dataclass(frozen=True, slots=True)
class Fleet:
    """``models``: all of one model together, a suite each.

    ``facts`` and ``quarantined``: how many there are, as last observed in ``source`` at ``taken_at``;
    ``indicators``: how many charts of numbers, of which any model can be asked, and when one of them was
    last confirmed by its source (None: never since they came with the package).
    """

    models: tuple[Standing, ...]
    facts: int
    quarantined: int
    source: str | None
    taken_at: datetime | None
    indicators: int
    indicators_confirmed_at: datetime | None
    failing_jobs: tuple[str, ...]
    latest_changes: tuple[Change, ...]


def fleet(look: Look) -> Fleet:
    """Every registered model and every one in the history, registered ones first, with all their suites."""
    known = list(look.facts().values())
    charts = [view for view in look.series() if view.chart]
    confirmed = [view.state.last_seen for view in charts if view.state]
    failing = tuple(s.job for s in look.store.job_states() if s.failures_in_a_row)
    return Fleet(
        standings(look),
        len(known),
        sum(not item.quality.usable for item in known),
        known[0].source if known else None,
        known[0].taken_at if known else None,
        len(charts),
        max(confirmed, default=None),
        failing,
        changes(look, limit=5).items,
    )


def standings(look: Look, model: str | None = None) -> tuple[Standing, ...]:
    """One for each model (or this one) and suite that is registered or was ever asked, figures in short."""
    return tuple(brief_standing(one) for one in whole_standings(look, model))


def brief_standing(one: Standing) -> Standing:
    return replace(one, newest=one.newest and brief(one.newest))


def whole_standings(look: Look, model: str | None = None) -> tuple[Standing, ...]:
    """As ``standings``, each newest run with all its figures."""
    newest = {(s.model, s.suite): s for s in look.store.latest_summaries()}
    last = {(run.model, run.suite): run for run in look.store.last_runs()}
    registered = look.registered()
    past = sorted((newest.keys() | last.keys()) - set(registered))
    states = {state.job: state for state in look.store.job_states()}
    events = look.store.model_events(since=look.now - NEWS)
    planned = look.next_runs()
    pairs = [pair for pair in [*registered, *past] if model in (None, pair[0])]
    order = list(dict.fromkeys(name for name, _ in pairs))
    return tuple(
        _standing(look, pair, pair in registered, newest.get(pair), last.get(pair), states, events, planned)
        for pair in sorted(pairs, key=lambda pair: order.index(pair[0]))
    )


def _standing(
    look: Look,
    pair: tuple[str, str],
    is_registered: bool,
    newest: Summary | None,
    last: Run | None,
    states: Mapping[str, JobState],
    events: Sequence[ModelEvent],
    planned: Mapping[str, datetime],
) -> Standing:
    model, suite = pair
    job = probe_job(model, suite)
    amiss = _amiss(newest, last, states.get(job), [event for event in events if event.model == model])
    if newest is None and not amiss:
        amiss.append(("never_asked", f"its first run is {last.status}" if last else "no run yet"))
    if not is_registered:
        amiss.append(("not_registered", "in the history alone: no config names it"))
    return Standing(
        model,
        suite,
        amiss[0][0] if amiss else "ok",
        tuple(reason for _, reason in amiss),
        is_registered,
        newest,
        newest.agreement if newest else None,
        _trend(look.store.summaries(model, suite, limit=TREND)),
        LastRun(last.id, last.status, last.started_at) if last else None,
        planned.get(job),
        average(newest.choices) if newest and newest.choices else None,
    )


def brief(run: Summary) -> Summary:
    """Without the figures by kind and year, which are long: for lists."""
    return replace(run, choices=None)


def _amiss(
    newest: Summary | None, last: Run | None, job: JobState | None, events: Sequence[ModelEvent]
) -> list[tuple[State, str]]:
    found: list[tuple[State, str]] = []
    if job and job.failures_in_a_row:
        why = clean(job.last_error or "no reason given", 300)
        found.append(("failing", f"failed {counted(job.failures_in_a_row, 'time')} in a row: {why}"))
    elif last and last.status == "failed":
        found.append(("failing", "its last run failed"))
    elif newest and _failed_prompts(newest) >= max(1, newest.answered):
        told = f"{counted(_failed_prompts(newest), 'prompt')} of its newest run got no answer"
        found.append(("failing", told))
    found += [("swapped", f"{_EVENTS[event.kind]} since {event.seen_at:%Y-%m-%d}") for event in events]
    if newest and newest.suite not in NUMBERS:
        found += _behind(newest)
    return found


def _behind(newest: Summary) -> list[tuple[State, str]]:
    outdated = share(newest.upper_bound.get("outdated", 0), newest.questions)
    if outdated is None or outdated <= OUTDATED_ABOVE:
        return []
    return [("outdated", f"{counted(newest.outdated, 'fact')} outdated, {percent(outdated)} of its answers")]


def _failed_prompts(newest: Summary) -> int:
    return sum(newest.errors.values())


def _share(run: Summary, verdict: Verdict) -> float:
    """Of all questions; of those about numbers, the mean of their kinds."""
    mean = run.choices.average(verdict) if run.choices else None
    return mean.value if mean else run.upper_bound.get(verdict, 0) / run.questions


def _trend(summaries: Sequence[Summary]) -> tuple[Point, ...]:
    finished = [s for s in summaries if s.status == "finished" and s.questions]
    return tuple(
        Point(
            s.started_at,
            *(_share(s, verdict) for verdict in (Verdict.CORRECT, Verdict.OUTDATED)),
        )
        for s in reversed(finished)
    )
