"""Asking again: few tries, growing waits, and the server's own wish in Retry-After, with an end in sight."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import stamina
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

MAX_WAIT_SECONDS = 600.0
"""A server that asks for more, over all tries of a request, is not waited for."""

FIRST_WAIT = 2.0
TOLD_WAIT = 5.0
LONGEST_WAIT = 60.0

T = TypeVar("T")


class Failed(Exception):
    """A request that brought nothing.

    ``kind``: a stable word; ``text``: what happened, to be read after the host's name; ``hint``: what to do.
    ``tries``: so many requests at most may be spent on it, None: as many as the client has; ``after``: to be
    tried again in so many seconds.
    """

    def __init__(
        self, kind: str, text: str, hint: str = "", *, tries: int | None = 1, after: float | None = None
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.hint = hint
        self.tries = tries
        self.after = after


class Trying:
    """The tries of one request to a host. ``sent``: how many there were so far.

    ``harmless`` takes secrets out of a text that the server wrote; ``tell`` is given a line before each
    longer wait.
    """

    def __init__(
        self, host: str, attempts: int, tell: Callable[[str], None], harmless: Callable[[str], str] = str
    ) -> None:
        self.sent = 0
        self._waited = 0.0
        self._host = host
        self._attempts = attempts
        self._tell = tell
        self._harmless = harmless

    def until_done(self, once: Callable[[], T]) -> T:
        """What ``once`` brings at last; raises the last ``Failed``."""
        attempts = stamina.retry_context(
            self._wait,
            attempts=self._attempts,
            timeout=None,
            wait_initial=FIRST_WAIT,
            wait_max=LONGEST_WAIT,
        )
        with self._told_retries():
            for attempt in attempts:
                with attempt:
                    self.sent += 1
                    return once()
        raise AssertionError("stamina gives at least one attempt")

    def message(self, failed: Failed) -> str:
        """One line: the host, what happened, after how many tries, and what to do."""
        times = f", after {self.sent} tries" if self.sent > 1 else ""
        hint = failed.hint
        if failed.kind in ("rate_limited", "server_error") and failed.after is not None:
            then = datetime.now(UTC) + timedelta(seconds=failed.after)
            hint = f"it asks to wait until {then:%Y-%m-%d %H:%M:%S} UTC: try again then"
        return f"{self._host} {self._harmless(failed.text)}{times}" + (f"; {hint}" if hint else "")

    def _wait(self, error: Exception) -> bool | float:
        """Whether to try again after this error, or in how many seconds (for stamina)."""
        if not isinstance(error, Failed) or self.sent >= (error.tries or self._attempts):
            return False
        if error.after is None:
            return True
        self._waited += error.after
        return error.after if self._waited <= MAX_WAIT_SECONDS else False

    @contextlib.contextmanager
    def _told_retries(self) -> Iterator[None]:
        """Waits are told to ``tell`` alone meanwhile; stamina would log each."""

        def told(details: RetryDetails) -> None:
            if isinstance(details.caused_by, Failed):
                said = self._harmless(details.caused_by.text)
                if details.wait_for >= TOLD_WAIT:
                    self._tell(f"{self._host} {said}; trying again in {details.wait_for:.0f} s")

        hooks = get_on_retry_hooks()
        set_on_retry_hooks([told])
        try:
            yield
        finally:
            set_on_retry_hooks(hooks)
