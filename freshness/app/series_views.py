"""What is known of each indicator and of each series, and what happened to them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from freshness.app import setup
from freshness.app.series import Held, find, look
from freshness.app.series_refreshing import SOURCE, indicators
from freshness.app.snapshots import Talk
from freshness.catalog import charts as catalog
from freshness.catalog import countries as countries_by_name
from freshness.changes import SeriesEvent
from freshness.changes.revisions import countries, newest_year
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.series import CATEGORIES, Chart, Indicator, Series, SeriesSnapshot, Vintage
from freshness.sources.bundled import SOURCE as BUNDLED
from freshness.store import IndicatorState, SeriesFault

if TYPE_CHECKING:  # numpy comes with it
    from freshness.suites.numeric.selection import Selection


def events(settings: Settings, since: date | None, limit: int | None = None) -> list[SeriesEvent]:
    """What happened to series, the newest first; ``since``: seen on that day or later. ``StoreError``."""
    begun = datetime.combine(since, datetime.min.time(), UTC) if since else None
    with setup.open_history(settings) as store:
        return store.series_events(begun, limit)


@dataclass(frozen=True, slots=True)
class IndicatorView:
    """An indicator as it is asked about: its chart (None: there is none yet) and where that is from.

    ``state``: what the history knows of it (None: it was never fetched); ``fault``: why the last refresh
    did not take it, fetched before or not.
    """

    indicator: Indicator
    chart: Chart | None
    source: str
    state: IndicatorState | None = None
    fault: SeriesFault | None = None

    def to_json(self) -> dict[str, Any]:
        """One entry of ``series list --format json``."""
        one, chart, state, fault = self.indicator, self.chart, self.state, self.fault
        return {
            "indicator": one.id,
            "category": one.category,
            "subcategory": one.subcategory,
            "phrase": one.phrase,
            "unit": one.unit,
            "slug": one.slug,
            "column": one.column,
            "source": self.source or None,
            "newest_year": newest_year(chart) if chart else None,
            "countries": countries(chart) if chart else 0,
            "vintage": vintage_json(chart.vintage) if chart else None,
            "first_seen": state.first_seen.isoformat() if state else None,
            "last_seen": state.last_seen.isoformat() if state else None,
            "fault": {"kind": fault.kind, "text": fault.text} if fault else None,
        }


def vintage_json(vintage: Vintage) -> dict[str, Any]:
    """What a vintage says of itself."""
    return {"label": vintage.label(), **vintage.to_json()}


def listed(settings: Settings, name: str, charts: tuple[str, ...], talk: Talk) -> list[IndicatorView]:
    """Every indicator of the catalogue, in TempUN's order of categories, with what is known of it."""
    asked = indicators(settings, charts)
    found = look(settings, name, charts, talk)
    held = found.held or _held(settings)
    here = {chart.indicator.id: chart for chart in found.snapshot.charts}
    views = [_view(one, here.get(one.id), found.snapshot.source, held) for one in asked]
    return sorted(views, key=lambda view: CATEGORIES.index(view.indicator.category))


def _view(indicator: Indicator, chart: Chart | None, source: str, held: Held) -> IndicatorView:
    state = held.states.get(indicator.id)
    if source == SOURCE and chart and (state is None or state.vintage != chart.vintage):
        source = BUNDLED
    return IndicatorView(indicator, chart, source if chart else "", state, held.faults.get(indicator.id))


def _held(settings: Settings) -> Held:
    if not setup.has_history(settings):
        return Held()
    with setup.open_history(settings) as store:
        return Held.of(store)


@dataclass(frozen=True, slots=True)
class SeriesView:
    """One series with its vintages, the newest first, and what was revised in it."""

    chart: Chart
    series: Series
    source: str
    earlier: tuple[tuple[Series, Vintage], ...] = ()
    events: tuple[SeriesEvent, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """``series show --format json``."""
        return {
            "indicator": self.chart.indicator.id,
            "category": self.chart.indicator.category,
            "phrase": self.chart.indicator.phrase,
            "unit": self.chart.indicator.unit,
            "entity": self.series.entity,
            "code": self.series.code,
            "source": self.source,
            "vintage": vintage_json(self.chart.vintage),
            "values": _points(self.series),
            "projected_after": self.chart.vintage.last_year,
            "earlier": [
                {"vintage": vintage.label(), "values": _points(series)} for series, vintage in self.earlier
            ],
            "changes": [event.to_json() for event in self.events],
        }


def _points(series: Series) -> dict[str, float]:
    return {str(year): value for year, value in series.points.items()}


def shown(settings: Settings, indicator: str, entity: str, name: str, talk: Talk) -> SeriesView:
    """One series, by the country's code or name; raises ``UsageError`` that names the nearest one."""
    indicator = catalog.named(indicator, indicators(settings, ())).id
    found = find(settings, name, (), talk).snapshot
    chart = found.chart(indicator)
    series = _series(chart, entity)
    if found.source != SOURCE or not setup.has_history(settings):
        return SeriesView(chart, series, found.source)
    with setup.open_history(settings) as store:
        earlier = [
            (was, vintage)
            for was, vintage in store.series_history(SOURCE, indicator, series.code or series.entity)
            if vintage != chart.vintage
        ]
        told = [event for event in store.series_events(indicator=indicator) if event.series == series.id]
    return SeriesView(chart, series, found.source, tuple(earlier), tuple(told))


def _series(chart: Chart, entity: str) -> Series:
    wanted = entity.strip()
    # A former or another usual name of a country (Swaziland) will do too.
    usual = countries_by_name.same(wanted, {one.entity: one.code for one in chart.series}) if wanted else None
    if series := chart.find(wanted) or chart.find(usual or ""):
        return series
    names = {name.casefold(): name for series in chart.series for name in (series.entity, series.code)}
    near = difflib.get_close_matches(entity.casefold(), names, n=1)
    hint = f"did you mean {names[near[0]]}?" if near else "write a country's name or code, such as FRA"
    raise UsageError(f"{chart.indicator.id} has no series of {entity!r}; {hint}")


def selected(
    settings: Settings, name: str, charts: tuple[str, ...], as_of: date, talk: Talk
) -> tuple[Selection, SeriesSnapshot]:
    """TempUN's choice of one indicator for each category, and from which series; raises as ``find``."""
    from freshness.suites.numeric.selection import select

    snapshot = find(settings, name, charts, talk).snapshot
    return select(snapshot.charts, as_of), snapshot
