"""What the daemon, metrics and pages read again and again, and what the daemon writes down of itself."""

from __future__ import annotations

from datetime import datetime, timedelta

from freshness.history import Claim, JobState, ModelEvent, Outcome, RequestTotals, Run, Summary
from freshness.store import effects, jobs, sources, summaries
from freshness.store.engine import reading, writing
from freshness.store.opened import Opened, check_aware, this_process
from freshness.store.sources import SourceState


class Daily(Opened):
    """The part of ``Store`` that is quick however long the history: nothing here reads trials or facts."""

    # Figures of runs

    def save_summary(self, summary: Summary) -> bool:
        """Keep a run's figures, over those it had; counts its requests.

        False, and nothing is stored, when the run has moved on since (asked on, judged again): summarise it
        again. Raises ``UsageError`` for an unknown run.
        """
        with writing(self._engine) as session:
            return summaries.save(session, summary, this_process(), self._clock())

    def summaries(
        self,
        model: str | None = None,
        suite: str | None = None,
        limit: int | None = None,
        since: datetime | None = None,
    ) -> list[Summary]:
        """Figures of runs that began at ``since`` or later, the newest first."""
        check_aware(since)
        with reading(self._engine) as session:
            return summaries.find(session, model, suite, limit, since)

    def latest_summaries(self) -> list[Summary]:
        """Figures of the newest finished run of each model and suite, by name."""
        with reading(self._engine) as session:
            return summaries.latest(session)

    def runs_without_summary(self) -> list[str]:
        """Ids of runs that ended and whose figures are not kept, or not as they count now; oldest first."""
        with reading(self._engine) as session:
            return summaries.missing(session, this_process(), self._clock())

    def run_counts(self) -> dict[tuple[str, str], dict[str, int]]:
        """How many runs there are, by (model, suite) and status; one whose process is gone: interrupted."""
        with reading(self._engine) as session:
            return summaries.counts(session, this_process(), self._clock())

    def last_runs(self) -> list[Run]:
        """The newest run of each model and suite whatever its status, without questions and trials."""
        with reading(self._engine) as session:
            return summaries.last_runs(session, this_process(), self._clock())

    def request_totals(self) -> list[RequestTotals]:
        """All requests ever made of each model whose runs have summaries, by name; no number ever falls."""
        with reading(self._engine) as session:
            return summaries.requests(session)

    # What happened

    def add_model_event(self, event: ModelEvent) -> bool:
        """Keep a sign that another model answers; False when its run showed one of that kind already.

        Raises ``UsageError`` for an unknown run.
        """
        check_aware(event.seen_at)
        with writing(self._engine) as session:
            return summaries.add_event(session, event)

    def model_events(
        self, model: str | None = None, since: datetime | None = None, limit: int | None = None
    ) -> list[ModelEvent]:
        """Signs of another model seen at ``since`` or later, the newest first."""
        check_aware(since)
        with reading(self._engine) as session:
            return summaries.events(session, model, since, limit)

    def source_states(self) -> list[SourceState]:
        """Each source's newest snapshot without its facts, and the number of events by kind; by name."""
        with reading(self._engine) as session:
            return sources.states(session)

    def newly_outdated(self) -> dict[str, int]:
        """How many facts the world's changes made outdated, by model that had them right; never falls."""
        with reading(self._engine) as session:
            return effects.newly_outdated(session)

    # Jobs

    def claim(self, job: str, slot: datetime, lease: timedelta) -> Claim | None:
        """The right to run that slot of a job; None: it is done, or not (yet) to be run.

        Only one of any number of processes and machines gets it. A job's slots are run one at a time and
        in order: None while any slot of it is being run, and for one older than the newest ever begun. The
        newest may be claimed again (``attempt`` + 1) when it failed or was interrupted, or when its owner
        is gone: at once on the owner's machine, elsewhere when the lease ran out.
        """
        check_aware(slot)
        with writing(self._engine) as session:
            now = jobs.times(session, self._clock())
            return jobs.claim(session, job, slot, lease, this_process(), now)

    def renew(self, claim: Claim, lease: timedelta) -> bool:
        """Let the claim hold for that long from now; False: another process has taken the slot."""
        with writing(self._engine) as session:
            return jobs.renew(session, claim, lease, jobs.times(session, self._clock()))

    def settle(self, claim: Claim, outcome: Outcome, error: str | None, seconds: float) -> bool:
        """Say how it went, after ``seconds`` of wall time; secrets in ``error`` are not stored.

        False, and nothing changes: the claim was settled, or another process has taken the slot.
        """
        with writing(self._engine) as session:
            return jobs.settle(session, claim, outcome, error, seconds, self._clock())

    def job_states(self) -> list[JobState]:
        """All jobs that ever ran, by name."""
        with reading(self._engine) as session:
            return jobs.states(session, this_process(), jobs.times(session, self._clock()))

    def last_slot(self, job: str) -> datetime | None:
        """The newest slot that succeeded or is being run."""
        with reading(self._engine) as session:
            return jobs.last_slot(session, job, this_process(), jobs.times(session, self._clock()))
