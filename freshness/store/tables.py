"""The tables. Rows never leave ``store``: ``records`` turns them into the core's dataclasses and back.

::

    snapshots ──< snapshot_facts >── facts ──< fact_values ──< fact_intervals
        └──< events >────────────────┘
    models ──< runs ──< run_questions >── questions
                 │            └──────────────< trials
                 └──< judgings ──< judgements >──┘
                          ├──< judging_facts >── facts, questions
                          └──< judging_questions >── questions
    runs ──< run_summaries, model_events      model_requests      jobs ──< job_runs
    vintages ──< vintage_series >── series
        └──< series_events      series_faults

Facts and questions are stored once for each content (``digest``), however often they were seen or
asked. Facts are bitemporal: ``fact_intervals`` say when a value holds in the world; the snapshots
that hold the fact say from when to when we saw it so. An event refers to what a fact was before and is
after; a judging by other facts than the questions' own refers to those, one by other numbers to the
questions as these numbers make them. What is read at each scrape is added up when it happens:
``run_summaries``, ``model_requests``, ``jobs``. Series too are stored once for each content, however many
vintages gave them so.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Final, get_args

from sqlalchemy import JSON, ForeignKeyConstraint, Index, MetaData, Text, UniqueConstraint
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from freshness.changes.events import Kind
from freshness.changes.revisions import SeriesKind
from freshness.facts import Holders, Rank
from freshness.history.jobs import Outcome
from freshness.history.summaries import EventKind
from freshness.store.types import SafeText, UtcDateTime, one_of, words_column, words_of
from freshness.verdicts import Verdict

# Written out, because constraints without names can't be changed by a later migration.
NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
HOLDERS: Final[tuple[str, ...]] = get_args(Holders)
RANKS: Final = words_of(Rank)
STATUSES: Final = ("running", "finished", "interrupted", "failed")
FINISHES: Final = ("stop", "length")
KINDS: Final[tuple[str, ...]] = get_args(Kind)
SERIES_KINDS: Final[tuple[str, ...]] = get_args(SeriesKind)
VERDICTS: Final = words_of(Verdict)
MODEL_EVENTS: Final[tuple[str, ...]] = get_args(EventKind)
OUTCOMES: Final[tuple[str, ...]] = get_args(Outcome)


class Base(SQLModel, registry=registry(metadata=MetaData(naming_convention=NAMES))):
    """Base of all rows, with a registry and metadata of its own."""


class SnapshotRow(Base, table=True):
    """What one source gave from ``first_seen`` to ``last_seen`` without a change (our clock)."""

    __tablename__ = "snapshots"
    __table_args__ = (Index(None, "source", "first_seen"), Index(None, "digest"))

    id: int = Field(default=None, primary_key=True)
    source: str = Field(sa_type=SafeText)
    digest: str = Field(sa_type=Text)
    taken_at: datetime = Field(sa_type=UtcDateTime)
    first_seen: datetime = Field(sa_type=UtcDateTime)
    last_seen: datetime = Field(sa_type=UtcDateTime)


class FactRow(Base, table=True):
    """One content of one fact, shared by all snapshots that saw it so."""

    __tablename__ = "facts"
    __table_args__ = (
        UniqueConstraint("digest"),
        Index(None, "subject_id", "property"),
        Index(None, "subject_name", "property"),
        one_of("holders", HOLDERS),
    )

    id: int = Field(default=None, primary_key=True)
    digest: str = Field(sa_type=Text)
    group: str = Field(sa_type=SafeText)
    subject_id: str = Field(sa_type=SafeText)
    subject_name: str = Field(sa_type=SafeText)
    property: str = Field(sa_type=SafeText)
    holders: str = Field(sa_column=words_column(HOLDERS))
    office: str | None = Field(default=None, sa_type=SafeText)
    dissolved: str | None = Field(default=None, sa_type=Text)
    flaws: list[dict[str, Any]] = Field(default=[], sa_type=JSON, sa_column_kwargs={"server_default": "[]"})


class SnapshotFactRow(Base, table=True):
    """A fact's place in a snapshot.

    ``seen_at``: when the source last gave the fact, where it gave nothing usable since and the fact was
    kept as it was; null: the source gave it whenever the snapshot was seen.
    """

    __tablename__ = "snapshot_facts"

    snapshot_id: int = Field(foreign_key="snapshots.id", primary_key=True, ondelete="CASCADE")
    position: int = Field(primary_key=True)
    fact_id: int = Field(foreign_key="facts.id", index=True)
    seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ValueRow(Base, table=True):
    """One value of a fact, with the names it goes by."""

    __tablename__ = "fact_values"
    __table_args__ = (UniqueConstraint("fact_id", "position"), one_of("rank", RANKS))

    id: int = Field(default=None, primary_key=True)
    fact_id: int = Field(foreign_key="facts.id", ondelete="CASCADE")
    position: int
    item: str | None = Field(default=None, sa_type=SafeText)
    label: str = Field(sa_type=SafeText)
    aliases: list[str] = Field(sa_type=JSON)
    rank: str = Field(sa_column=words_column(RANKS))


class IntervalRow(Base, table=True):
    """When a value holds: dates as text in their precision; see ``facts.ValidityInterval``."""

    __tablename__ = "fact_intervals"

    value_id: int = Field(foreign_key="fact_values.id", primary_key=True, ondelete="CASCADE")
    position: int = Field(primary_key=True)
    start: str | None = Field(default=None, sa_type=Text)
    end: str | None = Field(default=None, sa_type=Text)
    ended: bool


class EventRow(Base, table=True):
    """What the snapshot told of one fact that the one before did not; see ``changes.Event``."""

    __tablename__ = "events"
    __table_args__ = (Index(None, "seen_at"), one_of("kind", KINDS))

    id: int = Field(default=None, primary_key=True)
    snapshot_id: int = Field(foreign_key="snapshots.id", index=True, ondelete="CASCADE")
    kind: str = Field(sa_column=words_column(KINDS))
    seen_at: datetime = Field(sa_type=UtcDateTime)
    before_fact_id: int = Field(foreign_key="facts.id", index=True)
    after_fact_id: int = Field(foreign_key="facts.id", index=True)
    was: list[str] = Field(sa_type=JSON)
    now: list[str] = Field(sa_type=JSON)
    effects: list[dict[str, str]] = Field(sa_type=JSON)


class ModelRow(Base, table=True):
    """A model as it was asked for: the name and the spec behind it, without secrets."""

    __tablename__ = "models"
    __table_args__ = (UniqueConstraint("name", "spec"),)

    id: int = Field(default=None, primary_key=True)
    name: str = Field(sa_type=SafeText)
    spec: str = Field(sa_type=SafeText)


class RunRow(Base, table=True):
    """One suite put to one model once. The ``owner`` columns: which process asks it now, and until when."""

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("name"),
        Index(None, "model_id", "suite", "started_at"),
        Index(None, "status", "model_id", "suite"),
        Index(None, "request"),
        one_of("status", STATUSES),
    )

    id: int = Field(default=None, primary_key=True)
    name: str = Field(sa_type=Text)
    model_id: int = Field(foreign_key="models.id")
    suite: str = Field(sa_type=Text)
    as_of: date
    started_at: datetime = Field(sa_type=UtcDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    status: str = Field(sa_column=words_column(STATUSES))
    seconds: float | None = None
    snapshot_source: str = Field(sa_type=SafeText)
    snapshot_taken_at: datetime = Field(sa_type=UtcDateTime)
    snapshot_digest: str = Field(sa_type=Text)
    judge: str = Field(sa_type=Text)
    served_model: str = Field(sa_type=SafeText)
    details: dict[str, Any] = Field(sa_type=JSON)
    request: str = Field(sa_type=Text)
    owner_host: str | None = Field(default=None, sa_type=Text)
    owner_pid: int | None = None
    owner_token: str | None = Field(default=None, sa_type=Text)
    owner_until: datetime | None = Field(default=None, sa_type=UtcDateTime)


class QuestionRow(Base, table=True):
    """One content of one question: prompts and key, without the date it is asked about."""

    __tablename__ = "questions"
    __table_args__ = (UniqueConstraint("digest"), Index(None, "fact"))

    id: int = Field(default=None, primary_key=True)
    digest: str = Field(sa_type=Text)
    suite: str = Field(sa_type=Text)
    name: str = Field(sa_type=SafeText)
    group: str = Field(sa_type=SafeText)
    fact: str = Field(sa_type=SafeText)
    body: dict[str, Any] = Field(sa_type=JSON)


class RunQuestionRow(Base, table=True):
    """A question asked in a run, about a date, in its place."""

    __tablename__ = "run_questions"

    run_id: int = Field(foreign_key="runs.id", primary_key=True, ondelete="CASCADE")
    question_id: int = Field(foreign_key="questions.id", primary_key=True, index=True)
    position: int
    as_of: date


class TrialRow(Base, table=True):
    """One prompt put to the run's model: its raw answer (null where it isn't kept), or why there is none."""

    __tablename__ = "trials"
    __table_args__ = (
        UniqueConstraint("run_id", "question_id", "prompt"),
        ForeignKeyConstraint(
            ["run_id", "question_id"],
            ["run_questions.run_id", "run_questions.question_id"],
            ondelete="CASCADE",
        ),
        one_of("finish", FINISHES),
    )

    id: int = Field(default=None, primary_key=True)
    run_id: int
    question_id: int
    prompt: str = Field(sa_type=SafeText)
    asked: str = Field(sa_type=SafeText)
    answer: str | None = Field(default=None, sa_type=SafeText)
    error: str | None = Field(default=None, sa_type=SafeText)
    error_kind: str | None = Field(default=None, sa_type=Text)
    finish: str | None = Field(default=None, sa_column=words_column(FINISHES, nullable=True))
    seconds: float | None = None
    served_model: str | None = Field(default=None, sa_type=SafeText)
    fingerprint: str | None = Field(default=None, sa_type=SafeText)
    flags: list[str] = Field(sa_type=JSON)


class JudgingRow(Base, table=True):
    """One pass of one version of a judge over all answers of a run, as of a date; the latest counts.

    The ``key`` columns: the snapshot whose facts it judged by; null: the questions' own key.
    """

    __tablename__ = "judgings"

    id: int = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="runs.id", index=True, ondelete="CASCADE")
    judge: str = Field(sa_type=Text)
    as_of: date
    judged_at: datetime = Field(sa_type=UtcDateTime)
    key_source: str | None = Field(default=None, sa_type=SafeText)
    key_taken_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    key_digest: str | None = Field(default=None, sa_type=Text)


class JudgingFactRow(Base, table=True):
    """The fact by which a judging judged the answers to a question, instead of the question's own key."""

    __tablename__ = "judging_facts"

    judging_id: int = Field(foreign_key="judgings.id", primary_key=True, ondelete="CASCADE")
    question_id: int = Field(foreign_key="questions.id", primary_key=True, index=True)
    fact_id: int = Field(foreign_key="facts.id", index=True)


