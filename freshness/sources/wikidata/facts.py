"""From items and statements to a fact: what counts as a value, and what is wrong with the record. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from freshness.facts import (
    Fact,
    Flaw,
    FlawKind,
    Holders,
    PartialDate,
    Subject,
    ValidityInterval,
    Value,
    merge_terms,
)
from freshness.grading.timeline import NEVER
from freshness.sources.wikidata import kinds, names
from freshness.sources.wikidata.queries import OFFICES
from freshness.sources.wikidata.rows import Item, Statement

MAX_STATEMENTS: Final = 500
"""Of a fact with more statements only the newest are read."""
NAMELESS: Final = "item without a name"
"""What a selector's subject is called that has no label: its id is no name."""

NOTHING: Final = Item()
"""An item that nothing is known of."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A fact to make. ``name`` None: a selector found the subject, and its label is the name."""

    group: str
    id: str
    name: str | None
    property: str
    holders: Holders
    needs_office: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What was learnt of all items, by their ids; an id that was merged into another finds that one's.

    ``ids``: where redirects lead; ``labels``, ``classes``: of kinds, as ``kinds.is_side_team`` wants them.
    """

    items: Mapping[str, Item] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    classes: Mapping[str, Iterable[str]] = field(default_factory=dict)

    def resolved(self, item: str) -> str:
        return self.ids.get(item, item)

    def item(self, item: str) -> Item:
        return self.items.get(self.resolved(item), NOTHING)


@dataclass(frozen=True, slots=True)
class Record:
    """A fact's statements in order of their start; ``count``: how many there were."""

    statements: tuple[Statement, ...] = ()
    count: int = 0


def record(statements: Sequence[Statement]) -> Record:
    """The newest statements, in an order that depends on nothing but what they say."""
    in_order = sorted(statements, key=_order)
    return Record(tuple(in_order[-MAX_STATEMENTS:]), len(in_order))


def _order(statement: Statement) -> tuple[int, int, str, str]:
    start, value = statement.interval.start, statement.value or ""
    return start.first if start else NEVER, len(value), value, statement.id


def build(asked: Asked, found: Record, known: Known, languages: Sequence[str], today: date) -> Fact:
    """The fact, its values in order of their start; ``languages`` are named where a label is missing."""
    subject = known.item(asked.id)
    name = asked.name or subject.label or NAMELESS
    offices = [known.item(office) for office in subject.offices.get(OFFICES.get(asked.property, ""), ())]
    living = [office for office in offices if not _is_gone(office.dissolved, today)]
    office = (living or offices)[0].label if offices else None
    dissolved = _dissolved(subject, offices)
    statements = [_until(statement, dissolved, today) for statement in found.statements]
    read = [_read(statement, asked.property, known, languages) for statement in statements]
    flaws = [
        *_of_subject(asked, bool(found.count) or subject != NOTHING, subject, languages),
        *_of_office(asked, name, office),
        *_of_count(found.count),
        *(flaw for _, noted in read for flaw in noted),
    ]
    nameless = asked.name is None and subject.label is None
    values = () if nameless else merge_terms(value for value, _ in read if value)
    return Fact(
        asked.group,
        Subject(asked.id, name),
        asked.property,
        values,
        asked.holders,
        office,
        dissolved,
        tuple(dict.fromkeys(flaws)),
    )


def _is_gone(dissolved: PartialDate | None, today: date) -> bool:
    return dissolved is not None and dissolved.first <= today.toordinal()


def _until(statement: Statement, dissolved: PartialDate | None, today: date) -> Statement:
    """Nobody holds what is no more: a term without an end is over when the office is."""
    interval = statement.interval
    if dissolved is None or not _is_gone(dissolved, today) or not interval.is_open:
        return statement
    if interval.start and interval.start.first >= dissolved.first:
        return statement  # it was set up again
    return replace(statement, interval=ValidityInterval(interval.start, dissolved))


