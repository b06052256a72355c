"""That nothing but knowledge helps: whoever guesses by form, size or place scores chance on every kind."""

import random
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from guessers import Read, beyond_chance, guessers, scores
from numeric_world import AS_OF, chart, walk

from freshness.sources.bundled_series import BundledSeries
from freshness.suites import numeric

WITH_FOUR = ("date", "window", "range", "minmax", "trend")
# What the construction rules out exactly; others (by leading or last digits, by the place in a decade) see
# the little that powers of ten and the data's own digits leave: docs/numeric-questions.md has the figures.
EXACT = """
    largest smallest second_largest second_smallest in_the_middle largest_magnitude roundest least_round
    most_digits fewest_digits longest_text shortest_text closest_to_the_mean farthest_from_the_mean
    closest_to_the_geometric_mean odd_one_out with_the_nearest_neighbour positive negative largest_rise
""".split()
EXACT = {name.replace("_", " ") for name in EXACT}
ASKED = 1000
CHARTS = """
    life-expectancy human-rights-index-vdem military-spending-as-a-share-of-gdp-sipri
    annual-co2-emissions-per-country electricity-prod-source-stacked/solar
""".split()


@cache
def charts():
    """Every third country, and France."""
    found = [chart for chart in BundledSeries().fetch().charts if chart.indicator.id in CHARTS]
    return [
        replace(one, series=tuple(s for n, s in enumerate(one.series) if n % 3 == 0 or s.code == "FRA"))
        for one in found
    ]


@cache
def asked(seed=0, distractors="fair"):
    options = numeric.Options(seed=seed, distractors=distractors)
    return pl.concat(numeric.generate(charts(), AS_OF, options))


def place_of_key(found):
    return np.array(["abcd".index(letter[1]) for letter in found["answer"]])


def read(found, kind):
    part = found.filter(kind=kind)
    part = part.sample(min(ASKED, len(part)), seed=1)
    return Read(kind, part["options"].to_list()), place_of_key(part)


def assert_chance(found, kind, name, errors=4.5):
    options, right = read(found, kind)
    for guesser, measure in guessers(kind).items():
        earned = scores(measure(options), right)
        away = beyond_chance(earned, 0.25)
        if guesser in EXACT:
            assert abs(away) < errors, f"{guesser} scores {earned.mean():.1%} on {kind} of {name}"
        elif len(right) == ASKED:
            assert earned.mean() < 0.33, f"{guesser} scores {earned.mean():.1%} on {kind} of {name}"


@pytest.mark.parametrize("kind", WITH_FOUR)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_guesser_beats_chance_on_any_kind(kind, seed):
    assert_chance(asked(seed), kind, "all")


SUBSETS = {
    "one indicator": pl.col("indicator") == "life-expectancy",
    "one category": pl.col("category") == "human_rights",
    "shares of small numbers": pl.col("indicator") == "military-spending-as-a-share-of-gdp-sipri",
    "large numbers": pl.col("indicator") == "annual-co2-emissions-per-country",
    "sequences of any kind": pl.col("indicator") == "electricity-prod-source-stacked/solar",
    "one country": pl.col("code") == "FRA",
    "one year": pl.col("years").list.min() == 2005,
    "one decade": pl.col("years").list.min().is_between(1970, 1979),
}


@pytest.mark.parametrize("name", SUBSETS)
@pytest.mark.parametrize("kind", WITH_FOUR)
def test_nor_on_a_part_of_it(name, kind):
    assert_chance(asked().filter(SUBSETS[name]), kind, name)


@pytest.mark.parametrize("kind", numeric.Options().kinds)
@pytest.mark.parametrize("letter", range(4))
def test_no_letter_is_right_more_often(kind, letter):
    found = asked().filter(kind=kind)
    chance = 0.5 if kind == "comparative" else 0.25
    if chance * (letter + 1) > 1:
        return
    share = (place_of_key(found) == letter).mean()
    assert abs(share - chance) < 4.5 * np.sqrt(chance * (1 - chance) / len(found))


