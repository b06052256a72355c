"""Runs as they were kept, and every answer of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from freshness.app.pages.excerpts import Said, said
from freshness.app.pages.facts import Origin
from freshness.app.pages.fleet import brief
from freshness.app.pages.looking import Look, Slice
from freshness.errors import UsageError
from freshness.history import Summary, Trial, tally_run
from freshness.questions import NumericKey


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which answers: of one verdict (or ``error``); about numbers, of one kind of question or indicator."""

    verdict: str | None = None
    kind: str | None = None
    indicator: str | None = None

    def takes(self, trial: Trial, key: NumericKey | None) -> bool:
        return (
            self.verdict in (None, _verdict(trial))
            and self.kind in (None, key and key.kind)
            and self.indicator in (None, key and key.indicator)
        )


def runs(
    look: Look, model: str | None = None, suite: str | None = None, offset: int = 0, limit: int = 50
) -> Slice[Summary]:
    """The runs that ended, the newest first."""
    found = look.store.summaries(model, suite, limit=offset + limit + 1)
    return Slice.of_beginning([brief(run) for run in found], offset, limit)


def run(
    look: Look, run_id: str, wanted: Wanted | None = None, offset: int = 0, limit: int = 100
) -> RunPage | None:
    """A run and its answers, all or those that are wanted; None for an unknown id."""
    try:
        found = look.store.run(run_id)
    except UsageError:
        return None
    keys = {question.id: question.numeric for question in found.questions}
    chosen = wanted or Wanted()
    trials = [trial for trial in found.trials if chosen.takes(trial, keys.get(trial.question))]
    shown = Slice.of(trials, offset, limit)
    told = tuple(said(trial, keys.get(trial.question)) for trial in shown.items)
    added = tally_run(found)
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
        Slice(told, offset, limit, shown.more, shown.total),
    )


def _verdict(trial: Trial) -> str:
    return str(trial.judgement.verdict) if trial.judgement else "error"
