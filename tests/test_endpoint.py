import json
import logging
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st
from model_server import Reply, completes, refuses, says, serving
from shared import SHARED, needs_shared
from stamina.instrumentation import get_on_retry_hooks

from freshness import models
from freshness.errors import UnavailableError, UsageError
from freshness.models.dialect import THINKING_TOKENS, first_dialect
from freshness.models.endpoint import MAX_BODY_BYTES
from freshness.models.replies import Failed, read_reply, to_answer
from freshness.models.text import MAX_ANSWER_CHARS
from freshness.questions import Prompt

KEY = "sk-0123456789abcdef"
NO_TEMPLATE = "default chat template is no longer allowed, so you must provide a chat template"

STALL = 40.0
"""Seconds that a server keeps silent: far more than any deadline here, on however slow a machine."""


@pytest.fixture(autouse=True)
def no_waiting():
    """Back-off waits are 0 s here; the number of tries stays what the model asks for."""
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


def prompts(number=1):
    return [
        Prompt(f"Q{n}/P6/p1", "p1", f"Who leads number {n}?", f"The head of number {n} is", "Name only.")
        for n in range(number)
    ]


def model(server, path="/v1", **options):
    return models.build(f"{server.url}{path}#m", **{"timeout": 5.0, **options})


def ask(server, number=1, **options):
    return dict(model(server, **options).answer(prompts(number)))


def one(*replies, **options):
    """The answer to one prompt, and what the server was asked."""
    with serving(*replies) as server:
        return ask(server, **options)[0], server.requests


def case(identifier):
    lines = (SHARED / "cases" / "model_api.jsonl").read_text(encoding="utf-8").splitlines()
    return next(row for row in map(json.loads, lines) if row["id"] == identifier)


def replies_of(http):
    return Reply(http["body"], http["status"], http.get("headers", {}))


# --- what is sent and read


def test_a_chat_request_is_greedy_short_and_carries_the_key():
    answer, [request] = one(says("Keir Starmer", system_fingerprint="fp1"), api_key=KEY)
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "m",
        "temperature": 0,
        "max_tokens": 48,
        "messages": [{"role": "user", "content": "Who leads number 0? Name only."}],
    }
    assert (answer.text, answer.finish, answer.error) == ("Keir Starmer", "stop", None)
    assert (answer.served_model, answer.fingerprint) == ("m-served", "fp1")
    assert answer.seconds > 0


def test_completion_style_sends_the_beginning():
    answer, [request] = one(completes(" Giorgia Meloni. The"), style="completion")
    assert request.path == "/v1/completions"
    assert (request.body["prompt"], request.body["max_tokens"]) == ("The head of number 0 is", 24)
    assert (answer.text, answer.finish) == (" Giorgia Meloni. The", "length")


def test_without_a_key_no_authorization_is_sent():
    _, [request] = one(says("x"))
    assert "Authorization" not in request.headers


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/v1", ["/v1/chat/completions"]),
        ("/v1/", ["/v1/chat/completions"]),
        ("", ["/v1/chat/completions"]),
        ("/v1/chat/completions", ["/v1/chat/completions"]),
        ("/v1beta/openai", ["/v1beta/openai/chat/completions"]),
        ("/api", ["/api/v1/chat/completions", "/api/chat/completions"]),
    ],
)
def test_base_urls_with_and_without_version_work(path, asked):
    def route(request):
        return says("yes") if request.path == asked[-1] else Reply({"detail": "Not Found"}, 404)

    with serving(route) as server:
        probed = model(server, path)
        assert [answer.text for _, answer in probed.answer(prompts(2))] == ["yes", "yes"]
        assert [request.path for request in server.requests] == [*asked, asked[-1]]


