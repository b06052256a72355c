"""Yes and no said in a sentence of comparison: who was higher, whichever way the question was put."""

import pytest

from freshness.grading.choices import judge_choice
from freshness.verdicts import Verdict

QUESTION = "Was France's GDP per capita {} in {} than in {}?"
OPTIONS = ("Yes", "No")


def said(sentence, way="higher", one=2011, two=2012):
    judgement = judge_choice(sentence, OPTIONS, "(a)", question=QUESTION.format(way, one, two))
    return judgement.matched and judgement.matched[4:]


def asked():
    return [(way, one, 4023 - one) for way in ("higher", "lower") for one in (2011, 2012)]


@pytest.mark.parametrize(
    "sentence",
    [
        "There was growth in 2012.",
        "I believe 2012 > 2011.",
        "It was lower before.",
        "The two are nearly identical, but 2012 was a touch higher.",
        "It was higher in 2012, with 2011 trailing slightly.",
        "In 2012 it was higher.",
        "2012 was higher.",
        "It was higher the following year.",
        "It was higher in the following year.",
        "It was lower in the previous year.",
        "It was higher in the later year.",
        "The later year was higher.",
        "It increased.",
        "It rose from 2011 to 2012.",
        "It rose in 2012.",
        "GDP per capita grew between 2011 and 2012.",
        "It grew between the two years.",
        "It went up by 3% from 2011 to 2012.",
        "It went from $43,000 in 2011 up to $44,000 in 2012.",
        "It peaked in 2012.",
        "The peak was in 2012.",
        "2011 was the lowest.",
        "higher in 2012 than in 2011",
        "lower in 2011 than in 2012",
        "It was not higher in 2011.",
        "It wasn't lower in 2012 than in 2011.",
        "It didn't fall in 2012.",
        "In 2011 it was lower, and in 2012 it was higher.",
        "2012 exceeded 2011.",
        "2012 was above 2011.",
        "2012 saw a slight increase over the previous year.",
        "Compared to 2011, it was higher in 2012.",
        "It was higher a year later.",
        "2012 had the higher value.",
        "The higher value was in 2012.",
        "Of 2011 and 2012, 2012 was higher.",
        "Comparing 2011 with 2012, it was higher in the latter.",
        "It had risen by 2012.",
        "It has risen since 2011.",
        "It was more in 2012.",
        "It was higher in the year after 2011.",
        "It was highest in 2012.",
        "There was an increase in 2012.",
        "It doubled.",
        "It's not true that it was higher in 2011.",
        "2011 was not higher than 2012.",
        "2012 was the year with the higher GDP per capita.",
        "In constant 2015 US$, it was higher in 2012.",
        "Higher in 2012 (43,900) vs 2011 (43,800).",
    ],
)
def test_the_later_year_is_said_to_be_the_higher_one(sentence):
    for way, one, two in asked():
        expected = "Yes" if (one == 2012) == (way == "higher") else "No"
        assert said(sentence, way, one, two) == expected, (sentence, way, one)


