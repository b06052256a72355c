"""One download by HTTP that ends in time and stays small, whatever the other side does.

httpx's own timeouts are for each read; the deadline here is for the whole: names, connecting, redirects,
headers and body. A body is unpacked here, a piece at a time, so that a few bytes can't become gigabytes.
"""

from __future__ import annotations

import functools
import ssl
import tempfile
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Final

import anyio
import httpx
from anyio.from_thread import start_blocking_portal

from freshness.errors import FreshnessError
from freshness.retrying import retry_after
from freshness.sources.endpoints import is_public
from freshness.sources.trying import Failed

CONNECT_SECONDS: Final = 10.0
MAX_REDIRECTS: Final = 5
IN_MEMORY: Final = 8 * 2**20
"""A larger body goes to a temporary file."""

_PIECE = 2**18
_MAX_ERROR_BYTES = 2**16
_MOVED = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True)
class Request:
    """What to get, in whose name, within how many seconds, and how many bytes (unpacked) at most.

    ``check`` is given the first bytes of a good answer and may raise, so that the rest isn't waited for.
    """

    url: str
    agent: str
    accept: str
    deadline: float
    max_bytes: int
    check: Callable[[bytes], None]
    auth: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Got:
    """``status``: 200, or an error's; ``body``: at its beginning, to be closed; ``after``: of Retry-After."""

    status: int
    body: IO[bytes]
    after: float | None = None


def get(request: Request) -> Got:
    """Whatever is answered at last, redirects followed; raises ``Failed``, and what ``check`` raises.

    ``FreshnessError`` where there is no room for it here.
    """
    with start_blocking_portal() as portal:
        return portal.call(_within_deadline, request)


async def _within_deadline(request: Request) -> Got:
    try:
        with anyio.fail_after(request.deadline):
            return await _followed(request)
    except (TimeoutError, httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout) as error:
        hint = "is it overloaded? owid.timeout lets it take longer"
        text = f"gave no whole answer within {request.deadline:g} s"
        raise Failed("stalled", text, hint, tries=2) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _lost(error, request) from error


async def _followed(request: Request) -> Got:
    url = httpx.URL(request.url)
    headers = {"User-Agent": request.agent, "Accept": request.accept, "Accept-Encoding": "gzip"}
    timeout = httpx.Timeout(request.deadline, connect=CONNECT_SECONDS)
    hooks = {"response": [_refuse_odd_redirect]}
    async with httpx.AsyncClient(
        headers=headers, timeout=timeout, verify=_authorities(), event_hooks=hooks
    ) as client:
        for _ in range(MAX_REDIRECTS + 1):
            same_host = url.netloc == httpx.URL(request.url).netloc
            auth = httpx.BasicAuth(*request.auth) if request.auth and same_host else None
            async with client.stream("GET", url, auth=auth) as response:
                if response.status_code not in _MOVED:
                    return await _read(response, request)
                url = after_redirect(url, response)
    raise Failed("redirect", f"redirects more than {MAX_REDIRECTS} times", "check owid.base_url")


@functools.cache
def _authorities() -> ssl.SSLContext:
    """Loaded once: that takes longer than a small download."""
    return httpx.create_ssl_context()


async def _refuse_odd_redirect(response: httpx.Response) -> None:
    """Before httpx takes the address apart for itself, and fails in ways of its own."""
    if response.status_code in _MOVED:
        after_redirect(response.request.url, response)


def after_redirect(url: httpx.URL, response: httpx.Response) -> httpx.URL:
    """Where a redirect leads; raises ``Failed`` for where none may lead."""
    hint = "check owid.base_url"
    if "Location" not in response.headers:
        raise Failed("redirect", f"answered {response.status_code} without a place to go to", hint)
    target: httpx.URL | None
    try:
        target = url.join(response.headers["Location"])
        # Nothing but scheme and host is told: the rest of an address may hold a token.
        where = f"{target.scheme[:20]}://{target.host[:80]}"
    except (ValueError, httpx.InvalidURL):
        target = None
    if target is None or not 0 < (target.port or 80) < 2**16:
        raise Failed("redirect", f"answered {response.status_code} with an address that is none", hint)
    if target.scheme not in ("http", "https") or not target.host:
        raise Failed("redirect", f"redirects to {where}, which is no web address", hint)
    if url.scheme == "https" and target.scheme == "http":
        raise Failed("redirect", f"redirects to {where}, without encryption", hint)
    if is_public(url.host) and not is_public(target.host):
        raise Failed("redirect", f"redirects to {where}, which is inside this network", hint)
    return target.copy_with(fragment=None)


