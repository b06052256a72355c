"""The pages' pictures in numbers: bars, trends, timelines and windows, in per cent of their width.

The templates only put them into SVG. Nothing here needs a script or a font's measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from freshness.app.pages.facts import FactPage, Holder, Interval
from freshness.app.pages.fleet import Point
from freshness.app.pages.models import ModelPage
from freshness.facts import PartialDate
from freshness.history import Summary
from freshness.report.figure import Row, extent, ticks, year
from freshness.report.text import percent, word
from freshness.verdicts import Verdict, verdicts_of

ROWS: Final = 60
"""So many holders are drawn; a table beside the picture has all."""
SHORTEST: Final = 0.6
"""A bar is so wide at least, in per cent, that a term of a day is seen."""
TREND_HEIGHT: Final = 28.0


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a bar from ``x`` on; ``text``: its share."""

    verdict: str
    x: float
    width: float
    text: str


def bar(counts: Mapping[str, float]) -> tuple[Part, ...]:
    """The verdicts' shares, best first, whatever the suite; those that never occur are left out."""
    total, x, parts = sum(counts.values()), 0.0, []
    for verdict in Verdict:
        width = 100 * counts.get(verdict, 0) / total if total else 0.0
        if width:
            parts.append(Part(str(verdict), round(x, 3), round(width, 3), percent(width / 100)))
        x += width
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class Line:
    """A line as SVG ``points``; ``end``: where it ends (x, y)."""

    points: str
    end: tuple[float, float]


def sparkline(shares: Sequence[float], width: float = 100.0, height: float = TREND_HEIGHT) -> Line | None:
    """Shares from 0 (bottom) to 1 (top), evenly spaced; None where there are too few for a line."""
    if len(shares) < 2:
        return None
    step = (width - 6) / (len(shares) - 1)
    at = [
        (round(3 + n * step, 1), round(3 + (1 - share) * (height - 6), 1)) for n, share in enumerate(shares)
    ]
    return Line(" ".join(f"{x:g},{y:g}" for x, y in at), at[-1])


@dataclass(frozen=True, slots=True)
class Trend:
    """The lines of one model, and what they show in a sentence; ``outdated`` None: its suite has none."""

    correct: Line
    outdated: Line | None
    words: str


def trend(points: Sequence[Point], suite: str = "current") -> Trend | None:
    """None where there are too few runs."""
    correct, outdated = sparkline([p.correct for p in points]), sparkline([p.outdated for p in points])
    if correct is None:
        return None
    first, last = points[0], points[-1]
    words = (
        f"{len(points)} runs, {first.at:%Y-%m-%d} to {last.at:%Y-%m-%d}: "
        f"correct from {percent(first.correct)} to {percent(last.correct)}"
    )
    if Verdict.OUTDATED not in verdicts_of(suite):
        return Trend(correct, None, words)
    words += f", outdated from {percent(first.outdated)} to {percent(last.outdated)}"
    return Trend(correct, outdated, words)


@dataclass(frozen=True, slots=True)
class Column:
    """One run of a history: stacked shares, ``x`` and ``width`` in per cent, ``parts`` from the top."""

    x: float
    width: float
    parts: tuple[Part, ...]
    words: str


def columns(page: ModelPage) -> tuple[Column, ...]:
    """A model's finished runs, the oldest first, each as high as the others."""
    history = page.history
    finished = [s for s in reversed(list(history)) if s.status == "finished" and s.questions]
    width = 100 / max(len(finished), 12)
    return tuple(
        Column(round(n * width, 3), round(0.86 * width, 3), bar(_parts(page, s)), _told(page, s))
        for n, s in enumerate(finished)
    )


def _parts(page: ModelPage, run: Summary) -> Mapping[str, float]:
    return page.shares[run.run].parts if run.run in page.shares else run.upper_bound


def _told(page: ModelPage, summary: Summary) -> str:
    shares = ", ".join(f"{word(part.verdict)} {part.text}" for part in bar(_parts(page, summary)))
    return f"{summary.started_at:%Y-%m-%d}: {shares}"


