"""Commands about numbers: series list, show, select."""

from __future__ import annotations

from typing import Annotated

import typer

from freshness.cli import console
from freshness.cli.options import AsOf, Output, today

Charts = Annotated[
    list[str] | None,
    typer.Option(
        "--facts",
        metavar="NAME|FILE",
        help="Category, indicator or a file of charts. May come several times, or with commas.",
    ),
]
From = Annotated[
    str,
    typer.Option(
        "--snapshot",
        metavar="latest|live|bundled|DIRECTORY",
        help="The series: those fetched last (else bundled ones), or fetched now if these are old, ...",
    ),
]


def register(cli: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="The numbers: indicators of Our World in Data, and their editions.")
    group.command("list")(series_list)
    group.command("show")(series_show)
    group.command("select")(series_select)
    cli.add_typer(group, name="series")


def series_list(
    context: typer.Context, facts: Charts = None, snapshot: From = "latest", output: Output = "table"
) -> None:
    """All indicators: what they count, how new they are, where they are from."""
    from freshness.app import series_tables, series_views, setup

    with console.talk("fetching") as talk:
        views = series_views.listed(setup.settings(context.obj), snapshot, tuple(facts or ()), talk)
    if output == "json":
        console.emit_json([view.to_json() for view in views])
    else:
        console.show(series_tables.listed(views))


def series_show(
    context: typer.Context,
    indicator: Annotated[str, typer.Argument(help="As `series list` names it, such as life-expectancy.")],
    entity: Annotated[str, typer.Argument(help="A country's code (FRA) or name (France).")],
    snapshot: From = "latest",
    every: Annotated[bool, typer.Option("--all", help="All years, not the newest 20 alone.")] = False,
    output: Output = "table",
) -> None:
    """One series: whose data it is, what was revised, its values and what earlier editions gave."""
    from freshness.app import series_tables, series_views, setup

    with console.talk("fetching") as talk:
        view = series_views.shown(setup.settings(context.obj), indicator, entity, snapshot, talk)
    if output == "json":
        console.emit_json(view.to_json())
    else:
        console.show(series_tables.shown(view, every=every))


def series_select(
    context: typer.Context,
    facts: Charts = None,
    snapshot: From = "latest",
    as_of: AsOf = None,
    output: Output = "table",
) -> None:
    """One indicator for each category, as TempUN chose them: 76 years without a gap, and the most change."""
    from freshness.app import series_tables, series_views, setup

    settings = setup.settings(context.obj)
    with console.talk("fetching") as talk:
        found = series_views.selected(settings, snapshot, tuple(facts or ()), as_of or today(), talk)
    if output == "json":
        console.emit_json(found[0].to_json())
    else:
        console.show(series_tables.selected(*found))
