"""Rows as questions, and questions as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

import polars as pl

from freshness.questions import NumericKey, Prompt, Question
from freshness.series import Chart
from freshness.suites.numeric.generation import LeftOut, generate
from freshness.suites.numeric.options import Options
from freshness.suites.numeric.wording import INSTRUCTION, LETTERS, OPEN_INSTRUCTION

Older = Mapping[str, tuple[tuple[int, float, str], ...]]
"""By series id: ``(year, value, vintage)`` as earlier vintages gave it."""

_NAME: Final = "p1"


def questions(
    charts: Iterable[Chart],
    as_of: date,
    options: Options,
    older: Older | None = None,
    left_out: LeftOut | None = None,
) -> Iterator[Question]:
    """All questions, in the generator's order, each with one prompt in both styles."""
    for frame in generate(charts, as_of, options, left_out):
        yield from of_rows(frame, older)


def of_rows(frame: pl.DataFrame, older: Older | None = None) -> Iterator[Question]:
    """One question for each row of ``generate``."""
    for row in frame.iter_rows(named=True):
        yield _question(row, (older or {}).get(row["fact"], ()))


def question_json(question: Question) -> dict[str, Any]:
    """One line of ``freshness questions``; raises ``ValueError`` for a question about something else."""
    key = question.numeric
    if key is None:
        raise ValueError(f"{question.id} is not about a number")
    value = key.answer_value
    return {
        "id": question.id,
        "suite": question.suite,
        "kind": key.kind,
        "category": key.category,
        "indicator": key.indicator,
        "unit": key.unit,
        "entity": key.entity,
        "code": key.code,
        "years": list(key.years),
        "prompt": _alone(question.prompts[0], key),
        "options": list(key.options),
        "answer": key.answer,
        "answer_value": list(value) if isinstance(value, tuple) else value,
        "values": {str(year): value for year, value in key.values},
        "fact": question.fact,
        "as_of": question.as_of.isoformat(),
    }


def _alone(prompt: Prompt, key: NumericKey) -> str:
    """Without the options, which stand apart."""
    return prompt.question.partition("\n")[0] if key.options else prompt.completion


def _question(row: Mapping[str, Any], older: tuple[tuple[int, float, str], ...]) -> Question:
    key = _key(row, older)
    prompt = _choice(row, key) if key.options else _open(row)
    return Question(
        id=row["id"],
        suite=row["suite"],
        group=row["category"],
        fact=row["fact"],
        prompts=(prompt,),
        as_of=row["as_of"],
        values=(),
        subject=row["entity"],
        numeric=key,
    )


def _key(row: Mapping[str, Any], older: tuple[tuple[int, float, str], ...]) -> NumericKey:
    values = tuple((point["year"], point["value"]) for point in row["values"])
    years = {year for year, _ in values}
    return NumericKey(
        kind=row["kind"],
        category=row["category"],
        indicator=row["indicator"],
        unit=row["unit"],
        entity=row["entity"],
        code=row["code"],
        years=tuple(row["years"]),
        answer_value=_answer_value(row),
        values=values,
        options=tuple(row["options"]),
        answer=row["answer"],
        older=tuple(told for told in older if told[0] in years),
    )


def _answer_value(row: Mapping[str, Any]) -> float | bool | tuple[float, ...]:
    numbers = row["answer_value"]
    if row["kind"] == "comparative":
        return bool(numbers[0])
    return tuple(numbers) if row["kind"] in ("window", "minmax") else numbers[0]


def _choice(row: Mapping[str, Any], key: NumericKey) -> Prompt:
    lines = [f"{letter} {option}" for letter, option in zip(LETTERS, key.options, strict=False)]
    asked = "\n".join([row["prompt"], *lines])
    return Prompt(f"{row['id']}/{_NAME}", _NAME, asked, f"{asked}\nAnswer:", INSTRUCTION)


def _open(row: Mapping[str, Any]) -> Prompt:
    return Prompt(f"{row['id']}/{_NAME}", _NAME, row["question"], row["prompt"], OPEN_INSTRUCTION)
