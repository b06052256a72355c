"""Dating a model's training data: from observation files, and from judged answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from freshness.files import read_records
from freshness.history import KnownYears, Trial, by_question, judgement_of, outcomes
from freshness.questions import NumericKey, Question
from freshness.verdicts import Verdict
from freshness.window import (
    FiveNumbers,
    Observation,
    WindowEstimate,
    answered,
    asked_years,
    estimate,
    five_numbers,
    known_window,
    observations_from,
    validity_starts,
)


@dataclass(frozen=True, slots=True)
class Dating:
    """DyKnow's box (None where nothing was named), and the estimate of where training data ends.

    ``known_years``: the newest year known of each indicator that was asked about.
    """

    starts: FiveNumbers | None
    window: WindowEstimate
    known_years: Mapping[str, KnownYears] = field(default_factory=dict)


def estimate_files(paths: Iterable[str]) -> dict[str, WindowEstimate]:
    """One estimate a model, in order of first mention; raises ``UsageError`` with every malformed line."""
    models: dict[str, list[Observation]] = defaultdict(list)
    for name, observation in read_records(paths, Observation.from_json):
        models[name].append(observation)
    return {name: estimate(observations) for name, observations in models.items()}


def date_answers(questions: Iterable[Question], trials: Iterable[Trial]) -> Dating:
    """What one model's judged answers tell of its training data.

    Those about numbers by ``window.known_years``, alone; there are no dates of facts in a run with them.
    """
    asked = list(questions)
    if any(question.numeric for question in asked):
        return _date_numbers(asked, trials)
    said = by_question(trials)
    found = [
        answered(question, [trial.judgement for trial in said.get(question.id, [])]) for question in asked
    ]
    until = max((question.as_of for question in asked), default=None)
    return Dating(five_numbers(validity_starts(found)), estimate(observations_from(found), until))


def _date_numbers(questions: Sequence[Question], trials: Iterable[Trial]) -> Dating:
    best = outcomes(trials)
    answers = [
        (question.numeric, _exact(question.numeric, best[question.id]))
        for question in questions
        if question.numeric and question.id in best
    ]
    found = known_window(asked_years(answers), max(question.as_of for question in questions))
    return Dating(None, found.window, found.years)


def _exact(key: NumericKey, trial: Trial) -> bool:
    """Whether the answer is right; an open one that is a few percent off may be an older year's."""
    judgement = judgement_of(trial)
    right = judgement.verdict is Verdict.CORRECT
    return right and (bool(key.options) or judgement.rule == "within_1_percent")
