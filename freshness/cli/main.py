"""The root command, and the one place where errors become a line on stderr and an exit code."""

from __future__ import annotations

import re
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from freshness import __version__
from freshness.cli import console, measure, records, series, serve, upkeep, world
from freshness.errors import FreshnessError, UsageError

_PYDANTIC = re.compile(r"^(Invalid value[^:]*: )(?:Value error, |Input (?=should ))")
_GLOBAL = {"--debug": 0, "--config": 1}

cli = typer.Typer(
    help="How old is what a language model knows? Ask it about things that change, and date its answers.",
    epilog="Exit codes: 0 done, 1 something is wrong, 2 bad usage or config, 3 unreachable, 130 interrupted.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
measure.register(cli)
records.register(cli)
world.register(cli)
series.register(cli)
serve.register(cli)
upkeep.register(cli)


def _version(wanted: bool) -> None:
    if wanted:
        console.emit(f"freshness {__version__}")
        raise typer.Exit


@cli.callback()
def root(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Default: ./freshness.toml, then the user's."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    """How old is what a language model knows? Ask it about things that change, and date its answers."""
    context.obj = config


def main() -> None:
    """Entry point of the ``freshness`` script."""
    terminated = terminate_as_interrupt()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # a second one, while the first was being told
        code = 130
    finally:
        console.let_go()
    sys.exit(128 + signal.SIGTERM if terminated.is_set() and code else code)


def terminate_as_interrupt() -> threading.Event:
    """Let SIGTERM do what Ctrl-C does, so that what was done is kept; the event tells that it came."""
    terminated = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        terminated.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    return terminated


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code. Nothing but ``SystemExit`` leaves here, except with ``--debug``."""
    arguments = _globals_first(arguments) or ["--help"]
    try:
        console.prepare()
        return cli(arguments, prog_name="freshness", standalone_mode=False) or 0
    except Exception as error:
        if "--debug" in arguments:
            traceback.print_exc()
        code, message = _told(error)
    console.fail(message)
    return code


def _told(error: Exception) -> tuple[int, str]:
    """Exit code and message."""
    if isinstance(error, UsageError):
        return error.exit_code, str(error)  # a line for each fault
    if isinstance(error, FreshnessError):
        return error.exit_code, one_line(str(error))
    if isinstance(error, typer.TyperException):
        # Typer has pydantic convert values, and passes on what it says.
        return error.exit_code, _PYDANTIC.sub(r"\1", error.format_message(), count=1)
    if isinstance(error, typer.Abort):
        return 130, "interrupted"
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ", while reading or writing"
        return 1, f"{error.strerror or error}{where}"
    return (
        1,
        f"unexpected {type(error).__name__}: {one_line(str(error))}; this is a bug: see where with --debug",
    )


def one_line(text: str) -> str:
    """A server's or a library's words may run over several lines; an error is one."""
    return " ".join(text.split())


def _globals_first(arguments: Sequence[str]) -> list[str]:
    """``freshness probe demo --config F`` means the same as ``freshness --config F probe demo``."""
    front: list[str] = []
    rest = list(arguments)
    index = 0
    while index < len(rest) and rest[index] != "--":
        name, equals, _ = rest[index].partition("=")
        if name not in _GLOBAL:
            index += 1
            continue
        length = 1 if equals else 1 + _GLOBAL[name]
        front += rest[index : index + length]
        del rest[index : index + length]
    return front + rest
