import errno
import gc
import gzip
import io
import re
import socket
import zlib
from dataclasses import replace
from datetime import date
from urllib.parse import urlsplit

import pytest
import stamina
from httpx import URL, Response
from owid_server import CSV, NOT_FOUND, as_json, by_path, charts, csv, flags, indicator, metadata
from sparql_server import Reply, drips, html, sends, serving, stalls

from freshness import __version__
from freshness.errors import FreshnessError, UnavailableError, UsageError
from freshness.sources.owid import ChartError, Owid, transfer
from freshness.sources.owid.rows import Limits
from freshness.sources.owid.server import GIVEN_UP
from freshness.sources.trying import Failed

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n"
WORDS = {"Life (period)": {"titleShort": "v", "shortName": "life_0", "lastUpdated": "2025-10-22"}}


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


def client(server, **options):
    return Owid(server.base, **{"deadline": 5.0, **options})


def fails(csv_reply=None, metadata_reply=None, error=ChartError, **options):
    """The error, and the requests that were made for it."""
    with charts(csv_reply, metadata_reply) as server, pytest.raises(error) as caught:
        client(server, **options).fetch(indicator())
    message = str(caught.value)
    assert "127.0.0.1" in message
    assert error is UnavailableError or "; " in message, "what to do"
    assert message.isprintable()
    assert len(message) < 600
    return caught.value, server.requests


def test_metadata_are_asked_for_first_with_the_same_flags():
    with charts() as server:
        chart = client(server, contact="ops@example.org").fetch(indicator())
    assert [urlsplit(r.path).path for r in server.requests] == [
        "/grapher/life.metadata.json",
        "/grapher/life.csv",
    ]
    for request in server.requests:
        assert flags(request) == {"v": "1", "csvType": "full", "useColumnShortNames": "true"}
        assert request.headers["User-Agent"] == f"freshness/{__version__} (ops@example.org)"
    assert chart.series[0].values == (82.5, 83.0)
    assert chart.vintage.updated == date(2025, 10, 22)


@pytest.mark.parametrize("ending", ["", "/", "/grapher", "/grapher/", "/mirror", "/mirror/grapher/?x=1#y"])
def test_the_address_may_have_a_path_with_or_without_grapher(ending):
    with charts() as server:
        Owid(server.base + ending).fetch(indicator())
    folder = "/mirror/grapher" if "mirror" in ending else "/grapher"
    assert urlsplit(server.requests[1].path).path == f"{folder}/life.csv"


def test_short_names_are_understood_by_the_metadata():
    with charts(csv(CSV.replace("Year,v", "Year,life_0")), as_json(metadata(**WORDS))) as server:
        assert client(server).fetch(indicator()).series


def test_a_long_title_is_a_name_too():
    title = "Life expectancy of " + "very " * 50 + "old people"
    said = metadata(life_0={"titleShort": "Life", "titleLong": title})
    with charts(csv(CSV.replace("Year,v", "Year,life_0")), as_json(said)) as server:
        chart = client(server).fetch(indicator(column=title))
    assert chart.series
    assert len(chart.vintage.title) <= 200


def test_without_metadata_long_names_are_asked_for():
    with charts(metadata_reply=NOT_FOUND) as server:
        chart = client(server).fetch(indicator())
    assert flags(server.requests[1])["useColumnShortNames"] == "false"
    assert chart.vintage.updated is None


def test_an_edition_that_is_known_is_not_downloaded_again():
    with charts() as server:
        chart = client(server).fetch(indicator())
        assert client(server).fetch(indicator(), chart.vintage, "digest") is None
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (metadata("2026-10-01"), {}),
        (metadata("2024-10-01"), {}),
        (metadata(), {"next_update": date(2027, 1, 1)}),
        (metadata(), {"updated": None}),
        ({"columns": {}}, {}),
    ],
    ids=["newer", "older", "other words", "no date was known", "none is said"],
)
def test_any_other_edition_is_downloaded(said, known):
    with charts() as server:
        chart = client(server).fetch(indicator())
    with charts(metadata_reply=as_json(said)) as server:
        assert client(server).fetch(indicator(), replace(chart.vintage, **known), "digest")


