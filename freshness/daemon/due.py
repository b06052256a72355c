"""Which slot of a job is due, and when a failed one is tried again. Pure: the clock's time is passed in.

Of all slots that nobody ran (the daemon was down, a run took too long, the job is new) the newest alone is
due: the same question twice in a row tells nothing. It stays due until it succeeds or the next one comes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from freshness.daemon.jobs import Job
from freshness.history import JobState
from freshness.history.jobs import AHEAD, runs_ahead

FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=1)
_MOST_DOUBLINGS: Final = 10
_FARTHEST_TRY: Final = LONGEST_WAIT + AHEAD
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)


def due_slot(job: Job, state: JobState | None, now: datetime) -> datetime | None:
    """The slot to run now; None: nothing is due, somebody runs it, or its next try is still to come."""
    latest = job.schedule.latest_slot(now)
    if latest is None or state is None:
        return latest
    believed = not runs_ahead(state.slot, now)
    # One that was begun out of turn, by hand, may be newer than the schedule's: then that one is to succeed.
    newest: datetime = max(latest, state.slot) if believed else latest
    if state.running or (believed and state.last_slot is not None and state.last_slot >= newest):
        return None
    again = retry_at(state)
    if again is not None and (state.slot == newest or not believed) and now < again <= now + _FARTHEST_TRY:
        return None
    return newest


def turn(state: JobState | None, now: datetime) -> datetime:
    """What jobs that are due go by: the least first, that is the one longest not begun, or never."""
    return _NEVER if state is None or runs_ahead(state.slot, now) else state.slot


def retry_at(state: JobState) -> datetime | None:
    """When a job that failed may be tried again within its slot: after 1 min, then 2, 4 ... up to an hour."""
    if state.last_outcome != "failed" or state.last_finished_at is None:
        return None
    doublings = min(max(state.failures_in_a_row - 1, 0), _MOST_DOUBLINGS)
    return state.last_finished_at + min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)


def passed_over(job: Job, state: JobState | None, slot: datetime, waited: datetime | None = None) -> int:
    """How many slots nobody began before this one, which is due.

    ``waited``: the slot that this job was waiting for when it was last counted (None: it was not), before
    which all are counted. Nothing was missed before a job was first due: nobody was there to run it.
    """
    known = [] if state is None else [state.slot]
    known += [] if waited is None else [waited - _TICK]
    if not known or max(known) >= slot:
        return 0
    return sum(between < slot for between in job.schedule.slots(max(known), slot))


def begins_late(state: JobState | None, slot: datetime, now: datetime, grace: timedelta) -> bool:
    """Whether a slot that begins for the first time does so too late to count as begun in time."""
    return state is not None and state.slot < slot and now - slot > grace


def next_run(job: Job, state: JobState | None, now: datetime) -> datetime | None:
    """When it runs next, as far as one can tell: its slot that is due, its next try, or its next slot."""
    due = due_slot(job, state, now)
    if due is not None:
        return due
    later = job.schedule.next_slot(now)
    again = retry_at(state) if state else None
    if again is None or again <= now or (later is not None and later < again):
        return later
    return again
