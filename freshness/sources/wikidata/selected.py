"""The subjects that a catalogue's queries choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from freshness import strict
from freshness.catalog import Selector
from freshness.errors import UnavailableError, UsageError
from freshness.sources.sparql import SparqlError, Term
from freshness.sources.wikidata import rows
from freshness.sources.wikidata.asking import Line
from freshness.sources.wikidata.facts import Asked

MAX_SUBJECTS: Final = 1000
"""A query that chooses more has most likely lost its LIMIT."""


def selected(line: Line, selectors: Iterable[Selector]) -> Iterator[Asked]:
    """A fact for each subject of each selector, in the query's order; the same query is asked once.

    Raises ``UnavailableError`` for a query that fails or chooses nothing, ``UsageError`` for one that is no
    query, chooses too many, or anything but items; the message names the group.
    """
    chosen: dict[str, list[str]] = {}
    for selector in selectors:
        group = f"catalogue group {selector.group!r} {selector.property}"
        if selector.query not in chosen:
            chosen[selector.query] = _subjects(_answer(line, selector.query, group), group)
        for subject in chosen[selector.query]:
            yield Asked(
                selector.group, subject, None, selector.property, selector.holders, selector.needs_office
            )


def _answer(line: Line, query: str, group: str) -> list[dict[str, Term]]:
    try:
        return next(line.each([query]))
    except SparqlError as error:
        if error.kind == "bad_query":
            raise UsageError(f"{group}, select: {error}") from None
        raise SparqlError(error.kind, f"{group}, select: {error}") from None


def _subjects(answer: Iterable[dict[str, Term]], group: str) -> list[str]:
    found = dict.fromkeys(_subject(row, group) for row in answer)
    if not found:
        # The endpoint may be half empty; and if it isn't, no group should vanish without a word.
        raise UnavailableError(f"{group}, select: the endpoint found no ?subject; try the query there")
    if len(found) > MAX_SUBJECTS:
        raise UsageError(f"{group}, select: {len(found)} subjects, more than {MAX_SUBJECTS}; add a LIMIT")
    return list(found)


def _subject(row: dict[str, Term], group: str) -> str:
    term = row.get("subject")
    item = rows.item_id(term)
    if item is None:
        what = strict.shown(term.value) if term else "nothing"
        raise UsageError(
            f"{group}, select: ?subject must be an item (http://www.wikidata.org/entity/Q...), not {what}"
        )
    return item
