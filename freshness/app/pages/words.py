"""The reports' words for numbers and their care with what others wrote, for the pages."""

from freshness.report.text import DASH, clean, clean_name, counted, duration, percent, seconds

__all__ = ["DASH", "clean", "clean_name", "counted", "duration", "percent", "said", "seconds"]


def said(word: str) -> str:
    """A word of ours as people write it: ``not_available`` is "not available"."""
    return word.replace("_", " ")
