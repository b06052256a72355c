"""What the daemon does when, and how it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from freshness.app.pages.looking import Look
from freshness.history import JobState
from freshness.history.buckets import ALL
from freshness.report.text import clean


@dataclass(frozen=True, slots=True)
class Job:
    """A job by its name (``probe:MODEL:SUITE``); ``next_run`` None: none is planned by this daemon.

    ``runs``: how many ended how; ``average_seconds``: of those that ended.
    """

    name: str
    running: bool
    next_run: datetime | None
    last_started_at: datetime | None
    last_success_at: datetime | None
    last_outcome: str | None
    last_error: str | None
    failures_in_a_row: int
    runs: Mapping[str, int]
    average_seconds: float | None


def jobs(look: Look) -> tuple[Job, ...]:
    """All jobs that are planned or ever ran, planned ones first, each by name."""
    planned = look.next_runs()
    states = {state.job: state for state in look.store.job_states()}
    names = [*sorted(planned), *sorted(states.keys() - planned.keys())]
    return tuple(_job(name, planned.get(name), states.get(name)) for name in names)


def _job(name: str, next_run: datetime | None, state: JobState | None) -> Job:
    if state is None:
        return Job(name, False, next_run, None, None, None, None, 0, {}, None)
    return Job(
        name,
        state.running,
        next_run,
        state.last_started_at,
        state.last_success_at,
        state.last_outcome,
        None if state.last_error is None else clean(state.last_error, 400),
        state.failures_in_a_row,
        dict(state.outcomes),
        _average(state),
    )


def _average(state: JobState) -> float | None:
    ended = state.seconds.get(ALL, 0)
    return state.seconds_sum / ended if ended else None
