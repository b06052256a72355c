"""Which facts can be asked about, and what is said of those that can't."""

from dataclasses import replace
from datetime import date

import pytest

from freshness.facts import Fact, Flaw, PartialDate, Rank, Subject, ValidityInterval, Value
from freshness.quality import assess
from freshness.sources.bundled import Bundled

DAY = date(2026, 6, 1)


def value(label, *spans, rank="normal", item=None):
    intervals = tuple(ValidityInterval.from_json(start, end) for start, end in spans)
    return Value(label, (), intervals, Rank(rank), item)


def fact(*values, holders="one", **more):
    return Fact("countries", Subject("Q38", "Italy"), "P6", values, holders, **more)


def kinds(fact, day=DAY):
    return [reason.partition(": ")[0] for reason in assess(fact, day).reasons]


GOOD = (value("Ada", ("2010", "2020-03-01")), value("Bea", ("2020-03-01", None)))


def test_a_clean_record_is_usable_without_a_mark():
    assert assess(fact(*GOOD), DAY).usable
    assert assess(fact(*GOOD), DAY).marks == ()


def test_every_bundled_fact_is_usable():
    facts = Bundled().fetch().facts
    assert [f.id for f in facts if not assess(f, date(2026, 9, 14)).usable] == []


BAD = {
    "nothing on record": (fact(), ["no_values"]),
    "nothing on record yet": (fact(value("Ada", ("2030", None))), ["no_values"]),
    "nobody now": (fact(value("Ada", ("2010", "2020"))), ["no_current_value"]),
    "over since nobody knows when": (fact(value("Ada", ("2010", "unknown"))), ["no_current_value"]),
    "two began on the same day": (
        fact(value("Ada", ("2020-03-01", None)), value("Bea", ("2020-03-01", None))),
        ["several_current_values"],
    ),
    "two of whom nobody knows since when": (
        fact(value("Ada", (None, None)), value("Bea", (None, None))),
        ["several_current_values"],
    ),
    "two at once for years": (
        fact(
            value("Ada", ("2010", "2020")),
            value("Bea", ("2015", "2021-01-01")),
            value("Cleo", ("2021-01-01", None)),
        ),
        ["overlap"],
    ),
    "nobody for years": (fact(value("Ada", ("2010", "2014")), value("Bea", ("2020", None))), ["gap"]),
    "an office that is no more": (
        fact(value("Ada", ("2010", None)), dissolved=PartialDate(2018, 7, 9)),
        ["office_dissolved"],
    ),
    "a holder since before our era": (fact(value("Ada", ("-0043", None))), ["before_our_era"]),
    "an id that doesn't fit": (fact(*GOOD, flaws=(Flaw("label_mismatch", "x"),)), ["label_mismatch"]),
    "an item that is none": (fact(flaws=(Flaw("no_item", "x"),)), ["no_item", "no_values"]),
    "no name of the office": (fact(*GOOD, flaws=(Flaw("no_office_name", "x"),)), ["no_office_name"]),
    "a holder without a name": (
        fact(GOOD[0], flaws=(Flaw("missing_label", "x", value("Q7", ("2020-03-01", None))),)),
        ["missing_label"],
    ),
    "a holder who is no person": (
        fact(GOOD[0], flaws=(Flaw("wrong_kind", "x", value("Q7", ("2020-03-01", None))),)),
        ["wrong_kind"],
    ),
    "a holder nobody knows": (
        fact(GOOD[0], flaws=(Flaw("unknown_value", "x", value("unknown", ("2020-03-01", None))),)),
        ["unknown_value"],
    ),
    "explicitly nobody": (
        fact(GOOD[0], flaws=(Flaw("no_value", "x", value("nobody", ("2020-03-01", None))),)),
        ["no_value"],
    ),
    "a holder without any date": (
        fact(value("Ada", (None, None)), flaws=(Flaw("undated", "Ada has no date"),)),
        ["undated"],
    ),
}


