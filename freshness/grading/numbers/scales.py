"""Words that multiply a number: thousands, millions, lakhs, in full, abbreviated and in other languages."""

from __future__ import annotations

from typing import Final

import regex

_NAMES: Final = {
    1e2: "hundred hundreds",
    1e3: "thousand thousands thsd tsd tausend mille mila duizend tys тыс тысяч тысячи tusen bin ribu nghìn "
    "ألف हज़ार",
    1e5: "lakh lakhs lac lacs lak लाख",
    1e6: "million millions مليون ملايين mill "
    "mln mn mio millionen millón millon millones milhão milhões milhao milhoes "
    "milione milioni miljoen miljoner milyon juta triệu млн миллион миллиона миллионов",
    1e7: "crore crores cr kror करोड़",
    1e9: "billion billions مليار bil bln bn mrd mld mia md milliard milliards milliarde milliarden miljard "
    "miljarder millardo millardos miliardo miliardi bilhão bilhões bilhao bilhoes milyar miliar tỷ млрд "
    "миллиард миллиарда миллиардов",
    1e12: "trillion trillions trn trln tln tn billionen billón billon billones biljoen трлн",
}
_UNSPACED: Final = {
    "百万": 1e6, "百萬": 1e6, "백만": 1e6, "千万": 1e7, "千萬": 1e7, "천만": 1e7, "十億": 1e9, "十亿": 1e9,
    "万": 1e4, "萬": 1e4, "만": 1e4, "億": 1e8, "亿": 1e8, "억": 1e8, "兆": 1e12, "조": 1e12,
}  # fmt: skip
_LETTERS: Final = {"k": 1e3, "K": 1e3, "M": 1e6, "MM": 1e6, "B": 1e9, "m": 1e6, "b": 1e9, "T": 1e12}

_ABBREVIATED: Final = frozenset(
    "thsd tsd tys тыс lac lacs cr mil mill mln mn mio bil bln bn mrd mld mia md trn trln tln tn млн млрд "
    "трлн".split()
)
"""Words that a point may belong to; behind others it ends the sentence."""

WORDS: Final = {name: factor for factor, names in _NAMES.items() for name in names.split()}
_WORD: Final = "|".join(map(regex.escape, sorted(WORDS.keys() - _ABBREVIATED, key=len, reverse=True)))
_SHORT: Final = "|".join(map(regex.escape, sorted(_ABBREVIATED, key=len, reverse=True)))
_MIL: Final = (1e3, 1e6)
"""What "mil" may mean: a thousand in Spanish and Portuguese, a million in English slang."""

_SCALE: Final = regex.compile(
    rf"(?:[ -]|[ ]?\((?:in[ ])?)?"
    rf"(?:(?:(?P<word>(?i:{_WORD}))|(?P<short>(?i:{_SHORT}))\.?)(?![\p{{L}}\p{{N}}])"
    rf"|(?P<unspaced>{'|'.join(_UNSPACED)}))"
    r"|(?P<letter>(?<=\d)(?:MM|[mbT])|\ ?[kKMB])(?![\p{L}\p{N}/²³^'-])"
)
MAX_WORDS: Final = 3
"""A thousand million is two; more than this is no number."""


def scale(text: str, at: int) -> tuple[tuple[float, ...], int]:
    """The factors that the words from there on may mean, likeliest first, and where they end.

    ``(1.0,)`` and the same place where there are none.
    """
    factors: tuple[float, ...] = (1.0,)
    for _ in range(MAX_WORDS):
        match = _SCALE.match(text, at)
        if match is None:
            break
        factors = tuple(factor * more for factor in factors for more in _factors(match))
        at = match.end()
    return factors, at


def _factors(match: regex.Match[str]) -> tuple[float, ...]:
    if match["unspaced"]:
        return (_UNSPACED[match["unspaced"]],)
    if match["letter"]:
        return (_LETTERS[match["letter"].strip()],)
    word = (match["word"] or match["short"]).casefold()
    return _MIL if word == "mil" else (WORDS[word],)
