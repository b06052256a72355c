"""An answer as plain text to look for numbers and option letters in, with its places kept.

Digits of all scripts, full-width and circled letters, the many minus signs, spaces and quotes become the
ASCII ones; Markdown's marks and LaTeX are taken off.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import regex

_MATH = regex.compile(r"\$([^$\n]{0,120}[^\s$])\$(?!\d)")
_UNDERSCORES = regex.compile(r"(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])")
_CUT = regex.compile(
    r"\\(?P<boxed>boxed|fbox)\s{0,3}\{"
    r"|\\(?P<word>times|cdot|pm|approx|sim|rightarrow|Rightarrow|to|geq?|leq?)(?![a-zA-Z])"
    r"|(?<=\d)(?:\\[,;:! ]|\{,\})(?P<group>)(?=\d)"
    r"|\\(?P<sign>[%$#&_])"
    r"|\^\{(?P<power>-?\d{1,3})\}"
    r"|\\[a-zA-Z]{2,12}\s{0,3}\{?"
    r"|\\[()\[\],;:! ]"
    r"|(?P<hidden>[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\u20e3\ufe00-\ufe0f\ufeff])"
)
_WORDS = {"times": "×", "cdot": "×", "pm": "±", "approx": "≈", "sim": "~", "ge": "≥", "geq": "≥"}
_WORDS |= {"le": "≤", "leq": "≤", "rightarrow": "→", "Rightarrow": "→", "to": "→"}
_ALPHABETS = {0x24B6: "A", 0x24D0: "a", 0x249C: "a", 0x1F110: "A", 0x1F130: "A", 0x1F150: "A", 0x1F170: "A"}
_ALPHABETS |= {0x1F1E6: "A", 0xFF21: "A", 0xFF41: "a"}
_FOREIGN = dict(zip("абвгдеАБВГДЕСсαβγδεΑΒΓΔΕأابجده", "abbddeABBDDECcabcdeABCDEaabcde", strict=True))
_LONE = regex.compile(rf"(?<![\p{{L}}\p{{N}}'])[{''.join(_FOREIGN)}](?![\p{{L}}\p{{N}}'])")


@dataclass(frozen=True, slots=True)
class Plain:
    """The text, and how far its parts stand behind their place in the answer (``starts`` ascending)."""

    text: str
    starts: Sequence[int] = (0,)
    shifts: Sequence[int] = (0,)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The same characters in the answer, as ``[start, end)``."""
        return self._place(start), self._place(end - 1) + 1 if end > start else self._place(end)

    def _place(self, at: int) -> int:
        return at + self.shifts[bisect_right(self.starts, at) - 1]


def plain(text: str) -> Plain:
    """The text made plain; of the same length where nothing is blank before it, hidden or LaTeX."""
    lead = len(text) - len(text.lstrip())
    text = text[lead:].translate(_table())
    text = _LONE.sub(lambda match: _FOREIGN[match[0]], text)
    if "_" in text:
        text = _UNDERSCORES.sub(_blanks, text)
    if "$" in text:
        text = _MATH.sub(lambda match: f" {match[1]} ", text)
    return _cut(text, lead)


def _blanks(match: regex.Match[str]) -> str:
    return " " * len(match[0])


def _cut(text: str, lead: int) -> Plain:
    """Without LaTeX and invisible characters; ``lead``: how many characters were left off before it."""
    pieces: list[str] = []
    starts, shifts = [0], [lead]
    last = length = 0
    for match in _CUT.finditer(text):
        piece, instead = text[last : match.start()], _instead(match)
        pieces += [piece, instead]
        length += len(piece) + len(instead)
        last = match.end()
        starts.append(length)
        shifts.append(lead + last - length)
    if not pieces:
        return Plain(text, starts, shifts)
    pieces.append(text[last:])
    return Plain("".join(pieces), starts, shifts)


def _instead(match: regex.Match[str]) -> str:
    """What stands for a piece of LaTeX."""
    groups = match.groupdict()
    if groups["boxed"]:
        return " boxed: "
    if groups["word"]:
        return _WORDS[groups["word"]]
    if groups["group"] is not None:
        return "," if "{" in match[0] else " "
    if groups["power"]:
        return f"^{groups['power']}"
    if groups["hidden"]:
        return ""
    return groups["sign"] or " "


@cache
def _table() -> dict[int, str]:
    """Characters that stand for one ASCII character."""
    digits = (code for code in range(128, 0x20000) if unicodedata.category(chr(code)) == "Nd")
    table = {code: str(unicodedata.decimal(chr(code))) for code in digits}
    for first, letter in _ALPHABETS.items():
        table |= {first + n: chr(ord(letter) + n) for n in range(26)}
    for code in range(0x1D400, 0x1D6A4):  # mathematical letters: bold, italic, script ...
        letter = unicodedata.normalize("NFKC", chr(code))
        if letter.isascii() and len(letter) == 1:
            table[code] = letter
    table |= dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
    table |= dict.fromkeys(map(ord, '*`"“”„«»‟〝〞'), " ")
    table |= dict.fromkeys(map(ord, "’‘ʼ′´‛＇"), "'")
    table |= dict.fromkeys(map(ord, "−﹣－‐‑⁻"), "-")
    wide, narrow = "（）［］｛｝：；，．％＄＋／＝。、٪٫٬﹪？！＃", "()[]{}:;,.%$+/=.,%.,%?!#"
    return table | dict(zip(map(ord, wide), narrow, strict=True))
