"""Following the world: refresh, changes, the facts as observed, and probing by live facts.

As a user has it: the commands, a real SPARQL server with Wikidata's RDF, a real database.
"""

import json
import sqlite3
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest
from oxigraph_server import emptied
from sparql_server import RESULTS, Reply, html, serving, typed
from wikidata_rdf import NO_VALUE, UNKNOWN, At, World

CATALOGUE = """
[[group]]
name = "countries"
property = "P6"
prompts = ["Who is the {office}?", "What is the name of the current {office}?"]
subjects = [
    { id = "Q38", name = "Italy", office = "Prime Minister of Italy" },
    { id = "Q183", name = "Germany", office = "Chancellor of Germany" },
    { id = "Q142", name = "France", office = "Prime Minister of France" },
]
"""
ITALY = [("Q1", "2021-02-13", "2022-10-22"), ("Q2", "2022-10-22", None)]
NEXT = [*ITALY[:1], ("Q2", "2022-10-22", "2026-11-20"), ("Q5", "2026-11-20", None)]
GERMANY = [("Q3", "2021-12-08", "2025-05-06"), ("Q4", "2025-05-06", None)]
FRANCE = [("Q6", "2024-09-05", None)]
PEOPLE = {"Q1": "Draghi", "Q2": "Meloni", "Q3": "Scholz", "Q4": "Merz", "Q5": "Schlein", "Q6": "Barnier"}


def world(italy=ITALY, germany=GERMANY, france=FRANCE, italy_is="Italy", **people):
    built = World()
    for item, name in (("Q38", italy_is), ("Q183", "Germany"), ("Q142", "France")):
        built.item(item, name, kinds=("Q6256",))
    for item, name in (PEOPLE | people).items():
        built.item(item, name)
    for subject, terms in (("Q38", italy), ("Q183", germany), ("Q142", france)):
        for number, (value, start, end) in enumerate(terms):
            built.statement(subject, "P6", value, start=start, end=end, name=str(number))
    return built.ntriples()


@pytest.fixture
def live(tmp_path, monkeypatch):
    """The server, with the world as it was; settings that point there."""
    oxigraph = emptied()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "facts.toml").write_text(CATALOGUE)
    monkeypatch.setenv("FRESHNESS_WIKIDATA__ENDPOINT", oxigraph.endpoint)
    monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")
    monkeypatch.setenv("FRESHNESS_FACTS__CATALOGUES", "facts.toml")
    monkeypatch.setenv("COLUMNS", "120")
    oxigraph.load(world())
    return oxigraph


@pytest.fixture
def told(cli):
    """The JSON that a command prints, and its exit code."""

    def told(*arguments):
        code, out, err = cli(*arguments, "--format", "json")
        return code, json.loads(out) if out else err

    return told


def script(tmp_path, text='default = "Meloni"\n', name="model.toml"):
    (tmp_path / name).write_text(text)
    return f"scripted:{tmp_path / name}"


def shown(told, *arguments):
    return told("facts", "show", "Q38", "P6", *arguments)[1]


CUT = '{"head":{"vars":["s"]},"results":{"bindings":[{"s":{"type":"uri","value":"http://www.wikid'
BROKEN = {
    "400": Reply("no such query", 400),
    "ban": html(403, "You have been banned until tomorrow"),
    "html": html(200, "Wikimedia Error"),
    "cut off": Reply(CUT, headers=typed(RESULTS)),
    "stack trace": Reply(CUT + "java.util.concurrent.TimeoutException", headers=typed(RESULTS)),
}


