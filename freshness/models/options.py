"""How a model is run: one frozen set of options for every kind of model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from freshness.errors import UsageError
from freshness.questions import Style

StyleChoice = Literal["auto", "chat", "completion"]
DtypeChoice = Literal["auto", "float32", "bfloat16"]

# DyKnow's completions have about 20 tokens; a chat model wraps the name in a sentence of its own.
COMPLETION_TOKENS = 24
CHAT_TOKENS = 48


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Options that a kind of model has no use for are ignored by it.

    ``style`` auto: chat where the model has a template, completion otherwise. ``max_new_tokens`` None:
    ``COMPLETION_TOKENS`` or ``CHAT_TOKENS`` by style. ``dtype``, ``device``, ``batch_size`` (prompts),
    ``revision`` (hub) are for local models; the rest for endpoints: ``api_key`` is the secret itself,
    ``api_key_env`` the name of the variable it came from, for messages; ``timeout`` seconds for one
    request, ``deadline`` seconds for one prompt with all its ``tries`` (None: three times ``timeout``);
    after ``give_up_after`` prompts in a row that the server failed, the rest isn't sent.
    Raises ``UsageError`` for a value out of range.
    """

    name: str | None = None
    style: StyleChoice = "auto"
    max_new_tokens: int | None = None
    stop: tuple[str, ...] = ()
    dtype: DtypeChoice = "auto"
    device: str = "auto"
    batch_size: int = 32
    revision: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    concurrency: int = 8
    timeout: float = 60.0
    deadline: float | None = None
    tries: int = 5
    give_up_after: int = 5

    def __post_init__(self) -> None:
        _one_of("style", self.style, get_args(StyleChoice))
        _one_of("dtype", self.dtype, get_args(DtypeChoice))
        for key in ("batch_size", "concurrency", "tries", "give_up_after", "timeout"):
            _positive(key, getattr(self, key))
        for key in ("max_new_tokens", "deadline"):
            if getattr(self, key) is not None:
                _positive(key, getattr(self, key))
        if not all(isinstance(text, str) and text for text in self.stop):
            raise UsageError("model option stop must be a list of strings that are not empty")

    def token_limit(self, style: Style) -> int:
        """How many tokens an answer may have."""
        return self.max_new_tokens or (CHAT_TOKENS if style == "chat" else COMPLETION_TOKENS)


def _one_of(key: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"model option {key} must be one of {', '.join(choices)}, not {value!r}")


def _positive(key: str, value: float) -> None:
    if value <= 0:
        raise UsageError(f"model option {key} must be more than 0, not {value!r}")
