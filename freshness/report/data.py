"""What a report says, before anyone decides how it looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from freshness.history import OutdatedFact, Run, Tally, Trial, outdated_facts, tally, tally_groups
from freshness.history.choices import ChoiceFigures
from freshness.questions import NumericKey, Question
from freshness.report import choices as choosing
from freshness.verdicts import CHOICES, CLAIMS, Verdict, verdicts_of

if TYPE_CHECKING:  # numpy comes with it, and a report may do without
    from freshness.window import FiveNumbers, WindowEstimate


INSTEAD = "snapshot_note"
"""The key of a run's details that says why other facts were taken than those asked for."""

SAMPLE = "sample"
"""The key that says how the questions of a run with numbers were chosen."""

INDICATORS = "indicators"
"""The key that has each indicator's citation, licence and vintage."""


@dataclass(frozen=True, slots=True)
class ModelReport:
    """One model's numbers.

    ``window``: the estimate of its training data's span and cutoff; ``starts``: five-number summary of the
    validity starts of what it answered (DyKnow, figure 3); ``declared``: the cutoff that its vendor
    declares, ``YYYY-MM``; ``choices``: the figures of runs with numbers. Each may be missing. ``trials``:
    what the numbers are made of; ``beside``: questions that ``choices`` counts in no share.
    """

    name: str
    tally: Tally
    groups: Mapping[str, Tally] = field(default_factory=dict)
    window: WindowEstimate | None = None
    starts: FiveNumbers | None = None
    declared: str | None = None
    trials: tuple[Trial, ...] = ()
    choices: ChoiceFigures | None = None
    beside: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        name: str,
        trials: Iterable[Trial],
        *,
        among: Sequence[Verdict] = CLAIMS,
        window: WindowEstimate | None = None,
        starts: FiveNumbers | None = None,
        declared: str | None = None,
        choices: ChoiceFigures | None = None,
        beside: Iterable[str] = (),
    ) -> ModelReport:
        """The report of one model's trials, in all and by group; ``among`` as in ``tally``."""
        trials, beside = tuple(trials), frozenset(beside)
        figures = tally(trials, among, beside), tally_groups(trials, among, beside)
        return cls(name, *figures, window, starts, declared, trials, choices, beside)

    @property
    def counted_trials(self) -> list[Trial]:
        """Those that the shares are made of."""
        return [trial for trial in self.trials if trial.question not in self.beside]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Those that its answers can get, best first."""
        return tuple(self.tally.upper_bound.by_verdict)

    @property
    def is_choosing(self) -> bool:
        """Whether its questions had options, whatever was answered."""
        return self.verdicts == CHOICES

    def parts(self) -> dict[str, Tally]:
        """The groups and, where there are several, ``all``; a group that is called so is ``all (group)``."""
        if len(self.groups) == 1:
            return dict(self.groups)
        named = {f"{name} (group)" if name == "all" else name: tally for name, tally in self.groups.items()}
        return {**named, "all": self.tally}

    def to_json(self) -> dict[str, Any]:
        """One entry of ``models`` in ``grade --format json``."""
        body = self.tally.to_json()
        body["groups"] = {name: group.to_json() for name, group in self.groups.items()}
        body["window"] = self.window.to_json() if self.window else None
        body["starts"] = self.starts.to_json() if self.starts else None
        return body | (choosing.to_json(self.choices) if self.choices else {})


@dataclass(frozen=True, slots=True)
class Report:
    """One run of one model (``probe``), or several models' recorded answers (``grade``: no run)."""

    models: tuple[ModelReport, ...]
    run: Run | None = None
    outdated: tuple[OutdatedFact, ...] = ()

    @classmethod
    def of_run(
        cls,
        run: Run,
        current: Callable[[Question], Sequence[str]],
        *,
        window: WindowEstimate | None = None,
        starts: FiveNumbers | None = None,
        declared: str | None = None,
        choices: ChoiceFigures | None = None,
    ) -> Report:
        """The report of a run with its questions and trials; ``current`` as in ``outdated_facts``."""
        model = ModelReport.of(
            run.model,
            run.trials,
            among=verdicts_of(run.suite),
            window=window,
            starts=starts,
            declared=declared,
            choices=choices,
            beside=run.beside,
        )
        return cls((model,), run, tuple(outdated_facts(run.questions, run.sample, current)))

    def outdated_parts(self) -> list[tuple[OutdatedFact, ...]]:
        """What is outdated, facts and numbers apart, since these are told otherwise; no part is empty."""
        facts = tuple(fact for fact in self.outdated if fact.question.numeric is None)
        numbers = tuple(fact for fact in self.outdated if fact.question.numeric)
        return [part for part in (facts, numbers) if part]

    def to_json(self) -> dict[str, Any]:
        """``probe --format json``; without a run only ``models``, as ``grade --format json``."""
        body: dict[str, Any] = {"models": {model.name: model.to_json() for model in self.models}}
        if self.run is None:
            return body
        keys = {question.id: question.numeric for question in self.run.questions}
        return body | {
            "run": run_json(self.run),
            "trials": [trial_json(trial) | key_json(keys.get(trial.question)) for trial in self.run.trials],
            "outdated": [fact.to_json() for fact in self.outdated],
        }


