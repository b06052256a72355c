"""Many rows at once: what the two databases share of it, and where their dialects differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from sqlalchemy import Table, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from freshness.store.records import Record
from freshness.store.tables import Base

IN_BATCH: Final = 500
"""Values in one IN list; far below either database's limit."""

Insert = sqlite.Insert | postgresql.Insert
T = TypeVar("T")


def table(name: str) -> Table:
    """The table for bulk statements, which need no row objects."""
    return Base.metadata.tables[name]


def insert(session: Session, name: str) -> Insert:
    """An insert that knows ``ON CONFLICT`` as the session's database spells it."""
    postgres = session.get_bind().dialect.name == "postgresql"
    return postgresql.insert(table(name)) if postgres else sqlite.insert(table(name))


def insert_all(session: Session, name: str, records: Sequence[Record]) -> None:
    """Insert rows, none of which is there yet."""
    if records:
        session.execute(insert(session, name), records)


def intern(session: Session, name: str, records: Sequence[Record]) -> tuple[dict[str, int], set[str]]:
    """Store each content once: ids by digest, and the digests that were new."""
    unique = {record["digest"]: record for record in records}
    known = ids_by_digest(session, name, list(unique))
    fresh = unique.keys() - known.keys()
    insert_all(session, name, [record for digest, record in unique.items() if digest in fresh])
    return known | ids_by_digest(session, name, sorted(fresh)), fresh


def ids_by_digest(session: Session, name: str, digests: Sequence[str]) -> dict[str, int]:
    columns = table(name).c
    found: dict[str, int] = {}
    for batch in batches(digests):
        rows = session.execute(select(columns.digest, columns.id).where(columns.digest.in_(batch)))
        found.update((digest, number) for digest, number in rows)
    return found


def batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """The items in pieces that fit into one IN list."""
    return (items[start : start + IN_BATCH] for start in range(0, len(items), IN_BATCH))