async def _read(response: httpx.Response, request: Request) -> Got:
    fine = response.status_code == 200
    if fine and int(response.headers.get("Content-Length", 0)) > request.max_bytes:
        raise _too_large(request)
    body = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (whoever asked closes it)
    try:
        size = 0
        async for piece in _pieces(response):
            if fine and not size:
                request.check(piece)
            size += len(piece)
            if not fine and size > _MAX_ERROR_BYTES:
                break
            if size > request.max_bytes:
                raise _too_large(request)
            _keep(piece, body)
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return Got(
        response.status_code, body, retry_after(response.headers.get("Retry-After"), datetime.now(UTC))
    )


def _keep(piece: bytes, body: IO[bytes]) -> None:
    try:
        body.write(piece)
    except OSError as error:
        hint = "free some space there, or name another directory in TMPDIR"
        raise FreshnessError(f"a download can't be kept in TMPDIR ({error.strerror}); {hint}") from error


def _too_large(request: Request) -> Failed:
    text = f"sends more than {request.max_bytes / 2**20:g} MiB for one chart"
    return Failed("too_large", text, "it isn't what we asked for; tell its operator")


async def _pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body, unpacked; raises ``Failed`` for what is packed in another way, or not to its end."""
    packed = response.headers.get("Content-Encoding", "identity").strip().lower()
    if packed not in ("identity", "", "gzip", "x-gzip"):
        raise Failed("compressed", f"sent a body in {packed[:40]!r}, which we didn't ask for")
    if packed in ("identity", ""):
        async for data in response.aiter_raw(_PIECE):
            yield data
        return
    unpacking = _Unpacking()
    async for data in response.aiter_raw(_PIECE):
        for piece in unpacking.of(data):
            yield piece
    if not unpacking.is_whole:
        raise Failed("connection_lost", "sent a packed body that breaks off", tries=3)


class _Unpacking:
    """Of a body in gzip, which may be packed in parts, one after another (RFC 1952), and filled up with 0."""

    def __init__(self) -> None:
        self._part = zlib.decompressobj(wbits=31)

    @property
    def is_whole(self) -> bool:
        return self._part.eof

    def of(self, data: bytes) -> Iterator[bytes]:
        """What is packed in the next bytes, so much at most at a time, however much it is."""
        try:
            while data := data.lstrip(b"\0") if self._part.eof else data:
                if self._part.eof:
                    self._part = zlib.decompressobj(wbits=31)
                if piece := self._part.decompress(data, _PIECE):
                    yield piece
                data = self._part.unconsumed_tail or self._part.unused_data
        except zlib.error as error:
            raise Failed("compressed", f"sent a body that can't be unpacked ({error})", tries=2) from None


def _lost(error: httpx.HTTPError | httpx.InvalidURL, request: Request) -> Failed:
    """Why no answer came, and from which other host, where a redirect had led there."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        failed = _unreachable(error)
    elif isinstance(error, httpx.RemoteProtocolError | httpx.NetworkError):
        failed = Failed("connection_lost", f"broke the connection ({_reason(error)})", tries=3)
    else:
        hint = "is owid.base_url the address of an HTTP server?"
        failed = Failed("not_http", f"can't be asked ({_reason(error)})", hint)
    asked = httpx.URL(request.url).netloc
    host = error.request.url.netloc if isinstance(error, httpx.RequestError) else asked
    if host != asked:
        failed.text = f"redirects to {host.decode('ascii')[:80]}, which {failed.text}"
    return failed


def _unreachable(error: Exception) -> Failed:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        hint = "check owid.base_url and this machine's clock; SSL_CERT_FILE names authorities of your own"
        return Failed("tls", f"has a certificate that can't be trusted ({cause.verify_message})", hint)
    if cause is not None:
        hint = "check whether owid.base_url begins with http:// or https:// rightly"
        return Failed("tls", f"doesn't speak TLS as it should ({_reason(cause)})", hint)
    reason = f"no connection within {CONNECT_SECONDS:g} s" if not str(error) else _reason(error)
    hint = "check owid.base_url, the network and its proxy"
    return Failed("unreachable", f"can't be reached ({reason})", hint, tries=3, after=1.0)


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:150] or type(error).__name__
