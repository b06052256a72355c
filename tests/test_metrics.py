"""From readings to what Prometheus scrapes."""

import json
import math
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Gauge
from readings import (
    NOW,
    PROMTOOL,
    check_metrics,
    chosen,
    counts,
    numbers,
    reading,
    readings,
    scrape,
    series,
    state,
    summary,
    value,
)
from shared import SHARED, needs_shared

from freshness.history.choices import ChoiceFigures, KnownYears
from freshness.metrics import METRICS, Indicator, Job, ModelReading, Readings, SuiteReading, expose
from freshness.metrics.exposition import _Collector

needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool (Debian: prometheus) is not installed")
NO_BASE_UNITS = set("ms sec secs s us ns min mins kb mb percent percents milliseconds minutes".split())
NO_BASE_UNITS |= set("hour hours day days weeks months years kilobytes megabytes".split())


def models(found):
    return {dict(key[1:])["model"] for key in found if "model" in dict(key[1:])}


def values(found, name):
    return [value(found, name, **labels) for labels in series(found, name)]


def test_ratios_are_those_of_the_summary_by_group_and_for_all():
    found = scrape()
    key = {"model": "m1", "suite": "current"}
    assert value(found, "answers_ratio", group="all", verdict="outdated", **key) == 0.3
    assert value(found, "answers_ratio", group="companies", verdict="outdated", **key) == 0.5
    assert value(found, "answers_ratio", group="companies", verdict="refused", **key) == 0
    assert value(found, "prompts_ratio", verdict="correct", **key) == 0.5
    assert value(found, "questions", group="all", **key) == 10
    assert value(found, "questions", group="countries", **key) == 6
    assert value(found, "agreement_ratio", **key) == pytest.approx(6 / 9)
    assert value(found, "outdated_facts", **key) == 3
    assert value(found, "last_probe_timestamp_seconds", **key) == NOW.timestamp()
    assert value(found, "last_probe_failed_prompts", kind="timeout", **key) == 2


def test_choices_are_told_by_kind_beside_chance_with_an_interval():
    found = scrape()
    key = {"model": "m1", "suite": "numeric"}
    assert value(found, "choices", kind="date", **key) == 40
    assert value(found, "choices", kind="all", **key) == 80
    assert value(found, "choices_ratio", kind="date", verdict="correct", **key) == 0.5
    assert value(found, "choices_ratio", kind="date", verdict="not_available", **key) == 0.125
    # Each kind weighs the same, whatever it was asked.
    assert value(found, "choices_ratio", kind="all", verdict="correct", **key) == 0.625
    assert value(found, "choices_chance_ratio", kind="comparative", **key) == 0.5
    assert value(found, "choices_chance_ratio", kind="all", **key) == 0.375
    low, high = (value(found, "choices_interval_ratio", kind="date", bound=b, **key) for b in ("low", "high"))
    assert 0.3 < low < 0.4
    assert 0.6 < high < 0.7


def test_open_questions_have_no_chance():
    told = numbers(choices=replace(numbers().choices, chance={"date": 0.0, "comparative": 0.0}))
    assert series(scrape(readings(reading(numeric=told))), "choices_chance_ratio") == []


def test_verdicts_are_those_of_the_suite():
    found = scrape()
    told = {s["verdict"] for s in series(found, "answers_ratio") if s["suite"] == "numeric"}
    assert told == {"correct", "incorrect", "not_available"}
    assert (
        value(found, "answers_ratio", model="m1", suite="numeric", group="health", verdict="correct") == 0.75
    )
    absent = ("outdated_facts", "agreement_ratio", "lag_seconds")
    assert [name for name in absent for s in series(found, name) if s["suite"] == "numeric"] == []


def test_a_kind_that_was_not_asked_and_a_year_that_cannot_be_told_have_no_series():
    found = scrape()
    assert {s["kind"] for s in series(found, "choices_ratio")} == {"date", "comparative", "all"}
    assert [s["indicator"] for s in series(found, "newest_year_known")] == ["life-expectancy"]
    assert value(found, "newest_year_known", model="m1", indicator="life-expectancy") == 2019
    errors = numbers(choices=replace(numbers().choices, topics={}, known={}), errors={"timeout": 80})
    assert series(scrape(readings(reading(numeric=errors))), "choices") == []


def test_the_newest_year_known_is_that_of_the_newest_run_that_tells_it():
    before = numbers(suite="next-word", started_at=NOW - timedelta(days=9))
    known = before.choices.known | {"wheat-yields": KnownYears("estimated", 2023, 30, 2015, 2014, 2016)}
    before = replace(before, choices=replace(before.choices, known=known))
    after = KnownYears("estimated", 2023, 40, 2021, 2020, 2022)
    newest = numbers(choices=replace(numbers().choices, known={"life-expectancy": after}))
    suites = tuple(SuiteReading(run.suite, run, True) for run in (before, newest))
    found = scrape(readings(ModelReading("m1", suites)))
    told = {
        s["indicator"]: value(found, "newest_year_known", **s) for s in series(found, "newest_year_known")
    }
    assert told == {"life-expectancy": 2021, "wheat-yields": 2015}


