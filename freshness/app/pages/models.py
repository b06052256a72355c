"""One model: how it stands, run by run, and every fact that it is behind on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from freshness.app.judging import current
from freshness.app.pages.excerpts import Excerpt, Number, excerpt_of, number, right
from freshness.app.pages.fleet import Standing, brief, brief_standing, whole_standings
from freshness.app.pages.looking import Look
from freshness.app.pages.numbers import Numbers, Shares, average, numbers
from freshness.history import (
    ModelEvent,
    OutdatedFact,
    Run,
    Summary,
    by_question,
    judgement_of,
    outdated_facts,
)
from freshness.report.text import clean, clean_end
from freshness.window import answered, five_numbers, validity_starts

HISTORY: Final = 100
"""So many runs are shown."""


@dataclass(frozen=True, slots=True)
class Outdated:
    """A fact that the model is behind on: what it said, since when that is untrue, what is true now."""

    fact: str
    group: str
    question: str
    said: str
    since: str | None
    lag_days: int | None
    lag_values: int | None
    now: tuple[str, ...]
    answer: Excerpt
    rule: str
    number: Number | None = None


@dataclass(frozen=True, slots=True)
class Starts:
    """When what it answered became true: five numbers, each ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``."""

    minimum: str
    q1: str
    median: str
    q3: str
    maximum: str


@dataclass(frozen=True, slots=True)
class ModelPage:
    """``history``: its runs, the newest first; ``events``: what suggests that another model answers now.

    ``numbers``: what it knows of numbers, by the newest run of a suite that asks about them; ``shares``: by
    run, the mean of all kinds of questions about numbers.
    """

    standing: Standing
    suites: tuple[str, ...]
    history: tuple[Summary, ...]
    events: tuple[ModelEvent, ...]
    starts: Starts | None
    outdated: tuple[Outdated, ...]
    numbers: Numbers | None
    shares: Mapping[str, Shares]


def model(look: Look, name: str, suite: str | None = None) -> ModelPage | None:
    """A model's page, by default of its first suite; None where nobody registered or asked it so."""
    mine = whole_standings(look, name)
    shown = next((standing for standing in mine if suite in (None, standing.suite)), None)
    if shown is None:
        return None
    history = look.store.summaries(name, shown.suite, limit=HISTORY)
    newest = look.store.run(shown.newest.run) if shown.newest else None
    means = {run.run: average(run.choices) for run in history if run.choices}
    return ModelPage(
        brief_standing(shown),
        tuple(standing.suite for standing in mine),
        tuple(brief(run) for run in history),
        tuple(look.store.model_events(name, limit=HISTORY)),
        _starts(newest) if newest else None,
        _outdated(newest) if newest else (),
        numbers(shown.newest),
        {run: mean for run, mean in means.items() if mean},
    )


def _starts(run: Run) -> Starts | None:
    said = by_question(run.trials)
    found = [answered(asked, [t.judgement for t in said.get(asked.id, [])]) for asked in run.questions]
    five = five_numbers(validity_starts(found))
    if five is None:
        return None
    return Starts(*(str(day) for day in (five.minimum, five.q1, five.median, five.q3, five.maximum)))


def _outdated(run: Run) -> tuple[Outdated, ...]:
    return tuple(_behind(fact) for fact in outdated_facts(run.questions, run.sample, current))


def _behind(fact: OutdatedFact) -> Outdated:
    judgement = judgement_of(fact.trial)
    return Outdated(
        fact.question.fact,
        fact.question.group,
        clean_end(fact.asked, 200),
        clean(fact.said),
        str(fact.since) if fact.since else None,
        judgement.lag_days,
        judgement.lag_values,
        (right(key),) if (key := fact.question.numeric) else tuple(clean(label) for label in fact.now),
        excerpt_of(fact.trial),
        judgement.rule,
        number(key, None) if key else None,
    )
