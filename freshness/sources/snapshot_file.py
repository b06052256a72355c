"""A snapshot in a JSON file: the project's own format, for own facts and for the bundled ones.

``{"format": 1, "source": "...", "taken_at": "2026-09-14T00:00:00+00:00", "facts": [...]}``, each fact as
``freshness facts show --format json`` prints it (``docs/facts.md``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from freshness.errors import UsageError
from freshness.facts import Fact, Holders, Snapshot, merge_terms

FORMAT = 1
_MAX_BYTES = 256_000_000
_KEYS = {"format", "source", "taken_at", "facts"}


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """A ``Source`` that reads one file; ``source`` is how the snapshot is called, else the path."""

    path: Path
    source: str = ""

    def fetch(self) -> Snapshot:
        """Raises ``UsageError`` with the file and the key for whatever is no snapshot."""
        raw = _load(self.path)
        facts = _facts(self.path, raw["facts"])
        return Snapshot(self.source or str(self.path), _taken_at(self.path, raw["taken_at"]), tuple(facts))


def _load(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"snapshot {path}: larger than {_MAX_BYTES} bytes")
        raw = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"snapshot {path}: {error.strerror}; give bundled or a snapshot file") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"snapshot {path}: not JSON ({error})") from None
    if not isinstance(raw, dict):
        raise UsageError(f"snapshot {path}: not an object with {', '.join(sorted(_KEYS))}")
    _check_keys(path, raw)
    return raw


def _check_keys(path: Path, raw: dict[str, Any]) -> None:
    if "format" in raw and raw["format"] != FORMAT:
        raise UsageError(f"snapshot {path}: format {raw['format']!r}, but this version reads {FORMAT}")
    for key in sorted(_KEYS - raw.keys()):
        raise UsageError(f"snapshot {path}: {key} is missing")
    for key in sorted(raw.keys() - _KEYS):
        raise UsageError(f"snapshot {path}: unknown key {key!r}")


def _taken_at(path: Path, raw: object) -> datetime:
    try:
        moment = datetime.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise UsageError(
            f"snapshot {path}: taken_at must be a time with a zone such as "
            f"2026-09-14T00:00:00+00:00, not {raw!r}"
        )
    return moment


def _facts(path: Path, raw: object) -> Iterator[Fact]:
    if not isinstance(raw, list):
        raise UsageError(f"snapshot {path}: facts must be a list")
    seen: set[str] = set()
    for number, item in enumerate(raw):
        try:
            fact = _fact(item)
        except (ValueError, TypeError) as error:
            raise UsageError(f"snapshot {path}: facts[{number}]: {error}") from None
        if fact.id in seen:
            raise UsageError(f"snapshot {path}: facts[{number}]: {fact.id} comes twice")
        seen.add(fact.id)
        yield fact


def _fact(item: object) -> Fact:
    if not isinstance(item, dict):
        raise ValueError(f"must be an object, not {item!r:.80}")
    try:
        fact = Fact.from_json(item)
    except KeyError as error:
        raise ValueError(f"{error.args[0]} is missing") from None
    _check(fact)
    return Fact(fact.group, fact.subject, fact.property, merge_terms(fact.values), fact.holders)


def _check(fact: Fact) -> None:
    texts = {
        "group": fact.group,
        "subject.id": fact.subject.id,
        "subject.name": fact.subject.name,
        "property": fact.property,
    }
    for key, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{key} must be a string that is not blank, not {text!r:.80}")
    if fact.holders not in get_args(Holders):
        raise ValueError(f"holders must be one or many, not {fact.holders!r:.80}")
    for value in fact.values:
        if value.id is not None and not isinstance(value.id, str):
            raise ValueError(f"id of {value.label} must be a string or null")
