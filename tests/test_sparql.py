"""The SPARQL client against servers that misbehave in every way we know of, and against a real one."""

import json
import logging
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st
from oxigraph_server import emptied
from shared import SHARED, needs_shared
from sparql_server import (
    RESULTS,
    Reply,
    drips,
    gives,
    html,
    make_certificate,
    sends,
    serving,
    stalls,
    term,
    typed,
)
from stamina.instrumentation import get_on_retry_hooks

from freshness import __version__
from freshness.errors import UnavailableError, UsageError
from freshness.sources import trying
from freshness.sources.sparql import SparqlClient, SparqlError, Term
from freshness.sources.sparql_http import MAX_ERROR_BYTES
from freshness.sources.sparql_http import Reply as Read
from freshness.sources.sparql_replies import read_rows, wait_asked
from freshness.sources.trying import MAX_WAIT_SECONDS, Failed

QUERY = 'PREFIX add: <http://example.org/add#> # to add\nSELECT ?s WHERE { ?s add:name "São Tomé & Co + #1" }'
ROW = {"s": term("http://www.wikidata.org/entity/Q38", "uri")}
EMPTY = '{"head":{"vars":[]},"results":{"bindings":[]}}'
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
TRACE = (
    "java.util.concurrent.TimeoutException\n\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)\n"
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(autouse=True)
def waits():
    """Waits are 0 s here; the number of tries stays what the client asks for."""
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


def ask(server, query=QUERY, **options):
    return SparqlClient(server.url, **{"deadline": 5.0, **options}).select(query)


def fails(*replies, tls=None, **options):
    """The error, and how many requests it took."""
    with serving(*replies, tls=tls) as server, pytest.raises(SparqlError) as caught:
        ask(server, **options)
    message = str(caught.value)
    assert message.startswith("127.0.0.1:")
    assert message.isprintable(), "one line"
    assert len(message) < 600
    return caught.value, len(server.requests)


# --- what is sent and read


def test_a_query_goes_by_post_with_nothing_else_in_its_body():
    with serving(gives(ROW)) as server:
        client = SparqlClient(server.url, contact="ops@example.org")
        rows = client.select(QUERY)
    [request] = server.requests
    assert rows == [{"s": Term("uri", "http://www.wikidata.org/entity/Q38")}]
    assert client.requests == 1
    assert (request.path, request.form) == ("/sparql", {"query": [QUERY]})
    assert request.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert request.headers["Accept"] == RESULTS
    assert request.headers["Accept-Encoding"] == "identity"
    agent = request.headers["User-Agent"]
    assert agent == f"freshness/{__version__} (ops@example.org) SPARQLWrapper/2.0.0"


def test_terms_come_with_language_and_datatype_and_unbound_variables_not_at_all():
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    row = {
        "label": term("ローマ", **{"xml:lang": "ja"}),
        "precision": term("9", "typed-literal", datatype=integer),
        "value": term("t1490512", "bnode"),
    }
    with serving(gives(row, {})) as server:
        full, nothing = ask(server)
    assert full["label"] == Term("literal", "ローマ", "ja")
    assert full["precision"] == Term("literal", "9", datatype=integer)
    assert full["value"] == Term("bnode", "t1490512")
    assert nothing == {}


@pytest.mark.parametrize(
    "reply",
    [
        Reply(EMPTY, headers=typed(RESULTS)),
        Reply(EMPTY, headers=typed("text/html")),
        Reply(b"\xef\xbb\xbf" + EMPTY.encode(), headers=typed(RESULTS)),
        Reply(EMPTY, status=203),
        sends(HEAD + b"\r\n" + EMPTY.encode()),
        sends(HEAD + b"Transfer-Encoding: chunked\r\n\r\n2e\r\n" + EMPTY.encode() + b"\r\n0\r\n\r\n"),
    ],
    ids=["as it should be", "wrong content type", "byte order mark", "203", "no length", "chunked"],
)
def test_an_empty_result_is_a_result(reply):
    with serving(reply) as server:
        assert ask(server) == []


def test_what_no_database_takes_is_taken_out_of_a_term():
    with serving(
        Reply('{"results": {"bindings": [{"s": {"type": "literal", "value": "a\\u0000\\ud800b"}}]}}')
    ) as server:
        assert ask(server) == [{"s": Term("literal", "a?b")}]


def test_credentials_in_the_address_go_into_a_header_and_into_no_message():
    with serving(Reply("no: s3cr3t/word for me", 401)) as server:
        address = server.url.replace("//", "//me:s3cr3t%2Fword@") + "?token=hidden"
        with pytest.raises(SparqlError) as caught:
            SparqlClient(address).select(QUERY)
    [request] = server.requests
    assert request.headers["Authorization"] == "Basic bWU6czNjcjN0L3dvcmQ="
    assert request.path == "/sparql?token=hidden"
    assert caught.value.kind == "unauthorized"
    for secret in ("s3cr3t", "hidden", "me:"):
        assert secret not in str(caught.value)


def test_library_is_loaded_only_when_a_query_is_asked():
    code = (
        "import sys; from freshness.sources.sparql import SparqlClient; print('SPARQLWrapper' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


# --- contact and address


@pytest.mark.parametrize(
    "endpoint", ["https://query.wikidata.org/sparql", "http://8.8.8.8/", "http://[2a02:ec80::1]/"]
)
def test_a_public_endpoint_wants_a_contact(endpoint):
    with pytest.raises(UsageError) as caught:
        SparqlClient(endpoint, contact="  ")
    for part in ("wikidata.contact", "freshness.toml", "FRESHNESS_WIKIDATA__CONTACT", "User-Agent"):
        assert part in str(caught.value)
    assert SparqlClient(endpoint, contact="ops@example.org").requests == 0


@pytest.mark.parametrize(
    "host", ["localhost:7878", "127.0.0.1", "10.1.2.3", "192.168.0.4", "[::1]:80", "oxigraph"]
)
def test_an_endpoint_of_our_own_wants_none(host):
    assert SparqlClient(f"http://{host}/query").host == host


@pytest.mark.parametrize(
    "endpoint",
    [
        "ftp://me:s3cr3t@host/sparql",
        "file:///etc/passwd",
        "http:///sparql",
        "http://me:s3cr3t@[::1/sparql",
        "http://me:s3cr3t@host:port/sparql",
        "http://host:99999/sparql",
        "http://" + 70 * "a" + "/sparql",
        "http://host/spa rql",
        "http://host/ä",
        "http://host/\r\nX: y",
        "",
    ],
)
def test_an_address_that_is_none_is_refused_and_not_repeated(endpoint):
    with pytest.raises(UsageError, match=r"wikidata\.endpoint is no http") as caught:
        SparqlClient(endpoint, contact="ops@example.org")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize("contact", ["a@example.org\r\nX-Evil: 1", "Jürgen"])
def test_a_contact_that_no_header_can_carry_is_refused(contact):
    with pytest.raises(UsageError, match=r"wikidata\.contact"):
        SparqlClient("http://localhost/", contact=contact)


# --- being told to wait


def test_retry_after_is_waited_for_and_a_longer_wait_is_told(monkeypatch):
    monkeypatch.setattr(trying, "TOLD_WAIT", 1.0)
    told = []
    with (
        stamina.set_testing(False),
        serving(html(429, "Slow down", **{"Retry-After": "1"}), gives(ROW)) as server,
    ):
        assert len(ask(server, tell=told.append)) == 1
    first, second = server.requests
    assert second.at - first.at >= 1.0
    [line] = told
    assert re.fullmatch(r"127\.0\.0\.1:\d+ answered 429: Slow down; trying again in 1 s", line)


def test_too_many_requests_for_ever_end_after_five():
    error, requests = fails(
        html(429, "Error 429 Too Many Requests - Please retry in 0 seconds.", **{"Retry-After": "0"})
    )
    assert (error.kind, requests) == ("rate_limited", 5)
    assert "answered 429: Error 429 Too Many Requests" in str(error)
    assert "after 5 tries" in str(error)
    assert "<" not in str(error)


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_wants_us_to_wait_for_long_is_not_waited_for(status):
    seconds = int(MAX_WAIT_SECONDS) + 1
    error, requests = fails(Reply("later", status, {"Retry-After": str(seconds)}))
    assert requests == 1
    then = re.search(r"asks to wait until (.+) UTC: try again then$", str(error))[1]
    about = datetime.now(UTC) + timedelta(seconds=seconds)
    assert abs(datetime.fromisoformat(then + "+00:00") - about) < timedelta(seconds=30)


def test_a_limit_that_tells_when_to_come_again_is_no_timeout_of_a_query():
    error, _ = fails(Reply("Too much query time, timed out for a while", 429, {"Retry-After": "9"}))
    assert error.kind == "rate_limited"


def test_waits_add_up_to_ten_minutes_at_most():
    error, requests = fails(Reply("later", 429, {"Retry-After": str(int(MAX_WAIT_SECONDS * 0.4))}))
    assert (error.kind, requests) == ("rate_limited", 3)
    assert "asks to wait until" in str(error)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("37", 37),
        ("0", 1),
        ("-5", 1),
        ("1.5", 1.5),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90),
        (format_datetime(NOW - timedelta(days=1), usegmt=True), 1),
        ("Tue, 01 Dec 2026 12:00:30", 30),
        ("9" * 400, 10 * 365 * 86400),
        ("inf", 10 * 365 * 86400),
        ("nan", None),
        ("soon", None),
        ("Fri, 99 Foo 0000 00:00:00 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_never_less_than_one(value, seconds):
    assert wait_asked(value, NOW) == seconds


@given(st.text(max_size=40))
def test_no_retry_after_breaks_the_client(value):
    seconds = wait_asked(value, NOW)
    assert seconds is None or 1 <= seconds <= 10 * 365 * 86400


def test_ctrl_c_ends_a_wait_at_once():
    code = (
        "import sys; from freshness.sources.sparql import SparqlClient\n"
        "try: SparqlClient(sys.argv[1], tell=lambda line: print(line, flush=True)).select('SELECT * {}')\n"
        "except KeyboardInterrupt: print('stopped')"
    )
    with (
        serving(Reply("", 429, {"Retry-After": "300"})) as server,
        subprocess.Popen(
            [sys.executable, "-c", code, server.url], stdout=subprocess.PIPE, text=True
        ) as child,
    ):
        assert "trying again in 300 s" in child.stdout.readline()
        child.send_signal(2)
        assert child.communicate(timeout=60)[0] == "stopped\n"
    assert len(server.requests) == 1


# --- being refused


def test_a_ban_is_told_in_the_servers_words_and_never_retried():
    words = "You have been banned until 2026-12-02T10:00:00.000Z, please respect throttling and retry-after."
    error, requests = fails(Reply(words, 403))
    assert (error.kind, requests) == ("banned", 1)
    assert words in str(error)
    assert "wikidata.contact" in str(error)


def test_forbidden_without_a_ban_points_at_the_contact():
    error, requests = fails(html(403, "Scripted requests need a descriptive User-Agent"))
    assert (error.kind, requests) == ("forbidden", 1)
    assert "User-Agent" in str(error)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_query"),
        (401, "unauthorized"),
        (404, "not_found"),
        (405, "refused"),
        (413, "refused"),
        (414, "refused"),
    ],
)
def test_what_will_not_get_better_is_asked_once(status, kind):
    error, requests = fails(Reply("no\x1b[31m such\r\nthing", status))
    assert (error.kind, requests) == (kind, 1)
    assert f"answered {status}: no [31m such thing;" in str(error)