def test_an_edition_seen_on_its_own_day_may_have_changed_since():
    with charts() as server:
        chart = client(server).fetch(indicator())
        same_day = replace(chart.vintage, fetched_at=chart.vintage.fetched_at.replace(2025, 10, 22))
        assert client(server).fetch(indicator(), same_day, "digest")


def test_a_known_edition_without_its_values_is_downloaded():
    with charts() as server:
        chart = client(server).fetch(indicator())
        assert client(server).fetch(indicator(), chart.vintage, None)


def test_several_columns_of_a_chart_need_one_download():
    text = "Entity,Code,Year,a,b\nFrance,FRA,2020,1,2\n"
    with charts(csv(text), as_json(metadata(a={"unit": "t"}, b={"unit": "kg"}))) as server:
        asked = client(server)
        found = [asked.fetch(indicator(column=column, id=f"life/{column}")) for column in "ab"]
        assert [chart.series[0].values for chart in found] == [(1.0,), (2.0,)]
        assert [chart.vintage.unit for chart in found] == ["t", "kg"]
        assert asked.requests == 2
        asked.fetch(indicator(column="a", id="life/a"))
        assert asked.requests == 4


def test_a_chart_that_failed_is_not_asked_for_again_by_its_next_column():
    with charts(Reply("", 403)) as server:
        asked = client(server)
        for column in "ab":
            with pytest.raises(ChartError) as caught:
                asked.fetch(indicator(column=column, id=f"life/{column}"))
            assert caught.value.indicator == f"life/{column}"
    assert len(server.requests) == 2


def test_entities_that_are_needed_must_be_there():
    with charts() as server, pytest.raises(ChartError, match="has no entity 'Atlantis'") as caught:
        client(server, needed={"life": ["FRA", "Atlantis"]}).fetch(indicator())
    assert caught.value.kind == "owid_entity_missing"


def test_a_download_that_finds_no_room_is_told(monkeypatch):
    class Full(io.BytesIO):
        def write(self, piece):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(transfer.tempfile, "SpooledTemporaryFile", lambda max_size: Full())
    with charts() as server, pytest.raises(FreshnessError, match=r"No space left on device.*TMPDIR"):
        client(server).fetch(indicator())
    assert len(server.requests) == 1


def test_downloads_leave_no_file_behind(monkeypatch, recwarn):
    monkeypatch.setattr(transfer, "IN_MEMORY", 10)
    with charts() as server:
        asked = client(server)
        assert asked.fetch(indicator())
        del asked
        gc.collect()
    assert not recwarn.list


# --- contact and address


@pytest.mark.parametrize("base", ["https://ourworldindata.org", "https://ourworldindata.org/grapher"])
def test_the_public_server_must_be_told_who_asks(base):
    with pytest.raises(UsageError, match=r"owid\.contact is not set.*FRESHNESS_OWID__CONTACT"):
        Owid(base)
    assert Owid(base, "ops@example.org")


@pytest.mark.parametrize("contact", ["me", "Jürgen@example.org", "a@b\nX-Evil: 1"])
def test_a_contact_that_nobody_can_use_is_refused(contact):
    with pytest.raises(UsageError, match=r"owid\.contact"):
        Owid("https://ourworldindata.org", contact)


@pytest.mark.parametrize(
    "base", ["", "ftp://host", "file:///etc", "ourworldindata.org", "http://", "http://a b"]
)
def test_an_address_that_is_none_is_refused_without_repeating_it(base):
    with pytest.raises(UsageError, match=r"owid\.base_url is no http\(s\) address"):
        Owid(base, "ops@example.org")


