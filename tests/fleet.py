"""A history as a daemon leaves it: three models, some runs each, changes in the world, jobs, swaps."""

import atexit
import shutil
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from made_charts import save_charts
from numeric_runs import KNOWN, choosing
from stores import failed, italy, judged, made_database, question, run, snapshot, spans, trial

from freshness.app.summaries import summary_of
from freshness.changes import Effect, Event
from freshness.facts import Subject, Value
from freshness.history import ModelEvent
from freshness.store import open_store
from freshness.verdicts import Verdict

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
JOBS = (
    "refresh:wikidata",
    "probe:fresh:current",
    "probe:fresh:numeric",
    "probe:old:current",
    "probe:broken:current",
)

CONFIG = """
[wikidata]
contact = "test@example.org"
refresh = "every 24h"
endpoint = "http://127.0.0.1:9/"

[[models]]
name = "fresh"
model = "scripted:fresh.toml"
schedule = "every 24h"
suites = ["current", "numeric"]

[[models]]
name = "old"
model = "scripted:old.toml"
schedule = "every 24h"

[[models]]
name = "broken"
model = "http://127.0.0.1:9/v1#x"
schedule = "every 24h"

[[models]]
name = "new"
model = "scripted:new.toml"
"""


def filled(kind, folder):
    """The address of a filled database; an SQLite file is copied from one that was filled once."""
    url = made_database(kind, folder)
    if kind == "postgresql":
        fill(url)
    else:
        shutil.copy(_template(), url.removeprefix("sqlite:///"))
    return url


@cache
def _template():
    folder = Path(tempfile.mkdtemp(prefix="freshness"))
    atexit.register(shutil.rmtree, folder)
    url = made_database("sqlite", folder)
    fill(url)
    return url.removeprefix("sqlite:///")


def fill(url):
    """Fill an empty database; the newest run of ``fresh`` and ``old`` finished, that of ``broken`` failed."""
    now = datetime.now(UTC)
    with open_store(url) as store:
        _world(store, now)
        for number in range(3):
            at = now - (3 - number) * DAY
            _ask(store, f"fresh{number}", "fresh", at, correct=10 - number, outdated=2 + number)
            _ask(store, f"old{number}", "old", at, correct=3, outdated=9, errors=2)
        _ask_numbers(store, now - DAY)
        save_charts(store, now)
        _ask(store, "broken0", "broken", now - 2 * DAY, correct=6, outdated=6)
        _ask(store, "broken1", "broken", now - DAY, correct=0, outdated=0, errors=12, status="failed")
        for kind in ("served_model_changed", "fingerprint_changed", "answers_shifted"):
            store.add_model_event(ModelEvent("old", kind, now - DAY, "old2", "m-1", "m-2", 0.0001))
        _change(store, now)
        _work(store, now)


def _ask(store, run_id, model, at, *, correct, outdated, errors=0, status="finished"):
    asked = [question(n) for n in range(correct + outdated + errors)]
    store.start_run(run(run_id, model=model, started_at=at, as_of=at.date()), asked)
    verdicts = [Verdict.CORRECT] * correct + [Verdict.OUTDATED] * outdated
    said = [
        replace(trial(number, prompt, verdict=verdict), judgement=_judgement(verdict, number))
        for number, verdict in enumerate(verdicts)
        for prompt in ("p1", "p2", "p3")
    ]
    silent = [failed(number, "p1") for number in range(correct + outdated, len(asked))]
    store.add_trials(run_id, said + silent)
    store.finish_run(run_id, at + HOUR / 12, status, seconds=300.0)
    figures = summary_of(store.run(run_id))
    # Twelve questions date nothing; what a larger run would say.
    dated = {"cutoff": ("2024-01", "2024-06", "2024-11"), "window": ("2016-02", "2024-05")}
    assert store.save_summary(replace(figures, **dated if correct else {}))


def _ask_numbers(store, at):
    asked, said = choosing()
    begun = replace(run("numbers0", model="fresh", started_at=at, as_of=at.date()), suite="numeric")
    store.start_run(begun, asked)
    store.add_trials(begun.id, said)
    store.finish_run(begun.id, at + HOUR / 12, "finished", seconds=300.0)
    figures = summary_of(store.run(begun.id))
    # Nor do a few choices tell years.
    assert store.save_summary(replace(figures, choices=replace(figures.choices, known=KNOWN)))


def _judgement(verdict, number):
    return replace(judged(verdict), lag_days=100 * number if verdict is Verdict.OUTDATED else None)


def _facts(holder="Giorgia Meloni"):
    fine = Value(holder, (), spans(("2022-10-22", None)), id="Q1")
    return [
        replace(italy(fine), subject=Subject("Q0", "Land 0")),
        replace(italy(fine), subject=Subject("Q1", "Land 1")),
        replace(italy(fine, name="Club"), group="clubs", subject=Subject("Q2", "Club"), values=()),
    ]


def _world(store, now):
    store.save_refresh(snapshot(*_facts(), taken_at=now - 4 * DAY), now - 4 * DAY, known=None)


def _change(store, now):
    """One change that made ``fresh`` outdated on a fact that it had right, and one revision."""
    known = store.latest_snapshot("wikidata")
    facts = [*_facts("Elly Schlein")[:1], *known.facts[1:]]
    effect = Effect("fresh", "fresh2", "Giorgia Meloni", Verdict.CORRECT, Verdict.OUTDATED)
    before, after = known.facts[0], facts[0]
    was, is_now = ("Giorgia Meloni",), ("Elly Schlein",)
    events = [
        Event("change", now, before, after, was, is_now, (effect,)),
        Event("revision", now, before, after, was, is_now),
    ]
    assert store.save_refresh(snapshot(*facts, taken_at=now), now, known=known.digest, events=events)


def _work(store, now):
    for job in JOBS:
        outcome = "failed" if "broken" in job else "succeeded"
        for number in range(3):
            claim = store.claim(job, now - (3 - number) * HOUR, HOUR)
            assert store.settle(claim, outcome, "no answer" if outcome == "failed" else None, 4.5)
