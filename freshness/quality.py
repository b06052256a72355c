"""The quality gate: whether a fact can be asked about on a day, and if not, why. Pure.

A record that people keep has holes. A question that nobody could answer rightly, or whose right answer
the record doesn't tell, would be held against the model; such a fact is quarantined until it is mended.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from freshness.facts import Fact, Flaw, FlawKind, Value
from freshness.grading.timeline import ALWAYS, NEVER, Term, Timeline, build

MAX_OVERLAP_DAYS: Final = 731
"""Two holders of an office for one who overlap for longer than this can't both be right."""
MAX_GAP_DAYS: Final = 3 * 365
"""An office that stood empty for longer than this has a holder who is missing from the record."""
HORIZON_DAYS: Final = 15 * 365
"""Overlaps and gaps before this are history: no model's training data is dated by them."""

State = Literal["usable", "quarantined"]

_UNDATED: Final[tuple[FlawKind, ...]] = ("undated", "impossible_date", "rough_date")
_WHOLE: Final[tuple[FlawKind, ...]] = ("no_item", "label_mismatch", "no_office_name", "missing_label")


@dataclass(frozen=True, slots=True)
class Quality:
    """``reasons``: why a fact is quarantined, each ``kind: sentence``; none: it is usable.

    ``marks``: what had to be supposed or left out, which keeps nobody from asking.
    """

    reasons: tuple[str, ...]
    marks: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        return not self.reasons

    @property
    def state(self) -> State:
        return "usable" if self.usable else "quarantined"


def assess(fact: Fact, as_of: date) -> Quality:
    """Whether the fact can be asked about as things are on that day.

    The kinds: ``no_item``, ``label_mismatch``, ``no_office_name``, ``office_dissolved``, ``no_values``,
    ``no_current_value``, ``several_current_values``, ``overlap``, ``gap``, ``before_our_era``, and those of
    the flaws of a value that holds on that day (``unknown_value``, ``no_value``, ``missing_label``,
    ``wrong_kind``, ``undated``).
    """
    day = as_of.toordinal()
    left_out = [flaw for flaw in fact.flaws if flaw.value]
    timeline = build((*fact.values, *(flaw.value for flaw in left_out if flaw.value)), fact.holders)
    current = _Current(fact, left_out, timeline, day)
    reasons = [*_whole(current), *_now(current), *_record(current)]
    told = {reason.partition(": ")[2] for reason in reasons}
    marks = [*_supposed(timeline), *(flaw.text for flaw in fact.flaws if flaw.text not in told)]
    return Quality(tuple(dict.fromkeys(reasons)), tuple(dict.fromkeys(marks)))


@dataclass(frozen=True, slots=True)
class _Current:
    """A fact on a day; the timeline's values are the fact's, followed by those that were left out."""

    fact: Fact
    left_out: Sequence[Flaw]
    timeline: Timeline
    day: int

    @property
    def terms(self) -> list[Term]:
        """The terms that hold on that day, of values that count."""
        counting = self.timeline.current(self.day)
        return [t for t in self.timeline.terms if t.value in counting and t.start <= self.day < t.end]

    def label(self, term: Term) -> str:
        return self.timeline.values[term.value].label


def _whole(current: _Current) -> Iterator[str]:
    fact = current.fact
    for flaw in fact.flaws:
        if flaw.value is None and flaw.kind in _WHOLE:
            yield f"{flaw.kind}: {flaw.text}"
    gone = fact.dissolved
    # One who began later shows that the office was set up again, or that another one was dissolved.
    if gone and gone.first <= current.day and not any(t.start > gone.last for t in current.terms):
        yield f"office_dissolved: {fact.office or fact.subject.name} was dissolved on {gone}"