def test_a_malformed_query_shows_the_exception_and_not_the_whole_query():
    body = f"SPARQL-QUERY: queryStr={'SELECT ' * 9000}\n" + (
        "java.util.concurrent.ExecutionException: org.openrdf.query.MalformedQueryException: Encountered\n"
        "\tat java.util.concurrent.FutureTask.report(FutureTask.java:122)\n"
    )
    error, _ = fails(Reply(body, 400))
    assert "answered 400: java.util.concurrent.ExecutionException: org.openrdf.query.Malformed" in str(error)


def test_an_error_in_json_is_told_by_its_message():
    error, _ = fails(Reply(json.dumps({"exception": "Invalid SPARQL query: x", "status": "ERROR"}), 400))
    assert "answered 400: Invalid SPARQL query: x;" in str(error)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, "SPARQL-QUERY: queryStr=SELECT\n" + TRACE),
        (500, "com.bigdata.rdf.sail.webapp.QueryTimeoutException: query timed out"),
        (429, '{"exception": "Operation timed out. Last operation: Sort", "status": "ERROR"}'),
        (503, "SPARQL-QUERY: queryStr=SELECT\n" + TRACE),
    ],
)
def test_a_query_that_took_too_long_is_tried_twice(status, body):
    error, requests = fails(Reply(body, status))
    assert (error.kind, requests) == ("query_timeout", 2)
    assert "ran out of time" in str(error)


