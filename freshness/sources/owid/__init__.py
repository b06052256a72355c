"""Our World in Data: charts as CSV files with metadata, over HTTP or from a folder.

Data are CC BY 4.0; the citation of each vintage names the upstream sources.
"""

from __future__ import annotations

from typing import Final

from freshness.sources.owid.client import Owid
from freshness.sources.owid.errors import ChartError
from freshness.sources.owid.reading import read_chart, read_table

__all__ = ["SOURCE", "ChartError", "Owid", "read_chart", "read_table"]

SOURCE: Final = "owid"
"""What the snapshot is called."""
