"""Reading what an OpenAI-compatible server sends: an answer, or a failure with its reason.

Nothing here trusts the server: every field may be absent, of another type, or huge. What the protocol
leaves open is listed in the OpenAI API reference and in the vLLM, Ollama and llama.cpp servers' code.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from freshness import strict
from freshness.models.text import MAX_ANSWER_CHARS, clean, one_line
from freshness.questions import Answer, Style
from freshness.retrying import retry_after

Scope = Literal["prompt", "server", "quota", "model"]

_ERROR_CODES = 400
# Request timeout, too early, too many requests: the same request may succeed later.
_RETRYABLE = {408, 425, 429}
_MODEL_STATUS = {401: "unauthorized", 403: "forbidden", 404: "not_found"}
_QUOTA_CODES = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exhausted")
_NAME_CHARS = 200
_OUTLINE = reprlib.Repr()
_OUTLINE.maxstring = 200


class Failed(Exception):
    """A request that brought no answer.

    ``kind`` as in ``Answer.error_kind``. ``scope``: what else it means. ``prompt``: nothing; ``server``:
    the server is at fault, others may fail too; ``quota``: no credit, others will fail; ``model``: this
    model can't be asked at all. ``retry``: the same request may succeed later, ``after`` so many seconds
    if the server said so. ``param``: the request parameter that the server objects to. ``code``: its word.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        scope: Scope = "server",
        retry: bool = False,
        after: float | None = None,
        param: str | None = None,
        code: str = "",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.scope: Scope = scope
        self.retry = retry
        self.after = after
        self.param = param
        self.code = code