@pytest.mark.parametrize(
    ("status", "words"),
    [(500, "Bad hair day"), (502, "Bad Gateway"), (503, "No"), (504, "Gateway Time-out"), (599, "?")],
)
def test_a_server_that_is_at_fault_for_ever_is_given_up(status, words):
    error, requests = fails(html(status, words))
    assert (error.kind, requests) == ("server_error", 5)
    assert f"answered {status}: {words}, after 5 tries" in str(error)


def test_a_server_that_recovers_is_used():
    with serving(Reply("", 502), Reply("", 503, {"Retry-After": "2"}), gives(ROW)) as server:
        assert len(ask(server)) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_told_not_followed(status):
    elsewhere = "https://user:pw@elsewhere.example/sparql?key=secret"
    error, requests = fails(Reply("", status, {"Location": elsewhere}))
    assert (error.kind, requests) == ("redirect", 1)
    assert "ask https://elsewhere.example; put" in str(error)
    assert "wikidata.endpoint" in str(error)
    assert "pw" not in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize("location", ["", "/other", "http://[", "\x00"])
def test_a_redirect_to_nowhere_is_no_traceback(location):
    error, _ = fails(Reply("", 302, {"Location": location} if location else {}))
    assert error.kind == "redirect"


# --- answers of status 200 that are none


