"""Which facts are meant: ``latest``, ``live``, ``bundled`` or a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from freshness.app import refreshing, setup
from freshness.app.refreshing import SOURCE, Wish
from freshness.app.setup import Advance, Say
from freshness.catalog import Catalog
from freshness.config import Settings
from freshness.errors import FreshnessError, StoreError, UnavailableError, UsageError
from freshness.facts import Snapshot
from freshness.sources.bundled import Bundled
from freshness.sources.snapshot_file import SnapshotFile

ENOUGH: Final = 0.5
"""What was fetched last is meant by ``latest`` when it has this share of the facts asked for, or more."""


def _silent(*_: object) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Talk:
    """Whom to tell how far it is, what is wrong, and what else is worth a line."""

    advance: Advance = _silent
    warn: Say = _silent
    note: Say = _silent


@dataclass(frozen=True, slots=True)
class Found:
    """The facts, and why they are others than those asked for (empty: they are those)."""

    snapshot: Snapshot
    instead: str = ""


def find(
    settings: Settings, name: str, facts: tuple[str, ...] = (), talk: Talk | None = None, *, keep: bool = True
) -> Found:
    """The snapshot of that name.

    ``latest``: what was fetched last, else the bundled facts, whichever is newer and has what the catalogues
    ``facts`` ask about. ``live``: fetched now when that is older than ``wikidata.max_age``; what can't be
    fetched is replaced by ``latest``, with a warning. ``keep`` False: nothing that is fetched is stored.

    Raises ``UsageError`` (a file, a catalogue), ``StoreError``.
    """
    if name == "bundled":
        return Found(Bundled().fetch())
    if name not in ("latest", "live"):
        return Found(SnapshotFile(Path(name)).fetch())
    catalog = setup.catalog(settings, facts)
    if name == "latest":
        return Found(_latest(_readable(settings, talk or Talk()), catalog))
    return _live(settings, catalog, facts, talk or Talk(), keep)


def _live(settings: Settings, catalog: Catalog, facts: tuple[str, ...], talk: Talk, keep: bool) -> Found:
    stored = _stored(settings)
    if stored and not _is_stale(settings, stored, catalog):
        return Found(stored)
    try:
        refreshing.make_client(settings)
    except UsageError as error:  # nobody to be named to the endpoint: no reason not to probe
        return _instead(_latest(stored, catalog), error, talk)
    try:
        done = refreshing.refresh(settings, Wish(facts, keep=keep), advance=talk.advance, note=talk.note)
    except UnavailableError as error:
        return _instead(_latest(stored, catalog), error, talk)
    for fault in done.faults:
        talk.warn(fault)
    return Found(done.snapshot)


def _instead(snapshot: Snapshot, error: FreshnessError, talk: Talk) -> Found:
    facts = f"the {snapshot.source} facts of {snapshot.taken_at:%Y-%m-%d}"
    told = f"no live facts, {facts} were taken instead: {' '.join(str(error).split())}"
    talk.warn(told)
    return Found(snapshot, told)


def _readable(settings: Settings, talk: Talk) -> Snapshot | None:
    """What was fetched last, if the history can be read: what is bundled needs none."""
    try:
        return _stored(settings)
    except StoreError as error:
        talk.warn(f"{error}; the bundled facts are taken")
        return None


def _stored(settings: Settings) -> Snapshot | None:
    """What was fetched last; None where there is no database yet."""
    if not setup.has_history(settings):
        return None
    with setup.open_history(settings) as store:
        return store.latest_snapshot(SOURCE)


def _is_stale(settings: Settings, stored: Snapshot, catalog: Catalog) -> bool:
    """Whether it is too old, or has not all that is asked for, or most of that is too old."""
    oldest = datetime.now(UTC) - settings.wikidata.max_age
    asked = {entry.fact for entry in catalog.completed(stored).entries}
    if stored.taken_at < oldest or asked - {fact.id for fact in stored.facts}:
        return True
    with setup.open_history(settings) as store:
        seen = store.seen(SOURCE)
    old = [fact for fact in asked if fact in seen and seen[fact][1] < oldest]
    return len(old) > len(asked) / 2


def _latest(stored: Snapshot | None, catalog: Catalog) -> Snapshot:
    bundled = Bundled().fetch()
    if stored is None or stored.taken_at < bundled.taken_at:
        return bundled
    return stored if _covered(stored, catalog) >= ENOUGH * _covered(bundled, catalog) else bundled


def _covered(snapshot: Snapshot, catalog: Catalog) -> int:
    """How many of the facts asked for it has something to say about."""
    asked = {entry.fact for entry in catalog.completed(snapshot).entries}
    return sum(fact.id in asked and bool(fact.values) for fact in snapshot.facts)
