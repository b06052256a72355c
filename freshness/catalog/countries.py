"""Countries by name: files that carry no codes, and catalogues that use a former name.

``countries.tsv``: the codes of ISO 3166-1 (alpha-3), and Our World in Data's own for what has none there
(states that are gone, Kosovo, the world); each with the name that Our World in Data uses where we have seen
it, and with former and other usual names.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Country:
    """``code``: ISO 3166-1 alpha-3 or ``OWID_...``; ``others``: further names, present and former."""

    code: str
    name: str
    others: tuple[str, ...] = ()


@functools.cache
def every() -> tuple[Country, ...]:
    """The whole list."""
    return tuple(_read(_text().splitlines()[1:]))


def code_of(name: str) -> str:
    """The code of the country of this name, in any usual spelling; empty where there is none.

    A name that fits several (Korea) fits none of them.
    """
    return _codes().get(_plain(name), "")


def same(wanted: str, entities: Mapping[str, str]) -> str | None:
    """The one of these entities (name to code) that is meant by a code or by a name, present or former."""
    for name, code in entities.items():
        if wanted in (name, code):
            return name
    code = code_of(wanted)
    by_code = (name for name, its in entities.items() if code and (its or code_of(name)) == code)
    alike = (name for name in entities if _plain(name) == _plain(wanted))
    return next(by_code, None) or next(alike, None)


@functools.cache
def _codes() -> dict[str, str]:
    return {_plain(name): c.code for c in every() for name in (c.name, *c.others)}


def _read(lines: Iterable[str]) -> Iterable[Country]:
    for line in lines:
        code, name, *others = line.split("\t")
        yield Country(code, name, tuple(others[0].split("; ")) if others else ())


def _text() -> str:
    return files(__package__).joinpath("countries.tsv").read_text("utf-8")


def _plain(name: str) -> str:
    """Letters and digits alone, without accents: what two spellings of one name have in common."""
    spelt = unicodedata.normalize("NFKD", name.casefold().replace("&", " and "))
    kept = "".join(c if c.isalnum() else " " for c in spelt if not unicodedata.combining(c))
    return " ".join("saint" if word == "st" else word for word in kept.split())
