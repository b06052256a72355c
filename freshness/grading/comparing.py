"""Yes or no said by answering: "It was lower in 2011" to "Was it higher in 2011 than in 2012?"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex

from freshness.grading.letters import Naming
from freshness.grading.options import Options

_MORE: Final = r"(?P<more>higher|greater|larger|more|bigger)"
_LESS: Final = r"(?P<less>lower|less|smaller|fewer)"
_ASKED: Final = regex.compile(
    rf"\b(?:{_MORE}|{_LESS})\b[^?\n]{{0,60}}?\b(?P<one>\d{{4}})[ ]than[ ](?:in[ ]|it[ ]was[ ]in[ ]|"
    rf"during[ ])?(?P<two>\d{{4}})",
    regex.I,
)
_STATED: Final = regex.compile(
    rf"\b(?P<not>(?:not|n['’]t|never|no)[ ](?:\w+[ ])?)?(?:{_MORE}|{_LESS}|(?P<same>the[ ]same|equal|"
    rf"unchanged))\b"
    r"(?:[^.;\n\d]{0,40}?\b(?P<year>\d{4}))?",
    regex.I,
)
_MOVED: Final = regex.compile(
    r"\b(?:(?P<up>increased|rose|grew|risen|climbed|went[ ]up)|(?P<down>decreased|fell|declined|dropped|"
    r"shrank|went[ ]down))\b"
    r"[^.;\n\d]{0,40}?\b(?:from|between)[ ](?P<from>\d{4})[ ](?:to|and)[ ](?P<to>\d{4})",
    regex.I,
)


def stated(text: str, options: Options, question: str) -> list[Naming]:
    """Where a plain text says in its own words whether what was asked is so."""
    asked = _ASKED.search(question)
    if asked is None:
        return []
    return sorted([*_compared(text, asked, options), *_moved(text, asked, options)], key=lambda n: n.start)


def _compared(text: str, asked: regex.Match[str], options: Options) -> Iterator[Naming]:
    for match in _STATED.finditer(text):
        year = match["year"] or asked["one"]
        if match["same"]:
            holds = bool(match["not"])
        elif year not in (asked["one"], asked["two"]):
            continue
        else:
            same_way = bool(match["more"]) == bool(asked["more"])
            same_year = year == asked["one"]
            holds = same_way == same_year
            if match["not"]:
                holds = not holds
        yield Naming(options.yes[holds], match.start(), match.end(), "comparison")


def _moved(text: str, asked: regex.Match[str], options: Options) -> Iterator[Naming]:
    for match in _MOVED.finditer(text):
        if {match["from"], match["to"]} != {asked["one"], asked["two"]}:
            continue
        more_later = bool(match["up"])
        more_in_one = more_later == (match["to"] == asked["one"])
        yield Naming(
            options.yes[more_in_one == bool(asked["more"])], match.start(), match.end(), "comparison"
        )
