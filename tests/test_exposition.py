"""What a scrape says of a real history, on both databases."""

import gc
import sqlite3
import threading
from datetime import UTC, datetime, timedelta

import pytest
from fleet import CONFIG, filled
from readings import PROMTOOL, check_metrics, parse, series, value
from stores import DATABASES, DATABASES_SLOWLY, NOW, made_database, question, run, snapshot, trial

from freshness.app import exposition
from freshness.config import load
from freshness.daemon.schedule import parse as schedule
from freshness.daemon.service import Service
from freshness.metrics import METRICS
from freshness.store import open_store

NOT_THERE_WITHOUT_A_DAEMON = {
    "freshness_job_next_run_timestamp_seconds",
    "freshness_job_interval_seconds",
    "freshness_daemon_start_timestamp_seconds",
    "freshness_config_last_reload_successful",
    "freshness_config_last_reload_success_timestamp_seconds",
}


@pytest.fixture
def url(request, tmp_path):
    """A filled history in SQLite; what the databases could make different is tested on both."""
    return filled(getattr(request, "param", "sqlite"), tmp_path)


on_both = pytest.mark.parametrize("url", DATABASES, indirect=True)
on_both_slowly = pytest.mark.parametrize("url", DATABASES_SLOWLY, indirect=True)


@pytest.fixture
def settings(tmp_path, url):
    return configured(tmp_path, url)


@pytest.fixture
def store(url):
    with open_store(url) as opened:
        yield opened


def configured(folder, url, text=CONFIG):
    path = folder / "freshness.toml"
    path.write_text(text)
    return load(path, {"FRESHNESS_STORE__URL": url})


def scrape(settings, store, service=None):
    return parse(exposition.render(settings, store, service))


def ours(found):
    return {key[0].removesuffix("_bucket") for key in found if key[0].startswith("freshness")}


def of_model(found, name):
    return {key: number for key, number in found.items() if ("model", name) in key}


@pytest.mark.parametrize("kind", DATABASES)
def test_an_empty_history_has_models_with_counters_at_zero(kind, tmp_path):
    url = made_database(kind, tmp_path)
    with open_store(url) as store:
        found = scrape(configured(tmp_path, url), store)
    assert {s["model"] for s in series(found, "newly_outdated_facts_total")} == {
        "fresh",
        "old",
        "broken",
        "new",
    }
    assert series(found, "answers_ratio") == []
    assert series(found, "last_probe_success") == []
    assert value(found, "history_readable") == 1


@on_both
def test_a_filled_history_tells_every_metric(settings, url, store):
    daemon = Service(lambda: settings)
    told = ours(scrape(settings, store, daemon))
    assert METRICS.keys() <= told
    assert METRICS.keys() - ours(scrape(settings, store)) == NOT_THERE_WITHOUT_A_DAEMON


@pytest.mark.skipif(PROMTOOL is None, reason="promtool (Debian: prometheus) is not installed")
def test_promtool_finds_nothing_to_say_of_a_filled_history(settings, url, store):
    assert check_metrics(exposition.render(settings, store, Service(lambda: settings))) == ""


@on_both_slowly
def test_the_figures_are_those_of_the_newest_finished_run(settings, url, store):
    found = scrape(settings, store)
    key = {"suite": "current", "group": "all", "verdict": "outdated"}
    assert value(found, "answers_ratio", model="fresh", **key) == pytest.approx(4 / 12)
    assert value(found, "outdated_facts", model="fresh", suite="current") == 4
    # The run that failed is a failure, and no zero.
    assert value(found, "answers_ratio", model="broken", **key) == 0.5
    assert value(found, "last_probe_success", model="broken", suite="current") == 0
    assert value(found, "last_probe_success", model="old", suite="current") == 1
    assert value(found, "runs", model="broken", suite="current", status="failed") == 1
    assert value(found, "last_probe_failed_prompts", model="old", suite="current", kind="timeout") == 2
    assert value(found, "model_requests_total", model="broken", outcome="timeout") == 12


@on_both_slowly
def test_events_are_counted(settings, url, store):
    found = scrape(settings, store)
    assert value(found, "newly_outdated_facts_total", model="fresh") == 1
    assert value(found, "newly_outdated_facts_total", model="old") == 0
    for name in ("served_model_changes_total", "fingerprint_changes_total", "answer_shifts_total"):
        assert value(found, name, model="old") == 1
        assert value(found, name, model="fresh") == 0
    assert value(found, "source_changes_total", source="wikidata") == 1
    assert value(found, "source_revisions_total", source="wikidata") == 1


