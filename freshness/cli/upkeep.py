"""Commands that keep things in order: check, db."""

from __future__ import annotations

from typing import Annotated

import typer

from freshness.cli import console


def register(cli: typer.Typer) -> None:
    """Add the commands."""
    cli.command()(check)
    database = typer.Typer(help="The database's schema.")
    database.command("upgrade")(upgrade)
    database.command("current")(current)
    cli.add_typer(database, name="db")


def check(
    context: typer.Context,
    online: Annotated[bool, typer.Option("--online", help="Ask each endpoint of the config once.")] = False,
) -> None:
    """Read the config, the catalogue, the facts and the database, and say what is wrong."""
    from freshness.app import upkeep

    faults = 0
    for finding in upkeep.check(context.obj, online=online):
        if finding.fault:
            faults += 1
            console.fail(str(finding))
        else:
            console.emit(console.plain(f"ok: {finding}"))
    if faults:
        raise typer.Exit(1)


def upgrade(context: typer.Context) -> None:
    """Bring the database to the schema of this version, making it where there is none."""
    from freshness.app import setup, upkeep

    console.emit(upkeep.upgrade_database(setup.settings(context.obj)))


def current(context: typer.Context) -> None:
    """Print the schema version of the database; exit code 1 when it is not the present one."""
    from freshness.app import setup, upkeep

    settings = setup.settings(context.obj)
    found, wanted = upkeep.database_version(settings)
    console.emit(found or "none")
    if found != wanted:
        console.note(upkeep.database_advice(settings))
        raise typer.Exit(1)
