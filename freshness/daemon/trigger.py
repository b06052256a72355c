"""What wakes the service: APScheduler at the moments that our schedules name, a beat every few seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

from freshness.daemon import logs
from freshness.daemon.jobs import Job
from freshness.daemon.schedule import Schedule


class SlotTrigger(BaseTrigger):  # type: ignore[misc]
    """A schedule as APScheduler wants it: no time comes twice, whatever the clocks do."""

    __slots__ = ("schedule",)

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule

    def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime | None:
        return self.schedule.next_slot(now if previous is None else max(previous, now))


class Alarm:
    """Calls ``wake``, in some thread, at each job's slots.

    For punctuality alone: it plans by the wall clock, and where that is set back by an hour, all that it has
    planned waits for an hour more.
    """

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake
        self._scheduler = BackgroundScheduler(timezone=UTC)
        self._scheduler.start()

    def plan(self, jobs: Iterable[Job], grace: timedelta) -> None:
        """From now on at the slots of these jobs, ``grace`` late at most, and at those of no other."""
        wanted = {job.name: SlotTrigger(job.schedule) for job in jobs}
        late = max(1, int(grace.total_seconds()))
        # Each with all of these: given to a scheduler as its defaults they are ignored.
        how = {"coalesce": True, "max_instances": 1, "misfire_grace_time": late, "replace_existing": True}
        for name, trigger in wanted.items():
            self._scheduler.add_job(self._wake, trigger, id=name, **how)
        for name in self.planned() - wanted.keys():
            self._scheduler.remove_job(name)

    def planned(self) -> set[str]:
        """The names of the jobs at whose slots it wakes us."""
        return {known.id for known in self._scheduler.get_jobs()}

    @property
    def is_set(self) -> bool:
        """Whether it will wake us."""
        return bool(self._scheduler.running)

    def stop(self) -> None:
        """Not once more; who was woken and is at work goes on."""
        with suppress(Exception):
            self._scheduler.shutdown(wait=False)


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
