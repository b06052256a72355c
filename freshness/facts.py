"""Facts and the intervals in which their values hold.

Dates carry a precision (Wikidata's 9, 10, 11: year, month, day) and may lie before the common era,
so they are no ``datetime.date``; days are counted as proleptic Gregorian ordinals, as in
``datetime.date.toordinal`` but without its lower limit. Intervals are half-open, ``[start, end)``.
"""

from __future__ import annotations

import builtins
import calendar
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal, get_args

from freshness.errors import UsageError

Holders = Literal["one", "many"]
FlawKind = Literal[
    "no_item",
    "label_mismatch",
    "unchecked_name",
    "no_office_name",
    "unknown_value",
    "no_value",
    "missing_label",
    "wrong_kind",
    "undated",
    "several_dates",
    "impossible_date",
    "rough_date",
    "too_many_statements",
]
"""What can be wrong with a source's own record of a fact; see ``Flaw``."""

_DATE = re.compile(r"(-?\d{1,6})(?:-(\d{2})(?:-(\d{2}))?)?")
_DAYS_IN_400_YEARS = 146_097


class Precision(StrEnum):
    """How exactly a date is known; the values of ``wikibase:timePrecision`` 9, 10 and 11."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"


class Rank(StrEnum):
    """A statement's rank in Wikidata's data model."""

    PREFERRED = "preferred"
    NORMAL = "normal"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date known to the year, the month or the day. Years are astronomical: 0 is 1 BCE.

    Raises ``ValueError`` for a month or day that does not exist.
    """

    year: int
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        if self.month is None and self.day is not None:
            raise ValueError("a day needs a month")
        if self.month is not None and not 1 <= self.month <= 12:
            raise ValueError(f"month {self.month} does not exist")
        if self.month and self.day is not None:
            if not 1 <= self.day <= _month_length(self.year, self.month):
                raise ValueError(f"{self.year}-{self.month:02d} has no day {self.day}")

    @classmethod
    def parse(cls, text: str) -> PartialDate:
        """``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``; raises ``ValueError`` otherwise."""
        match = _DATE.fullmatch(text.strip()) if isinstance(text, str) else None
        if not match:
            raise ValueError(f"{text!r} is no date; use YYYY, YYYY-MM or YYYY-MM-DD")
        year, month, day = match.groups()
        return cls(int(year), int(month) if month else None, int(day) if day else None)

    @classmethod
    def from_date(cls, day: date) -> PartialDate:
        return cls(day.year, day.month, day.day)

    @property
    def precision(self) -> Precision:
        if self.month is None:
            return Precision.YEAR
        return Precision.MONTH if self.day is None else Precision.DAY

    @property
    def first(self) -> int:
        """Ordinal of the first day it can mean."""
        return _ordinal(self.year, self.month or 1, self.day or 1)

    @property
    def last(self) -> int:
        """Ordinal of the last day it can mean."""
        month = self.month or 12
        return _ordinal(self.year, month, self.day or _month_length(self.year, month))

    @property
    def middle(self) -> int:
        """Ordinal of the day half-way: the least wrong single day."""
        return (self.first + self.last) // 2

    def __str__(self) -> str:
        year = f"{self.year:04d}" if self.year >= 0 else f"-{-self.year:04d}"
        return year + "".join(f"-{part:02d}" for part in (self.month, self.day) if part is not None)


def _month_length(year: int, month: int) -> int:
    return calendar.monthrange(2000 + year % 400, month)[1]


def _ordinal(year: int, month: int, day: int) -> int:
    cycles, within = divmod(year - 1, 400)
    return cycles * _DAYS_IN_400_YEARS + date(within + 1, month, day).toordinal()