def test_charts_are_told_as_the_source_last_confirmed_them(settings, store):
    found = scrape(settings, store)
    told = {s["indicator"] for s in series(found, "indicator_fetched_timestamp_seconds")}
    assert told == {"life-expectancy", "wheat-yields"}
    assert value(found, "indicator_newest_year", indicator="wheat-yields") == 2023
    confirmed = value(found, "indicator_fetched_timestamp_seconds", indicator="wheat-yields")
    assert confirmed == value(found, "source_snapshot_timestamp_seconds", source="owid")
    assert value(found, "source_max_age_seconds", source="owid") == 30 * 86400
    # Five countries of two charts: a year more, and years gone by with another value.
    assert value(found, "source_changes_total", source="owid") == 10
    assert value(found, "source_revisions_total", source="owid") == 10


def test_a_chart_that_is_not_asked_for_any_more_has_no_series_and_the_source_forgets_nothing(
    url, store, tmp_path
):
    fewer = configured(tmp_path, url, '[owid]\ncharts = ["health"]\n' + CONFIG)
    found = scrape(fewer, store)
    assert {s["indicator"] for s in series(found, "indicator_newest_year")} == {"life-expectancy"}
    assert value(found, "source_revisions_total", source="owid") == 10


def test_charts_that_were_never_fetched_tell_of_the_source_only_where_a_refresh_is_planned(tmp_path):
    url = made_database("sqlite", tmp_path)
    with open_store(url) as store:
        assert {
            s["source"] for s in series(scrape(configured(tmp_path, url), store), "source_max_age_seconds")
        } == {"wikidata"}
        planned = configured(
            tmp_path, url, '[owid]\nrefresh = "every 24h"\ncontact = "a@example.org"\n' + CONFIG
        )
        found = scrape(planned, store)
    assert {s["source"] for s in series(found, "source_max_age_seconds")} == {"wikidata", "owid"}
    assert series(found, "indicator_newest_year") == []
    assert {s["source"] for s in series(found, "source_snapshot_timestamp_seconds")} == set()


def test_choices_of_a_run_that_is_stored_are_told_by_kind(settings, store):
    found = scrape(settings, store)
    told = {s["kind"] for s in series(found, "choices_ratio")}
    assert told == {"date", "comparative", "window", "range", "minmax", "trend", "all"}
    key = {"model": "fresh", "suite": "numeric", "kind": "all"}
    assert value(found, "choices_ratio", verdict="correct", **key) == pytest.approx(1 / 3, abs=0.01)
    assert value(found, "choices_chance_ratio", **key) == pytest.approx((5 * 0.25 + 0.5) / 6)
    assert value(found, "newest_year_known", model="fresh", indicator="life-expectancy") == 2015


def test_facts_are_counted_by_what_can_be_asked(settings, url, store):
    found = scrape(settings, store)
    states = {(s["group"], s["state"]): value(found, "facts", **s) for s in series(found, "facts")}
    # The bundled facts have more of what the catalogues ask about, so they are asked about.
    assert states["countries", "usable"] > 50
    assert all(number == 0 for (_, state), number in states.items() if state == "quarantined")


def test_facts_are_assessed_once_for_each_day_and_content(settings, url, store, monkeypatch):
    assessed = []
    states = exposition.states
    monkeypatch.setattr(exposition, "states", lambda *told: assessed.append(1) or states(*told))
    for _ in range(3):
        exposition.readings(settings, store, None, NOW)
    assert len(assessed) == 1
    exposition.readings(settings, store, None, NOW + timedelta(days=1))
    assert len(assessed) == 2
    store.save_snapshot(snapshot(taken_at=datetime.now(UTC), source="other"), datetime.now(UTC))
    exposition.readings(settings, store, None, NOW + timedelta(days=1))
    assert len(assessed) == 3