class TestRefresh:
    def test_the_first_one_has_nothing_to_compare_with(self, live, cli, told):
        code, done = told("refresh", "wikidata")
        assert code == 0
        assert (done["facts"], done["usable"], done["first"], done["changes"]) == (3, 3, True, [])
        assert shown(told)["current"] == ["Meloni"]
        assert cli("changes")[1].strip() == "no changes on record"
        told = cli("changes", "--since", "2030-01-01")[1].strip()
        assert told == "no changes on record since 2030-01-01"

    def test_the_same_world_again_changes_nothing_but_when_it_was_seen(self, live, cli, told):
        cli("refresh")
        first = shown(told)
        code, done = told("refresh")
        assert (code, done["changes"], done["first"]) == (0, [], False)
        again = shown(told)
        assert again["first_seen"] == first["first_seen"]
        assert again["last_seen"] > first["last_seen"]

    def test_a_new_holder_is_a_change_and_a_corrected_date_a_revision(self, live, cli, told):
        cli("refresh")
        live.load(world(NEXT, [("Q3", "2021-12-09", "2025-05-06"), *GERMANY[1:]]))
        code, done = told("refresh")
        assert code == 0
        assert [(e["kind"], e["subject"]["id"], e["before"], e["after"]) for e in done["changes"]] == [
            ("change", "Q38", ["Meloni"], ["Schlein"]),
            (
                "revision",
                "Q183",
                ["Scholz 2021-12-08 to 2025-05-06"],
                ["Scholz 2021-12-09 to 2025-05-06"],
            ),
        ]
        listed = told("changes")[1]
        assert {(e["kind"], e["subject"]["id"]) for e in listed} == {("change", "Q38"), ("revision", "Q183")}
        assert told("changes", "--since", "2999-01-01")[1] == []
        assert len(told("changes", "--limit", "1")[1]) == 1

    def test_models_that_a_change_made_outdated_are_told_without_asking_them(self, live, cli, told, tmp_path):
        right, wrong = script(tmp_path), script(tmp_path, 'default = "Nobody"\n', "wrong.toml")
        assert cli("probe", right, "--snapshot", "live")[0] == 0
        assert cli("probe", wrong, "--snapshot", "live")[0] == 0
        live.load(world(NEXT))
        # A model that is asked now would answer otherwise.
        script(tmp_path, 'default = "Schlein"\n')
        done = told("refresh")[1]
        assert done["changes"][0]["newly_outdated"] == [{"model": right, "said": "Meloni"}]
        assert done["newly_outdated"] == {right: 1}
        assert told("changes")[1][0]["newly_outdated"] == [{"model": right, "said": "Meloni"}]
        _, out, _ = cli("changes")
        assert "Schlein" in out

    def test_a_model_that_a_revision_judges_differently(self, live, cli, told, tmp_path):
        model = script(tmp_path, 'default = "Schlein"\n')
        cli("probe", model, "--snapshot", "live")
        live.load(world([("Q5", "2021-01-01", "2021-02-13"), *ITALY]))
        (event,) = told("refresh")[1]["changes"]
        assert (event["kind"], event["newly_outdated"]) == ("revision", [])
        assert event["judged_differently"] == [
            {"model": model, "said": "Schlein", "before": "irrelevant", "after": "outdated"}
        ]

    def test_only_some_catalogues_leave_the_other_facts_as_known(self, live, cli, told, tmp_path):
        cli("refresh")
        (tmp_path / "one.toml").write_text(CATALOGUE.replace('{ id = "Q183"', '# { id = "Q183"'))
        live.load(world(NEXT, [("Q3", "2021-12-08", None)]))
        done = told("refresh", "--facts", "one.toml")[1]
        assert (done["facts"], len(done["changes"])) == (3, 1)
        germany = told("facts", "show", "Q183", "P6")[1]
        assert germany["current"] == ["Merz"]
        assert germany["last_seen"] < shown(told)["last_seen"]

    def test_a_fact_that_no_catalogue_wants_any_more_is_gone_but_on_record(self, live, cli, told, tmp_path):
        cli("refresh")
        (tmp_path / "facts.toml").write_text(CATALOGUE.replace('{ id = "Q38"', '# { id = "Q38"'))
        assert told("refresh")[1]["facts"] == 2
        assert told("facts", "show", "Q38", "P6")[0] == 2
        assert shown(told, "--observed", "2999-01-01")["current"] == ["Meloni"]

    def test_a_table_says_it_all(self, live, cli):
        _, out, err = cli("refresh")
        assert err == ""
        assert "3 from wikidata" in out
        assert "nothing to compare with" in out
        live.load(world(NEXT))
        _, out, _ = cli("refresh")
        assert "Meloni" in out
        assert "1 change" in out

    def test_a_fact_that_comes_back_into_the_catalogue_is_compared_with_what_was_known(
        self, live, cli, told, tmp_path
    ):
        cli("refresh")
        (tmp_path / "facts.toml").write_text(CATALOGUE.replace('{ id = "Q38"', '# { id = "Q38"'))
        cli("refresh")
        live.load(world(NEXT))
        cli("refresh")
        (tmp_path / "facts.toml").write_text(CATALOGUE)
        (event,) = told("refresh")[1]["changes"]
        assert (event["before"], event["after"]) == (["Meloni"], ["Schlein"])

    def test_a_new_alias_is_told_where_an_answer_is_judged_differently_by_it(self, live, cli, told, tmp_path):
        model = script(tmp_path, 'default = "La Premier Giorgia"\n')
        cli("probe", model, "--snapshot", "live")
        built = world().replace("@en .", "@en .", 1)
        alias = "<http://www.w3.org/2004/02/skos/core#altLabel>"
        for item, name in (("Q2", "La Premier Giorgia"), ("Q4", "Friedrich")):
            built += f'<http://www.wikidata.org/entity/{item}> {alias} "{name}"@en .\n'
        live.load(built)
        (event,) = told("refresh")[1]["changes"]
        assert (event["kind"], event["subject"]["id"]) == ("revision", "Q38")
        assert event["after"] == ["Meloni, also La Premier Giorgia"]
        assert event["judged_differently"][0]["after"] == "correct"

    def test_a_dissolved_office_outdates_its_last_holder(self, live, cli, told, tmp_path):
        model = script(tmp_path)
        cli("probe", model, "--snapshot", "live")
        live.load(world() + World().statement("Q38", "P576", At("2026-11-15T00:00:00Z")).ntriples())
        (event,) = told("refresh")[1]["changes"][:1]
        assert (event["kind"], event["after"]) == ("change", [])
        assert event["newly_outdated"] == [{"model": model, "said": "Meloni"}]

    def test_a_clock_that_ran_ahead_freezes_nothing(self, live, cli, told):
        cli("refresh")
        _move(10, newest_too=True)
        live.load(world(NEXT))
        code, out, err = cli("refresh", "--format", "json")
        assert (code, json.loads(out)["changes"][0]["after"]) == (0, ["Schlein"])
        assert "a clock is wrong, or was" in err

    def test_who_is_no_longer_chosen_is_gone_although_only_some_catalogues_were_asked(
        self, live, cli, told, tmp_path
    ):
        query = "SELECT ?subject { VALUES ?subject { <http://www.wikidata.org/entity/Q38> %s } }"
        group = '[[group]]\nname = "g"\nproperty = "P6"\nprompts = ["Who leads {subject}?"]\nselect = "%s"\n'
        for more in ("<http://www.wikidata.org/entity/Q183>", ""):
            (tmp_path / "own.toml").write_text(group % (query % more))
            assert cli("refresh", "--facts", "own.toml")[0] == 0
        _, out, _ = cli("questions", "--facts", "own.toml")
        assert [json.loads(line)["fact"] for line in out.splitlines()] == ["Q38/P6"]


