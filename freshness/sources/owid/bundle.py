"""The format of the series that come with freshness, and how that file is made from downloaded charts.

Gzipped JSON: of each chart the indicator's id, what its vintage says, and its countries' series; a series is
its first year and a value for each year from then on, ``null`` where there is none.

``python -m freshness.sources.owid.bundle FOLDER`` makes it anew (``docs/owid.md``).
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from freshness.catalog import charts as catalog
from freshness.errors import UsageError
from freshness.series import Chart, Indicator, Series, SeriesSnapshot, Vintage
from freshness.sources.owid import directory
from freshness.sources.owid.metadata import LICENCE

FILE: Final = Path(__file__).parents[1] / "data" / "series.json.gz"
FORMAT: Final = 1
FIRST_YEAR: Final = 1940
"""Earlier years are left out; TempUN's begin in 1947."""

UNNAMED: Final = {
    "death-rate-in-armed-conflicts": "Uppsala Conflict Data Program; Natural Earth; United Nations",
    "gdp-per-capita-worldbank": "World Bank, World Development Indicators",
    "human-rights-index-vdem": "V-Dem",
    "military-spending-as-a-share-of-gdp-sipri": "Stockholm International Peace Research Institute (SIPRI)",
    "wheat-yields": "Food and Agriculture Organization of the United Nations",
}
"""The upstream sources of charts that came to us without metadata."""


def packed(charts: Iterable[Chart]) -> bytes:
    """The file's content: the same for the same charts."""
    content = {"format": FORMAT, "charts": [_chart_json(chart) for chart in charts]}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), mtime=0)


def unpacked(raw: bytes, source: str, indicators: Mapping[str, Indicator]) -> SeriesSnapshot:
    """The charts of the indicators known; others (from another version) are left out."""
    content = json.loads(gzip.decompress(raw))
    if content["format"] != FORMAT:
        raise UsageError(f"{source} series: format {content['format']!r}, but this version reads {FORMAT}")
    charts = tuple(_chart(raw, indicators[raw["id"]]) for raw in content["charts"] if raw["id"] in indicators)
    return SeriesSnapshot(source, max(chart.vintage.fetched_at for chart in charts), charts)


def _chart_json(chart: Chart) -> dict[str, Any]:
    series = [_series_json(each) for each in chart.series if each.is_country]
    said = chart.vintage.to_json()
    return {"id": chart.indicator.id, "vintage": said, "series": [each for each in series if each[3]]}


def _series_json(series: Series) -> tuple[str, str, int, list[float | None]]:
    known = {year: value for year, value in series.points.items() if year >= FIRST_YEAR}
    span = range(min(known), max(known) + 1) if known else range(0)
    return series.entity, series.code, span.start, [_short(known.get(year)) for year in span]


def _short(value: float | None) -> float | None:
    """Whole numbers are written without ``.0``."""
    return int(value) if value is not None and value.is_integer() and abs(value) < 2**53 else value


def _chart(raw: Mapping[str, Any], indicator: Indicator) -> Chart:
    series = tuple(_series(indicator.id, *each) for each in raw["series"])
    return Chart(indicator, Vintage.from_json(raw["vintage"]), series)


def _series(indicator: str, entity: str, code: str, first: int, values: list[float | None]) -> Series:
    known = [(year, float(value)) for year, value in enumerate(values, first) if value is not None]
    return Series(indicator, entity, code, tuple(y for y, _ in known), tuple(v for _, v in known))


def main(folder: str) -> None:
    """Make the file anew from a folder of downloaded charts."""
    charts, wrong = directory.charts(Path(folder), catalog.load())
    for error in wrong:
        print(f"left out: {error}", file=sys.stderr)
    FILE.write_bytes(packed(_named(chart) for chart in charts))


def _named(chart: Chart) -> Chart:
    """With the upstream source in the citation, and the licence of what Our World in Data publishes."""
    if chart.indicator.slug not in UNNAMED:
        return chart
    citation = f"{UNNAMED[chart.indicator.slug]} – processed by Our World in Data"
    said = replace(chart.vintage, citation=citation, licence=LICENCE)
    return Chart(chart.indicator, said, chart.series)


if __name__ == "__main__":
    main(*sys.argv[1:])
