"""A sample of the questions, spread as ``strata`` says; only what is drawn is put into words.

Of comparisons as many are drawn where the later year is higher as where it isn't: most things grow, and who
knew but that would be right more often than not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import numpy as np
import polars as pl

from freshness.questions import Question
from freshness.series import SeriesSnapshot
from freshness.suites.numeric.asked import Older, of_rows
from freshness.suites.numeric.digits import Truths
from freshness.suites.numeric.draws import SAMPLE, draw
from freshness.suites.numeric.generation import LeftOut, frame, parts
from freshness.suites.numeric.keys import Keys
from freshness.suites.numeric.options import SPANS, Options
from freshness.suites.numeric.panel import Ints
from freshness.suites.numeric.strata import Places, Stratum, allocate, era_of


@dataclass(frozen=True, slots=True)
class Sample:
    """``questions`` in the generator's order; ``among`` how many; ``left_out``: what is not asked at all."""

    questions: tuple[Question, ...]
    among: int
    left_out: LeftOut


def sample(snapshot: SeriesSnapshot, as_of: date, options: Options, size: int) -> Sample:
    """``size`` questions, or all there are; the same for the same seed, series and day.

    Within a stratum those with the lowest draws are taken, so that a larger sample holds a smaller one.
    """
    out: LeftOut = Counter()
    sizes: Counter[Stratum] = Counter()
    even: Counter[Stratum] = Counter()
    drawn: list[tuple[Keys, pl.DataFrame]] = []
    for chart in snapshot.charts:
        batches = [keys for part in parts(chart, as_of, options) for keys in part]
        for keys in batches:
            out.update(keys.left_out())
        kept = [keys.kept() for keys in batches]
        queue = _queue(kept)
        sizes.update(_sizes(queue, pl.len()))
        even.update(_sizes(queue, _EVEN))
        # No stratum can give more than the sample is large, so that memory doesn't grow with what there is.
        first = queue.filter(pl.col("rank") < size)
        drawn += [(kept[batch], rows) for (batch,), rows in first.group_by("batch", maintain_order=True)]
    even = _with_every_kind(even, sizes)
    places = allocate(even if size <= even.total() else sizes, size)
    chosen = (
        question for keys, rows in drawn for question in _asked(keys, rows, places, as_of, snapshot.older)
    )
    return Sample(tuple(chosen), sizes.total(), out)


_STRATUM: Final = Stratum._fields


def _queue(kept: Sequence[Keys]) -> pl.DataFrame:
    """All questions of a chart with the stratum they belong to and their rank in it, by their draws."""
    newest = max((int(_last(keys).max()) for keys in kept if len(keys)), default=0)
    rows = [_rows(number, keys, newest) for number, keys in enumerate(kept) if len(keys)]
    if not rows:
        return pl.DataFrame(schema={"batch": pl.Int64, "rank": pl.UInt32})
    queue = pl.concat(rows).sort("draw")
    # In turns from those where the later year is higher and the others, as far as there are of both; which
    # begin is drawn for the chart, and changes from era to era.
    turn = pl.int_range(pl.len()).over(*_STRATUM, "rises")
    first = (pl.col("draw").min() + pl.col("era").cast(pl.UInt64)) % 2 == 1
    queue = queue.with_columns(turn=turn, second=pl.col("rises") ^ first).sort("turn", "second", "draw")
    rank = pl.int_range(pl.len()).over(_STRATUM).alias("rank")
    return queue.with_columns(rank).sort("batch", "place")


def _rows(number: int, keys: Keys, newest: int) -> pl.DataFrame:
    indicator = keys.panel.indicator
    years, where = np.unique(_last(keys), return_inverse=True)
    eras = np.array([era_of(int(year), newest) for year in years])
    return pl.DataFrame({"place": np.arange(len(keys)), "draw": draw(keys.draws, SAMPLE)}).with_columns(
        batch=pl.lit(number, pl.Int64),
        kind=pl.lit(keys.kind),
        category=pl.lit(indicator.category),
        indicator=pl.lit(indicator.id),
        era=pl.Series(eras[where]),
        rises=pl.Series(_rises(keys)),
    )


def _rises(keys: Keys) -> Truths:
    """Whether the later year of a comparison is higher; of other kinds all are alike."""
    if keys.kind != "comparative":
        return np.zeros(len(keys), np.bool_)
    rises: Truths = (keys.keys[:, 0] > 0) == keys.turned
    return rises


def _last(keys: Keys) -> Ints:
    """The newest year that each question names."""
    return keys.first + SPANS[keys.kind] - 1


_EVEN: Final = (
    pl.when(pl.col("kind").first() == "comparative")
    .then(2 * pl.min_horizontal(pl.col("rises").sum(), pl.col("rises").not_().sum()))
    .otherwise(pl.len())
)
"""How many can be drawn with as many comparisons that rise as others."""


def _sizes(queue: pl.DataFrame, size: pl.Expr) -> dict[Stratum, int]:
    if not len(queue):
        return {}
    counted = queue.group_by(_STRATUM).agg(size.cast(pl.Int64)).iter_rows()
    return {Stratum(*names): count for *names, count in counted}


def _with_every_kind(even: Counter[Stratum], sizes: Counter[Stratum]) -> Counter[Stratum]:
    """Where all comparisons of a category rise, or none does, they are drawn from as they are."""
    found: Counter[tuple[str, str]] = Counter()
    for stratum, count in even.items():
        found[stratum.kind, stratum.category] += count
    return Counter({s: even[s] if found[s.kind, s.category] else count for s, count in sizes.items()})


def _asked(
    keys: Keys, rows: pl.DataFrame, places: Mapping[Stratum, Places], as_of: date, older: Older
) -> Iterator[Question]:
    """Of one batch, those for whose rank there is a place; the last of them may be extra."""
    given = [places.get(Stratum(*names), Places(0, 0)) for names in rows.select(_STRATUM).iter_rows()]
    ranks = rows["rank"].to_list()
    wanted = [n for n, (rank, place) in enumerate(zip(ranks, given, strict=True)) if rank < sum(place)]
    if not wanted:
        return
    asked = of_rows(frame(keys.take(rows["place"].to_numpy()[wanted]), as_of), older)
    for question, n in zip(asked, wanted, strict=True):
        assert question.numeric
        extra = ranks[n] >= given[n].base
        yield replace(question, numeric=replace(question.numeric, extra=True)) if extra else question
