"""``http(s)://HOST/v1#MODEL``: a model behind an OpenAI-compatible server.

``dialect`` knows how to ask this server, ``replies`` how to read it; here is the sending: concurrently,
with retries, within limits. The event loop runs in a thread of its own, so that answers can be yielded as
they come and an interruption takes effect at once.
"""

from __future__ import annotations

import contextlib
import functools
import queue
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import anyio
import httpx
import stamina
from anyio.from_thread import start_blocking_portal
from stamina.instrumentation import get_on_retry_hooks, set_on_retry_hooks

from freshness import __version__
from freshness.errors import UnavailableError, UsageError
from freshness.models.dialect import Dialect, first_dialect
from freshness.models.options import ModelOptions
from freshness.models.replies import Failed, read_reply, to_answer
from freshness.models.text import cut_at, one_line
from freshness.protocols import ModelInfo
from freshness.questions import Answer, Prompt

MAX_BODY_BYTES = 2**20
CONNECT_SECONDS = 10.0
# Each is one thing learned about the server; nobody has more surprises than this.
MAX_ADAPTATIONS = 8
MAX_WAIT_SECONDS = 20.0
# A shorter key ("none", "EMPTY") is a placeholder, and would be found inside ordinary words.
_SECRET_CHARS = 8

Item = tuple[int, Answer] | UnavailableError | None
Put = Callable[[Item], None]


@dataclass(slots=True)
class _Round:
    """One call of ``answer``: what is left to ask, and how the server is doing.

    ``until``: when (monotonic) a server that only ever ran out of time is given up. ``first_heard``: the
    first prompt has an outcome, or the server let it wait.
    """

    todo: Iterator[tuple[int, Prompt]]
    client: httpx.AsyncClient
    put: Put
    until: float
    answered: bool = False
    failed_in_a_row: int = 0
    stalls: int = 0
    stopped: Failed | None = None
    first_heard: anyio.Event = field(default_factory=anyio.Event)

    def is_stalled(self, limit: int) -> bool:
        """Whether so many requests, or all for as long as one prompt may take, ran out of time unanswered."""
        return (
            not self.answered
            and bool(self.stalls)
            and (self.stalls >= limit or time.monotonic() >= self.until)
        )


@dataclass(slots=True)
class _Seen:
    """What the replies said of the server; a change is an event, so all are kept (a bounded few)."""

    models: list[str] = field(default_factory=list)
    fingerprints: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    def note(self, answer: Answer) -> None:
        pairs = [(self.models, answer.served_model), (self.fingerprints, answer.fingerprint)]
        pairs += [(self.flags, flag) for flag in answer.flags]
        for known, new in pairs:
            if new and new not in known and len(known) < 20:
                known.append(new)


