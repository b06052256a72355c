"""The series that come with freshness: yearly numbers of countries, from Our World in Data.

Which, and up to when, stands in ``docs/owid.md``.
"""

from __future__ import annotations

from typing import Final

from freshness.catalog import charts
from freshness.series import SeriesSnapshot
from freshness.sources.owid import bundle

SOURCE: Final = "bundled"
"""What the snapshot is called."""


class BundledSeries:
    """Needs no network. Countries alone, and years from 1940 on."""

    def fetch(self) -> SeriesSnapshot:
        """Always the same series in one version of freshness; ``source`` is ``SOURCE``."""
        known = {indicator.id: indicator for indicator in charts.load()}
        return bundle.unpacked(bundle.FILE.read_bytes(), SOURCE, known)
