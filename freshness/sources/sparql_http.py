"""One HTTP exchange that ends in time and stays small, whatever the other side does.

urllib's timeout is for each read from the socket, so that a server which sends a byte a second never meets
it. Here every read gets what is left of the whole exchange's time: connecting, TLS, headers and body. (A
name is looked up in the resolver's own time, which is bounded too.)
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import io
import socket
import ssl
import time
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.error import URLError

from freshness.sources.trying import Failed

CONNECT_SECONDS = 10.0
"""So long may connecting to one address take, with TLS."""

MAX_ERROR_BYTES = 2**20
"""So much is read of an error's body: it may repeat the whole query before it tells the reason."""

_CHUNK = 2**16


@dataclass(frozen=True, slots=True)
class Reply:
    """``headers`` without regard to case; ``whole``: the body didn't break off (an error's may be cut)."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    whole: bool = True


def send(request: urllib.request.Request, deadline: float, max_bytes: int) -> Reply:
    """Whatever is answered, with any status, within ``deadline`` seconds and ``max_bytes`` of body.

    Follows no redirects. Raises ``Failed``, of the kinds that ``SparqlError`` names.
    """
    try:
        with contextlib.closing(_opener().open(request, timeout=deadline)) as response:
            return _read(response, max_bytes)
    except URLError as error:
        reason = error.reason if isinstance(error.reason, Exception) else error
        raise (_stalled(deadline) if isinstance(reason, TimeoutError) else _unreachable(reason)) from error
    except TimeoutError as error:
        raise _stalled(deadline) from error
    except (OSError, http.client.RemoteDisconnected) as error:
        raise Failed("connection_lost", f"broke the connection ({_reason(error)})", tries=3) from error
    except http.client.HTTPException as error:
        hint = "is wikidata.endpoint the address of an HTTP server?"
        raise Failed("not_http", f"broke the rules of HTTP ({_reason(error)})", hint) from error


def _opener() -> urllib.request.OpenerDirector:
    """Proxies as the environment has them; no redirects, no other schemes, and every status is an answer."""
    opener = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler(), urllib.request.UnknownHandler(), _Http(), _Https()):
        opener.add_handler(handler)
    return opener


def _read(response: http.client.HTTPResponse, max_bytes: int) -> Reply:
    """Raises ``Failed`` for a body that is too large, ``TimeoutError`` for one that doesn't end."""
    fine = response.status < 300
    limit = max_bytes if fine else MAX_ERROR_BYTES
    body = bytearray()
    broken = fine and (response.length or 0) > limit
    try:
        while not broken and (chunk := response.read1(min(_CHUNK, limit + 1 - len(body)))):
            body += chunk
            broken = len(body) > limit
    except (http.client.IncompleteRead, ConnectionError):
        return Reply(response.status, response.headers, bytes(body), whole=False)
    except TimeoutError:
        # The status says enough; what there is of the reason helps.
        if fine:
            raise
    if fine and broken:
        hint = "it isn't what we asked for; if it should be, tell its operator"
        raise Failed("too_large", f"sends more than {max_bytes / 2**20:g} MiB for one query", hint)
    return Reply(response.status, response.headers, bytes(body), whole=not response.length)


def _stalled(deadline: float) -> Failed:
    hint = "is it overloaded? wikidata.timeout lets it take longer"
    return Failed("stalled", f"gave no whole answer within {deadline:g} s", hint, tries=2)


def _unreachable(reason: Exception) -> Failed:
    """What kept us from connecting; the tries are few, since a server that is down stays so for a while."""
    if isinstance(reason, ssl.SSLCertVerificationError):
        hint = "check wikidata.endpoint and this machine's clock; SSL_CERT_FILE names authorities of your own"
        return Failed("tls", f"has a certificate that can't be trusted ({reason.verify_message})", hint)
    if isinstance(reason, ssl.SSLError):
        hint = "check whether wikidata.endpoint begins with http:// or https:// rightly"
        return Failed("tls", f"doesn't speak TLS as it should ({reason.reason or reason})", hint)
    hint = "check wikidata.endpoint, the network and its proxy"
    return Failed("unreachable", f"can't be reached ({_reason(reason)})", hint, tries=3, after=1.0)


def _reason(error: Exception) -> str:
    said = (isinstance(error, OSError) and error.strerror) or str(error)
    return " ".join(str(said).split())[:150] or type(error).__name__


class _Reader(io.RawIOBase):
    """What comes in on a socket, until a moment (monotonic) and no longer."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(_left(self._until))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


@dataclass(frozen=True, slots=True)
class _Socket:
    """The one thing that http.client's response wants of a socket."""

    sock: socket.socket
    until: float

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self.sock, self.until))


def _response(until: float, sock: socket.socket, **options: Any) -> http.client.HTTPResponse:
    return http.client.HTTPResponse(_Socket(sock, until), **options)  # type: ignore[arg-type]


class _Connection(http.client.HTTPConnection):
    """Its timeout is the deadline of the whole exchange, counted from now."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        seconds = float(self.timeout or CONNECT_SECONDS)
        self._until = time.monotonic() + seconds
        self.timeout = min(seconds, CONNECT_SECONDS)
        self.response_class = functools.partial(_response, self._until)  # type: ignore[assignment]

    def connect(self) -> None:
        try:
            super().connect()
        except TimeoutError:
            raise ConnectionError(f"no connection within {self.timeout:g} s") from None

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        self.sock.settimeout(_left(self._until))
        super().send(data)


class _TlsConnection(_Connection, http.client.HTTPSConnection):
    """The same with TLS."""


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, req)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_TlsConnection, req)


def _left(until: float) -> float:
    """Seconds until then; raises ``TimeoutError`` when there are none."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("the deadline is over")
    return left
