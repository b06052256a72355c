"""Does the same model still answer behind the name? Pure.

Two runs are compared question by question, only where both were asked just the same: the same words and the
same key, so that no fact that changed counts. A question is one unit, since its prompts fail together; it
differs when any of its prompts was answered otherwise. What is compared is both what an answer *said* (the
value that it committed to, or in which way it named none) and how it was *worded*: the first says what
matters to a reader, the second shows a model that was quantised or served by another engine and still knows
the same.

How often answers differ anyway is learned from the runs before, pair by pair (``noise``). A new run is held
against the newest of them, and against the oldest, so that a change in small steps is seen once it adds up.
``docs/swaps.md`` tells how often this is a false alarm, and what it can't see.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from freshness.history.noise import Count, Noise, Prior
from freshness.history.records import Run, Trial
from freshness.history.tallies import by_question
from freshness.questions import Question

ALARM: Final = 1e-3
"""False alarms: less than one in a thousand runs, which for daily probes is one in three years."""

MIN_QUESTIONS: Final = 20
"""Two runs with fewer questions in common are not compared."""

MIN_DIFFERING: Final = 3
"""One odd answer is no other model, however steady it was so far."""

Aspect = Literal["said", "worded"]


class Limits(NamedTuple):
    """``prior`` of the rate at which questions differ by chance; ``excess`` over it that is worth telling."""

    prior: Prior
    excess: float


LIMITS: Final[Mapping[Aspect, Limits]] = {
    "said": Limits(Prior(0.5, 2.0), 0.1),
    # A sampled answer is never worded the same twice, a greedy one nearly always: nothing is known before.
    "worded": Limits(Prior(0.5, 0.5), 0.15),
}

# What the user may change about how a model is asked: answers before and after can't be compared.
_SETUP: Final = ("asked_model", "max_new_tokens", "dtype")


class Line(NamedTuple):
    """A question with its answers, as digests: ``asked`` is equal where the same was asked with the same key.

    ``worded`` is None where an answer's text was not kept.
    """

    asked: bytes
    said: bytes
    worded: bytes | None


@dataclass(frozen=True, slots=True)
class Trace:
    """What comparing needs of a run, a few dozen bytes a question.

    ``answers``: how many there were, with and without errors. ``lines``: by question id, those whose prompts
    were all answered. ``served`` and ``fingerprints``: how many answers carried each name.
    """

    run: str
    judge: str
    setup: tuple[Any, ...]
    answers: int
    lines: Mapping[str, Line]
    served: Counter[str]
    fingerprints: Counter[str]


def trace(run: Run, has_text: Callable[[Trial], bool]) -> Trace:
    """The trace of a run, given with its questions as they were asked; ``has_text``: was an answer's kept?"""
    answers = by_question(run.trials)
    asked = ((question, answers.get(question.id, [])) for question in run.questions)
    return Trace(
        run.id,
        run.judge,
        tuple(run.details.get(name) for name in _SETUP),
        len(run.trials),
        {q.id: _line(q, trials, has_text) for q, trials in asked if _is_whole(q, trials)},
        Counter(trial.answer.served_model for trial in run.trials if trial.answer.served_model),
        Counter(trial.answer.fingerprint for trial in run.trials if trial.answer.fingerprint),
    )


def _is_whole(question: Question, trials: Sequence[Trial]) -> bool:
    return len(trials) == len(question.prompts) and all(trial.judgement for trial in trials)


def _line(question: Question, trials: Sequence[Trial], has_text: Callable[[Trial], bool]) -> Line:
    ordered = sorted(trials, key=lambda trial: trial.prompt)
    asked = [(trial.prompt, trial.asked) for trial in ordered]
    worded = [_folded(trial.answer.text) for trial in ordered] if all(map(has_text, ordered)) else None
    return Line(
        _digest(_key(question), question.holders, question.subject, asked),
        _digest([_said(trial) for trial in ordered]),
        None if worded is None else _digest(worded),
    )


