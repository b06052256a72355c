"""Dates with a precision, half-open intervals, values, snapshots."""

import json
from datetime import UTC, date, datetime

import pytest
from shared import SHARED, needs_shared

from freshness.errors import UsageError
from freshness.facts import (
    Fact,
    PartialDate,
    Precision,
    Rank,
    Snapshot,
    Subject,
    ValidityInterval,
    Value,
    merge_terms,
    value_from_json,
)


@pytest.mark.parametrize(
    ("text", "precision", "first", "last"),
    [
        ("2015", Precision.YEAR, date(2015, 1, 1), date(2015, 12, 31)),
        ("2014-02", Precision.MONTH, date(2014, 2, 1), date(2014, 2, 28)),
        ("2024-02", Precision.MONTH, date(2024, 2, 1), date(2024, 2, 29)),
        ("2022-10-22", Precision.DAY, date(2022, 10, 22), date(2022, 10, 22)),
    ],
)
def test_a_date_covers_all_the_days_it_can_mean(text, precision, first, last):
    parsed = PartialDate.parse(text)

    assert parsed.precision is precision
    assert (parsed.first, parsed.last) == (first.toordinal(), last.toordinal())
    assert str(parsed) == text


@pytest.mark.parametrize(
    "text", ["", "2015-13", "2015-02-30", "2015-1-1", "15.3.2015", "2015-00", "today", "2015-06-31"]
)
def test_what_is_no_date_is_refused(text):
    with pytest.raises(ValueError, match=r"date|month|day"):
        PartialDate.parse(text)


def test_days_are_counted_as_python_counts_them_and_on_before_the_common_era():
    for ordinal in range(1, 800_000, 9_973):
        day = date.fromordinal(ordinal)
        assert PartialDate.from_date(day).first == ordinal
    assert PartialDate(0, 12, 31).first == 0
    assert PartialDate(-43).first < PartialDate(-42).first < 0


def test_bounds_are_read_at_their_first_day():
    since, until = ValidityInterval(PartialDate(1999)), ValidityInterval(None, PartialDate(1920))

    assert not since.holds(date(1998, 12, 31).toordinal())
    assert since.holds(date(1999, 1, 1).toordinal())
    assert until.holds(date(1919, 12, 31).toordinal())
    assert not until.holds(date(1920, 1, 1).toordinal())


def test_ended_at_an_unknown_date_is_not_open():
    ended = ValidityInterval.from_json("2001", "unknown")

    assert ended.ended
    assert not ended.is_open
    assert not ended.holds(date(2020, 1, 1).toordinal())
    assert ended.to_json() == {"start": "2001", "end": "unknown"}
    assert ValidityInterval.from_json("2001", None).is_open


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ({"label": "A", "aliases": "B"}, "aliases"),
        ({"label": ""}, "label"),
        ({"label": 7}, "label"),
        ({"label": "A", "start": 2015}, "start"),
        ({"label": "A", "end": "soon"}, "end"),
        ({"label": "A", "rank": "best"}, "rank"),
        ({"label": "A", "intervals": "x"}, "intervals"),
        ("A", "value"),
    ],
)
def test_a_bad_value_names_the_key(raw, names):
    with pytest.raises(ValueError, match=names):
        value_from_json(raw)


def test_blank_aliases_are_dropped():
    assert value_from_json({"label": "A", "aliases": ["", " ", "B"]}).aliases == ("B",)


def test_a_value_that_comes_twice_has_two_terms():
    first, second = (
        value_from_json({"label": "A", "start": s, "end": e}) for s, e in (("2000", "2004"), ("2008", None))
    )
    wrong = value_from_json({"label": "A", "start": "1990", "end": None, "rank": "deprecated"})

    merged = merge_terms([first, value_from_json({"label": "B"}), second, wrong])

    assert [value.label for value in merged] == ["A", "B", "A"]
    assert merged[0].intervals == first.intervals + second.intervals
    assert merged[2].rank is Rank.DEPRECATED


def test_a_fact_survives_json_and_a_snapshot_is_known_by_its_facts():
    value = Value(
        "A", ("a",), (ValidityInterval(PartialDate(2000), PartialDate(2004, 5)),), Rank.PREFERRED, "Q1"
    )
    fact = Fact("g", Subject("Q9", "Nine"), "P6", (value,), "many")
    other = Fact("g", Subject("Q8", "Eight"), "P6", (value,))
    now, later = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)

    assert Fact.from_json(json.loads(json.dumps(fact.to_json()))) == fact
    assert Snapshot("x", now, (fact, other)).digest == Snapshot("y", later, (other, fact)).digest
    assert Snapshot("x", now, (fact,)).digest != Snapshot("x", now, (other,)).digest
    assert Snapshot("x", now, (fact,)).find("Nine", "P6") is fact
    with pytest.raises(UsageError, match="no fact Q1 P6"):
        Snapshot("x", now, (fact,)).find("Q1", "P6")


@needs_shared
def test_values_of_temporal_cases_hold_when_they_should():
    cases = {}
    for line in (SHARED / "cases" / "temporal_qa.jsonl").read_text().splitlines():
        case = json.loads(line)
        cases[case["id"]] = case
    missing_start = cases["tq-08-missing-start"]
    day = date.fromisoformat(missing_start["input"]["as_of"]).toordinal()
    values = [value_from_json(value) for value in missing_start["input"]["values"]]
    several = cases["tq-02-several-valid"]["input"]

    assert [v.label for v in values if v.holds(day)] == missing_start["expected"]["valid"]
    assert [v.label for v in values if not v.holds(day)] == missing_start["expected"]["past"]
    assert all(
        value_from_json(value).holds(date.fromisoformat(several["as_of"]).toordinal())
        for value in several["values"]
    )
