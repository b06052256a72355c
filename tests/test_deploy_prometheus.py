"""The rules, examples and dashboards in deploy/, held against Prometheus' and Alertmanager's own tools."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from freshness.metrics import METRICS

DEPLOY = Path(__file__).parents[1] / "deploy"
DOCS = Path(__file__).parents[1] / "docs"
RULES = DEPLOY / "prometheus" / "rules" / "freshness.yaml"
PROMTOOL, AMTOOL = shutil.which("promtool"), shutil.which("amtool")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool (Debian: prometheus) is not installed")
needs_amtool = pytest.mark.skipif(
    AMTOOL is None, reason="amtool (Debian: prometheus-alertmanager) is not installed"
)


def run(*command, cwd=DEPLOY):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd)
    return done.returncode, done.stdout + done.stderr


def rules():
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def metrics_in(expression):
    """Names of our metrics, without what a histogram or summary adds to its own."""
    return {
        re.sub(r"_(bucket|sum|count)$", "", name) if name not in METRICS else name
        for name in re.findall(r"\bfreshness_\w+", expression)
    }


@needs_promtool
def test_prometheus_takes_the_rules_and_the_example():
    assert run(PROMTOOL, "check", "rules", "--lint=all", "--lint-fatal", str(RULES))[0] == 0
    code, said = run(PROMTOOL, "check", "config", "prometheus/prometheus.yml")
    assert code == 0, said


@needs_promtool
@pytest.mark.parametrize(
    "path", sorted((DEPLOY / "prometheus" / "tests").glob("*.yaml")), ids=lambda p: p.stem
)
def test_the_rules_do_what_their_tests_say(path):
    code, said = run(PROMTOOL, "test", "rules", str(path))
    assert code == 0, said


def test_every_alert_is_tested_to_fire_and_not_to_fire():
    """Once with an alert expected, once with none, for each."""
    fires, rests = set(), set()
    for path in (DEPLOY / "prometheus" / "tests").glob("*.yaml"):
        for case in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]:
            for check in case["alert_rule_test"]:
                (fires if check["exp_alerts"] else rests).add(check["alertname"])
    names = {rule["alert"] for rule in rules()}
    assert fires == names
    assert rests >= names - {
        "FreshnessAnswersMissing",
        "FreshnessAnswersShifted",
        "FreshnessFingerprintChanged",
    }


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_every_alert_says_what_is_wrong_and_what_to_do(rule):
    assert rule["labels"]["severity"] in ("info", "warning", "critical")
    told = rule["annotations"]
    assert set(told) == {"summary", "description", "runbook_url"}
    assert len(re.sub(r"{{.*?}}", "", told["summary"])) < 100
    anchor = rule["alert"].lower()
    assert told["runbook_url"] == f"docs/alerts.md#{anchor}"
    headings = re.findall(r"^## (\w+)$", (DOCS / "alerts.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert anchor in [heading.lower() for heading in headings]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_every_metric_of_a_rule_is_exported(rule):
    assert metrics_in(rule["expr"] + rule["annotations"]["description"]) <= METRICS.keys()


def test_no_runbook_is_left_of_an_alert_that_is_gone():
    headings = re.findall(
        r"^## (Freshness\w+)$", (DOCS / "alerts.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert headings == [rule["alert"] for rule in rules()]


def test_every_metric_is_documented_with_its_labels():
    text = (DOCS / "metrics.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(freshness_\w+)` \| ([^|]*) \|", text, re.MULTILINE))
    assert {name: re.findall(r"\w+", labels) for name, labels in told.items()} == {
        metric.name: list(metric.labels) for metric in METRICS.values()
    }


def test_the_example_keeps_the_label_job():
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
    (job,) = config["scrape_configs"]
    assert job["job_name"] == "freshness"
    assert job["honor_labels"] is True


@needs_amtool
def test_alertmanager_takes_the_example():
    code, said = run(AMTOOL, "check-config", "alertmanager/alertmanager.yml")
    assert code == 0, said


@needs_amtool
@pytest.mark.parametrize("severity", ["critical", "warning", "info"])
def test_every_severity_reaches_the_webhook(severity):
    path = "alertmanager/alertmanager.yml"
    code, said = run(AMTOOL, "config", "routes", "test", f"--config.file={path}", f"severity={severity}")
    assert (code, said.splitlines()[0]) == (0, "webhook")
