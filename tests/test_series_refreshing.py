"""Following the numbers as a user has it: refresh owid, changes, series, regrade.

The commands, a real chart server, a real database.
"""

import io
import json
import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

import pytest
import stamina
from owid_server import NOT_FOUND, as_json, csv, metadata
from series_world import FRANCE, JAPAN, NOW, chart, date_question, moved, open_question, vintage
from series_world import series as world_series
from sparql_server import Reply, html, serving

from freshness.app import past, series, series_citing, setup
from freshness.app.snapshots import Talk
from freshness.catalog.charts import load as load_charts
from freshness.config import load
from freshness.daemon import child
from freshness.daemon.jobs import Job
from freshness.daemon.runner import Task
from freshness.daemon.schedule import Interval
from freshness.daemon.watch import Config
from freshness.history import Run, Trial
from freshness.questions import Answer
from freshness.series import CATEGORIES, SeriesSnapshot
from freshness.store import Store, open_store

HOUR = timedelta(hours=1)
CHARTS = """
[[chart]]
slug = "life"
column = "v"
category = "health"
subcategory = "Life Expectancy"
phrase = "life expectancy at birth"
unit = "years"
lowest = 0

[[chart]]
slug = "wealth"
column = "v"
category = "economy"
subcategory = "GDP"
phrase = "GDP per capita"
unit = "dollars"
"""
COUNTRIES = {"FRA": ("France", FRANCE), "JPN": ("Japan", JAPAN)}


def life(updated="2024-07-01", countries=COUNTRIES, **years):
    """Replies for the chart: France with some years changed."""
    told = {code: (name, dict(values)) for code, (name, values) in countries.items()}
    if "FRA" in told:
        told["FRA"] = ("France", moved(FRANCE, **years))
    rows = [
        f"{name},{code},{year},{value}"
        for code, (name, values) in told.items()
        for year, value in values.items()
    ]
    said = as_json(metadata(updated))
    return {"csv": csv("\n".join(["Entity,Code,Year,v", *rows, ""])), "metadata": said}


class Charts:
    """What the server has, by slug; `asked`: paths in order."""

    def __init__(self):
        self.by_slug = {"life": life(), "wealth": life()}
        self.asked = []

    def reply(self, request):
        path = urlsplit(request.path).path
        self.asked.append(path)
        slug, _, ending = path.rpartition("/")[2].partition(".")
        return self.by_slug.get(slug, {}).get("metadata" if "metadata" in ending else "csv", NOT_FOUND)


@contextmanager
def listening():
    world = Charts()
    with serving(world.reply) as server:
        world.base = server.url.removesuffix("/sparql")
        yield world


@pytest.fixture
def live(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "charts.toml").write_text(CHARTS)
    with listening() as world, stamina.set_testing(True, attempts=2):
        monkeypatch.setenv("FRESHNESS_OWID__BASE_URL", world.base)
        monkeypatch.setenv("FRESHNESS_OWID__CHARTS", "charts.toml")
        monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")
        monkeypatch.setenv("COLUMNS", "120")
        yield world


@pytest.fixture
def told(cli):
    """The JSON that a command prints, and its exit code."""

    def told(*arguments):
        code, out, _ = cli(*arguments, "--format", "json")
        return code, json.loads(out)

    return told


@pytest.fixture
def store(live, tmp_path):
    with open_store(f"sqlite:///{tmp_path}/h.db") as opened:
        yield opened


def test_the_first_refresh_stores_every_chart_and_tells_whose_data_they_are(live, cli, told, store):
    code, out, err = cli("refresh", "owid")
    assert (code, err) == (0, "")
    assert re.search(r"first fetched +life, wealth", out)
    assert re.search(r"data +A \(2025\) – processed by Our World in Data", out)
    assert [state.indicator.id for state in store.indicator_states()] == ["life", "wealth"]
    assert told("changes") == (0, [])


def test_an_edition_that_is_known_costs_one_request_and_is_seen_so_until_now(live, told, store):
    told("refresh", "owid")
    before, live.asked = store.indicator_states()[0], []
    code, done = told("refresh", "owid")
    assert (code, [one["changed"] for one in done["charts"]]) == (0, [False, False])
    assert [path for path in live.asked if path.endswith(".csv")] == []
    after = store.indicator_states()[0]
    assert (after.first_seen, after.last_seen > before.last_seen) == (before.first_seen, True)