def test_a_password_is_sent_to_its_host_alone_and_never_told():
    with (
        charts() as other,
        charts(lambda request: Reply(status=302, headers={"Location": other.base + "/x.csv"})) as server,
    ):
        base = server.base.replace("//", "//me:secret@")
        assert Owid(base).fetch(indicator()).series
        assert server.requests[0].headers["Authorization"].startswith("Basic ")
        assert "Authorization" not in other.requests[0].headers
    with charts(Reply("", 401)) as server, pytest.raises(ChartError) as caught:
        Owid(server.base.replace("//", "//me:secret@")).fetch(indicator())
    assert "secret" not in str(caught.value)


# --- what servers answer


@pytest.mark.parametrize(
    ("reply", "kind", "says"),
    [
        (Reply("", 403), "owid_forbidden", "403"),
        (NOT_FOUND, "owid_not_found", "404"),
        (Reply("", 410), "owid_not_found", "410"),
        (Reply("", 418), "owid_refused", "418"),
        (html(200, "Dashboard"), "owid_not_csv", "web page ('Dashboard')"),
        (as_json({"error": "no such chart"}), "owid_not_csv", "JSON"),
        (csv(""), "owid_not_csv", "is empty"),
        (csv("Entity,Code,Year,v\n"), "owid_empty", "no rows"),
        (csv(CSV.replace("82.5", "82.5 years")), "owid_bad_number", "row 2, column 'v': '82.5 years'"),
        (csv(CSV.replace(",v", ",w")), "owid_column_missing", "likely its new name: 'w'"),
    ],
)
def test_a_chart_that_can_not_be_had_is_told_with_its_reason(reply, kind, says):
    error, requests = fails(reply)
    assert (error.kind, error.indicator) == (kind, "life")
    assert says in str(error)
    assert len(requests) == 2


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply("", 403), "owid_forbidden"),
        (html(200, "Down"), "owid_not_csv"),
        (Reply("nonsense"), "owid_bad_metadata"),
        (as_json([]), "owid_bad_metadata"),
        (Reply("[" * 100_000), "owid_bad_metadata"),
        (as_json({"chart": {}}), "owid_bad_metadata"),
    ],
)
def test_metadata_that_can_not_be_had_are_told(reply, kind):
    error, requests = fails(metadata_reply=reply)
    assert error.kind == kind
    assert "/grapher/life.metadata.json): " in str(error)
    assert ("): the metadata are no" in str(error)) is (kind == "owid_bad_metadata")
    assert len(requests) == 1


def test_html_on_every_address_is_no_csv():
    assert fails(html(200, "Dashboard"), html(200, "Dashboard"))[0].kind == "owid_not_csv"


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_in_trouble_is_asked_a_few_times(status):
    error, requests = fails(Reply("", status), error=UnavailableError)
    assert f"answered {status}, after 4 tries" in str(error)
    assert len(requests) == 5


def test_a_server_that_recovers_is_fine():
    replies = iter([Reply("", 503, {"Retry-After": "1"}), Reply("", 500), csv(CSV)])
    with charts(lambda request: next(replies)) as server:
        assert client(server).fetch(indicator()).series


def test_a_server_that_wants_us_to_wait_for_long_is_not_waited_for():
    error, requests = fails(Reply("", 503, {"Retry-After": "86400"}), error=UnavailableError)
    assert "it asks to wait until" in str(error)
    assert len(requests) == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(status):
    def reply(request):
        moved = "/grapher/new.csv?" + urlsplit(request.path).query
        return csv(CSV) if "new.csv" in request.path else Reply(status=status, headers={"Location": moved})

    with charts(reply) as server:
        assert client(server).fetch(indicator()).series
    assert server.requests[-1].headers["User-Agent"].startswith("freshness/")


