"""The judge as a whole: the verdict a careful reader gives, and what it promises of every text."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from freshness.facts import Value, merge_terms, value_from_json
from freshness.grading import judge
from freshness.verdicts import Judgement, Verdict

ANSWERS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "answers.jsonl").read_text().split("\n")
    if line
]
NO_ANSWER = (Verdict.IRRELEVANT, Verdict.REFUSED, Verdict.UNREADABLE)


def values_of(case: dict) -> tuple[Value, ...]:
    return merge_terms(value_from_json(value) for value in case["values"])


def judged(case: dict) -> Judgement:
    return judge(
        case["answer"], values_of(case), date.fromisoformat(case["as_of"]), question=case["question"]
    )


def as_published(verdict: Verdict) -> str:
    """DyKnow knows three verdicts: no answer of any kind is irrelevant."""
    return "irrelevant" if verdict in NO_ANSWER else str(verdict)


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["id"])
def test_an_answer_is_judged_as_a_careful_reader_would(case):
    judgement = judged(case)

    assert as_published(judgement.verdict) == case["verdict"], (case["answer"], judgement)
    if case["verdict"] != "irrelevant":
        assert judgement.matched == case["matched"]


@needs_shared
def test_all_public_cases_are_judged_right():
    lines = (SHARED / "cases" / "answer_matching.jsonl").read_text().splitlines()
    wrong = []
    for case in map(json.loads, lines):
        judgement = judged(case["input"])
        found = {"verdict": as_published(judgement.verdict), "matched": judgement.matched}
        if found != case["expected"]:
            wrong.append((case["id"], found))

    assert wrong == []


@needs_shared
def test_temporal_cases_are_judged_as_of_their_date():
    for case in map(json.loads, (SHARED / "cases" / "temporal_qa.jsonl").read_text().splitlines()):
        given, expected = case["input"], case["expected"]
        if "values" not in given or not ({"verdict", "verdicts"} & expected.keys()):
            continue
        answers = given.get("answers") or [given["answer"]]
        found = [judged({"question": "", **given, "answer": answer}).verdict for answer in answers]
        assert found == (expected.get("verdicts") or [expected["verdict"]]), case["id"]


@needs_shared
def test_recorded_answers_get_the_verdict_that_readers_gave():
    facts = json.loads((SHARED / "dyknow" / "facts.json").read_text())
    known = {(f["category"], f["subject"], f["attribute"]): _club_values(f) for f in facts}
    right: dict[str, list[bool]] = {}
    for path in sorted((SHARED / "dyknow" / "answers").glob("*.jsonl")):
        for row in map(json.loads, path.read_text().splitlines()):
            if row["prompt"] == "generic" or row["verdict"] is None:
                continue
            values = known[row["category"], row["subject"], row["attribute"]]
            judgement = judge(row["answer"], values, date(2023, 12, 20), question=row["question"])
            right.setdefault(path.stem, []).append(as_published(judgement.verdict) == row["verdict"])

    every = [ok for rows in right.values() for ok in rows]
    assert sum(every) / len(every) >= 0.995
    assert {
        model: sum(rows) / len(rows) for model, rows in right.items() if sum(rows) / len(rows) < 0.985
    } == {}


def _club_values(fact: dict) -> tuple[Value, ...]:
    """Without national teams, as the paper has it; a point in time is the last that was seen of a value."""
    return merge_terms(
        value_from_json({**value, "end": value["end"] or value.get("point_in_time")})
        for value in fact["values"]
        if not (
            fact["category"].startswith("athletes")
            and ("national" in value["label"] or "Olympic" in value["label"])
        )
    )


OFFICE = tuple(
    value_from_json({"label": label, "start": start, "end": end})
    for label, start, end in (("Ada Longbottom", "2010", "2015-06-01"), ("Bo Karlsson", "2015-06-01", None))
)
TODAY = date(2024, 1, 1)


def test_an_outdated_answer_says_by_how_long_and_how_many_values_ago():
    values = (
        *OFFICE[:1],
        value_from_json({"label": "C. Ito", "start": "2015-06-01", "end": "2020-01-01"}),
        OFFICE[1],
    )

    judgement = judge("It is Ada Longbottom.", OFFICE, TODAY)

    assert (judgement.lag_days, judgement.lag_values) == ((TODAY - date(2015, 6, 1)).days, 1)
    assert judge("Ada Longbottom", values, TODAY, holders="one").lag_values == 2


def test_a_judgement_shows_the_words_that_decided():
    answer = "Let me think: **Bo Karlsson**, of course."

    judgement = judge(answer, OFFICE, TODAY)

    assert judgement.mention == "Bo Karlsson"
    assert judgement.span is not None
    assert answer[slice(*judgement.span)] == "Bo Karlsson"
    assert judgement.rule


@pytest.mark.parametrize(
    ("answer", "verdict", "rule"),
    [
        ("", Verdict.UNREADABLE, "empty"),
        ("   \n", Verdict.UNREADABLE, "empty"),
        ("<think>Could it be Bo Karlsson", Verdict.UNREADABLE, "still thinking"),
        ("I don't know who that is.", Verdict.REFUSED, "says it doesn't know"),
        ("I cannot confirm whether Bo Karlsson is still in office.", Verdict.REFUSED, "withheld"),
        ("The weather is fine.", Verdict.IRRELEVANT, "no name found"),
        ("It could be Ada Longbottom or Bo Karlsson.", Verdict.IRRELEVANT, "several named"),
    ],
)
def test_no_answer_is_told_apart_by_its_kind(answer, verdict, rule):
    judgement = judge(answer, OFFICE, TODAY)

    assert (judgement.verdict, judgement.rule) == (verdict, rule)
    assert judgement.matched is None


def test_a_cut_off_name_is_unreadable_only_when_the_model_was_cut_off():
    assert judge("Kar", OFFICE, TODAY, cut_off=True).verdict is Verdict.UNREADABLE
    assert judge("Kar", OFFICE, TODAY).verdict is Verdict.IRRELEVANT


def test_a_value_that_starts_later_is_neither_right_nor_outdated():
    judgement = judge("Bo Karlsson", OFFICE, date(2012, 1, 1))

    assert (judgement.verdict, judgement.rule) == (Verdict.IRRELEVANT, "not yet true")
    assert judge("Ada Longbottom", OFFICE, date(2012, 1, 1)).verdict is Verdict.CORRECT


def test_a_deprecated_value_is_no_fact():
    wrong = value_from_json({"label": "Cato Dunn", "start": "2015", "end": None, "rank": "deprecated"})

    assert judge("Cato Dunn", (*OFFICE, wrong), TODAY).rule == "deprecated value"


def test_a_shared_surname_means_the_one_who_holds_then():
    values = (
        value_from_json({"label": "Ada Longbottom", "start": "2000", "end": "2010"}),
        value_from_json({"label": "Eve Longbottom", "start": "2018", "end": None}),
    )

    assert judge("Longbottom", values, date(2020, 1, 1)).matched == "Eve Longbottom"
    assert judge("Longbottom", values, date(2014, 1, 1)).matched == "Ada Longbottom"
    assert judge("Longbottom Sr.", values, date(2020, 1, 1)).matched == "Ada Longbottom"


def test_joint_holders_are_both_right_and_may_both_be_named():
    values = tuple(
        value_from_json({"label": n, "start": "2020", "end": None}) for n in ("Ada Long", "Bo Karlsson")
    )

    for answer in ("Ada Long", "Bo Karlsson", "Ada Long and Bo Karlsson"):
        assert judge(answer, values, TODAY, holders="many").verdict is Verdict.CORRECT


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                "Ada",
                "Longbottom",
                "not",
                "<think>",
                "</think>",
                "was",
                "succeeded",
                "by",
                "(",
                ")",
                "[x](y)",
                "2019",
                "\n",
                ".",
                ",",
                "—",
                "习近平",
                "é",
            ]
        )
    ).map(" ".join)
)
def test_any_text_is_judged_and_its_span_is_its_mention(answer):
    judgement = judge(answer, OFFICE, TODAY, question="Who is the mayor?")

    if judgement.span is not None:
        assert answer[slice(*judgement.span)] == judgement.mention


@pytest.mark.parametrize(
    "piece",
    [
        "\n",
        "<",
        "<think>",
        "[x](",
        "a.",
        "Ada ",
        "or Bo ",
        "é",
        "http://",
        "&lt;think",
        "not ",
        "习近平",
        "(",
    ],
)
def test_a_megabyte_of_anything_is_judged_at_once(piece):
    # Quadratic work would take minutes here, so this ends only if there is none.
    for answer in (piece * (1_000_000 // len(piece)), piece * 5_000 + "@"):
        assert judge(answer, OFFICE, TODAY).verdict in Verdict


def test_names_of_the_bundled_snapshot_are_all_recognised():
    from freshness.grading.timeline import State, build
    from freshness.sources.bundled import Bundled

    snapshot = Bundled().fetch()
    day = snapshot.taken_at.date()
    missed = []
    for fact in snapshot.facts:
        timeline = build(fact.values, fact.holders)
        question = "Which team does she play for?" if fact.property == "P54" else "Who is it?"
        for at, value in enumerate(fact.values):
            if timeline.state(at, day.toordinal()) is State.FUTURE:
                continue
            for name in (value.label, *value.aliases):
                found = judge(
                    f"It is {name}.", fact.values, day, question=question, holders=fact.holders
                ).matched
                if found != value.label:
                    missed.append((fact.id, name, found))

    assert missed == []
