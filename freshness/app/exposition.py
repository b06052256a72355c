"""``/metrics``: what the history, the facts and the daemon say at the moment of the scrape.

Nothing is counted here: a restart loses nothing, and a model that is gone from the config is gone from the
metrics.
"""

from __future__ import annotations

import platform
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Final, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from freshness import __version__
from freshness.app import indicators, snapshots
from freshness.app.refreshing import SOURCE, states
from freshness.config import ModelSettings, Settings
from freshness.errors import FreshnessError, StoreError
from freshness.grading import JUDGE_VERSION
from freshness.history import Run, Summary
from freshness.history.jobs import PROBE, probe_job
from freshness.metrics import CONTENT_TYPE as CONTENT_TYPE
from freshness.metrics import Daemon, Job, ModelReading, Readings, Source, SuiteReading, expose
from freshness.sources.bundled import SOURCE as BUNDLED
from freshness.store import SourceState, Store

LOOK_AHEAD: Final = timedelta(days=8)
BUILD: Final = (__version__, JUDGE_VERSION, platform.python_version())

Key = tuple[str, str]
"""A model's name and a suite's."""


class Schedule(Protocol):
    """When a job is due; all moments in UTC. Equal ones are due at the same moments."""

    def __hash__(self) -> int: ...

    def slots(self, after: datetime, until: datetime) -> list[datetime]:
        """All slots in ``(after, until]``."""
        ...

    def next_slot(self, now: datetime) -> datetime | None:
        """The first slot after ``now``."""
        ...

    def latest_slot(self, now: datetime) -> datetime | None:
        """The last slot that is not after ``now``."""
        ...


class Planned(Protocol):
    """A job as the settings name it."""

    @property
    def name(self) -> str: ...
    @property
    def schedule(self) -> Schedule: ...


class Config(Protocol):
    """The config that counts, and why a later reading was refused (None: none was)."""

    @property
    def read_at(self) -> datetime: ...
    @property
    def refused(self) -> str | None: ...


class State(Protocol):
    """How the daemon is. ``missed``: slots that nobody began, by job, since it began."""

    @property
    def started_at(self) -> datetime: ...
    @property
    def config(self) -> Config: ...
    @property
    def missed(self) -> Mapping[str, int]: ...


class Service(Protocol):
    """What metrics ask of whatever runs the jobs."""

    def next_runs(self) -> Mapping[str, datetime]:
        """When each job comes next."""
        ...


@runtime_checkable
class Telling(Service, Protocol):
    """One that tells more of itself, as ``daemon.service`` does."""

    def jobs(self) -> Sequence[Planned]:
        """As the settings name them now."""
        ...

    def state(self) -> State: ...


def render(settings: Settings, store: Store, service: Service | None = None) -> bytes:
    """All metrics in Prometheus' text format, of type ``CONTENT_TYPE``; for any thread.

    A history that can't be read is a metric of its own, and no error: the daemon is there all the same.
    """
    now = datetime.now(UTC)
    try:
        read = readings(settings, store, service, now)
    except StoreError:
        return render_without_history(service)
    return expose(read)


def render_without_history(service: Service | None) -> bytes:
    """What can be told while the history can't be read, and that it can't."""
    return expose(Readings(daemon=_daemon(service), readable=False, build=BUILD))


def readings(settings: Settings, store: Store, service: Service | None, now: datetime) -> Readings:
    """What a scrape at that moment tells; raises ``StoreError``."""
    sources, charts = store.source_states(), store.indicator_states()
    return Readings(
        models=_models(settings, store),
        sources=_sources(settings, sources, indicators.source(settings, charts)),
        facts=_facts_of(store).by_group(settings, sources, now.date()),
        indicators=indicators.readings(settings, charts),
        jobs=_jobs(settings, store, service, now.date()),
        daemon=_daemon(service),
        build=BUILD,
    )


def _daemon(service: Service | None) -> Daemon | None:
    if not isinstance(service, Telling):
        return None
    state = service.state()
    return Daemon(state.started_at, state.config.refused is None, state.config.read_at)


def _models(settings: Settings, store: Store) -> tuple[ModelReading, ...]:
    finished = {(run.model, run.suite): run for run in store.latest_summaries()}
    succeeded = _succeeded(store, store.last_runs(), finished)
    runs = store.run_counts()
    events = Counter((event.model, str(event.kind)) for event in store.model_events())
    newly = store.newly_outdated()
    requests = {totals.model: totals for totals in store.request_totals()}

    def suite(key: Key) -> SuiteReading:
        return SuiteReading(key[1], finished.get(key), succeeded.get(key), runs.get(key, {}))

    return tuple(
        ModelReading(
            model.name,
            tuple(suite((model.name, name)) for name in dict.fromkeys(model.suites)),
            {kind: count for (name, kind), count in events.items() if name == model.name},
            newly.get(model.name, 0),
            requests.get(model.name),
        )
        for model in settings.models
    )


