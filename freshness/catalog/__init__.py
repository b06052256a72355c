"""Catalogues: which facts to ask about, and how to ask. TOML files, the built-in ones in this folder.

A file is a list of ``[[group]]`` tables (see ``docs/facts.md``). Loading fills every template, so that a
literal placeholder never reaches a model: what can't be filled is a ``UsageError`` with file and subject.
A group lists its subjects, or has a SPARQL query choose them; its entries are then made from a snapshot
(``Catalog.completed``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from freshness.catalog import reading
from freshness.catalog.entries import Catalog, Entry, Selector, Template, fill, prompts_of
from freshness.errors import UsageError
from freshness.facts import Holders, Subject

__all__ = ["BUILT_IN", "EXTRA", "GENERIC", "Catalog", "Entry", "Selector", "fill", "load"]

BUILT_IN = ("countries", "athletes", "companies", "organisations", "clubs", "chairpersons")
"""The built-in catalogues that are asked by default: DyKnow's four groups (its table 3), and two more."""

EXTRA = ("largest-countries", "largest-companies")
"""Built in too, but asked by name only: DyKnow's way to choose its subjects, by a query (its section 3)."""

GENERIC = "generic"
"""Name of the prompt that DyKnow leaves out of its tables: no office's own name, least specific wording."""

_INSTRUCTION = "Answer with the name only."  # DyKnow's prefix for chat models (below table 1)
_MAX_QUERY_CHARS = 5_000
# What may stand before SELECT in SPARQL 1.1 (section 4.1): comments, BASE and PREFIX.
_SELECT = re.compile(
    r"(?:\s|#[^\n]*(?:\n|$)|BASE\s*<[^<>\s]*>|PREFIX\s+[^\s:<>]*:\s*<[^<>\s]*>)*SELECT\b", re.IGNORECASE
)
_BINDS_SUBJECT = re.compile(r"[?$]subject\b")

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class _Table(BaseModel):
    model_config = reading.STRICT


class _Subject(_Table):
    id: Annotated[str, StringConstraints(pattern=r"^Q[1-9]\d*$")]
    name: Text
    called: Text | None = None
    office: Text | None = None
    holders: Holders | None = None

    def fields(self) -> dict[str, str]:
        fields = {"subject": self.called or self.name}
        return fields | ({"office": self.office} if self.office else {})


class _Generic(_Table):
    prompt: Text
    completion: Text | None = None


class _Group(_Table):
    name: Text
    property: Annotated[str, StringConstraints(pattern=r"^P[1-9]\d*$")]
    holders: Holders = "one"
    prompts: Annotated[list[Text], Field(min_length=1, max_length=20)]
    completions: list[Text] = []
    generic: _Generic | None = None
    instruction: str = _INSTRUCTION
    subjects: list[_Subject] = []
    select: str | None = None

    def templates(self) -> tuple[Template, ...]:
        completions: Sequence[str | None] = self.completions or [None] * len(self.prompts)
        pairs = enumerate(zip(self.prompts, completions, strict=True), 1)
        templates = [Template(f"p{number}", prompt, completion) for number, (prompt, completion) in pairs]
        if self.generic:
            templates.append(Template(GENERIC, self.generic.prompt, self.generic.completion))
        return tuple(templates)


class _File(_Table):
    group: Annotated[list[_Group], Field(min_length=1)]


def load(catalogues: Iterable[str] = ()) -> Catalog:
    """Catalogues by built-in name or file path; none: those of ``BUILT_IN``.

    Raises ``UsageError`` (file, group, key) for a file that is unreadable or no catalogue, a placeholder
    that can't be filled (``template_field_missing``), a query that is none, a fact that comes twice and two
    groups to be chosen that share name and property.
    """
    entries: dict[str, Entry] = {}
    selectors: dict[tuple[str, str], Selector] = {}
    for name in tuple(catalogues) or BUILT_IN:
        for group in _parse(name, _text(name)).group:
            where = f"catalogue {name}, group {group.name!r} {group.property}"
            _check(group, where)
            if group.select is not None:
                _add_selector(selectors, _selector(group, group.select, where), where)
            for subject in group.subjects:
                _add_entry(entries, _entry(group, subject, where), name)
    return Catalog(tuple(entries.values()), tuple(selectors.values()))


def _add_entry(entries: dict[str, Entry], entry: Entry, name: str) -> None:
    if entry.fact in entries:
        raise UsageError(
            f"catalogue {name}: {entry.fact} ({entry.called}) is asked about twice; "
            "leave it out of one of the groups"
        )
    entries[entry.fact] = entry


def _add_selector(selectors: dict[tuple[str, str], Selector], selector: Selector, where: str) -> None:
    key = (selector.group, selector.property)
    if key in selectors:
        raise UsageError(f"{where}: chosen by select twice; give one of the two groups another name")
    selectors[key] = selector


def _text(name: str) -> str:
    if name in BUILT_IN + EXTRA:
        return files(__name__).joinpath(f"{name}.toml").read_text("utf-8")
    return reading.file_text(name, f"give a file or one of {', '.join(BUILT_IN + EXTRA)}")


def _parse(name: str, text: str) -> _File:
    tables: dict[str, type[BaseModel]] = {"group": _Group, "subjects": _Subject, "generic": _Generic}
    return reading.parse(name, text, _File, tables, _IDS)


_IDS = {"id": "must be a Wikidata item such as Q38", "property": "must be a Wikidata property such as P6"}


def _check(group: _Group, where: str) -> None:
    if group.select is not None and group.subjects:
        raise UsageError(f"{where}: give subjects or select, not both")
    if group.select is None and not group.subjects:
        raise UsageError(f"{where}: no subjects")
    if group.completions and len(group.completions) != len(group.prompts):
        raise UsageError(
            f"{where}: {len(group.prompts)} prompts but {len(group.completions)} completions; "
            "give one for each prompt, or none at all"
        )


def _selector(group: _Group, query: str, where: str) -> Selector:
    if len(query) > _MAX_QUERY_CHARS:
        raise UsageError(f"{where}: select has {len(query)} characters; {_MAX_QUERY_CHARS} are allowed")
    if not _SELECT.match(query) or not _BINDS_SUBJECT.search(query):
        raise UsageError(f"{where}: select must be a SPARQL SELECT query that binds ?subject")
    selector = Selector(
        group.name, group.property, group.holders, query, group.templates(), group.instruction
    )
    try:
        # With all that a source can give: what can't be filled now never will be.
        selector.entry(Subject("Q1", "subject"), "office")
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return selector


def _entry(group: _Group, subject: _Subject, where: str) -> Entry:
    fact = f"{subject.id}/{group.property}"
    try:
        prompts = prompts_of(fact, group.templates(), group.instruction, subject.fields())
    except UsageError as error:
        raise UsageError(f"{where}, subject {subject.id}: {error}") from None
    called = subject.called or subject.name
    holders = subject.holders or group.holders
    return Entry(fact, group.name, Subject(subject.id, subject.name), called, holders, prompts)
