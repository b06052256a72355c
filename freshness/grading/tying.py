"""Which year a number is said to be of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from freshness.grading import cues
from freshness.grading.numbers import Number

REACH: Final = 400
"""Characters of a sentence looked at on each side."""


def year_of(text: str, start: int, end: int, others: Sequence[int], years: Sequence[Number]) -> int | None:
    """The year in the same sentence that the number at ``[start, end)`` is said to be of.

    ``others``: where the other numbers stand; none of them may come between. Where a sentence begins with a
    year, years stand before their values, else behind them.
    """
    low, high = _sentence(text, start, end)
    inside = [year for year in years if low <= year.start < high]
    near = [at for at in others if low <= at < high and at != start]
    before = max((year.start for year in inside if year.start < start), default=-1)
    after = min((year.start for year in inside if year.start >= end), default=-1)
    if any(before < at < start for at in near):
        before = -1
    if any(start < at < after for at in near):
        after = -1
    first = min([start, *near])
    year_first = any(year.start < first for year in inside)
    at = before if before >= 0 and (year_first or after < 0) else after
    return next((int(year.value) for year in inside if year.start == at), None)


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    low = 0
    for match in cues.SENTENCE.finditer(text, max(0, start - REACH), start):
        low = match.end()
    stop = cues.SENTENCE.search(text, end, end + REACH)
    return low, stop.start() if stop else min(len(text), end + REACH)
