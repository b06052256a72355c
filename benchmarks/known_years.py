"""How far the newest year known can be trusted: simulated models of which it is known.

usage: python benchmarks/known_years.py [--models N] [--size N] [--suite numeric|next-word] [--bundled]

Eight made-up indicators that move as differently as real ones do, and models that know their numbers up to
the day on which their data end. What a model doesn't know it guesses, declines, or carries on from older
numbers. ``--bundled``: the questions of the bundled series in their place, those of five seeds.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

import numpy as np

from freshness.history import KnownYears
from freshness.questions import CHOICE_KINDS, NumericKey, NumericKind
from freshness.sources.bundled_series import BundledSeries
from freshness.suites import numeric
from freshness.suites.numeric.strata import TELLING, Stratum, allocate, era_of
from freshness.window import Status, WindowEstimate, asked_years, known_window
from freshness.window.months import months

AS_OF = date(2025, 7, 1)
NOW = 2025.5
FIRST = 1950
COUNTRIES = 120
LENGTH = {"date": 1, "comparative": 2, "window": 5, "range": 10, "minmax": 10, "trend": 10, "next_word": 1}


@dataclass(frozen=True)
class Indicator:
    """``usual``: yearly growth; ``moves``: its spread (both logarithms); ``out``: years until it is out."""

    name: str
    category: str
    usual: float
    moves: float
    out: float

    @property
    def newest(self) -> int:
        return int(NOW - 1 - self.out)


INDICATORS = [
    Indicator("emissions", "climate", 0.015, 0.06, 0.9),
    Indicator("yields", "food", 0.012, 0.15, 1.2),
    Indicator("lives", "health", 0.004, 0.006, 0.8),
    Indicator("rights", "human_rights", 0.0, 0.02, 0.3),
    Indicator("papers", "innovation", 0.04, 0.10, 1.6),
    Indicator("moves", "migration", 0.0, 0.25, 1.5),
    Indicator("incomes", "economy", 0.02, 0.035, 1.3),
    Indicator("arms", "peace_and_war", 0.0, 0.09, 0.4),
]

Series = dict[int, float]
World = dict[str, dict[str, Series]]
"""Values by indicator, country and year."""


@dataclass(frozen=True)
class Asking:
    """The questions of a run, the series behind them, and the indicators."""

    keys: list[NumericKey]
    told: World
    indicators: list[Indicator]

    def series(self, key: NumericKey) -> Series:
        return self.told[key.indicator][key.code]


def made_up(kinds: tuple[NumericKind, ...], size: int, random: np.random.Generator) -> Asking:
    """Another world each time."""
    told = world(random)
    return Asking(sample(told, kinds, size, random), told, INDICATORS)


@cache
def bundled(kinds: tuple[NumericKind, ...], size: int, seed: int) -> Asking:
    """What a run on the bundled series asks."""
    snapshot = BundledSeries().fetch()
    drawn = numeric.sample(snapshot, AS_OF, numeric.Options(seed=seed, kinds=kinds), size)
    told: World = {}
    indicators = []
    for chart in snapshot.charts:
        name = chart.indicator.id
        kept = chart.known(AS_OF)
        told[name] = {s.code: dict(zip(s.years, s.values, strict=True)) for s in kept}
        newest = max(year for series in kept for year in series.years)
        indicators.append(Indicator(name, chart.indicator.category, 0.0, 0.0, NOW - 1 - newest))
    keys = [question.numeric for question in drawn.questions if question.numeric]
    return Asking(keys, told, indicators)


def world(random: np.random.Generator) -> World:
    """Each indicator's value of each country and year."""
    found: World = {}
    for indicator in INDICATORS:
        years = range(FIRST, indicator.newest + 1)
        steps = random.normal(indicator.usual, indicator.moves, (COUNTRIES, len(years)))
        logs = random.normal(5, 1, (COUNTRIES, 1)) + np.cumsum(steps, axis=1)
        rows = enumerate(np.exp(logs).tolist())
        found[indicator.name] = {f"C{n}": dict(zip(years, row, strict=True)) for n, row in rows}
    return found


def sample(
    told: World, kinds: Iterable[NumericKind], size: int, random: np.random.Generator
) -> list[NumericKey]:
    """Questions as a run of this size asks them."""
    ends: dict[Stratum, list[int]] = {}
    for indicator in INDICATORS:
        for kind in kinds:
            for year in range(FIRST + LENGTH[kind] - 1, indicator.newest + 1):
                era = era_of(year, indicator.newest)
                ends.setdefault(Stratum(kind, indicator.category, indicator.name, era), []).append(year)
    places = allocate({stratum: len(years) * COUNTRIES for stratum, years in ends.items()}, size)
    return [
        key(told, stratum, years[random.integers(len(years))], random)
        for stratum, years in ends.items()
        for _ in range(sum(places[stratum]))
    ]


