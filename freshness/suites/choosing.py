"""Who judges answers about numbers: a choice among options, or a number said freely.

Their questions are made in ``suites.numeric``, which brings polars; judging by a question's own key doesn't.
"""

from __future__ import annotations

from dataclasses import dataclass

from freshness.grading.choices import judge_choice
from freshness.grading.quantities import TOLERANCES, judge_quantity
from freshness.questions import Answer, NumericKey, Prompt, Question
from freshness.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class NumericSuite:
    """The ``Suite`` of TempUN's six kinds of multiple choice (section 3)."""

    name: str = "numeric"

    def judge(self, question: Question, prompt: Prompt, answer: Answer) -> Judgement:
        """By the options and the letter that the question carries."""
        return judge_by(_key(question), answer, prompt.question)


@dataclass(frozen=True, slots=True)
class NextWordSuite:
    """The ``Suite`` of TempUN's next-word prompts: beginnings of sentences that end in a number."""

    name: str = "next-word"

    def judge(self, question: Question, prompt: Prompt, answer: Answer) -> Judgement:
        """By the series that the question carries, as its newest vintage and earlier ones gave it."""
        return judge_by(_key(question), answer, prompt.question)


def judge_by(
    key: NumericKey, answer: Answer, question: str, tolerances: tuple[float, float] = TOLERANCES
) -> Judgement:
    """By the key's options where it has any, else by its values; ``tolerances``: see ``judge_quantity``."""
    cut_off = answer.finish == "length"
    if key.options:
        return judge_choice(
            answer.text, key.options, key.answer, unit=key.unit, question=question, cut_off=cut_off
        )
    return judge_quantity(
        answer.text,
        key.values,
        key.years[0],
        unit=key.unit,
        older=key.older,
        tolerances=tolerances,
        question=question,
        cut_off=cut_off,
    )


def _key(question: Question) -> NumericKey:
    if question.numeric is None:
        raise ValueError(f"question {question.id} of suite {question.suite} carries no numeric key")
    return question.numeric