class EndpointModel:
    """Asks over HTTP; learns the server's dialect once and keeps it."""

    def __init__(self, url: httpx.URL, model: str, options: ModelOptions) -> None:
        self._url = url
        self._model = model
        self._options = options
        self._deadline = options.deadline or 3 * options.timeout
        self._dialect = first_dialect(url.path, options.style)
        self._settled = False
        self._seen = _Seen()
        self._host = url.netloc.decode("ascii").rpartition("@")[2]

    def info(self) -> ModelInfo:
        dialect = self._dialect
        served = self._seen.models[-1] if self._seen.models else self._model
        details = {
            "kind": "endpoint",
            "url": f"{self._url.scheme}://{self._host}{dialect.routes[0].base}",
            "asked_model": self._model,
            "served_models": list(self._seen.models),
            "fingerprints": list(self._seen.fingerprints),
            "flags": list(self._seen.flags),
            "max_new_tokens": dialect.limit(self._options) if dialect.limit_key else None,
            "limit_key": dialect.limit_key,
            "temperature": None if "temperature" in dialect.dropped else 0,
            "concurrency": self._options.concurrency,
        }
        return ModelInfo(self._options.name or self._model, served, dialect.style, details)

    def answer(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Answer]]:
        items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        with _untold_retries(), start_blocking_portal() as portal:
            done = portal.start_task_soon(self._ask_all, prompts, items.put)
            while (item := items.get()) is not None:
                if isinstance(item, UnavailableError):
                    raise item
                yield item
            done.result()

    async def _ask_all(self, prompts: Sequence[Prompt], put: Put) -> None:
        try:
            async with self._client() as client:
                until = time.monotonic() + self._deadline
                now = _Round(iter(list(enumerate(prompts))), client, put, until)
                async with anyio.create_task_group() as group:
                    for _ in range(min(self._options.concurrency, len(prompts))):
                        group.start_soon(self._worker, now)
                        if not self._settled:
                            # One prompt alone finds out how to ask, before many make one mistake at once.
                            await now.first_heard.wait()
        finally:
            put(None)

    def _client(self) -> httpx.AsyncClient:
        headers = {"User-Agent": f"freshness/{__version__}", "Accept": "application/json"}
        if self._options.api_key:
            headers["Authorization"] = f"Bearer {self._options.api_key}"
        connect = min(CONNECT_SECONDS, self._options.timeout)
        # Redirects stay unfollowed: the key is for this host alone.
        return httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(self._options.timeout, connect=connect),
            limits=httpx.Limits(max_connections=self._options.concurrency),
            follow_redirects=False,
        )

    async def _worker(self, now: _Round) -> None:
        for index, prompt in now.todo:
            try:
                now.put((index, await self._one(now, prompt)))
            except UnavailableError as error:
                now.put(error)
                return
            finally:
                now.first_heard.set()

    async def _one(self, now: _Round, prompt: Prompt) -> Answer:
        """The prompt's answer or error; raises ``UnavailableError`` when there is no use in going on."""
        if now.stopped:
            message = f"not sent, {self._host} failed before: {now.stopped.message}"
            return Answer(error=self._harmless(message), error_kind=now.stopped.kind)
        started = time.perf_counter()
        try:
            answer = await self._with_retries(now, prompt)
        except Failed as failed:
            self._judge_failure(now, failed)
            message = self._harmless(f"{self._host} {failed.message}")
            seconds = time.perf_counter() - started
            return Answer(error=message, error_kind=failed.kind, seconds=seconds)
        now.answered, now.failed_in_a_row, self._settled = True, 0, True
        self._seen.note(answer)
        return replace(answer, seconds=time.perf_counter() - started)

    def _judge_failure(self, now: _Round, failed: Failed) -> None:
        if failed.scope == "prompt":
            now.failed_in_a_row = 0
            return
        now.failed_in_a_row += 1
        limit = self._options.give_up_after
        enough = now.failed_in_a_row >= limit or now.is_stalled(limit)
        if failed.scope == "quota" or (enough and now.answered):
            now.stopped = failed
        elif not now.answered and (enough or failed.scope == "model"):
            raise UnavailableError(self._harmless(f"{self._host} {failed.message}{self._hint(failed)}"))

    def _hint(self, failed: Failed) -> str:
        if failed.kind in ("unauthorized", "forbidden"):
            key = self._options.api_key_env or "the variable that api_key_env names"
            return f"; put a key that this server takes into {key}"
        if failed.kind == "not_found":
            return f"; check the base URL and the model name {self._model}"
        if failed.kind == "not_json":
            return "; is this the base URL of an OpenAI-compatible server?"
        if failed.kind == "timeout":
            return "; is it overloaded or still loading? limits.timeout in the config lets it take longer"
        return "; is the server up?" if failed.kind == "unreachable" else ""

    async def _with_retries(self, now: _Round, prompt: Prompt) -> Answer:
        until = time.monotonic() + self._deadline
        attempts = stamina.retry_context(
            functools.partial(self._wait, now, until),
            attempts=self._options.tries,
            timeout=self._deadline,
            wait_initial=0.5,
            wait_max=MAX_WAIT_SECONDS,
        )
        async for attempt in attempts:
            with attempt:
                return await self._in_dialect(now.client, prompt, until)
        raise AssertionError("stamina gives at least one attempt")

    def _wait(self, now: _Round, until: float, error: Exception) -> bool | float:
        """Whether to try again after this error, or in how many seconds (for stamina)."""
        left = until - time.monotonic()
        if not isinstance(error, Failed):
            return False
        if error.kind == "timeout":
            now.stalls += 1
            now.first_heard.set()
            # It has waited long enough already; a scrap of time at the end is not worth a request.
            again = left > self._options.timeout / 10 and not now.is_stalled(self._options.give_up_after)
            return 0.0 if again else False
        # No server that can't be reached at first comes up while we wait; one that was up may.
        if not error.retry or left <= 0 or (error.scope == "model" and not now.answered):
            return False
        if error.after is None:
            return True
        return error.after if error.after < left else False

    async def _in_dialect(self, client: httpx.AsyncClient, prompt: Prompt, until: float) -> Answer:
        """One attempt, asked again whenever the refusal tells how to ask better; over at ``until``."""
        for _ in range(MAX_ADAPTATIONS):
            dialect = self._dialect
            body = dialect.body(self._model, prompt, self._options)
            try:
                seconds = min(self._options.timeout, max(0.0, until - time.monotonic()))
                reply = await self._post(client, dialect, body, seconds)
                return self._finished(to_answer(reply, dialect.style, dialect.flags))
            except Failed as failed:
                better = dialect.adapt(failed, body)
                # Another prompt may have learned it meanwhile; then its dialect is the one to try.
                if better is None and self._dialect is dialect:
                    raise
                if better is not None and self._dialect is dialect:
                    self._dialect = better
        raise Failed("bad_reply", f"refused {MAX_ADAPTATIONS} ways to ask", scope="model")

    def _finished(self, answer: Answer) -> Answer:
        text, stopped = cut_at(self._redacted(answer.text), self._options.stop)
        return replace(
            answer,
            text=text,
            finish="stop" if stopped else answer.finish,
            served_model=answer.served_model and self._redacted(answer.served_model),
            fingerprint=answer.fingerprint and self._redacted(answer.fingerprint),
        )

    async def _post(
        self, client: httpx.AsyncClient, dialect: Dialect, body: dict[str, object], seconds: float
    ) -> dict[str, object]:
        url = self._url.copy_with(path=dialect.routes[0].path)
        try:
            with anyio.fail_after(seconds):
                async with client.stream("POST", url, json=body) as response:
                    content = await _read(response)
        except (TimeoutError, httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout) as error:
            waited = f"gave no whole answer within {round(seconds, 1):g} s"
            raise Failed("timeout", waited, retry=True) from error
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            reason = str(error) or "no connection in time"
            raise Failed("unreachable", f"can't be reached: {reason}", scope="model", retry=True) from error
        except httpx.HTTPError as error:
            broke = f"broke the connection: {one_line(str(error)) or type(error).__name__}"
            raise Failed("connection_lost", broke, retry=True) from error
        return read_reply(response.status_code, response.headers, content, datetime.now(UTC))

    def _harmless(self, message: str) -> str:
        return one_line(self._redacted(message))

    def _redacted(self, text: str) -> str:
        """The text without the API key, which a server may echo."""
        key = self._options.api_key
        return text.replace(key, "***") if key and len(key) >= _SECRET_CHARS else text