@pytest.mark.parametrize(
    ("location", "says"),
    [
        ("/grapher/life.csv", "redirects more than 5 times"),
        ("file:///etc/passwd", "redirects to file://, which is no web address"),
        ("ftp://example.org/x", "no web address"),
        (None, "without a place"),
        ("http://[::bad", "an address that is none"),
        ("http://127.0.0.1:99999/x", "an address that is none"),
        ("http://127.0.0.1:-1/x", "an address that is none"),
        ("http://a.org:80:80/", "an address that is none"),
        ("http://xn--a/", "an address that is none"),
        ("?" * 70_000, "an address that is none"),
        ("javascript:alert(1)", "no web address"),
        ("data:text/csv,a", "no web address"),
    ],
)
def test_a_redirect_that_leads_nowhere_is_refused(location, says):
    error, requests = fails(Reply(status=302, headers={"Location": location} if location else {}))
    assert error.kind == "owid_redirect"
    assert says in str(error)
    assert len(requests) <= 8


def test_a_redirect_to_a_host_that_is_down_names_that_host():
    location = f"http://user:secret@localhost:{closed_port()}/x"
    error, _ = fails(Reply(status=302, headers={"Location": location}), error=UnavailableError)
    assert re.search(r"redirects to localhost:\d+, which can't be reached", str(error))
    assert "secret" not in str(error)


def test_encryption_is_never_given_up():
    for base, target in [
        ("https://ourworldindata.org/x", "http://ourworldindata.org/x"),
        ("https://ourworldindata.org/x", "https://169.254.169.254/latest"),
        ("https://ourworldindata.org/x", "https://localhost/x"),
    ]:
        with pytest.raises(Failed, match="redirects to"):
            transfer.after_redirect(URL(base), Response(301, headers={"Location": target}))
    assert (
        transfer.after_redirect(
            URL("http://a.org/x"), Response(301, headers={"Location": "https://b.org/y"})
        ).scheme
        == "https"
    )


# --- misbehaviour


@pytest.mark.parametrize(
    "reply",
    [
        stalls(),
        stalls(b"HTTP/1.1 200 OK\r\nContent-Ty"),
        stalls(HEAD + b"Content-Length: 999999\r\n\r\n" + CSV.encode()),
        drips(b"HTTP/1.1 200 OK\r\nX-Slow: a"),
        drips(HEAD + b"\r\n" + CSV.encode()),
    ],
    ids=["nothing", "half the headers", "half the body", "headers that drip", "a body that drips"],
)
def test_a_server_that_stalls_is_left_in_time(reply):
    error, requests = fails(reply, error=UnavailableError, deadline=0.4)
    assert "gave no whole answer within 0.4 s, after 2 tries" in str(error)
    assert "owid.timeout" in str(error)
    assert len(requests) <= 3  # a busy server may not have read them all in that time


def endless(head, part):
    def write(handler):
        handler.wfile.write(head)
        while not handler.server.told.stopped.is_set():
            handler.wfile.write(part)

    return Reply(write=write)


def test_a_body_without_an_end_is_cut_at_the_limit():
    body = b"A,AAA,2020,1\n" * 1000
    error, _ = fails(endless(HEAD + b"\r\nEntity,Code,Year,v\n", body), limits=Limits(3 * 2**20))
    assert error.kind == "owid_too_large"
    assert "more than 3 MiB" in str(error)


def test_a_body_that_is_declared_too_large_is_not_waited_for():
    reply = stalls(HEAD + b"Content-Length: 10737418240\r\n\r\n" + CSV.encode())
    error, requests = fails(reply, limits=Limits(3 * 2**20))
    assert error.kind == "owid_too_large"
    assert len(requests) == 2


def test_metadata_have_a_limit_of_their_own():
    error, _ = fails(metadata_reply=endless(HEAD + b"\r\n{", b" " * 2**16))
    assert error.kind == "owid_too_large"


def packed(body, encoding="gzip"):
    return Reply(body, headers={"Content-Encoding": encoding, "Content-Type": "text/csv"})


