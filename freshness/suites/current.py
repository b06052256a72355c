"""DyKnow's questions: who holds an office, or where somebody plays, as things are on a date.

Mousavi et al., "DyKnow: Dynamically Verifying Time-Sensitive Factual Knowledge in LLMs", sections 2-3:
each fact is asked by three paraphrases; a fourth, generic one stays out of the tables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from freshness.catalog import GENERIC, Catalog, Entry
from freshness.facts import Fact, Snapshot, Subject, Value
from freshness.grading import judge
from freshness.quality import assess
from freshness.questions import Answer, Prompt, Question
from freshness.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class Missing:
    """Ids of facts (``Q38/P6``) that there is no question about."""

    unknown: tuple[str, ...]
    """In the catalogue, but not in the snapshot."""
    unasked: tuple[str, ...]
    """In the snapshot, but not in the catalogue."""
    quarantined: tuple[str, ...]
    """In both, but the record doesn't tell what would be a right answer; ``quality.assess`` says why."""


def missing(catalog: Catalog, snapshot: Snapshot, as_of: date | None = None) -> Missing:
    """What the catalogue asks about without there being a question, and what nobody asks about.

    ``as_of``: the day asked about; without it, the snapshot's own.
    """
    day = as_of or snapshot.taken_at.date()
    asked = {entry.fact: entry for entry in catalog.completed(snapshot).entries}
    known = {fact.id: fact for fact in snapshot.facts}
    # What a query chose belongs to the catalogue even where it can't be put into words.
    wanted = {fact.id: fact for fact in known.values() if fact.id in asked or catalog.selector(fact)}
    return Missing(
        unknown=tuple(fact for fact in asked if fact not in known),
        unasked=tuple(fact for fact in known if fact not in wanted),
        quarantined=tuple(key for key, fact in wanted.items() if not _usable(fact, asked.get(key), day)),
    )


@dataclass(frozen=True, slots=True)
class CurrentSuite:
    """The ``Suite`` of current facts; ``include_generic`` adds the generic prompt to each question."""

    catalog: Catalog
    include_generic: bool = False
    name: str = "current"

    def questions(self, snapshot: Snapshot, as_of: date) -> list[Question]:
        """One question for each fact that catalogue and snapshot share, in the catalogue's order.

        A prompt that names one of the answers is left out. There is no question about a fact that is
        quarantined on that day (``quality.assess``), or when each of its prompts names an answer.
        """
        facts = {fact.id: fact for fact in snapshot.facts}
        entries = self.catalog.completed(snapshot).entries
        pairs = ((entry, facts[entry.fact]) for entry in entries if entry.fact in facts)
        asked = (self._question(entry, fact, as_of) for entry, fact in pairs if _usable(fact, entry, as_of))
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


def _usable(fact: Fact, entry: Entry | None, as_of: date) -> bool:
    """Whether it can be asked about; how many may hold it at once is the catalogue's word."""
    return entry is not None and assess(replace(fact, holders=entry.holders), as_of).usable


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
