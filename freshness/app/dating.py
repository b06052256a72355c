"""Dating a model's training data: from observation files, and from judged answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from freshness.files import read_records
from freshness.history import Trial, by_question
from freshness.questions import Question
from freshness.window import (
    FiveNumbers,
    Observation,
    WindowEstimate,
    answered,
    estimate,
    five_numbers,
    observations_from,
    validity_starts,
)


@dataclass(frozen=True, slots=True)
class Dating:
    """DyKnow's box (None where nothing was named), and the estimate of where training data ends."""

    starts: FiveNumbers | None
    window: WindowEstimate


def estimate_files(paths: Iterable[str]) -> dict[str, WindowEstimate]:
    """One estimate a model, in order of first mention; raises ``UsageError`` with every malformed line."""
    models: dict[str, list[Observation]] = defaultdict(list)
    for name, observation in read_records(paths, Observation.from_json):
        models[name].append(observation)
    return {name: estimate(observations) for name, observations in models.items()}


def date_answers(questions: Iterable[Question], trials: Iterable[Trial]) -> Dating:
    """What one model's judged answers tell of its training data."""
    said = by_question(trials)
    asked = list(questions)
    found = [
        answered(question, [trial.judgement for trial in said.get(question.id, [])]) for question in asked
    ]
    until = max((question.as_of for question in asked), default=None)
    return Dating(five_numbers(validity_starts(found)), estimate(observations_from(found), until))