def test_the_same_numbers_in_other_words_are_told_and_are_no_change(live, cli, told, store):
    told("refresh", "owid")
    live.by_slug["life"] = life("2025-07-01")
    code, out, err = cli("refresh", "owid")
    assert (code, err) == (0, "")
    assert re.search(r"^ *same numbers +life \(edition of 2025-07-01\)\s*$", out, re.M)
    assert re.search(r"^ *as it was +1 chart\s*$", out, re.M)
    assert told("series", "list")[1][0]["vintage"]["label"] == "2025-07-01"
    assert told("changes") == (0, [])
    live.by_slug["life"] = life("2025-07-02")
    _, done = told("refresh", "owid")
    assert [(one["changed"], one["reworded"]) for one in done["charts"]] == [(False, True), (False, False)]
    _, done = told("refresh", "owid")
    assert [one["reworded"] for one in done["charts"]] == [False, False]


def test_a_revision_is_told_by_refresh_and_by_changes(live, cli, told):
    told("refresh", "owid")
    live.by_slug["life"] = life("2025-07-01", y2020=82.1, y2024=83.2)
    code, done = told("refresh", "owid")
    kinds = {one["kind"]: one for one in done["changes"]}
    assert (code, list(kinds)) == (0, ["revision", "new_years"])
    assert (kinds["revision"]["before"], kinds["revision"]["after"]) == (["82.2 (2020)"], ["82.1 (2020)"])
    assert kinds["revision"]["subject"] == {"id": "FRA", "name": "France"}
    assert kinds["revision"]["vintages"] == ["2024-07-01", "2025-07-01"]
    assert told("changes") == (0, done["changes"])
    _, out, _ = cli("changes")
    assert "revision" in out
    assert "France 2020: 82.2, now 82.1" in " ".join(out.split())
    _, out, _ = cli("refresh", "owid")
    assert "revision" not in out
    assert re.search(r"as it was +2 charts", out)


def test_one_chart_that_fails_stops_no_other_and_keeps_what_was_known(live, cli, told, store):
    told("refresh", "owid")
    live.by_slug["life"] = {"csv": NOT_FOUND, "metadata": NOT_FOUND}
    live.by_slug["wealth"] = life("2025-07-01", y2020=82.1)
    code, out, err = cli("refresh", "owid")
    assert code == 1
    assert err.startswith("error: life (")
    assert err.count("\n") == 1
    assert re.search(r"another edition +wealth", out)
    assert re.search(r"kept as known +life", out)
    assert [(fault.indicator, fault.kind) for fault in store.series_faults()] == [("life", "owid_not_found")]
    assert store.latest_chart("owid", "life") is not None
    live.by_slug["life"] = life()
    assert told("refresh", "owid")[0] == 0
    assert store.series_faults() == []


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply("", 403), "owid_forbidden"),
        (html(200, "A page"), "owid_not_csv"),
        (csv("Entity,Code,Year,w\nFrance,FRA,2020,1\n"), "owid_column_missing"),
        (csv("Entity,Code,Year,v\nFrance,FRA,2020,7.79 billion\n"), "owid_bad_number"),
    ],
)
def test_what_is_wrong_with_a_chart_is_told_by_its_kind(live, told, reply, kind):
    told("refresh", "owid")
    live.by_slug["life"] = {"csv": reply, "metadata": as_json(metadata("2025-07-01"))}
    code, done = told("refresh", "owid")
    assert (code, [(one["warning"], one["kept"]) for one in done["failed"]]) == (1, [(kind, True)])


def test_where_nothing_can_be_reached_all_is_as_it_was(live, cli, monkeypatch, store):
    cli("refresh", "owid")
    monkeypatch.setenv("FRESHNESS_OWID__BASE_URL", "http://127.0.0.1:9")
    code, out, err = cli("refresh", "owid")
    assert (code, out) == (3, "")
    assert err.startswith("error: ")
    assert "127.0.0.1:9" in err
    assert len(store.indicator_states()) == 2


def test_live_series_that_can_not_be_had_are_no_others_in_their_place(live, cli, monkeypatch):
    monkeypatch.setenv("FRESHNESS_OWID__BASE_URL", "http://127.0.0.1:9")
    code, out, err = cli("series", "show", "life", "FRA", "--snapshot", "live")
    assert (code, out) == (3, "")
    assert re.fullmatch(r"error: 127\.0\.0\.1:9 can't be reached .*\n", err)


