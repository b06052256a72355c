"""When two spellings are one word: transliterations, short forms of given names.

Another person's name that is merely close must not pass, so nothing here is a plain edit distance: two
words are compared by what no way of writing a name in Latin letters changes.
"""

from __future__ import annotations

from functools import lru_cache

import regex
from rapidfuzz.distance import DamerauLevenshtein

from freshness.grading import words

_VOWELS = regex.compile(r"[aeiou]")
_DOUBLED = regex.compile(r"(.)\1+")
_TRANSLITERATION = tuple(
    (regex.compile(pattern), plain)
    for pattern, plain in (
        (r"dj", "j"),
        (r"(?<=.)(?:iyy|iya|ii|iy|yi|yy|yj|ij|ey|ei|ay|ai|y|j)$", "i"),
        (r"shch|sch|sh|tsch|tch|cz|ch", "s"),
        (r"kh", "h"),
        (r"gh|ck|cq|q|c|g", "k"),
        (r"ph", "f"),
        (r"dh", "d"),
        (r"th", "t"),
        (r"ts|tz|zh|z", "s"),
        (r"x", "ks"),
        (r"w", "v"),
        (r"(?<=[bcdfklmnprstvz])h|h$", ""),
        (r"y|j", "i"),
        (r"(?<=.)ou|oo", "u"),
    )
)
_ABJAD_SOUNDS = tuple(
    (regex.compile(pattern), plain)
    for pattern, plain in (
        (r"^al(?=[^aeiou])", ""),
        (r"sh|ch", "s"),
        (r"[kg]h|[gjqc]", "k"),
        (r"x", "ks"),
        (r"[aeiouwyh]", ""),
        (r"p", "b"),
        (r"v", "f"),
        (r"z", "s"),
    )
)
_SAME_INITIALS = frozenset(
    frozenset(pair) for pair in "kq kg gq kc cq vw iy jy ij zj zs sc xz zt ei ey ae ou td tc ch kh fp".split()
)


@lru_cache(maxsize=65_536)
def _plain(key: str) -> str:
    for pattern, plain in _TRANSLITERATION:
        key = pattern.sub(plain, key)
    return key


@lru_cache(maxsize=65_536)
def skeleton(key: str) -> str:
    """What stays of a folded word whichever way it was transliterated: its consonants, alike ones made one.

    The last letter is kept when it is a vowel that can tell two names apart (Petro, Petra).
    """
    text = _plain(key)
    if not text:
        return ""
    ending = text[-1] if text[-1] in "aeou" else ""
    first = "-" if text[0] in "aeiou" else text[0]
    return _DOUBLED.sub(r"\1", first + _VOWELS.sub("", text[1:])) + ending


def is_close(key: str, known: str) -> bool:
    """Whether two words with one skeleton are one name: the same sound first, few letters changed."""
    if key[0] != known[0] and frozenset((key[0], known[0])) not in _SAME_INITIALS:
        return False
    allowed = 1 if len(known) <= 4 else 2 if len(known) <= 7 else 4
    return DamerauLevenshtein.distance(_plain(key), _plain(known), score_cutoff=allowed) <= allowed


@lru_cache(maxsize=65_536)
def levelled(key: str) -> str:
    """A word with single letters, and i for y and j: -sky, -skyy and -skii are one ending."""
    return _DOUBLED.sub(r"\1", key.replace("y", "i").replace("j", "i"))


def consonants(key: str) -> str:
    """What scripts without vowels would keep of a word, and of the sounds they don't tell apart."""
    for pattern, plain in _ABJAD_SOUNDS:
        key = pattern.sub(plain, key)
    return _DOUBLED.sub(r"\1", key)


@lru_cache(maxsize=4096)
def same_given_name(key: str) -> frozenset[str]:
    """Short forms of a given name and the names it is short for: James, Jim, Jimmy."""
    full = frozenset(words.NICKNAMES.get(key, "").split()) | {key}
    short = {nick for nick, names in words.NICKNAMES.items() if full & set(names.split())}
    return (full | short) - {key}
