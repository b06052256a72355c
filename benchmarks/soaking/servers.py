"""What the month is made of: the facts and who changes them, models behind a server, the config."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import refresh as world

FACTS = 24

SCHEDULES = {
    "refresh:wikidata": "every 1d",
    "probe:steady:current": "every 1d",
    "probe:old:current": "every 1d",
    "probe:odd:current": "every 1d",
    "probe:served:current": "every 12h",
    "probe:flaky:current": "every 1d",
}
ODD = '<script>alert("x")</script> \u202e"><img src=x onerror=alert(1)> ' + "long " * 2000
"""What the odd model says to everything."""


class Sparql:
    """An oxigraph that can go away and come back with what it knew."""

    def __init__(self) -> None:
        program = shutil.which(
            "oxigraph", path=os.pathsep.join((os.path.dirname(sys.executable), os.defpath))
        )
        if not program:
            sys.exit("needs the oxigraph program: pip install -e '.[dev]'")
        self._folder = tempfile.TemporaryDirectory()
        self.address = f"http://127.0.0.1:{free_port()}"
        bind = self.address.removeprefix("http://")
        self._command = [program, "serve", "--location", self._folder.name, "--bind", bind]
        self._process: subprocess.Popen[bytes] | None = None
        self._known = False

    def start(self) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(self._command, **quiet)
        world.wait_for(self.address.removeprefix("http://"))
        if not self._known:
            self._load()

    def _load(self) -> None:
        self._known = True
        data = Path(self._folder.name) / "facts.ttl"
        with data.open("w", encoding="utf-8") as file:
            world.write(file, FACTS)
        self._send("/store?default", data.read_bytes(), "text/turtle")

    def change(self, number: int) -> None:
        """Somebody new for the fact of this number, from today on."""
        lines = Lines()
        subject, statement, person = world.SUBJECT + number, f"s:new-{number}", f"wd:Q{50_000_000 + number}"
        property_id = list(world.PROPERTIES)[number % len(world.PROPERTIES)]
        world.write_date(lines, f"s:Q{subject}-{world.TERMS - 1}", "P582", datetime.now(UTC).date())
        lines.add(f"wd:Q{subject} p:{property_id} {statement} .")
        lines.add(f"{statement} ps:{property_id} {person} ; wikibase:rank wikibase:NormalRank .")
        world.write_date(lines, statement, "P580", datetime.now(UTC).date())
        kind = world.CLUB if property_id == "P54" else "Q5"
        lines.add(f'{person} rdfs:label "Newcomer {number}"@en ; wdt:P31 wd:{kind} .')
        prefixes = world.PREFIXES.replace("@prefix", "PREFIX").replace(" .\n", "\n")
        update = f"{prefixes} INSERT DATA {{ {' '.join(lines.texts)} }}"
        self._send("/update", update.encode(), "application/sparql-update")

    def _send(self, path: str, body: bytes, kind: str) -> None:
        request = urllib.request.Request(self.address + path, body, {"Content-Type": kind}, method="POST")
        urllib.request.urlopen(request, timeout=30).close()

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()


class Lines(world.Lines):
    """Triples that are not written to a file."""

    def __init__(self) -> None:
        super().__init__(sys.stdout)
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        self.texts.append(text)


class ModelServer:
    """Speaks OpenAI's protocol; knows who held what when the month began."""

    def __init__(self, served: str) -> None:
        self._served = served
        self._port = free_port()
        self._http: ThreadingHTTPServer | None = None
        self.address = f"http://127.0.0.1:{self._port}/v1#m"

    def swap(self, served: str) -> None:
        self._served = served

    def start(self) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                payload = json.dumps(server.reply(body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None:
                pass

        ThreadingHTTPServer.daemon_threads = True
        self._http = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        asked = body["messages"][-1]["content"]
        number = next(n for n in reversed(range(FACTS)) if f"Subject {n}?" in asked)
        message = {"role": "assistant", "content": holder(number, world.TERMS - 1)}
        return {"model": self._served, "choices": [{"message": message, "finish_reason": "stop"}]}

    def stop(self) -> None:
        if self._http:
            self._http.shutdown()
            self._http.server_close()
            self._http = None


def holder(number: int, term: int) -> str:
    """The name that the world gives to who held the fact in this term."""
    lines = Lines()
    world.write_value(lines, number, list(world.PROPERTIES)[number % len(world.PROPERTIES)], term)
    return lines.texts[0].split('"')[1]


def write_config(folder: Path, sparql: str, addresses: dict[str, str]) -> Path:
    (folder / "freshness.db").unlink(missing_ok=True)
    (folder / "facts.toml").write_text(world.catalogue_of(FACTS), encoding="utf-8")
    for name, term in (("steady", world.TERMS - 1), ("old", world.TERMS - 2)):
        answers = {f"Subject {number}?": holder(number, term) for number in range(FACTS)}
        (folder / f"{name}.json").write_text(json.dumps({"answers": answers}), encoding="utf-8")
    (folder / "odd.json").write_text(json.dumps({"default": ODD}), encoding="utf-8")
    specs = {name: f"scripted:{folder / f'{name}.json'}" for name in ("steady", "old", "odd")} | addresses
    models = "".join(
        f'[[models]]\nname = "{name}"\nmodel = "{spec}"\nlimits = {{ timeout = "2s" }}\n'
        f'schedule = "{SCHEDULES[f"probe:{name}:current"]}"\n'
        for name, spec in specs.items()
    )
    config = folder / "freshness.toml"
    config.write_text(
        f'[wikidata]\nendpoint = "{sparql}/query"\nrefresh = "{SCHEDULES["refresh:wikidata"]}"\n'
        f'[store]\nurl = "sqlite:///{folder / "freshness.db"}"\n'
        f'[facts]\ncatalogues = ["{folder / "facts.toml"}"]\n'
        f'[daemon]\nworkers = {len(SCHEDULES)}\n[logs]\nformat = "json"\n{models}',
        encoding="utf-8",
    )
    return config


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
