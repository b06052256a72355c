"""Keeping the database in bounds: letting go of what was kept long enough, sizes, copies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from freshness.app import outputs
from freshness.app.setup import open_history
from freshness.config import Settings
from freshness.report.text import counted
from freshness.store import Space

KEEP_JOB_RUNS: Final = timedelta(days=90)
"""What was added up of the daemon's jobs stays; which single one failed when is of no use for longer."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many ``answers`` of runs begun before ``before`` lost their texts, and records of ``jobs`` went.

    ``before`` None: answers are kept for ever. ``dry``: so many would go.
    """

    before: datetime | None
    answers: int
    jobs: int
    dry: bool = False

    def to_json(self) -> dict[str, Any]:
        """``db prune --format json``."""
        before = self.before.isoformat() if self.before else None
        return {"before": before, "answers": self.answers, "jobs": self.jobs, "dry_run": self.dry}

    def __str__(self) -> str:
        gone = "would go" if self.dry else "gone"
        jobs = f"{counted(self.jobs, 'record')} of jobs {gone}"
        if self.before is None:
            return f"no answers {gone}: keep_answers is true, and no --before was given; {jobs}"
        texts = f"{counted(self.answers, 'text')} of answers"
        return f"{texts} from before {self.before:%Y-%m-%d %H:%M} UTC {gone}; {jobs}"


def prune(settings: Settings, before: datetime | None = None, *, now: datetime, dry: bool = False) -> Pruned:
    """Drop answers' texts of runs begun before then, by default before what ``keep_answers`` says.

    Old records of jobs go too. ``dry``: only count. Raises ``StoreError``.
    """
    before = before or _kept_since(settings, now)
    with open_history(settings) as store:
        answers, jobs = (
            (store.prunable, store.prunable_jobs) if dry else (store.prune_answers, store.prune_jobs)
        )
        return Pruned(before, answers(before) if before else 0, jobs(now - KEEP_JOB_RUNS), dry)


def _kept_since(settings: Settings, now: datetime) -> datetime | None:
    kept = settings.store.keep_answers
    if kept is True:
        return None
    return now if kept is False else now - kept


def space(settings: Settings) -> Space:
    """How much room each table takes; raises ``StoreError``."""
    with open_history(settings) as store:
        return store.space()


def compact(settings: Settings) -> None:
    """Give free space back to the disk, where the database needs that; raises ``StoreWriteError``."""
    with open_history(settings) as store:
        store.compact()


def back_up(settings: Settings, target: Path) -> int:
    """Copy the database into a new file; its size in bytes. Raises ``UsageError``, ``StoreWriteError``."""
    outputs.check(settings, target)
    with open_history(settings) as store:
        return store.back_up(target)
