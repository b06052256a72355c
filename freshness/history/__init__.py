"""Runs and trials, how they add up, and how they differ. Pure."""

from freshness.history.choices import ChoiceFigures, KnownYears, Share, figures
from freshness.history.comparison import Comparison, Pair, Step, compare, judged_alike, mcnemar, pairs, steps
from freshness.history.jobs import Claim, JobState, Outcome
from freshness.history.outdated import OutdatedFact, outdated_facts
from freshness.history.records import Run, Trial
from freshness.history.summaries import ANSWERED, ModelEvent, RequestTotals, Summary, summarise
from freshness.history.tallies import (
    NO_ANSWER,
    RULES,
    Agreement,
    Counts,
    Lag,
    Tally,
    by_question,
    judgement_of,
    outcomes,
    share,
    tally,
    tally_groups,
    tally_run,
    wilson,
)

__all__ = [
    "ANSWERED",
    "NO_ANSWER",
    "RULES",
    "Agreement",
    "ChoiceFigures",
    "Claim",
    "Comparison",
    "Counts",
    "JobState",
    "KnownYears",
    "Lag",
    "ModelEvent",
    "Outcome",
    "OutdatedFact",
    "Pair",
    "RequestTotals",
    "Run",
    "Share",
    "Step",
    "Summary",
    "Tally",
    "Trial",
    "by_question",
    "compare",
    "figures",
    "judged_alike",
    "judgement_of",
    "mcnemar",
    "outcomes",
    "outdated_facts",
    "pairs",
    "share",
    "steps",
    "summarise",
    "tally",
    "tally_groups",
    "tally_run",
    "wilson",
]
