"""Asking a chart server, politely: one request at a time, with a name, few tries and an end in sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Final
from urllib.parse import unquote, urlencode

from freshness.errors import UnavailableError
from freshness.sources.endpoints import checked_address, user_agent
from freshness.sources.owid.errors import Bad
from freshness.sources.trying import Failed, Trying

if TYPE_CHECKING:
    from freshness.sources.owid.transfer import Got, Request

NOT_FOUND: Final = "owid_not_found"
GIVEN_UP: Final = 3
"""After so many requests in a row without an answer (each with its tries) no more are sent."""

_REFUSED = {
    401: (
        "owid_refused",
        "it wants user and password: put them into the address in FRESHNESS_OWID__BASE_URL",
    ),
    403: (
        "owid_forbidden",
        "such a chart may not be passed on, or our User-Agent is refused: see owid.contact",
    ),
    404: (NOT_FOUND, "look its name up on the server: it is the last part of the chart's address"),
    410: (NOT_FOUND, "take it out of the catalogue"),
}
# These are faults of what was asked for; of the others the server or the way to it may be to blame.
_OF_CHART = {"too_large": "owid_too_large", "redirect": "owid_redirect", "compressed": "owid_not_csv"}


class Server:
    """``host``: as it is named in messages. ``requests``: how many were sent. Arguments as for ``Owid``."""

    def __init__(
        self, base_url: str, contact: str, deadline: float, attempts: int, tell: Callable[[str], None]
    ) -> None:
        parts = checked_address(base_url, "owid.base_url", "https://HOST")
        self.host = parts.netloc.rpartition("@")[2]
        self.requests = 0
        self._agent = user_agent(contact, parts.hostname or "", "owid")
        path = parts.path.rstrip("/").removesuffix("/grapher")
        self._base = parts._replace(netloc=self.host, path=f"{path}/grapher", query="", fragment="").geturl()
        self._auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        self._deadline = deadline
        self._attempts = attempts
        self._tell = tell
        self._unanswered = 0

    def get(
        self, name: str, accept: str, max_bytes: int, check: Callable[[bytes], None], **flags: str
    ) -> IO[bytes]:
        """A file of the chart folder, to be closed.

        Raises ``Bad`` (``owid_not_found``, ``owid_forbidden`` ...) and ``UnavailableError``.
        """
        from freshness.sources.owid.transfer import Request

        if self._unanswered >= GIVEN_UP:
            raise UnavailableError(f"{self.host} was not asked for {name}: it gave no answer before")
        url = f"{self._base}/{name}?{urlencode(flags)}"
        request = Request(url, self._agent, accept, self._deadline, max_bytes, check, self._auth)
        trying = Trying(self.host, self._attempts, self._tell, self._harmless)
        try:
            body = trying.until_done(lambda: self._once(request))
        except Failed as failed:
            raise self._failure(failed, trying) from failed
        except Bad:
            self._unanswered = 0
            raise
        self._unanswered = 0
        return body

    def _once(self, request: Request) -> IO[bytes]:
        from freshness.sources.owid.transfer import get

        self.requests += 1
        got = get(request)
        if got.status == 200:
            return got.body
        got.body.close()
        raise _refused(got)

    def _failure(self, failed: Failed, trying: Trying) -> Exception:
        if failed.kind.startswith("owid_") or failed.kind in _OF_CHART:
            self._unanswered = 0
            hint = f"; {failed.hint}" if failed.hint else ""
            text = f"the server {self._harmless(failed.text)}{hint}"
            return Bad(_OF_CHART.get(failed.kind, failed.kind), text)
        self._unanswered += 1
        return UnavailableError(trying.message(failed))

    def _harmless(self, text: str) -> str:
        """The text without the credentials, which a server may echo."""
        for secret in reversed(self._auth or ()):
            text = text.replace(secret, "***") if secret else text
        return text


def _refused(got: Got) -> Failed:
    """An error status, each with its own policy for trying again."""
    said = f"answered {got.status}"
    if got.status == 429:
        return Failed("rate_limited", said, "ask it less often", tries=None, after=got.after)
    if got.status == 408 or got.status >= 500:
        return Failed("server_error", said, "try again later", tries=None, after=got.after)
    kind, hint = _REFUSED.get(got.status, ("owid_refused", "check owid.base_url"))
    return Failed(kind, said, hint)
