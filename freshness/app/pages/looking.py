"""What every page looks at: settings, history, the facts as last observed, and the daemon, if one runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Final, Generic, Protocol, TypeVar

from freshness.app import series_views, world
from freshness.app.series import Held
from freshness.app.series_refreshing import SOURCE
from freshness.app.series_views import IndicatorView
from freshness.app.snapshots import Talk
from freshness.app.world import Known, View
from freshness.catalog import charts
from freshness.config import Settings
from freshness.store import IndicatorState, Store

FACTS_FOR_SECONDS: Final = 10.0
"""So long the facts count as just read: thousands of them are not read and assessed for each request."""

T = TypeVar("T")


class Daemon(Protocol):
    """What the pages ask of a running daemon."""

    def next_runs(self) -> Mapping[str, datetime]:
        """When each job comes next."""
        ...


class KnownFacts:
    """The facts as last observed, read again when they are older than ``seconds``; for any thread."""

    def __init__(
        self, seconds: float = FACTS_FOR_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._read: tuple[float, date, dict[str, Known]] | None = None

    def by_id(self, settings: Settings, today: date) -> Mapping[str, Known]:
        """By id (``Q38/P6``), in the snapshot's order; raises ``UsageError``, ``StoreError``."""
        with self._lock:
            if self._read is None or self._is_old(self._read[0]) or self._read[1] != today:
                found = world.facts(settings, View("latest", today))
                self._read = (self._clock(), today, {known.fact.id: known for known in found})
            return self._read[2]

    def _is_old(self, read_at: float) -> bool:
        return self._clock() - read_at >= self._seconds


class KnownSeries:
    """The charts as last observed, read again when a refresh brought another edition; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: tuple[object, tuple[IndicatorView, ...]] | None = None

    def views(self, settings: Settings, states: Sequence[IndicatorState]) -> tuple[IndicatorView, ...]:
        """By category; ``states``: what the history has of each now.

        Raises ``UsageError`` and ``StoreError``.
        """
        editions = tuple((state.source, state.indicator.id, state.digest, state.vintage) for state in states)
        key = (editions, charts.load(settings.owid.charts))
        with self._lock:
            if self._read is None or self._read[0] != key:
                self._read = (key, tuple(series_views.listed(settings, "latest", (), Talk())))
            return self._read[1]


@dataclass(frozen=True, slots=True)
class Look:
    """One look at everything, at the moment ``now`` (aware, UTC)."""

    settings: Settings
    store: Store
    daemon: Daemon | None = None
    known: KnownFacts = field(default_factory=KnownFacts)
    charts: KnownSeries = field(default_factory=KnownSeries)
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    def facts(self) -> Mapping[str, Known]:
        """The facts as last observed, by id."""
        return self.known.by_id(self.settings, self.now.date())

    def series(self) -> list[IndicatorView]:
        """The charts that the config asks about, with what the history has of each now."""
        held = Held.of(self.store)
        views = self.charts.views(self.settings, list(held.states.values()))
        ids = [view.indicator.id for view in views]
        return [
            replace(view, state=held.states.get(one), fault=held.faults.get(one))
            for one, view in zip(ids, views, strict=True)
        ]

    def former_series(self, indicator: str) -> IndicatorView | None:
        """A chart that was fetched once, and that the config doesn't ask about any more."""
        states = Held.of(self.store).states
        found = self.store.latest_chart(SOURCE, indicator) if indicator in states else None
        return found and IndicatorView(found[0].indicator, found[0], SOURCE, states[indicator])

    def next_runs(self) -> Mapping[str, datetime]:
        """When each job comes next; nothing where no daemon runs."""
        return self.daemon.next_runs() if self.daemon else {}

    def registered(self) -> list[tuple[str, str]]:
        """Each model and suite that the config registers, in its order."""
        return [(model.name, suite) for model in self.settings.models for suite in model.suites]


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """A part of a long list: ``items`` from ``offset`` on; ``total`` None where nobody counted all."""

    items: tuple[T, ...]
    offset: int
    limit: int
    more: bool
    total: int | None = None

    @classmethod
    def of(cls, everything: Sequence[T], offset: int, limit: int) -> Slice[T]:
        """The part of a list that is there as a whole."""
        end = offset + limit
        return cls(tuple(everything[offset:end]), offset, limit, end < len(everything), len(everything))

    @classmethod
    def of_beginning(cls, beginning: Sequence[T], offset: int, limit: int) -> Slice[T]:
        """The part of a list of which the first ``offset + limit + 1`` were read."""
        end = offset + limit
        return cls(tuple(beginning[offset:end]), offset, limit, len(beginning) > end)
