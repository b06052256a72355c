"""Questions and options in words, a column at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import Final

import numpy as np
import polars as pl

from freshness.questions import NumericKind
from freshness.suites.numeric import numbers
from freshness.suites.numeric.choices import Choices
from freshness.suites.numeric.draws import ORDER, below
from freshness.suites.numeric.english import after_number, in_unit, named, possessive, was
from freshness.suites.numeric.keys import Keys
from freshness.suites.numeric.options import SPANS
from freshness.suites.numeric.panel import Ints

LETTERS: Final = ("(a)", "(b)", "(c)", "(d)")
YES_NO: Final = ("Yes", "No")
INSTRUCTION: Final = "Answer with the letter of the right option alone."
OPEN_INSTRUCTION: Final = "Answer with the number alone."

TEMPLATES: Final[Mapping[NumericKind, str]] = MappingProxyType(
    {
        "date": "In {first}, what {was} {whose} {asked}?",
        "comparative": "{Was} {whose} {phrase} higher in {one} than in {other}?",
        "window": "From {first} to {last}, what is the order of {whose} {asked_on} among the given options?",
        "range": "In the range of {first}-{last}, what is the mean value of {whose} {asked}?",
        "minmax": "In the range of {first}-{last}, what are the minimum and the maximum value of "
        "{whose} {asked}?",
        "trend": "In the range of {first}-{last}, what is the rate of change in {whose} {closed}, "
        "from its {first} to its {last} value in percent of its {first} value?",
        "next_word": "The {phrase} of {entity} in the year {first}{in_unit} {is}",
    }
)
"""After the paper's (table 2 and section 3), with the unit said, and of what a change is a percentage."""


def unit_of(kind: NumericKind, unit: str) -> str:
    """What the numbers of the options are in."""
    return "%" if kind == "trend" else unit


def prompts(keys: Keys) -> pl.Series:
    """The question alone, without options; of open questions the beginning of a sentence."""
    return _filled(TEMPLATES[keys.kind], keys)


def open_questions(keys: Keys) -> pl.Series:
    """Open questions as questions; null where there are options."""
    if keys.kind != "next_word":
        return pl.Series([None], dtype=pl.String).new_from_index(0, len(keys))
    return _filled(TEMPLATES["date"], keys)


def _filled(template: str, keys: Keys) -> pl.Series:
    fields = _fields(keys)
    pieces: list[pl.Series | str] = []
    for text, field, _, _ in Formatter().parse(template):
        pieces += [text] if field is None else [text, fields[field]]
    return _joined(pieces)


def _fields(keys: Keys) -> dict[str, pl.Series | str]:
    indicator = keys.panel.indicator
    first, last = years_named(keys)
    entities = [series.entity for series in keys.panel.series]
    unit = unit_of(keys.kind, indicator.unit)
    # A phrase that ends in a comma has words in apposition, closed where the sentence goes on.
    closed = indicator.phrase.rstrip(", ")
    return {
        "first": _years(keys.first),
        "last": _years(keys.first + SPANS[keys.kind] - 1),
        "one": _years(first),
        "other": _years(last),
        "whose": pl.Series([possessive(entity) for entity in entities], dtype=pl.String).gather(keys.rows),
        "entity": pl.Series([named(entity) for entity in entities], dtype=pl.String).gather(keys.rows),
        "phrase": indicator.phrase,
        "was": was(indicator.phrase),
        "Was": was(indicator.phrase).capitalize(),
        "is": "are" if was(indicator.phrase) == "were" else "is",
        "closed": closed,
        "asked": closed + in_unit(unit),
        "asked_on": closed + in_unit(unit) if unit else indicator.phrase,
        "in_unit": f", in {unit}," if unit else "",
    }


def years_named(keys: Keys) -> tuple[Ints, Ints]:
    """The first and the last year in the order of the words."""
    last = keys.first + SPANS[keys.kind] - 1
    return np.where(keys.turned, last, keys.first), np.where(keys.turned, keys.first, last)


def options(keys: Keys) -> pl.Series:
    """The options of each question as they are read, without their letters."""
    count = len(keys)
    if keys.choices is not None:
        texts = _option_texts(keys, keys.choices)
        return texts.reshape((count, 4)).arr.to_list()
    if keys.kind == "comparative":
        no_first = _no_first(keys)
        order = np.stack([no_first, 1 - no_first], axis=1)
        return pl.Series(YES_NO).gather(order.ravel()).reshape((count, 2)).arr.to_list()
    return pl.Series([[]], dtype=pl.List(pl.String)).new_from_index(0, count)


def answers(keys: Keys) -> pl.Series:
    """The letter of the right option; empty for open questions."""
    if keys.choices is not None:
        return pl.Series(LETTERS).gather(keys.choices.place)
    if keys.kind == "comparative":
        is_no = (keys.keys[:, 0] <= 0).astype(np.int64)
        return pl.Series(LETTERS).gather(is_no ^ _no_first(keys))
    return pl.Series([""]).new_from_index(0, len(keys))


def _no_first(keys: Keys) -> Ints:
    """1 where "No" is the first option, by a draw, else 0."""
    return below(keys.draws, ORDER, 2)


def _option_texts(keys: Keys, choices: Choices) -> pl.Series:
    first, decimals = np.repeat(keys.first, 4), np.repeat(choices.decimals, 4)
    unit = unit_of(keys.kind, keys.panel.indicator.unit)
    pieces: list[pl.Series | str] = []
    for number in range(choices.shown.shape[2]):
        if keys.kind == "window":
            pieces.append(_years(first + number, "; in " if number else "In ", ", "))
        elif number:
            pieces.append(" and ")
        pieces += numbers.pieces(choices.shown[:, :, number].ravel(), decimals)
    return _joined([*pieces, f" ({unit})" if keys.kind == "window" and unit else after_number(unit)])


def _joined(pieces: Sequence[pl.Series | str]) -> pl.Series:
    """Text by text; those that stand in all of them are put together first."""
    joined: list[pl.Series | str] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return pl.select(pl.concat_str([pl.lit(piece) for piece in joined])).to_series()


def _years(years: Ints, before: str = "", after: str = "") -> pl.Series:
    """As text, each made once."""
    first, last = (int(years.min()), int(years.max())) if len(years) else (0, -1)
    texts = [f"{before}{year}{after}" for year in range(first, last + 1)]
    return pl.Series(texts, dtype=pl.String).gather(years - first)
