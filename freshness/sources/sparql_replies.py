"""Reading what a SPARQL endpoint sends: rows, or a failure with its reason.

Rows are as in "SPARQL 1.1 Query Results JSON Format" (W3C). Nothing here trusts the server: an answer of
status 200 may be a page of HTML, a policy in plain words, or rows with a stack trace in the middle where
the query ran out of time (Blazegraph, behind query.wikidata.org, has sent its headers by then).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from freshness import strict
from freshness.retrying import retry_after
from freshness.sources.sparql_http import Reply
from freshness.sources.trying import Failed

_WORDS = 150
_LOOKED_AT = 2**13
_LONGEST_WAIT = 10 * 365 * 86400.0
_TIMEOUT = re.compile(r"TimeoutException|QueryTimeout")
_TIMEOUT_IN_WORDS = re.compile(r"Timeout|tim(?:ed?|ing)[ -]?out|time limit|deadline exceeded", re.IGNORECASE)
# In a JSON string, line ends and tabs are escaped; Blazegraph writes them as they are.
_TRACE = re.compile(r"(?:\\n|\n)(?:\\[rt]|[ \t]){0,9}at [\w.$]{1,200}\(")
_LINE_END = re.compile(r"\\[nr]|[\n\r]")
_MARKUP = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^<>]*>", re.DOTALL | re.IGNORECASE)
_KINDS: Mapping[object, Literal["uri", "literal", "bnode"]] = {
    "uri": "uri",
    "literal": "literal",
    "typed-literal": "literal",  # so called before SPARQL 1.1, and still by some servers
    "bnode": "bnode",
}
_AGENT_HINT = "it may refuse our User-Agent: say in wikidata.contact who runs this; else try again later"
_PERMANENT = {
    400: ("bad_query", "it may not know all of SPARQL 1.1; check wikidata.endpoint"),
    401: ("unauthorized", "put user and password into the address in FRESHNESS_WIKIDATA__ENDPOINT"),
    404: ("not_found", "check wikidata.endpoint"),
    405: ("refused", "it takes no queries by POST; check wikidata.endpoint"),
    407: ("unauthorized", "the proxy wants user and password"),
}


@dataclass(frozen=True, slots=True)
class Term:
    """One value of a row: an RDF term. ``lang`` and ``datatype`` are empty where it has none."""

    kind: Literal["uri", "literal", "bnode"]
    value: str
    lang: str = ""
    datatype: str = ""


def read_rows(reply: Reply, now: datetime) -> list[dict[str, Term]]:
    """The rows, each with its bound variables; raises ``Failed`` for anything else.

    ``now`` (aware) is what a Retry-After date is compared with.
    """
    if not 200 <= reply.status < 300:
        raise _redirected(reply) if 300 <= reply.status < 400 else _refused(reply, now)
    encoding = (reply.headers.get("Content-Encoding") or "identity").strip().lower()
    if encoding != "identity":
        hint = "is there a proxy between that does it?"
        raise Failed("compressed", f"sent a body in {_clean(encoding, 40)}, which we didn't ask for", hint)
    text = _decoded(reply)
    try:
        found = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise _no_result("nested too deep") from None
    except ValueError as error:
        raise _broken(text, str(error)) from None
    if not reply.whole:
        raise _broken(text, "the connection ended early")
    if "Exception" in text and _TRACE.search(text):
        raise _broken(text, "a stack trace between the rows")
    return list(_rows(found))


def wait_asked(value: str | None, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, at least 1: a server may ask for none at all."""
    seconds = retry_after(value, now)
    return None if seconds is None else min(max(1.0, seconds), _LONGEST_WAIT)


def _redirected(reply: Reply) -> Failed:
    # Nothing but scheme and host is told: the rest of an address may hold a token.
    try:
        target = urlsplit(reply.headers.get("Location") or "")
        where = _clean(f"{target.scheme}://{target.hostname}", 100) if target.hostname else "elsewhere"
    except ValueError:
        where = "elsewhere"
    hint = "put the address of the endpoint itself into wikidata.endpoint"
    return Failed("redirect", f"answered {reply.status} and wants us to ask {where}", hint)


def _refused(reply: Reply, now: datetime) -> Failed:
    """An error status, each with its own policy for trying again."""
    status, text = reply.status, reply.body.decode("utf-8", "replace")
    compressed = (reply.headers.get("Content-Encoding") or "identity").strip().lower() != "identity"
    words = "" if compressed else _first_words(text)
    said = f"answered {status}" + (f": {words}" if words else "")
    after = wait_asked(reply.headers.get("Retry-After"), now)
    # QLever says 429 to a query that took too long; without Retry-After, that one isn't for us.
    words_of_timeout = _TIMEOUT_IN_WORDS if status == 500 or (status == 429 and after is None) else _TIMEOUT
    if (status == 429 or status >= 500) and words_of_timeout.search(text):
        return _timed_out(f"ran out of time ({said})")
    if status == 429:
        return Failed("rate_limited", said, "ask it less often", tries=None, after=after)
    if status == 408 or status >= 500:
        return Failed("server_error", said, "try again later", tries=None, after=after)
    if status == 403:
        kind = "banned" if "banned" in text.lower() else "forbidden"
        hint = (
            "wait until it lets us in again; wikidata.contact, in our User-Agent, must say how to reach you"
        )
        return Failed(kind, said, hint)
    kind, hint = _PERMANENT.get(status, ("refused", "check wikidata.endpoint"))
    return Failed(kind, said, hint)


