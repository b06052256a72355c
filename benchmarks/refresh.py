"""``freshness refresh`` of ever more facts: requests, rows, seconds and memory.

usage: python benchmarks/refresh.py [--facts N ...]

Synthetic facts in Wikidata's own RDF, 8 terms each, are served by an Oxigraph on loopback. For each size a
process of its own fetches a catalogue of so many facts and stores them in a new SQLite file, exactly as the
command does; then another one fetches and compares them again. Its peak memory is therefore the refresh's
own, with Python and all libraries; the server's is not in it. The server answers in milliseconds and asks
for no breaks: against the public endpoint, count with its time for a query and 60 s of queries a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TextIO

SIZES = (130, 1_300, 13_000)
TERMS = 8
ALIASES = 3
# A quarter of the facts each, with the property that names the office, as in queries.OFFICES.
PROPERTIES = {"P6": "P1313", "P35": "P1906", "P169": "P2388", "P54": None}
# Where each kind of item begins, so that no two share an id.
SUBJECT, PERSON, OFFICE, TEAM = 10_000_000, 20_000_000, 30_000_000, 40_000_000
CLUB = "Q476028"

PREFIXES = """\
@prefix p: <http://www.wikidata.org/prop/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix s: <http://www.wikidata.org/entity/statement/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix v: <http://www.wikidata.org/value/> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--facts", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)  # what each process is called with
    options = parser.parse_args()
    if options.one:
        refresh_once(options.one)
        return
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), max(options.facts)) as endpoint:
        measure(Path(folder), endpoint, options.facts)


def measure(folder: Path, endpoint: str, sizes: list[int]) -> None:
    """Two lines a size: the first refresh, and the next one."""
    print("  facts  refresh  requests     rows  a fact   seconds  ms a fact  processor s  peak MB")
    for size in sizes:
        catalogue = folder / f"{size}.toml"
        catalogue.write_text(catalogue_of(size))
        environment = os.environ | {
            "FRESHNESS_WIKIDATA__ENDPOINT": endpoint,
            "FRESHNESS_STORE__URL": f"sqlite:///{folder / f'{size}.db'}",
        }
        for name in ("first", "next"):
            done, processor, peak = in_a_process(catalogue, environment)
            rows, seconds = done["rows"], done["seconds"]
            print(
                f"{size:7,}  {name:7}  {done['requests']:8,}  {rows:7,}  {rows / size:6.1f}  {seconds:8.1f}"
                f"  {1000 * seconds / size:9.1f}  {processor:11.1f}  {peak:7.0f}",
                flush=True,
            )


def in_a_process(catalogue: Path, environment: dict[str, str]) -> tuple[dict[str, float], float, float]:
    """What ``refresh_once`` prints, the process's own processor seconds and its peak memory (MB)."""
    command = [sys.executable, __file__, "--one", str(catalogue)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as child:
        assert child.stdout
        printed = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"the refresh failed with exit code {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return json.loads(printed), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6


def refresh_once(catalogue: Path) -> None:
    """Refreshes as the command does; prints requests, rows and seconds as JSON."""
    from freshness.app import refreshing, setup
    from freshness.sources.sparql import SparqlClient, Term

    class Counting(SparqlClient):
        rows = 0

        def select(self, query: str) -> list[dict[str, Term]]:
            found = super().select(query)
            Counting.rows += len(found)
            return found

    refreshing.SparqlClient = Counting  # the command itself needs no count of rows
    wish = refreshing.Wish(facts=(str(catalogue),))
    done = refreshing.refresh(setup.settings(None), wish, advance=lambda done, total: None, note=print)
    if done.faults or done.quarantined or done.events:
        sys.exit(f"{done.quarantined} quarantined, {len(done.events)} events, faults: {done.faults[:3]}")
    print(json.dumps({"requests": done.requests, "rows": Counting.rows, "seconds": done.seconds}))


@contextmanager
def serving(folder: Path, facts: int) -> Iterator[str]:
    """The address of a server that holds so many facts."""
    program = shutil.which("oxigraph", path=os.pathsep.join((os.path.dirname(sys.executable), os.defpath)))
    if not program:
        sys.exit("needs the oxigraph program: pip install -e '.[dev]'")
    data, store = folder / "facts.ttl", folder / "oxigraph"
    with data.open("w", encoding="utf-8") as file:
        triples = write(file, facts)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([program, "load", "--location", store, "--file", data], check=True, **quiet)
    data.unlink()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    with subprocess.Popen(
        [program, "serve-read-only", "--location", store, "--bind", address], **quiet
    ) as server:
        try:
            wait_for(address)
            print(f"{facts:,} facts in {triples:,} triples")
            yield f"http://{address}/query"
        finally:
            server.terminate()


def wait_for(address: str) -> None:
    host, port = address.split(":")
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.1)
    sys.exit("the oxigraph server didn't come up")


