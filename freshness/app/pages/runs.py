"""Runs as they were kept, and every answer of one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from freshness.app.pages.excerpts import Said, said
from freshness.app.pages.looking import Look, Slice
from freshness.errors import UsageError
from freshness.history import Summary, Trial


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run with some of its answers; ``summary`` None: it hasn't ended."""

    run: str
    model: str
    suite: str
    status: str
    started_at: datetime
    snapshot_digest: str
    judge: str
    summary: Summary | None
    answers: Slice[Said]


def runs(
    look: Look, model: str | None = None, suite: str | None = None, offset: int = 0, limit: int = 50
) -> Slice[Summary]:
    """The runs that ended, the newest first."""
    found = look.store.summaries(model, suite, limit=offset + limit + 1)
    return Slice.of_beginning(found, offset, limit)


def run(
    look: Look, run_id: str, verdict: str | None = None, offset: int = 0, limit: int = 100
) -> RunPage | None:
    """A run and its answers (of one verdict, or ``error``); None for an unknown id."""
    try:
        found = look.store.run(run_id)
    except UsageError:
        return None
    summaries = look.store.summaries(found.model, found.suite)
    trials = [trial for trial in found.trials if verdict is None or _verdict(trial) == verdict]
    shown = Slice.of(trials, offset, limit)
    return RunPage(
        found.id,
        found.model,
        found.suite,
        found.status,
        found.started_at,
        found.snapshot_digest,
        found.judge,
        next((summary for summary in summaries if summary.run == found.id), None),
        Slice(tuple(said(trial) for trial in shown.items), offset, limit, shown.more, shown.total),
    )


def _verdict(trial: Trial) -> str:
    return str(trial.judgement.verdict) if trial.judgement else "error"
