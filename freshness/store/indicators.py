"""Each indicator at a glance, without a look at its series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Final

from sqlmodel import Session, col, delete, func, select

from freshness.series import Indicator, Vintage
from freshness.store import series_events
from freshness.store.scrub import scrub
from freshness.store.tables import SeriesFaultRow, VintageRow

MOST_CHARS: Final = 2000
"""So much of what went wrong is kept."""


@dataclass(frozen=True, slots=True)
class SeriesFault:
    """Why an indicator could not be fetched, or was not taken, when it was last tried."""

    source: str
    indicator: str
    seen_at: datetime
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class IndicatorState:
    """An indicator's newest vintage without its series.

    ``first_seen``, ``last_seen``: from when to when we saw the source give it so. ``newest_year``: that is
    over and has a value for some country. ``events``: all that ever happened to its series, by kind. Why
    the last try failed stands apart (``faults``): an indicator that never came has no state.
    """

    indicator: Indicator
    source: str
    vintage: Vintage
    digest: str
    first_seen: datetime
    last_seen: datetime
    newest_year: int | None
    countries: int
    events: Mapping[str, int] = field(default_factory=dict)


def states(session: Session) -> list[IndicatorState]:
    """Those of all indicators, by source and id."""
    happened = series_events.counts(session)
    return [
        IndicatorState(
            indicator_of(row),
            row.source,
            vintage_of(row),
            row.digest,
            row.first_seen,
            row.last_seen,
            row.newest_year,
            row.countries,
            happened.get((row.source, row.indicator), {}),
        )
        for row in newest_rows(session)
    ]


def newest_rows(session: Session, source: str | None = None) -> list[VintageRow]:
    """Each indicator's newest vintage, of this source or of each."""
    last = select(func.max(VintageRow.id)).group_by(col(VintageRow.source), col(VintageRow.indicator))
    statement = select(VintageRow).where(col(VintageRow.id).in_(last))
    if source is not None:
        statement = statement.where(VintageRow.source == source)
    return list(session.exec(statement.order_by(col(VintageRow.source), col(VintageRow.indicator))))


def vintage_of(row: VintageRow) -> Vintage:
    return Vintage.from_json({**row.words, "fetched_at": row.fetched_at.isoformat()})


def indicator_of(row: VintageRow) -> Indicator:
    """As it was defined then, in the words of today's definitions."""
    known = {one.name for one in fields(Indicator)}
    return Indicator(**{name: value for name, value in row.definition.items() if name in known})


def faults(session: Session) -> list[SeriesFault]:
    """All that are put down, by source and indicator."""
    statement = select(SeriesFaultRow).order_by(col(SeriesFaultRow.source), col(SeriesFaultRow.indicator))
    return [
        SeriesFault(row.source, row.indicator, row.seen_at, row.kind, row.text)
        for row in session.exec(statement)
    ]


def save_fault(session: Session, fault: SeriesFault) -> None:
    """Put down why an indicator was not taken, over what was put down before."""
    clear_fault(session, fault.source, fault.indicator)
    row = SeriesFaultRow(
        source=fault.source,
        indicator=fault.indicator,
        seen_at=fault.seen_at,
        kind=fault.kind,
        text=scrub(fault.text[:MOST_CHARS]),
    )
    session.add(row)


def clear_fault(session: Session, source: str, indicator: str) -> None:
    """Nothing is wrong any more."""
    about = col(SeriesFaultRow.source) == source, col(SeriesFaultRow.indicator) == indicator
    session.exec(delete(SeriesFaultRow).where(*about))