def read_reply(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> dict[str, Any]:
    """The reply's JSON object (chunks of a stream joined); raises ``Failed`` for anything else.

    ``now`` (aware) is what a Retry-After date is compared with.
    """
    if status >= _ERROR_CODES:
        raise _http_failure(status, headers, body, now)
    if 300 <= status < _ERROR_CODES:
        target = one_line(headers.get("location", "elsewhere"), 120)
        raise Failed("redirect", f"redirects to {target}; use that address", scope="model")
    reply = _parse(body)
    if reply is None:
        shown = one_line(body[:2000].decode("utf-8", "replace"), 80)
        raise Failed("not_json", f"answered {status} with {_kind(body)}" + (f" ({shown})" if shown else ""))
    if "choices" not in reply or reply.get("error"):
        raise _error_in_disguise(reply)
    return reply


def _kind(body: bytes) -> str:
    """What a body is that is no JSON object."""
    try:
        return f"{strict.kind_of(json.loads(body))}, not a JSON object"
    except (ValueError, RecursionError):
        return "something else than JSON"


def _parse(body: bytes) -> dict[str, Any] | None:
    text = body.decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    if text.startswith(("data:", ":", "event:")):
        return _join_events(text.splitlines())
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _join_events(lines: Iterable[str]) -> dict[str, Any]:
    """The chunks of an event stream as one reply: some servers stream unasked."""
    content: list[str] = []
    whole: dict[str, Any] = {}
    finish = None
    for line in lines:
        chunk = _chunk(line)
        whole |= {key: value for key, value in chunk.items() if key != "choices"}
        # The first chunk (a content filter's) and the last (usage) have no choices.
        choice = first_choice(chunk)
        delta = choice.get("delta")
        content.append(_text(delta.get("content") if isinstance(delta, dict) else choice.get("text")) or "")
        finish = choice.get("finish_reason") or finish
    text = "".join(content)
    whole["choices"] = [{"message": {"content": text}, "text": text, "finish_reason": finish}]
    return whole


def _chunk(line: str) -> dict[str, Any]:
    if not line.startswith("data:"):
        return {}
    try:
        found = json.loads(line.removeprefix("data:"))
    except (ValueError, RecursionError):
        return {}  # [DONE], or a chunk that was cut off
    return found if isinstance(found, dict) else {}


def first_choice(reply: Mapping[str, Any]) -> dict[str, Any]:
    choices = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _http_failure(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> Failed:
    message, param, code = _error_text(_parse(body), body)
    said = f"answered {status}: {message}" if message else f"answered {status}"
    if status == 402 or code in _QUOTA_CODES:
        return Failed("quota_exhausted", said, scope="quota", code=code)
    if status in _MODEL_STATUS:
        return Failed(_MODEL_STATUS[status], said, scope="model", param=param, code=code)
    retry = status in _RETRYABLE or status >= 500
    scope: Scope = "server" if retry or status in (405, 407) else "prompt"
    after = retry_after(headers.get("retry-after"), now)
    if after:
        said += f" (asks to wait {after:.0f} s)"
    return Failed(f"http_{status}", said, scope=scope, retry=retry, after=after, param=param, code=code)


def _error_in_disguise(reply: Mapping[str, Any]) -> Failed:
    """Some routers answer 200 with an error object, or with an object that says nothing."""
    message, param, code = _error_text(dict(reply), b"")
    if code in _QUOTA_CODES or code == "402":
        return Failed("quota_exhausted", f"answered 200 with an error: {message}", scope="quota", code=code)
    if not message:
        return Failed("bad_reply", "answered 200 without choices and without an error")
    # A number that is an HTTP status says whether waiting helps; without one it may.
    retry = not code.isdecimal() or int(code) in _RETRYABLE or int(code) >= 500
    return Failed(
        "error_reply", f"answered 200 with an error: {message}", retry=retry, param=param, code=code
    )


def _error_text(reply: dict[str, Any] | None, body: bytes) -> tuple[str, str | None, str]:
    """Message, parameter and code of an error body: nested (OpenAI), flat (vLLM), a detail (FastAPI)."""
    if reply is None:
        return one_line(body[:4000].decode("utf-8", "replace")), None, ""
    error = reply.get("error", reply)
    if not isinstance(error, dict):
        return _words(error), None, ""
    message = error.get("message") or error.get("detail") or error.get("error") or ""
    param = error.get("param")
    code = error.get("code") or error.get("type") or ""
    return _words(message), param if isinstance(param, str) else None, one_line(_words(code), 60)


def _words(value: object) -> str:
    """What should be a text, as one line; anything else as Python writes its outer levels."""
    return one_line(value if isinstance(value, str) else _OUTLINE.repr(value))


def to_answer(reply: Mapping[str, Any], style: Style, flags: tuple[str, ...] = ()) -> Answer:
    """The answer in a reply; raises ``Failed`` when it has no content.

    Reasoning fields (``reasoning``, ``reasoning_content``) are never taken for the answer.
    """
    choice = first_choice(reply)
    text = _content(choice, style)
    length = choice.get("finish_reason") == "length"
    if length and (not text or _only_thinking(text)):
        raise Failed("truncated", "the token limit was spent before the answer began", scope="prompt")
    if text is None or (not text.strip() and style == "chat"):
        filtered = choice.get("finish_reason") == "content_filter"
        kind = "content_filter" if filtered else "empty_content"
        raise Failed(kind, "answered without content", scope="prompt")
    if length and _fills_context(reply):
        flags = (*flags, "context_full")
    if len(text) > MAX_ANSWER_CHARS:
        text, length, flags = text[:MAX_ANSWER_CHARS], True, (*flags, "text_cut")
    return Answer(
        clean(text),
        finish="length" if length else "stop",
        served_model=_name(reply.get("model")),
        fingerprint=_name(reply.get("system_fingerprint")),
        flags=flags,
    )


def _content(choice: Mapping[str, Any], style: Style) -> str | None:
    if style == "completion":
        return _text(choice.get("text"))
    message = choice.get("message")
    if not isinstance(message, dict):
        return None
    content = _text(message.get("content"))
    return content if content else _text(message.get("refusal")) or content


def _text(content: object) -> str | None:
    """A content that is a string, or a list of parts of which those of type text count."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def _only_thinking(text: str) -> bool:
    return "<think>" in text and "</think>" not in text


def _fills_context(reply: Mapping[str, Any]) -> bool:
    """Whether the answer was cut off by the server's context rather than by our limit.

    Servers cut silently to a context of their own, which is nearly always a power of two.
    """
    usage = reply.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return isinstance(total, int) and total >= 512 and total & (total - 1) == 0


def _name(value: object) -> str | None:
    return one_line(value, _NAME_CHARS) if isinstance(value, str) and value else None
