"""Which facts are meant: ``latest``, ``live``, ``bundled`` or a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from freshness.app import refreshing, setup
from freshness.app.refreshing import SOURCE, Wish
from freshness.app.setup import Advance, Say, silent
from freshness.catalog import Catalog
from freshness.config import Settings
from freshness.errors import FreshnessError, StoreError, UnavailableError, UsageError
from freshness.facts import Fact, Snapshot
from freshness.sources.bundled import Bundled
from freshness.sources.snapshot_file import SnapshotFile

ENOUGH: Final = 0.5
"""Of two snapshots ``latest`` means the newer one, if it has this share of what the other has, or more."""

Seen = tuple[datetime, datetime]
"""When we first and last saw a fact as it is."""


@dataclass(frozen=True, slots=True)
class Talk:
    """Whom to tell how far it is, what is wrong, and what else is worth a line."""

    advance: Advance = silent
    warn: Say = silent
    note: Say = silent


@dataclass(frozen=True, slots=True)
class Found:
    """The facts, and why they are others than those asked for (empty: they are those)."""

    snapshot: Snapshot
    instead: str = ""


def find(
    settings: Settings, name: str, facts: tuple[str, ...] = (), talk: Talk | None = None, *, keep: bool = True
) -> Found:
    """The snapshot of that name.

    ``latest``: what was fetched last or the bundled facts, whichever has what the catalogues ``facts`` ask
    about; if both have, the newer. ``live``: fetched now when that is older than ``wikidata.max_age``; what
    can't be fetched is replaced by ``latest``, with a warning. ``keep`` False: nothing that is fetched is
    stored, and a history that can't be read is none.

    What was fetched has the day on which most of what is asked for was last seen so. Raises ``UsageError``
    (a file, a catalogue), ``StoreError``.
    """
    if name == "bundled":
        return Found(Bundled().fetch())
    if name not in ("latest", "live"):
        return Found(SnapshotFile(Path(name)).fetch())
    talk = talk or Talk()
    catalog = setup.catalog(settings, facts)
    fetched = _fetched(settings) if keep else _if_readable(settings, talk)
    if name == "latest":
        return Found(_latest(fetched, catalog))
    return _live(settings, fetched, catalog, facts, talk, keep)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched last, and when we first and last saw each of its facts so, by id."""

    snapshot: Snapshot
    seen: Mapping[str, Seen]

    def dated(self, catalog: Catalog) -> Snapshot:
        """With the day on which most of the facts asked for were last seen so; some were not since."""
        asked = self.of(catalog)
        days = sorted(self.seen[fact.id][1] for fact in asked if fact.id in self.seen)
        middle = days[(len(days) - 1) // 2] if days else self.snapshot.taken_at
        return replace(self.snapshot, taken_at=min(self.snapshot.taken_at, middle))

    def of(self, catalog: Catalog) -> list[Fact]:
        """Its facts that the catalogue asks about."""
        asked = {entry.fact for entry in catalog.completed(self.snapshot).entries}
        return [fact for fact in self.snapshot.facts if fact.id in asked]


def known(settings: Settings) -> list[tuple[Fact, Snapshot, Seen | None]]:
    """Every fact as last observed, with the snapshot it is from and when we saw it so, if we did.

    What was fetched; of what the config's catalogues ask about, also what is bundled, where that is newer or
    all there is. Raises ``UsageError``, ``StoreError``.
    """
    bundled, fetched = Bundled().fetch(), _fetched(settings)
    asked = {entry.fact for entry in setup.catalog(settings, ()).entries}
    facts: dict[str, tuple[Fact, Snapshot, Seen | None]] = {
        fact.id: (fact, bundled, None) for fact in bundled.facts if fact.id in asked
    }
    for fact in fetched.snapshot.facts if fetched else ():
        assert fetched is not None
        seen = fetched.seen.get(fact.id)
        when = seen[1] if seen else fetched.snapshot.taken_at
        if fact.id not in facts or when >= bundled.taken_at:
            facts[fact.id] = (fact, replace(fetched.snapshot, taken_at=when, facts=()), seen)
    return list(facts.values())


def _live(
    settings: Settings,
    fetched: Fetched | None,
    catalog: Catalog,
    facts: tuple[str, ...],
    talk: Talk,
    keep: bool,
) -> Found:
    if fetched and not _is_stale(settings, fetched, catalog):
        return Found(fetched.dated(catalog))
    try:
        refreshing.make_client(settings)
    except UsageError as error:  # nobody to be named to the endpoint: no reason not to probe
        return _instead(_latest(fetched, catalog), error, talk)
    try:
        done = refreshing.refresh(settings, Wish(facts, keep=keep), advance=talk.advance, note=talk.note)
    except UnavailableError as error:
        return _instead(_latest(fetched, catalog), error, talk)
    for fault in done.faults:
        talk.warn(fault)
    return Found(done.snapshot)


def _instead(snapshot: Snapshot, error: FreshnessError, talk: Talk) -> Found:
    facts = f"the {snapshot.source} facts of {snapshot.taken_at:%Y-%m-%d}"
    told = f"no live facts, {facts} were taken instead: {' '.join(str(error).split())}"
    talk.warn(told)
    return Found(snapshot, told)


def _if_readable(settings: Settings, talk: Talk) -> Fetched | None:
    try:
        return _fetched(settings)
    except StoreError as error:
        talk.warn(f"{error}; facts are taken without it")
        return None


def _fetched(settings: Settings) -> Fetched | None:
    """What was fetched last; None where there is no database yet, or nothing in it."""
    if not setup.has_history(settings):
        return None
    with setup.open_history(settings) as store:
        snapshot = store.latest_snapshot(SOURCE)
        return Fetched(snapshot, store.seen(SOURCE)) if snapshot else None


def _is_stale(settings: Settings, fetched: Fetched, catalog: Catalog) -> bool:
    """Whether it is too old, or has not all that is asked for, or most of that is too old."""
    snapshot = fetched.snapshot
    asked = {entry.fact for entry in catalog.completed(snapshot).entries}
    if asked - {fact.id for fact in snapshot.facts}:
        return True
    return fetched.dated(catalog).taken_at < datetime.now(UTC) - settings.wikidata.max_age


def _latest(fetched: Fetched | None, catalog: Catalog) -> Snapshot:
    bundled = Bundled().fetch()
    if fetched is None:
        return bundled
    asked = {entry.fact for entry in catalog.entries}
    here = sum(bool(fact.values) for fact in fetched.of(catalog))
    there = sum(fact.id in asked for fact in bundled.facts)
    dated = fetched.dated(catalog)
    if here < ENOUGH * there or (there >= ENOUGH * here and dated.taken_at < bundled.taken_at):
        return bundled
    return dated if here else bundled