def test_json_cut_off_in_the_middle_is_refused_as_a_whole():
    whole = gives(ROW, ROW, ROW).payload
    error, requests = fails(Reply(whole[:-20]))
    assert (error.kind, requests) == ("truncated", 2)
    assert "nothing of it was used" in str(error)


@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b"Content-Length: 999\r\n\r\n" + EMPTY.encode(),
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2e\r\n" + EMPTY.encode(),
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        HEAD + b"Content-Length: 999\r\n\r\n",
        HEAD + b"Content-Length: 999\r\n\r\n" + '{"é'.encode()[:-1],
    ],
    ids=["by length", "by chunks", "chunk that is none", "no body", "in a character"],
)
def test_a_connection_that_ends_early_is_no_result_even_if_it_reads_like_one(raw):
    error, requests = fails(sends(raw))
    assert (error.kind, requests) == ("truncated", 2)


@pytest.mark.parametrize(
    "body",
    [
        '{"head":{"vars":["s"]},"results":{"bindings":[{"s":{"type":"uri","value":"http://x/Q1"}},\n' + TRACE,
        json.dumps(
            {"results": {"bindings": [{"s": term("SPARQL-QUERY: queryStr=SELECT\n" + TRACE, "uri")}]}}
        ),
        json.dumps({"results": {"bindings": [{"s": term(TRACE)}]}}),
        '{"results":{"bindings":[ !!!!>># An error has occurred. The error message was:\nOperation timed out',
    ],
    ids=["in the middle", "as an address", "as a text", "QLever's way"],
)
def test_a_stack_trace_among_the_rows_is_a_timeout(body):
    error, requests = fails(Reply(body, headers=typed(RESULTS)))
    assert (error.kind, requests) == ("query_timeout", 2)
    assert "ran out of time" in str(error)


