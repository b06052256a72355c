"""Settings: a TOML file and ``FRESHNESS_SECTION__KEY`` environment variables over it.

``config.example.toml`` shows every key. An unknown key is an error that names the file, the key and the
nearest known one; so is a secret written into the file: secrets come from the environment alone.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import platformdirs
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
)

from freshness.cron import parse_cron
from freshness.errors import UsageError

_PREFIX = "FRESHNESS_"
_DURATION = re.compile(r"(\d{1,7})\s*([smhdw])", re.ASCII)
_EVERY = re.compile(r"every\s+(\d{1,7})\s*([smhdw])", re.ASCII)
_LONGEST = timedelta(days=36525)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SECRET_KEY = re.compile(r"(.*_)?(api_?key|key|token|password|secret)", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"[a-z+]+://[^/\s:@]*:[^/\s@]+@")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A language as in "en", "pt-br" or "zh-hant": what may stand in a query (BCP 47, and Wikidata's own codes).
_LANGUAGE = re.compile(r"[a-z]{2,8}(-[a-z0-9]{1,8}){0,4}", re.IGNORECASE | re.ASCII)
_MAX_CONTACT_CHARS = 200
_MAX_FILE_BYTES = 1_000_000
SUITES = ("current",)
"""The kinds of questions that a model's ``suites`` may name."""
# Variables with our prefix that are no settings: the key of an endpoint that no config describes, and
# what the daemon wants to see from whoever starts work over HTTP.
_OTHER_VARIABLES = ("FRESHNESS_API_KEY", "FRESHNESS_TOKEN")
# Kubernetes and Docker set these where a service or container is called freshness.
_SERVICE_LINK = re.compile(r"FRESHNESS_(SERVICE_(HOST|PORT\w*)|PORT(_\w+)?|NAME)")


def _duration(raw: object) -> object:
    if not isinstance(raw, str):
        raise ValueError('must be a number with a unit in quotes, such as "7d", "12h" or "30m"')
    match = _DURATION.fullmatch(raw.strip())
    if not match:
        raise ValueError(f'{raw!r} is no duration; write "7d", "12h" or "30m"')
    if _time(match) > _LONGEST:
        raise ValueError(f"{raw!r} is longer than a hundred years")
    return _time(match)


def _time(match: re.Match[str]) -> timedelta:
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _schedule(raw: str) -> str:
    match = _EVERY.fullmatch(raw.strip())
    if not match:
        parse_cron(raw)
    elif not timedelta(minutes=1) <= _time(match) <= timedelta(days=366):
        raise ValueError(f'{raw!r} is no schedule: it goes from "every 1m" to "every 366d"')
    return raw.strip()


def _kept_answers(raw: object) -> object:
    """True, False, or how long."""
    if isinstance(raw, bool | timedelta):
        return raw
    try:
        kept = _duration(raw)
    except ValueError:
        raise ValueError('must be true, false or a duration in quotes, such as "90d"') from None
    if not isinstance(kept, timedelta) or kept < timedelta(days=1):
        raise ValueError('must be at least "1d", since what was just asked is judged again; or false')
    return kept


def _within(low: timedelta, high: timedelta, told: str) -> AfterValidator:
    def check(raw: timedelta) -> timedelta:
        if not low <= raw <= high:
            raise ValueError(f"must be from {told}")
        return raw

    return AfterValidator(check)


def _timezone(raw: str) -> str:
    try:
        ZoneInfo(raw)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f'{raw[:60]!r} is no time zone such as "UTC" or "Europe/Rome"') from None
    return raw


def _web_address(raw: str) -> str:
    if not re.fullmatch(r"https?://[^\s/]+\S*", raw):
        # What stands before an @ may be a password.
        shown = "it" if "@" in raw else repr(raw)
        raise ValueError(f"{shown} is no http(s) address")
    return raw


def _contact(raw: str) -> str:
    # It goes into a header, where a line end would begin another one.
    if not (raw.isascii() and raw.isprintable()):
        raise ValueError("must be plain ASCII on one line, since it goes into the User-Agent")
    if len(raw) > _MAX_CONTACT_CHARS:
        raise ValueError(f"must have at most {_MAX_CONTACT_CHARS} characters: a mail or web address")
    return raw.strip()


def _language(raw: str) -> str:
    if not _LANGUAGE.fullmatch(raw):
        raise ValueError(f'{raw[:40]!r} is no language code such as "en" or "pt-br"')
    return raw.lower()


def _env_name(raw: str) -> str:
    # A value that can't be a variable's name is probably the key itself: don't show it.
    if not _ENV_NAME.fullmatch(raw):
        raise ValueError("must be the name of an environment variable that holds the key, not the key")
    return raw


def _suite(raw: str) -> str:
    if raw not in SUITES:
        raise ValueError(f"unknown suite {raw!r}; {_near(raw, list(SUITES))}")
    return raw


# Written back as it is read, so that settings can be handed on as JSON.
_AS_TEXT = PlainSerializer(lambda time: f"{int(time.total_seconds())}s", when_used="json")
_KEPT_AS_TEXT = PlainSerializer(
    lambda kept: kept if isinstance(kept, bool) else f"{int(kept.total_seconds())}s", when_used="json"
)

