"""Charts that could not be taken, in as few lines as there are reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from freshness.store import SeriesFault

UNAVAILABLE: Final = "owid_unavailable"

FEW: Final = 5
"""So many names of charts in a line that is about something else."""


def names(indicators: Sequence[str], most: int | None = None) -> str:
    """The names, or the first ``most`` of them and how many more there are."""
    more = 0 if most is None else len(indicators) - most
    return ", ".join(indicators[:most]) + (f" and {more} more" if more > 0 else "")


def told(faults: Iterable[SeriesFault]) -> list[str]:
    """A sentence for each reason: the fault's own words, or those of the first and which charts share it."""
    alike: dict[tuple[str, str], list[SeriesFault]] = {}
    for fault in faults:
        alike.setdefault((fault.kind, "" if fault.kind == UNAVAILABLE else reason(fault)), []).append(fault)
    return [_sentence(members) for members in alike.values()]


def _sentence(members: Sequence[SeriesFault]) -> str:
    first = members[0]
    if len(members) == 1:
        return " ".join(first.text.split())
    return f"{len(members)} charts: {reason(first)} ({names([fault.indicator for fault in members])})"


def reason(fault: SeriesFault) -> str:
    """What is wrong, without which chart it is and where it was looked for."""
    text = " ".join(fault.text.split())
    rest = text.removeprefix(f"{fault.indicator} (")
    return text if rest == text else rest.partition("): ")[2] or text