def test_another_exception_among_the_rows_is_named():
    body = '{"results":{"bindings":[' + "java.lang.OutOfMemoryException: heap\n\tat a.b.C(D.java:1)\n"
    error, requests = fails(Reply(body))
    assert (error.kind, requests) == ("truncated", 2)
    assert "java.lang.OutOfMemoryException: heap" in str(error)


@pytest.mark.parametrize("word", ["Time Out", "NullPointerException", "Timeout error"])
def test_a_name_that_sounds_like_a_fault_is_a_name(word):
    with serving(gives({"label": term(word)})) as server:
        assert ask(server)[0]["label"].value == word


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "Please set a user-agent and respect our robot policy.",
            "with text instead of JSON: Please set a user-agent",
        ),
        (
            "<!DOCTYPE html><html><style>p {}</style><body><h1>Wikimedia &amp; Error</h1>",
            "with a page of HTML instead of JSON: Wikimedia & Error",
        ),
        ("", "with an empty body"),
        ("   \n", "with an empty body"),
    ],
)
def test_a_page_or_a_policy_is_no_result(body, words):
    error, requests = fails(Reply(body))
    assert (error.kind, requests) == ("not_json", 2)
    assert words in str(error)
    assert "User-Agent" in str(error)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("[]", "not_sparql"),
        ('"rows"', "not_sparql"),
        ("null", "not_sparql"),
        ("{}", "not_sparql"),
        ('{"head": {}, "boolean": true}', "not_sparql"),
        ('{"results": []}', "not_sparql"),
        ('{"results": {"bindings": {}}}', "not_sparql"),
        ('{"results": {"bindings": [1]}}', "not_sparql"),
        ('{"results": {"bindings": [{"s": "x"}]}}', "not_sparql"),
        ('{"results": {"bindings": [{"s": {"type": "uri"}}]}}', "not_sparql"),
        ('{"results": {"bindings": [{"s": {"type": ["uri"], "value": "x"}}]}}', "not_sparql"),
        ('{"results": {"bindings": [{"s": {"type": "triple", "value": "x"}}]}}', "not_sparql"),
        ('{"results": {"bindings": [{"s": {"type": "uri", "value": "a\\nb"}}]}}', "not_sparql"),
        ('{"exception": "Not today"}', "not_sparql"),
        ('{"results": {"bindings": [NaN]}}', "truncated"),
        ('{"results": {"bindings": [' + 5000 * "9" + "]}}", "truncated"),
        ('{"results": {"bindings": ' + 100_000 * "[", "not_sparql"),
        (b'{"results": {"bindings": [{"s": "\xff"}]}}', "not_json"),
        (EMPTY.encode("utf-16"), "not_json"),
        (b"\x00\x01\x02", "not_json"),
    ],
)
def test_json_that_is_no_result_is_said_to_be_none(body, kind):
    error, _ = fails(Reply(body))
    assert error.kind == kind


@given(st.binary(max_size=60), st.integers(100, 599), st.booleans())
def test_no_body_makes_a_traceback(body, status, whole):
    with pytest.raises(Failed) as caught:
        read_rows(Read(status, {}, body, whole), NOW)
    assert caught.value.text.isprintable()


@pytest.mark.parametrize("body", [100_000 * "<script", 300_000 * "<", 300_000 * "Exception", "a" * 1_000_000])
def test_an_error_page_made_to_be_slow_to_read_is_not(body):
    error, _ = fails(Reply(body, 404), deadline=20.0)
    assert error.kind == "not_found"


