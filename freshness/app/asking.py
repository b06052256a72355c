"""The questions of a suite, with their keys, without asking anybody."""

from __future__ import annotations

from typing import Any

from freshness.app import setup
from freshness.app.setup import Choice
from freshness.config import Settings
from freshness.suites.current import question_json


def questions(settings: Settings, choice: Choice) -> list[dict[str, Any]]:
    """One JSON-like line a question; raises ``UsageError``."""
    suite = setup.suite(choice.suite, setup.catalog(settings, choice.facts))
    asked = suite.questions(setup.snapshot(choice.snapshot), choice.as_of)
    return [question_json(question) for question in asked[: choice.limit]]
