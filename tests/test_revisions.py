"""What a newer vintage says that the one before did not, and when it is not to be believed."""

from dataclasses import replace
from datetime import date

import pytest
from series_world import FRANCE, JAPAN, LIFE, NOW, chart, many, moved, series, vintage

from freshness.changes.events import Effect, newly_outdated
from freshness.changes.revisions import (
    MOST_YEARS,
    compare,
    countries,
    doubt,
    newest_year,
    number_text,
    older_values,
)
from freshness.verdicts import Verdict


def happened(before, after):
    return [(event.kind, event.entity, event.years) for event in compare(before, after, NOW)]


def test_the_first_vintage_tells_of_nothing():
    assert compare(None, chart(), NOW) == []


def test_the_same_again_is_no_event():
    assert happened(chart(), chart(updated=date(2025, 7, 1))) == []


def test_a_past_value_that_is_another_is_a_revision_with_both_values():
    after = chart(series(moved(FRANCE, y2020=82.1, y2022=82.4)), series(JAPAN, "Japan", "JPN"))
    (event,) = compare(chart(), after, NOW)
    assert (event.kind, event.series, event.years) == ("revision", "FRA/life", (2020, 2022))
    assert (event.was, event.now, event.differing) == ((82.2, 82.5), (82.1, 82.4), 2)
    told = event.to_json()
    assert (told["before"], told["after"]) == (["82.2 (2020)", "82.5 (2022)"], ["82.1 (2020)", "82.4 (2022)"])
    assert told["subject"] == {"id": "FRA", "name": "France"}
    assert (told["kind"], told["property"], told["group"]) == ("revision", "life", "health")


def test_the_last_digits_of_a_float_are_no_revision():
    assert (
        happened(chart(), chart(series(moved(FRANCE, y2020=82.2 * (1 + 1e-12))), *chart().series[1:])) == []
    )


def test_a_past_value_that_is_gone_is_a_revision():
    (event,) = compare(chart(series(FRANCE)), chart(series(moved(FRANCE, y2020=None))), NOW)
    assert (event.kind, event.years, event.now) == ("revision", (2020,), (None,))
    assert event.after == []


def test_new_years_are_no_revision():
    after = chart(series(moved(FRANCE, y2024=83.1)), updated=date(2025, 7, 1))
    assert happened(chart(series(FRANCE)), after) == [("new_years", "France", (2024,))]


def test_a_year_that_was_missing_and_has_a_value_now_makes_nothing_wrong():
    before = chart(series(moved(FRANCE, y2020=None)))
    assert happened(before, chart(series(FRANCE))) == [("new_years", "France", (2020,))]


def test_a_projection_that_moves_or_comes_true_is_no_revision():
    before = chart(series(moved(FRANCE, y2024=83.5, y2030=84.0)))
    assert happened(before, chart(series(moved(FRANCE, y2024=83.6, y2030=84.9)))) == []
    true = chart(series(moved(FRANCE, y2024=83.1, y2030=84.9)), updated=date(2025, 7, 1))
    assert happened(before, true) == [("new_years", "France", (2024,))]


def test_series_that_go_and_come_are_told_each():
    after = chart(series(FRANCE), series(JAPAN, "Kosovo", "XKX"))
    assert happened(chart(), after) == [("new_series", "Kosovo", ()), ("series_gone", "Japan", ())]


def test_another_name_of_the_same_code_is_a_renaming():
    before, after = chart(series(FRANCE, "Swaziland", "SWZ")), chart(series(FRANCE, "Eswatini", "SWZ"))
    (event,) = compare(before, after, NOW)
    assert (event.kind, event.before, event.after) == ("renamed", ["Swaziland"], ["Eswatini"])


def test_another_code_of_the_same_name_is_a_renaming():
    before, after = chart(series(FRANCE, "Kosovo", "OWID_KOS")), chart(series(FRANCE, "Kosovo", "XKX"))
    (event,) = compare(before, after, NOW)
    assert (event.kind, event.series, event.before) == ("renamed", "XKX/life", ["Kosovo (OWID_KOS)"])


def test_one_event_keeps_the_newest_years_and_counts_all():
    long = {year: float(year) for year in range(1800, 2024)}
    after = {year: value + 1 for year, value in long.items()}
    (event,) = compare(chart(series(long)), chart(series(after)), NOW)
    assert (len(event.years), event.years[-1], event.differing) == (MOST_YEARS, 2023, 224)


def test_a_series_that_stands_twice_counts_where_it_stands_first():
    twice = chart(series(FRANCE), series(JAPAN))
    assert happened(twice, chart(series(FRANCE))) == []


