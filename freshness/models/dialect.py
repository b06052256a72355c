"""How one server wants to be asked, learned from its refusals.

OpenAI-compatible servers differ in the path, in chat or completion, in the name of the token limit and in
what may be set. Each refusal says what to change: ``adapt`` changes that one thing. It goes by the error,
never by the model's name, and what was learned is kept for the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from freshness.models.options import ModelOptions, StyleChoice
from freshness.models.replies import Failed
from freshness.questions import Prompt, Style

# What a model that thinks first needs before it comes to the answer.
THINKING_TOKENS = 2048

_VERSIONED = re.compile(r"/v\d")
_OPERATIONS = re.compile(r"/(chat/)?completions/?$")
_UNSUPPORTED = re.compile(
    r"unsupported|not support|unrecognized|unknown|not permitted|unexpected|temperature\W+must be", re.I
)
_NO_CHAT = re.compile(r"chat[ _]template|not a chat model", re.I)
_LIMITS = ("max_tokens", "max_completion_tokens")
_DROPPABLE = ("temperature", "stop")


@dataclass(frozen=True, slots=True)
class Route:
    """A path of the server, and the style that goes there."""

    base: str
    style: Style

    @property
    def path(self) -> str:
        return self.base + ("/chat/completions" if self.style == "chat" else "/completions")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What was learned so far; ``routes[0]`` is the one in use, the others are still to be tried."""

    routes: tuple[Route, ...]
    limit_key: str | None = "max_tokens"
    dropped: frozenset[str] = frozenset()
    thinking: bool = False

    @property
    def style(self) -> Style:
        return self.routes[0].style

    @property
    def flags(self) -> tuple[str, ...]:
        """Greedy decoding is what makes two runs comparable; without temperature 0 there is none."""
        return ("non_deterministic_sampling",) if "temperature" in self.dropped else ()

    def limit(self, options: ModelOptions) -> int:
        limit = options.token_limit(self.style)
        return max(limit, THINKING_TOKENS) if self.thinking else limit

    def body(self, model: str, prompt: Prompt, options: ModelOptions) -> dict[str, Any]:
        """The request's JSON."""
        text = prompt.text(self.style)
        body: dict[str, Any] = {"model": model, "temperature": 0}
        if self.style == "chat":
            body["messages"] = [{"role": "user", "content": text}]
        else:
            body["prompt"] = text
        if self.limit_key:
            body[self.limit_key] = self.limit(options)
        if options.stop:
            body["stop"] = list(options.stop)
        return {key: value for key, value in body.items() if key not in self.dropped}

    def adapt(self, failed: Failed, sent: Mapping[str, Any]) -> Dialect | None:
        """The dialect to try after this refusal of ``sent``; None when it tells of nothing to change."""
        if failed.kind == "truncated":
            return None if self.thinking or not self.limit_key else replace(self, thinking=True)
        if failed.kind not in ("http_400", "http_422", "not_found", "http_405", "http_501", "error_reply"):
            return None
        if _NO_CHAT.search(failed.message):
            return self._without_chat()
        param = _refused(failed, sent)
        if param in _LIMITS:
            return replace(self, limit_key="max_completion_tokens" if param == "max_tokens" else None)
        if param:
            return replace(self, dropped=self.dropped | {param})
        missing_route = failed.kind in ("not_found", "http_405", "http_501") and not _names_model(
            failed, sent
        )
        return replace(self, routes=self.routes[1:]) if missing_route and self.routes[1:] else None

    def _without_chat(self) -> Dialect | None:
        rest = tuple(route for route in self.routes if route.style == "completion")
        same = sorted(rest, key=lambda route: route.base != self.routes[0].base)
        return replace(self, routes=tuple(same)) if rest and self.style == "chat" else None


def first_dialect(path: str, style: StyleChoice) -> Dialect:
    """What to try on a base URL with this path: with /v1 if it has no version, chat before completion."""
    base = _OPERATIONS.sub("", path).rstrip("/")
    bases = [base] if _VERSIONED.search(base) else [f"{base}/v1", base]
    styles: list[Style] = ["chat", "completion"] if style == "auto" else [style]
    return Dialect(tuple(Route(base, each) for each in styles for base in bases))


def _refused(failed: Failed, sent: Mapping[str, Any]) -> str | None:
    """The parameter that the server does not take: the one it names, if we sent it and may leave it out."""
    if not _UNSUPPORTED.search(f"{failed.code} {failed.message}"):
        return None
    named = [failed.param] if failed.param else re.findall(r"\w+", failed.message)
    return next((key for key in (*_LIMITS, *_DROPPABLE) if key in named and key in sent), None)


def _names_model(failed: Failed, sent: Mapping[str, Any]) -> bool:
    return "model" in failed.code.lower() or str(sent["model"]).lower() in failed.message.lower()
