"""What is asked, and what came back.

A question carries its key (the values with their intervals, and the date asked about), so that an
old answer can be judged again when the world changes, without asking the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from freshness.facts import Holders, Value

Style = Literal["chat", "completion"]

NumericKind = Literal["date", "comparative", "window", "range", "minmax", "trend", "next_word"]
"""TempUN's six kinds of multiple choice (section 3: DB, CP, WB, RB, MM, TB), and its next-word prompts."""

CHOICE_KINDS: Final[tuple[NumericKind, ...]] = ("date", "comparative", "window", "range", "minmax", "trend")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One paraphrase, in both styles. ``id`` is unique in a run (``Q38/P6/p1``), ``name`` in its question."""

    id: str
    name: str
    question: str
    completion: str
    instruction: str = ""

    def text(self, style: Style) -> str:
        """What the model gets to read: a question for a chat model, a beginning for a completion model."""
        if style == "completion":
            return self.completion
        # After a list of options the instruction has a line of its own.
        between = "\n" if "\n" in self.question else " "
        return f"{self.question}{between}{self.instruction}".strip()


@dataclass(frozen=True, slots=True)
class NumericKey:
    """What is right about a number, and what the options are.

    ``options`` as the model reads them, without their letters; none where the answer is open. ``answer``: the
    letter of the right one, ``(b)``; empty where it is open. ``answer_value``, unrounded: a number, several,
    or whether it is so. ``years``: what is asked about, in the order of the words; ``values``: what the
    answer was computed from, by year; for open questions the whole series up to what was known.
    ``older``: ``(year, value, vintage)`` as earlier vintages gave it. ``extra``: added to a sample for
    what it tells of the newest year known; the sample's shares leave it out.
    """

    kind: NumericKind
    category: str
    indicator: str
    unit: str
    entity: str
    code: str
    years: tuple[int, ...]
    answer_value: float | bool | tuple[float, ...]
    values: tuple[tuple[int, float], ...]
    options: tuple[str, ...] = ()
    answer: str = ""
    older: tuple[tuple[int, float, str], ...] = ()
    extra: bool = False

    @property
    def chance(self) -> float:
        """How often a guess is right: 0 where there are no options."""
        return 1 / len(self.options) if self.options else 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """One fact asked about by several prompts, with its key: ``values``, or ``numeric`` for a number.

    ``group``: the catalogue's group, or TempUN's category; ``fact``: the fact's id, or the series'.
    """

    id: str
    suite: str
    group: str
    fact: str
    prompts: tuple[Prompt, ...]
    as_of: date
    values: tuple[Value, ...]
    holders: Holders = "one"
    subject: str = ""
    numeric: NumericKey | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What one prompt brought: a text, or an error that says in one line why there is none.

    ``error_kind`` is a short stable word (``timeout``, ``http_429``, ``quota_exhausted``,
    ``empty_content``, ``not_json``, ...). ``finish`` is ``stop`` or ``length`` (cut off by the token
    limit). ``flags`` names what was not as asked (``non_deterministic_sampling``). Seconds of wall time.
    """

    text: str = ""
    error: str | None = None
    error_kind: str | None = None
    finish: Literal["stop", "length"] | None = None
    seconds: float | None = None
    served_model: str | None = None
    fingerprint: str | None = None
    flags: tuple[str, ...] = ()
