"""The use cases below the commands: who is asked with what, what is kept, how cases become questions."""

import json
import sqlite3
from datetime import date

import pytest

from freshness.app import judging, past, probing, setup
from freshness.app.setup import Choice
from freshness.config import load
from freshness.errors import Interrupted, StoreError, StoreWriteError, UsageError
from freshness.store import NOT_KEPT

DAY = date(2026, 6, 1)


@pytest.fixture
def settings(tmp_path):
    """Settings from this text, with a database of the test's own."""

    def settings(text=""):
        path = tmp_path / "some.toml"
        path.write_text(text)
        return load(path, environ={"FRESHNESS_STORE__URL": f"sqlite:///{tmp_path}/h.db"})

    return settings


@pytest.fixture
def script(tmp_path):
    def script(text, name="script.toml"):
        path = tmp_path / name
        path.write_text(text)
        return f"scripted:{path}"

    return script


def request(model, limit=3, **options):
    return probing.Request(model, Choice("current", (), "bundled", DAY, limit), **options)


def probe(settings, asked, notes=None):
    said = [] if notes is None else notes
    return probing.probe(
        settings, asked, advance=lambda done, total: None, warn=said.append, note=said.append
    )


class TestModel:
    def test_name_from_the_config_brings_its_options(self, settings, script):
        model = script('default = "x"')
        config = settings(
            f'[[models]]\nname = "mine"\nmodel = "{model}"\nstyle = "completion"\n'
            'dtype = "float32"\nlimits = { batch_size = 4, timeout = "2m", max_new_tokens = 7 }\n'
        )
        chosen = setup.model(config, "mine", {"style": None, "batch_size": 8})
        assert chosen.options == {
            "style": "completion",
            "dtype": "float32",
            "batch_size": 8,
            "max_new_tokens": 7,
            "timeout": 120.0,
        }
        assert chosen.model.info().name == "mine"
        assert chosen.spec.startswith("scripted:")

    def test_near_name_is_suggested(self, settings):
        config = settings('[[models]]\nname = "nightly"\nmodel = "demo"\n')
        with pytest.raises(UsageError, match="unknown model 'nightlie'; did you mean 'nightly'"):
            setup.model(config, "nightlie", {})

    def test_key_comes_from_the_variable_that_the_config_names(self, settings, monkeypatch):
        config = settings('[[models]]\nname = "a"\nmodel = "http://h/v1#m"\napi_key_env = "A_KEY"\n')
        with pytest.raises(UsageError, match="model a: the environment variable A_KEY is not set"):
            setup.model(config, "a", {})
        monkeypatch.setenv("A_KEY", "sk-secret")
        chosen = setup.model(config, "a", {})
        assert "sk-secret" not in repr(chosen.options)

    def test_key_of_another_model_is_not_sent_elsewhere(self, settings, monkeypatch):
        monkeypatch.setenv("A_KEY", "sk-secret")
        config = settings('[[models]]\nname = "a"\nmodel = "http://h/v1#m"\napi_key_env = "A_KEY"\n')
        assert setup._api_key(None, "http://elsewhere/v1#m")["api_key"] is None
        assert setup._api_key(config.models[0], "http://h/v1#m")["api_key"] == "sk-secret"