def test_a_packed_body_is_unpacked():
    with charts(packed(gzip.compress(CSV.encode()))) as server:
        assert client(server).fetch(indicator()).series
        assert server.requests[1].headers["Accept-Encoding"] == "gzip"


@pytest.mark.parametrize("padding", [b"", b"\0" * 600, gzip.compress(b"", mtime=0)])
@pytest.mark.parametrize("cut", [0, 19, 30, len(CSV)])
def test_a_body_packed_in_parts_is_read_to_its_end(cut, padding):
    parts = [CSV[:cut].encode(), CSV[cut:].encode()]
    with charts(packed(padding.join(map(gzip.compress, parts)) + padding)) as server:
        assert len(client(server).fetch(indicator()).series) == 2


def test_a_bomb_is_not_unpacked_to_its_end():
    packer = zlib.compressobj(wbits=31)
    bomb = packer.compress(b"Entity,Code,Year,v\n")
    bomb += b"".join(packer.compress(b"\n" * 2**20) for _ in range(100)) + packer.flush()
    assert len(bomb) < 2**20
    error, _ = fails(packed(bomb), limits=Limits(4 * 2**20))
    assert error.kind == "owid_too_large"


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (packed(b"\0\1\2", "br"), "sent a body in 'br'"),
        (packed(gzip.compress(gzip.compress(CSV.encode())), "gzip, gzip"), "'gzip, gzip'"),
        (packed(CSV.encode()), "can't be unpacked"),
        (packed(gzip.compress(CSV.encode()) + b"<html>"), "can't be unpacked"),
    ],
)
def test_a_body_packed_otherwise_is_refused(reply, says):
    assert says in str(fails(reply)[0])


@pytest.mark.parametrize(
    "reply",
    [
        sends(HEAD + b"Content-Length: 9999\r\n\r\n" + CSV.encode()),
        sends(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nEntit\r\n"),
        packed(gzip.compress(CSV.encode())[:-9]),
        packed(gzip.compress(CSV.encode()) + gzip.compress(b"Japan,JPN,2020,1\n")[:-9]),
        sends(b""),
        sends(b"SSH-2.0-OpenSSH_9.9\r\n"),
    ],
    ids=["short", "half a chunk", "half packed", "half of a part", "nothing", "another protocol"],
)
def test_a_body_that_breaks_off_is_no_chart(reply):
    error, requests = fails(reply, error=UnavailableError)
    assert "after 3 tries" in str(error)
    assert len(requests) == 4


def closed_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def test_a_server_that_is_down_is_unavailable_and_soon_left_alone():
    asked = Owid(f"http://127.0.0.1:{closed_port()}", deadline=5.0)
    messages = []
    for number in range(GIVEN_UP + 2):
        with pytest.raises(UnavailableError) as caught:
            asked.fetch(indicator(f"chart-{number}"))
        messages.append(str(caught.value))
    assert "can't be reached" in messages[0]
    assert "owid.base_url" in messages[0]
    assert "was not asked" in messages[-1]
    assert asked.requests == 3 * GIVEN_UP


def test_one_chart_that_fails_keeps_no_other_from_being_asked():
    def bad_first(request):
        return (
            Reply("", 500)
            if "/bad" in request.path
            else by_path(csv=csv(CSV), metadata=as_json(metadata()))(request)
        )

    with serving(bad_first) as server:
        asked = Owid(server.url.removesuffix("/sparql"))
        for number in range(GIVEN_UP + 1):
            with pytest.raises(UnavailableError, match="answered 500"):
                asked.fetch(indicator(f"bad-{number}"))
            assert asked.fetch(indicator(f"good-{number}")).series


def test_tls_that_is_none_is_told():
    with charts() as server, pytest.raises(UnavailableError, match=r"TLS.*owid\.base_url begins with"):
        Owid(server.base.replace("http://", "https://"), attempts=1).fetch(indicator())
