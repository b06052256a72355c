"""A SPARQL endpoint, asked politely: one query at a time, with a name, few tries and an end in sight.

SPARQLWrapper makes the request (SPARQL 1.1 Protocol: a query by POST); ``sparql_http`` sends it, within a
deadline and a size; ``sparql_replies`` reads what comes back; stamina waits and tries again.

What to expect of query.wikidata.org stands in its user manual and in Wikimedia's User-Agent policy: 60 s of
query time a minute, else 429 with Retry-After, and a ban of a day (403) for whoever doesn't heed it.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import ipaddress
import re
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import SplitResult, unquote, urlsplit

import stamina
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from freshness import __version__
from freshness.errors import UnavailableError, UsageError
from freshness.sources.sparql_http import Failed, send
from freshness.sources.sparql_replies import Term, read_rows

__all__ = ["SparqlClient", "SparqlError", "Term"]

MAX_WAIT_SECONDS = 600.0
"""A server that asks for more, over all tries of a query, is not waited for."""

# A mail address, a web address, or a user page of a wiki.
_CONTACT = re.compile(r"\S@\S|\S\.\S|User:\S", re.I)
_FIRST_WAIT = 2.0
_TOLD_WAIT = 5.0
_LONGEST_WAIT = 60.0


class SparqlError(UnavailableError):
    """A query that brought no rows. One line: the host, what happened, what to do.

    ``kind``: ``query_timeout``, ``stalled`` (no whole answer within our own deadline), ``rate_limited``,
    ``banned``, ``forbidden``, ``unauthorized``, ``server_error``, ``bad_query``, ``not_found``, ``refused``,
    ``redirect``, ``not_json``, ``not_sparql``, ``truncated``, ``compressed``, ``too_large``, ``not_http``,
    ``connection_lost``, ``unreachable`` or ``tls``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(slots=True)
class _Round:
    """The tries of one query so far, and the seconds that the server asked us to wait between them."""

    sent: int = 0
    waited: float = 0.0


