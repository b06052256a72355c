"""Which numbers are meant: ``latest``, ``live``, ``bundled`` or a directory."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from freshness.app import setup
from freshness.app.series_refreshing import SOURCE, Wish, chosen, indicators
from freshness.app.series_refreshing import SeriesRefreshed as SeriesRefreshed
from freshness.app.series_refreshing import refresh as refresh
from freshness.app.snapshots import Talk
from freshness.catalog import charts as catalog
from freshness.config import Settings
from freshness.errors import FreshnessError, StoreError, UnavailableError, UsageError
from freshness.series import Chart, Indicator, SeriesSnapshot

NO_SERIES: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When nothing was taken."""


@dataclass(frozen=True, slots=True)
class Found:
    """The series, and why they are others than those asked for (empty: they are those)."""

    snapshot: SeriesSnapshot
    instead: str = ""


def find(
    settings: Settings,
    name: str,
    charts: tuple[str, ...] = (),
    talk: Talk | None = None,
    *,
    keep: bool = True,
) -> Found:
    """The series of that name, of the charts asked for (none: those of the config).

    ``latest``: of each chart what was fetched last or what is bundled, whichever is the newer edition.
    ``live``: fetched now where that is older than ``owid.max_age``; what can't be fetched is replaced by
    ``latest``, with a warning. ``bundled``; else a directory of CSV files. ``keep`` False: nothing that is
    fetched is stored, and a history that can't be read is none.

    Raises ``UsageError`` (a directory, a catalogue, no series at all), ``StoreError``.
    """
    talk = talk or Talk()
    asked = indicators(settings, charts)
    if name == "bundled":
        return _some(Found(_only(_bundled(), asked)), asked)
    if name not in ("latest", "live"):
        needed = catalog.needed(chosen(settings, charts))
        return Found(_directory(Path(name), asked, needed, talk))
    fetched = _fetched(settings, talk, asked, must=keep)
    if name == "live":
        return _some(_live(settings, fetched, asked, charts, talk, keep), asked)
    return _some(Found(_latest(fetched, asked)), asked)


def _some(found: Found, asked: Sequence[Indicator]) -> Found:
    if not found.snapshot.charts:
        ids = ", ".join(indicator.id for indicator in asked[:5])
        raise UsageError(f"there are no series of {ids} yet; `freshness refresh owid` fetches them")
    return found


def _bundled() -> SeriesSnapshot:
    from freshness.sources.bundled_series import BundledSeries

    return BundledSeries().fetch()


def _only(snapshot: SeriesSnapshot, asked: Sequence[Indicator]) -> SeriesSnapshot:
    """The charts asked for, in that order, without those that were defined otherwise."""
    here = {chart.indicator.id: chart for chart in snapshot.charts}
    kept = [(here[one.id], one) for one in asked if one.id in here and is_of(here[one.id], one)]
    # Asked about in the catalogue's present words, whatever they were when it was fetched.
    return replace(snapshot, charts=tuple(replace(chart, indicator=one) for chart, one in kept))


def is_of(chart: Chart, indicator: Indicator) -> bool:
    """Whether the chart's numbers are what the indicator means: the same column in the same unit."""
    had, wanted = chart.indicator, indicator
    return (had.slug, had.column, had.unit) == (wanted.slug, wanted.column, wanted.unit)


def _directory(
    path: Path, asked: Sequence[Indicator], needed: Mapping[str, Sequence[str]], talk: Talk
) -> SeriesSnapshot:
    from freshness.sources.owid import directory

    if not path.is_dir():
        near = difflib.get_close_matches(str(path), ["latest", "live", "bundled"], n=1)
        hint = f"did you mean {near[0]}?" if near else "write latest, live, bundled or a directory of charts"
        raise UsageError(f"there is no directory {path}; {hint}")
    charts, errors = directory.charts(path, asked, needed)
    if not charts:
        raise UsageError(str(errors[0]) if errors else f"{path} holds none of the charts that are asked for")
    for error in errors:
        talk.warn(str(error))
    taken_at = max(chart.vintage.fetched_at for chart in charts)
    return SeriesSnapshot(str(path), taken_at, tuple(charts))


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched, and when each indicator was last seen so."""

    snapshot: SeriesSnapshot
    seen: Mapping[str, datetime]


def _fetched(settings: Settings, talk: Talk, asked: Sequence[Indicator], *, must: bool) -> Fetched:
    """``must`` False: a history that can't be read is none."""
    none = Fetched(SeriesSnapshot(SOURCE, NO_SERIES), {})
    try:
        if not setup.has_history(settings):
            return none
        with setup.open_history(settings) as store:
            snapshot = store.latest_series(SOURCE, {indicator.id for indicator in asked})
            states = [state for state in store.indicator_states() if state.source == SOURCE]
    except StoreError as error:
        if must:
            raise
        talk.warn(f"{error}; series are taken without it")
        return none
    if snapshot is None:
        return none
    return Fetched(_only(snapshot, asked), {state.indicator.id: state.last_seen for state in states})