def test_a_compressed_body_is_named_for_what_it_is():
    error, requests = fails(Reply(b"\x1f\x8b\x08\x00", headers={"Content-Encoding": "gzip"}))
    assert (error.kind, requests) == ("compressed", 1)
    assert "gzip" in str(error)
    error, _ = fails(Reply(b"\x1f\x8b\x08\x00", 404, {"Content-Encoding": "gzip"}))
    assert re.match(r"127\.0\.0\.1:\d+ answered 404; ", str(error))


# --- answers without end


@pytest.mark.parametrize(
    "reply",
    [
        stalls(),
        stalls(b"HTTP/1.1 200 OK\r\n"),
        stalls(HEAD + b"Content-Length: 500\r\n\r\n{"),
        drips(b"H"),
        drips(b"HTTP/1.1 200 OK\r\n", b"X: y"),
        drips(HEAD, b"\r\n", b"{ "),
        drips(HEAD, b"Content-Length: 500000\r\n\r\n", b"{ "),
        drips(HEAD, b"Transfer-Encoding: chunked\r\n\r\n", b"fff\r\n "),
        Reply(
            write=lambda handler: [
                handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n") for _ in iter(int, 1)
            ]
        ),
    ],
    ids=[
        "no headers",
        "headers stall",
        "body stalls",
        "status drips",
        "headers drip",
        "body drips",
        "body with length drips",
        "chunk drips",
        "100 Continue for ever",
    ],
)
def test_an_answer_that_never_ends_is_over_at_the_deadline(reply):
    error, requests = fails(reply, deadline=0.25)
    # On a busy machine the time can be over before the server has read what it is asked.
    assert (error.kind, requests <= 2) == ("stalled", True)
    assert "gave no whole answer within 0.25 s, after 2 tries" in str(error)


def test_the_deadline_is_for_the_whole_however_it_drips():
    with serving(drips(HEAD, b"\r\n", b"{ ", every=0.01)) as server:
        begun = time.monotonic()
        with pytest.raises(SparqlError):
            ask(server, deadline=0.25, attempts=1)
        assert time.monotonic() - begun >= 0.25
    assert len(server.requests) == 1


def test_an_error_whose_reason_never_ends_is_still_that_error():
    start = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 500\r\n\r\nYou have been banned until tomorrow"
    error, requests = fails(stalls(start), deadline=2.0)
    assert (error.kind, requests) == ("banned", 1)
    assert "banned until tomorrow" in str(error)


def pours(head, megabytes):
    """So much body; `sent` holds how many megabytes went out before the client hung up."""
    sent = []

    def write(handler):
        handler.wfile.write(head)
        for _ in range(megabytes):
            handler.wfile.write(2**20 * b" ")
            sent.append(1)

    return Reply(write=write), sent


