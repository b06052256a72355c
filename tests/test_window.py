import json
import random
import subprocess
import sys
from collections import defaultdict
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from freshness.facts import PartialDate, Rank, ValidityInterval, Value, merge_terms, value_from_json
from freshness.grading import judge
from freshness.questions import Prompt, Question
from freshness.verdicts import Judgement, Verdict
from freshness.window import (
    Answered,
    Observation,
    answered,
    bounds,
    estimate,
    five_numbers,
    observations_from,
    validity_starts,
)
from freshness.window.months import month_of, months

START = 2020 * 12


def value(label, *terms, rank=Rank.NORMAL):
    intervals = tuple(ValidityInterval.from_json(start, end) for start, end in terms)
    return Value(label, (), intervals, rank)


def asked(values, *matched, as_of="2024-01-01", holders="one"):
    return Answered(tuple(values), date.fromisoformat(as_of), matched, holders)


def told(observations):
    return [(str(o.date), o.known, round(o.weight, 3)) for o in observations]


def dated(position):
    year, month = divmod(position, 12)
    return PartialDate(int(year), int(month) + 1, min(28, int(month % 1 * 31) + 1))


def model(cutoff, *, n=300, span=48, half=3.0, shape=2.0, plateau=0.95, floor=0.01, seed=1):
    """Dated observations of a model whose training data ends ``cutoff`` months after the range's start."""
    rng = np.random.default_rng(seed)
    at = np.sort(rng.uniform(0, span, n))
    odds = (np.maximum(cutoff - at, 0) / half) ** shape
    known = rng.random(n) < floor + (plateau - floor) * odds / (1 + odds)
    return [Observation(dated(START + t), bool(k)) for t, k in zip(at, known, strict=True)]


