"""The judge of numbers said freely: what a careful reader says, and what it promises of any text."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from freshness.grading.quantities import judge_quantity, label_of, matched_year
from freshness.verdicts import CLAIMS, Verdict

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


SERIES = ((2010, 50.0), (2015, 56.0), (2020, 60.0), (2023, 62.0))


def ask(answer, **options):
    return judge_quantity(answer, SERIES, 2023, **{"unit": "%", **options})


@pytest.mark.parametrize(
    ("answer", "verdict", "rule", "matched"),
    [
        ("62.5", "correct", "within_1_percent", "62 (2023)"),
        ("64", "correct", "within_5_percent", "62 (2023)"),
        ("60", "outdated", "older_year", "60 (2020)"),
        ("59.5", "outdated", "older_year", "60 (2020)"),
        ("61.2", "correct", "within_5_percent", "62 (2023)"),
        ("60.5", "outdated", "older_year", "60 (2020)"),
        ("58", "irrelevant", "another number", None),
        ("40 to 70", "irrelevant", "wide range", None),
        ("over 40", "irrelevant", "only a bound", None),
        ("62 years", "irrelevant", "another unit", None),
        ("nothing", "irrelevant", "no number", None),
        ("58, 60 or 62", "irrelevant", "several numbers", None),
        ("", "unreadable", "empty", None),
        ("no data", "refused", "says it doesn't know", None),
    ],
)
def test_outcomes_are_graded_and_say_why(answer, verdict, rule, matched):
    judgement = ask(answer)

    assert (str(judgement.verdict), judgement.rule, judgement.matched) == (verdict, rule, matched)


def test_an_older_year_says_how_far_behind_it_is():
    judgement = ask("56 percent, as of 2015")

    assert (judgement.lag_values, judgement.lag_days) == (8, 2922)
    assert matched_year(judgement) == 2015
    assert judgement.mention == "56 percent"


def test_an_older_vintage_of_the_same_year_is_named_with_its_date():
    judgement = ask("65.9", older=((2023, 66.0, "2024-05-01"),))

    assert (judgement.verdict, judgement.rule) == (Verdict.OUTDATED, "older_vintage")
    assert judgement.matched == "66 (2023, vintage 2024-05-01)"
    assert (judgement.lag_days, judgement.lag_values, matched_year(judgement)) == (None, None, 2023)


def test_the_nearer_of_an_older_year_and_an_older_vintage_counts():
    older = ((2023, 60.3, "2024-05-01"),)

    assert ask("60", older=older).rule == "older_year"
    assert ask("60.3", older=older).rule == "older_vintage"


def test_the_year_asked_about_wins_where_an_older_one_has_the_same_value():
    judgement = judge_quantity("99%", ((2000, 99.0), (2015, 99.0)), 2015, unit="%")

    assert (judgement.verdict, matched_year(judgement)) == (Verdict.CORRECT, 2015)


def test_the_value_of_a_later_year_is_no_older_one():
    judgement = judge_quantity("56", SERIES, 2010, unit="%")

    assert (judgement.verdict, judgement.rule) == (Verdict.IRRELEVANT, "newer_year")


def test_what_shows_its_digits_is_rounded_right():
    series = ((2018, 1.90), (2019, 1.94))

    assert judge_quantity("1.9", series, 2019).rule == "rounded"
    assert judge_quantity("1.90", series, 2019).rule == "older_year"


@pytest.mark.parametrize(
    ("tolerance", "verdict"), [((0.001, 0.001), "irrelevant"), ((0.01, 0.05), "correct")]
)
def test_tolerances_are_those_asked_for(tolerance, verdict):
    judgement = judge_quantity(
        "83 million", ((2023, 83_456_789.0),), 2023, unit="people", tolerances=tolerance
    )

    assert str(judgement.verdict) == verdict


@pytest.mark.parametrize(("said", "right"), [("0", True), ("0.0", True), ("0.04", True), ("0.06", False)])
def test_zero_is_as_exact_as_the_series_shows(said, right):
    judgement = judge_quantity(said, ((2004, 7.5), (2005, 0.0)), 2005)

    assert (judgement.verdict is Verdict.CORRECT) == right


def test_labels_are_those_of_judgements():
    assert label_of(SERIES, [2023, 1900]) == ["62 (2023)"] == [ask("62").matched]


NUMBERS = st.floats(0.01, 1e12, allow_nan=False).map(lambda value: float(f"{value:.4g}"))


@given(
    NUMBERS,
    st.sampled_from(
        ["{:,.6g}", "{:.10g}", "{:.5e}", "about {:.10g}", "It was {:.10g} in 2023.", "**{:.10g}**"]
    ),
)
def test_the_right_value_is_right_however_it_is_written(value, said):
    judgement = judge_quantity(said.format(value), ((2000, value * 3), (2023, value)), 2023)

    assert judgement.verdict is Verdict.CORRECT


ODD = st.text(alphabet="0123456789.,' -–%$eE×^()\nkmMinofyear", max_size=120)


@given(
    st.one_of(st.text(max_size=200), ODD),
    st.booleans(),
    st.sampled_from(["", "%", "people", "tonnes per hectare"]),
)
def test_every_text_gets_a_verdict_and_a_span_of_its_words(answer, cut_off, unit):
    judgement = ask(answer, unit=unit, cut_off=cut_off, question="What was it in 2023?")

    assert judgement.verdict in CLAIMS
    if judgement.span:
        assert answer[slice(*judgement.span)] == judgement.mention


@pytest.mark.parametrize(
    "series", [(), ((2023, 0.0),), ((2023, float("inf")),), ((-10000, 1e300), (2023, -1e-300))]
)
def test_odd_series_break_nothing(series):
    for answer in ("5", "5 per 0", "5 / 0 ha", "-5", "0", "1e308 to 1e309", "9" * 50, "5 ± 7"):
        assert judge_quantity(answer, series, 2023, unit="%").verdict in CLAIMS


HOSTILE = (
    "9",
    "1,",
    "1 234 ",
    "5% ",
    "in 2015 ",
    "between 1 and ",
    "1. 2\n",
    "1 in 2 ",
    "one hundred and ",
    "1×10^",
    "$5",
    "per ",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_takes_no_longer_than_its_length_asks_for(piece):
    begun = time.process_time()

    ask((piece * 100_000)[:100_000], question="What was it in 2023?")

    # Far from what a slow machine needs, and far below what a pattern that backtracks takes.
    assert time.process_time() - begun < 10


def test_nothing_is_counted_per_nothing():
    for answer in ("3 per 0", "3/0 ha", f"3 per {'9' * 400}", "3 tonnes per 0 hectares"):
        assert ask(answer, unit="tonnes per hectare").verdict in CLAIMS


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("I can't verify that, but it was 83 million.", Verdict.CORRECT),
        ("I'm not sure if this is right, but my best guess is 83 million", Verdict.CORRECT),
        ("I can't say whether it was 83 million.", Verdict.REFUSED),
        ("Sorry, but I can't confirm that it was 83 million.", Verdict.REFUSED),
    ],
)
def test_a_number_behind_a_hedge_and_a_turn_is_said(answer, verdict):
    assert judge_quantity(answer, ((2023, 83e6),), 2023, unit="people").verdict is verdict