@pytest.mark.parametrize(("bad", "expected"), BAD.values(), ids=BAD)
def test_quarantined(bad, expected):
    assert kinds(bad) == expected


GOOD_ENOUGH = {
    "joint holders": fact(
        value("Ada", ("2020-03-01", None)), value("Bea", ("2020-03-01", None)), holders="many"
    ),
    "two open ones that rank settles": fact(
        value("Ada", ("2020-03-01", None)), value("Bea", ("2020-03-01", None), rank="preferred")
    ),
    "a deprecated one beside the right one": fact(
        value("Ada", ("2020-03-01", None)), value("Bea", ("2020-03-01", None), rank="deprecated")
    ),
    "the same one twice": fact(value("Ada", ("2010", "2014"), ("2014", None))),
    "a hand-over of some weeks": fact(
        value("Ada", ("2010", "2026-06-20")), value("Bea", ("2026-05-20", None))
    ),
    "a gap long ago": fact(value("Ada", ("1900", "1950")), value("Bea", ("1980", None))),
    "an overlap long ago": fact(
        value("Ada", ("1950", "1980")),
        value("Bea", ("1960", "1990")),
        value("Cleo", ("1990", None)),
    ),
    "a past holder without a name": fact(
        GOOD[1], flaws=(Flaw("missing_label", "x", value("Q7", ("2010", "2020-03-01"))),)
    ),
    "an office set up again": fact(value("Ada", ("2010", None)), dissolved=PartialDate(1960)),
    "a past holder without any date, in an office for many": fact(
        *GOOD, holders="many", flaws=(Flaw("undated", "x"),)
    ),
    "a file's own fact without dates": fact(value("Ada", (None, None))),
    "a past holder before our era": fact(value("Ada", ("-0043", "-0027")), GOOD[0], GOOD[1]),
    "an acting holder beside one that is preferred": fact(
        value("Ada", ("2018", None), rank="preferred"), value("Bea", ("2020-02-01", "2020-05-01"))
    ),
}


@pytest.mark.parametrize("good", GOOD_ENOUGH.values(), ids=GOOD_ENOUGH)
def test_usable(good):
    assert assess(good, DAY).reasons == ()


def test_a_forgotten_end_is_closed_by_the_next_start_and_marked():
    quality = assess(fact(value("Ada", ("2010", None)), GOOD[1]), DAY)
    assert quality.usable
    assert quality.marks == ("no end on record for Ada; taken as over on 2020-03-01, when Bea began",)


def test_flaws_that_keep_nobody_from_asking_are_marks():
    assert assess(fact(*GOOD, flaws=(Flaw("several_dates", "two starts"),)), DAY).marks == ("two starts",)


def test_a_reason_is_not_said_again_as_a_mark():
    bad = assess(BAD["a holder without a name"][0], DAY)
    assert bad.reasons == ("missing_label: x",)
    assert bad.marks == ()


def test_a_dissolved_office_was_askable_before():
    turkey = fact(
        value("Ahmet Davutoğlu", ("2014-08-28", "2016-05-24")),
        value("Binali Yıldırım", ("2016-05-24", "2018-07-09")),
        dissolved=PartialDate(2018, 7, 9),
        office="Prime Minister of Turkey",
    )
    assert assess(turkey, date(2017, 1, 1)).usable
    quality = assess(turkey, date(2024, 1, 1))
    assert "office_dissolved: Prime Minister of Turkey was dissolved on 2018-07-09" in quality.reasons


def test_the_last_holder_is_named_where_nobody_follows():
    assert assess(fact(value("Ada", ("2010", "2020-03"))), DAY).reasons == (
        "no_current_value: nobody after Ada, until 2020-03",
    )


def test_as_of_decides():
    vacant = fact(value("Ada", ("2010", "2020")), value("Bea", ("2020-06-01", "2024")))
    assert assess(vacant, date(2022, 1, 1)).usable
    assert kinds(vacant, date(2025, 1, 1)) == ["no_current_value"]
    assert kinds(replace(vacant, values=()), date(2022, 1, 1)) == ["no_values"]
