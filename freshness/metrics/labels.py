"""Values of labels: short, printable and few."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Final

ALL: Final = "all"
"""Stands for all groups together."""
OTHER: Final = "other"
"""Stands for what is beyond the number of values that a label may have."""
MAX_CHARS: Final = 200
MAX_GROUPS: Final = 50
MAX_KINDS: Final = 20

_UNFIT: Final = ("Cc", "Cs", "Zl", "Zp")


def clean(text: str) -> str:
    """Without control characters, which end a scrape or a line of it, and cut to ``MAX_CHARS``.

    The client escapes quotes, backslashes and line ends; a NUL it doesn't, and Prometheus stops there.
    """
    shown = "".join(
        "\ufffd" if unicodedata.category(char) in _UNFIT else char for char in text[: MAX_CHARS + 1]
    )
    return shown if len(shown) <= MAX_CHARS else shown[: MAX_CHARS - 1] + "…"


def group(name: str) -> str:
    """A group's name; one that is called as all groups together gets another."""
    return f"{name} (group)" if name in (ALL, OTHER) else clean(name)


def biggest(sizes: Mapping[str, int], most: int) -> frozenset[str]:
    """The names that stand for themselves; all others are told together, as ``OTHER``."""
    if len(sizes) <= most:
        return frozenset(sizes)
    ordered = sorted(sizes, key=lambda name: (-sizes[name], name))
    return frozenset(ordered[: most - 1])


def merged(counts: Mapping[str, int], most: int) -> Counter[str]:
    """Counts by cleaned name, the smallest of too many together as ``OTHER``."""
    kept = biggest(counts, most)
    told: Counter[str] = Counter()
    for name, count in counts.items():
        told[clean(name) if name in kept else OTHER] += count
    return told
