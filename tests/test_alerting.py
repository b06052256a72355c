"""From a change in the world to an alert, with nothing but real programs in between."""

import json
import time
import urllib.request

import pytest
from model_server import says, serving
from oxigraph_server import emptied
from prometheus_server import (
    alertmanager,
    daemon,
    needs_alertmanager,
    needs_prometheus,
    prometheus,
    until,
    webhook,
)
from wikidata_rdf import World

from freshness.cli.main import run

CATALOGUE = """
[[group]]
name = "countries"
property = "P6"
prompts = ["Who is the {office}?", "What is the name of the current {office}?"]
subjects = [
    { id = "Q38", name = "Italy", office = "Prime Minister of Italy" },
    { id = "Q183", name = "Germany", office = "Chancellor of Germany" },
    { id = "Q142", name = "France", office = "Prime Minister of France" },
]
"""
CONFIG = """
[wikidata]
endpoint = "{endpoint}"
contact = "test@example.org"
refresh = "0 0 29 2 *"

[facts]
catalogues = ["facts.toml"]

[[models]]
name = "parrot"
model = "{model}/v1#parrot"
schedule = "0 0 29 2 *"
"""
TOKEN = "of-the-test"
DONE = "count(freshness_job_last_success_timestamp_seconds) == 2"
PEOPLE = {"Q1": "Draghi", "Q2": "Meloni", "Q4": "Merz", "Q5": "Schlein", "Q6": "Lecornu", "Q7": "Pistorius"}


def world(italy, germany):
    built = World()
    for item, name in (("Q38", "Italy"), ("Q183", "Germany"), ("Q142", "France")):
        built.item(item, name, kinds=("Q6256",))
    for item, name in PEOPLE.items():
        built.item(item, name)
    for subject, terms in (("Q38", italy), ("Q183", germany), ("Q142", [("Q6", "2025-09-09", None)])):
        for number, (value, start, end) in enumerate(terms):
            built.statement(subject, "P6", value, start=start, end=end, name=str(number))
    return built.ntriples()


BEFORE = world([("Q2", "2022-10-22", None)], [("Q4", "2025-05-06", None)])
AFTER = world(
    [("Q2", "2022-10-22", "2026-11-20"), ("Q5", "2026-11-20", None)],
    [("Q4", "2025-05-06", "2026-11-21"), ("Q7", "2026-11-21", None)],
)


def parrot(request):
    """Right about all three, as things were before."""
    asked = json.dumps(request.body)
    names = {"Italy": "Meloni", "Germany": "Merz", "France": "Lecornu"}
    return says(next(name for country, name in names.items() if country in asked))


def begin(address, job):
    url = f"http://{address}/api/v1/jobs/{job}/run"
    request = urllib.request.Request(url, method="POST", headers={"Authorization": f"Bearer {TOKEN}"})
    urllib.request.urlopen(request, timeout=30).close()


@pytest.mark.slow
@needs_prometheus
@needs_alertmanager
def test_a_change_in_the_world_reaches_a_webhook_without_asking_the_model(tmp_path, monkeypatch, capsys):
    oxigraph = emptied()
    oxigraph.load(BEFORE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")
    (tmp_path / "facts.toml").write_text(CATALOGUE)
    with serving(parrot) as model:
        config = tmp_path / "freshness.toml"
        config.write_text(CONFIG.format(endpoint=oxigraph.endpoint, model=model.url))
        assert run(["refresh", "wikidata"]) == 0
        with (
            webhook() as heard,
            alertmanager(tmp_path, heard.url) as alerts,
            daemon(config, FRESHNESS_TOKEN=TOKEN) as address,
            prometheus(tmp_path, address, alerts) as server,
        ):
            # Each job is run once at the start, since it never was.
            until(lambda: server.query(DONE), 120, "a refresh and a probe")
            until(lambda: server.query("freshness_outdated_facts == 0"), 60, "figures")
            asked = len(model.requests)
            assert asked == 6
            oxigraph.load(AFTER)
            begun = time.monotonic()
            begin(address, "refresh:wikidata")
            (alert,) = until(lambda: heard.named("FreshnessFactsNewlyOutdated"), 120, "the alert")
            took = time.monotonic() - begun
            (outdated,) = until(lambda: server.query("freshness_outdated_facts == 2"), 60, "judged again")
            quiet = [one["labels"]["alertname"] for one in heard.alerts]
    assert alert["labels"]["model"] == "parrot"
    assert alert["annotations"]["summary"] == "The world changed: parrot is newly outdated on 2 facts"
    assert outdated["metric"]["model"] == "parrot"
    assert quiet == ["FreshnessFactsNewlyOutdated"]
    assert len(model.requests) == asked
    with capsys.disabled():
        print(f"\nfrom the change to the webhook: {took:.1f} s")
