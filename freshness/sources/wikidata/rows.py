"""From an endpoint's rows to items and statements, small enough to keep thousands of. Pure.

Rows come in any order, and a hostile server may send any: what belongs to nothing that was asked about is
passed over, and so is an IRI that is no item's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from freshness.facts import PartialDate, Rank, ValidityInterval
from freshness.sources.sparql import Term
from freshness.sources.wikidata import dates, names, queries

Row = Mapping[str, Term]
Nature = Literal["item", "unknown", "nobody", "other"]
"""What a statement's value is: an item, "unknown value", "no value", or nothing we can use."""

MAX_KINDS: Final = 50
MAX_OFFICES: Final = 50
"""No item has so many; a server that says so shall not make us ask about all of them."""

_ITEM_IRI: Final = re.compile(r"https?://www\.wikidata\.org/entity/(Q[1-9][0-9]{0,11})", re.ASCII)
_UNKNOWN_IRI: Final = re.compile(r"https?://[^/]+/\.well-known/genid/.+")
_RANK_IRI: Final = "http://wikiba.se/ontology#"
_RANKS: Final = {
    f"{_RANK_IRI}PreferredRank": Rank.PREFERRED,
    f"{_RANK_IRI}NormalRank": Rank.NORMAL,
    f"{_RANK_IRI}DeprecatedRank": Rank.DEPRECATED,
}


def item_id(term: Term | None) -> str | None:
    """``Q38`` for an item's IRI, None for anything else."""
    match = _ITEM_IRI.fullmatch(term.value) if term and term.kind == "uri" else None
    return match[1] if match else None


def is_unknown(term: Term) -> bool:
    """Whether it is "unknown value": a blank node, or the IRI that WDQS makes of one."""
    return term.kind == "bnode" or (term.kind == "uri" and bool(_UNKNOWN_IRI.fullmatch(term.value)))


@dataclass(frozen=True, slots=True)
class Item:
    """Who or what an item is. ``label`` None: no name in the languages asked for.

    ``kinds``: ids of what it is an instance of; ``offices``: by office property, the ids of all offices,
    those it has now first. ``dissolved``: the earliest date given.
    """

    label: str | None = None
    aliases: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    dissolved: PartialDate | None = None
    offices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    redirect: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that counts (none is deprecated): one value, one term. ``value``: an item's id."""

    id: str
    nature: Nature
    value: str | None
    rank: Rank
    interval: ValidityInterval
    notes: tuple[dates.Note, ...]


def items(
    rows: Iterable[Row], asked: Collection[str], languages: Sequence[str], today: date
) -> dict[str, Item]:
    """The items that an answer to ``queries.describe`` tells something about, ``languages`` as preferred."""
    drafts: defaultdict[str, _Draft] = defaultdict(lambda: _Draft(today))
    known = frozenset(asked)
    for row in rows:
        item, what = item_id(row.get("item")), row.get("what")
        if item and item in known and what:
            drafts[item].add(what.value, row)
    return {item: draft.item(languages) for item, draft in drafts.items()}


@dataclass(slots=True)
class _Draft:
    """What is gathered of an item until all rows are read."""

    today: date
    labels: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    aliases: list[str] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    dissolved: list[PartialDate] = field(default_factory=list)
    offices: dict[str, dict[str, _Office]] = field(default_factory=dict)
    redirects: set[str] = field(default_factory=set)

    def add(self, what: str, row: Row) -> None:
        text, to = row.get("text"), item_id(row.get("to"))
        if what == "label" and text:
            self.labels[text.lang.lower()].append(text.value)
        elif what == "alias" and text:
            self.aliases.append(text.value)
        elif what == "kind" and to:
            self.kinds.add(to)
        elif what == "redirect" and to:
            self.redirects.add(to)
        elif what == "dissolved" and (t := row.get("t")):
            read = dates.moment(t.value, _precision(row) or dates.YEAR, date.min).date
            self.dissolved += [read] if read else []
        elif to and what in queries.OFFICES.values():
            self._add_office(what, to, row)

    def _add_office(self, property_id: str, office: str, row: Row) -> None:
        statement, end, rank = row.get("st"), row.get("end"), row.get("rank")
        held = self.offices.setdefault(property_id, {})
        key = statement.value if statement else office
        preferred = rank is not None and _RANKS.get(rank.value) is Rank.PREFERRED
        ended = "" if end is None else "?" if is_unknown(end) else end.value
        # Of two ends on one statement the later counts, as everywhere; one to come is none yet.
        known = held.get(key)
        ended = max(ended, known.ended) if known else ended
        start = row.get("start")
        begun = start is None or is_unknown(start) or not self._is_to_come(start.value)
        held[key] = _Office(office, preferred, "" if self._is_to_come(ended) else ended, begun)

    def _is_to_come(self, date_text: str) -> bool:
        return date_text[:1].isdigit() and date_text[:10] > self.today.isoformat()

    def item(self, languages: Sequence[str]) -> Item:
        label, aliases = names.choose(self.labels, self.aliases, languages)
        return Item(
            label,
            aliases,
            tuple(sorted(self.kinds, key=_number)[:MAX_KINDS]),
            min(self.dissolved, key=lambda day: (day.first, str(day)), default=None),
            {name: _in_order(offices.values()) for name, offices in self.offices.items()},
            min(self.redirects, default=None),
        )


