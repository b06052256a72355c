"""A database that is open: what all parts of the store's interface share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from types import TracebackType
from typing import Self

from sqlalchemy import Engine

from freshness.store.engine import LOOKING, check_still_there, make_engine
from freshness.store.lease import Owner
from freshness.store.schema import ping

Clock = Callable[[], datetime]


class Opened:
    """An open database and how it is used; ``clock`` gives the present as an aware datetime."""

    def __init__(self, engine: Engine, *, keep_answers: bool, clock: Clock) -> None:
        self._engine = engine
        self._keep_answers = keep_answers
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ping(self) -> None:
        """Raises ``StoreError`` where the database can't be read now; hangs where the database does.

        On a connection of its own: it doesn't wait for those that are in use, and tells nothing of them.
        """
        check_still_there(self._engine, "can't read")  # the other engine would be made for what is there now
        ping(self._ping_engine)

    @cached_property
    def _ping_engine(self) -> Engine:
        return make_engine(self._engine.url, LOOKING, is_pooled=False)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def this_process() -> Owner:
    """Who owns what is begun here."""
    return Owner.this_process()


def check_aware(*moments: datetime | None) -> None:
    """Raises ``ValueError`` for a moment without a time zone."""
    for moment in moments:
        if moment is not None and moment.tzinfo is None:
            raise ValueError(f"{moment!r} has no time zone")
