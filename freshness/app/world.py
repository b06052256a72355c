"""The facts as last observed, or as they were on record on an earlier day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from freshness.app import setup
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.facts import Fact, Snapshot
from freshness.grading.timeline import current_labels


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
    """A fact, where it comes from, and what is true of it."""

    fact: Fact
    source: str
    taken_at: datetime
    current: tuple[str, ...]

    @property
    def reasons(self) -> list[str]:
        """Why nothing can be asked about it; empty where all is well."""
        return [] if self.fact.values else ["no values"]

    def to_json(self) -> dict[str, Any]:
        """The shape of ``facts show --format json``."""
        return {
            **self.fact.to_json(),
            "state": "quarantined" if self.reasons else "usable",
            "reasons": self.reasons,
            "current": list(self.current),
            "snapshot": {"source": self.source, "taken_at": self.taken_at.isoformat()},
        }


def facts(settings: Settings, view: View, catalogues: tuple[str, ...] = ()) -> list[Known]:
    """All facts of the snapshot, or those that some catalogues ask about.

    Raises ``UsageError``; ``StoreError`` when there is no history to look ``observed`` up in.
    """
    snapshot = setup.snapshot(view.snapshot)
    wanted = {entry.fact for entry in setup.catalog(settings, catalogues).entries} if catalogues else None
    chosen = [fact for fact in snapshot.facts if wanted is None or fact.id in wanted]
    if view.observed is None:
        return [_known(fact, snapshot.source, snapshot.taken_at, view) for fact in chosen]
    return list(_on_record(settings, chosen, view, view.observed))


def fact(settings: Settings, subject: str, property_id: str, view: View) -> Known:
    """One fact by subject (id or name) and property, in any case; ``UsageError`` when there is none."""
    snapshot = setup.snapshot(view.snapshot)
    found = snapshot.find(*_spelt(snapshot, subject, property_id))
    if view.observed is None:
        return _known(found, snapshot.source, snapshot.taken_at, view)
    for known in _on_record(settings, [found], view, view.observed):
        return known
    raise UsageError(
        f"{subject} {property_id} was not on record on {view.observed}; the history knows it since later"
    )


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


def _on_record(settings: Settings, chosen: list[Fact], view: View, day: date) -> Iterator[Known]:
    end = datetime.combine(day, time.max, UTC)
    with setup.open_history(settings) as store:
        for fact in chosen:
            seen = store.fact_as_observed(fact.subject.id, fact.property, end)
            if seen:
                yield _known(seen.fact, seen.source, seen.taken_at, view)


def _known(fact: Fact, source: str, taken_at: datetime, view: View) -> Known:
    return Known(fact, source, taken_at, tuple(current_labels(fact.values, view.as_of, fact.holders)))
