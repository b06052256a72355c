"""Catalogues: which facts to ask about, and how to ask. TOML files, the built-in ones in this folder.

A file is a list of ``[[group]]`` tables (see ``docs/facts.md``). Loading fills every template, so that a
literal placeholder never reaches a model: what can't be filled is a ``UsageError`` with file and subject.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from freshness import strict
from freshness.errors import UsageError
from freshness.facts import Holders, Subject
from freshness.questions import Prompt

BUILT_IN = ("countries", "athletes", "companies", "organisations")
"""The built-in catalogues: DyKnow's four groups (its table 3)."""

GENERIC = "generic"
"""Name of the prompt that DyKnow leaves out of its tables: no office's own name, least specific wording."""

_INSTRUCTION = "Answer with the name only."  # DyKnow's prefix for chat models (below table 1)
_MAX_FILE_BYTES = 4_000_000

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


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
    select: Text | None = None

    def templates(self) -> Iterator[tuple[str, str, str | None]]:
        """Name, question and completion of each wording."""
        completions: Sequence[str | None] = self.completions or [None] * len(self.prompts)
        for number, (prompt, completion) in enumerate(zip(self.prompts, completions, strict=True), 1):
            yield f"p{number}", prompt, completion
        if self.generic:
            yield GENERIC, self.generic.prompt, self.generic.completion


class _File(_Table):
    group: Annotated[list[_Group], Field(min_length=1)]


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


@dataclass(frozen=True, slots=True)
class Catalog:
    """Entries in the order of the files; no fact comes twice."""

    entries: tuple[Entry, ...]

    def find(self, fact: str) -> Entry | None:
        """The entry for a fact's id."""
        return next((entry for entry in self.entries if entry.fact == fact), None)


def load(catalogues: Iterable[str] = ()) -> Catalog:
    """Catalogues by built-in name or file path; none: all that are built in.

    Raises ``UsageError`` (file, group, key) for a file that is unreadable or no catalogue, a placeholder
    that can't be filled (``template_field_missing``), and a fact that comes twice.
    """
    entries: dict[str, Entry] = {}
    for name in tuple(catalogues) or BUILT_IN:
        for entry in _read(name):
            if entry.fact in entries:
                raise UsageError(
                    f"catalogue {name}: {entry.fact} ({entry.called}) is asked about twice; "
                    "leave it out of one of the groups"
                )
            entries[entry.fact] = entry
    return Catalog(tuple(entries.values()))


def fill(template: str, fields: Mapping[str, str]) -> str:
    """The template with ``{name}`` replaced; ``{{`` and ``}}`` are braces.

    Raises ``UsageError`` ``template_field_missing: NAME`` for a placeholder without a field, and for
    anything but a plain name in braces.
    """
    filled = []
    try:
        for literal, name, spec, conversion in Formatter().parse(template):
            filled.append(literal)
            if name is not None:
                if name not in fields or spec or conversion:
                    raise UsageError(
                        f"template_field_missing: {name} in {template!r}; "
                        f"there is {', '.join(sorted(fields))}"
                    )
                filled.append(fields[name])
    except ValueError as error:
        raise UsageError(f"template {template!r}: {error}") from None
    return "".join(filled)


def _read(name: str) -> Iterator[Entry]:
    for group in _parse(name, _text(name)).group:
        where = f"catalogue {name}, group {group.name!r} {group.property}"
        _check(group, where)
        for subject in group.subjects:
            yield _entry(group, subject, where)


def _text(name: str) -> str:
    try:
        if name in BUILT_IN:
            return files(__name__).joinpath(f"{name}.toml").read_text("utf-8")
        path = Path(name)
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise UsageError(f"catalogue {name}: larger than {_MAX_FILE_BYTES} bytes")
        return path.read_text("utf-8")
    except OSError as error:
        known = ", ".join(BUILT_IN)
        raise UsageError(f"catalogue {name}: {error.strerror}; give a file or one of {known}") from None
    except UnicodeDecodeError:
        raise UsageError(f"catalogue {name}: not UTF-8") from None


def _parse(name: str, text: str) -> _File:
    try:
        return _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"catalogue {name}: {error}") from None
    except RecursionError:
        raise UsageError(f"catalogue {name}: nested too deep") from None
    except ValidationError as error:
        raise UsageError(f"catalogue {name}: {_first(error)}") from None


def _first(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    # A misspelt key is also a missing one: what was written helps more than what was not.
    fault = next((f for f in faults if f["type"] == "extra_forbidden"), faults[0])
    key = "".join(map(_step, fault["loc"])).lstrip(".") or "file"
    if fault["type"] == "extra_forbidden":
        hint = strict.did_you_mean(str(fault["loc"][-1])[:80], _known_keys(fault["loc"]))
        return f"unknown key {key}; {hint}"
    return f"{key} {_reason(fault)}"


_PLAIN = {
    "missing": "is missing",
    "too_short": "must not be empty",
    "string_too_short": "must not be blank",
    "string_type": "must be text in quotes",
    "list_type": "must be a list",
    "model_type": "must be a table of keys",
    "dict_type": "must be a table of keys",
}
_IDS = {"id": "must be a Wikidata item such as Q38", "property": "must be a Wikidata property such as P6"}


def _reason(fault: Mapping[str, Any]) -> str:
    """What is wrong, in a catalogue's words where pydantic speaks Python."""
    kind = fault["type"]
    if kind == "string_pattern_mismatch":
        return _IDS[str(fault["loc"][-1])]
    return _PLAIN.get(kind) or fault["msg"].replace("Input should", "must")


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    """The keys of the table that an unknown key stands in."""
    names = [part for part in location[:-1] if isinstance(part, str)]
    tables: dict[str, type[BaseModel]] = {"group": _Group, "subjects": _Subject, "generic": _Generic}
    return list((tables[names[-1]] if names else _File).model_fields)


def _step(part: int | str) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if part.isidentifier() else f".{part!r:.80}"


def _check(group: _Group, where: str) -> None:
    if group.select and group.subjects:
        raise UsageError(f"{where}: give subjects or select, not both")
    if group.select:
        raise UsageError(f"{where}: select needs the live Wikidata source; list the subjects instead")
    if not group.subjects:
        raise UsageError(f"{where}: no subjects")
    if group.completions and len(group.completions) != len(group.prompts):
        raise UsageError(
            f"{where}: {len(group.prompts)} prompts but {len(group.completions)} completions; "
            "give one for each prompt, or none at all"
        )


def _entry(group: _Group, subject: _Subject, where: str) -> Entry:
    fact = f"{subject.id}/{group.property}"
    try:
        prompts = tuple(_prompt(fact, group.instruction, subject.fields(), *t) for t in group.templates())
    except UsageError as error:
        raise UsageError(f"{where}, subject {subject.id}: {error}") from None
    called = subject.called or subject.name
    holders = subject.holders or group.holders
    return Entry(fact, group.name, Subject(subject.id, subject.name), called, holders, prompts)


def _prompt(
    fact: str, instruction: str, fields: Mapping[str, str], name: str, question: str, completion: str | None
) -> Prompt:
    asked = fill(question, fields)
    begun = fill(completion, fields) if completion else f"Question: {asked}\nAnswer:"
    return Prompt(f"{fact}/{name}", name, asked, begun, instruction)
