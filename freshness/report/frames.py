"""What all tables on a terminal have in common."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from freshness.report.fitting import Labelled
from freshness.report.text import clean_name


def table(title: str = "") -> Table:
    """An empty table in the style of all of them: no frame, a title on the left."""
    return Table(
        title=Text(title, "bold") if title else None,
        title_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="dim",
    )


def lines(said: Iterable[tuple[str, str]]) -> RenderableType:
    """Names on the left, sentences on the right, wrapped under themselves."""
    return Labelled([(Text(clean_name(name)), Text(text)) for name, text in said])
