"""One number of a scrape, and the series that it belongs to."""

from __future__ import annotations

from typing import NamedTuple

from freshness.history.buckets import Buckets


class Histogram(NamedTuple):
    """Counts by upper bound, and the seconds of all together."""

    buckets: Buckets
    total: float


class Sample(NamedTuple):
    """``name`` without the prefix; ``labels`` in the order of the metric's definition."""

    name: str
    labels: tuple[str, ...]
    value: float | Histogram
