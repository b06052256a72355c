"""Runs migrations on the connection that ``store.schema`` hands over, or on ``-x url=URL`` for developers.

The connection's transaction is the caller's: all of an upgrade is kept, or nothing.
"""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection, TypeDecorator

from freshness.store.engine import MIGRATING, make_engine, parse_url, writing
from freshness.store.schema import VERSION_TABLE
from freshness.store.tables import Base


def plain_type(kind: str, item: Any, _: AutogenContext) -> str | Literal[False]:
    """Write our own column types into a migration as what they are made of: a migration stands for itself."""
    return f"sa.{item.impl!r}" if kind == "type" and isinstance(item, TypeDecorator) else False


def migrate(connection: Connection) -> None:
    """Run what Alembic was asked for."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        render_item=plain_type,
        version_table=VERSION_TABLE,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    migrate(given)
else:
    engine = make_engine(parse_url(context.get_x_argument(as_dictionary=True)["url"]), MIGRATING)
    with writing(engine) as session:
        migrate(session.connection())
    engine.dispose()
