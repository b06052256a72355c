"""Daemons for tests: processes that are killed, and the real ``freshness serve``."""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta

from freshness.config import load
from freshness.daemon import child
from freshness.daemon.jobs import Job
from freshness.daemon.runner import Result
from freshness.daemon.schedule import Interval
from freshness.daemon.service import Service
from freshness.store import lease

CATALOGUE = """
[[group]]
name = "countries"
property = "P6"
holders = "one"
subjects = [
    { id = "Q38", name = "Italy" }, { id = "Q142", name = "France" }, { id = "Q183", name = "Germany" }
]
prompts = ["Who leads {subject}?", "Who governs {subject}?", "{subject}'s leader is who?"]
completions = ["The leader of {subject} is", "The governor of {subject} is", "{subject} is led by"]
"""
PROMPTS = 9


def write_config(folder, url="", *, models=("a",), delay=0.0, schedule="every 1h", more=""):
    """A config with scripted models that are asked nine prompts about three facts."""
    folder.mkdir(exist_ok=True)
    (folder / "mine.toml").write_text(CATALOGUE)
    lines = [f"[facts]\ncatalogues = ['{folder}/mine.toml']", f"[store]\nurl = '{url}'" if url else "", more]
    for name in models:
        (folder / f"{name}.toml").write_text(f'default = "Mario Draghi"\ndelay = {delay}\n')
        lines.append(f'[[models]]\nname = "{name}"\nmodel = "scripted:{folder}/{name}.toml"')
        lines.append(f'schedule = "{schedule}"' if schedule else "")
    config = folder / "freshness.toml"
    config.write_text("\n".join(lines))
    return config


class Voice:
    """Nobody listens."""

    def __getattr__(self, name):
        return lambda *_, **__: None


def here(task, stop, tell):
    """Run a job in this process, so that a kill ends all of it at once."""
    given = child.Given.from_json(task.to_json())
    outcome, error = child._do(lambda: child.KINDS[given.kind](given, Voice()), Voice())
    return Result(outcome, error)


def probe_every_second(pipe, config):
    """A daemon whose model is asked every second, for ever."""
    job = Job("probe:a:current", "probe", Interval(timedelta(seconds=1)), timedelta(hours=1), "a", "current")
    service = Service(lambda: load(config, {}), jobs=lambda settings: [job], run=here)
    service.open()
    pipe.send("open")
    while True:
        service.tick()
        time.sleep(0.01)


def work_off(pipe, config, names, host, log):
    """A daemon on a machine of its own with many due jobs, each of which tells in a file that it ran."""
    lease._host = lambda: host
    each = Interval(timedelta(days=1))
    jobs = [Job(name, "probe", each, timedelta(hours=1)) for name in names]

    def run(task, stop, tell):
        time.sleep(0.5)
        line = f"{task.job.name}@{host}\n".encode()
        with open(log, "ab", buffering=0) as file:  # one write: lines of several processes don't mix
            file.write(line)
        return Result("succeeded")

    service = Service(lambda: load(config, {}), jobs=lambda settings: jobs, run=run)
    service.start()
    pipe.send("started")
    threading.Event().wait()


class Serving:
    """``freshness serve`` with this config, its log in a file."""

    def __init__(self, config, *options, **environment):
        self.config, self.log = config, config.parent / "log"
        self._options, self._environment = options, environment
        self.process = None

    def start(self, *, wait_for="daemon started"):
        environ = {name: value for name, value in os.environ.items() if not name.startswith("FRESHNESS_")}
        command = [sys.executable, "-m", "freshness", "--config", str(self.config), "serve", *self._options]
        begun = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, env=environ | self._environment)
        self.wait_for(wait_for, begun)
        return self

    def wait_for(self, words, begun=0, seconds=60):
        end = time.monotonic() + seconds
        while words not in self.log.read_text()[begun:]:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.05)

    def end(self, number=signal.SIGTERM):
        """Send a signal; the exit code, and the seconds it took."""
        begun = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(60), time.monotonic() - begun

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
