"""Commands that keep things in order: check, db."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated

import typer

from freshness.cli import console
from freshness.cli.options import Output, day


def register(cli: typer.Typer) -> None:
    """Add the commands."""
    cli.command()(check)
    database = typer.Typer(help="The database: its schema, its size, copies of it.")
    for command in (upgrade, current, sizes, prune, backup):
        database.command()(command)
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


def sizes(context: typer.Context, output: Output = "table") -> None:
    """How many rows and bytes each table has, and the whole database."""
    from freshness.app import pruning, setup, views

    space = pruning.space(setup.settings(context.obj))
    if output == "json":
        console.emit_json(space.to_json())
    else:
        console.show(views.space(space))


def prune(
    context: typer.Context,
    before: Annotated[
        date | None,
        typer.Option(
            "--before",
            metavar="DATE",
            parser=day,
            help="Of runs begun before that day (UTC).  [default: older than [store] keep_answers]",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="Give the space back to the disk (SQLite); writers wait.")
    ] = False,
    output: Output = "table",
) -> None:
    """Drop the texts of old answers; verdicts stay. Needs no --before where the config says for how long.

    Old records of the daemon's jobs go too.
    """
    from freshness.app import pruning, setup

    settings = setup.settings(context.obj)
    moment = datetime.combine(before, time(), UTC) if before else None
    pruned = pruning.prune(settings, moment, now=datetime.now(UTC), dry=dry_run)
    if compact and not dry_run:
        pruning.compact(settings)
    if output == "json":
        console.emit_json(pruned.to_json())
    else:
        console.emit(str(pruned))


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
) -> None:
    """Copy an SQLite database into FILE while it is in use, and check the copy."""
    from freshness.app import pruning, setup

    size = pruning.back_up(setup.settings(context.obj), file)
    console.emit(f"{size:,} bytes written")
