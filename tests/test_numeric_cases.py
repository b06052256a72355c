"""Recorded answers about numbers: lines with a series or with options, read strictly and judged."""

import json
from datetime import date

import pytest
from shared import SHARED, needs_shared

from freshness.app import judging
from freshness.errors import UsageError
from freshness.files import case_from_json, read_cases

SERIES = {
    "question": "What share of people use the internet?",
    "answer": "About 56 percent, as of 2015.",
    "unit": "%",
    "series": [{"year": 2023, "value": 62}, {"year": 2015, "value": 56}],
    "as_of_year": 2023,
}
CHOICE = {
    "question": "What was it in 2011?",
    "answer": "(b)",
    "options": ["80.4 years", "81.9 years"],
    "key": "(b)",
}
CLAIM = {
    "question": "Who is the Prime Minister of Italy?",
    "answer": "Giorgia Meloni",
    "as_of": "2024",
    "values": [{"label": "Giorgia Meloni", "start": "2022-10-22", "end": None}],
}


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / "cases.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        return str(path)

    return write


def test_a_series_is_read_in_order_of_its_years():
    case = case_from_json(SERIES)

    assert case.numeric.values == ((2015, 56.0), (2023, 62.0))
    assert (case.numeric.years, case.numeric.unit, case.tolerances) == ((2023,), "%", (0.01, 0.05))
    assert (case.values, case.as_of) == ((), date.max)


def test_without_a_year_the_newest_is_asked_about_and_a_later_one_means_it_too():
    alone = {key: value for key, value in SERIES.items() if key != "as_of_year"}

    assert case_from_json(alone).numeric.years == (2023,)
    assert case_from_json(SERIES | {"as_of_year": 2025}).numeric.years == (2023,)
    assert case_from_json(SERIES | {"as_of_year": 2016}).numeric.years == (2015,)


@pytest.mark.parametrize("key", ["(b)", "b", "B", "(B)"])
def test_the_key_is_a_letter_with_or_without_brackets(key):
    assert case_from_json(CHOICE | {"key": key}).numeric.answer == "(b)"


FAULTS = {
    "no list": (SERIES | {"series": 5}, "series must be a list, not a number"),
    "empty": (SERIES | {"series": []}, "series must have a value"),
    "no object": (SERIES | {"series": [5]}, "series[0] must be an object with year and value, not a number"),
    "no value": (SERIES | {"series": [{"year": 1}]}, "value is missing in series[0]"),
    "misspelt": (
        SERIES | {"older": [{"year": 1, "value": 2, "vintag": "a"}]},
        "vintage is missing in older[0]",
    ),
    "half a year": (SERIES | {"series": [{"year": 2020.5, "value": 1}]}, "year of series[0] must be a year"),
    "truth": (
        SERIES | {"series": [{"year": 2020, "value": True}]},
        "value of series[0] must be a number, not true",
    ),
    "too large": (SERIES | {"series": [{"year": 2020, "value": 10**400}]}, "value of series[0] is too large"),
    "twice": (SERIES | {"series": [{"year": 1, "value": 2}] * 2}, "series has two values for 1"),
    "too many": (
        SERIES | {"series": [{"year": 1, "value": 2}] * 20_001},
        "series has more than 20000 values",
    ),
    "too early": (SERIES | {"as_of_year": 1999}, "as_of_year 1999 lies before the whole series"),
    "year in words": (
        SERIES | {"as_of_year": "2023"},
        'as_of_year must be a year as a whole number, not "2023"',
    ),
    "tolerance": (SERIES | {"tolerance_rel": 5}, "tolerance_rel must be from 0 to less than 1, not 5"),
    "unit": (SERIES | {"unit": 5}, "unit must be a string, not 5"),
    "day": (SERIES | {"as_of": "soon"}, "as_of: "),
    "both": (SERIES | {"values": []}, "a line has values or series, not both"),
    "no options": (CHOICE | {"options": "a, b"}, "options must be a list of strings, not a string"),
    "one option": (CHOICE | {"options": ["a"]}, "options must be 2 to 26, not 1"),
    "number": (CHOICE | {"options": ["a", 5]}, "options[1] must be a string that is not blank, not 5"),
    "the same": (CHOICE | {"options": ["a", "a"]}, "options has the same text twice"),
    "key": (CHOICE | {"key": "(c)"}, 'key must be a letter from (a) to (b), not "(c)"'),
    "number as key": (CHOICE | {"key": 2}, "key must be a letter from (a) to (b), not 2"),
    "no key": ({key: value for key, value in CHOICE.items() if key != "key"}, "key is missing"),
    "no answer": ({key: value for key, value in CHOICE.items() if key != "answer"}, "answer is missing"),
}


