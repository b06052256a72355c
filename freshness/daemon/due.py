"""Which slot of a job is due, and when a failed one is tried again. Pure: the clock's time is passed in.

Of all slots that nobody ran (the daemon was down, a run took too long, the job is new) the newest alone is
due: the same question twice in a row tells nothing. It stays due until it succeeds or the next one comes.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from freshness.daemon.jobs import Job
from freshness.history import JobState

FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=1)
_MOST_DOUBLINGS: Final = 10


def due_slot(job: Job, state: JobState | None, now: datetime) -> datetime | None:
    """The slot to run now; None: nothing is due, somebody runs it, or its next try is still to come."""
    latest = job.schedule.latest_slot(now)
    if latest is None or state is None:
        return latest
    # One that was begun out of turn, by hand, may be newer than the schedule's: then that one is to succeed.
    newest: datetime = max(latest, state.slot)
    if state.running or (state.last_slot is not None and state.last_slot >= newest):
        return None
    again = retry_at(state)
    if again is not None and state.slot == newest and now < again:
        return None
    return newest


def retry_at(state: JobState) -> datetime | None:
    """When a job that failed may be tried again within its slot: after 1 min, then 2, 4 ... up to an hour."""
    if state.last_outcome != "failed" or state.last_finished_at is None:
        return None
    doublings = min(max(state.failures_in_a_row - 1, 0), _MOST_DOUBLINGS)
    return state.last_finished_at + min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)


def missed(job: Job, state: JobState | None, slot: datetime, now: datetime, grace: timedelta) -> int:
    """How many slots nobody began in time, as this one begins: those between, and it itself if too late.

    Nothing was missed before a job's first run: nobody was there to run it.
    """
    if state is None or state.slot >= slot:
        return 0
    skipped = sum(between < slot for between in job.schedule.slots(state.slot, slot))
    return skipped + (now - slot > grace)


def next_run(job: Job, state: JobState | None, now: datetime) -> datetime | None:
    """When it runs next, as far as one can tell: now if it is due, at its next try, or at its next slot."""
    if due_slot(job, state, now) is not None:
        return now
    later = job.schedule.next_slot(now)
    again = retry_at(state) if state else None
    if again is None or again <= now or (later is not None and later < again):
        return later
    return again