def test_without_a_contact_no_public_server_is_asked(live, cli, monkeypatch):
    monkeypatch.setenv("FRESHNESS_OWID__BASE_URL", "https://owid.example.org")
    code, _, err = cli("refresh", "owid")
    assert code == 2
    assert "owid.contact" in err


def test_facts_pick_charts_and_the_others_stay_as_they_were(live, told, cli, tmp_path):
    (tmp_path / "one.toml").write_text(CHARTS[: CHARTS.rindex("[[chart]]")])
    code, done = told("refresh", "owid", "--facts", "one.toml")
    assert (code, [one["indicator"] for one in done["charts"]]) == (0, ["life"])
    code, _, err = cli("refresh", "owid", "--facts", "helth")
    assert code == 2
    assert "did you mean health?" in err


class TestSuspicious:
    def halved(self):
        return life(
            "2025-07-01", {"FRA": ("France", {2022: 82.5, 2023: 83.3})}, y2019=None, y2020=None, y2021=None
        )

    def test_a_chart_that_lost_most_of_its_values_is_kept_as_it_was(self, live, cli, told, store):
        told("refresh", "owid")
        live.by_slug["life"] = self.halved()
        code, _, err = cli("refresh", "owid")
        assert code == 1
        assert err == (
            "error: life: 2 values, where 10 were known; what was known is kept (suspicious_result); "
            "if it is right: --accept life\n"
        )
        assert len(store.latest_chart("owid", "life")[0].series) == 2
        assert store.series_faults()[0].kind == "suspicious_result"

    def test_and_is_taken_when_somebody_says_so(self, live, cli, told, store):
        told("refresh", "owid")
        live.by_slug["life"] = self.halved()
        code, out, err = cli("refresh", "owid", "--accept", "Life,wealth", "--format", "json")
        assert (code, err) == (0, "--accept wealth had no effect: no suspicious chart of it came\n")
        assert {one["kind"] for one in json.loads(out)["changes"]} == {"revision", "series_gone"}
        assert len(store.latest_chart("owid", "life")[0].series) == 1

    def test_an_indicator_that_nobody_asks_for_can_not_be_accepted(self, live, cli):
        code, _, err = cli("refresh", "owid", "--accept", "health")
        assert code == 2
        assert err == "error: --accept: no indicator 'health' is asked about; did you mean wealth?\n"
        assert cli("refresh", "owid", "--accept", " ")[0] == 2

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (("--facts", "wheat-yields", "--accept", "Life"), "life is not among --facts"),
            (
                ("--facts", "wheat-yields", "--accept", "wheat-yields,Life-Expectancy"),
                "life-expectancy is not",
            ),
            (("--accept", "life-expectancy"), "life-expectancy is not among the charts of the config"),
            (("--facts", "wheat-yields", "--accept", "lief"), "no indicator 'lief' is asked about"),
        ],
    )
    def test_an_indicator_that_is_not_fetched_now_is_told_so(self, live, cli, arguments, told):
        code, out, err = cli("refresh", "owid", *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"error: --accept: {told}")
        assert live.asked == []


# Stored answers


def ask(store, question, answer, source="owid"):
    """A finished run that asked this question, judged as its suite judges."""
    suite = setup.judging_suite(question.suite)
    given = Answer(answer, finish="stop")
    judgement = suite.judge(question, question.prompts[0], given)
    now = datetime.now(UTC)
    made = Run(question.suite, "m", question.suite, now.date(), now, source, now, "d" * 64, "j1")
    store.start_run(made, [replace(question, as_of=now.date())])
    trial = Trial(question.id, question.group, question.fact, "p1", "?", given, judgement)
    store.add_trials(made.id, [trial])
    store.finish_run(made.id, now, "finished")
    return made.id


def verdict(store, run_id):
    (trial,) = store.run(run_id).trials
    return str(trial.judgement.verdict)