def test_a_scrape_does_not_wait_for_facts_that_another_assesses(settings, store, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()
    states = exposition.states
    before = exposition.readings(settings, store, None, NOW).facts

    def slowly(*told):
        begun.set()
        assert go_on.wait(60)
        return states(*told)

    monkeypatch.setattr(exposition, "states", slowly)
    tomorrow = NOW + timedelta(days=1)
    first = threading.Thread(target=exposition.readings, args=(settings, store, None, tomorrow))
    first.start()
    assert begun.wait(60)
    assert exposition.readings(settings, store, None, tomorrow).facts == before
    go_on.set()
    first.join()


def test_a_model_that_is_not_registered_has_no_series(settings, url, store, tmp_path):
    assert of_model(scrape(settings, store), "old")
    without = configured(tmp_path, url, CONFIG.replace('name = "old"', 'name = "another"'))
    found = scrape(without, store)
    assert of_model(found, "old") == {}
    assert "probe:old:current" not in {dict(key[1:]).get("job") for key in found}


def test_a_restart_loses_nothing(settings, url):
    with open_store(url) as store:
        before = scrape(settings, store)
    with open_store(url) as store:
        after = scrape(settings, store)
    assert {k: v for k, v in before.items() if k[0].startswith("freshness")} == {
        k: v for k, v in after.items() if k[0].startswith("freshness")
    }


@on_both_slowly
def test_a_run_that_is_being_asked_leaves_the_last_word_to_the_one_before(settings, url, store):
    now = datetime.now(UTC)
    for model in ("fresh", "broken", "new"):
        asked = [question(0)]
        store.start_run(run(f"{model}-running", model=model, started_at=now), asked)
        store.add_trials(f"{model}-running", [trial(0)])
    found = scrape(settings, store)
    assert value(found, "last_probe_success", model="fresh", suite="current") == 1
    assert value(found, "last_probe_success", model="broken", suite="current") == 0
    assert "new" not in {s["model"] for s in series(found, "last_probe_success")}
    assert value(found, "runs", model="new", suite="current", status="running") == 1


def test_jobs_are_those_of_the_daemon(settings, url, store):
    found = scrape(settings, store, Service(lambda: settings))
    assert {s["job"] for s in series(found, "job_running")} == {
        "refresh:wikidata",
        "probe:fresh:current",
        "probe:fresh:numeric",
        "probe:old:current",
        "probe:broken:current",
    }
    job = {"job": "probe:broken:current"}
    assert value(found, "job_runs_total", outcome="failed", **job) == 3
    assert value(found, "job_consecutive_failures", **job) == 3
    assert value(found, "job_interval_seconds", **job) == 86400
    assert value(found, "job_duration_seconds_count", **job) == 3
    assert value(found, "config_last_reload_successful") == 1


def test_a_refused_config_shows(settings, store, tmp_path):
    loads = iter([settings])
    daemon = Service(lambda: next(loads, None) or load(tmp_path / "gone.toml", {}))
    assert not daemon.reload()
    found = scrape(daemon.settings, store, daemon)
    assert value(found, "config_last_reload_successful") == 0


@pytest.mark.parametrize(
    ("line", "hours"),
    [
        ("every 6h", 6),
        ("0 4 * * *", 24),
        ("0 4 * * mon-fri", 72),
        ("*/5 9-17 * * *", 15 + 5 / 60),
        ("0 0 1 * *", 31 * 24),
    ],
)
def test_a_job_that_rests_is_not_overdue_then(line, hours):
    """The interval is the longest pause, not that before the next time."""
    told = exposition._interval(schedule(line, "UTC"), datetime(2026, 12, 14, tzinfo=UTC).date())
    assert told == timedelta(hours=hours)


def test_a_history_that_cannot_be_read_shows_and_the_daemon_stays(tmp_path):
    url = made_database("sqlite", tmp_path)
    settings = configured(tmp_path, url)
    with open_store(url) as store:
        with sqlite3.connect(tmp_path / "data" / "freshness.db") as raw:
            raw.execute("ALTER TABLE runs RENAME TO gone")
        raw.close()
        found = scrape(settings, store, Service(lambda: settings))
    assert value(found, "history_readable") == 0
    assert value(found, "config_last_reload_successful") == 1
    assert series(found, "newly_outdated_facts_total") == []


def test_a_catalogue_that_is_gone_leaves_out_the_facts_alone(tmp_path):
    url = made_database("sqlite", tmp_path)
    (tmp_path / "mine.toml").write_text("")
    text = f'[facts]\ncatalogues = ["{tmp_path}/mine.toml"]\n' + CONFIG
    settings = configured(tmp_path, url, text)
    (tmp_path / "mine.toml").unlink()
    with open_store(url) as store:
        found = scrape(settings, store)
    assert series(found, "facts") == []
    assert value(found, "history_readable") == 1


def test_what_is_kept_of_a_store_goes_with_it(tmp_path):
    url = made_database("sqlite", tmp_path)
    settings = configured(tmp_path, url)
    gc.collect()
    before = len(exposition._FACTS)
    with open_store(url) as store:
        scrape(settings, store)
        assert len(exposition._FACTS) == before + 1
    del store
    gc.collect()
    assert len(exposition._FACTS) <= before
