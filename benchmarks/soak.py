"""A month of ``freshness serve`` in minutes: does every due run happen once, and does memory stay flat?

usage: python benchmarks/soak.py [--minutes N] [--keep FOLDER]

Thirty days pass in N minutes (5, or more where this machine can't do the work of a day in a thirtieth of it).
The daemon is that of ``freshness serve``, with all that it has, but ``every 1d`` comes round that quickly.
Three scripted models and two behind a real HTTP server are asked on their schedules, while facts of a real
SPARQL server change, both servers go away for days, a model is swapped, and the daemon is stopped, killed,
and left down for more than a day. Page, metrics and readiness are asked for all the time. At the end
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
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from soaking.reading import NEVER, Seen, Span, report
from soaking.servers import ModelServer, Sparql, free_port, write_config

DAYS = 30
CHANGES = (1.5, 4.5, 8.5, 12.5, 16.5, 20.5, 24.5, 27.5)
"""The days on which somebody new comes to hold something."""

STOP_SECONDS = 15.0
"""What a daemon may take to stop."""

ROOM = 2.5
"""So many times what a day's work takes is a day long."""

DAY_SECONDS = 86_400


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
    with contextlib.ExitStack() as stack:
        month = Month(folder, day, stack)
        month.pass_by()
    return report(folder, month.seen)


class Month:
    """The world, the servers and the daemon, and what befalls them on which day."""

    def __init__(self, folder: Path, day: float, stack: contextlib.ExitStack) -> None:
        self.sparql = Sparql()
        self.models = {name: ModelServer(f"{name}-v1") for name in ("served", "flaky")}
        for part in (self.sparql, *self.models.values()):
            part.start()
            stack.callback(part.stop)
        config = write_config(folder, self.sparql.address, {n: m.address for n, m in self.models.items()})
        day = round(max(day, ROOM * seconds_for_a_day(config, day)), 1)
        self.seen = Seen(timedelta(seconds=day))
        self.daemon = Daemon(config, folder / "log.jsonl", self.seen)
        stack.callback(self.daemon.end)

    def pass_by(self) -> None:
        """All of it, from the beginning of a day."""
        self.daemon.start()
        seconds = self.seen.day.total_seconds()
        print(f"a month in {(DAYS + 1) * seconds / 60:.1f} minutes ...", file=sys.stderr, flush=True)
        time.sleep(seconds - time.time() % seconds)  # schedules count from 1970
        self.seen.begin = datetime.now(UTC)
        with watching(self.daemon, self.seen):
            for number, what in sorted(self._events(), key=lambda event: event[0]):
                wait_until(self.seen.begin + number * self.seen.day)
                what()
        self.seen.end = datetime.now(UTC)
        self.daemon.stop()

    def _events(self) -> Iterator[tuple[float, Callable[[], None]]]:
        for number, day in enumerate(CHANGES):
            yield day, lambda number=number: self._change(number)
        yield 3.1, lambda: self.daemon.stop(again=True)
        yield 5.1, lambda: self.daemon.kill(again=True)
        yield 6.1, lambda: self.daemon.kill(again=True)
        yield 7.1, self.daemon.kill
        yield 9.6, self.daemon.start
        yield from self._away("flaky", 11.5, 19.5, self.models["flaky"])
        yield 14.5, lambda: self.models["served"].swap("served-v2")
        yield from self._away("wikidata", 21.5, 23.5, self.sparql)
        yield DAYS + 0.7, lambda: None

    def _change(self, number: int) -> None:
        self.sparql.change(number)
        self.seen.changes += 1

    def _away(
        self, name: str, begin: float, end: float, server: Sparql | ModelServer
    ) -> Iterator[tuple[float, Callable[[], None]]]:
        span = Span(NEVER)

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

    def __init__(self, config: Path, log: Path, seen: Seen) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.process: subprocess.Popen[bytes] | None = None
        self._log, self._seen = log, seen
        self._command = [sys.executable, __file__, "--serve", str(seen.day.total_seconds()), str(config)]
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
        seen.memory[-1].append(int(status.split("VmRSS:")[1].split()[0]) / 1024)


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


if __name__ == "__main__":
    sys.exit(main())
