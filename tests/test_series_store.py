"""Series in both databases: vintages, what happened to them, older values, and what a kill leaves."""

import os
import signal
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import count

import pytest
from series_world import (
    FRANCE,
    JAPAN,
    LIFE,
    chart,
    date_question,
    many,
    moved,
    open_question,
    series,
)
from sqlalchemy.event import listen
from stores import DATABASES, DATABASES_SLOWLY, NOW, hear, made_database, process, run

from freshness.changes.events import Effect
from freshness.changes.revisions import compare
from freshness.history import Trial
from freshness.questions import Answer
from freshness.series import SeriesSnapshot, digest_of
from freshness.store import Edition, SeriesFault, open_store
from freshness.verdicts import Judgement, Verdict

LATER = NOW + timedelta(days=30)


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return made_database(request.param, tmp_path)


@pytest.fixture
def store(url):
    with open_store(url) as opened:
        yield opened


def revised(**years):
    return chart(series(moved(FRANCE, **years)), series(JAPAN, "Japan", "JPN"), updated=date(2025, 7, 1))


def test_a_chart_comes_back_as_it_was(store):
    assert store.save_charts([chart()], "owid", NOW) == []
    assert store.latest_chart("owid", "life") == (chart(), digest_of(chart()))
    assert store.latest_series("owid") == SeriesSnapshot("owid", NOW, (chart(),))
    assert store.latest_series("bundled") is None
    assert store.latest_chart("owid", "death") is None


def test_only_the_indicators_that_are_wanted_are_read(store):
    other = chart(series(FRANCE, indicator="gdp"), indicator=replace(LIFE, id="gdp", category="economy"))
    store.save_charts([chart(), other], "owid", NOW)
    assert [one.indicator.id for one in store.latest_series("owid").charts] == ["gdp", "life"]
    assert store.latest_series("owid", {"gdp"}).charts == (other,)
    assert store.latest_series("owid", {"none"}) is None


def test_hostile_names_and_extreme_numbers_come_back(store):
    strange = {-10000: 1e-300, 0: -0.1, 1900: 1e300, 2020: 1 / 3}
    given = chart(series(strange, "Côte d\u2019Ivoire\u202e'; DROP TABLE series;--", ""))
    store.save_charts([given], "owid", NOW)
    assert store.latest_chart("owid", "life")[0] == given


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_finite_number_is_refused_and_nothing_is_stored(store, value):
    with pytest.raises(ValueError, match="FRA/life: a series needs one finite number for each"):
        store.save_charts([chart(series({2020: value}))], "owid", NOW)
    assert store.latest_series("owid") is None


def test_a_name_that_no_database_can_hold_is_the_same_one_next_time(store):
    strange = chart(series(FRANCE, "Fra\x00nce\ud800", ""))
    store.save_charts([strange], "owid", NOW)
    assert store.save_charts([strange], "owid", LATER) == []
    assert store.sizes().rows["vintages"] == 1


def test_the_same_again_moves_the_last_sighting_and_the_publishers_words_alone(store):
    store.save_charts([chart()], "owid", NOW)
    before = store.sizes().rows
    newer = replace(chart(), vintage=replace(chart().vintage, next_update=date(2028, 1, 1)))
    assert store.save_charts([newer], "owid", LATER) == []
    (state,) = store.indicator_states()
    assert (state.first_seen, state.last_seen) == (NOW, LATER)
    assert state.vintage.next_update == date(2028, 1, 1)
    assert (state.newest_year, state.countries, state.digest) == (2023, 2, digest_of(chart()))
    assert (state.indicator, state.source) == (LIFE, "owid")
    assert store.sizes().rows == before


def test_a_clock_that_was_set_back_moves_nothing_back(store):
    store.save_charts([chart()], "owid", LATER)
    store.save_charts([chart()], "owid", NOW)
    (event,) = store.save_charts([revised(y2020=82.1)], "owid", NOW)
    assert event.seen_at == LATER
    assert store.series_events() == [event]
    (state,) = store.indicator_states()
    assert (state.first_seen, state.last_seen) == (LATER, LATER)


