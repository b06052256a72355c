"""What there is to ask, and the questions of a suite with their keys, without asking anybody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from freshness.app import setup
from freshness.app.setup import Choice
from freshness.catalog import Catalog
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.facts import Snapshot
from freshness.protocols import Suite
from freshness.questions import Question
from freshness.report.text import clean, counted
from freshness.suites.current import missing, question_json

SHOWN = 5
"""So many ids of facts in a note."""

Say = Callable[[str], None]


def questions(settings: Settings, choice: Choice, note: Say) -> list[dict[str, Any]]:
    """One JSON-like line a question; raises ``UsageError``, also when there is none."""
    catalog = setup.catalog(settings, choice.facts)
    suite = setup.suite(choice.suite, catalog)
    asked = choose(suite, catalog, setup.snapshot(choice.snapshot), choice, note)
    return [question_json(question) for question in asked]


def choose(suite: Suite, catalog: Catalog, snapshot: Snapshot, choice: Choice, note: Say) -> list[Question]:
    """What to ask, up to the limit; a note tells what the catalogue asks about and the snapshot lacks.

    Raises ``UsageError`` with the cause when there is nothing to ask.
    """
    asked = suite.questions(snapshot, choice.as_of)
    lacking = missing(catalog, snapshot).unknown
    if not asked:
        raise UsageError(f"nothing to ask: {_why_nothing(catalog, snapshot, lacking, choice)}")
    if lacking:
        left = f"{counted(len(lacking), 'fact')} of the catalogue left out, not in {_named(snapshot)}"
        note(f"{left}: {some(lacking)}")
    return asked[: choice.limit]


def _why_nothing(catalog: Catalog, snapshot: Snapshot, lacking: Sequence[str], choice: Choice) -> str:
    count = len(catalog.entries)
    if len(lacking) == count:
        return f"{_named(snapshot)} has no fact that these catalogues ask about ({some(lacking)})"
    none = f"no fact of these catalogues has a value as of {choice.as_of}"
    return none if not lacking else f"{none}, and {len(lacking)} of {count} are not in {_named(snapshot)}"


def _named(snapshot: Snapshot) -> str:
    return f"the {clean(snapshot.source, 60)} snapshot"


def some(ids: Sequence[str]) -> str:
    """The first of these, and that there are more."""
    return ", ".join(ids[:SHOWN]) + (", ..." if len(ids) > SHOWN else "")