def test_an_answer_that_a_revision_makes_wrong_is_told_and_judged_again(live, told, store):
    told("refresh", "owid")
    choice, open_one = ask(store, date_question(), "(b)"), ask(store, open_question(), "82.3 years")
    assert verdict(store, choice) == "correct"
    live.by_slug["life"] = life("2025-07-01", y2021=84.6)
    _, done = told("refresh", "owid")
    (event,) = done["changes"]
    judged = [(one["before"], one["after"]) for one in event["judged_differently"]]
    assert ("correct", "incorrect") in judged
    _, regraded = told("regrade")
    assert {one["run"]: one["changed"] for one in regraded}[choice] == 1
    assert verdict(store, choice) == "incorrect"
    (renewed,) = store.run(choice).questions
    assert (renewed.numeric.answer, renewed.numeric.answer_value) == ("(c)", 84.6)
    (as_asked,) = store.run(choice, as_asked=True).questions
    assert as_asked.numeric.answer == "(b)"
    (open_again,) = store.run(open_one).questions
    assert open_again.numeric.older == ((2021, 82.3, "2024-07-01"),)
    assert open_again.numeric.answer_value == 84.6


def test_what_was_asked_by_files_of_ones_own_is_judged_by_no_other_source(live, told, store):
    told("refresh", "owid")
    choice = ask(store, date_question(), "(b)", source="charts")
    live.by_slug["life"] = life("2025-07-01", y2021=84.6)
    told("refresh", "owid")
    told("regrade")
    assert verdict(store, choice) == "correct"


def test_by_its_own_key_an_answer_is_what_it_was(live, told, store):
    told("refresh", "owid")
    choice = ask(store, date_question(), "(b)")
    live.by_slug["life"] = life("2025-07-01", y2021=84.6)
    told("refresh", "owid")
    told("regrade", "--snapshot", "own")
    assert verdict(store, choice) == "correct"


def test_a_refresh_by_the_daemon_judges_the_newest_runs_again(live, told, store):
    told("refresh", "owid")
    choice = ask(store, date_question(), "(b)")
    live.by_slug["life"] = life("2025-07-01", y2021=84.6)
    told("refresh", "owid")
    assert past.rejudge_latest(setup.settings(None)) == []
    assert verdict(store, choice) == "correct"
    past.rejudge_latest(setup.settings(None), numbers=True)
    assert verdict(store, choice) == "incorrect"


class TestJob:
    """The daemon's job, as its process does it."""

    def do(self, attempt=1):
        task = Task(Job("refresh:owid", "refresh_series", Interval(HOUR), HOUR), NOW, attempt, load(None))
        out = io.StringIO()
        voice = child.Voice(out)
        given = child.Given.from_json(json.loads(json.dumps(task.to_json())))
        outcome = child._do(lambda: child.KINDS["refresh_series"](given, voice), voice)
        said = [json.loads(line) for line in out.getvalue().splitlines()]
        return outcome, {one["event"]: one for one in said if "event" in one}

    def test_it_fetches_and_judges_the_newest_runs_again(self, live, store):
        outcome, said = self.do()
        assert (outcome, said["series refreshed"]["charts"]) == (("succeeded", None), 2)
        choice = ask(store, date_question(), "(b)")
        live.by_slug["life"] = life("2025-07-01", y2021=84.6)
        _, said = self.do()
        assert (said["series refreshed"]["changes"], said["judged again"]["answers"]) == (1, 1)
        assert verdict(store, choice) == "incorrect"

    def test_a_later_attempt_judges_again_though_nothing_is_new(self, live, store):
        self.do()
        choice = ask(store, date_question(), "(b)")
        live.by_slug["life"] = life("2025-07-01", y2021=84.6)
        # An attempt that was killed between the fetching and the judging.
        series.refresh(setup.settings(None))
        assert "judged again" not in self.do()[1]
        assert verdict(store, choice) == "correct"
        assert "judged again" in self.do(attempt=2)[1]
        assert verdict(store, choice) == "incorrect"

    def test_one_chart_that_fails_is_warned_of_and_is_no_failure(self, live):
        live.by_slug["life"] = {}
        outcome, said = self.do()
        assert (outcome[0], said["series refreshed"]["failed"]) == ("succeeded", 1)
        assert said["job warned"]["text"].startswith("life (")

    def test_where_no_chart_can_be_taken_the_job_fails(self, live):
        live.by_slug = {}
        (outcome, error), _ = self.do()
        assert outcome == "failed"
        assert error.startswith("none of 2 charts could be taken; the first: life (")


def test_check_tells_of_charts_and_series_and_the_server(live, cli):
    code, out, _ = cli("check")
    assert code == 0
    assert "ok: charts: 2 indicators in health, economy\n" in out
    assert "ok: series: 0 indicators with series, 2 without (`freshness refresh owid` fetches them)\n" in out
    assert "ok: owid: configured\n" in out
    cli("refresh", "owid")
    live.by_slug["life"] = {}
    cli("refresh", "owid")
    out = cli("check", "--online")[1]
    assert "ok: series: 2 indicators with series; not taken at the last refresh: life" in out
    assert "ok: owid: answers, but: life (" in out


