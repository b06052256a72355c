"""When a job is due: its slots, the same on every machine.

Cron lines are read on the wall clock of their zone. A time that a change of clock leaves out falls on the
moment after the gap that is as far from its beginning, so that a nightly job is not lost; a time that comes
twice means its first coming, unless the line is a pace (``*/15 * * * *``, ``30 * * * *``), which goes on
through both. APScheduler's own ``CronTrigger`` counts weekdays from Monday, wants both days to fit where cron
wants either, and runs a nightly job twice when its hour does; so only its scheduler is used, and this tells
it the times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from freshness.cron import CronLine, parse_cron

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EVERY: Final = re.compile(r"every\s+(\d+)\s*([smhdw])", re.ASCII)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
# Clocks go back by an hour, rarely by two; a zone that changed sides of the date line lost a day.
_BACK: Final = timedelta(hours=3)
_LOST_DAY: Final = timedelta(hours=25)
_FIRST_LOOK: Final = timedelta(hours=1)
# 29 February on a given weekday can be 40 years away: where 2100, no leap year, lies between.
_FARTHEST: Final = timedelta(days=366 * 41)


class Schedule(Protocol):
    """Slots are aware datetimes in UTC, strictly increasing."""

    def slots(self, after: datetime, until: datetime) -> list[datetime]:
        """All slots in ``(after, until]``."""
        ...

    def next_slot(self, now: datetime) -> datetime | None:
        """The first slot after ``now``; None where there is none for decades."""
        ...

    def latest_slot(self, now: datetime) -> datetime | None:
        """The last slot that is not after ``now``."""
        ...


def parse(text: str, timezone: str) -> Schedule:
    """A cron line in this zone, or ``every 6h``; raises ``ValueError`` for what is neither."""
    match = _EVERY.fullmatch(text.strip())
    if match:
        return Interval(timedelta(seconds=int(match[1]) * _SECONDS[match[2]]))
    return Cron(parse_cron(text), ZoneInfo(timezone))


@dataclass(frozen=True, slots=True)
class Interval:
    """At every multiple of ``every`` since 1970 in UTC, whatever the zone and whenever the daemon began."""

    every: timedelta

    def __post_init__(self) -> None:
        if self.every <= timedelta(0):
            raise ValueError("an interval must be longer than nothing")

    def slots(self, after: datetime, until: datetime) -> list[datetime]:
        first = (after - _EPOCH) // self.every + 1
        last = (until - _EPOCH) // self.every
        return [_EPOCH + number * self.every for number in range(first, last + 1)]

    def next_slot(self, now: datetime) -> datetime:
        return _EPOCH + ((now - _EPOCH) // self.every + 1) * self.every

    def latest_slot(self, now: datetime) -> datetime:
        return _EPOCH + (now - _EPOCH) // self.every * self.every


@dataclass(frozen=True, slots=True)
class Cron:
    """At the times of a cron line on the wall clock of a zone."""

    line: CronLine
    zone: ZoneInfo

    def slots(self, after: datetime, until: datetime) -> list[datetime]:
        if until <= after:
            return []
        walls = self.line.times(*self._walls(after, until))
        moments = {moment for wall in walls for moment in self._moments(wall)}
        return sorted(moment for moment in moments if after < moment <= until)

    def next_slot(self, now: datetime) -> datetime | None:
        near = now
        for far in _looks():
            found = self.slots(near, now + far)
            if found:
                return found[0]
            near = now + far
        return None

    def latest_slot(self, now: datetime) -> datetime | None:
        near = now
        for far in _looks():
            found = self.slots(now - far, near)
            if found:
                return found[-1]
            near = now - far
        return None

    def _walls(self, after: datetime, until: datetime) -> tuple[datetime, datetime]:
        """From when to when the wall clock may stand at a time that means a moment in between."""
        near = [self._wall(after, after), self._wall(after, after - _LOST_DAY)]
        far = [self._wall(until, until), self._wall(until, until - _LOST_DAY)]
        return min(near) - _BACK, max(far) + _BACK

    def _wall(self, moment: datetime, by_the_clock_at: datetime) -> datetime:
        offset = by_the_clock_at.astimezone(self.zone).utcoffset() or timedelta(0)
        return (moment.astimezone(UTC) + offset).replace(tzinfo=None)

    def _moments(self, wall: datetime) -> Iterator[datetime]:
        """The moments that the clock shows this; for a time left out, the one by the clock before the gap."""
        first = wall.replace(tzinfo=self.zone).astimezone(UTC)
        yield first
        second = wall.replace(tzinfo=self.zone, fold=1).astimezone(UTC)
        if self.line.wild and second > first:
            yield second


def _looks() -> Iterator[timedelta]:
    """How far to look, ever farther: most lines come true within a day."""
    far = _FIRST_LOOK
    while far < _FARTHEST:
        yield far
        far *= 4