def _key(question: Question) -> object:
    """What decides how an answer is judged, and nothing else that may change meanwhile.

    A choice is judged by its options alone: the series behind it may go on.
    """
    number = question.numeric
    if number is None:
        return question.values
    return (number.options, number.answer) if number.options else number


def _said(trial: Trial) -> tuple[str, str]:
    """The value that was named, or in which way none was: nobody minds how a refusal is put."""
    judgement = trial.judgement
    if judgement is None:
        return "error", ""
    return ("value", judgement.matched) if judgement.matched else ("verdict", str(judgement.verdict))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _digest(*parts: object) -> bytes:
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=12).digest()


def difference(before: Trace, after: Trace, aspect: Aspect) -> Count:
    """On how many of the questions that both were asked alike the two runs differ."""
    if before.setup != after.setup or (aspect == "said" and before.judge != after.judge):
        return Count(0, 0)
    pairs = list(_alike(before, after, aspect))
    return Count(sum(a != b for a, b in pairs), len(pairs))


def _alike(before: Trace, after: Trace, aspect: Aspect) -> Iterator[tuple[bytes, bytes]]:
    for name, new in after.lines.items():
        old = before.lines.get(name)
        if old is None or old.asked != new.asked:
            continue
        if aspect == "said":
            yield old.said, new.said
        elif old.worded is not None and new.worded is not None:
            yield old.worded, new.worded


@dataclass(frozen=True, slots=True)
class Shift:
    """Answers that differ from those of run ``since`` on more questions than chance explains.

    ``expected``: the rate at which questions differ by chance; ``p_value``: how often chance alone would
    make a run look at least as different, all tests of this run taken together.
    """

    aspect: Aspect
    since: str
    count: Count
    expected: float
    p_value: float


def shift(past: Sequence[Trace], new: Trace, alarm: float = ALARM) -> Shift | None:
    """Whether a run's answers shifted; ``past``: the runs before it of the same model, the oldest first.

    Each aspect is tested against the newest and the oldest run that can be compared. The smallest of the
    p-values, times their number (Bonferroni), must be below ``alarm``, and the difference big enough to
    matter (``LIMITS``, ``MIN_DIFFERING``). None where it isn't, or where there is too little to compare.
    """
    tests = [test for aspect in LIMITS for test in _tests(past, new, aspect)]
    if not tests:
        return None
    strongest = min(tests, key=lambda test: test.p_value)
    p_value = min(1.0, strongest.p_value * len(tests))
    found = Shift(strongest.aspect, strongest.since, strongest.count, strongest.expected, p_value)
    return found if p_value < alarm else None


def _tests(past: Sequence[Trace], new: Trace, aspect: Aspect) -> list[Shift]:
    comparable = [(old.run, count) for old in past if _enough(count := difference(old, new, aspect))]
    if not comparable:
        return []
    limits = LIMITS[aspect]
    pairs = [difference(a, b, aspect) for a, b in pairwise(past)]
    noise = Noise.of([pair for pair in pairs if _enough(pair)], limits.prior)
    # One run to compare with is both the newest and the oldest: one test.
    references = dict([comparable[-1], comparable[0]])
    return [_test(aspect, run, count, noise, limits) for run, count in references.items()]


def _enough(count: Count) -> bool:
    return count.questions >= MIN_QUESTIONS


def _test(aspect: Aspect, since: str, count: Count, noise: Noise, limits: Limits) -> Shift:
    expected = noise.mean
    matters = count.differing >= MIN_DIFFERING and count.rate - expected >= limits.excess
    return Shift(aspect, since, count, expected, noise.p_value(count) if matters else 1.0)


def renamed(before: Counter[str], after: Counter[str]) -> tuple[str, str] | None:
    """The names that most answers carried before and now, where that tells of another model.

    Two names that both runs saw are one endpoint with several servers behind it: which of them gave most
    answers tells nothing.
    """
    if not before or not after:
        return None
    old, new = _most_frequent(before), _most_frequent(after)
    same = old == new or (new in before and old in after)
    return None if same else (old, new)


def _most_frequent(names: Counter[str]) -> str:
    return min(names, key=lambda name: (-names[name], name))
