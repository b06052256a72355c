"""From readings to samples: a metric's name, the values of its labels, and the number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from freshness.history import JobState, RequestTotals, Summary
from freshness.metrics import labels, numbers
from freshness.metrics.readings import Job, ModelReading, Readings, Source, SuiteReading
from freshness.metrics.values import Histogram, Sample
from freshness.verdicts import Verdict, verdicts_of

SECONDS_A_DAY: Final = 86_400
STATES: Final = ("usable", "quarantined")
OUTCOMES: Final = ("succeeded", "failed", "interrupted", "missed")
"""How a run of a job can end; told as 0 before the first one, so that a rise from nothing is seen."""
EVENTS: Final = {
    "served_model_changed": "served_model_changes_total",
    "fingerprint_changed": "fingerprint_changes_total",
    "answers_shifted": "answer_shifts_total",
}
_BOUNDS: Final = ("low", "estimate", "high")


def samples(readings: Readings) -> Iterator[Sample]:
    """All samples of one scrape; what isn't known has none: no data is not zero."""
    for model in readings.models:
        yield from _model(model)
    for source in readings.sources:
        yield from _source(source)
    yield from _facts(readings.facts)
    yield from numbers.indicators(readings.indicators)
    for job in readings.jobs:
        yield from _job(job)
    yield from _daemon(readings)


def _model(model: ModelReading) -> Iterator[Sample]:
    name = labels.clean(model.name)
    for suite in model.suites:
        yield from _suite(name, suite)
    yield from _dated(name, model)
    for kind, metric in EVENTS.items():
        yield Sample(metric, (name,), model.events.get(kind, 0))
    yield Sample("newly_outdated_facts_total", (name,), model.newly_outdated)
    if model.requests:
        yield from _requests(name, model.requests)


def _requests(model: str, totals: RequestTotals) -> Iterator[Sample]:
    for outcome, count in labels.merged(totals.outcomes, labels.MAX_KINDS).items():
        yield Sample("model_requests_total", (model, outcome), count)
    seconds = Histogram(totals.seconds, totals.seconds_sum)
    yield Sample("model_request_duration_seconds", (model,), seconds)


def _suite(model: str, reading: SuiteReading) -> Iterator[Sample]:
    key = (model, reading.suite)
    for status, count in reading.runs.items():
        yield Sample("runs", (*key, status), count)
    if reading.succeeded is not None:
        yield Sample("last_probe_success", key, reading.succeeded)
    if reading.finished:
        yield from _finished(key, reading.finished)


def _finished(key: tuple[str, str], run: Summary) -> Iterator[Sample]:
    ended = run.finished_at or run.started_at
    yield Sample("last_probe_timestamp_seconds", key, ended.timestamp())
    yield from _answers(key, run)
    for verdict, ratio in _ratios(run.average, run.suite).items():
        yield Sample("prompts_ratio", (*key, verdict), ratio)
    yield Sample("prompts", key, run.prompts)
    yield Sample("agreement_questions", key, run.named)
    if run.named:
        yield Sample("agreement_ratio", key, run.same / run.named)
    if run.questions and Verdict.OUTDATED in verdicts_of(run.suite):
        yield Sample("outdated_facts", key, run.outdated)
    for quantile, days in run.lag_days.items():
        yield Sample("lag_seconds", (*key, quantile), days * SECONDS_A_DAY)
    for kind, count in labels.merged(run.errors, labels.MAX_KINDS).items():
        yield Sample("last_probe_failed_prompts", (*key, kind), count)
    yield from numbers.choices(key, run)


def _answers(key: tuple[str, str], run: Summary) -> Iterator[Sample]:
    for name, counts in ((labels.ALL, run.upper_bound), *_groups(run.groups).items()):
        yield Sample("questions", (*key, name), sum(counts.values()))
        for verdict, ratio in _ratios(counts, run.suite).items():
            yield Sample("answers_ratio", (*key, name, verdict), ratio)