def test_a_base_model_without_chat_template_is_asked_for_completions():
    def route(request):
        if "chat" in request.path:
            return refuses(400, NO_TEMPLATE, type="BadRequestError", code=400)
        return completes(" Meloni")

    with serving(route) as server:
        probed = model(server)
        assert probed.info().style == "chat"
        assert {answer.text for _, answer in probed.answer(prompts(3))} == {" Meloni"}
        assert probed.info().style == "completion"
        assert [request.path.count("chat") for request in server.requests] == [1, 0, 0, 0]


def test_a_wanted_chat_style_never_falls_back():
    answer, requests = one(refuses(400, NO_TEMPLATE), style="chat")
    assert answer.error_kind == "http_400"
    assert len(requests) == 1


def test_the_answers_come_as_they_are_ready():
    release = threading.Event()

    def route(request):
        if "number 1?" in request.body["messages"][0]["content"]:
            release.wait(5)
        return says("x")

    with serving(route) as server:
        order = []
        for index, _ in model(server, concurrency=2).answer(prompts(4)):
            order.append(index)
            if len(order) == 3:
                release.set()
        assert order == [0, 2, 3, 1]


def test_no_more_than_so_many_requests_at_once():
    lock, asked, now, most = threading.Lock(), 0, 0, 0
    full = threading.Event()

    def route(_):
        nonlocal asked, now, most
        with lock:
            asked, now = asked + 1, now + 1
            most = max(most, now)
            is_first = asked == 1  # which is sent ahead, alone
            if now == 3:
                full.set()
        if not is_first:
            full.wait(60)  # however long it takes until all are there
        time.sleep(0.02)  # for one too many
        with lock:
            now -= 1
        return says("x")

    with serving(route) as server:
        assert len(ask(server, 20, concurrency=3)) == 20
    assert most == 3


def test_stopping_early_stops_the_asking():
    with serving(lambda _: (time.sleep(0.05), says("x"))[1]) as server:
        answers = model(server, concurrency=1).answer(prompts(50))
        next(answers)
        answers.close()
        asked = len(server.requests)
        time.sleep(0.2)
        assert asked <= len(server.requests) <= asked + 1 < 50  # the one under way


def test_what_answered_is_recorded_and_changes_are_seen():
    with serving(says("x", system_fingerprint="a"), says("x", system_fingerprint="b")) as server:
        probed = model(server, "/v1?key=secret-in-url", name="mine")
        list(probed.answer(prompts(2)))
        info = probed.info()
        assert (info.name, info.served) == ("mine", "m-served")
        assert info.details["fingerprints"] == ["a", "b"]
        assert info.details["url"] == f"{server.url}/v1"
        assert "secret" not in str(info)
        assert server.requests[0].path == "/v1/chat/completions?key=secret-in-url"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "Keir "}, {"type": "text", "text": "Starmer"}], "Keir Starmer"),
        ([{"type": "thinking", "thinking": "Johnson"}, {"type": "text", "text": "Starmer"}], "Starmer"),
        ("Keir\x00 \ud800Starmer", "Keir ?Starmer"),
    ],
    ids=["parts", "thinking part", "NUL and lone surrogate"],
)
def test_content_of_other_shapes_is_read(content, text):
    assert one(says(content))[0].text == text


def test_stop_strings_end_the_answer_even_if_the_server_ignores_them():
    answer, [request] = one(says("Meloni\nQ: next", finish="length"), stop=("\n",))
    assert request.body["stop"] == ["\n"]
    assert (answer.text, answer.finish) == ("Meloni", "stop")


def test_a_refusal_field_is_an_answer():
    assert (
        one(says(None, message={"refusal": "I can't help with that."}))[0].text == "I can't help with that."
    )


# --- the recorded cases


@needs_shared
def test_max_tokens_refused_is_replaced_and_remembered():
    row = case("api-01-max-tokens")
    with serving(*map(replies_of, row["input"]["http_sequence"])) as server:
        probed = model(server)
        answers = dict(probed.answer(prompts(2)))
        first, second, third = (request.body for request in server.requests)
    assert "max_tokens" in first
    for body in (second, third):
        assert row["expected"]["second_request_has"] in body
        assert row["expected"]["second_request_lacks"] not in body
    assert {answer.text for answer in answers.values()} == {row["expected"]["answer"]}


