import json
from datetime import UTC, date, datetime

import pytest
from shared import SHARED, needs_shared

from freshness.catalog import load
from freshness.facts import Fact, Flaw, PartialDate, Rank, Snapshot, Subject, ValidityInterval, Value
from freshness.questions import Answer
from freshness.sources.bundled import Bundled
from freshness.suites.current import CurrentSuite, Missing, giving_away, missing, question_json
from freshness.verdicts import Verdict

AS_OF = date(2024, 1, 1)


def value(label, start, end=None, **keys):
    interval = ValidityInterval(PartialDate.parse(start), PartialDate.parse(end) if end else None)
    return Value(label, intervals=(interval,), **keys)


def italy(*values):
    fact = Fact("countries", Subject("Q38", "Italy"), "P6", values)
    return Snapshot("test", datetime(2024, 1, 1, tzinfo=UTC), (fact,))


MELONI = value("Giorgia Meloni", "2022-10-22")
DRAGHI = value("Mario Draghi", "2021-02-13", "2022-10-22", aliases=("Draghi",))


@pytest.fixture(scope="module")
def suite():
    return CurrentSuite(load(["countries"]))


def catalogue(tmp_path, prompts, name="Italy", more=""):
    path = tmp_path / "mine.toml"
    path.write_text(
        f'[[group]]\nname = "g"\nproperty = "P6"\nprompts = {json.dumps(prompts)}\n'
        f'subjects = [{{ id = "Q38", name = "{name}"{more} }}]\n',
        encoding="utf-8",
    )
    return load([str(path)])


def selected(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[group]]\nname = "mine"\nproperty = "P6"\nprompts = ["Who is the {office}?"]\n'
        'select = "SELECT ?subject { ?subject ?p ?o }"\n',
        encoding="utf-8",
    )
    return load([str(path)])


def test_a_question_has_three_prompts_and_its_key(suite):
    (question,) = suite.questions(italy(MELONI, DRAGHI), AS_OF)
    assert question.id == question.fact == "Q38/P6"
    assert (question.suite, question.group) == ("current", "countries")
    assert [prompt.id for prompt in question.prompts] == ["Q38/P6/p1", "Q38/P6/p2", "Q38/P6/p3"]
    assert (question.as_of, question.values, question.subject) == (AS_OF, (MELONI, DRAGHI), "Italy")
    assert question.prompts[0].text("chat").endswith("Answer with the name only.")


def test_the_generic_prompt_comes_when_asked_for():
    suite = CurrentSuite(load(["countries"]), include_generic=True)
    (question,) = suite.questions(italy(MELONI), AS_OF)
    assert [prompt.name for prompt in question.prompts] == ["p1", "p2", "p3", "generic"]


@pytest.mark.parametrize(
    "values",
    [
        (),
        (value("Later", "2024-06-01"),),
        (value("Wrong", "2020-01-01", rank=Rank.DEPRECATED),),
    ],
    ids=["no value", "begins later", "deprecated alone"],
)
def test_there_is_no_question_where_nothing_holds_or_held(suite, values):
    assert suite.questions(italy(*values), AS_OF) == []


@pytest.mark.parametrize(
    "values",
    [
        (value("Past", "2000", "2010"),),
        (Value("Ended", intervals=(ValidityInterval(ended=True),)),),
        (value("One", "2020-01-01"), value("Other", "2020-01-01")),
    ],
    ids=["vacant since", "ended, unknown when", "two at once"],
)
def test_a_quarantined_fact_is_not_asked_about_but_reported(suite, values):
    snapshot = italy(*values)
    assert suite.questions(snapshot, AS_OF) == []
    assert missing(suite.catalog, snapshot, AS_OF).quarantined == ("Q38/P6",)


def test_a_fact_can_be_quarantined_on_one_day_and_asked_about_on_another(suite):
    snapshot = italy(MELONI)
    assert missing(suite.catalog, snapshot, date(2020, 1, 1)).quarantined == ("Q38/P6",)
    assert missing(suite.catalog, snapshot).quarantined == ()
    assert len(suite.questions(snapshot, AS_OF)) == 1


def test_how_many_may_hold_it_at_once_is_the_catalogues_word(tmp_path):
    catalog = catalogue(tmp_path, ["Who leads {subject}?"], more=', holders = "many"')
    both = italy(value("One", "2020-01-01"), value("Other", "2020-01-01"))
    (question,) = CurrentSuite(catalog).questions(both, AS_OF)
    assert question.holders == "many"


def test_what_a_query_chose_is_asked_about_in_the_sources_words(tmp_path):
    catalog = selected(tmp_path)
    office = "Prime Minister of Italy"
    fact = Fact("mine", Subject("Q38", "Italy"), "P6", (MELONI, DRAGHI), office=office)
    snapshot = Snapshot("wikidata", datetime(2024, 1, 1, tzinfo=UTC), (fact,))
    (question,) = CurrentSuite(catalog).questions(snapshot, AS_OF)
    assert (question.group, question.subject) == ("mine", "Italy")
    assert [p.question for p in question.prompts] == ["Who is the Prime Minister of Italy?"]
    assert missing(catalog, snapshot) == Missing((), (), ())


