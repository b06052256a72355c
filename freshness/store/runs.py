"""Runs with their questions, trials and judgements: asked once, judged as often as one likes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlmodel import Session, col, select

from freshness.errors import StoreError, StoreWriteError, UsageError
from freshness.facts import Snapshot
from freshness.history import Run, Trial
from freshness.questions import Question
from freshness.store import bulk, judgings
from freshness.store.lease import LEASE, Owner, may_be_alive
from freshness.store.records import (
    Record,
    judgement_record,
    question_record,
    request_digest,
    run_record,
    trial_record,
)
from freshness.store.scrub import scrub, scrub_all
from freshness.store.tables import (
    JudgingRow,
    ModelRow,
    QuestionRow,
    RunQuestionRow,
    RunRow,
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


def is_claimed(row: RunRow, me: Owner, now: datetime) -> bool:
    """Whether a process that may be alive is asking it."""
    if row.owner_host is None or row.owner_pid is None or row.owner_token is None or row.owner_until is None:
        return False
    owner = Owner(row.owner_host, row.owner_pid, row.owner_token)
    return may_be_alive(owner, row.owner_until, me, now)


def status_of(run: RunRow, me: Owner, now: datetime) -> str:
    """How a run stands; one whose process is gone is interrupted, though nobody wrote that down."""
    return "interrupted" if run.status == "running" and not is_claimed(run, me, now) else run.status


def take_over(session: Session, request: str, me: Owner, now: datetime, max_age: timedelta) -> str | None:
    """Claim the newest run that asks the same and that nobody is asking; its id, or None."""
    statement = select(RunRow).where(
        RunRow.request == request,
        col(RunRow.status).in_(RESUMABLE),
        col(RunRow.started_at) >= now - max_age,
    )
    for row in session.exec(statement.order_by(col(RunRow.id).desc())):
        if not is_claimed(row, me, now):
            _claim(row, me, now)
            row.status, row.finished_at = "running", None
            session.add(row)
            judgings.outdate_summary(session, row)
            return row.name
    return None


def owned(session: Session, run_id: str, me: Owner) -> RunRow:
    """The run, which this process must be asking."""
    row = row_of(session, run_id)
    if row.owner_token == me.token:
        return row
    if row.owner_token is None:
        raise StoreWriteError(f"run {run_id} is {row.status}: no more trials belong to it")
    raise StoreWriteError(f"run {run_id} was taken over by process {row.owner_pid} on {row.owner_host}")


def row_of(session: Session, run_id: str) -> RunRow:
    """Raises ``UsageError`` for an unknown id."""
    row = session.exec(select(RunRow).where(RunRow.name == run_id)).first()
    if row is None:
        raise UsageError(f"no run {run_id} in the history; see `freshness history`")
    return row


def add_trials(
    session: Session, run_id: str, trials: Sequence[Trial], me: Owner, now: datetime, *, keep_answers: bool
) -> int:
    """Store what is not answered yet and renew the claim; see ``Store.add_trials``."""
    run = owned(session, run_id, me)
    run.owner_until = now + LEASE
    session.add(run)
    wanted = _by_key(trials, _question_ids(session, run))
    stored = _upsert(
        session,
        [trial_record(run.id, key[0], trial, keep_answer=keep_answers) for key, trial in wanted.items()],
    )
    judging = judgings.latest(session, run)
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
    run = owned(session, run_id, me)
    run.finished_at, run.status, run.seconds = finished_at, status, seconds
    run.owner_host = run.owner_pid = run.owner_token = run.owner_until = None
    if details is not None:
        run.details = scrub_all(details)
    if served_model is not None:
        run.served_model = scrub(served_model)
    session.add(run)
    judgings.outdate_summary(session, run)


def judge_again(
    session: Session,
    run_id: str,
    judge: str,
    as_of: date,
    judged: Mapping[tuple[str, str], Judgement],
    key: Snapshot | judgings.Edition | None,
    renewed: Sequence[Question],
    me: Owner,
    now: datetime,
) -> int:
    """Store a judging of all answers of a run that nobody is asking; see ``Store.add_judgements``."""
    run = row_of(session, run_id)
    if run.status == "running" and is_claimed(run, me, now):
        raise StoreError(f"run {run_id} is still being asked; judge it again when it is done")
    judging = JudgingRow(run_id=run.id, judge=judge, as_of=as_of, judged_at=now)
    return judgings.add(session, run, judging, judged, key, renewed)