def test_check_tells_of_a_file_of_charts_that_is_wrong(live, cli, tmp_path):
    (tmp_path / "charts.toml").write_text(CHARTS.replace("slug", "slag", 1))
    code, _, err = cli("check")
    assert code == 1
    assert "charts.toml" in err


def test_the_daemon_refuses_a_config_whose_charts_are_wrong_and_reads_them_again(live, tmp_path):
    config = Config(lambda: load(None))
    good = (tmp_path / "charts.toml").read_text()
    assert config.changed() is False
    (tmp_path / "charts.toml").write_text(good.replace("slug", "slag", 1))
    assert "slag" in config.reload().refused
    (tmp_path / "charts.toml").write_text(good)
    assert config.reload().refused is None


# Which series are meant


def heard():
    said = []
    return said, Talk(warn=said.append)


def find(name="latest", **changes):
    said, talk = heard()
    return series.find(setup.settings(None), name, (), talk, **changes), said


def test_latest_is_what_was_fetched(live, told):
    told("refresh", "owid")
    found, said = find()
    assert (found.snapshot.source, found.instead, said) == ("owid", "", [])
    assert [chart.indicator.id for chart in found.snapshot.charts] == ["life", "wealth"]


def test_where_nothing_was_fetched_and_nothing_is_bundled_it_is_said_what_to_do(live, cli):
    code, _, err = cli("questions", "--suite", "numeric")
    assert code == 2
    assert "`freshness refresh owid` fetches them" in err


@pytest.mark.parametrize(
    ("fetched", "bundled", "day", "is_bundled"),
    [
        ("2024-07-01", "2025-07-01", "2026-01-01", True),
        ("2025-07-01", "2024-07-01", "2026-01-01", False),
        ("2025-07-01", None, "2026-01-01", False),
        ("2025-07-01", None, "2099-01-01", True),
    ],
)
def test_latest_is_the_newer_edition_of_each_chart(
    live, told, monkeypatch, fetched, bundled, day, is_bundled
):
    live.by_slug["life"] = life(fetched)
    told("refresh", "owid")
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    edition = vintage(date.fromisoformat(bundled) if bundled else None)
    (of_life,) = (one for one in load_charts(["charts.toml"]) if one.id == "life")
    held = replace(chart(), indicator=of_life, vintage=replace(edition, fetched_at=moment))
    monkeypatch.setattr(series, "bundled", lambda: SeriesSnapshot("bundled", moment, (held,)))
    (taken, _) = find()[0].snapshot.charts
    assert (taken.vintage == held.vintage) is is_bundled


def test_latest_has_what_earlier_vintages_gave(live, told):
    told("refresh", "owid")
    live.by_slug["life"] = life("2025-07-01", y2021=82.4)
    told("refresh", "owid")
    assert find()[0].snapshot.older == {"FRA/life": ((2021, 82.3, "2024-07-01"),)}


def test_live_fetches_what_is_too_old_or_missing_and_nothing_else(live, told, store, monkeypatch):
    found, said = find("live")
    assert (len(found.snapshot.charts), said) == (2, [])
    live.asked = []
    find("live")
    assert live.asked == []
    monkeypatch.setenv("FRESHNESS_OWID__MAX_AGE", "0s")
    find("live")
    assert {path.rpartition("/")[2] for path in live.asked} == {"life.metadata.json", "wealth.metadata.json"}


def test_live_without_keeping_stores_nothing(live, tmp_path):
    found, _ = find("live", keep=False)
    assert len(found.snapshot.charts) == 2
    assert not (tmp_path / "h.db").exists()


def test_live_that_can_not_be_fetched_is_replaced_by_latest_with_a_warning(live, told, monkeypatch):
    told("refresh", "owid")
    monkeypatch.setenv("FRESHNESS_OWID__MAX_AGE", "0s")
    monkeypatch.setenv("FRESHNESS_OWID__BASE_URL", "http://127.0.0.1:9")
    found, said = find("live")
    assert found.instead.startswith("no live series, the owid series of ")
    assert said == [found.instead]
    assert len(found.snapshot.charts) == 2