@needs_shared
def test_temperature_and_stop_refused_are_dropped_and_flagged():
    row = case("api-02-temperature-stop")
    stop = tuple(row["input"]["request"]["stop"])
    answer, requests = one(*map(replies_of, row["input"]["http_sequence"]), stop=stop)
    assert answer.text == row["expected"]["answer"]
    assert answer.flags == (row["expected"]["run_flag"],)
    assert [sorted({"temperature", "stop"} & set(request.body)) for request in requests] == [
        ["stop", "temperature"],
        ["stop"],
        [],
    ]


@needs_shared
@pytest.mark.parametrize("identifier", ["api-04-reasoning-field", "api-05-content-null"])
def test_content_that_is_missing_is_an_error_and_reasoning_is_no_answer(identifier):
    row = case(identifier)
    answer, _ = one(replies_of(row["input"]["http"]))
    assert answer.error_kind == row["expected"]["status"]
    assert answer.text == ""


@needs_shared
def test_an_error_with_status_200_is_retried_and_told():
    row = case("api-07-200-error-body")
    answer, requests = one(replies_of(row["input"]["http"]), tries=3)
    assert row["expected"]["error_contains"] in answer.error
    assert (len(requests) > 1) is row["expected"]["retryable"]


@needs_shared
def test_exhausted_quota_is_not_retried():
    row = case("api-08-quota-429")
    with serving(replies_of(row["input"]["http"])) as server:
        answers = ask(server, 5)
        assert len(server.requests) == row["expected"]["tries"]
    assert [answers[n].error_kind for n in range(5)] == [row["expected"]["error"]] * 5


@needs_shared
def test_a_stream_with_empty_choices_is_joined():
    row = case("api-10-stream-empty-choices")
    raw = "".join(f"data: {event}\n\n" for event in row["input"]["sse"]).encode()
    answer, _ = one(Reply(raw=raw, headers={"Content-Type": "text/event-stream"}))
    assert (answer.text, answer.finish) == (row["expected"]["answer"], "stop")


@needs_shared
def test_an_answer_cut_by_the_servers_context_is_marked():
    row = case("api-11-context-cap")
    answer, _ = one(replies_of(row["input"]["http"]))
    assert (answer.text, answer.finish, answer.flags) == ("Kei", "length", ("context_full",))


# --- other things that servers do


@pytest.mark.parametrize(
    "first",
    [
        says(None, finish="length", message={"reasoning_content": "The user asks"}),
        says("<think>The user asks", finish="length"),
    ],
    ids=["reasoning field", "open think tag"],
)
def test_a_model_that_thinks_first_gets_more_tokens_once_and_for_all(first):
    with serving(first, says("<think>…</think>Starmer"), says("Starmer")) as server:
        answers = ask(server, 2)
        limits = [request.body["max_tokens"] for request in server.requests]
    assert limits == [48, THINKING_TOKENS, THINKING_TOKENS]
    assert answers[0].text == "<think>…</think>Starmer"


def test_thinking_that_never_ends_is_a_truncated_answer():
    answer, requests = one(says(None, finish="length"))
    assert answer.error_kind == "truncated"
    assert len(requests) == 2


def test_both_token_limits_may_be_refused():
    def route(request):
        for key in ("max_tokens", "max_completion_tokens"):
            if key in request.body:
                return refuses(400, f"Unrecognized request argument supplied: {key}")
        return says("x")

    answer, requests = one(route)
    assert answer.text == "x"
    assert len(requests) == 3


def test_a_filtered_answer_is_named_so():
    assert one(says("", finish="content_filter"))[0].error_kind == "content_filter"


def test_one_bad_prompt_is_one_error():
    def route(request):
        bad = "number 3?" in request.body["messages"][0]["content"]
        return refuses(400, "flagged by moderation") if bad else says("x")

    with serving(route) as server:
        answers = ask(server, 8)
    assert [index for index, answer in sorted(answers.items()) if answer.error] == [3]
    assert "answered 400: flagged by moderation" in answers[3].error


