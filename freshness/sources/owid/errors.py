"""What can be wrong with a chart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from freshness.errors import FreshnessError
from freshness.strict import shortened

SHOWN: Final = 80
"""So many characters of a name or a cell are shown."""

_LISTED = 12
_FILE = "the file is at fault: correct it, or fetch it again later"
_TO_DO: Final = {
    "owid_bad_number": _FILE,
    "owid_bad_time": _FILE,
    "owid_bad_row": _FILE,
    "owid_duplicate": _FILE,
    "owid_empty": _FILE,
    "owid_not_csv": "fetch it again later",
    "owid_bad_metadata": _FILE,
    "owid_column_ambiguous": "correct the file, or put the very heading of one column into the catalogue",
}
"""What to do, by the kind of fault, where that is always the same."""


class ChartError(FreshnessError):
    """A chart that could not be taken. One line: which, where, what is wrong, what to do.

    ``kind``: ``owid_not_found``, ``owid_forbidden``, ``owid_refused`` (another status), ``owid_redirect``,
    ``owid_not_csv``, ``owid_too_large``, ``owid_empty`` (no rows, or no values), ``owid_column_missing``,
    ``owid_column_ambiguous``, ``owid_entity_missing``, ``owid_bad_number``, ``owid_bad_time``,
    ``owid_bad_row``, ``owid_duplicate`` (two values for one entity and time), ``owid_not_yearly``,
    ``owid_bad_metadata``, ``owid_metadata_column`` (they are about other columns alone) or
    ``owid_unreadable`` (the file). ``indicator``: the id of the one at fault.
    """

    def __init__(self, kind: str, message: str, indicator: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.indicator = indicator


class Bad(ValueError):
    """What is wrong, without saying where: whoever knows the chart and its file makes a ``ChartError``."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text

    def of(self, indicator: str, where: str) -> ChartError:
        """The error of this indicator, found in this file or at this address."""
        to_do = f"; {_TO_DO[self.kind]}" if self.kind in _TO_DO else ""
        return ChartError(self.kind, f"{indicator} ({where}): {self.text}{to_do}", indicator)


def shown(text: object) -> str:
    """What a file says, quoted, on one line and cut short."""
    return tame(repr(shortened(str(text), SHOWN)))


def tame(text: str) -> str:
    """On one line, without characters that a terminal would obey or that turn the writing around."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def listed(names: Iterable[str]) -> str:
    """The first few names, each shown, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - _LISTED} more" if len(every) > _LISTED else ""
    return ", ".join(map(shown, every[:_LISTED])) + more
