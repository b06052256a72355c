"""Recorded answers about numbers: the key of a line with a series, or with options.

Nothing in them is trusted, as in ``files``: sizes are bounded, and every fault names its key.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from freshness import strict
from freshness.questions import NumericKey

MAX_VALUES: Final = 20_000
MAX_OPTIONS: Final = 26
_TOLERANCES: Final = (0.01, 0.05)
_MAX_YEAR: Final = 100_000
_MAX_TEXT: Final = 2_000


def is_numeric(raw: dict[str, Any]) -> bool:
    """Whether a line is judged by a series or by options."""
    return "series" in raw or "options" in raw


def key_from_json(raw: dict[str, Any]) -> NumericKey:
    """The key of a line with ``series`` or ``options``; raises ``ValueError`` naming the keys at fault."""
    given = [name for name in ("values", "series", "options") if isinstance(raw.get(name), list)]
    if len(given) > 1:
        raise ValueError(f"a line has {' or '.join(given)}, not both: they are judged differently")
    return _choice(raw) if "options" in raw else _quantity(raw)


def tolerances_from_json(raw: dict[str, Any]) -> tuple[float, float]:
    """``tolerance_rel`` as the only tolerance; without it those that ``grading.quantities`` has."""
    if raw.get("tolerance_rel") is None:
        return _TOLERANCES
    tolerance = _number(raw["tolerance_rel"], "tolerance_rel")
    if not 0 <= tolerance < 1:
        raise ValueError(
            f"tolerance_rel must be from 0 to less than 1, not {strict.shown(raw['tolerance_rel'])}"
        )
    return tolerance, tolerance


def _quantity(raw: dict[str, Any]) -> NumericKey:
    faults = strict.Faults()
    series = faults.get(_series, raw)
    older = faults.get(_older, raw)
    unit = faults.get(_text, raw, "unit")
    faults.check()
    series, older = series or [], older or []
    year = _asked(raw, series)
    value = dict(series)[year]
    key = NumericKey("next_word", "", "", unit or "", "", "", (year,), value, tuple(series))
    return replace(key, older=tuple(older))


def _asked(raw: dict[str, Any], series: list[tuple[int, float]]) -> int:
    """The newest year with a value, up to ``as_of_year``."""
    last = series[-1][0] if raw.get("as_of_year") is None else _year(raw["as_of_year"], "as_of_year")
    known = [year for year, _ in series if year <= last]
    if not known:
        raise ValueError(f"as_of_year {last} lies before the whole series; it begins in {series[0][0]}")
    return known[-1]


def _series(raw: dict[str, Any]) -> list[tuple[int, float]]:
    entries = _entries(raw, "series", ("year", "value"))
    if not entries:
        raise ValueError("series must have a value")
    series = sorted((year, value) for year, value, _ in entries)
    for (year, _), (following, _) in pairwise(series):
        if year == following:
            raise ValueError(f"series has two values for {year}")
    return series


def _older(raw: dict[str, Any]) -> list[tuple[int, float, str]]:
    if raw.get("older") is None:
        return []
    return _entries(raw, "older", ("year", "value", "vintage"))


def _entries(raw: dict[str, Any], name: str, keys: tuple[str, ...]) -> list[tuple[int, float, str]]:
    entries = raw[name]
    if not isinstance(entries, list):
        raise ValueError(f"{name} must be a list, not {strict.kind_of(entries)}")
    if len(entries) > MAX_VALUES:
        raise ValueError(f"{name} has more than {MAX_VALUES} values")
    faults = strict.Faults()
    read = [faults.get(_entry, entry, f"{name}[{number}]", keys) for number, entry in enumerate(entries)]
    faults.check()
    return [entry for entry in read if entry is not None]


def _entry(raw: object, where: str, keys: tuple[str, ...]) -> tuple[int, float, str]:
    if not isinstance(raw, dict):
        raise ValueError(f"{where} must be an object with {' and '.join(keys)}, not {strict.kind_of(raw)}")
    for key in keys:
        if key not in raw:
            raise ValueError(f"{key} is missing in {where}")
    strict.refuse_misspelt(raw, keys, where)
    vintage = _text(raw, "vintage") if "vintage" in keys else ""
    return _year(raw["year"], f"year of {where}"), _number(raw["value"], f"value of {where}"), vintage


def _year(raw: object, what: str) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or abs(raw) > _MAX_YEAR:
        raise ValueError(f"{what} must be a year as a whole number, not {strict.shown(raw)}")
    return raw


def _number(raw: object, what: str) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise ValueError(f"{what} must be a number, not {strict.shown(raw)}")
    try:
        number = float(raw)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{what} is too large a number")
    return number


def _text(raw: dict[str, Any], key: str) -> str:
    text = raw.get(key)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise ValueError(f"{key} must be a string, not {strict.shown(text)}")
    return text[:_MAX_TEXT]


def _choice(raw: dict[str, Any]) -> NumericKey:
    faults = strict.Faults()
    options = faults.get(_options, raw)
    unit = faults.get(_text, raw, "unit")
    faults.check()
    options = options or []
    answer = _letter(raw, len(options))
    return NumericKey("date", "", "", unit or "", "", "", (), 0.0, (), tuple(options), answer)


def _options(raw: dict[str, Any]) -> list[str]:
    options = raw["options"]
    if not isinstance(options, list):
        raise ValueError(f"options must be a list of strings, not {strict.kind_of(options)}")
    if not 2 <= len(options) <= MAX_OPTIONS:
        raise ValueError(f"options must be 2 to {MAX_OPTIONS}, not {len(options)}")
    for number, option in enumerate(options):
        if not isinstance(option, str) or not option.strip():
            raise ValueError(
                f"options[{number}] must be a string that is not blank, not {strict.shown(option)}"
            )
    if len(set(options)) < len(options):
        raise ValueError("options has the same text twice")
    return options


def _letter(raw: dict[str, Any], count: int) -> str:
    """The letter of the right option as ``(b)``; written with or without brackets."""
    last = chr(ord("a") + count - 1)
    if "key" not in raw:
        raise ValueError('key is missing: the letter of the right option, "(a)"')
    text = raw["key"].strip().strip("()").casefold() if isinstance(raw["key"], str) else ""
    if len(text) != 1 or not "a" <= text <= last:
        raise ValueError(f"key must be a letter from (a) to ({last}), not {strict.shown(raw['key'])}")
    return f"({text})"
