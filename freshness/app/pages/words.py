"""The reports' words, their colours, and their care with what others wrote, for the pages."""

from __future__ import annotations

from typing import Final

from freshness.report.palette import css
from freshness.report.text import (
    DASH,
    clean,
    clean_name,
    counted,
    duration,
    joined,
    percent,
    percent_range,
    seconds,
    word,
)
from freshness.report.words import AGAINST, UNANSWERED, newest_known

__all__ = [
    "AGAINST",
    "DASH",
    "UNANSWERED",
    "clean",
    "clean_name",
    "counted",
    "css",
    "duration",
    "joined",
    "newest_known",
    "number",
    "percent",
    "percent_range",
    "seconds",
    "word",
]

_LARGE: Final = ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"))


def number(value: float) -> str:
    """A round number for an axis: ``2,000``, ``1.5 million``."""
    for size, name in _LARGE:
        if abs(value) >= size:
            return f"{value / size:g}{name}"
    return f"{value:,.0f}" if value.is_integer() else f"{value:.6g}"
