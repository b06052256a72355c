"""The history: what goes in comes out, nothing is asked twice, what was known when."""

import sqlite3
import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from stores import (
    DATABASES,
    ITALY,
    NOW,
    TODAY,
    failed,
    italy,
    judged,
    later,
    made_database,
    question,
    questions,
    run,
    snapshot,
    spans,
    trial,
    trials,
)

from freshness.errors import StoreError, StoreWriteError, UsageError
from freshness.facts import Fact, Flaw, FlawKind, PartialDate, Rank, Subject, ValidityInterval, Value
from freshness.history import tally
from freshness.store import NOT_KEPT, open_store
from freshness.store.engine import writing
from freshness.store.lease import LEASE, Owner, may_be_alive
from freshness.store.scrub import scrub, scrub_all
from freshness.verdicts import Verdict

HOUR = timedelta(hours=1)
HOSTILE = "\ud800 \x00 <script> \u202e ' ; DROP TABLE trials; -- \N{PILE OF POO}" + "x" * 100_000


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return made_database(request.param, tmp_path)


@pytest.fixture
def store(url):
    with open_store(url, clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def lite(tmp_path):
    with open_store(made_database("sqlite", tmp_path), clock=lambda: NOW) as opened:
        yield opened


def labels(observed):
    return None if observed is None else [value.label for value in observed.fact.values]


def holder(name, start="2020", end=None):
    return Value(name, (), spans((start, end)))


# Snapshots and facts as observed


def test_a_snapshot_comes_back_as_it_was(store):
    values = (
        Value("A", ("a", "Ä"), spans(("2021", "2022-10"), ("2023-01-05", None)), Rank.PREFERRED, "Q1"),
        Value("B", (), spans((None, "unknown"))),
        Value("C", (), spans(("-0044-03-15", "1066")), Rank.DEPRECATED, "Q3"),
        Value("D", (), ()),
    )
    taken = snapshot(
        italy(*values), Fact("clubs", Subject("Q7", "X"), "P54", (), "many"), italy(name="Italia")
    )
    assert store.save_snapshot(taken, NOW)
    assert store.latest_snapshot() == taken
    assert store.snapshot(taken.digest) == taken


def partial_dates():
    days = st.dates().map(PartialDate.from_date)
    months = st.builds(PartialDate, st.integers(-9999, 9999), st.integers(1, 12))
    return st.one_of(days, months, st.builds(PartialDate, st.integers(-99999, 99999)))


def intervals():
    bound = st.none() | partial_dates()
    open_or_closed = st.builds(ValidityInterval, bound, bound)
    return open_or_closed | st.builds(ValidityInterval, bound, st.none(), st.just(True))


def facts():
    # NUL and lone surrogates are replaced on the way in; everything else must come back.
    words = st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=8
    )
    spans_of_value = st.lists(intervals(), max_size=3).map(tuple)
    aliases = st.lists(words, max_size=2).map(tuple)
    value = st.builds(Value, words, aliases, spans_of_value, st.sampled_from(Rank), st.none() | words)
    subject = st.builds(Subject, words, words)
    values = st.lists(value, max_size=3).map(tuple)
    held_back = st.none() | st.builds(replace, value, aliases=st.just(()), label=words.map("Q{}".format))
    flaws = st.lists(st.builds(Flaw, st.sampled_from(get_args(FlawKind)), words, held_back), max_size=2)
    holders = st.sampled_from(["one", "many"])
    dissolved = st.none() | partial_dates()
    return st.builds(
        Fact, words, subject, words, values, holders, st.none() | words, dissolved, flaws.map(tuple)
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(facts(), min_size=1, max_size=4))
def test_any_facts_come_back_as_they_were(lite, some):
    taken = snapshot(*some)
    lite.save_snapshot(taken, NOW)
    assert lite.snapshot(taken.digest) == taken
    assert lite.latest_snapshot().digest == taken.digest


def test_the_same_facts_seen_again_are_the_same_snapshot(store):
    assert store.save_snapshot(snapshot(taken_at=NOW), NOW)
    before = store.sizes().rows
    assert not store.save_snapshot(snapshot(taken_at=NOW + HOUR), NOW + HOUR)
    assert store.sizes().rows == before
    assert store.latest_snapshot().taken_at == NOW + HOUR
    seen = store.fact_as_observed("Q38", "P6", NOW + 2 * HOUR)
    assert (seen.first_seen, seen.last_seen, seen.taken_at) == (NOW, NOW + HOUR, NOW + HOUR)


