"""``freshness serve`` as a process: signals, ports, exit codes, the config that changes meanwhile."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from daemons import PROMPTS, Serving, write_config

from freshness.store import open_store


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'f.db'}"


def freshness(config, *arguments, **environment):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("FRESHNESS_")}
    command = [sys.executable, "-m", "freshness", "--config", str(config), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environ | environment, timeout=120)


def test_port_that_is_taken_is_told_in_a_line(tmp_path, url):
    config = write_config(tmp_path / "config", url)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = freshness(config, "serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: can't listen on 127.0.0.1:")
    assert ": address already in use; choose another place with --host and --port" in line


def test_host_that_is_none_is_told_in_a_line(tmp_path, url):
    done = freshness(write_config(tmp_path / "config", url), "serve", "--host", "nowhere.invalid")
    assert done.returncode == 2
    assert done.stderr.startswith("error: can't listen on nowhere.invalid:9464: ")
    assert len(done.stderr.splitlines()) == 1


def test_stopped_while_a_job_runs_it_ends_in_time_and_the_next_start_goes_on(tmp_path, url):
    config = write_config(tmp_path / "config", url, delay=1.5)
    with Serving(config, "--no-web") as daemon:
        daemon.start(wait_for="job started")
        with open_store(url) as store:
            wait_until(lambda: store.runs("a") and store.run(store.runs("a")[0].id).trials)
            assert daemon.end()[0] == 0  # by itself: where that takes too long it is the signal's code
            (head,) = store.runs("a")
            assert head.status == "interrupted"
            assert 0 < len(store.run(head.id).trials) < PROMPTS
            assert store.job_states()[0].last_outcome == "interrupted"
            (config.parent / "a.toml").write_text('default = "Mario Draghi"\n')
            done = freshness(config, "serve", "--once")
            assert (done.returncode, done.stdout) == (0, "")
            assert f"run={head.id}" in done.stderr
            assert [(run.id, run.status) for run in store.runs("a")] == [(head.id, "finished")]


def test_once_with_a_job_that_fails_ends_with_1_and_runs_the_others(tmp_path, url):
    config = write_config(tmp_path / "config", url, models=("good", "bad"))
    (tmp_path / "config/bad.toml").write_text("nonsense")
    done = freshness(config, "serve", "--once", FRESHNESS_LOGS__FORMAT="json")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: probe:bad:current: did not succeed; the log says why"
    with open_store(url) as store:
        outcomes = {seen.job: seen.last_outcome for seen in store.job_states()}
    assert outcomes == {"probe:good:current": "succeeded", "probe:bad:current": "failed"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_that_is_interrupted_ends_with_the_signals_own_code(number, tmp_path, url):
    config = write_config(tmp_path / "config", url, delay=0.5)
    with Serving(config, "--once") as daemon:
        daemon.start(wait_for="job started")
        assert daemon.end(number)[0] == 128 + number
    assert daemon.log.read_text().splitlines()[-1] == "error: interrupted"


FLURRY = """
import os, signal, sys, threading, time
from freshness.daemon.serving import Signals

signals, read, late = Signals(), [], []

def send():
    for _ in range(3000):
        seen, end = len(read), time.monotonic() + 20
        os.kill(os.getpid(), signal.SIGHUP)
        while len(read) == seen and not late:
            if time.monotonic() > end:
                late.append(seen)
                os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGTERM)

sys.setswitchinterval(1e-5)
signals.listen()
threading.Thread(target=send, daemon=True).start()
print(signals.wait(lambda: read.append(1)), signals.number, late)
"""


def test_signals_are_heeded_whatever_they_come_amid():
    # One that comes just as the wait begins, or while another is noted, must not be lost or hang all.
    done = subprocess.run([sys.executable, "-c", FLURRY], capture_output=True, text=True, timeout=120)
    assert done.stdout == "15 15 []\n", done.stderr


def test_all_that_is_written_is_json_where_that_is_wanted(tmp_path, url):
    config = write_config(tmp_path / "config", url, more='[logs]\nformat = "json"\nlevel = "debug"\n')
    with Serving(config, "--port", "0") as daemon:
        daemon.start(wait_for="freshness serves")
        daemon.wait_for("job succeeded")
        assert daemon.end()[0] == 0
    told = [json.loads(line) for line in daemon.log.read_text().splitlines()]
    (serves,) = (line for line in told if line["event"] == "freshness serves")
    assert serves["url"].startswith("http://127.0.0.1:")
    # At this level all is told that the job's process wrote: no word of an abort at its end.
    assert "Fatal Python error" not in daemon.log.read_text()


def test_key_that_is_not_there_is_told_at_the_start_and_at_each_reading(tmp_path, url):
    config = write_config(tmp_path / "config", url, models=("a", "b"))
    text = config.read_text()
    config.write_text(text.replace('schedule = "every 1h"', 'api_key_env = "NO_SUCH_KEY"', 1))
    with Serving(config, "--no-web") as daemon:
        daemon.start()
        words = "the variable that api_key_env names is not set"
        (line,) = (line for line in daemon.log.read_text().splitlines() if words in line)
        assert "model=a" in line
        assert "variable=NO_SUCH_KEY" in line
        before = daemon.log.stat().st_size
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for("config read", before)
        assert daemon.log.read_text()[before:].count(words) == 1
        assert daemon.end()[0] == 0


@pytest.mark.slow
def test_job_in_a_long_wait_does_not_keep_the_daemon(tmp_path, url):
    # A model that sleeps in one piece for longer than anybody waits.
    config = write_config(tmp_path / "config", url, delay=600)
    with Serving(config, "--no-web") as daemon:
        daemon.start(wait_for="job started")
        time.sleep(3)
        code, seconds = daemon.end()
    assert code == 0
    assert seconds < 15


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_page_is_where_it_says_until_a_signal(number, tmp_path, url):
    config = write_config(tmp_path / "config", url)
    with Serving(config, "--port", "0") as daemon:
        daemon.start(wait_for="freshness serves http://127.0.0.1:")
        address = daemon.log.read_text().partition("freshness serves ")[2].split()[0]
        daemon.wait_for("job succeeded")
        for path in ("", "livez", "readyz", "metrics", "models/a"):
            with urllib.request.urlopen(address + path, timeout=30) as answer:
                assert answer.status == 200
        code, seconds = daemon.end(number)
    assert code == 0
    assert seconds < 15


@pytest.mark.slow
def test_config_is_read_again_when_it_changes_and_on_sighup(tmp_path, url):
    config = write_config(tmp_path / "config", url, models=("a",))
    with Serving(config, "--no-web") as daemon:
        daemon.start(wait_for="job succeeded")
        write_config(tmp_path / "config", url, models=("a", "b"))
        daemon.wait_for("job=probe:b:current")
        good = config.read_text()
        config.write_text("what = 1\n")
        daemon.wait_for("config refused")
        config.write_text(good)
        before = daemon.log.stat().st_size
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for("config read", before)
        assert daemon.end()[0] == 0


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
