"""Which numbers are meant: ``latest``, ``live``, ``bundled`` or a directory."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from freshness.app import setup
from freshness.app.series_citing import bundled, cited, is_of
from freshness.app.series_refreshing import SOURCE, Wish, chosen, indicators
from freshness.app.series_refreshing import SeriesRefreshed as SeriesRefreshed
from freshness.app.series_refreshing import refresh as refresh
from freshness.app.snapshots import Talk
from freshness.catalog import charts as catalog
from freshness.config import Settings
from freshness.errors import FreshnessError, StoreError, UnavailableError, UsageError
from freshness.series import Chart, Indicator, SeriesSnapshot
from freshness.store import IndicatorState, SeriesFault, Store

NO_SERIES: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When nothing was taken."""


@dataclass(frozen=True, slots=True)
class Held:
    """What the history knows of each indicator that was ever fetched or tried, by its id.

    ``faults``: why the last refresh did not take it, whether or not it was ever fetched.
    """

    states: Mapping[str, IndicatorState] = field(default_factory=dict)
    faults: Mapping[str, SeriesFault] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store) -> Held:
        """All that is put down of Our World in Data; raises ``StoreError``."""
        states = [state for state in store.indicator_states() if state.source == SOURCE]
        faults = [fault for fault in store.series_faults() if fault.source == SOURCE]
        return cls({one.indicator.id: one for one in states}, {one.indicator: one for one in faults})


@dataclass(frozen=True, slots=True)
class Found:
    """The series, and why they are others than those asked for (empty: they are those).

    ``held``: what the history knew when they were chosen; None where it was not looked at.
    """

    snapshot: SeriesSnapshot
    instead: str = ""
    held: Held | None = None


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

    Raises ``UsageError`` (a directory, a catalogue, no series at all), ``StoreError``, and
    ``UnavailableError`` where live ones can't be had and there are no others.
    """
    found = look(settings, name, charts, talk, keep=keep)
    if not found.snapshot.charts:
        ids = ", ".join(indicator.id for indicator in indicators(settings, charts)[:5])
        raise UsageError(f"there are no series of {ids} yet; `freshness refresh owid` fetches them")
    return found


def look(
    settings: Settings,
    name: str,
    charts: tuple[str, ...] = (),
    talk: Talk | None = None,
    *,
    keep: bool = True,
) -> Found:
    """As ``find``, but that there is no series yet is no error."""
    talk = talk or Talk()
    asked = indicators(settings, charts)
    if name == "bundled":
        return Found(_only(bundled(), asked))
    if name not in ("latest", "live"):
        needed = catalog.needed(chosen(settings, charts))
        return Found(_directory(name, asked, needed, talk))
    fetched = _fetched(settings, talk, asked, must=keep)
    if name == "live":
        return _live(settings, fetched, asked, charts, talk, keep)
    return Found(_latest(fetched, asked), held=fetched.held)


def _only(snapshot: SeriesSnapshot, asked: Sequence[Indicator]) -> SeriesSnapshot:
    """The charts asked for, in that order, without those that were defined otherwise."""
    here = {chart.indicator.id: chart for chart in snapshot.charts}
    kept = [(here[one.id], one) for one in asked if one.id in here and is_of(here[one.id], one)]
    # Asked about in the catalogue's present words, whatever they were when it was fetched.
    return replace(snapshot, charts=tuple(replace(chart, indicator=one) for chart, one in kept))


def _directory(
    name: str, asked: Sequence[Indicator], needed: Mapping[str, Sequence[str]], talk: Talk
) -> SeriesSnapshot:
    from freshness.sources.owid import directory

    path = Path(name)
    if not name.strip() or not path.is_dir():
        near = difflib.get_close_matches(name.lower(), ["latest", "live", "bundled"], n=1)
        hint = f"did you mean {near[0]}?" if near else "write latest, live, bundled or a directory of charts"
        raise UsageError(f"there is no directory {name or repr(name)}; {hint}")
    charts, errors = directory.charts(path, asked, needed)
    if not charts:
        raise UsageError(str(errors[0]) if errors else f"{path} holds none of the charts that are asked for")
    for error in errors:
        talk.warn(str(error))
    taken_at = max(chart.vintage.fetched_at for chart in charts)
    return SeriesSnapshot(str(path), taken_at, tuple(map(cited, charts)))


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched, when each indicator was last seen so, and what else the history knows of it."""

    snapshot: SeriesSnapshot
    seen: Mapping[str, datetime]
    held: Held = field(default_factory=Held)


def _fetched(settings: Settings, talk: Talk, asked: Sequence[Indicator], *, must: bool) -> Fetched:
    """``must`` False: a history that can't be read is none."""
    none = Fetched(SeriesSnapshot(SOURCE, NO_SERIES), {})
    try:
        if not setup.has_history(settings):
            return none
        with setup.open_history(settings) as store:
            snapshot = store.latest_series(SOURCE, {indicator.id for indicator in asked})
            held = Held.of(store)
    except StoreError as error:
        if must:
            raise
        talk.warn(f"{error}; series are taken without it")
        return none
    if snapshot is None:
        return replace(none, held=held)
    seen = {indicator: state.last_seen for indicator, state in held.states.items()}
    return Fetched(_only(snapshot, asked), seen, held)


def _latest(fetched: Fetched, asked: Sequence[Indicator]) -> SeriesSnapshot:
    shipped = _only(bundled(), asked)
    ours = {chart.indicator.id: chart for chart in fetched.snapshot.charts}
    theirs = {chart.indicator.id: chart for chart in shipped.charts}
    found = (_newer(ours.get(one.id), fetched.seen.get(one.id), theirs.get(one.id)) for one in asked)
    charts = [chart for chart in found if chart]
    seen = [fetched.seen[c.indicator.id] for c in charts if ours.get(c.indicator.id) is c]
    if not seen:
        return replace(shipped, charts=tuple(charts))
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
        return Found(_latest(fetched, asked), held=fetched.held)
    wish = Wish(charts, keep=keep, only=frozenset(stale))
    try:
        done = refresh(settings, wish, advance=talk.advance, note=talk.note)
    except (UnavailableError, UsageError) as error:
        # Without a contact nobody can be asked: no reason not to probe.
        known = _latest(fetched, asked)
        if not known.charts:
            raise
        return replace(_instead(known, error, talk), held=fetched.held)
    for fault in done.faults:
        talk.warn(fault)
    now = _with(fetched, done, settings, talk, asked, keep)
    return Found(_latest(now, asked), held=now.held)


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
    return replace(fetched, snapshot=replace(fetched.snapshot, charts=(*now.values(), *rest)), seen=seen)


def _instead(snapshot: SeriesSnapshot, error: FreshnessError, talk: Talk) -> Found:
    taken = f"the {snapshot.source} series of {snapshot.taken_at:%Y-%m-%d}"
    told = f"no live series, {taken} were taken instead: {' '.join(str(error).split())}"
    talk.warn(told)
    return Found(snapshot, told)
