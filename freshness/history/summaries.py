"""What is kept of a run for ever: its figures in a line, made when it ends or is judged again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from typing import Any, Final, Literal

from freshness.history import buckets
from freshness.history.buckets import Buckets
from freshness.history.choices import ChoiceFigures, KnownYears, figures
from freshness.history.records import Run, Trial
from freshness.history.tallies import Tally, judgement_of, outcomes, share, tally_groups, tally_run
from freshness.verdicts import Verdict, verdicts_of

ANSWERED: Final = "answered"
"""The outcome of a request that brought an answer; the others are kinds of error."""

QUANTILES: Final = (0.5, 0.9, 1.0)

EventKind = Literal["served_model_changed", "fingerprint_changed", "answers_shifted"]
Span = tuple[str, str]
Estimate = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Summary:
    """A run's figures, all that metrics and lists need of it.

    ``upper_bound`` (questions) and ``average`` (prompts): counts by verdict; ``groups``: those of the upper
    bound by group. ``same`` of ``named`` questions got one value from all prompts. ``outdated``: facts that
    the upper bound counts as outdated; ``lag_days``: quantiles (``0.5``, ``0.9``, ``1``) of how long they
    are, in days, empty where none is. ``cutoff``: low, estimate, high; ``window``: start, end; as
    ``YYYY-MM``, None where they can't be said. ``errors``: prompts without an answer by kind.
    ``fingerprint``: the one that most answers carried. ``request_seconds``: answer times, see
    ``buckets.Buckets``.
    ``as_of``, ``snapshot_…`` and ``judged_at`` are those of the judging that counts. ``choices``: of a run
    with numbers, and of one that was summed up since there are such; else None. ``beside``: prompts that were
    answered beside the sample (``Run.beside``); ``errors`` and times alone are of all that was asked.
    """

    run: str
    model: str
    suite: str
    status: str
    as_of: date
    started_at: datetime
    finished_at: datetime | None
    judged_at: datetime
    seconds: float | None
    served_model: str
    fingerprint: str | None
    snapshot_source: str
    snapshot_taken_at: datetime
    questions: int
    prompts: int
    upper_bound: Mapping[str, int]
    average: Mapping[str, int]
    groups: Mapping[str, Mapping[str, int]]
    same: int
    named: int
    outdated: int
    lag_days: Mapping[str, float]
    cutoff: Estimate | None
    window: Span | None
    errors: Mapping[str, int]
    request_seconds: Buckets
    request_seconds_sum: float
    choices: ChoiceFigures | None = None
    beside: int = 0

    @property
    def answered(self) -> int:
        """How many prompts brought an answer, those beside the sample too."""
        return self.prompts + self.beside

    @property
    def agreement(self) -> float | None:
        """Between 0 and 1; None where no question named a value: no data is not zero."""
        return share(self.same, self.named)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, times in ISO 8601; ``from_json`` reads it."""
        moments = {name: _iso(getattr(self, name)) for name in (*_MOMENTS, "as_of")}
        return asdict(self) | moments | {"choices": self.choices and self.choices.to_json()}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Summary:
        """What ``to_json`` wrote; what a newer version added is left out."""
        # Runs that were summed up by an older version say nothing of what came since.
        raw = {"choices": None, "beside": 0, **raw}
        read = {field.name: raw[field.name] for field in fields(cls)}
        choices = raw["choices"]
        read["choices"] = choices and ChoiceFigures.from_json(choices)
        read |= {name: raw[name] and datetime.fromisoformat(raw[name]) for name in _MOMENTS}
        read |= {name: raw[name] and tuple(raw[name]) for name in ("cutoff", "window")}
        return cls(**read | {"as_of": date.fromisoformat(raw["as_of"])})


_MOMENTS: Final = ("started_at", "finished_at", "judged_at", "snapshot_taken_at")


def _iso(moment: date | None) -> str | None:
    return None if moment is None else moment.isoformat()


