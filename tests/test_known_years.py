import math
import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freshness.app.dating import date_answers
from freshness.history import Trial
from freshness.questions import Answer, NumericKey, Prompt, Question
from freshness.verdicts import Judgement, Verdict
from freshness.window import Asked, Status, asked_years, known_window, newest_year_known
from freshness.window.months import months

AS_OF = date(2025, 7, 1)
NEWEST = 2023


def answers(until, knows=0.9, chance=0.25, n=90, carried=(0.3,), seed=1):
    """Answers of a model that knows years up to ``until``, and guesses the others."""
    rng = random.Random(seed)
    found = []
    for number in range(n):
        year = NEWEST - number % 20
        right = rng.random() < (knows if year <= until else chance)
        found.append(Asked(year, chance, right, carried))
    return found


def key(kind, year, values, options=(), answer="", country="FRA", indicator="i"):
    years = (year - 1, year) if kind == "comparative" else (year,)
    return NumericKey(
        kind, "health", indicator, "", country, country, years, 1.0, tuple(values.items()), options, answer
    )


# --- one indicator


@pytest.mark.parametrize("until", [2012, 2016, 2020])
def test_the_newest_year_known_is_found(until):
    found = newest_year_known(answers(until))
    assert (found.status, found.newest, found.questions) == ("estimated", NEWEST, 90)
    assert found.low <= until <= found.high
    assert abs(found.estimate - until) <= 1


def test_knowledge_to_the_end_reaches_the_newest_year():
    found = newest_year_known(answers(NEWEST))
    assert (found.status, found.estimate, found.high) == ("reaches_newest", NEWEST, NEWEST)


def test_guesses_are_no_knowledge():
    found = [newest_year_known(answers(1900, seed=seed)) for seed in range(12)]
    assert sum(one.estimate is not None for one in found) <= 1
    assert [one.status for one in found].count("at_chance") >= 7


def test_declining_everything_is_no_knowledge():
    assert newest_year_known([Asked(2000 + n, 0.25, False) for n in range(24)]).status == "at_chance"


def test_few_answers_tell_nothing():
    assert newest_year_known(answers(2018, n=7)).status == "too_few"


def test_what_can_be_carried_on_tells_nothing_of_its_year():
    found = newest_year_known(answers(NEWEST, knows=1.0, carried=(1.0,)))
    assert found.status == "too_few"


def test_a_fall_to_guesses_shows_that_nothing_was_carried_on():
    found = newest_year_known(answers(2016, carried=(0.95, 0.9, 0.8)))
    assert found.status == "estimated"
    assert found.low <= 2016 <= found.high


def test_answers_about_long_ago_do_not_count():
    old = [Asked(1950 + n, 0.25, True) for n in range(40)]
    assert newest_year_known([*answers(2018), *old]) == newest_year_known(answers(2018))


def test_the_order_of_the_answers_does_not_matter():
    assert newest_year_known(answers(2018)) == newest_year_known(answers(2018)[::-1])


def test_many_answers_take_no_longer_than_some():
    found = newest_year_known(answers(2018, n=60_000))
    assert (found.estimate, found.questions) == (2018, 600)


@settings(max_examples=40)
@given(
    st.lists(
        st.builds(
            Asked,
            st.integers(1700, 2100),
            st.sampled_from([0.0, 0.03, 0.25, 0.5, 1.0]),
            st.booleans(),
            st.lists(st.floats(0, 1), max_size=3).map(tuple),
        ),
        min_size=1,
        max_size=60,
    )
)
def test_whatever_was_answered_the_years_are_in_order(asked):
    found = newest_year_known(asked)
    assert found.newest == max(answer.year for answer in asked)
    if found.estimate is not None:
        assert found.low <= found.estimate <= found.high <= found.newest


# --- several of them


def test_a_thin_indicator_takes_what_the_others_tell_of_the_day_data_end():
    alone = newest_year_known(answers(2017, n=30, seed=3))
    others = {f"i{n}": answers(2017, seed=n) for n in range(5)}
    found = known_window({"thin": answers(2017, n=30, seed=3), **others}, AS_OF).years["thin"]
    assert found.status == "estimated"
    assert found.low <= 2017 <= found.high
    assert found.high - found.low <= alone.high - alone.low


def test_one_that_differs_from_all_others_is_believed():
    others = {f"i{n}": answers(2019, seed=n) for n in range(4)}
    found = known_window({"odd": answers(2012, n=200), **others}, AS_OF).years
    assert abs(found["odd"].estimate - 2012) <= 1
    assert abs(found["i1"].estimate - 2019) <= 1


def test_the_window_begins_after_the_year_known_is_over_and_holds_the_day():
    told = known_window({f"i{n}": answers(2019, seed=n) for n in range(4)}, AS_OF).window
    assert (told.status, told.observations, told.window) == (Status.ESTIMATED, 360, None)
    assert 12 * 2020 < months(told.cutoff.low) < 12 * 2021.5 < months(told.cutoff.high)


def test_knowing_all_there_is_bounds_the_window_from_below():
    told = known_window({f"i{n}": answers(NEWEST, seed=n) for n in range(4)}, AS_OF).window
    assert told.status is Status.AFTER_RANGE
    assert months(told.cutoff.low) > 12 * 2022
    assert months(told.cutoff.high) <= months_of(AS_OF)


def months_of(day):
    return day.year * 12 + day.month


