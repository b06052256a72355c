"""Which facts would tell most about a model's cutoff, if it were asked about them; see ``docs/window.md``.

What a model knows of a fact reaches up to some moment, and it names who held then. Between two successive
changes ``t1 < t2`` that moment lies with probability ``q(c - t1) - q(c - t2)``, where ``c`` is the cutoff and
``q`` the probability to know of a change (see ``posterior``). A fact is worth the information about ``c``,
in bits, that the name is expected to bring; a silent answer brings none, as it is no evidence.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freshness.facts import Fact, Holders, PartialDate, Precision, ValidityInterval, Value
from freshness.window.estimate import INTERVAL, Status, WindowEstimate, estimate
from freshness.window.evidence import Answered, Observation, terms_of
from freshness.window.months import months
from freshness.window.posterior import Array, Joint, joint_posterior

PRIOR_MONTHS = 120.0
"""Without evidence the cutoff may lie anywhere in so many months before the day of asking."""
DRAWS = 40
"""So many answers are drawn to tell what asking would do to the interval."""

_BATCH = 1_000  # facts whose probabilities for every cutoff are held in memory at once


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that could be asked about.

    ``moments``: when somebody came or went, in order; None, which comes first, for what began at a time that
    nobody recorded. Moment ``i`` begins stretch ``i``, which lasts to the next one. ``spans``: for each value
    whose name would be evidence the stretches in which it held, ``[first, last)``; ``holding``: how many
    values held in each stretch; ``changes``: when somebody came.
    """

    fact: str
    moments: tuple[PartialDate | None, ...]
    spans: tuple[tuple[int, int], ...]
    holding: tuple[int, ...]
    changes: tuple[PartialDate, ...]

    @classmethod
    def of(cls, fact: str, values: Sequence[Value], as_of: date, holders: Holders) -> Candidate:
        """From the fact's values; what begins or ends after ``as_of`` is left out."""
        told = terms_of(Answered(tuple(values), as_of, (), holders))
        held = [[_past(term, as_of.toordinal()) for term in terms] for terms in told.values()]
        terms = list(itertools.chain.from_iterable(held))
        moments = _moments(terms)
        # A value that came back holds in several spans; naming it tells nothing.
        spans = [_span(terms[0], moments) for terms in held if len(terms) == 1]
        holding = np.zeros(len(moments), dtype=np.int64)
        for start, end in (_span(term, moments) for term in terms):
            holding[start:end] += 1
        changes = sorted({term.start for term in terms if term.start}, key=_order)
        # A record may have somebody gone before he came: nobody is named for an empty span.
        named = tuple(span for span in spans if span[0] < span[1])
        return cls(fact, moments, named, tuple(holding.tolist()), tuple(changes))

    def evidence(self, span: tuple[int, int]) -> Iterator[Observation]:
        """What it tells when the value that held in this span is named, as ``observations_from`` reads it."""
        start, end = self.moments[span[0]], span[1]
        if start:
            yield Observation(start, True)
        gone = self.moments[end] if end < len(self.moments) else None
        if gone:
            yield Observation(gone, False)


def _past(term: ValidityInterval, today: int) -> ValidityInterval:
    """The term as one can know it today: an end to come is none yet."""
    if term.end is None or term.end.first <= today:
        return term
    return ValidityInterval(term.start)


def _order(moment: PartialDate | None) -> tuple[float, str]:
    return (months(moment), str(moment)) if moment else (-np.inf, "")


def _moments(terms: Sequence[ValidityInterval]) -> tuple[PartialDate | None, ...]:
    starts = {term.start for term in terms}
    return tuple(sorted(starts | {term.end for term in terms if term.end}, key=_order))


def _span(term: ValidityInterval, moments: tuple[PartialDate | None, ...]) -> tuple[int, int]:
    start = moments.index(term.start)
    return start, max(start, moments.index(term.end)) if term.end else len(moments)


