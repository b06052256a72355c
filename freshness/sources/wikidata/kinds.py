"""Of which kind a value must be: a person for an office, a club or first team for a player.

A footballer's national, youth and reserve teams stand beside the club under the same property. They are told
by their kind (P31), never by their own name: a club may be called "Nacional" or "Juniors".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

HUMAN: Final = "Q5"
OF_PERSONS: Final = frozenset({"P6", "P35", "P169", "P488", "P3975", "P1037", "P286"})
"""Properties whose value must be a person."""
OF_TEAMS: Final = frozenset({"P54"})
"""Properties whose value must be a club or a first team."""
SIDE_TEAMS: Final[tuple[str, ...]] = ("Q1194951", "Q6979593", "Q2412834")
"""National sports team, national association football team, reserve team."""

_SIDE_WORDS: Final = re.compile(
    r"\b(?:youth|juniors?|reserves?|academy|b[ -]team|team b|second team|(?:under|sub|u)[ -]?\d{2}s?"
    r"|(?:farm|development|representative) (?:team|side|squad))\b",
    re.I,
)
_NATIONAL: Final = re.compile(r"\b(?:national|olympic)\b", re.I)
_TEAM: Final = re.compile(r"\b(?:team|teams|side|sides|squad|selection)\b", re.I)
# Sports whose own name would be taken for a competition's; a competition's is written with capitals.
_SPORTS: Final = re.compile(r"\b(?:association|[Aa]ssociation) (?=football|soccer)|\brugby league\b")
_COMPETITION: Final = re.compile(
    r"\b(?:leagues?|associations?|conferences?|divisions?|championships?|clubs?|franchises?)\b", re.I
)


def is_side_team(labels: Iterable[str], classes: Collection[str]) -> bool:
    """Whether a team is a national, youth or reserve one.

    ``labels``: what its kinds are called in English; ``classes``: ids of the classes they are below.
    """
    return any(side in classes for side in SIDE_TEAMS) or any(map(_says_side_team, labels))


def _says_side_team(label: str) -> bool:
    """A "national under-21 football team" is one; a "National Football League team" is a club."""
    if _SIDE_WORDS.search(label):
        return True
    of_country = _NATIONAL.search(label) and _TEAM.search(label)
    return bool(of_country) and not _COMPETITION.search(_SPORTS.sub("", label))