class JudgingQuestionRow(Base, table=True):
    """A question as a judging judged it, by newer numbers, instead of as it was asked."""

    __tablename__ = "judging_questions"

    judging_id: int = Field(foreign_key="judgings.id", primary_key=True, ondelete="CASCADE")
    question_id: int = Field(foreign_key="questions.id", primary_key=True, index=True)
    renewed_id: int = Field(foreign_key="questions.id", index=True)


class JudgementRow(Base, table=True):
    """What a judging said of a trial; only what differs from the judging before it."""

    __tablename__ = "judgements"
    __table_args__ = (one_of("verdict", VERDICTS),)

    trial_id: int = Field(foreign_key="trials.id", primary_key=True, ondelete="CASCADE")
    judging_id: int = Field(foreign_key="judgings.id", primary_key=True, index=True, ondelete="CASCADE")
    verdict: str = Field(sa_column=words_column(VERDICTS))
    rule: str = Field(sa_type=Text)
    matched: str | None = Field(default=None, sa_type=SafeText)
    mention: str | None = Field(default=None, sa_type=SafeText)
    span_start: int | None = None
    span_end: int | None = None
    lag_days: int | None = None
    lag_values: int | None = None


class RunSummaryRow(Base, table=True):
    """A run's figures when it last ended or was judged; see ``history.Summary``.

    ``stale``: something happened since that the figures don't know of.
    """

    __tablename__ = "run_summaries"
    __table_args__ = (
        Index(None, "model", "suite", "started_at", "status"),
        Index(None, "started_at"),
        one_of("status", STATUSES),
    )

    run_id: int = Field(foreign_key="runs.id", primary_key=True, ondelete="CASCADE")
    model: str = Field(sa_type=SafeText)
    suite: str = Field(sa_type=Text)
    status: str = Field(sa_column=words_column(STATUSES))
    started_at: datetime = Field(sa_type=UtcDateTime)
    stale: bool = False
    body: dict[str, Any] = Field(sa_type=JSON)


