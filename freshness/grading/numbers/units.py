"""Units of measurement as people write them: what is measured, and how much of the base unit one is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import regex

from freshness.grading.numbers.numerals import CURRENCIES, readings
from freshness.grading.numbers.scales import scale

_PREFIXES: Final = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_PREFIXED: Final = {
    "t": ("mass", 1.0), "g": ("mass", 1e-6), "Wh": ("energy", 1.0), "J": ("energy", 1 / 3600),
    "W": ("power", 1.0), "toe": ("energy", 1.163e7),
}  # fmt: skip
_SYMBOLS: Final = {
    prefix + symbol: (measures, times * factor)
    for symbol, (measures, factor) in _PREFIXED.items()
    for prefix, times in _PREFIXES.items()
} | {
    "mg": ("mass", 1e-9), "hg": ("mass", 1e-4), "q": ("mass", 0.1),
    "mm": ("length", 1e-3), "cm": ("length", 1e-2),
    "m": ("length", 1.0), "km": ("length", 1e3), "ha": ("area", 1e4),
    "Mha": ("area", 1e10), "m2": ("area", 1.0),
    "km2": ("area", 1e6), "m²": ("area", 1.0), "km²": ("area", 1e6), "m3": ("volume", 1.0),
    "m³": ("volume", 1.0), "km³": ("volume", 1e9), "km3": ("volume", 1e9), "L": ("volume", 1e-3),
    "l": ("volume", 1e-3), "yr": ("time", 12.0), "yrs": ("time", 12.0), "°C": ("celsius", 1.0),
    "°F": ("fahrenheit", 1.0),
}  # fmt: skip
_NAMES: Final = {
    ("mass", 1.0): "t ton tons tonne tonnes tonnen toneladas tonnellate tonn тонн",
    ("mass", 1e-3): "kilogram kilograms kilogramme kilogrammes kilo kilos",
    ("mass", 1e-6): "gram grams gramme grammes",
    ("mass", 1e6): "megatonne megatonnes megaton megatons",
    ("mass", 1e3): "kilotonne kilotonnes kiloton kilotons",
    ("mass", 1e9): "gigatonne gigatonnes gigaton gigatons",
    ("mass", 0.1): "quintal quintals",
    ("energy", 1.0): "watt-hour watt-hours",
    ("energy", 1e3): "kilowatt-hour kilowatt-hours kilowatthours",
    ("energy", 1e6): "megawatt-hour megawatt-hours",
    ("energy", 1e9): "gigawatt-hour gigawatt-hours",
    ("energy", 1e12): "terawatt-hour terawatt-hours",
    ("power", 1e6): "megawatt megawatts",
    ("power", 1e9): "gigawatt gigawatts",
    ("area", 1e4): "hectare hectares",
    ("area", 4046.86): "acre acres",
    ("length", 1.0): "metre metres meter meters",
    ("length", 1e3): "kilometre kilometres kilometer kilometers",
    ("volume", 1e-3): "litre litres liter liters",
    ("time", 12.0): "year years jahre jahren ans años anni anos jaar лет",
    ("time", 1.0): "month months",
    ("time", 12 / 365.2425): "day days",
    ("time", 12 / 8765.82): "hour hours",
    ("time", 12 / 525949.2): "minute minutes",
    ("percent", 1.0): "percent % pct",
    (
        "people",
        1.0,
    ): "people persons person inhabitants residents citizens migrants population einwohner habitants "
    "habitantes abitanti men women adults individuals capita",
}
_WORDS: Final = {name: what for what, names in _NAMES.items() for name in names.split()}
_MONEY: Final = {
    "USD": "dollar dollars international-$ us$",
    "EUR": "euro euros", "GBP": "pound pounds sterling", "JPY": "yen", "INR": "rupee rupees",
    "CNY": "yuan renminbi", "CHF": "franc francs", "RUB": "rouble roubles ruble rubles",
}  # fmt: skip
_MONEY_WORDS: Final = {name: code for code, names in _MONEY.items() for name in names.split()} | CURRENCIES
_WORD: Final = regex.compile(
    r"[ ]?(?:-(?=\p{L}))?(?P<word>international-\$|int(?:l|ernational|\.)?[ -]?\$|us\$|"
    r"[\p{L}°$€£¥₹₽%]+(?:-hours?)?(?:[2₂]eq?|[²³23₂])?)(?![\p{L}\p{N}])",
    regex.I,
)
_FILLERS: Final = frozenset(
    "metric short long constant current international us american of about the real gross square sq cubic "
    "in "
    "deaths emissions nominal ppp each".split()
)
_PER: Final = regex.compile(
    r"[ ]?/[ ]?|[ ]?(?:[\p{L}²₂0-9]+[ ]){0,4}?(?:per|for every|pro|por|par)[ ]", regex.I
)
_OF_CARBON: Final = regex.compile(r"(?<=[tg])-?CO[2₂]?(?:e|eq)?$")
_HEADING: Final = regex.compile(
    r"(?<!\d[ ]?)\((?:in[ ])?(?P<what>[^()\d\n]{1,30}?)(?:[ ]of[ ][^()\n]{1,30})?\)"
)
_NUMBER: Final = regex.compile(r"\d[\d., ]{0,12}\d|\d")


@dataclass(frozen=True, slots=True)
class Unit:
    """What is measured (``mass``, ``USD``, empty where unknown), by how much of the base unit one is.

    ``below``, ``per``: the same of what stands behind "per", with its number; empty and 1 where nothing
    does. ``scaled``: a scale word belongs to it ("million tonnes"). ``end``: where it ends in the text.
    """

    measures: str = ""
    factor: float = 1.0
    below: str = ""
    per: float = 1.0
    scaled: float = 1.0
    end: int = 0


NONE: Final = Unit()


@lru_cache(maxsize=1024)
def of_indicator(text: str) -> Unit:
    """The unit that an indicator's values are in: "tonnes per hectare", "million tonnes", "%", ""."""
    factors, at = scale(f" {text}", 0)
    unit = read(f" {text}", at)
    return Unit(unit.measures, unit.factor * factors[0], unit.below, unit.per, factors[0], unit.end)


