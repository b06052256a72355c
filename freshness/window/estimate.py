"""Where training data ends, which span most of it comes from, and how far to trust that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

import numpy as np

from freshness.facts import PartialDate
from freshness.window.evidence import Observation
from freshness.window.months import month_of, months
from freshness.window.posterior import FALL, Posterior, cutoff_posterior

MINIMUM_WEIGHT = 10.0
"""Fewer observations than this give no estimate."""
INTERVAL = 0.9
"""The probability that the cutoff's interval covers."""
MOST = 0.8
"""The share of the known changes that the window covers."""

# Expected shares of known changes at the ends of the observed range.
_NOTHING = 0.2
_MOST = 0.6
_RISING = 2.6  # one-sided 0.5 % point of the trend test
_SAYS_NOTHING = 0.85  # an interval as wide as this share of the observed range is the prior's


class Status(StrEnum):
    """How the estimate stands.

    ``estimated``: the fall of knowledge lies in the observed range. ``before_range``: the model knows
    next to nothing from the range's start on. ``after_range``: it still knows at the range's end.
    ``too_few``: the observations don't tell. ``inconsistent``: no fall, or knowledge rises with time.
    """

    ESTIMATED = "estimated"
    BEFORE_RANGE = "before_range"
    AFTER_RANGE = "after_range"
    TOO_FEW = "too_few"
    INCONSISTENT = "inconsistent"


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Month in which training data ends: posterior median, and the central 90 % interval."""

    estimate: PartialDate
    low: PartialDate
    high: PartialDate

    def to_json(self) -> dict[str, str]:
        return {"estimate": str(self.estimate), "low": str(self.low), "high": str(self.high)}


@dataclass(frozen=True, slots=True)
class WindowEstimate:
    """``observations``: how many were used. ``cutoff``, ``window``: None where they can't be said.

    Outside the observed range (``before_range``, ``after_range``) the cutoff's far bound is the prior's.
    ``window``: the months between which the middle 80 % of the known changes lie.
    """

    observations: int
    status: Status
    cutoff: Cutoff | None = None
    window: tuple[PartialDate, PartialDate] | None = None

    def to_json(self) -> dict[str, Any]:
        window = {"start": str(self.window[0]), "end": str(self.window[1])} if self.window else None
        return {
            "observations": self.observations,
            "cutoff": self.cutoff.to_json() if self.cutoff else None,
            "status": str(self.status),
            "window": window,
        }


def estimate(observations: Sequence[Observation], asked: date | None = None) -> WindowEstimate:
    """Window and cutoff from dated evidence; what is dated after ``asked``, when it answered, is left out."""
    limit = months(PartialDate.from_date(asked)) if asked else None
    used = [o for o in observations if o.weight > 0 and (limit is None or months(o.date) <= limit)]
    if sum(o.weight for o in used) < MINIMUM_WEIGHT:
        return WindowEstimate(len(used), Status.TOO_FEW)
    posterior = cutoff_posterior(used, limit)
    status = _status(posterior, used)
    cutoff = _cutoff(posterior, status)
    return WindowEstimate(len(used), status, cutoff, _window(used, cutoff) if cutoff else None)


def _status(posterior: Posterior, observations: Sequence[Observation]) -> Status:
    if posterior.knows_last > FALL * posterior.knows_first:
        return _without_fall(posterior, observations)
    if posterior.knows_first < _NOTHING:
        return Status.BEFORE_RANGE
    if posterior.knows_last > _NOTHING and posterior.mass_before(posterior.last) < 0.5:
        return Status.AFTER_RANGE
    width = posterior.quantile(0.95) - posterior.quantile(0.05)
    says_nothing = width > _SAYS_NOTHING * (posterior.last - posterior.first)
    return Status.TOO_FEW if says_nothing else Status.ESTIMATED


def _without_fall(posterior: Posterior, observations: Sequence[Observation]) -> Status:
    """Known alike from end to end: nearly all, next to nothing, or no sign of a cutoff at all."""
    if _trend(observations) > _RISING:
        return Status.INCONSISTENT
    if posterior.knows_last > _MOST:
        return Status.AFTER_RANGE
    return Status.BEFORE_RANGE if posterior.knows_first < _NOTHING else Status.INCONSISTENT


def _trend(observations: Sequence[Observation]) -> float:
    """Cochran-Armitage test for a trend of the known share with time, as a standard score."""
    weights = np.array([o.weight for o in observations])
    time = np.array([months(o.date) for o in observations])
    known = np.array([float(o.known) for o in observations])
    share = np.average(known, weights=weights)
    offset = time - np.average(time, weights=weights)
    variance = share * (1 - share) * (weights * offset**2).sum()
    return float((weights * (known - share) * offset).sum() / np.sqrt(variance)) if variance > 0 else 0.0


def _cutoff(posterior: Posterior, status: Status) -> Cutoff | None:
    if status in (Status.TOO_FEW, Status.INCONSISTENT):
        return None
    low = posterior.last if status is Status.AFTER_RANGE else -np.inf
    high = posterior.first if status is Status.BEFORE_RANGE else np.inf
    tail = (1 - INTERVAL) / 2
    found = [month_of(posterior.quantile(share, low, high)) for share in (0.5, tail, 1 - tail)]
    return Cutoff(*found)


def _window(observations: Sequence[Observation], cutoff: Cutoff) -> tuple[PartialDate, PartialDate] | None:
    """Where the middle 80 % of the known changes lie; what is known from after the cutoff was guessed."""
    ends = months(cutoff.high) + 0.5
    known = [o for o in observations if o.known and months(o.date) <= ends]
    if not known:
        return None
    time = np.array([months(o.date) for o in known])
    order = np.argsort(time, kind="stable")
    share = np.cumsum(np.array([o.weight for o in known])[order])
    tail = (1 - MOST) / 2
    start, end = (time[order][np.searchsorted(share, at * share[-1])] for at in (tail, 1 - tail))
    return month_of(float(start)), month_of(float(end))
