"""A month of ``freshness serve`` in minutes: does every due run happen once, and does memory stay flat?

usage: python benchmarks/soak.py [--minutes N] [--keep FOLDER]

Thirty days pass in N minutes (5, or more where this machine can't do the work of a day in a thirtieth of it).
The daemon is that of ``freshness serve``, with all that it has, but ``every 1d`` comes round that quickly.
Three scripted models and two behind a real HTTP server are asked on their schedules, while facts of a real SPARQL
server change, both servers go away for days, a model is swapped for another, and the daemon is stopped,
killed, and left down for more than a day. Page, metrics and readiness are asked for all the time. At the end
the database and the log are read:

- every slot ran once; where the daemon was down, the newest slot that it missed did, and the older ones not;
- each run that counts belongs to one slot, and none is left half done;
- every change of the world was seen once, and outdated the model that said what was true before;
- nothing went wrong that was not made to, and nobody who asked for a page got an error;
- the daemon's memory grew by less than 50 MB after its warm-up.

Exit code 1 where one of these is not so. Needs Linux (for /proc) and the oxigraph program of the dev extra.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import refresh as world

DAYS = 30
FACTS = 24
LIMIT_MB = 50.0
"""What memory may grow by after the warm-up."""

CHANGES = (1.5, 4.5, 8.5, 12.5, 16.5, 20.5, 24.5, 27.5)
"""The days on which somebody new comes to hold something."""

SCHEDULES = {
    "refresh:wikidata": "every 1d",
    "probe:steady:current": "every 1d",
    "probe:old:current": "every 1d",
    "probe:odd:current": "every 1d",
    "probe:served:current": "every 12h",
    "probe:flaky:current": "every 1d",
}
ODD = '<script>alert("x")</script> \u202e"><img src=x onerror=alert(1)> ' + "long " * 2000
STOP_SECONDS = 15.0
ROOM = 2.5
"""So many times what a day's work takes is a day long."""

WHERE = "freshness serves http"
"""How the one line begins that is for people, whatever the log's format."""

DAY_SECONDS = 86_400


@dataclass
class Span:
    """A time in which something is away."""

    begin: datetime
    end: datetime | None = None

    def holds(self, moment: datetime) -> bool:
        return self.begin <= moment and (self.end is None or moment <= self.end)


@dataclass
class Seen:
    """What happened, as it happened; memory in MB by the seconds since the daemon began."""

    down: list[Span] = field(default_factory=list)
    away: dict[str, list[Span]] = field(default_factory=dict)
    memory: list[list[tuple[float, float]]] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep database and log there")
    parser.add_argument("--serve", nargs="+", help=argparse.SUPPRESS)  # what the daemon is called with
    options = parser.parse_args()
    if options.serve:
        day, config, *rest = options.serve
        return serve(float(day), config, rest)
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        return soak(place, options.minutes * 60 / DAYS)


def serve(day: float, config: str, rest: list[str]) -> int:
    """``freshness serve`` in which a day takes ``day`` seconds."""
    from freshness.cli.main import run
    from freshness.daemon import jobs, schedule

    def quick(text: str, timezone: str) -> schedule.Schedule:
        found = schedule.parse(text, timezone)
        assert isinstance(found, schedule.Interval)
        return schedule.Interval(found.every * day / DAY_SECONDS)

    jobs.parse = quick
    return run(["--config", config, "serve", *(f"--{option}" for option in rest)])


def soak(folder: Path, day: float) -> int:
    """Lives through the month; the exit code."""
    seen = Seen()
    with contextlib.ExitStack() as stack:
        month = Month(folder, day, seen, stack)
        month.pass_by()
    return report(folder, month, seen)


