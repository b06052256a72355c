"""Whether the database answers, asked with a time limit: one that hangs must not hang us."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final

from freshness.errors import FreshnessError, StoreError

PATIENCE_SECONDS: Final = 3.0
LOG: Final = logging.getLogger("freshness.web")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question to the database; its answer is what went wrong, None for nothing."""

    at: float = field(default_factory=time.monotonic)
    answer: Future[FreshnessError | None] = field(default_factory=Future)


class Database:
    """Asks ``ping`` (which raises ``FreshnessError``, returns, or hangs); for any thread and event loop.

    Who asks while an answer is awaited waits for the same one, so that one thread at most ever hangs.
    """

    def __init__(self, ping: Callable[[], None], patience: float = PATIENCE_SECONDS) -> None:
        self._ping = ping
        self._patience = patience
        self._lock = threading.Lock()
        self._asked: _Asked | None = None

    async def check(self) -> None:
        """Raises ``FreshnessError`` where the database can't be read, or hasn't answered in time.

        At once where it has been silent for longer already.
        """
        asked = self._ask()
        left = asked.at + self._patience - time.monotonic()
        answer = asyncio.wrap_future(asked.answer)
        try:
            await asyncio.wait({answer}, timeout=max(0.0, left))
            error = answer.result() if answer.done() else self._silence(asked)
        finally:
            answer.cancel()  # nobody waits for it any more; the thread's own stays
        if error is not None:
            raise error

    def _ask(self) -> _Asked:
        with self._lock:
            if self._asked is None:
                self._asked = _Asked()
                # Marked as begun it can't be cancelled by one of those who wait for it.
                self._asked.answer.set_running_or_notify_cancel()
                # A daemon thread: one that hangs must not keep the process from ending.
                threading.Thread(
                    target=self._wait, args=(self._asked,), name="database ping", daemon=True
                ).start()
            return self._asked

    def _wait(self, asked: _Asked) -> None:
        error: FreshnessError | None = None
        try:
            self._ping()
        except FreshnessError as told:
            error = told
        except Exception as unforeseen:
            LOG.exception("the database could not be asked")
            error = StoreError(f"the database could not be asked: {type(unforeseen).__name__}")
        with self._lock:
            self._asked = None
        asked.answer.set_result(error)

    def _silence(self, asked: _Asked) -> StoreError:
        return StoreError(f"the database has been silent for {time.monotonic() - asked.at:.0f} s")