def test_an_indicator_tells_what_its_publisher_says():
    found = scrape()
    mine = {"indicator": "life-expectancy"}
    assert value(found, "indicator_fetched_timestamp_seconds", **mine) == NOW.timestamp()
    updated = value(found, "indicator_updated_timestamp_seconds", **mine)
    assert datetime.fromtimestamp(updated, UTC) == datetime(2026, 6, 1, tzinfo=UTC)
    assert value(found, "indicator_newest_year", **mine) == 2025
    assert [s["indicator"] for s in series(found, "indicator_due_timestamp_seconds")] == ["life-expectancy"]


def test_indicators_beyond_two_hundred_are_left_out():
    many = tuple(Indicator(f"chart-{n:03}", NOW) for n in range(1000))
    known = {one.name: KnownYears("estimated", 2023, 40, 2019, 2017, 2021) for one in many}
    run = numbers(choices=replace(numbers().choices, known=known))
    found = scrape(readings(reading(numeric=run), indicators=many))
    for name in ("indicator_fetched_timestamp_seconds", "newest_year_known"):
        assert len(series(found, name)) == 200


def test_lag_is_in_seconds_with_its_quantile():
    found = scrape()
    lag = {s["quantile"]: value(found, "lag_seconds", **s) for s in series(found, "lag_seconds")}
    assert lag == {"0.5": 100 * 86400, "0.9": 200 * 86400, "1": 300 * 86400}


def test_months_are_told_by_their_fifteenth():
    found = scrape()
    told = value(found, "cutoff_timestamp_seconds", model="m1", bound="estimate")
    assert datetime.fromtimestamp(told, UTC) == datetime(2024, 6, 15, tzinfo=UTC)
    assert {s["bound"] for s in series(found, "cutoff_timestamp_seconds")} == {"low", "estimate", "high"}
    told = value(found, "window_end_timestamp_seconds", model="m1")
    assert datetime.fromtimestamp(told, UTC) == datetime(2024, 5, 15, tzinfo=UTC)


@pytest.mark.parametrize(("facts", "told"), [(("2024-03", "2024-06", "2024-10"), 6), (None, 2)])
def test_the_cutoff_is_that_of_facts_where_they_tell_one(facts, told):
    later = numbers(
        cutoff=("2023-01", "2024-02", "2025-01"), started_at=summary().started_at + timedelta(days=1)
    )
    found = scrape(readings(reading(finished=summary(cutoff=facts), numeric=later)))
    month = value(found, "cutoff_timestamp_seconds", model="m1", bound="estimate")
    assert datetime.fromtimestamp(month, UTC) == datetime(2024, told, 15, tzinfo=UTC)


def test_what_a_run_cannot_say_has_no_series():
    nothing = summary(
        questions=0,
        prompts=0,
        upper_bound=counts(0, 0, 0, 0, 0),
        average=counts(0, 0, 0, 0, 0),
        groups={},
        same=0,
        named=0,
        outdated=0,
        lag_days={},
        cutoff=None,
        window=None,
        errors={"http_503": 30},
    )
    found = scrape(readings(reading(finished=nothing, succeeded=False)))
    gone = ["answers_ratio", "prompts_ratio", "agreement_ratio", "outdated_facts", "lag_seconds"]
    gone += ["cutoff_timestamp_seconds", "window_start_timestamp_seconds", "window_end_timestamp_seconds"]
    assert [name for name in gone if series(found, name)] == []
    assert value(found, "last_probe_failed_prompts", model="m1", suite="current", kind="http_503") == 30


def test_a_model_that_was_never_asked_has_its_counters_alone():
    found = scrape(readings(ModelReading("new", (SuiteReading("current"),))))
    mine = {key[0] for key in found if ("model", "new") in key}
    assert mine == {
        "freshness_newly_outdated_facts_total",
        "freshness_served_model_changes_total",
        "freshness_fingerprint_changes_total",
        "freshness_answer_shifts_total",
    }


def test_a_removed_model_leaves_no_series():
    """Case pr-01."""
    assert ("model", "m2") in {
        label for key in scrape(readings(reading("m1"), reading("m2"))) for label in key[1:]
    }
    left = scrape(readings(reading("m1")))
    assert {dict(key[1:])["model"] for key in left if "model" in dict(key[1:])} == {"m1"}


def test_exposing_twice_registers_nothing_twice():
    """Case pr-02."""
    first = [line for line in expose(readings()).splitlines() if line.startswith(b"freshness")]
    assert first == [line for line in expose(readings()).splitlines() if line.startswith(b"freshness")]