Duration = Annotated[timedelta, BeforeValidator(_duration), _AS_TEXT]
ScheduleText = Annotated[str, AfterValidator(_schedule)]
RequestTime = Annotated[Duration, _within(timedelta(seconds=1), timedelta(hours=1), '"1s" to "1h"')]
Grace = Annotated[Duration, _within(timedelta(seconds=1), timedelta(days=31), '"1s" to "31d"')]
Deadline = Annotated[Duration, _within(timedelta(minutes=1), timedelta(days=7), '"1m" to "7d"')]
KeptAnswers = Annotated[bool | timedelta, BeforeValidator(_kept_answers), _KEPT_AS_TEXT]
TimeZone = Annotated[str, AfterValidator(_timezone)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
Contact = Annotated[str, AfterValidator(_contact)]
Language = Annotated[str, AfterValidator(_language)]
EnvName = Annotated[str, AfterValidator(_env_name)]
SuiteName = Annotated[str, AfterValidator(_suite)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class WikidataSettings(_Section):
    """``[wikidata]``: where facts are fetched from. ``contact`` goes into the User-Agent.

    ``timeout`` is for one request, from connecting to its last byte.
    """

    endpoint: WebAddress = "https://query.wikidata.org/sparql"
    contact: Contact = ""
    languages: list[Language] = Field(default=["en"], min_length=1, max_length=20)
    timeout: RequestTime = timedelta(seconds=65)
    max_age: Duration = timedelta(days=7)
    refresh: ScheduleText | None = None


class OwidSettings(_Section):
    """``[owid]``: where series are fetched from."""

    base_url: WebAddress = "https://ourworldindata.org"
    contact: str = ""
    refresh: ScheduleText | None = None


class StoreSettings(_Section):
    """``[store]``: the database, and whether raw answers stay in it, or for how long."""

    url: str = ""
    keep_answers: KeptAnswers = True


class FactsSettings(_Section):
    """``[facts]``: catalogues by built-in name or file; none: all that are built in."""

    catalogues: list[str] = []


class ServerSettings(_Section):
    """``[server]``: where the daemon listens; port 0: any that is free."""

    host: str = "127.0.0.1"
    port: int = Field(default=9464, ge=0, le=65535)


class DaemonSettings(_Section):
    """``[daemon]``: when jobs run and for how long.

    ``timezone`` is that of cron lines. ``grace``: a job that starts later than that is counted as missed.
    ``deadline``: what takes longer is stopped. ``workers``: so many jobs at once.
    """

    timezone: TimeZone = "UTC"
    grace: Grace = timedelta(hours=1)
    deadline: Deadline = timedelta(hours=2)
    workers: int = Field(default=2, ge=1, le=64)


class LogSettings(_Section):
    """``[logs]``: how the daemon tells what it does, on stderr."""

    format: Literal["console", "json"] = "console"
    level: Literal["debug", "info", "warning", "error"] = "info"


class Limits(_Section):
    """``[models.limits]``: how hard and how long a model is asked; None leaves it to the model's kind."""

    concurrency: int | None = Field(default=None, ge=1, le=256)
    batch_size: int | None = Field(default=None, ge=1, le=4096)
    timeout: Duration | None = None
    max_new_tokens: int | None = Field(default=None, ge=1, le=4096)


class ModelSettings(_Section):
    """``[[models]]``: a model under a name of the user's own."""

    name: str = Field(min_length=1, max_length=200)
    model: str = Field(min_length=1)
    style: Literal["auto", "chat", "completion"] = "auto"
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    api_key_env: EnvName | None = None
    schedule: ScheduleText | None = None
    suites: list[SuiteName] = Field(default=["current"], min_length=1)
    limits: Limits = Limits()


class Settings(_Section):
    """All of it. ``path`` is the file that was read, None without one."""

    wikidata: WikidataSettings = WikidataSettings()
    owid: OwidSettings = OwidSettings()
    store: StoreSettings = StoreSettings()
    facts: FactsSettings = FactsSettings()
    server: ServerSettings = ServerSettings()
    daemon: DaemonSettings = DaemonSettings()
    logs: LogSettings = LogSettings()
    models: list[ModelSettings] = []
    path: Annotated[Path | None, Field(exclude=True)] = None

    @property
    def store_url(self) -> str:
        """The database's URL: SQLite in the user's data directory unless set."""
        return self.store.url or f"sqlite:///{platformdirs.user_data_path('freshness') / 'freshness.db'}"


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
        raise UsageError("\n".join(_explain(error, found, overridden))) from None
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
            hint = "models are set in the config file" if section == "models" else _near(section, _sections())
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
    near = difflib.get_close_matches(variable.removeprefix(_PREFIX).upper(), tails, n=1)
    return f"did you mean {tails[near[0]]}?" if near else f"a setting is {_PREFIX}SECTION__KEY"


def _keys_of(section: str) -> list[str]:
    model = _section_in(Settings.model_fields[section].annotation)
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


def _explain(
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
        return f"unknown key; {_near(str(location[-1]), _known_keys(location))}"
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
        inner = _section_in(field.annotation) if field else None
        model = inner or model
    return [name for name in model.model_fields if name != "path"]


def _section_in(annotation: object) -> type[BaseModel] | None:
    candidates = (annotation, *get_args(annotation))
    return next((c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)), None)


def _near(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key.lower(), known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"


def _refuse_same_names(models: list[ModelSettings], path: Path | None) -> None:
    seen: set[str] = set()
    for model in models:
        if model.name in seen:
            raise UsageError(f"{path}: two [[models]] are named {model.name!r}; a name stands for one model")
        seen.add(model.name)