def heading(text: str) -> Unit | None:
    """The unit that a text gives once for its bare numbers: "(Mt)", "(in million tonnes)" over a table.

    ``end``: from where on in the text.
    """
    for match in _HEADING.finditer(text):
        what = match["what"].strip()
        unit = of_indicator(what)
        is_all = unit.end == len(what) + 1
        if is_all and (unit.measures or unit.scaled != 1.0):
            return replace(unit, end=match.end())
    return None


def read(text: str, at: int) -> Unit:
    """The unit that stands in the text from there on."""
    measures, factor, end = _simple(text, at)
    match = _PER.match(text, end)
    if match is None:
        return Unit(measures, factor, end=end)
    below, per, stop = _denominator(text, match.end())
    return (
        Unit(measures, factor, below, per, end=stop)
        if below or per != 1.0
        else Unit(measures, factor, end=end)
    )


def _denominator(text: str, at: int) -> tuple[str, float, int]:
    """What stands behind "per", with its number: "100,000 people", "hectare"."""
    number = _NUMBER.match(text, at)
    count = 1.0
    if number:
        found = readings(number[0].strip())
        count, at = (found[0].value, number.end()) if found else (1.0, at)
    factors, at = scale(text, at)
    below, factor, end = _simple(text, at)
    per = count * factors[0] * factor
    return (below, per, end) if 0 < per < math.inf else ("", 1.0, end)


def _simple(text: str, at: int) -> tuple[str, float, int]:
    """One unit, after adjectives; what it measures is empty where it is none that we know."""
    end, square = at, ""
    for _ in range(4):
        match = _WORD.match(text, end)
        if match is None:
            break
        word = match["word"]
        known = _known(word, square)
        if known:
            return (*known, match.end())
        if word.casefold() not in _FILLERS:
            break
        square = word.casefold() if word.casefold() in ("square", "sq", "cubic") else square
        end = match.end()
    return "", 1.0, at


def _known(word: str, square: str) -> tuple[str, float] | None:
    word = _OF_CARBON.sub("", word)
    found = _SYMBOLS.get(word) or _WORDS.get(word.casefold())
    if found is None and word.casefold() in _MONEY_WORDS:
        return _MONEY_WORDS[word.casefold()], 1.0
    if found is None or not square or found[0] != "length":
        return found
    return ("volume", found[1] ** 3) if square == "cubic" else ("area", found[1] ** 2)


def factor(said: Unit, wanted: Unit, scaled: bool) -> float | None:
    """What a value in one unit is to be multiplied by to be in the other; None where they contradict.

    So many of a thousand people are a tenth as many percent. Where either is unknown nothing contradicts,
    and nothing is converted; ``scaled``: the value has a scale word, which then is the wanted unit's.
    """
    if wanted.measures == "percent" and said.per != 1.0 and {said.measures, said.below} <= {"", "people"}:
        return 100 / said.per
    if said.measures and wanted.measures:
        if said.measures != wanted.measures:
            return None
        above = said.factor / wanted.factor
    else:
        above = 1 / wanted.scaled if scaled else 1.0
    if (
        said.below
        and wanted.below
        and said.below != wanted.below
        and "time" not in (said.below, wanted.below)
    ):
        return None
    return above * wanted.per / said.per if said.per != 1.0 and wanted.per != 1.0 else above
