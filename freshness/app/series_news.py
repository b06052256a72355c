"""What a refresh of the charts brought, and what happened to series: how it looks on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, get_args

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from freshness.app import series_failing
from freshness.app.series_refreshing import SeriesRefreshed
from freshness.changes import Effect, SeriesEvent
from freshness.changes.events import newly_outdated
from freshness.changes.revisions import SeriesKind, number_text
from freshness.report.fitting import Fitted
from freshness.report.frames import lines, table
from freshness.report.text import DASH, clean, clean_name, counted, joined, seconds, word
from freshness.series import Chart, is_country

NAME: Final = 60
ROWS: Final = 50
"""As many rows of what happened as one cares to scroll through; JSON has all."""
KINDS: Final = get_args(SeriesKind)
"""What makes something wrong comes first."""
NAMED: Final = 3
"""So many series are named where many share a row."""


def refreshed(done: SeriesRefreshed) -> RenderableType:
    """What is new first: what happened to series, then which charts are new, failed or as they were."""
    parts: list[RenderableType] = [changes(done.events), ""] if done.events else []
    outdated = newly_outdated(done.events).items()
    editions = {chart.indicator.id: chart.vintage.label() for chart in done.charts}
    told = [
        ("newly outdated", [f"{clean_name(model)} ({number:,} series)" for model, number in outdated]),
        ("another edition", [name for name in done.changed if name not in done.new]),
        ("first fetched", done.new),
        ("same numbers", [f"{name} (edition of {editions[name]})" for name in done.reworded]),
        ("not taken", [fault.indicator for fault in done.failed if fault.indicator not in done.kept]),
        ("kept as known", done.kept),
    ]
    said = [
        (name, series_failing.names([clean_name(one) for one in all_], series_failing.FEW))
        for name, all_ in told
        if all_
    ]
    same = len(done.charts) - len(done.changed) - len(done.reworded)
    said += [("as it was", counted(same, "chart"))] if same else []
    said.append(("asked", f"{counted(done.requests, 'request')}, {seconds(done.seconds)}"))
    said += _cited(chart for chart in done.charts if chart.indicator.id in done.changed)
    return Group(*parts, lines(said))


def _cited(charts: Iterable[Chart]) -> list[tuple[str, str]]:
    """Whose data the news are, in short: the first sentence of each citation."""
    short = dict.fromkeys(clean(chart.vintage.citation.partition(". “")[0], 200) for chart in charts)
    if not short:
        return []
    return [("data", joined(*short)), ("", "`freshness series show` cites each in full")]


def changes(events: Sequence[SeriesEvent]) -> RenderableType:
    """What happened to series, the newest first; one row for all of a kind in one edition."""
    groups = [list(group) for _, group in groupby(sorted(events, key=_order), key=_order)]
    groups.sort(key=lambda group: group[0].seen_at, reverse=True)
    view = table()
    for name in ("seen", "kind", "indicator"):
        view.add_column(name, no_wrap=True)
    for name, least in (("series", 20), ("such as", 24), ("models", 12)):
        view.add_column(name, ratio=least, min_width=least)
    view.expand = True
    rows = [_row(group) for group in groups[:ROWS]]
    for row in rows:
        view.add_row(*row)
    more = len(groups) - ROWS
    parts: list[RenderableType] = [Fitted(view, Group(*map(_narrow, rows)))]
    if more > 0:
        parts.append(Text(f"… and {more:,} more rows: --format json has all", "dim"))
    return Group(*parts)


def _order(event: SeriesEvent) -> tuple[str, str, int]:
    return event.seen_at.isoformat(), event.indicator, KINDS.index(event.kind)


def _narrow(row: Sequence[Text]) -> RenderableType:
    """Two lines or three: when, what and where; which series, with an example; whose answers that touches."""
    *about, series, example, models = row
    told = Text("; such as ").join([series, example])
    parts = [told, models] if models.plain != DASH else [told]
    return Group(Text("  ").join(about), *(Padding(part, (0, 0, 0, 4)) for part in parts))


def _row(group: Sequence[SeriesEvent]) -> list[Text]:
    """Countries first, for they are asked about; the one that touches most answers is the example."""
    order = sorted(group, key=_weight, reverse=True)
    first = order[0]
    return [
        Text(f"{first.seen_at:%Y-%m-%d %H:%M}"),
        Text(word(first.kind), "bold" if first.kind == "revision" else "dim"),
        Text(clean_name(first.indicator)),
        Text(_which(order)),
        Text(_example(first)),
        _models([effect for event in group for effect in event.effects]),
    ]


def _weight(event: SeriesEvent) -> tuple[bool, int, int]:
    return is_country(event.code), len(event.effects), event.differing


def _which(order: Sequence[SeriesEvent]) -> str:
    """A few countries by name, and how many other series and values there are in all."""
    countries = [event for event in order if is_country(event.code)]
    # In a file without codes nothing tells a country by a new name from an aggregate.
    uncoded = sum(not event.code for event in order)
    aggregates = len(order) - len(countries) - uncoded
    names = [clean(event.entity, NAME) for event in countries[:NAMED]]
    more = len(countries) - len(names)
    names += [f"{more} more {'country' if more == 1 else 'countries'}"] if more else []
    names += [counted(aggregates, "aggregate")] if aggregates else []
    names += [f"{uncoded:,} series without a code"] if uncoded else []
    values = sum(event.differing for event in order)
    return ", ".join(names) + (f": {counted(values, 'value')}" if values else "")


def _example(event: SeriesEvent) -> str:
    """The newest year of one series: ``France 2020: 82.2, now 82.1``; a former name."""
    entity = clean(event.entity, NAME)
    if event.kind == "renamed":
        return f"{clean(event.formerly, NAME)}, now {entity}"
    if not event.years:
        return entity
    was, now = (None if value is None else number_text(value) for value in (event.was[-1], event.now[-1]))
    about = f"{entity} {event.years[-1]}"
    return f"{about}: {now}" if was is None else f"{about}: {was}, now {now or 'without a value'}"


def _models(effects: Sequence[Effect]) -> Text:
    """How many answers of each model are judged differently, and how."""
    counts = Counter((effect.model, str(effect.before), str(effect.after)) for effect in effects)
    told = [
        f"{clean_name(model, 40)} ({number} {word(before)}, now {word(after)})"
        for (model, before, after), number in counts.items()
    ]
    return Text(", ".join(told) or DASH, "" if told else "dim")