def _now(current: _Current) -> Iterator[str]:
    terms = current.terms
    if not terms:
        yield _nobody(current)
    known = len(current.fact.values)
    for term in terms:
        if term.value >= known:
            flaw = current.left_out[term.value - known]
            yield f"{flaw.kind}: {flaw.text}"
    if current.fact.holders == "many":
        return
    yield from _undated(current, terms)
    for term in terms:
        if NEVER < term.start < 1:
            yield f"before_our_era: {current.label(term)} is on record since {term.interval.start}"
    still = [t for t in terms if t.interval.is_open and t.end == ALWAYS]
    if len({t.value for t in still}) > 1:
        yield f"several_current_values: {_listed([current.label(t) for t in still])} have no end on record"


def _nobody(current: _Current) -> str:
    begun = [t for t in current.timeline.terms if t.start <= current.day]
    if not begun:
        later = " yet" if current.timeline.terms else ""
        return f"no_values: nothing on record{later}"
    last = max(begun, key=lambda t: (t.end, t.start))
    end = last.interval.end
    return f"no_current_value: nobody after {current.label(last)}" + (f", until {end}" if end else "")


def _undated(current: _Current, terms: Sequence[Term]) -> Iterator[str]:
    """What counts now and has neither start nor end, where the source's reader found that worth telling."""
    open_ones = [current.label(t) for t in terms if t.interval.start is None and t.interval.is_open]
    for flaw in current.fact.flaws:
        # A start that is no date says as little as none.
        if flaw.kind in _UNDATED and flaw.value is None and flaw.text.startswith(tuple(open_ones)):
            yield f"undated: {flaw.text}"


def _record(current: _Current) -> Iterator[str]:
    """Overlaps and gaps beyond reason in an office for one, as far back as it matters."""
    if current.fact.holders == "many":
        return
    terms = [t for t in current.timeline.terms if t.start > NEVER and t.start <= current.day]
    since = current.day - HORIZON_DAYS
    for first, then in itertools.combinations(terms, 2):
        if first.end == then.end == ALWAYS:
            continue  # both without an end: whether rank settles it was asked already
        until = min(first.end, then.end, current.day)
        if first.value != then.value and until > since and until - then.start > MAX_OVERLAP_DAYS:
            yield f"overlap: {current.label(first)} and {current.label(then)} at once until {_date(until)}"
    covered = NEVER
    for term in terms:
        if covered > NEVER and term.start > since and term.start - covered > MAX_GAP_DAYS:
            yield f"gap: nobody from {_date(covered)} until {current.label(term)} on {_date(term.start)}"
        covered = max(covered, term.end)


def _supposed(timeline: Timeline) -> Iterator[str]:
    """Ends that nobody recorded, taken from the start of who came next."""
    starts = {t.start: t.value for t in reversed(timeline.terms)}
    for term in timeline.terms:
        if term.interval.end is None and term.start < term.end < ALWAYS:
            label, follower = timeline.values[term.value].label, starts.get(term.end)
            by = f", when {timeline.values[follower].label} began" if follower is not None else ""
            told = "an end of unknown date" if term.interval.ended else "no end"
            yield f"{told} on record for {label}; taken as over on {_date(term.end)}{by}"


def current_labels(fact: Fact, day: date) -> list[str]:
    """Labels of the values that hold on that day, in the order given.

    Whoever is on record without a usable name counts, and has no label: the one before is not current.
    """
    values = values_on_record(fact)
    current = build(values, fact.holders).current(day.toordinal())
    return [fact.values[index].label for index in sorted(current) if index < len(fact.values)]


def values_on_record(fact: Fact) -> tuple[Value, ...]:
    """The fact's values, followed by the statements that were left out because of a flaw."""
    return (*fact.values, *(flaw.value for flaw in fact.flaws if flaw.value))


def _date(day: int) -> str:
    return str(date.fromordinal(day)) if day > 0 else "long ago"


def _listed(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return " and ".join([", ".join(distinct[:-1]), distinct[-1]]) if len(distinct) > 1 else distinct[0]
