"""Which values hold, held or will hold on a day, when the record is what people left it.

Bounds in the source are incomplete: only a year is known, an end was forgotten or is known to lie in
the past without a date. In an office with one holder at a time the neighbours say more, so each term
is narrowed by them before anything is asked. All days are ordinals (see ``facts``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from freshness.facts import Holders, PartialDate, Rank, ValidityInterval, Value

ALWAYS = 4_000_000
"""An ordinal after every date that can come up (year 10,952): the end of what has no end."""
NEVER = -ALWAYS
HANDOVER_DAYS = 60
"""Terms that overlap for no longer than this are a sloppy hand-over, not two holders at once."""

_ONE_OFFICE = re.compile(
    r"\bwho\s+(?:is|was)\s+(?:currently\s+)?the\b|\bwho\s+(?:currently\s+)?(?:leads|heads)\b", re.I
)


class State(StrEnum):
    """Where a value stands on the day asked about."""

    CURRENT = "current"
    PAST = "past"
    FUTURE = "future"
    NO_FACT = "no_fact"


@dataclass(frozen=True, slots=True)
class Term:
    """One interval of one value, as ordinals ``[start, end)``, narrowed by its neighbours.

    ``end_day`` is the best single day for the end, for lags; None where nothing tells it.
    """

    value: int
    start: int
    end: int
    end_day: int | None
    interval: ValidityInterval


@dataclass(frozen=True, slots=True)
class Timeline:
    """The terms of a question's values in order of start; indexes are those of ``values``."""

    values: tuple[Value, ...]
    holders: Holders
    terms: tuple[Term, ...]

    def current(self, day: int) -> frozenset[int]:
        """Indexes of the values that hold on that day; preferred ones outrank in a one-holder office."""
        holding = {t.value for t in self.terms if t.start <= day < t.end}
        preferred = {i for i in holding if self.values[i].rank is Rank.PREFERRED}
        return frozenset(preferred if preferred and self.holders == "one" else holding)

    def state(self, value: int, day: int) -> State:
        """Current, past or future; ``NO_FACT`` for a value that the source calls wrong (deprecated)."""
        terms = [t for t in self.terms if t.value == value]
        if not terms:
            return State.NO_FACT
        if value in self.current(day):
            return State.CURRENT
        return State.PAST if any(t.start <= day for t in terms) else State.FUTURE

    def last_start(self, value: int, day: int) -> int:
        """Start of the value's latest term begun by that day; ``NEVER`` when unknown or none."""
        return max((t.start for t in self.terms if t.value == value and t.start <= day), default=NEVER)

    def lag(self, value: int, day: int) -> tuple[int | None, int]:
        """Days since a past value stopped being true (None: nobody knows), and how many values ago."""
        begun = [t for t in self.terms if t.value == value and t.start <= day]
        last = max(begun, key=lambda t: (t.end, t.start))
        later = {t.value for t in self.terms if last.start < t.start <= day and t.value != value}
        if last.end_day is not None:
            days: int | None = max(0, day - last.end_day)
        else:
            follower = min(
                (t.start for t in self.terms if t.value in later and t.start > last.start), default=None
            )
            days = None if follower is None else day - follower
        return days, max(1, len(later))


def build(values: Sequence[Value], holders: Holders | None = None) -> Timeline:
    """The timeline of a question's values; ``holders`` None is inferred by ``infer_holders``."""
    known = holders or infer_holders(values)
    terms = [
        _term(index, interval)
        for index, value in enumerate(values)
        if value.rank is not Rank.DEPRECATED
        for interval in value.intervals
    ]
    if known == "one":
        terms = [_narrowed(term, terms) for term in terms]
        preferred = {index for index, value in enumerate(values) if value.rank is Rank.PREFERRED}
        terms = [_closed(term, terms, preferred) for term in terms]
    return Timeline(tuple(values), known, tuple(sorted(terms, key=lambda t: (t.start, t.end))))


def current_labels(values: Sequence[Value], as_of: date, holders: Holders | None = None) -> list[str]:
    """Labels of the values that hold on that date, in the order given."""
    timeline = build(values, holders)
    return [values[index].label for index in sorted(timeline.current(as_of.toordinal()))]


def asks_for_one(question: str) -> bool:
    """Whether a question's wording supposes one holder: "Who is the ...?"."""
    return _ONE_OFFICE.search(question) is not None


def infer_holders(values: Sequence[Value], one_office: bool = False) -> Holders:
    """Whether an office has one holder at a time, from the record itself.

    One who comes long before another has left says many; one value that takes over from another says one;
    else the question's wording may (``one_office``), and without any sign nothing is closed that the
    source left open.
    """
    spans = [
        (interval.start.first, interval.end.first, index)
        for index, value in enumerate(values)
        if value.rank is not Rank.DEPRECATED
        for interval in value.intervals
        if interval.start and interval.end
    ]
    starts = [
        (interval.start.last, index)
        for index, value in enumerate(values)
        if value.rank is not Rank.DEPRECATED
        for interval in value.intervals
        if interval.start
    ]
    if any(
        s <= at and at + HANDOVER_DAYS < end and n != index for s, end, index in spans for at, n in starts
    ):
        return "many"
    took_over = any(
        s < at and at + HANDOVER_DAYS >= end and n != index for s, end, index in spans for at, n in starts
    )
    return "one" if took_over or one_office else "many"


def _term(index: int, interval: ValidityInterval) -> Term:
    start = interval.start.first if interval.start else NEVER
    if interval.end is not None:
        return Term(index, start, max(start, interval.end.first), interval.end.middle, interval)
    # Ended, nobody knows when: past on any day we can be asked about, unless a follower says more.
    return Term(index, start, start if interval.ended else ALWAYS, None, interval)


def _is_rough(bound: PartialDate | None) -> bool:
    return bound is not None and bound.first != bound.last


def _narrowed(term: Term, terms: Sequence[Term]) -> Term:
    """A bound known to the year or month, moved to the exact day on which a neighbour's term meets it."""
    start, end = term.interval.start, term.interval.end
    if start and _is_rough(start):
        ends = [
            t.interval.end.first
            for t in terms
            if t.value != term.value
            and t.interval.end
            and not _is_rough(t.interval.end)
            and t.start < start.last
        ]
        term = replace(
            term, start=max((e for e in ends if start.first <= e <= start.last), default=term.start)
        )
    if end and _is_rough(end):
        starts = [
            t.interval.start.first
            for t in terms
            if t.value != term.value
            and t.interval.start
            and not _is_rough(t.interval.start)
            and t.start > term.start
        ]
        met = min((s for s in starts if end.first <= s <= end.last), default=None)
        if met is not None:
            term = replace(term, end=met, end_day=met)
    return replace(term, end=max(term.start, term.end))


def _closed(term: Term, terms: Sequence[Term], preferred: Collection[int]) -> Term:
    """A term without an end, closed by the next holder's start.

    One that the source prefers to others holds on beside them: an acting holder, or an older record.
    """
    if term.interval.end is not None:
        return term
    begun = term.interval.start.last if term.interval.start else NEVER
    rivals = [
        t for t in terms if t.value in preferred or not (term.interval.is_open and term.value in preferred)
    ]
    later = [t.start for t in rivals if t.value != term.value and t.start > begun]
    if not later or (term.interval.start is None and term.interval.is_open):
        return term
    return replace(term, end=min(later), end_day=min(later))
