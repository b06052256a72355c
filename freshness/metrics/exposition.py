"""Samples as Prometheus' text format, by its client library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from freshness.metrics.definitions import METRICS, PREFIX, Metric
from freshness.metrics.readings import Readings
from freshness.metrics.samples import samples
from freshness.metrics.values import Histogram, Sample

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
"""The Content-Type of what ``expose`` gives."""


def expose(readings: Readings) -> bytes:
    """The readings in the text format, without timestamps, with the process's own memory and processor time.

    A registry of its own each time: nothing is left of a model that is gone, and nothing is registered twice.
    """
    registry = CollectorRegistry()
    registry.register(_Collector(readings))
    ProcessCollector(registry=registry)
    return generate_latest(registry)


class _Collector:
    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def describe(self) -> Iterable[Family]:
        """All families, so that the registry refuses names that are the same without their suffix."""
        return [_family(metric) for metric in METRICS.values()]

    def collect(self) -> Iterator[Family]:
        families = {name: _family(metric) for name, metric in METRICS.items()}
        for sample in _distinct(samples(self._readings)):
            _add(families[PREFIX + sample.name], METRICS[PREFIX + sample.name], sample)
        # A name and its help without a number would only puzzle.
        return (family for family in families.values() if family.samples)


def _distinct(told: Iterable[Sample]) -> Iterator[Sample]:
    """The first of each series: two names can be the same once they are cleaned, and a scrape with a
    series twice is refused whole.
    """
    seen = set()
    for sample in told:
        if sample[:2] not in seen:
            seen.add(sample[:2])
            yield sample


def _family(metric: Metric) -> Family:
    if metric.kind == "histogram":
        return HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
    suffix = {"counter": "_total", "info": "_info"}.get(metric.kind, "")
    return Family(metric.name.removesuffix(suffix), metric.help, metric.kind)


def _add(family: Family, metric: Metric, sample: Sample) -> None:
    if isinstance(sample.value, Histogram):
        assert isinstance(family, HistogramMetricFamily)
        family.add_metric(sample.labels, list(sample.value.buckets.items()), sample.value.total)
    else:
        family.add_sample(metric.name, dict(zip(metric.labels, sample.labels, strict=True)), sample.value)
