"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from freshness.errors import FreshnessError, UsageError

CHARTS = (".csv", ".json")
"""How the files in a directory end that is read."""

_NOT_THE_USERS_FAULT = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG}


def check_target(path: Path, inputs: Iterable[str] = (), database: Iterable[Path] = ()) -> None:
    """Whether a file can be written there, asked before the work whose result it shall hold.

    ``inputs``: files that are read, which the new one must not replace, and directories of charts; what is
    neither doesn't matter. ``database``: places that the history's database takes, or may take yet.
    Raises ``UsageError``.
    """
    if os.path.isdir(path):
        raise UsageError(f"can't write {path}: it is a directory; give the name of a file")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise UsageError(f"can't write {path}: there is no directory {path.parent}")
    if not os.access(path if os.path.exists(path) and not os.path.isfile(path) else folder, os.W_OK):
        raise UsageError(f"can't write {path}: no right to write there")
    if any(_is_place(path, place) for place in database):
        raise UsageError(f"can't write {path}: the history is kept there (store.url); name another")
    for name in inputs:
        if _is_same(path, name):
            raise UsageError(f"can't write {path}: it is read as {name}, and would be lost; name another")


def _is_place(path: Path, place: Path) -> bool:
    """Whether both are one file, or will be: where nothing is yet their full names tell."""
    try:
        return os.path.realpath(path) == os.path.realpath(place) or os.path.samefile(path, place)
    except (OSError, ValueError):
        return False


def _is_same(path: Path, name: str) -> bool:
    try:
        # A pipe or a terminal may be read and written to.
        if not path.is_file():
            return False
        is_chart = os.path.isdir(name) and path.suffix in CHARTS and os.path.samefile(path.parent, name)
        return is_chart or os.path.samefile(path, name)
    except (OSError, ValueError):
        return False


def write_file(path: Path, content: bytes) -> None:
    """Writes beside the target and renames, so that nobody ever sees half a file.

    Raises ``UsageError`` for a path that can't be written, ``FreshnessError`` for a disk that is full.
    """
    try:
        _write(path, content)
    except OSError as error:
        kind = FreshnessError if error.errno in _NOT_THE_USERS_FAULT else UsageError
        raise kind(f"can't write {path}: {error.strerror or error}; nothing was left there") from None


def _write(path: Path, content: bytes) -> None:
    if path.exists() and not path.is_file():
        # A pipe or a terminal has no "beside"; a directory says so itself.
        path.write_bytes(content)
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        draft.write_bytes(content)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
