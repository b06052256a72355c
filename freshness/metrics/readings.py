"""What is exported, as it was read from the history and the daemon: plain values, no labels yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from freshness.history import JobState, RequestTotals, Summary


@dataclass(frozen=True, slots=True)
class SuiteReading:
    """One suite of one model. ``finished``: its newest finished run, what the ratios are about.

    ``succeeded``: whether the newest run that ended did so with answers; None where none ended.
    ``runs``: how many there are by status.
    """

    suite: str
    finished: Summary | None = None
    succeeded: bool | None = None
    runs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelReading:
    """A model that the config registers.

    ``events``: how many there were by kind (``history.ModelEvent``); ``newly_outdated``: how many facts
    changes of the world made outdated, numbers aside; ``requests``: all that were ever made of it, None
    before the first.
    """

    name: str
    suites: tuple[SuiteReading, ...] = ()
    events: Mapping[str, int] = field(default_factory=dict)
    newly_outdated: int = 0
    requests: RequestTotals | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A source of facts: the moment its newest snapshot speaks of, and what its refreshes saw in all."""

    name: str
    taken_at: datetime | None = None
    max_age: timedelta | None = None
    changes: int = 0
    revisions: int = 0


@dataclass(frozen=True, slots=True)
class Indicator:
    """A chart of numbers: when the source last confirmed it, the publisher's dates, its newest year.

    ``updated``: of the edition that we have; ``due``: when the next one was announced for.
    """

    name: str
    fetched_at: datetime
    updated: date | None = None
    due: date | None = None
    newest_year: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A job of the daemon: how it went so far, over all daemons and restarts (None: it never ran).

    ``next_run``: when it is due; ``interval``: the longest time between two due times. ``missed``: how
    often it was due and not run, since this daemon began.
    """

    name: str
    state: JobState | None = None
    next_run: datetime | None = None
    interval: timedelta | None = None
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Daemon:
    """When it began, whether the config was taken when last read, and when it last was."""

    started_at: datetime
    config_taken: bool = True
    config_read_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Readings:
    """All that one scrape tells. ``readable``: whether the history could be read.

    ``facts``: by group and state; ``build``: version, judge and Python's release.
    """

    models: tuple[ModelReading, ...] = ()
    sources: tuple[Source, ...] = ()
    facts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    indicators: tuple[Indicator, ...] = ()
    jobs: tuple[Job, ...] = ()
    daemon: Daemon | None = None
    readable: bool = True
    build: tuple[str, str, str] = ("", "", "")
