"""Vintages: what each source gave of an indicator, with series stored once for each content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict, replace
from datetime import datetime
from math import isfinite
from typing import Any, Final

from sqlalchemy import Row, SelectBase
from sqlmodel import Session, col, select

from freshness.changes.revisions import (
    Older,
    countries,
    key_of,
    newest_year,
    older_values,
)
from freshness.series import Chart, Series, SeriesSnapshot, Vintage, digest_of
from freshness.store import bulk, indicators
from freshness.store.records import Record
from freshness.store.records import digest_of as digest_of_json
from freshness.store.scrub import scrub_all
from freshness.store.tables import SeriesRow, VintageRow, VintageSeriesRow
from freshness.store.types import storable

EARLIER: Final = 6
"""So many vintages before the newest are looked at for what they gave."""


def normal(chart: Chart) -> Chart:
    """The chart as it will be read back; raises ``ValueError`` for a value that is no finite number."""
    return replace(chart, series=tuple(_normal(series) for series in chart.series))


def _normal(series: Series) -> Series:
    values = tuple(float(value) for value in series.values)
    if len(values) != len(series.years) or not all(map(isfinite, values)):
        raise ValueError(f"{series.id}: a series needs one finite number for each of its years")
    entity, code = storable(series.entity), storable(series.code)
    return replace(series, entity=entity, code=code, values=values)


def newest(session: Session, source: str, indicator: str) -> VintageRow | None:
    """The row of the newest vintage of an indicator."""
    statement = select(VintageRow).where(VintageRow.source == source, VintageRow.indicator == indicator)
    return session.exec(statement.order_by(col(VintageRow.id).desc()).limit(1)).first()


def save(session: Session, chart: Chart, source: str, seen_at: datetime) -> VintageRow | None:
    """Store what was seen (see ``normal``): its row, or None when the source said nothing new."""
    last = newest(session, source, chart.indicator.id)
    indicators.clear_fault(session, source, chart.indicator.id)
    digest = digest_of(chart)
    if last is None:
        return _insert(session, chart, digest, source, seen_at)
    # A clock that was set back must not put a newer observation before an older one.
    seen_at = max(seen_at, last.last_seen)
    if last.digest != digest:
        return _insert(session, chart, digest, source, seen_at)
    # The publisher's words about the same numbers may be newer: when the next edition is due, for one.
    last.last_seen, last.words = seen_at, _words(chart.vintage)
    session.add(last)
    return None


def _insert(session: Session, chart: Chart, digest: str, source: str, seen_at: datetime) -> VintageRow:
    row = VintageRow(
        source=source,
        indicator=chart.indicator.id,
        digest=digest,
        definition=asdict(chart.indicator),
        words=_words(chart.vintage),
        fetched_at=chart.vintage.fetched_at,
        first_seen=seen_at,
        last_seen=seen_at,
        newest_year=newest_year(chart),
        countries=countries(chart),
    )
    session.add(row)
    session.flush()
    records = [_series_record(series) for series in chart.series]
    ids: dict[str, int] = {}
    # In pieces, so that the texts of all series are never in memory at once.
    for batch in bulk.batches(records):
        ids |= bulk.intern(session, "series", batch)[0]
    places = [
        {"vintage_id": row.id, "position": position, "series_id": ids[record["digest"]]}
        for position, record in enumerate(records)
    ]
    bulk.insert_all(session, "vintage_series", places)
    return row


def confirm(session: Session, source: str, indicator: str, seen_at: datetime) -> None:
    """The newest vintage was seen until then."""
    last = newest(session, source, indicator)
    if last is not None:
        last.last_seen = max(last.last_seen, seen_at)
        session.add(last)
        indicators.clear_fault(session, source, indicator)


def _words(vintage: Vintage) -> Record:
    told = vintage.to_json()
    del told["fetched_at"]  # a column of its own
    words: Record = scrub_all(told)
    return words


def _series_record(series: Series) -> Record:
    content = {
        "indicator": series.indicator,
        "entity": series.entity,
        "code": series.code,
        "points": [list(point) for point in series.points.items()],
    }
    return {"digest": digest_of_json(content), **content}


def series_of(row: Row[Any]) -> Series:
    years, values = zip(*row.points, strict=True) if row.points else ((), ())
    return Series(row.indicator, row.entity, row.code, tuple(years), tuple(values))


def load_series(session: Session, ids: SelectBase) -> dict[int, Series]:
    """The series that ``ids`` selects, by row number. Plain rows: row objects would take much longer."""
    table = bulk.table("series")
    rows = session.execute(table.select().where(table.c.id.in_(ids)))
    return {row.id: series_of(row) for row in rows}


def chart_of(session: Session, row: VintageRow) -> Chart:
    """The vintage with its series in their order."""
    members = select(VintageSeriesRow.series_id).where(VintageSeriesRow.vintage_id == row.id)
    series = load_series(session, members)
    ordered = session.exec(members.order_by(col(VintageSeriesRow.position)))
    told = indicators.indicator_of(row), indicators.vintage_of(row)
    return Chart(*told, tuple(series[one] for one in ordered))


def latest(session: Session, source: str, wanted: Collection[str] | None) -> SeriesSnapshot | None:
    """All indicators (or those) as the source gave them last; see ``Store.latest_series``."""
    rows = indicators.newest_rows(session, source)
    rows = [row for row in rows if wanted is None or row.indicator in wanted]
    if not rows:
        return None
    charts = tuple(chart_of(session, row) for row in rows)
    older: dict[str, Older] = {}
    for row, chart in zip(rows, charts, strict=True):
        older |= _older(session, row, chart)
    return SeriesSnapshot(source, max(row.last_seen for row in rows), charts, older)


def _older(session: Session, row: VintageRow, chart: Chart) -> dict[str, Older]:
    """What the vintages before gave for each series' years and this one does not, by series id."""
    earlier = _earlier(session, row)
    present = {key_of(series): series for series in reversed(chart.series)}
    before: defaultdict[str, list[tuple[Series, Vintage]]] = defaultdict(list)
    for one in earlier:
        vintage = indicators.vintage_of(one)
        for series in _differing(session, one, row):
            if key_of(series) in present:
                before[key_of(series)].append((series, vintage))
    found = {present[key].id: older_values(present[key], given) for key, given in before.items()}
    return {series: older for series, older in found.items() if older}


