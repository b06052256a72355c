"""Runs as they were kept, and every answer of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from freshness.app.pages.excerpts import Said, said
from freshness.app.pages.facts import Origin
from freshness.app.pages.looking import Look, Slice
from freshness.errors import UsageError
from freshness.history import Summary, Trial, tally
from freshness.verdicts import verdicts_of


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run with some of its answers, as they are judged now.

    ``upper_bound`` counts questions, ``average`` prompts, by verdict.
    """

    run: str
    model: str
    suite: str
    status: str
    as_of: date
    started_at: datetime
    finished_at: datetime | None
    judged_at: datetime | None
    seconds: float | None
    served_model: str
    judge: str
    snapshot: Origin
    snapshot_digest: str
    upper_bound: Mapping[str, int]
    average: Mapping[str, int]
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
    trials = [trial for trial in found.trials if verdict is None or _verdict(trial) == verdict]
    shown = Slice.of(trials, offset, limit)
    added = tally(found.trials, verdicts_of(found.suite))
    return RunPage(
        found.id,
        found.model,
        found.suite,
        found.status,
        found.as_of,
        found.started_at,
        found.finished_at,
        found.judged_at,
        found.seconds,
        found.served_model,
        found.judge,
        Origin(found.snapshot_source, found.snapshot_taken_at),
        found.snapshot_digest,
        added.upper_bound.to_json(),
        added.average.to_json(),
        Slice(tuple(said(trial) for trial in shown.items), offset, limit, shown.more, shown.total),
    )


def _verdict(trial: Trial) -> str:
    return str(trial.judgement.verdict) if trial.judgement else "error"
