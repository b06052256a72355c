"""The schema: made, upgraded, checked against the tables, refused where it is not ours."""

import sqlite3
from contextlib import ExitStack
from dataclasses import replace

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, inspect, text
from stores import (
    DATABASES,
    NOW,
    TODAY,
    hear,
    italy,
    judged,
    new_database,
    open_and_tell,
    process,
    question,
    run,
    snapshot,
    trial,
)

from freshness.errors import StoreError
from freshness.store import current, open_store, schema_version, upgrade
from freshness.store.engine import MIGRATING, make_engine, parse_url, writing
from freshness.store.records import fact_record, interval_record, question_record, value_record
from freshness.store.schema import HEAD, VERSION_TABLE, alembic_config
from freshness.store.tables import Base
from freshness.verdicts import Verdict


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return new_database(request.param, tmp_path)


def on(url, work):
    engine = make_engine(parse_url(url), MIGRATING)
    try:
        with writing(engine) as session:
            return work(session.connection())
    finally:
        engine.dispose()


def to_version(version, direction=command.upgrade):
    def work(connection):
        config = alembic_config()
        config.attributes["connection"] = connection
        direction(config, version)

    return work


def checks_and_keys(connection):
    """Names and texts of the check constraints, and what the foreign keys do: Alembic compares neither."""
    inspector = inspect(connection)
    return {
        name: (
            sorted((check["name"], check["sqltext"]) for check in inspector.get_check_constraints(name)),
            sorted((key["name"], str(key["options"])) for key in inspector.get_foreign_keys(name)),
            inspector.get_pk_constraint(name)["name"],
        )
        for name in inspector.get_table_names()
        if name != VERSION_TABLE
    }


def test_the_newest_migration_is_the_version_that_the_code_knows():
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == HEAD == schema_version()


def test_a_new_database_is_made_with_its_directory(tmp_path):
    url = f"sqlite:///{tmp_path}/a/b/freshness.db"
    assert current(url) is None
    assert not (tmp_path / "a").exists()
    open_store(url).close()
    assert current(url) == HEAD


def test_migrations_make_the_tables_that_the_code_knows(url):
    upgrade(url)

    def differences(connection):
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        return compare_metadata(context, Base.metadata)

    assert on(url, differences) == []


def test_migrations_make_the_same_checks_and_keys_as_the_tables(tmp_path, request):
    for kind in ("migrated", "made"):
        (tmp_path / kind).mkdir()
    migrated, made = (new_database("sqlite", tmp_path / kind) for kind in ("migrated", "made"))
    upgrade(migrated)
    (tmp_path / "made" / "data").mkdir()
    sqlite3.connect(tmp_path / "made" / "data" / "freshness.db").close()
    on(made, lambda connection: Base.metadata.create_all(connection))
    assert on(migrated, checks_and_keys) == on(made, checks_and_keys)


def test_down_to_nothing_and_up_again(url):
    upgrade(url)
    on(url, to_version("base", command.downgrade))
    assert on(url, lambda c: set(inspect(c).get_table_names())) == {VERSION_TABLE}
    on(url, to_version("head"))
    assert current(url) == HEAD


def test_opening_upgrades_what_is_older(url):
    upgrade(url)
    on(url, to_version("base", command.downgrade))
    assert current(url) is None
    with open_store(url) as store:
        assert store.runs() == []
    assert current(url) == HEAD


FACT_DIGEST = "343146e2fdf32f2aaf93c9913c13816036df0aff9b2ce9cff5e71b9ede3f601a"
SNAPSHOT_DIGEST = "4fb5dd36718d323f5dfed8c84bee735b2b2b1d454707985cc64533b1c89b56fc"


def rows_of_0001():
    """A snapshot and a run with one judged answer, as the first version stored them."""
    fact, asked, one, judgement = italy(), question(), trial(), judged()
    new = {"office", "dissolved", "flaws"}
    yield (
        "snapshots",
        {
            "source": "bundled",
            "digest": SNAPSHOT_DIGEST,
            "taken_at": NOW,
            "first_seen": NOW,
            "last_seen": NOW,
        },
    )
    record = {key: value for key, value in fact_record(fact).items() if key not in new}
    yield "facts", {**record, "digest": FACT_DIGEST}
    yield "snapshot_facts", {"snapshot_id": 1, "position": 0, "fact_id": 1}
    for number, value in enumerate(fact.values, 1):
        yield "fact_values", {**value_record(1, number - 1, value)}
        yield "fact_intervals", interval_record(number, 0, value.intervals[0])
    yield "models", {"name": "m", "spec": "m"}
    yield (
        "runs",
        {
            "name": "r1",
            "model_id": 1,
            "suite": "current",
            "as_of": TODAY,
            "started_at": NOW,
            "finished_at": NOW,
            "status": "finished",
            "snapshot_source": "bundled",
            "snapshot_taken_at": NOW,
            "snapshot_digest": "d" * 64,
            "judge": "j1",
            "served_model": "",
            "details": {},
            "request": "x",
        },
    )
    yield "questions", {**question_record(asked)}
    yield "run_questions", {"run_id": 1, "question_id": 1, "position": 0, "as_of": TODAY}
    answer = {"answer": one.answer.text, "finish": "stop", "seconds": 0.5, "flags": ["seen"]}
    served = {"served_model": "m-1", "fingerprint": "fp"}
    place = {"run_id": 1, "question_id": 1, "prompt": "p1", "asked": one.asked}
    yield "trials", place | answer | served
    yield "judgings", {"run_id": 1, "judge": "j1", "as_of": TODAY, "judged_at": NOW}
    said = {"verdict": "outdated", "rule": "mention", "matched": "Mario Draghi", "mention": "Draghi"}
    where = {"span_start": 6, "span_end": 12, "lag_days": judgement.lag_days}
    yield "judgements", {"trial_id": 1, "judging_id": 1} | said | where


