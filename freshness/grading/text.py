"""An answer's text made ready for reading: thoughts and links blanked out, words with their places.

Whatever is taken out is replaced by as many blanks, so that every span still points into the answer
as the model gave it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import regex
from anyascii import anyascii

MAX_CHARS = 20_000
"""An answer to these questions is a sentence or two: what lies beyond this is not read."""
MAX_THOUGHT = 1_000_000
"""Thoughts may be longer: an answer is looked for behind so many characters of them."""

_THINK_TAGS = r"think(?:ing)?|thought|reason(?:ing)?|reflection|analysis|scratchpad"
_OPEN = regex.compile(
    rf"(?:<|&lt;)\s*(?:{_THINK_TAGS})\b[^<>]{{0,40}}(?:>|&gt;)|\[\s*THINK\s*\]|◁think▷", regex.I
)
_CLOSE = regex.compile(
    rf"(?:<|&lt;)\s*/\s*(?:{_THINK_TAGS})\s*(?:>|&gt;)|\[\s*/\s*THINK\s*\]|◁/think▷", regex.I
)
_PAIR = regex.compile(
    rf"(?:{_OPEN.pattern})(?:(?!{_OPEN.pattern}).)*?(?:{_CLOSE.pattern})", regex.I | regex.S
)
_HALF_TAG = regex.compile(r"<\s*/?\s*[a-z]{0,12}$", regex.I)
_CHANNEL = regex.compile(r"<\|channel\|>\s*final\s*<\|message\|>", regex.I)
_ANALYSIS = regex.compile(r"<\|channel\|>\s*(?:analysis|commentary)\b", regex.I)
_SPECIAL = regex.compile(r"<\|[^|<>]{1,40}\|>|</?s>|\[/?INST\]|<(?:pad|eos|bos|unk)>", regex.I)
_LINK_TARGET = regex.compile(r"(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")
_URL = regex.compile(
    r"<?\b(?:https?|ftp)://[^\s<>\"]+>?|\bwww\.[^\s<>\"]+|\b[\w.+-]{1,64}+@[\w-]{1,64}\.[\w.-]{1,64}", regex.I
)
_ESCAPES = regex.compile(r"\x1b(?:\[[0-9;?]{0,20}[ -/]?[@-~]|.)")
_HTML_TAG = regex.compile(r"</?[a-zA-Z][^<>]{0,200}>")

_WORD = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}])(?:\p{L}\.){2,}(?:\p{L}(?![\p{L}\p{M}\p{N}]))?"
    r"|[\p{L}\p{M}\p{N}]+(?:['’ʼ‘`´][\p{L}\p{M}]+)*"
)
_DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_POSSESSIVE = regex.compile(r"(?:['’ʼ‘`´][sS]|(?<=[sS])['’])$")
_SUFFIX = regex.compile(r"(?<=[\p{L}\p{M}]{3})['’ʼ‘`´]\p{Ll}{1,5}$")
_ADJACENT = regex.compile(r"[ \t*_]*[-‐‑·]?[ \t*_]*")
_HYPHENS = ("-", "‐", "‑")
_OPENING_QUOTES = ('. "', ". “", ' "', " “", " „", " ‘", " '", " «")
_CLOSING_QUOTES = ('" ', "” ", "“ ", "’ ", "' ", "» ")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr st jr sr prof gen col capt sen rep gov hon rev sgt lt cmdr maj adm messrs".split()
)
_NOT_WORD = regex.compile(r"[^a-z0-9]+")


@dataclass(slots=True, eq=False)
class Token:
    """A word: its folded ``key``, its place, the text before it (``gap``), how it is written.

    ``near``: nothing but space or a hyphen parts it from the word before, so both may be one name;
    ``joined``: it is the hyphen. ``dense``: of a script written without spaces.
    """

    raw: str
    key: str
    start: int
    end: int
    gap: str
    capital: bool
    near: bool
    joined: bool = False
    dense: bool = False
    possessive: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A cleaned answer. ``unfinished``: the model was still thinking when it stopped."""

    text: str
    tokens: tuple[Token, ...]
    unfinished: bool


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Lower-case ASCII letters and digits: diacritics, strokes, scripts and case no longer matter."""
    if not word.isascii():
        word = anyascii(word)
    return _NOT_WORD.sub("", word.casefold())


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


def _blank_all(pattern: regex.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match[0]), text)


def _without_thoughts(text: str) -> tuple[str, bool]:
    """Thoughts blanked out, however broken the tags; the flag says that they never ended."""
    finals = list(_CHANNEL.finditer(text))
    if finals:
        text = _blank(text, 0, finals[-1].end())
    elif channel := _ANALYSIS.search(text):
        return _blank(text, channel.start(), len(text)), True
    if _CLOSE.search(text):
        text = _blank_all(_PAIR, text)
    closes = list(_CLOSE.finditer(text))
    if closes:
        # A closing tag ends all thought before it, with or without its opening one.
        text = _blank(text, 0, closes[-1].end())
    opening = _OPEN.search(text)
    if opening:
        return _blank(text, opening.start(), len(text)), True
    half = _HALF_TAG.search(text)
    return (_blank(text, half.start(), len(text)), False) if half else (text, False)


def _within_reach(answer: str) -> str:
    """The answer up to what is read of it, with thoughts blanked out that are longer than that."""
    if len(answer) <= MAX_CHARS:
        return answer
    ends = [
        match.end()
        for pattern in (_CLOSE, _CHANNEL)
        for match in pattern.finditer(answer, 0, MAX_THOUGHT)
        if match.end() > MAX_CHARS
    ]
    last = max(ends, default=0)
    return " " * last + answer[last : last + MAX_CHARS]


def read(answer: str) -> Reading:
    """The answer cleaned and cut into words."""
    text = _within_reach(answer)
    if "\x1b" in text:
        text = _blank_all(_ESCAPES, text)
    unfinished = False
    if "<" in text or "[" in text or "◁" in text or "&lt;" in text:
        text, unfinished = _without_thoughts(text)
        for pattern in (_LINK_TARGET, _URL, _SPECIAL, _HTML_TAG):
            text = _blank_all(pattern, text)
    elif "/" in text or "@" in text or "www." in text:
        text = _blank_all(_URL, text)
    return Reading(text, tuple(tokens(text)), unfinished)


def split_dense(reading: Reading, names: Sequence[str]) -> Reading:
    """The reading with known names cut out of words that are written without spaces."""
    if not names or not any(token.dense for token in reading.tokens):
        return reading
    pattern = regex.compile("|".join(map(regex.escape, sorted(names, key=len, reverse=True))))
    parts: list[Token] = []
    for token in reading.tokens:
        found = list(pattern.finditer(token.raw)) if token.dense else []
        cuts = sorted({0, len(token.raw), *(at for match in found for at in match.span())})
        for low, high in pairwise(cuts):
            raw, start = token.raw[low:high], token.start + low
            first = low == 0
            gap, near, joined = (token.gap, token.near, token.joined) if first else ("", True, False)
            parts.append(Token(raw, fold(raw), start, start + len(raw), gap, True, near, joined, True))
        if not found:
            parts[-1] = token
    return Reading(reading.text, tuple(parts), reading.unfinished)


def tokens(text: str) -> list[Token]:
    """The words of a text in order."""
    found: list[Token] = []
    last = 0
    ascii_only = text.isascii()
    for match in _WORD.finditer(text):
        raw = match[0]
        start, end = match.span()
        possessive = False
        dense = False
        word = raw
        if not raw.isalnum():
            mark = _POSSESSIVE.search(raw)
            if mark:
                possessive, word = True, raw[: mark.start()]
            elif ending := _SUFFIX.search(raw):  # Turkish writes case endings so: Ankara'da
                word = raw[: ending.start()]
        elif text[end : end + 1] in ("'", "’") and raw[-1] in "sS" and text[end + 1 : end + 2] == " ":
            possessive = True
        if not ascii_only and not raw.isascii():
            dense = _DENSE.search(raw) is not None
        key = fold(word)
        if key:
            gap = text[last:start]
            capital = raw[0].isupper() or dense or _caseless(raw)
            near = gap == " " or (bool(found) and _is_near(gap, found[-1]))
            joined = near and gap in _HYPHENS
            found.append(Token(raw, key, start, end, gap, capital, near, joined, dense, possessive))
            last = end
            if len(found) > 1 and gap in _CLOSING_QUOTES and found[-2].gap in _OPENING_QUOTES:
                # A nickname in quotes stands inside a name: Ada "Lady" Long.
                found[-2].near = found[-1].near = True
    return found


def is_abbreviation(key: str) -> bool:
    """Whether a full stop behind this folded word ends no sentence: an initial, a short title."""
    return len(key) == 1 or key in _ABBREVIATIONS


def _is_near(gap: str, before: Token) -> bool:
    if "." in gap:
        # A full stop ends a sentence, unless it marks an initial or an abbreviation.
        return gap in (". ", ".") and is_abbreviation(before.key)
    return _ADJACENT.fullmatch(gap) is not None


def _caseless(raw: str) -> bool:
    """Scripts without capitals: Arabic, Hebrew, Devanagari ... can't show a name by its first letter."""
    first = raw[0]
    return first.isalpha() and not first.isupper() and not first.islower()
