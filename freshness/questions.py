"""What is asked, and what came back.

A question carries its key (the values with their intervals, and the date asked about), so that an
old answer can be judged again when the world changes, without asking the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from freshness.facts import Holders, Value

Style = Literal["chat", "completion"]


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
        return f"{self.question} {self.instruction}".strip()


@dataclass(frozen=True, slots=True)
class Question:
    """One fact asked about by several prompts, with its key."""

    id: str
    suite: str
    group: str
    fact: str
    prompts: tuple[Prompt, ...]
    as_of: date
    values: tuple[Value, ...]
    holders: Holders = "one"
    subject: str = ""


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
