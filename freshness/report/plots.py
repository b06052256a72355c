"""The window picture as PNG or SVG: a box a model, as the papers draw it (DyKnow, figures 3, 5 and 6).

Box and median: quartiles of the validity starts of what the model answered; whiskers: minimum and maximum.
Diamond and bar: the cutoff's estimate and 90 % interval; tick: the cutoff that the vendor declares. The same
input gives the same bytes.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freshness.errors import UsageError
from freshness.history.choices import ChoiceFigures
from freshness.report.data import ModelReport
from freshness.report.figure import Row, extent, rows, ticks
from freshness.report.files import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
BOX, INK, CUTOFF = "#9fc5e8", "#1f2933", "#c2410c"
WIDTH_INCHES, ROW_INCHES, FRAME_INCHES = 7.2, 0.42, 1.35
_SETTINGS: Any = {
    "svg.hashsalt": "freshness",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.edgecolor": "#9aa5b1",
    "text.parse_math": False,
}


def check_format(path: Path) -> str:
    """The format that the ending of ``path`` says; raises ``UsageError`` for another, or no matplotlib."""
    format_ = path.suffix.lower().removeprefix(".")
    if format_ not in FORMATS:
        raise UsageError(f"can't plot into {path}: the name must end in .png or .svg")
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("plots need matplotlib: pip install 'freshness[plot]'") from None
    return format_


def write_plot(models: Sequence[ModelReport], path: Path) -> bool:
    """Draws the window of each model, or the numbers of a single one, into ``path``.

    False, and no file, where there is nothing to draw.

    Raises ``UsageError`` as ``check_format`` does, and for a path that can't be written.
    """
    format_ = check_format(path)
    figures = models[0].choices if len(models) == 1 else None
    if figures and figures.kinds:
        write_file(path, render_choices(models[0], figures, format_))
        return True
    drawn = rows(models)
    if drawn:
        write_file(path, render(drawn, format_))
    return bool(drawn)


def render(drawn: Sequence[Row], format_: str) -> bytes:
    """The bytes of the window picture."""
    return _bytes(lambda: _figure(drawn), format_)


def render_choices(model: ModelReport, figures: ChoiceFigures, format_: str) -> bytes:
    """The bytes of the picture of a run with numbers."""
    from freshness.report.choice_plots import draw

    return _bytes(lambda: draw(model.name, figures, model.is_choosing), format_)


def _bytes(draw: Callable[[], Figure], format_: str) -> bytes:
    import matplotlib

    metadata: dict[str, Any] = (
        {"Date": None, "Creator": "freshness"} if format_ == "svg" else {"Software": None}
    )
    out = io.BytesIO()
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; that is no reason to stop.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        draw().savefig(out, format=format_, dpi=200, metadata=metadata)
    return out.getvalue()


def _figure(drawn: Sequence[Row]) -> Figure:
    from matplotlib.figure import Figure

    height = FRAME_INCHES + ROW_INCHES * len(drawn)
    figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
    axes = figure.add_subplot()
    low, high = extent(drawn)
    for place, row in enumerate(drawn):
        _boxes(axes, row, place)
        _marks(axes, row, place)
        _cut(axes, row, place, low)
    _frame(axes, drawn, low, high)
    figure.legend(
        handles=_legend(drawn), loc="outside upper center", ncols=3, frameon=False, handlelength=1.8
    )
    return figure


def _boxes(axes: Axes, row: Row, place: int) -> None:
    if row.box is None:
        return
    low, q1, middle, q3, high = row.box
    summary = {"whislo": low, "q1": q1, "med": middle, "q3": q3, "whishi": high}
    line = {"color": INK, "linewidth": 1.0}
    axes.bxp(
        [summary],
        positions=[place],
        widths=0.5,
        orientation="horizontal",
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": BOX, "edgecolor": INK, "linewidth": 1.0},
        medianprops={"color": INK, "linewidth": 2.0},
        whiskerprops=line,
        capprops=line,
    )


def _marks(axes: Axes, row: Row, place: int) -> None:
    if row.declared is not None:
        axes.vlines(
            row.declared, place - 0.36, place + 0.36, colors=INK, linestyles=":", linewidth=1.6, zorder=4
        )
    if row.cutoff:
        low, estimate, high = row.cutoff
        axes.hlines(place, low, high, colors=CUTOFF, linewidth=2.2, zorder=5)
        axes.plot([estimate], [place], "D", color=CUTOFF, markeredgecolor="white", markersize=6, zorder=6)


def _cut(axes: Axes, row: Row, place: int, low: float) -> None:
    begins = row.cut_at(low)
    if begins is not None:
        label = axes.annotate(f"◂ {begins}", (low, place), (2, 2), textcoords="offset points", va="bottom")
        label.set(color=INK, fontsize=7.0)


def _frame(axes: Axes, drawn: Sequence[Row], low: float, high: float) -> None:
    axes.set_xlim(low, high)
    axes.set_xticks(ticks(low, high, 11))
    axes.set_ylim(len(drawn) - 0.45, -0.55)
    axes.set_yticks(range(len(drawn)), [row.name for row in drawn])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e4e7eb", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("validity start of what was answered (year)")


def _legend(drawn: Sequence[Row]) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    if any(row.box for row in drawn):
        handles.append(Patch(facecolor=BOX, edgecolor=INK, label="quartiles, median, range of answers"))
    if any(row.cutoff for row in drawn):
        diamond = Line2D(
            [], [], color=CUTOFF, marker="D", markersize=5.5, linewidth=2.2, markeredgecolor="white"
        )
        diamond.set_label("cutoff, 90% interval")
        handles.append(diamond)
    if any(row.declared is not None for row in drawn):
        handles.append(Line2D([], [], color=INK, linestyle=":", linewidth=1.6, label="declared cutoff"))
    return handles