def fill_0001(connection):
    tables = MetaData()
    tables.reflect(connection)
    for name, row in rows_of_0001():
        connection.execute(tables.tables[name].insert(), row)


def made_by_0001(url):
    open_store(url).close()
    on(url, to_version("0001", command.downgrade))
    on(url, fill_0001)
    assert current(url) == "0001"


def test_what_the_first_version_stored_is_all_there_after_the_upgrade(url):
    made_by_0001(url)
    with open_store(url) as store:
        assert store.latest_snapshot() == snapshot(source="bundled")
        assert store.snapshot(SNAPSHOT_DIGEST).facts == (italy(),)
        (seen,) = store.fact_history("Q38", "P6")
        assert (seen.first_seen, seen.last_seen) == (NOW, NOW)
        assert store.seen("bundled") == {"Q38/P6": (NOW, NOW)}
        assert store.events() == []
        kept = replace(run(status="finished", finished_at=NOW), questions=(question(),), trials=(trial(),))
        assert store.run("r1") == store.run("r1", as_asked=True) == kept
        assert store.runs_about(["Q0/P6"]) == [kept]
        assert store.runs_without_summary() == ["r1"]
        assert store.run_counts() == {("m", "current"): {"finished": 1}}
    assert current(url) == HEAD


def test_the_first_versions_facts_and_snapshots_are_the_same_ones_after_the_upgrade(url):
    made_by_0001(url)
    with open_store(url) as store:
        before = store.sizes().rows
        assert not store.save_snapshot(snapshot(source="bundled"), NOW)
        assert store.sizes().rows == before
        store.save_snapshot(snapshot(source="wikidata"), NOW)
        assert store.sizes().rows["facts"] == 1


def test_the_way_back_to_the_first_version_keeps_what_it_knew(url):
    made_by_0001(url)
    upgrade(url)
    on(url, to_version("0001", command.downgrade))
    with open_store(url) as store:
        assert store.latest_snapshot() == snapshot(source="bundled")
        assert store.run("r1").trials == (trial(),)


def test_the_way_back_from_series_drops_the_verdicts_that_the_older_version_does_not_know(url):
    with open_store(url) as store:
        store.start_run(run(), [question(prompts=("p1", "p2"))])
        store.add_trials("r1", [trial(), trial(0, "p2", verdict=Verdict.NOT_AVAILABLE)])
    on(url, to_version("0003", command.downgrade))
    with pytest.raises(StoreError, match=r"(?i)check constraint"):
        on(url, lambda c: c.execute(text("UPDATE judgements SET verdict = 'incorrect'")))
    with open_store(url) as store:
        assert [one.judgement for one in store.run("r1").trials] == [judged(), None]
    upgrade(url)
    on(url, lambda c: c.execute(text("UPDATE judgements SET verdict = 'incorrect'")))


def test_upgrading_twice_changes_nothing(url):
    assert upgrade(url) == upgrade(url) == HEAD


def test_a_newer_database_is_refused_and_left_alone(url):
    upgrade(url)
    on(url, lambda c: c.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")))
    with pytest.raises(StoreError, match=r"newer freshness \(schema 9999, this one knows 0004\); upgrade"):
        open_store(url)
    assert current(url) == "9999"


def test_another_programs_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE alembic_version (version_num TEXT)")
    theirs.close()
    before = path.read_bytes()
    for attempt in (open_store, upgrade, current):
        with pytest.raises(StoreError, match="is a database of something else"):
            attempt(f"sqlite:///{path}")
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"Dear diary, " * 200, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "diary.txt"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"diary\.txt: it is not a database") as caught:
        open_store(f"sqlite:///{path}")
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_a_directory_is_no_database(tmp_path):
    with pytest.raises(StoreError, match="or it is a directory"):
        open_store(f"sqlite:///{tmp_path}")


def test_without_create_nothing_is_made(tmp_path):
    with pytest.raises(StoreError, match="there is no database at"):
        open_store(f"sqlite:///{tmp_path}/none.db", create=False)
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreError, match=r"is empty; `freshness db upgrade`"):
        open_store(f"sqlite:///{tmp_path}/empty.db", create=False)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.db"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("not a url", "is no database address"),
        ("mysql://me:hunter2@host/db", "starts with mysql"),
        ("postgresql://me:hunter2@host/db", "starts with postgresql"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
    ],
)
def test_a_wrong_address_is_told_in_a_line(url, message):
    with pytest.raises(StoreError, match=message) as caught:
        open_store(url)
    assert "hunter2" not in str(caught.value)


def test_a_server_that_is_down_is_told_without_the_password():
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match=r"can't open postgresql://127\.0\.0\.1:1/db: ") as caught:
        open_store("postgresql+psycopg://me:hunter2@127.0.0.1:1/db")
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_many_processes_may_make_the_same_database_at_once(url):
    with ExitStack() as stack:
        pipes = [stack.enter_context(process(open_and_tell, url))[1] for _ in range(6)]
        assert [hear(pipe) for pipe in pipes] == [0] * 6