def test_guesses_date_nothing():
    told = known_window({f"i{n}": answers(1900, seed=n) for n in range(8)}, AS_OF).window
    assert (told.status, told.cutoff) == (Status.TOO_FEW, None)


def test_no_answers_date_nothing():
    assert known_window({"i": []}, AS_OF).window.status is Status.TOO_FEW


# --- what an answer tells


def test_kinds_that_can_be_told_without_their_last_year_are_left_out():
    values = {2000 + n: 100.0 + n for n in range(10)}
    told = asked_years([(key(kind, 2009, values), True) for kind in ("window", "range", "minmax", "trend")])
    assert told == {"i": []}


def dated(options, answer, before):
    """The one answer about 2020, where ``before`` is the year before and all else grew by a tenth a year."""
    history = {2000 + n: 1.1**n for n in range(10)}
    asked = key("date", 2020, {2020: 100.0}, options, answer)
    return asked_years(
        [
            (key("range", 2009, history, country="DEU"), True),
            (asked, True),
            (key("range", 2019, before), True),
        ]
    )["i"][0]


def test_an_older_number_whose_nearest_option_is_the_right_one_can_be_carried_on():
    options = ("80 years", "100 years", "125 years", "156 years")
    assert dated(options, "(b)", {2019: 98.0}).from_before(1) == 1.0
    assert dated(options, "(b)", {2019: 85.0}).from_before(1) == 1.0  # grown by a tenth as usual
    assert dated(options, "(b)", {2019: 70.0}).from_before(1) == 0.0


def test_of_a_country_whose_older_number_is_not_known_the_others_tell():
    near = dated(("90", "100", "111", "123"), "(b)", {1900: 1.0})
    far = dated(("10", "100", "1,000", "10,000"), "(b)", {1900: 1.0})
    assert near.from_before(3) == far.from_before(3) == 1.0  # grown by a third as usual, all of them


def test_a_direction_that_most_changes_have_can_be_told_without_knowing():
    rises = {2000 + n: 100.0 + n for n in range(10)}
    falls = {2010: 109.0, 2011: 90.0}
    up = key("comparative", 2009, {2008: 108.0, 2009: 109.0}, ("Yes", "No"), "(a)")
    down = key("comparative", 2011, falls, ("Yes", "No"), "(b)", country="DEU")
    told = asked_years([(key("trend", 2009, rises), True), (up, True), (down, True)])["i"]
    assert told[0].from_before(1) > 0.95
    assert told[1].from_before(1) < 0.05
    assert {one.chance for one in told} == {0.5}


def test_open_answers_are_carried_on_by_the_last_value_or_its_line():
    line = {2000 + n: 100.0 + 10 * n for n in range(20)}
    jump = line | {2019: 500.0}
    assert asked_years([(key("next_word", 2019, line), True)])["i"][0].carried == (1.0,) * 10
    assert asked_years([(key("next_word", 2019, jump), True)])["i"][0].carried == (0.0,) * 10


def test_options_that_are_no_single_numbers_are_left_out():
    asked = key("date", 2020, {2020: 1.0}, ("much", "more", "most", "all"), "(a)")
    assert asked_years([(asked, True)]) == {"i": []}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["date", "comparative", "next_word", "trend"]),
            st.integers(-3000, 3000),
            st.dictionaries(st.integers(-3000, 3000), st.floats(allow_nan=False), max_size=4),
            st.lists(st.text(max_size=8) | st.floats(allow_nan=False).map(str), max_size=5),
            st.sampled_from(["", "(a)", "(b)", "(z)", "b"]),
        ),
        max_size=8,
    )
)
def test_no_key_is_too_odd(asked):
    pairs = [
        (key(kind, year, values, tuple(options), answer), True)
        for kind, year, values, options, answer in asked
    ]
    for found in asked_years(pairs).values():
        assert all(0 <= share <= 1 for one in found for share in one.carried)


# --- from a run


def questions(kind="next_word", until=2017):
    rng = random.Random(5)
    for number in range(160):
        indicator, year = f"i{number % 4}", NEWEST - number // 4 % 20
        series, value = {}, 100.0
        for at in range(1990, NEWEST + 1):
            value *= math.exp(rng.gauss(0, 0.2))
            series[at] = value
        numeric = key(kind, year, series, country=f"C{number}", indicator=indicator)
        prompt = Prompt(f"p{number}", "p1", "?", "")
        asked = Question(f"q{number}", "next-word", "health", "f", (prompt,), AS_OF, (), numeric=numeric)
        right = year <= until and rng.random() < 0.9
        rule = "within_1_percent" if right else "within_5_percent"
        judgement = Judgement(Verdict.CORRECT, rule)
        yield asked, Trial(asked.id, "health", "f", "p1", "?", Answer("1"), judgement)


def test_a_run_with_numbers_is_dated_by_what_it_knows_exactly():
    pairs = list(questions())
    found = date_answers([asked for asked, _ in pairs], [trial for _, trial in pairs])
    assert set(found.known_years) == {"i0", "i1", "i2", "i3"}
    assert all(known.low <= 2017 <= known.high for known in found.known_years.values())
    assert found.window.status is Status.ESTIMATED
    assert found.starts is None


def test_failed_answers_tell_nothing():
    asked = [asked for asked, _ in questions()]
    failed = [
        Trial(one.id, "health", "f", "p1", "?", Answer(error="down", error_kind="timeout"), None)
        for one in asked
    ]
    found = date_answers(asked, failed)
    assert (found.known_years, found.window.status) == ({}, Status.TOO_FEW)