def test_what_did_not_change_is_stored_once(store):
    france = Fact("countries", Subject("Q142", "France"), "P35", (holder("Macron"),))
    store.save_snapshot(snapshot(italy(), france), NOW)
    store.save_snapshot(snapshot(italy(holder("Elly Schlein"), *ITALY), france), NOW + HOUR)
    rows = store.sizes().rows
    assert (rows["snapshots"], rows["snapshot_facts"], rows["facts"], rows["fact_values"]) == (2, 4, 3, 6)


def test_a_fact_is_shown_as_it_was_on_record_at_the_time(store):
    for hours, name in ((0, "A"), (2, "B"), (4, "A")):
        seen_at = NOW + hours * HOUR
        assert store.save_snapshot(snapshot(italy(holder(name)), taken_at=seen_at), seen_at)
    asked = [store.fact_as_observed("Q38", "P6", NOW + hours * HOUR) for hours in (-1, 0, 1, 2, 3, 4, 9)]
    assert [labels(seen) for seen in asked] == [None, ["A"], ["A"], ["B"], ["B"], ["A"], ["A"]]
    assert [labels(seen) for seen in store.fact_history("Italy", "P6")] == [["A"], ["B"], ["A"]]


def test_a_corrected_interval_leaves_the_old_one_on_record(store):
    store.save_snapshot(snapshot(italy(holder("A", "2020"))), NOW)
    store.save_snapshot(snapshot(italy(holder("A", "2020-03-01"))), NOW + HOUR)
    starts = [
        str(store.fact_as_observed("Q38", "P6", at).fact.values[0].intervals[0].start)
        for at in (NOW, NOW + HOUR)
    ]
    assert starts == ["2020", "2020-03-01"]


def test_a_fact_that_did_not_change_was_first_seen_before_its_snapshot(store):
    for hours, other in enumerate("ABC"):
        france = Fact("countries", Subject("Q142", "France"), "P35", (holder(other),))
        store.save_snapshot(snapshot(italy(), france), NOW + hours * HOUR)
    seen = store.fact_as_observed("Q38", "P6", NOW + 9 * HOUR)
    assert (seen.first_seen, seen.last_seen) == (NOW, NOW + 2 * HOUR)


def test_a_source_that_leaves_a_fact_out_has_not_taken_it_back(store):
    store.save_snapshot(snapshot(italy()), NOW)
    store.save_snapshot(snapshot(Fact("countries", Subject("Q142", "France"), "P35", ())), NOW + HOUR)
    assert labels(store.fact_as_observed("Q38", "P6", NOW + 2 * HOUR)) == ["Giorgia Meloni", "Mario Draghi"]


def test_of_two_sources_the_one_about_the_later_moment_counts(store):
    bundled = snapshot(italy(holder("old")), source="bundled", taken_at=NOW - 90 * 24 * HOUR)
    store.save_snapshot(bundled, NOW)
    store.save_snapshot(snapshot(italy(holder("new")), taken_at=NOW), NOW)
    store.save_snapshot(bundled, NOW + HOUR)
    assert store.latest_snapshot().source == "wikidata"
    assert store.latest_snapshot("bundled") == bundled
    assert store.latest_snapshot("owid") is None
    assert labels(store.fact_as_observed("Q38", "P6", NOW + 2 * HOUR)) == ["new"]


def test_observed_time_never_runs_backwards(store):
    store.save_snapshot(snapshot(italy(holder("A"))), NOW)
    store.save_snapshot(snapshot(italy(holder("B"))), NOW - HOUR)
    assert labels(store.fact_as_observed("Q38", "P6", NOW - HOUR / 2)) is None
    assert labels(store.fact_as_observed("Q38", "P6", NOW)) == ["B"]


def test_nothing_is_known_of_an_empty_database(store):
    assert store.latest_snapshot() is None
    assert store.snapshot("0" * 64) is None
    assert store.fact_as_observed("Q38", "P6", NOW) is None
    assert store.runs() == []
    assert store.models() == []


# Time