def test_a_server_that_recovers_is_waited_for():
    answer, requests = one(refuses(503, "loading"), refuses(500), refuses(429), says("x"))
    assert (answer.text, len(requests)) == ("x", 4)


def test_retries_are_not_told_one_by_one(capfd, caplog):
    before = get_on_retry_hooks()
    answer, requests = one(refuses(500), refuses(500), says("x"))
    assert (answer.text, len(requests)) == ("x", 3)
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.levelno > logging.INFO]
    assert get_on_retry_hooks() == before, "another user of the library keeps its own"


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_obeyed(form):
    def too_many(_):
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        return refuses(429, headers={"Retry-After": "1" if form == "seconds" else date})

    with stamina.set_testing(False):
        begun = time.perf_counter()
        answer, _ = one(too_many, says("x"))
    assert answer.text == "x"
    assert time.perf_counter() - begun > 0.9


def test_a_wait_longer_than_the_deadline_is_not_begun():
    answer, requests = one(refuses(429, "slow down", headers={"Retry-After": "3600"}), deadline=2.0)
    assert answer.error_kind == "http_429"
    assert "asks to wait 3600 s" in answer.error
    assert len(requests) == 1


# --- servers that are no use


def test_a_server_that_is_down_is_said_at_once():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: connections are refused
        port = taken.getsockname()[1]
        with pytest.raises(UnavailableError, match=rf"^127\.0\.0\.1:{port} can't be reached"):
            list(models.build(f"http://127.0.0.1:{port}/v1#m").answer(prompts(3)))


def test_an_unknown_host_is_said_at_once():
    with pytest.raises(UnavailableError, match=r"no-such-host\.invalid can't be reached"):
        list(models.build("http://no-such-host.invalid/v1#m").answer(prompts()))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (refuses(401, "Incorrect API key"), "answered 401: Incorrect API key; put a key .* into MY_KEY"),
        (refuses(403, "not allowed"), "answered 403: not allowed; put a key"),
        (refuses(404, "The model `m` does not exist."), "answered 404: The model .*; check the base URL"),
        (Reply({"detail": "Not Found"}, 404), "answered 404: Not Found; check the base URL and the model"),
        (Reply(status=307, headers={"Location": "http://evil.example/"}), "redirects to http://evil"),
        (Reply(raw=b"<html><title>Welcome", headers={"Content-Type": "text/html"}), "JSON .*base URL of"),
        (refuses(429, "slow down"), "answered 429: slow down"),
        (refuses(500, "boom"), "answered 500: boom"),
        (Reply({"object": "list"}), "without choices"),
        (Reply([1, 2]), r"answered 200 with a list, not a JSON object \(\[1, 2\]\); is this the base URL"),
        (Reply(raw=b"[" * 100_000), "else than JSON"),
        (Reply(raw=b""), "with something else than JSON; is this"),
        (Reply(raw=b"null"), "not a JSON object"),
        (Reply(raw=b"x" * (MAX_BODY_BYTES + 1)), "more than 1 MiB"),
    ],
    ids=[
        "401", "403", "404 model", "404 route", "redirect", "HTML", "429 for ever", "500 for ever",
        "no choices", "a list", "deep nesting", "empty", "null", "a flood",
    ],
)  # fmt: skip
def test_a_server_that_never_answers_right_ends_the_run_in_one_line(reply, message):
    with serving(reply) as server:
        with pytest.raises(UnavailableError, match=message) as raised:
            ask(server, 40, api_key=KEY, api_key_env="MY_KEY", tries=2)
        host = server.url.removeprefix("http://")
        assert str(raised.value).startswith(host)
        assert "\n" not in str(raised.value)
        assert len(server.requests) <= 30


def test_a_megabyte_of_text_is_cut():
    answer, _ = one(says("word " * 200_000))
    assert len(answer.text) == MAX_ANSWER_CHARS
    assert (answer.finish, answer.flags) == ("length", ("text_cut",))


