"""The facts that come with freshness: who held which office and who played where, since about 2000.

Where they come from, and up to when somebody checked them, stands in ``docs/facts.md``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from freshness.facts import Snapshot
from freshness.sources.snapshot_file import SnapshotFile

SOURCE: Final = "bundled"
"""What the snapshot is called."""

_DATA = Path(__file__).parent / "data" / "facts.json"


class Bundled:
    """The ``Source`` of the bundled facts; needs no network."""

    def fetch(self) -> Snapshot:
        """Always the same snapshot in one version of freshness; its ``source`` is ``SOURCE``."""
        return SnapshotFile(_DATA, SOURCE).fetch()
