"""What the endpoint is asked: standard SPARQL 1.1 that runs unchanged on WDQS, QLever and Oxigraph.

Each branch of a UNION brings its own VALUES: an engine that evaluates a branch alone (QLever) starts from
a few items instead of scanning a property, and rows add up instead of multiplying. Properties are constants,
never variables, since most engines index by property.

Ids are checked by whoever makes them (``Q38``, ``P6``); languages by ``Wikidata``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

ENTITY: Final = "http://www.wikidata.org/entity/"
DESCRIBED: Final = 500
"""Items in one ``describe``: about 7,000 rows."""
FACTS: Final = 50
"""Facts in one ``statements``."""

OFFICES: Final[Mapping[str, str]] = {
    "P6": "P1313",
    "P35": "P1906",
    "P169": "P2388",
    "P488": "P2388",
    "P3975": "P2388",
    "P1037": "P2388",
}
"""For a property with a holder, the property that names the office held: of the head of government, of the
head of state, of an organisation's head."""

_PREFIXES: Final = """\
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX pqv: <http://www.wikidata.org/prop/qualifier/value/>
PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX psv: <http://www.wikidata.org/prop/statement/value/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX schema: <http://schema.org/>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdno: <http://www.wikidata.org/prop/novalue/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX wikibase: <http://wikiba.se/ontology#>
"""
_TIME: Final = "?node wikibase:timeValue ?t ; wikibase:timePrecision ?prec ."
_COUNTS: Final = "FILTER(?rank != wikibase:DeprecatedRank)"

LAG: Final = f"{_PREFIXES}SELECT ?d WHERE {{ <http://www.wikidata.org> schema:dateModified ?d }}\n"
"""``?d``: when the endpoint last took over an edit."""


def describe(items: Sequence[str], languages: Sequence[str]) -> str:
    """Who or what these items are. ``?item ?what``, and by ``?what``:

    ``redirect``: merged into ``?to``; ``label``, ``alias``: ``?text`` in these languages; ``kind``: instance
    of ``?to``; ``dissolved``: at ``?t`` with precision ``?prec``; an office property (``P1313``): the office
    ``?to``, by statement ``?st`` of ``?rank``, from ``?start`` to ``?end`` where these are given.
    """
    spoken = ", ".join(f'"{language}"' for language in languages)
    branches = [
        ("redirect", "?item owl:sameAs ?to ."),
        ("label", f"?item rdfs:label ?text . FILTER(LANG(?text) IN ({spoken}))"),
        ("alias", f"?item skos:altLabel ?text . FILTER(LANG(?text) IN ({spoken}))"),
        ("kind", "?item wdt:P31 ?to ."),
        # A kind of lesser rank tells a reserve team just as well.
        ("kind", f"?item p:P31 ?st . ?st wikibase:rank ?rank ; ps:P31 ?to . {_COUNTS}"),
        ("dissolved", f"?item p:P576 ?st . ?st wikibase:rank ?rank ; psv:P576 ?node . {_TIME} {_COUNTS}"),
        *((office, _office(office)) for office in dict.fromkeys(OFFICES.values())),
    ]
    return _select(
        "?item ?what ?text ?to ?st ?rank ?start ?end ?t ?prec",
        (f'{_values("item", items)} {body} BIND("{what}" AS ?what)' for what, body in branches),
    )


def _office(office: str) -> str:
    statement = f"?item p:{office} ?st . ?st wikibase:rank ?rank ; ps:{office} ?to ."
    return f"{statement} OPTIONAL {{ ?st pq:P580 ?start }} OPTIONAL {{ ?st pq:P582 ?end }} {_COUNTS}"


def kinds(items: Sequence[str], classes: Iterable[str]) -> str:
    """What these kinds are called in English, ``?item ?text``; below which of the classes, ``?item ?to``."""
    label = '?item rdfs:label ?text . FILTER(LANG(?text) IN ("en", "mul"))'
    # A second VALUES would make some engines walk up once for each pair.
    below = f"?item wdt:P279* ?to . FILTER(?to IN ({', '.join(f'wd:{item}' for item in classes)}))"
    return _select("?item ?text ?to", (f"{_values('item', items)} {body}" for body in (label, below)))


def statements(wanted: Mapping[str, Sequence[str]]) -> str:
    """All statements of each property (key) about its subjects (values), with the qualifiers that date them.

    A row is the statement itself, ``?s ?p ?st ?rank`` and its value ``?v`` (an item, or unknown), or one
    qualifier: ``?st ?q``, where ``?q`` is ``start``, ``end`` or ``point`` with its value ``?raw`` or with its
    date ``?t`` and precision ``?prec``; or ``endless``, ``nobody`` ("no value" for the end, or as the value).
    """
    variables = "?p ?s ?st ?rank ?v ?q ?raw ?t ?prec"
    return _select(variables, (branch for item in wanted.items() for branch in _of_property(*item)))


_QUALIFIERS: Final = {"start": "P580", "end": "P582", "point": "P585"}


def _of_property(property_id: str, subjects: Sequence[str]) -> Iterable[str]:
    statement = f"{_values('s', subjects)} ?s p:{property_id} ?st ."
    value = f"OPTIONAL {{ ?st ps:{property_id} ?v }}"
    yield f'{statement} ?st wikibase:rank ?rank . {value} BIND("{property_id}" AS ?p)'
    yield f'{statement} ?st a wdno:{property_id} . BIND("nobody" AS ?q)'
    yield f'{statement} ?st a wdno:P582 . BIND("endless" AS ?q)'
    for name, qualifier in _QUALIFIERS.items():
        yield f'{statement} ?st pq:{qualifier} ?raw . BIND("{name}" AS ?q)'
        yield f'{statement} ?st pqv:{qualifier} ?node . {_TIME} BIND("{name}" AS ?q)'


def _values(variable: str, items: Iterable[str]) -> str:
    return f"VALUES ?{variable} {{ {' '.join(f'wd:{item}' for item in items)} }}"


def _select(variables: str, branches: Iterable[str]) -> str:
    union = "\n  UNION\n".join(f"  {{ {branch} }}" for branch in branches)
    return f"{_PREFIXES}SELECT {variables} WHERE {{\n{union}\n}}\n"
