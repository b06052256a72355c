"""Snapshots: what each source said, whole, with facts stored once for each content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import SelectBase
from sqlmodel import Session, col, select

from freshness.facts import Fact, Snapshot, ValidityInterval, Value
from freshness.store import bulk
from freshness.store.records import fact_of, fact_record, interval_of, interval_record, value_of, value_record
from freshness.store.tables import SnapshotFactRow, SnapshotRow, ValueRow


def save(session: Session, snapshot: Snapshot, seen_at: datetime) -> tuple[SnapshotRow, bool]:
    """Store what was seen: its row, and False when the source said nothing new."""
    last = newest(session, snapshot.source)
    digest = snapshot.digest
    if last is not None:
        # A clock that was set back must not put a newer observation before an older one.
        seen_at = max(seen_at, last.last_seen)
    if last is not None and last.digest == digest:
        last.last_seen = seen_at
        last.taken_at = max(last.taken_at, snapshot.taken_at)
        session.add(last)
        return last, False
    return _insert(session, snapshot, digest, seen_at), True


def newest(session: Session, source: str) -> SnapshotRow | None:
    """The row of the source's newest snapshot."""
    statement = select(SnapshotRow).where(SnapshotRow.source == source)
    return session.exec(statement.order_by(col(SnapshotRow.id).desc())).first()


def _insert(session: Session, snapshot: Snapshot, digest: str, seen_at: datetime) -> SnapshotRow:
    row = SnapshotRow(
        source=snapshot.source,
        digest=digest,
        taken_at=snapshot.taken_at,
        first_seen=seen_at,
        last_seen=seen_at,
    )
    session.add(row)
    session.flush()
    ids = intern_facts(session, snapshot.facts)
    places = [
        {"snapshot_id": row.id, "position": position, "fact_id": fact_id}
        for position, fact_id in enumerate(ids)
    ]
    bulk.insert_all(session, "snapshot_facts", places)
    return row


def intern_facts(session: Session, facts: Sequence[Fact]) -> list[int]:
    """The id of each fact; those not seen before are stored with their values and intervals."""
    # In pieces, so that the rows of 13,000 facts are never in memory at once.
    return [fact_id for batch in bulk.batches(facts) for fact_id in _intern(session, batch)]


def _intern(session: Session, facts: Sequence[Fact]) -> list[int]:
    records = [fact_record(fact) for fact in facts]
    ids, fresh = bulk.intern(session, "facts", records)
    new = {ids[r["digest"]]: fact for r, fact in zip(records, facts, strict=True) if r["digest"] in fresh}
    values = [
        value_record(fact_id, position, value)
        for fact_id, fact in new.items()
        for position, value in enumerate(fact.values)
    ]
    bulk.insert_all(session, "fact_values", values)
    _insert_intervals(session, new)
    return [ids[record["digest"]] for record in records]


def _insert_intervals(session: Session, facts: dict[int, Fact]) -> None:
    if not facts:
        return
    # The facts are new, and writers take turns: their values are the last ones.
    statement = select(ValueRow.id, ValueRow.fact_id, ValueRow.position)
    rows = session.exec(statement.where(col(ValueRow.fact_id) >= min(facts)))
    intervals = [
        interval_record(value_id, position, interval)
        for value_id, fact_id, place in rows
        if fact_id in facts
        for position, interval in enumerate(facts[fact_id].values[place].intervals)
    ]
    bulk.insert_all(session, "fact_intervals", intervals)


def latest(session: Session, source: str | None) -> Snapshot | None:
    """The source's newest snapshot; of all sources, the one that speaks of the latest moment."""
    if source is not None:
        row = newest(session, source)
    else:
        newest_first = col(SnapshotRow.taken_at).desc(), col(SnapshotRow.id).desc()
        row = session.exec(select(SnapshotRow).order_by(*newest_first)).first()
    return None if row is None else of_row(session, row)


def by_digest(session: Session, digest: str) -> Snapshot | None:
    """The newest snapshot with these facts."""
    statement = select(SnapshotRow).where(SnapshotRow.digest == digest).order_by(col(SnapshotRow.id).desc())
    row = session.exec(statement).first()
    return None if row is None else of_row(session, row)


def of_row(session: Session, row: SnapshotRow) -> Snapshot:
    """The snapshot with its facts in their order."""
    members = select(SnapshotFactRow.fact_id).where(SnapshotFactRow.snapshot_id == row.id)
    facts = load_facts(session, members)
    ordered = session.exec(members.order_by(col(SnapshotFactRow.position)))
    return Snapshot(row.source, row.taken_at, tuple(facts[fact_id] for fact_id in ordered))


def load_facts(session: Session, ids: SelectBase) -> dict[int, Fact]:
    """The facts that ``ids`` selects, with values and intervals, in three queries.

    Plain rows: for a snapshot of 13,000 facts, row objects would take ten times as long.
    """
    facts, values, spans = (bulk.table(name) for name in ("facts", "fact_values", "fact_intervals"))
    of_values = values.c.fact_id.in_(ids)
    intervals: defaultdict[int, list[ValidityInterval]] = defaultdict(list)
    of_spans = spans.select().join(values, values.c.id == spans.c.value_id).where(of_values)
    for row in session.execute(of_spans.order_by(spans.c.value_id, spans.c.position)):
        intervals[row.value_id].append(interval_of(row))
    held: defaultdict[int, list[Value]] = defaultdict(list)
    ordered = values.select().where(of_values).order_by(values.c.fact_id, values.c.position)
    for row in session.execute(ordered):
        held[row.fact_id].append(value_of(row, intervals[row.id]))
    rows = session.execute(facts.select().where(facts.c.id.in_(ids)))
    return {row.id: fact_of(row, held[row.id]) for row in rows}
