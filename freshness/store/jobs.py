"""Which daemon runs which slot of a job: once, over any number of processes and machines.

A job's slots are run in the order of time, one at a time. Writers take turns (see ``engine``), so that what
is read here is still so when it is written. A claim holds while its lease is renewed; leases are timed by
the database's clock where it has one, so that machines need not agree about the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import and_, delete, func
from sqlmodel import Session, col, select

from freshness.history import Claim, JobState, Outcome
from freshness.history.buckets import JOB_SECONDS, add, count
from freshness.history.jobs import runs_ahead
from freshness.store.lease import Owner, may_be_alive
from freshness.store.records import Record
from freshness.store.scrub import scrub
from freshness.store.tables import JobRow, JobRunRow

LONGEST_ERROR: Final = 1000
"""Characters of an error that are kept."""


@dataclass(frozen=True, slots=True)
class Times:
    """``now``: by the store's clock, for people; ``lease``: the one that leases are timed by."""

    now: datetime
    lease: datetime


def times(session: Session, now: datetime) -> Times:
    """Under the write lock, whose wait counts: not the time at which the transaction began."""
    if session.get_bind().dialect.name != "postgresql":
        return Times(now, now)
    moment: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
    return Times(now, moment)


def claim(
    session: Session, name: str, slot: datetime, lease: timedelta, me: Owner, times: Times
) -> Claim | None:
    """Take a slot; see ``Store.claim``."""
    name = scrub(name)
    job = session.exec(select(JobRow).where(JobRow.name == name)).first()
    last = None if job is None else _run_of(session, job, job.slot)
    if job is not None and not _is_free(session, job, last, slot, me, times):
        return None
    if job is not None and last is not None and last.status == "running":
        _end(session, job, last, "interrupted", "the process that ran it is gone", None, times.now)
    if job is not None and slot < job.slot:
        _go_back(session, job, slot)
    again = None if job is None else _run_of(session, job, slot)
    attempt = 1 if again is None else again.attempt + 1
    job = job or JobRow(name=name, slot=slot, attempt=attempt, last_started_at=times.now)
    job.slot, job.attempt, job.last_started_at = slot, attempt, times.now
    session.add(job)
    session.flush()
    session.merge(JobRunRow(**_run_record(job, again, me, times, lease)))
    return Claim(name, slot, attempt, me.token)


def _run_record(job: JobRow, again: JobRunRow | None, me: Owner, times: Times, lease: timedelta) -> Record:
    """The row of the job's newest slot as it begins, in the place of the one that is begun ``again``."""
    return {
        "id": None if again is None else again.id,
        "job_id": job.id,
        "slot": job.slot,
        "attempt": job.attempt,
        "status": "running",
        "started_at": times.now,
        "finished_at": None,
        "seconds": None,
        "error": None,
        "owner_host": me.host,
        "owner_pid": me.pid,
        "owner_token": me.token,
        "owner_until": times.lease + lease,
    }


def _is_free(
    session: Session, job: JobRow, last: JobRunRow | None, slot: datetime, me: Owner, times: Times
) -> bool:
    """Whether nobody runs the job, and the slot is new, or the newest one and did not succeed.

    Where the newest one lies in the future, some clock was wrong: then an older one is free too, if it did
    not succeed.
    """
    if last is not None and _is_running(last, me, times):
        return False
    if slot == job.slot:
        return last is not None and last.status != "succeeded"
    if slot < job.slot and runs_ahead(job.slot, times.now):
        found = _run_of(session, job, slot)
        return found is None or found.status != "succeeded"
    return slot > job.slot


def _go_back(session: Session, job: JobRow, slot: datetime) -> None:
    """Forget what is told of moments still to come, so that it will be run when they do."""
    session.execute(delete(JobRunRow).where(col(JobRunRow.job_id) == job.id, col(JobRunRow.slot) > slot))
    if job.succeeded_slot is not None and job.succeeded_slot > slot:
        job.succeeded_slot = job.last_success_at = None


