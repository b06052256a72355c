"""Runs and trials, how they add up, and how they differ. Pure."""

from freshness.history.comparison import Comparison, Pair, Step, compare, mcnemar, pairs, steps
from freshness.history.outdated import OutdatedFact, outdated_facts
from freshness.history.records import Run, Trial
from freshness.history.tallies import (
    NO_ANSWER,
    PRECEDENCE,
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
    wilson,
)

__all__ = [
    "NO_ANSWER",
    "PRECEDENCE",
    "RULES",
    "Agreement",
    "Comparison",
    "Counts",
    "Lag",
    "OutdatedFact",
    "Pair",
    "Run",
    "Step",
    "Tally",
    "Trial",
    "by_question",
    "compare",
    "judgement_of",
    "mcnemar",
    "outcomes",
    "outdated_facts",
    "pairs",
    "share",
    "steps",
    "tally",
    "tally_groups",
    "wilson",
]