def each_month(known, years=2, first=2020):
    return [
        Observation(PartialDate(first + n // 12, n % 12 + 1, day), known(n))
        for n in range(12 * years)
        for day in (5, 20)
    ]


def off(found, cutoff):
    return months(found.cutoff.estimate) - (START + cutoff)


SCHOLZ = value("Olaf Scholz", ("2021-12-08", "2025-05-06"))
MERKEL = value("Angela Merkel", ("2005-11-22", "2021-12-08"))
TRUMP = value("Donald Trump", ("2017-01-20", "2021-01-20"), ("2025-01-20", None))


# --- hard bounds


def test_bounds_run_from_the_latest_start_to_the_earliest_end():
    putin = value("Vladimir Putin", ("2012-05-07", None))
    johnson = value("Boris Johnson", ("2019-07-24", "2022-09-06"))
    found = bounds([putin, SCHOLZ, johnson], minimum_facts=3).to_json()
    assert found == {
        "window": ["2021-12-08", "2022-09-06"],
        "facts": 3,
        "ambiguous_facts": [],
        "status": "bounded",
    }


def test_a_value_that_returned_sets_no_bound_and_is_named():
    found = bounds([TRUMP, SCHOLZ], minimum_facts=1)
    assert found.to_json()["window"] == ["2021-12-08", "2025-05-06"]
    assert (found.facts, found.ambiguous) == (1, ("Donald Trump",))


def test_bounds_from_few_facts_say_so():
    found = bounds([SCHOLZ])
    assert (found.facts, found.status) == (1, "low_confidence")


def test_bounds_that_cross_say_so():
    assert bounds([SCHOLZ, MERKEL, value("Rishi Sunak", ("2022-10-25", None))], 1).status == "crossed"


def test_bounds_of_nothing_are_open():
    found = bounds([])
    assert (found.lower, found.upper, found.status) == (None, None, "low_confidence")


def test_deprecated_values_set_no_bound():
    assert bounds([value("X", ("2022", "2023"), rank=Rank.DEPRECATED)]).facts == 0


@needs_shared
def test_shared_cases_of_bounds():
    lines = (SHARED / "cases/training_window.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    for line in lines:
        case = json.loads(line)
        matched = [_case_value(raw) for raw in case["input"]["matched"]]
        found = bounds(matched, case["input"].get("minimum_facts", 1)).to_json()
        expected = case["expected"]
        assert found["window"] == expected.get(
            "window", [found["window"][0], expected.get("window_upper")]
        ), case["id"]
        for key in {"ambiguous_facts", "status", "facts"} & set(expected):
            assert found[key] == expected[key], case["id"]


def _case_value(raw):
    spans = raw.get("intervals", [[raw.get("start"), raw.get("end")]])
    return value(raw["label"], *map(tuple, spans))


# --- DyKnow's five numbers


def test_five_numbers_of_starts():
    years = [PartialDate.parse(text) for text in ("2010-03", "2012-03", "2014-03", "2016-03", "2018-03")]
    assert five_numbers(years).to_json() == {
        "n": 5,
        "minimum": "2010-03",
        "q1": "2012-03",
        "median": "2014-03",
        "q3": "2016-03",
        "maximum": "2018-03",
    }


def test_a_year_counts_as_its_middle_not_as_january():
    assert str(five_numbers([PartialDate(2015)]).median) == "2015-07"


def test_no_dates_have_no_five_numbers():
    assert five_numbers([]) is None


def test_starts_count_once_a_prompt_and_leave_out_unknown_and_returning_values():
    unknown = value("Old One", (None, "2005-11-22"))
    questions = [
        asked([MERKEL, SCHOLZ], "Olaf Scholz", "Olaf Scholz", "Angela Merkel"),
        asked([unknown, MERKEL], "Old One"),
        asked([value("Astana", ("1998-05-06", "2019-03-23"), ("2022-09-17", None))], "Astana"),
    ]
    assert [str(day) for day in validity_starts(questions)] == ["2021-12-08", "2021-12-08", "2005-11-22"]


# --- from judged answers to evidence


def test_a_named_value_shows_its_start_known_and_its_end_not():
    assert told(observations_from([asked([MERKEL, SCHOLZ], "Angela Merkel")])) == [
        ("2005-11-22", True, 1.0),
        ("2021-12-08", False, 1.0),
    ]


def test_an_end_after_the_date_asked_about_is_no_evidence():
    assert told(observations_from([asked([MERKEL, SCHOLZ], "Olaf Scholz")])) == [("2021-12-08", True, 1.0)]


def test_prompts_of_one_question_share_one_weight():
    found = told(observations_from([asked([MERKEL, SCHOLZ], "Olaf Scholz", "Angela Merkel", "Olaf Scholz")]))
    assert found == [
        ("2021-12-08", True, 0.667),
        ("2005-11-22", True, 0.333),
        ("2021-12-08", False, 0.333),
    ]


def test_a_returning_value_is_no_evidence():
    assert observations_from([asked([TRUMP], "Donald Trump", as_of="2025-06-01")]) == []


def test_a_second_term_that_had_not_begun_leaves_the_first_one_clear():
    found = told(observations_from([asked([TRUMP], "Donald Trump")]))
    assert found == [("2017-01-20", True, 1.0), ("2021-01-20", False, 1.0)]


def test_terms_that_follow_on_each_other_are_one_stretch():
    club = value("Paris", ("2017", "2018"), ("2018", "2024-06-30"))
    assert told(observations_from([asked([club], "Paris", as_of="2025-01-01", holders="many")])) == [
        ("2017", True, 1.0),
        ("2024-06-30", False, 1.0),
    ]


def test_a_term_nobody_closed_ends_with_the_next_one():
    forgotten = value("First", ("2010-01-01", None))
    follower = value("Second", ("2015-05-05", None))
    assert told(observations_from([asked([forgotten, follower], "First")])) == [
        ("2010-01-01", True, 1.0),
        ("2015-05-05", False, 1.0),
    ]


def test_a_year_is_narrowed_by_the_neighbour_that_knows_the_day():
    rough = value("Rough", ("2018", None))
    exact = value("Exact", ("2010-02-01", "2018-09-30"))
    assert told(observations_from([asked([rough, exact], "Rough")])) == [("2018-09-30", True, 1.0)]


def test_a_rough_year_without_neighbours_stays_a_year():
    assert told(observations_from([asked([value("Rough", ("2018", None))], "Rough")])) == [
        ("2018", True, 1.0)
    ]


def test_unknown_bounds_and_values_still_to_come_are_no_evidence():
    ended = value("Ended", (None, "unknown"))
    coming = value("Coming", ("2030-01-01", None))
    assert observations_from([asked([ended, coming], "Ended", "Coming", holders="many")]) == []


def test_silence_is_no_evidence():
    assert observations_from([asked([MERKEL, SCHOLZ])]) == []


def test_only_right_and_outdated_answers_count_and_never_what_a_model_says_of_itself():
    prompt = Prompt("q/p1", "p1", "Who is the head?", "The head is")
    question = Question("q", "current", "g", "f", (prompt,), date(2024, 1, 1), (MERKEL, SCHOLZ))
    judgements = [
        Judgement(Verdict.CORRECT, "name", "Olaf Scholz"),
        Judgement(Verdict.OUTDATED, "name", "Angela Merkel"),
        Judgement(Verdict.IRRELEVANT, "no name", None, "My knowledge cutoff is October 2024."),
        Judgement(Verdict.REFUSED, "refusal"),
        None,
    ]
    assert answered(question, judgements).matched == ("Olaf Scholz", "Angela Merkel")


# --- reading observation lines


def test_an_observation_line_is_read_and_other_keys_ignored():
    raw = {"model": "m", "date": "2024-05", "known": True, "answer": "right"}
    assert Observation.from_json(raw) == ("m", Observation(PartialDate(2024, 5), True))


@pytest.mark.parametrize(
    ("key", "bad"),
    [
        ("model", None),
        ("model", "  "),
        ("model", 3),
        ("date", None),
        ("date", 2024),
        ("date", "May 2024"),
        ("date", "2024-13"),
        ("known", None),
        ("known", "yes"),
        ("known", 1),
    ],
)
def test_a_bad_line_is_refused_by_key(key, bad):
    raw = {"model": "m", "date": "2024-05", "known": True, key: bad}
    with pytest.raises(ValueError, match=f"^{key}\\b"):
        Observation.from_json(raw)


def test_all_that_is_wrong_with_a_line_is_told():
    with pytest.raises(ValueError, match=r"^model is missing; date is missing; known must be true or"):
        Observation.from_json({"known": 1})


def test_a_huge_wrong_value_gives_a_short_message():
    with pytest.raises(ValueError, match="known") as caught:
        Observation.from_json({"model": "m", "date": "2024", "known": "x" * 10_000})
    assert len(str(caught.value)) < 120


# --- the estimate


@pytest.mark.parametrize("cutoff", [10, 24, 38])
@pytest.mark.parametrize("half", [0.7, 3.0, 6.0])
def test_a_cutoff_is_found_whether_knowledge_falls_steeply_or_slowly(cutoff, half):
    found = estimate(model(cutoff, half=half))
    assert found.status == "estimated"
    assert abs(off(found, cutoff)) <= 4
    assert months(found.cutoff.low) - 1 <= START + cutoff <= months(found.cutoff.high) + 1


def test_a_sharp_fall_gives_a_narrow_interval_and_a_slow_one_a_wide_one():
    sharp, slow = (estimate(model(30, half=half, n=600)).cutoff for half in (0.5, 8.0))
    assert months(sharp.high) - months(sharp.low) < months(slow.high) - months(slow.low)


def test_guesses_after_the_cutoff_move_it_little():
    assert abs(off(estimate(model(24, floor=0.12)), 24)) <= 4


def test_a_weak_model_that_knows_half_has_a_cutoff_too():
    found = estimate(model(24, plateau=0.5, half=1.5))
    assert found.status == "estimated"
    assert abs(off(found, 24)) <= 4


def test_one_lucky_guess_long_after_is_not_the_cutoff():
    lucky = [*model(20, half=1, floor=0), Observation(PartialDate(2023, 11, 3), True)]
    assert abs(off(estimate(lucky), 20)) <= 4


def test_a_model_that_knows_all_has_its_cutoff_after_the_range():
    found = estimate(each_month(lambda n: True))
    assert found.status == "after_range"
    assert str(found.cutoff.low) >= "2021-12"
    assert found.window == (PartialDate(2020, 3), PartialDate(2021, 10))


def test_a_model_whose_fall_has_only_begun_has_its_cutoff_after_the_range():
    assert estimate(model(50, half=5, shape=1.5, n=500)).status == "after_range"


def test_a_model_that_knows_nothing_has_its_cutoff_before_the_range():
    found = estimate(each_month(lambda n: False))
    assert found.status == "before_range"
    assert str(found.cutoff.high) <= "2020-01"
    assert found.window is None


def test_a_guess_or_two_still_mean_before_the_range():
    assert estimate(each_month(lambda n: n == 15)).status == "before_range"


@pytest.mark.parametrize(
    "known", [lambda n: n >= 10, lambda n: random.Random(n).random() < n / 24], ids=["step", "slope"]
)
def test_knowledge_that_rises_with_time_is_inconsistent(known):
    found = estimate(each_month(known))
    assert (found.status, found.cutoff, found.window) == ("inconsistent", None, None)


def test_knowing_every_second_change_to_the_end_shows_no_cutoff():
    half = [Observation(o.date, n % 2 == 0) for n, o in enumerate(each_month(bool, years=8))]
    assert estimate(half).status == "inconsistent"


@pytest.mark.parametrize("n", [0, 1, 9])
def test_too_few_observations_give_no_cutoff(n):
    found = estimate(model(24)[:n])
    assert found.to_json() == {"observations": n, "cutoff": None, "status": "too_few", "window": None}


def test_weights_decide_what_is_too_few():
    light = [Observation(o.date, o.known, 0.01) for o in model(24)]
    assert estimate(light).status == "too_few"


def test_one_month_half_known_tells_nothing():
    mixed = [Observation(PartialDate(2024, 3, day), day % 2 == 0) for day in range(1, 29)]
    assert estimate(mixed).cutoff is None


@pytest.mark.parametrize(("known", "status"), [(True, "after_range"), (False, "before_range")])
def test_one_month_all_alike_lies_on_one_side(known, status):
    month = [Observation(PartialDate(2024, 3), known) for _ in range(20)]
    assert estimate(month).status == status


def test_a_weight_counts_like_copies():
    once = model(24, n=100)
    thrice = estimate([o for o in once for _ in range(3)])
    weighted = estimate([Observation(o.date, o.known, 3.0) for o in once])
    assert weighted.cutoff == thrice.cutoff
    assert (weighted.observations, thrice.observations) == (100, 300)


def test_the_order_of_lines_changes_nothing():
    lines = model(24)
    shuffled = random.Random(3).sample(lines, len(lines))
    assert estimate(shuffled) == estimate(lines)


def test_months_and_years_are_enough_where_days_are_unknown():
    by_month = [Observation(PartialDate(o.date.year, o.date.month), o.known) for o in model(24)]
    by_year = [Observation(PartialDate(o.date.year), o.known) for o in model(24)]
    assert abs(off(estimate(by_month), 24)) <= 3
    rough = estimate(by_year).cutoff
    assert months(rough.low) - 1 <= START + 24 <= months(rough.high) + 1


def test_nothing_after_the_day_of_asking_counts():
    late = [Observation(PartialDate(2031, n % 12 + 1), False) for n in range(50)]
    assert estimate([*model(24), *late], date(2024, 1, 1)) == estimate(model(24), date(2024, 1, 1))


def test_a_cutoff_never_lies_after_the_day_of_asking():
    found = estimate(each_month(lambda n: True), date(2022, 2, 10))
    assert str(found.cutoff.high) <= "2022-02"


@pytest.mark.parametrize("year", [-44, 999_999])
def test_one_absurd_date_does_no_harm(year):
    found = estimate([*model(24), Observation(PartialDate(year), year < 0)])
    assert found.status == "estimated"
    assert abs(off(found, 24)) <= 4


def test_dates_before_the_common_era_are_dates():
    ancient = [Observation(PartialDate(o.date.year - 2400, o.date.month), o.known) for o in model(24)]
    assert str(estimate(ancient).cutoff.estimate).startswith("-037")


def test_a_hundred_thousand_observations_are_not_too_many():
    found = estimate(model(24, n=100_000))
    assert abs(off(found, 24)) <= 1


def test_json_has_the_keys_of_the_interface():
    found = estimate(model(24)).to_json()
    assert list(found) == ["observations", "cutoff", "status", "window"]
    assert list(found["cutoff"]) == ["estimate", "low", "high"]
    assert list(found["window"]) == ["start", "end"]
    assert found["cutoff"]["low"] <= found["cutoff"]["estimate"] <= found["cutoff"]["high"]
    assert "2020-01" <= found["window"]["start"] < found["window"]["end"] <= found["cutoff"]["high"]


def test_the_interval_holds_the_truth_nine_times_in_ten():
    rng = np.random.default_rng(5)
    held = []
    for seed in range(40):
        truth, half = rng.uniform(8, 40), float(np.exp(rng.uniform(np.log(0.5), np.log(6))))
        found = estimate(model(truth, half=half, plateau=rng.uniform(0.5, 0.98), seed=seed, n=200))
        assert found.status == "estimated"
        held.append(months(found.cutoff.low) - 0.5 <= START + truth <= months(found.cutoff.high) + 0.5)
    # Of 40 draws with 0.9 each, fewer than 31 come up once in 200 times.
    assert sum(held) >= 31


DATES = st.builds(PartialDate, st.integers(-3000, 9999), st.none() | st.integers(1, 12))
OBSERVATIONS = st.builds(Observation, DATES, st.booleans(), st.floats(0, 100))


@settings(max_examples=15, deadline=None)
@given(st.lists(OBSERVATIONS, max_size=40), st.none() | st.dates())
def test_any_observations_give_an_ordered_answer(observations, day):
    found = estimate(observations, day)
    if found.cutoff:
        assert months(found.cutoff.low) <= months(found.cutoff.estimate) <= months(found.cutoff.high)
    assert json.loads(json.dumps(found.to_json())) == found.to_json()


@given(st.integers(-3000, 9999), st.integers(1, 12))
def test_a_month_comes_back_from_its_number(year, month):
    assert month_of(months(PartialDate(year, month))) == PartialDate(year, month)


# --- against what vendors declare


def month_number(text):
    return months(PartialDate.parse(text))


def mean_error(found, declared):
    return np.mean(
        [abs(months(found[name].cutoff.estimate) - month_number(day)) for name, day in declared.items()]
    )


@needs_shared
def test_cutoffs_from_public_observations_are_near_the_declared_ones():
    declared = json.loads((SHARED / "cutoff/declared.json").read_text())["observations"]
    found = {}
    for name in declared:
        lines = (SHARED / f"cutoff/observations/{name}.jsonl").read_text().splitlines()
        found[name] = estimate([Observation.from_json(json.loads(line))[1] for line in lines])
    assert found["gpt-4o"].status == "before_range"
    assert mean_error(found, declared) <= 2.5


@needs_shared
@pytest.mark.slow
def test_cutoffs_from_recorded_answers_are_near_the_declared_ones():
    declared = json.loads((SHARED / "cutoff/declared.json").read_text())["recorded_answers"]
    script = [sys.executable, str(SHARED / "dyknow/to_cases.py"), *declared]
    facts = defaultdict(list)
    for line in subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines():
        case = json.loads(line)
        facts[case["model"], case["fact"]].append(case)
    evidence = defaultdict(list)
    for (name, _), cases in facts.items():
        evidence[name].append(_judged(cases))
    found = {name: estimate(observations_from(said), date(2023, 12, 20)) for name, said in evidence.items()}
    assert mean_error(found, declared) <= 8


def _judged(cases):
    values = merge_terms(value_from_json(raw) for raw in cases[0]["values"])
    as_of = date.fromisoformat(cases[0]["as_of"])
    said = [judge(case["answer"], values, as_of, question=case["question"]).matched for case in cases]
    return Answered(values, as_of, tuple(filter(None, said)), None, cases[0]["question"])
