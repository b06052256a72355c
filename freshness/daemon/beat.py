"""What is done every few seconds, whatever the wall clock does."""

from __future__ import annotations

import threading
from collections.abc import Callable

from freshness.daemon import logs


class Beat:
    """Calls ``work`` at once and then every so many ``seconds``, in a thread of its own, until it is stopped.

    By a clock that only goes on: one that is set back must not keep it still. What ``work`` raises is logged.
    """

    def __init__(self, name: str, seconds: float, work: Callable[[], object]) -> None:
        self._seconds = seconds
        self._work = work
        self._stop = threading.Event()
        threading.Thread(target=self._go_on, name=name, daemon=True).start()

    def stop(self) -> None:
        """Not once more; what is being done goes on to its end."""
        self._stop.set()

    def _go_on(self) -> None:
        while not self._stop.is_set():
            try:
                self._work()
            except Exception:
                logs.get().exception("unexpected error")
            self._stop.wait(self._seconds)
