"""Tables in Markdown whose columns line up in the source too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def grid(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """A table whose columns line up in the source too; all but the first to the right if ``numbers``."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(head))]
    rule = ["-" * (w - 1) + ":" if numbers and i else "-" * w for i, w in enumerate(widths)]
    return "\n".join(_line(row, widths, numbers) for row in [cells[0], rule, *cells[1:]])


def _line(row: Sequence[str], widths: Sequence[int], numbers: bool) -> str:
    padded = [
        c.rjust(w) if numbers and i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"