class TestNoNews:
    def test_an_empty_result_for_a_known_fact_keeps_it(self, live, cli, told):
        cli("refresh")
        before = shown(told)
        live.load(world(italy=[]))
        code, out, err = cli("refresh", "--format", "json")
        assert code == 1
        assert json.loads(out)["kept"] == [
            {
                "fact": "Q38/P6",
                "warning": "empty_result_for_known_fact",
                "text": "no statements, where 2 were known",
            }
        ]
        assert err.startswith("error: Q38/P6 (Italy): no statements, where 2 were known; ")
        after = shown(told)
        assert after["values"] == before["values"]
        assert after["last_seen"] == before["last_seen"]
        assert told("changes")[1] == []

    def test_an_empty_server_is_no_news_at_all(self, live, cli, told):
        cli("refresh")
        before = shown(told)
        live.load("")
        code, _, err = cli("refresh")
        assert (code, err.count("\n")) == (3, 1)
        assert "gave nothing for 3 of 3 known facts (empty_result_for_known_fact)" in err
        assert shown(told) == before

    def test_a_suspicious_result_is_taken_on_request_alone(self, live, cli, told):
        many = [("Q1", "2010", "2012"), ("Q3", "2012", "2014"), ("Q4", "2014", "2022-10-22"), ITALY[1]]
        live.load(world(italy=many))
        cli("refresh")
        live.load(world(italy=ITALY[1:]))
        code, out, err = cli("refresh", "--format", "json")
        assert (code, json.loads(out)["kept"][0]["warning"]) == (1, "suspicious_result")
        assert "--accept Q38/P6" in err
        assert len(shown(told)["values"]) == 4
        code, _, err = cli("refresh", "--accept", "Q38/P6")
        assert (code, "had no effect" in err) == (0, False)
        assert len(shown(told)["values"]) == 1
        _, _, err = cli("refresh", "--accept", "Q38/P6")
        assert "--accept Q38/P6 had no effect: nothing about its answer was suspicious\n" in err

    def test_an_empty_result_can_be_accepted(self, live, cli, told):
        cli("refresh")
        live.load(world(italy=[]))
        assert cli("refresh", "--accept", "Q38/P6")[0] == 0
        assert shown(told)["reasons"][0].startswith("no_values")

    @pytest.mark.parametrize("fact", ["Q38", "Q99999/P6", "q38/p6"])
    def test_only_what_was_asked_for_can_be_accepted(self, live, cli, fact):
        code, _, err = cli("refresh", "--accept", fact)
        assert (code, err) == (
            2,
            f"error: --accept {fact}: no such fact was asked for; write SUBJECT/PROPERTY, such as Q38/P6\n",
        )

    def test_a_past_holder_who_comes_back_for_another_term_is_news_at_once(self, live, cli, told):
        cli("refresh")
        back = [*ITALY[:1], ("Q2", "2022-10-22", "2026-11-28"), ("Q1", "2026-11-28", None)]
        live.load(world(back))
        assert told("refresh")[1]["changes"][0]["after"] == ["Draghi"]

    def test_an_older_copy_of_the_data_makes_no_event(self, live, cli, told):
        cli("refresh")
        live.load(world(NEXT))
        cli("refresh")
        live.load(world())
        code, done = told("refresh")
        assert (code, done["changes"], done["kept"][0]["warning"]) == (0, [], "flipped_back")
        live.load(world(NEXT))
        assert told("refresh")[1]["changes"] == []
        assert len(told("changes")[1]) == 1
        assert shown(told)["current"] == ["Schlein"]

    @pytest.mark.parametrize("reply", BROKEN)
    def test_a_broken_answer_leaves_everything_as_it_was(self, live, cli, told, monkeypatch, reply):
        cli("refresh")
        before = shown(told)
        with serving(BROKEN[reply]) as server:
            monkeypatch.setenv("FRESHNESS_WIKIDATA__ENDPOINT", server.url)
            code, out, err = cli("refresh")
        assert (code, out) == (3, "")
        assert err.startswith("error: 127.0.0.1")
        assert err.count("\n") == 1
        assert shown(told) == before
        assert told("changes")[1] == []

    def test_many_faults_are_told_in_a_few_lines(self, live, cli, told, tmp_path):
        strangers = "".join(f'{{ id = "Q{n}", name = "N", office = "O" }},' for n in range(900, 920))
        (tmp_path / "facts.toml").write_text(CATALOGUE.replace("subjects = [", f"subjects = [{strangers}"))
        code, out, err = cli("refresh", "--format", "json")
        assert (code, len(json.loads(out)["faults"])) == (1, 20)
        assert err.count("\n") == 11
        assert err.endswith("error: 10 more facts need you: --format json has all\n")

    def test_an_item_of_another_name_is_loud_and_not_asked_about(self, live, cli, told, tmp_path):
        live.load(world(italy_is="Rome"))
        code, _, err = cli("refresh")
        assert code == 1
        assert err.startswith("error: Q38/P6: ")
        assert "Italy" in err
        assert "Rome" in err
        (bad,) = told("facts", "check")[1]
        assert bad["reasons"][0].startswith("label_mismatch: ")
        _, out, err = cli("questions", "--snapshot", "live")
        assert "Q38/P6" not in out
        assert "quarantined and left out: Q38/P6" in err


