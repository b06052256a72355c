"""The facts: who held what when, what is amiss with the record, and what each model says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from freshness.app.pages.changing import Change, Named, change_of
from freshness.app.pages.excerpts import Said, said
from freshness.app.pages.looking import Look, Slice
from freshness.app.world import Known
from freshness.facts import Value
from freshness.history import Run, outcomes
from freshness.quality import State
from freshness.report.text import clean

EVENTS: Final = 200
"""So many of the latest events are looked through for those of one fact."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Half-open, dates in their precision: ``start`` None unknown; ``end`` None open, ``unknown`` ended."""

    start: str | None
    end: str | None


@dataclass(frozen=True, slots=True)
class Holder:
    """One value of a fact with its terms."""

    id: str | None
    label: str
    aliases: tuple[str, ...]
    rank: str
    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """The snapshot that a fact is from."""

    source: str
    taken_at: datetime


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact without its values."""

    fact: str
    group: str
    subject: Named
    property: str
    state: State
    current: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model says of a fact: by the newest run that asked, the verdict of the upper bound first."""

    model: str
    suite: str
    run: str
    asked_at: datetime
    verdict: str | None
    answers: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class FactPage:
    """As ``facts show --format json``, with what models answer and what changed."""

    fact: str
    group: str
    subject: Named
    property: str
    holders: str
    office: str | None
    dissolved: str | None
    state: State
    reasons: tuple[str, ...]
    marks: tuple[str, ...]
    current: tuple[str, ...]
    values: tuple[Holder, ...]
    snapshot: Origin
    first_seen: datetime | None
    last_seen: datetime | None
    link: str | None
    models: tuple[Answers, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which facts: of a state, of a group, with these words in the subject's name, id or a value."""

    state: State | None = None
    group: str | None = None
    words: str = ""

    def takes(self, line: FactLine) -> bool:
        return (
            self.state in (None, line.state)
            and self.group in (None, line.group)
            and all(word in _words(line) for word in self.words.casefold().split())
        )


def _words(line: FactLine) -> str:
    return " ".join((line.subject.name, line.fact, *line.current)).casefold()


def facts(look: Look, wanted: Wanted, offset: int = 0, limit: int = 100) -> Slice[FactLine]:
    """The facts as last observed, in the snapshot's order."""
    lines = (_line(known) for known in look.facts().values())
    return Slice.of([line for line in lines if wanted.takes(line)], offset, limit)


def groups(look: Look) -> tuple[str, ...]:
    """The names of all groups, in order of first mention."""
    return tuple(dict.fromkeys(known.fact.group for known in look.facts().values()))


def fact(look: Look, fact_id: str) -> FactPage | None:
    """A fact by its id (``Q38/P6``); None for one that is not known."""
    known = look.facts().get(fact_id)
    return _page(look, known) if known else None


def _line(known: Known) -> FactLine:
    fact = known.fact
    return FactLine(
        fact.id,
        fact.group,
        _named(known),
        fact.property,
        known.quality.state,
        tuple(clean(label) for label in known.current),
        tuple(clean(reason, 400) for reason in known.quality.reasons),
    )


def _page(look: Look, known: Known) -> FactPage:
    fact, line = known.fact, _line(known)
    return FactPage(
        fact.id,
        fact.group,
        line.subject,
        fact.property,
        fact.holders,
        clean(fact.office) if fact.office else None,
        str(fact.dissolved) if fact.dissolved else None,
        line.state,
        line.reasons,
        tuple(clean(mark, 400) for mark in known.quality.marks),
        line.current,
        tuple(_holder(value) for value in fact.values),
        Origin(known.source, known.taken_at),
        known.seen[0] if known.seen else None,
        known.seen[1] if known.seen else None,
        known.link,
        tuple(_answers(run) for run in look.store.runs_about([fact.id])),
        tuple(change_of(event) for event in look.store.events(limit=EVENTS) if event.after.id == fact.id),
    )


def _named(known: Known) -> Named:
    return Named(known.fact.subject.id, clean(known.fact.subject.name))


def _holder(value: Value) -> Holder:
    spans = [interval.to_json() for interval in value.intervals]
    return Holder(
        value.id,
        clean(value.label),
        tuple(clean(alias) for alias in value.aliases),
        str(value.rank),
        tuple(Interval(span["start"], span["end"]) for span in spans),
    )


def _answers(run: Run) -> Answers:
    best = [trial.judgement for trial in outcomes(run.trials).values() if trial.judgement]
    return Answers(
        run.model,
        run.suite,
        run.id,
        run.started_at,
        str(best[0].verdict) if best else None,
        tuple(said(trial) for trial in run.trials),
    )
