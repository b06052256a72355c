"""The window picture in numbers: a row a model, on an axis of decimal years (DyKnow, figures 3, 5 and 6)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from freshness.facts import PartialDate
from freshness.report.data import ModelReport
from freshness.report.text import clean_name

if TYPE_CHECKING:  # numpy comes with it, and reading its dates needs none
    from freshness.window import FiveNumbers

DAYS_A_YEAR = 365.2425
BEFORE_BOX = 12.0
"""Years shown before the earliest box: one monarch of 1952 must not squeeze the rest into a corner."""

Box = tuple[float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Row:
    """``box``: minimum, lower quartile, median, upper quartile, maximum; ``cutoff``: low, estimate, high.

    All in decimal years; None where unknown.
    """

    name: str
    box: Box | None
    cutoff: tuple[float, float, float] | None
    declared: float | None

    def cut_at(self, low: float) -> int | None:
        """The year that the whisker really begins with, where that lies left of an axis from ``low``."""
        return math.floor(self.box[0]) if self.box and self.box[0] < low else None

    @property
    def years(self) -> list[float]:
        declared = () if self.declared is None else (self.declared,)
        return [*(self.box or ()), *(self.cutoff or ()), *declared]


def rows(models: Sequence[ModelReport]) -> list[Row]:
    """The models there is something to draw of, in the order given."""
    drawn = [_row(model) for model in models]
    return [row for row in drawn if row.years]


def _row(model: ModelReport) -> Row:
    body = model.window.to_json() if model.window else {}
    return Row(
        clean_name(model.name, 48),
        _box(model.starts) if model.starts else None,
        _cutoff(body),
        year(PartialDate.parse(model.declared)) if model.declared else None,
    )


def _box(five: FiveNumbers) -> Box:
    return year(five.minimum), year(five.q1), year(five.median), year(five.q3), year(five.maximum)


def _cutoff(body: Mapping[str, Any]) -> tuple[float, float, float] | None:
    # Outside the range of the evidence the estimate is mostly the prior's: said in words, not drawn.
    if body.get("status") != "estimated":
        return None
    low, estimate, high = (
        year(PartialDate.parse(body["cutoff"][key])) for key in ("low", "estimate", "high")
    )
    return low, estimate, high


def year(day: PartialDate) -> float:
    """A date as a decimal year, half-way through what it may mean."""
    first = PartialDate(day.year, 1, 1).first
    return day.year + (day.middle - first) / DAYS_A_YEAR


def ticks(low: float, high: float, at_most: int = 8) -> list[int]:
    """Round years within ``[low, high]``, at most that many."""
    span = max(high - low, 1.0)
    step = next(s for s in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 10_000) if span / s <= at_most - 1)
    first = math.ceil(low / step) * step
    return list(range(first, math.floor(high) + 1, step))


def extent(drawn: Sequence[Row]) -> tuple[float, float]:
    """The axis: all that is drawn, but whiskers only from ``BEFORE_BOX`` years before the earliest box.

    What lies before is cut at the edge; a picture says so there (``Row.cut_at``).
    """
    years = [y for row in drawn for y in row.years]
    boxes = [row.box[1] - BEFORE_BOX for row in drawn if row.box]
    rest = [y for row in drawn for y in row.years if not row.box or y > row.box[1]]
    low = max(min(years), min([*boxes, *rest]))
    return math.floor(low), math.ceil(max(years) + 0.05)
