"""What the process is told from outside, and that it ends when it is told to, whatever hangs."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Final

LAST_SECONDS: Final = 14.0
"""So long after it was told to end, the process is gone whatever hangs."""

_LAST_WORDS_SECONDS: Final = 0.5
_ENDING: Final = (signal.SIGTERM, signal.SIGINT)
_MOST_SIGNALS: Final = 4096


class Signals:
    """What the process was told: to end (SIGTERM, SIGINT) or to read its config again (SIGHUP)."""

    def __init__(self) -> None:
        self.end = threading.Event()
        self.number: int | None = None
        """Which signal told it to end, the first one; None: none yet."""
        self._news = threading.Event()
        self._came, self._told = os.pipe()
        os.set_blocking(self._told, False)

    def listen(self) -> None:
        """From now on; only in the main thread.

        Once told to end, the process is gone ``LAST_SECONDS`` later at the latest, then with the signal's own
        exit code: even where the main thread waits for a database, or for who reads the log.
        """
        # Their numbers come through a pipe. A handler in Python runs in the middle of whatever the main
        # thread does, and not at all while that waits in a library; and the lock that it needs may be held.
        signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)
        for number in (*_ENDING, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        threading.Thread(target=self._hear, name="signals", daemon=True).start()

    def _hear(self) -> None:
        while self.number is None:
            numbers = os.read(self._came, _MOST_SIGNALS)
            self.number = next((number for number in numbers if number in _ENDING), None)
            if self.number is not None:
                self.end.set()
                last_resort(128 + self.number)
            self._news.set()

    def wait(self, reload: Callable[[], object]) -> int:
        """Until one tells it to end, which one; calls ``reload`` whenever that is wanted."""
        while not self.end.is_set():
            self._news.wait()
            self._news.clear()
            if not self.end.is_set():
                reload()
        assert self.number is not None
        return self.number


def last_resort(code: int) -> None:
    """A database that doesn't answer, or a thread that hangs, must not keep the process."""
    threading.Thread(target=_end_by_force, args=(code,), name="last resort", daemon=True).start()


def _end_by_force(code: int) -> None:
    time.sleep(LAST_SECONDS)
    # In a thread of its own: it may be the log that nobody takes from us.
    telling = threading.Thread(target=_tell_that_it_hangs, name="last words", daemon=True)
    telling.start()
    telling.join(_LAST_WORDS_SECONDS)
    os._exit(code)


def _tell_that_it_hangs() -> None:
    logging.getLogger("freshness.daemon").error("could not stop in time; ended by force")
