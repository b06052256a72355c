"""Runs with their questions, trials and judgements: asked once, judged as often as one likes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import func
from sqlmodel import Session, col, select

from freshness.errors import StoreError, StoreWriteError, UsageError
from freshness.history import Run, Trial
from freshness.questions import Question
from freshness.store import bulk
from freshness.store.lease import LEASE, Owner, may_be_alive
from freshness.store.records import (
    Record,
    judgement_of,
    judgement_record,
    question_of,
    question_record,
    request_digest,
    run_of,
    run_record,
    trial_of,
    trial_record,
)
from freshness.store.scrub import scrub, scrub_all
from freshness.store.tables import (
    JudgementRow,
    JudgingRow,
    ModelRow,
    QuestionRow,
    RunQuestionRow,
    RunRow,
    TrialRow,
)
from freshness.verdicts import Judgement

RESUMABLE: Final = ("running", "interrupted", "failed")

TrialKey = tuple[int, str]
"""Row number of the question, name of the prompt."""


def start(
    session: Session,
    run: Run,
    questions: Sequence[Question],
    spec: str,
    options: Mapping[str, Any],
    me: Owner,
    now: datetime,
) -> None:
    """Store a new run with its questions, owned by this process; see ``Store.start_run``."""
    records = [question_record(question) for question in questions]
    _check_distinct(questions)
    request = request_digest(run, spec, options, records)
    row = RunRow(**run_record(run, _model_id(session, run.model, spec), request))
    session.add(row)
    session.flush()
    _claim(row, me, now)
    session.add(JudgingRow(run_id=row.id, judge=run.judge, as_of=run.as_of, judged_at=run.started_at))
    ids, _ = bulk.intern(session, "questions", records)
    places = [
        {
            "run_id": row.id,
            "question_id": ids[record["digest"]],
            "position": position,
            "as_of": question.as_of,
        }
        for position, (record, question) in enumerate(zip(records, questions, strict=True))
    ]
    bulk.insert_all(session, "run_questions", places)


def _check_distinct(questions: Sequence[Question]) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise ValueError(f"question {question.id} comes twice in one run")
        seen.add(question.id)


def _model_id(session: Session, name: str, spec: str) -> int:
    name, spec = scrub(name), scrub(spec)
    row = session.exec(select(ModelRow).where(ModelRow.name == name, ModelRow.spec == spec)).first()
    if row is None:
        row = ModelRow(name=name, spec=spec)
        session.add(row)
        session.flush()
    return row.id


def _claim(row: RunRow, me: Owner, now: datetime) -> None:
    row.owner_host, row.owner_pid, row.owner_token = me.host, me.pid, me.token
    row.owner_until = now + LEASE


def _is_claimed(row: RunRow, me: Owner, now: datetime) -> bool:
    if row.owner_host is None or row.owner_pid is None or row.owner_token is None or row.owner_until is None:
        return False
    owner = Owner(row.owner_host, row.owner_pid, row.owner_token)
    return may_be_alive(owner, row.owner_until, me, now)


def take_over(session: Session, request: str, me: Owner, now: datetime, max_age: timedelta) -> str | None:
    """Claim the newest run that asks the same and that nobody is asking; its id, or None."""
    statement = select(RunRow).where(
        RunRow.request == request,
        col(RunRow.status).in_(RESUMABLE),
        col(RunRow.started_at) >= now - max_age,
    )
    for row in session.exec(statement.order_by(col(RunRow.id).desc())):
        if not _is_claimed(row, me, now):
            _claim(row, me, now)
            row.status, row.finished_at = "running", None
            session.add(row)
            return row.name
    return None


def _owned(session: Session, run_id: str, me: Owner) -> RunRow:
    """The run, which this process must be asking."""
    row = _row(session, run_id)
    if row.owner_token == me.token:
        return row
    if row.owner_token is None:
        raise StoreWriteError(f"run {run_id} is {row.status}: no more trials belong to it")
    raise StoreWriteError(f"run {run_id} was taken over by process {row.owner_pid} on {row.owner_host}")


def _row(session: Session, run_id: str) -> RunRow:
    row = session.exec(select(RunRow).where(RunRow.name == run_id)).first()
    if row is None:
        raise UsageError(f"no run {run_id} in the history; see `freshness history`")
    return row


def add_trials(
    session: Session, run_id: str, trials: Sequence[Trial], me: Owner, now: datetime, *, keep_answers: bool
) -> int:
    """Store what is not answered yet and renew the claim; see ``Store.add_trials``."""
    run = _owned(session, run_id, me)
    run.owner_until = now + LEASE
    session.add(run)
    wanted = _by_key(trials, _question_ids(session, run))
    stored = _upsert(
        session,
        [trial_record(run.id, key[0], trial, keep_answer=keep_answers) for key, trial in wanted.items()],
    )
    judging = _latest_judging(session, run)
    judgements = [
        judgement_record(trial_id, judging.id, judgement)
        for key, trial_id in stored.items()
        if (judgement := wanted[key].judgement) is not None
    ]
    bulk.insert_all(session, "judgements", judgements)
    return len(stored)


def _by_key(trials: Sequence[Trial], questions: Mapping[str, int]) -> dict[TrialKey, Trial]:
    """The trials by question and prompt; of two, an answer rather than an error, else the first."""
    wanted: dict[TrialKey, Trial] = {}
    for trial in trials:
        if trial.question not in questions:
            raise ValueError(f"question {trial.question} is not of this run")
        key = (questions[trial.question], trial.prompt)
        if key not in wanted or wanted[key].answer.error is not None:
            wanted[key] = trial
    return wanted


def _question_ids(session: Session, run: RunRow) -> dict[str, int]:
    statement = select(QuestionRow.name, QuestionRow.id).join(RunQuestionRow)
    return dict(session.exec(statement.where(RunQuestionRow.run_id == run.id)).all())


def _upsert(session: Session, records: Sequence[Record]) -> dict[TrialKey, int]:
    """Insert trials, over errors only: an answer that is there stays. Ids of those written."""
    if not records:
        return {}
    columns = bulk.table("trials").c
    statement = bulk.insert(session, "trials")
    key = ("run_id", "question_id", "prompt")
    changed = {name: statement.excluded[name] for name in records[0] if name not in key}
    statement = statement.on_conflict_do_update(
        index_elements=key, set_=changed, where=columns.error.is_not(None)
    )
    rows = session.execute(statement.returning(columns.question_id, columns.prompt, columns.id), records)
    return {(question_id, prompt): trial_id for question_id, prompt, trial_id in rows}


def finish(
    session: Session,
    run_id: str,
    me: Owner,
    *,
    finished_at: datetime,
    status: str,
    seconds: float | None,
    details: Mapping[str, Any] | None,
    served_model: str | None,
) -> None:
    """End the run and give it free; see ``Store.finish_run``."""
    run = _owned(session, run_id, me)
    run.finished_at, run.status, run.seconds = finished_at, status, seconds
    run.owner_host = run.owner_pid = run.owner_token = run.owner_until = None
    if details is not None:
        run.details = scrub_all(details)
    if served_model is not None:
        run.served_model = scrub(served_model)
    session.add(run)


def load(session: Session, run_id: str, me: Owner, now: datetime) -> Run:
    """The run with its questions, and its trials in the questions' order with the judgements that count."""
    row = _row(session, run_id)
    judging = _latest_judging(session, row)
    asked = session.exec(
        select(RunQuestionRow, QuestionRow)
        .join(QuestionRow)
        .where(RunQuestionRow.run_id == row.id)
        .order_by(col(RunQuestionRow.position))
    ).all()
    # Judged again as of another day, the questions are about that day.
    moved = judging.as_of if judging.as_of != row.as_of else None
    questions = tuple(question_of(question, moved or place.as_of) for place, question in asked)
    trials = _trials(session, row, {question.id: question for _, question in asked})
    head = _head(row, _model_name(session, row), judging, me, now)
    return replace(head, questions=questions, trials=_in_order(trials, questions))


