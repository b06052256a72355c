"""The version of the database's schema, and how to get to the present one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import URL, Connection, Engine, inspect, make_url, text
from sqlalchemy.exc import SQLAlchemyError

from freshness.errors import StoreError
from freshness.store.engine import (
    LOOKING,
    MIGRATING,
    NO_RIGHT,
    explain,
    file_of,
    is_read_only,
    make_engine,
    parse_url,
    place_of,
    reading,
    writing,
)

if TYPE_CHECKING:
    from alembic.config import Config

HEAD: Final = "0004"
# Not Alembic's own name: another program's version in the same place must not be taken for ours.
VERSION_TABLE: Final = "freshness_schema"
MIGRATIONS: Final = Path(__file__).with_name("migrations")


def schema_version() -> str:
    """The schema version that this code reads and writes."""
    return HEAD


def current(url: str) -> str | None:
    """The schema version of a database, which stays as it is; None for one that is empty or not there.

    Raises ``StoreError`` when it can't be read or is not a database of freshness.
    """
    parsed = parse_url(url)
    path = file_of(parsed)
    return None if path is not None and not os.path.exists(path) else _look(parsed)


def check_known(url: str | URL, version: str) -> None:
    """Raises ``StoreError`` for the version of a database that a newer freshness wrote."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(alembic_config())
    if version not in {script.revision for script in scripts.walk_revisions()}:
        raise StoreError(
            f"{place_of(make_url(url))} was written by a newer freshness (schema {version}, this one knows "
            f"{HEAD}); upgrade freshness"
        )


def upgrade(url: str) -> str:
    """Bring a database to ``schema_version()``, creating it where there is none; returns that version.

    Raises ``StoreError`` when it is newer, not a database, or may not be written to.
    """
    connect(parse_url(url), create=True).dispose()
    return HEAD


def connect(url: URL, *, create: bool) -> Engine:
    """An engine on a database of the present version; raises ``StoreError`` when there can't be one.

    Without ``create`` the right to read is enough, unless the schema is an older one.
    """
    path = file_of(url)
    if path is not None:
        _prepare(path, create)
        if create and is_read_only(path):
            raise StoreError(f"can't open {path}: {NO_RIGHT}")
    version = _look(url)
    if version is None and not create:
        raise StoreError(f"{place_of(url)} is empty; `freshness db upgrade` makes the tables")
    if version != HEAD:
        _migrate(url)
    return make_engine(url)


def ping(engine: Engine) -> None:
    """Raises ``StoreError`` where this database of ours can't be read now; ``engine``: one not pooled."""
    with reading(engine) as session:
        if session.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) is None:
            raise StoreError(f"can't read {place_of(engine.url)}: its tables are gone")


def _prepare(path: Path, create: bool) -> None:
    if os.path.exists(path):
        return
    if not create:
        raise StoreError(
            f"there is no database at {path}; `freshness probe` or `freshness db upgrade` makes it"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"can't make the directory {path.parent}: {error.strerror}") from None


def _look(url: URL) -> str | None:
    engine = make_engine(url, LOOKING)
    try:
        with engine.connect() as connection:
            return _version(connection)
    except SQLAlchemyError as error:
        raise StoreError(f"can't open {place_of(url)}: {explain(error)}") from None
    finally:
        engine.dispose()


def _version(connection: Connection) -> str | None:
    tables = inspect(connection).get_table_names()
    if VERSION_TABLE in tables:
        version: str | None = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
        return version
    if tables:
        place = place_of(connection.engine.url)
        raise StoreError(f"{place} is a database of something else; name another in store.url")
    return None


def _migrate(url: URL) -> None:
    engine = make_engine(url, MIGRATING)
    try:
        with writing(engine) as session:
            # Read again under the lock: another process may have been first.
            _upgrade(session.connection())
    finally:
        engine.dispose()


def _upgrade(connection: Connection) -> None:
    from alembic import command

    version = _version(connection)
    if version is not None:
        check_known(connection.engine.url, version)
    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def alembic_config() -> Config:
    """Alembic's configuration for our migrations; ``attributes["connection"]`` is left to the caller."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config
