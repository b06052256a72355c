"""What APScheduler asks for the time of the next turn."""

from __future__ import annotations

from datetime import datetime

from apscheduler.triggers.base import BaseTrigger

from freshness.daemon.schedule import Schedule


class SlotTrigger(BaseTrigger):  # type: ignore[misc]
    """A schedule as APScheduler wants it: no time comes twice, whatever the clocks do."""

    __slots__ = ("schedule",)

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule

    def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime | None:
        return self.schedule.next_slot(now if previous is None else max(previous, now))