class TestFacts:
    def test_check_shows_what_is_wrong_and_where_to_mend_it(self, live, cli, told):
        live.load(
            world(
                [("Q1", "2021-02-13", None), ("Q2", "2021-02-13", None)],
                [("Q3", "2021-12-08", "2025-05-06"), (NO_VALUE, "2025-05-06", None)],
                [(UNKNOWN, "2024-09-05", None)],
            )
        )
        assert cli("refresh")[0] == 0
        code, bad = told("facts", "check")
        assert code == 1
        assert {item["subject"]["id"]: item["reasons"][0].partition(":")[0] for item in bad} == {
            "Q38": "several_current_values",
            "Q183": "no_value",
            "Q142": "unknown_value",
        }
        assert bad[0]["link"] == "https://www.wikidata.org/wiki/Q38#P6"
        assert all(item["state"] == "quarantined" for item in bad)
        code, out, _ = cli("facts", "check")
        assert code == 1
        assert "https://www.wikidata.org/wiki/Q38#P6" in out
        assert "3 of 3 facts quarantined" in out

    def test_check_of_a_good_record(self, live, cli):
        cli("refresh")
        assert cli("facts", "check") == (0, "all 3 facts can be asked about\n", "")

    def test_observed_shows_what_was_on_record_then(self, live, cli, told):
        cli("refresh")
        live.load(world(NEXT))
        cli("refresh")
        _move(-10)
        assert shown(told)["current"] == ["Schlein"]
        yesterday = shown(told, "--observed", _day(-1))
        assert [v["label"] for v in yesterday["values"]] == ["Draghi", "Meloni"]
        assert yesterday["values"][1]["intervals"] == [{"start": "2022-10-22", "end": None}]
        assert told("facts", "show", "Q38", "P6", "--observed", "2020-01-01")[0] == 2

    def test_latest_is_what_was_fetched_last_of_each_fact_and_else_what_is_bundled(
        self, live, cli, told, monkeypatch
    ):
        assert shown(told)["snapshot"]["source"] == "bundled"
        monkeypatch.delenv("FRESHNESS_FACTS__CATALOGUES")
        cli("refresh", "--facts", "facts.toml")
        assert shown(told)["snapshot"]["source"] == "wikidata"
        sources = {fact["subject"]["id"]: fact["snapshot"]["source"] for fact in told("facts", "list")[1]}
        assert (sources["Q38"], sources["Q30"], len(sources) > 100) == ("wikidata", "bundled", True)
        assert shown(told, "--snapshot", "bundled")["snapshot"]["source"] == "bundled"
        assert told("facts", "show", "Q30", "P35")[1]["snapshot"]["source"] == "bundled"

    def test_facts_of_ones_own_are_asked_about_however_new_the_bundled_ones_are(self, live, cli, tmp_path):
        cli("refresh")
        _move(-400, newest_too=True)
        code, out, err = cli("probe", script(tmp_path), "--no-store", "--format", "json")
        assert (code, json.loads(out)["run"]["snapshot"]["source"]) == (0, "bundled")
        own = CATALOGUE.replace('id = "Q38"', 'id = "Q900038"').replace('id = "Q183"', 'id = "Q900183"')
        (tmp_path / "facts.toml").write_text(own.replace('id = "Q142"', 'id = "Q900142"'))
        renumbered = world().replace("/Q38>", "/Q900038>").replace("/Q183>", "/Q900183>")
        live.load(renumbered.replace("/Q142>", "/Q900142>"))
        cli("refresh")
        _move(-400, newest_too=True)
        code, out, err = cli("probe", script(tmp_path), "--no-store", "--format", "json")
        assert json.loads(out)["run"]["snapshot"]["source"] == "wikidata"
        assert err.startswith("warning: the wikidata facts were last checked on 2025-")

    def test_facts_not_refreshed_with_others_keep_their_own_day(self, live, cli, told, tmp_path, monkeypatch):
        (tmp_path / "other.toml").write_text(
            CATALOGUE.replace('{ id = "Q38"', '# { id = "Q38"').replace('{ id = "Q183"', '# { id = "Q183"')
        )
        cli("refresh")
        _move(-50, newest_too=True)
        cli("refresh", "--facts", "other.toml")
        one = CATALOGUE.replace('{ id = "Q142"', '# { id = "Q142"')
        (tmp_path / "facts.toml").write_text(one)
        _, out, _ = cli("probe", script(tmp_path), "--no-store", "--format", "json")
        assert json.loads(out)["run"]["snapshot"]["taken_at"][:10] == _day(-50)
        assert shown(told)["snapshot"]["taken_at"][:10] == _day(-50)

    def test_what_show_prints_can_be_a_snapshot_of_ones_own(self, live, cli, told, tmp_path):
        cli("refresh")
        facts = told("facts", "list")[1]
        snapshot = {"format": 1, "source": "mine", "taken_at": "2026-11-30T00:00:00+00:00", "facts": facts}
        (tmp_path / "mine.json").write_text(json.dumps(snapshot))
        assert shown(told, "--snapshot", "mine.json")["current"] == ["Meloni"]