def test_what_did_not_change_is_stored_once(store):
    store.save_charts([many()], "owid", NOW)
    changed = many(updated=date(2025, 7, 1))
    first = replace(changed.series[0], values=tuple(value + 1 for value in changed.series[0].values))
    store.save_charts([replace(changed, series=(first, *changed.series[1:]))], "owid", LATER)
    rows = store.sizes().rows
    assert (rows["vintages"], rows["vintage_series"], rows["series"]) == (2, 80, 41)


def test_a_revision_is_an_event_and_the_old_value_is_kept_as_an_older_one(store):
    store.save_charts([chart()], "owid", NOW)
    events = store.save_charts([revised(y2020=82.1)], "owid", LATER)
    assert events == compare(chart(), revised(y2020=82.1), LATER) == store.series_events()
    snapshot = store.latest_series("owid")
    assert snapshot.charts == (revised(y2020=82.1),)
    assert snapshot.older == {"FRA/life": ((2020, 82.2, "2024-07-01"),)}
    assert snapshot.taken_at == LATER
    assert store.indicator_states()[0].events == {"revision": 1}


def test_older_values_of_another_unit_are_none(store):
    store.save_charts([chart()], "owid", NOW)
    days = replace(revised(y2020=30003), indicator=replace(LIFE, unit="days"))
    store.save_charts([days], "owid", LATER)
    assert store.latest_series("owid").older == {}


def test_a_series_has_its_history_by_code_and_by_name(store):
    store.save_charts([chart()], "owid", NOW)
    store.save_charts([revised(y2020=82.1)], "owid", LATER)
    for name in ("FRA", "France"):
        history = store.series_history("owid", "life", name)
        assert [one.value(2020) for one, _ in history] == [82.1, 82.2]
        assert [vintage.label() for _, vintage in history] == ["2025-07-01", "2024-07-01"]
    assert store.series_history("owid", "life", "ITA") == []


def test_events_come_the_newest_first_and_can_be_limited(store):
    store.save_charts([chart()], "owid", NOW)
    store.save_charts([revised(y2020=82.1)], "owid", NOW + timedelta(days=1))
    store.save_charts([revised(y2020=82.1, y2021=82.4)], "owid", LATER)
    assert [event.years for event in store.series_events()] == [(2021,), (2020,)]
    assert [event.years for event in store.series_events(limit=1)] == [(2021,)]
    assert [event.years for event in store.series_events(since=LATER)] == [(2021,)]
    assert [event.years for event in store.series_events(indicator="gdp")] == []


def test_effects_of_an_event_are_kept_with_it(store):
    store.save_charts([chart()], "owid", NOW)
    effect = Effect("m", "r1", "82.2", Verdict.CORRECT, Verdict.INCORRECT)
    after = revised(y2020=82.1)
    events = [replace(event, effects=(effect,)) for event in compare(chart(), after, LATER)]
    assert store.save_chart(after, "owid", LATER, known=digest_of(chart()), events=events)
    assert store.series_events() == events


def test_what_was_compared_with_an_older_vintage_is_not_stored(store):
    assert store.save_chart(chart(), "owid", NOW, known=None)
    assert not store.save_chart(revised(y2020=82.1), "owid", LATER, known=None)
    assert not store.save_chart(revised(y2020=82.1), "owid", LATER, known="0" * 64)
    assert store.latest_chart("owid", "life")[0] == chart()


def test_a_fault_stays_until_the_chart_is_seen_again(store):
    fault = SeriesFault("owid", "life", NOW, "owid_not_found", "life: 404; is it renamed?")
    store.save_charts([chart()], "owid", NOW)
    for _ in range(2):
        store.add_series_fault(fault)
    store.add_series_fault(replace(fault, indicator="gdp"))
    assert [one.indicator for one in store.series_faults()] == ["gdp", "life"]
    assert store.series_faults()[1] == fault
    store.confirm_chart("owid", "life", LATER)
    assert store.indicator_states()[0].last_seen == LATER
    assert [one.indicator for one in store.series_faults()] == ["gdp"]


def test_moments_need_a_time_zone(store):
    with pytest.raises(ValueError, match="no time zone"):
        store.save_charts([chart()], "owid", datetime(2026, 1, 1))


