"""The web on a real socket: many readers while others write, and a database that hangs."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import httpx
import pytest
import uvicorn
from stores import DATABASES_SLOWLY, made_database, stopped_postgresql
from web_world import FACTS, NOW, make_world

from freshness.facts import Snapshot
from freshness.web import server
from freshness.web.database import Database
from freshness.web.server import make_app

READERS = 64
PATHS = ["/", "/metrics", "/models/knows", "/facts", "/facts/Q38/P35", "/changes", "/jobs", "/readyz"]
PATHS += ["/api/v1/fleet", "/api/v1/runs", "/api/v1/facts/Q38/P6", "/metrics"]


@contextmanager
def serving(app):
    """The address of a server of this app on a free port of the loopback."""
    running = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, lifespan="off"))
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        while not running.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join()


@pytest.mark.parametrize("database", DATABASES_SLOWLY[1:])
def test_a_database_that_hangs_is_told_in_time_and_is_well_again_when_it_goes_on(database, tmp_path):
    world = make_world(tmp_path, made_database(database, tmp_path))
    app = make_app(world.settings, world.store, world.daemon, environ={})
    with serving(app) as address, httpx.Client(base_url=address, timeout=10) as client:
        assert client.get("/readyz").status_code == 200
        with stopped_postgresql():
            for _ in range(2):
                ready, metrics, page = (client.get(path) for path in ("/readyz", "/metrics", "/"))
                assert (ready.status_code, ready.text) == (503, "not ready: database\n")
                assert metrics.status_code == 200
                assert "freshness_history_readable 0.0" in metrics.text
                assert page.status_code == client.get("/api/v1/fleet").status_code == 503
                assert client.get("/livez").status_code == 200
        while client.get("/readyz").status_code != 200:
            time.sleep(0.05)
        assert client.get("/").status_code == 200
        assert "freshness_history_readable 1.0" in client.get("/metrics").text
    world.store.close()


def test_a_request_that_the_database_keeps_is_given_up(tmp_path, monkeypatch):
    world = make_world(tmp_path, made_database("sqlite", tmp_path))
    hangs, goes_on = threading.Event(), threading.Event()
    asked, reads = [], type(world.store).latest_summaries

    def ping(store):
        asked.append(hangs.is_set())
        assert not hangs.is_set() or goes_on.wait(60)

    def read(store):
        hangs.set()
        assert goes_on.wait(60)
        return reads(store)

    monkeypatch.setattr(server, "Database", partial(Database, patience=2))
    monkeypatch.setattr(type(world.store), "ping", ping)
    monkeypatch.setattr(type(world.store), "latest_summaries", read)
    app = make_app(world.settings, world.store, world.daemon, environ={})
    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        try:
            assert client.get("/").status_code == 503
            assert asked.count(True) == 1  # while it was kept; before that as often as a slow machine asks
            before = len(asked)
            metrics = client.get("/metrics")
            assert (metrics.status_code, "freshness_history_readable 0.0" in metrics.text) == (200, True)
            assert [client.get("/readyz").status_code for _ in range(20)] == [503] * 20
            assert len(asked) == before  # nobody else was made to wait for it
        finally:
            goes_on.set()
        while client.get("/readyz").status_code != 200:
            time.sleep(0.05)
        assert client.get("/").status_code == 200
    world.store.close()


def test_a_request_that_takes_long_is_waited_for_while_the_database_answers(tmp_path, monkeypatch):
    world = make_world(tmp_path, made_database("sqlite", tmp_path))
    enough, asked = threading.Event(), []
    reads = type(world.store).latest_summaries

    def ping(store):
        asked.append(store)
        if len(asked) > 2:
            enough.set()

    def read(store):
        assert enough.wait(60)
        return reads(store)

    monkeypatch.setattr(type(world.store), "ping", ping)
    monkeypatch.setattr(type(world.store), "latest_summaries", read)
    app = make_app(world.settings, world.store, world.daemon, environ={})
    with serving(app) as address, httpx.Client(base_url=address, timeout=60) as client:
        assert client.get("/").status_code == 200
    world.store.close()


@pytest.mark.parametrize("database", DATABASES_SLOWLY)
def test_64_readers_while_a_probe_and_a_refresh_write(database, tmp_path, monkeypatch):
    # All these on two cores: that the database answers can take its time to be seen.
    monkeypatch.setattr(server, "Database", partial(Database, patience=60))
    world = make_world(tmp_path, made_database(database, tmp_path))
    written, ended = [], threading.Event()

    def write_runs():
        while not ended.is_set():
            written.append(world.probe("knows", limit=FACTS).run.id)

    def write_snapshots():
        known = world.store.latest_snapshot("wikidata")
        while not ended.is_set():
            # Each differs by a fact that comes and goes.
            facts = known.facts[1:] if len(known.facts) == len(world.snapshot.facts) else world.snapshot.facts
            new = Snapshot("wikidata", known.taken_at, facts)
            written.append(world.store.save_refresh(new, NOW, known=known.digest))
            known = world.store.latest_snapshot("wikidata")

    with serving(make_app(world.settings, world.store, world.daemon, environ={})) as address:

        def read(number):
            with httpx.Client(base_url=address, timeout=120) as client:
                path = PATHS[number % len(PATHS)]
                return path, client.get(path).status_code

        with ThreadPoolExecutor(READERS + 2) as pool:
            writers = [pool.submit(write_runs), pool.submit(write_snapshots)]
            try:
                answers = list(pool.map(read, range(READERS)))
            finally:
                ended.set()
        for writer in writers:
            writer.result()
    assert len(answers) == READERS
    assert {status for _, status in answers} == {200}, [found for found in answers if found[1] != 200]
    assert len(written) > 2
    world.store.close()
