from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freshness.questions import CHOICE_KINDS
from freshness.series import CATEGORIES
from freshness.suites.numeric.strata import TELLING, Stratum, allocate, era_of

NEWEST = 2022


def sizes(kinds=CHOICE_KINDS, categories=CATEGORIES, countries=100, first=1947):
    """One indicator a category, complete series."""
    found = Counter()
    for kind in kinds:
        for category in categories:
            for year in range(first, NEWEST + 1):
                found[Stratum(kind, category, f"{category}-chart", era_of(year, NEWEST))] += countries
    return found


def base(places, key):
    found = Counter()
    for stratum, (number, _) in places.items():
        found[key(stratum)] += number
    return found


def total(places):
    return sum(number + extra for number, extra in places.values())


@pytest.mark.parametrize(
    ("year", "era"), [(2022, 0), (2018, 0), (2017, 1), (2012, 2), (2008, 2), (2007, 3), (1998, 3), (1997, 4)]
)
def test_eras_are_five_years_and_then_decades(year, era):
    assert era_of(year, NEWEST) == era


def test_kinds_and_categories_have_equal_parts_of_the_base():
    places = allocate(sizes(), 600)
    assert total(places) == 600
    assert set(base(places, lambda s: s.kind).values()) == {80}
    assert set(base(places, lambda s: (s.kind, s.category)).values()) == {10}


def test_eras_have_their_share_of_the_base():
    places = allocate(sizes(), 4000)
    by_era = base(places, lambda s: s.era)
    share = sum(by_era[era] for era in range(3)) / sum(by_era.values())
    assert abs(share - 15 / 76) < 0.02


def test_every_indicator_gets_enough_about_its_newest_years_at_the_default_size():
    recent = Counter()
    for stratum, places in allocate(sizes(), 600).items():
        if stratum.kind in TELLING and stratum.era < 3:
            recent[stratum.indicator] += sum(places)
    assert min(recent.values()) >= 18


def test_extra_questions_are_about_the_newest_years_alone():
    extra = {s for s, places in allocate(sizes(), 600).items() if places.extra}
    assert {stratum.kind for stratum in extra} == {"date", "comparative"}
    assert {stratum.era for stratum in extra} == {0, 1, 2}


def test_open_questions_have_extra_ones_too():
    places = allocate(sizes(kinds=("next_word",)), 600)
    assert sum(extra for _, extra in places.values()) == 120


def test_small_samples_have_no_extra_questions_and_go_round():
    places = allocate(sizes(), 6)
    assert not any(extra for _, extra in places.values())
    drawn = [stratum for stratum, (number, _) in places.items() if number]
    assert len({stratum.kind for stratum in drawn}) == 6
    assert len({stratum.category for stratum in drawn}) == 6


def test_what_is_scarce_is_taken_whole_and_the_others_get_its_places():
    scarce = sizes()
    for stratum in [s for s in scarce if s.kind == "trend"]:
        scarce[stratum] = int(stratum.category == "health" and stratum.era == 0)
    places = allocate(scarce, 600)
    assert total(places) == 600
    assert base(places, lambda s: s.kind)["trend"] == 1


def test_everything_is_base_when_everything_is_asked():
    everything = sizes(countries=1)
    for size in (sum(everything.values()), 10**9):
        places = allocate(everything, size)
        assert {s: n for s, (n, extra) in places.items() if not extra} == everything


def test_no_order_of_the_strata_decides():
    forward = sizes()
    assert allocate(forward, 333) == allocate(dict(reversed(forward.items())), 333)


STRATA = st.builds(
    Stratum,
    st.sampled_from([*CHOICE_KINDS, "next_word"]),
    st.sampled_from(["health", "food"]),
    st.sampled_from(["a", "b"]),
    st.integers(0, 5),
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(STRATA, st.integers(0, 60), max_size=25), st.integers(0, 800), st.integers(1, 200))
def test_a_larger_sample_holds_the_smaller_one(strata, size, more):
    small, large = allocate(strata, size), allocate(strata, size + more)
    there = sum(strata.values())
    assert total(small) == min(size, there)
    assert total(large) == min(size + more, there)
    for stratum, places in small.items():
        assert sum(places) <= sum(large[stratum]) <= strata[stratum]