def test_ten_models_make_less_than_a_thousand_series():
    """Case pr-04: with 500 facts in four groups and five prompts each."""
    groups = {f"g{n}": counts(60, 40, 15, 5, 5) for n in range(4)}
    asked = [reading(f"m{n}", finished=summary(f"m{n}", groups=groups, questions=500)) for n in range(10)]
    jobs = tuple(Job(f"probe:m{n}:current", state(f"probe:m{n}:current"), NOW) for n in range(10))
    found = scrape(readings(*asked, jobs=jobs))
    assert len(found) < 1000
    names = {name for key in found for name, _ in key[1:]}
    words = {"model", "suite", "group", "verdict", "quantile", "bound", "kind", "status", "outcome", "source"}
    assert names <= words | {"state", "job", "le", "version", "judge", "python", "indicator"}


def test_ten_models_that_are_asked_about_numbers_as_well_make_less_than_three_thousand():
    kinds = ("date", "comparative", "window", "range", "minmax", "trend")
    categories = {f"c{n}": chosen(10, 2, 1) for n in range(8)}
    known = {f"chart-{n}": KnownYears("estimated", 2023, 40, 2019, 2017, 2021) for n in range(9)}
    chances = dict.fromkeys(kinds, 0.25)
    figures = ChoiceFigures(dict.fromkeys(kinds, categories), {}, {}, chances, known)
    asked = [
        reading(f"m{n}", numeric=numbers(f"m{n}", choices=figures, groups=categories)) for n in range(10)
    ]
    assert len(scrape(readings(*asked))) < 3000


def test_too_many_groups_and_kinds_are_told_together():
    groups = {f"g{n:04}": counts(n, 1, 0, 0, 0) for n in range(1000)}
    errors = {f"kind_{n:03}": n for n in range(1, 101)}
    found = scrape(readings(reading(finished=summary(groups=groups, errors=errors))))
    told = {s["group"] for s in series(found, "questions")}
    assert len(told) == 51
    assert {"all", "other", "g0999"} <= told
    assert "g0000" not in told
    key = {"model": "m1", "suite": "current"}
    assert value(found, "questions", group="other", **key) == sum(n + 1 for n in range(951))
    kinds = {
        s["kind"]: value(found, "last_probe_failed_prompts", **s)
        for s in series(found, "last_probe_failed_prompts")
    }
    assert len(kinds) == 20
    assert sum(kinds.values()) == sum(errors.values())


def test_a_group_called_all_is_not_all_groups():
    found = scrape(readings(reading(finished=summary(groups={"all": counts(1, 1), "other": counts(1, 0)}))))
    assert {s["group"] for s in series(found, "questions")} == {"all", "all (group)", "other (group)"}


def test_no_sample_has_a_timestamp():
    """Case pr-05: Prometheus drops old ones; when the run ended is a gauge of its own."""
    for line in expose(readings()).decode().splitlines():
        if not line.startswith("#"):
            assert re.fullmatch(r"\w+(\{.*\})? \S+", line)


def test_a_gauge_and_a_counter_of_one_name_are_refused():
    """Case pr-07: the client strips ``_total``; the registry knows all our names and refuses theirs."""
    names = [metric.name.removesuffix("_total").removesuffix("_info") for metric in METRICS.values()]
    assert len(set(names)) == len(names)
    registry = CollectorRegistry()
    registry.register(_Collector(Readings()))
    with pytest.raises(ValueError, match="Duplicated"):
        Counter("freshness_facts", "x", registry=registry)
    with pytest.raises(ValueError, match="Duplicated"):
        Gauge("freshness_job_runs", "x", registry=registry)


