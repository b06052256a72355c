"""The core's dataclasses as rows for bulk inserts, and rows as dataclasses again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any, Final, cast

from sqlalchemy import Row

from freshness.changes import Effect, Event
from freshness.facts import (
    Fact,
    Flaw,
    Holders,
    PartialDate,
    Rank,
    Subject,
    ValidityInterval,
    Value,
    value_from_json,
)
from freshness.history import Run, Trial
from freshness.questions import Answer, NumericKey, Prompt, Question
from freshness.store.scrub import scrub, scrub_all
from freshness.store.tables import (
    JudgementRow,
    JudgingRow,
    QuestionRow,
    RunRow,
    TrialRow,
)
from freshness.verdicts import Judgement, Verdict

Record = dict[str, Any]

NOT_KEPT: Final = "answer_not_kept"
"""Flag of an answer whose text was not stored: it can't be judged again."""


def digest_of(content: Any) -> str:
    """SHA-256 of JSON-like content, in hex."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def fact_record(fact: Fact) -> Record:
    """A row of ``facts``; equal facts have equal digests."""
    return {
        "digest": digest_of(fact.to_json()),
        "group": fact.group,
        "subject_id": fact.subject.id,
        "subject_name": fact.subject.name,
        "property": fact.property,
        "holders": fact.holders,
        "office": fact.office,
        "dissolved": str(fact.dissolved) if fact.dissolved else None,
        "flaws": [flaw.to_json() for flaw in fact.flaws],
    }


def value_record(fact_id: int, position: int, value: Value) -> Record:
    return {
        "fact_id": fact_id,
        "position": position,
        "item": value.id,
        "label": value.label,
        "aliases": list(value.aliases),
        "rank": str(value.rank),
    }


def interval_record(value_id: int, position: int, interval: ValidityInterval) -> Record:
    return {
        "value_id": value_id,
        "position": position,
        "start": str(interval.start) if interval.start else None,
        "end": str(interval.end) if interval.end else None,
        "ended": interval.ended,
    }


def fact_of(row: Row[Any], values: Iterable[Value]) -> Fact:
    return Fact(
        row.group,
        Subject(row.subject_id, row.subject_name),
        row.property,
        tuple(values),
        cast(Holders, row.holders),
        row.office,
        _date(row.dissolved),
        tuple(Flaw.from_json(flaw) for flaw in row.flaws),
    )


def value_of(row: Row[Any], intervals: Iterable[ValidityInterval]) -> Value:
    return Value(row.label, tuple(row.aliases), tuple(intervals), Rank(row.rank), row.item)


def interval_of(row: Row[Any]) -> ValidityInterval:
    return ValidityInterval(_date(row.start), _date(row.end), row.ended)


def _date(text: str | None) -> PartialDate | None:
    return None if text is None else PartialDate.parse(text)


def event_record(event: Event, snapshot_id: int, seen_at: datetime, before: int, after: int) -> Record:
    """A row of ``events``; ``before`` and ``after``: row numbers of the facts."""
    return {
        "snapshot_id": snapshot_id,
        "kind": event.kind,
        "seen_at": seen_at,
        "before_fact_id": before,
        "after_fact_id": after,
        "was": scrub_all(event.was),
        "now": scrub_all(event.now),
        "effects": [scrub_all(asdict(effect)) for effect in event.effects],
    }


def event_of(row: Row[Any], before: Fact, after: Fact) -> Event:
    effects = tuple(effect_of(**effect) for effect in row.effects)
    return Event(row.kind, row.seen_at, before, after, tuple(row.was), tuple(row.now), effects)


def effect_of(model: str, run: str, said: str, before: str, after: str) -> Effect:
    return Effect(model, run, said, Verdict(before), Verdict(after))


def question_record(question: Question) -> Record:
    """A row of ``questions``: all but the date asked about, so that daily runs share it."""
    subject = Subject("", question.subject)
    fact = Fact(question.group, subject, question.fact, question.values, question.holders)
    body: Record = {
        "subject": question.subject,
        "holders": question.holders,
        "prompts": [asdict(prompt) for prompt in question.prompts],
        "values": fact.to_json()["values"],
    }
    if question.numeric:
        body["numeric"] = numeric_record(question.numeric)
    content = {
        "suite": question.suite,
        "name": question.id,
        "group": question.group,
        "fact": question.fact,
        "body": body,
    }
    return {"digest": digest_of(content), **content}


def numeric_record(key: NumericKey) -> Record:
    """The key as JSON gives it back, so that its digest is that of what is stored."""
    numbers = key.answer_value
    return {
        **asdict(key),
        "years": list(key.years),
        "answer_value": list(numbers) if isinstance(numbers, tuple) else numbers,
        "values": [list(pair) for pair in key.values],
        "options": list(key.options),
        "older": [list(told) for told in key.older],
    }


def numeric_of(record: Record) -> NumericKey:
    numbers = record["answer_value"]
    return NumericKey(
        **{
            **record,
            "years": tuple(record["years"]),
            "answer_value": tuple(numbers) if isinstance(numbers, list) else numbers,
            "values": tuple((year, value) for year, value in record["values"]),
            "options": tuple(record["options"]),
            "older": tuple((year, value, vintage) for year, value, vintage in record["older"]),
        }
    )


def question_of(row: QuestionRow, as_of: date, key: Fact | None = None) -> Question:
    """The question with its own key, or with the values and holders of the fact ``key``."""
    body = row.body
    values = key.values if key else tuple(value_from_json(value) for value in body["values"])
    return Question(
        id=row.name,
        suite=row.suite,
        group=row.group,
        fact=row.fact,
        prompts=tuple(Prompt(**prompt) for prompt in body["prompts"]),
        as_of=as_of,
        values=values,
        holders=key.holders if key else body["holders"],
        subject=body["subject"],
        numeric=numeric_of(body["numeric"]) if "numeric" in body else None,
    )


def request_digest(run: Run, spec: str, options: Mapping[str, Any], questions: Sequence[Record]) -> str:
    """What a run asks of whom and how: an interrupted run goes on only where all of it is the same."""
    asked = [question["digest"] for question in questions]
    head = [run.model, spec, run.suite, run.as_of.isoformat(), run.snapshot_digest, run.judge]
    return digest_of([*(scrub(part) for part in head), scrub_all(options), asked])


def run_record(run: Run, model_id: int, request: str) -> Record:
    return {
        "name": run.id,
        "model_id": model_id,
        "suite": run.suite,
        "as_of": run.as_of,
        "started_at": run.started_at,
        "status": "running",
        "snapshot_source": run.snapshot_source,
        "snapshot_taken_at": run.snapshot_taken_at,
        "snapshot_digest": run.snapshot_digest,
        "judge": run.judge,
        "served_model": scrub(run.served_model),
        "details": scrub_all(run.details),
        "request": request,
    }


def run_of(row: RunRow, model: str, judging: JudgingRow, status: str) -> Run:
    """The run without questions and trials, with judge, date and snapshot of the judging that counts."""
    source, taken_at, digest = key_of(judging) or (
        row.snapshot_source,
        row.snapshot_taken_at,
        row.snapshot_digest,
    )
    return Run(
        id=row.name,
        model=model,
        suite=row.suite,
        as_of=judging.as_of,
        started_at=row.started_at,
        snapshot_source=source,
        snapshot_taken_at=taken_at,
        snapshot_digest=digest,
        judge=judging.judge,
        served_model=row.served_model,
        finished_at=row.finished_at,
        status=cast(Any, status),
        seconds=row.seconds,
        details=row.details,
        judged_at=judging.judged_at,
    )


def key_of(judging: JudgingRow) -> tuple[str, datetime, str] | None:
    """Source, time and digest of the snapshot it judged by; None for the questions' own keys."""
    source, taken_at, digest = judging.key_source, judging.key_taken_at, judging.key_digest
    return None if source is None or taken_at is None or digest is None else (source, taken_at, digest)


