"""What the tests of metrics share: readings made from a few words, and the scrape read back."""

import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta

from prometheus_client.parser import text_string_to_metric_families

from freshness.history import JobState, RequestTotals, Summary
from freshness.history.buckets import JOB_SECONDS, REQUEST_SECONDS, count
from freshness.history.choices import ChoiceFigures, KnownYears
from freshness.metrics import Daemon, Indicator, Job, ModelReading, Readings, Source, SuiteReading, expose

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
PROMTOOL = shutil.which("promtool")
VERDICTS = ("correct", "outdated", "irrelevant", "refused", "unreadable")


def counts(*numbers):
    return dict(zip(VERDICTS, numbers, strict=False))


def summary(model="m1", **changes):
    told = {
        "run": "r1",
        "model": model,
        "suite": "current",
        "status": "finished",
        "as_of": date(2026, 11, 30),
        "started_at": NOW - timedelta(minutes=5),
        "finished_at": NOW,
        "judged_at": NOW,
        "seconds": 300.0,
        "served_model": "m-1",
        "fingerprint": None,
        "snapshot_source": "wikidata",
        "snapshot_taken_at": NOW - timedelta(days=1),
        "questions": 10,
        "prompts": 28,
        "upper_bound": counts(6, 3, 1, 0, 0),
        "average": counts(14, 7, 7, 0, 0),
        "groups": {"countries": counts(4, 1, 1, 0, 0), "companies": counts(2, 2, 0, 0, 0)},
        "same": 6,
        "named": 9,
        "outdated": 3,
        "lag_days": {"0.5": 100.0, "0.9": 200.0, "1": 300.0},
        "cutoff": ("2024-03", "2024-06", "2024-10"),
        "window": ("2016-01", "2024-05"),
        "errors": {"timeout": 2},
        "request_seconds": count([0.2, 0.7], REQUEST_SECONDS),
        "request_seconds_sum": 0.9,
    }
    return Summary(**told | changes)


def chosen(correct, incorrect, not_available):
    return {"correct": correct, "incorrect": incorrect, "not_available": not_available}


def numbers(model="m1", **changes):
    """The summary of a run of choices: half of 40 right by date, 30 of 40 by comparison."""
    topics = {
        "date": {"health": chosen(15, 5, 0), "economy": chosen(5, 10, 5)},
        "comparative": {"health": chosen(30, 10, 0)},
    }
    known = {
        "life-expectancy": KnownYears("estimated", 2023, 40, 2019, 2017, 2021),
        "wheat-yields": KnownYears("too_few", 2023, 3),
    }
    told = {
        "run": "n1",
        "suite": "numeric",
        "questions": 80,
        "prompts": 80,
        "upper_bound": chosen(50, 25, 5),
        "average": chosen(50, 25, 5),
        "groups": {"health": chosen(45, 15, 0), "economy": chosen(5, 10, 5)},
        "same": 0,
        "named": 0,
        "outdated": 0,
        "lag_days": {},
        "cutoff": None,
        "window": None,
        "choices": ChoiceFigures(topics, {}, {}, {"date": 0.25, "comparative": 0.5}, known),
    }
    return summary(model, **told | changes)


def reading(name="m1", *, finished=None, numeric=None, succeeded=True, runs=None, **changes):
    suites = [SuiteReading("current", finished or summary(name), succeeded, runs or {"finished": 1})]
    if numeric:
        suites.append(SuiteReading(numeric.suite, numeric, True, {"finished": 1}))
    totals = RequestTotals(name, {"answered": 28, "timeout": 2}, count([0.2, 0.7], REQUEST_SECONDS), 0.9)
    return ModelReading(name, **{"suites": tuple(suites), "requests": totals} | changes)


def state(job="probe:m1:current", **changes):
    told = {
        "slot": NOW - timedelta(minutes=5),
        "attempt": 1,
        "running": False,
        "last_slot": NOW - timedelta(minutes=5),
        "last_started_at": NOW - timedelta(minutes=5),
        "last_finished_at": NOW,
        "last_success_at": NOW,
        "last_outcome": "succeeded",
        "last_error": None,
        "failures_in_a_row": 0,
        "outcomes": {"succeeded": 7, "failed": 1, "interrupted": 0},
        "seconds": count([3.0, 70.0], JOB_SECONDS),
        "seconds_sum": 73.0,
    }
    return JobState(job, **told | changes)


def readings(*models, **changes):
    job = Job("probe:m1:current", state(), NOW + timedelta(hours=6), timedelta(hours=6))
    told = {
        "models": models or (reading(numeric=numbers()),),
        "sources": (
            Source("wikidata", NOW - timedelta(days=1), timedelta(days=7), 3, 1),
            Source("owid", NOW - timedelta(days=2), timedelta(days=30), 40, 7),
            Source("bundled", NOW),
        ),
        "indicators": (
            Indicator("life-expectancy", NOW, date(2026, 6, 1), date(2027, 6, 1), 2025),
            Indicator("wheat-yields", NOW - timedelta(days=2)),
        ),
        "facts": {
            "countries": {"usable": 90, "quarantined": 3},
            "companies": {"usable": 40, "quarantined": 0},
        },
        "jobs": (job,),
        "daemon": Daemon(NOW - timedelta(days=3), True, NOW - timedelta(days=2)),
        "build": ("0.4.0", "j3", "3.11.2"),
    }
    return Readings(**told | changes)


def scrape(told=None):
    """Value of each series by name and labels, read back by the client's own parser; none comes twice."""
    return parse(expose(told or readings()))


def parse(text):
    found = {}
    for family in text_string_to_metric_families(text.decode()):
        for sample in family.samples:
            assert sample.timestamp is None
            key = (sample.name, *sorted(sample.labels.items()))
            assert key not in found, f"{key} is there twice"
            found[key] = sample.value
    return found


def value(found, name, **labels):
    return found[(f"freshness_{name}", *sorted(labels.items()))]


def series(found, name):
    """Label values of all series of that name, by label."""
    return [dict(key[1:]) for key in found if key[0] == f"freshness_{name}"]


def check_metrics(text):
    """What ``promtool check metrics`` says, warnings too; empty: nothing."""
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, timeout=60)
    return (done.stdout + done.stderr).decode() + (f"exit {done.returncode}" if done.returncode else "")
