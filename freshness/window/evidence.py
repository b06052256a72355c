"""What dated evidence is, and how judged answers become it.

DyKnow (section 3, RQ2 and figure 3) reads a model's age off the validity starts of what it answers.
``five_numbers`` draws that picture and ``bounds`` gives the hard limits that follow from it; a value
that was true in several separate terms tells neither, and is set aside by name. Only values that a
judge matched come in here: what a model says of its own cutoff is never evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from freshness.facts import Holders, PartialDate, Rank, ValidityInterval, Value
from freshness.grading.timeline import Term, Timeline, asks_for_one, build, infer_holders
from freshness.questions import Question
from freshness.strict import Faults, shown
from freshness.verdicts import Judgement, Verdict
from freshness.window.months import month_of, months

BoundsStatus = Literal["bounded", "low_confidence", "crossed"]

MINIMUM_FACTS = 5
"""Bounds from fewer facts than this look more exact than they are."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Whether a model knows of a change in the world that happened at ``date``.

    ``weight``: how many such observations this counts for, more than 0; several prompts about one fact
    share a weight of 1, for they fail together.
    """

    date: PartialDate
    known: bool
    weight: float = 1.0

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> tuple[str, Observation]:
        """A line of an observation file, as ``(model, observation)``; other keys are ignored.

        Raises ``ValueError`` that names the keys at fault.
        """
        faults = Faults()
        model = faults.get(_text, raw, "model")
        day = faults.get(_date, raw)
        known = faults.get(_known, raw)
        faults.check()
        # Whatever is None has been raised as a fault.
        assert model is not None
        assert day is not None
        assert known is not None
        return model, cls(day, known)


def _text(raw: Mapping[str, Any], key: str) -> str:
    text = _given(raw, key)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{key} must be a string that is not blank, not {shown(text)}")
    return text


def _date(raw: Mapping[str, Any]) -> PartialDate:
    text = _text(raw, "date")
    try:
        return PartialDate.parse(text)
    except ValueError as error:
        raise ValueError(f"date: {error}") from None


def _known(raw: Mapping[str, Any]) -> bool:
    known = _given(raw, "known")
    if not isinstance(known, bool):
        raise ValueError(f"known must be true or false, not {shown(known)}")
    return known


def _given(raw: Mapping[str, Any], key: str) -> Any:
    if key not in raw:
        raise ValueError(f"{key} is missing")
    return raw[key]


@dataclass(frozen=True, slots=True)
class Answered:
    """What one model said about one question: ``matched`` has a label for each prompt that named a value.

    ``holders`` None is inferred from the values and the question's wording, as the judge does.
    """

    values: tuple[Value, ...]
    as_of: date
    matched: tuple[str, ...]
    holders: Holders | None = None
    question: str = ""


def answered(question: Question, judgements: Iterable[Judgement | None]) -> Answered:
    """The evidence in one question's judgements; prompts without a value (refused, failed) say nothing."""
    matched = tuple(
        judgement.matched
        for judgement in judgements
        if judgement and judgement.matched and judgement.verdict in (Verdict.CORRECT, Verdict.OUTDATED)
    )
    text = question.prompts[0].question if question.prompts else ""
    return Answered(question.values, question.as_of, matched, question.holders, text)


def observations_from(questions: Iterable[Answered]) -> list[Observation]:
    """Two observations for each value named: the change that brought it is known, its end is not.

    Each question has weight 1, split over the prompts that named a value. Left out: values of several
    separate terms, bounds that nobody recorded, and what starts after the date asked about.
    """
    return [observation for question in questions for observation in _observations(question)]


def _observations(question: Answered) -> Iterator[Observation]:
    if not question.matched:
        return
    timeline = _timeline(question)
    today = question.as_of.toordinal()
    share = 1 / len(question.matched)
    for label in dict.fromkeys(question.matched):
        span = _only_span(_begun(timeline, label, today))
        weight = share * question.matched.count(label)
        if span and span.start:
            yield Observation(span.start, True, weight)
        if span and span.end and span.end.first <= today:
            yield Observation(span.end, False, weight)


def terms_of(question: Answered) -> dict[str, tuple[ValidityInterval, ...]]:
    """When each value held that had begun by the date asked about, by label, as its neighbours narrow it.

    A value with one stretch of time is evidence when it is named; one with several is none.
    """
    timeline = _timeline(question)
    today = question.as_of.toordinal()
    labels = dict.fromkeys(timeline.values[t.value].label for t in timeline.terms if t.start <= today)
    begun = {label: _begun(timeline, label, today) for label in labels}
    spans = {label: _only_span(terms) for label, terms in begun.items()}
    return {label: (span,) if span else tuple(begun[label]) for label, span in spans.items()}


def validity_starts(questions: Iterable[Answered]) -> list[PartialDate]:
    """The start of each value named, once a prompt, as DyKnow's figure 3 counts them.

    Left out: unknown starts, and values of several separate terms (nothing tells which one was meant).
    """
    starts: list[PartialDate] = []
    for question in questions:
        timeline = _timeline(question)
        for label in question.matched:
            span = _only_span(_begun(timeline, label, question.as_of.toordinal()))
            if span and span.start:
                starts.append(span.start)
    return starts


