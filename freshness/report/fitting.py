"""Tables that lose nothing on a narrow terminal: what has no room wraps, and then stands below."""

from __future__ import annotations

import textwrap
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.styled import Styled
from rich.table import Column, Table
from rich.text import Text

LEAST = 12
"""Cells that a column which may wrap needs to be read."""

LABEL = 26
"""So wide labels get at the most."""

GAP = 2
"""Cells between two columns."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The table; where the terminal is too narrow for all of its columns, its rows one cell a line.

    ``narrow``: what is shown then instead. Words break nowhere while other columns have room to spare.
    """

    table: Table
    narrow: RenderableType | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        sizes = [_size(console, options, column) for column in self.table.columns]
        room = options.max_width - GAP * (len(sizes) - 1)
        if sum(size.least for size in sizes) > room:
            yield from self._stacked() if self.narrow is None else [self.narrow]
            return
        yield self._laid_out(_widths(self.table.columns, sizes, room))

    def _laid_out(self, widths: Sequence[int]) -> Table:
        """The table with these widths: rich by itself breaks words of one for spaces of another."""
        laid = copy(self.table)
        laid.columns, laid.expand = [copy(column) for column in self.table.columns], False
        for column, width in zip(laid.columns, widths, strict=True):
            column.ratio, column.width = None, width
            if not column.no_wrap:
                column.overflow = "fold"
        return laid

    def _stacked(self) -> Iterator[RenderableType]:
        if self.table.title:
            yield self.table.title
        told: list[tuple[RenderableType, RenderableType]] = []
        for number, row in enumerate(zip(*(column.cells for column in self.table.columns), strict=True)):
            told += [("", "")] if number else []
            cells = list(zip((column.header for column in self.table.columns), row, strict=True))
            told += [
                (cell, "") if place == 0 and _is_blank(header) else (header, cell)
                for place, (header, cell) in enumerate(cells)
                if not (_is_blank(header) and _is_blank(cell))
            ]
        yield Labelled(told)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels on the left, what is said of each on the right; where that is too narrow, below it."""

    rows: Sequence[tuple[RenderableType, RenderableType]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        wide = options.update(max_width=10_000)
        widest = max((Measurement.get(console, wide, label).maximum for label, _ in self.rows), default=0)
        if min(widest, LABEL) + GAP + LEAST <= options.max_width:
            yield self._beside()
            return
        for label, told in self.rows:
            if not _is_blank(label) or _is_blank(told):
                yield Styled(label, "dim")
            if not _is_blank(told):
                yield Padding(told, (0, 0, 0, GAP))

    def _beside(self) -> Table:
        grid = Table.grid(padding=(0, GAP, 0, 0))
        grid.add_column(style="dim", overflow="fold", max_width=LABEL)
        grid.add_column(overflow="fold")
        for row in self.rows:
            grid.add_row(*row)
        return grid


def _widths(columns: Sequence[Column], sizes: Sequence[_Size], room: int) -> list[int]:
    """Words that don't break come first, then columns that don't wrap; those that stretch get the rest."""
    unbroken = filled([(size.least, max(size.least, size.word)) for size in sizes], room)
    ends = [
        least if column.ratio else size.whole
        for column, size, least in zip(columns, sizes, unbroken, strict=True)
    ]
    widths = filled(list(zip(unbroken, ends, strict=True)), room)
    ratios = {place: column.ratio for place, column in enumerate(columns) if column.ratio}
    rest = room - sum(width for place, width in enumerate(widths) if place not in ratios)
    stretched = filled([(widths[place], room) for place in ratios], rest, list(ratios.values()))
    for place, width in zip(ratios, stretched, strict=True):
        widths[place] = width
    return widths


def filled(sizes: Sequence[tuple[int, int]], room: int, weights: Sequence[int] = ()) -> list[int]:
    """Widths between each least and whole size that add up to ``room`` at most, as even as can be.

    ``weights``: by which they share instead.
    """
    parts = weights or [1] * len(sizes)
    total = sum(parts)

    def widths(level: int) -> list[int]:
        shares = (level * part // total for part in parts)
        return [min(whole, max(least, share)) for (least, whole), share in zip(sizes, shares, strict=True)]

    level = bisect_right(range(room * total + 1), room, key=lambda level: sum(widths(level)))
    return widths(max(level - 1, 0))


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


class _Size(NamedTuple):
    """Cells that a column needs at least, that no word of it breaks, and that nothing wraps."""

    least: int
    word: int
    whole: int


def _size(console: Console, options: ConsoleOptions, column: Column) -> _Size:
    wide = options.update(max_width=10_000)
    found = [Measurement.get(console, wide, cell) for cell in (column.header, *column.cells)]
    whole = max(one.maximum for one in found)
    if column.no_wrap:
        return _Size(whole, whole, whole)
    least = column.min_width or min(LEAST, whole)
    return _Size(least, max(one.minimum for one in found), max(least, whole))


def _is_blank(cell: RenderableType) -> bool:
    return not str(cell) if isinstance(cell, str | Text) else False
