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

from freshness import strict
from freshness.errors import UsageError
from freshness.facts import Fact, Flaw, Holders, PartialDate, Snapshot, Subject, merge_terms

FORMAT = 1
_MAX_BYTES = 256_000_000
_KEYS = ("format", "source", "taken_at", "facts")
_FACT_KEYS = ("group", "subject", "property", "values")
# What `facts show` says besides is of no use here, but it may be copied along.
_SAID_KEYS = ("state", "reasons", "current", "snapshot", "marks", "link", "first_seen", "last_seen")
_OTHER_KEYS = ("holders", "office", "dissolved", "flaws", *_SAID_KEYS)


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
        raise UsageError(f"snapshot {path}: not an object with {', '.join(_KEYS)}")
    _check_keys(path, raw)
    return raw


def _check_keys(path: Path, raw: dict[str, Any]) -> None:
    if "format" in raw and raw["format"] != FORMAT:
        raise UsageError(f"snapshot {path}: format {raw['format']!r}, but this version reads {FORMAT}")
    try:
        # A misspelt key is also a missing one: what was written helps more than what was not.
        strict.refuse_unknown(raw, _KEYS)
        _require(raw, _KEYS)
    except ValueError as error:
        raise UsageError(f"snapshot {path}: {error}") from None


def _require(raw: dict[str, Any], keys: tuple[str, ...]) -> None:
    missing = [key for key in keys if key not in raw]
    if missing:
        raise ValueError(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")


def _taken_at(path: Path, raw: object) -> datetime:
    try:
        moment = datetime.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise UsageError(
            f"snapshot {path}: taken_at must be a time with a zone such as "
            f"2026-09-14T00:00:00+00:00, not {strict.shown(raw)}"
        )
    return moment


def _facts(path: Path, raw: object) -> Iterator[Fact]:
    if not isinstance(raw, list):
        raise UsageError(f"snapshot {path}: facts must be a list")
    seen: set[str] = set()
    for number, item in enumerate(raw):
        where = f"snapshot {path}: facts[{number}]{_name(item)}"
        try:
            fact = _fact(item)
        except ValueError as error:
            raise UsageError(f"{where}: {error}") from None
        if fact.id in seen:
            raise UsageError(f"{where}: {fact.id} comes twice")
        seen.add(fact.id)
        yield fact


def _name(item: object) -> str:
    """`` (Q38/P6)``, as far as a fact at fault tells its name."""
    subject = item.get("subject") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(subject, dict):
        return ""
    parts = [part for part in (subject.get("id"), item.get("property")) if isinstance(part, str)]
    return f" ({strict.shortened('/'.join(parts), 60)})" if parts else ""


def _fact(item: object) -> Fact:
    """Raises ``ValueError`` that names the keys at fault."""
    if not isinstance(item, dict):
        raise ValueError(f"must be an object, not {strict.kind_of(item)}")
    strict.refuse_unknown(item, (*_FACT_KEYS, *_OTHER_KEYS))
    _require(item, _FACT_KEYS)
    faults = strict.Faults()
    group = faults.get(_text, item["group"], "group")
    subject = faults.get(_subject, item["subject"])
    property_id = faults.get(_text, item["property"], "property")
    holders = faults.get(strict.one_of, item.get("holders", "one"), "holders", get_args(Holders))
    values = faults.get(strict.values, item["values"])
    more = faults.get(_more, item)
    faults.check()
    read: dict[str, Any] = {"group": group, "subject": subject, "property": property_id, "holders": holders}
    return Fact(**read, **(more or {}), values=merge_terms(values or ()))


def _more(item: dict[str, Any]) -> dict[str, Any]:
    """What a fact may have besides; raises ``ValueError`` that names the key."""
    flaws = item.get("flaws") or []
    if not isinstance(flaws, list):
        raise ValueError("flaws must be a list")
    office, dissolved = item.get("office"), item.get("dissolved")
    return {
        "office": None if office is None else _text(office, "office"),
        "dissolved": None if dissolved is None else _day(dissolved, "dissolved"),
        "flaws": tuple(Flaw.from_json(flaw) for flaw in flaws),
    }


def _day(raw: object, key: str) -> PartialDate:
    try:
        return PartialDate.parse(_text(raw, key))
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _subject(raw: object) -> Subject:
    if not isinstance(raw, dict):
        raise ValueError(f"subject must be an object with id and name, not {strict.kind_of(raw)}")
    strict.refuse_unknown(raw, ("id", "name"), "subject")
    return Subject(_text(raw.get("id"), "subject.id"), _text(raw.get("name"), "subject.name"))


def _text(raw: object, key: str) -> str:
    if not isinstance(raw, str) or not raw.strip():
        what = "is missing" if raw is None else f"must be a string that is not blank, not {strict.shown(raw)}"
        raise ValueError(f"{key} {what}")
    return raw
