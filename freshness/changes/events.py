"""Changes (another holder) and revisions (a correction of an older interval), and whom they outdate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from freshness.facts import Fact, ValidityInterval, Value
from freshness.grading.timeline import build
from freshness.quality import values_on_record
from freshness.verdicts import Verdict

Kind = Literal["change", "revision"]


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
    on. ``revision``: the same hold it, but the record of a term is another. ``was`` and ``now``: the labels
    that held and hold for a change, the terms that differ for a revision. ``seen_at``: when we saw it.
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
        moved = [effect for effect in self.effects if not effect.newly_outdated]
        return {
            "seen_at": self.seen_at.isoformat(),
            "kind": self.kind,
            "group": self.after.group,
            "subject": {"id": subject.id, "name": subject.name},
            "property": self.after.property,
            "before": list(self.was),
            "after": list(self.now),
            "newly_outdated": [
                {"model": effect.model, "said": effect.said}
                for effect in self.effects
                if effect.newly_outdated
            ],
            "judged_differently": [
                {
                    "model": effect.model,
                    "said": effect.said,
                    "before": str(effect.before),
                    "after": str(effect.after),
                }
                for effect in moved
            ],
        }


def compare(before: Fact, then: date, after: Fact, now: date, seen_at: datetime) -> Event | None:
    """What happened to a fact between two looks at it; None where nothing did.

    Held against each other: who held it on the day ``then`` by the record of that day, and who holds it
    ``now`` by the record of now. Another name, alias or order of the same is no event.
    """
    held, holds = _holding(before, then), _holding(after, now)
    if held.keys() != holds.keys():
        return Event("change", seen_at, before, after, tuple(held.values()), tuple(holds.values()))
    was, is_now = _terms(before), _terms(after)
    if was.keys() == is_now.keys():
        return None
    gone = tuple(text for key, text in was.items() if key not in is_now)
    come = tuple(text for key, text in is_now.items() if key not in was)
    return Event("revision", seen_at, before, after, gone, come)


def key_of(value: Value) -> str:
    """What makes it the same value: its item, where it has one."""
    return value.id or value.label


def holding(fact: Fact, day: date) -> frozenset[str]:
    """Keys of the values that hold on that day, also of those that were left out because of a flaw."""
    return frozenset(_holding(fact, day))


def _holding(fact: Fact, day: date) -> dict[str, str]:
    values = values_on_record(fact)
    current = build(values, fact.holders).current(day.toordinal())
    return {key_of(values[index]): _name(values[index], fact) for index in sorted(current)}


def _name(value: Value, fact: Fact) -> str:
    """A value that was left out has no name of its own, only an item's id or none at all."""
    if value in fact.values:
        return value.label
    kind = next((flaw.kind for flaw in fact.flaws if flaw.value == value), "left out")
    return f"{value.label} ({kind.replace('_', ' ')})"


def terms(fact: Fact) -> frozenset[tuple[str, ...]]:
    """All that the record says of who held it when: two facts with the same terms tell the same."""
    return frozenset(_terms(fact))


def _terms(fact: Fact) -> dict[tuple[str, ...], str]:
    told = {key: text for value in values_on_record(fact) for key, text in _value_terms(value, fact)}
    if fact.dissolved:
        told["dissolved", str(fact.dissolved)] = f"dissolved on {fact.dissolved}"
    return told


def _value_terms(value: Value, fact: Fact) -> Iterator[tuple[tuple[str, ...], str]]:
    for interval in value.intervals:
        rank = "" if value.rank == "normal" else f", {value.rank}"
        span = interval_text(interval)
        yield (key_of(value), span, rank), f"{_name(value, fact)} {span}{rank}"


def interval_text(interval: ValidityInterval) -> str:
    """``2021-02-13 to 2022-10-22``; ``?`` for an unknown start."""
    told = interval.to_json()
    end = {None: "now", "unknown": "an unknown date"}.get(told["end"], told["end"])
    return f"{told['start'] or '?'} to {end}"


def newly_outdated(events: Iterable[Event]) -> dict[str, int]:
    """How many facts these events made outdated, by model."""
    counts: dict[str, int] = {}
    for event in events:
        for model in {effect.model for effect in event.effects if effect.newly_outdated}:
            counts[model] = counts.get(model, 0) + 1
    return counts
