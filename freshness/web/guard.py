"""What stands between the network and the application: hosts, sizes, headers, and unchanged pages.

Written against ASGI itself: what is refused here never reaches a route, and no answer leaves without its
headers, an error's included.
"""

from __future__ import annotations

import hashlib
import ipaddress
import logging
from collections.abc import Callable, Iterable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES: Final = 16_384
"""No request needs a body at all; one that is small is read and ignored."""

POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
LOG: Final = logging.getLogger("freshness.web")

Broken = Callable[[Request, Exception], Response]
"""What is answered where something unexpected was raised."""


def allowed_hosts(bound_to: str) -> frozenset[str] | None:
    """The names that a request may address us by; None: any.

    A daemon that listens on the loopback only is reached by a loopback name. One that is asked for another
    name is asked by a web page that rebound its own name to us (DNS rebinding), and answers nothing.
    Elsewhere the names can't be known: a container's, a service's, a pod's address.
    """
    return frozenset((*_LOOPBACK_NAMES, bound_to.casefold())) if is_loopback(bound_to) else None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


class Guard:
    """Refuses foreign hosts and large bodies, answers HEAD as GET without a body, and adds the headers.

    What is raised below ends here, in the log and as ``broken`` tells it.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] | None, broken: Broken) -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)
        self._broken = broken

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        guarded = _Sender(send, is_head)
        refusal = self._refusal(Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        try:
            await self._app({**scope, "method": "GET"} if is_head else scope, receive, guarded)
        except Exception as error:
            LOG.exception("a request failed: %s", scope["path"])
            if guarded.has_begun:
                raise
            await self._broken(Request(scope), error)(scope, receive, guarded)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        if self._hosts is not None and _host_name(headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("this host name is not served here\n", 421)
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            return PlainTextResponse("no request needs a body here\n", 413)
        return None


class _Sender:
    """Adds the headers to what is sent; for HEAD leaves the body out."""

    def __init__(self, send: Send, is_head: bool) -> None:
        self._send = send
        self._is_head = is_head
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
        elif message["type"] == "http.response.body" and self._is_head:
            message = {**message, "body": b""}
        await self._send(message)


def _host_name(host: str) -> str:
    """The name in a Host header, without its port; an IPv6 address without its brackets."""
    name, bracket, _ = host.strip().casefold().removeprefix("[").partition("]")
    return name if bracket else name.partition(":")[0]


class Unchanged:
    """Gives what can be kept (``Cache-Control: no-cache``) an ETag, and answers 304 to who has it already."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Tagger(send, Headers(scope=scope).get("if-none-match", "")))


class _Tagger:
    """Holds the head back until the whole body is there; pages are in one piece."""

    def __init__(self, send: Send, known: str) -> None:
        self._send = send
        self._known = {tag.strip().removeprefix("W/") for tag in known.split(",")}
        self._head: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _can_be_kept(message):
            self._head = message
            return
        if self._head is not None and message["type"] == "http.response.body":
            head, self._head = self._head, None
            message = await self._begin(head, message)
        await self._send(message)

    async def _begin(self, head: Message, message: Message) -> Message:
        body = message.get("body", b"")
        if message.get("more_body"):
            await self._send(head)
            return message
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = MutableHeaders(scope=head)
        headers["ETag"] = tag
        if tag not in self._known:
            await self._send(head)
            return message
        del headers["content-length"]
        await self._send({**head, "status": 304})
        return {"type": "http.response.body", "body": b""}


def _can_be_kept(message: Message) -> bool:
    cache = Headers(raw=message["headers"]).get("cache-control", "")
    return message["status"] == 200 and cache.startswith(("no-cache", "private, no-cache"))
