"""The numbers: each indicator with its edition, and one indicator with what was revised and who knows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import groupby
from statistics import quantiles
from typing import Final, Literal

from freshness.app import series_failing
from freshness.app.pages.excerpts import Said, said
from freshness.app.pages.looking import Look, Slice
from freshness.app.pages.numbers import Until, untils
from freshness.app.series_refreshing import ASKING, SOURCE
from freshness.app.series_views import IndicatorView
from freshness.changes import SeriesEvent
from freshness.changes.revisions import countries, newest_year, number_text
from freshness.history import Run, Summary
from freshness.report.text import clean
from freshness.series import Chart, Series, Vintage

EVENTS: Final = 5000
"""So many of an indicator's latest events are counted."""
ANSWERS: Final = 12
"""So many answers of each model about one series are shown."""
FORMER: Final = "in the history alone: no config asks about it"
LATE: Final = timedelta(days=60)
"""A publisher is called late so long after the day that was announced, as the alert has it."""

SeriesState = Literal["ok", "failing", "stale", "late", "bundled", "missing", "not_registered"]


@dataclass(frozen=True, slots=True)
class Edition:
    """What a publisher says of the numbers that we have; ``fetched_at``: when we first saw them so."""

    label: str
    title: str
    unit: str
    updated: date | None
    next_update: date | None
    fetched_at: datetime
    citation: str
    licence: str


@dataclass(frozen=True, slots=True)
class IndicatorLine:
    """An indicator as it is asked about; ``source`` None: there are no numbers of it yet.

    ``confirmed_at``: when the source last gave it so. ``state``: ``failing``: the last refresh did not take
    it, so that its numbers are those from before, and why is the ``reason``; ``missing``: there never were
    any, with the reason where a refresh told one; ``stale``: not confirmed for longer than ``owid.max_age``;
    ``late``: the publisher announced an update for a day long gone; ``bundled``: as it came with the package;
    ``not_registered``: fetched once, and no config asks about it any more.
    """

    indicator: str
    category: str
    subcategory: str
    phrase: str
    unit: str
    source: str | None
    state: SeriesState
    reason: str | None
    newest_year: int | None
    countries: int
    confirmed_at: datetime | None
    edition: Edition | None


@dataclass(frozen=True, slots=True)
class Point:
    """The value of a year, and what earlier editions gave for it (the newest of those first).

    ``projected``: the year was not over when the edition came out.
    """

    year: int
    value: float
    text: str
    formerly: tuple[str, ...]
    projected: bool


@dataclass(frozen=True, slots=True)
class Middle:
    """The quartiles of all countries in a year."""

    year: int
    q1: float
    median: float
    q3: float


@dataclass(frozen=True, slots=True)
class Happened:
    """What an edition told that the one before did not: how many series, by kind of event."""

    seen_at: datetime
    before: str
    after: str
    series: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Revised:
    """One event of the series that is shown; ``before`` and ``after`` as ``81.9 (2011)``."""

    seen_at: datetime
    kind: str
    vintages: tuple[str, str]
    before: tuple[str, ...]
    after: tuple[str, ...]
    differing: int
    newly_outdated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knows:
    """What a model knows of the indicator, by its newest finished run of that suite."""

    model: str
    suite: str
    run: str
    asked_at: datetime
    until: Until