@pytest.mark.parametrize("offset", [-8, 0, 5.5])
def test_an_instant_is_kept_whatever_its_zone(store, offset):
    zone = timezone(timedelta(hours=offset))
    written = datetime(2026, 6, 19, 13, 26, 43, 123456, tzinfo=zone)
    store.save_snapshot(snapshot(taken_at=written), written)
    read = store.latest_snapshot().taken_at
    assert read == written
    assert read.utcoffset() == timedelta(0)


def test_what_was_written_without_a_zone_can_be_compared(lite, tmp_path):
    lite.save_snapshot(snapshot(), NOW)
    with sqlite3.connect(tmp_path / "data" / "freshness.db") as other:
        other.execute("UPDATE snapshots SET taken_at = '2026-03-08 00:00:00'")
    other.close()
    assert lite.latest_snapshot().taken_at <= datetime(2026, 3, 8, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize("naive", [datetime(2026, 1, 1), datetime(2026, 1, 1).replace(tzinfo=None)])
def test_a_naive_datetime_is_refused(store, naive):
    with pytest.raises(ValueError, match="has no time zone"):
        store.save_snapshot(snapshot(), naive)
    with pytest.raises(ValueError, match="has no time zone"):
        store.save_snapshot(snapshot(taken_at=naive), NOW)
    with pytest.raises(ValueError, match="has no time zone"):
        store.fact_as_observed("Q38", "P6", naive)
    assert store.sizes().rows["snapshots"] == 0


# Runs and trials


def test_a_run_comes_back_as_it_was(store):
    asked = [question(0), question(1, as_of=date(2025, 1, 1)), question(2, values=())]
    mine = run(details={"dtype": "float32", "batch": 32, "nested": {"versions": ["1.0"]}}, served_model="m-1")
    store.start_run(mine, asked)
    answers = [trial(0, "p2"), failed(1, "p3"), trial(2, verdict=Verdict.REFUSED), trial(0, "p1")]
    assert store.add_trials("r1", answers) == 4
    in_order = (answers[3], answers[0], answers[1], answers[2])
    assert store.run("r1") == replace(mine, questions=tuple(asked), trials=in_order)


def test_a_finished_run_tells_how_it_went(store):
    store.start_run(run(details={"batch": 1}), questions(1))
    store.finish_run("r1", NOW + HOUR, "finished", seconds=3.5, details={"batch": 2}, served_model="m-2026")
    done = store.run("r1")
    assert (done.status, done.finished_at, done.seconds) == ("finished", NOW + HOUR, 3.5)
    assert (done.details, done.served_model) == ({"batch": 2}, "m-2026")


def test_finishing_without_details_keeps_those_it_began_with(store):
    store.start_run(run(details={"batch": 1}, served_model="m-1"), questions(1))
    store.finish_run("r1", NOW, "failed")
    assert (store.run("r1").details, store.run("r1").served_model) == ({"batch": 1}, "m-1")


def test_hostile_answers_are_kept_with_their_offsets(store):
    store.start_run(run(), questions(1))
    store.add_trials("r1", [trial(text=HOSTILE), replace(failed(prompt="p2"), asked=HOSTILE)])
    kept = store.run("r1").trials
    expected = HOSTILE.replace("\ud800", "\ufffd").replace("\x00", "\ufffd")
    assert kept[0].answer.text == kept[1].asked == expected
    assert len(expected) == len(HOSTILE)


def test_an_answer_stays_and_an_error_gives_way(store):
    store.start_run(run(), questions(1))
    assert store.add_trials("r1", [failed(prompt="p1"), trial(prompt="p2", text="first")]) == 2
    assert (
        store.add_trials("r1", [failed(prompt="p1", kind="http_429"), trial(prompt="p2", text="second")]) == 1
    )
    assert store.add_trials("r1", [trial(prompt="p1", text="at last")]) == 1
    assert store.add_trials("r1", [failed(prompt="p1")]) == 0
    first, second = store.run("r1").trials
    assert (first.answer.text, first.answer.error, first.judgement) == ("at last", None, judged())
    assert second.answer.text == "first"
    assert store.sizes().rows["judgements"] == 2


def test_a_prompt_twice_in_a_batch_is_stored_once(store):
    store.start_run(run(), questions(1))
    batch = [failed(), trial(text="A"), trial(text="B"), failed()]
    assert store.add_trials("r1", batch) == 1
    assert [kept.answer.text for kept in store.run("r1").trials] == ["A"]


def test_no_trials_are_no_trouble(store):
    store.start_run(run(), [])
    assert store.add_trials("r1", []) == 0
    assert store.run("r1").trials == ()


def test_a_trial_of_another_question_is_refused_with_its_whole_batch(store):
    store.start_run(run(), questions(1))
    with pytest.raises(ValueError, match="question Q7/P6 is not of this run"):
        store.add_trials("r1", [trial(0), trial(7)])
    assert store.run("r1").trials == ()


def test_a_question_twice_in_a_run_is_refused(store):
    with pytest.raises(ValueError, match="Q0/P6 comes twice"):
        store.start_run(run(), [question(), question(prompts=("p1",))])
    assert store.runs() == []


def test_a_run_id_is_taken_once(store):
    store.start_run(run(), questions(1))
    with pytest.raises(StoreWriteError, match="can't write to") as caught:
        store.start_run(run(), questions(1))
    assert "\n" not in str(caught.value)


def test_an_unknown_run_is_a_usage_error(store):
    for attempt in (
        lambda: store.run("nope"),
        lambda: store.add_trials("nope", []),
        lambda: store.add_judgements("nope", "j", TODAY, {}),
    ):
        with pytest.raises(UsageError, match="no run nope in the history"):
            attempt()


def test_questions_are_stored_once_over_runs_and_days(store):
    for n in range(5):
        when = TODAY + timedelta(days=n)
        store.start_run(run(f"r{n}", as_of=when), questions(3, as_of=when))
    rows = store.sizes().rows
    assert (rows["questions"], rows["run_questions"], rows["models"]) == (3, 15, 1)
    assert store.run("r4").questions[0].as_of == TODAY + timedelta(days=4)


def test_runs_are_listed_newest_first_without_their_trials(store):
    for n, (model, suite) in enumerate(
        [("a", "current"), ("b", "current"), ("a", "numeric"), ("a", "current")]
    ):
        mine = replace(run(f"r{n}", model=model, started_at=NOW + n * HOUR), suite=suite)
        store.start_run(mine, questions(1))
        store.add_trials(mine.id, [trial()])
    assert [one.id for one in store.runs()] == ["r3", "r2", "r1", "r0"]
    assert [one.id for one in store.runs("a", "current")] == ["r3", "r0"]
    assert [one.id for one in store.runs(suite="numeric")] == ["r2"]
    assert [one.id for one in store.runs(limit=1)] == ["r3"]
    assert store.runs("c") == []
    assert all(one.trials == one.questions == () for one in store.runs())
    assert store.models() == ["a", "b"]


def test_answers_that_are_not_kept_are_judged_and_flagged(url):
    with open_store(url, keep_answers=False, clock=lambda: NOW) as store:
        store.start_run(run(), questions(1))
        store.add_trials("r1", [trial(text="secret words"), failed(prompt="p2")])
        first, second = store.run("r1").trials
        assert (first.answer.text, first.judgement) == ("", judged())
        assert first.answer.flags == ("seen", NOT_KEPT)
        assert second.answer.error == "no answer: timeout"
        store.finish_run("r1", NOW, "finished")
        assert store.add_judgements("r1", "j2", TODAY, {}) == 0


# Resuming


def interrupted(store, asked, **changes):
    store.start_run(run(**changes), asked)
    store.add_trials("r1", [trial(0, "p1"), failed(0, "p2")])
    store.finish_run("r1", NOW, "interrupted", seconds=2.0)


def test_an_interrupted_run_goes_on_where_it_stopped(store):
    asked = questions(2)
    interrupted(store, asked)
    going_on = store.unfinished_run(run("r2", started_at=NOW + HOUR), asked)
    assert (going_on.id, going_on.status, going_on.seconds, going_on.finished_at) == (
        "r1",
        "running",
        2.0,
        None,
    )
    assert [(t.prompt, t.answer.error_kind) for t in going_on.trials] == [("p1", None), ("p2", "timeout")]
    assert going_on.questions == tuple(asked)
    assert store.add_trials("r1", trials(asked)) == 5
    store.finish_run("r1", NOW + HOUR, "finished")
    assert store.unfinished_run(run("r3"), asked) is None


@pytest.mark.parametrize(
    ("mine", "asked", "more"),
    [
        (run("r2", model="other"), questions(2), {}),
        (run("r2", as_of=date(2026, 3, 9)), questions(2), {}),
        (run("r2", digest="e" * 64), questions(2), {}),
        (run("r2", judge="j2"), questions(2), {}),
        (replace(run("r2"), suite="numeric"), questions(2), {}),
        (run("r2"), questions(1), {}),
        (run("r2"), questions(2, prompts=("p1", "p4")), {}),
        (run("r2"), questions(2, values=ITALY[:1]), {}),
        (run("r2"), questions(2), {"spec": "local:other"}),
        (run("r2"), questions(2), {"options": {"style": "chat"}}),
        (run("r2"), questions(2), {"max_age": timedelta(0)}),
    ],
    ids=[
        "model",
        "as_of",
        "snapshot",
        "judge",
        "suite",
        "fewer",
        "prompts",
        "key",
        "spec",
        "options",
        "too_old",
    ],
)
def test_a_run_that_asks_something_else_is_another(store, mine, asked, more):
    interrupted(store, questions(2), started_at=NOW - HOUR)
    assert store.unfinished_run(mine, asked, **more) is None
    assert store.unfinished_run(run("r2"), questions(2)).id == "r1"


def test_a_failed_run_goes_on_too(store):
    store.start_run(run(), questions(1))
    store.finish_run("r1", NOW, "failed")
    assert store.unfinished_run(run("r2"), questions(1)).id == "r1"


def test_a_run_that_is_being_asked_is_left_alone(store):
    store.start_run(run(), questions(1))
    assert store.unfinished_run(run("r2"), questions(1)) is None
    store.finish_run("r1", NOW, "interrupted")
    assert store.unfinished_run(run("r2"), questions(1)).id == "r1"
    assert store.unfinished_run(run("r2"), questions(1)) is None


def test_the_newest_of_several_goes_on(store):
    for n in range(3):
        store.start_run(run(f"r{n}"), questions(1))
        store.finish_run(f"r{n}", NOW, "interrupted")
    assert store.unfinished_run(run("new"), questions(1)).id == "r2"


def test_a_run_that_has_ended_takes_no_more_trials(store):
    store.start_run(run(), questions(1))
    store.finish_run("r1", NOW, "finished")
    with pytest.raises(StoreWriteError, match="run r1 is finished"):
        store.add_trials("r1", [trial()])
    with pytest.raises(StoreWriteError, match="run r1 is finished"):
        store.finish_run("r1", NOW, "failed")


ME = Owner("here", 100, "mine")


@pytest.mark.parametrize(
    ("owner", "age", "alive"),
    [
        (ME, timedelta(0), True),
        (ME, LEASE, False),
        (Owner("elsewhere", 2**22 + 1, "x"), LEASE - HOUR / 60, True),
        (Owner("elsewhere", 2**22 + 1, "x"), LEASE, False),
        (Owner("here", 1, "x"), timedelta(0), True),
        (Owner("here", 2**22 + 1, "x"), timedelta(0), False),
        (Owner("here", 100, "before the restart"), timedelta(0), False),
    ],
    ids=["me", "me_long_ago", "elsewhere", "elsewhere_long_ago", "here_alive", "here_gone", "same_number"],
)
def test_who_may_still_be_asking(owner, age, alive):
    assert may_be_alive(owner, NOW + LEASE, ME, NOW + age) is alive


# Judging again


def by_prompt(verdict, *prompts):
    return {("Q0/P6", prompt): judged(verdict) for prompt in prompts}


def test_answers_are_judged_again_without_losing_the_first_judgement(store):
    store.start_run(run(), questions(1))
    store.add_trials("r1", [trial(prompt="p1"), trial(prompt="p2"), failed(prompt="p3")])
    store.finish_run("r1", NOW, "finished")
    new = by_prompt(Verdict.CORRECT, "p1") | by_prompt(Verdict.OUTDATED, "p2")
    assert store.add_judgements("r1", "j2", date(2026, 6, 1), new) == 1
    again = store.run("r1")
    assert [t.judgement and t.judgement.verdict for t in again.trials] == ["correct", "outdated", None]
    assert (again.judge, again.as_of, again.questions[0].as_of) == ("j2", date(2026, 6, 1), date(2026, 6, 1))
    assert store.runs()[0].judge == "j2"
    assert store.run("r1", as_asked=True).as_of == TODAY
    rows = store.sizes().rows
    assert (rows["judgings"], rows["judgements"]) == (2, 3)


def test_judging_again_to_the_same_end_stores_nothing(store):
    store.start_run(run(), questions(1))
    store.add_trials("r1", [trial(prompt="p1")])
    store.finish_run("r1", NOW, "finished")
    before = store.sizes().rows
    assert store.add_judgements("r1", "j1", TODAY, by_prompt(Verdict.OUTDATED, "p1")) == 0
    assert store.sizes().rows == before


def test_a_tally_follows_the_latest_judging(store):
    store.start_run(run(), questions(1))
    store.add_trials("r1", [trial(prompt=name) for name in ("p1", "p2", "p3")])
    store.finish_run("r1", NOW, "finished")
    assert tally(store.run("r1").trials).average.by_verdict[Verdict.OUTDATED] == 3
    store.add_judgements("r1", "j2", TODAY, by_prompt(Verdict.CORRECT, "p1", "p2", "p3"))
    assert tally(store.run("r1").trials).average.by_verdict[Verdict.CORRECT] == 3


@pytest.mark.parametrize("prompts", [("p1",), ("p1", "p2", "p3"), ()], ids=["fewer", "more", "none"])
def test_a_judging_covers_all_answers_and_nothing_else(store, prompts):
    store.start_run(run(), questions(1))
    store.add_trials("r1", [trial(prompt="p1"), trial(prompt="p2"), failed(prompt="p3")])
    store.finish_run("r1", NOW, "finished")
    with pytest.raises(ValueError, match="must cover all answers"):
        store.add_judgements("r1", "j2", TODAY, by_prompt(Verdict.CORRECT, *prompts))
    assert store.run("r1").judge == "j1"


def test_a_run_is_not_judged_again_while_it_is_asked(store):
    store.start_run(run(), questions(1))
    with pytest.raises(StoreError, match="still being asked"):
        store.add_judgements("r1", "j2", TODAY, {})


def test_what_comes_after_a_judging_belongs_to_it(store):
    asked = questions(1)
    store.start_run(run(), asked)
    store.add_trials("r1", [trial(prompt="p1")])
    store.finish_run("r1", NOW, "interrupted")
    store.add_judgements("r1", "j2", date(2026, 6, 1), by_prompt(Verdict.CORRECT, "p1"))
    going_on = store.unfinished_run(run("r2"), asked)
    assert (going_on.judge, going_on.questions[0].as_of) == ("j2", date(2026, 6, 1))
    store.add_trials("r1", [trial(prompt="p2")])
    store.finish_run("r1", NOW, "finished")
    assert [t.judgement.verdict for t in store.run("r1").trials] == ["correct", "outdated"]
    assert store.run("r1").judge == "j2"


# Words with a fixed list


def test_words_are_written_as_values_and_read_leniently(lite, tmp_path):
    lite.start_run(run(), questions(1))
    lite.add_trials("r1", [trial(prompt="p1", verdict=Verdict.CORRECT), trial(prompt="p2")])
    with sqlite3.connect(tmp_path / "data" / "freshness.db") as other:
        written = [
            verdict for (verdict,) in other.execute("SELECT verdict FROM judgements ORDER BY trial_id")
        ]
        other.execute("PRAGMA ignore_check_constraints = ON")
        other.execute("UPDATE judgements SET verdict = 'OUTDATED' WHERE verdict = 'outdated'")
    other.close()
    assert written == ["correct", "outdated"]
    assert [t.judgement.verdict for t in lite.run("r1").trials] == [Verdict.CORRECT, Verdict.OUTDATED]


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("judgements", "verdict"),
        ("runs", "status"),
        ("trials", "finish"),
        ("facts", "holders"),
        ("fact_values", "rank"),
    ],
)
def test_the_database_itself_refuses_other_words(store, table, column):
    store.save_snapshot(snapshot(), NOW)
    store.start_run(run(), questions(1))
    store.add_trials("r1", [trial()])
    with pytest.raises(StoreWriteError, match=r"(?i)check"), writing(store._engine) as session:
        session.execute(text(f"UPDATE {table} SET {column} = 'nonsense'"))


