"""An SQLite file written anew: in its place, without holes, or as a copy elsewhere. Others may be at work."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from freshness.errors import StoreError, StoreWriteError, UsageError
from freshness.store.engine import explain, file_of, place_of


def compact(engine: Engine) -> bool:
    """Give free space back to the disk; False on PostgreSQL, which needs no such thing.

    Writers wait meanwhile, and as much free disk as the file takes is needed. Raises ``StoreWriteError``.
    """
    if file_of(engine.url) is None:
        return False
    with _plain(engine, f"can't compact {place_of(engine.url)}") as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return True


def back_up(engine: Engine, target: Path) -> int:
    """Write a copy into a new file and check it; its size in bytes. See ``Store.back_up``."""
    if file_of(engine.url) is None:
        raise UsageError("a PostgreSQL database is backed up with pg_dump; see docs/operations.md")
    failed = f"can't back up to {target}"
    with _draft_of(target) as draft, _plain(engine, failed) as connection:
        connection.execute("VACUUM INTO ?", (str(draft),))
        with closing(sqlite3.connect(draft)) as copy:
            faults = [line for (line,) in copy.execute("PRAGMA quick_check(1)") if line != "ok"]
        if faults:
            raise StoreWriteError(f"{failed}: the copy is damaged ({faults[0]}); check the disk")
    return target.stat().st_size


@contextmanager
def _draft_of(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its name when all went well, and is gone when it did not."""
    if os.path.lexists(target):
        raise UsageError(f"{target} is there already; name a new file")
    draft = target.with_name(f".{target.name}.part")
    try:
        # For our eyes only: the answers in it may be anybody's.
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            yield draft
            _sync(draft)
            os.link(draft, target)  # unlike a rename, this never takes the place of a file
            _sync(target.parent)
        finally:
            with suppress(OSError):
                draft.unlink()
    except OSError as error:
        raise StoreWriteError(f"can't write {target}: {error.strerror}") from None


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def _plain(engine: Engine, failed: str) -> Iterator[Any]:
    """A connection outside any transaction, as VACUUM wants it."""
    try:
        connection = engine.raw_connection()
    except DBAPIError as error:
        raise StoreError(f"can't open {place_of(engine.url)}: {explain(error)}") from None
    try:
        yield connection.driver_connection
    except sqlite3.Error as error:
        raise StoreWriteError(f"{failed}: {explain(DBAPIError('', None, error))}") from None
    finally:
        connection.close()
