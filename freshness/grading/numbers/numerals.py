"""Numbers in digits, whichever way they are grouped.

Which of point and comma marks the decimals is told by the pattern: two kinds of marks, groups of three (or
of India's two), how many digits follow. "1.234" may be both; it has two readings, likeliest first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import regex

from freshness.grading.numbers.number import Number, Reading
from freshness.grading.numbers.scales import scale

MAX_DIGITS: Final = 40
"""More digits than this are no measurement."""

_NAMES: Final = {
    "USD": "$ us$ usd usd$ int$ intl$ int-$ i$",
    "EUR": "€ eur", "GBP": "£ gbp", "JPY": "¥ jpy", "CNY": "cny rmb", "INR": "₹ rs rs. inr", "CHF": "chf",
    "AUD": "a$ aud", "CAD": "c$ cad", "BRL": "r$ brl", "RUB": "₽ rub", "KRW": "₩ krw",
}  # fmt: skip
CURRENCIES: Final = {name: code for code, names in _NAMES.items() for name in names.split()}
_MONEY: Final = "|".join(map(regex.escape, sorted(CURRENCIES, key=len, reverse=True)))
_ALPHABETIC: Final = r"[\p{Latin}\p{Cyrillic}\p{Greek}]"
_NUMERAL: Final = regex.compile(
    rf"(?:(?<!{_ALPHABETIC})(?P<money>(?i:{_MONEY}))[ ]?(?P<inner>[-–])?)?"
    rf"(?<!{_ALPHABETIC}|{_ALPHABETIC}-|[\p{{N}}^]|\p{{N}}[.,'])"
    r"(?P<body>\d{1,3}(?:[ ]\d{3}){1,6}(?:[.,]\d{1,12})?(?!\d)|\d+(?:[.,']\d+)*|\.\d+)"
    r"(?P<exponent>[eE][+-]?\d{1,3}(?![\p{L}\p{N}])|[ ]?[×x·][ ]?10(?:\^|\*\*)?[ ]?(?P<power>[-+]?\d{1,3}|"
    r"[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))?"
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SIGN: Final = regex.compile(
    r"(?:(?<![\p{L}\p{N}%)\]])|(?<=\p{N}[ ]))[-–]$|\b(?:minus|negative)[ ]$", regex.I
)
_LINE_START: Final = regex.compile(r"(?:^|\n)[ \t]*[-–][ ]?$")
_PERCENT: Final = regex.compile(
    r"[ ]?(?P<sign>%|‰)|[ -](?P<word>percent(?!age[ ]points?)|per[ ]cent|pct|prozent|pour[ ]cent|"
    r"por[ ]ciento|por[ ]cento|"
    r"per[ ]mille|promille|per[ ]mil|процент\w*)(?![\p{L}])",
    regex.I,
)
_PAIRS: Final = regex.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_TRIPLES: Final = regex.compile(
    r"\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*|[1-9]\d{3,5}(?:([.,' ])\d{3})(?:\2\d{3})*"
)


def numerals(text: str) -> Iterator[Number]:
    """Every number in digits, in order; dates, versions and other chains of digits are none."""
    for match in _NUMERAL.finditer(text):
        if match["exponent"] or "," not in match["body"] or readings(match["body"]):
            number = _number(text, match, match.start("body"), match["body"], match.end())
            if number is not None:
                yield number
        else:
            yield from _list(text, match)


def _list(text: str, match: regex.Match[str]) -> Iterator[Number]:
    """The entries of a list without spaces: "47,49,48"."""
    start = match.start("body")
    for entry in match["body"].split(","):
        number = _number(text, match, start, entry, start + len(entry))
        if number is not None:
            yield number
        start += len(entry) + 1


def _number(text: str, match: regex.Match[str], start: int, body: str, end: int) -> Number | None:
    found = readings(body)
    if not found:
        return None
    power = _power(match["exponent"]) if match["exponent"] else 0
    factors, after = scale(text, end)
    percent, stop = _percent(text, after)
    money = match["money"] if start == match.start("body") else None
    first = match.start("money") if money else start
    sign, first = _sign(text, first, match["inner"] if money else None)
    signed = tuple(
        Reading(side * reading.value * 10.0**power * factor, reading.step * 10.0**power * factor)
        for factor in factors
        for reading in found
        for side in sign
    )
    if not all(math.isfinite(reading.value) for reading in signed):
        return None
    bare = body.isdecimal() and end == stop and first == start and not power and not money
    currency = CURRENCIES[money.casefold()] if money else ""
    return Number(first, stop, signed, "digits", percent, currency, bare, factors[0] * 10.0**power)


def _power(exponent: str) -> int:
    """``e9``, ``×10^9`` or ``×10⁹`` as 9; beyond what a float holds it is cut."""
    text = exponent.translate(_SUPERSCRIPTS)
    digits = regex.search(r"[-+]?\d{1,3}$", text[1:] if text[0] in "eE" else regex.sub(r"^.*?10", "", text))
    return max(-300, min(300, int(digits[0]))) if digits else 0


def _sign(text: str, first: int, inner: str | None) -> tuple[tuple[int, ...], int]:
    """The signs that a number may have, likeliest first, and where it begins with its sign.

    What opens a line may be a bullet.
    """
    if inner:
        return (-1,), first
    before = text[max(0, first - 12) : first]
    found, opens = _SIGN.search(before), _LINE_START.search(before)
    if found is None:
        return ((1, -1) if opens else (1,)), first
    return ((-1, 1) if opens else (-1,)), first - (len(before) - found.start())


def _percent(text: str, at: int) -> tuple[float, int]:
    match = _PERCENT.match(text, at)
    if match is None:
        return 0.0, at
    mille = match["sign"] == "‰" or "mil" in (match["word"] or "").casefold()
    return (0.1 if mille else 1.0), match.end()


def readings(body: str) -> tuple[Reading, ...]:
    """What digits with marks may mean without any sign or scale; nothing for dates, versions the like."""
    if sum(c.isdecimal() for c in body) > MAX_DIGITS:
        return ()
    marks = [c for c in body if not c.isdecimal()]
    if not marks:
        return (Reading(float(body), 1.0),)
    last = marks[-1]
    if last in ".," and marks.count(last) == 1:
        whole, _, decimals = body.rpartition(last)
        inner = set(whole) & set(".,' ")
        if inner:
            return _decimal(whole, decimals) if len(inner) == 1 and _is_grouped(whole) else ()
        if len(decimals) != 3 or not whole or len(whole) > 3 or whole.startswith("0"):
            return _decimal(whole, decimals) if len(whole) < 4 or len(decimals) < 4 or last == "." else ()
        grouped, decimal = Reading(float(whole + decimals), 1.0), Reading(float(f"{whole}.{decimals}"), 0.001)
        return (decimal, grouped) if last == "." else (grouped, decimal)
    return (Reading(float(_digits(body)), 1.0),) if _is_grouped(body) else ()


def _digits(body: str) -> str:
    return "".join(c for c in body if c.isdecimal())


def _is_grouped(whole: str) -> bool:
    return _TRIPLES.fullmatch(whole) is not None or _PAIRS.fullmatch(whole) is not None


def _decimal(whole: str, decimals: str) -> tuple[Reading, ...]:
    return (Reading(float(f"{_digits(whole) or '0'}.{decimals}"), 10.0 ** -len(decimals)),)
