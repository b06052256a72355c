"""Commands that look at what was measured: history, compare, regrade."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from freshness.cli import console
from freshness.cli.options import SUITES, AskedSuite, Output, day

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


def history(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="As it was named when it was asked.")],
    suite: AskedSuite = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="The last N runs.")] = 20,
    output: Output = "table",
) -> None:
    """What was measured of MODEL, run by run, and what changed between runs."""
    from freshness.app import past, setup, views, watching

    settings = setup.settings(context.obj)
    steps = past.history(settings, model, suite, limit, console.note)
    signs = watching.signs(settings, model, [step.run.id for step in steps])
    if output == "json":
        told = {run: [watching.event_json(event) for event in events] for run, events in signs.items()}
        console.emit_json([past.history_json(step) | {"events": told[step.run.id]} for step in steps])
    else:
        console.show(views.history(steps), *views.signs(signs))


def compare(
    context: typer.Context,
    a: Annotated[str, typer.Argument(help="A model, or a run's id.")],
    b: Annotated[str, typer.Argument(help="A model, or a run's id.")],
    suite: AskedSuite = None,
    output: Output = "table",
) -> None:
    """What differs between the latest runs of A and B, with a paired exact test."""
    from freshness.app import past, setup, views

    settings = setup.settings(context.obj)
    first, second, comparison = past.side_by_side(settings, a, b, suite, console.note)
    if output == "json":
        console.emit_json(past.comparison_json(first, second, comparison))
    else:
        console.show(views.comparison(first, second, comparison))


def regrade(
    context: typer.Context,
    model: Annotated[str | None, typer.Argument(help="Only this model's answers.")] = None,
    suite: Annotated[
        str | None, typer.Option("--suite", metavar=SUITES, help="Only answers to these questions.")
    ] = None,
    as_of: OtherDay = None,
    store: Annotated[
        bool, typer.Option("--store", help="With --as-of: keep the verdicts, so that they count from now on.")
    ] = False,
    snapshot: Annotated[
        str,
        typer.Option(
            metavar="latest|own|bundled|live|FILE",
            help="Judge by what is known now, by the facts each run was asked by, or by these.",
        ),
    ] = "latest",
    output: Output = "table",
) -> None:
    """Judge stored answers again by what is known now, without asking anything, and keep the verdicts.

    With --as-of: print what the verdicts would be on another day; the history stays as it is.
    """
    from freshness.app import past, setup, views

    keep = as_of is None or store
    with console.talk("fetching") as talk:
        settings = setup.settings(context.obj)
        done = past.regrade(settings, model, as_of, keep=keep, snapshot=snapshot, suite=suite, talk=talk)
    if output == "json":
        console.emit_json([item.to_json() for item in done])
    else:
        console.show(views.regraded(done))
