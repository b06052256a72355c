"""The history: what was seen, asked, answered and judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import func, select, text
from sqlmodel import Session

from freshness.changes import Event
from freshness.facts import Snapshot
from freshness.history import Run, Trial
from freshness.questions import Question
from freshness.store import events, loading, observed, refreshes, runs, snapshots
from freshness.store.daily import Daily
from freshness.store.engine import parse_url, reading, writing
from freshness.store.judgings import Edition
from freshness.store.numbers import Numbers
from freshness.store.observed import Observed
from freshness.store.opened import Clock, check_aware, this_process
from freshness.store.records import question_record, request_digest
from freshness.store.retention import Retention
from freshness.store.schema import connect
from freshness.store.tables import Base
from freshness.verdicts import Judgement

RESUME_WITHIN: Final = timedelta(days=7)
"""An older run is not gone on with: the model behind the name may be another by now."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Rows in each table, and the bytes of the whole database."""

    rows: dict[str, int]
    size: int


def now_utc() -> datetime:
    return datetime.now(UTC)


def open_store(url: str, *, create: bool = True, keep_answers: bool = True, clock: Clock = now_utc) -> Store:
    """Open the database at ``sqlite:///FILE`` or ``postgresql+psycopg://…``.

    A new one is made (with its directory) unless ``create`` is False; an older schema is upgraded.
    With ``keep_answers`` False the texts of answers are judged but not stored. ``clock`` gives the
    present as an aware datetime, for claims on runs and the times of judgings.

    Raises ``StoreError`` in one line: newer schema, not a database, no rights, not there.
    """
    return Store(connect(parse_url(url), create=create), keep_answers=keep_answers, clock=clock)


