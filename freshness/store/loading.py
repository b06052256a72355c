"""Runs as the core knows them: whole, only their heads, or only what they asked about some facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, true, tuple_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from freshness.facts import Fact
from freshness.history import Run, Trial
from freshness.questions import Question
from freshness.store import bulk, judgings
from freshness.store.lease import Owner
from freshness.store.records import question_of, run_of, trial_of
from freshness.store.runs import row_of, status_of
from freshness.store.scrub import scrub
from freshness.store.tables import (
    JudgementRow,
    JudgingRow,
    ModelRow,
    QuestionRow,
    RunQuestionRow,
    RunRow,
    TrialRow,
)


class Head(NamedTuple):
    """A run's row, its model's name and the judging that counts."""

    row: RunRow
    model: str
    judging: JudgingRow


Askings = Select[str, str, int, RunRow]
"""Model, fact, row number of the question, run."""

Scope = Callable[[type[RunQuestionRow] | type[TrialRow]], ColumnElement[bool]]
"""Which questions of which runs: a condition on a table with ``run_id`` and ``question_id``."""


class Parts(NamedTuple):
    """Questions and trials, by row number of their run."""

    asked: dict[int, list[tuple[RunQuestionRow, QuestionRow]]]
    trials: dict[int, list[TrialRow]]
    judgements: dict[int, JudgementRow]


class Keys(NamedTuple):
    """By which facts judgings judged, and which questions anew, where not by the questions' own keys."""

    facts: Mapping[judgings.QuestionKey, Fact]
    renewed: Mapping[judgings.QuestionKey, QuestionRow]


def load(session: Session, run_id: str, me: Owner, now: datetime, *, as_asked: bool) -> Run:
    """The run with its questions and its trials in the questions' order; see ``Store.run``."""
    row = row_of(session, run_id)
    (head,) = _heads(session, col(RunRow.id) == row.id)
    parts = _parts(session, [lambda table: col(table.run_id) == row.id])
    run = _run(head, me, now)
    if as_asked:
        return _filled(_with_own_key(run, row), head, parts, Keys({}, {}))
    return _filled(run, head, parts, _keys(session, [head]))


def about(session: Session, facts: Collection[str], suite: str, me: Owner, now: datetime) -> list[Run]:
    """Each model's newest finished runs about these facts; see ``Store.runs_about``."""
    pairs = sorted({pair for batch in bulk.batches(sorted(facts)) for pair in _newest(session, batch, suite)})
    scopes = [_these(batch) for batch in bulk.batches(pairs)]
    run_ids = sorted({run_id for run_id, _ in pairs})
    heads = [head for batch in bulk.batches(run_ids) for head in _heads(session, col(RunRow.id).in_(batch))]
    heads.sort(key=lambda head: (head.row.started_at, head.row.id), reverse=True)
    parts = _parts(session, scopes)
    keys = _keys(session, heads)
    return [_filled(_run(head, me, now), head, parts, keys) for head in heads]


def _newest(session: Session, facts: Sequence[str], suite: str) -> list[tuple[int, int]]:
    """Run and question, by row number: for each model and fact the newest finished run that asked."""
    found = session.exec(_newest_askings(facts, suite)).all()
    newest: dict[tuple[str, str], RunRow] = {}
    for model, fact, _, run in sorted(found, key=lambda asked: (asked[3].started_at, asked[3].id)):
        newest[model, fact] = run
    return [
        (run.id, question_id) for model, fact, question_id, run in found if newest[model, fact].id == run.id
    ]


def _newest_askings(facts: Sequence[str], suite: str) -> Askings:
    """When each row of a model was last asked each question about these facts: one look into an index each.

    A fact has several questions, because its values change; a model several rows, because its address does.
    """
    last_asked = (
        select(RunRow.id)
        .join(RunQuestionRow, col(RunQuestionRow.run_id) == RunRow.id)
        .where(
            RunRow.model_id == ModelRow.id,
            RunQuestionRow.question_id == QuestionRow.id,
            RunRow.suite == suite,
            RunRow.status == "finished",
        )
        .order_by(col(RunRow.started_at).desc(), col(RunRow.id).desc())
        .limit(1)
        .correlate(ModelRow, QuestionRow)
        .scalar_subquery()
    )
    asked = col(ModelRow.name), col(QuestionRow.fact), col(QuestionRow.id)
    return (
        select(*asked, RunRow)
        .select_from(ModelRow)
        .join(QuestionRow, true())
        .join(RunRow, col(RunRow.id) == last_asked)
        .where(col(QuestionRow.fact).in_(facts), QuestionRow.suite == suite)
    )


