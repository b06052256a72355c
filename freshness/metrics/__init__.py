"""What Prometheus scrapes: values that were read from the history, as its text format."""

from freshness.metrics.definitions import METRICS, Metric
from freshness.metrics.exposition import CONTENT_TYPE, expose
from freshness.metrics.readings import Daemon, Indicator, Job, ModelReading, Readings, Source, SuiteReading

__all__ = [
    "CONTENT_TYPE",
    "METRICS",
    "Daemon",
    "Indicator",
    "Job",
    "Metric",
    "ModelReading",
    "Readings",
    "Source",
    "SuiteReading",
    "expose",
]