class Store(Daily, Numbers, Retention):
    """An open database, for one process and any number of its threads; make one with ``open_store``.

    Every method is one short transaction. Reading raises ``StoreError``; writing raises
    ``StoreWriteError``, after which nothing of that call is stored, and all that was before still is.
    Datetimes must be aware, else ``ValueError``.
    """

    # What was seen

    def save_snapshot(self, snapshot: Snapshot, seen_at: datetime) -> bool:
        """Store what a source said and when we saw it; False when it said the same as last time.

        ``seen_at`` never runs backwards for one source: an earlier time counts as the last one seen.
        """
        check_aware(seen_at)
        with writing(self._engine) as session:
            return snapshots.save(session, snapshot, seen_at)[1]

    def save_refresh(
        self,
        snapshot: Snapshot,
        seen_at: datetime,
        *,
        known: str | None,
        unconfirmed: Collection[str] = (),
        events: Sequence[Event] = (),
    ) -> bool:
        """Store what a refresh brought, in one transaction: the snapshot and the events since the last.

        ``known``: digest of the source's newest snapshot that this one was compared with (None: there was
        none). When another process has stored a newer one meanwhile, nothing is stored and the answer is
        False: compare again. ``unconfirmed``: ids (``Q38/P6``) of facts that are kept as they were because
        the source gave nothing usable; each was last seen when the source last gave it. Times never run
        backwards, as in ``save_snapshot``. Raises ``ValueError`` for an unconfirmed fact that is not both
        in this snapshot and in the last one.
        """
        check_aware(seen_at)
        with writing(self._engine) as session:
            return refreshes.save(session, snapshot, seen_at, known, unconfirmed, events)

    def latest_snapshot(self, source: str | None = None) -> Snapshot | None:
        """The source's newest snapshot; of all sources, the one that speaks of the latest moment."""
        with reading(self._engine) as session:
            return snapshots.latest(session, source)

    def snapshot(self, digest: str) -> Snapshot | None:
        """The newest snapshot with this digest."""
        with reading(self._engine) as session:
            return snapshots.by_digest(session, digest)

    def fact_as_observed(self, subject: str, property_id: str, on: datetime) -> Observed | None:
        """What was on record at the moment ``on`` of a fact (subject by id or name); None: nothing yet.

        A source that no longer gives a fact has not taken it back: its last word counts.
        """
        check_aware(on)
        with reading(self._engine) as session:
            return observed.as_observed(session, subject, property_id, on)

    def fact_history(self, subject: str, property_id: str) -> list[Observed]:
        """All that was ever on record of a fact, each source's in order of time."""
        with reading(self._engine) as session:
            return observed.fact_history(session, subject, property_id)

    def seen(self, source: str) -> dict[str, tuple[datetime, datetime]]:
        """From when to when each fact (by id) of the source's newest snapshot was seen as it is now.

        Without a break: a fact that was another meanwhile counts from when it came back. Empty where there
        is no snapshot of that source.
        """
        with reading(self._engine) as session:
            return observed.seen(session, source)

    def events(self, since: datetime | None = None, limit: int | None = None) -> list[Event]:
        """Changes and revisions seen at ``since`` or later: the newest first, one refresh's in its order."""
        check_aware(since)
        with reading(self._engine) as session:
            return events.find(session, since, limit)

    # What was asked

    def start_run(
        self,
        run: Run,
        questions: Sequence[Question],
        *,
        spec: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Store a new run and the questions it will ask; this process owns it until it ends.

        ``spec``: what the model's name stands for (default: the name itself). ``options``: all else that
        the answers depend on (style, token limit). Secrets in them are not stored. Raises ``ValueError``
        when a question comes twice, ``StoreWriteError`` when there is a run of that id.
        """
        with writing(self._engine) as session:
            runs.start(
                session, run, questions, spec or run.model, options or {}, this_process(), self._clock()
            )

    def unfinished_run(
        self,
        run: Run,
        questions: Sequence[Question],
        *,
        spec: str | None = None,
        options: Mapping[str, Any] | None = None,
        max_age: timedelta = RESUME_WITHIN,
    ) -> Run | None:
        """The interrupted run that asks just what ``run`` would ask, now owned by this process.

        The same model, spec, options, suite, judge, date, snapshot and questions (the run's own id and
        times don't matter). Its trials are those stored already; the ones with an error are to be asked
        again. None: there is none, or another process is asking it right now.
        """
        records = [question_record(question) for question in questions]
        request = request_digest(run, spec or run.model, options or {}, records)
        now = self._clock()
        with writing(self._engine) as session:
            run_id = runs.take_over(session, request, this_process(), now, max_age)
        return None if run_id is None else self.run(run_id)

    def add_trials(self, run_id: str, trials: Sequence[Trial]) -> int:
        """Store trials as they come; returns how many were new.

        A prompt that was answered keeps its first answer; an error gives way to what comes after it.
        Raises ``ValueError`` for a question that isn't the run's, ``StoreWriteError`` when the run has
        ended or another process has taken it over.
        """
        with writing(self._engine) as session:
            return runs.add_trials(
                session, run_id, trials, this_process(), self._clock(), keep_answers=self._keep_answers
            )

    def finish_run(
        self,
        run_id: str,
        finished_at: datetime,
        status: Literal["finished", "interrupted", "failed"],
        *,
        seconds: float | None = None,
        details: Mapping[str, Any] | None = None,
        served_model: str | None = None,
    ) -> None:
        """End a run of this process; unless it is ``finished``, ``unfinished_run`` finds it again.

        ``details`` and ``served_model`` replace what the run began with. Raises ``StoreWriteError`` when
        the run has ended or another process has taken it over.
        """
        with writing(self._engine) as session:
            runs.finish(
                session,
                run_id,
                this_process(),
                finished_at=finished_at,
                status=status,
                seconds=seconds,
                details=details,
                served_model=served_model,
            )

    def run(self, run_id: str, *, as_asked: bool = False) -> Run:
        """A run with its questions and trials, each with the judgement that counts: the latest.

        ``judge`` and ``as_of`` (the questions' too) are those of that judging, and so are the questions'
        keys and the snapshot, where it judged by other facts or numbers. ``as_asked``: date, snapshot
        and questions as they were when it was asked, whatever it was judged by since. The status of a run
        whose process is gone is ``interrupted``. Raises ``UsageError`` for an unknown id.
        """
        with reading(self._engine) as session:
            return loading.load(session, run_id, this_process(), self._clock(), as_asked=as_asked)

    def runs_about(self, facts: Collection[str], suite: str = "current") -> list[Run]:
        """For each model and each of these facts (by id) the newest finished run that asked about it.

        A model has several where its newest run did not ask about all. Each comes with the questions (and
        their trials) for which it is the newest, judged as they count now; the newest run first.
        """
        with reading(self._engine) as session:
            return loading.about(session, facts, suite, this_process(), self._clock())

    def runs(self, model: str | None = None, suite: str | None = None, limit: int | None = None) -> list[Run]:
        """Runs without their questions and trials, the newest first."""
        with reading(self._engine) as session:
            return loading.find(session, model, suite, limit, this_process(), self._clock())

    def models(self) -> list[str]:
        """Names of all models that were ever asked, sorted."""
        with reading(self._engine) as session:
            return loading.model_names(session)

    # What was judged

    def add_judgements(
        self,
        run_id: str,
        judge: str,
        as_of: date,
        judged: Mapping[tuple[str, str], Judgement],
        *,
        key: Snapshot | Edition | None = None,
        renewed: Sequence[Question] = (),
    ) -> int:
        """Store another judging of a run's answers, which counts from now on; returns how many differ.

        ``judged``: by question id and prompt name, all answers that were kept (no error, no flag
        ``answer_not_kept``), else ``ValueError``. ``key``: the facts that they were judged by, where those
        are not the questions' own values; a question about a fact that is not in it keeps its own. Or the
        edition of the series, with the questions whose keys it made anew in ``renewed``. Earlier judgements
        stay on record. Raises ``UsageError`` for an unknown id, ``StoreError`` while the run is being asked.
        """
        with writing(self._engine) as session:
            return runs.judge_again(
                session, run_id, judge, as_of, judged, key, renewed, this_process(), self._clock()
            )

    def sizes(self) -> Sizes:
        """How much there is of everything."""
        with reading(self._engine) as session:
            rows = {
                table.name: session.scalar(select(func.count()).select_from(table)) or 0
                for table in Base.metadata.sorted_tables
            }
            return Sizes(rows, _bytes(session))


_BYTES: Final = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    "postgresql": "SELECT pg_database_size(current_database())",
}


def _bytes(session: Session) -> int:
    return int(session.scalar(text(_BYTES[session.get_bind().dialect.name])) or 0)