def _day(days):
    return str((datetime.now(UTC) + timedelta(days=days)).date())


def _move(days, *, newest_too=False):
    """The snapshots (the newest or not), as if they had been seen some days earlier."""
    with sqlite3.connect("h.db") as database:
        newest = database.execute("SELECT max(id) FROM snapshots").fetchone()[0]
        for column in ("first_seen", "last_seen", "taken_at"):
            database.execute(
                f"UPDATE snapshots SET {column} = datetime({column}, ?) || '.000000' WHERE id <> ?",
                (f"{days} days", 0 if newest_too else newest),
            )


class TestLive:
    def test_fetched_when_there_is_nothing_yet_and_not_again_while_it_is_fresh(self, live, cli, tmp_path):
        model = script(tmp_path)
        code, out, _ = cli("probe", model, "--snapshot", "live", "--format", "json")
        assert code == 0
        assert json.loads(out)["run"]["snapshot"]["source"] == "wikidata"
        live.load(world(NEXT))
        _, out, _ = cli("probe", model, "--snapshot", "live", "--format", "json")
        assert json.loads(out)["models"][model]["upper_bound"]["outdated"] == 0

    def test_fetched_again_when_it_is_too_old(self, live, cli, tmp_path, monkeypatch):
        model = script(tmp_path)
        cli("probe", model, "--snapshot", "live")
        live.load(world(NEXT))
        monkeypatch.setenv("FRESHNESS_WIKIDATA__MAX_AGE", "0s")
        _, out, _ = cli("probe", model, "--snapshot", "live", "--format", "json")
        assert [f["fact"] for f in json.loads(out)["outdated"]] == ["Q38/P6"]

    def test_fetched_again_when_more_is_asked_for(self, live, cli, tmp_path):
        (tmp_path / "one.toml").write_text(CATALOGUE.replace('{ id = "Q183"', '# { id = "Q183"'))
        cli("questions", "--snapshot", "live", "--facts", "one.toml")
        _, out, _ = cli("questions", "--snapshot", "live")
        assert [json.loads(line)["id"] for line in out.splitlines()] == ["Q38/P6", "Q183/P6", "Q142/P6"]

    @pytest.mark.parametrize("known", [True, False])
    def test_without_a_network_the_latest_there_are_serve_and_it_is_said(
        self, live, cli, tmp_path, monkeypatch, known
    ):
        if known:
            cli("refresh")
        monkeypatch.setenv("FRESHNESS_WIKIDATA__ENDPOINT", "http://127.0.0.1:9/sparql")
        monkeypatch.setenv("FRESHNESS_WIKIDATA__MAX_AGE", "0s")
        source = "wikidata" if known else "bundled"
        (tmp_path / "facts.toml").write_text(CATALOGUE.replace('{ id = "Q142"', '# { id = "Q142"'))
        code, out, err = cli("probe", script(tmp_path), "--snapshot", "live", "--format", "json")
        assert code == 0
        assert err.startswith(f"warning: no live facts, the {source} facts of 2026-")
        told = json.loads(out)["run"]["snapshot"]
        assert told["source"] == source
        assert told["note"] in err
        assert "were taken instead" in cli("probe", script(tmp_path), "--snapshot", "live")[1]

    def test_an_endpoint_that_wants_a_contact_stops_no_probe(self, live, cli, tmp_path, monkeypatch):
        monkeypatch.delenv("FRESHNESS_WIKIDATA__ENDPOINT")
        code, _, err = cli("probe", script(tmp_path), "--snapshot", "live")
        assert code == 0
        assert "FRESHNESS_WIKIDATA__CONTACT" in err

    def test_nothing_is_stored_without_the_history(self, live, cli, tmp_path):
        assert cli("probe", script(tmp_path), "--snapshot", "live", "--no-store")[0] == 0
        assert not (tmp_path / "h.db").exists()


