"""What a catalogue holds: facts to ask about, each with its prompts, and groups chosen by a query."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from freshness.errors import UsageError
from freshness.facts import Fact, Holders, Snapshot, Subject
from freshness.questions import Prompt


@dataclass(frozen=True, slots=True)
class Template:
    """One wording of a group: its name (``p1``), a question, and a beginning for completion models."""

    name: str
    question: str
    completion: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact to ask about.

    ``fact`` is its id in a snapshot (``Q38/P6``), ``called`` the subject as the prompts word it
    ("the Netherlands").
    """

    fact: str
    group: str
    subject: Subject
    called: str
    holders: Holders
    prompts: tuple[Prompt, ...]

    @property
    def property(self) -> str:
        """Wikidata's property, ``P6``."""
        return self.fact.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Selector:
    """A group whose subjects a SPARQL query chooses (it binds ``?subject``), when a source is asked."""

    group: str
    property: str
    holders: Holders
    query: str
    templates: tuple[Template, ...]
    instruction: str = ""

    @builtins.property  # the field above hides the plain name
    def needs_office(self) -> bool:
        """Whether the office's own name must be known to ask."""
        texts = [text for t in self.templates for text in (t.question, t.completion) if text]
        return any("office" in placeholders(text) for text in texts)

    def chose(self, fact: Fact) -> bool:
        """Whether this fact of a snapshot is one of the group's."""
        return (fact.group, fact.property) == (self.group, self.property)

    def entry(self, subject: Subject, office: str | None) -> Entry:
        """The entry for a subject that the query chose; raises ``UsageError`` if a template can't be filled.

        ``office``: what the source calls the office ("Prime Minister of Italy"), None where unknown.
        """
        fields = {"subject": subject.name} | ({"office": office} if office else {})
        fact = f"{subject.id}/{self.property}"
        prompts = prompts_of(fact, self.templates, self.instruction, fields)
        return Entry(fact, self.group, subject, subject.name, self.holders, prompts)


@dataclass(frozen=True, slots=True)
class Catalog:
    """Entries in the order of the files, of which no fact comes twice; and the groups to be chosen."""

    entries: tuple[Entry, ...]
    selectors: tuple[Selector, ...] = ()

    def find(self, fact: str) -> Entry | None:
        """The entry for a fact's id."""
        return next((entry for entry in self.entries if entry.fact == fact), None)

    def selector(self, fact: Fact) -> Selector | None:
        """The group to be chosen that a snapshot's fact belongs to."""
        return next((selector for selector in self.selectors if selector.chose(fact)), None)

    def completed(self, snapshot: Snapshot) -> Catalog:
        """With an entry for each fact of the snapshot that a query chose, in the snapshot's order.

        A fact that is listed already stays as it is listed; one whose office has no name is left out where
        the prompts need it.
        """
        entries = {entry.fact: entry for entry in self.entries}
        for fact in snapshot.facts:
            selector = self.selector(fact)
            if selector and fact.id not in entries and (fact.office or not selector.needs_office):
                entries[fact.id] = selector.entry(fact.subject, fact.office)
        return Catalog(tuple(entries.values()), self.selectors)


def fill(template: str, fields: Mapping[str, str]) -> str:
    """The template with ``{name}`` replaced; ``{{`` and ``}}`` are braces.

    Raises ``UsageError`` ``template_field_missing: NAME`` for a placeholder without a field, and for
    anything but a plain name in braces.
    """
    filled = []
    for literal, name in _parts(template):
        filled.append(literal)
        if name is not None:
            if name not in fields:
                raise UsageError(
                    f"template_field_missing: {name} in {template!r}; there is {', '.join(sorted(fields))}"
                )
            filled.append(fields[name])
    return "".join(filled)


def placeholders(template: str) -> set[str]:
    """The names in braces; raises ``UsageError`` for a template that is none."""
    return {name for _, name in _parts(template) if name is not None}


def prompts_of(
    fact: str, templates: tuple[Template, ...], instruction: str, fields: Mapping[str, str]
) -> tuple[Prompt, ...]:
    """A fact's prompts; raises ``UsageError`` for a placeholder that can't be filled."""
    return tuple(_prompt(fact, template, instruction, fields) for template in templates)


def _prompt(fact: str, template: Template, instruction: str, fields: Mapping[str, str]) -> Prompt:
    asked = fill(template.question, fields)
    begun = fill(template.completion, fields) if template.completion else f"Question: {asked}\nAnswer:"
    return Prompt(f"{fact}/{template.name}", template.name, asked, begun, instruction)


def _parts(template: str) -> Iterator[tuple[str, str | None]]:
    """Pieces of text, each with the name in braces that follows it."""
    try:
        for literal, name, spec, conversion in Formatter().parse(template):
            if spec or conversion:
                raise UsageError(
                    f"template_field_missing: {name} in {template!r}; only a plain name can stand in braces"
                )
            yield literal, name
    except ValueError as error:
        raise UsageError(f"template {template!r}: {error}") from None
