"""When a server wants to be asked again."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds from ``now`` in a Retry-After header (RFC 9110, 10.2.3: seconds or a date), 0 or more.

    None when there is none, or none that can be read.
    """
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value, now)
    return max(0.0, seconds) if not math.isnan(seconds) else None


def _until(value: str, now: datetime) -> float:
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return math.nan
    return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
