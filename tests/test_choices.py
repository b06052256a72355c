"""The judge of choices: the option a reader takes an answer to mean, and what holds of any text."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from freshness.grading.choices import judge_choice
from freshness.verdicts import CHOICES, Verdict

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


@pytest.mark.parametrize("letter", "abcd")
@pytest.mark.parametrize(
    "said",
    [
        "({})",
        "{})",
        "{}",
        "{}.",
        "Answer: {}",
        "The answer is ({}).",
        "**{}**",
        "option {}",
        "\\boxed{{{}}}",
        "[{}]",
    ],
)
def test_every_letter_is_understood_in_every_form_and_in_capitals(letter, said):
    for written in (letter, letter.upper()):
        judgement = judge_choice(said.format(written), LIFE, "(b)", unit="years")
        assert judgement.matched == f"({letter}) {LIFE[ord(letter) - ord('a')]}", said.format(written)
        assert (judgement.verdict is Verdict.CORRECT) == (letter == "b")


NEAR = ("76.91 years", "75.03 years", "78.64 years", "81.22 years")
DROPS = ("-51.4%", "-45.2%", "-58.0%", "12.1%")
CHANGE = "From 2010 to 2019, what is the rate of change in Chad's emissions, in percent of its 2010 value?"


@pytest.mark.parametrize(
    "said",
    [
        "Between 76 and 77 years",
        "between 76 years and 77 years",
        "76-77",
        "76–77 years",
        "76 to 77",
        "from about 76 to 77",
        "77-76",
        "76 ~ 77",
        "zwischen 76 und 77 Jahren",
        "entre 76 et 77 ans",
        "tra 76 e 77 anni",
        "between 76 and 76.91",
        "76.9-77.0",
        "between 75 and 77",
        "Between 76 and 78",
        "76.91-78.64",
        "76 or 77 years",
        "at least 77",
        "no less than 77 years",
    ],
)
def test_a_range_or_a_bound_beyond_it_names_no_option(said):
    judgement = judge_choice(said, NEAR, "(a)", unit="years")
    assert (judgement.matched, judgement.rule) == (None, "no option")


@pytest.mark.parametrize(
    "said", ["a drop of 50 to 52%", "between -51 and -52%", "-51% to -52%", "-52 to -51%"]
)
def test_nor_does_a_range_of_changes(said):
    assert judge_choice(said, DROPS, "(a)", question=CHANGE).matched is None


@pytest.mark.parametrize(
    "said",
    [
        "76.91 (76.5-77.3)",
        "76.91 years, between 76 and 78",
        "76.91 ± 0.5",
        "76-77, so 76.91",
        "(a) 76-77",
        "76.91 to 2 decimals",
        "76.91 or 77",
        "it rose from 74.2 to 76.91",
        "from 2018 to 2019, 76.91",
        "between 2010 and 2019 it was 76.91",
        "under 77",
        "more than 76.9",
        "77",
    ],
)
def test_a_value_with_a_range_beside_it_is_that_value(said):
    assert judge_choice(said, NEAR, "(b)", unit="years").matched == f"(a) {NEAR[0]}"


HEDGED = (
    "As an AI, I can't verify {}, but (c) seems right",
    "I cannot confirm {}, however option c looks right.",
    "I'm not sure about {}, but my best guess is (c).",
    "I can't say {} with certainty; still, (c).",
    "I can't verify {}, though (c) fits best.",
    "Although I can't verify {}, (c) seems right.",
    "While I cannot be sure that {} is right, (c) is the closest.",
    "I can't verify {}, (c) seems right",
    "I can't confirm whether {} is accurate, I'd go with (c)",
    "I can't confirm {} - my best guess: (c)",
    "It's unclear whether {} applies, but 83.1 years.",
)


@pytest.mark.parametrize("thing", ["that", "this", "it"])
@pytest.mark.parametrize("said", HEDGED)
def test_an_option_behind_a_hedge_and_a_turn_is_chosen(said, thing):
    assert judge_choice(said.format(thing), LIFE, "(c)", unit="years").verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "I can't say whether it was (a) or (b).",
        "I can't say whether (a), (b) or (c) is right.",
        "I cannot confirm that (b) is right.",
        "It's unclear whether it is (b).",
        "I have no data, but I can't rule out that (c) is right",
        "I can't say that (b) is correct, but I can't rule it out",
    ],
)
def test_an_option_that_cant_be_told_is_not(said):
    assert judge_choice(said, LIFE, "(b)", unit="years").verdict is Verdict.NOT_AVAILABLE


@given(st.integers(0, 3), st.lists(st.integers(10, 10**9), min_size=4, max_size=4, unique=True))
def test_an_options_own_words_choose_it(chosen, amounts):
    options = [f"{amount:,} tonnes" for amount in amounts]
    letter = "(a)(b)(c)(d)"[3 * chosen : 3 * chosen + 3]
    for said in (
        options[chosen],
        f"It was {options[chosen]}.",
        f"{letter} {options[chosen]}",
        str(amounts[chosen]),
    ):
        assert judge_choice(said, options, "(a)", unit="tonnes").matched == f"{letter} {options[chosen]}"


def shown(kind, rows, decimals):
    """Options as the questions show them, of one number, of two or of five years."""
    texts = [[f"{number:,.{digits}f}" for number, digits in zip(row, decimals, strict=True)] for row in rows]
    if kind == "date":
        return [f"{text[0]} tonnes per hectare" for text in texts]
    if kind == "minmax":
        return [f"{' and '.join(text)}%" for text in texts]
    years = [[f"in {2000 + n}, {number}" for n, number in enumerate(text)] for text in texts]
    return [f"I{'; '.join(year)[1:]} (deaths per 100,000 people)" for year in years]


@st.composite
def option_sets(draw):
    """Four options with zeros, few or equal digits, negative and shared values, of one or several forms."""
    kind, width = draw(st.sampled_from([("date", 1), ("minmax", 2), ("window", 5)]))
    number = st.one_of(
        st.just(0.0), st.integers(0, 30).map(float), st.floats(-99, 99), st.floats(0, 0.1), st.floats(0, 1e6)
    )
    row = st.one_of(st.lists(number, min_size=width, max_size=width), number.map(lambda n: [n] * width))
    rows = draw(st.lists(row, min_size=4, max_size=4))
    if width > 1 and draw(st.booleans()):
        rows = [[rows[0][0], *row[1:]] for row in rows]
    digits = st.lists(st.integers(0, 3), min_size=width, max_size=width)
    return shown(kind, rows, draw(digits)) if draw(st.booleans()) else mixed(kind, rows, draw, digits)


def mixed(kind, rows, draw, digits):
    return [shown(kind, [row], draw(digits))[0] for row in rows]


@given(
    option_sets(),
    st.integers(0, 3),
    st.sampled_from(["{}", "It was {}.", "({l}) {}", "Answer: {}", "{l}) {}"]),
)
def test_an_option_read_out_in_full_is_itself_whatever_its_form(options, chosen, said):
    options = [option.replace("-0 ", "0 ").replace("-0.", "0.") for option in options]
    assume(len(set(options)) == len(options))
    letter = "abcd"[chosen]

    judgement = judge_choice(said.format(options[chosen], l=letter), options, "(a)")

    assert judgement.matched == f"({letter}) {options[chosen]}", judgement


ALPHABET = st.text(alphabet="abcdABCD()[]{}.,:;?!*_$\\\n \"'0123456789-–%noyes", max_size=120)


@given(st.one_of(st.text(max_size=200), ALPHABET), st.booleans())
def test_every_text_gets_a_verdict_of_its_own_kind_and_a_span_of_its_words(answer, cut_off):
    for options in (LIFE, ("Yes", "No"), ("47K, 49K", "46K, 43K"), ("Rice", "Wheat")):
        judgement = judge_choice(answer, options, "(b)", question="In 2011, what was it?", cut_off=cut_off)

        assert judgement.verdict in CHOICES
        assert (judgement.matched is None) == (judgement.span is None)
        if judgement.span:
            assert answer[slice(*judgement.span)] == judgement.mention


HOSTILE = (
    "(a) ",
    "a or ",
    "9",
    "1,",
    "1 234 ",
    "not ",
    "\\boxed{",
    "$a",
    "\n?(a)",
    "Answer: ",
    "yes no ",
    "<think>",
    "[",
    "higher in 2011 ",
    "a year later 2011 ",
    "5 now ",
    "no deaths ",
    "none in a ",
    "76-77 or ",
    "I can't say that, but ",
    "нет, no hay ",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_takes_no_longer_than_its_length_asks_for(piece):
    def seconds(length):
        text = (piece * length)[:length]
        begun = time.process_time()
        for options in (LIFE, ("Yes", "No"), ("47K, 49K", "46K, 43K"), ("0 deaths", "2 deaths")):
            judge_choice(text, options, "(b)", question="Was it higher in 2011 than in 2012?")
        return time.process_time() - begun

    # Far from what a slow machine needs, and far below what a pattern that backtracks takes.
    assert seconds(40_000) < 8


@pytest.mark.parametrize(
    "thought", ["<think>{}</think>", "<|channel|>analysis<|message|>{}<|channel|>final<|message|>"]
)
def test_what_was_thought_for_long_does_not_hide_the_answer(thought):
    judgement = judge_choice(thought.format("perhaps (a)? " * 5_000) + "**(b)**", LIFE, "(b)")

    assert (judgement.verdict, judgement.mention) == (Verdict.CORRECT, "(b)")


def test_rules_say_how_the_option_was_named():
    rules = {
        "(b)": "letter",
        "81.9": "value",
        "the second option": "counted",
        "(b) 83.1 years": "letter over value",
        "not (a), (c) or (d)": "elimination",
        "(a) or (b)": "several options",
        "85": "no option",
        "None of the above": "none of them",
        "": "empty",
        "<think>hm": "still thinking",
        "No data.": "says it doesn't know",
    }
    assert {said: judge_choice(said, LIFE, "(b)", unit="years").rule for said in rules} == rules


def test_a_value_that_all_options_share_may_be_repeated_with_the_others():
    options = tuple(
        f"In 2014, {a}; in 2015, 0.27; in 2016, 0.00 (deaths per 100,000 people)" for a in (0.2, 0.3, 0.4)
    )
    for letter, option in zip("abc", options, strict=True):
        assert judge_choice(option, options, "(b)").matched == f"({letter}) {option}"
    assert judge_choice("0.3, 0.27 and 0", options, "(b)").verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "(a) 80.4 years? No, (b).",
        "(a) 80.4 years? No: (b) 81.9 years.",
        "(a) 80.4 years? Not quite. (b) 81.9 years.",
        "(a) 80.4... no, (b) 81.9",
        "(a) 80.4 years — no, (b).",
        "(a)... no, (b)",
        "(a). No, (b).",
        "Option B: 81.9 years, though option C is close.",
        "(b) 81.9 years. (c) is close too.",
        "(b) 81.9 years, while (c) 83.1 years is too high.",
        "(b) 81.9 years, not (c) 83.1 years.",
        "(a) 80.4 is too low, (b) 81.9 fits.",
        "Not A. B.",
        "Not A: B",
    ],
)
def test_what_is_said_between_two_neighbours_makes_them_no_list(said):
    assert judge_choice(said, LIFE, "(b)", unit="years").verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "(a) 80.4 years (b) 81.9 years (c) 83.1 years (d) 78.7 years",
        "(a) 80.4 years or (b) 81.9 years",
        "(a) 80.4, (b) 81.9, (c) 83.1",
        "(a) 80.4 years - no\n(b) 81.9 years - maybe",
        "(a) 80.4 years (b)",
    ],
)
def test_options_said_again_choose_none_whatever_stands_at_the_end_of_a_line(said):
    assert judge_choice(said, LIFE, "(b)", unit="years").matched is None


def test_the_word_no_is_an_options_own_where_it_says_so():
    assert judge_choice("(a) No (b) Yes", ("No", "Yes"), "(b)").matched is None


def test_a_letter_behind_another_sentence_of_one_letter_is_not_the_choice_unless_that_is_denied():
    assert judge_choice("A. B.", LIFE, "(a)", unit="years").verdict is Verdict.CORRECT
    assert judge_choice("(a), no doubt.", LIFE, "(a)", unit="years").verdict is Verdict.CORRECT
