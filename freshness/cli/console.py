"""Where text goes: results to stdout, everything else to stderr."""

from __future__ import annotations

import codecs
import io
import itertools
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from freshness.errors import FreshnessError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from freshness.app.snapshots import Talk

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MAX_MESSAGE = 2000
_AT_ONCE = 1000
_BREAKING = ("strict", "surrogateescape")
_STAND_INS = {"–": "-", "…": "..."}  # our own tables have these

Advance = Callable[[int, int], None]


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    """What is written for characters that the terminal's encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(char, "?") for char in lacking), error.end


codecs.register_error("freshness", _stand_in)


def prepare() -> None:
    """Make stdout take every character, as something near or as ``?`` where its encoding lacks it.

    Whatever the locale made of it (``surrogateescape`` in C and POSIX), but for what already replaces
    characters: then somebody chose that. Raises ``FreshnessError`` when stdout is closed: all that is done
    would be lost.
    """
    if sys.stdout is None:
        raise FreshnessError("standard output is closed; results have nowhere to go")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in _BREAKING:
        sys.stdout.reconfigure(errors="freshness")


def let_go() -> None:
    """Drop what stdout didn't take: Python would try again at its exit, and tell of it in its own words."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit(text: str) -> None:
    """Write text in UTF-8 whatever the terminal's encoding: what other programs read is never guessed.

    Raises ``FreshnessError`` for a disk that is full.
    """
    data = text if text.endswith("\n") else f"{text}\n"
    with _told():
        sys.stdout.flush()
        # A lone surrogate becomes \ud800, which in JSON means the same.
        sys.stdout.buffer.write(data.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # who reads has had enough: no fault
    except OSError as error:
        raise FreshnessError(f"can't write to standard output: {error.strerror or error}") from None


def emit_json(value: Any) -> None:
    """One JSON document, indented for people."""
    emit(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def emit_lines(rows: Iterable[Any]) -> None:
    """JSON lines, one row a line, a thousand at once: there may be millions."""
    lines = (f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows)
    emit("".join(itertools.islice(lines, _AT_ONCE)) or "\n")
    while more := "".join(itertools.islice(lines, _AT_ONCE)):
        emit(more)


def show(*parts: RenderableType) -> None:
    """Tables and text for people; without the spaces that pad lines, but on a terminal."""
    console = _console(stderr=False)
    with _told():
        for part in parts:
            if console.is_terminal:
                console.print(part)
            else:
                _print_stripped(console, part)
        sys.stdout.flush()


def _print_stripped(console: Console, part: RenderableType) -> None:
    with console.capture() as captured:
        console.print(part)
    lines = captured.get().removesuffix("\n").split("\n")
    sys.stdout.write("".join(line.rstrip(" ") + "\n" for line in lines))


def fail(message: str) -> None:
    """``error: ...`` on stderr, one line for each fault."""
    for line in message[:_MAX_MESSAGE].splitlines() or [
        "it failed without a message; use --debug to see where"
    ]:
        note(f"error: {line}")


def warn(message: str) -> None:
    """``warning: ...`` on stderr."""
    note(f"warning: {message}")


def note(message: str) -> None:
    """A line on stderr that is neither."""
    if sys.stderr is not None:  # closed: and stdout is not the place for it
        print(plain(message), file=sys.stderr)


def plain(text: str) -> str:
    """One line without control characters: a file's or a server's words can't move the cursor."""
    return _CONTROL.sub(" ", text.replace("\n", " "))


@contextmanager
def progress(what: str) -> Iterator[Advance]:
    """A bar on stderr, on a terminal only; call it with the number done and the number in all."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def talk(what: str) -> Iterator[Talk]:
    """What ``app`` says on its way: a bar, warnings, notes."""
    from freshness.app.snapshots import Talk

    with progress(what) as advance:
        yield Talk(advance, warn, note)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)
