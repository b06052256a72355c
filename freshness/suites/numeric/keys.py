"""What is right: the key of each question that complete years allow, and the options beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freshness.questions import NumericKind
from freshness.suites.numeric import paper
from freshness.suites.numeric.choices import EQUAL, KEPT, NO_BASE, REASONS, TOO_FEW_DIGITS, ZERO, Choices
from freshness.suites.numeric.digits import Truths, across
from freshness.suites.numeric.draws import TURN, Draws, below, question_draws, series_draws
from freshness.suites.numeric.fractions import simple
from freshness.suites.numeric.ladder import Bounds, fair
from freshness.suites.numeric.options import SPANS, Options
from freshness.suites.numeric.panel import Floats, Ints, Panel
from freshness.suites.numeric.precision import Series, heaped


@dataclass(frozen=True, slots=True)
class Keys:
    """Questions of one kind about one panel: all arrays have one row a question.

    ``rows``: of the panel; ``first``: the first year; ``values``: of the years in order, (questions, span);
    ``keys``: what is right, (questions, numbers), 1 and 0 for yes and no; ``turned``: whether the later of
    two years is named first; ``choices``: none for yes and no, nor for open questions.
    """

    kind: NumericKind
    panel: Panel
    rows: Ints
    first: Ints
    values: Floats
    keys: Floats
    turned: Truths
    draws: Draws
    reason: NDArray[np.int8]
    choices: Choices | None

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: Ints) -> Keys:
        arrays = (self.rows, self.first, self.values, self.keys, self.turned, self.draws, self.reason)
        choices = None if self.choices is None else self.choices.take(places)
        return Keys(self.kind, self.panel, *(array[places] for array in arrays), choices)  # type: ignore[call-arg, arg-type]

    def kept(self) -> Keys:
        """Those that are asked."""
        kept = np.flatnonzero(self.reason == KEPT)
        return self if len(kept) == len(self) else self.take(kept)

    def left_out(self) -> Counter[tuple[str, str]]:
        """How many are not asked, by kind and reason."""
        counts = np.bincount(self.reason, minlength=len(REASONS))
        return Counter({(self.kind, REASONS[n]): int(count) for n, count in enumerate(counts) if n and count})


def keys_of(panel: Panel, kind: NumericKind, options: Options) -> Keys:
    """All questions of a kind, those that are left out too."""
    rows, columns, values = panel.windows(SPANS[kind])
    first = columns + panel.first
    begun = series_draws([series.id for series in panel.series], kind, options.seed)
    draws = question_draws(begun[rows], first)
    turned = _turned(kind, values, draws, options)
    keys, reason = _right(kind, values, turned, options)
    least = None
    if kind == "trend" and options.distractors == "fair":
        telling, least = simple(values[:, 0], values[:, -1], rows)
        reason = np.where(telling & (reason == KEPT), TOO_FEW_DIGITS, reason).astype(np.int8)
    choices = None
    if kind not in ("comparative", "next_word") and len(rows):
        series = Series.drawn(rows, begun[rows], _heaped(panel, kind)[rows])
        choices = _choices(panel, kind, options, keys, least, reason == KEPT, series, draws)
        reason = np.where(reason == KEPT, choices.reason, reason)
    return Keys(kind, panel, rows, first, values, keys, turned, draws, reason, choices)


def _choices(
    panel: Panel,
    kind: NumericKind,
    options: Options,
    keys: Floats,
    least: Floats | None,
    askable: Truths,
    series: Series,
    draws: Draws,
) -> Choices:
    trend = kind == "trend"
    if options.distractors == "paper":
        return paper.added(keys, draws, *((4,) if trend else ()))
    lowest, highest = panel.indicator.lowest, panel.indicator.highest
    if not trend:
        return fair(keys, askable, series, draws, Bounds(lowest, highest))
    # What can't be negative can't fall by more than all of it.
    most = -100.0 if lowest is not None and lowest >= 0 else None
    return fair(keys, askable, series, draws, Bounds(most, shown=3, least=least))


def _heaped(panel: Panel, kind: NumericKind) -> Truths:
    """Of which series the numbers of a kind have heaps of round ones: changes have none of their own."""
    return np.zeros(len(panel.series), np.bool_) if kind == "trend" else heaped(panel.values)


def _turned(kind: NumericKind, values: Floats, draws: Draws, options: Options) -> Truths:
    if kind != "comparative" or options.distractors == "paper":
        return np.zeros(len(values), np.bool_)
    return below(draws, TURN, 2).astype(np.bool_)


def _right(
    kind: NumericKind, values: Floats, turned: Truths, options: Options
) -> tuple[Floats, NDArray[np.int8]]:
    """What is right, and which questions have no right answer."""
    reason = np.full(len(values), KEPT, np.int8)
    if kind == "comparative":
        higher = np.where(turned, values[:, 1] > values[:, 0], values[:, 0] > values[:, 1])
        if options.distractors == "fair":
            reason[values[:, 0] == values[:, 1]] = EQUAL
        return higher[:, None].astype(np.float64), reason
    if kind == "range":
        return _means(values)[:, None], reason
    if kind == "minmax":
        return np.stack([across(np.minimum, values), across(np.maximum, values)], axis=1), reason
    if kind == "trend":
        reason[values[:, 0] <= 0] = NO_BASE
        return _changes(values)[:, None], reason
    if kind == "next_word":
        # Else a model that always says 0 would know many countries.
        reason[values[:, 0] == 0] = ZERO
    return values, reason


def _changes(values: Floats) -> Floats:
    """From the first to the last, in percent of the first; infinite where that is not above zero."""
    base = np.where(values[:, 0] > 0, values[:, 0], 1.0)
    return np.where(values[:, 0] > 0, (values[:, -1] - values[:, 0]) / base * 100.0, np.inf)


def _means(values: Floats) -> Floats:
    """Summed in order with what rounding loses carried along (Neumaier 1974).

    So they are alike everywhere, and of ten equal numbers that number.
    """
    total = np.zeros(len(values))
    lost = np.zeros(len(values))
    for column in values.T:
        larger = np.abs(total) >= np.abs(column)
        both = total + column
        lost += np.where(larger, (total - both) + column, (column - both) + total)
        total = both
    means: Floats = (total + lost) / values.shape[1]
    return means
