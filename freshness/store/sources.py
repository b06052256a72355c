"""Each source at a glance, without a look at its facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from freshness.store.tables import EventRow, SnapshotRow


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source's newest snapshot, and all that ever happened there: number of events by kind.

    ``digest``: equal digests, equal facts; ``taken_at`` and ``last_seen`` as in ``Observed``.
    """

    source: str
    digest: str
    taken_at: datetime
    last_seen: datetime
    events: Mapping[str, int]


def states(session: Session) -> list[SourceState]:
    """All sources that ever gave something, by name."""
    newest = select(func.max(SnapshotRow.id)).group_by(col(SnapshotRow.source))
    statement = select(SnapshotRow).where(col(SnapshotRow.id).in_(newest)).order_by(col(SnapshotRow.source))
    happened = _events(session)
    return [
        SourceState(row.source, row.digest, row.taken_at, row.last_seen, happened.get(row.source, {}))
        for row in session.exec(statement)
    ]


def _events(session: Session) -> dict[str, dict[str, int]]:
    statement = (
        select(SnapshotRow.source, EventRow.kind, func.count())
        .join(SnapshotRow, col(SnapshotRow.id) == EventRow.snapshot_id)
        .group_by(col(SnapshotRow.source), col(EventRow.kind))
    )
    found: dict[str, dict[str, int]] = {}
    for source, kind, number in session.exec(statement):
        found.setdefault(source, {})[kind] = number
    return found
