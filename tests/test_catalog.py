import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
import rdflib
from shared import SHARED, needs_shared

from freshness.catalog import BUILT_IN, EXTRA, GENERIC, fill, load
from freshness.errors import UsageError
from freshness.facts import Fact, Snapshot, Subject

GROUP = """
[[group]]
name = "countries"
property = "P6"
holders = "one"
prompts = ["Who is the {office}?", "Who leads {subject}?"]
completions = ["The {office} is", "{subject} is led by"]
subjects = [{ id = "Q55", name = "Netherlands", called = "the Netherlands", office = "Premier" }]
"""
QUERY = "SELECT ?subject { ?subject <http://www.wikidata.org/prop/direct/P31> ?kind }"
CHOSEN = re.sub("subjects = .*", f'select = "{QUERY}"', GROUP)


def chosen(subject="Q29", name="Spain", office="Prime Minister of Spain", group="countries"):
    return Fact(group, Subject(subject, name), "P6", (), office=office)


def snapshot(*facts):
    return Snapshot("wikidata", datetime(2026, 9, 14, tzinfo=UTC), facts)


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
    assert len({entry.subject.id for entry in catalog.entries}) >= 220
    assert catalog.selectors == ()


def test_built_in_subjects_are_asked_about_once_for_each_property():
    asked = Counter((entry.subject.id, entry.property) for entry in load().entries)
    assert max(asked.values()) == 1


def test_the_docs_count_what_there_is():
    docs = (Path(__file__).parents[1] / "docs" / "facts.md").read_text(encoding="utf-8")
    table = docs.partition("| name | asks | property | facts |")[2]
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([P\d, ]+) \| (\d+) \|$", table, re.MULTILINE)
    entries = load().entries
    for name, properties, count in rows:
        group = [entry for entry in entries if entry.group == name]
        assert {entry.property for entry in group} == set(properties.split(", "))
        assert len(group) == int(count)
    assert [name for name, _, _ in rows] == list(BUILT_IN)
    subjects = {entry.subject.id for entry in entries}
    assert f"{len(entries)} facts about {len(subjects)} subjects" in docs


def test_one_subject_has_one_name_in_all_built_in_groups():
    names = {}
    for entry in load().entries:
        called = names.setdefault(entry.subject.id, (entry.subject.name, entry.called))
        assert called == (entry.subject.name, entry.called)


def test_built_in_names_are_clean():
    for entry in load().entries:
        assert entry.called.endswith(entry.subject.name) or entry.subject.id in CALLED_OTHERWISE
        assert entry.called == " ".join(entry.called.split())


CALLED_OTHERWISE = {"Q30", "Q53536", "Q1130849", "Q9617", "Q9616"}
"""The United States of America, the Federal Reserve System, and clubs whose bare name is also a town's."""


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
        ("subjects = [", 'select = ""\nsubjects = [', r"subjects or select, not both"),
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


def test_a_group_without_subjects_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no subjects"):
        read(tmp_path, re.sub("subjects = .*", "", GROUP))


def test_a_query_can_choose_the_subjects(tmp_path):
    catalog = read(tmp_path, CHOSEN)
    (selector,) = catalog.selectors
    assert catalog.entries == ()
    assert (selector.group, selector.property, selector.holders) == ("countries", "P6", "one")
    assert (selector.query, selector.needs_office) == (QUERY, True)


@pytest.mark.parametrize(
    "query",
    [
        "select distinct ?subject { ?subject ?p ?o }",
        "SELECT (?x AS ?subject) WHERE { ?x ?p ?o }",
        "SELECT $subject { $subject ?p ?o }",
        " \n# which\nPREFIX wd: <http://www.wikidata.org/entity/>\nprefix : <http://x/#>\n"
        "BASE <http://y/> SELECT ?subject { ?subject ?p wd:Q1 }",
    ],
)
def test_any_select_query_that_binds_the_subject_is_taken(tmp_path, query):
    assert read(tmp_path, CHOSEN.replace(f'"{QUERY}"', f"'''{query}'''")).selectors[0].query == query


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "must be a SPARQL SELECT query that binds \\?subject"),
        ("SELECT ?item { ?item ?p ?o }", "binds \\?subject"),
        ("SELECT ?subjects { ?subjects ?p ?o }", "binds \\?subject"),
        ("CONSTRUCT { ?subject ?p ?o } WHERE { ?subject ?p ?o }", "a SPARQL SELECT query"),
        ("DELETE { ?subject ?p ?o } WHERE { SELECT ?subject {} }", "a SPARQL SELECT query"),
        ("# SELECT ?subject {}", "a SPARQL SELECT query"),
        ("SELECT ?subject { }" + " " * 5000, "5019 characters; 5000 are allowed"),
        ("PREFIX a: <http://a/> " * 200 + "ASK { ?subject ?p ?o }", "a SPARQL SELECT query"),
    ],
)
def test_a_query_that_chooses_nothing_is_refused(tmp_path, query, said):
    with pytest.raises(UsageError, match=said) as caught:
        read(tmp_path, CHOSEN.replace(QUERY, query))
    assert "mine.toml, group 'countries' P6" in str(caught.value)


def test_a_template_that_no_chosen_subject_can_fill_is_refused_when_loading(tmp_path):
    with pytest.raises(UsageError, match=r"group 'countries' P6: template_field_missing: subjet"):
        read(tmp_path, CHOSEN.replace("Who leads {subject}?", "Who leads {subjet}?"))


def test_two_groups_to_be_chosen_can_share_a_name_but_not_the_property_too(tmp_path):
    other = CHOSEN.replace("P6", "P35")
    assert [s.property for s in read(tmp_path, CHOSEN + other).selectors] == ["P6", "P35"]
    with pytest.raises(UsageError, match=r"group 'countries' P6: chosen by select twice"):
        read(tmp_path, CHOSEN + other + CHOSEN)


