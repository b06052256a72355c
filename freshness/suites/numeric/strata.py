"""How a sample of questions is spread: over kinds, categories, indicators and eras. Pure.

A sample has a base, whose shares stand for all questions with every kind and every category weighing the
same (and as many comparisons that rise as others: ``sampling``), and beside it a few extra questions about
the newest years, which no share counts: they are there for the newest year that a model knows of each
indicator (``window.known_years``). See ``docs/numeric-window.md``.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from freshness.questions import CHOICE_KINDS
from freshness.series import CATEGORIES

RECENT: Final = 15
"""Years before an indicator's newest that extra questions are about; eras of five years."""
TELLING: Final = ("date", "comparative", "next_word")
"""Kinds whose answer needs the newest year that they name: the others' can be told without it."""

_NO_EXTRA: Final = 120
"""Samples up to this size have none, larger ones a quarter of what goes beyond it..."""
_MOST_EXTRA: Final = 30
"""... but no more than this for an indicator."""


class Stratum(NamedTuple):
    """Questions that are drawn from alike; ``era`` as ``era_of`` counts it."""

    kind: str
    category: str
    indicator: str
    era: int


class Places(NamedTuple):
    """How many questions to draw from a stratum: in order of the draw ``base``, then ``extra``."""

    base: int
    extra: int


def era_of(year: int, newest: int) -> int:
    """Which era a question belongs to: by the newest year it names and the indicator's newest.

    Eras 0, 1, 2 are the newest five years each, then come decades: ``min(back // 5, 3 + (back - 15) // 10)``
    with ``back = newest - year``.
    """
    back = newest - year
    return min(back // 5, 3 + (back - RECENT) // 10)


def allocate(sizes: Mapping[Stratum, int], size: int) -> dict[Stratum, Places]:
    """How many of the questions of each stratum are in a sample of ``size`` (at most all there are).

    ``sizes``: how many questions there are. Drawn in a fixed order, a larger sample holds every smaller one.
    In the base each kind has as many as any other, so has within a kind each category and within that each
    indicator, and of these each era as it has questions; where too few are left the others get more. The
    extra ones are the same for each indicator.
    """
    strata = {stratum: number for stratum, number in sizes.items() if number > 0}
    if size >= sum(strata.values()):
        return {stratum: Places(number, 0) for stratum, number in strata.items()}
    wanted = _extra(strata, size)
    base = _base(strata, size - wanted)
    # Where the base leaves too few of them, it gets their places.
    while (left := sum(_left(strata, base).values())) < wanted:
        wanted = left
        base = _base(strata, size - wanted)
    extra = _spread(_paths(_left(strata, base)), wanted)
    return {stratum: Places(base.get(stratum, 0), extra.get(stratum, 0)) for stratum in strata}


def _extra(strata: Mapping[Stratum, int], size: int) -> int:
    indicators = {stratum.indicator for stratum in strata}
    return min(max(0, size - _NO_EXTRA) // 4, _MOST_EXTRA * len(indicators))


_Path = tuple[tuple[Hashable, ...], Stratum, int]
"""What a stratum is called on each level, from the top, the stratum, and how many questions it has."""


def _base(strata: Mapping[Stratum, int], places: int) -> dict[Stratum, int]:
    paths: list[_Path] = [(tuple(s), s, number) for s, number in sorted(strata.items(), key=_order)]
    return _spread(paths, places, proportional=True)


def _left(strata: Mapping[Stratum, int], base: Mapping[Stratum, int]) -> dict[Stratum, int]:
    """What extra questions can be drawn from once the base is drawn."""
    recent = {s: n for s, n in strata.items() if s.kind in TELLING and s.era < RECENT // 5}
    return {s: number - base.get(s, 0) for s, number in recent.items()}


def _paths(left: Mapping[Stratum, int]) -> list[_Path]:
    ordered = sorted(left.items(), key=_order)
    return [((s.indicator, s.category, s.kind, s.era), s, number) for s, number in ordered]


def _order(item: tuple[Stratum, int]) -> tuple[int, str, int, str, str, int]:
    """The paper's order, so that no order of a mapping decides."""
    kind, category, indicator, era = item[0]
    return (*_place(CHOICE_KINDS, kind), *_place(CATEGORIES, category), indicator, era)


def _place(names: Sequence[str], name: str) -> tuple[int, str]:
    return (names.index(name) if name in names else len(names)), name


def _spread(
    paths: Sequence[_Path], places: int, *, proportional: bool = False, level: int = 0, turn: int = 0
) -> dict[Stratum, int]:
    """Divide the places level by level, each part alike; ``proportional``: on the lowest level by size.

    ``turn``: who is first among equals, another one in each part, so that a small sample goes round.
    """
    depth = len(paths[0][0]) if paths else 0
    if level == depth:
        return {stratum: places for _, stratum, _ in paths}
    parts: dict[Hashable, list[_Path]] = {}
    for path in paths:
        parts.setdefault(path[0][level], []).append(path)
    rooms = [sum(number for _, _, number in part) for part in parts.values()]
    by_size = proportional and level == depth - 1
    divided = _divide([room if by_size else 1 for room in rooms], rooms, places, turn)
    found: dict[Stratum, int] = {}
    for number, (part, given) in enumerate(zip(parts.values(), divided, strict=True)):
        found |= _spread(part, given, proportional=proportional, level=level + 1, turn=number)
    return found


def _divide(weights: Sequence[int], rooms: Sequence[int], places: int, turn: int) -> list[int]:
    """Places in proportion to weights, nowhere more than there is room (Sainte-Laguë's method).

    It is the one of its kind that favours neither large nor small parts, and with more places no part gets
    fewer. Among equals the one at ``turn`` is first.
    """
    given = [0] * len(weights)
    count = len(weights)
    queue = [
        (0.5 / weight, (number - turn) % count, number)
        for number, weight in enumerate(weights)
        if rooms[number]
    ]
    heapq.heapify(queue)
    for _ in range(min(places, sum(rooms))):
        _, rank, number = queue[0]
        given[number] += 1
        if given[number] == rooms[number]:
            heapq.heappop(queue)
        else:
            heapq.heapreplace(queue, ((given[number] + 0.5) / weights[number], rank, number))
    return given
