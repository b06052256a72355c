"""The charts that the configuration asks about, as the history knows them, for metrics and pages."""

from __future__ import annotations

from collections.abc import Sequence

from freshness.app.series_refreshing import SOURCE
from freshness.catalog import charts
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.metrics import Indicator, Source
from freshness.store import IndicatorState


def fetched(settings: Settings, states: Sequence[IndicatorState]) -> list[IndicatorState]:
    """Those of the configured charts that were ever fetched, in the order of the catalogue.

    None where the catalogue went wrong since the configuration was read.
    """
    seen = {state.indicator.id: state for state in states if state.source == SOURCE}
    try:
        wanted = charts.load(settings.owid.charts)
    except UsageError:
        return []
    return [seen[indicator.id] for indicator in wanted if indicator.id in seen]


def readings(settings: Settings, states: Sequence[IndicatorState]) -> tuple[Indicator, ...]:
    """What metrics tell of each."""
    return tuple(
        Indicator(
            state.indicator.id,
            state.last_seen,
            state.vintage.updated,
            state.vintage.next_update,
            state.newest_year,
        )
        for state in fetched(settings, states)
    )


def source(settings: Settings, states: Sequence[IndicatorState]) -> Source | None:
    """Our World in Data as a source: when it last confirmed a chart, and all that ever happened to series.

    None where nothing was fetched and no refresh is planned.
    """
    mine = [state for state in states if state.source == SOURCE]
    if not mine and not settings.owid.refresh:
        return None
    revisions = sum(state.events.get("revision", 0) for state in mine)
    changes = sum(sum(state.events.values()) for state in mine) - revisions
    last = max((state.last_seen for state in mine), default=None)
    return Source(SOURCE, last, settings.owid.max_age, changes, revisions)
