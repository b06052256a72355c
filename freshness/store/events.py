"""Events: what changed in the world or in the record of it, with the facts before and after."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Select, select, union
from sqlmodel import Session

from freshness.changes import Event
from freshness.store import bulk, snapshots
from freshness.store.records import event_of, event_record
from freshness.store.tables import SnapshotRow


def save(session: Session, events: Sequence[Event], snapshot: SnapshotRow, not_before: datetime) -> None:
    """Store what a snapshot told; an event seen before ``not_before`` counts as seen then."""
    facts = [fact for event in events for fact in (event.before, event.after)]
    ids = snapshots.intern_facts(session, facts)
    records = [
        event_record(event, snapshot.id, max(event.seen_at, not_before), before, after)
        for event, before, after in zip(events, ids[::2], ids[1::2], strict=True)
    ]
    bulk.insert_all(session, "events", records)


def find(session: Session, since: datetime | None, limit: int | None) -> list[Event]:
    """The newest first, those of one refresh in its order, in four queries."""
    table = bulk.table("events")
    columns = table.c
    statement = table.select().order_by(columns.seen_at.desc(), columns.snapshot_id.desc(), columns.id)
    if since is not None:
        statement = statement.where(columns.seen_at >= since)
    statement = statement.limit(limit)
    facts = snapshots.load_facts(session, _facts_of(statement))
    return [
        event_of(row, facts[row.before_fact_id], facts[row.after_fact_id])
        for row in session.execute(statement)
    ]


def _facts_of(statement: Select[tuple[object, ...]]) -> Select[tuple[int]]:
    """Row numbers of the facts of these events."""
    chosen = statement.cte("chosen").c
    both = union(select(chosen.before_fact_id), select(chosen.after_fact_id)).subquery()
    return select(both.c.before_fact_id)
