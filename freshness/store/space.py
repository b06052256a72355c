"""How much room the database takes, table by table."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import func, select, text
from sqlmodel import Session

from freshness.store.engine import file_of
from freshness.store.tables import Base


@dataclass(frozen=True, slots=True)
class TableSize:
    """A table with its indexes; ``size`` in bytes, None where the database can't tell."""

    table: str
    rows: int
    size: int | None


@dataclass(frozen=True, slots=True)
class Space:
    """What the database takes, in bytes.

    ``free``: how much of ``size`` nothing stands in, to be used again; ``log``: what was written beside the
    file and is not yet in its place (both of SQLite; None: PostgreSQL looks after that by itself).
    """

    tables: tuple[TableSize, ...]
    size: int
    free: int | None = None
    log: int | None = None

    def to_json(self) -> dict[str, Any]:
        """``db sizes --format json``; bytes, null where the database can't tell."""
        return {
            "bytes": self.size,
            "free_bytes": self.free,
            "log_bytes": self.log,
            "tables": [
                {"table": table.table, "rows": table.rows, "bytes": table.size} for table in self.tables
            ],
        }


# SQLite's own table of pages is an option of its build; an index counts for its table.
_HAS_PAGES: Final = "SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'"
_PAGES: Final = """
SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name
WHERE s.aggregate = TRUE GROUP BY m.tbl_name
"""
_WHOLE_FILE: Final = """
SELECT page_count * page_size, freelist_count * page_size
FROM pragma_page_count(), pragma_page_size(), pragma_freelist_count()
"""
_RELATIONS: Final = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
"""


def measure(session: Session) -> Space:
    """Count rows and bytes of all tables, the biggest first; reads the whole of an SQLite file."""
    engine = session.get_bind().engine
    path = file_of(engine.url)
    if path is None:
        size = session.scalar(text("SELECT pg_database_size(current_database())"))
        return Space(_tables(session, _RELATIONS), int(size or 0))
    pages = _PAGES if session.scalar(text(_HAS_PAGES)) else None
    size, free = session.execute(text(_WHOLE_FILE)).one()
    log = 0
    with suppress(OSError):
        log = os.path.getsize(f"{path}-wal")
    return Space(_tables(session, pages), size, free, log)


def _tables(session: Session, sizes: str | None) -> tuple[TableSize, ...]:
    size_of = {} if sizes is None else {name: int(size) for name, size in session.execute(text(sizes))}
    found = [
        TableSize(table.name, session.scalar(select(func.count()).select_from(table)) or 0, size)
        for table in Base.metadata.sorted_tables
        for size in [size_of.get(table.name)]
    ]
    return tuple(sorted(found, key=lambda one: (-(one.size or 0), -one.rows, one.table)))
