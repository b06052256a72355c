"""Keys of stored questions by the numbers of a newer vintage."""

import random
import re
from dataclasses import replace
from datetime import date

import pytest
from series_world import FRANCE, LIFE, chart, date_question, key, moved, open_question, question, series

from freshness.changes.renewing import OwnKey, renew, truth
from freshness.questions import CHOICE_KINDS
from freshness.suites.numeric import Options, questions

AS_OF = date(2026, 3, 8)


def again(asked, values, older=(), indicator=LIFE):
    renewed = renew(asked, indicator, series(values), older)
    return renewed if isinstance(renewed, OwnKey) else renewed.numeric


class TestChoices:
    def test_the_same_numbers_leave_the_key_alone(self):
        assert again(date_question(), FRANCE) is OwnKey.AS_GOOD

    def test_another_value_that_is_shown_alike_keeps_the_letter(self):
        renewed = again(date_question(), moved(FRANCE, y2021=82.33))
        assert (renewed.answer, renewed.answer_value, renewed.values) == ("(b)", 82.33, ((2021, 82.33),))

    def test_the_option_that_shows_the_new_value_is_right_now(self):
        renewed = again(date_question(), moved(FRANCE, y2021=84.62))
        assert (renewed.answer, renewed.answer_value) == ("(c)", 84.62)

    def test_the_old_one_stays_right_while_it_is_the_nearest(self):
        assert again(date_question(), moved(FRANCE, y2021=83.0)).answer == "(b)"

    @pytest.mark.parametrize("value", [84.0, 83.5, 81.0, 90.4, 8.23, 0.0, -82.3, 1e300])
    def test_a_value_that_no_option_is_near_makes_none_right(self, value):
        assert again(date_question(), moved(FRANCE, y2021=value)) is OwnKey.BEYOND_OPTIONS

    @pytest.mark.parametrize("letter", ["(a)", "(d)"])
    def test_the_first_and_the_last_option_are_not_right_for_all_that_lies_beyond(self, letter):
        asked = date_question()
        value = {"(a)": 79.9, "(d)": 86.9}[letter]
        edge = replace(
            asked,
            numeric=replace(asked.numeric, answer=letter, answer_value=value, values=((2021, value),)),
        )
        beyond = {"(a)": 78.0, "(d)": 89.0}[letter]
        assert again(edge, moved(FRANCE, y2021=beyond)) is OwnKey.BEYOND_OPTIONS
        assert again(edge, moved(FRANCE, y2021=value + 0.4)).answer == letter

    def test_numbers_that_all_options_share_tell_nothing_and_may_not_be_another(self):
        options = ("0.40 and 56.1", "0.40 and 60.3", "0.40 and 52.2")
        values = {2019: 0.4, 2020: 50.0, 2021: 56.1}
        asked = question(key("minmax", tuple(values), (0.4, 56.1), values, options, "(a)"))
        assert again(asked, values | {2019: 0.41}).answer == "(a)"
        assert again(asked, values | {2021: 56.9}).answer == "(a)"
        assert again(asked, values | {2019: 4.0}) is OwnKey.BEYOND_OPTIONS

    def test_options_with_zeros_and_other_numbers_of_digits_are_read(self):
        options = ("0 and 9.6", "0 and 10.2", "0 and 8.9")
        values = {2019: 0.0, 2020: 3.0, 2021: 9.6}
        asked = question(key("minmax", tuple(values), (0.0, 9.6), values, options, "(a)"))
        assert again(asked, values | {2021: 10.2}).answer == "(b)"
        assert again(asked, values | {2021: 9.7}).answer == "(a)"
        assert again(asked, values | {2021: 20.0}) is OwnKey.BEYOND_OPTIONS

    def test_a_value_that_is_gone_leaves_the_key_alone(self):
        assert again(date_question(), moved(FRANCE, y2021=None)) is OwnKey.VALUE_GONE

    def test_a_key_in_another_unit_is_left_alone(self):
        other = replace(LIFE, unit="days")
        assert again(date_question(), moved(FRANCE, y2021=84.6), indicator=other) is OwnKey.UNIT_CHANGED

    def test_a_key_that_was_made_in_another_way_is_left_alone(self):
        assert again(date_question(answer=82.9), moved(FRANCE, y2021=84.6)) is OwnKey.UNREADABLE

    @pytest.mark.parametrize(("years", "answer"), [((2020, 2021), False), ((2021, 2020), True)])
    def test_of_yes_and_no_the_other_one_is_right_when_the_years_change_places(self, years, answer):
        asked = question(key("comparative", years, answer, options=("Yes", "No"), letter="(b)"))
        if answer:
            asked = replace(asked, numeric=replace(asked.numeric, answer="(a)"))
        renewed = again(asked, moved(FRANCE, y2020=82.9))
        assert (renewed.answer_value, renewed.answer) == (not answer, "(b)" if answer else "(a)")
        assert again(asked, moved(FRANCE, y2020=82.3)) is OwnKey.BEYOND_OPTIONS, "equal now: not yes, not no"
        assert again(asked, moved(FRANCE, y2020=82.1)).answer == asked.numeric.answer

    def test_years_that_options_name_are_no_values(self):
        values = {2019: 2020.0, 2020: 2022.0}
        options = ("in 2019: 2,020, in 2020: 2,022", "in 2019: 2,120, in 2020: 2,122")
        asked = question(key("window", tuple(values), (2020.0, 2022.0), values, options, "(a)"))
        assert again(asked, {2019: 2120.0, 2020: 2122.0}).answer == "(b)"

    def test_numbers_shown_in_millions_with_signs_and_separators_are_read(self):
        options = ("-1,234.5 million people", "-1,300.1 million people")
        asked = question(key(answer=-1234.51e6, values={2021: -1234.51e6}, options=options, letter="(a)"))
        assert again(asked, {2021: -1300.12e6}).answer == "(b)"

    def test_of_numbers_that_end_in_zeros_the_zeros_are_not_exact(self):
        options = ("41,300", "43,500", "39,000")
        asked = question(key(answer=41304.04, values={2021: 41304.04}, options=options, letter="(a)"))
        assert again(asked, {2021: 43460.0}).answer == "(b)"
        assert again(asked, {2021: 41349.0}).answer == "(a)"


