"""Which values hold when: the record as people left it, asked on a day."""

from datetime import date

import pytest

from freshness.facts import value_from_json
from freshness.grading.timeline import State, asks_for_one, build, current_labels, infer_holders


def terms(*rows):
    """Values from (label, start, end[, rank]) rows."""
    keys = ("label", "start", "end", "rank")
    return tuple(value_from_json(dict(zip(keys, row, strict=False))) for row in rows)


SUCCESSION = terms(
    ("A", "2000-01-01", "2010-03-01"), ("B", "2010-03-01", "2020-05-05"), ("C", "2020-05-05", None)
)


@pytest.mark.parametrize(
    ("day", "holder"),
    [("2010-02-28", "A"), ("2010-03-01", "B"), ("2020-05-04", "B"), ("2020-05-05", "C"), ("2999-01-01", "C")],
)
def test_intervals_are_half_open(day, holder):
    assert current_labels(SUCCESSION, date.fromisoformat(day)) == [holder]


def test_nobody_holds_before_the_first_and_in_a_vacancy():
    values = terms(("A", "2000-01-01", "2010-03-01"), ("B", "2011-01-01", None))

    assert current_labels(values, date(1999, 12, 31)) == []
    assert current_labels(values, date(2010, 6, 1)) == []


def test_a_year_only_bound_yields_to_the_neighbours_exact_day():
    early = terms(("A", "2014", "2018"), ("B", "2018-06-05", None))
    late = terms(("A", "2014", "2018-06-05"), ("B", "2018", None))

    for values in (early, late):
        assert current_labels(values, date(2018, 3, 1), "one") == ["A"]
        assert current_labels(values, date(2018, 7, 1), "one") == ["B"]


def test_a_forgotten_end_is_closed_by_the_next_start_in_a_one_holder_office_only():
    values = terms(("A", "2011-01-01", None), ("B", "2016-08-31", "2019-01-01"), ("C", "2019-01-01", None))

    assert current_labels(values, date(2024, 1, 1), "one") == ["C"]
    assert current_labels(values, date(2024, 1, 1), "many") == ["A", "C"]
    assert build(values, "one").lag(0, date(2024, 1, 1).toordinal()) == (
        (date(2024, 1, 1) - date(2016, 8, 31)).days,
        2,
    )


def test_an_unknown_start_has_begun_and_an_unknown_end_is_over():
    values = terms(("A", None, "2010-01-01"), ("B", None, None), ("C", "2001", "unknown"))

    assert current_labels(values, date(2020, 1, 1), "many") == ["B"]
    assert build(values, "many").lag(2, date(2020, 1, 1).toordinal())[0] is None


def test_ended_at_an_unknown_date_lasts_until_a_follower_comes():
    values = terms(("A", "2005", "unknown"), ("B", "2012-03-01", None))

    assert current_labels(values, date(2010, 1, 1), "one") == ["A"]
    assert build(values, "one").lag(0, date(2013, 3, 1).toordinal()) == (365, 1)


def test_several_terms_of_one_value_are_kept():
    from freshness.facts import merge_terms

    values = merge_terms(terms(("A", "2000", "2004"), ("B", "2004", "2008"), ("A", "2008", None)))

    assert current_labels(values, date(2002, 1, 1)) == ["A"]
    assert current_labels(values, date(2006, 1, 1)) == ["B"]
    assert current_labels(values, date(2020, 1, 1)) == ["A"]


def test_a_preferred_statement_outranks_an_open_normal_one():
    values = terms(("A", "2010", None), ("B", "2015", None, "preferred"), ("X", "2016", None, "deprecated"))
    timeline = build(values, "one")

    assert current_labels(values, date(2020, 1, 1), "one") == ["B"]
    assert timeline.state(2, date(2020, 1, 1).toordinal()) is State.NO_FACT


@pytest.mark.parametrize(
    ("rows", "holders"),
    [
        ([("A", "2000", "2004"), ("B", "2004", None)], "one"),
        ([("A", "2000", "2010"), ("B", "2004", "2012")], "many"),
        ([("A", "2010-01-01", None), ("B", "2012-01-01", None)], "many"),
        ([("A", "2000-01-01", "2004-02-01"), ("B", "2004-01-10", None)], "one"),
    ],
    ids=["succession", "long overlap", "two open, no sign", "sloppy hand-over"],
)
def test_holders_are_inferred_from_the_record(rows, holders):
    assert infer_holders(terms(*rows)) == holders


def test_the_wording_of_a_question_can_suppose_one_holder():
    values = terms(("A", "2010-01-01", None), ("B", "2012-01-01", None))

    assert asks_for_one("Who is the President of Freedonia?")
    assert not asks_for_one("Who are the captains regent?")
    assert infer_holders(values, one_office=True) == "one"


def test_dates_before_the_common_era_are_dates():
    values = terms(("Cato", "-0233", "-0148"), ("Gaius", "-0058", None))

    assert current_labels(values, date(1, 1, 1)) == ["Gaius"]
    assert build(values).lag(0, date(1, 1, 1).toordinal())[0] > 50_000