@dataclass(frozen=True, slots=True)
class Span:
    """A term on a timeline; ``open_start`` and ``open_end``: its bound is not known, or not reached."""

    x: float
    width: float
    open_start: bool
    open_end: bool
    words: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One value's terms."""

    label: str
    is_current: bool
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Who held it when; ``ticks``: year and place; ``today``: place of the day; ``left_out``: not drawn."""

    lanes: tuple[Lane, ...]
    ticks: tuple[tuple[int, float], ...]
    today: float
    left_out: int


def timeline(page: FactPage, today: date) -> Timeline | None:
    """The holders in order of their first term, the latest ones; None where no term has a date."""
    end = year(PartialDate.from_date(today))
    dated = sorted((_first(value), n) for n, value in enumerate(page.values) if _years(value))
    shown = [page.values[n] for _, n in dated[-ROWS:]]
    years = [y for value in shown for y in _years(value)]
    if not years:
        return None
    low = min(*years, end - 1)
    high = max(*years, end) + 0.02 * (max(*years, end) - low)
    scale = _Scale(low, high)
    return Timeline(
        tuple(Lane(v.label, v.label in page.current, _spans(v, scale, end)) for v in shown),
        tuple((tick, scale.place(tick)) for tick in ticks(low, high)),
        scale.place(end),
        len(page.values) - len(shown),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    def place(self, at: float) -> float:
        return round(100 * (min(max(at, self.low), self.high) - self.low) / (self.high - self.low), 2)


def _years(value: Holder) -> list[float]:
    bounds = [bound for term in value.intervals for bound in (term.start, term.end)]
    return [year(PartialDate.parse(bound)) for bound in bounds if bound not in (None, "unknown")]


def _first(value: Holder) -> float:
    return min(_years(value))


def _spans(value: Holder, scale: _Scale, today: float) -> tuple[Span, ...]:
    return tuple(_span(term, scale, today) for term in value.intervals if term.start or term.end)


def _span(term: Interval, scale: _Scale, today: float) -> Span:
    start = year(PartialDate.parse(term.start)) if term.start else None
    ended = term.end not in (None, "unknown")
    end = year(PartialDate.parse(term.end)) if term.end and ended else None
    # Ended nobody knows when: drawn as short as can be, from its start on.
    last = (
        end if end is not None else (start or today) if term.end == "unknown" else max(today, start or today)
    )
    x, until = scale.place(scale.low if start is None else start), scale.place(last)
    words = f"{term.start or '?'} to {term.end or 'now'}"
    return Span(x, round(max(until - x, SHORTEST), 2), start is None, not ended, words)


@dataclass(frozen=True, slots=True)
class Window:
    """When a model's answers became true (``box``, five places), and the cutoff (three); see ``Row``."""

    ticks: tuple[tuple[int, float], ...]
    box: tuple[float, ...]
    cutoff: tuple[float, ...]
    cut_at: int | None
    words: str


def window(page: ModelPage) -> Window | None:
    """The window picture of a model's newest run; None where there is nothing to draw."""
    starts, newest = page.starts, page.standing.newest
    box = (starts.minimum, starts.q1, starts.median, starts.q3, starts.maximum) if starts else ()
    cutoff = newest.cutoff if newest and newest.cutoff else ()
    row = Row(page.standing.model, _five(box), _three(cutoff), None)
    if not row.years:
        return None
    scale = _Scale(*extent([row]))
    return Window(
        tuple((tick, scale.place(tick)) for tick in ticks(scale.low, scale.high)),
        tuple(scale.place(at) for at in row.box or ()),
        tuple(scale.place(at) for at in row.cutoff or ()),
        row.cut_at(scale.low),
        _window_words(box, cutoff),
    )


def _five(days: Sequence[str]) -> tuple[float, float, float, float, float] | None:
    if not days:
        return None
    a, b, c, d, e = (year(PartialDate.parse(day)) for day in days)
    return a, b, c, d, e


def _three(days: Sequence[str]) -> tuple[float, float, float] | None:
    if not days:
        return None
    low, estimate, high = (year(PartialDate.parse(day)) for day in days)
    return low, estimate, high


def _window_words(box: Sequence[str], cutoff: Sequence[str]) -> str:
    parts = []
    if box:
        parts.append(
            f"what it answered became true from {box[0]} to {box[4]}, half of it {box[1]} to {box[3]}"
        )
    if cutoff:
        parts.append(f"training data ends {cutoff[1]}, 90% interval {cutoff[0]} to {cutoff[2]}")
    return "; ".join(parts)
