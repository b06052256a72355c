"""Commands that look at what is known and what was measured: facts, history, compare, regrade."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import typer

from freshness.cli import console
from freshness.cli.options import AsOf, Facts, SnapshotOption, Suite, day, today

Output = Annotated[Literal["table", "json"], typer.Option("--format")]
Observed = Annotated[
    date | None,
    typer.Option("--observed", metavar="DATE", parser=day, help="What the history had on record that day."),
]

OtherDay = Annotated[
    date | None,
    typer.Option(
        "--as-of",
        metavar="DATE",
        parser=day,
        help="What would the verdicts be on that day?  [default: each run's own day]",
    ),
]


def register(cli: typer.Typer) -> None:
    """Add the commands."""
    for command in (history, compare, regrade):
        cli.command()(command)
    facts = typer.Typer(help="The facts as last observed, with their intervals.")
    facts.command("list")(facts_list)
    facts.command("show")(facts_show)
    cli.add_typer(facts, name="facts")


def history(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="As it was named when it was asked.")],
    suite: Suite = "current",
    limit: Annotated[int, typer.Option("--limit", min=1, help="The last N runs.")] = 20,
    output: Output = "table",
) -> None:
    """What was measured of MODEL, run by run, and what changed between runs."""
    from freshness.app import past, setup, views

    steps = past.history(setup.settings(context.obj), model, suite, limit)
    if output == "json":
        console.emit_json([step.to_json() for step in steps])
    else:
        console.show(views.history(steps))


def compare(
    context: typer.Context,
    a: Annotated[str, typer.Argument(help="A model, or a run's id.")],
    b: Annotated[str, typer.Argument(help="A model, or a run's id.")],
    suite: Suite = "current",
    output: Output = "table",
) -> None:
    """What differs between the latest runs of A and B, with a paired exact test."""
    from freshness.app import past, setup, views

    first, second, comparison = past.side_by_side(setup.settings(context.obj), a, b, suite)
    if output == "json":
        console.emit_json(past.comparison_json(first, second, comparison))
    else:
        console.show(views.comparison(first, second, comparison))


def regrade(
    context: typer.Context,
    model: Annotated[str | None, typer.Argument(help="Only this model's answers.")] = None,
    as_of: OtherDay = None,
    store: Annotated[
        bool, typer.Option("--store", help="With --as-of: keep the verdicts, so that they count from now on.")
    ] = False,
    output: Output = "table",
) -> None:
    """Judge stored answers again by the present judge, without asking anything, and keep the verdicts.

    With --as-of: print what the verdicts would be on another day; the history stays as it is.
    """
    from freshness.app import past, setup, views

    keep = as_of is None or store
    done = past.regrade(setup.settings(context.obj), model, as_of, keep=keep)
    if output == "json":
        console.emit_json([item.to_json() for item in done])
    else:
        console.show(views.regraded(done))


def facts_list(
    context: typer.Context,
    facts: Facts = None,
    snapshot: SnapshotOption = "bundled",
    as_of: AsOf = None,
    observed: Observed = None,
    output: Output = "table",
) -> None:
    """All facts: what is true now, since when, and where that comes from."""
    from freshness.app import setup, views, world

    view = world.View(snapshot, as_of or today(), observed)
    known = world.facts(setup.settings(context.obj), view, tuple(facts or ()))
    if output == "json":
        console.emit_json([item.to_json() for item in known])
    else:
        console.show(views.facts(known))


def facts_show(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(help="An item's id (Q38) or name (Italy).")],
    property_id: Annotated[str, typer.Argument(metavar="PROPERTY", help="A property's id (P6).")],
    snapshot: SnapshotOption = "bundled",
    as_of: AsOf = None,
    observed: Observed = None,
    output: Output = "table",
) -> None:
    """One fact with all its values and intervals."""
    from freshness.app import setup, views, world

    known = world.fact(
        setup.settings(context.obj), subject, property_id, world.View(snapshot, as_of or today(), observed)
    )
    if output == "json":
        console.emit_json(known.to_json())
    else:
        console.show(views.fact(known))