# Questions about numbers, and judging them again


def asked(question, answer, verdict, matched):
    judgement = Judgement(verdict, "letter", matched)
    return Trial(
        question.id, question.group, question.fact, "p1", "?", Answer(answer, finish="stop"), judgement
    )


@pytest.mark.parametrize("question", [date_question(), open_question()])
def test_a_question_about_a_number_comes_back_with_its_key(store, question):
    told = replace(question, numeric=replace(question.numeric, older=((2021, 82.1, "2023-01-01"),)))
    store.start_run(replace(run(), suite=told.suite), [told])
    assert store.run("r1").questions == (told,)


def test_a_run_is_judged_again_by_newer_numbers_and_keeps_how_it_was_asked(store):
    question = date_question()
    store.start_run(replace(run(), suite="numeric"), [question])
    store.add_trials("r1", [asked(question, "(b)", Verdict.CORRECT, "(b) 82.3 years")])
    store.finish_run("r1", NOW, "finished")
    newer = replace(question, numeric=replace(question.numeric, answer="(c)", answer_value=84.6))
    judged = {(question.id, "p1"): Judgement(Verdict.INCORRECT, "letter", "(b) 82.3 years")}
    edition = Edition("owid", LATER, "e" * 64)
    assert store.add_judgements("r1", "j1", NOW.date(), judged, key=edition, renewed=[newer]) == 1
    now, then = store.run("r1"), store.run("r1", as_asked=True)
    assert now.questions == (replace(newer, as_of=NOW.date()),)
    assert (now.snapshot_source, now.snapshot_digest) == ("owid", "e" * 64)
    assert now.trials[0].judgement.verdict is Verdict.INCORRECT
    assert then.questions == (question,)
    assert then.snapshot_source == "bundled"
    (about,) = store.runs_about([question.fact], "numeric")
    assert about.questions == now.questions
    assert store.add_judgements("r1", "j1", NOW.date(), judged, key=edition, renewed=[newer]) == 0


# Other processes


def save_numbered(store, number):
    return store.save_charts([many(number / 100, updated=date(2024, 1, 1) + timedelta(number))], "owid", NOW)


def save_and_be_killed(pipe, url, number, statement):
    """Store the vintage of that number; killed as it sends that statement (1: the first)."""
    with open_store(url) as store:
        sent = count(1)

        def kill(*_):
            if next(sent) == statement:
                os.kill(os.getpid(), signal.SIGKILL)

        listen(store._engine, "before_cursor_execute", kill)
        listen(store._engine, "commit", kill)
        save_numbered(store, number)
        pipe.send(next(sent) - 1)


@pytest.mark.parametrize("kind", DATABASES_SLOWLY)
def test_a_kill_at_any_statement_leaves_the_old_vintage_or_the_new_one(kind, tmp_path):
    url = made_database(kind, tmp_path)
    with open_store(url) as store:
        save_numbered(store, 0)
    # How many statements there are is told by one that lives.
    with process(save_and_be_killed, url, 1, None) as (_, pipe):
        statements = hear(pipe)
    for statement in range(1, statements + 1):
        with process(save_and_be_killed, url, statement + 1, statement) as (child, _):
            child.join(60)
            assert child.exitcode == -signal.SIGKILL
    with open_store(url) as store:
        assert store.latest_chart("owid", "life")[0].series == many(1 / 100).series
        rows = store.sizes().rows
        assert (rows["vintages"], rows["vintage_series"], rows["series_events"]) == (2, 80, 40)


def save_vintages(pipe, url, first):
    with open_store(url) as store:
        pipe.send(sum(len(save_numbered(store, first + n)) for n in range(5)))


def test_two_processes_that_store_at_once_lose_nothing(url):
    with process(save_vintages, url, 0) as (_, one), process(save_vintages, url, 100) as (_, other):
        events = hear(one) + hear(other)
    with open_store(url) as store:
        assert store.sizes().rows["vintages"] == 10
        assert len(store.series_events()) == events == 9 * 40
        assert store.latest_chart("owid", "life") is not None