def test_a_status_that_does_not_exist_is_refused(store):
    store.start_run(run(), questions(1))
    with pytest.raises(ValueError, match="'done' is none of running, finished"):
        store.finish_run("r1", NOW, "done")


def test_the_database_refuses_what_refers_to_nothing(store):
    with pytest.raises(StoreWriteError, match=r"(?i)foreign key"), writing(store._engine) as session:
        session.execute(text("INSERT INTO snapshot_facts (snapshot_id, position, fact_id) VALUES (9, 0, 9)"))


# Secrets

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (f"http://me:{SECRET}@host:8000/v1#m", "http://host:8000/v1#m"),
        (f"https://{SECRET}@host/v1#m", "https://host/v1#m"),
        (f"http://me:p@{SECRET}@host/v1#m", "http://host/v1#m"),
        (f"http://host/v1?api_key={SECRET}&x=1#m", "http://host/v1?api_key=***&x=1#m"),
        (f"http://host/v1?x=1&access-token={SECRET}", "http://host/v1?x=1&access-token=***"),
        (
            f"401 from http://a:{SECRET}@h/v1: Bearer {SECRET}0 refused",
            "401 from http://h/v1: Bearer *** refused",
        ),
        ("local:HuggingFaceTB/SmolLM2@main", "local:HuggingFaceTB/SmolLM2@main"),
        ("http://host/@someone/v1#a@b", "http://host/@someone/v1#a@b"),
    ],
)
def test_secrets_are_taken_out_of_addresses(given, kept):
    assert scrub(given) == kept


