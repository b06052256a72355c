"""Facts as observed: from when to when we saw a source say what it said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sqlalchemy import and_, func, or_
from sqlmodel import Session, col, select

from freshness.facts import Fact
from freshness.store import snapshots
from freshness.store.tables import FactRow, SnapshotFactRow, SnapshotRow


@dataclass(frozen=True, slots=True)
class Observed:
    """A fact as one source gave it from ``first_seen`` to ``last_seen`` (our clock), unchanged.

    ``taken_at``: the moment that the source's last such answer speaks of. A fact that was kept because the
    source gave nothing usable was last seen when the source last gave it.
    """

    fact: Fact
    source: str
    taken_at: datetime
    first_seen: datetime
    last_seen: datetime


Sighting = tuple[SnapshotRow, SnapshotFactRow | None]
"""A snapshot, and the place of the fact in it; None where the source did not give the fact."""


def fact_history(
    session: Session, subject: str, property_id: str, until: datetime | None = None
) -> list[Observed]:
    """All that was observed of a fact (subject by id or name), each source's in order of time.

    A fact that a source took back and gave again is there twice. ``until``: as of that moment, from the
    snapshots that there were.
    """
    about = and_(
        or_(col(FactRow.subject_id) == subject, col(FactRow.subject_name) == subject),
        col(FactRow.property) == property_id,
    )
    chosen = select(FactRow.id).where(about)
    facts = snapshots.load_facts(session, chosen)
    places = select(SnapshotFactRow).where(col(SnapshotFactRow.fact_id).in_(chosen))
    held = {
        (place.snapshot_id, facts[place.fact_id].subject.id): place
        # A fact that stands twice in a snapshot counts where it stands first.
        for place in session.exec(places.order_by(col(SnapshotFactRow.position).desc()))
    }
    rows = _snapshots(session, until)
    return [
        _observed(facts, sightings)
        for subject_id in dict.fromkeys(fact.subject.id for fact in facts.values())
        for sightings in _unchanged([(row, held.get((row.id, subject_id))) for row in rows])
    ]


def _snapshots(session: Session, until: datetime | None) -> Sequence[SnapshotRow]:
    statement = select(SnapshotRow).order_by(col(SnapshotRow.source), col(SnapshotRow.id))
    if until is not None:
        statement = statement.where(SnapshotRow.first_seen <= until)
    return session.exec(statement).all()


def _unchanged(sightings: Sequence[Sighting]) -> list[list[Sighting]]:
    """Sightings of the same content by the same source, one after the other."""
    runs = groupby(sightings, key=lambda seen: (seen[0].source, seen[1] and seen[1].fact_id))
    return [list(group) for (_, fact_id), group in runs if fact_id is not None]


def _observed(facts: dict[int, Fact], sightings: Sequence[Sighting]) -> Observed:
    first, (last, place) = sightings[0][0], sightings[-1]
    assert place is not None
    taken_at, last_seen = last.taken_at, last.last_seen
    if place.seen_at is not None:
        taken_at, last_seen = min(taken_at, place.seen_at), place.seen_at
    return Observed(facts[place.fact_id], last.source, taken_at, first.first_seen, last_seen)


def as_observed(session: Session, subject: str, property_id: str, on: datetime) -> Observed | None:
    """What we held for true at that moment: of each source's last words, the one about the latest time."""
    known = fact_history(session, subject, property_id, until=on)
    last_words = {seen.source: seen for seen in sorted(known, key=lambda seen: seen.first_seen)}
    return max(last_words.values(), key=lambda seen: (min(seen.taken_at, on), seen.first_seen), default=None)


def seen(session: Session, source: str) -> dict[str, tuple[datetime, datetime]]:
    """From when to when each fact (by id) of the source's newest snapshot was seen as it is."""
    newest = snapshots.newest(session, source)
    if newest is None:
        return {}
    since = _since(session, newest)
    facts = (
        select(SnapshotFactRow, FactRow.subject_id, FactRow.property)
        .join(FactRow)
        .where(SnapshotFactRow.snapshot_id == newest.id)
        .order_by(col(SnapshotFactRow.position).desc())
    )
    return {
        f"{subject}/{property_id}": (since[place.fact_id], place.seen_at or newest.last_seen)
        for place, subject, property_id in session.exec(facts)
    }


def _since(session: Session, newest: SnapshotRow) -> dict[int, datetime]:
    """When each fact (by row number) of a source's newest snapshot was first seen without a break.

    Counted from the newest, a fact's n-th sighting is the n-th snapshot for as long as none lacks it.
    """
    age = func.row_number().over(order_by=col(SnapshotRow.id).desc()).label("age")
    aged = select(SnapshotRow.id, SnapshotRow.first_seen, age).where(SnapshotRow.source == newest.source)
    ages = aged.subquery()
    wanted = select(SnapshotFactRow.fact_id).where(SnapshotFactRow.snapshot_id == newest.id)
    number = (
        func.dense_rank().over(partition_by=col(SnapshotFactRow.fact_id), order_by=ages.c.age).label("number")
    )
    sightings = (
        select(SnapshotFactRow.fact_id, ages.c.first_seen, ages.c.age, number)
        .join(ages, ages.c.id == SnapshotFactRow.snapshot_id)
        .where(col(SnapshotFactRow.fact_id).in_(wanted))
        .subquery()
    )
    unbroken = select(sightings.c.fact_id, func.min(sightings.c.first_seen))
    rows = session.exec(unbroken.where(sightings.c.age == sightings.c.number).group_by(sightings.c.fact_id))
    return dict(rows.all())
