"""Reading JSON lines that people hand in: recorded cases and dated observations.

Nothing in them is trusted: lines are bounded, and every fault is told with its file, line and key.
All faults of a file are gathered (up to a limit) before anything is judged, so that a reader mends a
file once and no half-printed result is taken for a whole one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from freshness import numeric_cases, strict
from freshness.errors import UsageError
from freshness.facts import Holders, PartialDate, Value
from freshness.questions import NumericKey

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_FAULTS = 10

T = TypeVar("T")
_Pairs = list[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded answer with the values it is judged by; ``raw`` is its line as read.

    ``fact`` and ``prompt`` are None where the line has none: the question's text then says what was
    asked, and each line counts as a prompt of its own. ``numeric``: the key of a line about a number, which
    has no values, with its ``tolerances`` as in ``grading.quantities``.
    """

    question: str
    answer: str
    as_of: date
    values: tuple[Value, ...]
    model: str
    group: str
    fact: str | None
    prompt: str | None
    holders: Holders | None
    raw: dict[str, Any]
    numeric: NumericKey | None = None
    tolerances: tuple[float, float] = (0.0, 0.0)


def read_cases(paths: Iterable[str]) -> list[Case]:
    """All cases of these files (``-``: standard input), in order; raises ``UsageError`` with every fault."""
    return _read_all(paths, case_from_json)


def read_records(paths: Iterable[str], parse: Callable[[dict[str, Any]], T]) -> list[T]:
    """All lines of these files through ``parse``, which raises ``ValueError`` naming the key."""
    return _read_all(paths, parse)


def _read_all(paths: Iterable[str], parse: Callable[[dict[str, Any]], T]) -> list[T]:
    records: list[T] = []
    faults: list[str] = []
    for path in paths:
        for where, line in _lines(path):
            try:
                records.append(parse(_object(line)))
            except ValueError as error:
                faults.append(f"{where}: {error}")
            if len(faults) > MAX_FAULTS:
                raise UsageError("\n".join([*faults[:MAX_FAULTS], "and more; mend these first"]))
    if faults:
        raise UsageError("\n".join(faults))
    return records


def _lines(path: str) -> Iterator[tuple[str, bytes]]:
    """Each line that is not blank, with its place."""
    name = "<stdin>" if path == "-" else path
    try:
        with _open(path) as file:
            yield from _numbered(name, file)
    except OSError as error:
        raise UsageError(f"can't read {name}: {error.strerror or error}") from None


def _open(path: str) -> AbstractContextManager[BinaryIO]:
    # Standard input stays open: it is not ours to close.
    return nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb")


def _numbered(name: str, file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise UsageError(f"{name}:{number}: the line is longer than {MAX_LINE_BYTES} bytes")
        text = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
        if text:
            yield f"{name}:{number}", text


def _object(line: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(line.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(raw, dict):
        raise ValueError(f"must be a JSON object, not {strict.kind_of(raw)}")
    return raw


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _unique(pairs: _Pairs) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        double = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{double} comes twice in one object")
    return table


def case_from_json(raw: dict[str, Any]) -> Case:
    """A case line as ``docs/cli.md`` describes it; raises ``ValueError`` that names the keys at fault."""
    faults = strict.Faults()
    blank = raw.get("answer", "") is None
    read: dict[str, Any] = {
        "question": faults.get(_text, raw, "question", required=True),
        "answer": "" if blank else faults.get(_text, raw, "answer", required=True, blank=True),
        **(_numeric(raw, faults) if numeric_cases.is_numeric(raw) else _valued(raw, faults)),
        **{key: faults.get(_text, raw, key) or None for key in ("model", "group", "fact", "prompt")},
    }
    faults.check()
    read |= {"model": read["model"] or "answers", "group": read["group"] or "all"}
    return Case(**read, raw=raw)


def _valued(raw: dict[str, Any], faults: strict.Faults) -> dict[str, Any]:
    """What a line with values is judged by."""
    return {
        "as_of": faults.get(_day, raw),
        "values": faults.get(_values, raw),
        "holders": faults.get(_holders, raw),
    }


def _numeric(raw: dict[str, Any], faults: strict.Faults) -> dict[str, Any]:
    """What a line about a number is judged by; it needs no day, since it names a year."""
    return {
        "as_of": faults.get(_day, raw) if raw.get("as_of") is not None else date.max,
        "values": (),
        "holders": None,
        "numeric": faults.get(numeric_cases.key_from_json, raw),
        "tolerances": faults.get(numeric_cases.tolerances_from_json, raw),
    }


def _text(raw: dict[str, Any], key: str, *, required: bool = False, blank: bool = False) -> str:
    if required and key not in raw:
        raise ValueError(f"{key} is missing")
    text = raw.get(key)
    if text is None and not required:
        return ""
    if not isinstance(text, str):
        raise ValueError(f"{key} must be a string, not {strict.shown(text)}")
    if required and not blank and not text.strip():
        raise ValueError(f"{key} must not be blank")
    return text


def _day(raw: dict[str, Any]) -> date:
    """The day asked about; of a year or month its first, as bounds are read too."""
    try:
        day = PartialDate.parse(_text(raw, "as_of", required=True)).first
    except ValueError as error:
        raise ValueError(str(error) if str(error).startswith("as_of") else f"as_of: {error}") from None
    if not 1 <= day <= date.max.toordinal():
        raise ValueError("as_of must lie in the years 1 to 9999")
    return date.fromordinal(day)


def _values(raw: dict[str, Any]) -> tuple[Value, ...]:
    if "values" not in raw:
        raise ValueError("values is missing")
    return strict.values(raw["values"])


def _holders(raw: dict[str, Any]) -> Holders | None:
    holders = raw.get("holders")
    if holders not in (None, "one", "many"):
        raise ValueError(f'holders must be "one" or "many", not {strict.shown(holders)}')
    return holders