def key(told: World, stratum: Stratum, year: int, random: np.random.Generator) -> NumericKey:
    country = f"C{random.integers(COUNTRIES)}"
    series = told[stratum.indicator][country]
    years = tuple(range(year - LENGTH[stratum.kind] + 1, year + 1))
    asked = (years[0], years[-1]) if LENGTH[stratum.kind] > 2 else years
    values = series if stratum.kind == "next_word" else {y: series[y] for y in years}
    options, answer = offered(stratum.kind, series[year], series.get(year - 1, 0.0), random)
    return NumericKey(
        stratum.kind,  # type: ignore[arg-type]
        stratum.category,
        stratum.indicator,
        "",
        country,
        country,
        asked,
        series[year],
        tuple(values.items()),
        options,
        answer,
    )


def offered(
    kind: str, value: float, before: float, random: np.random.Generator
) -> tuple[tuple[str, ...], str]:
    """A ladder of four numbers, the right one anywhere on it, in a random order; or yes and no."""
    if kind == "next_word":
        return (), ""
    if kind == "comparative":
        return ("Yes", "No"), "(a)" if value > before else "(b)"
    below = int(random.integers(4))
    gaps = random.uniform(0.05, 0.35, 3)
    places = np.concatenate(([0.0], np.cumsum(gaps)))
    numbers = value * np.exp(places - places[below])
    order = random.permutation(4)
    letter = "abcd"[int(np.flatnonzero(order == below)[0])]
    return tuple(f"{numbers[n]:,.6g}" for n in order), f"({letter})"


@dataclass(frozen=True)
class Model:
    """``ends``: when its data end. ``lag``: what came out in so many years before is not in them.

    ``knows``: how probably it knows a value of a year that it knows at all. ``thins``: years over which that
    begins; ``fades``: how much less it knows for each ten years back; ``carries``: how probably it carries
    older numbers on; ``vague``: how probably it is right whatever the year; ``declines``: rather than guess.
    """

    ends: float
    lag: float
    knows: float = 0.8
    thins: int = 1
    fades: float = 0.0
    carries: float = 0.7
    vague: float = 0.0
    declines: bool = False

    def newest(self, indicator: Indicator) -> int:
        """The newest year of which it knows anything."""
        return min(math.floor(self.ends - self.lag - 1 - indicator.out), indicator.newest)

    def right(self, asked: NumericKey, series: Series, newest: int, random: np.random.Generator) -> bool:
        """Whether it answers rightly; ``newest``: the newest year of this indicator that it knows."""
        year = max(asked.years)
        since = newest - year
        level = max(0.0, self.knows - self.fades * (2024 - year) / 10)
        told = level * min(1.0, (since + 1) / (self.thins + 1)) if since >= 0 else 0.0
        if random.random() < told or random.random() < self.vague:
            return True
        if since < 0 and random.random() < level * self.carries:
            return carried(asked, series, newest)
        return not self.declines and random.random() < asked.chance


def carried(asked: NumericKey, series: Series, newest: int) -> bool:
    """What one says who takes the last known number, and thinks that things go on as in the last years."""
    if (
        asked.kind not in TELLING
        or newest - 3 not in series
        or newest not in series
        or min(series.values()) <= 0
    ):
        return False
    growth = math.cbrt(series[newest] / series[newest - 3])
    guess = series[newest] * (growth ** (max(asked.years) - newest) if abs(growth - 1) < 0.05 else 1.0)
    truth = series[max(asked.years)]
    if asked.kind == "comparative":
        return (growth > 1) == (asked.answer == "(a)")
    if not asked.options:
        return abs(guess / truth - 1) < 0.01
    numbers = [float(option.split()[0].strip("$%").replace(",", "")) for option in asked.options]
    return min(numbers, key=lambda n: abs(math.log(n / guess))) == numbers["abcd".index(asked.answer[1])]


@dataclass
class Found:
    """What came out for one model: by indicator, with the truth; and when its data end."""

    years: list[tuple[KnownYears, int]]
    window: WindowEstimate
    ends: float


def run(model: Model, asking: Asking, random: np.random.Generator) -> Found:
    newest = {indicator.name: model.newest(indicator) for indicator in asking.indicators}
    answers = [
        (key, model.right(key, asking.series(key), newest[key.indicator], random)) for key in asking.keys
    ]
    found = known_window(asked_years(answers), AS_OF)
    return Found([(known, newest[name]) for name, known in found.years.items()], found.window, model.ends)


