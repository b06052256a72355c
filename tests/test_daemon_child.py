"""What each kind of job does in its process, and what it says of it."""

import io
import json
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from daemons import PROMPTS, write_config
from oxigraph_server import emptied
from test_refreshing import CATALOGUE, NEXT, world

from freshness.config import load
from freshness.daemon import child
from freshness.daemon.jobs import Job
from freshness.daemon.runner import COMMAND, Task
from freshness.daemon.schedule import Interval
from freshness.store import open_store

HOUR = timedelta(hours=1)


class Bench:
    """Jobs by one config, run in this process, and what they said."""

    def __init__(self, tmp_path):
        self.folder = tmp_path / "config"
        self.url = f"sqlite:///{tmp_path / 'f.db'}"
        self.environ = {}
        self.slot = datetime.now(UTC)
        self.said = []
        write_config(self.folder, self.url)

    def do(self, kind, attempt=1):
        """Outcome and error of the job."""
        model = ("a", "current") if kind == "probe" else ("", "")
        job = Job(f"the {kind}", kind, Interval(HOUR), HOUR, *model)
        settings = load(self.folder / "freshness.toml", self.environ)
        task = json.loads(json.dumps(Task(job, self.slot, attempt, settings).to_json()))
        out = io.StringIO()
        voice = child.Voice(out)
        told = child._do(lambda: child.KINDS[kind](child.Given.from_json(task), voice), voice)
        self.said = [json.loads(line) for line in out.getvalue().splitlines()]
        return told

    def event(self, name):
        (found,) = (message for message in self.said if message.get("event") == name)
        return found

    def script(self, text):
        (self.folder / "a.toml").write_text(text)

    def store(self):
        return open_store(self.url)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_probe_asks_and_its_run_names_job_and_slot(bench):
    assert bench.do("probe") == ("succeeded", None)
    with bench.store() as store:
        (run,) = store.runs("a")
        assert (run.details["job"], run.details["slot"]) == ("the probe", bench.slot.isoformat())
        assert [told.run for told in store.latest_summaries()] == [run.id]
    assert bench.event("model asked") == {
        "level": "info", "event": "model asked", "run": run.id, "answers": PROMPTS, "errors": 0
    }  # fmt: skip


def test_what_a_model_answered_is_in_nothing_that_a_job_says(bench):
    bench.script('default = "Mario Draghi, as I was told"')
    bench.do("probe")
    assert "Draghi" not in json.dumps(bench.said)


def test_probe_to_which_nobody_answers_is_a_failure_and_is_asked_again(bench):
    bench.script('[answers]\nItaly = { error = "timeout" }\n')
    outcome, error = bench.do("probe")
    assert outcome == "failed"
    assert error == f"none of {PROMPTS} prompts got an answer (no_scripted_answer 6, timeout 3)"
    bench.script('default = "Mario Draghi"')
    assert bench.do("probe", attempt=2) == ("succeeded", None)
    with bench.store() as store:
        assert store.latest_summaries()[0].prompts == PROMPTS


def test_probe_with_some_answers_succeeds_and_tells_of_the_errors(bench):
    bench.script('default = "Mario Draghi"\n[answers]\nItaly = { error = "timeout" }\n')
    assert bench.do("probe") == ("succeeded", None)
    assert bench.event("model asked")["errors"] == 3


def test_slot_that_was_done_is_not_asked_again_by_a_later_attempt(bench):
    bench.do("probe")
    assert bench.do("probe", attempt=2) == ("succeeded", None)
    with bench.store() as store:
        assert len(store.runs("a")) == 1
    bench.slot += HOUR
    bench.do("probe")
    with bench.store() as store:
        assert len(store.runs("a")) == 2


def test_run_that_is_gone_on_with_keeps_its_day(bench, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    yesterday = (bench.slot - timedelta(days=1)).date()
    bench.slot -= timedelta(days=1)
    monkeypatch.setattr(child, "_day", lambda given, store: yesterday)
    monkeypatch.setattr("freshness.models.scripted.ScriptedModel.answer", stop)
    assert bench.do("probe") == ("interrupted", None)
    monkeypatch.undo()
    assert bench.do("probe", attempt=2) == ("succeeded", None)
    with bench.store() as store:
        assert [(run.status, run.as_of) for run in store.runs("a")] == [("finished", yesterday)]


def test_another_model_behind_the_name_is_told(bench, monkeypatch):
    monkeypatch.setattr("freshness.app.watching.watch", lambda store, run: [run])
    monkeypatch.setattr("freshness.app.watching.told", lambda event: f"{event.model} is another")
    bench.do("probe")
    assert bench.event("job warned")["text"] == "a is another"


def test_refresh_tells_what_changed_and_judges_again_without_asking(bench):
    oxigraph = emptied()
    oxigraph.load(world())
    (bench.folder / "mine.toml").write_text(CATALOGUE)
    bench.environ["FRESHNESS_WIKIDATA__ENDPOINT"] = oxigraph.endpoint
    assert bench.do("refresh") == ("succeeded", None)
    assert bench.event("facts refreshed")["changes"] == 0
    bench.script('default = "Meloni"')
    bench.do("probe")
    oxigraph.load(world(italy=NEXT))
    assert bench.do("refresh") == ("succeeded", None)
    assert bench.event("facts refreshed")["changes"] == 1
    assert bench.event("judged again")["runs"] == 1
    with bench.store() as store:
        (told,) = store.latest_summaries()
        assert told.outdated == 1


def test_refresh_from_a_source_that_is_away_is_a_failure_that_says_so(bench):
    bench.environ["FRESHNESS_WIKIDATA__ENDPOINT"] = "http://127.0.0.1:9/sparql"
    outcome, error = bench.do("refresh")
    assert outcome == "failed"
    assert "127.0.0.1:9" in error


def test_prune_lets_go_of_what_was_kept_long_enough(bench):
    bench.do("probe")
    bench.environ["FRESHNESS_STORE__KEEP_ANSWERS"] = "30d"
    assert bench.do("prune") == ("succeeded", None)
    assert bench.event("pruned")["answers"] == 0


def test_unexpected_error_is_told_with_its_place(bench, monkeypatch):
    def broken(*_):
        raise RuntimeError("no\nluck")

    monkeypatch.setattr(child, "ensure_summaries", broken)
    assert bench.do("probe") == ("failed", "unexpected RuntimeError: no luck")
    assert "RuntimeError" in bench.event("unexpected error")["traceback"]


@pytest.mark.parametrize("go", range(3))
def test_process_ends_cleanly_while_its_daemon_holds_stdin_open(go, bench):
    bench.do("probe")  # the database is there
    job = Job("prune", "prune", Interval(HOUR), HOUR)
    task = Task(
        job, bench.slot, 1, load(bench.folder / "freshness.toml", {"FRESHNESS_STORE__KEEP_ANSWERS": "30d"})
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(COMMAND, start_new_session=True, **pipes) as process:
        process.stdin.write(json.dumps(task.to_json()).encode() + b"\n")
        process.stdin.flush()
        out, code = process.stdout.read(), process.wait(60)
        assert (code, process.stderr.read()) == (0, b"")
    assert json.loads(out.splitlines()[-1]) == {"result": {"outcome": "succeeded", "error": None}}


def test_settings_that_no_job_can_read_are_a_failure(bench):
    given = {"job": "x", "kind": "probe", "settings": {"what": 1}}
    outcome, error = child._do(lambda: child.Given.from_json(given), child.Voice(io.StringIO()))
    assert outcome == "failed"
    assert error.startswith("unexpected ValidationError: ")
