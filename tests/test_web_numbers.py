"""The pages about numbers in a history of their own: without answers, with faults, with projections."""

import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numeric_runs
import pytest
from fastapi.testclient import TestClient
from made_charts import made_chart
from stores import made_database

from freshness.app import pages, setup
from freshness.app.pages import Look
from freshness.app.pages.changing import Edition
from freshness.app.summaries import summary_of
from freshness.config import load
from freshness.questions import Answer
from freshness.store import SeriesFault
from freshness.web.rendering import environment
from freshness.web.server import make_app
from tests.test_web import text_of

NOW = datetime.now(UTC)
CHART = "life-expectancy (https://data.example/grapher/life-expectancy): the server answered 404"


@pytest.fixture
def site(tmp_path):
    """A store, its settings, and a client of the pages that show it."""
    settings = load(None, {"FRESHNESS_STORE__URL": made_database("sqlite", tmp_path)})
    with setup.open_history(settings, create=True) as store:
        yield Site(settings, store)


class Site:
    def __init__(self, settings, store):
        self.settings, self.store = settings, store
        self.client = TestClient(make_app(settings, store, environ={}), base_url="http://localhost")

    def text(self, path):
        return text_of(self.client.get(path).text)

    def look(self):
        return Look(self.settings, self.store)

    def run(self, suite, asked, trials):
        begun = replace(numeric_runs.run(asked, trials, model="m"), id=suite, suite=suite, started_at=NOW)
        self.store.start_run(replace(begun, status="running", finished_at=None), asked)
        self.store.add_trials(suite, trials)
        self.store.finish_run(suite, NOW, "finished")
        self.store.save_summary(summary_of(self.store.run(suite)))


def unanswered(kind):
    asked = [numeric_runs.question(kind, "health", year) for year in (2011, 2017)]
    failed = Answer(error="empty", error_kind="empty_answer")
    trials = [numeric_runs.trial(one, "", None) for one in asked]
    return asked, [replace(one, answer=failed, judgement=None) for one in trials]


def cards(page):
    return re.findall(r'<span class="name">([^<]*)</span><span class="figure">([^<]*)<', page)


class TestWithoutAnswers:
    @pytest.mark.parametrize(
        ("suite", "kind", "verdicts", "heading"),
        [
            ("numeric", "date", ["correct", "incorrect", "not available"], "By kind of question"),
            ("next-word", "next_word", ["correct", "outdated", "irrelevant"], "By category"),
        ],
    )
    def test_a_model_is_shown_as_its_suite_shows_it(self, site, suite, kind, verdicts, heading):
        site.run(suite, *unanswered(kind))
        page = site.client.get(f"/models/m?suite={suite}").text
        assert cards(page) == [(verdict, "–") for verdict in verdicts]
        told = text_of(page)
        assert f"{heading} No question of the sample was answered" in told
        assert "agreement" not in told
        assert "median lag" not in told
        assert "By group" not in told
        (found,) = pages.standings(site.look(), "m")
        assert pages.model(site.look(), "m").numbers.choosing is (suite == "numeric")
        assert found.numbers is None


def test_open_answers_have_no_chance(site):
    site.store.save_charts([made_chart("life-expectancy", NOW)], "owid", NOW)
    asked = [numeric_runs.question("next_word", "health", year) for year in range(1990, 2020)]
    site.run(
        "next-word", asked, [numeric_runs.trial(one, "1", numeric_runs.Verdict.IRRELEVANT) for one in asked]
    )
    known = site.store.latest_summaries()[0]
    choices = replace(known.choices, known=numeric_runs.KNOWN)
    site.store.save_summary(replace(known, choices=choices))
    (told,) = pages.indicator(site.look(), "life-expectancy").models
    assert told.until.told.chance is None
    row = re.search(r"m next-word .*?UTC|m next-word [^A-Z]*", site.text("/series/life-expectancy"))[0]
    assert "0.0% 0–11% – " in row
    assert pages.model(site.look(), "m").numbers.average.chance is None


class TestFaults:
    @contextmanager
    def faulty(self, site, indicator):
        fault = SeriesFault(
            "owid", indicator, NOW, "owid_not_found", CHART.replace("life-expectancy", indicator)
        )
        site.store.add_series_fault(fault)
        yield next(
            line for line in pages.indicators(site.look(), limit=200).items if line.indicator == indicator
        )

    @pytest.mark.parametrize(
        ("indicator", "state"), [("rice-yields", "missing"), ("life-expectancy", "failing")]
    )
    def test_what_never_had_numbers_is_no_failure_and_says_why(self, site, indicator, state):
        with self.faulty(site, indicator) as line:
            assert (line.state, line.reason) == (state, "the server answered 404")

    def test_the_reason_has_a_row_of_its_own(self, site):
        with self.faulty(site, "rice-yields"):
            page = site.client.get("/series").text
            assert re.search(r'<tr[^>]*class="why-row"><td[^>]*colspan="7">.*the server answered 404', page)
            assert "data.example" not in page
            assert "no numbers yet" in site.text("/series/rice-yields")


def test_a_citation_and_its_licence_are_one_sentence(site):
    chart = made_chart("life-expectancy", NOW)
    chart = replace(chart, vintage=replace(chart.vintage, citation="A (2024). “B” [original data]."))
    site.store.save_charts([chart], "owid", NOW)
    assert "[original data]; CC BY 4.0" in site.text("/series")


def test_years_that_were_not_over_are_marked(site):
    site.store.save_charts(
        [made_chart("life-expectancy", NOW, years=range(2015, 2031), updated=date(2026, 3, 1))], "owid", NOW
    )
    shown = pages.indicator(site.look(), "life-expectancy", "FRA").shown
    assert [one.year for one in shown.points if one.projected] == [2026, 2027, 2028, 2029, 2030]
    told = site.text("/series/life-expectancy?entity=FRA")
    assert "2026 projection " in told
    assert "2025 projection" not in told
    assert "Thick line: France, from 2026 on as projected." in told


def test_two_editions_of_one_day_are_told_apart(site):
    day = f"{NOW:%Y-%m-%d}"
    for before in (day, "2020-01-01"):
        edition = Edition("life-expectancy", (before, day), 1, 0)
        macros = environment().get_template("macros.html.j2").make_module({})
        assert macros.before(edition.vintages) == ("an earlier one of that day" if before == day else before)
    chart = made_chart("life-expectancy", NOW, updated=NOW.date())
    site.store.save_charts([chart], "owid", NOW - timedelta(hours=1))
    site.store.save_charts([replace(chart, series=chart.series[1:])], "owid", NOW)
    for path in ("/", "/changes"):
        assert f"an earlier one of that day – edition {day}" in site.text(path)
    assert f"{day} after an earlier one of that day" in site.text("/series/life-expectancy")
