"""What changed in the world, and whom that outdated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from freshness.app.pages.looking import Look, Slice
from freshness.changes import Effect, Event
from freshness.report.text import clean


@dataclass(frozen=True, slots=True)
class Named:
    """A subject: its item and the name that we ask with."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Outdating:
    """A model that a change made outdated, and the value that it had named."""

    model: str
    said: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A model whose answer is judged differently since."""

    model: str
    said: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """One event, as in ``changes --format json``, with the fact's id."""

    seen_at: datetime
    kind: str
    fact: str
    group: str
    subject: Named
    property: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    newly_outdated: tuple[Outdating, ...]
    judged_differently: tuple[Moved, ...]


def changes(look: Look, since: datetime | None = None, offset: int = 0, limit: int = 50) -> Slice[Change]:
    """Changes and revisions, the newest first."""
    found = look.store.events(since, limit=offset + limit + 1)
    return Slice.of_beginning([change_of(event) for event in found], offset, limit)


def change_of(event: Event) -> Change:
    """An event as pages and API show it."""
    fact = event.after
    return Change(
        event.seen_at,
        event.kind,
        fact.id,
        fact.group,
        Named(fact.subject.id, clean(fact.subject.name)),
        fact.property,
        tuple(clean(label) for label in event.was),
        tuple(clean(label) for label in event.now),
        tuple(Outdating(e.model, clean(e.said)) for e in event.effects if e.newly_outdated),
        tuple(_moved(e) for e in event.effects if not e.newly_outdated),
    )


def _moved(effect: Effect) -> Moved:
    return Moved(effect.model, clean(effect.said), str(effect.before), str(effect.after))