class SparqlClient:
    """Asks one endpoint, from one thread.

    ``contact``: how its operator can reach whoever runs this; it goes into the User-Agent. ``deadline``:
    seconds for one request, from connecting to the last byte. ``max_bytes``: the most that an answer may
    have. ``attempts``: the most requests for one query. ``tell`` is given a line before each longer wait.

    Raises ``UsageError`` when the endpoint is no http(s) address, or a public one and there is no contact.
    """

    def __init__(
        self,
        endpoint: str,
        *,
        contact: str = "",
        deadline: float = 65.0,
        max_bytes: int = 32 * 2**20,
        attempts: int = 5,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        parts = _checked(endpoint)
        contact = _checked_contact(contact.strip(), parts.hostname or "")
        self.host = parts.netloc.rpartition("@")[2]
        self.requests = 0
        self._url = parts._replace(netloc=self.host, fragment="").geturl()
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._agent = f"freshness/{__version__}" + (f" ({contact})" if contact else "")
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._attempts = attempts
        self._tell = tell

    def select(self, query: str) -> list[dict[str, Term]]:
        """All rows of a SELECT query; a variable that is unbound in a row is not in it.

        Raises ``SparqlError``: there is no such thing as half a result.
        """
        now = _Round()
        attempts = stamina.retry_context(
            functools.partial(self._wait, now),
            attempts=self._attempts,
            timeout=None,
            wait_initial=_FIRST_WAIT,
            wait_max=_LONGEST_WAIT,
        )
        try:
            with self._told_retries():
                for attempt in attempts:
                    with attempt:
                        return self._once(query, now)
        except Failed as failed:
            raise SparqlError(failed.kind, self._message(failed, now.sent)) from failed
        raise AssertionError("stamina gives at least one attempt")

    def _once(self, query: str, now: _Round) -> list[dict[str, Term]]:
        request = _request(self._url, query, self._agent, (self._user, self._password))
        self.requests += 1
        now.sent += 1
        reply = send(request, self._deadline, self._max_bytes)
        return read_rows(reply, datetime.now(UTC))

    def _wait(self, now: _Round, error: Exception) -> bool | float:
        """Whether to try again after this error, or in how many seconds (for stamina)."""
        if not isinstance(error, Failed) or now.sent >= (error.tries or self._attempts):
            return False
        if error.after is None:
            return True
        now.waited += error.after
        return error.after if now.waited <= MAX_WAIT_SECONDS else False

    @contextlib.contextmanager
    def _told_retries(self) -> Iterator[None]:
        """Waits are told to ``tell`` alone meanwhile; stamina would log each."""

        def told(details: RetryDetails) -> None:
            if isinstance(details.caused_by, Failed):
                said = self._harmless(details.caused_by.text)
                if details.wait_for >= _TOLD_WAIT:
                    self._tell(f"{self.host} {said}; trying again in {details.wait_for:.0f} s")

        hooks = get_on_retry_hooks()
        set_on_retry_hooks([told])
        try:
            yield
        finally:
            set_on_retry_hooks(hooks)

    def _message(self, failed: Failed, tries: int) -> str:
        times = f", after {tries} tries" if tries > 1 else ""
        hint = failed.hint
        if failed.kind in ("rate_limited", "server_error") and failed.after is not None:
            then = datetime.now(UTC) + timedelta(seconds=failed.after)
            hint = f"it asks to wait until {then:%Y-%m-%d %H:%M:%S} UTC: try again then"
        return f"{self.host} {self._harmless(failed.text)}{times}" + (f"; {hint}" if hint else "")

    def _harmless(self, text: str) -> str:
        """The text without the credentials, which a server may echo as they are or as they were sent."""
        sent = base64.b64encode(f"{self._user}:{self._password}".encode()).decode()
        for secret in (sent, self._password, self._user):
            text = text.replace(secret, "***") if secret else text
        return text


def _request(url: str, query: str, agent: str, credentials: tuple[str, str]) -> urllib.request.Request:
    """The request as the SPARQL 1.1 Protocol wants it: by POST, with the query alone in the body.

    This is all that SPARQLWrapper does here. It would send it too, but without a deadline for the whole and
    with error bodies read to their end, however long; its one way to get the request is a private method.
    """
    from SPARQLWrapper import JSON, POST, SELECT, SPARQLWrapper
    from SPARQLWrapper import __version__ as wrapper_version

    wrapper = SPARQLWrapper(url, agent=f"{agent} SPARQLWrapper/{wrapper_version}")
    wrapper.setMethod(POST)
    wrapper.setReturnFormat(JSON)
    # Without this the body would name the format in three ways, and some servers refuse what they don't know.
    wrapper.setOnlyConneg(True)
    wrapper.addCustomHttpHeader("Accept", "application/sparql-results+json")
    wrapper.setCredentials(*credentials)
    wrapper.setQuery(query)
    # It guesses by the first word that it knows, which may stand in a prefix.
    wrapper.queryType = SELECT
    return wrapper._createRequest()


def _checked(endpoint: str) -> SplitResult:
    """The address taken apart; the message never repeats it, since there may be a password in it."""
    try:
        parts = urlsplit(endpoint)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:
        fine = False
    if not fine or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        raise UsageError("wikidata.endpoint is no http(s) address in ASCII such as https://HOST/sparql")
    return parts


def _checked_contact(contact: str, host: str) -> str:
    if not (contact.isascii() and contact.isprintable()):
        raise UsageError("wikidata.contact has characters that no HTTP header can carry; use plain ASCII")
    if not contact and _is_public(host):
        raise UsageError(
            f"wikidata.contact is not set, and {host} must be told in the User-Agent how to reach whoever"
            " asks: put your mail or web address into contact under [wikidata] in freshness.toml, or into"
            " FRESHNESS_WIKIDATA__CONTACT"
        )
    if contact and _is_public(host) and not _CONTACT.search(contact):
        raise UsageError(
            f"wikidata.contact is {contact!r}, by which nobody is reached; {host} wants a mail or web address"
        )
    return contact


def _is_public(host: str) -> bool:
    """Whether somebody else may run it: anything but a private address or a name without a dot."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host
