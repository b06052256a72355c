"""Options that several commands share, and what they say together."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from freshness.app.setup import Choice


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
        "--facts",
        metavar="NAME|FILE",
        help="Catalogue, built-in or a file; of numbers, indicator or category. May come several times.",
    ),
]
SnapshotOption = Annotated[
    str,
    typer.Option(
        "--snapshot",
        metavar="latest|live|bundled|PATH",
        help="Facts or series: those fetched last (else bundled ones), or fetched now if these are old, ...",
    ),
]
Output = Annotated[Literal["table", "json"], typer.Option("--format")]
AsOf = Annotated[
    date | None,
    typer.Option("--as-of", metavar="DATE", parser=day, help="The day asked about.  [default: today]"),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", min=1, help="Only the first N questions; of numbers, a stratified sample of N."),
]
SUITES = "current|numeric|next-word"
Suite = Annotated[str, typer.Option("--suite", metavar=SUITES, help="The kind of questions.")]
AskedSuite = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar=SUITES,
        help="Runs with these questions.  [default: current, else the only one that was asked]",
    ),
]
Kind = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="date|comparative|window|range|minmax|trend",
        help="Of numbers: these kinds only. May come several times.",
    ),
]
MOST_SEED = 2**31 - 1
"""As in the config, which is not loaded for the help."""
Seed = Annotated[
    int | None,
    typer.Option("--seed", min=0, max=MOST_SEED, help="Of numbers: another seed, other options and sample."),
]
Distractors = Annotated[
    Literal["fair", "paper"] | None,
    typer.Option("--distractors", help="Of numbers: wrong options that no habit sees through, or TempUN's."),
]
Entity = Annotated[
    list[str] | None,
    typer.Option(
        "--entity", metavar="NAME|CODE", help="Of numbers: these countries only. May come several times."
    ),
]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained HTML report.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE.png|svg", help="Draw the window, or the shares of numbers."),
]
Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="JSON lines; - is standard input.")]


def choice(
    suite: str,
    facts: list[str] | None,
    snapshot: str,
    as_of: date | None,
    limit: int | None,
    *,
    kind: list[str] | None,
    seed: int | None,
    distractors: Literal["fair", "paper"] | None,
    entity: list[str] | None,
) -> Choice:
    """What to ask about, as the options say; raises ``UsageError`` for one that names nothing."""
    from freshness.app.setup import Choice, Numbers, split_names

    kinds = tuple(split_names(kind or (), "--kind"))
    split_names(entity or (), "--entity")
    numbers = Numbers(kinds, seed, distractors, tuple(entity or ()))
    return Choice(suite, tuple(facts or ()), snapshot, as_of or today(), limit, numbers)