SETTINGS: dict[str, Model] = {
    "knows 80 %": Model(NOW, 0),
    "knows 95 %, declines what it doesn't know": Model(NOW, 0, 0.95, declines=True, carries=0.0),
    "knows 50 %": Model(NOW, 0, 0.5),
    "knows 30 %": Model(NOW, 0, 0.3),
    "always carries on": Model(NOW, 0, 0.9, carries=1.0),
    "knows less of old years (90 % to 55 %)": Model(NOW, 0, 0.9, fades=0.15),
    "knows more of old years (50 % to 85 %)": Model(NOW, 0, 0.5, fades=-0.15),
    "thins out over four years": Model(NOW, 0, 0.9, thins=3),
}
IGNORANT: dict[str, Model] = {
    "knows no number, guesses": Model(1900.0, 0, 0.0),
    "knows no number, has a sense (20 %)": Model(1900.0, 0, 0.0, vague=0.2),
    "knows which way things go": Model(1985.0, 0, 0.9, carries=1.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=100, metavar="N")
    parser.add_argument("--size", type=int, default=600, metavar="N")
    parser.add_argument("--suite", choices=("numeric", "next-word"), default="numeric")
    parser.add_argument("--bundled", action="store_true")
    options = parser.parse_args()
    kinds: tuple[NumericKind, ...] = CHOICE_KINDS if options.suite == "numeric" else ("next_word",)
    series = "bundled" if options.bundled else "made-up"
    print(f"{options.suite}, {series} series, {options.size} questions, {options.models} models each")
    print(f"{'':42} {HEAD}")
    for name, model in (SETTINGS | IGNORANT).items():
        found = [run(*asked) for asked in runs(model, kinds, options)]
        known = name in SETTINGS
        print(f"{name:42} {statuses(found)} | {of_years(found) if known else '-':38}", end=" ")
        print(f"| {of_windows(found, known)}", flush=True)


HEAD = (
    "% estimated, newest, at chance, too few | years: error, bias, width; inside "
    "| cutoff: % estimated, after, too few; months: error, bias, width; inside"
)


def runs(
    model: Model, kinds: tuple[NumericKind, ...], options: argparse.Namespace
) -> Iterator[tuple[Model, Asking, np.random.Generator]]:
    """Models whose data end anywhere in the last eight years, unless long before; any lag up to a year."""
    for number in range(options.models):
        random = np.random.default_rng(number)
        ends, lag = random.uniform(NOW - 8, NOW - 0.2), random.uniform(0, 1)
        drawn = replace(model, ends=ends, lag=lag) if model.ends == NOW else model
        given = (
            bundled(kinds, options.size, number % 5)
            if options.bundled
            else made_up(kinds, options.size, random)
        )
        yield drawn, given, random


def statuses(found: list[Found]) -> str:
    """Of all indicators, in percent."""
    every = [str(known.status) for one in found for known, _ in one.years]
    names = ("estimated", "reaches_newest", "at_chance", "too_few")
    return " ".join(f"{100 * every.count(name) / len(every):3.0f}" for name in names)


def of_years(found: list[Found]) -> str:
    """How near the truth the years are."""
    told = [
        (known.low, known.estimate, known.high, truth)
        for one in found
        for known, truth in one.years
        if known.low is not None and known.estimate is not None and known.high is not None
    ]
    if not told:
        return f"{'-':38}"
    low, estimate, high, truth = np.array(told).T
    error, inside, late = estimate - truth, (low <= truth) & (truth <= high), truth < low
    return (
        f"{np.abs(error).mean():4.1f} {error.mean():+5.1f} {(high - low).mean():5.1f}  "
        f"{100 * inside.mean():3.0f}% {100 * late.mean():2.0f}% too late"
    )


def of_windows(found: list[Found], known: bool) -> str:
    """How often there is a cutoff, in percent, and how near the truth it is."""
    every = [one.window.status for one in found]
    names = (Status.ESTIMATED, Status.AFTER_RANGE, Status.TOO_FEW)
    shares = " ".join(f"{100 * every.count(name) / len(every):3.0f}" for name in names)
    told = [
        (months(cutoff.low), months(cutoff.estimate), months(cutoff.high), 12 * one.ends)
        for one in found
        if one.window.status is Status.ESTIMATED and (cutoff := one.window.cutoff)
    ]
    if not told or not known:
        return shares
    low, estimate, high, truth = np.array(told).T
    error, inside = estimate - truth, (low - 0.5 <= truth) & (truth <= high + 0.5)
    return (
        f"{shares}  {np.abs(error).mean():3.0f} {error.mean():+4.0f} {(high - low).mean():4.0f} "
        f"{100 * inside.mean():4.0f}%"
    )


if __name__ == "__main__":
    main()