def test_what_a_query_chose_becomes_an_entry_with_the_sources_own_words(tmp_path):
    catalog = read(tmp_path, CHOSEN).completed(snapshot(chosen()))
    (entry,) = catalog.entries
    assert (entry.fact, entry.group, entry.subject) == ("Q29/P6", "countries", Subject("Q29", "Spain"))
    assert [p.question for p in entry.prompts] == ["Who is the Prime Minister of Spain?", "Who leads Spain?"]
    assert [p.id for p in entry.prompts] == ["Q29/P6/p1", "Q29/P6/p2"]
    assert catalog.completed(snapshot(chosen())) == catalog


def test_braces_in_a_chosen_subjects_name_are_no_placeholders(tmp_path):
    entry = read(tmp_path, CHOSEN).completed(snapshot(chosen(name="{office} {x}"))).entries[0]
    assert entry.prompts[1].question == "Who leads {office} {x}?"


def test_a_chosen_subject_whose_office_has_no_name_is_no_entry(tmp_path):
    catalog = read(tmp_path, CHOSEN)
    assert catalog.completed(snapshot(chosen(office=None))).entries == ()
    with pytest.raises(UsageError, match="template_field_missing: office"):
        catalog.selectors[0].entry(Subject("Q29", "Spain"), None)


def test_an_office_is_needed_only_where_a_prompt_names_it(tmp_path):
    text = CHOSEN.replace("Who is the {office}?", "Who governs {subject}?").replace(
        "The {office} is", "{subject} is governed by"
    )
    catalog = read(tmp_path, text)
    assert not catalog.selectors[0].needs_office
    assert len(catalog.completed(snapshot(chosen(office=None))).entries) == 1


def test_only_facts_of_the_chosen_group_are_added(tmp_path):
    other = Fact("countries", Subject("Q29", "Spain"), "P35", (), office="King of Spain")
    catalog = read(tmp_path, CHOSEN)
    assert catalog.completed(snapshot(other, chosen(group="mine"))).entries == ()
    assert catalog.selector(other) is None


def test_a_listed_fact_wins_over_the_same_one_chosen(tmp_path):
    catalog = read(tmp_path, GROUP + CHOSEN)
    both = catalog.completed(snapshot(chosen("Q55", "Nederland"), chosen()))
    assert [(e.fact, e.called) for e in both.entries] == [
        ("Q55/P6", "the Netherlands"),
        ("Q29/P6", "Spain"),
    ]


WORLD = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
"""


def quantity(subject, number, amount, unit="Q4917", best=True, property_id="P2131"):
    rank = "a wikibase:BestRank ; " if best else ""
    return (
        f"wd:{subject} p:{property_id} <urn:{subject}-{number}> . <urn:{subject}-{number}> {rank}"
        f"psv:{property_id} [ wikibase:quantityAmount {amount}.0 ; wikibase:quantityUnit wd:{unit} ] .\n"
    )


def run(query, turtle):
    graph = rdflib.Graph().parse(data=WORLD + turtle, format="turtle")
    return [str(row.subject).rpartition("/")[2] for row in graph.query(query)]


def test_the_largest_countries_are_sovereign_states_by_dollars_once_each():
    state, government = load(["largest-countries"]).selectors
    world = "".join(f"wd:Q{n} wdt:P31 wd:Q3624078 . " + quantity(f"Q{n}", 1, n) for n in range(100, 160))
    world += quantity("Q155", 2, 1000) + quantity("Q100", 2, 5000, best=False)
    world += quantity("Q101", 2, 5000, unit="Q8146") + quantity("Q1", 1, 9000)
    world += "wd:Q2 wdt:P31 wd:Q3624078 ; wdt:P576 '1991-12-26' . " + quantity("Q2", 1, 9000)
    world += "wd:Q155 wdt:P1906 wd:Q7 ; wdt:P1313 wd:Q7 . wd:Q159 wdt:P1906 wd:Q8 ; wdt:P1313 wd:Q9 . "
    expected = ["Q155", *(f"Q{n}" for n in range(159, 109, -1) if n != 155)]
    assert run(state.query, world) == expected
    assert run(government.query, world) == expected[1:]


def test_the_largest_companies_are_compared_across_currencies():
    (selector,) = load(["largest-companies"]).selectors
    world = "".join(
        f"wd:Q{n} wdt:P169 wd:Q5 . " + quantity(f"Q{n}", 1, n, property_id="P2139") for n in range(100, 130)
    )
    world += "wd:Q3 wdt:P169 wd:Q5, wd:Q6 . " + quantity("Q3", 1, 45_000, "Q8146", property_id="P2139")
    world += "wd:Q4 wdt:P169 wd:Q5 . " + quantity("Q4", 1, 120, "Q4916", property_id="P2139")
    world += quantity("Q9", 1, 9000, property_id="P2139")
    found = run(selector.query, world)
    assert found[:3] == ["Q3", "Q4", "Q129"]
    assert len(found) == len(set(found)) == 20


def test_what_is_chosen_by_a_built_in_query_is_asked_with_three_paraphrases_and_a_generic_one():
    for selector in load(EXTRA).selectors:
        entry = selector.entry(Subject("Q29", "Spain"), "Prime Minister of Spain")
        assert [prompt.name for prompt in entry.prompts] == ["p1", "p2", "p3", GENERIC]
        assert all(prompt.question.endswith("?") for prompt in entry.prompts)


def test_no_group_that_is_chosen_shares_its_name_with_a_listed_one():
    listed = {entry.group for entry in load().entries}
    assert not listed & {selector.group for selector in load(EXTRA).selectors}


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
