"""The web on a real socket: many readers while others write, and a server as ``freshness serve`` runs it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from stores import DATABASES_SLOWLY, made_database
from web_world import FACTS, NOW, make_world

from freshness.facts import Snapshot
from freshness.web.server import make_app

READERS = 64
PATHS = ["/", "/metrics", "/models/knows", "/facts", "/facts/Q38/P35", "/changes", "/jobs", "/readyz"]
PATHS += ["/api/v1/fleet", "/api/v1/runs", "/api/v1/facts/Q38/P6", "/metrics"]


@contextmanager
def serving(app):
    """The address of a server of this app on a free port of the loopback."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("database", DATABASES_SLOWLY)
def test_64_readers_while_a_probe_and_a_refresh_write(database, tmp_path):
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
                return [(path, client.get(path).status_code) for path in PATHS[number % 4 :: 4]]

        with ThreadPoolExecutor(READERS + 2) as pool:
            writers = [pool.submit(write_runs), pool.submit(write_snapshots)]
            try:
                answers = [answer for found in pool.map(read, range(READERS)) for answer in found]
            finally:
                ended.set()
        for writer in writers:
            writer.result()
    assert len(answers) == READERS * len(PATHS) // 4
    assert {status for _, status in answers} == {200}, [found for found in answers if found[1] != 200]
    assert len(written) > 2
    world.store.close()
