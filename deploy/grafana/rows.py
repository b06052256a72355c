"""The dashboard's rows but that about numbers: which panels stand in each.

Several daemons tell the same of one history, so what isn't about a daemon is taken over all of them
(``max by``). Counters come from the history: they are shown as they stand, or by what they rose in a day.
"""

from __future__ import annotations

from collections.abc import Iterator

from panels import ONE, Panel, bars, by_model, coloured, lines, panel, stat, table, target


def answers(verdict: str) -> str:
    return by_model("answers_ratio", f'suite="current",group="all",verdict="{verdict}"')


def rose(name: str, by: str, labels: str = "") -> str:
    """What a counter from the history rose by in a day: exact, where increase() would extrapolate."""
    counter = f"freshness_{name}{{{labels}}}"
    return f"max by ({by}) ({counter}) - min by ({by}) (min_over_time({counter}[1d]))"


def fleet() -> Iterator[Panel]:
    """All models at a glance."""
    yield stat(
        "Models",
        "Models that the configuration registers",
        f"count({by_model('newly_outdated_facts_total')})",
    )
    yield stat(
        "Alerts firing",
        "Alerts of freshness that fire now",
        'count(ALERTS{alertname=~"Freshness.+",alertstate="firing"}) or vector(0)',
    )
    yield stat(
        "Newly outdated facts, 24 h",
        "What the models had right until the world changed",
        f"sum({rose('newly_outdated_facts_total', 'model')})",
        width=5,
    )
    yield stat(
        "Swaps and shifts, 24 h",
        "Other models behind the same names: by their own word, or by their answers",
        f"sum({rose('served_model_changes_total', 'model')}) + sum({rose('answer_shifts_total', 'model')})",
        width=5,
    )
    yield stat(
        "Probes that failed last",
        "Models and suites whose newest run brought no answers",
        "count(max by (model, suite) (freshness_last_probe_success) == 0) or vector(0)",
        width=6,
    )
    yield table(
        "Models",
        "Last finished run of each model; upper bound: the best of a question's prompts",
        {
            "Correct": (answers("correct"), "percentunit"),
            "Outdated": (answers("outdated"), "percentunit"),
            "Irrelevant": (answers("irrelevant"), "percentunit"),
            "Agreement": (by_model("agreement_ratio", 'suite="current"'), "percentunit"),
            "Outdated facts": (by_model("outdated_facts", 'suite="current"'), "none"),
            "Median lag": (by_model("lag_seconds", 'suite="current",quantile="0.5"'), "s"),
            "Training data until": (
                by_model("cutoff_timestamp_seconds", 'bound="estimate"') + " * 1000",
                "time:YYYY-MM",
            ),
            "Last probe": (
                by_model("last_probe_timestamp_seconds", 'suite="current"') + " * 1000",
                "dateTimeFromNow",
            ),
        },
        "model",
    )
    yield lines(
        "Outdated",
        "Share of questions whose best answer was true once",
        target(answers("outdated"), "{{model}}"),
        unit="percentunit",
    )
    yield lines(
        "Correct",
        "Share of questions with a right answer",
        target(answers("correct"), "{{model}}"),
        unit="percentunit",
    )


