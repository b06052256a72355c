"""Where names stand, and where what looks like one is somebody else."""

import pytest

from freshness.facts import Value
from freshness.grading.mentions import find
from freshness.grading.names import asks_for_team, build_index, look_like_teams
from freshness.grading.scan import Strength
from freshness.grading.spelling import is_close, same_given_name, skeleton
from freshness.grading.text import fold, tokens


def named(answer: str, *labels: str, team: bool = False, question: str = "") -> list[str]:
    index = build_index([Value(label) for label in labels], team)
    text = tokens(answer)
    asked = frozenset(token.key for token in tokens(question))
    return [labels[min(m.values)] for m in find(index, text, asked)]


@pytest.mark.parametrize(
    "answer",
    ["Maria Elena Quist", "MARIA QUIST", "Quist, Maria", "Quist Maria", "M. Quist", "Mrs Quist",
     "President Quist", "Maria E. Quist", "maria quist", "quist", "Quist's",
     "Dr. Maria Quist MP", "María Quist"],
)  # fmt: skip
def test_a_person_is_named_in_many_ways(answer):
    assert named(answer, "Maria Quist") == ["Maria Quist"]


@pytest.mark.parametrize(
    "answer",
    ["Maria", "Peter Quist", "P. Quist", "Maria Quistgaard", "Quist Airport", "the Quist administration",
     "Mario Quist", "Maria Quist-Olsen", "University of Quist", "Quisting"],
)  # fmt: skip
def test_another_name_or_half_a_name_is_nobody(answer):
    assert named(answer, "Maria Quist") == []


@pytest.mark.parametrize(
    ("answer", "label"),
    [("Mohammed Al Nasser", "Mohamed Al-Nasir"), ("Alexey Kozlov", "Alexei Kozlov"),
     ("Dmitri Orlow", "Dmitry Orlov"), ("Jim Ravn", "James Ravn"), ("Сергей Орлов", "Sergei Orlov"),
     ("Michail Orlow", "Mikhail Orlov"),
     ("Jong Woo Han", "Jong-woo Han")],
)  # fmt: skip
def test_another_spelling_of_a_full_name_is_the_name(answer, label):
    assert named(answer, label) == [label]


@pytest.mark.parametrize(
    ("answer", "label"),
    [("Alexander Kozlova", "Aleksandr Kozlov"), ("Martin Brandt", "Martin Brand"), ("Orlow", "Dmitry Orlov"),
     ("Daniela Ravn", "Daniel Ravn"), ("Johan Johnston", "Johan Johnson")],
)  # fmt: skip
def test_another_person_whose_name_is_close_is_not(answer, label):
    assert named(answer, label) == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [("Han Seo-yeon", True), ("Seo-yeon Han", True), ("Han Seoyeon", True), ("President Han", True),
     ("Han Joo-yeon", False), ("Lim Seo-yeon", False), ("Han Seo", False), ("Seo-yeon", False)],
)  # fmt: skip
def test_a_family_name_first_needs_all_its_syllables(answer, found):
    assert (named(answer, "Han Seo-yeon") == ["Han Seo-yeon"]) is found


def test_a_bare_name_is_first_of_all_who_has_just_that_name():
    for answer, label in (
        ("Ada Long", "Ada Long"),
        ("Ada Long Jr.", "Ada Long Jr."),
        ("Ada Long Sr.", "Ada Long"),
    ):
        assert named(answer, "Ada Long", "Ada Long Jr.") == [label]
    assert named("Ada Long", "Ada Long Jr.") == ["Ada Long Jr."]


def test_ordinary_words_are_names_only_when_written_so():
    for answer in ("We may go in May 2020.", "May I help?", "on 3 May", "it may be", "Rice and beans"):
        assert named(answer, "Ann May", "Cleo Rice") == []
    assert named("May is prime minister", "Ann May") == ["Ann May"]


def test_the_longest_name_wins_and_equals_share_the_words():
    assert named("Robert Francis Ray", "Francis", "Robert Francis Ray") == ["Robert Francis Ray"]
    index = build_index([Value("Ada Long"), Value("Eve Long")], team=False)
    (mention,) = find(index, tokens("Mrs Long"), frozenset())
    assert mention.values == {0, 1}
    assert mention.strength is Strength.WEAK


@pytest.mark.parametrize(
    ("answer", "found"),
    [("Karl III", True), ("King Karl", False), ("Karl", False), ("Karl II", False), ("Karl the Third", True),
     ("King Karl III of Elsewhere", False)],
)  # fmt: skip
def test_a_monarch_needs_the_number(answer, found):
    assert (named(answer, "Karl III of Ruritania") == ["Karl III of Ruritania"]) is found


@pytest.mark.parametrize(
    ("answer", "found"),
    [("Rovaniemi", True), ("FC Rovaniemi", True), ("Rovaniemi S.C.", False), ("Rovaniemi B", False),
     ("Inter Rovaniemi", False), ("Rovaniemi United", False), ("Rovaniemi in the league", True)],
)  # fmt: skip
def test_a_club_is_itself_but_not_its_namesakes(answer, found):
    assert (named(answer, "FC Rovaniemi", team=True) == ["FC Rovaniemi"]) is found


def test_a_head_word_that_many_clubs_share_names_none():
    assert named("Norchester", "Norchester City F.C.", team=True) == []
    assert named("Man City", "Manchester City F.C.", team=True) == ["Manchester City F.C."]
    assert named("ABC", "Alton Brook Comets", team=True) == ["Alton Brook Comets"]
    assert named("AB Comets", "Alton Brook Comets", team=True) == ["Alton Brook Comets"]
    assert named("NY Comets", "Alton Brook Comets", team=True) == []


def test_words_of_the_question_neither_name_nor_lengthen():
    question = "Who is the chief executive of Quist Foods?"

    assert named("Quist Foods is led by her", "Maria Quist", question=question) == []


def test_teams_are_known_by_the_question_or_their_legal_forms():
    assert asks_for_team("Which club does she play for?")
    assert look_like_teams([Value("FC Rovaniemi"), Value("Kemi SC")])
    assert not look_like_teams([Value("Maria Quist")])


def test_spellings():
    assert skeleton(fold("Zelenskyy")) == skeleton(fold("Selenskyj"))
    assert skeleton("mario") != skeleton("maria")
    assert is_close("sergey", "sergei")
    assert not is_close("tim", "jim")
    assert same_given_name("jim") == {"james", "jimmy", "jamie"}