def _earlier(session: Session, row: VintageRow) -> list[VintageRow]:
    """The vintages before, the newest first, without those of another unit."""
    statement = select(VintageRow).where(
        VintageRow.source == row.source, VintageRow.indicator == row.indicator, col(VintageRow.id) < row.id
    )
    found = session.exec(statement.order_by(col(VintageRow.id).desc()).limit(EARLIER))
    return [one for one in found if one.definition["unit"] == row.definition["unit"]]


def _differing(session: Session, earlier: VintageRow, row: VintageRow) -> list[Series]:
    now = select(VintageSeriesRow.series_id).where(VintageSeriesRow.vintage_id == row.id)
    ids = select(VintageSeriesRow.series_id).where(VintageSeriesRow.vintage_id == earlier.id)
    return list(load_series(session, ids.where(col(VintageSeriesRow.series_id).not_in(now))).values())


def of_series(session: Session, source: str, indicator: str, entity: str) -> list[tuple[Series, Vintage]]:
    """A series (by code or the entity's name) as each vintage gave it, the newest first."""
    table = bulk.table("series")
    about = (table.c.indicator == indicator) & ((table.c.code == entity) | (table.c.entity == entity))
    found = load_series(session, select(table.c.id).where(about))
    statement = (
        select(VintageRow, VintageSeriesRow.series_id)
        .join(VintageSeriesRow, col(VintageSeriesRow.vintage_id) == VintageRow.id)
        .join(SeriesRow, col(SeriesRow.id) == VintageSeriesRow.series_id)
        .where(VintageRow.source == source, about)
        .order_by(col(VintageRow.id).desc())
    )
    return [(found[series_id], indicators.vintage_of(row)) for row, series_id in session.exec(statement)]