def test_details_become_plain_json_without_secrets():
    details = {
        "api_key": SECRET,
        "n": float("nan"),
        "path": Path("a/b"),
        "max_tokens": 5,
        "when": (NOW, {"x": True}),
    }
    assert scrub_all(details) == {
        "api_key": "***",
        "n": "nan",
        "path": "a/b",
        "max_tokens": 5,
        "when": [str(NOW), {"x": True}],
    }


def test_no_secret_reaches_the_file(lite, tmp_path):
    spec = f"http://me:{SECRET}@host/v1#m"
    mine = run(model=spec, served_model=spec, details={"base_url": spec, "token": SECRET})
    lite.start_run(mine, questions(1), spec=spec, options={"url": spec, "api_key": SECRET})
    refused = failed()
    lite.add_trials("r1", [replace(refused, answer=replace(refused.answer, error=f"401 from {spec}"))])
    lite.finish_run("r1", NOW, "interrupted", details={"base_url": spec}, served_model=spec)
    assert lite.models() == ["http://host/v1#m"]
    assert [one.id for one in lite.runs(spec)] == ["r1"]
    same = lite.unfinished_run(
        replace(mine, id="r2"), questions(1), spec=spec, options={"url": spec, "api_key": "x"}
    )
    assert same.id == "r1"
    files = list((tmp_path / "data").iterdir())
    assert files
    assert not any(SECRET.encode() in path.read_bytes() for path in files)


