"""Which of the names in an answer is the answer."""

from datetime import date

import pytest

from freshness.facts import value_from_json
from freshness.grading import judge

VALUES = tuple(
    value_from_json({"label": label, "start": start, "end": end})
    for label, start, end in (
        ("Ada Longbottom", "2010-01-01", "2015-06-01"),
        ("Bo Karlsson", "2015-06-01", "2021-03-04"),
        ("Cato Dunn", "2021-03-04", None),
    )
)
QUESTION = "Who is the Prime Minister of Freedonia?"


def chosen(answer: str) -> str | None:
    matched = judge(answer, VALUES, date(2024, 1, 1), question=QUESTION).matched
    return matched.split()[0] if matched else None


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Not Bo Karlsson but Cato Dunn.", "Cato"),
        ("It's no longer Bo Karlsson: Cato Dunn took over.", "Cato"),
        ("Cato Dunn, not Bo Karlsson.", "Cato"),
        ("There is no doubt: Cato Dunn.", "Cato"),
        ("Bo Karlsson is no longer in office.", None),
        ("Many think of Ada Longbottom, but she has not been it since 2015; that is Cato Dunn.", "Cato"),
    ],
)
def test_denials_govern_their_own_name(answer, name):
    assert chosen(answer) == name


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Bo Karlsson was succeeded by Cato Dunn.", "Cato"),
        ("Cato Dunn succeeded Bo Karlsson.", "Cato"),
        ("Bo Karlsson, who succeeded Ada Longbottom in 2015.", "Bo"),
        ("After Ada Longbottom resigned, Bo Karlsson became prime minister.", "Bo"),
        ("Bo Karlsson wurde von Cato Dunn abgelöst.", "Cato"),
        ("Bo Karlsson fue reemplazado por Cato Dunn.", "Cato"),
        ("Bo Karlsson was succeeded by Eve Somebody.", None),
        ("He succeeded Bo Karlsson.", None),
    ],
)
def test_of_a_succession_the_latest_counts(answer, name):
    assert chosen(answer) == name


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Ada Longbottom (2010-2015), Bo Karlsson (2015-2021), Cato Dunn (2021-present)", "Cato"),
        ("- 2010–2015: Ada Longbottom\n- 2015–2021: Bo Karlsson", "Bo"),
        ("| Name | Term |\n|---|---|\n| Ada Longbottom | 2010–2015 |\n| Cato Dunn | 2021– |", "Cato"),
        ("Ada Longbottom, Bo Karlsson, Cato Dunn", None),
        ("1. Ada Longbottom\n2. Bo Karlsson\n3. Cato Dunn", None),
        ("either Bo Karlsson or Cato Dunn", None),
        ("Cato Dunn\nBo Karlsson", "Cato"),
        ("Past ones are Ada Longbottom and Bo Karlsson. The current prime minister is Cato Dunn.", "Cato"),
    ],
)
def test_a_list_answers_only_with_dates_or_a_choice(answer, name):
    assert chosen(answer) == name


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("The Prime Minister of Freedonia is Bo Karlsson.", "Bo"),
        ("Bo Karlsson\n\nQ: Who came before?\nA: Ada Longbottom", "Bo"),
        ("Bo Karlsson.\nThe name of the current Prime Minister of Sylvania is Cato Dunn.", "Bo"),
        ("Eve Somebody. She is the daughter of Bo Karlsson.", None),
        ("the son of the late Ada Longbottom", "Ada"),
        ("Eve Somebody. The current President is Cato Dunn.", None),
        ("The deputy is Bo Karlsson; the Prime Minister is Cato Dunn.", "Cato"),
        ("Cato Dunn may return, but Bo Karlsson is the current prime minister.", "Bo"),
        ("As of my last update in 2019, it was Bo Karlsson.", "Bo"),
        ("It might be Bo Karlsson.", "Bo"),
        ("I can't say if Bo Karlsson is still prime minister.", None),
        ("Candidates: A) Ada Longbottom B) Bo Karlsson\nAnswer: B) Bo Karlsson", "Bo"),
        ('{"previous": "Bo Karlsson", "prime_minister": "Cato Dunn"}', "Cato"),
    ],
)
def test_the_context_says_which_name_is_meant(answer, name):
    assert chosen(answer) == name


def test_a_name_from_the_question_is_no_answer():
    question = "Who succeeded Bo Karlsson as Prime Minister of Freedonia?"
    answer = "The person who succeeded Bo Karlsson as Prime Minister of Freedonia is Cato Dunn."

    assert judge(answer, VALUES, date(2024, 1, 1), question=question).matched == "Cato Dunn"


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("I can't verify that, but Cato Dunn is the prime minister.", "Cato"),
        ("I'm not sure if this is still so. However, it was Bo Karlsson.", "Bo"),
        ("I cannot confirm whether that has changed, but my best guess is Cato Dunn.", "Cato"),
        ("I can't say whether it is Cato Dunn.", None),
        ("Sorry, but I can't confirm that Cato Dunn is in office.", None),
    ],
)
def test_a_name_behind_a_hedge_and_a_turn_is_said(answer, name):
    assert chosen(answer) == name
