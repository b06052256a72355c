"""A model's own words, cut and made harmless, with the words that matched apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from freshness.changes.revisions import number_text
from freshness.history import Trial
from freshness.questions import NumericKey
from freshness.report.text import clean, excerpt
from freshness.store import NOT_KEPT

TEXT_CUT: Final = "text_cut"
"""The flag of an answer that was longer than what is ever read of one; see ``models.replies``."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``before``, ``match`` and ``after`` in the answer; no match: all in ``before``.

    ``chars``: how long the whole answer is; ``cut``: whether some of it is not shown; ``kept`` False: only
    its verdict was kept. ``whole`` False: it went on, and only its first ``chars`` were ever taken.
    """

    before: str
    match: str
    after: str
    chars: int
    cut: bool
    kept: bool = True
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Option:
    """One of the options of a question, with its letter as it was shown."""

    letter: str
    text: str
    right: bool
    chosen: bool


@dataclass(frozen=True, slots=True)
class Number:
    """What a question about a number asked for. ``years`` in the order of its words.

    ``right``: the right option, or the value where the answer was open; ``options``: none then.
    """

    kind: str
    indicator: str
    entity: str
    code: str
    years: tuple[int, ...]
    right: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One prompt's answer with its judgement, or its error; ``lag_days`` in days, None if unknown.

    ``number``: None unless it was asked about one; it has the options, which ``asked`` then leaves out.
    """

    question: str
    fact: str
    group: str
    prompt: str
    asked: str
    answer: Excerpt | None
    verdict: str | None
    matched: str | None
    mention: str | None
    rule: str | None
    lag_days: int | None
    lag_values: int | None
    error: str | None
    error_kind: str | None
    seconds: float | None
    number: Number | None = None


def excerpt_of(trial: Trial, around: int = 160) -> Excerpt:
    """The part of an answer that a person needs to check its judgement."""
    text = trial.answer.text
    span = trial.judgement.span if trial.judgement else None
    first, last = (max(0, span[0] - around), span[1] + around) if span else (0, 2 * around)
    flags = trial.answer.flags
    is_whole = TEXT_CUT not in flags
    is_cut = first > 0 or last < len(text) or not is_whole
    return Excerpt(*excerpt(text, span, around), len(text), is_cut, NOT_KEPT not in flags, is_whole)


def said(trial: Trial, key: NumericKey | None = None) -> Said:
    """A trial as pages and API show it; ``key``: of its question, where that is about a number."""
    judgement = trial.judgement
    return Said(
        question=trial.question,
        fact=trial.fact,
        group=trial.group,
        prompt=trial.prompt,
        asked=clean(_question(trial.asked, key), 400),
        answer=excerpt_of(trial) if judgement else None,
        verdict=str(judgement.verdict) if judgement else None,
        matched=_cleaned(judgement.matched) if judgement else None,
        mention=_cleaned(judgement.mention) if judgement else None,
        rule=judgement.rule if judgement else None,
        lag_days=judgement.lag_days if judgement else None,
        lag_values=judgement.lag_values if judgement else None,
        error=_cleaned(trial.answer.error, 400),
        error_kind=trial.answer.error_kind,
        seconds=trial.answer.seconds,
        number=number(key, judgement.matched if judgement else None) if key else None,
    )


def _question(asked: str, key: NumericKey | None) -> str:
    """What was asked without the list of options and what follows it."""
    return asked.partition(f"\n(a) {key.options[0]}")[0] if key and key.options else asked


def number(key: NumericKey, matched: str | None) -> Number:
    """What was asked for, and which option an answer named (``matched``: its letter comes first)."""
    letters = [f"({chr(ord('a') + place)})" for place in range(len(key.options))]
    return Number(
        key.kind,
        clean(key.indicator),
        clean(key.entity),
        clean(key.code),
        key.years,
        right(key),
        tuple(
            Option(letter, clean(text), letter == key.answer, (matched or "").startswith(letter))
            for letter, text in zip(letters, key.options, strict=True)
        ),
    )


def right(key: NumericKey) -> str:
    """The right answer in words."""
    if key.options:
        return clean(f"{key.answer} {key.options[ord(key.answer[1:2] or 'a') - ord('a')]}")
    values = key.answer_value if isinstance(key.answer_value, tuple) else (key.answer_value,)
    return clean(f"{', '.join(number_text(float(value)) for value in values)} {key.unit}".strip())


def _cleaned(text: str | None, limit: int = 200) -> str | None:
    return None if text is None else clean(text, limit)
