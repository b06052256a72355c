"""The service: finds out what is due, claims it, runs it, and says how it went.

::

    schedules, a tick every 2 s ──► due? ──► claim (store) ──► child process ──► settle (store)
                                                renewed every 15 s ┘

Whatever number of daemons share a database, a slot is claimed by one of them at a time; who dies while it
runs one loses it after ``LEASE``. APScheduler wakes us at the slots, and knows nothing else: the jobs are
rebuilt from the settings at each start, and what was done stands in the store.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any, Final

from freshness.app import setup
from freshness.config import Settings
from freshness.daemon import logs
from freshness.daemon.due import begins_late, due_slot, next_run, passed_over, turn
from freshness.daemon.jobs import Job, jobs_of
from freshness.daemon.reach import Reach
from freshness.daemon.runner import Result, Run, Task, run_child
from freshness.daemon.trigger import Alarm, Beat
from freshness.daemon.watch import Config, Load, Taken
from freshness.errors import StoreError
from freshness.history import Claim, JobState, Outcome
from freshness.history.jobs import runs_ahead
from freshness.store import Store

LEASE: Final = timedelta(seconds=45)
RENEW_SECONDS: Final = 15
TICK_SECONDS: Final = 2
SETTLE_SECONDS: Final = 3
"""So long until how a job went is told again to a database that could not be written to."""

Clock = Callable[[], datetime]


@dataclass(slots=True)
class Running:
    """A job that this daemon runs. ``until``: when its claim ends unless renewed (monotonic seconds)."""

    claim: Claim
    since: datetime
    until: float
    stop: threading.Event = field(default_factory=threading.Event)
    lost: bool = False
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """How the daemon is: for metrics and pages. ``missed``: by job, since it began."""

    started_at: datetime
    config: Taken
    missed: Mapping[str, int]
    running: Mapping[str, Running]


class Service:
    """One daemon. ``load`` reads the settings, ``on_reload`` is told of others.

    The rest is for tests and simulations: other jobs, other ways to run them, another clock.

    Raises ``UsageError`` for settings that are bad from the start.
    """

    def __init__(
        self,
        load: Load,
        *,
        jobs: Callable[[Settings], list[Job]] = jobs_of,
        run: Run = run_child,
        clock: Clock = lambda: datetime.now(UTC),
        on_reload: Callable[[Settings], None] = lambda settings: None,
    ) -> None:
        self._config = Config(load)
        self._jobs_of = jobs
        self._run = run
        self._clock = clock
        self._on_reload = on_reload
        self._log = logs.get()
        self._reach = Reach(self._log)
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._reloading = threading.Lock()
        self._again = threading.Event()
        self._jobs: dict[str, Job] = {job.name: job for job in jobs(self.settings)}
        self._states: dict[str, JobState] = {}
        self._running: dict[str, Running] = {}
        self._threads: list[threading.Thread] = []
        self._missed: Counter[str] = Counter()
        self._waited: dict[str, datetime] = {}  # by job: what it missed before this slot is counted
        self._ahead: dict[str, datetime] = {}  # slots in the future that were warned of
        self.outcomes: dict[str, Outcome] = {}
        self._looked_at: float | None = None
        self._stopping = False
        self._started_at = clock()
        self._store: Store | None = None
        self._alarm: Alarm | None = None
        self._beats: list[Beat] = []

    @property
    def settings(self) -> Settings:
        """As they count now: a reload replaces them."""
        return self._config.taken.settings

    @property
    def store(self) -> Store:
        """The open history; only between ``start`` and ``stop``."""
        if self._store is None:
            raise RuntimeError("the service has not been started")
        return self._store

    # For the outside

    def open(self) -> None:
        """Open the database, making or upgrading it; raises ``StoreError``."""
        if self._store is None:
            self._store = setup.open_history(self.settings, create=True)

    def start(self) -> None:
        """Open the database and keep the schedules from now on; raises ``StoreError``."""
        self.open()
        self._log.info("daemon started", jobs=len(self._jobs))
        self._alarm = Alarm(self.tick)
        self._plan()
        self.keep_claims()
        self._beats += [
            Beat("tick", TICK_SECONDS, self.tick),
            Beat("look", RENEW_SECONDS, partial(self._reach.look, self.store)),
        ]

    def keep_claims(self) -> None:
        """From now on the claims of what runs are renewed, so that it stays ours however long it takes."""
        self._beats.append(Beat("renew", RENEW_SECONDS, self._renew))

    def stop(self, timeout: float) -> bool:
        """Start nothing more, tell what runs to stop, and wait for it, ``timeout`` seconds at most.

        False where something still ran then; its claim ends by itself.
        """
        self._stopping = True
        end = time.monotonic() + timeout
        with self._lock:
            for running in self._running.values():
                running.stop.set()
        for beat in self._beats:
            beat.stop()
        if self._alarm:
            self._alarm.stop()
        # Who claims a job just now begins it too, and then it is one of those that are waited for.
        if self._turn.acquire(timeout=max(0.0, end - time.monotonic())):
            self._turn.release()
        ended = self.wait(end - time.monotonic())
        self._log.info("daemon stopped", ended=ended)
        if ended and self._store:
            self._store.close()
        return ended

    def wait(self, timeout: float | None = None) -> bool:
        """Until nothing runs; False when the time is up before."""
        end = None if timeout is None else time.monotonic() + timeout
        for thread in list(self._threads):
            thread.join(None if end is None else max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def ready(self) -> bool:
        """Whether the schedules are kept and the database was read a moment ago."""
        looked = self._looked_at
        recent = looked is not None and time.monotonic() - looked < LEASE.total_seconds()
        return recent and not self._stopping and bool(self._alarm and self._alarm.is_set)

    def next_runs(self) -> dict[str, datetime]:
        """When each job runs next, as far as one can tell: its overdue slot; for one that runs, its next."""
        now = self._clock()
        planned = {name: next_run(job, self._states.get(name), now) for name, job in self._jobs.items()}
        return {name: moment for name, moment in planned.items() if moment is not None}

    def jobs(self) -> list[Job]:
        """As the settings name them now."""
        return list(self._jobs.values())

    def state(self) -> State:
        with self._lock:
            return State(self._started_at, self._config.taken, dict(self._missed), dict(self._running))

    def run_now(self, name: str) -> bool:
        """Begin a job out of turn; False where there is no such job, or it is being run.

        It begins even where all workers are busy. Raises ``StoreError``.
        """
        job = self._jobs.get(name)
        if job is None or self._stopping:
            return False
        with self._turn:
            return self._claim(job, self._clock())

    def reload(self) -> bool:
        """Read the config again; False when it was refused and the old one kept. Never raises."""
        # One at a time: else the jobs of an earlier reading could take the place of a later one's.
        with self._reloading:
            try:
                return self._reload()
            except Exception:
                self._log.exception("unexpected error")
                return False

    def _reload(self) -> bool:
        taken = self._config.reload()
        if taken.refused is not None:
            self._log.error("config refused, the old one is kept", error=taken.refused)
            return False
        self._jobs = {job.name: job for job in self._jobs_of(taken.settings)}
        self._plan()
        self._on_reload(taken.settings)
        self._log.info("config read", jobs=len(self._jobs))
        for key in taken.later:
            self._log.warning("a setting counts from the next start on", key=key)
        return True

    # Turns

    def tick(self) -> None:
        """Read the config again if it changed, then begin what is due; never raises."""
        try:
            if self._config.changed():
                self.reload()
            self.begin_due()
        except StoreError as error:
            self._reach.lost("tick", error)
        except Exception:
            self._log.exception("unexpected error")

    def begin_due(self, leave_out: Collection[str] = ()) -> list[str]:
        """Claim and begin what is due, as far as there are workers; the names. Raises ``StoreError``."""
        begun: list[str] = []
        self._again.set()
        # Who finds somebody at it leaves word to look again.
        while self._again.is_set() and self._turn.acquire(blocking=False):
            try:
                self._again.clear()
                begun += self._begin_due(leave_out)
            finally:
                self._turn.release()
        return begun

    def _begin_due(self, leave_out: Collection[str]) -> list[str]:
        self._states = {state.job: state for state in self.store.job_states()}
        self._looked_at = time.monotonic()
        now = self._clock()
        self._warn_of_slots_ahead(now)
        begun = []
        for job, slot in self._due(leave_out, now):
            if not self._has_worker():
                self._count_missed(job, slot)
            elif self._claim(job, slot):
                begun.append(job.name)
        self._reach.found("tick")
        return begun

    def _due(self, leave_out: Collection[str], now: datetime) -> list[tuple[Job, datetime]]:
        """Each with its slot; first whose turn it is, so that none waits for ever where workers are few."""
        found = [
            (turn(state, now), slot, number, job)
            for number, job in enumerate(self._jobs.values())
            if job.name not in leave_out
            and (slot := due_slot(job, state := self._states.get(job.name), now)) is not None
        ]
        return [(job, slot) for _, slot, _, job in sorted(found, key=lambda due: due[:3])]

    def _warn_of_slots_ahead(self, now: datetime) -> None:
        """Once for each slot that can't have been begun yet, and so is not believed."""
        for name, state in self._states.items():
            if runs_ahead(state.slot, now) and self._ahead.get(name) != state.slot:
                self._ahead[name] = state.slot
                self._log.warning(
                    "a job was begun in the future: was a clock wrong?", job=name, slot=state.slot.isoformat()
                )

    def _has_worker(self) -> bool:
        with self._lock:
            return not self._stopping and len(self._running) < self.settings.daemon.workers

    def _claim(self, job: Job, slot: datetime) -> bool:
        with self._lock:
            if self._stopping or job.name in self._running:
                return False
        before = time.monotonic()
        claim = self.store.claim(job.name, slot, LEASE)
        if claim is None:
            return False
        late = begins_late(self._states.get(job.name), slot, self._clock(), self.settings.daemon.grace)
        self._count_missed(job, slot, int(late))
        running = Running(claim, self._clock(), before + LEASE.total_seconds())
        with self._lock:
            if self._stopping:  # since we looked: it ends as soon as it begins, and its claim with it
                running.stop.set()
            thread = threading.Thread(
                target=self._work, args=(job, running), name=f"job {job.name}", daemon=True
            )
            thread.start()  # first: where there can't be another one, nobody runs it, and its claim ends
            self._running[job.name] = running
            self._threads = [*(old for old in self._threads if old.is_alive()), thread]
        return True

    def _count_missed(self, job: Job, slot: datetime, late: int = 0) -> None:
        """Count what nobody began before the slot that begins now, or waits for a worker."""
        count = late + passed_over(job, self._states.get(job.name), slot, self._waited.get(job.name))
        self._waited[job.name] = slot
        if count:
            self._missed[job.name] += count
            self._log.warning("slots missed", job=job.name, missed=count, slot=slot.isoformat())

    # One job

    def _work(self, job: Job, running: Running) -> None:
        """In a thread of its own: run it and say how it went, whatever happens."""
        claim = running.claim
        log = self._log.bind(job=job.name, slot=claim.slot.isoformat(), attempt=claim.attempt)
        log.info("job started")
        begun = time.monotonic()
        try:
            task = Task(job, claim.slot, claim.attempt, self.settings)
            result = self._run(task, running.stop, lambda message: self._hear(message, running, log))
        except Exception as error:
            log.exception("unexpected error")
            result = Result("failed", f"unexpected {type(error).__name__}: {error}")
        seconds = time.monotonic() - begun
        self.outcomes[job.name] = result.outcome
        try:
            if not running.lost:
                self._settle(running, result, seconds, log)
        finally:
            with self._lock:
                self._running.pop(job.name, None)
        if self._alarm and not self._stopping:
            self.tick()  # a worker is free
        tell = log.error if result.outcome == "failed" else log.info
        why = {} if result.error is None else {"error": result.error}
        tell(f"job {result.outcome}", seconds=round(seconds, 3), **why)

    def _settle(self, running: Running, result: Result, seconds: float, log: logs.Logger) -> None:
        """Again and again while the claim holds: else the job would be run again for nothing."""
        for tried in count():
            try:
                if not self.store.settle(running.claim, result.outcome, result.error, seconds):
                    log.warning("another daemon has taken this job over")
                return
            except StoreError as error:
                if not tried:
                    log.error("how the job went can't be stored", error=str(error))
            if self._stopping or running.lost or time.monotonic() > running.until:
                return
            time.sleep(SETTLE_SECONDS)

    def _hear(self, message: Mapping[str, Any], running: Running, log: logs.Logger) -> None:
        """A message of the job's process: how far it is, or something for the log."""
        if "done" in message:
            running.done, running.total = int(message["done"]), int(message.get("total", 0))
            return
        fields = {key: value for key, value in message.items() if key not in ("level", "event")}
        level = message.get("level")
        tell = {"debug": log.debug, "warning": log.warning, "error": log.error}.get(str(level), log.info)
        tell(str(message.get("event", "job said")), **fields)

    def _renew(self) -> None:
        """Keep the claims of what runs; stop what is no longer ours."""
        with self._lock:
            held = list(self._running.values())
        failed = None
        for running in held:
            before = time.monotonic()
            try:
                ours = self.store.renew(running.claim, LEASE)
            except StoreError as error:
                failed = error
                ours = before < running.until
            else:
                running.until = before + LEASE.total_seconds()
            if not ours:
                running.lost = True
                running.stop.set()
        self._reach.heard("renew", failed)

    def _plan(self) -> None:
        if self._alarm:
            self._alarm.plan(self._jobs.values(), self.settings.daemon.grace)
