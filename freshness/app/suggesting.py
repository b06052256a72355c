"""Which facts would sharpen the estimate of a model's cutoff most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from freshness.app import asking, setup, snapshots
from freshness.app.setup import Choice
from freshness.app.snapshots import Talk
from freshness.config import Settings
from freshness.facts import Fact
from freshness.history import Run, by_question
from freshness.store import Store
from freshness.store.scrub import scrub
from freshness.window import Answered, Status, WindowEstimate, answered, observations_from
from freshness.window.posterior import Joint
from freshness.window.suggest import Candidate, Suggestion, belief, information, narrowing
from freshness.window.suggest import Suggestions as Suggestions

SUITE: Final = "current"
RUNS: Final = 10
"""So many of the last runs are read: a run may have asked about some of the facts only."""


def suggest(
    settings: Settings,
    model: str,
    facts: tuple[str, ...],
    snapshot: str,
    as_of: date,
    limit: int,
    talk: Talk | None = None,
) -> Suggestions:
    """The ``limit`` facts of these catalogues whose answers would tell most, by what ``model`` said so far.

    ``snapshot`` as in ``probe``. A model that was never asked may have any cutoff of the last ten years; a
    note says so. Raises ``UsageError`` when there is nothing to ask about, ``StoreError``.
    """
    talk = talk or Talk()
    choice = Choice(SUITE, facts, snapshot, as_of)
    catalog = setup.catalog(settings, facts)
    found = snapshots.find(settings, snapshot, facts, talk).snapshot
    questions = asking.choose(catalog, found, choice, talk.note)
    past, models = _past(settings, model)
    window, joint = belief(observations_from(past.said), past.until or as_of)
    candidates = [Candidate.of(q.fact, q.values, as_of, q.holders) for q in questions]
    ranked = _ranked(joint, candidates, {fact.id: fact for fact in found.facts}, past)[:limit]
    best = _to_ask(ranked, candidates)
    expected = narrowing(joint, best) if best and _has_interval(window) else None
    notes = tuple(_notes(window, past, models, bool(best)))
    return Suggestions(scrub(model), window, past.runs, len(candidates), tuple(ranked), expected, notes)


@dataclass(slots=True)
class _Past:
    """What a model said of each fact the last time; ``until``: the latest date that it was asked about."""

    runs: tuple[str, ...] = ()
    said: list[Answered] = field(default_factory=list)
    facts: set[str] = field(default_factory=set)
    until: date | None = None

    def add(self, run: Run) -> None:
        """What an earlier run asked beside."""
        trials = by_question(run.trials)
        for question in run.questions:
            judgements = [trial.judgement for trial in trials.get(question.id, [])]
            if question.fact not in self.facts and any(judgements):
                self.facts.add(question.fact)
                self.said.append(answered(question, judgements))
                self.until = max(question.as_of, self.until or question.as_of)
        self.runs = (*self.runs, run.id)


def _past(settings: Settings, model: str) -> tuple[_Past, Sequence[str]]:
    """The model's past, and the names of all models that have one."""
    past = _Past()
    if not setup.has_history(settings):
        return past, ()
    with setup.open_history(settings) as store:
        for run_id in _runs(store, model):
            past.add(store.run(run_id))
        return past, store.models()


def _runs(store: Store, model: str) -> list[str]:
    """The finished runs, the newest first, as long as the same model answered to the name."""
    finished = [run for run in store.runs(model, SUITE) if run.status == "finished"]
    same = [run.id for run in finished if run.served_model == finished[0].served_model]
    return same[:RUNS]


def _ranked(
    joint: Joint, candidates: Sequence[Candidate], facts: Mapping[str, Fact], past: _Past
) -> list[Suggestion]:
    """All of them, the most telling first; what was asked already comes last."""
    bits = information(joint, candidates)
    rows = [
        Suggestion(facts[candidate.fact], float(worth), candidate.changes, candidate.fact in past.facts)
        for candidate, worth in zip(candidates, bits, strict=True)
    ]
    return sorted(rows, key=lambda row: (row.asked, -row.bits, row.fact.id))


def _to_ask(ranked: Sequence[Suggestion], candidates: Sequence[Candidate]) -> list[Candidate]:
    by_fact = {candidate.fact: candidate for candidate in candidates}
    return [by_fact[row.fact.id] for row in ranked if not row.asked]


def _has_interval(window: WindowEstimate) -> bool:
    """Outside the observed range one bound is the prior's, and no width to start from."""
    return window.status not in (Status.BEFORE_RANGE, Status.AFTER_RANGE)


_PRIOR = "any cutoff of the last ten years is taken to be as likely as another"
_RESTS_ON = {
    Status.TOO_FEW: f"its answers so far don't date it: they count, but beforehand {_PRIOR}",
    Status.INCONSISTENT: f"its answers fit no cutoff and are left out: {_PRIOR}",
    Status.BEFORE_RANGE: "its cutoff lies before what it was asked about: how far the interval would narrow "
    "can't be told",
    Status.AFTER_RANGE: "its cutoff lies after what it was asked about: how far the interval would narrow "
    "can't be told",
}


def _notes(window: WindowEstimate, past: _Past, models: Sequence[str], left: bool) -> Iterator[str]:
    """What the bits rest on."""
    if not past.runs:
        others = ", ".join(models) or "none yet"
        yield f"it has no finished run in the history (asked so far: {others}): {_PRIOR}"
    elif window.status in _RESTS_ON:
        yield _RESTS_ON[window.status]
    if not left:
        yield "it was asked about all of these already; other catalogues may have more (--facts)"