def model() -> Iterator[Panel]:
    """The one that is chosen above."""
    cutoff = f"max by (bound) (freshness_cutoff_timestamp_seconds{{{ONE}}}) * 1000"
    yield panel(
        "stat",
        "Training data until",
        "Estimate and 90 % interval of where the training data ends",
        8,
        4,
        target(cutoff, "{{bound}}", instant=True),
        options={"reduceOptions": {"calcs": ["lastNotNull"]}, "graphMode": "none", "colorMode": "none"},
        defaults={"unit": "time:YYYY-MM"},
    )
    yield stat(
        "Most of it from",
        "Start of the span that most of the training data comes from",
        f"max(freshness_window_start_timestamp_seconds{{{ONE}}}) * 1000",
        unit="time:YYYY-MM",
    )
    yield stat(
        "to",
        "End of the span that most of the training data comes from",
        f"max(freshness_window_end_timestamp_seconds{{{ONE}}}) * 1000",
        unit="time:YYYY-MM",
    )
    yield stat(
        "Last probe",
        "When the last finished run ended",
        f"max(freshness_last_probe_timestamp_seconds{{{ONE}}}) * 1000",
        unit="dateTimeFromNow",
    )
    yield stat(
        "Newest run",
        "Whether the newest run brought answers",
        f"min(freshness_last_probe_success{{{ONE}}})",
        mappings=[
            {
                "type": "value",
                "options": {"0": {"text": "failed", "color": "red"}, "1": {"text": "fine", "color": "green"}},
            }
        ],
    )
    yield lines(
        "Answers",
        "Questions by the verdict on the best of their prompts (upper bound)",
        target(
            f'max by (verdict) (freshness_answers_ratio{{{ONE},suite="current",group="all"}})', "{{verdict}}"
        ),
        unit="percentunit",
        stacked=True,
        defaults={"max": 1},
        overrides=coloured(),
    )
    yield bars(
        "Outdated by group",
        "Share of each group's questions whose best answer was true once",
        target(
            f'max by (group) (freshness_answers_ratio{{{ONE},suite="current",verdict="outdated"}})',
            "{{group}}",
            instant=True,
        ),
        unit="percentunit",
        max=1,
    )
    yield lines(
        "Lag of outdated answers",
        "Time since they stopped being true: half of them, nine in ten and all are not older",
        target(f'max by (quantile) (freshness_lag_seconds{{{ONE},suite="current"}})', "{{quantile}}"),
        unit="s",
    )
    yield lines(
        "Agreement and prompts",
        "Questions to which all prompts brought one value; and the share of all prompts with a right answer",
        target(f'max(freshness_agreement_ratio{{{ONE},suite="current"}})', "agreement"),
        target(f'max(freshness_prompts_ratio{{{ONE},suite="current",verdict="correct"}})', "prompts correct"),
        unit="percentunit",
        defaults={"max": 1},
    )
    yield bars(
        "Prompts so far",
        "All prompts that were ever put to the model, by outcome",
        target(f"max by (outcome) (freshness_model_requests_total{{{ONE}}})", "{{outcome}}", instant=True),
        width=6,
    )
    duration = f"max by (le) (freshness_model_request_duration_seconds_bucket{{{ONE}}})"
    yield bars(
        "Time for an answer",
        "Of all answers so far",
        target(f"histogram_quantile(0.5, {duration})", "median", instant=True),
        target(f"histogram_quantile(0.95, {duration})", "95 of 100", instant=True),
        width=6,
        unit="s",
    )
    yield bars(
        "Runs",
        "Runs in the history by how they stand",
        target(f"max by (status) (freshness_runs{{{ONE}}})", "{{status}}", instant=True),
        width=6,
    )
    yield bars(
        "Signs of another model",
        "How often another model, another fingerprint or other answers were seen, so far",
        target(f"max(freshness_served_model_changes_total{{{ONE}}})", "name", instant=True),
        target(f"max(freshness_fingerprint_changes_total{{{ONE}}})", "fingerprint", instant=True),
        target(f"max(freshness_answer_shifts_total{{{ONE}}})", "answers", instant=True),
        width=6,
    )


