"""What can be chosen about the questions, and how many years each kind is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

from freshness.errors import UsageError
from freshness.questions import CHOICE_KINDS, NumericKind

Distractors = Literal["fair", "paper"]

SPANS: Final[Mapping[NumericKind, int]] = MappingProxyType(
    {"date": 1, "comparative": 2, "window": 5, "range": 10, "minmax": 10, "trend": 10, "next_word": 1}
)
"""How many consecutive years a question of each kind needs, with a value in each of them."""

FIRST_YEAR: Final = 1947
"""The paper's (section 3)."""


@dataclass(frozen=True, slots=True)
class Options:
    """Raises ``UsageError`` for kinds and distractors that don't exist, and for years the wrong way round.

    ``distractors``: ``fair`` gives nothing away (``ladder``), ``paper`` is TempUN's formula (``paper``).
    ``first_year``, ``last_year``: what lies outside is not asked about.
    """

    seed: int = 0
    kinds: tuple[NumericKind, ...] = CHOICE_KINDS
    distractors: Distractors = "fair"
    first_year: int = FIRST_YEAR
    last_year: int | None = None

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.kinds if kind not in SPANS]
        if unknown:
            raise UsageError(f"no kind of question is called {unknown[0]!r}; there are {', '.join(SPANS)}")
        if self.distractors not in get_args(Distractors):
            raise UsageError(f"no distractors are called {self.distractors!r}; there are fair and paper")
        if self.last_year is not None and self.last_year < self.first_year:
            raise UsageError(f"the last year, {self.last_year}, lies before the first, {self.first_year}")