def _succeeded(store: Store, newest: Iterable[Run], finished: Mapping[Key, Summary]) -> dict[Key, bool]:
    """Whether the newest run that ended brought answers; one that is being asked hasn't ended."""
    told = {}
    for run in newest:
        key = (run.model, run.suite)
        if run.status == "running":
            ended = store.summaries(*key, limit=1)
            if ended:
                told[key] = _brought_answers(ended[0])
        elif run.status != "finished":
            told[key] = False
        elif key in finished:
            told[key] = _brought_answers(finished[key])
    return told


def _brought_answers(run: Summary) -> bool:
    return run.status == "finished" and run.answered > 0


def _sources(settings: Settings, states: Iterable[SourceState], numbers: Source | None) -> tuple[Source, ...]:
    """The sources that are known by name; a snapshot file's is a path, and there may be any number."""
    seen = {state.source: state for state in states}
    told = []
    if SOURCE in seen or settings.wikidata.refresh:
        state = seen.get(SOURCE)
        events = state.events if state else {}
        taken_at = state.taken_at if state else None
        counts = events.get("change", 0), events.get("revision", 0)
        told.append(Source(SOURCE, taken_at, settings.wikidata.max_age, *counts))
    if numbers:
        told.append(numbers)
    if BUNDLED in seen:
        told.append(Source(BUNDLED, seen[BUNDLED].taken_at))
    return tuple(told)


def _jobs(settings: Settings, store: Store, service: Service | None, today: date) -> tuple[Job, ...]:
    """The jobs that the daemon plans; without one, those that ran but for probes of models that are gone."""
    states = {state.job: state for state in store.job_states()}
    if service is None:
        return tuple(Job(name, states[name]) for name in states if _is_registered(name, settings.models))
    planned = service.next_runs()
    intervals, missed = _schedules(service, today)
    return tuple(
        Job(name, states.get(name), planned[name], intervals.get(name), missed.get(name, 0))
        for name in sorted(planned)
    )


def _schedules(service: Service, today: date) -> tuple[Mapping[str, timedelta | None], Mapping[str, int]]:
    """The interval of each job, and how many of its slots nobody began; nothing where it isn't told."""
    if not isinstance(service, Telling):
        return {}, {}
    intervals = {job.name: _interval(job.schedule, today) for job in service.jobs()}
    return intervals, service.state().missed


@lru_cache(maxsize=1000)
def _interval(schedule: Schedule, today: date) -> timedelta | None:
    """The longest time between two slots around that day and in the week to come.

    A job that rests on Sunday is not overdue then.
    """
    begin = datetime.combine(today, time.min, UTC)
    end = begin + LOOK_AHEAD
    slots = [schedule.latest_slot(begin), *schedule.slots(begin, end), schedule.next_slot(end)]
    known = [slot for slot in slots if slot is not None]
    return max((after - before for before, after in pairwise(known)), default=None)


def _is_registered(job: str, models: Iterable[ModelSettings]) -> bool:
    if not job.startswith(PROBE):
        return True
    return any(job == probe_job(model.name, suite) for model in models for suite in model.suites)


class _Facts:
    """How many facts are usable and quarantined by group, assessed again when they or the day are others.

    To read and assess 13,000 facts takes seconds. Meanwhile other scrapes get what was known before.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[object, dict[str, Counter[str]]] | None = None

    def by_group(
        self, settings: Settings, sources: Iterable[SourceState], today: date
    ) -> Mapping[str, Mapping[str, int]]:
        """Counts by state; empty where the facts that the config asks about can't be told."""
        digests = tuple((state.source, state.digest) for state in sources)
        key = (today, tuple(settings.facts.catalogues), digests)
        known = self._known
        if known is not None and known[0] == key:
            return known[1]
        if not self._lock.acquire(blocking=known is None):
            return known[1] if known else {}
        try:
            return self._assessed(settings, today, key)
        finally:
            self._lock.release()

    def _assessed(self, settings: Settings, today: date, key: object) -> dict[str, Counter[str]]:
        if self._known is None or self._known[0] != key:
            self._known = (key, _assess(settings, today))
        return self._known[1]


def _assess(settings: Settings, today: date) -> dict[str, Counter[str]]:
    try:
        facts = snapshots.find(settings, "latest").snapshot.facts
    except StoreError:
        raise
    except FreshnessError:  # a catalogue that went wrong since the config was read
        return {}
    return dict(states(facts, today))


_FACTS: Final[WeakKeyDictionary[Store, _Facts]] = WeakKeyDictionary()
_FACTS_LOCK: Final = threading.Lock()


def _facts_of(store: Store) -> _Facts:
    with _FACTS_LOCK:
        return _FACTS.setdefault(store, _Facts())
