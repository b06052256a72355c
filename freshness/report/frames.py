"""What all tables on a terminal have in common."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

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


def lines(said: Iterable[tuple[str, str]]) -> Table:
    """Names on the left, sentences on the right, wrapped under themselves."""
    view = table()
    view.show_header = False
    view.add_column(style="dim", max_width=26, overflow="fold")
    view.add_column(overflow="fold")
    for name, text in said:
        view.add_row(Text(clean_name(name)), Text(text))
    return view
