"""Stored questions about numbers, with the keys that newer series give."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import cached_property
from typing import Final

from freshness.changes.renewing import OwnKey, renew
from freshness.questions import Question
from freshness.series import Indicator, Series, SeriesSnapshot
from freshness.store import Edition

SERIES_GONE: Final = "series_gone"
"""Why a question keeps its own key: the series that it is about are not known any more."""


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
        return self.split(questions, day)[0]

    def split(self, questions: Iterable[Question], day: date) -> tuple[tuple[Question, ...], dict[str, str]]:
        """The questions with new keys, and by id why others keep their own (``OwnKey``, ``SERIES_GONE``).

        Those whose own keys are as good are in neither.
        """
        found = {question.id: self._renew(question, day) for question in questions}
        kept = {name: str(why) for name, why in found.items() if not isinstance(why, Question)}
        renewed = tuple(question for question in found.values() if isinstance(question, Question))
        return renewed, {name: why for name, why in kept.items() if why != OwnKey.AS_GOOD}

    def _renew(self, question: Question, day: date) -> Question | str:
        """The question with its new key, or why it keeps its own."""
        known = self._on(day).get(question.fact)
        if known is None:
            return SERIES_GONE
        return renew(question, *known, self._snapshot.older.get(question.fact, ()))

    def _on(self, day: date) -> dict[str, tuple[Indicator, Series]]:
        if day not in self._known:
            self._known[day] = {
                series.id: (chart.indicator, series)
                for chart in self._snapshot.charts
                for series in chart.known(day)
            }
        return self._known[day]
