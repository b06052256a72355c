"""Connections to SQLite and PostgreSQL, and what their errors mean to the user.

The two databases differ only here. Writes are serialised on both: SQLite by ``BEGIN IMMEDIATE``
(a write lock asked for half-way would fail at once instead of waiting), PostgreSQL by an advisory
lock for the length of the transaction. Transactions are short; none is open while a model answers.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
    StatementError,
)
from sqlalchemy.pool import NullPool
from sqlmodel import Session

from freshness.errors import StoreError, StoreWriteError

BUSY_TIMEOUT_MS: Final = 30_000
ADVISORY_LOCK: Final = 0x66726573686E6573  # "freshnes" in ASCII: ours among the database's lock numbers

# Looking at a file that may be another program's changes nothing in it; a migration copies and drops
# tables, which must not take along the rows that refer to them.
LOOKING: Final = (f"busy_timeout={BUSY_TIMEOUT_MS}",)
MIGRATING: Final = (*LOOKING, "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=OFF")
WORKING: Final = (*LOOKING, "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON")

_WRITE: Final = "freshness_write"
_FILE: Final = "freshness_file"
_CONNECT: Final[dict[str, dict[str, Any]]] = {
    "sqlite": {"timeout": BUSY_TIMEOUT_MS / 1000},
    "postgresql": {"connect_timeout": 10, "options": f"-c lock_timeout={BUSY_TIMEOUT_MS}"},
}


def parse_url(url: str) -> URL:
    """Raises ``StoreError`` for anything but an SQLite or a PostgreSQL (psycopg) address."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise StoreError(
            "store.url is no database address; use sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
        ) from None
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise StoreError("store.url names no file; use sqlite:///FILE")
    if parsed.drivername in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        return parsed
    raise StoreError(
        f"store.url starts with {parsed.drivername}; use sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
    )


def file_of(url: URL) -> Path | None:
    """The database's file; None for PostgreSQL."""
    return Path(str(url.database)) if url.get_backend_name() == "sqlite" else None


def places_of(url: str) -> tuple[Path, ...]:
    """The database's file and what SQLite keeps beside it, there or not; none for any other address."""
    try:
        path = file_of(parse_url(url))
    except StoreError:
        return ()
    # Beside the file itself, where its name is a link to it.
    names = dict.fromkeys((str(path), os.path.realpath(path))) if path else ()
    return tuple(Path(f"{name}{ending}") for name in names for ending in ("", "-wal", "-shm", "-journal"))


def place_of(url: URL) -> str:
    """How messages name the database: its file, or its address without whoever signs in.

    What stands before an @, or in the query, may be a password, also where one was not escaped.
    """
    path = file_of(url)
    if path is not None:
        return str(path)
    host = (url.host or "").rpartition("@")[2]
    port = f":{url.port}" if url.port else ""
    return f"{url.get_backend_name()}://{host}{port}/{url.database or ''}"


def make_engine(url: URL, pragmas: tuple[str, ...] = WORKING, *, is_pooled: bool = True) -> Engine:
    """An engine whose connections are set up alike; raises ``StoreError`` when the driver is missing.

    Unless ``is_pooled``, each use makes a connection of its own and closes it.
    """
    more: dict[str, Any] = {} if is_pooled else {"poolclass": NullPool}
    path = file_of(url)
    if path is not None and is_read_only(path):
        pragmas = tuple(pragma for pragma in pragmas if not pragma.startswith("journal_mode"))
        more["creator"] = partial(_connect_read_only, path)
    try:
        # A server that was restarted has closed the connections we kept.
        engine = create_engine(url, connect_args=_CONNECT[url.get_backend_name()], pool_pre_ping=True, **more)
    except (ImportError, NoSuchModuleError):
        raise StoreError("PostgreSQL needs psycopg; install `freshness[postgres]`") from None
    if path is not None:
        engine.update_execution_options(**{_FILE: _inode(path)})
        event.listen(engine, "connect", lambda connection, _: _set_up_sqlite(connection, pragmas))
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "begin", _begin_postgresql)
    return engine


def is_read_only(path: Path) -> bool:
    """Whether the file is there and we have no right to write to it or beside it."""
    effective = os.access in os.supports_effective_ids
    places = (path, Path(os.path.realpath(path)).parent)
    return path.is_file() and not all(os.access(p, os.W_OK, effective_ids=effective) for p in places)