class ModelRequestsRow(Base, table=True):
    """All requests of a model, added up from its runs' summaries; see ``history.RequestTotals``."""

    __tablename__ = "model_requests"

    model: str = Field(primary_key=True, sa_type=SafeText)
    outcomes: dict[str, int] = Field(sa_type=JSON)
    seconds: dict[str, int] = Field(sa_type=JSON)
    seconds_sum: float


class ModelEventRow(Base, table=True):
    """A sign that another model answers behind a name; see ``history.ModelEvent``."""

    __tablename__ = "model_events"
    __table_args__ = (
        UniqueConstraint("run_id", "kind"),
        Index(None, "model", "seen_at"),
        Index(None, "seen_at"),
        one_of("kind", MODEL_EVENTS),
    )

    id: int = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="runs.id", ondelete="CASCADE")
    model: str = Field(sa_type=SafeText)
    kind: str = Field(sa_column=words_column(MODEL_EVENTS))
    seen_at: datetime = Field(sa_type=UtcDateTime)
    before: str = Field(sa_type=SafeText)
    after: str = Field(sa_type=SafeText)
    p_value: float | None = None


class JobRow(Base, table=True):
    """A job of the daemon, with what is known of all its runs; see ``history.JobState``.

    ``slot``: the newest that was ever begun, whether or not its row is still there; ``attempt``: of that.
    """

    __tablename__ = "jobs"
    __table_args__ = (UniqueConstraint("name"), one_of("last_outcome", OUTCOMES))

    id: int = Field(default=None, primary_key=True)
    name: str = Field(sa_type=SafeText)
    slot: datetime = Field(sa_type=UtcDateTime)
    attempt: int
    succeeded_slot: datetime | None = Field(default=None, sa_type=UtcDateTime)
    last_started_at: datetime = Field(sa_type=UtcDateTime)
    last_finished_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    last_success_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    last_outcome: str | None = Field(default=None, sa_column=words_column(OUTCOMES, nullable=True))
    last_error: str | None = Field(default=None, sa_type=SafeText)
    failures_in_a_row: int = 0
    outcomes: dict[str, int] = Field(default={}, sa_type=JSON)
    seconds: dict[str, int] = Field(default={}, sa_type=JSON)
    seconds_sum: float = 0.0