@contextlib.contextmanager
def _untold_retries() -> Iterator[None]:
    """Retries go unsaid meanwhile: stamina logs or prints each, and what came of them is in the answer."""
    hooks = get_on_retry_hooks()
    set_on_retry_hooks([])
    try:
        yield
    finally:
        set_on_retry_hooks(hooks)


async def _read(response: httpx.Response) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > MAX_BODY_BYTES:
            raise Failed("too_large", f"sent more than {MAX_BODY_BYTES // 2**20} MiB for one answer")
    return bytes(content)


def open_model(spec: str, options: ModelOptions) -> EndpointModel:
    """Raises ``UsageError`` for a URL without host or model, or a key that no header can carry."""
    address, _, model = spec.partition("#")
    if not model.strip():
        raise UsageError(f"{spec}: name the model after #, as in http://localhost:8000/v1#MODEL")
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL as error:
        raise UsageError(f"{address} is no URL: {error}") from error
    if not url.host:
        raise UsageError(f"{address} names no host; use http://HOST/v1#MODEL")
    key = options.api_key.strip() if options.api_key else None
    if key and not (key.isascii() and key.isprintable()):
        where = options.api_key_env or "api_key"
        raise UsageError(f"the key in {where} has characters that no HTTP header can carry; set it again")
    return EndpointModel(url, model.strip(), replace(options, api_key=key))