def _groups(groups: Mapping[str, Mapping[str, int]]) -> dict[str, Counter[str]]:
    """Counts by group, those of the smallest of too many groups added up."""
    kept = labels.biggest({name: sum(c.values()) for name, c in groups.items()}, labels.MAX_GROUPS)
    told: dict[str, Counter[str]] = {}
    for name, counts in groups.items():
        shown = labels.group(name) if name in kept else labels.OTHER
        told.setdefault(shown, Counter()).update(counts)
    return told


def _ratios(counts: Mapping[str, int], suite: str) -> dict[str, float]:
    """Every verdict's share; nothing where nothing was judged."""
    total = sum(counts.values())
    among = verdicts_of(suite)
    return {str(verdict): counts.get(verdict, 0) / total for verdict in among} if total else {}


def _dated(model: str, reading: ModelReading) -> Iterator[Sample]:
    """Cutoff, window and newest years known, each by the newest finished run that tells it best."""
    runs = [suite.finished for suite in reading.suites if suite.finished]
    runs.sort(key=lambda run: run.started_at, reverse=True)
    window = next((run.window for run in runs if run.window), None)
    if window:
        yield Sample("window_start_timestamp_seconds", (model,), _middle(window[0]))
        yield Sample("window_end_timestamp_seconds", (model,), _middle(window[1]))
    # Facts come first: the gauge must not jump between what they tell and what numbers tell.
    facts_first = sorted(runs, key=lambda run: run.choices is not None)
    cutoff = next((run.cutoff for run in facts_first if run.cutoff), None)
    for bound, month in zip(_BOUNDS, cutoff or (), strict=False):
        yield Sample("cutoff_timestamp_seconds", (model, bound), _middle(month))
    yield from numbers.newest_years(model, runs)


def _middle(month: str) -> float:
    """The month's 15th: shown as a date it is in that month wherever on earth the reader is."""
    return datetime.strptime(month, "%Y-%m").replace(day=15, tzinfo=UTC).timestamp()


def _source(source: Source) -> Iterator[Sample]:
    key = (source.name,)
    if source.taken_at:
        yield Sample("source_snapshot_timestamp_seconds", key, source.taken_at.timestamp())
    if source.max_age:
        yield Sample("source_max_age_seconds", key, source.max_age.total_seconds())
        yield Sample("source_changes_total", key, source.changes)
        yield Sample("source_revisions_total", key, source.revisions)


def _facts(facts: Mapping[str, Mapping[str, int]]) -> Iterator[Sample]:
    for group, counts in _groups(facts).items():
        for state in STATES:
            yield Sample("facts", (group, state), counts[state])


def _job(job: Job) -> Iterator[Sample]:
    key = (labels.clean(job.name),)
    if job.next_run:
        yield Sample("job_next_run_timestamp_seconds", key, job.next_run.timestamp())
    if job.interval:
        yield Sample("job_interval_seconds", key, job.interval.total_seconds())
    outcomes = job.state.outcomes if job.state else {}
    for outcome, count in (dict.fromkeys(OUTCOMES, 0) | dict(outcomes) | {"missed": job.missed}).items():
        yield Sample("job_runs_total", (*key, outcome), count)
    yield Sample("job_running", key, job.state is not None and job.state.running)
    yield Sample("job_consecutive_failures", key, job.state.failures_in_a_row if job.state else 0)
    if job.state:
        yield from _went(key, job.state)


def _went(key: tuple[str], state: JobState) -> Iterator[Sample]:
    yield Sample("job_last_start_timestamp_seconds", key, state.last_started_at.timestamp())
    if state.last_success_at:
        yield Sample("job_last_success_timestamp_seconds", key, state.last_success_at.timestamp())
    if state.seconds:
        yield Sample("job_duration_seconds", key, Histogram(state.seconds, state.seconds_sum))


def _daemon(readings: Readings) -> Iterator[Sample]:
    if daemon := readings.daemon:
        yield Sample("daemon_start_timestamp_seconds", (), daemon.started_at.timestamp())
        yield Sample("config_last_reload_successful", (), daemon.config_taken)
        read_at = daemon.config_read_at or daemon.started_at
        yield Sample("config_last_reload_success_timestamp_seconds", (), read_at.timestamp())
    yield Sample("history_readable", (), readings.readable)
    yield Sample("build_info", readings.build, 1)