# Size and speed


def test_sizes_count_rows_and_bytes(store):
    before = store.sizes()
    store.save_snapshot(snapshot(), NOW)
    store.start_run(run(), questions(100))
    store.add_trials("r1", [trial(n, text="x" * 5000) for n in range(100)])
    after = store.sizes()
    assert (after.rows["trials"], after.rows["facts"], after.rows["fact_intervals"]) == (100, 1, 2)
    assert set(before.rows) == set(after.rows)
    assert after.size > before.size > 0


def test_a_whole_run_is_stored_in_no_time(lite):
    asked = questions(130)
    batch = trials(asked)
    seconds = []
    for n in range(3):
        lite.start_run(run(f"r{n}"), asked)
        started = time.process_time()
        assert lite.add_trials(f"r{n}", batch) == 390
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.1


def test_sqlite_is_set_up_on_every_connection(lite):
    with lite._engine.connect() as first, lite._engine.connect() as second:
        for connection in (first, second):
            settings_ = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "busy_timeout", "foreign_keys", "synchronous")
            }
            assert settings_ == {
                "journal_mode": "wal",
                "busy_timeout": 30_000,
                "foreign_keys": 1,
                "synchronous": 1,
            }


def test_an_abandoned_run_is_shown_as_interrupted(url):
    with open_store(url, clock=lambda: NOW) as store:
        store.start_run(run(), questions(1))
        assert store.run("r1").status == "running"
    with open_store(url, clock=lambda: NOW + LEASE) as store:
        assert store.run("r1").status == store.runs()[0].status == "interrupted"


def test_the_clock_is_the_present_by_default(url):
    with open_store(url) as store:
        mine = run(started_at=later()())
        store.start_run(mine, questions(1))
        assert store.run("r1").status == "running"