def _latest(fetched: Fetched, asked: Sequence[Indicator]) -> SeriesSnapshot:
    bundled = _only(_bundled(), asked)
    ours = {chart.indicator.id: chart for chart in fetched.snapshot.charts}
    theirs = {chart.indicator.id: chart for chart in bundled.charts}
    found = (_newer(ours.get(one.id), fetched.seen.get(one.id), theirs.get(one.id)) for one in asked)
    charts = [chart for chart in found if chart]
    seen = [fetched.seen[c.indicator.id] for c in charts if ours.get(c.indicator.id) is c]
    if not seen:
        return replace(bundled, charts=tuple(charts))
    return replace(fetched.snapshot, taken_at=max(seen), charts=tuple(charts))


def _newer(ours: Chart | None, seen: datetime | None, theirs: Chart | None) -> Chart | None:
    """The newer edition; where one has no date, what was last ``seen`` later."""
    if ours is None or theirs is None:
        return ours or theirs
    editions = ours.vintage.updated, theirs.vintage.updated
    if editions[0] and editions[1]:
        return ours if editions[0] >= editions[1] else theirs
    return ours if (seen or ours.vintage.fetched_at) >= theirs.vintage.fetched_at else theirs


def _live(
    settings: Settings,
    fetched: Fetched,
    asked: Sequence[Indicator],
    charts: tuple[str, ...],
    talk: Talk,
    keep: bool,
) -> Found:
    stale = _stale(settings, fetched, asked)
    if not stale:
        return Found(_latest(fetched, asked))
    wish = Wish(charts, keep=keep, only=frozenset(stale))
    try:
        done = refresh(settings, wish, advance=talk.advance, note=talk.note)
    except (UnavailableError, UsageError) as error:
        # Without a contact nobody can be asked: no reason not to probe.
        return _instead(_latest(fetched, asked), error, talk)
    for fault in done.faults:
        talk.warn(fault)
    return Found(_latest(_with(fetched, done, settings, talk, asked, keep), asked))


def _stale(settings: Settings, fetched: Fetched, asked: Sequence[Indicator]) -> set[str]:
    """Those that were not seen for too long, or never, or not in this column and unit."""
    here = {chart.indicator.id for chart in fetched.snapshot.charts}
    oldest = datetime.now(UTC) - settings.owid.max_age
    return {one.id for one in asked if one.id not in here or fetched.seen.get(one.id, NO_SERIES) < oldest}


def _with(
    fetched: Fetched,
    done: SeriesRefreshed,
    settings: Settings,
    talk: Talk,
    asked: Sequence[Indicator],
    keep: bool,
) -> Fetched:
    """What was known and what was fetched just now."""
    if keep:
        return _fetched(settings, talk, asked, must=True)
    now = {chart.indicator.id: chart for chart in done.charts}
    rest = [chart for chart in fetched.snapshot.charts if chart.indicator.id not in now]
    moment = datetime.now(UTC)
    seen = {**fetched.seen, **dict.fromkeys(now, moment)}
    return Fetched(replace(fetched.snapshot, charts=(*now.values(), *rest)), seen)


def _instead(snapshot: SeriesSnapshot, error: FreshnessError, talk: Talk) -> Found:
    taken = f"the {snapshot.source} series of {snapshot.taken_at:%Y-%m-%d}"
    told = f"no live series, {taken} were taken instead: {' '.join(str(error).split())}"
    talk.warn(told)
    return Found(snapshot, told)
