"""From when to when a model's training data runs, and where it ends. Pure; see ``docs/window.md``."""

from freshness.window.carried import Asked
from freshness.window.carried import asked as asked_years
from freshness.window.estimate import Cutoff, Status, WindowEstimate, estimate
from freshness.window.evidence import (
    Answered,
    Bounds,
    FiveNumbers,
    Observation,
    answered,
    bounds,
    five_numbers,
    observations_from,
    validity_starts,
)
from freshness.window.known_years import KnownWindow, known_window, newest_year_known

__all__ = [
    "Answered",
    "Asked",
    "Bounds",
    "Cutoff",
    "FiveNumbers",
    "KnownWindow",
    "Observation",
    "Status",
    "WindowEstimate",
    "answered",
    "asked_years",
    "bounds",
    "estimate",
    "five_numbers",
    "known_window",
    "newest_year_known",
    "observations_from",
    "validity_starts",
]
