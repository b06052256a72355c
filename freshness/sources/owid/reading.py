"""A chart's CSV file and what its metadata says, as series of years or as a table."""

from __future__ import annotations

import contextlib
import itertools
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from freshness.catalog import countries
from freshness.series import Chart, Indicator, Series
from freshness.sources.owid import headings, metadata
from freshness.sources.owid.errors import Bad, listed, shown, tame
from freshness.sources.owid.headings import Keys
from freshness.sources.owid.rows import Limits, open_rows
from freshness.strict import shortened

if TYPE_CHECKING:
    from freshness.sources.owid.table import Numbers

LIMITS = Limits()

_NAME = 150
_CODE = re.compile(r"[A-Z0-9_]{1,20}")


@dataclass(frozen=True, slots=True)
class Latest:
    """The newest time (ISO: ``2024`` or ``2024-01-14``) that has values, and these by column."""

    time: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Table:
    """Any chart's file, with years or days: its columns, and the newest values of each entity.

    ``texts``: what the columns that hold words say in an entity's newest row. ``rows``: without the headings.
    """

    time_column: str
    value_columns: tuple[str, ...]
    text_columns: tuple[str, ...]
    rows: int
    latest: Mapping[str, Latest]
    texts: Mapping[str, Mapping[str, str]]


def read_chart(
    indicator: Indicator,
    csv: Path | IO[bytes],
    said: Mapping[str, Any] | None,
    fetched_at: datetime,
    *,
    entities: Sequence[str] = (),
    limits: Limits = LIMITS,
) -> Chart:
    """One indicator's yearly series from a chart's CSV file.

    ``said``: the chart's metadata, parsed (None: there is none). ``entities``: names or codes that must be
    there; a former name of a country will do. Raises ``ChartError`` that names the file, row and column.
    """
    where = str(csv) if isinstance(csv, Path) else "the answer"
    try:
        with opened(csv, limits.bytes) as stream:
            return chart_from(indicator, stream, said, fetched_at, entities, limits)
    except Bad as bad:
        raise bad.of(indicator.id, where) from None


def read_table(
    csv: Path | IO[bytes], said: Mapping[str, Any] | None = None, limits: Limits = LIMITS
) -> Table:
    """All of a chart's columns, with years or days; raises ``ChartError``."""
    where = str(csv) if isinstance(csv, Path) else "the answer"
    try:
        with opened(csv, limits.bytes) as stream:
            return _table(stream, said, limits)
    except Bad as bad:
        raise bad.of("chart", where) from None


@contextlib.contextmanager
def opened(file: Path | IO[bytes], max_bytes: int) -> Iterator[IO[bytes]]:
    """The file, or the stream as it is; raises ``Bad`` for what is no file, can't be read or is larger."""
    if not isinstance(file, Path):
        yield file
        return
    try:
        known = file.stat()
        # A pipe would be waited for without end.
        if not stat.S_ISREG(known.st_mode):
            raise Bad("owid_unreadable", "is no file")
        if known.st_size > max_bytes:
            most = f"{max_bytes / 2**20:g} MiB are allowed"
            raise Bad("owid_too_large", f"is {known.st_size / 2**20:.0f} MiB large; {most}")
        with file.open("rb") as stream:
            yield stream
    except OSError as error:
        raise Bad("owid_unreadable", f"can't be read ({error.strerror})") from None


def chart_from(
    indicator: Indicator,
    stream: IO[bytes],
    said: Mapping[str, Any] | None,
    fetched_at: datetime,
    entities: Sequence[str],
    limits: Limits,
) -> Chart:
    """``read_chart`` for whoever knows where the stream is from: raises ``Bad``."""
    from freshness.sources.owid import table

    names, blocks = open_rows(stream, limits)
    keys = headings.keys(names)
    place = headings.value_column(names, keys, indicator.column, said)
    words = headings.words_of(names[place], indicator.column, said)
    wanted = table.Wanted(names, keys, [place], zero_day=words.zero_day if words else None)
    numbers = table.read(blocks, wanted, limits)
    _refuse_days(names[keys.time], numbers)
    series = tuple(_series(indicator, numbers, f"c{place}"))
    if not series:
        raise Bad("owid_empty", f"column {shown(names[place])} has no values")
    _require(entities, series)
    return Chart(indicator, metadata.vintage(said, words, indicator, fetched_at), series)