def test_models_that_a_revision_outdates_are_counted_once_a_series():
    (event,) = compare(chart(series(FRANCE)), chart(series(moved(FRANCE, y2020=82.1))), NOW)
    outdated = Effect("m", "r", "82.2", Verdict.CORRECT, Verdict.OUTDATED)
    wrong = replace(outdated, before=Verdict.CORRECT, after=Verdict.INCORRECT)
    touched = replace(event, effects=(outdated, outdated, wrong))
    assert newly_outdated([touched]) == {"m": 1}
    told = touched.to_json()
    assert told["newly_outdated"] == [{"model": "m", "said": "82.2"}] * 2
    assert [one["after"] for one in told["judged_differently"]] == ["incorrect"]


@pytest.mark.parametrize(
    ("value", "text"), [(82.25, "82.25"), (1000.0, "1000"), (-3.0, "-3"), (1e-7, "1e-07"), (0.0, "0")]
)
def test_a_value_is_told_as_it_stands_in_the_source(value, text):
    assert number_text(value) == text


def test_the_newest_year_is_over_and_a_countrys():
    world = series({2024: 73.0, 2025: 73.0}, "World", "OWID_WRL")
    with_projection = chart(series(moved(FRANCE, y2030=84.0)), world, updated=date(2026, 1, 1))
    assert (newest_year(with_projection), countries(with_projection)) == (2023, 1)
    assert newest_year(chart(world)) is None


class TestDoubt:
    def test_an_honest_revision_is_none(self):
        assert doubt(many(), many(0.3, updated=date(2025, 7, 1))) == ""
        assert doubt(None, many()) == ""

    def test_half_of_the_countries_gone(self):
        assert doubt(many(number=40), many(number=19)) == "19 countries, where 40 were known"
        assert doubt(many(number=40), many(number=20)) == ""

    def test_half_of_the_values_gone(self):
        short = many()
        cut = [replace(one, years=one.years[:30], values=one.values[:30]) for one in short.series]
        assert doubt(short, replace(short, series=tuple(cut))) == "1,200 values, where 2,960 were known"

    def test_one_of_few_series_may_go(self):
        assert doubt(chart(), chart(series(FRANCE))) == ""

    def test_most_of_the_history_moving_at_once(self):
        thousands = many()
        values = [replace(one, values=tuple(v * 1000 for v in one.values)) for one in thousands.series]
        after = replace(thousands, series=tuple(values), vintage=vintage(unit="days"))
        assert doubt(thousands, after) == (
            "most of the history changed at once, by 100% in the median; the unit was 'years' and is 'days'"
        )

    def test_another_word_for_the_same_unit_is_none(self):
        assert doubt(many(), replace(many(), vintage=vintage(unit="yrs"))) == ""

    def test_some_that_move_a_lot_are_none(self):
        some = many()
        wild = [
            replace(one, values=tuple(v * 9 for v in one.values)) if n % 3 == 0 else one
            for n, one in enumerate(some.series)
        ]
        assert doubt(some, replace(some, series=tuple(wild))) == ""

    def test_an_older_edition_than_is_known(self):
        told = doubt(many(updated=date(2024, 7, 1)), many(updated=date(2023, 7, 1)))
        assert told == "an edition of 2023-07-01, where that of 2024-07-01 is known"
        assert doubt(many(updated=None), many(updated=None)) == ""

    def test_what_was_defined_anew_may_be_another(self):
        other = replace(many(number=5), indicator=replace(LIFE, column="w"))
        assert doubt(many(), other) == ""


class TestOlder:
    def test_values_that_are_given_no_more_come_with_the_newest_vintage_that_gave_them(self):
        earlier = [
            (series(moved(FRANCE, y2020=82.0)), vintage(date(2025, 1, 1))),
            (series(moved(FRANCE, y2020=82.0)), vintage(date(2024, 6, 1))),
            (series(moved(FRANCE, y2020=81.0)), vintage(date(2024, 5, 1))),
        ]
        assert older_values(series(FRANCE), earlier) == (
            (2020, 82.0, "2025-01-01"),
            (2020, 81.0, "2024-05-01"),
        )

    def test_a_value_that_is_gone_altogether_is_older_too(self):
        earlier = [(series(FRANCE), vintage())]
        assert older_values(series(moved(FRANCE, y2020=None)), earlier) == ((2020, 82.2, "2024-07-01"),)

    def test_what_came_back_is_not_older(self):
        earlier = [(series(moved(FRANCE, y2020=82.0)), vintage()), (series(FRANCE), vintage())]
        assert older_values(series(FRANCE), earlier) == ((2020, 82.0, "2024-07-01"),)

    def test_projections_of_earlier_vintages_are_left_out(self):
        earlier = [(series(moved(FRANCE, y2023=83.9)), vintage(date(2023, 7, 1)))]
        assert older_values(series(FRANCE), earlier) == ()

    def test_few_are_kept_of_one_year(self):
        earlier = [(series({2020: 80.0 + n}), vintage(date(2024, 1, 1 + n))) for n in range(9)]
        assert [value for _, value, _ in older_values(series({2020: 82.25}), earlier)] == [80.0, 81.0, 82.0]
