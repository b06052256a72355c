"""What a source says now, held against what was known: nothing that was known is lost to a bad answer.

Wikidata's servers fail in ways that look like news: an empty result, half of the rows, an older copy of
the data. Such an answer to one fact leaves that fact as it was known; such an answer to most of them is
no answer at all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final, Literal

from freshness.changes.events import key_of, terms
from freshness.errors import UnavailableError
from freshness.facts import Fact, PartialDate, Snapshot
from freshness.grading.timeline import build
from freshness.quality import values_on_record

REPLICA_DELAY: Final = timedelta(hours=1)
"""For so long after a change the servers' copies may still differ, and answers come from a cache."""
FEW: Final = 4
"""A fact with fewer statements than this may lose half of them to an honest edit."""
MOST: Final = 0.5
"""Finding nothing for more than this share of the known facts (three at least) is a failure."""

Why = Literal["empty_result_for_known_fact", "suspicious_result", "flipped_back", "not_asked"]
Earlier = Callable[[Fact], Iterable[Fact]]


@dataclass(frozen=True, slots=True)
class Kept:
    """A fact that stays as it was known, and why."""

    fact: Fact
    why: Why
    text: str


@dataclass(frozen=True, slots=True)
class Reconciled:
    """``snapshot``: what is known now. ``kept``: of which facts the source told nothing usable.

    ``accepted``: ids of those whose answer would have been kept out, had it not been accepted.
    """

    snapshot: Snapshot
    kept: tuple[Kept, ...] = ()
    accepted: frozenset[str] = frozenset()

    @property
    def unconfirmed(self) -> frozenset[str]:
        return frozenset(kept.fact.id for kept in self.kept)


def reconcile(
    known: Snapshot | None,
    fetched: Snapshot,
    *,
    seen_at: datetime,
    first_seen: Mapping[str, datetime],
    earlier: Earlier,
    accept: Collection[str] = (),
    keep: Callable[[Fact], bool] = lambda fact: False,
) -> Reconciled:
    """What is known after a source was asked again at ``seen_at``.

    ``first_seen``: since when each fact (by id) has been known as it is; ``earlier``: what was known of a
    fact before that. ``accept``: facts whose suspicious or empty result is taken. ``keep``: whether a fact
    that was not asked for stays; the others are dropped, since no catalogue wants them any more.

    Raises ``UnavailableError`` when the source gave nothing for most of what was known, or knows nothing.
    """
    before = {fact.id: fact for fact in known.facts} if known else {}
    _check_whole(before, fetched)
    doubts = {
        fact.id: _doubt(before.get(fact.id), fact, seen_at, first_seen, earlier) for fact in fetched.facts
    }
    accepted = frozenset(name for name, doubt in doubts.items() if doubt and name in accept)
    kept = [doubt for name, doubt in doubts.items() if doubt and name not in accepted]
    held = {one.fact.id: one.fact for one in kept}
    facts = [held.get(fact.id, fact) for fact in fetched.facts]
    asked = {fact.id for fact in fetched.facts}
    rest = [fact for fact in before.values() if fact.id not in asked and keep(fact)]
    facts += rest
    kept += [Kept(fact, "not_asked", "not asked for this time") for fact in rest]
    return Reconciled(replace(fetched, facts=tuple(facts)), tuple(kept), accepted)


def _check_whole(before: Mapping[str, Fact], fetched: Snapshot) -> None:
    asked = [fact for fact in fetched.facts if fact.id in before and before[fact.id].values]
    empty = [fact for fact in asked if not values_on_record(fact)]
    if len(empty) >= 3 and len(empty) > MOST * len(asked):
        raise UnavailableError(
            f"{fetched.source} gave nothing for {len(empty)} of {len(asked)} known facts "
            "(empty_result_for_known_fact): a fault of the server, no news; nothing was changed, try later"
        )
    strange = [fact for fact in fetched.facts if any(flaw.kind == "no_item" for flaw in fact.flaws)]
    if len(strange) == len(fetched.facts) > 1:
        raise UnavailableError(
            f"the endpoint knows none of the {len(strange)} items asked for; does it hold Wikidata? "
            "check wikidata.endpoint"
        )


def _doubt(
    known: Fact | None,
    fact: Fact,
    seen_at: datetime,
    first_seen: Mapping[str, datetime],
    earlier: Earlier,
) -> Kept | None:
    """Why this answer is not to be taken; None: it is."""
    if known is None or not values_on_record(known):
        return None
    kept = replace(known, group=fact.group, subject=fact.subject, holders=fact.holders)
    was, now = _statements(known), _statements(fact)
    if not now:
        return Kept(kept, "empty_result_for_known_fact", f"no statements, where {was} were known")
    if was >= FEW and now < was / 2:
        return Kept(kept, "suspicious_result", f"{now} statements, where {was} were known")
    since = first_seen.get(fact.id)
    if since and seen_at - since < REPLICA_DELAY and _flips_back(known, fact, seen_at.date(), earlier):
        minutes = int((seen_at - since).total_seconds() // 60)
        return Kept(kept, "flipped_back", f"as it was before a change that was seen {minutes} minutes ago")
    return None


def _statements(fact: Fact) -> int:
    return sum(len(value.intervals) for value in values_on_record(fact))


def _flips_back(known: Fact, fact: Fact, day: date, earlier: Earlier) -> bool:
    """Whether this is an older copy: what was on record before, or terms open again that were over."""
    if terms(fact) == terms(known):
        return False
    if any(terms(fact) == terms(past) for past in earlier(known) if terms(past) != terms(known)):
        return True
    holders = _terms_on(fact, day)
    over = {(key_of(value), interval.start) for value in known.values for interval in value.intervals}
    return bool(holders) and holders <= over - _terms_on(known, day)


def _terms_on(fact: Fact, day: date) -> set[tuple[str, PartialDate | None]]:
    """The terms that hold on that day: whose, and since when."""
    values = values_on_record(fact)
    timeline = build(values, fact.holders)
    ordinal = day.toordinal()
    current = timeline.current(ordinal)
    return {
        (key_of(values[t.value]), t.interval.start)
        for t in timeline.terms
        if t.value in current and t.start <= ordinal < t.end
    }