class Month:
    """The world, the servers and the daemon, and what befalls them on which day."""

    def __init__(self, folder: Path, day: float, seen: Seen, stack: contextlib.ExitStack) -> None:
        self.seen = seen
        self.sparql = Sparql()
        self.models = {name: ModelServer(f"{name}-v1") for name in ("served", "flaky")}
        for part in (self.sparql, *self.models.values()):
            part.start()
            stack.callback(part.stop)
        config = write_config(folder, self.sparql.address, {n: m.address for n, m in self.models.items()})
        day = max(day, ROOM * seconds_for_a_day(config, day))
        self.day = timedelta(seconds=day)
        self.daemon = Daemon(config, folder / "log.jsonl", day, seen)
        stack.callback(self.daemon.end)
        self.begin = self.end = datetime.now(UTC)

    def pass_by(self) -> None:
        """All of it, from the beginning of a day."""
        self.daemon.start()
        seconds = self.day.total_seconds()
        print(f"a month in {(DAYS + 1) * seconds / 60:.1f} minutes ...", file=sys.stderr, flush=True)
        time.sleep(seconds - time.time() % seconds)  # schedules count from 1970
        self.begin = datetime.now(UTC)
        with watching(self.daemon, self.seen):
            for number, what in sorted(self._events(), key=lambda event: event[0]):
                wait_until(self.begin + number * self.day)
                what()
        self.end = datetime.now(UTC)
        self.daemon.stop()

    def _events(self) -> Iterator[tuple[float, Callable[[], None]]]:
        for number, day in enumerate(CHANGES):
            yield day, lambda number=number: self.sparql.change(number)
        yield 3.1, lambda: self.daemon.stop(again=True)
        yield 5.1, lambda: self.daemon.kill(again=True)
        yield 6.1, lambda: self.daemon.kill(again=True)
        yield 7.1, self.daemon.kill
        yield 9.6, self.daemon.start
        yield from self._away("flaky", 11.5, 19.5, self.models["flaky"])
        yield 14.5, lambda: self.models["served"].swap("served-v2")
        yield from self._away("wikidata", 21.5, 23.5, self.sparql)
        yield DAYS + 0.7, lambda: None

    def _away(
        self, name: str, begin: float, end: float, server: Sparql | ModelServer
    ) -> Iterator[tuple[float, Callable[[], None]]]:
        span = Span(datetime.max.replace(tzinfo=UTC))

        def leave() -> None:
            span.begin = datetime.now(UTC)
            server.stop()

        def come_back() -> None:
            server.start()
            span.end = datetime.now(UTC)

        self.seen.away[name] = [span]
        yield begin, leave
        yield end, come_back


