"""The commands as a user types them: exit codes, what goes to stdout and what to stderr."""

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from freshness import __version__
from freshness.cli import console
from freshness.cli.main import run
from freshness.errors import FreshnessError, UnavailableError

AS_OF = ("--as-of", "2026-06-01")
CASE = {
    "question": "Who is the Prime Minister of Italy?",
    "answer": "Mario Draghi",
    "as_of": "2024-01-01",
    "values": [
        {"label": "Giorgia Meloni", "start": "2022-10-22", "end": None},
        {"label": "Mario Draghi", "aliases": ["Draghi"], "start": "2021-02-13", "end": "2022-10-22"},
    ],
}


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def script(tmp_path):
    """A scripted model that knows Italy of some years ago, and the United States."""
    path = tmp_path / "script.toml"
    answers = '"Q38/P35" = "Giorgio Napolitano"\n"Q30/P35" = "Donald Trump"\n'
    path.write_text(f'default = "I don\'t know."\n[answers]\n{answers}')
    return f"scripted:{path}"


def write_cases(tmp_path, *cases):
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(f"{json.dumps(case)}\n" for case in cases))
    return path


COMMANDS = [
    (),
    ("probe",),
    ("grade",),
    ("window",),
    ("questions",),
    ("history",),
    ("compare",),
    ("regrade",),
    ("refresh",),
    ("changes",),
    ("facts",),
    ("facts", "list"),
    ("facts", "show"),
    ("facts", "check"),
    ("facts", "suggest"),
    ("check",),
    ("db",),
    ("db", "upgrade"),
    ("db", "current"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(cli, command):
    code, out, err = cli(*command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: {' '.join(['freshness', *command])}")


def test_bare_command_shows_the_help(cli):
    assert cli() == cli("--help")


def test_version(cli):
    assert cli("--version") == (0, f"freshness {__version__}\n", "")


BAD_USAGE = {
    "unknown command": (["prob"], "No such command 'prob'"),
    "unknown option": (["probe", "demo", "--sutie", "x"], "No such option: --sutie"),
    "missing argument": (["probe"], "Missing argument"),
    "missing subcommand": (["db"], "Missing command"),
    "no date": (["questions", "--as-of", "soon"], "'soon' is no date; use YYYY-MM-DD"),
    "limit of nothing": (["questions", "--limit", "0"], "Invalid value for '--limit'"),
    "unknown format": (["grade", "-", "--format", "xml"], "'xml' is not one of"),
    "unknown suite": (["questions", "--suite", "curent"], "unknown suite 'curent'; did you mean 'current'?"),
    "unknown catalogue": (["questions", "--facts", "contries"], "catalogue contries: No such file"),
    "unknown snapshot": (["questions", "--snapshot", "nowhere.json"], "snapshot nowhere.json: No such file"),
    "unknown source": (["refresh", "wikipedia"], "'wikipedia' is not"),
    "refresh of nobody": (["refresh"], "wikidata.contact is not set"),
    "changes since no date": (["changes", "--since", "soon"], "'soon' is no date; use YYYY-MM-DD"),
    "unknown model": (["probe", "nobody"], "unknown model 'nobody'"),
    "model without a target": (["probe", "scripted:"], "scripted: needs a file"),
    "file that is not there": (["grade", "nowhere.jsonl"], "can't read nowhere.jsonl: No such file"),
    "history of nothing": (["history", "demo"], "there is no database at"),
    "unknown fact": (["facts", "show", "Atlantis", "P6"], "no fact Atlantis P6 in the latest snapshot"),
    "date before all": (["probe", "demo", "--as-of", "0001-01-01", "--facts", "companies"], "nothing to ask"),
}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["refresh", "foo"], "Invalid value for 'source': 'foo' is not one of "),
        (["changes", "--format", "markdown"], "Invalid value for '--format': 'markdown' is not one of "),
        (["questions", "--limit", "0"], "Invalid value for '--limit': should be greater than or equal to 1"),
        (["probe", "Value error, Input should be"], "unknown model 'Value error, Input should be'; "),
    ],
)
def test_a_wrong_value_is_told_in_our_words(cli, arguments, told):
    code, _, err = cli(*arguments)
    assert (code, err.startswith(f"error: {told}")) == (2, True), err


@pytest.mark.parametrize(("arguments", "message"), BAD_USAGE.values(), ids=BAD_USAGE)
def test_bad_usage_is_one_line_on_stderr_and_exit_code_2(cli, arguments, message):
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
    assert message in err


