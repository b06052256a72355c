"""The only three seams: where facts come from, who answers, what is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from freshness.facts import Snapshot
from freshness.questions import Answer, Prompt, Question, Style
from freshness.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What really answered. ``details`` goes into the run as it is: dtype, batch, device, versions ..."""

    name: str
    served: str
    style: Style
    details: dict[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """Gives all facts it knows; raises ``UnavailableError``."""

    def fetch(self) -> Snapshot: ...


class Model(Protocol):
    """Answers prompts."""

    def info(self) -> ModelInfo:
        """Loads or contacts nothing that ``answer`` would not; may change after the first answers."""
        ...

    def answer(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Answer]]:
        """Each prompt's index exactly once, in any order, as answers come.

        One failing prompt is an ``Answer`` with an error; raises ``UnavailableError`` when the model
        as a whole can't answer.
        """
        ...


class Suite(Protocol):
    """A kind of question set. Its questions carry their keys, so that judging never goes back to a source."""

    @property
    def name(self) -> str: ...

    def judge(self, question: Question, prompt: Prompt, answer: Answer) -> Judgement: ...