def _timed_out(text: str) -> Failed:
    return Failed("query_timeout", text, "nothing of it was used; try again later", tries=2)


def _decoded(reply: Reply) -> str:
    """The body's text, not blank."""
    try:
        # Where it broke off, a character may have been cut in two.
        text = reply.body.decode("utf-8-sig", "strict" if reply.whole else "replace")
    except UnicodeDecodeError as error:
        raise Failed("not_json", f"sent what is no UTF-8 text (byte {error.start})", tries=2) from None
    if text.strip():
        return text
    if not reply.whole:
        raise _broken("{", "the connection ended early")
    raise Failed("not_json", f"answered {reply.status} with an empty body", _AGENT_HINT, tries=2)


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is no number in JSON")


def _broken(text: str, why: str) -> Failed:
    """What is wrong with an answer of status 200 that can't be used."""
    tail = text[-_LOOKED_AT:]
    if _TIMEOUT.search(text) or ("error" in tail.lower() and _TIMEOUT_IN_WORDS.search(tail)):
        return _timed_out("ran out of time in the middle of its answer")
    if not text.lstrip().startswith(("{", "[")):
        what = "a page of HTML" if re.search(r"<html|<!doctype", text[:_LOOKED_AT], re.I) else "text"
        words = _first_words(text)
        return Failed("not_json", f"answered 200 with {what} instead of JSON: {words}", _AGENT_HINT, tries=2)
    raised = _exception(text)
    said = f"{why}; {raised}" if raised else why
    hint = "nothing of it was used; try again later"
    return Failed("truncated", f"sent an answer that is broken or breaks off ({said})", hint, tries=2)


def _no_result(why: str) -> Failed:
    hint = "is wikidata.endpoint the address of a SPARQL endpoint?"
    return Failed("not_sparql", f"sent JSON that is no SPARQL result ({why})", hint)


def _rows(found: object) -> Iterator[dict[str, Term]]:
    results = found.get("results") if isinstance(found, dict) else None
    bindings = results.get("bindings") if isinstance(results, dict) else None
    if not isinstance(bindings, list):
        words = _error_words(found) if isinstance(found, dict) else strict.kind_of(found)
        raise _no_result(words or "it has no results.bindings")
    for number, binding in enumerate(bindings):
        if not isinstance(binding, dict):
            raise _no_result(f"row {number} is {strict.kind_of(binding)}, not an object")
        yield {name: _term(term, number) for name, term in binding.items()}


def _term(raw: Any, number: int) -> Term:
    kind = _KINDS.get(_string(raw, "type")) if isinstance(raw, dict) else None
    value = _string(raw, "value") if kind else None
    if kind is None or value is None:
        raise _no_result(f"row {number} has {_clean(strict.shown(raw), 60)}, which is no term")
    if kind == "uri" and not value.isprintable():
        raise _no_result(f"row {number} has an address with control characters")
    return Term(kind, value, _string(raw, "xml:lang") or "", _string(raw, "datatype") or "")


def _string(raw: Mapping[str, object], key: str) -> str | None:
    """The text, without what no database takes: NUL and lone surrogates."""
    text = raw.get(key)
    if not isinstance(text, str) or text.isprintable():
        return text if isinstance(text, str) else None
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def _first_words(text: str) -> str:
    """What an error's body says: JSON's message, the exception's line, or a page's first words."""
    if text.lstrip("\ufeff \r\n\t").startswith("{"):
        try:
            words = _error_words(json.loads(text))
        except (ValueError, RecursionError):
            words = ""
        if words:
            return words
    plain = html.unescape(_MARKUP.sub(" ", text[:_LOOKED_AT]))
    return _exception(text) or _clean(plain)


def _error_words(found: Mapping[str, object]) -> str:
    words = (found.get(key) for key in ("exception", "message", "error", "detail"))
    return next((_clean(word) for word in words if isinstance(word, str) and word.strip()), "")


def _exception(text: str) -> str:
    """The line that names the first exception of a stack trace; empty without one."""
    place = text.find("Exception")
    if place < 0:
        return ""
    before = _LINE_END.split(text[max(0, place - 100) : place])[-1]
    return _clean(before + _LINE_END.split(text[place : place + 2 * _WORDS])[0])


def _clean(text: str, limit: int = _WORDS) -> str:
    """On one line, without control characters and lone surrogates, cut short."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 8 * limit]).split())
    return strict.shortened(line, limit)
