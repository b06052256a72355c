"""TOML files that people write: read into pydantic models, with faults in a catalogue's words."""

from __future__ import annotations

import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from freshness import strict
from freshness.errors import UsageError

MAX_FILE_BYTES = 4_000_000

_PLAIN = {
    "missing": "is missing",
    "too_short": "must not be empty",
    "string_too_short": "must not be blank",
    "string_type": "must be text in quotes",
    "float_type": "must be a number",
    "list_type": "must be a list",
    "model_type": "must be a table of keys",
    "dict_type": "must be a table of keys",
}


STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)
"""How a table of a catalogue is read: unknown keys are refused."""

Model = TypeVar("Model", bound=BaseModel)


def file_text(name: str, hint: str) -> str:
    """The file's text; raises ``UsageError`` that names it, with the hint where it can't be read."""
    try:
        path = Path(name)
        known = path.stat()
        # A pipe would be waited for, and a device read, without end.
        if not (stat.S_ISREG(known.st_mode) or stat.S_ISDIR(known.st_mode)):
            raise UsageError(f"catalogue {name}: is no file; {hint}")
        if known.st_size > MAX_FILE_BYTES:
            raise UsageError(f"catalogue {name}: larger than {MAX_FILE_BYTES} bytes")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"catalogue {name}: {error.strerror}; {hint}") from None
    except UnicodeDecodeError:
        raise UsageError(f"catalogue {name}: not UTF-8") from None
    except ValueError:
        raise UsageError(f"catalogue {name!r:.80}: no file has such a name; {hint}") from None


def parse(
    name: str,
    text: str,
    model: type[Model],
    tables: Mapping[str, type[BaseModel]],
    patterns: Mapping[str, str],
) -> Model:
    """A catalogue's TOML as the model says; raises ``UsageError`` with the name and the key at fault.

    ``tables``: the models of the nested tables, by their key; ``patterns``: what a key with a pattern must
    be.
    """
    try:
        return model.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"catalogue {name}: {error}") from None
    except RecursionError:
        raise UsageError(f"catalogue {name}: nested too deep") from None
    except ValidationError as error:
        raise UsageError(f"catalogue {name}: {_first(error, model, tables, patterns)}") from None


def _first(
    error: ValidationError,
    model: type[BaseModel],
    tables: Mapping[str, type[BaseModel]],
    patterns: Mapping[str, str],
) -> str:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    # A misspelt key is also a missing one: what was written helps more than what was not.
    fault = next((f for f in faults if f["type"] == "extra_forbidden"), faults[0])
    location = fault["loc"]
    key = "".join(map(_step, location)).lstrip(".") or "file"
    if fault["type"] == "extra_forbidden":
        # The keys of the table that an unknown key stands in.
        outer = [part for part in location[:-1] if isinstance(part, str)]
        known = list((tables[outer[-1]] if outer else model).model_fields)
        return f"unknown key {key}; {strict.did_you_mean(str(location[-1])[:80], known)}"
    return f"{key} {_reason(fault, patterns)}"


def _reason(fault: Mapping[str, Any], patterns: Mapping[str, str]) -> str:
    """What is wrong, in a catalogue's words where pydantic speaks Python."""
    kind = fault["type"]
    if kind == "string_pattern_mismatch":
        return patterns[str(fault["loc"][-1])]
    return _PLAIN.get(kind) or fault["msg"].removeprefix("Value error, ").replace("Input should", "must")


def _step(part: int | str) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if part.isidentifier() else f".{part!r:.80}"
