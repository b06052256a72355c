"""Asking the endpoint batch by batch, and what has been learnt of items so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, TypeVar

from freshness.sources.sparql import SparqlClient, Term
from freshness.sources.wikidata import facts, kinds, queries, rows
from freshness.sources.wikidata.rows import Item

MAX_REDIRECTS: Final = 3
"""Merged items are followed over so many steps; what leads on is not found."""


T = TypeVar("T")


class Line:
    """The client, with a count of the requests that are done and of those known to come."""

    def __init__(self, client: SparqlClient, advance: Callable[[int, int], None]) -> None:
        self._client = client
        self._advance = advance
        self._done = self._expected = 0

    def each(self, texts: Sequence[str]) -> Iterator[list[dict[str, Term]]]:
        """The rows of each query, asked one after the other; raises ``SparqlError``."""
        self._expected += len(texts)
        for text in texts:
            found = self._client.select(text)
            self._done += 1
            self._advance(self._done, self._expected)
            yield found


def batches(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """The items in order, at most ``size`` in each part."""
    return [items[at : at + size] for at in range(0, len(items), size)]


@dataclass(slots=True)
class Learnt:
    """The items described so far, by id; ``redirects``: what others were merged into."""

    line: Line
    languages: Sequence[str]
    today: date
    items: dict[str, Item] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def describe(self, items: Iterable[str]) -> None:
        """Asks about those that are new, and about what they were merged into."""
        wanted = list(dict.fromkeys(items))
        for _ in range(MAX_REDIRECTS + 1):
            new = [item for item in wanted if item not in self.asked]
            self.asked.update(new)
            parts = batches(new, queries.DESCRIBED)
            answers = self.line.each([queries.describe(part, self.languages) for part in parts])
            for part, answer in zip(parts, answers, strict=True):
                self._keep(rows.items(answer, part, self.languages, self.today))
            wanted = list(dict.fromkeys(self.redirects[item] for item in new if item in self.redirects))

    def _keep(self, found: dict[str, Item]) -> None:
        for item, description in found.items():
            if description.redirect:
                self.redirects[item] = description.redirect
            else:
                self.items[item] = description

    def resolved(self, item: str) -> str:
        """Where redirects lead from this item; those that lead in a loop end at one without a description."""
        for _ in range(MAX_REDIRECTS):
            item = self.redirects.get(item, item)
        return item

    def item(self, item: str) -> Item:
        return self.items.get(self.resolved(item), facts.NOTHING)

    def known(self, kind_ids: Sequence[str]) -> facts.Known:
        """All of it, with what these kinds are called and below which classes they are: asks once more."""
        labels: dict[str, list[str]] = {}
        classes: dict[str, set[str]] = {}
        parts = batches(kind_ids, queries.DESCRIBED)
        for answer in self.line.each([queries.kinds(part, kinds.SIDE_TEAMS) for part in parts]):
            more_labels, more_classes = rows.kinds(answer)
            labels |= more_labels
            classes |= more_classes
        ids = {item: self.resolved(item) for item in self.redirects}
        return facts.Known(self.items, ids, labels, classes)
