"""That the daemon hears what it is told whenever that comes, ends whatever hangs, keeps time and claims."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from datetime import datetime as real_datetime
from datetime import timedelta

from daemons import write_config
from test_daemon import HOUR, SUCCESS, Held, Log, gone, job, run, small

from freshness.daemon.reach import Reach
from freshness.daemon.runner import Result
from freshness.daemon.serving import run_once
from freshness.daemon.signals import Signals
from freshness.errors import StoreError
from freshness.store import Store

__all__ = ["small"]


def script(text, *arguments, **more):
    """Run this in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


# Signals


EARLY = """
import os, signal, sys
from freshness.cli.main import main

class AtTheFirstLook:
    def find_spec(self, name, path, target=None):
        if name == "freshness.daemon.serving":
            os.kill(os.getpid(), signal.SIGHUP)
            os.kill(os.getpid(), signal.SIGTERM)

sys.meta_path.insert(0, AtTheFirstLook())
sys.argv[0] = "freshness"
main()
"""


def test_signals_that_come_before_the_daemon_is_there_are_heeded_once_it_is(tmp_path):
    config = write_config(tmp_path / "config", f"sqlite:///{tmp_path / 'f.db'}", models=())
    done = script(EARLY, "--config", config, "serve", "--no-web")
    assert done.returncode == 0, done.stderr
    told = [line.split("]")[-1].split() for line in done.stderr.splitlines()]
    assert [words[:2] for words in told] == [["daemon", "started"], ["daemon", "stopped"]]


HANGING = """
import os, signal, sqlite3, sys
from freshness.daemon import signals

signals.LAST_SECONDS = 0.2
signals.Signals().listen()
path = sys.argv[1]
holder = sqlite3.connect(path, isolation_level=None)
holder.execute("BEGIN EXCLUSIVE")
if len(sys.argv) > 2:  # nobody reads what we say
    os.dup2(int(sys.argv[2]), 2)
os.kill(os.getpid(), signal.SIGTERM)
sqlite3.connect(path, timeout=600).execute("CREATE TABLE t (x)")
"""


def test_it_ends_though_the_main_thread_waits_for_a_database(tmp_path):
    done = script(HANGING, tmp_path / "f.db")
    assert (done.returncode, done.stderr) == (143, "could not stop in time; ended by force\n")


def test_it_ends_though_nobody_takes_its_log(tmp_path):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for piece in (b"x" * 1024, b"x"):
        try:
            while True:
                os.write(writer, piece)
        except BlockingIOError:
            pass
    os.set_blocking(writer, True)
    try:
        assert script(HANGING, tmp_path / "f.db", writer, pass_fds=[writer]).returncode == 143
    finally:
        os.close(reader)
        os.close(writer)


# A job's own process


def test_job_that_leaves_a_process_behind_that_holds_its_pipes_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr("freshness.daemon.runner._HEAR_SECONDS", 0.1)
    left = tmp_path / "left"
    result, _, _ = run(
        f"""
        import json, subprocess, sys
        sleep = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
        child = subprocess.Popen(sleep, start_new_session=True)
        open({str(left)!r}, "w").write(str(child.pid))
        {SUCCESS}
        """,
        tmp_path,
    )
    assert result == Result("succeeded")
    os.kill(int(left.read_text()), signal.SIGKILL)  # it was not waited for: it still runs


def test_job_that_told_its_end_and_then_stays_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("freshness.daemon.runner.PATIENCE", timedelta(seconds=0.3))
    pid = tmp_path / "pid"
    result, _, _ = run(
        f"""
        import json, os, threading, time
        open({str(pid)!r}, "w").write(str(os.getpid()))
        threading.Thread(target=lambda: time.sleep(600)).start()
        {SUCCESS}
        """,
        tmp_path,
        deadline=HOUR,
    )
    assert result == Result("succeeded")
    assert gone([pid.read_text()])


TELLING = """
import os, signal
from freshness.daemon import child

def say(self, *, result, whole=child.Voice.say):
    os.kill(os.getpid(), signal.SIGTERM)
    whole(self, result=result)

child.Voice.say = say
child.Given.from_json = staticmethod(lambda task: task)
child.main({"x": lambda given, voice: None})
"""


def test_job_that_is_told_to_stop_as_it_tells_its_end_tells_it_whole():
    reader, writer = os.pipe()
    os.write(writer, b'{"kind": "x"}\n')  # and it stays open: the daemon is there
    done = script(TELLING, stdin=reader)
    os.close(reader)
    os.close(writer)
    assert (done.returncode, done.stdout) == (0, '{"result": {"outcome": "succeeded", "error": null}}\n')


