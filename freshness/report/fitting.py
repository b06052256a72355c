"""Tables that lose nothing on a narrow terminal: what has no room wraps, and then stands below."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

LEAST = 12
"""Cells that a column which may wrap needs to be read."""

GAP = 2
"""Cells between two columns."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The table; where the terminal is too narrow for all of its columns, its rows one cell a line.

    ``narrow``: what is shown then instead.
    """

    table: Table
    narrow: RenderableType | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        needs = [_least(console, options, column) for column in self.table.columns]
        spare = options.max_width - sum(needs) - GAP * (len(needs) - 1)
        if spare < 0:
            yield from self._stacked() if self.narrow is None else [self.narrow]
            return
        stretches = any(column.ratio for column in self.table.columns)
        for column, least in zip(self.table.columns, needs, strict=True):
            if not column.no_wrap:
                column.overflow = "fold"
            if stretches and not column.no_wrap and not column.ratio:
                # Else a long name would take all that the stretching column has.
                column.max_width = least + spare
        yield self.table

    def _stacked(self) -> Iterator[RenderableType]:
        if self.table.title:
            yield self.table.title
        grid = Table.grid(padding=(0, GAP, 0, 0))
        grid.add_column(style="dim", overflow="fold", max_width=2 * LEAST)
        grid.add_column(overflow="fold")
        for number, row in enumerate(zip(*(column.cells for column in self.table.columns), strict=True)):
            if number:
                grid.add_row()
            for column, cell in zip(self.table.columns, row, strict=True):
                if column.header or not _is_blank(cell):
                    grid.add_row(column.header, cell)
        yield grid


@dataclass(frozen=True, slots=True)
class Hyphenated:
    """A line of text; where its column is too narrow for a long name, that breaks after a hyphen."""

    text: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        too_long = any(cell_len(word) > options.max_width for word in self.text.split())
        lines = textwrap.wrap(self.text, options.max_width, break_on_hyphens=too_long)
        # What has wide characters may still not fit, and then breaks anywhere.
        yield Text("\n".join(lines), overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        least = max(map(cell_len, textwrap.wrap(self.text, 1, break_long_words=False)), default=0)
        return Measurement(least, cell_len(self.text)).with_maximum(options.max_width)


def _least(console: Console, options: ConsoleOptions, column: Column) -> int:
    """Cells that a column needs: all where it must not wrap."""
    wide = options.update(max_width=10_000)
    sizes = [Measurement.get(console, wide, cell) for cell in (column.header, *column.cells)]
    if column.no_wrap:
        return max(size.maximum for size in sizes)
    return column.min_width or min(LEAST, max(size.minimum for size in sizes))


def _is_blank(cell: RenderableType) -> bool:
    return not str(cell) if isinstance(cell, str | Text) else False
