"""Whether the database can be used, as far as a daemon sees: told when that ends, and when it is over."""

from __future__ import annotations

import threading

from freshness.daemon import logs
from freshness.errors import StoreError
from freshness.store import Store


class Reach:
    """Hears from each that uses the database how it went; threads may tell at once."""

    def __init__(self, log: logs.Logger) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._failing: set[str] = set()

    def lost(self, who: str, error: StoreError) -> None:
        """It can't be used by one of its users."""
        with self._lock:
            if not self._failing:
                self._log.error("the database can't be used", error=str(error))
            self._failing.add(who)

    def found(self, who: str) -> None:
        """It can, by that one."""
        with self._lock:
            if self._failing == {who}:
                self._log.info("the database can be used again")
            self._failing.discard(who)

    def heard(self, who: str, error: StoreError | None) -> None:
        """How it went for one of them (None: well)."""
        if error is None:
            self.found(who)
        else:
            self.lost(who, error)

    def look(self, store: Store) -> None:
        """Ask it on a connection of its own: those that are open go on with a file that was replaced."""
        failed = None
        try:
            store.ping()
        except StoreError as error:
            failed = error
        self.heard("look", failed)
