"""The facts as last observed, or as they were on record on an earlier day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from freshness.app import setup, snapshots
from freshness.app.refreshing import SOURCE
from freshness.app.snapshots import Seen, Talk
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.facts import Fact, Snapshot
from freshness.quality import Quality, assess, current_labels

_ITEM = re.compile(r"[QP]\d+")


@dataclass(frozen=True, slots=True)
class View:
    """Which facts to look at: ``snapshot`` as in ``probe``; ``current`` is meant as of ``as_of``.

    ``observed``: not the snapshot's word, but what the history had on record at the end of that day.
    """

    snapshot: str
    as_of: date
    observed: date | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A fact, where it comes from, since when we know it so, what is true of it, and how good it is."""

    fact: Fact
    source: str
    taken_at: datetime
    current: tuple[str, ...]
    quality: Quality
    seen: Seen | None = None

    @property
    def link(self) -> str | None:
        """The page where an editor can mend it; None for a subject that is no Wikidata item."""
        item, claim = self.fact.subject.id, self.fact.property
        if not _ITEM.fullmatch(item):
            return None
        return f"https://www.wikidata.org/wiki/{item}" + (f"#{claim}" if _ITEM.fullmatch(claim) else "")

    def to_json(self) -> dict[str, Any]:
        """The shape of ``facts show --format json``."""
        return {
            **self.fact.to_json(),
            "state": self.quality.state,
            "reasons": list(self.quality.reasons),
            "marks": list(self.quality.marks),
            "current": list(self.current),
            "snapshot": {"source": self.source, "taken_at": self.taken_at.isoformat()},
            "first_seen": self.seen[0].isoformat() if self.seen else None,
            "last_seen": self.seen[1].isoformat() if self.seen else None,
            "link": self.link,
        }


def facts(
    settings: Settings, view: View, catalogues: tuple[str, ...] = (), talk: Talk | None = None
) -> list[Known]:
    """All facts of the snapshot, or those that some catalogues ask about.

    Raises ``UsageError``; ``StoreError`` when there is no history to look ``observed`` up in.
    """
    there = _there(settings, view, catalogues, talk)
    if catalogues:
        catalog = setup.catalog(settings, catalogues)
        listed = {entry.fact for entry in catalog.entries}
        there = [row for row in there if row[0].id in listed or catalog.selector(row[0])]
    if view.observed is None:
        return [_known(*row, view) for row in there]
    asked = [(fact.subject.id, fact.property) for fact, _, _ in there]
    return list(_on_record(settings, asked, view, view.observed))


def _there(
    settings: Settings, view: View, catalogues: tuple[str, ...], talk: Talk | None
) -> list[tuple[Fact, Snapshot, Seen | None]]:
    """Each fact with the snapshot it is from, and when we saw it so, if we did."""
    if view.snapshot == "latest":
        return snapshots.known(settings)
    snapshot = snapshots.find(settings, view.snapshot, catalogues, talk).snapshot
    seen = _seen(settings, snapshot)
    return [(fact, snapshot, seen.get(fact.id)) for fact in snapshot.facts]


def quarantined(
    settings: Settings, view: View, catalogues: tuple[str, ...] = (), talk: Talk | None = None
) -> tuple[list[Known], int]:
    """The facts that can't be asked about, and how many there are in all; raises as ``facts``."""
    known = facts(settings, view, catalogues, talk)
    return [item for item in known if not item.quality.usable], len(known)


def fact(settings: Settings, subject: str, property_id: str, view: View, talk: Talk | None = None) -> Known:
    """One fact by subject (id or name) and property, in any case; ``UsageError`` when there is none."""
    there = {row[0].id: row for row in _there(settings, view, (), talk)}
    snapshot = Snapshot(view.snapshot, datetime.now(UTC), tuple(fact for fact, _, _ in there.values()))
    spelt = _spelt(snapshot, subject, property_id)
    if view.observed is None:
        return _known(*there[snapshot.find(*spelt).id], view)
    for known in _on_record(settings, [spelt], view, view.observed):
        return known
    snapshot.find(*spelt)  # a fact that nobody ever knew is another mistake
    raise UsageError(
        f"{subject} {property_id} was not on record on {view.observed}; the history knows it since later"
    )


def _seen(settings: Settings, snapshot: Snapshot) -> Mapping[str, Seen]:
    """When what was fetched was seen; what is bundled or in a file was not seen by us."""
    if snapshot.source != SOURCE or not setup.has_history(settings):
        return {}
    with setup.open_history(settings) as store:
        return store.seen(SOURCE)


def _spelt(snapshot: Snapshot, subject: str, property_id: str) -> tuple[str, str]:
    """Subject and property as the snapshot writes them; as given where it has no such fact."""
    wanted, named = property_id.casefold(), subject.casefold()
    there = [fact for fact in snapshot.facts if fact.property.casefold() == wanted]
    for fact in there:
        if subject in (fact.subject.id, fact.subject.name):
            return subject, fact.property
    for fact in there:
        if named in (fact.subject.id.casefold(), fact.subject.name.casefold()):
            return fact.subject.id, fact.property
    return subject, property_id


def _on_record(settings: Settings, chosen: list[tuple[str, str]], view: View, day: date) -> Iterator[Known]:
    end = datetime.combine(day, time.max, UTC)
    with setup.open_history(settings) as store:
        for subject, property_id in chosen:
            seen = store.fact_as_observed(subject, property_id, end)
            if seen:
                then = Snapshot(seen.source, seen.taken_at)
                yield _known(seen.fact, then, (seen.first_seen, seen.last_seen), view)


def _known(fact: Fact, snapshot: Snapshot, seen: Seen | None, view: View) -> Known:
    current = tuple(current_labels(fact, view.as_of))
    quality = assess(fact, view.as_of)
    return Known(fact, snapshot.source, snapshot.taken_at, current, quality, seen)