def test_a_chart_that_fails_while_live_ones_are_fetched_is_warned_of(live, told, monkeypatch):
    told("refresh", "owid")
    monkeypatch.setenv("FRESHNESS_OWID__MAX_AGE", "0s")
    live.by_slug["life"] = {"csv": NOT_FOUND, "metadata": NOT_FOUND}
    found, said = find("live")
    assert len(found.snapshot.charts) == 2
    assert len(said) == 1
    assert said[0].startswith("life (")


def test_a_directory_of_files_is_read_and_a_name_that_is_near_is_suggested(live, cli, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "life.csv").write_text(life()["csv"].body)
    found, said = find(str(folder))
    assert (found.snapshot.source, len(found.snapshot.charts), said) == (str(folder), 1, [])
    code, _, err = cli("series", "list", "--snapshot", "latst")
    assert code == 2
    assert "did you mean latest?" in err


def test_a_chart_whose_definition_changed_is_fetched_again_though_its_publisher_has_nothing_new(
    live, told, tmp_path
):
    told("refresh", "owid")
    (tmp_path / "charts.toml").write_text(CHARTS.replace('unit = "years"', 'unit = "y"'))
    assert [chart.indicator.id for chart in find()[0].snapshot.charts] == ["wealth"]
    _, done = told("refresh", "owid")
    assert [one["changed"] for one in done["charts"]] == [True, False]
    assert [chart.indicator.unit for chart in find()[0].snapshot.charts] == ["y", "dollars"]


# What is known


def test_indicators_are_listed_with_what_is_known_of_them(live, cli, told):
    code, before = told("series", "list")
    assert (code, [one["vintage"] for one in before]) == (0, [None, None])
    told("refresh", "owid")
    _, after = told("series", "list")
    (one,) = [one for one in after if one["indicator"] == "life"]
    assert (one["newest_year"], one["countries"], one["source"], one["unit"]) == (2023, 2, "owid", "years")
    assert (one["vintage"]["label"], one["vintage"]["next_update"]) == ("2024-07-01", "2026-10-22")
    code, out, _ = cli("series", "list")
    assert code == 0
    assert "2 indicators, 2 with series" in out


def test_a_fault_stands_in_the_list(live, cli, told):
    told("refresh", "owid")
    live.by_slug["life"] = {"csv": NOT_FOUND, "metadata": NOT_FOUND}
    told("refresh", "owid")
    _, listed = told("series", "list")
    assert [one["fault"] and one["fault"]["kind"] for one in listed] == ["owid_not_found", None]
    assert "404" in cli("series", "list")[1]


def test_the_fault_of_a_chart_that_was_never_fetched_stands_in_the_list_too(live, cli, told):
    live.by_slug = {"wealth": life()}
    _, out, _ = cli("refresh", "owid")
    assert re.search(r"not taken +life", out)
    assert "kept as known" not in out
    _, listed = told("series", "list")
    by_id = {one["indicator"]: one for one in listed}
    assert (by_id["life"]["vintage"], by_id["life"]["fault"]["kind"]) == (None, "owid_not_found")
    assert by_id["wealth"]["fault"] is None
    out = cli("series", "list")[1]
    assert re.search(r"^ +life .* not taken$", out, re.M)
    assert "not taken: life (" in out
    assert "failing" not in out
    assert "not taken at the last refresh: life" in cli("check")[1]


def test_charts_that_fail_alike_share_a_line(live, cli):
    live.by_slug = {"wealth": {}, "life": {}}
    _, _, err = cli("refresh", "owid")
    assert err.startswith("error: 2 charts: the server answered 404; ")
    assert err.endswith(" (life, wealth)\n")
    assert err.count("\n") == 1
    listed = " ".join(cli("series", "list")[1].split())
    assert "not taken: 2 charts: the server answered 404; " in listed
    assert "failing" not in listed


@pytest.mark.parametrize("arguments", [("series", "list"), ("series", "select"), ("refresh", "owid")])
def test_names_that_name_nothing_are_refused_and_do_not_mean_all(live, cli, arguments):
    code, _, err = cli(*arguments, "--facts", " , ")
    assert (code, err) == (2, "error: --facts names nothing; leave it out, or give it a name\n")


def test_the_list_is_read_from_the_history_in_one_go(live, told, monkeypatch):
    told("refresh", "owid")
    opened, open_history = [], setup.open_history
    monkeypatch.setattr(setup, "open_history", lambda *a, **o: opened.append(1) or open_history(*a, **o))
    told("series", "list")
    assert len(opened) == 1


