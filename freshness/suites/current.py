"""DyKnow's questions: who holds an office, or where somebody plays, as things are on a date.

Mousavi et al., "DyKnow: Dynamically Verifying Time-Sensitive Factual Knowledge in LLMs", sections 2-3:
each fact is asked by three paraphrases; a fourth, generic one stays out of the tables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from freshness.catalog import GENERIC, Catalog, Entry
from freshness.facts import Fact, Rank, Snapshot, Subject, Value
from freshness.grading import judge
from freshness.questions import Answer, Prompt, Question
from freshness.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class Missing:
    """Ids of facts (``Q38/P6``) that only one side knows, so that there is no question about them."""

    unknown: tuple[str, ...]
    """In the catalogue, but not in the snapshot."""
    unasked: tuple[str, ...]
    """In the snapshot, but not in the catalogue."""


def missing(catalog: Catalog, snapshot: Snapshot) -> Missing:
    """What the catalogue asks about and the snapshot lacks, and what it holds that nobody asks about."""
    asked = {entry.fact: None for entry in catalog.entries}
    known = {fact.id: None for fact in snapshot.facts}
    return Missing(
        unknown=tuple(fact for fact in asked if fact not in known),
        unasked=tuple(fact for fact in known if fact not in asked),
    )


@dataclass(frozen=True, slots=True)
class CurrentSuite:
    """The ``Suite`` of current facts; ``include_generic`` adds the generic prompt to each question."""

    catalog: Catalog
    include_generic: bool = False
    name: str = "current"

    def questions(self, snapshot: Snapshot, as_of: date) -> list[Question]:
        """One question for each fact that catalogue and snapshot share, in the catalogue's order.

        A prompt that names one of the answers is left out. There is no question about a fact without a
        value that holds or held by ``as_of``, or when each of its prompts names an answer.
        """
        facts = {fact.id: fact for fact in snapshot.facts}
        pairs = ((entry, facts[entry.fact]) for entry in self.catalog.entries if entry.fact in facts)
        asked = (self._question(entry, fact, as_of) for entry, fact in pairs if _begun(fact, as_of))
        return [question for question in asked if question.prompts]

    def _question(self, entry: Entry, fact: Fact, as_of: date) -> Question:
        wanted = [p for p in entry.prompts if self.include_generic or p.name != GENERIC]
        texts = [_without(f"{p.question}\n{p.completion}", entry.called) for p in wanted]
        rejected = giving_away(texts, fact.values)
        prompts = tuple(p for number, p in enumerate(wanted) if number not in rejected)
        subject = entry.subject.name
        return Question(
            fact.id, self.name, entry.group, fact.id, prompts, as_of, fact.values, entry.holders, subject
        )

    def judge(self, question: Question, prompt: Prompt, answer: Answer) -> Judgement:
        """The verdict on one answer, by the values that the question carries; never goes to a source."""
        return judge(
            answer.text,
            question.values,
            question.as_of,
            question=prompt.question,
            holders=question.holders,
            subject=question.subject,
            cut_off=answer.finish == "length",
        )


def giving_away(texts: Sequence[str], values: Iterable[Value]) -> list[int]:
    """Indices of the texts that contain a label or an alias of a value, as whole words."""
    names = {_fold(name) for value in values for name in (value.label, *value.aliases)} - {""}
    if not names:
        return []
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    return [number for number, text in enumerate(texts) if pattern.search(_fold(text))]


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())


def _without(text: str, subject: str) -> str:
    """The text without the subject's own name: "Ford" inside "Ford Motor Company" gives nothing away."""
    return text.replace(subject, " ")


def _begun(fact: Fact, as_of: date) -> bool:
    day = as_of.toordinal()
    return any(
        interval.start is None or interval.start.first <= day
        for value in fact.values
        if value.rank is not Rank.DEPRECATED
        for interval in value.intervals
    )


def question_json(question: Question) -> dict[str, Any]:
    """One line of ``freshness questions``: prompts in question style, values as in a fact."""
    subject = Subject(question.fact.partition("/")[0], question.subject)
    fact = Fact(question.group, subject, question.fact.partition("/")[2], question.values)
    return {
        "id": question.id,
        "suite": question.suite,
        "group": question.group,
        "fact": question.fact,
        "prompts": [prompt.question for prompt in question.prompts],
        "as_of": question.as_of.isoformat(),
        "values": fact.to_json()["values"],
    }
