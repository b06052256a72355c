"""A real Prometheus and a real Alertmanager on loopback, and a webhook that alerts reach."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

DEPLOY = Path(__file__).parents[1] / "deploy"
PROMETHEUS = shutil.which("prometheus")
ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
_START_SECONDS = 60

needs_prometheus = pytest.mark.skipif(PROMETHEUS is None, reason="prometheus (Debian) is not installed")
needs_alertmanager = pytest.mark.skipif(
    ALERTMANAGER is None, reason="alertmanager (Debian: prometheus-alertmanager) is not installed"
)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition, seconds, what):
    """What the condition gives once that is something; asked ten times a second."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {seconds} s")


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return reply.status == 200
    except OSError:
        return False


@contextlib.contextmanager
def running(command, url, log, **environment):
    """A process that is ended at the end; begun once ``url`` answers."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=os.environ | environment
        )
    try:
        until(lambda: process.poll() is not None or answers(url), _START_SECONDS, command[0])
        assert process.poll() is None, log.read_text()
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def daemon(config, **environment):
    """``freshness serve`` by that config file; gives host:port."""
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "freshness", "--config", str(config)]
    command += ["serve", "--port", address.partition(":")[2]]
    with running(command, f"http://{address}/readyz", config.with_suffix(".log"), **environment):
        yield address


@dataclass(frozen=True)
class Prometheus:
    url: str

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=30) as reply:
                return json.load(reply)["data"]
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(f"{parameters}: {error.read().decode()}") from None

    def query(self, expression):
        return self.get("query", query=expression)["result"]


@contextlib.contextmanager
def prometheus(folder, target, alertmanager=None, interval="1s"):
    """Scrapes ``target`` (host:port) by the example's own scrape job and rules, but more often."""
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
    config["global"] = {"scrape_interval": interval, "evaluation_interval": interval}
    config["rule_files"] = [str(DEPLOY / "prometheus" / "rules" / "*.yaml")]
    config["scrape_configs"][0]["static_configs"] = [{"targets": [target]}]
    config["alerting"]["alertmanagers"][0]["static_configs"] = [
        {"targets": [alertmanager] if alertmanager else []}
    ]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    port = free_port()
    command = [
        PROMETHEUS,
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/tsdb",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    url = f"http://127.0.0.1:{port}"
    with running(command, f"{url}/-/ready", folder / "prometheus.log"):
        yield Prometheus(url)


@contextlib.contextmanager
def alertmanager(folder, webhook):
    """By the example's own config, but without waiting for more alerts of a group; gives host:port."""
    config = yaml.safe_load((DEPLOY / "alertmanager" / "alertmanager.yml").read_text(encoding="utf-8"))
    config["route"]["group_wait"] = "0s"
    config["receivers"][0]["webhook_configs"][0]["url"] = webhook
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(config))
    port = free_port()
    command = [
        ALERTMANAGER,
        f"--config.file={folder}/alertmanager.yml",
        f"--storage.path={folder}/alertmanager",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    address = f"127.0.0.1:{port}"
    with running(command, f"http://{address}/-/ready", folder / "alertmanager.log"):
        yield address


@dataclass
class Webhook:
    """``alerts``: all that came, in order."""

    url: str = ""
    alerts: list = field(default_factory=list)

    def named(self, name):
        return [alert for alert in list(self.alerts) if alert["labels"]["alertname"] == name]


@contextlib.contextmanager
def webhook():
    heard = Webhook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.alerts.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["alerts"])
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    heard.url = f"http://127.0.0.1:{httpd.server_port}/alerts"
    try:
        yield heard
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
