"""Fetches all facts of a catalogue, in a handful of requests: about 50 facts or 500 items in each.

::

    selectors ─► subjects ─► statements ─► values, offices ─► kinds ─► facts

All or nothing: a request that fails ends the whole, and the error goes up as the client raised it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Final

from freshness import strict
from freshness.catalog import Catalog, Entry, Selector
from freshness.errors import UsageError
from freshness.facts import Snapshot
from freshness.sources.sparql import SparqlClient, Term
from freshness.sources.wikidata import facts, kinds, queries, rows
from freshness.sources.wikidata.asking import Learnt, Line, batches
from freshness.sources.wikidata.facts import Asked, Record
from freshness.sources.wikidata.rows import Key
from freshness.sources.wikidata.selected import selected

SOURCE: Final = "wikidata"
"""What the snapshots are called."""

_LANGUAGE: Final = re.compile(r"[a-z]{2,12}(-[a-z0-9]{1,12}){0,4}")
_ITEM: Final = re.compile(r"Q[1-9][0-9]{0,11}")
_PROPERTY: Final = re.compile(r"P[1-9][0-9]{0,11}")


class Wikidata:
    """The ``Source`` of a SPARQL endpoint that holds Wikidata's own RDF.

    ``languages``: names are taken in these, in this order, then in ``mul``. ``advance``: given the number of
    requests done and of those known to be needed, after each.
    """

    def __init__(
        self,
        client: SparqlClient,
        catalog: Catalog,
        languages: tuple[str, ...] = ("en",),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        advance: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """Raises ``UsageError`` for a language code or a fact's id that is none."""
        self._client = client
        self._listed = [_listed(entry) for entry in catalog.entries]
        self._selectors = [_checked_selector(selector) for selector in catalog.selectors]
        self._languages = _checked(languages)
        self._now = now
        self._advance = advance

    def fetch(self) -> Snapshot:
        """One fact for each of the catalogue's, also those without statements, and for each subject of its
        selectors that is not listed.

        Raises ``UnavailableError`` for a request that failed and a selector without subjects,
        ``UsageError`` for a selector that is no query, or chooses too many or no items.
        """
        taken_at = self._now()
        line = Line(self._client, self._advance)
        asked = [*self._listed, *selected(line, self._selectors)]
        today = taken_at.astimezone(UTC).date()
        learnt = Learnt(line, self._languages, today)
        learnt.describe(fact.id for fact in asked)
        asked = _each_once(asked, learnt)
        records = _records(line, [_key(fact, learnt) for fact in asked], today)
        found = [(fact, records.get(_key(fact, learnt), Record())) for fact in asked]
        learnt.describe(_values_and_offices(found, learnt))
        known = learnt.known(_kinds(found, learnt))
        built = (facts.build(fact, record, known, self._languages, today) for fact, record in found)
        return Snapshot(SOURCE, taken_at, tuple(built))


def lag(client: SparqlClient) -> datetime | None:
    """When the endpoint last took over an edit; None if it doesn't tell. Raises ``SparqlError``."""
    moments = [_moment(row["d"]) for row in client.select(queries.LAG) if "d" in row]
    return max((moment for moment in moments if moment), default=None)


def _moment(term: Term) -> datetime | None:
    try:
        moment = datetime.fromisoformat(term.value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _checked(languages: Iterable[str]) -> tuple[str, ...]:
    """In lower case, each once, ``mul`` (for all languages) last."""
    codes = [language.lower() for language in languages]
    for code in codes:
        if not _LANGUAGE.fullmatch(code):
            shown = strict.shown(code)
            raise UsageError(f"wikidata.languages: {shown} is no language code such as en or pt-br")
    return (*dict.fromkeys(code for code in codes if code != "mul"), "mul")


def _listed(entry: Entry) -> Asked:
    """The ids go into queries, so that nothing else may pass for one."""
    _refuse_unless(_ITEM, entry.subject.id, entry.group, "item such as Q38")
    _refuse_unless(_PROPERTY, entry.property, entry.group, "property such as P6")
    return Asked(entry.group, entry.subject.id, entry.subject.name, entry.property, entry.holders)


def _checked_selector(selector: Selector) -> Selector:
    _refuse_unless(_PROPERTY, selector.property, selector.group, "property such as P6")
    return selector


def _refuse_unless(pattern: re.Pattern[str], text: str, group: str, what: str) -> None:
    if not pattern.fullmatch(text):
        raise UsageError(f"catalogue group {group!r}: {strict.shown(text)} is no {what}")


def _each_once(asked: Iterable[Asked], learnt: Learnt) -> list[Asked]:
    """All that are listed, and each that was chosen once, unless it is listed, by whatever id."""
    kept: list[Asked] = []
    seen: set[Key] = set()
    for fact in asked:
        key = _key(fact, learnt)
        if fact.name is not None or key not in seen:
            kept.append(fact)
        seen.add(key)
    return kept


def _key(fact: Asked, learnt: Learnt) -> Key:
    return learnt.resolved(fact.id), fact.property


def _records(line: Line, keys: Iterable[Key], today: date) -> dict[Key, Record]:
    """All statements, asked for by property: a query has a block for each."""
    parts = batches(sorted(dict.fromkeys(keys), key=lambda key: key[1]), queries.FACTS)
    found: dict[Key, Record] = {}
    for part, answer in zip(parts, line.each([_query(part) for part in parts]), strict=True):
        statements = rows.statements(answer, frozenset(part), today)
        found |= {key: facts.record(of_key) for key, of_key in statements.items()}
    return found


def _query(keys: Iterable[Key]) -> str:
    wanted: dict[str, list[str]] = {}
    for subject, property_id in keys:
        wanted.setdefault(property_id, []).append(subject)
    return queries.statements(wanted)


Found = Sequence[tuple[Asked, Record]]


def _values_and_offices(found: Found, learnt: Learnt) -> Iterator[str]:
    """All items to be named."""
    for fact, record in found:
        yield from learnt.item(fact.id).offices.get(queries.OFFICES.get(fact.property, ""), ())
        yield from (statement.value for statement in record.statements if statement.value)


def _kinds(found: Found, learnt: Learnt) -> list[str]:
    """The kinds that matter: of teams, and of what stands where a person should."""
    seen: dict[str, None] = {}
    for fact, record in found:
        for statement in record.statements:
            of_value = learnt.item(statement.value).kinds if statement.value else ()
            if fact.property in kinds.OF_TEAMS or facts.is_misplaced(fact.property, of_value):
                seen |= dict.fromkeys(of_value)
    return list(seen)