def stall(_):
    time.sleep(STALL)


def drip(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def hang_up(handler):
    handler.connection.close()


def gzip_garbage(handler):
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Content-Length", "4")
    handler.end_headers()
    handler.wfile.write(b"nope")


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (stall, "timeout"),
        (drip, "timeout"),
        (hang_up, "connection_lost"),
        (gzip_garbage, "connection_lost"),
    ],
    ids=["silence", "a drip", "hangs up", "broken gzip"],
)
def test_a_broken_exchange_is_an_error_of_its_prompt(write, kind):
    begun = time.perf_counter()
    answer, requests = one(Reply(write=write), timeout=0.4 if kind == "timeout" else 30, tries=2)
    assert answer.error_kind == kind
    # A busy server may not have read them both in that time.
    assert len(requests) == 2 or (kind == "timeout" and len(requests) < 2)
    assert time.perf_counter() - begun < STALL


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("write", [stall, drip], ids=["silence", "a drip"])
def test_a_server_that_stalls_from_the_start_ends_the_run_within_three_timeouts(write, concurrency):
    begun = time.perf_counter()
    with stamina.set_testing(False), serving(Reply(write=write)) as server:
        with pytest.raises(UnavailableError, match=r"no whole answer within .* s; is it overloaded"):
            ask(server, 40, timeout=0.4, concurrency=concurrency)
        assert time.perf_counter() - begun < STALL
        assert len(server.requests) <= 2 * concurrency + 2


def test_a_server_that_stalls_half_way_is_given_up_after_one_deadline():
    begun = time.perf_counter()
    replies = [says("x")] * 10 + [Reply(write=stall)]
    with stamina.set_testing(False), serving(*replies) as server:
        answers = ask(server, 100, timeout=0.8)
    assert time.perf_counter() - begun < STALL
    assert sum(answer.error is None for answer in answers.values()) == 10
    assert {answer.error_kind for answer in answers.values()} == {None, "timeout"}


def test_a_first_prompt_that_is_slow_holds_up_no_other():
    def route(request):
        return Reply(write=stall) if "number 0?" in str(request.body) else says("x")

    with serving(route) as server:
        answers = ask(server, 5, timeout=1.5, tries=2)
    assert [answers[n].error_kind for n in range(5)] == ["timeout", None, None, None, None]


def test_a_server_that_is_slow_to_load_is_asked_again():
    answer, requests = one(Reply(write=stall), says("x"), timeout=1.5)
    assert (answer.text, len(requests)) == ("x", 2)


def test_a_server_that_dies_half_way_is_not_hammered():
    with serving(says("x"), says("x"), says("x"), refuses(500, "dead")) as server:
        answers = ask(server, 200, concurrency=2, tries=1, give_up_after=4)
        assert len(server.requests) < 12
    assert sorted(answers) == list(range(200))
    failed = [answer for answer in answers.values() if answer.error]
    assert len(failed) == 197
    assert {answer.error_kind for answer in failed} == {"http_500"}
    assert "not sent" in answers[199].error


def test_after_a_bad_round_the_next_one_tries_again():
    with serving(says("x"), refuses(500), says("back")) as server:
        probed = model(server, concurrency=1, tries=1, give_up_after=1)
        assert [answer.error_kind for _, answer in probed.answer(prompts(4))] == [None, *["http_500"] * 3]
        assert [answer.text for _, answer in probed.answer(prompts(2))] == ["back", "back"]


KEYS = ["choices", "message", "content", "text", "delta", "finish_reason", "error", "code", "param", "usage"]
KEYS += ["total_tokens", "model", "system_fingerprint", "refusal", "type", "detail", "reasoning"]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just("length")
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


def outcome(status, body, style):
    try:
        return to_answer(read_reply(status, {}, body, datetime.now(UTC)), style)
    except Failed as failed:
        return failed