def seconds_for_a_day(config: Path, day: float) -> float:
    """How long this machine takes to do each job once."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [sys.executable, "-m", "freshness", "--config", str(config), "refresh", "wikidata"]
    subprocess.run(command, check=True, **quiet)
    begun = time.monotonic()
    subprocess.run([sys.executable, __file__, "--serve", str(day), str(config), "once"], check=True, **quiet)
    return time.monotonic() - begun


class Daemon:
    """``freshness serve`` as a process, started again as often as it is needed."""

    def __init__(self, config: Path, log: Path, day: float, seen: Seen) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.process: subprocess.Popen[bytes] | None = None
        self._log, self._seen = log, seen
        self._command = [sys.executable, __file__, "--serve", str(day), str(config)]
        self._environment = os.environ | {"FRESHNESS_SERVER__PORT": self.url.rpartition(":")[2]}
        log.unlink(missing_ok=True)

    def start(self) -> None:
        """Returns when it is ready."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._command, env=self._environment, stderr=log)
        until = time.monotonic() + 60
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                sys.exit(f"the daemon did not come up; its log: {self._log.read_text()[-2000:]}")
            time.sleep(0.1)
        if self._seen.down:
            self._seen.down[-1].end = datetime.now(UTC)
        self._seen.memory.append([])

    def _is_ready(self) -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as reply:
            return reply.status == 200
        return False

    def stop(self, *, again: bool = False) -> None:
        """As a service manager does."""
        self._go(signal.SIGTERM, again)

    def kill(self, *, again: bool = False) -> None:
        self._go(signal.SIGKILL, again)

    def _go(self, number: signal.Signals, again: bool) -> None:
        process, self.process = self.process, None
        assert process
        self._seen.down.append(Span(datetime.now(UTC)))
        begun = time.monotonic()
        process.send_signal(number)
        process.wait()
        took = time.monotonic() - begun
        if took > STOP_SECONDS:
            self._seen.faults.append(f"the daemon took {took:.0f} s to stop")
        if again:
            self.start()

    def end(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()


class Sparql:
    """An oxigraph that can go away and come back with what it knew."""

    def __init__(self) -> None:
        program = shutil.which(
            "oxigraph", path=os.pathsep.join((os.path.dirname(sys.executable), os.defpath))
        )
        if not program:
            sys.exit("needs the oxigraph program: pip install -e '.[dev]'")
        self._folder = tempfile.TemporaryDirectory()
        self.address = f"http://127.0.0.1:{free_port()}"
        bind = self.address.removeprefix("http://")
        self._command = [program, "serve", "--location", self._folder.name, "--bind", bind]
        self._process: subprocess.Popen[bytes] | None = None
        self._known = False

    def start(self) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(self._command, **quiet)
        world.wait_for(self.address.removeprefix("http://"))
        if not self._known:
            self._load()

    def _load(self) -> None:
        self._known = True
        data = Path(self._folder.name) / "facts.ttl"
        with data.open("w", encoding="utf-8") as file:
            world.write(file, FACTS)
        self._send("/store?default", data.read_bytes(), "text/turtle")

    def change(self, number: int) -> None:
        """Somebody new for the fact of this number, from today on."""
        lines = Lines()
        subject, statement, person = world.SUBJECT + number, f"s:new-{number}", f"wd:Q{50_000_000 + number}"
        property_id = list(world.PROPERTIES)[number % len(world.PROPERTIES)]
        world.write_date(lines, f"s:Q{subject}-{world.TERMS - 1}", "P582", datetime.now(UTC).date())
        lines.add(f"wd:Q{subject} p:{property_id} {statement} .")
        lines.add(f"{statement} ps:{property_id} {person} ; wikibase:rank wikibase:NormalRank .")
        world.write_date(lines, statement, "P580", datetime.now(UTC).date())
        kind = world.CLUB if property_id == "P54" else "Q5"
        lines.add(f'{person} rdfs:label "Newcomer {number}"@en ; wdt:P31 wd:{kind} .')
        prefixes = world.PREFIXES.replace("@prefix", "PREFIX").replace(" .\n", "\n")
        update = f"{prefixes} INSERT DATA {{ {' '.join(lines.texts)} }}"
        self._send("/update", update.encode(), "application/sparql-update")

    def _send(self, path: str, body: bytes, kind: str) -> None:
        request = urllib.request.Request(self.address + path, body, {"Content-Type": kind}, method="POST")
        urllib.request.urlopen(request, timeout=30).close()

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()


class Lines(world.Lines):
    """Triples that are not written to a file."""

    def __init__(self) -> None:
        super().__init__(sys.stdout)
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        self.texts.append(text)


class ModelServer:
    """Speaks OpenAI's protocol; knows who held what when the month began."""

    def __init__(self, served: str) -> None:
        self._served = served
        self._port = free_port()
        self._http: ThreadingHTTPServer | None = None
        self.address = f"http://127.0.0.1:{self._port}/v1#m"

    def swap(self, served: str) -> None:
        self._served = served

    def start(self) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                payload = json.dumps(server.reply(body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None:
                pass

        ThreadingHTTPServer.daemon_threads = True
        self._http = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        asked = body["messages"][-1]["content"]
        number = next(n for n in reversed(range(FACTS)) if f"Subject {n}?" in asked)
        message = {"role": "assistant", "content": holder(number, world.TERMS - 1)}
        return {"model": self._served, "choices": [{"message": message, "finish_reason": "stop"}]}

    def stop(self) -> None:
        if self._http:
            self._http.shutdown()
            self._http.server_close()
            self._http = None


def holder(number: int, term: int) -> str:
    """The name that the world gives to who held the fact in this term."""
    lines = Lines()
    world.write_value(lines, number, list(world.PROPERTIES)[number % len(world.PROPERTIES)], term)
    return lines.texts[0].split('"')[1]


def write_config(folder: Path, sparql: str, addresses: dict[str, str]) -> Path:
    (folder / "freshness.db").unlink(missing_ok=True)
    (folder / "facts.toml").write_text(world.catalogue_of(FACTS), encoding="utf-8")
    for name, term in (("steady", world.TERMS - 1), ("old", world.TERMS - 2)):
        answers = {f"Subject {number}?": holder(number, term) for number in range(FACTS)}
        (folder / f"{name}.json").write_text(json.dumps({"answers": answers}), encoding="utf-8")
    (folder / "odd.json").write_text(json.dumps({"default": ODD}), encoding="utf-8")
    specs = {name: f"scripted:{folder / f'{name}.json'}" for name in ("steady", "old", "odd")} | addresses
    models = "".join(
        f'[[models]]\nname = "{name}"\nmodel = "{spec}"\nlimits = {{ timeout = "2s" }}\n'
        f'schedule = "{SCHEDULES[f"probe:{name}:current"]}"\n'
        for name, spec in specs.items()
    )
    config = folder / "freshness.toml"
    config.write_text(
        f'[wikidata]\nendpoint = "{sparql}/query"\nrefresh = "{SCHEDULES["refresh:wikidata"]}"\n'
        f'[store]\nurl = "sqlite:///{folder / "freshness.db"}"\n'
        f'[facts]\ncatalogues = ["{folder / "facts.toml"}"]\n'
        f'[daemon]\nworkers = {len(SCHEDULES)}\n[logs]\nformat = "json"\n{models}',
        encoding="utf-8",
    )
    return config


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(moment: datetime) -> None:
    time.sleep(max(0.0, (moment - datetime.now(UTC)).total_seconds()))


@contextlib.contextmanager
def watching(daemon: Daemon, seen: Seen) -> Iterator[None]:
    """Ask for its pages and measure its memory, every second that it is there."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(1):
            process = daemon.process
            if process is None or (seen.down and seen.down[-1].end is None):
                continue
            note_memory(process.pid, seen)
            for path in ("/metrics", "/", "/readyz", "/models/odd"):
                ask(daemon, process, path, seen)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def note_memory(pid: int, seen: Seen) -> None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{pid}/status").read_text()
        seen.memory[-1].append((time.monotonic(), int(status.split("VmRSS:")[1].split()[0]) / 1024))


def ask(daemon: Daemon, process: subprocess.Popen[bytes], path: str, seen: Seen) -> None:
    begun = time.monotonic()
    try:
        with urllib.request.urlopen(daemon.url + path, timeout=10) as reply:
            reply.read()
    except OSError as error:
        if daemon.process is process:  # one that was stopped or killed meanwhile can't answer
            seen.faults.append(f"{path}: {error}")
    seen.asked[path] += 1
    seen.slowest[path] = max(seen.slowest.get(path, 0.0), time.monotonic() - begun)


@dataclass
class Tally:
    """Of one job: how its slots went."""

    due: int = 0
    once: int = 0
    again: int = 0
    failed: int = 0
    skipped: int = 0
    wrong: list[str] = field(default_factory=list)


def report(folder: Path, month: Month, seen: Seen) -> int:
    """Prints the table; 1 where something was wrong."""
    from freshness.store import open_store

    rows = job_rows(folder / "freshness.db")
    faults = list(seen.faults)
    print(f"{DAYS} days of {month.day.total_seconds():.1f} s, {FACTS} facts, {len(CHANGES)} changes")
    print("job                      due   ran  resumed  failed as made to  skipped while down  wrong")
    with open_store(f"sqlite:///{folder / 'freshness.db'}") as store:
        for job in SCHEDULES:
            tally = count(job, rows[job], month, seen)
            print(
                f"{job:22} {tally.due:5} {tally.once:5} {tally.again:8} {tally.failed:18} {tally.skipped:19}"
                f" {len(tally.wrong):6}"
            )
            faults += tally.wrong + wrong_runs(store, job, rows[job])
        faults += wrong_world(store)
    faults += wrong_lines(folder / "log.jsonl") + tell_memory(seen)
    for path, number in sorted(seen.asked.items()):
        print(f"{path:14} asked {number} times, slowest answer {1000 * seen.slowest[path]:.0f} ms")
    for fault in faults[:50]:
        print(f"WRONG: {fault}")
    print("passed" if not faults else f"failed: {len(faults)} faults")
    return bool(faults)


def job_rows(database: Path) -> dict[str, dict[datetime, tuple[str, int]]]:
    """Status and attempts of each slot, by job."""
    import sqlite3

    found: dict[str, dict[datetime, tuple[str, int]]] = {job: {} for job in SCHEDULES}
    statement = (
        "SELECT name, job_runs.slot, status, job_runs.attempt FROM job_runs JOIN jobs ON jobs.id = job_id"
    )
    with contextlib.closing(sqlite3.connect(database)) as connection:
        for job, slot, status, attempt in connection.execute(statement):
            found[job][datetime.fromisoformat(slot).replace(tzinfo=UTC)] = (status, attempt)
    return found


def count(job: str, rows: dict[datetime, tuple[str, int]], month: Month, seen: Seen) -> Tally:
    """Compare what ran with what was due."""
    from freshness.daemon.schedule import Interval

    every = month.day if SCHEDULES[job] == "every 1d" else month.day / 2
    tally = Tally()
    away = seen.away.get("wikidata" if job.startswith("refresh") else job.split(":")[1], [])
    for slot in Interval(every).slots(month.begin - every / 2, month.end - every / 2):
        status, attempt = rows.get(slot, ("", 0))
        overtaken = any(span.holds(slot) and span.holds(slot + every) for span in seen.down)
        cut_off = any(span.holds(slot + every) for span in seen.down)
        tally.due += 1
        tally.again += attempt > 1
        if status == "succeeded":
            tally.once += 1
        elif status == "failed" and any(span.holds(slot) or span.holds(slot + every / 4) for span in away):
            tally.failed += 1
        elif (not status and overtaken) or (status in ("interrupted", "running") and cut_off):
            tally.skipped += 1
        else:
            tally.wrong.append(f"{job} of {slot:%H:%M:%S}: {status or 'did not run'}")
    return tally


def wrong_runs(store: Any, job: str, rows: dict[datetime, tuple[str, int]]) -> list[str]:
    """A run that counts for each slot that succeeded, and none that is still going on."""
    kind, _, rest = job.partition(":")
    if kind != "probe":
        return []
    statuses = Counter(run.status for run in store.runs(rest.split(":")[0], limit=10_000))
    succeeded = sum(status == "succeeded" for status, _ in rows.values())
    faults = []
    if statuses["finished"] != succeeded:
        faults.append(f"{job}: {statuses['finished']} finished runs for {succeeded} slots that succeeded")
    if statuses["running"]:
        faults.append(f"{job}: {statuses['running']} runs are still going on")
    return faults


def wrong_world(store: Any) -> list[str]:
    """Every change seen once, the steady model outdated by each, the swapped one noticed."""
    faults = []
    seen = Counter(event.after.id for event in store.events() if event.kind == "change")
    if len(seen) != len(CHANGES) or set(seen.values()) != {1}:
        faults.append(f"{len(CHANGES)} changes were made, seen were {dict(seen)}")
    outdated = {summary.model: summary.outdated for summary in store.latest_summaries()}
    if outdated.get("steady") != len(CHANGES):
        faults.append(f"steady has {outdated.get('steady')} outdated facts, not {len(CHANGES)}")
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
    life = [mb for _, mb in max(seen.memory, key=len)]
    steady = life[len(life) // 4 :]
    part = max(1, len(steady) // 5)
    growth = statistics.median(steady[-part:]) - statistics.median(steady[:part])
    print(
        f"memory: {len(life)} samples, {steady[0]:.0f} MB after warm-up, {steady[-1]:.0f} MB at the end,"
        f" most {max(life):.0f} MB, growth {growth:+.1f} MB"
    )
    return [f"memory grew by {growth:.0f} MB"] if growth >= LIMIT_MB else []


if __name__ == "__main__":
    sys.exit(main())
