"""The judge of numbers said freely: what a careful reader says, and what it promises of any text."""

import json
from pathlib import Path

import pytest
from shared import SHARED, needs_shared

from freshness.grading.quantities import judge_quantity, matched_year

LINES = (Path(__file__).parent / "data" / "quantities.jsonl").read_text(encoding="utf-8").split("\n")
CASES = [json.loads(line) for line in LINES if line]


def judged(case):
    tolerance = case.get("tolerance_rel")
    return judge_quantity(
        case["answer"],
        [(entry["year"], entry["value"]) for entry in case["series"]],
        case["as_of_year"],
        unit=case["unit"],
        older=[(entry["year"], entry["value"], entry["vintage"]) for entry in case.get("older", ())],
        tolerances=(tolerance, tolerance) if tolerance else (0.01, 0.05),
        question=case["question"],
        cut_off=case.get("cut_off", False),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_number_is_judged_as_a_careful_reader_would(case):
    judgement = judged(case)

    found = (str(judgement.verdict), matched_year(judgement))
    assert found == (case["verdict"], case["matched_year"]), (case["answer"], judgement)


@needs_shared
def test_all_public_cases_are_judged_right():
    lines = (SHARED / "cases" / "numeric_matching.jsonl").read_text().splitlines()
    wrong = []
    for case in map(json.loads, lines):
        judgement = judged(case["input"])
        found = {"verdict": str(judgement.verdict), "matched_year": matched_year(judgement)}
        if found != case["expected"]:
            wrong.append((case["id"], found))

    assert wrong == []
