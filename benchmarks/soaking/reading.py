"""What happened in the month, what should have, and the table of both."""

from __future__ import annotations

import contextlib
import json
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from soaking.servers import FACTS, SCHEDULES

LIMIT_MB = 50.0
"""What memory may grow by after the warm-up."""

NEVER = datetime.max.replace(tzinfo=UTC)

WHERE = "freshness serves http"
"""How the one line begins that is for people, whatever the log's format."""


@dataclass
class Span:
    """A time in which something is away."""

    begin: datetime
    end: datetime | None = None

    def holds(self, moment: datetime) -> bool:
        return self.begin <= moment and (self.end is None or moment <= self.end)


@dataclass
class Seen:
    """What happened, as it happened.

    ``day``: how long one was. ``changes``: so many were made. ``memory``: for each life of the daemon, its
    size in MB, a sample a second. ``faults``: in a sentence each.
    """

    day: timedelta
    begin: datetime = NEVER
    end: datetime = NEVER
    changes: int = 0
    down: list[Span] = field(default_factory=list)
    away: dict[str, list[Span]] = field(default_factory=dict)
    memory: list[list[float]] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """A slot as the database has it."""

    status: str
    attempt: int
    started: datetime
    finished: datetime


Rows = dict[datetime, Row]
"""Of one job, by slot."""


@dataclass
class Tally:
    """Of one job: how its slots went."""

    due: int = 0
    once: int = 0
    again: int = 0
    failed: int = 0
    skipped: int = 0
    wrong: list[str] = field(default_factory=list)


def report(folder: Path, seen: Seen) -> int:
    """Prints the table; 1 where something was wrong."""
    from freshness.store import open_store

    rows = job_rows(folder / "freshness.db")
    log, faults = folder / "log.jsonl", list(seen.faults)
    days = (seen.end - seen.begin) / seen.day
    print(f"{days:.1f} days of {seen.day.total_seconds():.1f} s, {FACTS} facts, {seen.changes} changes")
    print("job                      due   ran  resumed  failed as made to  skipped, down  wrong")
    with open_store(f"sqlite:///{folder / 'freshness.db'}") as store:
        for job in SCHEDULES:
            tally = count(job, rows[job], seen)
            print(
                f"{job:22} {tally.due:5} {tally.once:5} {tally.again:8} {tally.failed:18} {tally.skipped:14}"
                f" {len(tally.wrong):6}"
            )
            faults += tally.wrong + wrong_runs(store, job, rows[job], log)
        faults += wrong_world(store, seen.changes)
    faults += wrong_lines(log) + tell_memory(seen)
    for path, number in sorted(seen.asked.items()):
        print(f"{path:14} asked {number} times, slowest answer {1000 * seen.slowest[path]:.0f} ms")
    for fault in faults[:50]:
        print(f"WRONG: {fault}")
    print("passed" if not faults else f"failed: {len(faults)} faults")
    return bool(faults)


def job_rows(database: Path) -> dict[str, Rows]:
    """By job."""
    import sqlite3

    found: dict[str, Rows] = {job: {} for job in SCHEDULES}
    statement = (
        "SELECT name, job_runs.slot, status, job_runs.attempt, started_at, finished_at"
        " FROM job_runs JOIN jobs ON jobs.id = job_id"
    )
    with contextlib.closing(sqlite3.connect(database)) as connection:
        for job, slot, status, attempt, started, finished in connection.execute(statement):
            found[job][moment(slot)] = Row(status, attempt, moment(started), moment(finished or started))
    return found


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def count(job: str, rows: Rows, seen: Seen) -> Tally:
    """Compare what ran with what was due."""
    from freshness.daemon.schedule import Interval

    every = seen.day if SCHEDULES[job] == "every 1d" else seen.day / 2
    tally = Tally()
    for slot in Interval(every).slots(seen.begin - every / 2, seen.end - every / 2):
        row = rows.get(slot)
        tally.due += 1
        tally.again += row is not None and row.attempt > 1
        if row and row.status == "succeeded":
            tally.once += 1
        elif row and row.status == "failed" and was_away(job, row, seen):
            tally.failed += 1
        elif cut_off(row, slot + every, seen) if row else overtaken(rows, slot, every, seen):
            tally.skipped += 1
        else:
            tally.wrong.append(f"{job} of {slot:%H:%M:%S}: {row.status if row else 'did not run'}")
    return tally


