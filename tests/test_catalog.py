import json
import re

import pytest
from shared import SHARED, needs_shared

from freshness.catalog import BUILT_IN, GENERIC, fill, load
from freshness.errors import UsageError

GROUP = """
[[group]]
name = "countries"
property = "P6"
holders = "one"
prompts = ["Who is the {office}?", "Who leads {subject}?"]
completions = ["The {office} is", "{subject} is led by"]
subjects = [{ id = "Q55", name = "Netherlands", called = "the Netherlands", office = "Premier" }]
"""


def read(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load([str(path)])


def test_prompts_are_filled_in_both_styles(tmp_path):
    first, second = read(tmp_path, GROUP).entries[0].prompts
    assert (first.id, first.name) == ("Q55/P6/p1", "p1")
    assert first.text("chat") == "Who is the Premier? Answer with the name only."
    assert second.text("completion") == "the Netherlands is led by"


def test_a_subject_keeps_the_name_without_its_article(tmp_path):
    entry = read(tmp_path, GROUP).entries[0]
    assert (entry.subject.name, entry.called, entry.fact) == ("Netherlands", "the Netherlands", "Q55/P6")


def test_without_completions_a_completion_model_gets_the_question(tmp_path):
    text = re.sub("completions = .*\n", "", GROUP)
    prompt = read(tmp_path, text).entries[0].prompts[0]
    assert prompt.text("completion") == "Question: Who is the Premier?\nAnswer:"


def test_holders_can_differ_for_one_subject(tmp_path):
    entry = read(tmp_path, GROUP.replace("office =", 'holders = "many", office =')).entries[0]
    assert entry.holders == "many"


def test_all_that_is_built_in_loads_by_default():
    catalog = load()
    groups = {entry.group for entry in catalog.entries}
    assert groups == set(BUILT_IN)
    assert len(catalog.entries) >= 150


def test_built_in_facts_have_three_paraphrases_and_a_generic_one():
    for entry in load().entries:
        assert [prompt.name for prompt in entry.prompts] == ["p1", "p2", "p3", GENERIC]
        assert len({prompt.question for prompt in entry.prompts}) == 4
        assert len({prompt.completion for prompt in entry.prompts}) == 4


def test_built_in_questions_are_questions_and_completions_beginnings():
    for entry in load().entries:
        for prompt in entry.prompts:
            assert prompt.question.endswith("?")
            assert not prompt.completion.endswith((".", "?", " "))
            assert not re.search(
                r"[{}]|\bthe the\b|\bof (?:United|Philippines|Netherlands)\b",
                prompt.question + prompt.completion,
            )


def test_countries_are_asked_with_the_office_and_the_generic_prompt_without():
    italy = load(["countries"]).find("Q38/P35")
    assert italy is not None
    assert all("President of Italy" in p.question for p in italy.prompts[:3])
    assert "President" not in italy.prompts[3].question


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "countries"', 'nmae = "countries"', r"group\[0\]\.nmae"),
        (
            'office = "Premier',
            'ofice = "Premier',
            r"subjects\[0\]\.ofice; did you mean 'office'\?",
        ),
        ('id = "Q55"', 'id = "55"', r"subjects\[0\]\.id must be a Wikidata item such as Q38"),
        (
            'property = "P6"',
            'property = "head"',
            r"property must be a Wikidata property such as P6",
        ),
        ('holders = "one"', 'holders = "two"', r"holders must be 'one' or 'many'"),
        ('["Who is the {office}?", "Who leads {subject}?"]', "[]", r"group\[0\]\.prompts must not be empty"),
        ('"{subject} is led by"', "", r"2 prompts but 1 completions"),
        ("Who leads {subject}?", "Who leads {subjet}?", r"Q55: template_field_missing: subjet"),
        ("Who leads {subject}?", "Who leads {subject.id}?", r"template_field_missing: subject\.id"),
        ("Who leads {subject}?", "Who leads {subject!r}?", r"template_field_missing: subject"),
        ("Who leads {subject}?", "Who leads {subject?", r"template .*Who leads"),
        (', office = "Premier"', "", r"template_field_missing: office"),
        ("prompts = [", "prompts = ", r"mine.toml: "),
        ("subjects = [", 'select = "SELECT ?subject { }"\nsubjects = [', r"subjects or select, not both"),
        ("[[group]]", "[group]", r"group must be a list"),
        ('name = "countries"', "", r"group\[0\]\.name is missing"),
        ('name = "countries"', "name = 3", r"group\[0\]\.name must be text in quotes"),
        ("holders =", '"\\u001b[2J\\n" = 1\nholders =', r"unknown key group\[0\]\.'\\x1b\[2J\\n'"),
    ],
)
def test_a_fault_is_told_with_file_and_key(tmp_path, old, new, said):
    assert old in GROUP
    with pytest.raises(UsageError, match=said) as caught:
        read(tmp_path, GROUP.replace(old, new))
    assert "mine.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_select_is_known_but_needs_the_live_source(tmp_path):
    text = re.sub("subjects = .*", 'select = "SELECT ?subject { ?subject wdt:P31 wd:Q6256 }"', GROUP)
    with pytest.raises(UsageError, match="select needs the live Wikidata source"):
        read(tmp_path, text)


def test_a_fact_that_comes_twice_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"Q55/P6 .* asked about twice"):
        read(tmp_path, GROUP + GROUP)


@pytest.mark.parametrize("name", ["nowhere.toml", "contries"])
def test_an_unknown_catalogue_is_told_with_those_there_are(name):
    with pytest.raises(UsageError, match=f"catalogue {name}: .*countries, athletes"):
        load([name])


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        load([str(path)])


def test_braces_can_be_written():
    assert fill("{{{a}}}", {"a": "x"}) == "{x}"


def case(identity):
    lines = (SHARED / "cases" / "temporal_qa.jsonl").read_text(encoding="utf-8").splitlines()
    return next(c for c in map(json.loads, lines) if c["id"].startswith(identity))


@needs_shared
def test_an_unfilled_placeholder_is_never_sent():
    known = case("tq-04")
    with pytest.raises(UsageError, match=known["expected"]["error"]):
        fill(known["input"]["template"], known["input"]["fields"])


@needs_shared
def test_built_in_ids_are_the_ones_known_to_be_right():
    rows = (SHARED / "wikidata" / "subjects.tsv").read_text(encoding="utf-8").splitlines()[1:]
    sure = {row.split("\t")[0] for row in rows}
    assert {entry.subject.id for entry in load().entries} <= sure
