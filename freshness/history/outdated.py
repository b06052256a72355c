"""Which facts are outdated: what the model said, since when that is untrue, and what is true now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from freshness.facts import PartialDate, Value
from freshness.history.records import Trial
from freshness.history.tallies import judgement_of, outcomes
from freshness.questions import Question
from freshness.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class OutdatedFact:
    """One question whose best answer was true once.

    ``said``: label of the value named; ``trial``: the answer with its judgement; ``since``: when the value
    stopped being true, None where nobody recorded it; ``now``: labels that are true on the date asked about.
    """

    question: Question
    trial: Trial
    said: str
    since: PartialDate | None
    now: tuple[str, ...]

    @property
    def asked(self) -> str:
        """The question as a person would put it, whatever style the model was asked in."""
        return self.question.prompts[0].question if self.question.prompts else self.trial.asked

    def to_json(self) -> dict[str, Any]:
        """One entry of ``outdated`` in ``probe --format json``; ``lag_days`` in days, null if unknown."""
        judgement = judgement_of(self.trial)
        return {
            "fact": self.question.fact,
            "group": self.question.group,
            "question": self.asked,
            "said": self.said,
            "mention": judgement.mention,
            "since": str(self.since) if self.since else None,
            "lag_days": judgement.lag_days,
            "lag_values": judgement.lag_values,
            "now": list(self.now),
        }


def outdated_facts(
    questions: Iterable[Question],
    trials: Iterable[Trial],
    current: Callable[[Question], Sequence[str]],
) -> list[OutdatedFact]:
    """The questions that the upper bound counts as outdated, the longest outdated first.

    Joined by question id. ``current`` gives the labels that are true on a question's date (the timeline
    of ``grading``, which this module may not import). Those whose end nobody recorded come last.
    """
    best = outcomes(trials)
    found = [_outdated(q, best[q.id], current) for q in questions if _is_outdated(best.get(q.id))]
    return sorted(found, key=lambda fact: -(judgement_of(fact.trial).lag_days or 0))


def _is_outdated(trial: Trial | None) -> bool:
    return trial is not None and judgement_of(trial).verdict is Verdict.OUTDATED


def _outdated(question: Question, trial: Trial, current: Callable[[Question], Sequence[str]]) -> OutdatedFact:
    judgement = judgement_of(trial)
    said = judgement.matched or judgement.mention or ""
    since = None
    if judgement.lag_days is not None and question.numeric is None:
        since = _since(question.values, said, question.as_of, judgement.lag_days)
    return OutdatedFact(question, trial, said, since, tuple(current(question)))


def _since(values: Sequence[Value], said: str, as_of: date, lag_days: int) -> PartialDate | None:
    """The day that lies the lag before ``as_of``, no more exactly than the record gives it.

    The lag may come from the end of the value's term or, where that is missing or rough, from the start
    of the next one: whichever bound is narrower around that day is the one that was used.
    """
    day = as_of.toordinal() - lag_days
    around = [b for b in (*_ends(values, said), *_starts(values)) if b.first <= day <= b.last]
    if around:
        return min(around, key=lambda bound: bound.last - bound.first)
    return PartialDate.from_date(date.fromordinal(day)) if day > 0 else None


def _ends(values: Sequence[Value], label: str) -> Iterator[PartialDate]:
    for value in values:
        if value.label == label:
            yield from (interval.end for interval in value.intervals if interval.end)


def _starts(values: Sequence[Value]) -> Iterator[PartialDate]:
    for value in values:
        yield from (interval.start for interval in value.intervals if interval.start)