class JobRunRow(Base, table=True):
    """One slot of a job; ``status`` ``running`` while the owner's claim holds, else the last outcome."""

    __tablename__ = "job_runs"
    __table_args__ = (
        UniqueConstraint("job_id", "slot"),
        Index(None, "started_at"),
        one_of("status", ("running", *OUTCOMES)),
    )

    id: int = Field(default=None, primary_key=True)
    job_id: int = Field(foreign_key="jobs.id", ondelete="CASCADE")
    slot: datetime = Field(sa_type=UtcDateTime)
    attempt: int
    status: str = Field(sa_column=words_column(("running", *OUTCOMES)))
    started_at: datetime = Field(sa_type=UtcDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    seconds: float | None = None
    error: str | None = Field(default=None, sa_type=SafeText)
    owner_host: str = Field(sa_type=Text)
    owner_pid: int
    owner_token: str = Field(sa_type=Text)
    owner_until: datetime = Field(sa_type=UtcDateTime)


class SeriesRow(Base, table=True):
    """One content of one indicator for one entity, shared by all vintages that gave it so.

    ``points``: pairs of year and value, in the order of the years.
    """

    __tablename__ = "series"
    __table_args__ = (UniqueConstraint("digest"), Index(None, "indicator"))

    id: int = Field(default=None, primary_key=True)
    digest: str = Field(sa_type=Text)
    indicator: str = Field(sa_type=SafeText)
    entity: str = Field(sa_type=SafeText)
    code: str = Field(sa_type=SafeText)
    points: list[tuple[int, float]] = Field(sa_type=JSON)


class VintageRow(Base, table=True):
    """One edition of an indicator's data: a source gave it from ``first_seen`` to ``last_seen`` (our clock).

    ``definition``: the indicator as it was defined then. ``words``: what the publisher says of the edition:
    title, unit, dates, citation, licence. ``newest_year`` and ``countries``: of its countries' series.
    """

    __tablename__ = "vintages"
    __table_args__ = (Index(None, "source", "indicator"),)

    id: int = Field(default=None, primary_key=True)
    source: str = Field(sa_type=SafeText)
    indicator: str = Field(sa_type=SafeText)
    digest: str = Field(sa_type=Text)
    definition: dict[str, Any] = Field(sa_type=JSON)
    words: dict[str, Any] = Field(sa_type=JSON)
    fetched_at: datetime = Field(sa_type=UtcDateTime)
    first_seen: datetime = Field(sa_type=UtcDateTime)
    last_seen: datetime = Field(sa_type=UtcDateTime)
    newest_year: int | None = None
    countries: int


class VintageSeriesRow(Base, table=True):
    """A series' place in a vintage."""

    __tablename__ = "vintage_series"

    vintage_id: int = Field(foreign_key="vintages.id", primary_key=True, ondelete="CASCADE")
    position: int = Field(primary_key=True)
    series_id: int = Field(foreign_key="series.id", index=True)


class SeriesEventRow(Base, table=True):
    """What a vintage told of one series that the one before did not; see ``changes.SeriesEvent``."""

    __tablename__ = "series_events"
    __table_args__ = (Index(None, "seen_at"), one_of("kind", SERIES_KINDS))

    id: int = Field(default=None, primary_key=True)
    vintage_id: int = Field(foreign_key="vintages.id", index=True, ondelete="CASCADE")
    kind: str = Field(sa_column=words_column(SERIES_KINDS))
    seen_at: datetime = Field(sa_type=UtcDateTime)
    indicator: str = Field(sa_type=SafeText)
    entity: str = Field(sa_type=SafeText)
    code: str = Field(sa_type=SafeText)
    body: dict[str, Any] = Field(sa_type=JSON)


class SeriesFaultRow(Base, table=True):
    """Why an indicator could not be fetched, or was not taken, the last time; gone when it was."""

    __tablename__ = "series_faults"

    source: str = Field(primary_key=True, sa_type=SafeText)
    indicator: str = Field(primary_key=True, sa_type=SafeText)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    kind: str = Field(sa_type=SafeText)
    text: str = Field(sa_type=SafeText)
