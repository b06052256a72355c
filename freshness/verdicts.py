"""What a judge says of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Verdict(StrEnum):
    """DyKnow's three (section 3), and two kinds of no answer that DyKnow counts as irrelevant.

    For multiple choice TempUN's three (section 4.3): correct, incorrect, not available. An error is never a
    verdict.
    """

    CORRECT = "correct"
    OUTDATED = "outdated"
    IRRELEVANT = "irrelevant"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    INCORRECT = "incorrect"
    NOT_AVAILABLE = "not_available"


CLAIMS: Final = (
    Verdict.CORRECT,
    Verdict.OUTDATED,
    Verdict.IRRELEVANT,
    Verdict.REFUSED,
    Verdict.UNREADABLE,
)
"""What a free answer can be, best first. One prompt that brings the fact out shows that the model holds it; a
wrong claim says more than declining, and declining more than nothing readable."""

CHOICES: Final = (Verdict.CORRECT, Verdict.INCORRECT, Verdict.NOT_AVAILABLE)
"""What a choice among options can be, best first."""

_CHOOSING: Final = frozenset({"numeric"})
"""Suites whose questions have options."""


def verdicts_of(suite: str) -> tuple[Verdict, ...]:
    """The verdicts that a suite of this name gives, best first."""
    return CHOICES if suite in _CHOOSING else CLAIMS


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with what a person needs to check it.

    ``matched``: label of the value that the answer commits to. ``mention``: the answer's own words
    that named it, at ``span`` (character offsets in the answer as given). ``rule``: a stable word for
    the rule that decided. ``lag_days``: days since the matched value stopped being true; ``lag_values``:
    how many values ago that was (1: the one before the present one). Both None unless outdated
    (``lag_days`` also when the end's date is unknown).
    """

    verdict: Verdict
    rule: str
    matched: str | None = None
    mention: str | None = None
    span: tuple[int, int] | None = None
    lag_days: int | None = None
    lag_values: int | None = None