def ended(process, after):
    """Killed after so many seconds, unless it was done before."""
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return process.returncode


@pytest.mark.slow
def test_a_refresh_killed_at_any_moment_leaves_the_old_facts_or_the_new_ones(live, told):
    """Refreshes from one world to the other, killed fifty times at moments spread over their length."""
    told("refresh")
    worlds = {False: world(), True: world(NEXT, [("Q3", "2021-12-09", "2025-05-06"), *GERMANY[1:]])}
    command = [sys.executable, "-m", "freshness", "refresh"]
    moved, killed, seen, length = False, 0, 0, 3.0
    for number in range(150):
        _move(-1, newest_too=True)  # else the way back would be an older copy of the data
        live.load(worlds[not moved])
        begun = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if ended(process, length * (0.3 + 0.7 * (number * 7 % 20) / 20)):
            killed += 1
        else:
            length = min(length, time.monotonic() - begun)
        italy, germany = shown(told), told("facts", "show", "Q183", "P6")[1]
        now = italy["current"] == ["Schlein"]
        assert italy["current"] == (["Schlein"] if now else ["Meloni"])
        assert (germany["values"][0]["intervals"][0]["start"] == "2021-12-09") is now
        seen += now != moved
        assert len(told("changes")[1]) == 2 * seen
        moved = now
        if killed == 50:
            break
    with sqlite3.connect("h.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    assert killed == 50
    assert seen > 0


class TestRegrade:
    def test_by_what_is_known_now_or_as_it_was_asked(self, live, cli, told, tmp_path):
        cli("probe", script(tmp_path), "--snapshot", "live")
        live.load(world(NEXT))
        cli("refresh")
        today = _day(0)
        (seen,) = told("regrade", "--as-of", today)[1]
        assert (seen["before"]["correct"], seen["after"]["outdated"], seen["stored"]) == (2, 2, False)
        (own,) = told("regrade", "--as-of", today, "--snapshot", "own")[1]
        assert own["changed"] == 0
        (past,) = told("regrade", "--as-of", "2026-11-01")[1]
        assert past["changed"] == 0
        (kept,) = told("regrade", "--as-of", today, "--store")[1]
        assert kept["stored"]
        (step,) = told("history", script(tmp_path))[1]
        assert step["upper_bound"]["outdated"] > 0
        (back,) = told("regrade", "--snapshot", "own")[1]
        assert back["after"]["correct"] == 2

    def test_answers_by_the_bundled_facts_are_judged_by_the_fetched_ones(self, live, cli, told, tmp_path):
        model = script(tmp_path, 'default = "Giorgia Meloni"\n')
        cli("probe", model, "--snapshot", "bundled", "--as-of", "2026-09-14")
        live.load(world(NEXT, Q2="Giorgia Meloni"))
        cli("refresh")
        (seen,) = told("regrade", "--as-of", _day(0))[1]
        assert (seen["before"]["correct"], seen["after"]["outdated"]) == (2, 2)


class TestCheck:
    def test_online_asks_wikidata(self, live, cli, monkeypatch):
        assert "ok: wikidata: configured" in cli("check")[1]
        assert "ok: wikidata: answers" in cli("check", "--online")[1]
        monkeypatch.setenv("FRESHNESS_WIKIDATA__ENDPOINT", "http://127.0.0.1:9/sparql")
        code, _, err = cli("check", "--online")
        assert code == 1
        assert err.startswith("error: wikidata: 127.0.0.1:9 ")
