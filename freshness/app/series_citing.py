"""Whose data a chart's are, where its edition came without metadata that say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from freshness.series import Chart, Indicator, SeriesSnapshot, Vintage

UNTOLD: Final = "Our World in Data"
"""Who is cited where nobody ever told whose data they are: the chart is from there. No licence is claimed."""


def bundled() -> SeriesSnapshot:
    """The series that come with freshness."""
    from freshness.sources.bundled_series import BundledSeries

    return BundledSeries().fetch()


def is_of(chart: Chart, indicator: Indicator) -> bool:
    """Whether the chart's numbers are what the indicator means: the same column in the same unit."""
    had, wanted = chart.indicator, indicator
    return (had.slug, had.column, had.unit) == (wanted.slug, wanted.column, wanted.unit)


def cited(chart: Chart, earlier: Chart | None = None) -> Chart:
    """The chart with a citation: its own, else the one of an earlier edition, else of the bundled one.

    With the citation come that edition's licence and title, and it is said where they are from.
    """
    now = chart.vintage
    if now.citation:
        return chart
    for was, name in _known(chart.indicator, earlier):
        if was.citation not in ("", UNTOLD):
            title = was.title if now.title == chart.indicator.title else now.title
            told = replace(now, title=title, citation=was.citation, licence=was.licence)
            return replace(chart, vintage=replace(told, cited_from=was.cited_from or name))
    return replace(chart, vintage=replace(now, citation=UNTOLD))


def _known(indicator: Indicator, earlier: Chart | None) -> Iterator[tuple[Vintage, str]]:
    """Other editions of it, and how they are called; the bundled one is read only where it is needed."""
    if earlier and is_of(earlier, indicator):
        yield earlier.vintage, f"the edition of {earlier.vintage.label()}"
    for chart in bundled().charts:
        if chart.indicator.id == indicator.id and is_of(chart, indicator):
            yield chart.vintage, f"the bundled edition of {chart.vintage.label()}"
