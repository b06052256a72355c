"""Every metric: its name, kind, labels, and the line of help that Prometheus shows.

Labels are few and bounded: a model, suite, source or job of the config, a group of the catalogue, and words
of fixed lists. A fact, an answer or the text of an error is never one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["gauge", "counter", "histogram", "summary", "info"]

PREFIX: Final = "freshness_"


@dataclass(frozen=True, slots=True)
class Metric:
    """``name`` as it is exported; ``labels`` in the order in which samples give their values."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()


def _metric(kind: Kind, name: str, labels: str, text: str) -> Metric:
    return Metric(PREFIX + name, kind, text, tuple(labels.split()))


_MODELS: Final = (
    _metric(
        "gauge",
        "answers_ratio",
        "model suite group verdict",
        "Share of questions with this verdict by the best of their prompts (upper bound), in the last "
        "finished run; the group all stands for all questions",
    ),
    _metric(
        "gauge",
        "prompts_ratio",
        "model suite verdict",
        "Share of prompts with this verdict (average), in the last finished run",
    ),
    _metric(
        "gauge",
        "questions",
        "model suite group",
        "Questions that were judged in the last finished run; the group all stands for all of them",
    ),
    _metric(
        "gauge",
        "prompts",
        "model suite",
        "Prompts that were answered and judged in the last finished run",
    ),
    _metric(
        "gauge",
        "agreement_ratio",
        "model suite",
        "Share of questions to which all prompts brought the same value, of those where any named one",
    ),
    _metric(
        "gauge",
        "agreement_questions",
        "model suite",
        "Questions that the agreement is a share of: those where any prompt named a value",
    ),
    _metric(
        "gauge",
        "outdated_facts",
        "model suite",
        "Facts of which the model's best answer was true once, in the last finished run",
    ),
    _metric(
        "summary",
        "lag_seconds",
        "model suite quantile",
        "Time since the outdated answers of the last finished run stopped being true, 1 being the longest",
    ),
    _metric(
        "gauge",
        "window_start_timestamp_seconds",
        "model",
        "Start of the span that most of the training data comes from, as the middle of that month",
    ),
    _metric(
        "gauge",
        "window_end_timestamp_seconds",
        "model",
        "End of the span that most of the training data comes from, as the middle of that month",
    ),
    _metric(
        "gauge",
        "cutoff_timestamp_seconds",
        "model bound",
        "Where the training data ends: estimate and bounds of its 90 % interval, as the middle of that month",
    ),
    _metric(
        "gauge",
        "choices",
        "model suite kind",
        "Questions of that kind about numbers that were judged in the last finished run; all: of any kind",
    ),
    _metric(
        "gauge",
        "choices_ratio",
        "model suite kind verdict",
        "Share of questions of that kind with this verdict, in the last finished run; all: mean of the kinds",
    ),
    _metric(
        "gauge",
        "choices_interval_ratio",
        "model suite kind bound",
        "Bounds of the 95 % interval of the share of questions of that kind that were answered right",
    ),
    _metric(
        "gauge",
        "choices_chance_ratio",
        "model suite kind",
        "Share of questions of that kind that guessing among their options gets right",
    ),
    _metric(
        "gauge",
        "newest_year_known",
        "model indicator",
        "Newest year whose value of the indicator the model knows beyond guessing, by its last finished runs",
    ),
    _metric(
        "gauge",
        "last_probe_timestamp_seconds",
        "model suite",
        "When the last finished run ended; what the ratios are about",
    ),
    _metric(
        "gauge",
        "last_probe_success",
        "model suite",
        "Whether the newest run finished with answers (1), or failed, was interrupted or brought none (0)",
    ),
    _metric(
        "gauge",
        "last_probe_failed_prompts",
        "model suite kind",
        "Prompts of the last finished run that brought an error instead of an answer, by kind of error",
    ),
    _metric(
        "gauge",
        "runs",
        "model suite status",
        "Runs in the history, by how they stand",
    ),
    _metric(
        "counter",
        "newly_outdated_facts_total",
        "model",
        "Facts that the model had right until the world changed, as its stored answers say; no numbers",
    ),
    _metric(
        "counter",
        "served_model_changes_total",
        "model",
        "Times that the endpoint named another model than before as the one that answered",
    ),
    _metric(
        "counter",
        "fingerprint_changes_total",
        "model",
        "Times that the fingerprint of the endpoint's system was another than before",
    ),
    _metric(
        "counter",
        "answer_shifts_total",
        "model",
        "Times that answers about unchanged facts differed more than the model's own noise explains",
    ),
    _metric(
        "counter",
        "model_requests_total",
        "model outcome",
        "Prompts that were put to the model, by outcome: answered, or the kind of error",
    ),
    _metric(
        "histogram",
        "model_request_duration_seconds",
        "model",
        "Time that the model took for an answer",
    ),
)
_WORLD: Final = (
    _metric(
        "gauge",
        "source_snapshot_timestamp_seconds",
        "source",
        "The moment that the newest facts of the source speak of",
    ),
    _metric(
        "gauge",
        "source_max_age_seconds",
        "source",
        "Age from which the facts of the source count as old, by the configuration",
    ),
    _metric(
        "counter",
        "source_changes_total",
        "source",
        "Changes that refreshes of the source saw: others hold it than before",
    ),
    _metric(
        "counter",
        "source_revisions_total",
        "source",
        "Corrections of the record that refreshes of the source saw, with the same holders",
    ),
    _metric(
        "gauge",
        "facts",
        "group state",
        "Facts as known now, by whether they can be asked about",
    ),
    _metric(
        "gauge",
        "indicator_fetched_timestamp_seconds",
        "indicator",
        "When the source last confirmed the indicator's numbers as we have them",
    ),
    _metric(
        "gauge",
        "indicator_updated_timestamp_seconds",
        "indicator",
        "When the publisher updated the edition of the indicator's numbers that we have",
    ),
    _metric(
        "gauge",
        "indicator_due_timestamp_seconds",
        "indicator",
        "When the publisher means to update the indicator's numbers next",
    ),
    _metric(
        "gauge",
        "indicator_newest_year",
        "indicator",
        "Newest year that the indicator has a number for, without projections",
    ),
)
_DAEMON: Final = (
    _metric(
        "gauge",
        "job_last_success_timestamp_seconds",
        "job",
        "When the job last ended well",
    ),
    _metric(
        "gauge",
        "job_last_start_timestamp_seconds",
        "job",
        "When the job was last begun",
    ),
    _metric(
        "gauge",
        "job_next_run_timestamp_seconds",
        "job",
        "When the job is due next",
    ),
    _metric(
        "gauge",
        "job_interval_seconds",
        "job",
        "Longest time between two due times of the job, these days and in the week to come",
    ),
    _metric("gauge", "job_running", "job", "Whether the job is being run now"),
    _metric(
        "gauge",
        "job_consecutive_failures",
        "job",
        "Attempts that failed since the last success",
    ),
    _metric(
        "counter",
        "job_runs_total",
        "job outcome",
        "Runs of the job by outcome; missed: due, but never begun",
    ),
    _metric("histogram", "job_duration_seconds", "job", "Time that runs of the job took"),
    _metric(
        "gauge",
        "config_last_reload_successful",
        "",
        "Whether the configuration was taken when it was last read; else the one before is still in force",
    ),
    _metric(
        "gauge",
        "config_last_reload_success_timestamp_seconds",
        "",
        "When the configuration in force was read",
    ),
    _metric(
        "gauge",
        "daemon_start_timestamp_seconds",
        "",
        "When this daemon was started",
    ),
    _metric(
        "gauge",
        "history_readable",
        "",
        "Whether the database could be read for this scrape; else models, world and jobs are absent",
    ),
    _metric(
        "info",
        "build_info",
        "version judge python",
        "Releases of freshness, its judge and Python; always 1",
    ),
)

METRICS: Final = {metric.name: metric for metric in (*_MODELS, *_WORLD, *_DAEMON)}
"""By name, in the order in which they are exported."""