def belief(observations: Sequence[Observation], until: date) -> tuple[WindowEstimate, Joint]:
    """What is known of a model that was asked as of the day ``until``: as it is reported, and in full.

    Where the observations date nothing (``too_few``) any cutoff in the ten years before is as likely
    beforehand, and they say what they can; where they contradict each other nothing else is left.
    """
    found = estimate(observations, until)
    asked = months(PartialDate.from_date(until))
    used = [] if found.status is Status.INCONSISTENT else observations
    used = [o for o in used if months(o.date) <= asked]
    span = None if found.cutoff else (asked - PRIOR_MONTHS, asked)
    return found, joint_posterior(used, asked, span)


def information(joint: Joint, candidates: Sequence[Candidate]) -> Array:
    """Bits that each fact's answer is expected to bring about the cutoff, were it the only one asked.

    The sum over the values that can be named of their probability times the Kullback-Leibler divergence of
    the cutoff's posterior, once it is named, from that before.
    """
    knows = {precision: joint.knows(precision) for precision in _precisions(candidates)}
    weights = np.asarray(joint.weights.sum(axis=1))
    batches = [candidates[start : start + _BATCH] for start in range(0, len(candidates), _BATCH)]
    return np.concatenate([np.zeros(0), *(_bits(joint, knows, weights, batch) for batch in batches)])


def _precisions(candidates: Sequence[Candidate]) -> set[Precision]:
    return {moment.precision for candidate in candidates for moment in candidate.moments if moment}


def _bits(
    joint: Joint, knows: Mapping[Precision, Array], weights: Array, candidates: Sequence[Candidate]
) -> Array:
    """The information of each fact, by one table of all their values' probabilities for each cutoff."""
    bounds, owner = _named(candidates)
    if not owner.size:
        return np.zeros(len(candidates))
    reach = _stretches(_known(joint, knows, candidates), candidates)
    chance = np.add.reduceat(reach, bounds)[::2]
    expected = chance @ weights
    ratio = np.divide(chance, expected[:, None], out=np.ones_like(chance), where=chance > 0)
    bits = (chance * np.log2(ratio)) @ weights
    return np.maximum(np.bincount(owner, bits, len(candidates)), 0.0)


def _known(joint: Joint, knows: Mapping[Precision, Array], candidates: Sequence[Candidate]) -> Array:
    """Moments (of all facts, one after the other) x cutoffs: how probably it is known; always 1 for None."""
    moments = [moment for candidate in candidates for moment in candidate.moments]
    known = np.ones((len(moments), len(joint.weights)))
    for precision, table in knows.items():
        rows = [row for row, moment in enumerate(moments) if moment and moment.precision is precision]
        positions = np.array([months(moment) for moment in (moments[row] for row in rows) if moment])
        known[rows] = table[:, joint.cells.index(positions)].T
    return known


def _stretches(known: Array, candidates: Sequence[Candidate]) -> Array:
    """How probably each holder of a stretch is named; a row of zeros follows the last fact's.

    Knowledge reaches into the stretch and no farther, and one of its holders is named. A rough date may seem
    better known than an exact one shortly before it; that counts as no stretch.
    """
    ends = np.cumsum([len(candidate.moments) for candidate in candidates])
    after = np.concatenate((known[1:], np.zeros((1, known.shape[1]))))
    after[ends[ends > 0] - 1] = 0.0
    holding = np.array([count for candidate in candidates for count in candidate.holding])
    alone = np.maximum(known - after, 0.0) / np.maximum(holding, 1)[:, None]
    return np.concatenate((alone, np.zeros((1, known.shape[1]))))


