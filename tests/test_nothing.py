"""The option that is zero, named in words: "none", "no deaths"; and what names it not."""

import pytest

from freshness.grading.choices import judge_choice
from freshness.verdicts import Verdict

RATE = "In 2019, what was France's death rate in armed conflicts (in deaths per 100,000 people)?"
COAL = "In 2019, what was Norway's electricity generation from coal (in terawatt-hours)?"
CHANGE = "From 2010 to 2019, what is the rate of change in Chad's wheat yield, in percent of its 2010 value?"
ZERO = tuple(f"{rate} deaths per 100,000 people" for rate in ("0.40", "0.00", "0.80", "1.20"))
NO_ZERO = tuple(f"{rate} deaths per 100,000 people" for rate in ("0.40", "0.20", "0.80", "1.20"))
SHARES = ("0.44%", "0.00%", "3.20%", "-5.50%")


def judged(answer, options=ZERO, question=RATE):
    return judge_choice(answer, options, "(b)", question=question)


@pytest.mark.parametrize(
    "answer",
    [
        "None",
        "**None.**",
        "Answer: none",
        "There were none.",
        "None were recorded.",
        "none at all",
        "nil",
        "Nothing.",
        "None in 2019",
        "No deaths",
        "No deaths were recorded.",
        "There were no deaths from armed conflict in France in 2019.",
        "There weren't any deaths.",
        "no conflict deaths",
        "No armed conflicts occurred in France",
        "No people died.",
        "As an AI, I can't verify this, but there were none.",
        "not 0.40, there were none",
    ],
)
def test_that_there_was_nothing_names_the_only_option_that_is_zero(answer):
    judgement = judged(answer)
    assert (judgement.rule, judgement.matched) == ("nothing", f"(b) {ZERO[1]}")
    assert judged(answer, NO_ZERO).matched != f"(b) {NO_ZERO[1]}"


@pytest.mark.parametrize("answer", ["zero", "Zero deaths", "0", "0 deaths", "zero deaths per 100,000 people"])
def test_zero_said_as_a_number_is_a_value(answer):
    assert (judged(answer).rule, judged(answer).verdict) == ("value", Verdict.CORRECT)


@pytest.mark.parametrize(
    "answer", ["No coal.", "no electricity came from coal", "There was no coal generation"]
)
def test_what_there_is_none_of_is_the_questions_own_thing(answer):
    options = tuple(f"{amount} terawatt-hours" for amount in ("2.1", "0.0", "2.4", "2.7"))
    assert judged(answer, options, COAL).rule == "nothing"
    assert judged(answer).matched is None


@pytest.mark.parametrize("answer", ["No change.", "unchanged", "It did not change.", "It stayed the same."])
def test_of_a_change_it_is_that_there_was_none(answer):
    assert judged(answer, SHARES, CHANGE).rule == "nothing"
    assert judged("No wheat.", SHARES, CHANGE).matched is None


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("None of the above", "incorrect"),
        ("none of these", "incorrect"),
        ("None fits.", "incorrect"),
        ("None is correct", "incorrect"),
        ("No.", "incorrect"),
        ("no death penalty", "incorrect"),
        ("no deaths-related figures", "incorrect"),
        ("no wind power", "incorrect"),
        ("No data", "not_available"),
        ("No deaths data is available", "not_available"),
        ("There is none available", "not_available"),
        ("None, I have no data", "not_available"),
        ("No record of deaths", "not_available"),
        ("Nothing is known about it.", "not_available"),
        ("I can't say that there were no deaths", "not_available"),
    ],
)
def test_no_option_and_no_data_are_not_zero(answer, verdict):
    judgement = judged(answer)
    assert (judgement.matched, str(judgement.verdict)) == (None, verdict)


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("There were no deaths, so (b).", "(b)"),
        ("no deaths, (a)", "(a)"),
        ("There were no conflicts, so the rate was 0.80", "(c)"),
        ("No more than 0.40", "(a)"),
        ("none (0.00)", "(b)"),
    ],
)
def test_a_letter_or_a_number_beside_it_decides(answer, letter):
    assert judged(answer).matched[:3] == letter


def test_of_two_zeros_none_is_meant():
    assert judged("None", (*ZERO[:3], "0.000 deaths per 100,000 people")).verdict is Verdict.NOT_AVAILABLE


def test_what_was_cut_off_may_have_gone_on():
    assert judge_choice("There were no deaths", ZERO, "(b)", question=RATE, cut_off=True).matched is None
    said = "There were no deaths in France, as"
    assert judge_choice(said, ZERO, "(b)", question=RATE, cut_off=True).rule == "nothing"
