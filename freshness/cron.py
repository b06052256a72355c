"""Cron lines, read as cron reads them: five fields, Sunday is 0 and 7, names for months and weekdays.

Where both the day of the month and the day of the week are restricted, either of them is enough, as in
every cron since the first (crontab(5)).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

_PART: Final = re.compile(
    r"(\*|(?P<first>\d{1,2}|[a-z]{3})(-(?P<last>\d{1,2}|[a-z]{3}))?)(/(?P<step>\d{1,2}))?", re.I | re.ASCII
)
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_WEEKDAYS: Final = "sun mon tue wed thu fri sat"
_FIELDS: Final = (
    ("minute", 0, 59, ""),
    ("hour", 0, 23, ""),
    ("day of the month", 1, 31, ""),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 7, _WEEKDAYS),
)
_LONGEST_MONTH: Final = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class CronLine:
    """The numbers that each field means; ``weekdays`` go from 0, Sunday, to 6.

    ``either_day``: a day fits by its number or by its weekday. ``wild``: the minute or the hour begins with
    ``*``, so that it means a pace rather than a time of day.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool
    wild: bool

    def fits(self, day: date) -> bool:
        """Whether it means any time on this day."""
        if day.month not in self.months:
            return False
        by_number, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return by_number or by_weekday if self.either_day else by_number and by_weekday

    def times(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """Every wall-clock time in ``(after, until]``, in order and naive."""
        day = after.date()
        while day <= until.date():
            if self.fits(day):
                found = (datetime.combine(day, time(h, m)) for h in self.hours for m in self.minutes)
                yield from (moment for moment in found if after < moment <= until)
            day += _DAY


def parse_cron(line: str) -> CronLine:
    """Raises ``ValueError`` that names the field, also for a line that never comes true (30 February)."""
    fields = line.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f'{line!r} is no cron line; it has five fields, such as "0 4 * * *"')
    minutes, hours, days, months, weekdays = (
        _numbers(line, text, *field) for text, field in zip(fields, _FIELDS, strict=True)
    )
    either = not fields[2].startswith("*") and not fields[4].startswith("*")
    if not either and all(min(days) > _LONGEST_MONTH.get(month, 31) for month in months):
        raise ValueError(f"{line!r} is no cron line that ever comes true: no such month has so many days")
    return CronLine(
        minutes=tuple(sorted(minutes)),
        hours=tuple(sorted(hours)),
        days=days,
        months=months,
        weekdays=frozenset(number % 7 for number in weekdays),
        either_day=either,
        wild=fields[0].startswith("*") or fields[1].startswith("*"),
    )


def _numbers(line: str, text: str, name: str, low: int, high: int, words: str) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        numbers = _part(part, low, high, words)
        if not numbers:
            raise ValueError(f"{line!r} is no cron line: {text!r} is no {name}; it goes from {low} to {high}")
        found.update(numbers)
    return frozenset(found)


def _part(part: str, low: int, high: int, words: str) -> range | None:
    """``*``, ``N`` or ``N-M``, with ``/STEP`` or without; None for what is none of these."""
    match = _PART.fullmatch(part)
    step = int(match["step"] or 1) if match else 0
    if not match or not 1 <= step <= high:
        return None
    # A week has seven days, though Sunday has two numbers.
    open_end = 6 if words == _WEEKDAYS else high
    if match["first"] is None:
        return range(low, open_end + 1, step)
    first = _number(match["first"], low, words)
    if match["last"]:
        last = _number(match["last"], low, words)
    else:
        last = max(first, open_end) if match["step"] else first
    return range(first, last + 1, step) if low <= first <= last <= high else None


def _number(text: str, low: int, words: str) -> int:
    """The number, or the place of the word; -1 for a word that is none."""
    known = words.split()
    if text.isdecimal():
        return int(text)
    return low + known.index(text.lower()) if text.lower() in known else -1