@dataclass(frozen=True, slots=True)
class RequestTotals:
    """All requests that were ever made of a model, by outcome (``answered`` or a kind of error).

    ``seconds``: how long they took, see ``buckets.Buckets``. No number ever falls.
    """

    model: str
    outcomes: Mapping[str, int]
    seconds: Buckets
    seconds_sum: float


@dataclass(frozen=True, slots=True)
class ModelEvent:
    """A sign that another model answers behind the same name.

    ``run``: the one that showed it; ``before`` and ``after``: names, fingerprints, or shares of answers.
    ``p_value``: how often the model's own noise would shift its answers as much; None for a change of name.
    """

    model: str
    kind: EventKind
    seen_at: datetime
    run: str
    before: str
    after: str
    p_value: float | None = None


def summarise(
    run: Run,
    *,
    cutoff: Estimate | None,
    window: Span | None,
    known_years: Mapping[str, KnownYears] | None = None,
) -> Summary:
    """The figures of a run that has ended, given with its questions and trials.

    See ``Summary`` for the estimates' form; ``known_years``: by indicator, of a run with numbers. Raises
    ``ValueError`` for a run that is still being asked.
    """
    if run.status == "running":
        raise ValueError(f"run {run.id} has not ended")
    added = tally_run(run)
    answered = sum(trial.judgement is not None for trial in run.trials)
    durations = [trial.answer.seconds for trial in run.trials if trial.answer.seconds is not None]
    return Summary(
        **_head(run),
        **_figures(added, run),
        cutoff=cutoff,
        window=window,
        request_seconds=buckets.count(durations, buckets.REQUEST_SECONDS),
        request_seconds_sum=sum(durations),
        choices=_choices(run, known_years),
        beside=answered - added.average.total,
    )


def _choices(run: Run, known_years: Mapping[str, KnownYears] | None) -> ChoiceFigures | None:
    if not any(question.numeric for question in run.questions):
        return None
    return figures(run.questions, run.trials, known_years)


def _head(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "model": run.model,
        "suite": run.suite,
        "status": run.status,
        "as_of": run.as_of,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "judged_at": run.judged_at or run.started_at,
        "seconds": run.seconds,
        "served_model": run.served_model,
        "fingerprint": _fingerprint(run.trials),
        "snapshot_source": run.snapshot_source,
        "snapshot_taken_at": run.snapshot_taken_at,
    }


def _fingerprint(trials: Iterable[Trial]) -> str | None:
    """The most frequent one; of equally frequent ones the first by name, so that it doesn't flip."""
    found = Counter(trial.answer.fingerprint for trial in trials if trial.answer.fingerprint)
    return min(found, key=lambda name: (-found[name], name), default=None)


def _figures(added: Tally, run: Run) -> dict[str, Any]:
    groups = tally_groups(run.trials, verdicts_of(run.suite), run.beside)
    return {
        "questions": added.upper_bound.total,
        "prompts": added.average.total,
        "upper_bound": added.upper_bound.to_json(),
        "average": added.average.to_json(),
        "groups": {name: of_group.upper_bound.to_json() for name, of_group in groups.items()},
        "same": added.agreement.same,
        "named": added.agreement.named,
        "outdated": _outdated(run.sample),
        "lag_days": _quantiles(added.lag.days),
        "errors": dict(added.failed_prompts),
    }


def _outdated(trials: Iterable[Trial]) -> int:
    best = outcomes(trials).values()
    return len({trial.fact for trial in best if judgement_of(trial).verdict is Verdict.OUTDATED})


def _quantiles(ascending: Sequence[int]) -> dict[str, float]:
    """Linear between the two nearest, as the median is."""
    return {f"{q:g}": _at(ascending, q * (len(ascending) - 1)) for q in QUANTILES} if ascending else {}


def _at(ascending: Sequence[int], place: float) -> float:
    below = int(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])