def was_away(job: str, row: Row, seen: Seen) -> bool:
    """Whether what the job asks was away at some time while it ran."""
    spans = seen.away.get("wikidata" if job.startswith("refresh") else job.split(":")[1], [])
    return any(span.begin <= row.finished and row.started <= (span.end or NEVER) for span in spans)


def cut_off(row: Row, following: datetime, seen: Seen) -> bool:
    """Whether the daemon went down while this ran, and came back when the next slot was due already."""
    return row.status in ("interrupted", "running") and any(
        row.started <= span.begin and following <= (span.end or NEVER) for span in seen.down
    )


def overtaken(rows: Rows, slot: datetime, every: timedelta, seen: Seen) -> bool:
    """Whether the next slot was due before the daemon, down as one of them came, could begin this one."""
    is_down = [any(span.holds(when) for span in seen.down) for when in (slot, slot + every)]
    is_busy = [
        any(row.started <= when <= row.finished for row in rows.values()) for when in (slot, slot + every)
    ]
    return any(is_down) and all(down or busy for down, busy in zip(is_down, is_busy, strict=True))


def wrong_runs(store: Any, job: str, rows: Rows, log: Path) -> list[str]:
    """A run that counts for each slot that succeeded, none more often, and none that is still going on.

    One whose daemon was killed before it could write down that the job was done counts too.
    """
    if not job.startswith("probe:"):
        return []
    runs = Counter(run.status for run in store.runs(job.split(":")[1], limit=10_000))
    slots = Counter(row.status for row in rows.values())
    faults = []
    if not slots["succeeded"] <= runs["finished"] <= slots["succeeded"] + slots["interrupted"]:
        faults.append(
            f"{job}: {runs['finished']} finished runs for {slots['succeeded']} slots that succeeded"
        )
    if runs["running"]:
        faults.append(f"{job}: {runs['running']} runs are still going on")
    told = {(entry["slot"], entry["run"]) for entry in entries(log) if "run" in entry and entry["job"] == job}
    twice = [slot for slot, number in Counter(slot for slot, _ in told).items() if number > 1]
    return faults + [f"{job}: slot {slot} has two runs" for slot in twice]


def entries(log: Path) -> Iterator[dict[str, Any]]:
    for line in log.read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ValueError):
            yield json.loads(line)


def wrong_world(store: Any, changes: int) -> list[str]:
    """Every change seen once, the steady model outdated by each, the swapped one noticed."""
    faults = []
    seen = Counter(event.after.id for event in store.events() if event.kind == "change")
    if len(seen) != changes or set(seen.values()) != {1}:
        faults.append(f"{changes} changes were made, seen were {dict(seen)}")
    outdated = {summary.model: summary.outdated for summary in store.latest_summaries()}
    if outdated.get("steady") != changes:
        faults.append(f"steady has {outdated.get('steady')} outdated facts, not {changes}")
    swaps = [(event.model, event.kind) for event in store.model_events()]
    if swaps != [("served", "served_model_changed")]:
        faults.append(f"served was swapped once, seen were {swaps}")
    return faults


def wrong_lines(log: Path) -> list[str]:
    """What the log should not hold: anything but JSON, a traceback, an error of a job that had no reason."""
    faults, levels = [], Counter[str]()
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            if line.startswith(WHERE):
                continue
            faults.append(f"log: no JSON: {line[:200]}")
            continue
        levels[entry.get("level", "")] += 1
        excused = entry.get("job") in ("probe:flaky:current", "refresh:wikidata")
        if "traceback" in entry or (entry.get("level") in ("error", "critical") and not excused):
            faults.append(f"log: {line[:300]}")
    print(f"log: {sum(levels.values())} lines, {dict(levels)}")
    return faults


def tell_memory(seen: Seen) -> list[str]:
    """Growth in the longest life after its first quarter: the median at its end less that at its begin."""
    life = max(seen.memory, key=len)
    steady = life[len(life) // 4 :]
    part = max(1, len(steady) // 5)
    growth = statistics.median(steady[-part:]) - statistics.median(steady[:part])
    print(
        f"memory: {len(life)} samples, {steady[0]:.0f} MB after warm-up, {steady[-1]:.0f} MB at the end,"
        f" most {max(life):.0f} MB, growth {growth:+.1f} MB"
    )
    return [f"memory grew by {growth:.0f} MB"] if growth >= LIMIT_MB else []