@dataclass(frozen=True, slots=True)
class ValidityInterval:
    """When a value holds in the world, half-open.

    ``start`` None: unknown, but begun. ``end`` None: still holds, unless ``ended`` says that it
    ended at a date nobody recorded. Bounds are read at the first day of their precision
    ("until 1920" ends with 1919); ``grading.timeline`` narrows them by their neighbours.
    """

    start: PartialDate | None = None
    end: PartialDate | None = None
    ended: bool = False

    @property
    def is_open(self) -> bool:
        return self.end is None and not self.ended

    def holds(self, day: int) -> bool:
        """Whether it holds on the day with this ordinal."""
        begun = self.start is None or self.start.first <= day
        over = self.ended or (self.end is not None and self.end.first <= day)
        return begun and not over

    def to_json(self) -> dict[str, str | None]:
        end = "unknown" if self.ended else str(self.end) if self.end else None
        return {"start": str(self.start) if self.start else None, "end": end}

    @classmethod
    def from_json(cls, start: object, end: object) -> ValidityInterval:
        """Bounds as users write them; raises ``ValueError`` for anything else."""
        if end == "unknown":
            return cls(_bound(start, "start"), None, ended=True)
        return cls(_bound(start, "start"), _bound(end, "end"))


def _bound(raw: object, key: str) -> PartialDate | None:
    if raw is None:
        return None
    if not isinstance(raw, str):
        raise ValueError(f"{key} must be a date string or null, not {raw!r}")
    try:
        return PartialDate.parse(raw)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a fact (a person, a club) with all its terms."""

    label: str
    aliases: tuple[str, ...] = ()
    intervals: tuple[ValidityInterval, ...] = (ValidityInterval(),)
    rank: Rank = Rank.NORMAL
    id: str | None = None

    def holds(self, day: int) -> bool:
        return self.rank is not Rank.DEPRECATED and any(i.holds(day) for i in self.intervals)


def merge_terms(values: Iterable[Value]) -> tuple[Value, ...]:
    """A value that comes twice has two terms: one ``Value`` with both intervals, in order of first mention.

    Deprecated statements stay apart; of two ranks the preferred one is kept.
    """
    merged: dict[tuple[str, bool], Value] = {}
    for value in values:
        key = (value.id or value.label, value.rank is Rank.DEPRECATED)
        known = merged.get(key)
        if known is None:
            merged[key] = value
            continue
        aliases = tuple(dict.fromkeys(known.aliases + value.aliases))
        rank = Rank.PREFERRED if Rank.PREFERRED in (known.rank, value.rank) else known.rank
        intervals = tuple(dict.fromkeys(known.intervals + value.intervals))
        merged[key] = Value(known.label, aliases, intervals, rank, known.id)
    return tuple(merged.values())


@dataclass(frozen=True, slots=True)
class Subject:
    """Who or what a fact is about: a Wikidata item (``Q38``) and the name we ask with."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something wrong with a source's record of a fact, found when it was read.

    ``no_item``: the subject's item doesn't exist; ``label_mismatch``: it goes by other names than the
    catalogue's; ``unchecked_name``: by none in the languages asked for, so that nothing shows it is the one;
    ``no_office_name``: the prompts need the office's own name, and there is none;
    ``unknown_value``, ``no_value``: the source says that somebody unknown, or nobody, holds it;
    ``missing_label``: the value has no name in the languages asked for; ``wrong_kind``: it is no person (or
    what the property wants); ``undated``: a statement that counts has neither start nor end;
    ``several_dates``, ``impossible_date``, ``rough_date``: a bound had to be chosen, shortened or left out;
    ``too_many_statements``: only the first were read.

    ``text``: one sentence for the person who can mend it. ``value``: a statement that was left out because
    of it, labelled with its item's id; None where nothing was left out.
    """

    kind: FlawKind
    text: str
    value: Value | None = None

    def to_json(self) -> dict[str, Any]:
        value = _value_json(self.value) if self.value else None
        return {"kind": self.kind, "text": self.text, "value": value}

    @classmethod
    def from_json(cls, raw: object) -> Flaw:
        """Raises ``ValueError`` that names the key."""
        if not isinstance(raw, Mapping) or raw.get("kind") not in get_args(FlawKind):
            raise ValueError(f"flaws must be objects with a kind of {', '.join(get_args(FlawKind))}")
        if not isinstance(raw.get("text"), str):
            raise ValueError("a flaw's text must be a string")
        value = raw.get("value")
        return cls(raw["kind"], raw["text"], None if value is None else value_from_json(value))


@dataclass(frozen=True, slots=True)
class Fact:
    """One subject, one property, all its values with all their intervals.

    ``office``: what the source calls the office ("Prime Minister of Italy"); ``dissolved``: since when
    the office or the subject is no more; ``flaws``: what is wrong with the source's record.
    """

    group: str
    subject: Subject
    property: str
    values: tuple[Value, ...]
    holders: Holders = "one"
    office: str | None = None
    dissolved: PartialDate | None = None
    flaws: tuple[Flaw, ...] = ()

    @builtins.property  # the field above hides the plain name
    def id(self) -> str:
        return f"{self.subject.id}/{self.property}"

    def to_json(self) -> dict[str, Any]:
        """The shape of ``facts show --format json``, without state and snapshot.

        What is not known of a fact (office, dissolved) or not wrong with it (flaws) is not in it.
        """
        more = {
            "office": self.office,
            "dissolved": str(self.dissolved) if self.dissolved else None,
            "flaws": [flaw.to_json() for flaw in self.flaws],
        }
        return {
            "group": self.group,
            "subject": {"id": self.subject.id, "name": self.subject.name},
            "property": self.property,
            "holders": self.holders,
            "values": [_value_json(value) for value in self.values],
            **{key: value for key, value in more.items() if value},
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Fact:
        """Raises ``ValueError`` that names the key."""
        subject = raw["subject"]
        return cls(
            raw["group"],
            Subject(subject["id"], subject["name"]),
            raw["property"],
            tuple(value_from_json(value) for value in raw["values"]),
            raw.get("holders", "one"),
            raw.get("office"),
            _bound(raw.get("dissolved"), "dissolved"),
            tuple(Flaw.from_json(flaw) for flaw in raw.get("flaws") or ()),
        )


def _value_json(value: Value) -> dict[str, Any]:
    return {
        "id": value.id,
        "label": value.label,
        "aliases": list(value.aliases),
        "rank": str(value.rank),
        "intervals": [interval.to_json() for interval in value.intervals],
    }


def value_from_json(raw: Mapping[str, Any]) -> Value:
    """A value as in a case line (``start``, ``end``) or a fact (``intervals``); ``ValueError`` names the key.

    Blank aliases are dropped: an empty name is found in every text.
    """
    if not isinstance(raw, Mapping):
        raise ValueError(f"a value must be an object, not {raw!r}")
    label = raw.get("label")
    if not isinstance(label, str) or not label.strip():
        raise ValueError("label must be a string that is not blank")
    aliases = raw.get("aliases") or []
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise ValueError("aliases must be a list of strings")
    rank = raw.get("rank") or "normal"
    if rank not in list(Rank):
        raise ValueError(f"rank must be preferred, normal or deprecated, not {rank!r}")
    spans = raw.get("intervals", [raw])
    if not isinstance(spans, list) or not all(isinstance(span, Mapping) for span in spans):
        raise ValueError("intervals must be a list of objects with start and end")
    intervals = tuple(ValidityInterval.from_json(s.get("start"), s.get("end")) for s in spans)
    kept = tuple(alias for alias in aliases if alias.strip())
    return Value(label, kept, intervals, Rank(rank), raw.get("id"))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All facts as one source gave them at one moment (aware datetime)."""

    source: str
    taken_at: datetime
    facts: tuple[Fact, ...] = field(default=())

    @property
    def digest(self) -> str:
        """SHA-256 of the facts in canonical JSON, in hex: the same facts give the same digest."""
        rows = sorted(json.dumps(f.to_json(), sort_keys=True, ensure_ascii=False) for f in self.facts)
        return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()

    def find(self, subject: str, property_id: str) -> Fact:
        """The fact by subject id or name; raises ``UsageError`` when there is none."""
        for fact in self.facts:
            if fact.property == property_id and subject in (fact.subject.id, fact.subject.name):
                return fact
        where = f"in the {self.source} snapshot; see `freshness facts list`"
        raise UsageError(f"no fact {subject} {property_id} {where}")
