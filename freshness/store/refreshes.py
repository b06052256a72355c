"""One refresh of a source: its snapshot, what was kept as it was, and what changed. All of it or nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, update
from sqlmodel import Session, col, select

from freshness.changes import Event
from freshness.facts import Snapshot
from freshness.store import bulk, events, snapshots
from freshness.store.tables import FactRow, SnapshotFactRow, SnapshotRow


class Place(NamedTuple):
    """Where a fact stands in a snapshot, and when the source last gave it (None: whenever it was seen)."""

    position: int
    seen_at: datetime | None
    subject: str
    property_id: str

    @property
    def fact(self) -> str:
        """The fact's id: ``Q38/P6``."""
        return f"{self.subject}/{self.property_id}"


def save(
    session: Session,
    snapshot: Snapshot,
    seen_at: datetime,
    known: str | None,
    unconfirmed: Collection[str],
    happened: Sequence[Event],
) -> bool:
    """Store a refresh; see ``Store.save_refresh``."""
    last = snapshots.newest(session, snapshot.source)
    if not _is_known(session, last, known):
        return False
    confirmed = {} if last is None else _confirmed(session, last)
    _check(snapshot, unconfirmed, confirmed)
    not_before = seen_at if last is None else last.last_seen
    row, _ = snapshots.save(session, snapshot, seen_at)
    _mark(session, row, {fact_id: confirmed[fact_id] for fact_id in unconfirmed})
    events.save(session, happened, row, not_before)
    return True


def _is_known(session: Session, last: SnapshotRow | None, known: str | None) -> bool:
    if last is None or known is None:
        return last is None and known is None
    # What the database can't hold was replaced as it was written: read back, such facts have another digest.
    return last.digest == known or snapshots.of_row(session, last).digest == known


def _check(snapshot: Snapshot, unconfirmed: Collection[str], confirmed: Mapping[str, datetime]) -> None:
    there = {fact.id for fact in snapshot.facts}
    for fact_id in unconfirmed:
        if fact_id not in there or fact_id not in confirmed:
            raise ValueError(f"{fact_id} can't be kept: it isn't both in this snapshot and in the last one")


def _confirmed(session: Session, row: SnapshotRow) -> dict[str, datetime]:
    """When the source last gave each fact (by id) of a snapshot."""
    return {place.fact: place.seen_at or row.last_seen for place in _places(session, row)}


def _places(session: Session, row: SnapshotRow) -> list[Place]:
    place = col(SnapshotFactRow.position), col(SnapshotFactRow.seen_at)
    statement = select(*place, col(FactRow.subject_id), col(FactRow.property)).join(FactRow)
    statement = statement.where(SnapshotFactRow.snapshot_id == row.id)
    return [Place(*found) for found in session.exec(statement)]


def _mark(session: Session, row: SnapshotRow, kept: Mapping[str, datetime]) -> None:
    """Say of each fact of a snapshot whether the source gave it this time, or when it last did."""
    changed = [
        {"at": place.position, "seen": kept.get(place.fact)}
        for place in _places(session, row)
        if place.seen_at != kept.get(place.fact)
    ]
    if changed:
        table = bulk.table("snapshot_facts")
        here = (table.c.snapshot_id == row.id, table.c.position == bindparam("at"))
        session.execute(update(table).where(*here).values(seen_at=bindparam("seen")), changed)
