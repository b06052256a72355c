"""Commands about the world: refresh, changes, and the facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from freshness.cli import console
from freshness.cli.options import AsOf, Facts, Output, SnapshotOption, day, today

if TYPE_CHECKING:
    from rich.console import RenderableType

    from freshness.app.snapshots import Talk

_Done = tuple[Any, Callable[[], "RenderableType"]]
"""What a refresh brought (with ``faults`` and ``to_json``), and how it looks."""

Observed = Annotated[
    date | None,
    typer.Option(
        "--observed",
        metavar="DATE",
        parser=day,
        help="What the history had on record that day, as of that day.",
    ),
]
Since = Annotated[
    date | None, typer.Option("--since", metavar="DATE", parser=day, help="Only what was seen since.")
]
Accept = Annotated[
    list[str] | None,
    typer.Option(
        "--accept",
        metavar="FACT|INDICATOR",
        help="Take a suspicious result, such as Q38/P6 or life-expectancy, for right.",
    ),
]

FAULTS = 10
"""So many faults are told one by one."""


def register(cli: typer.Typer) -> None:
    """Add the commands."""
    for command in (refresh, changes):
        cli.command()(command)
    facts = typer.Typer(help="The facts as last observed, with their intervals.")
    facts.command("list")(facts_list)
    facts.command("show")(facts_show)
    facts.command("check")(facts_check)
    facts.command("suggest")(facts_suggest)
    cli.add_typer(facts, name="facts")


def refresh(
    context: typer.Context,
    source: Annotated[
        Literal["wikidata", "owid"], typer.Argument(help="Where to fetch from: facts, or numbers.")
    ] = "wikidata",
    facts: Annotated[
        list[str] | None,
        typer.Option(
            "--facts",
            metavar="NAME|FILE",
            help="Catalogue, category or indicator, or a file. May come several times.",
        ),
    ] = None,
    accept: Accept = None,
    output: Output = "table",
) -> None:
    """Fetch now; print what changed in the world and which models that made outdated.

    Nothing is asked of any model. With --facts only these catalogues (of owid: charts) are fetched.
    """
    work = _refresh_facts if source == "wikidata" else _refresh_series
    with console.talk(f"fetching from {source}") as talk:
        done, view = work(context.obj, tuple(facts or ()), frozenset(accept or ()), talk)
    if output == "json":
        console.emit_json(done.to_json())
    else:
        console.show(view())
    _tell(done.faults, "facts" if source == "wikidata" else "charts")
    if done.faults:
        raise typer.Exit(1)


def _refresh_facts(config: Path | None, names: tuple[str, ...], accept: frozenset[str], talk: Talk) -> _Done:
    from freshness.app import refreshing, setup, views

    wish = refreshing.Wish(names, accept)
    done = refreshing.refresh(setup.settings(config), wish, advance=talk.advance, note=talk.note)
    return done, lambda: views.refreshed(done)


def _refresh_series(config: Path | None, names: tuple[str, ...], accept: frozenset[str], talk: Talk) -> _Done:
    from freshness.app import series, series_news, series_refreshing, setup

    wish = series_refreshing.Wish(names, accept)
    done = series.refresh(setup.settings(config), wish, advance=talk.advance, note=talk.note)
    return done, lambda: series_news.refreshed(done)


def _tell(faults: Sequence[str], what: str) -> None:
    for fault in faults[:FAULTS]:
        console.fail(fault)
    if len(faults) > FAULTS:
        console.fail(f"{len(faults) - FAULTS} more {what} need you: --format json has all")


def changes(
    context: typer.Context,
    since: Since = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="The last N events.")] = None,
    output: Output = "table",
) -> None:
    """What changed in the world, or in its record, and which models that made outdated."""
    from freshness.app import refreshing, series_news, series_views, setup, views

    settings = setup.settings(context.obj)
    events = refreshing.changes(settings, since, limit)
    numbers = series_views.events(settings, since, limit)
    if output == "json":
        both = [(event.seen_at, event.to_json()) for event in events]
        both += [(event.seen_at, event.to_json()) for event in numbers]
        newest_first = sorted(both, key=lambda told: told[0], reverse=True)
        console.emit_json([told for _, told in newest_first[:limit]])
        return
    if events or not numbers:
        console.show(views.changes(events, since))
    if numbers:
        console.show(series_news.changes(numbers))


def facts_list(
    context: typer.Context,
    facts: Facts = None,
    snapshot: SnapshotOption = "latest",
    as_of: AsOf = None,
    observed: Observed = None,
    output: Output = "table",
) -> None:
    """All facts: what is true now, since when, and where that comes from."""
    from freshness.app import setup, views, world

    view = world.View(snapshot, as_of or observed or today(), observed)
    with console.talk("fetching") as talk:
        known = world.facts(setup.settings(context.obj), view, tuple(facts or ()), talk)
    if output == "json":
        console.emit_json([item.to_json() for item in known])
    else:
        console.show(views.facts(known))


def facts_show(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(help="An item's id (Q38) or name (Italy).")],
    property_id: Annotated[str, typer.Argument(metavar="PROPERTY", help="A property's id (P6).")],
    snapshot: SnapshotOption = "latest",
    as_of: AsOf = None,
    observed: Observed = None,
    output: Output = "table",
) -> None:
    """One fact with all its values and intervals."""
    from freshness.app import setup, views, world

    view = world.View(snapshot, as_of or observed or today(), observed)
    with console.talk("fetching") as talk:
        known = world.fact(setup.settings(context.obj), subject, property_id, view, talk)
    if output == "json":
        console.emit_json(known.to_json())
    else:
        console.show(views.fact(known))


def facts_check(
    context: typer.Context,
    facts: Facts = None,
    snapshot: SnapshotOption = "latest",
    as_of: AsOf = None,
    output: Output = "table",
) -> None:
    """The facts that can't be asked about, why, and where to mend them; exit code 1 if there are any."""
    from freshness.app import setup, views, world

    view = world.View(snapshot, as_of or today())
    with console.talk("fetching") as talk:
        bad, count = world.quarantined(setup.settings(context.obj), view, tuple(facts or ()), talk)
    if output == "json":
        console.emit_json([item.to_json() for item in bad])
    else:
        console.show(views.checked(bad, count))
    if bad:
        raise typer.Exit(1)


def facts_suggest(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="As it was named when it was asked.")],
    facts: Facts = None,
    snapshot: SnapshotOption = "latest",
    limit: Annotated[int, typer.Option("--limit", min=1, help="So many facts.")] = 20,
    output: Output = "table",
) -> None:
    """Which facts would sharpen the estimate of MODEL's cutoff most if it were asked about them."""
    from freshness.app import setup, suggesting, views

    with console.talk("fetching") as talk:
        settings = setup.settings(context.obj)
        found = suggesting.suggest(settings, model, tuple(facts or ()), snapshot, today(), limit, talk)
    if output == "json":
        console.emit_json(found.to_json())
    else:
        console.show(views.suggestions(found))