@pytest.mark.parametrize(
    "sentence",
    [
        "It was higher before.",
        "It was lower afterwards.",
        "2012 < 2011",
        "After rising in 2011, it fell in 2012.",
        "It was lower the following year.",
        "It was higher the year before.",
        "It was higher in the earlier year.",
        "The later of the two years had the lower value.",
        "It fell.",
        "It dropped in 2012.",
        "It shrank after 2011.",
        "It peaked in 2011.",
        "higher in 2011 than in 2012",
        "It was lower in 2012 than 2011.",
        "It was not higher in 2012.",
        "It did not increase.",
        "While 2011 was higher, 2012 was lower.",
        "It was higher in 2011 and lower in 2012.",
        "The figure for 2011 exceeds that for 2012.",
        "The 2012 level was below the 2011 level.",
        "There was a decline from 2011 to 2012.",
        "2012 saw a decline.",
        "2012 brought a drop compared with 2011.",
        "Compared to 2011, 2012 was lower.",
        "Compared to the previous year, it was lower in 2012.",
        "One year later it was lower.",
        "The higher of the two was 2011.",
        "The GDP per capita in 2012 was lower.",
        "France's GDP per capita was 43,790 dollars in 2011 and 40,870 dollars in 2012.",
        "2011: 43,790; 2012: 40,870.",
        "It was less in 2012.",
        "In 2012, France's GDP per capita was slightly lower than it had been in 2011.",
        "Between 2011 and 2012 it declined slightly.",
        "There was no increase.",
        "GDP per capita decreased year on year.",
        "It was higher in 2011 by 3%.",
        "A decrease of 6.7 % was recorded in 2012.",
        "From 2011 to 2012 it dropped from 43,790 to 40,870.",
        "The value for 2011, 43,790, is greater than the value for 2012, 40,870.",
        "It was 3% lower in 2012.",
        "GDP per capita fell slightly, by 1%, in 2012.",
    ],
)
def test_the_earlier_year_is_said_to_be_the_higher_one(sentence):
    for way, one, two in asked():
        expected = "Yes" if (one == 2011) == (way == "higher") else "No"
        assert said(sentence, way, one, two) == expected, (sentence, way, one)


@pytest.mark.parametrize(
    "sentence",
    [
        "Both were the same.",
        "It was about the same in both years.",
        "It was unchanged.",
        "It did not change.",
        "There was no difference.",
        "It was the other way round.",
        "The opposite is true.",
        "It was not.",
        "It wasn't.",
        "That's not the case.",
    ],
)
def test_what_is_the_same_or_not_so_is_a_no(sentence):
    assert [said(sentence, *question) for question in asked()] == ["No"] * 4


@pytest.mark.parametrize("sentence", ["It was.", "That is the case.", "Yes, it was."])
def test_the_questions_own_verb_is_a_yes(sentence):
    assert [said(sentence, *question) for question in asked()] == ["Yes"] * 4


@pytest.mark.parametrize(
    "sentence",
    [
        "It fell in 2011.",
        "It rose in 2011.",
        "It was only in 2013 that it was higher.",
        "It was higher in 2013.",
        "It was higher in 2011 than in 2010.",
        "It rose from 2009 to 2013.",
        "It was higher than Germany's in 2011.",
        "It was higher than 40,000 in 2011.",
        "GDP growth was strong.",
        "It rose after 2012.",
        "It was more than 40,000 in 2011.",
        "It is hard to say whether it was higher in 2011.",
        "They were not equal.",
        "It was not 2011.",
        "Was it higher in 2011?",
        "Whether it was higher in 2011, nobody knows.",
    ],
)
def test_what_is_not_about_the_two_years_says_nothing(sentence):
    assert [said(sentence, *question) for question in asked()] == [None] * 4


@pytest.mark.parametrize("sentence", ["2012 was.", "2012", "In 2012."])
def test_a_year_alone_is_the_one_that_was_so(sentence):
    assert (said(sentence), said(sentence, "higher", 2012, 2011)) == ("No", "Yes")


def test_the_first_year_is_the_earlier_one_unless_the_question_names_it_second():
    assert said("The second year was higher.") == "No"
    assert said("The second year was higher.", "higher", 2012, 2011) is None
    assert said("The former.", "higher", 2012, 2011) == "Yes"


def test_words_of_the_question_compare_nothing():
    question = "Was Norland's share of people below the poverty line higher in 2011 than in 2012?"
    sentence = "In 2012, the share of people below the poverty line was higher than in 2011."
    assert judge_choice(sentence, OPTIONS, "(b)", question=question).verdict is Verdict.CORRECT


def test_yes_and_no_beside_not_knowing_are_none():
    for sentence in ("I don't know, no.", "No, I have no data.", "No idea."):
        assert judge_choice(
            sentence, OPTIONS, "(b)", question=QUESTION.format("higher", 2011, 2012)
        ).verdict is (Verdict.NOT_AVAILABLE)
    assert (said("I'm not sure, but no."), said("No, I don't think so.")) == ("No", "No")
