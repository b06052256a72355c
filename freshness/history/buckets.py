"""Durations counted into buckets, as Prometheus counts them: each bucket holds all below its bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

Buckets = Mapping[str, int]
"""How many durations were no longer than each bound (seconds, as text; ``+Inf`` holds all of them)."""

REQUEST_SECONDS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Bounds for one answer of a model."""

JOB_SECONDS: Final = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 7200.0)
"""Bounds for one job of the daemon."""

ALL: Final = "+Inf"


def count(durations: Iterable[float], bounds: Sequence[float]) -> dict[str, int]:
    """Count durations (seconds) into cumulative buckets, the bounds in ascending order."""
    found = list(durations)
    below = {str(bound): sum(seconds <= bound for seconds in found) for bound in bounds}
    return below | {ALL: len(found)}


def add(one: Buckets, other: Buckets) -> dict[str, int]:
    """Both together; a bound that only one side knows counts what that side knows of it."""
    return {bound: one.get(bound, 0) + other.get(bound, 0) for bound in {**one, **other}}


def grown(new: Buckets, old: Buckets) -> dict[str, int]:
    """By how much each count grew; one that fell (an error that was asked again) grew by nothing."""
    return {bound: max(0, number - old.get(bound, 0)) for bound, number in new.items()}