def _refuse_days(column: str, numbers: Numbers) -> None:
    if not numbers.frame["time"].dtype.is_integer():
        text = f"has values by day (column {shown(column)}), and questions are asked about years"
        raise Bad("owid_not_yearly", f"{text}; take the chart out of the catalogue")


def _series(indicator: Indicator, numbers: Numbers, column: str) -> Iterator[Series]:
    """By entity, in the order of the file. Names that share a code (a country was renamed) are one entity."""
    from freshness.sources.owid import table

    entities = _coded(numbers.entities)
    first: dict[str, int] = {}
    same = [first.setdefault(code or name, number) for number, (name, code) in enumerate(entities)]
    shared: dict[tuple[int, ...], tuple[int, ...]] = {}
    for number, years, values in table.by_entity(numbers, same, column):
        name, code = entities[number]
        # Most countries have the same years, which are then kept once.
        yield Series(indicator.id, name, code, shared.setdefault(years, years), values)


def _coded(entities: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """With codes by name where the file has none at all; aggregates are without one in any file.

    A name that has its one code in some rows has it in all. Names end up in prompts, tables and pages: they
    are kept short and on one line.
    """
    tidied = [
        (tame(shortened(name, _NAME)), code if _CODE.fullmatch(code) else "") for name, code in entities
    ]
    if not any(code for _, code in entities):
        return [(name, countries.code_of(name)) for name, _ in tidied]
    codes: dict[str, set[str]] = {}
    for name, code in tidied:
        codes.setdefault(name, set()).update({code} - {""})
    return [(name, code or (min(codes[name]) if len(codes[name]) == 1 else "")) for name, code in tidied]


def _require(entities: Sequence[str], series: Sequence[Series]) -> None:
    import difflib

    there = {each.entity: each.code for each in series}
    missing = [wanted for wanted in entities if countries.same(wanted, there) is None]
    if not missing:
        return
    near = difflib.get_close_matches(missing[0], there, n=1)
    likely = f"; likely the new name of the first: {shown(near[0])}" if near else ""
    raise Bad(
        "owid_entity_missing",
        f"has no entity {listed(missing)}{likely}; correct entities in the catalogue",
    )


def _table(stream: IO[bytes], said: Mapping[str, Any] | None, limits: Limits) -> Table:
    from freshness.sources.owid import table

    names, blocks = open_rows(stream, limits)
    keys = headings.keys(names)
    first = next(blocks, b"")
    if not first:
        raise Bad("owid_empty", "has headings but no rows")
    places = headings.candidates(names, keys)
    texts = table.text_columns(first, table.Wanted(names, keys, places)) if places else []
    values = [place for place in places if place not in texts]
    if not values:
        raise Bad("owid_empty", f"has no column with values; it has {listed(names)}")
    zero_day = _zero_day(said, names, values)
    wanted = table.Wanted(names, keys, values, texts, zero_day)
    numbers = table.read(itertools.chain([first], blocks), wanted, limits)
    return _summed_up(names, wanted.keys, values, texts, numbers)


def _zero_day(said: Mapping[str, Any] | None, names: Sequence[str], values: Sequence[int]) -> date | None:
    words = [metadata.words_for(said, names[place]) for place in values]
    return next((each.zero_day for each in words if each and each.zero_day), None)


def _summed_up(
    names: Sequence[str], keys: Keys, values: Sequence[int], texts: Sequence[int], numbers: Numbers
) -> Table:
    from freshness.sources.owid import table

    newest = {numbers.entities[row["entity"]][0]: row for row in table.newest(numbers).iter_rows(named=True)}
    return Table(
        time_column=names[keys.time],
        value_columns=tuple(names[place] for place in values),
        text_columns=tuple(names[place] for place in texts),
        rows=numbers.rows,
        latest={
            entity: Latest(str(row["time"]), _named(row, names, values)) for entity, row in newest.items()
        },
        texts={entity: _named(row, names, texts) for entity, row in newest.items()},
    )


def _named(row: Mapping[str, Any], names: Sequence[str], places: Sequence[int]) -> dict[str, Any]:
    return {names[place]: row[f"c{place}"] for place in places if row[f"c{place}"] is not None}
