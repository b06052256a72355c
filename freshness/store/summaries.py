"""Figures that are added up as things happen, so that reading them takes no look at a trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_
from sqlmodel import Session, col, select

from freshness.history import ANSWERED, ModelEvent, RequestTotals, Run, Summary
from freshness.history.buckets import add, grown
from freshness.store import bulk, judgings, loading
from freshness.store.lease import Owner
from freshness.store.runs import row_of, status_of
from freshness.store.scrub import scrub, scrub_all
from freshness.store.tables import ModelEventRow, ModelRequestsRow, ModelRow, RunRow, RunSummaryRow


class Asked(NamedTuple):
    """Whom, and by which suite."""

    model: str
    suite: str


def save(session: Session, summary: Summary, me: Owner, now: datetime) -> bool:
    """Store a summary, unless the run has moved on since; see ``Store.save_summary``."""
    run = row_of(session, summary.run)
    if not _speaks_of(session, run, summary, me, now):
        return False
    row = session.get(RunSummaryRow, run.id)
    _count_requests(session, summary, Summary.from_json(row.body) if row else None)
    body: dict[str, Any] = scrub_all(summary.to_json())
    record = {"model": body["model"], "suite": run.suite, "status": summary.status, "body": body}
    # The primary key decides whether this is a new row.
    session.merge(RunSummaryRow(run_id=run.id, started_at=run.started_at, stale=False, **record))
    return True


def _speaks_of(session: Session, run: RunRow, summary: Summary, me: Owner, now: datetime) -> bool:
    """Whether the run is still as the summary has it: ended so, and judged last then."""
    judged_at = judgings.latest(session, run).judged_at
    return status_of(run, me, now) == summary.status and judged_at == summary.judged_at


def _count_requests(session: Session, new: Summary, old: Summary | None) -> None:
    """Add what this run's summary says more than its last one did."""
    model = scrub(new.model)
    row = session.get(ModelRequestsRow, model)
    row = row or ModelRequestsRow(model=model, outcomes={}, seconds={}, seconds_sum=0.0)
    row.outcomes = add(row.outcomes, grown(_outcomes(new), _outcomes(old) if old else {}))
    row.seconds = add(row.seconds, grown(new.request_seconds, old.request_seconds if old else {}))
    row.seconds_sum += max(0.0, new.request_seconds_sum - (old.request_seconds_sum if old else 0.0))
    session.add(row)


def _outcomes(summary: Summary) -> Mapping[str, int]:
    return {ANSWERED: summary.answered, **summary.errors}


def find(
    session: Session, model: str | None, suite: str | None, limit: int | None, since: datetime | None
) -> list[Summary]:
    """The newest first; see ``Store.summaries``."""
    table = bulk.table("run_summaries")
    columns = table.c
    statement = select(columns.body).order_by(columns.started_at.desc(), columns.run_id.desc()).limit(limit)
    if model is not None:
        statement = statement.where(columns.model == scrub(model))
    if suite is not None:
        statement = statement.where(columns.suite == suite)
    if since is not None:
        statement = statement.where(columns.started_at >= since)
    return [Summary.from_json(body) for body in session.exec(statement)]


def latest(session: Session) -> list[Summary]:
    """That of the newest finished run of each model and suite, by name."""
    table = bulk.table("run_summaries")
    asked = select(table.c.model, table.c.suite).distinct().subquery()
    other = table.alias()
    # One look into an index for each: of two that began in the same moment, the one stored last.
    newest = (
        select(other.c.run_id)
        .where(other.c.status == "finished", other.c.model == asked.c.model, other.c.suite == asked.c.suite)
        .order_by(other.c.started_at.desc(), other.c.run_id.desc())
        .limit(1)
        .correlate(asked)
        .scalar_subquery()
    )
    statement = select(table.c.body).join_from(asked, table, table.c.run_id == newest)
    bodies = session.exec(statement.order_by(asked.c.model, asked.c.suite))
    return [Summary.from_json(body) for body in bodies]


