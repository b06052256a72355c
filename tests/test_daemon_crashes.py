"""Daemons that are killed, by the hundred; and several on one database. Slow."""

import random
import signal
import time
from collections import Counter

import pytest
import stores
from daemons import PROMPTS, Serving, probe_every_second, work_off, write_config
from stores import DATABASES, hear, made_database, process

from freshness.store import open_store

pytestmark = pytest.mark.slow

KILLS = 100


@pytest.fixture(autouse=True, scope="module")
def preloaded():
    """Other processes have the imports done, so that a hundred of them take no minutes."""
    stores._CONTEXT.set_forkserver_preload(["freshness.store", "freshness.daemon.child", "daemons"])


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return made_database(request.param, tmp_path)


def check_runs(store):
    """Each run that counts belongs to one slot and has every answer; the heads of all runs."""
    heads = store.runs("a", "current")
    finished = [head for head in heads if head.status == "finished"]
    assert max(Counter(head.details["slot"] for head in finished).values()) == 1
    for head in finished:
        trials = store.run(head.id).trials
        assert len(trials) == PROMPTS
        assert all(trial.judgement for trial in trials)
    return heads


def test_daemon_that_is_killed_at_random_moments_runs_no_slot_twice_and_goes_on(url, tmp_path):
    config = write_config(tmp_path / "config", url, delay=0.02)
    chance = random.Random(4)
    for _ in range(KILLS):
        with process(probe_every_second, config) as (_, pipe):
            assert hear(pipe) == "open"
            time.sleep(chance.uniform(0.0, 1.2))
    with open_store(url) as store:
        heads = check_runs(store)
        begun = {head.status for head in heads}
        assert len(heads) >= KILLS / 10
        assert begun <= {"finished", "interrupted"}
        # What was killed is gone on with, not begun anew: but for midnight, at most the last is unfinished.
        assert sum(head.status != "finished" for head in heads) <= 2
        assert store.job_states()[0].outcomes["interrupted"] >= KILLS / 10
    with process(probe_every_second, config) as (_, pipe), open_store(url) as store:
        hear(pipe)
        before = {head.id for head in heads if head.status == "finished"}
        end = time.monotonic() + 60
        while not {head.id for head in store.runs("a") if head.status == "finished"} - before:
            assert time.monotonic() < end
            time.sleep(0.1)
    with open_store(url) as store:
        check_runs(store)


@pytest.mark.parametrize("daemons", [2, 3])
def test_of_several_daemons_each_due_job_runs_once_though_one_is_killed(daemons, tmp_path):
    url = made_database("postgresql", tmp_path)
    config = write_config(tmp_path / "config", url, models=(), more="[daemon]\nworkers = 4")
    names = [f"job {number}" for number in range(200)]
    log = tmp_path / "ran"
    log.touch()
    running = [process(work_off, config, names, f"host-{number}", log) for number in range(daemons)]
    children = [one.__enter__() for one in running]
    try:
        for _, pipe in children:
            assert hear(pipe) == "started"
        wait_for_lines(log, 20, 120)
        children[0][0].kill()
        killed = time.monotonic()
        with open_store(url) as store:
            end = killed + 300
            while sum(seen.last_outcome == "succeeded" for seen in store.job_states()) < 200:
                assert time.monotonic() < end
                time.sleep(0.2)
            taken_over = time.monotonic() - killed
            states = store.job_states()
    finally:
        for one in running:
            one.__exit__(None, None, None)
    lines = [line.split("@") for line in log.read_text().splitlines()]
    ran = Counter(name for name, _ in lines)
    assert set(ran) == set(names)
    assert all(seen.outcomes["succeeded"] == 1 for seen in states)
    again = {seen.job for seen in states if seen.attempt == 2}
    assert 1 <= len(again) <= 4  # what the dead one held
    assert all(seen.attempt <= 2 for seen in states)
    # One that was done a moment before its daemon could say so would be done twice: no other.
    assert {name for name, times in ran.items() if times > 1} <= again
    print(f"\n{daemons} daemons: {len(again)} jobs of the killed one done by others after {taken_over:.0f} s")
    assert taken_over < 150  # the lease is 45 s; a busy machine takes its time


def wait_for_lines(log, number, seconds):
    end = time.monotonic() + seconds
    while len(log.read_text().splitlines()) < number:
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)


@pytest.mark.parametrize("kind", DATABASES)
def test_job_process_of_a_daemon_that_was_killed_ends_too_and_its_run_goes_on(kind, tmp_path):
    url = made_database(kind, tmp_path)
    config = write_config(tmp_path / "config", url, delay=1.0)
    with Serving(config, "--no-web") as daemon:
        daemon.start(wait_for="job started")
        with open_store(url) as store:
            wait_until(lambda: store.runs("a") and len(store.run(store.runs("a")[0].id).trials) > 1)
            daemon.end(signal.SIGKILL)
            wait_until(lambda: store.runs("a")[0].status == "interrupted")
            (begun,) = store.runs("a")
            daemon.start()
            wait_until(lambda: store.runs("a")[0].status == "finished")
            wait_until(lambda: store.job_states()[0].last_outcome == "succeeded")
            assert [head.id for head in check_runs(store)] == [begun.id]
            assert store.job_states()[0].attempt == 2


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_killed_before_it_could_tell_that_it_was_done_it_is_not_done_again(url, tmp_path):
    config = write_config(tmp_path / "config", url)
    with Serving(config, "--once") as daemon:
        daemon.start(wait_for="job succeeded")
        daemon.process.wait(60)
    with open_store(url) as store:
        (run,) = store.runs("a")
        undo_settling(store)
    with Serving(config, "--once") as daemon:
        daemon.start(wait_for="attempt=2")
        assert daemon.process.wait(60) == 0
    with open_store(url) as store:
        assert [head.id for head in store.runs("a")] == [run.id]
        (seen,) = store.job_states()
        assert (seen.last_outcome, seen.attempt) == ("succeeded", 2)


def undo_settling(store):
    """As a daemon leaves it that was killed between the end of a run and telling of it."""
    from sqlalchemy import text

    with store._engine.begin() as connection:
        connection.execute(text("UPDATE job_runs SET status = 'running', owner_pid = 999999999"))
        connection.execute(text("UPDATE jobs SET succeeded_slot = NULL, last_outcome = NULL"))
    assert not [seen for seen in store.job_states() if seen.running]
