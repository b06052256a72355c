"""The part of ``Store`` that keeps series with their vintages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from freshness.changes.revisions import SeriesEvent, compare
from freshness.series import Chart, Series, SeriesSnapshot, Vintage
from freshness.store import indicators, series_events, vintages
from freshness.store.engine import reading, writing
from freshness.store.indicators import IndicatorState, SeriesFault
from freshness.store.opened import Opened, check_aware
from freshness.store.series_events import SeriesEventGroup


class Numbers(Opened):
    """What was seen of series; as all of ``Store``, each method is one short transaction."""

    def save_charts(self, charts: Sequence[Chart], source: str, seen_at: datetime) -> list[SeriesEvent]:
        """Store charts, each in a transaction of its own, and what each says that the one before did not.

        Where a chart says the same as last time, only ``last_seen`` moves (and what its publisher says of
        it). ``seen_at`` never runs backwards for one indicator. Raises ``ValueError`` for a value that is
        no finite number.
        """
        check_aware(seen_at)
        return [event for chart in charts for event in self._save(vintages.normal(chart), source, seen_at)]

    def _save(self, chart: Chart, source: str, seen_at: datetime) -> list[SeriesEvent]:
        with writing(self._engine) as session:
            last = vintages.newest(session, source, chart.indicator.id)
            before = None if last is None else vintages.chart_of(session, last)
            not_before = seen_at if last is None else max(seen_at, last.last_seen)
            row = vintages.save(session, chart, source, seen_at)
            events = compare(before, chart, not_before) if row else []
            if row:
                series_events.save(session, events, row, not_before)
            return events

    def save_chart(
        self,
        chart: Chart,
        source: str,
        seen_at: datetime,
        *,
        known: str | None,
        events: Sequence[SeriesEvent] = (),
    ) -> bool:
        """Store a chart with what happened since the last vintage, all of it or nothing.

        ``known``: digest of the vintage that it was compared with (None: there was none). When another
        process has stored another one meanwhile, nothing is stored and the answer is False: compare again.
        """
        check_aware(seen_at)
        chart = vintages.normal(chart)
        with writing(self._engine) as session:
            last = vintages.newest(session, source, chart.indicator.id)
            if (last.digest if last else None) != known:
                return False
            not_before = seen_at if last is None else last.last_seen
            row = vintages.save(session, chart, source, seen_at)
            if row is not None:
                series_events.save(session, events, row, not_before)
            return True

    def confirm_chart(self, source: str, indicator: str, seen_at: datetime) -> None:
        """The source says that nothing is new: the newest vintage was seen so until now."""
        check_aware(seen_at)
        with writing(self._engine) as session:
            vintages.confirm(session, source, indicator, seen_at)

    def add_series_fault(self, fault: SeriesFault) -> None:
        """Put down why an indicator was not taken; it stays until that is seen again. Its data stay too."""
        check_aware(fault.seen_at)
        with writing(self._engine) as session:
            indicators.save_fault(session, fault)

    def latest_chart(self, source: str, indicator: str) -> tuple[Chart, str] | None:
        """An indicator as the source gave it last, and its digest."""
        with reading(self._engine) as session:
            row = vintages.newest(session, source, indicator)
            return None if row is None else (vintages.chart_of(session, row), row.digest)

    def latest_series(self, source: str, indicators: Collection[str] | None = None) -> SeriesSnapshot | None:
        """All indicators (or those, by id) as the source gave them last, each with its newest vintage.

        With what earlier vintages gave for a series' year and the newest one no longer gives.
        """
        with reading(self._engine) as session:
            return vintages.latest(session, source, indicators)

    def series_history(self, source: str, indicator: str, entity: str) -> list[tuple[Series, Vintage]]:
        """A series (by the entity's code or name) as each vintage gave it, the newest first."""
        with reading(self._engine) as session:
            return vintages.of_series(session, source, indicator, entity)

    def series_events(
        self, since: datetime | None = None, limit: int | None = None, indicator: str | None = None
    ) -> list[SeriesEvent]:
        """What happened to series (of one indicator, by id), seen at ``since`` or later: the newest first."""
        check_aware(since)
        with reading(self._engine) as session:
            return series_events.find(session, since, limit, indicator)

    def series_event_groups(self, since: datetime | None, limit: int) -> list[SeriesEventGroup]:
        """What happened to series, all of a kind in one vintage together, seen at ``since`` or later.

        The newest first; cheap where few are wanted.
        """
        check_aware(since)
        with reading(self._engine) as session:
            return series_events.groups(session, since, limit)

    def grouped_series_events(self, group: SeriesEventGroup) -> list[SeriesEvent]:
        """The events of such a group, in the order of the chart."""
        with reading(self._engine) as session:
            return series_events.of_group(session, group)

    def indicator_states(self) -> list[IndicatorState]:
        """Each indicator's newest vintage, by source and id; cheap enough for each scrape."""
        with reading(self._engine) as session:
            return indicators.states(session)

    def series_faults(self) -> list[SeriesFault]:
        """Why indicators were not taken the last time, also those that were never fetched."""
        with reading(self._engine) as session:
            return indicators.faults(session)