def missing(session: Session, me: Owner, now: datetime) -> list[str]:
    """Runs that ended and whose summary is not there or knows less than they do, the oldest first."""
    summary = col(RunSummaryRow.run_id)
    statement = (
        select(RunRow)
        .outerjoin(RunSummaryRow, summary == RunRow.id)
        .where(or_(summary.is_(None), col(RunSummaryRow.stale).is_(True)))
        .order_by(col(RunRow.id))
    )
    return [run.name for run in session.exec(statement) if status_of(run, me, now) != "running"]


def counts(session: Session, me: Owner, now: datetime) -> dict[tuple[str, str], dict[str, int]]:
    """How many runs of each model and suite stand how; see ``Store.run_counts``."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for model, suite, status, number in (*_ended(session), *_running(session, me, now)):
        of_both = found.setdefault((model, suite), {})
        of_both[status] = of_both.get(status, 0) + number
    return found


def _ended(session: Session) -> Iterable[tuple[str, str, str, int]]:
    group = col(RunRow.model_id), col(RunRow.suite), col(RunRow.status)
    number = func.count().label("number")
    by_row = select(*group, number).where(col(RunRow.status) != "running").group_by(*group).subquery().c
    statement = select(ModelRow.name, by_row.suite, by_row.status, by_row.number)
    return session.exec(
        statement.join_from(ModelRow, by_row.suite.table, col(ModelRow.id) == by_row.model_id)
    )


def _running(session: Session, me: Owner, now: datetime) -> Iterable[tuple[str, str, str, int]]:
    """One by one: a run whose process is gone counts as interrupted."""
    statement = select(ModelRow.name, RunRow).join(RunRow).where(RunRow.status == "running")
    return [(model, run.suite, status_of(run, me, now), 1) for model, run in session.exec(statement)]


def last_runs(session: Session, me: Owner, now: datetime) -> list[Run]:
    """The newest run of each model and suite, whatever its status, without questions and trials."""
    newest = (
        select(RunRow.model_id, RunRow.suite, func.max(RunRow.started_at).label("started_at"))
        .group_by(col(RunRow.model_id), col(RunRow.suite))
        .subquery()
        .c
    )
    same = and_(
        col(RunRow.model_id) == newest.model_id,
        col(RunRow.suite) == newest.suite,
        col(RunRow.started_at) == newest.started_at,
    )
    ids = session.exec(select(RunRow.id).join(newest.suite.table, same)).all()
    # The newest come first; a model has several rows where its address changed.
    found: dict[Asked, Run] = {}
    for run in loading.heads(session, col(RunRow.id).in_(ids), me, now):
        found.setdefault(Asked(run.model, run.suite), run)
    return list(found.values())


def requests(session: Session) -> list[RequestTotals]:
    """By model name."""
    rows = session.exec(select(ModelRequestsRow).order_by(col(ModelRequestsRow.model)))
    return [RequestTotals(row.model, row.outcomes, row.seconds, row.seconds_sum) for row in rows]


def add_event(session: Session, event: ModelEvent) -> bool:
    """Store an event; False when the run has one of that kind; see ``Store.add_model_event``."""
    record: dict[str, Any] = asdict(event)
    record["run_id"] = row_of(session, record.pop("run")).id
    record |= {name: scrub(record[name]) for name in ("model", "before", "after")}
    statement = bulk.insert(session, "model_events").values(record)
    added = statement.on_conflict_do_nothing(index_elements=("run_id", "kind"))
    return session.execute(added.returning(bulk.table("model_events").c.id)).first() is not None


def events(
    session: Session, model: str | None, since: datetime | None, limit: int | None
) -> list[ModelEvent]:
    """The newest first; see ``Store.model_events``."""
    wanted: list[ColumnElement[bool]] = []
    if model is not None:
        wanted.append(col(ModelEventRow.model) == scrub(model))
    if since is not None:
        wanted.append(col(ModelEventRow.seen_at) >= since)
    newest_first = col(ModelEventRow.seen_at).desc(), col(ModelEventRow.id).desc()
    statement = select(ModelEventRow, RunRow.name).join(RunRow).where(*wanted)
    return [
        ModelEvent(row.model, _kind(row), row.seen_at, run, row.before, row.after, row.p_value)
        for row, run in session.exec(statement.order_by(*newest_first).limit(limit))
    ]


def _kind(row: ModelEventRow) -> Any:
    return row.kind