def test_unknown_config_key_names_file_and_key(cli, tmp_path):
    (tmp_path / "mine.toml").write_text("[store]\nulr = 1\n")
    code, out, err = cli("--config", "mine.toml", "questions")
    assert (code, out) == (2, "")
    assert err == "error: mine.toml: store.ulr: unknown key; did you mean 'url'?\n"


@pytest.mark.parametrize("place", ["before", "after", "joined"])
def test_config_may_stand_anywhere(cli, tmp_path, script, place):
    (tmp_path / "mine.toml").write_text(f'[[models]]\nname = "mine"\nmodel = "{script}"\n')
    arguments = {
        "before": ["--config", "mine.toml", "probe", "mine"],
        "after": ["probe", "mine", "--config", "mine.toml"],
        "joined": ["probe", "mine", "--config=mine.toml"],
    }[place]
    code, out, _ = cli(*arguments, *AS_OF, "--limit", 2, "--no-store", "--format", "json")
    assert code == 0
    assert list(json.loads(out)["models"]) == ["mine"]


def test_missing_model_directory_is_unreachable(cli):
    code, _, err = cli("probe", "local:./nowhere", *AS_OF)
    assert code == 3
    assert err.startswith("error: ")
    assert "nowhere" in err


def test_bug_is_told_in_one_line_and_with_debug_in_full(cli, monkeypatch):
    def broken(paths):
        raise RuntimeError("a bug")

    monkeypatch.setattr("freshness.app.judging.judge_files", broken)
    code, _, err = cli("grade", "-")
    assert (code, len(err.splitlines())) == (1, 1)
    assert "unexpected RuntimeError: a bug" in err
    assert "Traceback" in cli("grade", "-", "--debug")[2]


def test_probe_prints_a_report_and_keeps_it(cli, script):
    code, out, err = cli("probe", script, *AS_OF, "--limit", 4)
    assert (code, err) == (0, "")
    assert "upper bound" in out
    assert "Napolitano" in out
    code, out, _ = cli("history", script, "--format", "json")
    (step,) = json.loads(out)
    assert (step["questions"], step["upper_bound"]["outdated"]) == (4, 0.25)


def test_probe_as_json_has_what_the_interface_says(cli, script):
    _, out, _ = cli("probe", script, *AS_OF, "--limit", 3, "--no-store", "--format", "json")
    report = json.loads(out)
    model = report["models"][script]
    assert (model["questions"], model["prompts"]) == (3, 9)
    assert {"upper_bound", "average", "agreement", "groups", "window"} <= set(model)
    assert report["run"]["snapshot"]["source"] == "bundled"
    assert {"id", "model", "served_model", "dtype", "batch", "versions", "seconds"} <= set(report["run"])
    assert {"question", "prompt", "answer", "verdict", "matched", "lag_days", "error"} <= set(
        report["trials"][0]
    )
    (outdated,) = report["outdated"]
    assert (outdated["said"], outdated["since"], outdated["now"]) == (
        "Giorgio Napolitano",
        "2015-01-14",
        ["Sergio Mattarella"],
    )


def test_probe_writes_report_files(cli, script, tmp_path):
    code, _, _ = cli("probe", script, *AS_OF, "--limit", 4, "--html", "r.html", "--plot", "w.svg")
    assert code == 0
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    assert "<svg" in (tmp_path / "w.svg").read_text()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (("--html", "no/such/folder/r.html"), "can't write no/such/folder/r.html: there is no directory"),
        (("--html", "."), "can't write .: it is a directory"),
        (("--html", "script.toml"), "can't write script.toml: it is read as "),
        (("--plot", "w.pdf"), "the name must end in .png or .svg"),
        (("--plot", "x/w.svg"), "can't write x/w.svg: there is no directory x"),
        (("--html", "w.svg", "--plot", "./w.svg"), "both name w.svg"),
    ],
)
def test_file_that_cannot_be_written_is_told_before_anything_is_asked(
    cli, script, monkeypatch, target, message
):
    monkeypatch.setattr("freshness.app.probing.probe", lambda *args, **kwargs: pytest.fail("asked"))
    code, out, err = cli("probe", script, *AS_OF, "--limit", 1, *target)
    assert (code, out) == (2, "")
    assert message in err


