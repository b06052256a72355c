"""What the routes share: the store, the daemon that runs beside, and the settings as they are now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from freshness.app.pages import KnownFacts, KnownSeries, Look
from freshness.config import Settings
from freshness.store import Store
from freshness.web.database import Database


class Service(Protocol):
    """What the web asks of the daemon's service; see ``daemon.service``."""

    @property
    def settings(self) -> Settings:
        """As they count now: a reload replaces them."""
        ...

    def ready(self) -> bool:
        """Whether the scheduler runs."""
        ...

    def next_runs(self) -> Mapping[str, datetime]:
        """When each job comes next."""
        ...

    def run_now(self, job: str) -> bool:
        """Start a job; False for one that there is not, or that is being run."""
        ...

    def reload(self) -> bool:
        """Read the config again; False when it was refused and the old one kept."""
        ...


@dataclass(frozen=True, slots=True)
class Site:
    """One daemon's web side; ``service`` None: pages alone."""

    first_settings: Settings
    store: Store
    service: Service | None
    database: Database
    known: KnownFacts = field(default_factory=KnownFacts)
    charts: KnownSeries = field(default_factory=KnownSeries)

    @property
    def settings(self) -> Settings:
        return self.service.settings if self.service else self.first_settings

    def look(self) -> Look:
        """A look at everything as it is now."""
        return Look(self.settings, self.store, self.service, self.known, self.charts, datetime.now(UTC))
