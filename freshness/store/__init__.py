"""The history in a database: SQLModel on SQLite or PostgreSQL, Alembic from the first table."""

from freshness.store.engine import places_of
from freshness.store.indicators import IndicatorState, SeriesFault
from freshness.store.judgings import Edition
from freshness.store.observed import Observed
from freshness.store.records import NOT_KEPT
from freshness.store.schema import check_known, current, schema_version, upgrade
from freshness.store.sources import SourceState
from freshness.store.space import Space, TableSize
from freshness.store.store import Sizes, Store, open_store

__all__ = [
    "NOT_KEPT",
    "Edition",
    "IndicatorState",
    "Observed",
    "SeriesFault",
    "Sizes",
    "SourceState",
    "Space",
    "Store",
    "TableSize",
    "check_known",
    "current",
    "open_store",
    "places_of",
    "schema_version",
    "upgrade",
]
