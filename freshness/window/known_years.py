"""The newest year that a model knows an indicator for, and what that tells of where its data end.

A model knows the years up to a newest one, each with some probability; what lies after it it guesses, or
carries on from what it knows. All else that is unknown is integrated out on a grid; several indicators of one
model are tied together by the day on which its data end. ``docs/numeric-window.md`` derives it, and shows how
far it can be trusted.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from freshness.facts import PartialDate
from freshness.history.choices import KnownStatus, KnownYears
from freshness.window.carried import Asked
from freshness.window.estimate import INTERVAL, Cutoff, Status, WindowEstimate
from freshness.window.months import month_of, months

Array = NDArray[np.float64]

SPAN: Final = 30
"""Only so many of the newest years count: older ones tell little, and may be known less for other reasons."""
FEWEST: Final = 8
"""From fewer answers nothing is told."""
MOST: Final = 600
"""So many answers an indicator are used, evenly taken from all."""
NEVER: Final = 0.3
"""Beforehand, the probability that a model knows no year of an indicator."""
SURE: Final = 0.05
"""That it knows some is said when the probability of the contrary is less."""
HOPELESS: Final = 20
"""From so many answers that are no better than guesses it is said that no year is known."""
VAGUE_YEARS: Final = 6
"""Wider intervals are of little use, and most are those of models that know next to nothing."""

# Priors, each uniform on its grid. How much more often than by a guess what is known is told right...
_KNOWS = (0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97)
# ... in logits how much that changes over ten years back: old years can be better known, or worse ...
_DRIFTS = (-0.35, 0.0, 0.35)
# ... over how many years it thins out, as the world writes about a year's number for years ...
_THINNING = (0, 1, 2, 4)
# ... how much more often than by a guess the rest is right whatever the year, from knowing what is usual
# (a fall below this share of what is known, else there is no newest year to be seen) ...
_VAGUELY = (0.0, 0.08, 0.16, 0.25, 0.4)
_FALL = 0.6
# ... and how much of what is known is carried on to later years.
_CARRIES = (0.0, 0.5, 1.0)
_ALL = itertools.product(_KNOWS, _DRIFTS, _THINNING, _VAGUELY, _CARRIES)
_GRID = np.array([point for point in _ALL if point[3] <= _FALL * point[0]])

# Standard scores of answers that are hardly, and clearly, better than guesses. Those that are clearly better
# may all be carried on from years that were not asked about.
_HARDLY, _CLEARLY = 0.5, 3.0

_QUARTERS = 4
# A number is out between the end of its year and the day by which the newest is: fresh ones within a quarter
# of a year, late ones within three.
_SOONEST, _LATEST = 0.25, 3.0
# Years by which what a model knows lags behind what was out when its data ended: the same for all indicators.
_LAGS = ((0.0, 0.35), (0.5, 0.3), (1.0, 0.2), (1.5, 0.1), (2.0, 0.05))
# How often one indicator lags a year more than the others.
_LATER = 0.2
# Beforehand data may end on any day of the last ten years, the less likely the longer before.
_FLAT, _TAIL = 10.0, 4.0
# Beside that, any year: one indicator must not drag all others along.
_STRAY = 0.1


class _Evidence(NamedTuple):
    """What the answers about one indicator tell by themselves: log likelihoods.

    ``known``: of each newest year known; ``never``: of none. ``beyond``: how far beyond guesses the answers
    are right, as a standard score.
    """

    years: NDArray[np.int64]
    known: Array
    never: float
    answers: int
    beyond: float


class _Ends(NamedTuple):
    """Each day (in years) on which data may end with each lag of what is known, and their log shares."""

    cutoffs: Array
    lags: Array
    prior: Array

    @classmethod
    def before(cls, as_of: date, first: int) -> _Ends:
        """From the first year asked about on, a quarter of a year apart."""
        last = months(PartialDate.from_date(as_of)) / 12
        quarters = max(int((last - first - 1) * _QUARTERS), 1)
        cutoffs = last - np.arange(quarters, -1, -1) / _QUARTERS
        lags, shares = np.array(_LAGS).T
        repeated = np.repeat(cutoffs, len(lags))
        prior = _prior(repeated, last) + np.tile(np.log(shares), len(cutoffs))
        return cls(repeated, np.tile(lags, len(cutoffs)), prior)


@dataclass(frozen=True, slots=True)
class KnownWindow:
    """By indicator the newest year known, and from all together where training data end."""

    years: Mapping[str, KnownYears]
    window: WindowEstimate


def newest_year_known(answers: Sequence[Asked]) -> KnownYears:
    """Of one indicator alone; there must be an answer."""
    evidence = _evidence(answers)
    return _told(evidence, _prior(evidence.years, float(evidence.years[-1])))


def known_window(indicators: Mapping[str, Sequence[Asked]], as_of: date) -> KnownWindow:
    """Of all indicators that one model was asked about on this day.

    What the others tell of where its data end counts for each, as far as it is known when numbers come out.
    Indicators without an answer are left out.
    """
    evidence = {name: _evidence(answers) for name, answers in indicators.items() if answers}
    if not evidence:
        return KnownWindow({}, WindowEstimate(0, Status.TOO_FEW))
    ends = _Ends.before(as_of, min(int(found.years[0]) for found in evidence.values()))
    links = {name: _link(e.years, ends) for name, e in evidence.items()}
    terms = {name: _term(e, links[name]) for name, e in evidence.items()}
    together = ends.prior + np.sum(list(terms.values()), axis=0)
    years = {
        name: _told(e, _log(_shares(together - terms[name]) @ links[name])) for name, e in evidence.items()
    }
    answers = sum(e.answers for e in evidence.values())
    return KnownWindow(years, _window(years, ends, _shares(together), answers))


def _evidence(answers: Sequence[Asked]) -> _Evidence:
    newest = max(answer.year for answer in answers)
    recent = sorted((a for a in answers if a.year > newest - SPAN), key=lambda a: a.year)
    used = recent[:: -(-len(recent) // MOST)]
    years = np.arange(used[0].year, newest + 1)
    # Who knows none carries on, if at all, from before all of these.
    candidates = np.append(years, newest - 2 * SPAN)
    logs = np.zeros((len(candidates), len(_GRID)))
    for answer in used:
        right = _right(answer, candidates, newest)
        logs += np.log(right if answer.correct else 1 - right)
    averaged = _averaged(logs)
    return _Evidence(years, averaged[:-1], float(averaged[-1]), len(used), _beyond(used))


def _beyond(answers: Sequence[Asked]) -> float:
    spread = sum(a.chance * (1 - a.chance) for a in answers)
    return sum(a.correct - a.chance for a in answers) / sqrt(spread) if spread else 0.0


def _right(answer: Asked, years: NDArray[np.int64], newest: int) -> Array:
    """How probably the answer is right: by newest year known, and by parameters."""
    knows, drift, thinning, vaguely, carries = _GRID.T
    since = (years - answer.year)[:, None]
    odds = knows / (1 - knows) * np.exp(drift * (newest - answer.year) / 10)
    level = odds / (1 + odds)
    told = np.where(since >= 0, level * np.minimum(1.0, (since + 1) / (thinning + 1)), 0.0)
    carried = np.array([answer.from_before(max(1, answer.year - int(year))) for year in years])[:, None]
    used = np.where(since < 0, level * carries, 0.0)
    guess = answer.chance + (1 - answer.chance) * vaguely
    right = told + (1 - told) * (used * carried + (1 - used) * guess)
    return np.asarray(np.clip(right, 1e-3, 1 - 1e-3), dtype=np.float64)


def _averaged(logs: Array) -> Array:
    """Logarithm of the mean over the last axis."""
    most = logs.max(axis=-1, keepdims=True)
    return np.asarray(most[..., 0] + np.log(np.exp(logs - most).mean(axis=-1)), dtype=np.float64)


def _prior(positions: Array | NDArray[np.int64], last: float) -> Array:
    """Logarithms, of years or days up to the last."""
    return -np.maximum(last - positions - _FLAT, 0.0) / _TAIL


def _link(years: NDArray[np.int64], ends: _Ends) -> Array:
    """Ends x years: how probably each is the newest one known to a model of which that holds."""
    first, newest = int(years[0]), int(years[-1])
    latest = float(ends.cutoffs.max()) - newest - 1
    out = np.linspace(_SOONEST, min(max(latest, _SOONEST), _LATEST), 8)
    link = np.full((len(ends.cutoffs), len(years)), _STRAY / len(years))
    found = np.floor((ends.cutoffs - ends.lags)[:, None] - 1 - out)
    places = (np.clip(found, first, newest) - first).astype(np.int64)
    for column in places.T:
        link[np.arange(len(link)), column] += (1 - _STRAY) * (1 - _LATER) / len(out)
        link[np.arange(len(link)), np.maximum(column - 1, 0)] += (1 - _STRAY) * _LATER / len(out)
    return link


def _term(evidence: _Evidence, link: Array) -> Array:
    """What this indicator tells of each cutoff: log likelihoods."""
    most = max(evidence.never, float(evidence.known.max()))
    known = link @ np.exp(evidence.known - most)
    return _log(NEVER * np.exp(evidence.never - most) + (1 - NEVER) * known)


def _log(numbers: Array) -> Array:
    return np.log(np.maximum(numbers, 1e-300))


def _shares(logs: Array) -> Array:
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def _told(evidence: _Evidence, prior: Array) -> KnownYears:
    """What is said, given the logarithm of each newest year's share beforehand."""
    newest, answers = int(evidence.years[-1]), evidence.answers
    before = np.log((1 - NEVER) * _shares(prior))
    shares = _shares(np.append(evidence.known + before, np.log(NEVER) + evidence.never))
    never, found = shares[-1], np.cumsum(_shares(evidence.known + before))
    if never > SURE or answers < FEWEST:
        hopeless = answers >= HOPELESS and evidence.beyond < (_CLEARLY if never > 0.5 else _HARDLY)
        return KnownYears("at_chance" if hopeless else "too_few", newest, answers)
    tail = (1 - INTERVAL) / 2
    low, middle, high = (int(evidence.years[_place(found, at)]) for at in (tail, 0.5, 1 - tail))
    if high - low > VAGUE_YEARS:
        return KnownYears("too_few", newest, answers)
    status: KnownStatus = "reaches_newest" if middle == newest else "estimated"
    return KnownYears(status, newest, answers, middle, low, high)


def _place(cumulated: Array, at: float) -> int:
    return min(int(np.searchsorted(cumulated, at)), len(cumulated) - 1)


def _window(years: Mapping[str, KnownYears], ends: _Ends, shares: Array, answers: int) -> WindowEstimate:
    """Where training data end; which years are known least says nothing of where they begin."""
    told = [found.status for found in years.values() if found.estimate is not None]
    cumulated = np.cumsum(shares)
    tail = (1 - INTERVAL) / 2
    low, middle, high = (float(ends.cutoffs[_place(cumulated, at)]) for at in (tail, 0.5, 1 - tail))
    # One of several that seems known may be so by accident.
    if len(told) < min(2, len(years)) or high - low > VAGUE_YEARS:
        return WindowEstimate(answers, Status.TOO_FEW)
    status = Status.ESTIMATED if "estimated" in told else Status.AFTER_RANGE
    cutoff = Cutoff(*(month_of(12 * position) for position in (middle, low, high)))
    return WindowEstimate(answers, status, cutoff)