class TestOpen:
    def test_the_values_are_the_new_ones_and_the_old_ones_are_an_older_vintages(self):
        older = ((2021, 82.3, "2024-07-01"),)
        renewed = again(open_question(), moved(FRANCE, y2021=82.9), older)
        assert (renewed.answer_value, dict(renewed.values)[2021], renewed.older) == (82.9, 82.9, older)

    def test_older_values_of_years_without_a_value_now_are_left_out(self):
        renewed = again(open_question(), moved(FRANCE, y2019=None), ((2019, 82.6, "2024-07-01"),))
        assert renewed.older == ()

    def test_a_year_asked_about_that_is_gone_leaves_the_key_alone(self):
        assert again(open_question(), moved(FRANCE, y2021=None)) is OwnKey.VALUE_GONE

    def test_the_same_numbers_leave_the_key_alone(self):
        assert again(open_question(), FRANCE) is OwnKey.AS_GOOD


def test_a_question_about_no_number_has_no_such_key():
    assert renew(replace(date_question(), numeric=None), LIFE, series(FRANCE)) is OwnKey.UNREADABLE


def made(kinds=CHOICE_KINDS, seed=3):
    """Questions as they are made of a few series that go up and down."""
    draw = random.Random(seed)
    known = []
    for code in ("FRA", "JPN", "ITA"):
        walk, values = draw.uniform(40, 80), {}
        for year in range(1990, 2024):
            walk *= draw.uniform(0.9, 1.12)
            values[year] = round(walk, 4)
        known.append(series(values, code.title(), code))
    world = chart(*known)
    return {one.id: one for one in known}, list(questions([world], AS_OF, Options(seed, kinds)))


def test_keys_are_made_as_the_questions_were():
    known, asked = made()
    assert {one.numeric.kind for one in asked} == set(CHOICE_KINDS)
    for one in asked:
        numeric = one.numeric
        told = truth(numeric.kind, numeric.years, dict(numeric.values))
        assert told == pytest.approx(numeric.answer_value)
        assert renew(one, LIFE, known[one.fact]) is OwnKey.AS_GOOD


@pytest.mark.parametrize("kind", ["date", "window", "range", "minmax", "trend"])
def test_numbers_that_become_those_of_another_option_make_that_one_right(kind):
    _, asked = made((kind,))
    for one in asked[::5]:
        numeric = one.numeric
        for letter, option in zip(["(a)", "(b)", "(c)", "(d)"], numeric.options, strict=True):
            if letter != numeric.answer:
                plain = re.sub(r"in \d{4},", "", option, flags=re.IGNORECASE)
                shown = [float(text) for text in re.findall(r"-?\d+(?:\.\d+)?", plain)]
                renewed = again(one, values_for(numeric, shown))
                assert renewed.answer == letter
                assert renewed.answer_value == pytest.approx(tuple(shown) if len(shown) > 1 else shown[0])


def values_for(numeric, shown):
    """Values of the same years by which just these numbers are right."""
    values = dict(numeric.values)
    if numeric.kind in ("date", "window"):
        return dict(zip(values, shown, strict=True))
    if numeric.kind == "range":
        return {year: value * shown[0] / numeric.answer_value for year, value in values.items()}
    if numeric.kind == "trend":
        first = next(iter(values.values()))
        return {**values, max(values): first * (1 + shown[0] / 100)}
    (low, high), (wanted_low, wanted_high) = numeric.answer_value, shown
    stretch = (wanted_high - wanted_low) / (high - low)
    return {year: wanted_low + (value - low) * stretch for year, value in values.items()}