def test_a_chosen_fact_whose_office_has_no_name_is_quarantined_not_unasked(tmp_path):
    fact = Fact("mine", Subject("Q38", "Italy"), "P6", (MELONI,), flaws=(Flaw("no_office_name", "no name"),))
    snapshot = Snapshot("wikidata", datetime(2024, 1, 1, tzinfo=UTC), (fact,))
    catalog = selected(tmp_path)
    assert CurrentSuite(catalog).questions(snapshot, AS_OF) == []
    absent = missing(catalog, snapshot)
    assert (absent.unknown, absent.unasked, absent.quarantined) == ((), (), ("Q38/P6",))


def test_an_office_named_after_its_holder_gives_itself_away(tmp_path):
    fact = Fact("mine", Subject("Q38", "Italy"), "P6", (MELONI,), office="office of Giorgia Meloni in Italy")
    snapshot = Snapshot("wikidata", datetime(2024, 1, 1, tzinfo=UTC), (fact,))
    assert CurrentSuite(selected(tmp_path)).questions(snapshot, AS_OF) == []


def test_facts_without_a_catalogue_entry_are_reported_and_so_is_the_reverse():
    catalog = load(["countries"])
    other = Fact("g", Subject("Q1", "X"), "P1", (MELONI,))
    snapshot = Snapshot("test", datetime(2024, 1, 1, tzinfo=UTC), (*italy(MELONI).facts, other))
    absent = missing(catalog, snapshot)
    assert absent.unasked == ("Q1/P1",)
    assert "Q38/P35" in absent.unknown
    assert "Q38/P6" not in absent.unknown
    assert len(CurrentSuite(catalog).questions(snapshot, AS_OF)) == 1


def test_a_prompt_that_names_an_answer_is_left_out(tmp_path):
    catalog = catalogue(tmp_path, ["Who leads {subject}?", "Has DRAGHI left {subject}?"])
    (question,) = CurrentSuite(catalog).questions(italy(MELONI, DRAGHI), AS_OF)
    assert [prompt.name for prompt in question.prompts] == ["p1"]


def test_a_fact_all_of_whose_prompts_name_an_answer_is_not_asked(tmp_path):
    catalog = catalogue(tmp_path, ["Does Mário Draghi lead {subject}?"])
    assert CurrentSuite(catalog).questions(italy(MELONI, DRAGHI), AS_OF) == []


def test_an_alias_inside_the_subjects_own_name_gives_nothing_away(tmp_path):
    catalog = catalogue(tmp_path, ["Who runs {subject}?"], name="Ford Motor Company")
    ford = value("William Clay Ford Jr.", "2001-10", aliases=("Ford",))
    assert len(CurrentSuite(catalog).questions(italy(ford), AS_OF)) == 1


def test_part_of_a_word_gives_nothing_away():
    assert giving_away(["Who heads Bushehr?", "Is it Bush?"], [Value("Bush")]) == [1]


def test_no_bundled_prompt_names_its_answer():
    suite = CurrentSuite(load(), include_generic=True)
    questions = suite.questions(Bundled().fetch(), Bundled().fetch().taken_at.date())
    assert len(questions) == len(Bundled().fetch().facts)
    assert all(len(question.prompts) == 4 for question in questions)


def test_an_answer_is_judged_by_the_questions_own_key(suite):
    (question,) = suite.questions(italy(MELONI, DRAGHI), AS_OF)
    prompt = question.prompts[0]
    judged = suite.judge(question, prompt, Answer("Mario Draghi", finish="stop"))
    assert (judged.verdict, judged.matched, judged.lag_values) == (Verdict.OUTDATED, "Mario Draghi", 1)
    assert suite.judge(question, prompt, Answer("Giorgia Meloni")).verdict is Verdict.CORRECT


def test_the_line_of_a_question_has_the_fields_of_the_interface(suite):
    (question,) = suite.questions(italy(DRAGHI), date(2022, 1, 1))
    line = json.loads(json.dumps(question_json(question)))
    assert line == {
        "id": "Q38/P6",
        "suite": "current",
        "group": "countries",
        "fact": "Q38/P6",
        "prompts": [prompt.question for prompt in question.prompts],
        "as_of": "2022-01-01",
        "values": [
            {
                "id": None,
                "label": "Mario Draghi",
                "aliases": ["Draghi"],
                "rank": "normal",
                "intervals": [{"start": "2021-02-13", "end": "2022-10-22"}],
            }
        ],
    }


@needs_shared
def test_paraphrases_that_contain_the_answer_are_the_known_ones():
    lines = (SHARED / "cases" / "temporal_qa.jsonl").read_text(encoding="utf-8").splitlines()
    known = next(c for c in map(json.loads, lines) if c["id"].startswith("tq-05"))
    values = [Value(label) for label in known["input"]["labels"]]
    assert giving_away(known["input"]["paraphrases"], values) == known["expected"]["rejected"]
