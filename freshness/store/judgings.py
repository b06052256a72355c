"""Judging a run's answers again: as of another day, by another judge, by other facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import update
from sqlmodel import Session, col, select

from freshness.facts import Fact, Snapshot
from freshness.questions import Question
from freshness.store import bulk, snapshots
from freshness.store.records import judgement_of, judgement_record, question_record
from freshness.store.tables import (
    JudgementRow,
    JudgingFactRow,
    JudgingQuestionRow,
    JudgingRow,
    QuestionRow,
    RunQuestionRow,
    RunRow,
    RunSummaryRow,
    TrialRow,
)
from freshness.verdicts import Judgement


class Edition(NamedTuple):
    """Series that a judging went by, named without them: source, time and digest of their snapshot."""

    source: str
    taken_at: datetime
    digest: str


QuestionKey = tuple[int, int]
"""Row numbers of a judging and of a question."""


def latest(session: Session, run: RunRow) -> JudgingRow:
    """The judging that counts."""
    statement = select(JudgingRow).where(JudgingRow.run_id == run.id)
    return session.exec(statement.order_by(col(JudgingRow.id).desc()).limit(1)).one()


def add(
    session: Session,
    run: RunRow,
    judging: JudgingRow,
    judged: Mapping[tuple[str, str], Judgement],
    key: Snapshot | Edition | None,
    renewed: Sequence[Question],
) -> int:
    """Store a judging of all answers of a run, unless nothing of it is new; see ``Store.add_judgements``."""
    if key is not None:
        judging.key_source, judging.key_taken_at, judging.key_digest = key.source, key.taken_at, key.digest
    answers = _answers(session, run)
    _check_covers(run.name, answers, judged)
    said = _counting(session, run)
    changed = {
        trial_id: judged[name] for name, trial_id in answers.items() if said.get(trial_id) != judged[name]
    }
    if changed or _basis(latest(session, run)) != _basis(judging):
        session.add(judging)
        session.flush()
        records = [judgement_record(trial_id, judging.id, new) for trial_id, new in changed.items()]
        bulk.insert_all(session, "judgements", records)
        _keep_key(session, run, judging, key.facts if isinstance(key, Snapshot) else ())
        _keep_renewed(session, run, judging, renewed)
        outdate_summary(session, run)
    return len(changed)


def outdate_summary(session: Session, run: RunRow) -> None:
    """Mark the run's figures: something happened that they don't know of."""
    session.execute(update(RunSummaryRow).where(col(RunSummaryRow.run_id) == run.id).values(stale=True))


def _basis(judging: JudgingRow) -> tuple[str, date, str | None]:
    return judging.judge, judging.as_of, judging.key_digest


def _counting(session: Session, run: RunRow) -> dict[int, Judgement]:
    statement = select(JudgementRow).join(TrialRow).where(TrialRow.run_id == run.id)
    rows = session.exec(statement.order_by(col(JudgementRow.judging_id)))
    return {row.trial_id: judgement_of(row) for row in rows}


def _answers(session: Session, run: RunRow) -> dict[tuple[str, str], int]:
    """The trials that can be judged: with an answer whose text was kept."""
    statement = (
        select(QuestionRow.name, TrialRow.prompt, TrialRow.id)
        .join(QuestionRow, col(QuestionRow.id) == TrialRow.question_id)
        .where(TrialRow.run_id == run.id, col(TrialRow.error).is_(None), col(TrialRow.answer).is_not(None))
    )
    return {(name, prompt): trial_id for name, prompt, trial_id in session.exec(statement)}


def _check_covers(
    run_id: str, answers: Mapping[tuple[str, str], int], judged: Mapping[tuple[str, str], Judgement]
) -> None:
    # A run judged in part as of one day and in part as of another could not be summed up.
    missing = answers.keys() - judged.keys()
    unknown = judged.keys() - answers.keys()
    if missing or unknown:
        raise ValueError(
            f"run {run_id}: a judging must cover all answers and nothing else; "
            f"{len(missing)} missing, {len(unknown)} without an answer"
        )


def _keep_key(session: Session, run: RunRow, judging: JudgingRow, facts: Sequence[Fact]) -> None:
    """Store those of the facts that the run's questions are about."""
    if not facts:
        return
    asked = select(QuestionRow.id, QuestionRow.fact).join(RunQuestionRow)
    questions = session.exec(asked.where(RunQuestionRow.run_id == run.id)).all()
    # Of two facts with the same id the first counts, as in ``Snapshot.find``.
    by_id = {fact.id: fact for fact in reversed(facts)}
    about = [(question_id, by_id[fact]) for question_id, fact in questions if fact in by_id]
    ids = snapshots.intern_facts(session, [fact for _, fact in about])
    records = [
        {"judging_id": judging.id, "question_id": question_id, "fact_id": fact_id}
        for (question_id, _), fact_id in zip(about, ids, strict=True)
    ]
    bulk.insert_all(session, "judging_facts", records)


def _keep_renewed(session: Session, run: RunRow, judging: JudgingRow, renewed: Sequence[Question]) -> None:
    """Store the questions as they were judged, where that is not as they were asked."""
    if not renewed:
        return
    asked = select(QuestionRow.name, QuestionRow.id).join(RunQuestionRow)
    numbers = dict(session.exec(asked.where(RunQuestionRow.run_id == run.id)).all())
    records = [question_record(question) for question in renewed]
    ids, _ = bulk.intern(session, "questions", records)
    places = [
        {
            "judging_id": judging.id,
            "question_id": numbers[question.id],
            "renewed_id": ids[record["digest"]],
        }
        for question, record in zip(renewed, records, strict=True)
    ]
    bulk.insert_all(session, "judging_questions", places)


def renewed(session: Session, judgings: Sequence[int]) -> dict[QuestionKey, QuestionRow]:
    """The questions as these judgings judged them, where that is not as they were asked."""
    found: dict[QuestionKey, QuestionRow] = {}
    for batch in bulk.batches(judgings):
        statement = select(JudgingQuestionRow, QuestionRow).join(
            QuestionRow, col(QuestionRow.id) == JudgingQuestionRow.renewed_id
        )
        for place, row in session.exec(statement.where(col(JudgingQuestionRow.judging_id).in_(batch))):
            found[place.judging_id, place.question_id] = row
    return found


def keys(session: Session, judgings: Sequence[int]) -> dict[QuestionKey, Fact]:
    """The facts by which these judgings judged, where it was not by the questions' own key."""
    facts: dict[int, Fact] = {}
    places: dict[QuestionKey, int] = {}
    for batch in bulk.batches(judgings):
        chosen = col(JudgingFactRow.judging_id).in_(batch)
        facts |= snapshots.load_facts(session, select(JudgingFactRow.fact_id).where(chosen))
        for row in session.exec(select(JudgingFactRow).where(chosen)):
            places[row.judging_id, row.question_id] = row.fact_id
    return {place: facts[fact_id] for place, fact_id in places.items()}