def world() -> Iterator[Panel]:
    """What sources say, and what of it changed."""
    yield lines(
        "Age of the facts",
        "Time since the moment that the newest facts of a source speak of",
        target("time() - max by (source) (freshness_source_snapshot_timestamp_seconds)", "{{source}}"),
        target("max by (source) (freshness_source_max_age_seconds)", "{{source}}: old from here on"),
        unit="s",
        width=8,
    )
    yield lines(
        "Changes and corrections so far",
        "What refreshes saw: others hold it than before, or the record of a term is another",
        target("max by (source) (freshness_source_changes_total)", "{{source}}: changes"),
        target("max by (source) (freshness_source_revisions_total)", "{{source}}: corrections"),
        width=8,
    )
    yield lines(
        "Newly outdated so far",
        "Facts that a model had right until the world changed",
        target(by_model("newly_outdated_facts_total"), "{{model}}"),
        width=8,
    )
    yield bars(
        "Facts that can be asked about",
        "Facts as known now, by group",
        target('max by (group) (freshness_facts{state="usable"})', "{{group}}", instant=True),
    )
    yield bars(
        "Facts in quarantine",
        "Their record doesn't tell a right answer from a wrong one",
        target('max by (group) (freshness_facts{state="quarantined"})', "{{group}}", instant=True),
    )


def daemon() -> Iterator[Panel]:
    """Whether freshness itself is well."""
    yield stat("Daemons up", "Daemons that answer", 'sum(up{job="freshness"})')
    yield stat(
        "History",
        "Whether the database can be read",
        "min(freshness_history_readable)",
        mappings=[
            {
                "type": "value",
                "options": {
                    "0": {"text": "unreadable", "color": "red"},
                    "1": {"text": "readable", "color": "green"},
                },
            }
        ],
    )
    yield stat(
        "Configuration",
        "Whether it was taken when last read",
        "min(freshness_config_last_reload_successful)",
        mappings=[
            {
                "type": "value",
                "options": {
                    "0": {"text": "refused", "color": "red"},
                    "1": {"text": "taken", "color": "green"},
                },
            }
        ],
    )
    yield stat(
        "Since",
        "Start of the daemon that was started last",
        "max(freshness_daemon_start_timestamp_seconds) * 1000",
        unit="dateTimeFromNow",
        width=6,
    )
    yield panel(
        "stat",
        "Release",
        "Of freshness, on each daemon",
        6,
        4,
        target("max by (version) (freshness_build_info)", "{{version}}", instant=True),
        options={"reduceOptions": {"calcs": ["lastNotNull"]}, "textMode": "name", "graphMode": "none"},
    )
    yield table(
        "Jobs",
        "Over all daemons and restarts",
        {
            "Last success": (
                "max by (job) (freshness_job_last_success_timestamp_seconds) * 1000",
                "dateTimeFromNow",
            ),
            "Last start": (
                "max by (job) (freshness_job_last_start_timestamp_seconds) * 1000",
                "dateTimeFromNow",
            ),
            "Next run": ("max by (job) (freshness_job_next_run_timestamp_seconds) * 1000", "dateTimeFromNow"),
            "Longest pause": ("max by (job) (freshness_job_interval_seconds)", "s"),
            "Running": ("max by (job) (freshness_job_running)", "bool_yes_no"),
            "Failures in a row": ("max by (job) (freshness_job_consecutive_failures)", "none"),
            "Mean duration": (
                "max by (job) (freshness_job_duration_seconds_sum)"
                " / max by (job) (freshness_job_duration_seconds_count)",
                "s",
            ),
        },
        "job",
    )
    yield lines(
        "Runs of jobs so far",
        "By how they ended",
        target("sum by (outcome) (max by (job, outcome) (freshness_job_runs_total))", "{{outcome}}"),
        width=8,
    )
    yield lines(
        "Memory",
        "Of each daemon, without the processes of its jobs",
        target('process_resident_memory_bytes{job="freshness"}', "{{instance}}"),
        unit="bytes",
        width=8,
    )
    yield lines(
        "Scrapes",
        "How long Prometheus waits for the metrics, and the processor time that daemons take",
        target('scrape_duration_seconds{job="freshness"}', "{{instance}}: scrape"),
        target(
            'rate(process_cpu_seconds_total{job="freshness"}[$__rate_interval])', "{{instance}}: processor"
        ),
        unit="s",
        width=8,
    )
