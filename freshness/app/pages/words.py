"""The reports' words for numbers and their care with what others wrote, for the pages."""

from freshness.report.text import DASH, clean, clean_name, counted, duration, percent, seconds

__all__ = ["DASH", "clean", "clean_name", "counted", "duration", "percent", "seconds"]