@dataclass(frozen=True, slots=True)
class _Office:
    """``ended``: when the subject ceased to have it, as the source writes it; empty: it still has.

    ``begun``: whether it has it already.
    """

    id: str
    preferred: bool
    ended: str
    begun: bool


def _in_order(offices: Iterable[_Office]) -> tuple[str, ...]:
    """Those that still are, preferred ones first; then the others, the last one first."""
    by_id = sorted(offices, key=lambda office: _number(office.id))
    by_end = sorted(by_id, key=lambda o: o.ended, reverse=True)
    current_first = sorted(by_end, key=lambda o: (bool(o.ended) or not o.begun, not o.preferred))
    return tuple(dict.fromkeys(office.id for office in current_first))[:MAX_OFFICES]


def _number(item: str) -> tuple[int, str]:
    """Sorts ids by their number, in which the most general kinds (Q5, human) come first."""
    return len(item), item


def kinds(rows: Iterable[Row]) -> tuple[dict[str, list[str]], dict[str, set[str]]]:
    """By kind: its English labels, and the classes it is below, from a ``queries.kinds``."""
    labels: defaultdict[str, list[str]] = defaultdict(list)
    classes: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        kind, text, to = item_id(row.get("item")), row.get("text"), item_id(row.get("to"))
        if kind and text and (name := names.clean(text.value)):
            labels[kind].append(name)
        if kind and to:
            classes[kind].add(to)
    return dict(labels), dict(classes)


Key = tuple[str, str]
"""A subject's id and a property."""


def statements(rows: Iterable[Row], asked: Collection[Key], today: date) -> dict[Key, list[Statement]]:
    """The statements of a ``queries.statements``, by subject and property; deprecated ones are no facts.

    Grouped by the statement's own id: a value that comes twice has two terms.
    """
    drafts: dict[str, _StatementDraft] = {}
    qualifiers: list[Row] = []
    for row in rows:
        if "q" in row:
            qualifiers.append(row)
        else:
            _open(row, asked, drafts)
    for row in qualifiers:
        _qualify(row, drafts)
    found: dict[Key, list[Statement]] = {}
    for name, draft in drafts.items():
        if draft.rank is not Rank.DEPRECATED:
            found.setdefault(draft.key, []).append(draft.statement(name, today))
    return found


@dataclass(slots=True)
class _StatementDraft:
    key: Key
    rank: Rank
    value: Term | None
    bounds: dict[str, dates.Bound] = field(
        default_factory=lambda: {"start": dates.Bound(), "end": dates.Bound(), "point": dates.Bound()}
    )
    said: set[str] = field(default_factory=set)

    @property
    def order(self) -> tuple[str, str, str, Rank]:
        return *self.key, self.value.value if self.value else "", self.rank

    def statement(self, name: str, today: date) -> Statement:
        start, end, point = (self.bounds[bound] for bound in ("start", "end", "point"))
        interval, notes = dates.interval(start, end, point, "endless" in self.said, today)
        value = item_id(self.value)
        return Statement(name, self._nature(value), value, self.rank, interval, notes)

    def _nature(self, value: str | None) -> Nature:
        if value:
            return "item"
        if self.value is None:
            return "nobody" if "nobody" in self.said else "other"
        return "unknown" if is_unknown(self.value) else "other"


def _open(row: Row, asked: Collection[Key], drafts: dict[str, _StatementDraft]) -> None:
    subject, statement, rank = item_id(row.get("s")), row.get("st"), row.get("rank")
    key = (subject or "", row["p"].value if "p" in row else "")
    if key not in asked or statement is None or statement.kind != "uri" or rank is None:
        return
    if rank.value in _RANKS:
        draft = _StatementDraft(key, _RANKS[rank.value], row.get("v"))
        known = drafts.get(statement.value)
        # A server may say two things of one statement; which is taken must not depend on their order.
        if known is None or draft.order < known.order:
            drafts[statement.value] = draft


def _qualify(row: Row, drafts: Mapping[str, _StatementDraft]) -> None:
    statement, what = row.get("st"), row["q"].value
    draft = drafts.get(statement.value) if statement else None
    if draft is None:
        return
    bound = draft.bounds.get(what)
    if bound is None:
        draft.said.add(what)
    elif time := row.get("t"):
        bound.times.add((time.value, _precision(row)))
    elif raw := row.get("raw"):
        if is_unknown(raw):
            bound.unknown = True
        else:
            bound.raws.add(raw.value)


def _precision(row: Row) -> int | None:
    term = row.get("prec")
    return int(term.value) if term and re.fullmatch(r"[0-9]{1,2}", term.value) else None