def _timeline(question: Answered) -> Timeline:
    holders = question.holders or infer_holders(question.values, asks_for_one(question.question))
    return build(question.values, holders)


def _begun(timeline: Timeline, label: str, today: int) -> list[ValidityInterval]:
    """The terms of all values with this label that had begun, as narrowed by their neighbours."""
    terms = [t for t in timeline.terms if timeline.values[t.value].label == label and t.start <= today]
    return [_interval(term) for term in terms]


def _interval(term: Term) -> ValidityInterval:
    """The term's interval, with the record's own rough bounds where its neighbours told nothing."""
    start, end = term.interval.start, term.interval.end
    if start and term.start != start.first:
        start = _day(term.start) or start
    if term.end_day is not None and (end is None or term.end_day != end.middle):
        end = _day(term.end_day) or end
    return ValidityInterval(start, end, ended=term.interval.ended and end is None)


def _day(ordinal: int) -> PartialDate | None:
    in_range = 1 <= ordinal <= date.max.toordinal()
    return PartialDate.from_date(date.fromordinal(ordinal)) if in_range else None


def _only_span(terms: Iterable[ValidityInterval]) -> ValidityInterval | None:
    """The one stretch of time that these terms make up; None for none, or for several with gaps between."""
    ordered = sorted(terms, key=lambda term: term.start.first if term.start else -(10**9))
    if not ordered:
        return None
    span = ordered[0]
    for term in ordered[1:]:
        if not _touches(span, term):
            return None
        span = _joined(span, term)
    return span


def _touches(earlier: ValidityInterval, later: ValidityInterval) -> bool:
    """Whether the later term can begin before the earlier one is over, as exactly as both are known."""
    if earlier.is_open or later.start is None:
        return True
    return earlier.end is not None and later.start.first <= earlier.end.last + 1


def _joined(earlier: ValidityInterval, later: ValidityInterval) -> ValidityInterval:
    if earlier.is_open or later.is_open:
        return ValidityInterval(earlier.start, None)
    ends = [term.end for term in (earlier, later) if term.end]
    if len(ends) < 2:
        return ValidityInterval(earlier.start, None, ended=True)
    return ValidityInterval(earlier.start, max(ends, key=lambda end: end.last))


@dataclass(frozen=True, slots=True)
class FiveNumbers:
    """Minimum, quartiles and maximum of ``n`` dates, each told as the month it lies in."""

    n: int
    minimum: PartialDate
    q1: PartialDate
    median: PartialDate
    q3: PartialDate
    maximum: PartialDate

    def to_json(self) -> dict[str, Any]:
        names = ("minimum", "q1", "median", "q3", "maximum")
        return {"n": self.n, **{name: str(getattr(self, name)) for name in names}}


def five_numbers(dates: Iterable[PartialDate]) -> FiveNumbers | None:
    """DyKnow's box (figures 3, 5 and 6: whiskers to the extremes); None without any date.

    A date known to the year counts as its middle. Quartiles interpolate linearly (R's type 7).
    """
    ordered = sorted(months(day) for day in dates)
    if not ordered:
        return None
    low, q1, median, q3, high = (month_of(_quantile(ordered, share)) for share in (0, 0.25, 0.5, 0.75, 1))
    return FiveNumbers(len(ordered), low, q1, median, q3, high)


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between which dates the matched values were all true.

    ``lower``: the latest start; ``upper``: the earliest end; None where no value sets it. ``facts``: how
    many values set them. ``ambiguous``: labels with several separate terms, which set none. ``status``:
    ``crossed`` when lower lies after upper (the answers stem from different times, as a real model's do),
    ``low_confidence`` below the minimum of facts.
    """

    lower: PartialDate | None
    upper: PartialDate | None
    facts: int
    ambiguous: tuple[str, ...]
    status: BoundsStatus

    def to_json(self) -> dict[str, Any]:
        window = [str(bound) if bound else None for bound in (self.lower, self.upper)]
        return {
            "window": window,
            "facts": self.facts,
            "ambiguous_facts": list(self.ambiguous),
            "status": self.status,
        }


def bounds(matched: Iterable[Value], minimum_facts: int = MINIMUM_FACTS) -> Bounds:
    """Hard bounds from matched values, one for each fact; deprecated ones are no facts."""
    facts = [value for value in matched if value.rank is not Rank.DEPRECATED]
    spans = [(value.label, _only_span(value.intervals)) for value in facts]
    clear = [span for _, span in spans if span]
    ambiguous = tuple(dict.fromkeys(label for label, span in spans if span is None))
    lower = max((span.start for span in clear if span.start), key=lambda day: day.first, default=None)
    upper = min((span.end for span in clear if span.end), key=lambda day: day.last, default=None)
    crossed = lower is not None and upper is not None and lower.first > upper.last
    status: BoundsStatus = "bounded" if len(clear) >= minimum_facts else "low_confidence"
    return Bounds(lower, upper, len(clear), ambiguous, "crossed" if crossed else status)
