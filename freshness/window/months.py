"""Dates as a number of calendar months since the start of year 0, and back.

One unit for everything that ``window`` computes: it reaches before the common era, where ``datetime``
doesn't, and its whole numbers are the months that an estimate is told in.
"""

from __future__ import annotations

import math

from freshness.facts import PartialDate, Precision

WIDTHS = {Precision.DAY: 0.0, Precision.MONTH: 1.0, Precision.YEAR: 12.0}
"""How many months a date of this precision leaves open."""


def months(day: PartialDate) -> float:
    """The middle of what the date can mean, in months: a year is its July, not its January."""
    start = day.year * 12.0
    if day.month is None:
        return start + 6.0
    start += day.month - 1
    return start + (0.5 if day.day is None else (day.day - 0.5) / 31)


def month_of(position: float) -> PartialDate:
    """The calendar month in which this position lies."""
    year, month = divmod(math.floor(position), 12)
    return PartialDate(year, month + 1)
