"""Many look while some write: nobody is turned away."""

import threading
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest
from stores import DATABASES, ask_all, hear, made_database, process, save_in_a_loop

from freshness.store import open_store

READERS = 64


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return made_database(request.param, tmp_path)


def looks(store):
    store.latest_summaries()
    store.job_states()
    store.last_runs()
    store.source_states()
    return store.latest_snapshot()


def test_sixty_four_threads_read_while_a_probe_a_refresh_and_a_job_write(url):
    seen, errors, start = [], [], threading.Barrier(READERS)

    def read(store):
        try:
            start.wait()
            seen.append(looks(store))
        except Exception as error:
            errors.append(error)

    with ExitStack() as stack:
        store = stack.enter_context(open_store(url))
        _, probe = stack.enter_context(process(ask_all, url, 200, 0))
        _, refresh = stack.enter_context(process(save_in_a_loop, url))
        hear(probe), hear(refresh)
        readers = [threading.Thread(target=read, args=(store,)) for _ in range(READERS)]
        for reader in readers:
            reader.start()
        for number in range(20):
            slot = datetime.now(UTC) + timedelta(seconds=number)
            claim = store.claim("job", slot, timedelta(minutes=1))
            assert store.settle(claim, "succeeded", None, 0.1)
        for reader in readers:
            reader.join()
        assert errors == []
        assert len(seen) == READERS
        assert {len(snapshot.facts) for snapshot in seen} == {300}, "never half of one"
        while refresh.poll():
            hear(refresh)
        assert hear(refresh) > 0, "it still writes"
