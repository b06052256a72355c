"""How much a count may differ from its own past by chance: a beta-binomial with an unsure spread.

A pair of runs that answers the same questions differs in ``x`` of ``n`` of them. The rate of differing has a
mean, and moves around it from pair to pair (another machine behind the endpoint, another batch)::

    x | rate ~ Binomial(n, rate)        rate ~ Beta(shape, shape * (1 - mean) / mean)

(mirrored for means above a half). Neither ``mean`` nor ``shape`` is known; both are given a prior and summed
over a grid, so that a young model with few pairs is judged as carefully as that little knowledge allows.
Exact but for the grid.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

SHAPES: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""How steady a rate may be: its standard deviation from pair to pair is about ``shape ** -0.5`` of its mean
(of one minus it, for means above a half), from 100 % to 13 %. Before anything is seen, a shape is
likely as its square root is big: a third of the prior says 13 %, a twenty-fifth says 100 %."""

GRID: Final = 160
"""Means on the grid, evenly spaced on the logit scale between 0.0003 and 0.9997."""

NEGLIGIBLE: Final = 1e-9
"""Points of the grid with less than this share of the posterior are left out."""

_LOGIT_END: Final = 8.1


class Count(NamedTuple):
    """``differing`` of ``questions`` were answered otherwise."""

    differing: int
    questions: int

    @property
    def rate(self) -> float:
        """Between 0 and 1; 0 where there is nothing to count."""
        return self.differing / self.questions if self.questions else 0.0


class Prior(NamedTuple):
    """A Beta distribution of the mean rate, before anything is seen."""

    a: float
    b: float


class _Point(NamedTuple):
    a: float
    b: float
    weight: float


@dataclass(frozen=True, slots=True)
class Noise:
    """What pairs of unchanged runs have taught: weighted Beta distributions of the next pair's rate."""

    points: tuple[_Point, ...]

    @classmethod
    def of(cls, pairs: Iterable[Count], prior: Prior) -> Noise:
        """After seeing these pairs; of none, what the prior says."""
        seen = Counter(pairs)
        grid = [(a, b, weight + _log_likelihood(a, b, seen)) for a, b, weight in _grid(prior)]
        top = max(weight for _, _, weight in grid)
        kept = [_Point(a, b, math.exp(weight - top)) for a, b, weight in grid]
        kept = [point for point in kept if point.weight > NEGLIGIBLE]
        total = sum(point.weight for point in kept)
        return cls(tuple(point._replace(weight=point.weight / total) for point in kept))

    @property
    def mean(self) -> float:
        """The expected rate of differing."""
        return sum(point.weight * point.a / (point.a + point.b) for point in self.points)

    def p_value(self, new: Count) -> float:
        """Probability that a pair of that many questions differs in as many of them, or more."""
        return min(1.0, sum(point.weight * _tail(new, point.a, point.b) for point in self.points))


@cache
def _grid(prior: Prior) -> tuple[tuple[float, float, float], ...]:
    """``a``, ``b`` and log prior weight of each point."""
    step = 2 * _LOGIT_END / (GRID - 1)
    means = [1 / (1 + math.exp(_LOGIT_END - i * step)) for i in range(GRID)]
    # On the logit scale the density of a Beta(a, b) is mean^a (1 - mean)^b.
    return tuple(
        (*_beta(mean, shape), 0.5 * math.log(shape) + prior.a * math.log(mean) + prior.b * math.log1p(-mean))
        for mean in means
        for shape in SHAPES
    )


def _beta(mean: float, shape: float) -> tuple[float, float]:
    strength = shape / min(mean, 1 - mean)
    return mean * strength, (1 - mean) * strength


def _log_likelihood(a: float, b: float, seen: Counter[Count]) -> float:
    """Without the binomial coefficients, which are the same at every point."""
    before = _log_beta(a, b)
    return sum(
        times * (_log_beta(a + pair.differing, b + pair.questions - pair.differing) - before)
        for pair, times in seen.items()
    )


def _tail(new: Count, a: float, b: float) -> float:
    """P(X >= differing) of a beta-binomial: from the first term by the ratio of each to the next."""
    x, n = new
    if x <= 0:
        return 1.0
    term = math.exp(_log_choose(n, x) + _log_beta(a + x, b + n - x) - _log_beta(a, b))
    total = term
    for k in range(x, n):
        term *= (n - k) / (k + 1) * (a + k) / (b + n - k - 1)
        total += term
    return total


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