@dataclass(frozen=True, slots=True)
class AskedAbout:
    """A model's newest answers about the series that is shown; ``more``: the run has others."""

    model: str
    suite: str
    run: str
    asked_at: datetime
    answers: tuple[Said, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """One entity's series."""

    entity: str
    code: str
    points: tuple[Point, ...]
    changes: tuple[Revised, ...]
    models: tuple[AskedAbout, ...]


@dataclass(frozen=True, slots=True)
class SeriesPage:
    """``entities``: code and name of those there are; ``shown``: the one that was asked for."""

    line: IndicatorLine
    entities: tuple[tuple[str, str], ...]
    middle: tuple[Middle, ...]
    history: tuple[Happened, ...]
    models: tuple[Knows, ...]
    shown: Shown | None


def indicators(
    look: Look, category: str | None = None, offset: int = 0, limit: int = 100
) -> Slice[IndicatorLine]:
    """Every indicator of the config, by category."""
    found = [line(look, view) for view in look.series() if category in (None, view.indicator.category)]
    return Slice.of(found, offset, limit)


def indicator(look: Look, name: str, entity: str | None = None) -> SeriesPage | None:
    """One indicator, and one entity's series of it by code or name; None for one that was never known."""
    asked = next((view for view in look.series() if view.indicator.id == name), None)
    view = asked or look.former_series(name)
    if view is None:
        return None
    events = look.store.series_events(limit=EVENTS, indicator=name) if view.source == SOURCE else []
    chart = view.chart
    series = chart.find(entity or "") if chart else None
    return SeriesPage(
        line(look, view) if asked else replace(line(look, view), state="not_registered", reason=FORMER),
        tuple((clean(one.code), clean(one.entity)) for one in _countries(chart)),
        tuple(_middles(chart)) if chart else (),
        tuple(_history(events)),
        tuple(_knows(look.store.latest_summaries(), name)),
        _shown(look, view, chart, series, events) if chart and series else None,
    )


def line(look: Look, view: IndicatorView) -> IndicatorLine:
    """An indicator at a glance."""
    one, chart = view.indicator, view.chart
    state, reason = _state(look, view)
    return IndicatorLine(
        one.id,
        one.category,
        clean(one.subcategory),
        clean(one.topic),
        clean(one.unit),
        view.source or None,
        state,
        reason,
        newest_year(chart) if chart else None,
        countries(chart) if chart else 0,
        view.state.last_seen if view.state and view.source == SOURCE else None,
        _edition(chart.vintage) if chart else None,
    )


def _state(look: Look, view: IndicatorView) -> tuple[SeriesState, str | None]:
    """What is amiss, the worst first."""
    why = clean(series_failing.reason(view.fault), 400) if view.fault else None
    if view.chart is None:
        return "missing", why
    if why:
        return "failing", why
    if view.state is None or view.source != SOURCE:
        return "bundled", None
    if look.now - view.state.last_seen > look.settings.owid.max_age:
        return "stale", "not confirmed for longer than owid.max_age"
    due = view.chart.vintage.next_update
    if due and look.now.date() - due > LATE:
        return "late", f"its publisher meant to update it on {due}"
    return "ok", None


def _edition(vintage: Vintage) -> Edition:
    return Edition(
        vintage.label(),
        clean(vintage.title, 300),
        clean(vintage.unit),
        vintage.updated,
        vintage.next_update,
        vintage.fetched_at,
        clean(vintage.credit, 1000),
        clean(vintage.licence, 300),
    )


def _countries(chart: Chart | None) -> list[Series]:
    return sorted((s for s in chart.series if s.is_country), key=lambda s: s.entity) if chart else []


def _middles(chart: Chart) -> Iterable[Middle]:
    last = chart.vintage.last_year
    values = sorted(
        (year, value)
        for one in chart.series
        if one.is_country
        for year, value in one.points.items()
        if year <= last
    )
    for year, members in groupby(values, key=lambda pair: pair[0]):
        found = [value for _, value in members]
        if len(found) > 1:
            yield Middle(year, *quantiles(found, n=4, method="inclusive"))


def _history(events: Sequence[SeriesEvent]) -> Iterable[Happened]:
    for (seen_at, vintages), members in groupby(events, key=lambda event: (event.seen_at, event.vintages)):
        counts = Counter(str(event.kind) for event in members)
        before, after = (clean(label) for label in vintages)
        yield Happened(seen_at, before, after, dict(sorted(counts.items())))


def _knows(runs: Iterable[Summary], name: str) -> Iterable[Knows]:
    for run in runs:
        for until in untils(run.choices) if run.choices else ():
            if until.indicator == clean(name):
                yield Knows(run.model, run.suite, run.run, run.started_at, until)


def _shown(
    look: Look, view: IndicatorView, chart: Chart, series: Series, events: Sequence[SeriesEvent]
) -> Shown:
    key = series.code or series.entity
    fetched = view.source == SOURCE
    earlier = look.store.series_history(SOURCE, series.indicator, key) if fetched else []
    return Shown(
        clean(series.entity),
        clean(series.code),
        tuple(_points(series, chart.vintage, [was for was in earlier if was[1] != chart.vintage])),
        tuple(_revised(event) for event in events if event.series == series.id),
        tuple(_asked(run) for suite in ASKING for run in look.store.runs_about([series.id], suite)),
    )


def _points(series: Series, vintage: Vintage, earlier: Sequence[tuple[Series, Vintage]]) -> Iterable[Point]:
    former = [(was.points, edition) for was, edition in earlier]
    for year, value in series.points.items():
        told = [(values[year], edition.label()) for values, edition in former if year in values]
        texts = dict.fromkeys(f"{number_text(was)} ({label})" for was, label in told if was != value)
        formerly = tuple(clean(text) for text in texts)
        yield Point(year, value, number_text(value), formerly, year > vintage.last_year)


def _revised(event: SeriesEvent) -> Revised:
    before, after = (tuple(clean(text) for text in told) for told in (event.before, event.after))
    outdated = tuple(effect.model for effect in event.effects if effect.newly_outdated)
    vintages = clean(event.vintages[0]), clean(event.vintages[1])
    return Revised(event.seen_at, event.kind, vintages, before, after, event.differing, outdated)


def _asked(run: Run) -> AskedAbout:
    keys = {question.id: question.numeric for question in run.questions}
    answers = tuple(said(trial, keys.get(trial.question)) for trial in run.trials[:ANSWERS])
    return AskedAbout(run.model, run.suite, run.id, run.started_at, answers, len(run.trials) > ANSWERS)