@pytest.mark.parametrize(
    "head", [HEAD + b"\r\n", HEAD + b"Content-Length: 524288000\r\n\r\n"], ids=["endless", "announced"]
)
def test_half_a_gigabyte_is_neither_read_nor_kept(head):
    reply, sent = pours(head, 500)
    tracemalloc.start()
    try:
        error, requests = fails(reply, max_bytes=2**20, deadline=30.0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (error.kind, requests) == ("too_large", 1)
    assert "more than 1 MiB" in str(error)
    assert len(sent) < 50
    assert peak < 20 * 2**20


def test_an_answer_that_is_announced_too_large_is_not_waited_for():
    error, requests = fails(stalls(HEAD + b"Content-Length: 524288000\r\n\r\n"))
    assert (error.kind, requests) == ("too_large", 1)


def test_an_error_page_without_end_is_cut():
    reply, sent = pours(b"HTTP/1.1 404 Not Found\r\n\r\nno such thing", 500)
    error, _ = fails(reply, deadline=30.0)
    assert error.kind == "not_found"
    assert "no such thing" in str(error)
    assert len(sent) < MAX_ERROR_BYTES / 2**20 + 50


def test_an_answer_of_just_the_limit_is_read():
    padded = EMPTY.encode().ljust(1000)
    with serving(Reply(padded)) as server:
        assert ask(server, max_bytes=1000) == []
    error, _ = fails(Reply(padded + b" "), max_bytes=1000)
    assert error.kind == "too_large"


# --- connections


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_server_that_is_not_there_is_tried_three_times():
    client = SparqlClient(f"http://127.0.0.1:{free_port()}/sparql")
    with pytest.raises(
        SparqlError, match=r"can't be reached \(Connection refused\), after 3 tries; check"
    ) as caught:
        client.select(QUERY)
    assert (caught.value.kind, client.requests) == ("unreachable", 3)
    assert isinstance(caught.value, UnavailableError)
    assert caught.value.exit_code == 3


def test_a_name_that_nobody_knows_is_unreachable():
    client = SparqlClient("http://no-such-host.invalid/sparql", contact="ops@example.org", attempts=1)
    with pytest.raises(SparqlError, match=r"^no-such-host\.invalid can't be reached \(.+\); check") as caught:
        client.select(QUERY)
    assert caught.value.kind == "unreachable"


def test_a_connection_that_is_cut_is_tried_again():
    error, requests = fails(sends(b""))
    assert (error.kind, requests) == ("connection_lost", 3)
    with serving(sends(b""), gives(ROW)) as server:
        assert len(ask(server)) == 1


@pytest.mark.parametrize(
    "raw",
    [
        b"220 mail.example.org ESMTP\r\n\r\n",
        b"HTTP/1.1 OK 200\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + 70_000 * b"a" + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + 200 * b"a: b\r\n" + b"\r\n",
    ],
    ids=["another protocol", "status that is none", "endless header", "too many headers"],
)
def test_what_is_no_http_is_said_to_be_none(raw):
    error, requests = fails(sends(raw))
    assert (error.kind, requests) == ("not_http", 1)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("the openssl program, which makes the certificate, is not here")
    return make_certificate(tmp_path_factory.mktemp("tls"))


def test_a_certificate_that_signs_itself_is_not_trusted(certificate):
    error, requests = fails(gives(ROW), tls=certificate)
    assert (error.kind, requests) == ("tls", 0)
    assert "self-signed certificate" in str(error)
    assert "SSL_CERT_FILE" in str(error)


def test_an_authority_of_our_own_is_trusted_for_its_own_address_alone(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    with serving(gives(ROW), tls=certificate) as server:
        assert len(ask(server)) == 1
        server.url = server.url.replace("127.0.0.1", "localhost")
        with pytest.raises(SparqlError, match="not valid for 'localhost'") as caught:
            ask(server)
    assert (caught.value.kind, len(server.requests)) == ("tls", 1)


def test_tls_answers_that_never_end_are_over_at_the_deadline(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    error, requests = fails(drips(HEAD, b"\r\n", b"{ "), tls=certificate, deadline=0.25)
    assert (error.kind, requests <= 2) == ("stalled", True)
    assert "after 2 tries" in str(error)


def test_https_where_only_http_is_spoken_is_a_tls_error():
    with serving(gives(ROW)) as server:
        server.url = server.url.replace("http:", "https:")
        with pytest.raises(SparqlError, match="doesn't speak TLS as it should") as caught:
            ask(server)
    assert (caught.value.kind, server.requests) == ("tls", [])


@contextmanager
def listening():
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_handshake_that_never_comes_is_over_at_the_deadline():
    with listening() as port:
        client = SparqlClient(f"https://127.0.0.1:{port}/", deadline=0.3, attempts=1)
        with pytest.raises(SparqlError, match=r"can't be reached \(no connection within 0.3 s\)"):
            client.select(QUERY)


def test_the_proxy_of_the_environment_is_used(monkeypatch):
    with serving(gives(ROW)) as server:
        monkeypatch.setenv("http_proxy", server.url)
        client = SparqlClient("http://somewhere.example/sparql", contact="ops@example.org")
        assert len(client.select(QUERY)) == 1
    assert server.requests[0].path == "http://somewhere.example/sparql"


def test_a_proxy_that_makes_no_sense_is_no_traceback(monkeypatch):
    monkeypatch.setenv("http_proxy", "gopher://proxy.example:70")
    client = SparqlClient("http://somewhere.example/sparql", contact="ops@example.org")
    with pytest.raises(SparqlError, match=r"can't be reached \(.*gopher") as caught:
        client.select(QUERY)
    assert caught.value.kind == "unreachable"


# --- what it leaves behind


def test_retries_are_neither_logged_nor_left_unlogged_for_others(caplog):
    hooks = get_on_retry_hooks()
    with caplog.at_level(logging.DEBUG):
        fails(Reply("", 500))
    assert caplog.records == []
    assert get_on_retry_hooks() == hooks


def test_requests_are_counted_with_their_retries_and_come_one_at_a_time():
    busy, most = [], []
    lock = threading.Lock()

    def slow(_):
        with lock:
            busy.append(1)
            most.append(len(busy))
        time.sleep(0.01)
        with lock:
            busy.pop()
        return gives(ROW)

    with serving(Reply("", 502), slow) as server:
        client = SparqlClient(server.url)
        for _ in range(5):
            client.select(QUERY)
    assert client.requests == len(server.requests) == 6
    assert max(most) == 1


# --- the cases, and a real server


def http_case(identifier):
    lines = (SHARED / "cases" / "wikidata.jsonl").read_text(encoding="utf-8").splitlines()
    row = next(row for row in map(json.loads, lines) if row["id"] == identifier)
    replies = row["input"].get("http_sequence") or [row["input"]["http"]]
    return [Reply(r["body"], r["status"], r["headers"]) for r in replies], row["expected"]


@needs_shared
@pytest.mark.parametrize("identifier", ["wd-01-timeout-200", "wd-02-200-policy-text", "wd-05-429-zero-html"])
def test_failures_from_bug_reports_have_their_kind(identifier):
    replies, expected = http_case(identifier)
    error, requests = fails(*replies)
    assert f"wikidata_{error.kind}" == expected["error"]
    assert expected.get("hint_contains", "") in str(error)
    assert requests <= expected.get("tries_at_most", 5)


@needs_shared
def test_the_wait_from_the_bug_report_is_planned_as_long_as_asked():
    replies, expected = http_case("wd-04-429-retry-after")
    with serving(*replies) as server:
        assert ask(server) == []
    assert len(server.requests) == expected["requests"]
    first = replies[0]
    with pytest.raises(Failed) as caught:
        read_rows(Read(first.status, first.headers, first.payload), NOW)
    assert caught.value.after >= expected["slept_seconds_at_least"]


def test_a_real_server_understands_us():
    server = emptied()
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    for value in ('"São Tomé"@pt', f'"1"^^<{integer}>', "_:somebody"):
        server.update(f"INSERT DATA {{ <http://x/1> <http://x/name> {value} }}")
    client = SparqlClient(server.endpoint)
    rows = client.select("SELECT ?o ?nothing WHERE { ?s <http://x/name> ?o } ORDER BY isBlank(?o) LANG(?o)")
    assert [row["o"] for row in rows[:2]] == [
        Term("literal", "1", datatype=integer),
        Term("literal", "São Tomé", "pt"),
    ]
    assert (rows[2]["o"].kind, rows[2].keys()) == ("bnode", {"o"})
    assert client.select("SELECT ?s { ?s <http://x/none> ?o }") == []
    with pytest.raises(SparqlError, match="answered 400: ") as caught:
        client.select("SELECT nonsense")
    assert caught.value.kind == "bad_query"
