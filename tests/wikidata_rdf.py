"""Writes RDF as Wikidata's own dump has it: mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format.

A `World` gathers items and statements and gives them as N-Triples, with what an endpoint holds besides (wdt:,
BestRank, the nodes of full values), so that a reader is not helped by what is absent.
"""

import enum
import hashlib
import itertools
import json
from dataclasses import dataclass, field

ENTITY = "http://www.wikidata.org/entity/"
PROP = "http://www.wikidata.org/prop/"
ONTOLOGY = "http://wikiba.se/ontology#"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
SKOS_ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XSD = "http://www.w3.org/2001/XMLSchema#"
GREGORIAN = "Q1985727"


class Snak(enum.StrEnum):
    """What stands in the place of a value."""

    UNKNOWN = "somevalue"
    NO_VALUE = "novalue"


UNKNOWN = Snak.UNKNOWN
"""Wikidata's "unknown value" (somevalue), as a value, start, end or point in time."""
NO_VALUE = Snak.NO_VALUE
"""Wikidata's "no value", as a value or an end."""


@dataclass(frozen=True)
class At:
    """A date as RDF has it. `precision` None: there is no node with the full value."""

    text: str
    precision: int | None = 11


def at(date):
    """`2021`, `2021-02` or `2021-02-13`, padded as Wikidata pads it."""
    if isinstance(date, At):
        return date
    sign, digits = ("-", date[1:]) if date.startswith("-") else ("", date)
    parts = digits.split("-")
    year, month, day = [*parts, "01", "01"][:3]
    return At(f"{sign}{year}-{month}-{day}T00:00:00Z", 8 + len(parts))


@dataclass
class World:
    """`genids`: unknown values are IRIs, as on query.wikidata.org; else blank nodes, as in the dump."""

    genids: bool = False
    triples: list = field(default_factory=list)
    made: dict = field(default_factory=dict)
    numbers: itertools.count = field(default_factory=lambda: itertools.count(1))

    def item(self, item, label=None, aliases=(), kinds=("Q5",), dissolved=None, below=(), **offices):
        """`label`: English, or a dict by language; `aliases`: English, or a dict of lists.

        `offices`: P1313="Q…", or a list of dicts for `statement`.
        """
        for language, text in (label if isinstance(label, dict) else {"en": label} if label else {}).items():
            self._add(wd(item), RDFS_LABEL, text_of(text, language))
        for language, texts in (aliases if isinstance(aliases, dict) else {"en": aliases}).items():
            for text in texts:
                self._add(wd(item), SKOS_ALIAS, text_of(text, language))
        for kind in kinds:
            self.statement(item, "P31", kind)
        for kind in below:
            self.statement(item, "P279", kind)
        if dissolved:
            self.statement(item, "P576", at(dissolved))
        for office, held in offices.items():
            for one in [{"value": held}] if isinstance(held, str) else held:
                self.statement(item, office, **one)
        return self

    def redirect(self, old, new):
        self._add(wd(old), SAME_AS, wd(new))
        return self

    def statement(self, subject, prop, value, start=None, end=None, point=None, rank="normal", name=None):
        """One statement; `start`, `end` and `point` may be lists of dates. `name`: its id's last part."""
        st = f"<{ENTITY}statement/{subject}-{name or f'{next(self.numbers):08d}'}>"
        self._add(wd(subject), f"{PROP}{prop}", st)
        self._add(st, RDF_TYPE, f"<{ONTOLOGY}Statement>")
        self._add(st, f"{ONTOLOGY}rank", f"<{ONTOLOGY}{rank.capitalize()}Rank>")
        self._main(st, prop, value)
        for qualifier, dates in (("P580", start), ("P582", end), ("P585", point)):
            for date in dates if isinstance(dates, list) else [dates]:
                self._qualifier(st, qualifier, date)
        self.made.setdefault((subject, prop), []).append((st, rank, value))
        return self

    def _main(self, st, prop, value):
        if value is NO_VALUE:
            self._add(st, RDF_TYPE, f"<{PROP}novalue/{prop}>")
            return
        self._add(st, f"{PROP}statement/{prop}", self._value(value))
        if isinstance(value, At):
            self._add(st, f"{PROP}statement/value/{prop}", self._node(value))

    def _qualifier(self, st, qualifier, date):
        if date is None:
            return
        if date is NO_VALUE:
            self._add(st, RDF_TYPE, f"<{PROP}novalue/{qualifier}>")
            return
        if date is not UNKNOWN:
            date = at(date)
        self._add(st, f"{PROP}qualifier/{qualifier}", self._value(date))
        if isinstance(date, At) and date.precision is not None:
            self._add(st, f"{PROP}qualifier/value/{qualifier}", self._node(date))

    def _value(self, value):
        if value is UNKNOWN:
            number = next(self.numbers)
            return (
                f"<http://www.wikidata.org/.well-known/genid/{number:032x}>"
                if self.genids
                else f"_:t{number}"
            )
        if isinstance(value, At):
            return f"{json.dumps(value.text)}^^<{XSD}dateTime>"
        return wd(value) if value.startswith("Q") else value

    def _node(self, date):
        node = f"<http://www.wikidata.org/value/{hashlib.md5(repr(date).encode()).hexdigest()}>"
        self._add(node, RDF_TYPE, f"<{ONTOLOGY}TimeValue>")
        self._add(node, f"{ONTOLOGY}timeValue", self._value(date))
        self._add(node, f"{ONTOLOGY}timePrecision", f'"{date.precision}"^^<{XSD}integer>')
        self._add(node, f"{ONTOLOGY}timeTimezone", f'"0"^^<{XSD}integer>')
        self._add(node, f"{ONTOLOGY}timeCalendarModel", wd(GREGORIAN))
        return node

    def _add(self, subject, predicate, obj):
        self.triples.append(f"{subject} <{predicate}> {obj} .")

    def _best(self):
        """What is derived from ranks: BestRank, and wdt: for the best statements alone."""
        for (subject, prop), statements in self.made.items():
            ranks = {rank for _, rank, _ in statements}
            best = next((rank for rank in ("preferred", "normal") if rank in ranks), None)
            for st, rank, value in statements:
                if rank == best:
                    yield f"{st} <{RDF_TYPE}> <{ONTOLOGY}BestRank> ."
                    if value is NO_VALUE:
                        yield f"{wd(subject)} <{RDF_TYPE}> <{PROP}novalue/{prop}> ."
                    else:
                        yield f"{wd(subject)} <{PROP}direct/{prop}> {self._value(value)} ."

    def ntriples(self):
        return "\n".join(dict.fromkeys([*self.triples, *self._best()])) + "\n"


def wd(item):
    return f"<{ENTITY}{item}>"


def text_of(text, language):
    return f"{json.dumps(text, ensure_ascii=False)}@{language}"
