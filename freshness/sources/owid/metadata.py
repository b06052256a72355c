"""What Our World in Data says of a chart's columns: names, unit, dates, citation (``.metadata.json``)."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from freshness.series import Indicator, Vintage
from freshness.sources.owid.errors import Bad, tame
from freshness.strict import kind_of, shortened

LICENCE: Final = "CC BY 4.0"
"""Of all that Our World in Data publishes under a citation of its own; the upstream sources named there have
theirs. Where no citation came, nothing said whose data these are, and no licence is claimed."""

ENDING: Final = ".metadata.json"
MAX_BYTES: Final = 8 * 2**20

_MAX_COLUMNS = 2000
_NAME, _SENTENCE = 200, 2000
_NAMES = ("titleShort", "titleLong", "shortName")


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """``names``: all that the column is called; ``zero_day``: its years are days since then."""

    names: tuple[str, ...]
    title: str = ""
    unit: str = ""
    updated: date | None = None
    next_update: date | None = None
    citation: str = ""
    zero_day: date | None = None

    def is_called(self, name: str) -> bool:
        return plain(name) in map(plain, self.names)


def plain(name: str) -> str:
    """A heading without regard to case, white space and the ways to write a character."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def read(raw: bytes) -> dict[str, Any]:
    """A metadata file; raises ``Bad`` (``owid_bad_metadata``) for what is none."""
    try:
        metadata = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Bad("owid_bad_metadata", f"the metadata are no JSON ({tame(str(error))[:100]})") from None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("columns"), dict):
        what = "they have no columns" if isinstance(metadata, dict) else f"they are {kind_of(metadata)}"
        raise Bad("owid_bad_metadata", f"the metadata are not a chart's: {what}")
    return metadata


def columns(metadata: Mapping[str, Any]) -> list[ColumnWords]:
    """What is said of each column; what is said wrongly counts as not said."""
    raw = metadata.get("columns")
    pairs = list(raw.items())[:_MAX_COLUMNS] if isinstance(raw, Mapping) else []
    return [_column(key, words if isinstance(words, Mapping) else {}) for key, words in pairs]


def _column(key: str, raw: Mapping[str, Any]) -> ColumnWords:
    names = (key, *(_text(raw, name, _SENTENCE) for name in _NAMES))
    return ColumnWords(
        names=tuple(dict.fromkeys(name for name in names if name)),
        title=_text(raw, "titleShort", _NAME) or _text({"key": key}, "key", _NAME),
        unit=_text(raw, "unit", _NAME) or _text(raw, "shortUnit", _NAME),
        updated=day(raw.get("lastUpdated")),
        next_update=day(raw.get("nextUpdate")),
        citation=_text(raw, "citationLong", _SENTENCE) or _text(raw, "citationShort", _SENTENCE),
        zero_day=_zero_day(raw),
    )


def _zero_day(raw: Mapping[str, Any]) -> date | None:
    """Where years are days: said of the column itself, or in how it is displayed."""
    display = raw.get("display")
    for said in (raw, display if isinstance(display, Mapping) else {}):
        if said.get("yearIsDay") is True or (said.get("zeroDay") and said.get("yearIsDay") is None):
            return day(said.get("zeroDay")) or date(2020, 1, 21)  # OWID's own default
    return None


def words_for(metadata: Mapping[str, Any] | None, *names: str) -> ColumnWords | None:
    """What is said of the column that has one of these names; None where none has, or several have."""
    for name in names:
        found = [words for words in columns(metadata or {}) if words.is_called(name)]
        exact = [words for words in found if plain(words.names[0]) == plain(name)] or found
        if len(exact) == 1:
            return exact[0]
    return None


def vintage(
    metadata: Mapping[str, Any] | None, words: ColumnWords | None, indicator: Indicator, fetched_at: datetime
) -> Vintage:
    """The edition, as far as its publisher names it; the catalogue's words where it doesn't.

    Nobody is cited, and there is no licence, where the metadata cite nobody.
    """
    chart = (metadata or {}).get("chart")
    chart = chart if isinstance(chart, Mapping) else {}
    said = words or ColumnWords(names=())
    citation = said.citation or _text(chart, "citation", _SENTENCE)
    return Vintage(
        fetched_at=fetched_at,
        title=_title(metadata, chart, said) or indicator.title,
        unit=said.unit or indicator.unit,
        updated=_past(said.updated, fetched_at),
        next_update=said.next_update,
        citation=citation,
        licence=LICENCE if citation else "",
    )


def _title(metadata: Mapping[str, Any] | None, chart: Mapping[str, Any], words: ColumnWords) -> str:
    """The column's where the chart has several."""
    several = len(columns(metadata or {})) > 1
    return words.title if several and words.title else _text(chart, "title", _NAME) or words.title


def _past(day: date | None, now: datetime) -> date | None:
    """A date in the future would make projections look like facts; clocks may differ by a day."""
    return day if day and day <= now.date() + timedelta(days=1) else None


def _text(raw: Mapping[str, Any], key: str, limit: int) -> str:
    said = raw.get(key)
    return tame(shortened(said.strip(), limit)) if isinstance(said, str) else ""


def day(raw: object) -> date | None:
    """The date that an ISO date or time begins with; None for anything else."""
    try:
        return date.fromisoformat(raw[:10]) if isinstance(raw, str) else None
    except ValueError:
        return None
