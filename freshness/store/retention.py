"""What goes after a time: the texts of answers, and the record of the daemon's single jobs.

Verdicts, tallies and summaries stay for ever. Nothing refers to what goes, so that no row is left behind
without an owner; facts, questions and snapshots are shared by what stays.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, update
from sqlmodel import col, select

from freshness.store import copies, space
from freshness.store.engine import reading, writing
from freshness.store.opened import Opened, check_aware
from freshness.store.space import Space
from freshness.store.tables import JobRow, JobRunRow, RunRow, TrialRow

_KEPT: Final = and_(col(TrialRow.answer).is_not(None), col(TrialRow.error).is_(None))


class Retention(Opened):
    """The part of ``Store`` that keeps the database in bounds, and copies it."""

    def prunable(self, before: datetime) -> int:
        """How many texts ``prune_answers`` would drop."""
        check_aware(before)
        old = col(TrialRow.run_id).in_(select(RunRow.id).where(self._old(before)))
        with reading(self._engine) as session:
            return session.exec(select(func.count()).select_from(TrialRow).where(old, _KEPT)).one()

    def prune_answers(self, before: datetime) -> int:
        """Drop the texts of answers of runs that began before then; how many there were.

        Their judgements stay, and can't be made again. Runs that are being asked stay as they are. One short
        transaction a run: nobody waits long, and no run is left with half of its answers.
        """
        check_aware(before)
        answered = exists().where(col(TrialRow.run_id) == RunRow.id, _KEPT)
        with reading(self._engine) as session:
            runs = session.exec(select(RunRow.id).where(self._old(before), answered)).all()
        return sum(self._prune(run_id, before) for run_id in runs)

    def _prune(self, run_id: int, before: datetime) -> int:
        # Looked at again under the lock: somebody may have gone on with it.
        still = exists().where(col(RunRow.id) == run_id, self._old(before))
        texts = update(TrialRow).where(col(TrialRow.run_id) == run_id, _KEPT, still)
        with writing(self._engine) as session:
            return _rows(session.execute(texts.values(answer=None)))

    def _old(self, before: datetime) -> ColumnElement[bool]:
        ended = or_(col(RunRow.status) != "running", col(RunRow.owner_until) < self._clock())
        return and_(col(RunRow.started_at) < before, ended)

    def prunable_jobs(self, before: datetime) -> int:
        """How many records ``prune_jobs`` would drop."""
        with reading(self._engine) as session:
            return session.exec(select(func.count()).select_from(JobRunRow).where(_old_jobs(before))).one()

    def prune_jobs(self, before: datetime) -> int:
        """Drop the records of jobs' single runs begun before then, but for each job's newest; how many.

        What was added up of them stays.
        """
        with writing(self._engine) as session:
            return _rows(session.execute(delete(JobRunRow).where(_old_jobs(before))))

    def space(self) -> Space:
        """How much room each table takes, the biggest first. Reads the whole file on SQLite."""
        with reading(self._engine) as session:
            return space.measure(session)

    def compact(self) -> bool:
        """Give free space back to the disk (SQLite). Writers wait meanwhile; False on PostgreSQL.

        Pruned answers leave holes that new rows don't fill. Needs as much free disk space as the file takes.
        """
        return copies.compact(self._engine)

    def back_up(self, target: Path) -> int:
        """Copy the database (SQLite) into a new file and check the copy; its size in bytes.

        It holds all that was committed when it began; others go on writing meanwhile. Raises ``UsageError``
        for PostgreSQL and for a file that is there, ``StoreWriteError`` when it can't be written.
        """
        return copies.back_up(self._engine, target)


def _old_jobs(before: datetime) -> ColumnElement[bool]:
    check_aware(before)
    newest = exists().where(col(JobRow.id) == JobRunRow.job_id, col(JobRow.slot) == JobRunRow.slot)
    return and_(col(JobRunRow.started_at) < before, col(JobRunRow.status) != "running", ~newest)


def _rows(result: Any) -> int:
    return int(result.rowcount)
