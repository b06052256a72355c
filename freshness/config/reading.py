"""Reading the settings: file, environment over it, and no secret in either's place."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

import platformdirs
from pydantic import BaseModel, ValidationError

from freshness.config.faults import explain, section_in
from freshness.config.sections import ModelSettings, Settings
from freshness.config.values import near
from freshness.errors import UsageError

_PREFIX = "FRESHNESS_"
_SECRET_KEY = re.compile(r"(.*_)?(api_?key|key|token|password|secret)", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"[a-z+]+://[^/\s:@]*:[^/\s@]+@")
_MAX_FILE_BYTES = 1_000_000
# Variables with our prefix that are no settings: the key of an endpoint that no config describes, and
# what the daemon wants to see from whoever starts work over HTTP.
_OTHER_VARIABLES = ("FRESHNESS_API_KEY", "FRESHNESS_TOKEN")
# Kubernetes and Docker set these where a service or container is called freshness.
_SERVICE_LINK = re.compile(r"FRESHNESS_(SERVICE_(HOST|PORT\w*)|PORT(_\w+)?|NAME)")


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from ``path``, else ``./freshness.toml``, else the user's config file, else defaults.

    Raises ``UsageError`` naming the file (or variable) and the key.
    """
    environ = os.environ if environ is None else environ
    found = path or _default_path(environ)
    raw = _read(found) if found else {}
    _refuse_secrets(raw, str(found))
    overridden = _override(raw, environ)
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        raise UsageError("\n".join(explain(error, found, overridden))) from None
    _refuse_same_names(settings.models, found)
    _refuse_unknown_variables(environ, settings.models)
    return settings.model_copy(update={"path": found})


def _default_path(environ: Mapping[str, str]) -> Path | None:
    home = environ.get("XDG_CONFIG_HOME")
    user = Path(home) / "freshness" if home else platformdirs.user_config_path("freshness")
    return next((p for p in (Path("freshness.toml"), user / "config.toml") if p.is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
        if len(data) > _MAX_FILE_BYTES:
            raise UsageError(f"{path}: larger than {_MAX_FILE_BYTES} bytes; this is no config file")
        raw = tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except OSError as error:
        raise UsageError(f"can't read the config file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: is no valid TOML: {error}") from None
    if "path" in raw:
        raise UsageError(f"{path}: unknown key 'path'")
    return raw


def _override(raw: dict[str, Any], environ: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Put the environment's values over the file's; which variable set which key."""
    overridden = {}
    for variable in sorted(environ):
        section, separator, key = variable.removeprefix(_PREFIX).lower().partition("__")
        if not variable.startswith(_PREFIX) or not separator:
            continue
        field = Settings.model_fields.get(section)
        if field is None or section in ("models", "path"):
            hint = "models are set in the config file" if section == "models" else near(section, _sections())
            raise UsageError(f"environment variable {variable}: no such setting; {hint}")
        table = raw.setdefault(section, {})
        if not isinstance(table, dict):
            continue
        table[key] = _typed(environ[variable], _annotation(section, key))
        overridden[section, key] = variable
    return overridden


def _refuse_unknown_variables(environ: Mapping[str, str], models: list[ModelSettings]) -> None:
    """A single underscore where two belong sets nothing, and nobody would know."""
    named = {*_OTHER_VARIABLES, *(model.api_key_env for model in models)}
    for variable in sorted(environ):
        if not variable.startswith(_PREFIX) or "__" in variable or variable in named:
            continue
        if not _SERVICE_LINK.fullmatch(variable):
            raise UsageError(f"environment variable {variable}: no such setting; {_near_variable(variable)}")


def _near_variable(variable: str) -> str:
    known = [f"{_PREFIX}{name}__{key}".upper() for name in _sections() for key in _keys_of(name)]
    tails = {name.removeprefix(_PREFIX): name for name in (*known, *_OTHER_VARIABLES)}
    close = difflib.get_close_matches(variable.removeprefix(_PREFIX).upper(), tails, n=1)
    return f"did you mean {tails[close[0]]}?" if close else f"a setting is {_PREFIX}SECTION__KEY"


def _keys_of(section: str) -> list[str]:
    model = section_in(Settings.model_fields[section].annotation)
    return list(model.model_fields) if model else []


def _sections() -> list[str]:
    return [name for name in Settings.model_fields if name not in ("models", "path")]


def _annotation(section: str, key: str) -> object:
    model = Settings.model_fields[section].annotation
    field = model.model_fields.get(key) if isinstance(model, type) and issubclass(model, BaseModel) else None
    return field.annotation if field else str


def _typed(text: str, annotation: object) -> object:
    """A variable's text as the kind of value that the key takes; what can't be read stays text."""
    if annotation is bool or bool in get_args(annotation):
        return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
            text.strip().lower(), text
        )
    if annotation is int:
        return int(text) if re.fullmatch(r"\s*-?\d{1,9}\s*", text) else text
    if get_origin(annotation) is list:
        return [part.strip() for part in text.split(",") if part.strip()]
    if get_origin(annotation) in (Union, UnionType) and not text.strip():
        return None
    return text


def _refuse_secrets(raw: Mapping[str, Any], where: str) -> None:
    for dotted, value in _leaves(raw):
        if value and _SECRET_KEY.fullmatch(dotted.rpartition(".")[2]):
            hint = "put it into an environment variable and name that in api_key_env"
            raise UsageError(f"{where}: {dotted}: secrets don't belong in the config file; {hint}")
        if isinstance(value, str) and _SECRET_VALUE.match(value):
            hint = "leave it to an environment variable, such as FRESHNESS_STORE__URL for the database"
            raise UsageError(f"{where}: {dotted}: a password doesn't belong in the config file; {hint}")


def _leaves(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list) and any(isinstance(item, Mapping) for item in node):
        for number, item in enumerate(node):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, node


def _refuse_same_names(models: list[ModelSettings], path: Path | None) -> None:
    seen: set[str] = set()
    for model in models:
        if model.name in seen:
            raise UsageError(f"{path}: two [[models]] are named {model.name!r}; a name stands for one model")
        seen.add(model.name)
