"""No request waits for ever: where the database hangs, it is told that what it asks can't be read now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from freshness.errors import FreshnessError
from freshness.web.database import Database

LOG: Final = logging.getLogger("freshness.web")
WAIT_SECONDS: Final = 1.0
"""So long a request is left alone before we look whether it waits for a database that hangs."""

Unreadable = Callable[[Request, Exception], Response]
"""What is answered where the database can't be read."""


class Patience:
    """Asks the database before a request and, while that is being answered, again and again.

    A page that takes long is waited for as long as the database answers. One that the database keeps is
    given up; whatever it still says goes nowhere. Paths that ``is_spared`` takes need no database.
    """

    def __init__(
        self,
        app: ASGIApp,
        database: Database,
        is_spared: Callable[[str], bool],
        unreadable: Unreadable,
        wait: float = WAIT_SECONDS,
    ) -> None:
        self._app = app
        self._database = database
        self._is_spared = is_spared
        self._unreadable = unreadable
        self._wait = wait
        self._given_up: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_spared(scope["path"]):
            await self._app(scope, receive, send)
            return
        door = _Door(send)
        try:
            await self._database.check()
            await self._attend(asyncio.ensure_future(self._app(scope, receive, door)), door)
        except FreshnessError as error:
            await self._unreadable(Request(scope), error)(scope, receive, send)

    async def _attend(self, task: asyncio.Task[None], door: _Door) -> None:
        """Wait for an answer; raises ``FreshnessError`` where the database fails meanwhile."""
        try:
            while not (await asyncio.wait({task}, timeout=self._wait))[0]:
                if not door.was_used:
                    await self._database.check()
        except FreshnessError:
            if door.was_used or task.done():
                await task
                return
            door.is_shut = True
            self._give_up(task)
            raise
        except asyncio.CancelledError:
            task.cancel()
            raise
        task.result()

    def _give_up(self, task: asyncio.Task[None]) -> None:
        self._given_up.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._given_up.discard(task)
        if not task.cancelled() and task.exception() is not None:
            LOG.warning("a request that was given up failed: %s", task.exception())


class _Door:
    """Passes on what is sent until it is shut."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.was_used = False
        self.is_shut = False

    async def __call__(self, message: Message) -> None:
        if not self.is_shut:
            self.was_used = True
            await self._send(message)
