"""What changed in the world, facts and numbers in one list, and whom that outdated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from freshness.app.pages.looking import Look, Slice
from freshness.changes import Effect, Event, SeriesEvent
from freshness.report.text import clean
from freshness.series import is_country
from freshness.store.series_events import SeriesEventGroup

YEARS: Final = 3
"""So many of a series' newest years are told."""


@dataclass(frozen=True, slots=True)
class Named:
    """A subject: its item (of a series its code) and the name that we ask with."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Outdating:
    """A model that a change made outdated, the value that it had named, and in how many answers."""

    model: str
    said: str
    answers: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A model of which so many answers are judged differently since, all in this way; ``said``: one."""

    model: str
    said: str
    before: str
    after: str
    answers: int


@dataclass(frozen=True, slots=True)
class Edition:
    """What an edition of an indicator told of ``series`` countries and aggregates, ``values`` numbers in all.

    ``vintages``: labels of the edition before and of this one.
    """

    indicator: str
    vintages: tuple[str, str]
    series: int
    values: int


@dataclass(frozen=True, slots=True)
class Change:
    """One event of a fact, or all of a kind that an edition told of an indicator's series.

    Of a fact as in ``changes --format json``, with the fact's id. Of numbers ``fact`` is None, ``edition``
    says how many series there are, and subject, ``before`` and ``after`` are of one of them: a country's
    where there is one, and one by which most answers are judged differently.
    """

    seen_at: datetime
    kind: str
    fact: str | None
    group: str
    subject: Named
    property: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    newly_outdated: tuple[Outdating, ...]
    judged_differently: tuple[Moved, ...]
    edition: Edition | None = None


def changes(look: Look, since: datetime | None = None, offset: int = 0, limit: int = 50) -> Slice[Change]:
    """What happened to facts and to numbers, the newest first."""
    most = offset + limit + 1
    found: list[Event | SeriesEventGroup] = [*look.store.events(since, limit=most)]
    found += look.store.series_event_groups(since, most)
    newest_first = sorted(found, key=lambda one: one.seen_at, reverse=True)
    shown = Slice.of_beginning(newest_first[:most], offset, limit)
    told = tuple(change_of(one) if isinstance(one, Event) else _edition_of(look, one) for one in shown.items)
    return Slice(told, offset, limit, shown.more)


def change_of(event: Event) -> Change:
    """A fact's event as pages and API show it."""
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
        _outdated(event.effects),
        _moved(event.effects),
    )


def _edition_of(look: Look, group: SeriesEventGroup) -> Change:
    events = look.store.grouped_series_events(group)
    shown = max(events, key=_weight)
    effects = [effect for event in events for effect in event.effects]
    before, after = (clean(label) for label in shown.vintages)
    return Change(
        group.seen_at,
        group.kind,
        None,
        shown.category,
        Named(clean(shown.code or shown.entity), clean(shown.entity)),
        group.indicator,
        tuple(clean(text) for text in shown.before[-YEARS:]),
        tuple(clean(text) for text in shown.after[-YEARS:]),
        _outdated(effects),
        _moved(effects),
        Edition(group.indicator, (before, after), len(events), sum(event.differing for event in events)),
    )


def _weight(event: SeriesEvent) -> tuple[bool, int, int]:
    return is_country(event.code), len(event.effects), event.differing


def _outdated(effects: Iterable[Effect]) -> tuple[Outdating, ...]:
    """One for each model."""
    said: dict[str, list[str]] = {}
    for effect in effects:
        if effect.newly_outdated:
            said.setdefault(effect.model, []).append(effect.said)
    return tuple(Outdating(model, clean(told[0]), len(told)) for model, told in said.items())


def _moved(effects: Sequence[Effect]) -> tuple[Moved, ...]:
    """One for each model and way in which its answers are judged differently."""
    said: dict[tuple[str, str, str], list[str]] = {}
    for effect in effects:
        if not effect.newly_outdated:
            how = effect.model, str(effect.before), str(effect.after)
            said.setdefault(how, []).append(effect.said)
    return tuple(Moved(how[0], clean(told[0]), *how[1:], len(told)) for how, told in said.items())
