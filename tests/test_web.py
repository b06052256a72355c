"""The pages, the API and what guards them, over HTTP but without a socket; see test_web_live for one."""

import html
import json
import re
from dataclasses import replace
from urllib.parse import quote, unquote, urlsplit

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from stores import made_database
from web_world import HOSTILE_NAME, IMAGE, LONG, NOW, OVERRIDE, SCRIPT, SECRET, make_world

from freshness.app import pages
from freshness.app.pages import Look
from freshness.errors import StoreError
from freshness.web.guard import POLICY
from freshness.web.rendering import environment
from freshness.web.server import make_app

TOKEN = "a-token-of-the-operator"
PAGES = ["/", "/facts", "/changes", "/jobs", "/facts/Q38/P35", "/models/knows", "/models/counts", "/series"]
PAGES += ["/series/life-expectancy", "/series/life-expectancy?entity=FRA"]
CHANGING = [("/api/v1/jobs/probe:knows:current/run"), ("/api/v1/reload")]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    world = make_world(folder, made_database("sqlite", folder))
    yield world
    world.store.close()


def client_of(world, *, token=None, host="127.0.0.1", service=None, **options):
    """A client of an app that listens on that host."""
    server = world.settings.server.model_copy(update={"host": host})
    bound = world.settings.model_copy(update={"server": server})
    environ = {} if token is None else {"FRESHNESS_TOKEN": token}
    app = make_app(bound, world.store, service or world.daemon, environ=environ)
    return TestClient(app, base_url="http://127.0.0.1:9464", follow_redirects=False, **options)


@pytest.fixture(scope="module")
def client(world):
    return client_of(world)


@pytest.fixture(scope="module")
def operator(world):
    return client_of(world, token=TOKEN)


def addresses(text):
    """Of all that a page links to or loads, but of other hosts."""
    found = (html.unescape(href) for href in re.findall(r'(?:href|src)="([^"]*)"', text))
    return {href for href in found if not urlsplit(href).scheme and not href.startswith("#")}


