"""The Grafana dashboard: written by its script, about metrics that there are, and no panel empty."""

import json
import re
import runpy
from pathlib import Path

import pytest
import yaml
from fleet import CONFIG, filled
from prometheus_server import daemon, needs_prometheus, prometheus, until

from freshness.metrics import METRICS

GRAFANA = Path(__file__).parents[1] / "deploy" / "grafana"
DASHBOARD = json.loads((GRAFANA / "dashboards" / "freshness.json").read_text(encoding="utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
VARIABLES = {"$model": "fresh", "$__rate_interval": "5s"}


def expressions():
    return [(panel["title"], target["expr"]) for panel in PANELS for target in panel["targets"]]


def test_the_dashboard_is_what_its_script_writes(monkeypatch):
    monkeypatch.syspath_prepend(str(GRAFANA))
    assert runpy.run_path(str(GRAFANA / "build.py"))["dashboard"]() == DASHBOARD


def test_panels_have_places_of_their_own():
    numbers = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(numbers)) == len(numbers)
    taken = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells


def test_rows_are_those_that_one_looks_for():
    rows = [panel["title"] for panel in DASHBOARD["panels"] if panel["type"] == "row"]
    assert rows == ["Fleet", "One model: $model", "Numbers", "The world's changes", "The daemon itself"]


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_every_panel_says_what_it_shows_and_asks_the_chosen_source(panel):
    assert panel["description"]
    assert panel["targets"]
    for part in (panel, *panel["targets"]):
        assert part["datasource"] == {"type": "prometheus", "uid": "${datasource}"}


def test_every_metric_asked_for_is_exported():
    asked = {name for _, expr in expressions() for name in re.findall(r"\bfreshness_\w+", expr)}
    assert {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked} <= METRICS.keys()


def test_only_known_variables_are_used():
    names = {one["name"] for one in DASHBOARD["templating"]["list"]} | {"__rate_interval"}
    text = json.dumps(DASHBOARD)
    assert set(re.findall(r"\$\{?(\w+)", text)) <= names


def test_provisioning_is_where_the_dashboards_are_mounted():
    folder = GRAFANA / "provisioning"
    (source, alerts) = yaml.safe_load((folder / "datasources" / "prometheus.yaml").read_text())["datasources"]
    assert (source["type"], alerts["type"]) == ("prometheus", "alertmanager")
    (provider,) = yaml.safe_load((folder / "dashboards" / "freshness.yaml").read_text())["providers"]
    compose = (GRAFANA.parent / "compose.yaml").read_text()
    assert f"./grafana/dashboards:{provider['options']['path']}:ro" in compose


@pytest.fixture(scope="module")
def scraped(tmp_path_factory):
    """A Prometheus that has scraped a real daemon with a history some times."""
    folder = tmp_path_factory.mktemp("dashboard")
    url = filled("sqlite", folder)
    (folder / "freshness.toml").write_text(CONFIG)
    for name in ("fresh", "old", "new"):
        (folder / f"{name}.toml").write_text('default = "Giorgia Meloni"\n')
    with (
        daemon(folder / "freshness.toml", FRESHNESS_STORE__URL=url) as address,
        prometheus(folder, address) as server,
    ):
        asked = 'count_over_time(up{job="freshness"}[1h]) >= 4'
        until(lambda: server.query(asked), 60, "four scrapes")
        yield server


@pytest.mark.slow
@needs_prometheus
@pytest.mark.parametrize(("title", "expr"), expressions(), ids=lambda text: text[:30])
def test_no_panel_is_empty(scraped, title, expr):
    for variable, value in VARIABLES.items():
        expr = expr.replace(variable, value)
    result = scraped.query(expr)
    assert result, title
    assert all(series["value"][1] != "NaN" for series in result), title


@pytest.mark.slow
@needs_prometheus
def test_prometheus_scrapes_without_a_warning(scraped):
    (target,) = scraped.get("targets", state="active")["activeTargets"]
    assert target["health"] == "up"
    assert target["lastError"] == ""
    told = {name for name in scraped.get("label/__name__/values") if name.startswith("freshness")}
    assert METRICS.keys() <= {re.sub(r"_(bucket)$", "", name) for name in told}
    # The label of our own was not moved aside.
    assert scraped.query("{exported_job!=''}") == []


@pytest.mark.slow
@needs_prometheus
def test_the_questions_in_the_docs_can_be_asked(scraped):
    text = (GRAFANA.parents[1] / "docs" / "metrics.md").read_text(encoding="utf-8")
    asked = re.findall(r"^\| [^|`]+ \| `(.+)` \|$", text.partition("## Useful questions")[2], re.MULTILINE)
    assert len(asked) >= 5
    for expr in asked:
        scraped.query(expr)
