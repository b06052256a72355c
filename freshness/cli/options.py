"""Options that several commands share."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer


def day(text: str) -> date:
    """``YYYY-MM-DD``."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no date; use YYYY-MM-DD") from None


def today() -> date:
    """The day asked about unless another is given: here, since the clock stays out of everything below."""
    return datetime.now(UTC).date()


Facts = Annotated[
    list[str] | None,
    typer.Option(
        "--facts", metavar="NAME|FILE", help="Catalogue, built-in or a file. May come several times."
    ),
]
SnapshotOption = Annotated[
    str,
    typer.Option(
        "--snapshot",
        metavar="latest|live|bundled|FILE",
        help="The facts: those fetched last (else bundled ones), or fetched now if these are old, ...",
    ),
]
Output = Annotated[Literal["table", "json"], typer.Option("--format")]
AsOf = Annotated[
    date | None,
    typer.Option("--as-of", metavar="DATE", parser=day, help="The day asked about.  [default: today]"),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Ask the first N questions only.")]
Suite = Annotated[str, typer.Option("--suite", help="The kind of questions.")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained HTML report.")
]
Plot = Annotated[Path | None, typer.Option("--plot", metavar="FILE.png|svg", help="Draw the window.")]
Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="JSON lines; - is standard input.")]