def _connect_read_only(path: Path) -> sqlite3.Connection:
    # WAL writes its index beside the database even to read. Where there is no log, nobody writes either,
    # and the file can be taken as it stands; where there is one, only its own index tells what counts.
    mode = "mode=ro" if os.path.exists(f"{path}-wal") else "immutable=1"
    address = f"file:{quote(os.path.abspath(path))}?{mode}"
    return sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_MS / 1000, check_same_thread=False)


def _set_up_sqlite(connection: sqlite3.Connection, pragmas: tuple[str, ...]) -> None:
    # No implicit transactions: `begin` below says what kind is wanted.
    connection.isolation_level = None
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITE)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(_WRITE):
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": ADVISORY_LOCK})


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """One consistent view of the database; raises ``StoreError``."""
    check_still_there(engine, "can't read")
    with _translated(engine.url, StoreError, "can't read"), Session(engine) as session:
        yield session


@contextmanager
def writing(engine: Engine) -> Iterator[Session]:
    """One transaction: all of it is kept, or nothing.

    Raises ``StoreWriteError``; plain ``StoreError`` where the server or the file is gone, or another took the
    file's place.
    """
    check_still_there(engine, "can't write to")
    writer = engine.execution_options(**{_WRITE: True})
    with (
        _translated(engine.url, StoreWriteError, "can't write to"),
        Session(writer) as session,
        session.begin(),
    ):
        yield session


def _inode(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def check_still_there(engine: Engine, what: str) -> None:
    """Raises ``StoreError`` where SQLite's file was deleted, or replaced, since the engine was made for it.

    ``what`` can't be done begins its message.
    """
    # SQLite goes on with a deleted file without a word, and all that is written would be lost; and where
    # there is none, a new connection makes an empty one.
    path = file_of(engine.url)
    if path is None:
        return
    now, opened = _inode(path), engine.get_execution_options().get(_FILE)
    if now is None:
        raise StoreError(f"{what} {path}: the file is gone; start again to make a new one")
    if opened and now != opened:
        raise StoreError(
            f"{what} {path}: another file took its place while it was open; stop freshness, put the right "
            f"one there, without the other's {path.name}-wal and {path.name}-shm, and start again"
        )


@contextmanager
def _translated(url: URL, kind: type[StoreError], what: str) -> Iterator[None]:
    try:
        yield
    except StatementError as error:
        if isinstance(error.orig, ValueError):  # a column type refused the value
            raise error.orig from None
        kind = StoreError if _is_away(error) else kind
        raise kind(f"{what} {place_of(url)}: {explain(error)}") from error
    except SQLAlchemyError as error:
        raise kind(f"{what} {place_of(url)}: {explain(error)}") from error


def _is_away(error: SQLAlchemyError) -> bool:
    """Whether a server could not be reached, or went while it was asked."""
    if not isinstance(error, DBAPIError):
        return False
    # Whatever a server says has a state; what its library says because there is none has not.
    state = getattr(error.orig, "sqlstate", "")
    return error.connection_invalidated or (isinstance(error, OperationalError) and state is None)


NO_RIGHT: Final = "no right to write; check the owner of the file and of its directory"
_ADVICE: Final = (
    ("disk is full", "the disk is full; free some space, what was stored before is kept"),
    ("disk i/o error", "the disk failed or is full; what was stored before is kept"),
    ("no space left", "the disk is full; free some space, what was stored before is kept"),
    ("file is not a database", "it is not a database; name another file in store.url, or move this one away"),
    ("malformed", "the database is damaged; restore it from a backup, or move it away"),
    ("readonly database", NO_RIGHT),
    ("read-only", "no right to write; check the rights of the database's user"),
    ("unable to open", "no right to open it, or it is a directory; check the path and its owner"),
    ("database is locked", "another process holds it; try again when it is done"),
    ("lock timeout", "another process holds it; try again when it is done"),
)


def explain(error: SQLAlchemyError) -> str:
    """The cause in a line, with what to do about it where that is known."""
    cause = str(error.orig if isinstance(error, DBAPIError) and error.orig else error)
    for sign, advice in _ADVICE:
        if sign in cause.lower():
            return advice
    lines = cause.strip().splitlines()
    told = lines[0] if lines else type(error).__name__
    return f"{told}; see that the server runs and lets us in, then try again" if _is_away(error) else told
