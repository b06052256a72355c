"""Names as they are kept: cleaned, in a stable order, and never an id; and whether one fits an item."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from freshness.grading.text import fold

MAX_CHARS: Final = 250
"""Wikidata's own limit for a label or an alias; what is longer is no name."""
MAX_ALIASES: Final = 100

_ITEM_ID: Final = re.compile(r"\s*[Qq][0-9]+\s*")
# Marks that turn or hide text and are no part of any spelling; joiners (U+200C, U+200D) are.
_HIDDEN: Final = re.compile(
    r"[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]"
)
_NOT_WORD: Final = re.compile(r"[\W_]+")
_APOSTROPHES: Final = re.compile("['’ʼ‘`´]")
_LEGAL_FORMS: Final = frozenset(
    "the inc incorporated corp corporation co company ltd limited plc llc lp ag se sa spa nv bv ab asa oyj "
    "gmbh kg kgaa pjsc jsc kk".split()
)
# What clubs have in their names or not; "F.C." falls apart into letters, which don't count either.
_CLUB_WORDS: Final = frozenset("fc cf afc sc ac as ss ssc sv cd rc bk if fk sk club football".split())
_IDLE: Final = _LEGAL_FORMS | _CLUB_WORDS


def clean(text: str) -> str | None:
    """The name in NFC on one line, without control and direction marks.

    None when it is no name at all: blank, too long, or an item's id standing in for one.
    """
    name = " ".join(unicodedata.normalize("NFC", text if text.isprintable() else _visible(text)).split())
    return name if 0 < len(name) <= MAX_CHARS and not _ITEM_ID.fullmatch(name) else None


def _visible(text: str) -> str:
    kept = (char for char in text if char.isspace() or unicodedata.category(char) not in ("Cc", "Cs"))
    return _HIDDEN.sub("", "".join(kept))


def choose(
    labels: Mapping[str, Iterable[str]], aliases: Iterable[str], languages: Sequence[str]
) -> tuple[str | None, tuple[str, ...]]:
    """The label in the first of these languages that has one, and what else the item is called.

    ``labels`` by language. The same names give the same result in whatever order they come.
    """
    cleaned = {
        code: sorted({name for text in texts if (name := clean(text))}) for code, texts in labels.items()
    }
    in_order = [name for code in languages for name in cleaned.get(code, ())]
    if not in_order:
        return None, ()
    label = in_order[0]
    others = [*in_order, *sorted({name for text in aliases if (name := clean(text))})]
    return label, tuple(name for name in dict.fromkeys(others) if name != label)[:MAX_ALIASES]


def fits(name: str, known: Iterable[str]) -> bool:
    """Whether a catalogue's name is one of an item's names.

    Case, accents, punctuation, "the", legal forms (Inc., plc) and what clubs add to their names (FC, CF)
    don't matter. Any other word does: the Kingdom of Italy is not Italy.
    """
    asked = _words(name)
    return any(name == other or _same(asked, _words(other)) for other in known)


def _same(asked: Sequence[str], words: Sequence[str]) -> bool:
    if not asked or not words:
        return False
    # "F.C. Ajax" and "Ajax", but not "A" and "A B".
    longer, shorter = set(words) - set(asked), set(asked) - set(words)
    if not shorter and all(word in _IDLE or len(word) == 1 for word in longer):
        return any(len(word) > 1 for word in asked)
    return "".join(asked) == "".join(words)


def _words(name: str) -> list[str]:
    folded = [fold(word) for word in _NOT_WORD.split(_APOSTROPHES.sub("", name))]
    words = [word for word in folded if word]
    return [word for word in words if word not in _LEGAL_FORMS] or words
