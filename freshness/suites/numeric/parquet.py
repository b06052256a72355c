"""All questions in one Parquet file, in memory that doesn't grow with their number."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import polars as pl
from polars.exceptions import PolarsError
from polars.io.plugins import register_io_source

from freshness.errors import FreshnessError, UsageError
from freshness.series import Chart
from freshness.suites.numeric.generation import SCHEMA, LeftOut, generate
from freshness.suites.numeric.options import Options

_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
_NUMBER: Final = re.compile(r"os error (\d+)")


@dataclass(frozen=True, slots=True)
class Written:
    """How many ``questions`` are in the file, and how many were ``left_out``, by kind and reason."""

    path: Path
    questions: int
    left_out: LeftOut


def check_file(path: Path) -> None:
    """Raises ``UsageError`` for a place that is taken by anything but a file: a file is put in its place."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"can't write {path}: it is no regular file, name another; nothing was left there")


def write_parquet(charts: Iterable[Chart], as_of: date, options: Options, path: Path) -> Written:
    """Every question that the charts allow, a row each (``SCHEMA``); charts are read one by one.

    The file appears when it is complete, in place of one of the same name; whatever stops it, nothing else is
    left behind, but the draft of a process that was killed: the next one for the same file removes that.
    Raises ``UsageError`` for a path that can't be written, ``FreshnessError`` for a full disk.
    """
    check_file(path)
    target = Path(os.path.realpath(path))  # a link stays a link
    begin = f".{target.name[:100]}."
    draft = target.with_name(f"{begin}{secrets.token_hex(4)}.tmp")
    try:
        _remove_left(target.parent, begin)
        with open(draft, "xb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            written = _write(charts, as_of, options, draft)
            os.replace(draft, target)
    except (OSError, PolarsError) as error:
        raise _told(path, error) from error
    finally:
        draft.unlink(missing_ok=True)
    return Written(path, *written)


def _remove_left(folder: Path, begin: str) -> None:
    """Drafts whose writers are gone: nobody holds them."""
    for draft in folder.iterdir():
        if re.fullmatch(re.escape(begin) + "[0-9a-f]{8}\\.tmp", draft.name):
            with suppress(OSError), open(draft, "rb") as left:
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                draft.unlink()


def _write(charts: Iterable[Chart], as_of: date, options: Options, draft: Path) -> tuple[int, LeftOut]:
    left_out: LeftOut = Counter()
    counts: list[int] = []

    def batches(*less: Any) -> Iterator[pl.DataFrame]:
        # Polars could ask for fewer columns or rows; a file gets all.
        for frame in generate(charts, as_of, options, left_out):
            counts.append(len(frame))
            yield frame

    frames = register_io_source(batches, schema=pl.Schema(SCHEMA), is_pure=False)
    frames.sink_parquet(draft, compression="zstd", compression_level=1)
    return sum(counts), left_out


def _told(path: Path, error: OSError | PolarsError) -> FreshnessError:
    number = getattr(error, "errno", None)
    found = _NUMBER.search(str(error))
    if number is None and found:
        number = int(found[1])
    kind = FreshnessError if number in _FULL else UsageError
    reason = os.strerror(number) if number else str(error).splitlines()[0][:200]
    return kind(f"can't write {path}: {reason}; nothing was left there")
