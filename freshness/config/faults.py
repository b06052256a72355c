"""What is wrong with a config, in its own words: the file or variable, the key, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ValidationError

from freshness.config.sections import Settings
from freshness.config.values import near


def explain(
    error: ValidationError, path: Path | None, overridden: Mapping[tuple[str, str], str]
) -> list[str]:
    """One line for each fault: the file or variable, the key, what is wrong."""
    lines = []
    for fault in error.errors(include_url=False, include_input=False):
        location = fault["loc"]
        variable = overridden.get((str(location[0]), str(location[1]))) if len(location) > 1 else None
        where = f"environment variable {variable}" if variable else f"{path}: {_dotted(location)}"
        lines.append(f"{where}: {_reason(fault['type'], fault['msg'], location)}")
    return list(dict.fromkeys(lines))


def _dotted(location: tuple[int | str, ...]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".")


def _reason(kind: str, message: str, location: tuple[int | str, ...]) -> str:
    if kind == "extra_forbidden":
        return f"unknown key; {near(str(location[-1]), _known_keys(location))}"
    if kind == "missing":
        return "is required"
    if kind in _PLAIN:
        return _PLAIN[kind]
    return message.removeprefix("Value error, ").replace("Input should", "should")


# In a config file's words where pydantic speaks Python.
_PLAIN = {
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "string_type": "must be text in quotes",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "list_type": 'must be a list, such as ["a", "b"]',
    "dict_type": "must be a table of keys",
    "model_type": "must be a table of keys",
}


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    """The keys that the table of an unknown key knows."""
    model: type[BaseModel] = Settings
    for part in location[:-1]:
        field = model.model_fields.get(str(part))
        inner = section_in(field.annotation) if field else None
        model = inner or model
    return [name for name in model.model_fields if name != "path"]


def section_in(annotation: object) -> type[BaseModel] | None:
    """The section that a key of this type holds; None for a key that holds a value."""
    candidates = (annotation, *get_args(annotation))
    return next((c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)), None)
