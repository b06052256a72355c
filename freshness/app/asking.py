"""What there is to ask, and the questions of a suite with their keys, without asking anybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, Final

from freshness.app import numbers, setup, snapshots
from freshness.app.setup import Asked, Choice, Numbers, Say
from freshness.app.snapshots import Talk
from freshness.catalog import Catalog
from freshness.catalog import load as load_catalog
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.facts import Snapshot
from freshness.quality import assess
from freshness.questions import Question
from freshness.report.text import clean, counted
from freshness.sources.bundled import SOURCE as BUNDLED
from freshness.suites.current import CurrentSuite, Missing, missing, question_json

OLD = timedelta(days=90)
"""Offices and clubs change several times a year among a hundred: older facts are worth a warning."""

SHOWN = 5
"""So many ids of facts in a note."""


Gather = Callable[[Settings, Choice, Talk, bool], Asked]
Lines = Callable[[Settings, Choice, Talk], Iterator[dict[str, Any]]]


def gather(settings: Settings, choice: Choice, talk: Talk, *, keep: bool = True) -> Asked:
    """The questions of a suite about the world that is chosen; warned about where that is old.

    ``keep`` False: nothing that is fetched is stored. Raises ``UsageError``, also when there is nothing to
    ask, ``StoreError``.
    """
    setup.judging_suite(choice.suite)
    return _SUITES[choice.suite][0](settings, choice, talk, keep)


def lines(settings: Settings, choice: Choice, talk: Talk) -> Iterator[dict[str, Any]]:
    """One JSON-like line a question, as they are made; raises as ``gather`` does."""
    setup.judging_suite(choice.suite)
    return _SUITES[choice.suite][1](settings, choice, talk)


def _facts(settings: Settings, choice: Choice, talk: Talk, keep: bool) -> Asked:
    if choice.numbers != Numbers():
        raise UsageError(
            f"suite {choice.suite} has no kinds, seeds or entities; they belong to --suite numeric"
        )
    catalog = setup.catalog(settings, choice.facts)
    found = snapshots.find(settings, choice.snapshot, choice.facts, talk, keep=keep)
    questions = choose(catalog, found.snapshot, choice, talk.note)
    _warn_if_old(found.snapshot, choice, talk.warn)
    return Asked(questions, found.snapshot, found.instead)


def _fact_lines(settings: Settings, choice: Choice, talk: Talk) -> Iterator[dict[str, Any]]:
    return map(question_json, _facts(settings, choice, talk, True).questions)


_SUITES: Final[dict[str, tuple[Gather, Lines]]] = {
    "current": (_facts, _fact_lines),
    **dict.fromkeys(numbers.SUITES, (numbers.gather, numbers.lines)),
}
"""What is asked in each suite, and what is printed of it."""


def _warn_if_old(snapshot: Snapshot, choice: Choice, warn: Say) -> None:
    age = choice.as_of - snapshot.taken_at.date()
    if age > OLD:
        taken = snapshot.taken_at.date()
        known = f"the {snapshot.source} facts were last checked on {taken}"
        warn(f"{known}, {age.days} days before {choice.as_of}; what changed since counts as it was then")


def choose(catalog: Catalog, snapshot: Snapshot, choice: Choice, note: Say) -> list[Question]:
    """What to ask, up to the limit; a note tells what the catalogue asks about and the snapshot lacks.

    Raises ``UsageError`` with the cause when there is nothing to ask.
    """
    asked = CurrentSuite(catalog).questions(snapshot, choice.as_of)
    gaps = missing(catalog, snapshot, choice.as_of)
    if not asked:
        raise UsageError(f"nothing to ask: {_why_nothing(catalog, snapshot, gaps, choice)}")
    lacking = _unexpectedly(gaps.unknown, snapshot, choice)
    if lacking:
        note(_left_out(lacking, snapshot))
    if gaps.quarantined:
        told = f"{counted(len(gaps.quarantined), 'fact')} quarantined and left out"
        note(f"{told}: {some(gaps.quarantined)}; `freshness facts check` says why")
    return asked[: choice.limit]


def _unexpectedly(unknown: Sequence[str], snapshot: Snapshot, choice: Choice) -> Sequence[str]:
    """Without those that the built-in catalogue has for fetched facts alone: nothing is amiss with them."""
    if choice.facts or snapshot.source != BUNDLED:
        return unknown
    built_in = {entry.fact for entry in load_catalog().entries}
    return [fact for fact in unknown if fact not in built_in]


def _left_out(lacking: Sequence[str], snapshot: Snapshot) -> str:
    told = f"{counted(len(lacking), 'fact')} of the catalogue left out, not in {_named(snapshot)}"
    fetch = "; `freshness refresh` fetches them" if snapshot.source == BUNDLED else ""
    return f"{told}: {some(lacking)}{fetch}"


def _why_nothing(catalog: Catalog, snapshot: Snapshot, gaps: Missing, choice: Choice) -> str:
    count = len(catalog.completed(snapshot).entries)
    if not count:
        return "the catalogues' queries have chosen nothing yet; `freshness refresh` asks them"
    if len(gaps.unknown) == count:
        return f"{_named(snapshot)} has no fact that these catalogues ask about ({some(gaps.unknown)})"
    if gaps.quarantined and not _is_too_early(gaps.quarantined, snapshot, choice):
        bad = f"{len(gaps.quarantined)} of {counted(count, 'fact')} quarantined ({some(gaps.quarantined)})"
        return f"{bad}; `freshness facts check` says why"
    none = f"no fact of these catalogues has a value as of {choice.as_of}"
    lacking = len(gaps.unknown)
    return none if not lacking else f"{none}, and {lacking} of {count} are not in {_named(snapshot)}"


def _is_too_early(quarantined: Sequence[str], snapshot: Snapshot, choice: Choice) -> bool:
    """Whether nothing is amiss with them but the day asked about."""
    facts = [fact for fact in snapshot.facts if fact.id in quarantined]
    reasons = {reason for fact in facts for reason in assess(fact, choice.as_of).reasons}
    return all(reason.startswith("no_values") for reason in reasons)


def _named(snapshot: Snapshot) -> str:
    return f"the {clean(snapshot.source, 60)} snapshot"


def some(ids: Sequence[str]) -> str:
    """The first of these, and that there are more."""
    return ", ".join(ids[:SHOWN]) + (", ..." if len(ids) > SHOWN else "")