@pytest.mark.parametrize(("line", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_malformed_line_is_told_with_file_line_and_key(write, line, message):
    path = write(CLAIM, line)

    with pytest.raises(UsageError) as raised:
        read_cases([path])
    assert str(raised.value).startswith(f"{path}:2: ")
    assert message in str(raised.value)


def test_lines_of_all_kinds_are_judged_and_printed_back(write):
    claim, number, choice = judging.lines(judging.judge_files([write(CLAIM, SERIES, CHOICE)]))

    assert (claim["verdict"], "matched_year" in claim) == ("correct", False)
    assert (number["verdict"], number["matched"], number["matched_year"]) == ("outdated", "56 (2015)", 2015)
    assert (number["rule"], number["mention"], number["lag_values"]) == ("older_year", "56 percent", 8)
    assert (choice["verdict"], choice["matched"], choice["mention"]) == ("correct", "(b) 81.9 years", "(b)")
    assert number["series"] == SERIES["series"]


def test_an_older_vintage_in_a_line_is_found(write):
    older = [{"year": 2023, "value": 65, "vintage": "2024-05-01"}]

    (line,) = judging.lines(judging.judge_files([write(SERIES | {"answer": "65%", "older": older})]))

    assert (line["verdict"], line["rule"]) == ("outdated", "older_vintage")


def test_verdicts_of_choices_and_of_free_answers_stay_apart(write):
    lines = [
        CLAIM | {"model": "m"},
        SERIES | {"model": "m"},
        CHOICE | {"model": "m"},
        CHOICE | {"model": "n"},
    ]

    models = judging.report(judging.judge_files([write(*lines)])).to_json()["models"]

    assert list(models) == ["m", "m (choices)", "n"]
    assert (models["m"]["questions"], models["m"]["average"]["outdated"]) == (2, 0.5)
    assert models["n"]["average"]["correct"] == 1
    assert set(models["n"]["counts"]["average"]) == {"correct", "incorrect", "not_available"}


def test_only_what_is_said_of_facts_dates_a_model(write):
    numbers = judging.report(judging.judge_files([write(SERIES)])).to_json()["models"]["answers"]
    choices = judging.report(judging.judge_files([write(CHOICE)])).to_json()["models"]["answers"]

    assert numbers["window"]["observations"] == 0
    assert choices["window"] is None


def test_an_outdated_number_is_listed_with_what_it_is_now(write):
    (fact,) = judging.report(judging.judge_files([write(SERIES)])).outdated

    assert (fact.said, fact.since, fact.now) == ("56 (2015)", None, ("62 (2023)",))


@needs_shared
def test_the_public_cases_are_graded_as_lines(write):
    cases = [
        json.loads(line) for line in (SHARED / "cases" / "numeric_matching.jsonl").read_text().splitlines()
    ]

    lines = judging.lines(judging.judge_files([write(*(case["input"] for case in cases))]))

    found = [{"verdict": line["verdict"], "matched_year": line["matched_year"]} for line in lines]
    assert found == [case["expected"] for case in cases]