class TestProbe:
    def test_report_is_the_same_with_and_without_the_history(self, settings, script):
        model = script('default = "Sergio Mattarella"\n')
        kept = probe(settings(), request(model)).to_json()
        lost = probe(settings(), request(model, store=False)).to_json()
        assert kept["models"] == lost["models"]
        assert [t["verdict"] for t in kept["trials"]] == [t["verdict"] for t in lost["trials"]]
        assert [t["prompt"] for t in kept["trials"]] == [t["prompt"] for t in lost["trials"]]

    def test_recorded_lines_that_match_no_prompt_are_noted(self, settings, tmp_path):
        asked = ("Q38/P35/p1", "Q38/P35/p2", "Q1/P1/p1")
        rows = [{"fact": q.rpartition("/")[0], "prompt": q[-2:], "answer": "x"} for q in asked]
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        notes = []
        probe(settings(), request(f"recorded:{path}", limit=None, store=False), notes)
        assert notes == ["1 recorded line matched no prompt that was asked"]
        notes.clear()
        probe(settings(), request(f"recorded:{path}", limit=1, store=False), notes)
        assert notes == []

    def test_nothing_is_written_without_the_history(self, settings, script, tmp_path):
        probe(settings(), request(script('default = "x"\n'), store=False))
        assert not (tmp_path / "h.db").exists()

    def test_finished_run_is_asked_anew(self, settings, script):
        model = script('default = "x"\n')
        first, second = (probe(settings(), request(model)).run for _ in range(2))
        assert first.id != second.id

    def test_failed_prompts_are_errors_of_a_finished_run(self, settings, script):
        model = script('default = "x"\n[answers]\n"Q38/P35/p2" = { error = "timeout" }\n')
        report = probe(settings(), request(model))
        assert report.run.status == "finished"
        assert report.models[0].tally.failed_prompts == {"timeout": 1}

    def test_interruption_keeps_what_was_answered(self, settings, script, monkeypatch):
        model = script('default = "x"\n')
        monkeypatch.setattr("freshness.pipeline.BATCH", 4)
        advanced = []

        def interrupt(done, total):
            advanced.append((done, total))
            if done >= 4:
                raise KeyboardInterrupt

        with pytest.raises(Interrupted, match="goes on from there"):
            probing.probe(settings(), request(model), advance=interrupt, warn=print, note=print)
        assert advanced[0] == (0, 9)
        with setup.open_history(settings()) as store:
            (run,) = store.runs()
            assert run.status == "interrupted"
            answered = len(store.run(run.id).trials)
        assert 4 <= answered < 9
        notes = []
        report = probe(settings(), request(model), notes)
        assert report.run.id == run.id
        assert len(report.run.trials) == 9
        assert notes[0].endswith(f": {answered} of 9 prompts answered")

    def test_other_options_are_another_run(self, settings, script, monkeypatch):
        model = script('default = "x"\n')

        def interrupt(done, total):
            if done:
                raise KeyboardInterrupt

        with pytest.raises(Interrupted):
            probing.probe(settings(), request(model), advance=interrupt, warn=print, note=print)
        other = probe(settings(), request(model, options={"style": "completion"}))
        with setup.open_history(settings()) as store:
            assert {run.status for run in store.runs()} == {"interrupted", "finished"}
        assert other.run.details["style"] == "completion"

    def test_disk_that_fills_up_is_told_and_what_was_stored_stays(
        self, settings, script, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("freshness.pipeline.BATCH", 2)
        probe(settings(), request(script('default = "x"\n'), limit=1))
        model = script(f'default = "{"x" * 20_000}"\n', "long.toml")
        full = _page_limit(tmp_path / "h.db", monkeypatch)
        with pytest.raises(StoreWriteError, match=r"h\.db"):
            probe(settings(), request(model, limit=40))
        full.undo()
        with setup.open_history(settings()) as store:
            broken = store.runs(model)[0]
            assert 0 < len(store.run(broken.id).trials) < 120
        assert len(probe(settings(), request(model, limit=40)).run.trials) == 120

    def test_database_of_a_newer_version_is_left_alone(self, settings, script, tmp_path):
        model = script('default = "x"\n')
        probe(settings(), request(model))
        with sqlite3.connect(tmp_path / "h.db") as database:
            database.execute("UPDATE freshness_schema SET version_num = '9999'")
        with pytest.raises(StoreError, match="newer"):
            probe(settings(), request(model))

    def test_nothing_is_asked_when_the_history_cannot_be_opened(self, script, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("no folder")
        config = load(None, environ={"FRESHNESS_STORE__URL": f"sqlite:///{tmp_path}/file/h.db"})
        monkeypatch.setattr("freshness.pipeline.probe", lambda *args, **kwargs: pytest.fail("asked"))
        with pytest.raises(StoreError):
            probe(config, request(script('default = "x"\n')))


def _page_limit(path, monkeypatch):
    """No more than a few pages can be added to the database, as on a disk that is nearly full."""
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    with sqlite3.connect(path) as database:
        pages = database.execute("PRAGMA page_count").fetchone()[0]

    def limit(connection, record):
        connection.execute(f"PRAGMA max_page_count = {pages + 500}").close()

    event.listen(Engine, "connect", limit)

    class Listening:
        def undo(self):
            event.remove(Engine, "connect", limit)

    return Listening()


class TestRegrade:
    def test_verdicts_move_with_the_day(self, settings, script):
        probe(settings(), request(script('default = "Giorgio Napolitano"\n'), limit=1))
        (done,) = past.regrade(settings(), None, date(2010, 1, 1), keep=True)
        assert (done.changed, done.skipped, done.after.by_verdict["correct"]) == (3, "", 3)
        (step,) = past.history(settings(), done.run.model, "current", 5)
        assert step.tally.average.to_json()["correct"] == 3
        (back,) = past.regrade(settings(), None, None, keep=True)
        assert (back.changed, back.as_of) == (3, DAY)
        (step,) = past.history(settings(), done.run.model, "current", 5)
        assert (step.run.as_of, step.tally.average.to_json()["outdated"]) == (DAY, 3)
        assert past.regrade(settings(), None, None, keep=True)[0].changed == 0

    def test_a_look_at_another_day_changes_nothing(self, settings, script):
        probe(settings(), request(script('default = "Giorgio Napolitano"\n'), limit=1))
        (seen,) = past.regrade(settings(), None, date(2010, 1, 1), keep=False)
        assert (seen.changed, seen.stored) == (3, False)
        assert (seen.before.by_verdict["outdated"], seen.after.by_verdict["correct"]) == (3, 3)
        (step,) = past.history(settings(), seen.run.model, "current", 5)
        assert (step.run.as_of, step.tally.average.to_json()["outdated"]) == (DAY, 3)

    def test_unknown_model_is_told_with_those_there_are(self, settings, script):
        model = script('default = "x"\n')
        probe(settings(), request(model, limit=1))
        with pytest.raises(UsageError, match=f"no runs of 'nobody' in the history; asked so far: {model}"):
            past.regrade(settings(), "nobody", None, keep=True)

    def test_answers_that_were_not_kept_are_skipped(self, settings, script):
        config = settings("[store]\nkeep_answers = false\n")
        report = probe(config, request(script('default = "Giorgio Napolitano"\n'), limit=1))
        assert {trial.answer.text for trial in report.run.trials} == {""}
        assert all(NOT_KEPT in trial.answer.flags for trial in report.run.trials)
        assert report.models[0].tally.average.to_json()["outdated"] == 3
        (done,) = past.regrade(config, None, date(2010, 1, 1), keep=True)
        assert (done.changed, done.skipped) == (0, "it has no answers that were kept")


class TestCompare:
    def test_runs_can_be_named_by_their_ids(self, settings, script):
        model = script('default = "x"\n')
        first, second = (probe(settings(), request(model)).run.id for _ in range(2))
        a, b, compared = past.side_by_side(settings(), first, second, "current")
        assert (a.id, b.id, compared.neither) == (first, second, 3)

    def test_finished_runs_come_before_unfinished_ones(self, settings, script, monkeypatch):
        model = script('default = "x"\n')
        done = probe(settings(), request(model, limit=2)).run

        def interrupt(count, total):
            if count:
                raise KeyboardInterrupt

        with pytest.raises(Interrupted):
            probing.probe(settings(), request(model, limit=5), advance=interrupt, warn=print, note=print)
        other = probe(settings(), request(script('default = "y"\n', "other.toml"), limit=2)).run
        a, b, _ = past.side_by_side(settings(), model, other.id, "current")
        assert (a.id, b.id) == (done.id, other.id)

    def test_run_is_not_compared_with_itself(self, settings, script):
        model = script('default = "x"\n')
        only = probe(settings(), request(model, limit=1)).run
        for name in (model, only.id):
            with pytest.raises(UsageError, match=f"both are run {only.id} of "):
                past.side_by_side(settings(), model, name, "current")


VALUES = [
    {"label": "Giorgia Meloni", "start": "2022-10-22", "end": None},
    {"label": "Mario Draghi", "start": "2021-02-13", "end": "2022-10-22"},
]


def case(answer, **more):
    asked = {"question": "Who is the Prime Minister of Italy?", "as_of": "2024-01-01", "values": VALUES}
    return {**asked, "answer": answer, **more}


class TestJudging:
    @pytest.fixture
    def report(self, tmp_path):
        def report(*cases):
            path = tmp_path / "cases.jsonl"
            path.write_text("".join(f"{json.dumps(line)}\n" for line in cases))
            return judging.report(judging.judge_files([str(path)]))

        return report

    def test_lines_without_names_are_prompts_of_one_question(self, report):
        (model,) = report(case("Mario Draghi"), case("Giorgia Meloni"), case("no idea")).models
        assert (model.name, model.tally.upper_bound.total, model.tally.average.total) == ("answers", 1, 3)

    def test_prompt_that_comes_twice_is_two_samples(self, report):
        (model,) = report(case("Mario Draghi", prompt="p1"), case("Giorgia Meloni", prompt="p1")).models
        assert model.tally.average.to_json()["correct"] == 1
        assert model.tally.average.to_json()["outdated"] == 1

    def test_same_fact_as_of_another_day_is_another_question(self, report):
        (model,) = report(
            case("Mario Draghi", fact="f"), case("Mario Draghi", fact="f", as_of="2022-01-01")
        ).models
        assert model.tally.upper_bound.to_json()["correct"] == 1
        assert model.tally.upper_bound.to_json()["outdated"] == 1

    def test_outdated_facts_are_listed_for_a_single_model_only(self, report):
        assert [f.said for f in report(case("Mario Draghi")).outdated] == ["Mario Draghi"]
        assert report(case("Mario Draghi"), case("Mario Draghi", model="n")).outdated == ()

    def test_no_cases_are_no_models(self, report):
        assert report().to_json() == {"models": {}}

    def test_case_without_values_is_judged_and_never_correct(self, report):
        (model,) = report(case("Mario Draghi") | {"values": []}).models
        assert model.tally.upper_bound.to_json()["irrelevant"] == 1
