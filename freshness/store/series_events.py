"""What vintages told of series that the ones before did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, func
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, select

from freshness.changes import SeriesEvent
from freshness.changes.revisions import SeriesKind
from freshness.store import bulk
from freshness.store.records import Record, effect_of
from freshness.store.scrub import scrub_all
from freshness.store.tables import SeriesEventRow, VintageRow


class SeriesEventGroup(NamedTuple):
    """What a vintage told of an indicator's series that is of one kind; ``series``: of how many.

    ``vintage``: its number in this history.
    """

    seen_at: datetime
    vintage: int
    indicator: str
    kind: SeriesKind
    series: int


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


def groups(session: Session, since: datetime | None, limit: int) -> list[SeriesEventGroup]:
    """The events of one kind in one vintage together, the newest first; no more is read than is needed."""
    columns = bulk.table("series_events").c
    named = columns.seen_at, columns.vintage_id, columns.indicator, columns.kind
    statement = sql_select(*named).order_by(columns.seen_at.desc(), columns.vintage_id.desc(), columns.id)
    if since is not None:
        statement = statement.where(columns.seen_at >= since)
    counts: Counter[tuple[datetime, int, str, SeriesKind]] = Counter()
    for _, members in groupby(session.execute(statement), key=lambda row: row.vintage_id):
        if len(counts) >= limit:
            break
        counts.update((row.seen_at, row.vintage_id, row.indicator, row.kind) for row in members)
    found = [SeriesEventGroup(*named, series) for named, series in counts.items()]
    return found[:limit]


def of_group(session: Session, group: SeriesEventGroup) -> list[SeriesEvent]:
    """Its events, in the order of the vintage."""
    columns = bulk.table("series_events").c
    mine = columns.vintage_id == group.vintage, columns.kind == group.kind, columns.seen_at == group.seen_at
    statement = bulk.table("series_events").select().where(*mine).order_by(columns.id)
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
