"""Options said again one after the other: that chooses none, unless one of them is marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import regex

from freshness.grading.choice_cues import EMPHASIS, SAID_BETWEEN, TICK
from freshness.grading.letters import Naming
from freshness.grading.numbers import Plain
from freshness.grading.options import Options, bones

_FIRST_WORD: Final = regex.compile(r"\w\S*")


@dataclass(frozen=True, slots=True)
class Listing:
    """Where entries of the list stand, by their starts; ``marked``: the only one with a tick or in bold."""

    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    marked: Naming | None = None

    def covers(self, naming: Naming) -> bool:
        """Whether it is but an entry of the list, or stands in one."""
        return any(low <= naming.start < high for low, high in self.spans.values())


def listing(plain: Plain, raw: str, named: Sequence[Naming], options: Options) -> Listing:
    """The list of options in a text; ``raw``: the same with its marks."""
    spans: dict[int, tuple[int, int]] = {}
    for one, two in pairwise(named):
        if two.option == one.option + 1 and _is_listed(plain.text, one, two, options):
            spans[one.start] = (one.start, two.start)
            spans[two.start] = (two.start, _end(plain.text, two, options))
    entries = [naming for naming in named if naming.start in spans]
    return Listing(spans, _only(entries, [n for n in entries if _is_marked(plain, raw, n, spans[n.start])]))


def _is_listed(text: str, one: Naming, two: Naming, options: Options) -> bool:
    """Whether two letters are neighbours in the list, each with its own text, not "(a) 78? No, (b)"."""
    between = TICK.sub("", text[one.end : two.start])
    if not _is_copy(between, options.words[one.option]) or _goes_on(between, options.texts[one.option]):
        return False
    behind = _FIRST_WORD.search(text[two.end : _end(text, two, options)])
    return behind is None or _is_copy(behind[0], options.words[two.option])


def _goes_on(between: str, option: str) -> bool:
    """Whether an answer speaks between two letters of one line; one at a line's end is the list's."""
    if between.rstrip(" \t([{>#*-").endswith("\n"):
        return False
    own = {match[0].casefold() for match in SAID_BETWEEN.finditer(option)}
    return any(match[0].casefold() not in own for match in SAID_BETWEEN.finditer(between))


def _is_copy(between: str, option: str) -> bool:
    bare = bones(between)
    return bool(bare) and (option.startswith(bare) or bare.startswith(option))


def _end(text: str, naming: Naming, options: Options) -> int:
    """Where an entry that no other follows ends: with its line, or as long as its text is."""
    stop = text.find("\n", naming.end)
    return min(naming.end + len(options.texts[naming.option]) + 4, stop if stop >= 0 else len(text))


def _is_marked(plain: Plain, raw: str, naming: Naming, span: tuple[int, int]) -> bool:
    start = plain.span(naming.start, naming.end)[0]
    bold = EMPHASIS.search(raw[max(0, start - 4) : start]) is not None
    return bold or TICK.search(plain.text[span[0] : span[1]]) is not None


def _only(entries: Sequence[Naming], marked: Sequence[Naming]) -> Naming | None:
    return marked[0] if len(marked) == 1 and len(entries) > 1 else None
