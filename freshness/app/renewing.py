"""Stored questions about numbers, with the keys that newer series give."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import cached_property

from freshness.changes.renewing import renew
from freshness.questions import Question
from freshness.series import Indicator, Series, SeriesSnapshot
from freshness.store import Edition


class Renewing:
    """These series as keys: what takes long is done once, for many runs."""

    def __init__(self, snapshot: SeriesSnapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[date, dict[str, tuple[Indicator, Series]]] = {}

    @cached_property
    def edition(self) -> Edition:
        """Which series these are; the digest takes long, and not everybody needs it."""
        return Edition(self._snapshot.source, self._snapshot.taken_at, self._snapshot.digest)

    def renewed(self, questions: Iterable[Question], day: date) -> tuple[Question, ...]:
        """Those of the questions whose keys these series make anew, by what was known on that day."""
        known, older = self._on(day), self._snapshot.older
        found = (
            renew(question, *known[question.fact], older.get(question.fact, ()))
            for question in questions
            if question.fact in known
        )
        return tuple(question for question in found if question)

    def _on(self, day: date) -> dict[str, tuple[Indicator, Series]]:
        if day not in self._known:
            self._known[day] = {
                series.id: (chart.indicator, series)
                for chart in self._snapshot.charts
                for series in chart.known(day)
            }
        return self._known[day]
