"""Facts as observed: what each source said, and from when to when we saw it say so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sqlalchemy import and_, or_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from freshness.facts import Fact, Snapshot, ValidityInterval, Value
from freshness.store import bulk
from freshness.store.records import fact_of, fact_record, interval_of, interval_record, value_of, value_record
from freshness.store.tables import FactRow, SnapshotFactRow, SnapshotRow, ValueRow


@dataclass(frozen=True, slots=True)
class Observed:
    """A fact as one source gave it from ``first_seen`` to ``last_seen`` (our clock), unchanged.

    ``taken_at``: the moment that the source's last such answer speaks of.
    """

    fact: Fact
    source: str
    taken_at: datetime
    first_seen: datetime
    last_seen: datetime


def save(session: Session, snapshot: Snapshot, seen_at: datetime) -> bool:
    """Store what was seen; False when the source said nothing new."""
    latest = _newest(session, snapshot.source)
    digest = snapshot.digest
    if latest is not None:
        # A clock that was set back must not put a newer observation before an older one.
        seen_at = max(seen_at, latest.last_seen)
    if latest is not None and latest.digest == digest:
        latest.last_seen = seen_at
        latest.taken_at = max(latest.taken_at, snapshot.taken_at)
        session.add(latest)
        return False
    _insert(session, snapshot, digest, seen_at)
    return True


def _newest(session: Session, source: str) -> SnapshotRow | None:
    statement = select(SnapshotRow).where(SnapshotRow.source == source)
    return session.exec(statement.order_by(col(SnapshotRow.id).desc())).first()


def _insert(session: Session, snapshot: Snapshot, digest: str, seen_at: datetime) -> None:
    row = SnapshotRow(
        source=snapshot.source,
        digest=digest,
        taken_at=snapshot.taken_at,
        first_seen=seen_at,
        last_seen=seen_at,
    )
    session.add(row)
    session.flush()
    ids = _intern_facts(session, snapshot.facts)
    places = [
        {"snapshot_id": row.id, "position": position, "fact_id": fact_id}
        for position, fact_id in enumerate(ids)
    ]
    bulk.insert_all(session, "snapshot_facts", places)


def _intern_facts(session: Session, facts: Sequence[Fact]) -> list[int]:
    """The id of each fact; those not seen before are stored with their values and intervals."""
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
        row = _newest(session, source)
    else:
        newest_first = col(SnapshotRow.taken_at).desc(), col(SnapshotRow.id).desc()
        row = session.exec(select(SnapshotRow).order_by(*newest_first)).first()
    return None if row is None else _snapshot_of(session, row)


def by_digest(session: Session, digest: str) -> Snapshot | None:
    """The newest snapshot with these facts."""
    statement = select(SnapshotRow).where(SnapshotRow.digest == digest).order_by(col(SnapshotRow.id).desc())
    row = session.exec(statement).first()
    return None if row is None else _snapshot_of(session, row)


def _snapshot_of(session: Session, row: SnapshotRow) -> Snapshot:
    members = select(SnapshotFactRow.fact_id).where(SnapshotFactRow.snapshot_id == row.id)
    facts = _load(session, members)
    ordered = session.exec(members.order_by(col(SnapshotFactRow.position)))
    return Snapshot(row.source, row.taken_at, tuple(facts[fact_id] for fact_id in ordered))


def _load(session: Session, ids: SelectOfScalar[int]) -> dict[int, Fact]:
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


def fact_history(session: Session, subject: str, property_id: str) -> list[Observed]:
    """All that was observed of a fact (subject by id or name), each source's in order of time.

    A fact that a source took back and gave again is there twice.
    """
    about = and_(
        or_(col(FactRow.subject_id) == subject, col(FactRow.subject_name) == subject),
        col(FactRow.property) == property_id,
    )
    facts = _load(session, select(FactRow.id).where(about))
    runs = groupby(_sightings(session, list(facts)), key=lambda seen: (seen[0].source, seen[1]))
    return [
        _observed(facts[fact_id], [row for row, _ in group])
        for (_, fact_id), group in runs
        if fact_id is not None
    ]


def _sightings(session: Session, facts: Sequence[int]) -> list[tuple[SnapshotRow, int | None]]:
    """Each snapshot with which of the facts it holds, by source and time."""
    places = select(SnapshotFactRow).where(col(SnapshotFactRow.fact_id).in_(facts))
    held = {place.snapshot_id: place.fact_id for place in session.exec(places)}
    rows = session.exec(select(SnapshotRow).order_by(col(SnapshotRow.source), col(SnapshotRow.id)))
    return [(row, held.get(row.id)) for row in rows]


def _observed(fact: Fact, rows: Sequence[SnapshotRow]) -> Observed:
    first, last = rows[0], rows[-1]
    return Observed(fact, last.source, last.taken_at, first.first_seen, last.last_seen)


def as_observed(session: Session, subject: str, property_id: str, on: datetime) -> Observed | None:
    """What we held for true at that moment: of each source's last words, the one about the latest time."""
    known = [seen for seen in fact_history(session, subject, property_id) if seen.first_seen <= on]
    last_words = {seen.source: seen for seen in known}
    return max(last_words.values(), key=lambda seen: (min(seen.taken_at, on), seen.first_seen), default=None)
