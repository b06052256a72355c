"""A SPARQL endpoint, asked politely: one query at a time, with a name, few tries and an end in sight.

SPARQLWrapper makes the request (SPARQL 1.1 Protocol: a query by POST); ``sparql_http`` sends it, within a
deadline and a size; ``sparql_replies`` reads what comes back; ``trying`` waits and tries again.

What to expect of query.wikidata.org stands in its user manual and in Wikimedia's User-Agent policy: 60 s of
query time a minute, else 429 with Retry-After, and a ban of a day (403) for whoever doesn't heed it.
"""

from __future__ import annotations

import base64
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import unquote

from freshness.errors import UnavailableError
from freshness.sources.endpoints import checked_address, user_agent
from freshness.sources.sparql_http import send
from freshness.sources.sparql_replies import Term, read_rows
from freshness.sources.trying import Failed, Trying

__all__ = ["SparqlClient", "SparqlError", "Term"]


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
        parts = checked_address(endpoint, "wikidata.endpoint", "https://HOST/sparql")
        self._agent = user_agent(contact, parts.hostname or "", "wikidata")
        self.host = parts.netloc.rpartition("@")[2]
        self.requests = 0
        self._url = parts._replace(netloc=self.host, fragment="").geturl()
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._attempts = attempts
        self._tell = tell

    def select(self, query: str) -> list[dict[str, Term]]:
        """All rows of a SELECT query; a variable that is unbound in a row is not in it.

        Raises ``SparqlError``: there is no such thing as half a result.
        """
        trying = Trying(self.host, self._attempts, self._tell, self._harmless)
        try:
            return trying.until_done(lambda: self._once(query))
        except Failed as failed:
            raise SparqlError(failed.kind, trying.message(failed)) from failed

    def _once(self, query: str) -> list[dict[str, Term]]:
        request = _request(self._url, query, self._agent, (self._user, self._password))
        self.requests += 1
        reply = send(request, self._deadline, self._max_bytes)
        return read_rows(reply, datetime.now(UTC))

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
