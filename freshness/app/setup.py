"""From settings and choices to the parts that do the work."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from freshness.catalog import Catalog
from freshness.catalog import load as load_catalog
from freshness.config import ModelSettings, Settings
from freshness.config import load as load_settings
from freshness.errors import UsageError
from freshness.facts import Snapshot
from freshness.models import FORMS, build, is_spec
from freshness.protocols import Model, Suite
from freshness.questions import Question
from freshness.series import SeriesSnapshot
from freshness.store import Store, current, open_store
from freshness.suites.choosing import NextWordSuite, NumericSuite
from freshness.suites.current import CurrentSuite

DEFAULT_KEY = "FRESHNESS_API_KEY"
"""The variable that holds the key of an endpoint which no config describes."""

Say = Callable[[str], None]
"""Where a line for the user goes."""

Advance = Callable[[int, int], None]
"""Is told the number done and the number in all."""


def silent(*_: object) -> None:
    """A ``Say`` and an ``Advance`` to which nobody listens."""


SUITES: Final[dict[str, Suite]] = {
    suite.name: suite for suite in (CurrentSuite(Catalog(())), NumericSuite(), NextWordSuite())
}
"""Who judges the answers to which questions; what there is to ask stands in ``asking``."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What to ask of numbers, where that is not left to the config; see ``suites.numeric.Options``.

    ``kinds``: of multiple choice, none: all; ``entities``: countries by name or code, none: all.
    """

    kinds: tuple[str, ...] = ()
    seed: int | None = None
    distractors: Literal["fair", "paper"] | None = None
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """What to ask about; no ``facts``: what the config names; ``limit``: so many questions at most."""

    suite: str
    facts: tuple[str, ...]
    snapshot: str
    as_of: date
    limit: int | None = None
    numbers: Numbers = Numbers()


@dataclass(frozen=True, slots=True)
class Asked:
    """What there is to ask, and the world that its keys are from.

    ``instead``: why that is another than the one asked for (empty: it is that one). ``details``: how the
    questions were chosen, for the run.
    """

    questions: Sequence[Question]
    world: Snapshot | SeriesSnapshot
    instead: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Whom to ask: ``spec`` and ``options`` are what the answers depend on; no secret is in them."""

    model: Model
    spec: str
    options: Mapping[str, Any]


def settings(path: Path | None) -> Settings:
    """From this file, else the usual places, and the environment; raises ``UsageError``."""
    return load_settings(path)


def catalog(settings: Settings, names: tuple[str, ...]) -> Catalog:
    """Built-in catalogues and files; names may be joined by commas. Raises ``UsageError``."""
    return load_catalog(split_names(names, "--facts") or settings.facts.catalogues)


def split_names(given: Iterable[str], option: str) -> list[str]:
    """Names that came one by one or joined by commas; raises ``UsageError`` where nothing is named.

    What is empty by mistake, such as a variable of a shell, must not mean everything.
    """
    found: list[str] = []
    for text in given:
        names = [part.strip() for part in text.split(",") if part.strip()]
        if not names:
            raise UsageError(f"{option} names nothing; leave it out, or give it a name")
        found += names
    return found


def judging_suite(name: str) -> Suite:
    """Judges by the questions' own keys. Raises ``UsageError`` for a name that is none."""
    if name not in SUITES:
        raise UsageError(f"unknown suite {name!r}; {_near(name, list(SUITES))}")
    return SUITES[name]


def model(settings: Settings, name: str, options: Mapping[str, Any]) -> ModelChoice:
    """The model behind a name from the config or a spec; ``options`` (None: not given) win over the config.

    Raises ``UsageError`` for an unknown model or a key that is not in the environment.
    """
    configured = next((m for m in settings.models if m.name == name), None)
    if configured is None and not is_spec(name):
        near = _near(name, [m.name for m in settings.models])
        joined = f"{near} else use" if near.endswith("?") else f"{near}; or use" if near else "use"
        raise UsageError(f"unknown model {name!r}; {joined} {FORMS}")
    spec = configured.model if configured else name
    chosen = _configured(configured) if configured else {}
    chosen |= {key: value for key, value in options.items() if value is not None}
    key = _api_key(configured, spec)
    return ModelChoice(build(spec, name=name, **chosen, **key), spec, chosen)


def _configured(settings: ModelSettings) -> dict[str, Any]:
    limits = settings.limits
    options: dict[str, Any] = {"style": settings.style, "dtype": settings.dtype}
    options |= {key: getattr(limits, key) for key in ("batch_size", "concurrency", "max_new_tokens")}
    options |= {"timeout": limits.timeout.total_seconds() if limits.timeout else None}
    return {key: value for key, value in options.items() if value is not None}


def _api_key(configured: ModelSettings | None, spec: str) -> dict[str, Any]:
    if not spec.startswith(("http:", "https:")):
        return {}
    variable = (configured.api_key_env if configured else None) or DEFAULT_KEY
    key = os.environ.get(variable)
    if configured and configured.api_key_env and not key:
        raise UsageError(f"model {configured.name}: the environment variable {variable} is not set")
    return {"api_key": key, "api_key_env": variable}


def open_history(settings: Settings, *, create: bool = False) -> Store:
    """The database; raises ``StoreError``."""
    return open_store(settings.store_url, create=create, keep_answers=bool(settings.store.keep_answers))


def has_history(settings: Settings) -> bool:
    """Whether there is a database with tables in it; raises ``StoreError`` when it is not ours."""
    return current(settings.store_url) is not None


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else (f"known: {', '.join(known)}" if known else "")
