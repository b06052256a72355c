"""How long ``/metrics`` takes with ever longer histories.

usage: python benchmarks/scrape.py [--runs N ...] [--prompts N] [--models N] [--url URL] [--keep DIRECTORY]

Each history has so many runs of ten models, six-hourly, each of 500 prompts about the bundled facts, with
judgements, figures and events as probes leave them: 10,000 runs are 5 million trials. One run of each model
is made by the store itself, the others are copies of its rows. What is timed is the scrape as
Prometheus gets it but for HTTP: everything read from the database, made into text. ``--url`` takes an empty
PostgreSQL database instead (for one ``--runs``).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, Table, create_engine, insert, literal, select, text

from freshness.app import exposition
from freshness.app.summaries import summary_of
from freshness.config import ModelSettings, Settings
from freshness.config.sections import StoreSettings
from freshness.facts import Snapshot
from freshness.grading import JUDGE_VERSION, judge
from freshness.history import ModelEvent, Run, Trial
from freshness.questions import Answer, Prompt, Question
from freshness.sources.bundled import Bundled
from freshness.store import Store, open_store

SCRAPES = 30
GAP = timedelta(hours=6)
KINDS = ("served_model_changed", "fingerprint_changed", "answers_shifted")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, nargs="+", default=[100, 1_000], metavar="N")
    parser.add_argument("--prompts", type=int, default=500, metavar="N")
    parser.add_argument("--models", type=int, default=10, metavar="N")
    parser.add_argument("--url", help="an empty database, such as postgresql+psycopg://…")
    parser.add_argument("--keep", type=Path, help="where the SQLite files stay")
    options = parser.parse_args()
    print("    runs     trials  database   first   median   slowest of 30   processor   series")
    with tempfile.TemporaryDirectory() as folder:
        for runs in options.runs:
            url = options.url or f"sqlite:///{options.keep or folder}/{runs}.db"
            names = [f"model-{number}" for number in range(options.models)]
            fill(url, runs, options.prompts, names)
            print(measured(url, runs, names), flush=True)


def measured(url: str, runs: int, names: list[str]) -> str:
    models = [ModelSettings(name=name, model="demo") for name in names]
    settings = Settings(store=StoreSettings(url=url), models=models)
    with open_store(url) as store:
        sizes = store.sizes()
        first, _ = timed(settings, store)
        clock, processor = zip(*(timed(settings, store) for _ in range(SCRAPES)), strict=True)
        series = exposition.render(settings, store).count(b"\nfreshness_")
    return (
        f"{runs:8,} {sizes.rows['trials']:10,} {sizes.size / 1e6:6,.0f} MB {first * 1e3:4.0f} ms"
        f" {statistics.median(clock) * 1e3:5.1f} ms {max(clock) * 1e3:12.1f} ms"
        f" {statistics.median(processor) * 1e3:8.1f} ms {series:8,}"
    )


def timed(settings: Settings, store: Store) -> tuple[float, float]:
    """Seconds by the clock, and of processor time."""
    clock, processor = time.perf_counter(), time.process_time()
    exposition.render(settings, store)
    return time.perf_counter() - clock, time.process_time() - processor


# The history


def fill(url: str, runs: int, prompts: int, names: list[str]) -> None:
    now = datetime.now(UTC)
    snapshot = Bundled().fetch()
    asked = questions(snapshot, prompts, now)
    per_model = max(1, runs // len(names))
    with open_store(url) as store:
        store.save_snapshot(snapshot, now)
        for name in names:
            ask(store, name, asked, snapshot, now - per_model * GAP)
    engine = create_engine(url)
    with engine.connect() as connection:
        copies = Copies(connection, now)
        for number in range(1, per_model):
            copies.all_once_more(number, at=now - (per_model - number) * GAP)
        connection.execute(text("ANALYZE"))
        connection.commit()
    engine.dispose()
    with open_store(url) as store:
        for name in names:
            for kind in KINDS:
                store.add_model_event(ModelEvent(name, kind, now, f"{name}-0", "a", "b", 0.001))


def questions(snapshot: Snapshot, prompts: int, now: datetime) -> list[Question]:
    """Three prompts each, as many questions as that takes, about the facts in turn."""
    facts = [fact for fact in snapshot.facts if fact.values]
    return [
        Question(
            f"{fact.id}#{number}",
            "current",
            fact.group,
            fact.id,
            tuple(
                Prompt(f"{fact.id}/p{n}", f"p{n}", f"Who leads {fact.subject.name}?", "") for n in range(3)
            ),
            now.date(),
            fact.values,
            fact.holders,
        )
        for number in range(-(-prompts // 3))
        for fact in [facts[number % len(facts)]]
    ]


def ask(store: Store, name: str, asked: list[Question], snapshot: Snapshot, at: datetime) -> None:
    """A run that names the value before the last one where there is one, with its figures."""
    run = Run(
        f"{name}-0",
        name,
        "current",
        at.date(),
        at,
        snapshot.source,
        snapshot.taken_at,
        snapshot.digest,
        JUDGE_VERSION,
    )
    store.start_run(run, asked)
    store.add_trials(run.id, [trial for question in asked for trial in answered(question)])
    store.finish_run(run.id, at + timedelta(minutes=5), "finished", seconds=300.0, served_model="served")
    assert store.save_summary(summary_of(store.run(run.id)))


def answered(question: Question) -> Iterator[Trial]:
    said = question.values[min(1, len(question.values) - 1)].label
    answer = Answer(f"I believe that it is {said}.", seconds=0.6, served_model="served")
    verdict = judge(answer.text or "", question.values, question.as_of, holders=question.holders)
    for prompt in question.prompts:
        yield Trial(question.id, question.group, question.fact, prompt.name, prompt.question, answer, verdict)


class Copies:
    """Copies of the rows of the runs that are there, under numbers of their own."""

    def __init__(self, connection: Connection, now: datetime) -> None:
        metadata = MetaData()
        metadata.reflect(connection)
        self._connection = connection
        self._tables = metadata.tables
        self._now = now
        self._runs = connection.execute(self._tables["runs"].select()).mappings().all()
        self._last = {
            name: connection.execute(text(f"SELECT max(id) FROM {name}")).scalar_one()
            for name in ("runs", "judgings", "trials")
        }

    def all_once_more(self, number: int, at: datetime) -> None:
        """All runs again, as if begun at another time."""
        step = {name: number * last for name, last in self._last.items()}
        text_of = self._runs[0]["started_at"]
        # SQLite keeps times as text; what was read tells how.
        moment: Any = at if isinstance(text_of, datetime) else at.replace(tzinfo=None).isoformat(" ")
        self._copy("runs", id=step["runs"], name=f"-{number}", started_at=moment)
        self._copy("run_questions", run_id=step["runs"])
        self._copy("judgings", id=step["judgings"], run_id=step["runs"])
        self._copy("trials", id=step["trials"], run_id=step["runs"])
        self._copy("judgements", trial_id=step["trials"], judging_id=step["judgings"])
        self._copy("run_summaries", run_id=step["runs"], started_at=moment)
        self._connection.commit()

    def _copy(self, copied: str, **changes: Any) -> None:
        """Rows of the first runs: numbers are added to, text is appended to, times are replaced."""
        table = self._tables[copied]
        first = self._first(table)
        columns = [self._changed(column, changes.get(column.name)) for column in table.columns]
        statement = insert(table).from_select([c.name for c in table.columns], select(*columns).where(first))
        self._connection.execute(statement)

    def _first(self, table: Table) -> Any:
        for column, of in (("trial_id", "trials"), ("run_id", "runs"), ("id", table.name)):
            if column in table.columns:
                return table.columns[column] <= self._last[of]
        raise ValueError(table.name)

    def _changed(self, column: Any, change: Any) -> Any:
        if change is None:
            return column
        if column.name == "started_at":
            return literal(change, column.type)
        return column + change


if __name__ == "__main__":
    main()