class TestCitation:
    """Whose data they are, where an edition comes without a word about that."""

    def untold(self, **years):
        return {"csv": life("2025-07-01", **years)["csv"]}

    def vintage(self, store):
        return store.latest_chart("owid", "life")[0].vintage

    @pytest.mark.parametrize("said", [NOT_FOUND, as_json({"columns": {}})])
    def test_what_an_earlier_edition_said_is_kept_and_told_as_such(self, live, cli, told, store, said):
        told("refresh", "owid")
        live.by_slug["life"] = {**self.untold(y2020=82.1), "metadata": said}
        for number in (82.1, 82.05):
            live.by_slug["life"] |= self.untold(y2020=number)
            told("refresh", "owid")
        kept = self.vintage(store)
        assert (kept.title, kept.licence, kept.updated) == ("Life", "CC BY 4.0", None)
        assert kept.citation == "A (2025) – processed by Our World in Data"
        assert kept.cited_from == "the edition of 2024-07-01"
        out = " ".join(cli("series", "show", "life", "FRA")[1].split())
        assert "processed by Our World in Data (as cited in the edition of 2024-07-01)" in out

    def test_the_same_numbers_without_metadata_are_the_edition_that_is_known(self, live, told, store):
        told("refresh", "owid")
        known = self.vintage(store)
        live.by_slug["life"] = {"csv": life()["csv"]}
        _, done = told("refresh", "owid")
        assert [one["changed"] for one in done["charts"]] == [False, False]
        assert self.vintage(store) == known

    def test_a_licence_that_nobody_gave_is_not_claimed(self, live, cli, told, store):
        live.by_slug["life"] = self.untold()
        told("refresh", "owid")
        assert (self.vintage(store).citation, self.vintage(store).licence) == ("Our World in Data", "")
        assert re.search(r"licence +not given", cli("series", "show", "life", "FRA")[1])
        assert "licence not given: 1" in cli("series", "list")[1]

    def test_the_bundled_edition_tells_too(self, monkeypatch):
        of_life = replace(chart().indicator, id="life")
        now = replace(chart(citation="", title=of_life.title), indicator=of_life)
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        shipped = SeriesSnapshot("bundled", moment, (replace(chart(), indicator=of_life),))
        monkeypatch.setattr(series_citing, "bundled", lambda: shipped)
        known = series_citing.cited(now).vintage
        assert (known.title, known.citation) == ("Life", "A (2024)")
        assert known.cited_from == "the bundled edition of 2024-07-01"
        in_dollars = replace(now, indicator=replace(of_life, unit="dollars"))
        assert series_citing.cited(in_dollars).vintage.citation == "Our World in Data"


