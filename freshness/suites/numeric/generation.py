"""All questions that charts allow, in batches: the one and only generator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import Final

import numpy as np
import polars as pl

from freshness.series import Chart
from freshness.suites.numeric import wording
from freshness.suites.numeric.keys import Keys, keys_of
from freshness.suites.numeric.options import SPANS, Options
from freshness.suites.numeric.panel import panel_of

LeftOut = Counter[tuple[str, str]]
"""How many questions are not asked, by kind and reason (``choices.REASONS``)."""

_POINTS: Final = pl.List(pl.Struct({"year": pl.Int32, "value": pl.Float64}))
SCHEMA: Final[Mapping[str, pl.DataType]] = MappingProxyType(
    {
        "id": pl.String(),
        "suite": pl.String(),
        "kind": pl.String(),
        "category": pl.String(),
        "indicator": pl.String(),
        "unit": pl.String(),
        "entity": pl.String(),
        "code": pl.String(),
        "years": pl.List(pl.Int32),
        "prompt": pl.String(),
        "options": pl.List(pl.String),
        "answer": pl.String(),
        "answer_value": pl.List(pl.Float64),
        "values": _POINTS,
        "fact": pl.String(),
        "as_of": pl.Date(),
        "question": pl.String(),
    }
)
"""One row a question, as a line of ``freshness questions``.

``answer_value``: one number, a window's numbers in order, minimum and maximum, or 1 and 0 for yes and no.
``question``: of open ones, for who answers questions; ``prompt`` is the beginning of a sentence.
"""


def generate(
    charts: Iterable[Chart], as_of: date, options: Options, left_out: LeftOut | None = None
) -> Iterator[pl.DataFrame]:
    """Every question that the charts allow on that day, some ten thousand at a time (``SCHEMA``).

    In the order of charts, then of small groups of series, then of kinds, series and years. What is not asked
    is added to ``left_out``. Charts are read one by one, and none is kept.
    """
    for chart in charts:
        for part in parts(chart, as_of, options):
            frames = [frame(keys.kept(), as_of) for keys in part]
            for keys in part if left_out is not None else ():
                left_out.update(keys.left_out())  # type: ignore[union-attr]
            if frames:
                yield pl.concat(frames)


def parts(chart: Chart, as_of: date, options: Options) -> Iterator[list[Keys]]:
    """The keys of all kinds, for a few series at a time: those left out too."""
    panel = panel_of(chart, as_of, options)
    for part in panel.parts():
        found = [keys_of(part, kind, options) for kind in options.kinds]
        yield [keys for keys in found if len(keys)]


def left_out(charts: Iterable[Chart], as_of: date, options: Options) -> LeftOut:
    """How many questions are not asked, by kind and reason; makes no text."""
    found: LeftOut = Counter()
    for chart in charts:
        for part in parts(chart, as_of, options):
            for keys in part:
                found.update(keys.left_out())
    return found


def frame(keys: Keys, as_of: date) -> pl.DataFrame:
    """The questions of one kind about one panel, in words."""
    panel, count = keys.panel, len(keys)
    facts = _of_series(keys, [series.id for series in panel.series])
    same = {
        "suite": "next-word" if keys.kind == "next_word" else "numeric",
        "kind": keys.kind,
        "category": panel.indicator.category,
        "indicator": panel.indicator.id,
        "unit": panel.indicator.unit,
    }
    columns = {name: pl.Series([text]).new_from_index(0, count) for name, text in same.items()}
    columns |= {
        "id": _ids(facts, keys),
        "entity": _of_series(keys, [series.entity for series in panel.series]),
        "code": _of_series(keys, [series.code for series in panel.series]),
        "years": _years(keys),
        "prompt": wording.prompts(keys),
        "options": wording.options(keys),
        "answer": wording.answers(keys),
        "answer_value": pl.Series(keys.keys).arr.to_list(),
        "values": _points(keys),
        "fact": facts,
        "question": wording.open_questions(keys),
        "as_of": pl.Series([as_of], dtype=pl.Date).new_from_index(0, count),
    }
    return pl.DataFrame({name: columns[name] for name in SCHEMA}, schema=SCHEMA)


def _ids(facts: pl.Series, keys: Keys) -> pl.Series:
    pieces = [pl.lit(facts), pl.lit(f"/{keys.kind}/"), pl.lit(pl.Series(keys.first)).cast(pl.String)]
    return pl.select(pl.concat_str(pieces)).to_series()


def _of_series(keys: Keys, texts: list[str]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String).gather(keys.rows)


def _all_years(keys: Keys) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    return (keys.first[:, None] + np.arange(SPANS[keys.kind])).astype(np.int32)


def _years(keys: Keys) -> pl.Series:
    years = _all_years(keys)
    return pl.Series(np.where(keys.turned[:, None], years[:, ::-1], years)).arr.to_list()


def _points(keys: Keys) -> pl.Series:
    """What the key was computed from; of open questions the whole series."""
    if keys.kind == "next_word":
        series = [
            [{"year": year, "value": value} for year, value in zip(one.years, one.values, strict=True)]
            for one in keys.panel.series
        ]
        return pl.Series(series, dtype=_POINTS).gather(keys.rows)
    flat = pl.DataFrame({"year": _all_years(keys).ravel(), "value": keys.values.ravel()})
    return flat.to_struct().reshape((len(keys), SPANS[keys.kind])).arr.to_list()