def _run_of(session: Session, job: JobRow, slot: datetime) -> JobRunRow | None:
    """The row of a slot; None where there is none, or it was pruned."""
    statement = select(JobRunRow).where(JobRunRow.job_id == job.id, JobRunRow.slot == slot)
    return session.exec(statement).first()


def _is_running(run: JobRunRow, me: Owner, times: Times) -> bool:
    owner = Owner(run.owner_host, run.owner_pid, run.owner_token)
    return run.status == "running" and may_be_alive(owner, run.owner_until, me, times.lease)


def renew(session: Session, held: Claim, lease: timedelta, times: Times) -> bool:
    """Let it hold from now on; False when it was lost; see ``Store.renew``."""
    found = _held(session, held)
    if found is None:
        return False
    _, run = found
    run.owner_until = times.lease + lease
    session.add(run)
    return True


def settle(
    session: Session, held: Claim, outcome: Outcome, error: str | None, seconds: float, now: datetime
) -> bool:
    """Say how it went; False when the claim was lost; see ``Store.settle``."""
    found = _held(session, held)
    if found is None:
        return False
    job, run = found
    _end(session, job, run, outcome, error, seconds, now)
    return True


def _held(session: Session, held: Claim) -> tuple[JobRow, JobRunRow] | None:
    """The rows of a claim, if it is still the one that counts (it may have run out, if nobody took it)."""
    statement = (
        select(JobRow, JobRunRow)
        .join(JobRunRow)
        .where(
            JobRow.name == held.job,
            JobRunRow.slot == held.slot,
            JobRunRow.attempt == held.attempt,
            JobRunRow.owner_token == held.token,
            JobRunRow.status == "running",
        )
    )
    return session.exec(statement).first()


def _end(
    session: Session,
    job: JobRow,
    run: JobRunRow,
    outcome: Outcome,
    error: str | None,
    seconds: float | None,
    now: datetime,
) -> None:
    """Write down how an attempt ended, and add it up."""
    error = None if error is None else scrub(error)[:LONGEST_ERROR]
    run.status, run.finished_at, run.seconds, run.error = outcome, now, seconds, error
    job.last_finished_at, job.last_outcome, job.last_error = now, outcome, error
    job.outcomes = add(job.outcomes, {outcome: 1})
    if outcome == "succeeded":
        job.last_success_at, job.succeeded_slot, job.failures_in_a_row = now, run.slot, 0
    elif outcome == "failed":
        job.failures_in_a_row += 1
    if seconds is not None:
        job.seconds = add(job.seconds, count([seconds], JOB_SECONDS))
        job.seconds_sum += seconds
    session.add_all([job, run])


def states(session: Session, me: Owner, times: Times) -> list[JobState]:
    """All jobs that ever ran, by name."""
    return [_state(job, run, me, times) for job, run in _jobs(session)]


def last_slot(session: Session, name: str, me: Owner, times: Times) -> datetime | None:
    """The newest slot that succeeded or is being run."""
    for job, run in _jobs(session, name):
        return _state(job, run, me, times).last_slot
    return None


def _jobs(session: Session, name: str | None = None) -> Sequence[Any]:
    """Each job with its newest slot (None: pruned)."""
    newest = and_(col(JobRunRow.job_id) == JobRow.id, col(JobRunRow.slot) == JobRow.slot)
    statement = select(JobRow, JobRunRow).outerjoin(JobRunRow, newest).order_by(col(JobRow.name))
    if name is not None:
        statement = statement.where(JobRow.name == scrub(name))
    return session.exec(statement).all()


def _state(job: JobRow, run: JobRunRow | None, me: Owner, times: Times) -> JobState:
    running = run is not None and _is_running(run, me, times)
    outcome: Any = job.last_outcome
    return JobState(
        job=job.name,
        slot=job.slot,
        attempt=job.attempt,
        running=running,
        last_slot=job.slot if running else job.succeeded_slot,
        last_started_at=job.last_started_at,
        last_finished_at=job.last_finished_at,
        last_success_at=job.last_success_at,
        last_outcome=outcome,
        last_error=job.last_error,
        failures_in_a_row=job.failures_in_a_row,
        outcomes=job.outcomes,
        seconds=job.seconds,
        seconds_sum=job.seconds_sum,
    )