def test_plots_without_matplotlib_are_told_before_anything_is_asked(cli, script, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("freshness.app.probing.probe", lambda *args, **kwargs: pytest.fail("asked"))
    code, _, err = cli("probe", script, *AS_OF, "--plot", "w.svg")
    assert code == 2
    assert "pip install 'freshness[plot]'" in err


def test_nothing_to_plot_is_a_note_beside_the_report(cli, tmp_path):
    path = tmp_path / "silent.toml"
    path.write_text('default = "I don\'t know."\n')
    code, out, err = cli("probe", f"scripted:{path}", *AS_OF, "--limit", 2, "--plot", "w.svg")
    assert code == 0
    assert "upper bound" in out
    assert err.startswith("nothing to plot into w.svg")
    assert not (tmp_path / "w.svg").exists()


def test_file_that_fails_to_be_written_loses_no_report(cli, script, monkeypatch):
    def full(path, content):
        raise FreshnessError(f"can't write {path}: No space left on device")

    monkeypatch.setattr("freshness.report.html.write_file", full)
    code, out, err = cli("probe", script, *AS_OF, "--limit", 2, "--html", "r.html")
    assert (code, err) == (1, "error: can't write r.html: No space left on device\n")
    assert "upper bound" in out


@pytest.mark.parametrize("option", ["--html", "--plot"])
def test_grade_never_overwrites_what_it_reads(cli, tmp_path, option):
    path = write_cases(tmp_path, CASE).rename(tmp_path / "cases.svg")
    (tmp_path / "link.svg").symlink_to(path)
    before = path.read_text()
    for name in ("cases.svg", "link.svg"):
        code, out, err = cli("grade", path, option, name)
        assert (code, out) == (2, "")
        assert f"can't write {name}: it is read as {path}, and would be lost" in err
    assert path.read_text() == before


def written_to(tmp_path, name):
    """The database's place under another name: as it is spelled, linked to, or kept beside it."""
    database = tmp_path / "data" / "x.db"
    links = {"link.svg": os.symlink, "hard.svg": os.link}
    if name in links:
        links[name](database if name == "link.svg" else database.resolve(), tmp_path / name)
    return name


@pytest.mark.parametrize("kept", [True, False], ids=["stored", "not stored"])
@pytest.mark.parametrize(
    "name",
    ["data/x.db", "data/../data/x.db", "link.svg", "hard.svg", "data/x.db-wal", "data/x.db-shm",
     "data/x.db-journal", "real/y.db-wal"],
)  # fmt: skip
def test_the_history_is_never_overwritten(cli, script, tmp_path, monkeypatch, name, kept):
    (tmp_path / "real").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x.db").symlink_to("../real/y.db")
    monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/data/x.db")
    asked = ("probe", script, *AS_OF, "--limit", 1)
    assert cli(*asked)[0] == 0
    name = written_to(tmp_path, name)
    cases = write_cases(tmp_path, CASE)
    commands = [
        (*asked, *([] if kept else ["--no-store"]), "--html", name),
        ("grade", cases, "--html", name),
        ("questions", "--suite", "numeric", "--snapshot", "bundled", "--parquet", name),
    ]
    if name.endswith(".svg"):
        commands.append((*asked, "--plot", name))
    if not (tmp_path / name).exists():
        commands.append(("db", "backup", name))
    for command in commands:
        code, out, err = cli(*command)
        told = f"error: can't write {name}: the history is kept there (store.url); name another\n"
        assert (code, out, err) == (2, "", told)
    assert len(json.loads(cli("history", script, "--format", "json")[1])) == 1


def test_a_history_that_is_not_there_yet_has_its_place_already(cli, script, tmp_path, monkeypatch):
    monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/x.db")
    code, out, err = cli("probe", script, *AS_OF, "--limit", 1, "--html", "x.db")
    assert (code, out) == (2, "")
    assert "the history is kept there" in err
    assert not (tmp_path / "x.db").exists()


@pytest.mark.parametrize("name", ["freshness.toml", "mine.toml", "script.toml"])
def test_what_the_config_names_is_never_overwritten(cli, script, tmp_path, name):
    (tmp_path / "mine.toml").write_text("")
    config = f'[facts]\ncatalogues = ["mine.toml"]\n[[models]]\nname = "mine"\nmodel = "{script}"\n'
    (tmp_path / "freshness.toml").write_text(config)
    before = (tmp_path / name).read_text()
    code, out, err = cli("probe", "mine", *AS_OF, "--html", name)
    assert (code, out) == (2, "")
    assert "and would be lost" in err
    assert (tmp_path / name).read_text() == before


def test_files_that_are_joined_by_commas_are_read_too(cli, script, tmp_path):
    (tmp_path / "mine.toml").write_text("[[group]]\n")
    code, _, err = cli("probe", script, *AS_OF, "--facts", "countries,mine.toml", "--html", "mine.toml")
    assert (code, "it is read as mine.toml, and would be lost" in err) == (2, True)


def test_markdown_goes_to_stdout_alone(cli, script):
    code, out, err = cli("probe", script, *AS_OF, "--limit", 2, "--format", "markdown")
    assert (code, err) == (0, "")
    assert out.startswith("# Freshness of ")


def test_failed_prompts_are_told_and_give_exit_code_1(cli, tmp_path):
    path = tmp_path / "failing.toml"
    path.write_text('default = "x"\n[answers]\n"Q38/P35/p1" = { error = "timeout" }\n')
    code, out, err = cli("probe", f"scripted:{path}", *AS_OF, "--limit", 1, "--format", "json")
    assert code == 1
    assert err == "error: 1 of 3 prompts got no answer (timeout 1); they count nowhere\n"
    assert json.loads(out)["models"][f"scripted:{path}"]["prompts"] == 2


def test_old_facts_are_warned_about(cli, script):
    code, _, err = cli("probe", script, "--as-of", "2031-01-01", "--limit", 1, "--no-store")
    assert code == 0
    assert err.startswith("warning: the bundled facts were last checked on ")


def test_two_models_are_compared(cli, script, tmp_path):
    path = tmp_path / "newer.toml"
    path.write_text('default = "I don\'t know."\n[answers]\n"Q38/P35" = "Sergio Mattarella"\n')
    for model in (script, f"scripted:{path}"):
        cli("probe", model, *AS_OF, "--limit", 5)
    code, out, _ = cli("compare", script, f"scripted:{path}", "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert (found["only_a_correct"], found["only_b_correct"], found["p_value"]) == (1, 1, 1.0)
    assert {side["fact"] for side in found["differing"]} == {"Q38/P35", "Q30/P35"}
    assert "paired test" in cli("compare", script, f"scripted:{path}")[1]


def test_compare_names_the_models_there_are(cli, script):
    cli("probe", script, *AS_OF, "--limit", 1)
    code, _, err = cli("compare", script, "nobody")
    assert code == 2
    assert f"no runs of 'nobody' in the history; asked so far: {script}" in err


def test_regrade_asks_nobody_and_moves_the_day(cli, script, tmp_path):
    cli("probe", script, *AS_OF, "--limit", 4)
    (tmp_path / "script.toml").unlink()

    def outdated():
        return json.loads(cli("history", script, "--format", "json")[1])[0]["upper_bound"]["outdated"]

    what_if = ("regrade", "--as-of", "2014-01-01")
    code, out, _ = cli(*what_if, "--format", "json")
    assert code == 0
    (run_,) = json.loads(out)
    assert (run_["as_of"], run_["answers"], run_["changed"]) == ("2014-01-01", 12, 6)
    assert (run_["before"]["outdated"], run_["after"]["outdated"], run_["stored"]) == (3, 0, False)
    assert "the history stays as it is" in cli(*what_if)[1]
    assert outdated() == 0.25
    assert "count from now on" in cli(*what_if, "--store")[1]
    assert outdated() == 0
    assert json.loads(cli("regrade", "--format", "json")[1])[0]["as_of"] == AS_OF[1]
    assert outdated() == 0.25


def test_regrade_says_what_its_day_is_by_default(cli):
    assert "[default: each run's own day]" in " ".join(cli("regrade", "--help")[1].split())


def test_grade_prints_each_line_back_with_the_verdict(cli, tmp_path):
    path = write_cases(tmp_path, {**CASE, "verdict_read": "outdated"}, {**CASE, "answer": "Giorgia Meloni"})
    code, out, err = cli("grade", path, "--format", "jsonl")
    assert (code, err) == (0, "")
    first, second = map(json.loads, out.splitlines())
    assert (first["verdict"], first["matched"], first["mention"]) == (
        "outdated",
        "Mario Draghi",
        "Mario Draghi",
    )
    assert (first["verdict_read"], first["lag_days"]) == ("outdated", 436)
    assert (second["verdict"], second["lag_days"]) == ("correct", None)


@pytest.mark.parametrize("command", ["grade", "window"])
def test_empty_input_is_noted(cli, tmp_path, command):
    (tmp_path / "empty.jsonl").write_text("\n")
    code, out, err = cli(command, "empty.jsonl", "--format", "json")
    assert (code, json.loads(out)) == (0, {"models": {}})
    assert err.startswith("no ")
    assert " in empty.jsonl: there is nothing to " in err


@pytest.mark.parametrize("kind", [UnavailableError, RuntimeError])
def test_error_that_runs_over_lines_is_told_in_one(cli, monkeypatch, kind):
    def broken(paths):
        raise kind("a server said:\n\n  go away\r\n")

    monkeypatch.setattr("freshness.app.judging.judge_files", broken)
    _, _, err = cli("grade", "-")
    assert len(err.splitlines()) == 1
    assert "a server said: go away" in err


def test_grade_sums_up_by_model(cli, tmp_path):
    cases = [
        {**CASE, "model": m, "fact": "Italy/P6", "prompt": p, "answer": a}
        for m, p, a in [("m", "p1", "Draghi"), ("m", "p2", "Giorgia Meloni"), ("n", "p1", "")]
    ]
    code, out, _ = cli("grade", write_cases(tmp_path, *cases), "--format", "json")
    assert code == 0
    models = json.loads(out)["models"]
    assert models["m"]["upper_bound"]["correct"] == 1
    assert (models["m"]["average"]["outdated"], models["m"]["agreement"]) == (0.5, 0)
    assert models["n"]["upper_bound"] == {
        "correct": 0,
        "outdated": 0,
        "irrelevant": 0,
        "refused": 0,
        "unreadable": 1,
        "irrelevant_as_published": 1,
    }


@pytest.mark.parametrize("form", ["table", "json", "jsonl"])
def test_malformed_case_line_stops_grade_before_any_output(cli, tmp_path, form):
    path = write_cases(tmp_path, CASE, {**CASE, "as_of": "then"}, {**CASE, "values": 3})
    code, out, err = cli("grade", path, "--format", form)
    assert (code, out) == (2, "")
    assert [line.split(": ")[1] for line in err.splitlines()] == [f"{path}:2", f"{path}:3"]
    assert "as_of: 'then' is no date" in err


def test_hostile_text_reaches_neither_terminal_nor_breaks_json(cli, tmp_path):
    evil = {
        **CASE,
        "answer": "Mario Draghi \x1b[2J\u202e \ud800",
        "model": "[red]\x1b]0;x\x07",
        "group": "g\x1b[1m",
    }
    path = write_cases(tmp_path, evil)
    assert "\x1b" not in cli("grade", path)[1]
    code, out, _ = cli("grade", path, "--format", "jsonl")
    assert code == 0
    assert "\x1b" not in out
    assert json.loads(out)["answer"] == evil["answer"]


def test_window_of_observations(cli, tmp_path):
    path = tmp_path / "seen.jsonl"
    rows = [
        {"model": "m", "date": f"{year}-{month:02d}-{day:02d}", "known": year < 2024}
        for year in (2022, 2023, 2024, 2025)
        for month in range(1, 13)
        for day in (1, 8, 15, 22)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    code, out, _ = cli("window", path, "--format", "json")
    assert code == 0
    found = json.loads(out)["models"]["m"]
    assert (found["observations"], found["status"]) == (len(rows), "estimated")
    assert "2023-11" <= found["cutoff"]["estimate"] <= "2024-02"
    assert found["cutoff"]["estimate"] in cli("window", path)[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"model": "m", "date": "2024-05-13"}', "known is missing"),
        ('{"model": "m"', "is no JSON"),
    ],
)
def test_malformed_observation_is_told_with_its_line(cli, tmp_path, line, message):
    path = tmp_path / "seen.jsonl"
    path.write_text('{"model": "m", "date": "2024-05-13", "known": true}\n' + line)
    code, out, err = cli("window", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path}:2: ")
    assert message in err


def test_questions_are_json_lines_and_always_the_same(cli):
    first = cli("questions", "--facts", "countries,companies", *AS_OF)
    assert first == cli("questions", "--facts", "countries", "--facts", "companies", *AS_OF)
    rows = [json.loads(line) for line in first[1].splitlines()]
    assert {row["group"] for row in rows} == {"countries", "companies"}
    assert {"id", "suite", "group", "fact", "prompts", "as_of", "values"} == set(rows[0])


@pytest.fixture
def catalogue(tmp_path):
    """A catalogue of its own: Italy's prime minister, and facts that no snapshot has."""

    def catalogue(*ids):
        subjects = "".join(f'[[group.subjects]]\nid = "{id_}"\nname = "N{id_}"\n' for id_ in ids)
        path = tmp_path / "mine.toml"
        head = '[[group]]\nname = "g"\nproperty = "P6"\nprompts = ["Who leads {subject}?"]\n'
        path.write_text(head + subjects)
        return path

    return catalogue


def test_facts_that_the_snapshot_lacks_are_noted(cli, script, catalogue):
    path = catalogue("Q38", *(f"Q9000{n}" for n in range(7)))
    said = (
        "7 facts of the catalogue left out, not in the bundled snapshot: "
        "Q90000/P6, Q90001/P6, Q90002/P6, Q90003/P6, Q90004/P6, ...; `freshness refresh` fetches them\n"
    )
    code, out, err = cli("questions", "--facts", path, *AS_OF)
    assert (code, len(out.splitlines()), err) == (0, 1, said)
    assert cli("probe", script, "--facts", path, *AS_OF, "--no-store")[2] == said


@pytest.mark.parametrize("command", ["questions", "probe"])
def test_nothing_to_ask_says_why(cli, script, catalogue, command):
    start = ["probe", script] if command == "probe" else ["questions"]
    code, out, err = cli(*start, "--facts", catalogue("Q90000"), *AS_OF)
    assert (code, out) == (2, "")
    assert err.startswith("error: nothing to ask: the bundled snapshot has no fact that these catalogues ")
    assert err.endswith("ask about (Q90000/P6)\n")
    code, out, err = cli(*start, "--facts", catalogue("Q38", "Q90000"), "--as-of", "0001-01-01")
    assert (code, out) == (2, "")
    assert "has a value as of 0001-01-01, and 1 of 2 are not in the bundled snapshot" in err


def test_facts_are_listed_and_shown_as_of_a_day(cli):
    _, out, _ = cli("facts", "list", "--facts", "countries", "--format", "json")
    assert all(fact["state"] == "usable" for fact in json.loads(out))
    code, out, _ = cli("facts", "show", "Italy", "P6", "--as-of", "2021-12-31", "--format", "json")
    assert code == 0
    fact = json.loads(out)
    assert (fact["current"], fact["subject"]["id"]) == (["Mario Draghi"], "Q38")
    assert fact["snapshot"]["source"] == "bundled"
    assert "Mario Draghi" in cli("facts", "show", "Q38", "P6")[1]
    assert cli("facts", "show", "italy", "p6") == cli("facts", "show", "q38", "P6")
    assert cli("facts", "show", "italy", "p6") == cli("facts", "show", "Italy", "P6")
    assert "Italy" in cli("facts", "list")[1]


def test_facts_as_observed_come_from_the_history(cli, script):
    cli("probe", script, *AS_OF, "--limit", 1)
    day = ("--observed", time.strftime("%Y-%m-%d", time.gmtime()))
    code, out, _ = cli("facts", "show", "Q38", "P6", *day, "--format", "json")
    assert (code, json.loads(out)["subject"]["id"]) == (0, "Q38")
    code, out, err = cli("facts", "show", "Q38", "P6", "--observed", "2001-01-01")
    assert (code, out) == (2, "")
    assert "was not on record on 2001-01-01" in err
    assert json.loads(cli("facts", "list", "--observed", "2001-01-01", "--format", "json")[1]) == []


def test_check_without_anything_finds_no_fault(cli):
    code, out, err = cli("check")
    assert (code, err) == (0, "")
    assert [line.split(":")[1].strip() for line in out.splitlines()] == [
        "config",
        "catalogue",
        "snapshot",
        "wikidata",
        "charts",
        "series",
        "owid",
        "database",
    ]


def test_check_tells_every_fault_with_exit_code_1(cli, tmp_path):
    (tmp_path / "bad.db").write_text("this is no database, but a text of some length" * 100)
    (tmp_path / "freshness.toml").write_text(
        '[store]\nurl = "sqlite:///bad.db"\n[facts]\ncatalogues = ["nowhere.toml"]\n'
        '[[models]]\nname = "a"\nmodel = "what:is-this"\n'
        '[[models]]\nname = "b"\nmodel = "http://127.0.0.1:9/v1#x"\napi_key_env = "NOT_SET_ANYWHERE"\n'
    )
    code, _, err = cli("check")
    assert code == 1
    said = err.splitlines()
    assert all(line.startswith("error: ") for line in said)
    for message in ("catalogue nowhere.toml", "bad.db", "unknown model 'what:is-this'", "NOT_SET_ANYWHERE"):
        assert any(message in line for line in said), message


def test_check_says_nothing_twice(cli, tmp_path):
    (tmp_path / "freshness.toml").write_text(
        '[facts]\ncatalogues = ["nope"]\n[[models]]\nname = "served"\nmodel = "http://h/v1#x"\n'
        'api_key_env = "NOT_SET_ANYWHERE"\n'
    )
    code, out, err = cli("check")
    assert code == 1
    first, second = err.splitlines()
    assert first.startswith("error: catalogue nope: No such file")
    assert second == "error: model served: the environment variable NOT_SET_ANYWHERE is not set"
    assert "ok: snapshot: bundled, " in out


@pytest.mark.parametrize(
    ("config", "arguments", "said"),
    [
        ("", ["questions", "--suite", "xyz"], "unknown suite 'xyz'; known: current, numeric, next-word\n"),
        ("", ["probe", "foo"], "unknown model 'foo'; use demo, "),
        ('[[models]]\nname = "mine"\nmodel = "demo"\n', ["probe", "foo"], "known: mine; or use demo, "),
        ('[[models]]\nname = "mine"\nmodel = "demo"\n', ["probe", "min"], "mean 'mine'? else use demo, "),
    ],
)
def test_unknown_names_are_told_without_loose_ends(cli, tmp_path, config, arguments, said):
    (tmp_path / "freshness.toml").write_text(config)
    assert said in cli(*arguments)[2]


def test_check_of_a_broken_config_says_so(cli, tmp_path):
    (tmp_path / "freshness.toml").write_text("[wikidata\n")
    code, _, err = cli("check")
    assert code == 1
    assert err.startswith("error: config: freshness.toml: is no valid TOML")


def test_check_online_asks_each_endpoint(cli, tmp_path, script):
    (tmp_path / "freshness.toml").write_text(
        f'[[models]]\nname = "here"\nmodel = "{script}"\n'
        '[[models]]\nname = "down"\nmodel = "http://127.0.0.1:9/v1#x"\n'
    )
    assert cli("check")[0] == 0
    code, out, err = cli("check", "--online")
    assert code == 1
    assert "ok: model here: answers as " in out
    assert err.startswith("error: model down: ")


def test_database_commands(cli):
    assert cli("db", "current")[:2] == (1, "none\n")
    code, version, _ = cli("db", "upgrade")
    assert code == 0
    assert cli("db", "current") == (0, version, "")


def test_database_of_a_newer_version_needs_a_newer_freshness(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")
    cli("db", "upgrade")
    with sqlite3.connect(tmp_path / "h.db") as database:
        database.execute("UPDATE freshness_schema SET version_num = '9999'")
    database.close()
    for command, code in ((("check",), 1), (("db", "current"), 1), (("db", "upgrade"), 2)):
        found, _, err = cli(*command)
        assert found == code
        assert "written by a newer freshness (schema 9999" in err
        assert err.endswith("; upgrade freshness\n")


def test_server_that_is_down_is_unreachable(cli):
    code, out, err = cli("probe", "http://127.0.0.1:9/v1#x", *AS_OF, "--limit", 1)
    assert (code, out) == (3, "")
    assert "127.0.0.1" in err


def freshness(*arguments, **options):
    command = [sys.executable, "-m", "freshness", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for_answers(path, patience=20.0):
    """Until the history says that something was answered."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                if database.execute("SELECT count(*) FROM trials").fetchone()[0]:
                    return
        except sqlite3.OperationalError:
            pass
        time.sleep(0.05)
    raise AssertionError("nothing was answered")


@pytest.mark.parametrize(
    "how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=["Ctrl-C", "kill", "kill -9"]
)
def test_interrupted_probe_goes_on_where_it_stopped(cli, tmp_path, monkeypatch, how):
    monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")
    slow = tmp_path / "slow.toml"
    slow.write_text('default = "Giorgia Meloni"\ndelay = 0.2\n')
    arguments = ("probe", f"scripted:{slow}", *AS_OF, "--limit", 10, "--format", "json")
    process = freshness(*arguments)
    wait_for_answers(tmp_path / "h.db")
    process.send_signal(how)
    out, err = process.communicate(timeout=20)
    assert out == ""
    if how != signal.SIGKILL:
        assert process.returncode == 128 + how
        assert err == "error: interrupted; the same command goes on from there\n"
    slow.write_text('default = "Sergio Mattarella"\n')
    code, out, err = cli(*arguments)
    assert code == 0
    assert err.startswith("going on with the run of ")
    trials = json.loads(out)["trials"]
    assert len(trials) == 30
    assert {trial["answer"] for trial in trials} == {"Giorgia Meloni", "Sergio Mattarella"}
    assert len(json.loads(cli("history", f"scripted:{slow}", "--format", "json")[1])) == 1


def test_reader_that_goes_away_is_no_error():
    process = freshness("questions", *AS_OF)
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=20) in (0, 1)
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full here")
@pytest.mark.parametrize("form", ["json", "table", "jsonl"])
def test_output_that_finds_no_room_is_one_line(tmp_path, form):
    path = write_cases(tmp_path, CASE)
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "freshness", "grade", str(path), "--format", form],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (process.returncode, process.stderr) == (
        1,
        "error: can't write to standard output: No space left on device\n",
    )


def test_closed_output_is_an_error(tmp_path):
    write_cases(tmp_path, CASE)
    command = f"{sys.executable} -m freshness grade cases.jsonl"
    closed = subprocess.run(f"{command} >&-", shell=True, stderr=subprocess.PIPE, text=True)
    assert (closed.returncode, closed.stderr) == (
        1,
        "error: standard output is closed; results have nowhere to go\n",
    )
    deaf = subprocess.run(f"{command[:-11]}nowhere.jsonl 2>&-", shell=True, stdout=subprocess.PIPE)
    assert (deaf.returncode, deaf.stdout) == (2, b"")


@pytest.mark.parametrize("encoding", ["ascii:surrogateescape", "latin-1"])
@pytest.mark.parametrize("form", ["table", "markdown"])
def test_poor_terminal_gets_tables_all_the_same(tmp_path, encoding, form):
    path = write_cases(tmp_path, {**CASE, "model": "名前", "answer": "Mario Draghi"})
    process = subprocess.run(
        [sys.executable, "-m", "freshness", "grade", str(path), "--format", form],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert process.stderr == b""
    assert b"Mario Draghi" in process.stdout
    if form == "markdown":  # a document, in UTF-8 always
        assert "名前" in process.stdout.decode("utf-8")
    else:
        assert re.search(rb"^model +[?]{2} *$", process.stdout, re.M)
        assert re.search(rb"interval +0-79%", process.stdout)


@pytest.mark.parametrize(
    ("encoding", "errors"),
    [("ascii", "surrogateescape"), ("ascii", "strict"), ("utf-8", "surrogateescape"), ("latin-1", "replace")],
)
def test_every_command_prints_on_any_stream(script, monkeypatch, encoding, errors):
    """What was asked is never lost to an encoding, that of the C locale among them."""
    numbers = ("--suite", "numeric", "--limit", "6", "--snapshot", "bundled", "--facts", "health")
    for arguments in (
        ("probe", script, *numbers),
        ("history", script),
        ("regrade", script),
        ("series", "list", "--snapshot", "bundled"),
        ("facts", "show", "Q38", "P6", "--snapshot", "bundled"),
    ):
        stream = io.TextIOWrapper(io.BytesIO(), encoding, errors)
        monkeypatch.setattr(sys, "stdout", stream)
        assert run(arguments) == 0
        assert len(stream.buffer.getvalue()) > 100
        assert b"\x1b" not in stream.buffer.getvalue()


def test_ascii_terminal_gets_json_in_utf_8_all_the_same(tmp_path):
    path = write_cases(tmp_path, {**CASE, "answer": "Zürich"})
    process = subprocess.run(
        [sys.executable, "-m", "freshness", "grade", str(path), "--format", "jsonl"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert json.loads(process.stdout.decode("utf-8"))["answer"] == "Zürich"


class TestSpacesAtTheEndsOfLines:
    """Tables are padded; a file, a pipe or an editor should not get that."""

    @pytest.mark.parametrize(
        "command",
        [
            ("facts", "list"),
            ("facts", "show", "Q38", "P6"),
            ("series", "list", "--snapshot", "bundled"),
            ("series", "show", "life-expectancy", "FRA", "--snapshot", "bundled"),
        ],
    )
    def test_there_are_none_where_output_is_no_terminal(self, cli, command):
        _, out, _ = cli(*command)
        assert len(out.splitlines()) > 3
        assert [line for line in out.splitlines() if line != line.rstrip()] == []

    def test_all_else_stays_as_it_is(self, capsys):
        console.show("  a  b  \n\n\u00a0c\u00a0", "d")
        assert capsys.readouterr().out == "  a  b\n\n\u00a0c\u00a0\nd\n"

    def test_a_terminal_gets_what_fills_it(self, capsys, monkeypatch):
        monkeypatch.setenv("FORCE_COLOR", "1")
        console.show("a  ")
        assert capsys.readouterr().out == "a  \n"
