"""From when to when a model's training data runs, and where it ends. Pure; see ``docs/window.md``."""

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

__all__ = [
    "Answered",
    "Bounds",
    "Cutoff",
    "FiveNumbers",
    "Observation",
    "Status",
    "WindowEstimate",
    "answered",
    "bounds",
    "estimate",
    "five_numbers",
    "observations_from",
    "validity_starts",
]
