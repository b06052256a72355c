"""From the dates that qualify a statement to the interval in which it holds, and what is odd about them.

The policies stand in ``docs/wikidata.md``. RDF numbers years as XSD 1.1 does, 0 being 1 BCE, and so does
``PartialDate``: no year is shifted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from freshness.facts import FlawKind, PartialDate, ValidityInterval

Note = tuple[FlawKind, str]
"""A kind of flaw and what to say of it, as the end of a sentence: "has neither start nor end"."""

_MOMENT: Final = re.compile(r"([+-]?)0*(\d+)-(\d{2})-(\d{2})(?:T[\d:.]*(?:Z|[+-]\d{2}:\d{2})?)?", re.ASCII)
_MAX_DIGITS: Final = 6  # what ``PartialDate.parse`` reads back
_FAR: Final = 10**_MAX_DIGITS
YEAR: Final = 9
"""``wikibase:timePrecision`` of a year; a month is one more, a day two."""
_MONTH: Final = 10
_DECADE: Final = 8
_SHOWN_CHARS: Final = 40


@dataclass(slots=True)
class Bound:
    """What one qualifier (start, end, point in time) of one statement says, in no order.

    ``raws``: its plain values; ``times``: its dates with their precision (None: not told); ``unknown``:
    whether it is "unknown value".
    """

    raws: set[str] = field(default_factory=set)
    times: set[tuple[str, int | None]] = field(default_factory=set)
    unknown: bool = False

    def __bool__(self) -> bool:
        return bool(self.raws or self.times or self.unknown)

    def moments(self) -> Iterator[tuple[str, int]]:
        """Each date once; month and day of one without a precision are padding, so it's only a year."""
        for text, precision in self.times:
            yield text, YEAR if precision is None else precision
        told = {text for text, _ in self.times}
        yield from ((raw, YEAR) for raw in self.raws if raw not in told)


@dataclass(frozen=True, slots=True)
class Moment:
    """One date as it was read. ``date`` None: no use as a bound; ``over``: all that it can mean is past."""

    text: str
    year: int
    date: PartialDate | None
    over: bool
    fault: FlawKind | None = None

    @property
    def order(self) -> tuple[bool, int, int, str]:
        """A usable one is greater, then a later one, then the more exact of two that begin on one day."""
        if self.date is None:
            return False, self.year, 0, self.text
        return True, self.date.first, self.date.first - self.date.last, self.text


def moment(text: str, precision: int, today: date) -> Moment:
    """A date literal (``2021-02-13T00:00:00Z``) with its ``wikibase:timePrecision``, read as exactly as makes
    sense: an impossible day leaves the month, an impossible month the year.
    """
    match = _MOMENT.fullmatch(text)
    if not match:
        return Moment(_shown(text), 0, None, True, "impossible_date")
    sign, digits, month, day = match.groups()
    if len(digits) > _MAX_DIGITS:
        far = -_FAR if sign == "-" else _FAR
        return Moment(_shown(text), far, None, far < 0, "impossible_date")
    year = -int(digits) if sign == "-" else int(digits)
    if precision < YEAR:
        return Moment(f"about {year}", year, None, _last_year(year, precision) < today.year, "rough_date")
    read = _exact(year, int(month), int(day), precision)
    asked = min(precision - YEAR, 2)
    lost = asked > (read.month is not None) + (read.day is not None)
    over = read.last < today.toordinal()
    return Moment(str(read), year, read, over, "impossible_date" if lost else None)


def _exact(year: int, month: int, day: int, precision: int) -> PartialDate:
    if precision > _MONTH:
        try:
            return PartialDate(year, month, day)
        except ValueError:
            pass
    if precision >= _MONTH and 1 <= month <= 12:
        return PartialDate(year, month)
    return PartialDate(year)


def _last_year(year: int, precision: int) -> int:
    """The last year that a decade, century or more can mean, however people count them."""
    unit: int = 10 ** min(YEAR - precision, 10)
    return year // unit * unit + (unit - 1 if precision == _DECADE else unit)


def _shown(text: str) -> str:
    printable = "".join(char for char in text if char.isprintable())
    return printable if len(printable) <= _SHOWN_CHARS else f"{printable[: _SHOWN_CHARS - 3]}..."


def interval(
    start: Bound, end: Bound, point: Bound, endless: bool, today: date
) -> tuple[ValidityInterval, tuple[Note, ...]]:
    """When a statement with these qualifiers holds. ``endless``: its end is "no value"."""
    notes: list[Note] = []
    if not (start or end or endless):
        if not point:
            return ValidityInterval(), (("undated", "has neither start nor end"),)
        seen = _latest(point, "point in time", today, notes)
        # It was so then, and nobody says until when: no claim about now.
        return ValidityInterval(seen.date if seen else None, ended=True), tuple(notes)
    begun = _latest(start, "start", today, notes)
    over = _latest(end, "end", today, notes)
    if endless and end:
        notes.append(("several_dates", "has an end and also says that there is none; the end was taken"))
    since, until = begun.date if begun else None, over.date if over else None
    ended = until is None and (end.unknown or (over is not None and over.over))
    if since and until and until.last < since.first:
        notes.append(("impossible_date", f"ends ({until}) before it starts ({since}); the end was left out"))
        until, ended = None, True
    return ValidityInterval(since, until, ended), tuple(notes)


def _latest(bound: Bound, name: str, today: date, notes: list[Note]) -> Moment | None:
    """The later of a bound's dates (one statement is one term); ``notes`` gets what is odd about them."""
    found = {moment(text, precision, today) for text, precision in bound.moments()}
    if not found:
        return None
    *others, chosen = sorted(found, key=lambda m: m.order)
    also = sorted({m.text for m in others} - {chosen.text}) + ["unknown"] * bound.unknown
    if also:
        notes.append(
            ("several_dates", f"has several {name} dates: {chosen.text} was taken, not {_listed(also)}")
        )
    if chosen.fault:
        notes.append((chosen.fault, _why(name, chosen)))
    return chosen


def _listed(texts: list[str]) -> str:
    return ", ".join(texts[:5]) + (f" and {len(texts) - 5} more" if len(texts) > 5 else "")


_A: Final = {"start": "a start", "end": "an end", "point in time": "a point in time"}


def _why(name: str, read: Moment) -> str:
    if read.fault == "rough_date":
        return f"has {_A[name]} known only roughly ({read.text})"
    if read.date is None:
        return f"has {_A[name]} that is no usable date ({read.text})"
    return f"has an impossible {name} date; {read.text} is what still makes sense"
