"""The judge of choices: the option a reader takes an answer to mean, and what holds of any text."""

import json
from pathlib import Path

import pytest

from freshness.grading.choices import judge_choice

LINES = (Path(__file__).parent / "data" / "choices.jsonl").read_text(encoding="utf-8").split("\n")
CASES = [json.loads(line) for line in LINES if line]
LIFE = ("80.4 years", "81.9 years", "83.1 years", "78.7 years")


def judged(case):
    return judge_choice(
        case["answer"],
        case["options"],
        case["key"],
        unit=case["unit"],
        question=case["question"],
        cut_off=case.get("cut_off", False),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_answer_chooses_what_a_careful_reader_takes_it_to_mean(case):
    judgement = judged(case)

    chosen = judgement.matched[:3] if judgement.matched else None
    assert (chosen, str(judgement.verdict)) == (case["chosen"], case["verdict"]), (case["answer"], judgement)
