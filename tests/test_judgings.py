"""Answers judged by newer facts than those they were asked with, and which runs that concerns."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import event as sql_event
from stores import (
    DATABASES,
    NOW,
    TODAY,
    failed,
    judged,
    made_database,
    question,
    questions,
    run,
    snapshot,
    spans,
    trial,
)

from freshness.facts import Fact, Subject, Value
from freshness.store import open_store
from freshness.verdicts import Verdict

HOUR = timedelta(hours=1)
LATER = date(2026, 6, 1)


@pytest.fixture(params=DATABASES)
def store(request, tmp_path):
    with open_store(made_database(request.param, tmp_path), clock=lambda: NOW) as opened:
        yield opened


def fact(number, *labels, holders="one"):
    values = tuple(Value(label, (), spans(("2024", None))) for label in labels)
    return Fact("countries", Subject(f"Q{number}", f"Land {number}"), "P6", values, holders)


def asked(store, run_id="r1", numbers=(0, 1), status="finished", **changes):
    """A run with one answer to each question, all judged outdated."""
    store.start_run(run(run_id, **changes), [question(number) for number in numbers])
    store.add_trials(run_id, [trial(number) for number in numbers])
    if status != "running":
        store.finish_run(run_id, NOW, status)


def verdicts(word, *numbers):
    return {(f"Q{number}/P6", "p1"): judged(Verdict(word)) for number in numbers}


def labels(run):
    return [[value.label for value in one.values] for one in run.questions]


OWN = ["Giorgia Meloni", "Mario Draghi"]


# Judged by other facts


def test_a_run_judged_by_newer_facts_has_them_as_its_key(store):
    asked(store)
    key = snapshot(fact(1, "C", "D", holders="many"), fact(7, "X"), taken_at=NOW + HOUR)
    assert store.add_judgements("r1", "j2", LATER, verdicts("correct", 0, 1), key=key) == 2
    again = store.run("r1")
    assert labels(again) == [OWN, ["C", "D"]]
    assert [one.holders for one in again.questions] == ["one", "many"]
    assert [one.as_of for one in again.questions] == [LATER, LATER]
    assert (again.judge, again.as_of) == ("j2", LATER)
    told = (again.snapshot_source, again.snapshot_taken_at, again.snapshot_digest)
    assert told == ("wikidata", NOW + HOUR, key.digest)
    assert [one.judgement.verdict for one in again.trials] == ["correct", "correct"]
    (listed,) = store.runs()
    assert (listed.snapshot_source, listed.snapshot_digest) == ("wikidata", key.digest)
    own = question(1)
    assert replace(again.questions[1], values=own.values, holders=own.holders, as_of=own.as_of) == own


def test_what_it_was_asked_with_is_not_lost(store):
    asked(store)
    store.add_judgements("r1", "j2", LATER, verdicts("correct", 0, 1), key=snapshot(fact(0, "C")))
    own = store.run("r1", as_asked=True)
    assert own.questions == (question(0), question(1))
    assert (own.as_of, own.snapshot_source, own.snapshot_digest) == (TODAY, "bundled", "d" * 64)
    assert [one.judgement.verdict for one in own.trials] == ["correct", "correct"]


def test_only_facts_that_the_run_asked_about_are_stored_and_only_once(store):
    asked(store)
    asked(store, "r2", started_at=NOW + HOUR)
    key = snapshot(*(fact(number, "C") for number in range(50)))
    for run_id in ("r1", "r2"):
        store.add_judgements(run_id, "j2", TODAY, verdicts("outdated", 0, 1), key=key)
    rows = store.sizes().rows
    assert (rows["facts"], rows["judging_facts"], rows["judgings"]) == (2, 4, 4)


def test_the_same_verdicts_by_other_facts_are_another_judging(store):
    asked(store)
    same = verdicts("outdated", 0, 1)
    keys = [snapshot(fact(0, name)) for name in "AB"]
    for key in keys:
        assert store.add_judgements("r1", "j1", TODAY, same, key=key) == 0
        assert store.run("r1").snapshot_digest == key.digest
        before = store.sizes().rows
        assert store.add_judgements("r1", "j1", TODAY, same, key=replace(key, taken_at=NOW + HOUR)) == 0
        assert store.sizes().rows == before
    assert store.add_judgements("r1", "j1", TODAY, same) == 0
    assert store.run("r1").snapshot_digest == "d" * 64
    assert store.sizes().rows["judgings"] == 4


def test_a_judging_without_other_facts_goes_back_to_the_questions_own(store):
    asked(store)
    store.add_judgements("r1", "j2", LATER, verdicts("correct", 0, 1), key=snapshot(fact(0, "C")))
    store.add_judgements("r1", "j2", TODAY, verdicts("irrelevant", 0, 1))
    again = store.run("r1")
    assert again == replace(store.run("r1", as_asked=True))
    assert labels(again) == [OWN, OWN]
    assert [one.judgement.verdict for one in again.trials] == ["irrelevant", "irrelevant"]


def test_a_fact_without_values_is_a_key_too(store):
    asked(store)
    store.add_judgements("r1", "j2", TODAY, verdicts("irrelevant", 0, 1), key=snapshot(fact(0)))
    assert labels(store.run("r1")) == [[], OWN]


def test_two_facts_of_one_id_are_no_trouble(store):
    asked(store)
    key = snapshot(fact(0, "first"), replace(fact(0, "second"), group="others"))
    store.add_judgements("r1", "j2", TODAY, verdicts("irrelevant", 0, 1), key=key)
    assert labels(store.run("r1")) == [["first"], OWN]


# Runs about facts


def about(store, *numbers, suite="current"):
    found = store.runs_about([f"Q{number}/P6" for number in numbers], suite)
    return [(one.id, [asked.id[1:2] for asked in one.questions]) for one in found]


def test_the_newest_finished_run_about_each_fact_is_found_for_each_model(store):
    asked(store, "a1", (0, 1, 2), model="a", started_at=NOW)
    asked(store, "a2", (0, 1), model="a", started_at=NOW + HOUR)
    asked(store, "a3", (0,), "interrupted", model="a", started_at=NOW + 2 * HOUR)
    asked(store, "b1", (2, 0), model="b", started_at=NOW + HOUR / 2)
    asked(store, "c1", (5,), model="c")
    assert about(store, 0) == [("a2", ["0"]), ("b1", ["0"])]
    assert about(store, 0, 2) == [("a2", ["0"]), ("b1", ["2", "0"]), ("a1", ["2"])]
    assert about(store, 0, 1, 2, 3) == [("a2", ["0", "1"]), ("b1", ["2", "0"]), ("a1", ["2"])]
    assert about(store, 3) == about(store) == about(store, 0, suite="numeric") == []


def test_a_run_about_a_fact_comes_with_its_trials_as_they_are_judged_now(store):
    store.start_run(run(), questions(2))
    store.add_trials("r1", [trial(0, "p2"), trial(0, "p1"), failed(0, "p3"), trial(1)])
    store.finish_run("r1", NOW, "finished")
    new = {("Q0/P6", name): judged(Verdict.CORRECT) for name in ("p1", "p2")} | verdicts("correct", 1)
    store.add_judgements("r1", "j2", LATER, new, key=snapshot(fact(0, "C")))
    (found,) = store.runs_about({"Q0/P6"})
    whole = store.run("r1")
    assert found == replace(whole, questions=whole.questions[:1], trials=whole.trials[:3])
    assert [(one.prompt, one.judgement and one.judgement.verdict) for one in found.trials] == [
        ("p1", "correct"),
        ("p2", "correct"),
        ("p3", None),
    ]
    assert labels(found) == [["C"]]


def test_of_two_runs_begun_at_once_the_later_one_counts(store):
    asked(store, "r1")
    asked(store, "r2")
    assert about(store, 0, 1) == [("r2", ["0", "1"])]


def test_one_model_behind_two_addresses_is_one_model(store):
    for number, spec in enumerate(("http://host/v1#m", "local:m")):
        store.start_run(run(f"r{number}", started_at=NOW + number * HOUR), [question()], spec=spec)
        store.finish_run(f"r{number}", NOW, "finished")
    assert about(store, 0) == [("r1", ["0"])]


def test_finding_runs_takes_as_many_queries_for_one_as_for_many(store):
    for number in range(12):
        asked(store, f"r{number}", range(20), model=f"m{number % 4}", started_at=NOW + number * HOUR)
    statements = []
    sql_event.listen(store._engine, "before_cursor_execute", lambda *about: statements.append(about[2]))
    assert about(store, 0) == [(f"r{number}", ["0"]) for number in (11, 10, 9, 8)]
    for_one = len(statements)
    assert len(about(store, *range(20))) == 4
    assert len(statements) == 2 * for_one


def test_many_facts_are_more_than_fit_into_one_statement(store):
    asked(store, "r1", range(1200))
    (found,) = store.runs_about([f"Q{number}/P6" for number in range(4_000)])
    assert found == store.run("r1")