def catalogue_of(facts: int) -> str:
    """A catalogue file: a group for each property."""
    groups = []
    for place, property_id in enumerate(PROPERTIES):
        subjects = [
            f'{{ id = "Q{SUBJECT + n}", name = "Subject {n}" }},'
            for n in range(place, facts, len(PROPERTIES))
        ]
        groups.append(
            f'[[group]]\nname = "group {place}"\nproperty = "{property_id}"\n'
            'prompts = ["Who or what is it for {subject}?"]\nsubjects = [\n' + "\n".join(subjects) + "\n]\n"
        )
    return "\n".join(groups)


def write(file: TextIO, facts: int) -> int:
    """The facts as Turtle; how many triples there are."""
    lines = Lines(file)
    file.write(PREFIXES)
    lines.add(f'wd:{CLUB} rdfs:label "association football club"@en .')
    properties = list(PROPERTIES)
    for number in range(facts):
        property_id = properties[number % len(properties)]
        write_subject(lines, number, property_id)
        for term in range(TERMS):
            write_statement(lines, number, property_id, term)
    return lines.count


class Lines:
    """Writes each triple or group of triples once, and counts them."""

    def __init__(self, file: TextIO) -> None:
        self.count = 0
        self._file = file
        self._seen: set[str] = set()

    def add(self, text: str) -> None:
        self._file.write(text + "\n")
        self.count += 1 + text.count(" ; ") + text.count("@en, ")

    def once(self, key: str, text: str) -> None:
        if key not in self._seen:
            self._seen.add(key)
            self.add(text)


def write_subject(lines: Lines, number: int, property_id: str) -> None:
    subject, office = f"wd:Q{SUBJECT + number}", PROPERTIES[property_id]
    lines.add(f'{subject} rdfs:label "Subject {number}"@en ; skos:altLabel "S. {number}"@en .')
    if office:
        held = f"Q{OFFICE + number}"
        lines.add(f'wd:{held} rdfs:label "Office of Subject {number}"@en .')
        lines.add(f"{subject} p:{office} s:{held} .")
        lines.add(f"s:{held} wikibase:rank wikibase:NormalRank ; ps:{office} wd:{held} .")


def write_statement(lines: Lines, number: int, property_id: str, term: int) -> None:
    """One term, ended by the next; the last is open."""
    statement, value = f"s:Q{SUBJECT + number}-{term}", write_value(lines, number, property_id, term)
    lines.add(f"wd:Q{SUBJECT + number} p:{property_id} {statement} .")
    lines.add(f"{statement} ps:{property_id} wd:{value} ; wikibase:rank wikibase:NormalRank .")
    write_date(lines, statement, "P580", begin(number, term))
    if term + 1 < TERMS:
        write_date(lines, statement, "P582", begin(number, term + 1))


def write_value(lines: Lines, number: int, property_id: str, term: int) -> str:
    """The item that holds it: somebody new each time, or one of 32 teams that 64 subjects share."""
    if property_id == "P54":
        team = number // 64 * 32 + (5 * term + number // 4) % 32
        item, name, kind = f"Q{TEAM + team}", f"Team {team}", CLUB
    else:
        item, name, kind = f"Q{PERSON + number * TERMS + term}", f"Holder {number} {term}", "Q5"
    aliases = ", ".join(f'"{name} alias {alias}"@en' for alias in range(ALIASES))
    # Every other name is one for all languages, as Wikidata has them since 2024.
    tag = "en" if term % 2 else "mul"
    lines.once(item, f'wd:{item} rdfs:label "{name}"@{tag} ; skos:altLabel {aliases} ; wdt:P31 wd:{kind} .')
    return item


def begin(number: int, term: int) -> date:
    """Terms of 1,000 days, the first of them begun between 2002 and 2004."""
    return date(2002, 1, 1) + timedelta(days=37 * number % 1000 + 1000 * term)


def write_date(lines: Lines, statement: str, qualifier: str, day: date) -> None:
    """Value nodes are shared, as in Wikidata."""
    node, literal = f"v:{day:%Y%m%d}", f'"{day}T00:00:00Z"^^xsd:dateTime'
    lines.add(f"{statement} pq:{qualifier} {literal} ; pqv:{qualifier} {node} .")
    lines.once(node, f"{node} wikibase:timeValue {literal} ; wikibase:timePrecision 11 .")


if __name__ == "__main__":
    main()
