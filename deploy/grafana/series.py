"""The dashboard's row about numbers."""

from __future__ import annotations

from collections.abc import Iterator

from panels import ONE, Panel, bars, by_model, dashed, lines, table, target


def choices(ratio: str, labels: str) -> str:
    """Of the suite whose questions have options, for the chosen model."""
    return f'max by (kind) (freshness_choices_{ratio}{{{ONE},suite="numeric",{labels}}})'


def numbers() -> Iterator[Panel]:
    """What models know of numbers, and how fresh those are."""
    every = 'suite="numeric",kind="all"'
    yield lines(
        "Right choices",
        "Mean of the kinds of questions; the dashes are what guessing brings",
        target(by_model("choices_ratio", f'{every},verdict="correct"'), "{{model}}"),
        target(f"max(freshness_choices_chance_ratio{{{every}}})", "chance"),
        unit="percentunit",
        defaults={"max": 1},
        overrides=[dashed("chance")],
    )
    yield lines(
        "Right choices of $model",
        "Mean of the kinds of questions with its 95 % interval, beside what guessing brings",
        target(f'max(freshness_choices_ratio{{{ONE},{every},verdict="correct"}})', "right"),
        target(
            f"max by (bound) (freshness_choices_interval_ratio{{{ONE},{every}}})", "{{bound}} end of interval"
        ),
        target(f"max(freshness_choices_chance_ratio{{{ONE},{every}}})", "chance"),
        unit="percentunit",
        defaults={"max": 1},
        overrides=[dashed("chance")],
    )
    yield table(
        "Choices of $model by kind of question",
        "Last finished run; low and high: 95 % interval of what is right; chance: what guessing brings",
        {
            "Right": (choices("ratio", 'verdict="correct"'), "percentunit"),
            "Low": (choices("interval_ratio", 'bound="low"'), "percentunit"),
            "High": (choices("interval_ratio", 'bound="high"'), "percentunit"),
            "Chance": (
                f'max by (kind) (freshness_choices_chance_ratio{{{ONE},suite="numeric"}})',
                "percentunit",
            ),
            "Wrong": (choices("ratio", 'verdict="incorrect"'), "percentunit"),
            "Not available": (choices("ratio", 'verdict="not_available"'), "percentunit"),
            "Questions": (f'max by (kind) (freshness_choices{{{ONE},suite="numeric"}})', "none"),
        },
        "kind",
    )
    by_group = (
        f'max by (group) (freshness_answers_ratio{{{ONE},suite="numeric",group!="all",verdict="correct"}})'
    )
    yield bars(
        "Right choices of $model by category",
        "Share of each category's questions that was answered right",
        target(by_group, "{{group}}", instant=True),
        width=8,
        unit="percentunit",
        max=1,
    )
    yield table(
        "Newest year that $model knows",
        "Beyond guessing, and the newest year on record; none where its answers don't tell",
        {
            "Knows until": (f"max by (indicator) (freshness_newest_year_known{{{ONE}}})", "none"),
            "On record": ("max by (indicator) (freshness_indicator_newest_year)", "none"),
        },
        "indicator",
        width=16,
    )
    yield lines(
        "Age of the numbers",
        "Time since the source last confirmed each chart",
        target(
            "time() - max by (indicator) (freshness_indicator_fetched_timestamp_seconds)", "{{indicator}}"
        ),
        target('max(freshness_source_max_age_seconds{source="owid"})', "old from here on"),
        unit="s",
        width=8,
        overrides=[dashed("old from here on")],
    )
    yield table(
        "Editions",
        "When each chart was last confirmed, when its publisher updated it, and when the next update is due",
        {
            title: (f"max by (indicator) (freshness_indicator_{name}_timestamp_seconds) * 1000", unit)
            for title, name, unit in (
                ("Confirmed", "fetched", "dateTimeFromNow"),
                ("Updated", "updated", "time:YYYY-MM-DD"),
                ("Next update", "due", "time:YYYY-MM-DD"),
            )
        },
        "indicator",
        width=16,
    )