def test_countries_come_before_aggregates_in_what_happened(live, told, cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    world = {2021: 70.0, 2022: 71.0, 2023: 72.0}
    countries = {**COUNTRIES, "OWID_WRL": ("World", world)}
    live.by_slug["life"] = life(countries=countries)
    told("refresh", "owid")
    changed = {year: value + 1 for year, value in world.items()}
    live.by_slug["life"] = life("2025-07-01", {**countries, "OWID_WRL": ("World", changed)}, y2020=82.1)
    out = " ".join(cli("refresh", "owid")[1].split())
    assert "France, 1 aggregate: 4 values" in out
    assert "France 2020: 82.2, now 82.1" in out
    assert out.index("revision") < out.index("another edition life")


def test_what_has_no_code_is_not_called_an_aggregate(live, told, cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    told("refresh", "owid")
    live.by_slug["life"] = life("2025-07-01", {**COUNTRIES, "": ("Land of Nowhere", FRANCE)})
    out = " ".join(cli("refresh", "owid")[1].split())
    assert "new series life 1 series without a code Land of Nowhere" in out
    assert "aggregate" not in out


def test_years_that_were_not_over_are_marked(live, cli, told):
    values = dict(FRANCE) | {2024: 83.4, 2025: 83.5}
    live.by_slug["life"] = life("2025-07-01", {"JPN": ("Japan", values)})
    told("refresh", "owid")
    out = cli("series", "show", "life", "JPN")[1]
    assert re.search(r"^2025 +83\.5 +projection$", out, re.M)
    assert re.search(r"^2024 +83\.4$", out, re.M)
    live.by_slug["life"] = life("2026-07-01", {"JPN": ("Japan", values)})
    told("refresh", "owid")
    assert "projection" not in cli("series", "show", "life", "JPN")[1]


@pytest.mark.parametrize("width", [80, 120, 200])
def test_names_of_indicators_are_never_broken(cli, told, monkeypatch, tmp_path, width):
    monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")
    monkeypatch.setenv("COLUMNS", str(width))
    _, listed = told("series", "list")
    out = cli("series", "list")[1]
    assert [one["indicator"] for one in listed if one["indicator"] not in out.split()] == []
    _, chosen = told("series", "select", "--snapshot", "bundled")
    out = cli("series", "select", "--snapshot", "bundled")[1]
    assert [
        one["indicator"] for one in chosen["categories"] if (one["indicator"] or "–") not in out.split()
    ] == []
    assert all(len(line) <= width for line in out.splitlines())


def test_of_a_series_its_newest_years_are_shown_after_what_it_is(live, told, cli):
    years = {year: 40.5 + year / 100 for year in range(1950, 2024)}
    live.by_slug["life"] = life(countries={"SWZ": ("Eswatini", years), "JPN": ("Japan", JAPAN)})
    told("refresh", "owid")
    out = cli("series", "show", "LIFE", "Swaziland")[1]
    assert out.index("licence") < out.index("2023 ") < out.index("2022 ")
    assert "1950 " not in out
    assert "54 earlier years: --all shows them" in out
    assert "1950 " in cli("series", "show", "life", "swz", "--all")[1]


@pytest.mark.parametrize("name", ["FRA", "fra", "France"])
def test_a_series_is_shown_with_its_vintages_and_revisions(live, cli, told, name):
    told("refresh", "owid")
    live.by_slug["life"] = life("2025-07-01", y2020=82.1)
    told("refresh", "owid")
    code, shown = told("series", "show", "life", name)
    assert (code, shown["values"]["2020"], shown["entity"]) == (0, 82.1, "France")
    assert [(one["vintage"], one["values"]["2020"]) for one in shown["earlier"]] == [("2024-07-01", 82.2)]
    assert [one["before"] for one in shown["changes"]] == [["82.2 (2020)"]]
    assert shown["vintage"]["citation"]
    out = cli("series", "show", "life", name)[1]
    assert "82.1" in out
    assert "in 2024-07-01" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("life", "Frnce"), "life has no series of 'Frnce'; did you mean France?"),
        (("life", ""), "life has no series of ''; write a country's name or code, such as FRA"),
        (("lif", "FRA"), "no indicator 'lif' is asked about; did you mean life?"),
    ],
)
def test_what_there_is_no_series_of_is_told_with_the_nearest_name(live, cli, arguments, told):
    cli("refresh", "owid")
    code, _, err = cli("series", "show", *arguments)
    assert (code, err) == (2, f"error: {told}\n")


def test_another_process_that_stored_a_vintage_meanwhile_is_compared_with(live, told, store, monkeypatch):
    told("refresh", "owid")
    live.by_slug["life"] = life("2025-07-01", y2020=82.1)
    save, between = Store.save_chart, []

    def late(self, chart, *arguments, **options):
        if not between:
            between.append(
                replace(chart, series=(world_series(moved(FRANCE, y2020=82.15)), *chart.series[1:]))
            )
            self.save_charts(between, "owid", datetime.now(UTC))
        return save(self, chart, *arguments, **options)

    monkeypatch.setattr(Store, "save_chart", late)
    _, done = told("refresh", "owid")
    assert [one["before"] for one in done["changes"]] == [["82.15 (2020)"]]
    assert len(store.series_history("owid", "life", "FRA")) == 3


def test_one_indicator_for_each_category_is_chosen_and_it_is_said_why(cli, told, monkeypatch, tmp_path):
    monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")
    monkeypatch.setenv("COLUMNS", "160")
    code, chosen = told("series", "select", "--snapshot", "bundled")
    assert (code, chosen["rule"]["years"]) == (0, 76)
    by_category = {one["category"]: one for one in chosen["categories"]}
    assert list(by_category) == list(CATEGORIES)
    assert by_category["health"]["indicator"] == "life-expectancy"
    assert by_category["food"]["relaxed"]
    code, out, _ = cli("series", "select", "--snapshot", "bundled")
    assert code == 0
    assert "rule: 76 continuous years (1947-2022)" in out
    assert "not met: 60 continuous years instead of 76" in out
