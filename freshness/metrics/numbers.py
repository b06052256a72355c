"""Samples of questions about numbers: by kind, beside what guessing brings, and how fresh the series are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Final

from freshness.history import Summary
from freshness.history.choices import Share
from freshness.metrics import labels
from freshness.metrics.readings import Indicator
from freshness.metrics.values import Sample
from freshness.verdicts import Verdict, verdicts_of

MAX_INDICATORS: Final = 200
"""So many indicators have series of their own; the others are on the page only."""


def choices(key: tuple[str, str], run: Summary) -> Iterator[Sample]:
    """By kind of question, and of all kinds together; nothing for kinds that were not asked.

    ``key``: the labels model and suite.
    """
    if (found := run.choices) and found.kinds:
        for kind, counts in found.kinds.items():
            shares = {verdict: found.share(kind, verdict) for verdict in verdicts_of(run.suite)}
            yield from _kind((*key, labels.clean(kind)), sum(counts.values()), shares)
        asked = sum(sum(counts.values()) for counts in found.kinds.values())
        shares = {verdict: found.average(verdict) for verdict in verdicts_of(run.suite)}
        yield from _kind((*key, labels.ALL), asked, shares)


def _kind(key: tuple[str, ...], asked: int, shares: Mapping[Verdict, Share | None]) -> Iterator[Sample]:
    yield Sample("choices", key, asked)
    for verdict, share in shares.items():
        if share:
            yield Sample("choices_ratio", (*key, str(verdict)), share.value)
    if right := shares[Verdict.CORRECT]:
        yield Sample("choices_interval_ratio", (*key, "low"), right.low)
        yield Sample("choices_interval_ratio", (*key, "high"), right.high)
        if right.chance:
            yield Sample("choices_chance_ratio", key, right.chance)


def newest_years(model: str, runs: Sequence[Summary]) -> Iterator[Sample]:
    """For each indicator by the first of these runs that tells."""
    known: dict[str, int] = {}
    for run in runs:
        known = dict(run.choices.newest_years if run.choices else {}) | known
    for indicator in sorted(known)[:MAX_INDICATORS]:
        yield Sample("newest_year_known", (model, labels.clean(indicator)), known[indicator])


def indicators(told: Sequence[Indicator]) -> Iterator[Sample]:
    """How fresh each indicator's series are, by the source and by its publisher."""
    for one in told[:MAX_INDICATORS]:
        key = (labels.clean(one.name),)
        yield Sample("indicator_fetched_timestamp_seconds", key, one.fetched_at.timestamp())
        if one.updated:
            yield Sample("indicator_updated_timestamp_seconds", key, _midnight(one.updated))
        if one.due:
            yield Sample("indicator_due_timestamp_seconds", key, _midnight(one.due))
        if one.newest_year is not None:
            yield Sample("indicator_newest_year", key, one.newest_year)


def _midnight(day: date) -> float:
    return datetime.combine(day, time.min, UTC).timestamp()