def _these(pairs: Sequence[tuple[int, int]]) -> Scope:
    # SQLite looks up single numbers in an index, pairs of them it does not.
    run_ids = {run_id for run_id, _ in pairs}
    return lambda table: and_(
        col(table.run_id).in_(run_ids), tuple_(col(table.run_id), col(table.question_id)).in_(pairs)
    )


def find(
    session: Session, model: str | None, suite: str | None, limit: int | None, me: Owner, now: datetime
) -> list[Run]:
    """Runs without questions and trials, the newest first."""
    wanted = []
    if model is not None:
        wanted.append(col(ModelRow.name) == scrub(model))
    if suite is not None:
        wanted.append(col(RunRow.suite) == suite)
    return [_run(head, me, now) for head in _heads(session, *wanted, limit=limit)]


def heads(session: Session, wanted: ColumnElement[bool], me: Owner, now: datetime) -> list[Run]:
    """Those of the runs that are wanted without questions and trials, the newest first."""
    return [_run(head, me, now) for head in _heads(session, wanted)]


def model_names(session: Session) -> list[str]:
    """Names of all models that were ever asked, sorted."""
    return sorted(set(session.exec(select(ModelRow.name))))


def _heads(session: Session, *wanted: ColumnElement[bool], limit: int | None = None) -> list[Head]:
    """The newest first."""
    newest = select(func.max(JudgingRow.id)).where(JudgingRow.run_id == RunRow.id).correlate(RunRow)
    statement = (
        select(RunRow, ModelRow.name, JudgingRow)
        .join(ModelRow, col(ModelRow.id) == RunRow.model_id)
        .join(JudgingRow, col(JudgingRow.id) == newest.scalar_subquery())
        .where(*wanted)
        .order_by(col(RunRow.started_at).desc(), col(RunRow.id).desc())
        .limit(limit)
    )
    return [Head(*found) for found in session.exec(statement)]


def _run(head: Head, me: Owner, now: datetime) -> Run:
    return run_of(head.row, head.model, head.judging, status_of(head.row, me, now))


def _with_own_key(run: Run, row: RunRow) -> Run:
    return replace(
        run,
        as_of=row.as_of,
        snapshot_source=row.snapshot_source,
        snapshot_taken_at=row.snapshot_taken_at,
        snapshot_digest=row.snapshot_digest,
    )


def _parts(session: Session, scopes: Sequence[Scope]) -> Parts:
    parts = Parts(defaultdict(list), defaultdict(list), {})
    for scope in scopes:
        asked = select(RunQuestionRow, QuestionRow).join(QuestionRow).where(scope(RunQuestionRow))
        for place, question in session.exec(asked.order_by(col(RunQuestionRow.position))):
            parts.asked[place.run_id].append((place, question))
        for trial in session.exec(select(TrialRow).where(scope(TrialRow)).order_by(col(TrialRow.id))):
            parts.trials[trial.run_id].append(trial)
        judged = select(JudgementRow).join(TrialRow).where(scope(TrialRow))
        # The latest comes last, and stays.
        for judgement in session.exec(judged.order_by(col(JudgementRow.judging_id))):
            parts.judgements[judgement.trial_id] = judgement
    return parts


def _keys(session: Session, heads: Sequence[Head]) -> Keys:
    ids = [head.judging.id for head in heads]
    return Keys(judgings.keys(session, ids), judgings.renewed(session, ids))


def _filled(run: Run, head: Head, parts: Parts, keys: Keys) -> Run:
    """The run with its questions and trials; ``keys``: by what they were judged, if not by their own."""
    # Judged again as of another day, the questions are about that day.
    moved = run.as_of if run.as_of != head.row.as_of else None
    asked = sorted(parts.asked[head.row.id], key=lambda pair: pair[0].position)
    questions = tuple(
        question_of(
            keys.renewed.get((head.judging.id, question.id), question),
            moved or place.as_of,
            keys.facts.get((head.judging.id, question.id)),
        )
        for place, question in asked
    )
    rows = {question.id: question for _, question in asked}
    trials = [
        trial_of(trial, rows[trial.question_id], parts.judgements.get(trial.id))
        for trial in parts.trials[head.row.id]
    ]
    return replace(run, questions=questions, trials=_in_order(trials, questions))


def _in_order(trials: Sequence[Trial], questions: Sequence[Question]) -> tuple[Trial, ...]:
    """As the questions and their prompts stand, however the answers came."""
    prompts = [(question.id, prompt.name) for question in questions for prompt in question.prompts]
    place = {key: position for position, key in enumerate(prompts)}
    return tuple(sorted(trials, key=lambda trial: place.get((trial.question, trial.prompt), len(place))))
