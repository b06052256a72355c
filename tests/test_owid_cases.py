"""The shared cases of what Our World in Data's files and servers did to others."""

import csv
import io
import json
from datetime import date

import pytest
from owid_server import NOW, charts, indicator
from shared import SHARED, needs_shared
from sparql_server import Reply

from freshness.catalog import charts as catalog
from freshness.sources.bundled_series import BundledSeries
from freshness.sources.owid import ChartError, Owid, read_chart, read_table

pytestmark = needs_shared


def cases():
    path = SHARED / "cases" / "owid.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def csv_of(case):
    return io.BytesIO(case["input"]["csv"].encode())


def chart_of(case, column, **options):
    return read_chart(indicator(column=column, lowest=0.0), csv_of(case), None, NOW, **options)


def latest(case, table):
    """What the case expects to be told of each entity, as the table tells it."""
    return {
        entity: {"time": newest.time, **({"value": found} if len(newest.values) == 1 else newest.values)}
        for entity, newest in table.latest.items()
        for found in list(newest.values.values())[:1]
    }


@pytest.mark.parametrize("case", [c for c in cases() if "error" not in c["expected"]], ids=lambda c: c["id"])
def test_shared_case(case):
    expected = case["expected"]
    table = read_table(csv_of(case))
    assert table.time_column == expected.get("time_column", table.time_column)
    assert list(table.value_columns) == expected.get("value_columns", list(table.value_columns))
    assert table.rows == expected.get("rows", table.rows)
    assert latest(case, table) == expected.get("latest", latest(case, table))
    for column in {"iso2"} & expected.keys():
        assert [texts[column] for texts in table.texts.values()] == [expected[column]]


def by_id(name):
    return next(case for case in cases() if case["id"].startswith(name))


def test_a_renamed_column_names_the_old_and_the_new():
    case = by_id("ow-04")
    with pytest.raises(ChartError) as caught:
        chart_of(case, case["input"]["config_column"])
    assert caught.value.kind == case["expected"]["error"]
    assert all(repr(name) in str(caught.value) for name in case["expected"]["message_names"])


def test_renamed_entities_are_resolved_by_their_codes():
    case = by_id("ow-05")
    chart = chart_of(case, "v", entities=case["input"]["config_entities"])
    assert {each.code for each in chart.series} == set(case["expected"]["resolved"].values())


def test_a_negative_count_is_accepted_and_not_asked_about():
    case = by_id("ow-10")
    case["input"]["csv"] = case["input"]["csv"].replace("Day", "Year").replace("2020-07-0", "200")
    chart = chart_of(case, "new_cases")
    assert chart.series[0].values == (500.0, -29726.0)
    assert chart.known(date(2026, 1, 1))[0].values == (500.0,)


def test_years_before_ours_and_gaps_stay_as_they_are():
    case = by_id("ow-11")
    (series,) = chart_of(case, "population").series
    assert list(series.years) == case["expected"]["years"]
    assert series.value(1500) is None


def test_pretty_numbers_are_refused_with_their_row():
    case = by_id("ow-16")
    with pytest.raises(ChartError, match=f"row {case['expected']['row']},") as caught:
        chart_of(case, "v")
    assert caught.value.kind == case["expected"]["error"]


@pytest.mark.parametrize("case", [c for c in cases() if "http" in c["input"]], ids=lambda c: c["id"])
def test_shared_case_of_a_server(case):
    told = case["input"]["http"]
    reply = Reply(told["body"], told["status"], told["headers"])
    with charts(reply, reply) as server, pytest.raises(ChartError) as caught:
        Owid(server.base).fetch(indicator())
    assert caught.value.kind == case["expected"]["error"]
    assert server.requests[0].headers["User-Agent"].startswith("freshness/")


# --- the real files

GRAPHER = SHARED / "owid" / "grapher"


def real(which):
    file = GRAPHER / f"{which.slug}.csv"
    said = file.with_suffix(".metadata.json")
    return read_chart(which, file, json.loads(said.read_text()) if said.exists() else None, NOW)


def ours():
    return [which for which in catalog.load() if (GRAPHER / f"{which.slug}.csv").is_file()]


@pytest.mark.parametrize("which", ours(), ids=lambda which: which.id)
def test_every_value_of_a_real_file_is_read(which):
    chart = real(which)
    with (GRAPHER / f"{which.slug}.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[which.column]]
    expected = {(row["Entity"], int(row["Year"])): float(row[which.column]) for row in rows}
    found = {(e.entity, y): v for e in chart.series for y, v in zip(e.years, e.values, strict=True)}
    assert found == expected
    codes = {row["Entity"]: row["Code"] for row in rows if row.get("Code")}
    assert all(each.code == codes[each.entity] for each in chart.series if each.entity in codes)


@pytest.mark.parametrize("which", ours(), ids=lambda which: which.id)
def test_the_bundled_series_are_those_of_the_real_files(which):
    bundled = {each.id: each for each in BundledSeries().fetch().chart(which.id).series}
    first = min(each.years[0] for each in bundled.values())
    for each in real(which).series:
        kept = [(y, v) for y, v in zip(each.years, each.values, strict=True) if y >= first]
        if each.is_country and kept:
            assert list(zip(bundled[each.id].years, bundled[each.id].values, strict=True)) == kept


def test_days_are_readable_too():
    table = read_table(GRAPHER / "excess-deaths-daily-per-100k-economist.csv")
    assert table.time_column == "Day"
    assert table.latest["France"].time == "2024-01-27"


def test_a_file_without_codes_has_its_countries():
    wheat = real(next(which for which in ours() if which.slug == "wheat-yields"))
    assert sum(each.is_country for each in wheat.series) == 125