def day_asked(session: Session, run_id: str) -> date:
    """The run's own day; see ``Store.day_asked``."""
    return _row(session, run_id).as_of


def _trials(session: Session, run: RunRow, questions: Mapping[int, QuestionRow]) -> list[Trial]:
    judgements = _latest_judgements(session, run)
    rows = session.exec(select(TrialRow).where(TrialRow.run_id == run.id).order_by(col(TrialRow.id)))
    return [trial_of(row, questions[row.question_id], judgements.get(row.id)) for row in rows]


def _in_order(trials: Sequence[Trial], questions: Sequence[Question]) -> tuple[Trial, ...]:
    """As the questions and their prompts stand, however the answers came."""
    prompts = [(question.id, prompt.name) for question in questions for prompt in question.prompts]
    place = {key: position for position, key in enumerate(prompts)}
    return tuple(sorted(trials, key=lambda trial: place.get((trial.question, trial.prompt), len(place))))


def _latest_judgements(session: Session, run: RunRow) -> dict[int, JudgementRow]:
    statement = select(JudgementRow).join(TrialRow).where(TrialRow.run_id == run.id)
    rows = session.exec(statement.order_by(col(JudgementRow.judging_id)))
    return {row.trial_id: row for row in rows}


def _latest_judging(session: Session, run: RunRow) -> JudgingRow:
    statement = select(JudgingRow).where(JudgingRow.run_id == run.id)
    return session.exec(statement.order_by(col(JudgingRow.id).desc()).limit(1)).one()