def trial_record(run_id: int, question_id: int, trial: Trial, *, keep_answer: bool) -> Record:
    answer = trial.answer
    return {
        "run_id": run_id,
        "question_id": question_id,
        "prompt": trial.prompt,
        "asked": trial.asked,
        "answer": answer.text if keep_answer else None,
        "error": None if answer.error is None else scrub(answer.error),
        "error_kind": answer.error_kind,
        "finish": answer.finish,
        "seconds": answer.seconds,
        "served_model": answer.served_model,
        "fingerprint": answer.fingerprint,
        "flags": list(answer.flags),
    }


def trial_of(row: TrialRow, question: QuestionRow, judgement: JudgementRow | None) -> Trial:
    judged = None if judgement is None else judgement_of(judgement)
    return Trial(question.name, question.group, question.fact, row.prompt, row.asked, _answer_of(row), judged)


def _answer_of(row: TrialRow) -> Answer:
    dropped = (NOT_KEPT,) if row.answer is None else ()
    return Answer(
        text=row.answer or "",
        error=row.error,
        error_kind=row.error_kind,
        finish=cast(Any, row.finish),
        seconds=row.seconds,
        served_model=row.served_model,
        fingerprint=row.fingerprint,
        flags=(*row.flags, *dropped),
    )


def judgement_record(trial_id: int, judging_id: int, judgement: Judgement) -> Record:
    start, end = judgement.span or (None, None)
    return {
        "trial_id": trial_id,
        "judging_id": judging_id,
        "verdict": str(judgement.verdict),
        "rule": judgement.rule,
        "matched": judgement.matched,
        "mention": judgement.mention,
        "span_start": start,
        "span_end": end,
        "lag_days": judgement.lag_days,
        "lag_values": judgement.lag_values,
    }


def judgement_of(row: JudgementRow) -> Judgement:
    span = None if row.span_start is None or row.span_end is None else (row.span_start, row.span_end)
    verdict = Verdict(row.verdict)
    return Judgement(verdict, row.rule, row.matched, row.mention, span, row.lag_days, row.lag_values)
