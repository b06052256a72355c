"""The daemon's jobs: who runs which slot, and how it went so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from freshness.history.buckets import Buckets

PROBE: Final = "probe:"
"""What the names of jobs that belong to a model begin with."""

Outcome = Literal["succeeded", "failed", "interrupted"]


def probe_job(model: str, suite: str) -> str:
    """The name of the job that puts this suite to this model."""
    return f"{PROBE}{model}:{suite}"


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a job's slot, until it is settled or the lease runs out without being renewed.

    ``slot``: the moment that the schedule names; ``attempt`` 1: the first; ``token``: who has it.
    """

    job: str
    slot: datetime
    attempt: int
    token: str


@dataclass(frozen=True, slots=True)
class JobState:
    """All that is known of a job, from counters that are kept up as it runs.

    ``slot``: the newest that was ever begun, ``attempt``: how often it was. ``last_slot``: the newest that
    succeeded or is being run. ``failures_in_a_row``: failed attempts since the last success; an interrupted
    one counts neither way. ``outcomes``: attempts by outcome. ``seconds`` of wall time, of settled attempts.
    """

    job: str
    slot: datetime
    attempt: int
    running: bool
    last_slot: datetime | None
    last_started_at: datetime
    last_finished_at: datetime | None
    last_success_at: datetime | None
    last_outcome: Outcome | None
    last_error: str | None
    failures_in_a_row: int
    outcomes: Mapping[str, int]
    seconds: Buckets
    seconds_sum: float


AHEAD: Final = timedelta(minutes=5)
"""So far may the clocks of machines that share a history be apart."""


def runs_ahead(slot: datetime, now: datetime) -> bool:
    """Whether a slot that was begun lies in the future: whoever began it had a clock that was wrong."""
    return slot > now + AHEAD