def test_a_failed_run_keeps_the_ratios_and_shows():
    """Case pr-08: zero correct and no data are different things."""
    before = scrape(readings(reading(runs={"finished": 1})))
    after = scrape(readings(reading(succeeded=False, runs={"finished": 1, "failed": 1})))
    changed = {key[0] for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert {name for name in changed if name.startswith("freshness")} == {
        "freshness_last_probe_success",
        "freshness_runs",
    }
    assert value(after, "last_probe_success", model="m1", suite="current") == 0
    assert value(after, "runs", model="m1", suite="current", status="failed") == 1


def test_jobs_tell_all_outcomes_from_the_start():
    found = scrape(readings(jobs=(Job("refresh:wikidata", None, NOW, missed=2),)))
    told = {s["outcome"]: value(found, "job_runs_total", **s) for s in series(found, "job_runs_total")}
    assert told == {"succeeded": 0, "failed": 0, "interrupted": 0, "missed": 2}
    assert value(found, "job_consecutive_failures", job="refresh:wikidata") == 0
    assert series(found, "job_last_success_timestamp_seconds") == []


def test_job_durations_are_a_histogram():
    found = scrape()
    job = {"job": "probe:m1:current"}
    assert value(found, "job_duration_seconds_count", **job) == 2
    assert value(found, "job_duration_seconds_sum", **job) == 73
    told = [
        value(found, "job_duration_seconds_bucket", **s) for s in series(found, "job_duration_seconds_bucket")
    ]
    assert told == sorted(told)
    assert math.isinf(max(float(s["le"]) for s in series(found, "job_duration_seconds_bucket")))


def test_created_series_are_off():
    assert b"_created" not in expose(readings())


def test_the_process_tells_its_own_memory():
    assert ("process_resident_memory_bytes",) in scrape()


HOSTILE = [
    'quote " backslash \\ brace } and\nline end',
    "nul \0 bell \x07 tab\t",
    "lone surrogate \ud800",
    "right to left \u202e override",
    "# HELP freshness_x y",
    "x" * 5000,
    "",
]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_one_label_value(name):
    groups = {name: counts(1, 1)}
    found = scrape(readings(reading(name, finished=summary(name, groups=groups, errors={name: 1}))))
    (model,) = models(found)
    assert len(model) <= 200
    assert "\0" not in model


@needs_promtool
@pytest.mark.parametrize("name", [*HOSTILE[:5], ""], ids=range(6))
def test_prometheus_reads_hostile_names(name):
    groups = {name: counts(1, 1)}
    text = expose(readings(reading(name, finished=summary(name, groups=groups, errors={name: 1}))))
    assert check_metrics(text) == ""


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
@settings(max_examples=30, deadline=None)
def test_any_names_make_a_scrape_without_a_series_twice(names):
    scrape(readings(*(reading(name) for name in names)))


def test_names_that_are_the_same_once_cleaned_are_told_once():
    found = scrape(readings(reading("a\0"), reading("a\x01")))
    assert len(series(found, "outdated_facts")) == 1


@needs_promtool
def test_promtool_finds_nothing_to_say():
    assert check_metrics(expose(readings())) == ""


@needs_promtool
def test_promtool_is_heard():
    assert "counter metrics should have" in check_metrics(b"# HELP a_b x\n# TYPE a_b counter\na_b 1\n")


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_names_and_helps_follow_the_conventions(metric):
    words = metric.name.split("_")
    assert re.fullmatch(r"freshness_[a-z_]+[a-z]", metric.name)
    assert not set(words) & NO_BASE_UNITS
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert metric.name.endswith("_info") == (metric.kind == "info")
    if "timestamp" in words:
        assert metric.name.endswith("_timestamp_seconds")
    for reserved in ("bucket", "sum", "count", "created", "gauge", "counter", "histogram", "summary"):
        assert reserved not in words
    if metric.kind == "histogram":
        assert metric.name.endswith("_seconds")
    assert metric.help[0].isupper()
    assert metric.help[-1] not in ".:;, "
    assert len(metric.help) <= 150


def test_every_ratio_is_a_share():
    for key, number in scrape().items():
        if key[0].endswith("_ratio"):
            assert 0 <= number <= 1


def test_the_sample_scrape_holds_every_metric():
    """So that what is checked above is checked of all."""
    text = expose(readings()).decode()
    assert {m.name for m in METRICS.values()} == set(re.findall(r"# TYPE (freshness_\w+)", text))
    assert {m.help for m in METRICS.values()} <= set(re.findall(r"# HELP freshness_\w+ (.+)", text))


def test_an_unreadable_history_tells_so_and_nothing_else_of_it():
    whole = readings()
    found = scrape(Readings(daemon=whole.daemon, readable=False, build=whole.build))
    told = {key[0] for key in found if key[0].startswith("freshness")}
    assert value(found, "history_readable") == 0
    assert told == {
        "freshness_build_info",
        "freshness_config_last_reload_successful",
        "freshness_config_last_reload_success_timestamp_seconds",
        "freshness_daemon_start_timestamp_seconds",
        "freshness_history_readable",
    }


@needs_shared
def test_the_names_that_were_promised_are_there():
    text = (SHARED / "interface.md").read_text(encoding="utf-8").partition("## Metrics")[2]
    promised = re.findall(r"`(freshness_\w+)(?:\{([^}]*)\})?`", text)
    assert len(promised) > 15
    for name, labels in promised:
        wanted = {label.partition("=")[0] for label in re.sub(r'"[^"]*"', "", labels).split(",") if label}
        if name != "freshness_build_info":
            assert set(METRICS[name].labels) == wanted, name


@needs_shared
def test_every_recorded_case_has_its_test():
    lines = (SHARED / "cases" / "prometheus.jsonl").read_text(encoding="utf-8").splitlines()
    here = Path(__file__).read_text(encoding="utf-8")
    for line in lines:
        assert f"Case {json.loads(line)['id'][:5]}" in here
