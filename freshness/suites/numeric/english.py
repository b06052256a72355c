"""How entities and units stand in a sentence."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ARTICLE: Final = re.compile(
    # What names a kind of state or land takes an article, and so do lands in the plural, and a few by custom.
    r"^(?!the\b)(?:united\b|.*\b(?:republic|kingdom|states|emirates|federation|union|islands?|isles?|"
    r"territor(?:y|ies)|sultanate|commonwealth)\b|.*lands$|(?:philippines|maldives|bahamas|comoros|gambia|"
    r"seychelles|vatican|holy see|levant|caribbean|balkans)\b)",
    re.IGNORECASE,
)
_BARE: Final = re.compile(r"^(?:christmas|norfolk|pitcairn|easter|bouvet) island\b", re.IGNORECASE)
_HEAD: Final = re.compile(
    r"\s+(?:of|from|per|as|at|in|by|for|to|with|on|among|under|over|between|that|who)\b|[,(]"
)
_SINGULAR: Final = re.compile(r"(?:ss|us|is|ics)$", re.IGNORECASE)
_APART: Final = re.compile(r"\s*\((?:country|state|nation)\)$", re.IGNORECASE)


@lru_cache(1024)
def named(entity: str) -> str:
    """With its article, and without what only tells it from a region of the same name."""
    name = _APART.sub("", entity.strip())
    return f"the {name}" if _ARTICLE.match(name) and not _BARE.match(name) else name


@lru_cache(1024)
def possessive(entity: str) -> str:
    """``France's``, ``the United States'``."""
    name = named(entity)
    return f"{name}'" if name.endswith(("s", "S")) else f"{name}'s"


def was(phrase: str) -> str:
    """``was``, or ``were`` for the plural: ``emissions from fuels``, but not ``share of emissions``."""
    head = _HEAD.split(phrase.strip(), maxsplit=1)[0].strip()
    return "were" if head.endswith("s") and not _SINGULAR.search(head) else "was"


def in_unit(unit: str) -> str:
    """What a question adds: `` (in US dollars)``; nothing without a unit."""
    return f" (in {unit})" if unit else ""


def after_number(unit: str) -> str:
    """What follows a number: ``%`` at once, words after a space."""
    return unit if unit.startswith("%") or not unit else f" {unit}"
