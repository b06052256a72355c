"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from freshness.errors import FreshnessError, UsageError

_NOT_THE_USERS_FAULT = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG}


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
