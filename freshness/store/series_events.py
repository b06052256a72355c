"""What vintages told of series that the ones before did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, func
from sqlmodel import Session, col, select

from freshness.changes import SeriesEvent
from freshness.store import bulk
from freshness.store.records import Record, effect_of
from freshness.store.scrub import scrub_all
from freshness.store.tables import SeriesEventRow, VintageRow

_OWN: Final = ("kind", "seen_at", "indicator", "entity", "code")
"""What has a column; the rest is the body."""


def save(session: Session, events: Sequence[SeriesEvent], vintage: VintageRow, not_before: datetime) -> None:
    """Store what a vintage told; an event seen before ``not_before`` counts as seen then."""
    bulk.insert_all(session, "series_events", [_event_record(one, vintage, not_before) for one in events])


def _event_record(event: SeriesEvent, vintage: VintageRow, not_before: datetime) -> Record:
    told = asdict(event)
    columns = {name: told.pop(name) for name in _OWN}
    seen_at = max(event.seen_at, not_before)
    return {**columns, "vintage_id": vintage.id, "seen_at": seen_at, "body": scrub_all(told)}


def find(
    session: Session, since: datetime | None, limit: int | None, indicator: str | None = None
) -> list[SeriesEvent]:
    """The newest first, those of one vintage in its order; of all indicators, or of this one."""
    columns = bulk.table("series_events").c
    order = columns.seen_at.desc(), columns.vintage_id.desc(), columns.id
    statement = bulk.table("series_events").select().order_by(*order).limit(limit)
    if since is not None:
        statement = statement.where(columns.seen_at >= since)
    if indicator is not None:
        statement = statement.where(columns.indicator == indicator)
    return [_event_of(row) for row in session.execute(statement)]


def _event_of(row: Row[Any]) -> SeriesEvent:
    body: Mapping[str, Any] = row.body
    lists = {name: tuple(body[name]) for name in ("years", "was", "now", "vintages")}
    effects = tuple(effect_of(**effect) for effect in body["effects"])
    columns = {name: getattr(row, name) for name in _OWN}
    return SeriesEvent(**{**body, **columns, **lists, "effects": effects})


def counts(session: Session) -> dict[tuple[str, str], dict[str, int]]:
    """Number of events by kind, for each source and indicator."""
    statement = (
        select(VintageRow.source, VintageRow.indicator, SeriesEventRow.kind, func.count())
        .join(VintageRow, col(VintageRow.id) == SeriesEventRow.vintage_id)
        .group_by(col(VintageRow.source), col(VintageRow.indicator), col(SeriesEventRow.kind))
    )
    found: dict[tuple[str, str], dict[str, int]] = {}
    for source, indicator, kind, number in session.exec(statement):
        found.setdefault((source, indicator), {})[kind] = number
    return found
