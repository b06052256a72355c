"""The config as it was last accepted, and when its files are others than then."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from freshness.app import setup
from freshness.app.series_refreshing import indicators
from freshness.config import Settings
from freshness.errors import FreshnessError

Load = Callable[[], Settings]
"""Reads the settings; raises ``UsageError``."""

QUIET_SECONDS: Final = 1.0
"""So long a file must stay as it is before it is read."""

_MOST_BYTES: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Taken:
    """The settings that count, when they were read, and why a later reading was refused (None: none was).

    ``later``: keys that another value was read for, which counts from the next start on.
    """

    settings: Settings
    read_at: datetime
    refused: str | None = None
    later: tuple[str, ...] = ()


class Config:
    """Settings that can be read again; a bad config never replaces a good one. For any thread."""

    def __init__(self, load: Load) -> None:
        """Raises ``UsageError`` for a config that is bad from the start."""
        self._load = load
        self._lock = threading.Lock()
        settings = _checked(load)
        self._taken = Taken(settings, datetime.now(UTC))
        self._seen = _fingerprint(settings)
        self._glimpsed: tuple[str, float] | None = None

    @property
    def taken(self) -> Taken:
        return self._taken

    def changed(self) -> bool:
        """Whether a file that the settings come from is another than when they were read, and stays so.

        A file that somebody is writing can be read half-way, and half a config may be a good one.
        """
        now, found = time.monotonic(), _fingerprint(self._taken.settings)
        if found == self._seen:
            return False
        if self._glimpsed is None or self._glimpsed[0] != found:
            self._glimpsed = (found, now)
        return now - self._glimpsed[1] >= QUIET_SECONDS

    def reload(self) -> Taken:
        """Read again. A bad config is refused; what only a start can change stays as it was."""
        with self._lock:
            before = self._taken
            # Looked at first: what is written while we read is another change.
            self._seen = _fingerprint(before.settings)
            try:
                read = _checked(self._load)
            except FreshnessError as error:
                self._taken = replace(before, refused="; ".join(str(error).splitlines()))
                return self._taken
            settings, later = _kept(before.settings, read)
            if _files(settings) != _files(before.settings):
                self._seen = _fingerprint(settings)
            self._taken = Taken(settings, datetime.now(UTC), later=later)
            return self._taken


def _checked(load: Load) -> Settings:
    """With catalogues that can be read: a job would only find out hours later."""
    settings = load()
    setup.catalog(settings, ())
    indicators(settings, ())
    return settings


def _kept(before: Settings, read: Settings) -> tuple[Settings, tuple[str, ...]]:
    """The new settings, but with the database and the address that are in use; keys that had to wait."""
    store = read.store.model_copy(update={"url": before.store.url})
    later = {
        "store.url": read.store.url != before.store.url,
        "server": read.server != before.server,
    }
    kept = read.model_copy(update={"store": store, "server": before.server})
    return kept, tuple(key for key, waits in later.items() if waits)


def _files(settings: Settings) -> list[Path]:
    named = [settings.path] if settings.path else []
    catalogues = (*settings.facts.catalogues, *settings.owid.charts)
    return [*named, *(Path(name) for name in catalogues if Path(name).suffix)]


def _fingerprint(settings: Settings) -> str:
    """Another one when a file's text is: times and sizes can stay while that changes."""
    seen = hashlib.sha256()
    for path in _files(settings):
        seen.update(f"\0{path}\0".encode())
        with suppress(OSError), path.open("rb") as file:
            seen.update(file.read(_MOST_BYTES))
    return seen.hexdigest()