def text_of(page):
    """What one reads: without markup."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?bdi[^>]*>", "", page))).split())


class TestPages:
    @pytest.mark.parametrize("path", PAGES)
    def test_is_a_page_with_a_language_a_title_landmarks_and_one_heading(self, client, path):
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.text.startswith('<!doctype html>\n<html lang="en">')
        assert len(re.findall("<h1>", answer.text)) == 1
        assert all(f"<{part}" in answer.text for part in ("title", "main", "nav", "header", "footer"))

    def test_every_link_of_every_page_leads_somewhere(self, client):
        seen, left = set(), {"/"}
        while left:
            path = left.pop()
            seen.add(path)
            answer = client.get(path)
            assert answer.status_code == 200, path
            if answer.headers["content-type"].startswith("text/html") and "/runs/" not in path:
                here = urlsplit(path).path
                left |= {here + to if to.startswith("?") else to for to in addresses(answer.text)} - seen
        assert len(seen) > 40

    def test_nothing_is_loaded_from_elsewhere_and_no_script_is_there(self, client):
        for path in PAGES:
            page = client.get(path).text
            loaded = re.findall(r'<(?:link|img|script|iframe|object)[^>]*(?:href|src)="([^"]*)"', page)
            assert loaded
            assert all(address.startswith("/static/") for address in loaded)
            assert "<script" not in page
            assert not re.search(r"<[^>]*\s(style|on\w+)=", page)

    def test_the_fleet_shows_how_each_model_stands(self, client):
        rows = re.findall(r'<tr role="row"><th scope="rowgroup".*?</tr>', client.get("/").text, re.S)
        told = [text_of(row) for row in rows]
        states = {
            name: next(text for text in told if text.startswith(name))
            for name in ("knows", "is behind", "fails", "never asked")
        }
        assert re.match(r"knows current ok .*100\.0% correct, 0\.0% outdated", states["knows"])
        assert re.match(r"is behind current swapped another model is served", states["is behind"])
        assert re.match(
            r"fails current failing failed 1 time in .* can't be reached no data", states["fails"]
        )
        assert re.match(r"never asked current never asked no run yet no data", states["never asked"])

    def test_a_model_with_several_suites_is_one_model(self, client, world):
        fleet = pages.fleet(Look(world.settings, world.store, world.daemon))
        counts = next(one for one in fleet.models if one.model == "counts")
        both = replace(fleet, models=(counts, replace(counts, suite="next-word")))
        told = environment().get_template("fleet.html.j2").render(fleet=both)
        assert 'rowspan="2"' in told
        assert told.count('<a href="/models/counts"') == 1
        assert "1 model, asked about 186 facts" in text_of(told)
        numbers = f"about the numbers of {fleet.indicators} indicators , last confirmed on {NOW:%Y-%m-%d}"
        assert numbers in text_of(told)

    def test_what_failed_is_no_data_and_never_zero(self, client):
        page = client.get("/models/fails").text
        assert "It has no finished run yet." in page
        assert "0.0%" not in page.split("Run by run")[0]

    def test_a_model_that_is_behind_shows_what_it_said_and_what_is_true_now(self, client, world):
        page = client.get("/models/is%20behind").text
        outdated = client.get("/api/v1/models/is%20behind").json()["outdated"]
        assert f"Outdated facts ({len(outdated)})" in page
        first = outdated[0]
        for text in (first["question"], first["said"], first["since"], *first["now"]):
            assert html.escape(text) in page
        assert f"<mark>{html.escape(first['answer']['match'])}</mark>" in page

    def test_a_fact_shows_its_holders_its_record_and_each_models_answer(self, client, world):
        page = client.get("/facts/Q38/P35").text
        fact = world.snapshot.facts[0]
        assert all(html.escape(value.label) in page for value in fact.values)
        assert "https://www.wikidata.org/wiki/Q38#P35" in page
        assert "2015-02-03 to" in page
        answered = text_of(page.split("What each model answers")[1])
        assert all(name in answered for name in ("knows", "is behind", "elsewhere.toml"))

    def test_a_change_names_whom_it_outdated(self, client):
        told = text_of(client.get("/changes").text)
        assert "Italy P35 Sergio Mattarella Somebody <b>New</b> knows (said Sergio Mattarella)" in told

    @pytest.mark.parametrize("path", ["/", "/changes"])
    def test_facts_and_numbers_change_in_one_list(self, client, path):
        page = client.get(path).text
        told = text_of(page)
        assert "Italy P35" in told
        revised = r"revision life-expectancy France and 5 more, 132 values in all France: 78 \(2020\), "
        assert re.search(revised, told)
        assert "edition 2023-12-01" in told
        assert {"/series/life-expectancy", "/series/life-expectancy?entity=FRA"} <= addresses(page)

    def test_a_model_that_counts_is_shown_beside_chance(self, client):
        told = text_of(client.get("/models/counts").text)
        assert "33.3% 28–40% (95%), 234 questions by chance 29.2% not told from chance" in told
        assert re.search(r"comparative .* 39 33\.3% 21–49% 50\.0% –", told)
        assert "life-expectancy 2015 (2011–2017) 2022" in told
        assert "annual-co2 no sign of any" in told
        assert "gdp-per-capita 2022 or later (2019 or later)" in told
        assert "Outdated facts" not in told

    def test_choices_stand_beside_the_right_one(self, client):
        page = client.get("/runs/numbers?kind=date&verdict=incorrect").text
        told = text_of(page)
        assert "(b) 72.4 years (right) (c) 79.9 years (chosen)" in told
        assert "kind date" in told
        for verdict in re.findall(r'class="verdict (\w+)"', page):
            assert verdict == "incorrect"
        kept = [to for to in addresses(page) if "kind=date" in to]
        assert any("verdict=not_available" in to for to in kept)

    def test_each_chart_tells_its_edition_and_whom_to_cite(self, client):
        told = text_of(client.get("/series?category=health").text)
        assert re.search(
            r"life expectancy at birth \(years\) health ok 2023 6 \S+ next \S+ Made-up data", told
        )
        assert "average wheat yield" not in told
        assert client.get("/series?category=wealth").status_code == 422

    def test_an_indicator_shows_what_was_revised_and_who_knows_it(self, client):
        told = text_of(client.get("/series/life-expectancy?entity=france").text)
        assert "Thick line: France" in told
        assert "2022 79.3 78.8 (2023-12-01)" in told
        assert "revision" in told
        assert "counts numeric 2015 (2011–2017)" in told
        assert "new years: 6, revision: 6" in told
        assert "There is no such country here." in client.get("/series/life-expectancy?entity=Atlantis").text
        assert "no such indicator" in client.get("/series/nothing").text

    def test_an_indicator_that_is_not_asked_about_any_more_is_still_there(self, client):
        assert "in the history alone" in text_of(client.get("/series/annual-co2").text)
        listed = client.get("/api/v1/series?limit=200").json()["items"]
        assert "annual-co2" not in {line["indicator"] for line in listed}

    def test_jobs_show_how_they_went_and_when_they_come_next(self, client):
        told = text_of(client.get("/jobs").text)
        assert re.search(r"probe:knows:current succeeded", told)
        assert re.search(r"probe:fails:current failing 1 failure in a row", told)
        assert re.search(r"refresh:wikidata never ran", told)

    def test_an_empty_history_says_what_to_do(self, tmp_path, world):
        from freshness.app import setup

        url = made_database("sqlite", tmp_path)
        empty = world.settings.model_copy(
            update={"models": [], "store": world.settings.store.model_copy(update={"url": url})}
        )
        with setup.open_history(empty) as store:
            bare = TestClient(make_app(empty, store, environ={}), base_url="http://localhost")
            assert "No model is registered" in bare.get("/").text
            assert "it runs no jobs" in bare.get("/jobs").text
            assert "Nothing on record yet" in bare.get("/changes").text
            assert bare.get("/facts").status_code == 200
            assert bare.get("/facts/Q38/P6").status_code == 200
            assert bare.get("/api/v1/fleet").json()["models"] == []

    @pytest.mark.parametrize(
        "path",
        ["/models/nobody", "/facts/Q0/P0", "/runs/nothing", "/nowhere", "/static/../server.py", "/models/"],
    )
    def test_what_is_not_there_is_a_page_of_its_own(self, client, path):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "<h1>404</h1>" in answer.text
        assert answer.headers["cache-control"] == "no-store"

    def test_names_with_nul_or_broken_characters_are_nobodys(self, client):
        for path in ("/models/%00", "/facts/%00/P6", "/runs/%00", "/models/%ff", "/models/%ed%a0%80"):
            assert client.get(path).status_code == 404
        assert client.get("/api/v1/runs?model=%00").json()["items"] == []

    def test_facts_are_found_by_words_state_and_group(self, client):
        assert "Italy" in client.get("/facts?q=italy&state=&group=").text
        assert "None fits." in client.get("/facts?q=nobody-at-all").text
        found = client.get("/api/v1/facts?q=ITALY P35").json()
        assert [fact["fact"] for fact in found["items"]] == ["Q38/P35"]
        quarantined = client.get("/api/v1/facts?state=quarantined").json()["items"]
        assert all(fact["reasons"] for fact in quarantined)

    def test_long_lists_come_in_parts_that_lead_to_each_other(self, client):
        first = client.get("/facts?limit=100").text
        following = next(to for to in addresses(first) if "offset=100" in to)
        second = client.get(f"/facts{following}").text
        assert "from 101 to" in second
        assert any("offset=0" in to for to in addresses(second))

    def test_a_runs_answers_can_be_narrowed_to_a_verdict(self, client):
        run = client.get("/api/v1/runs?model=knows").json()["items"][0]["run"]
        assert "0 answers" in text_of(client.get(f"/runs/{run}?verdict=outdated").text)
        assert client.get(f"/runs/{run}?verdict=right").status_code == 422


class TestHostile:
    def pages(self, client):
        run = client.get("/api/v1/runs", params={"model": HOSTILE_NAME}).json()["items"][0]["run"]
        facts = [f"/facts/{fact}" for fact in ("Q38/P35", "Q38/P6", "Q30/P35", "Q148/P35")]
        numbers = ["/runs/numbers", "/series/life-expectancy", "/series/life-expectancy?entity=XKX"]
        others = ["/", f"/models/{quote(HOSTILE_NAME, safe='')}", *facts, f"/runs/{run}", "/changes"]
        for path in (*others, *numbers, "/series/life-expectancy?entity=FRA"):
            yield client.get(path).text

    def test_markup_in_names_and_answers_is_text(self, client):
        whole = "".join(self.pages(client))
        for markup in (SCRIPT, IMAGE, "<img", "<b>", "<script", HOSTILE_NAME):
            assert markup not in whole
        read = text_of(re.sub(r"</?(?:mark|bdi)[^>]*>", "", whole))
        assert SCRIPT in read
        assert IMAGE in read
        assert "Somebody <b>New</b>" in read

    def test_what_reverses_or_hides_text_is_taken_out_and_each_text_stands_alone(self, client):
        whole = "".join(self.pages(client))
        assert not set(OVERRIDE[0] + OVERRIDE[-1] + "\x00\x1b\u2066") & set(whole)
        assert re.search(r'<bdi class="answer">[^<]*<mark>', whole)

    def test_a_very_long_answer_is_cut_with_a_note(self, client):
        page = client.get("/facts/Q38/P35").text
        assert re.search(r"cut: the answer has 1,000,0\d\d characters", page)
        assert len(page) < 100_000
        assert LONG[:1000] not in page
        answer = client.get("/api/v1/facts/Q38/P35").text
        assert len(answer) < 100_000

    def test_what_was_cut_when_it_was_taken_is_told_so(self, client, world):
        run = client.get("/api/v1/runs?model=knows").json()["items"][0]["run"]
        said = pages.run(Look(world.settings, world.store), run).answers.items[0].answer
        cut = replace(said, chars=20_000, cut=True, whole=False)
        macros = environment().get_template("macros.html.j2").module
        assert "cut: the answer had more than the 20,000 characters that were kept" in macros.answer(cut)

    def test_a_models_name_is_any_text(self, client):
        links = {to for to in addresses(client.get("/").text) if unquote(to).startswith("/models/<script")}
        link, with_suite = sorted(links)
        assert with_suite == f"{link}?suite=current"
        page = client.get(link).text
        assert html.escape('<script>alert("model")</script>/?#"quoted" evil', quote=False) in html.unescape(
            page
        ).replace("<", "&lt;").replace(">", "&gt;").replace("&lt;bdi&gt;", "")
        body = client.get(f"/api/v1/models/{quote(HOSTILE_NAME, safe='')}").json()
        assert body["standing"]["model"] == HOSTILE_NAME

    def test_no_secret_is_told_anywhere(self, client, operator):
        paths = [*PAGES, "/models/fails", "/models/never%20asked", "/metrics", "/runs/failed"]
        paths += [f"/api/v1/{name}" for name in ("fleet", "models", "runs", "facts", "changes", "jobs")]
        paths += ["/api/v1/models/fails", "/api/v1/runs/failed", "/api/v1/openapi.json"]
        for path in paths:
            answer = operator.get(path)
            assert answer.status_code == 200, path
            assert SECRET not in answer.text
            assert TOKEN not in answer.text


class TestGuards:
    @pytest.mark.parametrize(
        "path",
        ["/", "/nowhere", "/metrics", "/livez", "/api/v1/fleet", "/api/v1/nothing", "/static/style.css"],
    )
    def test_every_answer_carries_the_headers(self, client, path):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        assert "set-cookie" not in headers

    def test_the_policy_allows_nothing_but_our_own_style_and_pictures(self):
        rules = dict(rule.strip().split(" ", 1) for rule in POLICY.split(";"))
        assert rules["default-src"] == rules["base-uri"] == rules["frame-ancestors"] == "'none'"
        assert rules["style-src"] == rules["form-action"] == "'self'"
        assert "unsafe" not in POLICY
        assert "script-src" not in rules

    def test_a_page_that_did_not_change_is_not_sent_again(self, client):
        for path in ("/", "/api/v1/runs"):
            first = client.get(path)
            again = client.get(path, headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == first.headers["etag"]
            assert again.headers["content-security-policy"] == POLICY
            assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200

    def test_what_is_of_the_moment_is_never_kept(self, client):
        for path in ("/metrics", "/livez", "/readyz"):
            assert client.get(path).headers["cache-control"] == "no-store"
            assert "etag" not in client.get(path).headers

    def test_a_style_may_be_kept_for_ever_since_its_address_changes_with_it(self, client):
        (style,) = (to for to in addresses(client.get("/").text) if "style.css" in to)
        assert re.fullmatch(r"/static/style\.css\?[0-9a-f]{12}", style)
        assert "immutable" in client.get(style).headers["cache-control"]
        assert client.get(style).headers["content-type"].startswith("text/css")

    @pytest.mark.parametrize("path", ["/", "/api/v1/fleet", "/metrics", "/static/style.css"])
    def test_head_is_get_without_the_body(self, client, path):
        head, get = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] == get.headers["content-type"]

    @pytest.mark.parametrize(
        "host", ["127.0.0.1", "127.0.0.1:9464", "localhost:9464", "LOCALHOST", "[::1]:9464"]
    )
    def test_on_the_loopback_its_own_names_are_answered(self, client, host):
        assert client.get("/livez", headers={"Host": host}).status_code == 200

    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:9464", "127.0.0.1.evil.example", "", "[::2]"]
    )
    def test_on_the_loopback_a_rebound_name_is_refused(self, client, host):
        answer = client.get("/", headers={"Host": host})
        assert answer.status_code == 421
        assert "knows" not in answer.text

    def test_elsewhere_any_name_is_answered(self, world):
        for host in ("0.0.0.0", "::", "10.0.0.5"):
            bound = client_of(world, host=host)
            for name in ("freshness.monitoring.svc", "[", ""):
                assert bound.get("/livez", headers={"Host": name}).status_code == 200
                assert bound.get("/facts/", headers={"Host": name}).status_code == 404

    def test_bodies_are_refused(self, operator):
        for path in ("/", *CHANGING):
            send = operator.get if path == "/" else operator.post
            assert operator.request("POST", path, content=b"x" * 20_000).status_code == 413
            assert operator.request("POST", path, content=iter([b"x"])).status_code == 413
            assert send(path, headers={"Content-Length": "nonsense"}).status_code == 413

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
    def test_other_methods_are_refused(self, client, method):
        for path in ("/", "/api/v1/fleet", "/metrics", "/livez"):
            assert client.request(method, path).status_code == 405

    def test_what_was_not_foreseen_is_logged_and_told_without_a_trace(self, client, monkeypatch, caplog):
        def fail(look):
            raise RuntimeError("in /home/me/secret-place.py")

        monkeypatch.setattr(pages, "fleet", fail)
        for path, told in (("/", "<h1>500</h1>"), ("/api/v1/fleet", '{"error":')):
            answer = client.get(path)
            assert answer.status_code == 500
            assert told in answer.text
            assert "secret-place" not in answer.text
            assert "Traceback" not in answer.text
            assert answer.headers["content-security-policy"] == POLICY
        assert "secret-place" in caplog.text

    def test_a_database_that_cannot_be_read_is_told_without_its_place(
        self, world, client, monkeypatch, caplog
    ):
        def fail(*_, **__):
            raise StoreError("can't read /srv/place/freshness.db: the disk failed")

        monkeypatch.setattr(type(world.store), "latest_summaries", fail)
        for path in ("/", "/api/v1/fleet"):
            answer = client.get(path)
            assert answer.status_code == 503
            assert answer.headers["retry-after"] == "5"
            assert "/srv/place" not in answer.text
        assert "/srv/place" in caplog.text


class TestToken:
    @pytest.mark.parametrize("path", CHANGING)
    @pytest.mark.parametrize("token", [None, "", "  "])
    def test_without_one_there_is_no_way_to_change_anything(self, world, path, token):
        client = client_of(world, token=token)
        for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {token}"}):
            assert client.post(path, headers=headers).status_code in (404, 405)
        described = client.get("/api/v1/openapi.json").json()
        assert {method for path in described["paths"].values() for method in path} == {"get"}

    def test_without_a_daemon_there_is_none_either(self, world):
        app = make_app(world.settings, world.store, None, environ={"FRESHNESS_TOKEN": TOKEN})
        client = TestClient(app, base_url="http://localhost")
        answer = client.post("/api/v1/reload", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 404

    @pytest.mark.parametrize(
        "given", [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN]
    )
    @pytest.mark.parametrize("path", CHANGING)
    def test_another_one_is_refused(self, world, operator, path, given):
        before = (len(world.daemon.begun), world.daemon.reloads)
        answer = operator.post(path, headers={} if given is None else {"Authorization": given})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert (len(world.daemon.begun), world.daemon.reloads) == before

    def test_a_token_that_is_no_ascii_is_compared_too(self, operator):
        headers = {"Authorization": "Bearer tökén".encode("latin-1")}
        assert operator.post("/api/v1/reload", headers=headers).status_code == 401

    def test_the_right_one_starts_a_job_and_reloads(self, world, operator):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = operator.post("/api/v1/jobs/probe:knows:current/run", headers=headers)
        assert (answer.status_code, answer.json()) == (202, {"accepted": "probe:knows:current"})
        assert world.daemon.begun[-1] == "probe:knows:current"
        assert operator.post("/api/v1/reload", headers=headers).status_code == 202
        assert operator.post("/api/v1/jobs/nothing/run", headers=headers).status_code == 404

    @pytest.mark.parametrize("path", CHANGING)
    def test_what_the_daemon_refuses_is_told(self, world, operator, path, monkeypatch):
        monkeypatch.setattr(world.daemon, "accepts", False)
        answer = operator.post(path, headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 409
        assert answer.json()["error"]

    def test_reading_needs_none(self, operator):
        assert operator.get("/api/v1/fleet").status_code == 200


class TestHealth:
    def test_ready_when_database_and_scheduler_are_whatever_the_models(self, client):
        assert client.get("/livez").text == "ok\n"
        assert (client.get("/readyz").status_code, client.get("/readyz").text) == (200, "ok\n")

    def test_not_ready_without_the_scheduler(self, world, client, monkeypatch):
        monkeypatch.setattr(world.daemon, "is_ready", False)
        answer = client.get("/readyz")
        assert (answer.status_code, answer.text) == (503, "not ready: scheduler\n")
        assert client.get("/livez").status_code == 200

    def test_not_ready_without_the_database_and_still_alive(self, tmp_path, world):
        from freshness.app import setup

        url = made_database("sqlite", tmp_path)
        lost = world.settings.model_copy(
            update={"store": world.settings.store.model_copy(update={"url": url})}
        )
        with setup.open_history(lost) as store:
            client = TestClient(make_app(lost, store, world.daemon, environ={}), base_url="http://localhost")
            assert client.get("/readyz").status_code == 200
            store.close()
            (tmp_path / "data" / "freshness.db").write_bytes(b"no database at all" * 1000)
            for suffix in ("-wal", "-shm"):
                (tmp_path / "data" / f"freshness.db{suffix}").unlink(missing_ok=True)
            answer = client.get("/readyz")
            assert (answer.status_code, answer.text) == (503, "not ready: database\n")
            assert client.get("/livez").status_code == 200

    def test_not_ready_when_the_file_was_deleted_under_it(self, tmp_path, world):
        from freshness.app import setup

        url = made_database("sqlite", tmp_path)
        lost = world.settings.model_copy(
            update={"store": world.settings.store.model_copy(update={"url": url})}
        )
        with setup.open_history(lost) as store:
            client = TestClient(make_app(lost, store, world.daemon, environ={}), base_url="http://localhost")
            assert client.get("/metrics").status_code == client.get("/readyz").status_code == 200
            (tmp_path / "data" / "freshness.db").unlink()
            assert client.get("/readyz").text == "not ready: database\n"
            assert "freshness_history_readable 0.0" in client.get("/metrics").text
            assert client.get("/").status_code == 503
            assert not (tmp_path / "data" / "freshness.db").exists()

    def test_metrics_are_those_of_the_history(self, client):
        answer = client.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=")
        assert 'freshness_answers_ratio{group="' in answer.text


class TestApi:
    def test_everything_that_can_be_read_is_described(self, client):
        described = client.get("/api/v1/openapi.json").json()
        assert described["openapi"].startswith("3.1")
        assert set(described["paths"]) == {
            f"/api/v1/{path}"
            for path in (
                "fleet models models/{name} runs runs/{run_id} facts facts/{fact_id} series series/{name} "
                "changes jobs".split()
            )
        }

    def test_the_fleet_in_json(self, client):
        fleet = client.get("/api/v1/fleet").json()
        states = {row["model"]: row["state"] for row in fleet["models"]}
        assert states["knows"] == "ok"
        assert states["fails"] == "failing"
        assert states["never asked"] == "never_asked"
        assert states[HOSTILE_NAME] == "outdated"
        knows = next(row for row in fleet["models"] if row["model"] == "knows")
        assert knows["newest"]["upper_bound"]["correct"] == knows["newest"]["questions"]
        assert len(knows["trend"]) == 2
        never = next(row for row in fleet["models"] if row["model"] == "never asked")
        assert (never["newest"], never["agreement"], never["trend"]) == (None, None, [])

    def test_times_tell_their_zone(self, client):
        for run in client.get("/api/v1/runs").json()["items"]:
            assert re.search(r"(Z|\+00:00)$", run["started_at"])

    def test_runs_come_in_parts_the_newest_first(self, client):
        everything = client.get("/api/v1/runs").json()["items"]
        first = client.get("/api/v1/runs?limit=2").json()
        second = client.get("/api/v1/runs?limit=2&offset=2").json()
        assert [first["more"], *first["items"], *second["items"]] == [True, *everything[:4]]
        assert everything == sorted(everything, key=lambda run: run["started_at"], reverse=True)

    @pytest.mark.parametrize(
        "query", ["limit=0", "limit=201", "offset=-1", "offset=10001", "limit=many", "model="]
    )
    def test_what_is_out_of_bounds_is_refused_in_a_line(self, client, query):
        answer = client.get(f"/api/v1/runs?{query}")
        assert answer.status_code == 422
        assert "\n" not in answer.json()["error"]

    @pytest.mark.parametrize("name", ["models", "jobs", "runs", "facts", "series", "changes"])
    def test_every_list_comes_in_parts_of_the_same_shape(self, client, name):
        whole = client.get(f"/api/v1/{name}?limit=200").json()
        second = client.get(f"/api/v1/{name}?limit=1&offset=1").json()
        assert set(whole) == {"items", "offset", "limit", "more", "total"}
        assert second["items"] == whole["items"][1:2]
        assert (second["offset"], second["limit"]) == (1, 1)
        assert second["more"] is (len(whole["items"]) > 2)
        assert whole["total"] in (None, len(whole["items"]))

    @pytest.mark.parametrize(
        "path", ["fleet?limit=5", "models?modle=knows", "runs?models=knows", "jobs?%00=1"]
    )
    def test_a_parameter_that_nobody_reads_is_refused(self, client, path):
        answer = client.get(f"/api/v1/{path}")
        assert answer.status_code == 422
        assert "no such parameter" in answer.json()["error"]

    def test_changes_since_a_moment(self, client):
        def seen(since):
            return len(client.get("/api/v1/changes", params={"since": since}).json()["items"])

        # One fact, and of two charts the revised years and the new ones.
        assert seen(NOW.isoformat()) == 5
        assert seen(NOW.replace(tzinfo=None).isoformat()) == 5
        assert seen(NOW.replace(year=NOW.year + 1).isoformat()) == 0
        assert client.get("/api/v1/changes?since=0001-01-01T00:00:00%2B14:00").status_code == 422

    def test_a_run_with_its_answers(self, client):
        run = client.get("/api/v1/runs?model=knows").json()["items"][0]["run"]
        body = client.get(f"/api/v1/runs/{run}?limit=5").json()
        assert (body["run"], body["status"]) == (run, "finished")
        assert body["upper_bound"]["correct"] == sum(body["upper_bound"].values())
        assert (len(body["answers"]["items"]), body["answers"]["more"]) == (5, True)
        assert {said["verdict"] for said in body["answers"]["items"]} == {"correct"}

    def test_a_run_about_numbers_tells_options_and_the_long_figures_stand_with_the_model_alone(self, client):
        first = client.get("/api/v1/runs/numbers?limit=1").json()["answers"]["items"][0]
        options = first["number"]["options"]
        assert [option["letter"] for option in options] == ["(a)", "(b)", "(c)", "(d)"]
        assert [option["right"] for option in options] == [False, True, False, False]
        assert first["number"]["right"] == "(b) 72.4 years"
        model = client.get("/api/v1/models/counts").json()
        assert model["numbers"]["average"]["shares"]["correct"]["value"] == pytest.approx(1 / 3, abs=0.01)
        assert [until["estimate"] for until in model["numbers"]["until"]] == [None, 2022, 2015]
        (run,) = client.get("/api/v1/runs?model=counts").json()["items"]
        assert run["choices"] is None
        assert client.get("/api/v1/runs/numbers?kind=sudoku").status_code == 422

    def test_a_series_by_code_or_name(self, client):
        by_code = client.get("/api/v1/series/life-expectancy?entity=FRA").json()
        assert by_code == client.get("/api/v1/series/life-expectancy?entity=France").json()
        assert by_code["shown"]["points"][-1]["text"] == "79.7"
        assert client.get("/api/v1/series/life-expectancy").json()["shown"] is None

    def test_numbers_are_json_whatever_a_model_said(self, client):
        def refuse(constant):
            raise AssertionError(constant)

        for path in ("fleet", "models", "models/counts", "runs", "facts", "series", "changes", "jobs"):
            json.loads(client.get(f"/api/v1/{path}").text, parse_constant=refuse)


@pytest.mark.parametrize("examples", [6, pytest.param(150, marks=pytest.mark.slow)])
def test_any_request_that_the_description_allows_is_answered_as_described(world, operator, examples):
    """Schemathesis: no 5xx, and every answer of a status, type and shape that the description names."""
    headers = {"Host": "localhost", "Authorization": f"Bearer {TOKEN}"}
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", operator.app, headers=headers)
    for found in schema.get_all_operations():

        @settings(
            max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(case=found.ok().as_strategy())
        def check(case):
            case.call_and_validate(headers=headers)

        check()
