"""What is kept of a run for ever, and what is added up of it."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stores import (
    DATABASES,
    NOW,
    failed,
    hear,
    judged,
    later,
    made_database,
    process,
    questions,
    run,
    snapshot,
    start_and_wait,
    trial,
    trials,
)

from freshness.changes import Event
from freshness.errors import UsageError
from freshness.history import ModelEvent, Summary, summarise
from freshness.history.buckets import add, count, grown
from freshness.store import open_store
from freshness.verdicts import Judgement, Verdict

HOUR = timedelta(hours=1)


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return made_database(request.param, tmp_path)


@pytest.fixture
def store(url):
    with open_store(url, clock=lambda: NOW) as opened:
        yield opened


def ended(store, run_id="r1", number=2, status="finished", **changes):
    """A run with its trials that has ended, as the history has it."""
    started = run(run_id, **changes)
    store.start_run(started, questions(number))
    store.add_trials(run_id, trials(questions(number)))
    store.finish_run(run_id, NOW, status, seconds=4.5)
    return store.run(run_id)


def summary(ended, cutoff=("2022-01", "2022-06", "2022-12"), window=("2019-01", "2022-05")):
    return summarise(ended, cutoff=cutoff, window=window)


def kept(store, *arguments, **changes):
    made = summary(ended(store, *arguments, **changes))
    assert store.save_summary(made)
    return made


# What a summary says


def lagging(number, days):
    one = trial(number)
    return replace(one, judgement=replace(judged(), lag_days=days))


def of_trials(*given):
    return summary(run(status="finished", finished_at=NOW, trials=given))


def test_a_summary_counts_verdicts_of_questions_and_of_prompts():
    made = of_trials(
        trial(0, "p1"), trial(0, "p2", verdict=Verdict.CORRECT), trial(1, "p1"), failed(2, kind="timeout")
    )
    assert (made.questions, made.prompts, made.outdated) == (2, 3, 1)
    assert {name: n for name, n in made.upper_bound.items() if n} == {"correct": 1, "outdated": 1}
    assert {name: n for name, n in made.average.items() if n} == {"correct": 1, "outdated": 2}
    assert made.groups == {"countries": made.upper_bound}
    assert made.errors == {"timeout": 1}


def test_a_summary_without_an_answer_has_no_figure_that_looks_like_one():
    made = of_trials(failed(0), failed(1, kind="http_429"))
    assert (made.questions, made.prompts, made.agreement, made.lag_days) == (0, 0, None, {})
    assert made.errors == {"timeout": 1, "http_429": 1}
    assert (made.fingerprint, made.request_seconds_sum) == (None, 0)


def test_agreement_is_that_of_the_questions_where_any_prompt_named_a_value():
    same = [trial(0, name) for name in ("p1", "p2")]
    other = replace(trial(1, "p2"), judgement=Judgement(Verdict.REFUSED, "refusal"))
    made = of_trials(*same, trial(1, "p1"), other)
    assert (made.same, made.named, made.agreement) == (1, 2, 0.5)


@pytest.mark.parametrize(
    ("days", "quantiles"),
    [
        ([100], {"0.5": 100, "0.9": 100, "1": 100}),
        ([10, 20], {"0.5": 15, "0.9": 19, "1": 20}),
        (range(0, 101, 10), {"0.5": 50, "0.9": 90, "1": 100}),
    ],
)
def test_lag_is_told_by_quantiles_of_the_outdated_facts(days, quantiles):
    made = of_trials(*(lagging(number, lag) for number, lag in enumerate(days)))
    assert made.lag_days == pytest.approx(quantiles)


def test_outdated_facts_whose_end_nobody_knows_have_no_lag_and_are_counted():
    made = of_trials(lagging(0, None), lagging(1, 7))
    assert (made.outdated, made.lag_days["1"]) == (2, 7)


def test_the_fingerprint_is_the_one_that_most_answers_carried():
    def with_print(number, name):
        one = trial(number)
        return replace(one, answer=replace(one.answer, fingerprint=name))

    given = [with_print(n, name) for n, name in enumerate(("b", "a", "a", None, "b"))]
    assert of_trials(*given).fingerprint == "a"
    assert of_trials(*given[:-1], with_print(9, "b"), with_print(10, "b")).fingerprint == "b"


def test_a_run_that_is_still_asked_has_no_summary():
    with pytest.raises(ValueError, match="r1 has not ended"):
        summary(run())


def test_a_summary_comes_back_from_its_json():
    made = of_trials(trial(0), failed(1))
    assert Summary.from_json(json.loads(json.dumps(made.to_json()))) == made
    without = replace(made, cutoff=None, window=None, finished_at=None, seconds=None)
    assert Summary.from_json(json.loads(json.dumps(without.to_json()))) == without


def test_what_a_newer_version_adds_to_a_summary_is_left_out():
    made = of_trials(trial(0))
    assert Summary.from_json(made.to_json() | {"colour": "blue"}) == made


# Buckets


@given(st.lists(st.floats(0, 1000)), st.lists(st.floats(0, 1000)))
def test_buckets_added_are_those_of_all_durations(one, other):
    bounds = (0.5, 10.0, 100.0)
    both = add(count(one, bounds), count(other, bounds))
    assert both == count([*one, *other], bounds)
    assert list(both.values()) == sorted(both.values())
    assert grown(both, count(one, bounds)) == count(other, bounds)


def test_a_duration_on_a_bound_is_within_it():
    assert count([1.0, 1.1], (1.0, 2.0)) == {"1.0": 1, "2.0": 2, "+Inf": 2}


def test_counts_never_shrink():
    assert grown({"timeout": 1}, {"timeout": 3}) == {"timeout": 0}


# Summaries in the history


def test_a_summary_that_is_kept_comes_back(store):
    made = kept(store)
    assert store.summaries() == store.latest_summaries() == [made]
    assert (made.status, made.as_of, made.fingerprint) == ("finished", date(2026, 3, 8), "fp")


def test_a_run_that_ended_without_a_summary_is_found(store):
    ended(store)
    assert store.runs_without_summary() == ["r1"]
    store.save_summary(summary(store.run("r1")))
    assert store.runs_without_summary() == []


def test_a_run_that_is_judged_again_needs_a_new_summary_and_shows_the_old_one_until_then(url):
    clock = iter([NOW + n * HOUR for n in range(100)])
    with open_store(url, clock=lambda: next(clock)) as store:
        old = kept(store)
        again = {(t.question, t.prompt): judged(Verdict.CORRECT) for t in store.run("r1").trials}
        store.add_judgements("r1", "j2", date(2026, 4, 1), again)
        assert store.runs_without_summary() == ["r1"]
        assert store.latest_summaries() == [old]
        assert not store.save_summary(old), "it speaks of the judging before"
        new = summary(store.run("r1"))
        assert store.save_summary(new)
        assert store.runs_without_summary() == []
        assert store.latest_summaries() == [new]
        assert new.judged_at > old.judged_at
        assert (new.upper_bound["correct"], new.as_of) == (2, date(2026, 4, 1))


def test_a_judging_that_says_nothing_new_needs_no_new_summary(store):
    kept(store)
    same = {(t.question, t.prompt): t.judgement for t in store.run("r1").trials}
    assert store.add_judgements("r1", "j1", date(2026, 3, 8), same) == 0
    assert store.runs_without_summary() == []


def test_a_run_that_is_gone_on_with_gets_another_summary(store):
    first = kept(store, status="interrupted")
    assert store.unfinished_run(run("other"), questions(2)).id == "r1"
    assert store.runs_without_summary() == [], "it is being asked"
    assert not store.save_summary(first)
    store.finish_run("r1", NOW, "interrupted")
    assert store.runs_without_summary() == ["r1"], "it may have other trials than it had"
    store.save_summary(summary(store.run("r1")))
    store.unfinished_run(run("other"), questions(2))
    store.finish_run("r1", NOW, "finished")
    assert not store.save_summary(first)
    done = summary(store.run("r1"))
    assert store.save_summary(done)
    assert store.latest_summaries() == [done]


def test_a_run_whose_process_was_killed_counts_as_interrupted(url):
    with open_store(url) as store:
        with process(start_and_wait, url, 1) as (_, pipe):
            hear(pipe)
            assert store.run_counts() == {("m", "current"): {"running": 1}}
            assert store.runs_without_summary() == []
        assert store.run_counts() == {("m", "current"): {"interrupted": 1}}
        assert store.runs_without_summary() == ["other"]
        assert store.save_summary(summary(store.run("other")))
        assert store.runs_without_summary() == []
        assert [one.status for one in store.summaries()] == ["interrupted"]


def test_a_summary_of_a_run_that_nobody_knows_is_refused(store):
    with pytest.raises(UsageError, match="no run r9"):
        store.save_summary(summary(run("r9", status="finished")))


def test_summaries_can_be_chosen_and_come_newest_first(store):
    for number, model in enumerate(("a", "b", "a", "a")):
        kept(store, f"r{number}", model=model, started_at=NOW + number * HOUR)
    assert [one.run for one in store.summaries()] == ["r3", "r2", "r1", "r0"]
    assert [one.run for one in store.summaries("a", limit=2)] == ["r3", "r2"]
    assert [one.run for one in store.summaries("a", since=NOW + 2 * HOUR)] == ["r3", "r2"]
    assert store.summaries("a", "numeric") == store.summaries("c") == []
    with pytest.raises(ValueError, match="has no time zone"):
        store.summaries(since=datetime(2026, 1, 1))


def test_the_latest_summary_of_a_model_is_that_of_its_newest_finished_run(store):
    kept(store, "old", started_at=NOW)
    kept(store, "new", started_at=NOW + 2 * HOUR)
    kept(store, "late", started_at=NOW + HOUR)  # stored last, but asked before
    kept(store, "failed", status="failed", started_at=NOW + 3 * HOUR)
    kept(store, "other", model="another")
    assert [(one.model, one.run) for one in store.latest_summaries()] == [("another", "other"), ("m", "new")]


def test_a_run_that_failed_shows_as_the_last_run_and_never_as_the_latest_figures(store):
    good = kept(store, "good", started_at=NOW)
    bad = run("bad", started_at=NOW + HOUR)
    store.start_run(bad, questions(2))
    store.add_trials("bad", [failed(0), failed(1)])
    store.finish_run("bad", NOW + HOUR, "failed")
    store.save_summary(summary(store.run("bad")))
    assert store.latest_summaries() == [good]
    assert [(one.id, one.status) for one in store.last_runs()] == [("bad", "failed")]
    assert store.run_counts() == {("m", "current"): {"finished": 1, "failed": 1}}


def test_a_model_whose_address_changed_is_one_model(store):
    for number, spec in enumerate(("http://a/v1#m", "http://b/v1#m")):
        store.start_run(run(f"r{number}", started_at=NOW + number * HOUR), questions(1), spec=spec)
        store.finish_run(f"r{number}", NOW, "finished")
        store.save_summary(summary(store.run(f"r{number}")))
    assert store.run_counts() == {("m", "current"): {"finished": 2}}
    assert [one.id for one in store.last_runs()] == ["r1"]
    assert [one.run for one in store.latest_summaries()] == ["r1"]


def test_what_a_model_says_of_itself_is_kept_as_text_without_secrets(store):
    hostile = "\x00\ud800<script> http://me:hunter2@host/"
    asked = ended(store)
    made = replace(summary(asked), served_model=hostile, fingerprint=hostile, errors={hostile: 1})
    assert store.save_summary(made)
    (back,) = store.summaries()
    clean = "\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}<script> http://host/"
    assert (back.served_model, back.fingerprint) == (clean, clean)
    assert "hunter2" not in json.dumps(store.sizes().rows) + repr(back.errors.values())


# Requests


def totals(store):
    (found,) = store.request_totals()
    return dict(found.outcomes), found.seconds["+Inf"], found.seconds_sum


def test_requests_add_up_over_runs(store):
    kept(store, "r1")
    kept(store, "r2", started_at=NOW + HOUR)
    assert totals(store) == ({"answered": 12}, 12, 6.0)


def test_a_summary_that_is_made_again_counts_nothing_twice(store):
    made = kept(store)
    store.save_summary(made)
    assert totals(store) == ({"answered": 6}, 6, 3.0)


def test_an_error_that_was_asked_again_stays_counted(store):
    store.start_run(run(), questions(1))
    store.add_trials("r1", [trial(0, "p1"), failed(0, "p2"), failed(0, "p3", kind="http_429")])
    store.finish_run("r1", NOW, "interrupted")
    store.save_summary(summary(store.run("r1")))
    assert totals(store)[0] == {"answered": 1, "timeout": 1, "http_429": 1}
    store.unfinished_run(run(), questions(1))
    store.add_trials("r1", [trial(0, "p2"), trial(0, "p3")])
    store.finish_run("r1", NOW, "finished")
    store.save_summary(summary(store.run("r1")))
    assert totals(store) == ({"answered": 3, "timeout": 1, "http_429": 1}, 3, 1.5)


# Events of models


def event(run_id="r1", kind="served_model_changed", seen_at=NOW, **changes):
    return ModelEvent("m", kind, seen_at, run_id, "m-1", "m-2", **changes)


def test_events_of_models_come_back_newest_first(store):
    for number in range(3):
        ended(store, f"r{number}", started_at=NOW + number * HOUR)
    first, second = event("r0"), event("r1", "answers_shifted", NOW + HOUR, p_value=1e-9)
    third = replace(event("r2", "fingerprint_changed", NOW + 2 * HOUR), model="n")
    assert all(store.add_model_event(one) for one in (first, second, third))
    assert store.model_events() == [third, second, first]
    assert store.model_events("m", limit=1) == [second]
    assert store.model_events(since=NOW + 2 * HOUR) == [third]


def test_a_run_shows_each_kind_of_event_once(store):
    ended(store)
    assert store.add_model_event(event())
    assert not store.add_model_event(event(seen_at=NOW + HOUR))
    assert store.add_model_event(event(kind="fingerprint_changed"))
    assert len(store.model_events()) == 2


def test_an_event_of_an_unknown_run_or_without_a_time_zone_is_refused(store):
    with pytest.raises(UsageError, match="no run r9"):
        store.add_model_event(event("r9"))
    with pytest.raises(ValueError, match="has no time zone"):
        store.add_model_event(event(seen_at=datetime(2026, 1, 1)))


# Sources


def test_each_source_is_known_by_its_newest_snapshot(store):
    store.save_snapshot(snapshot(source="bundled"), NOW)
    first = snapshot()
    store.save_refresh(first, NOW, known=None)
    changed = snapshot(taken_at=NOW + HOUR)
    (fact,) = first.facts
    happened = [Event(kind, NOW + HOUR, fact, fact, (), ()) for kind in ("change", "change", "revision")]
    store.save_refresh(changed, NOW + HOUR, known=first.digest, events=happened)
    bundled, live = store.source_states()
    assert (bundled.source, bundled.digest, bundled.events) == ("bundled", first.digest, {})
    assert (live.source, live.taken_at, live.last_seen) == ("wikidata", NOW + HOUR, NOW + HOUR)
    assert live.events == {"change": 2, "revision": 1}
    assert store.latest_snapshot("wikidata").digest == live.digest


def test_an_empty_history_has_nothing_to_show(store):
    assert store.summaries() == store.latest_summaries() == store.last_runs() == []
    assert store.runs_without_summary() == store.model_events() == store.source_states() == []
    assert store.request_totals() == store.job_states() == []
    assert store.run_counts() == {}


def test_a_run_left_by_a_process_on_another_machine_counts_as_running_until_its_claim_runs_out(url):
    with open_store(url) as store:
        store.start_run(run(started_at=datetime.now(UTC)), questions(1))
        assert store.run_counts() == {("m", "current"): {"running": 1}}
    with open_store(url, clock=later(hours=1)) as store:
        assert store.run_counts() == {("m", "current"): {"interrupted": 1}}
