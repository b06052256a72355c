"""By what stored answers are judged again: their own keys, or what is known of facts and series now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final

from freshness.app import series, snapshots
from freshness.app.refreshing import SOURCE
from freshness.app.renewing import Renewing
from freshness.app.series_refreshing import ASKING
from freshness.app.series_refreshing import SOURCE as OWID
from freshness.app.snapshots import Talk
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.facts import Fact, Snapshot
from freshness.history import Run
from freshness.quality import assess
from freshness.questions import Question
from freshness.sources.bundled import SOURCE as BUNDLED
from freshness.store import Edition, Store

QUARANTINED: Final = "quarantined"
GONE: Final = "fact_gone"
OTHER_SOURCE: Final = "other_source"


@dataclass(frozen=True, slots=True)
class Basis:
    """What a run is judged by: its questions with the keys that count, and what gave those (None: itself).

    ``renewed``: those about numbers that have a new key. ``own``: by id, why questions are judged by their
    own key, though newer facts or series were to judge them.
    """

    questions: tuple[Question, ...]
    key: Snapshot | Edition | None = None
    renewed: tuple[Question, ...] = ()
    own: Mapping[str, str] = field(default_factory=dict)


class Keys:
    """By what runs are judged again: ``own``, ``latest``, or what a name stands for, found when needed."""

    def __init__(self, settings: Settings, store: Store, snapshot: str, talk: Talk | None = None) -> None:
        self._settings = settings
        self._store = store
        self._snapshot = snapshot
        self._talk = talk
        self._newest: dict[str, tuple[Snapshot, str] | None] = {}
        self._is_path = snapshot not in ("own", "latest", "live", "bundled")
        self._is_directory = self._is_path and Path(snapshot).is_dir()
        if self._is_path and not self._is_directory:
            assert self._given  # a name that is wrong is told even where there is nothing to judge

    def unfit(self, run: Run) -> str:
        """Why the run can't be judged by the snapshot; empty: it can."""
        if not self._is_path or (run.suite in ASKING) is self._is_directory:
            return ""
        return (
            "the snapshot has series, no facts" if self._is_directory else "the snapshot has facts, no series"
        )

    def of(self, run: Run, day: date) -> Basis:
        """The run's questions about that day, by the numbers or facts that say more than their own keys."""
        if run.suite in ASKING:
            return self._numbers(run, day)
        newest = None if self._snapshot == "own" else self._facts(run)
        about = {fact.id: fact for fact in newest.facts} if newest else {}
        asked = {question.fact for question in run.questions}
        told = {name: fact for name, fact in about.items() if name in asked and _tells(fact, day)}
        questions = tuple(_as_of(question, day, told.get(question.fact)) for question in run.questions)
        if newest is None:
            return Basis(questions)
        own = {q.id: QUARANTINED if q.fact in about else GONE for q in questions if q.fact not in told}
        return Basis(questions, replace(newest, facts=tuple(told.values())) if told else None, own=own)

    def _facts(self, run: Run) -> Snapshot | None:
        """None where there are none that may say more."""
        found = self._found(run.snapshot_source)
        if found is None or found[1] == run.snapshot_digest:
            return None
        newest = found[0]
        if self._snapshot == "latest" and newest.taken_at < run.snapshot_taken_at:
            return None
        return newest

    def _found(self, source: str) -> tuple[Snapshot, str] | None:
        """The facts for runs of this source with their digest, which takes long: there may be many runs."""
        if source not in self._newest:
            snapshot = self._latest(source) if self._snapshot == "latest" else self._given
            self._newest[source] = (snapshot, snapshot.digest) if snapshot else None
        return self._newest[source]

    @cached_property
    def _given(self) -> Snapshot:
        return snapshots.find(self._settings, self._snapshot, (), self._talk).snapshot

    def _latest(self, source: str) -> Snapshot | None:
        # What was asked by the bundled facts is judged by what was fetched since.
        fetched = self._store.latest_snapshot(SOURCE) if source == BUNDLED else None
        return fetched or self._store.latest_snapshot(source)

    def _numbers(self, run: Run, day: date) -> Basis:
        about = tuple(replace(question, as_of=day) for question in run.questions)
        known = None if self._snapshot == "own" else self._series
        if known is None:
            return Basis(about)
        if self._is_of_a_directory(run):
            return Basis(about, own={question.id: OTHER_SOURCE for question in about})
        renewed, own = known.split(about, day)
        by_id = {question.id: question for question in renewed}
        return Basis(
            tuple(by_id.get(question.id, question) for question in about),
            known.edition if renewed else None,
            renewed,
            own,
        )

    def _is_of_a_directory(self, run: Run) -> bool:
        """What was asked by files of one's own is judged by no other source, unless told to."""
        return self._snapshot == "latest" and run.snapshot_source not in (OWID, BUNDLED)

    @cached_property
    def _series(self) -> Renewing | None:
        try:
            found = series.find(self._settings, self._snapshot, (), self._talk)
        except UsageError:
            if self._snapshot != "latest":
                raise
            return None
        return Renewing(found.snapshot)


def _tells(fact: Fact, day: date) -> bool:
    """Whether answers can be judged by it: it is usable, or nothing is amiss but that nobody holds it."""
    kinds = {reason.partition(":")[0] for reason in assess(fact, day).reasons}
    return bool(fact.values) and kinds <= {"no_current_value", "office_dissolved"}


def _as_of(question: Question, day: date, fact: Fact | None) -> Question:
    """The question about that day, with what this fact says for a key (None: its own)."""
    if fact is None:
        return replace(question, as_of=day)
    return replace(question, as_of=day, values=fact.values, holders=fact.holders)