# The service


def test_clock_that_is_set_back_keeps_no_turn_waiting(small, monkeypatch):
    monkeypatch.setattr("freshness.daemon.service.TICK_SECONDS", 0.02)
    turned, back = threading.Semaphore(0), timedelta(0)

    class Clock(real_datetime):
        @classmethod
        def now(cls, tz=None):
            return real_datetime.now(tz) + back

    monkeypatch.setattr("apscheduler.schedulers.base.datetime", Clock)
    service = small.service([])
    monkeypatch.setattr(service, "begin_due", turned.release)
    service.start()
    assert turned.acquire(timeout=60)
    back = -HOUR
    for _ in range(5):  # one may have been on its way
        assert turned.acquire(timeout=60)


def test_what_runs_once_keeps_its_claim_however_long_it_takes(small, monkeypatch):
    monkeypatch.setattr("freshness.daemon.service.RENEW_SECONDS", 0.02)
    renewed, whole = threading.Event(), Store.renew

    def renew(store, claim, lease):
        kept = whole(store, claim, lease)
        renewed.set()
        return kept

    def until_renewed(task, stop, tell):
        return Result("succeeded" if renewed.wait(60) else "failed")

    monkeypatch.setattr(Store, "renew", renew)
    assert run_once(small.service([job()], until_renewed), Signals()) == []


def test_job_that_is_being_claimed_as_the_daemon_stops_is_stopped_too_and_waited_for(small, monkeypatch):
    service = small.service([job()], Held())
    claiming, go, whole = threading.Event(), threading.Event(), service.store.claim

    def claim(*arguments):
        claiming.set()
        assert go.wait(60)
        return whole(*arguments)

    monkeypatch.setattr(service.store, "claim", claim)
    beginning = threading.Thread(target=service.begin_due)
    stopping = threading.Thread(target=service.stop, args=(60,))
    beginning.start()
    assert claiming.wait(60)
    stopping.start()
    stopping.join(0.2)
    go.set()
    stopping.join(60)
    assert service.outcomes == {"probe:a:current": "interrupted"}
    beginning.join(60)


def test_job_for_which_there_is_no_thread_is_not_held_for_ever(small, monkeypatch):
    service = small.service([job()])
    start, refused = threading.Thread.start, []

    def start_others(thread):
        if thread.name.startswith("job ") and not refused:
            refused.append(thread.name)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_others)
    service.tick()
    assert refused
    assert not service.state().running


def test_database_that_a_job_can_not_be_written_to_is_told_once(small, monkeypatch):
    monkeypatch.setattr("freshness.daemon.service.SETTLE_SECONDS", 0.01)
    held, log = Held(), Log()
    service = small.service([job()], held)
    service._reach = Reach(log)
    tries = []

    def refuse(*_):
        tries.append(1)
        service._stopping = len(tries) > 5
        raise StoreError("the disk is full")

    service.begin_due()
    held.begun.acquire()
    for name in ("settle", "renew"):
        monkeypatch.setattr(service.store, name, refuse)
    service._renew()
    service._renew()
    assert log.lines == ["the database can't be used: the disk is full"]
    told = []
    monkeypatch.setattr("structlog.stdlib.BoundLogger.error", lambda self, event, **_: told.append(event))
    held.go.set()
    assert service.wait(60)
    assert len(tries) > 5
    assert told == ["how the job went can't be stored"]
    monkeypatch.undo()
    service._renew()
    assert log.lines[1:] == ["the database can be used again"]


# Readings of the config


def test_reading_that_fails_unforeseen_is_logged_and_keeps_the_old_one(small, monkeypatch):
    def broken():
        raise RecursionError("too deep")

    service = small.service([job()])
    monkeypatch.setattr(service._config, "_load", broken)
    assert not service.reload()
    assert [known.name for known in service.jobs()] == ["probe:a:current"]


def test_of_two_readings_at_once_the_later_one_counts(small):
    read, threads = threading.Event(), []

    def jobs(settings):
        if settings.daemon.workers == 1:
            threads.append(threading.Thread(target=later))
            threads[0].start()
            read.wait(0.3)  # the later one, unless it has to wait for this one
        return [job(f"of {settings.daemon.workers}")]

    def later():
        small.config.write_text("[daemon]\nworkers = 2")
        service.reload()
        read.set()

    service = small.service([])
    service._jobs_of = jobs
    small.config.write_text("[daemon]\nworkers = 1")
    service.reload()
    threads[0].join(60)
    assert [known.name for known in service.jobs()] == ["of 2"]
