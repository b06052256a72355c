"""Commands that measure: probe, grade, window, and the questions themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from freshness.cli import console
from freshness.cli.options import (
    AsOf,
    Distractors,
    Entity,
    Facts,
    Files,
    Html,
    Kind,
    Limit,
    Plot,
    Seed,
    SnapshotOption,
    Suite,
    choice,
)

if TYPE_CHECKING:
    from freshness.app.views import Report


def register(cli: typer.Typer) -> None:
    """Add the commands."""
    for command in (probe, grade, window, questions):
        cli.command()(command)


def probe(
    context: typer.Context,
    model: Annotated[
        str, typer.Argument(help="A name from the config, demo, local:DIR, http://HOST/v1#NAME, ...")
    ],
    suite: Suite = "current",
    facts: Facts = None,
    snapshot: SnapshotOption = "latest",
    as_of: AsOf = None,
    limit: Limit = None,
    kind: Kind = None,
    seed: Seed = None,
    distractors: Distractors = None,
    entity: Entity = None,
    store: Annotated[bool, typer.Option("--store/--no-store", help="Keep the run in the history.")] = True,
    style: Annotated[Literal["auto", "chat", "completion"] | None, typer.Option(help="How to ask.")] = None,
    dtype: Annotated[
        Literal["auto", "float32", "bfloat16"] | None, typer.Option(help="Local models' numbers.")
    ] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Local models: prompts at once.")] = None,
    output: Annotated[Literal["table", "json", "markdown"], typer.Option("--format")] = "table",
    html: Html = None,
    plot: Plot = None,
) -> None:
    """Ask MODEL now, print the report, keep it in the history.

    A run that was interrupted goes on where it stopped when the same command is given again.
    """
    from freshness.app import probing, setup, views

    settings = setup.settings(context.obj)
    # A model may be named by a file; whatever names none is no matter here.
    views.check_files(settings, html, plot, [snapshot, *(facts or ()), model])
    asked = choice(
        suite, facts, snapshot, as_of, limit, kind=kind, seed=seed, distractors=distractors, entity=entity
    )
    options = {"style": style, "dtype": dtype, "batch_size": batch_size}
    request = probing.Request(model, asked, store, options)
    with console.progress("asking") as advance:
        report = probing.probe(settings, request, advance=advance, warn=console.warn, note=console.note)
    _print(report, output)
    failed = _tell_failures(report)
    views.write(report, html, plot, console.note)
    if failed:
        raise typer.Exit(1)


def grade(
    context: typer.Context,
    files: Files,
    output: Annotated[Literal["table", "json", "jsonl", "markdown"], typer.Option("--format")] = "table",
    html: Html = None,
    plot: Plot = None,
) -> None:
    """Judge answers that were recorded elsewhere (cases, one JSON object a line); no model needed."""
    from freshness.app import judging, setup, views

    if html or plot:
        views.check_files(setup.settings(context.obj), html, plot, files)
    judged = judging.judge_files(files)
    if not judged:
        console.note(f"no cases in {', '.join(files)}: there is nothing to judge")
    if output == "jsonl":
        console.emit_lines(judging.lines(judged))
    if output != "jsonl" or html or plot:
        report = judging.report(judged)
        _print(report, output)
        views.write(report, html, plot, console.note)


def window(
    files: Files,
    output: Annotated[Literal["table", "json"], typer.Option("--format")] = "table",
) -> None:
    """Estimate from dated observations from when to when a model's training data runs."""
    from freshness.app import dating, views

    estimates = dating.estimate_files(files)
    if not estimates:
        console.note(f"no observations in {', '.join(files)}: there is nothing to estimate")
    if output == "json":
        console.emit_json({"models": {name: estimate.to_json() for name, estimate in estimates.items()}})
    else:
        console.show(views.windows(estimates))


def questions(
    context: typer.Context,
    suite: Suite = "current",
    facts: Facts = None,
    snapshot: SnapshotOption = "latest",
    as_of: AsOf = None,
    limit: Limit = None,
    kind: Kind = None,
    seed: Seed = None,
    distractors: Distractors = None,
    entity: Entity = None,
    parquet: Annotated[
        Path | None,
        typer.Option("--parquet", metavar="FILE", help="Of numbers: write all into this file instead."),
    ] = None,
) -> None:
    """Print the questions of a suite with their keys, as JSON lines."""
    from freshness.app import asking, numbers, setup

    asked = choice(
        suite, facts, snapshot, as_of, limit, kind=kind, seed=seed, distractors=distractors, entity=entity
    )
    settings = setup.settings(context.obj)
    with console.talk("fetching") as talk:
        if parquet:
            numbers.write_parquet(settings, asked, parquet, talk)
            return
        lines = asking.lines(settings, asked, talk)
    console.emit_lines(lines)


def _print(report: Report, output: str) -> None:
    """Before any file is written: what was asked and paid for is on the screen whatever comes after."""
    from freshness.app import views

    if output == "json":
        console.emit_json(report.to_json())
    elif output == "markdown":
        console.emit(views.report_markdown(report))
    elif output == "table":
        console.show(views.report(report))


def _tell_failures(report: Report) -> bool:
    """Whether any prompt got no answer."""
    errors = report.models[0].to_json()["errors"]
    if errors["prompts"]:
        kinds = ", ".join(f"{kind} {count}" for kind, count in errors["kinds"].items())
        asked = len(report.models[0].trials)
        console.fail(f"{errors['prompts']} of {asked} prompts got no answer ({kinds}); they count nowhere")
    return bool(errors["prompts"])
