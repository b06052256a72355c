"""One answer read against one set of names: what the search for mentions works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from freshness.grading.names import Name, NameIndex
from freshness.grading.text import Token


class Strength(IntEnum):
    """How surely words name a value."""

    WEAK = 1
    STRONG = 2
    FULL = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of an answer, ``first`` to ``last`` inclusive, that name one value or several that share them."""

    values: frozenset[int]
    first: int
    last: int
    strength: Strength
    generation: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """One answer against one index. ``quiet``: nothing is capitalised; ``shouting``: everything is."""

    index: NameIndex
    text: Sequence[Token]
    asked: frozenset[str]
    quiet: bool
    shouting: bool


@dataclass(slots=True)
class Run:
    """Words from ``first`` to ``last`` that belong to one name.

    ``seen``: which of its words; ``respelled``: how many of them in another spelling; ``between``: first
    letters of the words in between that are none of its own.
    """

    name: Name
    first: int
    last: int
    seen: frozenset[int]
    matched: int = 1
    respelled: int = 0
    between: frozenset[str] = frozenset()