def _named(candidates: Sequence[Candidate]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First stretch of each value and the one after its last, one value after the other; their facts."""
    bounds: list[int] = []
    owner: list[int] = []
    offset = 0
    for number, candidate in enumerate(candidates):
        for span in candidate.spans:
            bounds += [offset + place for place in span]
            owner.append(number)
        offset += len(candidate.moments)
    return np.array(bounds, dtype=np.int64), np.array(owner, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Width of the cutoff's 90 % interval in months: now, and once ``facts`` more facts are asked.

    ``expected`` is the median of answers that were drawn from what is known of the model, ``low`` and
    ``high`` their quartiles.
    """

    facts: int
    now: float
    expected: float
    low: float
    high: float

    def to_json(self) -> dict[str, float | int]:
        """In months, with one decimal."""
        widths = {"now": self.now, "expected": self.expected, "low": self.low, "high": self.high}
        return {"facts": self.facts, **{name: round(width, 1) for name, width in widths.items()}}


def narrowing(joint: Joint, candidates: Sequence[Candidate], seed: int = 0, draws: int = DRAWS) -> Narrowing:
    """What asking about all of these is expected to do to the interval; the seed decides the draws."""
    random = np.random.default_rng(seed)
    tables = {precision: joint.table(precision) for precision in _precisions(candidates)}
    models = [_Drawn.of(joint, tables, random) for _ in range(draws)]
    answers = [[o for candidate in candidates for o in model.answer(candidate, random)] for model in models]
    widths = [_width(after) for after in joint.updated(answers)]
    low, expected, high = np.quantile(widths, (0.25, 0.5, 0.75))
    return Narrowing(len(candidates), _width(joint), float(expected), float(low), float(high))


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A model that fits what is known: a cutoff's cell, a column of parameters, and what it knows by them."""

    joint: Joint
    tables: Mapping[Precision, Array]
    cutoff: int
    parameters: int

    @classmethod
    def of(cls, joint: Joint, tables: Mapping[Precision, Array], random: np.random.Generator) -> _Drawn:
        place = int(np.searchsorted(np.cumsum(joint.weights), random.random()))
        cutoff, parameters = divmod(min(place, joint.weights.size - 1), joint.weights.shape[1])
        return cls(joint, tables, cutoff, parameters)

    def answer(self, candidate: Candidate, random: np.random.Generator) -> list[Observation]:
        """The evidence in what it says of this fact; none when it names nobody."""
        reach = random.random()
        known = [n for n, moment in enumerate(candidate.moments) if self._knows(moment) > reach]
        if not known:
            return []
        spans = [span for span in candidate.spans if span[0] <= known[-1] < span[1]]
        # Those who held but whose name is no evidence stand after the others.
        chosen = int(random.random() * candidate.holding[known[-1]])
        return [*candidate.evidence(spans[chosen])] if chosen < len(spans) else []

    def _knows(self, moment: PartialDate | None) -> float:
        if moment is None:
            return 1.0
        cell = int(self.joint.cells.index(np.array([months(moment)]))[0])
        lag = self.cutoff - cell + self.joint.cells.count - 1
        return float(self.tables[moment.precision][lag, self.parameters])


def _width(joint: Joint) -> float:
    """Months that the central 90 % of the cutoff's posterior take."""
    cutoffs = joint.cutoffs()
    tail = (1 - INTERVAL) / 2
    return cutoffs.quantile(1 - tail) - cutoffs.quantile(tail)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A fact worth asking about: the bits that its answer is expected to bring about the cutoff.

    ``changes``: when somebody came, the dates that the bits come from. ``asked``: the model has answered it
    already, and would say the same again.
    """

    fact: Fact
    bits: float
    changes: tuple[PartialDate, ...]
    asked: bool

    def to_json(self) -> dict[str, Any]:
        """One entry of ``facts`` in ``facts suggest --format json``."""
        return {
            "fact": self.fact.id,
            "group": self.fact.group,
            "subject": {"id": self.fact.subject.id, "name": self.fact.subject.name},
            "property": self.fact.property,
            "bits": round(self.bits, 4),
            "changes": [str(day) for day in self.changes],
            "asked": self.asked,
        }


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The facts that would tell most of a model, the best first, those it was asked already last.

    ``window``: what its answers tell by now. ``runs``: ids of those that the answers are from, the newest
    first. ``candidates``: out of how many facts these are the best. ``narrowing``: None where a bound of the
    interval is the prior's, or nothing is left to ask. ``notes``: sentences that say what the bits rest on.
    """

    model: str
    window: WindowEstimate
    runs: tuple[str, ...]
    candidates: int
    facts: tuple[Suggestion, ...]
    narrowing: Narrowing | None
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """``facts suggest --format json``."""
        return {
            "model": self.model,
            "window": self.window.to_json(),
            "runs": list(self.runs),
            "candidates": self.candidates,
            "interval_months": self.narrowing.to_json() if self.narrowing else None,
            "facts": [fact.to_json() for fact in self.facts],
            "notes": list(self.notes),
        }
