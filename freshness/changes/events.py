"""Changes (another holder) and revisions (a correction of an older interval), and whom they outdate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal, Protocol

from freshness.facts import Fact, ValidityInterval, Value
from freshness.grading.timeline import build
from freshness.quality import values_on_record
from freshness.verdicts import Verdict

Kind = Literal["change", "revision"]

NOT_RENAMED: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Effect:
    """How a model's stored answer is judged by the facts before and after; ``said``: the value it named.

    ``run``: the run that the answer is from. The verdicts are those of the upper bound.
    """

    model: str
    run: str
    said: str
    before: Verdict
    after: Verdict

    @property
    def newly_outdated(self) -> bool:
        return self.before is Verdict.CORRECT and self.after is Verdict.OUTDATED


@dataclass(frozen=True, slots=True)
class Event:
    """What one refresh saw of one fact that the one before did not.

    ``change``: others hold it now than when we last looked, because the record or because the date moved
    on. ``revision``: the record of a term is another than that of who came or went; or a value has other
    names, by which a stored answer is judged differently. ``was`` and ``now``: the labels that held and hold
    for a change, the terms (or names) that differ for a revision. ``seen_at``: when we saw it.
    """

    kind: Kind
    seen_at: datetime
    before: Fact
    after: Fact
    was: tuple[str, ...]
    now: tuple[str, ...]
    effects: tuple[Effect, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One entry of ``changes --format json``."""
        subject = self.after.subject
        return {
            "seen_at": self.seen_at.isoformat(),
            "kind": self.kind,
            "group": self.after.group,
            "subject": {"id": subject.id, "name": subject.name},
            "property": self.after.property,
            "before": list(self.was),
            "after": list(self.now),
            **effects_json(self.effects),
        }


def effects_json(effects: Iterable[Effect]) -> dict[str, list[dict[str, str]]]:
    """What an event did to stored answers, as part of its entry in ``changes --format json``."""
    newly, moved = [], []
    for effect in effects:
        told = {"model": effect.model, "said": effect.said}
        if effect.newly_outdated:
            newly.append(told)
        else:
            moved.append(told | {"before": str(effect.before), "after": str(effect.after)})
    return {"newly_outdated": newly, "judged_differently": moved}


def compare(before: Fact, then: date, after: Fact, now: date, seen_at: datetime) -> list[Event]:
    """What happened to a fact between two looks at it: a change, a revision, both or nothing.

    Held against each other: who held it on the day ``then`` by the record of that day, and who holds it
    ``now`` by the record of now. Another name, alias, item or order of the same is no event.
    """
    renamed = _renamed(before, after)
    held, holds = _holding(before, then, renamed), _holding(after, now)
    moved = held.keys() ^ holds.keys()
    events = []
    if moved:
        events.append(Event("change", seen_at, before, after, tuple(held.values()), tuple(holds.values())))
    # The terms of those who came and went are what the change is about.
    told = {*held, *holds} if moved else set()
    was, is_now = _terms(before, renamed), _terms(after)
    gone = tuple(text for key, text in was.items() if key not in is_now and key[0] not in told)
    come = tuple(text for key, text in is_now.items() if key not in was and key[0] not in told)
    if gone or come:
        events.append(Event("revision", seen_at, before, after, gone, come))
    return events


def renaming(before: Fact, after: Fact, seen_at: datetime) -> Event:
    """The names that differ, as a revision: worth telling where an answer is judged differently by them."""
    was, now = called(before), called(after)
    gone = tuple(_names(names) for key, names in was.items() if now.get(key) != names)
    come = tuple(_names(names) for key, names in now.items() if was.get(key) != names)
    return Event("revision", seen_at, before, after, gone, come)


def _names(names: Sequence[str]) -> str:
    label, *others = names
    return f"{label}, also {', '.join(others)}" if others else label


def called(fact: Fact) -> dict[str, tuple[str, ...]]:
    """What each value is called, by its key."""
    return {key_of(value): (value.label, *value.aliases) for value in fact.values}


def key_of(value: Value) -> str:
    """What makes it the same value: its item, where it has one."""
    return value.id or value.label


def _renamed(before: Fact, after: Fact) -> dict[str, str]:
    """The new keys of values whose item was merged into another, or got one.

    Those with a name in common and a term that began on the same day.
    """
    there, known = called(after), called(before)
    gone = [value for value in before.values if key_of(value) not in there]
    come = [value for value in after.values if key_of(value) not in known]
    return {key_of(old): key_of(new) for old in gone for new in come if _is_same(old, new)}


def _is_same(old: Value, new: Value) -> bool:
    names = {old.label, *old.aliases} & {new.label, *new.aliases}
    return bool(names) and bool({i.start for i in old.intervals} & {i.start for i in new.intervals})


def _holding(fact: Fact, day: date, renamed: Mapping[str, str] = NOT_RENAMED) -> dict[str, str]:
    values = values_on_record(fact)
    current = build(values, fact.holders).current(day.toordinal())
    keys = {index: key_of(values[index]) for index in sorted(current)}
    return {renamed.get(key, key): _name(values[index], fact) for index, key in keys.items()}


def _name(value: Value, fact: Fact) -> str:
    """A value that was left out has no name of its own, only an item's id or none at all."""
    if value in fact.values:
        return value.label
    kind = next((flaw.kind for flaw in fact.flaws if flaw.value == value), "left out")
    return f"{value.label} ({kind.replace('_', ' ')})"


def terms(fact: Fact) -> frozenset[tuple[str, ...]]:
    """All that the record says of who held it when: two facts with the same terms tell the same."""
    return frozenset(_terms(fact))


def _terms(fact: Fact, renamed: Mapping[str, str] = NOT_RENAMED) -> dict[tuple[str, ...], str]:
    on_record = values_on_record(fact)
    told = {key: text for value in on_record for key, text in _value_terms(value, fact, renamed)}
    if fact.dissolved:
        told["dissolved", str(fact.dissolved)] = f"dissolved on {fact.dissolved}"
    return told


def _value_terms(
    value: Value, fact: Fact, renamed: Mapping[str, str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    key = renamed.get(key_of(value), key_of(value))
    for interval in value.intervals:
        rank = "" if value.rank == "normal" else f", {value.rank}"
        span = interval_text(interval)
        yield (key, span, rank), f"{_name(value, fact)} {span}{rank}"


def interval_text(interval: ValidityInterval) -> str:
    """``2021-02-13 to 2022-10-22``; ``?`` for an unknown start."""
    told = interval.to_json()
    end = {None: "now", "unknown": "an unknown date"}.get(told["end"], told["end"])
    return f"{told['start'] or '?'} to {end}"


class Touching(Protocol):
    """Something that happened, with what it did to models' answers."""

    @property
    def effects(self) -> tuple[Effect, ...]: ...


def newly_outdated(events: Iterable[Touching]) -> dict[str, int]:
    """How many facts (or series) these events made outdated, by model."""
    counts: dict[str, int] = {}
    for event in events:
        for model in {effect.model for effect in event.effects if effect.newly_outdated}:
            counts[model] = counts.get(model, 0) + 1
    return counts