def test_yes_is_right_as_often_as_no_wherever_things_grow():
    grows = asked().filter(pl.col("kind") == "comparative", pl.col("indicator") == "life-expectancy")
    share = grows["answer_value"].list.first().mean()
    assert abs(share - 0.5) < 4.5 * 0.5 / np.sqrt(len(grows))
    # And the year named first is no hint: the later one is named first as often as not.
    later_first = grows["years"].list.first() > grows["years"].list.last()
    assert abs(later_first.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(len(grows))


@pytest.mark.parametrize("kind", WITH_FOUR)
def test_steps_tell_nothing_of_where_the_key_is(kind):
    """Given how far apart the options are, the key is equally often the lowest, the second, ..."""
    options, right = read(asked(), kind)
    whole = (options.sizes != 0).all(axis=1)
    sizes, right = np.abs(options.sizes[whole]), right[whole]
    order = np.argsort(sizes, axis=1)
    rank = (order == right[:, None]).argmax(axis=1)
    steps = np.diff(np.log(np.take_along_axis(sizes, order, axis=1)), axis=1)
    for widest in range(3):
        shares = np.bincount(rank[steps.argmax(axis=1) == widest], minlength=4)
        expected = shares.sum() / 4
        assert ((shares - expected) ** 2 / expected).sum() < 21  # 3 degrees of freedom, one in ten thousand


@cache
def wandering(bounded):
    """Countries of all sizes, alike but for that: so no value is more usual than another."""
    drawn = random.Random(1)
    told = []
    for n in range(300):
        values = walk(n, 40, 10 ** drawn.uniform(0, 3), 0.05)
        values = [100 * v / (v + 30) for v in values] if bounded else values
        told.append((f"C{n}", f"{chr(65 + n // 26)}{chr(65 + n % 26)}A", 1970, values))
    about = {"highest": 100.0} if bounded else {}
    return pl.concat(numeric.generate([chart(*told, **about)], AS_OF, numeric.Options()))


def form(options):
    """How far apart options are and where between powers of ten they lie; and their order by size."""
    sizes = np.abs(options.numbers).max(axis=2)
    order = np.argsort(sizes, axis=1)
    logs = np.log10(np.take_along_axis(sizes, order, axis=1))
    return np.hstack([np.diff(logs, axis=1) * 115, 20 * (logs[:, :1] % 1)]), order


def voted(asked, learned, ranks, near=60):
    """Which rank the most alike of the learned questions had, as a score of each rank."""
    votes = []
    for begin in range(0, len(asked), 500):
        apart = ((asked[begin : begin + 500, None, :] - learned) ** 2).sum(axis=2)
        nearest = ranks[np.argpartition(apart, near, axis=1)[:, :near]]
        votes.append(np.stack([(nearest == rank).sum(axis=1) for rank in range(4)], axis=1))
    return np.concatenate(votes).astype(float)


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("kind", WITH_FOUR)
def test_who_learns_from_other_countries_questions_learns_nothing_from_their_form(kind, bounded):
    part = wandering(bounded).filter(kind=kind)
    part = part.sample(min(len(part), 6000), seed=1)
    seen, order = form(Read(kind, part["options"].to_list()))
    rank = (order == place_of_key(part)[:, None]).argmax(axis=1)
    learned = np.isin(part["code"].to_numpy(), sorted(set(part["code"]))[::2])
    earned = scores(voted(seen[~learned], seen[learned], rank[learned]), rank[~learned])
    assert abs(beyond_chance(earned, 0.25)) < 4, f"{earned.mean():.1%}"


def countries(values_of):
    """A chart of 250 countries whose years ``values_of(random, walk)`` gives."""
    drawn = random.Random(2)
    told = []
    for n in range(250):
        values = values_of(drawn, walk(n, 40, 10 ** drawn.uniform(0, 3)))
        told.append((f"C{n}", f"{chr(65 + n // 26)}{chr(65 + n % 26)}A", 1970, values))
    return chart(*told)


@cache
def part_estimated():
    """Half of the values are known to two digits, the others to five; some of the former by another unit."""

    def values(drawn, found):
        coarse = [float(f"{v:.1e}") * drawn.choice([1, 1, 1.0001]) for v in found]
        return [drawn.choice([float(f"{v:.5g}"), c]) for v, c in zip(found, coarse, strict=True)]

    return pl.concat(numeric.generate([countries(values)], AS_OF, numeric.Options()))


@pytest.mark.parametrize("kind", ["date", "window", "minmax"])
def test_who_picks_the_roundest_gains_nothing_where_some_values_are_estimates(kind):
    part = part_estimated().filter(kind=kind)
    options, right = Read(kind, part["options"].to_list()), place_of_key(part)
    assert len(right) > 1500
    for name in ("roundest", "least round", "fewest digits that are not zero", "ends in 0 or 5"):
        earned = scores(guessers(kind)[name](options), right)
        assert abs(earned.mean() - 0.25) < 0.02, f"{name}: {earned.mean():.1%}"


@pytest.mark.parametrize("kind", ["date", "window", "minmax"])
def test_of_values_in_quarters_all_options_are_in_quarters(kind):
    quarters = countries(lambda drawn, found: [round(4 * drawn.uniform(20, 60)) / 4 for _ in found])
    part = pl.concat(numeric.generate([quarters], AS_OF, numeric.Options(kinds=(kind,))))
    options = Read(kind, part["options"].to_list())
    whole = (options.numbers * 4) % 1 == 0
    assert whole.mean() > 0.95
    uneven = ~whole.all(axis=(1, 2))
    key = whole.all(axis=2)[np.arange(len(part)), place_of_key(part)]
    assert uneven.mean() < 0.05
    assert key.all()


def test_a_change_of_few_units_is_no_option_either():
    tenths = countries(lambda drawn, found: [round(drawn.uniform(60, 70), 1) for _ in found])
    only = numeric.Options(kinds=("trend",))
    part = pl.concat(numeric.generate([tenths], AS_OF, only))
    first = np.array([values[0]["value"] for values in part["values"].to_list()])
    sizes = np.abs(Read("trend", part["options"].to_list()).sizes)
    told = np.where(sizes > 0, sizes * first[:, None] / 100, np.inf)
    assert len(part) > 500
    assert told.min() > 1 - 1e-3


def test_changes_between_multiples_of_a_large_unit_are_not_asked_about():
    by_unit = countries(lambda drawn, found: [3664.0 * round(1 + v / 50) for v in found])
    plain = countries(lambda drawn, found: found)
    only = numeric.Options(kinds=("trend",))
    asked = [sum(map(len, numeric.generate([one], AS_OF, only))) for one in (by_unit, plain)]
    assert asked[0] < asked[1] / 4
    assert asked[1] > 7000


def test_zero_is_right_as_often_as_what_stands_beside_it():
    some = countries(lambda drawn, found: [0.0 if drawn.random() < 0.3 else v for v in found])
    found = pl.concat(numeric.generate([some], AS_OF, numeric.Options(kinds=("date",))))
    options, right = Read("date", found["options"].to_list()), place_of_key(found)
    beside = (options.sizes == 0).any(axis=1)
    assert 0.3 < beside.mean() < 0.7
    assert ((options.sizes == 0).sum(axis=1) <= 1).all()
    earned = scores(-options.sizes[beside], right[beside])
    assert abs(beyond_chance(earned, 0.25)) < 4, f"{earned.mean():.1%}"
    others = np.argsort(np.argsort(options.sizes[beside], axis=1), axis=1)
    shares = np.bincount(others[np.arange(len(others)), right[beside]], minlength=4) / len(others)
    assert np.abs(shares - 0.25).max() < 4.5 * np.sqrt(0.1875 / len(others))


def test_no_change_is_right_as_often_as_the_changes_beside_it():
    stand_still = countries(lambda drawn, found: [round(found[n - n % 15], 3) + 0.5 for n in range(40)])
    found = pl.concat(numeric.generate([stand_still], AS_OF, numeric.Options(kinds=("trend",))))
    options, right = Read("trend", found["options"].to_list()), place_of_key(found)
    beside = (options.sizes == 0).any(axis=1)
    assert beside.sum() > 500
    earned = scores((options.sizes[beside] == 0).astype(float), right[beside])
    assert abs(beyond_chance(earned, 0.25)) < 4, f"{earned.mean():.1%}"


def test_a_series_of_nothing_but_zeros_is_not_asked_about():
    told = chart(("F", "FRA", 1950, [0.0] * 20))
    assert dict(numeric.left_out([told], AS_OF, numeric.Options(kinds=("date",)))) == {("date", "zero"): 20}


@pytest.mark.parametrize("kind", WITH_FOUR)
def test_the_papers_options_give_the_key_away(kind):
    options, right = read(asked(distractors="paper"), kind)
    assert scores(-options.sizes, right).mean() > 0.99