def _model_name(session: Session, run: RunRow) -> str:
    return session.exec(select(ModelRow.name).where(ModelRow.id == run.model_id)).one()


def _head(row: RunRow, model: str, judging: JudgingRow, me: Owner, now: datetime) -> Run:
    abandoned = row.status == "running" and not _is_claimed(row, me, now)
    return run_of(row, model, judging, "interrupted" if abandoned else row.status)


def find(
    session: Session, model: str | None, suite: str | None, limit: int | None, me: Owner, now: datetime
) -> list[Run]:
    """Runs without questions and trials, the newest first."""
    newest = select(func.max(JudgingRow.id)).where(JudgingRow.run_id == RunRow.id).correlate(RunRow)
    statement = (
        select(RunRow, ModelRow.name, JudgingRow)
        .join(ModelRow, col(ModelRow.id) == RunRow.model_id)
        .join(JudgingRow, col(JudgingRow.id) == newest.scalar_subquery())
        .order_by(col(RunRow.started_at).desc(), col(RunRow.id).desc())
        .limit(limit)
    )
    if model is not None:
        statement = statement.where(ModelRow.name == scrub(model))
    if suite is not None:
        statement = statement.where(RunRow.suite == suite)
    return [_head(row, name, judging, me, now) for row, name, judging in session.exec(statement)]


def model_names(session: Session) -> list[str]:
    """Names of all models that were ever asked, sorted."""
    return sorted(set(session.exec(select(ModelRow.name))))


def judge_again(
    session: Session,
    run_id: str,
    judge: str,
    as_of: date,
    judged: Mapping[tuple[str, str], Judgement],
    me: Owner,
    now: datetime,
) -> int:
    """Store a judging of all answers of a run; see ``Store.add_judgements``."""
    run = _row(session, run_id)
    if run.status == "running" and _is_claimed(run, me, now):
        raise StoreError(f"run {run_id} is still being asked; judge it again when it is done")
    answers = _answers(session, run)
    _check_covers(run_id, answers, judged)
    said = {trial_id: judgement_of(row) for trial_id, row in _latest_judgements(session, run).items()}
    changed = {
        trial_id: judged[key] for key, trial_id in answers.items() if said.get(trial_id) != judged[key]
    }
    latest = _latest_judging(session, run)
    if changed or (latest.judge, latest.as_of) != (judge, as_of):
        judging = JudgingRow(run_id=run.id, judge=judge, as_of=as_of, judged_at=now)
        session.add(judging)
        session.flush()
        records = [judgement_record(trial_id, judging.id, new) for trial_id, new in changed.items()]
        bulk.insert_all(session, "judgements", records)
    return len(changed)


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
