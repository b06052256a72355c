"""Where text goes: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MAX_MESSAGE = 2000

Advance = Callable[[int, int], None]


def emit(text: str) -> None:
    """Write text in UTF-8 whatever the terminal's encoding: what other programs read is never guessed."""
    sys.stdout.flush()
    data = text if text.endswith("\n") else f"{text}\n"
    # A lone surrogate becomes \ud800, which in JSON means the same.
    sys.stdout.buffer.write(data.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def emit_json(value: Any) -> None:
    """One JSON document, indented for people."""
    emit(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def emit_lines(rows: Iterable[Any]) -> None:
    """JSON lines, one row a line."""
    emit("".join(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows) or "\n")


def show(*parts: RenderableType) -> None:
    """Tables and text for people."""
    console = _console(stderr=False)
    for part in parts:
        console.print(part)


def fail(message: str) -> None:
    """``error: ...`` on stderr, one line for each fault."""
    for line in message[:_MAX_MESSAGE].splitlines() or [
        "it failed without a message; use --debug to see where"
    ]:
        print(f"error: {plain(line)}", file=sys.stderr)


def warn(message: str) -> None:
    """``warning: ...`` on stderr."""
    print(f"warning: {plain(message)}", file=sys.stderr)


def note(message: str) -> None:
    """A line on stderr that is neither."""
    print(plain(message), file=sys.stderr)


def plain(text: str) -> str:
    """One line without control characters: a file's or a server's words can't move the cursor."""
    return _CONTROL.sub(" ", text.replace("\n", " "))


@contextmanager
def progress(what: str) -> Iterator[Advance]:
    """A bar on stderr, on a terminal only; call it with the number done and the number in all."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)
