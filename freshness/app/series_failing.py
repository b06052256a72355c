"""Charts that could not be taken, in as few lines as there are reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from freshness.store import SeriesFault

UNAVAILABLE: Final = "owid_unavailable"

NAMED: Final = 40
"""So many charts of one line are named."""


def told(faults: Iterable[SeriesFault]) -> list[str]:
    """A sentence for each reason: the fault's own words, or which charts share it and the first's words."""
    alike: dict[tuple[str, str], list[SeriesFault]] = {}
    for fault in faults:
        alike.setdefault((fault.kind, "" if fault.kind == UNAVAILABLE else _reason(fault)), []).append(fault)
    return [_sentence(members) for members in alike.values()]


def _sentence(members: Sequence[SeriesFault]) -> str:
    first = members[0]
    if len(members) == 1:
        return " ".join(first.text.split())
    names = [fault.indicator for fault in members[:NAMED]]
    names += [f"{len(members) - NAMED} more"] if len(members) > NAMED else []
    return f"{len(members)} charts ({', '.join(names)}): {_reason(first)}"


def _reason(fault: SeriesFault) -> str:
    """Without which chart it is and where it was looked for."""
    text = " ".join(fault.text.split())
    rest = text.removeprefix(f"{fault.indicator} (")
    return text if rest == text else rest.partition("): ")[2] or text