@given(status=st.sampled_from([200, 200, 307, 400, 404, 429, 500]), reply=JSON)
@pytest.mark.parametrize("style", ["chat", "completion"])
def test_whatever_a_server_sends_is_an_answer_or_a_failure(status, reply, style):
    body = json.dumps(reply).encode()
    for sent in (body, b"data: " + body + b"\n\ndata: [DONE]\n"):
        found = outcome(status, sent, style)
        if isinstance(found, Failed):
            assert found.message.isprintable()
        else:
            assert found.text.encode().count(0) == 0


def test_the_reason_is_found_wherever_servers_put_it():
    bodies = [
        {"error": {"message": "why"}},
        {"error": "why"},
        {"object": "error", "message": "why", "code": 400},
        {"detail": "why"},
        {"detail": [{"loc": ["body"], "msg": "why"}]},
        {"error": {"message": {"text": "why"}}},
    ]
    for body in bodies:
        assert "why" in one(Reply(body, 400))[0].error


# --- secrets


@pytest.mark.parametrize(
    "reply",
    [
        lambda request: refuses(401, f"bad header {request.headers['Authorization']}"),
        lambda request: Reply(raw=request.headers["Authorization"].encode(), status=500),
        lambda request: Reply(raw=request.headers["Authorization"].encode()),
        lambda request: Reply(
            status=302, headers={"Location": f"http://x/?k={request.headers['Authorization']}"}
        ),
    ],
    ids=["401", "500 in plain text", "200 in plain text", "redirect"],
)
def test_a_key_that_is_echoed_stays_out_of_the_error(reply, caplog):
    caplog.set_level(logging.DEBUG)
    with serving(reply) as server, pytest.raises(UnavailableError) as raised:
        ask(server, 9, api_key=KEY, tries=2)
    assert "***" in str(raised.value)
    ours = [str(raised.value), *(r.getMessage() for r in caplog.records if r.name.startswith("freshness"))]
    assert all(KEY not in text for text in ours)


def test_a_key_that_is_echoed_stays_out_of_the_answer():
    def echo(request):
        key = request.headers["Authorization"]
        return says(key, model=key, system_fingerprint=key)

    answer, _ = one(echo, api_key=KEY)
    assert KEY not in repr(answer)
    assert answer.text == "Bearer ***"


def test_the_key_is_not_in_the_models_repr_or_info():
    assert KEY not in repr(models.ModelOptions(api_key=KEY))
    assert KEY not in repr(models.build("http://h/v1#m", api_key=KEY).info())


@pytest.mark.parametrize("key", ["sk-line\nbreak", "sk-naïve-key"])
def test_a_key_that_no_header_carries_is_a_usage_error_without_the_key(key):
    with pytest.raises(UsageError, match="MY_KEY") as raised:
        models.build("http://h/v1#m", api_key=key, api_key_env="MY_KEY")
    assert key not in str(raised.value)


def test_a_line_end_after_the_key_is_no_part_of_it():
    _, [request] = one(says("x"), api_key=f"{KEY}\n")
    assert request.headers["Authorization"] == f"Bearer {KEY}"


def test_error_text_is_one_short_line():
    answer, _ = one(refuses(400, "a\nb\x1b[31m\x07" + "c" * 10_000))
    assert answer.error.isprintable()
    assert len(answer.error) <= 300


# --- specs


@pytest.mark.parametrize("spec", ["http://host/v1", "http://host/v1#", "http:///v1#m", "http://h:port/v1#m"])
def test_a_url_without_host_or_model_is_a_usage_error(spec):
    with pytest.raises(UsageError):
        models.build(spec)


def test_a_model_name_may_have_slashes_and_hashes():
    assert models.build("http://h/v1#org/name#2").info().served == "org/name#2"


def test_routes_are_tried_chat_first_and_with_version_first():
    paths = [route.path for route in first_dialect("/", "auto").routes]
    assert paths == ["/v1/chat/completions", "/chat/completions", "/v1/completions", "/completions"]