def run_json(run: Run) -> dict[str, Any]:
    """Where the numbers come from: enough to ask the same again. Times in UTC, durations in seconds."""
    return {
        "id": run.id,
        "model": run.model,
        "served_model": run.served_model,
        "suite": run.suite,
        "as_of": run.as_of.isoformat(),
        "status": run.status,
        "dtype": run.details.get("dtype"),
        "batch": run.details.get("batch_size"),
        "snapshot": {
            "source": run.snapshot_source,
            "taken_at": run.snapshot_taken_at.isoformat(),
            "digest": run.snapshot_digest,
            **({"note": run.details[INSTEAD]} if INSTEAD in run.details else {}),
        },
        "judge": run.judge,
        "versions": _versions(run.details),
        "details": run.details,
        "started_at": run.started_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
        "seconds": run.seconds,
        "prompts_per_second": prompts_per_second(run),
    }


def _versions(details: Mapping[str, Any]) -> dict[str, Any]:
    """Of everything that took part; a local model tells its libraries among its own details."""
    libraries = {name: details[name] for name in ("torch", "transformers") if name in details}
    return {**libraries, **details.get("versions", {})}


def prompts_per_second(run: Run) -> float | None:
    """Prompts asked a second of wall time; None where no time was taken."""
    return round(len(run.trials) / run.seconds, 2) if run.seconds else None


def trial_json(trial: Trial) -> dict[str, Any]:
    """One entry of ``trials``: an answer with its judgement, or an error with neither."""
    judgement = trial.judgement
    return {
        "question": trial.question,
        "group": trial.group,
        "fact": trial.fact,
        "prompt": trial.prompt,
        "asked": trial.asked,
        "answer": trial.answer.text if judgement else None,
        "verdict": str(judgement.verdict) if judgement else None,
        "matched": judgement.matched if judgement else None,
        "mention": judgement.mention if judgement else None,
        "rule": judgement.rule if judgement else None,
        "lag_days": judgement.lag_days if judgement else None,
        "lag_values": judgement.lag_values if judgement else None,
        "error": trial.answer.error,
        "error_kind": trial.answer.error_kind,
        "finish": trial.answer.finish,
        "seconds": trial.answer.seconds,
    }


def key_json(key: NumericKey | None) -> dict[str, Any]:
    """What a trial of a run with numbers has beside: what was asked, and what is right."""
    if key is None:
        return {}
    return {
        "kind": key.kind,
        "indicator": key.indicator,
        "entity": key.entity,
        "years": list(key.years),
        "options": list(key.options),
        "key": key.answer,
        "answer_value": key.answer_value,
        "extra": key.extra,
    }
