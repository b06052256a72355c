"""Runs with numbers as PNG or SVG: shares by kind and by year beside chance and the paper's models.

After TempUN's table 3 and its figures by year. Dots and bars: shares with their 95 % intervals; black: what
guessing would bring; dashed: what the paper's models scored, over all years. The same input gives the same
bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from freshness.history.choices import ChoiceFigures
from freshness.report import choices
from freshness.report.choices import Line
from freshness.report.palette import VERDICTS
from freshness.report.references import SOURCE, references
from freshness.report.text import clean_name, word
from freshness.verdicts import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GRID = "#1f2933", "#e4e7eb"
COLOURS = {verdict: colour.light for verdict, colour in VERDICTS.items()}
PAPER = ("#c98a3a", "#cf6a8d", "#9b7fd4", "#76808e", "#8fb04a", "#4fb0bf")
SIZE_INCHES = (8.4, 7.6)


def draw(name: str, figures: ChoiceFigures, choosing: bool) -> Figure:
    """The picture of one model; ``choosing``: its questions had options."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE_INCHES, layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(1, 1.15))
    shown = choices.drawn(figures)
    _by_kind(above, figures, shown, choosing)
    _by_year(below, choices.spans(figures), shown, choosing)
    above.set_title(clean_name(name, 60), loc="left", fontweight="bold")
    title = f"dashed: correct in {SOURCE}" if choosing else None
    legend = figure.legend(handles=_legend(shown, choosing), loc="outside lower center", ncols=5, title=title)
    legend.set(frame_on=False)
    return figure


def _by_kind(axes: Axes, figures: ChoiceFigures, shown: Sequence[Verdict], choosing: bool) -> None:
    mean = choices.average(figures)
    parts = choices.kinds(figures) if choosing else choices.categories(figures)
    columns = [*parts, *([mean] if mean else [])]
    for place, line in enumerate(columns):
        _dots(axes, place, line, _asides(shown, 0.3))
        if line.correct.chance:
            axes.hlines(line.correct.chance, place - 0.38, place + 0.38, colors=INK, linewidth=1.6, zorder=4)
        for model, colour in zip(references(), PAPER, strict=True):
            scored = model.average if line is mean else {"correct": model.kinds["correct"].get(line.name)}
            if scored["correct"] is not None and choosing:
                axes.hlines(
                    scored["correct"],
                    place - 0.38,
                    place + 0.38,
                    colors=colour,
                    linestyles="--",
                    linewidth=1.1,
                )
    axes.set_xticks(range(len(columns)), [_column(line) for line in columns])
    axes.set_xlim(-0.6, len(columns) - 0.4)
    _frame(axes)


def _column(line: Line) -> str:
    letters = choices.PAPER_KINDS.get(line.name)
    return f"{word(line.name)}\n{f'{letters}, ' if letters else ''}n = {line.n:,}"


def _by_year(
    axes: Axes, spans: Mapping[tuple[int, int], Line], shown: Sequence[Verdict], choosing: bool
) -> None:
    middles = [(first + last) / 2 for first, last in spans]
    for middle, (first, last), line in zip(middles, spans, spans.values(), strict=True):
        _dots(axes, middle, line, _asides(shown, 1.2))
        if line.correct.chance:
            ends = (first - 0.5, last + 0.5)
            axes.hlines(line.correct.chance, *ends, colors=INK, linewidth=1.6, zorder=4)
    for model, colour in zip(references() if choosing else (), PAPER, strict=False):
        axes.axhline(model.average["correct"], color=colour, linestyle="--", linewidth=1.1, zorder=1)
    for verdict, aside in _asides(shown, 1.2).items():
        places = [middle + aside for middle in middles]
        shares = [line.shares[verdict].value for line in spans.values()]
        axes.plot(places, shares, color=COLOURS[verdict], linewidth=0.9, alpha=0.55, zorder=3)
    axes.set_xlabel("newest year asked about")
    _frame(axes)


def _dots(axes: Axes, x: float, line: Line, asides: Mapping[Verdict, float]) -> None:
    for verdict, aside in asides.items():
        share, colour = line.shares[verdict], COLOURS[verdict]
        axes.vlines(x + aside, share.low, share.high, colors=colour, linewidth=2.0, zorder=5)
        axes.plot([x + aside], [share.value], "o", color=colour, markeredgecolor="white", zorder=6)


def _asides(shown: Sequence[Verdict], spread: float) -> dict[Verdict, float]:
    """How far each verdict stands beside the middle, so that none covers another."""
    return {verdict: spread * (number - (len(shown) - 1) / 2) for number, verdict in enumerate(shown)}


def _frame(axes: Axes) -> None:
    from matplotlib.ticker import PercentFormatter

    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.set_ylabel("share of answers")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _legend(shown: Sequence[Verdict], choosing: bool) -> list[Any]:
    from matplotlib.lines import Line2D

    handles: list[Any] = [
        Line2D([], [], color=COLOURS[verdict], marker="o", markeredgecolor="white", label=word(verdict))
        for verdict in shown
    ]
    if choosing:
        handles.append(Line2D([], [], color=INK, linewidth=1.6, label="chance (correct)"))
        handles += [
            Line2D([], [], color=colour, linestyle="--", linewidth=1.1, label=model.name)
            for model, colour in zip(references(), PAPER, strict=True)
        ]
    return handles
