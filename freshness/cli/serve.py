"""The command that runs for months: serve."""

from __future__ import annotations

from typing import Annotated

import typer

from freshness.cli import console


def register(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command()(serve)


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option("--host", help="Default: [server] host.")] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Default: [server] port; 0: any free one.")
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Run all that is due, once, and end; for cron. No pages.")
    ] = False,
    web: Annotated[bool, typer.Option("--web/--no-web", help="Serve pages, API and metrics.")] = True,
) -> None:
    """Refresh, probe and tell, by the schedules of the config, until it is stopped.

    SIGTERM and Ctrl-C end it within 15 s; what was being asked goes on at the next start. SIGHUP, or a
    changed file, makes it read its config again. With --once the exit code is 1 when a job failed, 130 or
    143 when Ctrl-C or SIGTERM came before all was done.
    """
    from freshness.daemon.signals import Signals

    # Before all that takes its time: a SIGHUP that nobody heeds ends the process.
    signals = Signals()
    signals.listen()
    from freshness.daemon import serving

    over = {key: value for key, value in (("host", host), ("port", port)) if value is not None}
    service = serving.make_service(context.obj, over)
    if once:
        failed = serving.run_once(service, signals)
        if signals.number is not None:
            console.fail("interrupted")
            raise typer.Exit(128 + signals.number)
        if failed:
            console.fail(f"{', '.join(failed)}: did not succeed; the log says why")
            raise typer.Exit(1)
    elif web:
        from freshness.web.server import make_app

        serving.serve(service, signals, console.note, serving.listen(service.settings), make_app)
    else:
        serving.serve(service, signals, console.note)