def _of_subject(asked: Asked, exists: bool, subject: Item, languages: Sequence[str]) -> Iterator[Flaw]:
    spoken = ", ".join(languages)
    if not exists:
        yield Flaw("no_item", f"{asked.id} is no item: no label in {spoken}, no kind, no statement")
    elif asked.name is None and subject.label is None:
        yield Flaw("missing_label", f"{asked.id} has no label in {spoken}")
    elif asked.name and subject.label is None:
        text = f"{asked.id} has no label in {spoken}: whether it is {asked.name} could not be checked"
        yield Flaw("unchecked_name", text)
    elif asked.name and subject.label and not names.fits(asked.name, (subject.label, *subject.aliases)):
        text = f"{asked.id} is {subject.label} on Wikidata, but {asked.name} in the catalogue"
        yield Flaw("label_mismatch", text)


def _of_office(asked: Asked, name: str, office: str | None) -> Iterator[Flaw]:
    if asked.needs_office and office is None:
        where = OFFICES.get(asked.property, "a property that names the office")
        yield Flaw("no_office_name", f"{name} has no office with a name ({where}), which the prompts need")


def _of_count(count: int) -> Iterator[Flaw]:
    if count > MAX_STATEMENTS:
        yield Flaw("too_many_statements", f"{count} statements; only the {MAX_STATEMENTS} newest were read")


def _dissolved(subject: Item, offices: Sequence[Item]) -> PartialDate | None:
    """Since when there is nobody to ask about: the subject's end, or that of its last office."""
    ends = [subject.dissolved] if subject.dissolved else []
    office_ends = [office.dissolved for office in offices if office.dissolved]
    if offices and len(office_ends) == len(offices):
        ends.append(max(office_ends, key=_by_day))
    return min(ends, key=_by_day, default=None)


def _by_day(day: PartialDate) -> tuple[int, int]:
    return day.first, day.last


def _read(
    statement: Statement, property_id: str, known: Known, languages: Sequence[str]
) -> tuple[Value | None, list[Flaw]]:
    """The statement's value, or the flaw for which it was left out; neither for a side team."""
    if statement.value is None:
        return None, _no_name(statement)
    value = known.resolved(statement.value)
    item = known.item(value)
    if is_misplaced(property_id, item.kinds):
        wanted = "person" if property_id in kinds.OF_PERSONS else "team"
        text = f"{_named(value, item.label)} is no {wanted} but {_kind(item, known)}"
        return None, [_left_out("wrong_kind", text, item.label or value, statement, value)]
    if property_id in kinds.OF_TEAMS and _is_side_team(item, known):
        return None, []
    if item.label is None:
        text = f"{value} has no label in {', '.join(languages)}"
        return None, [_left_out("missing_label", text, value, statement, value)]
    flaws = [Flaw(kind, f"{item.label} {text}") for kind, text in statement.notes]
    return Value(item.label, item.aliases, (statement.interval,), statement.rank, value), flaws


def is_misplaced(property_id: str, of_value: Sequence[str]) -> bool:
    """Whether a value of these kinds stands where a person should, or a person where a team should.

    One of no kind is given the benefit of the doubt.
    """
    if property_id in kinds.OF_TEAMS:
        return kinds.HUMAN in of_value
    return property_id in kinds.OF_PERSONS and bool(of_value) and kinds.HUMAN not in of_value


def _no_name(statement: Statement) -> list[Flaw]:
    """What a statement without an item says: that somebody unknown, or nobody, holds it."""
    when = _when(statement.interval)
    if statement.nature == "unknown":
        return [_left_out("unknown_value", f"the value {when} is unknown", "unknown", statement)]
    if statement.nature == "nobody":
        return [_left_out("no_value", f"there is no value {when}", "no value", statement)]
    return []


def _left_out(kind: FlawKind, text: str, label: str, statement: Statement, value: str | None = None) -> Flaw:
    return Flaw(kind, text, Value(label, (), (statement.interval,), statement.rank, value))


def _when(interval: ValidityInterval) -> str:
    start = f"since {interval.start}" if interval.start else "since an unknown date"
    if interval.is_open:
        return start
    return f"{start} until {interval.end or 'an unknown date'}"


def _named(item: str, label: str | None) -> str:
    return f"{label} ({item})" if label else item


def _kind(item: Item, known: Known) -> str:
    labels = known.labels.get(item.kinds[0])
    return _named(item.kinds[0], labels[0] if labels else None)


def _is_side_team(item: Item, known: Known) -> bool:
    labels = [label for kind in item.kinds for label in known.labels.get(kind, ())]
    return kinds.is_side_team(labels, {c for kind in item.kinds for c in known.classes.get(kind, ())})
