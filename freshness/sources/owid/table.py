"""The numbers of a chart's CSV file, read with polars block by block: only what is asked for is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from freshness.sources.owid.errors import Bad, shown
from freshness.sources.owid.headings import Keys
from freshness.sources.owid.rows import Limits

ENTITY: Final = "entity"
TIME: Final = "time"
ROW: Final = "row"
"""Columns of the frames here; the values stand in ``c3``, ``c4``, ... by their place in the file."""

LAST_YEAR: Final = 3000
"""No chart looks further ahead: a later year is a slip. Back it may go as far as there are people, or ice."""

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

_AROUND_CELLS = np.frombuffer(b',"\n', dtype=np.uint8)
_YEAR = r"^([+-]?\d{1,7})(?:\.0+)?$"
_DAY = r"^\d{4}-\d{2}-\d{2}$"
_NUMBER_LIKE = r"^[+-]?\.?\d"
_BARE_POINT = r"\.(?:$|\D)"
"""No chart writes "25.": its digits were cut off, with the rest of the file."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to keep of a file with these headings. ``values`` and ``texts``: places of columns.

    ``zero_day``: the times are days since then.
    """

    names: Sequence[str]
    keys: Keys
    values: Sequence[int]
    texts: Sequence[int] = ()
    zero_day: date | None = None

    @property
    def places(self) -> list[int]:
        return sorted({*self.keys.places, *self.values, *self.texts})


@dataclass(slots=True)
class Numbers:
    """``frame``: in the order of the file, with ``entity`` (a number), ``time`` (a year or date) and columns.

    ``entities``: name and code (empty where none is given) by number.
    """

    frame: pl.DataFrame
    entities: list[tuple[str, str]]
    rows: int = 0


@dataclass(slots=True)
class _Entities:
    """Numbers the pairs of name and code as they come."""

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def numbered(self, frame: pl.DataFrame) -> pl.DataFrame:
        """With ``entity``, the number, in place of name and code.

        An entity's rows mostly follow each other, so that each run of them is looked up once.
        """
        names, codes = frame["name"], frame["code"]
        begins = ((names != names.shift(1)) | (codes != codes.shift(1))).fill_null(True)
        runs = frame.select("name", "code").filter(begins)
        numbers = [self.numbers.setdefault(pair, len(self.numbers)) for pair in runs.iter_rows()]
        by_row = pl.Series(ENTITY, numbers, pl.UInt32).gather(begins.cum_sum() - 1)
        return frame.drop("name", "code").with_columns(by_row)


def read(blocks: Iterator[bytes], wanted: Wanted, limits: Limits) -> Numbers:
    """All rows with a value; raises ``Bad`` that names the first row at fault."""
    entities = _Entities()
    kept: list[pl.DataFrame] = []
    rows = values = 0
    for block in blocks:
        _refuse_ragged(block, len(wanted.names), rows + 2)
        cells = _cells(block, wanted, rows + 2)
        rows += cells.height
        numbers = entities.numbered(_numbers(cells, wanted))
        values += numbers.height * len(wanted.values)
        _refuse_many(values, limits.values, "values")
        _refuse_many(len(entities.numbers), limits.entities, "entities")
        kept.append(numbers)
    if not kept:
        raise Bad("owid_empty", "has headings but no rows")
    frame = pl.concat(kept)
    kept.clear()
    return Numbers(frame, list(entities.numbers), rows)


def _refuse_many(count: int, limit: int, of: str) -> None:
    if count > limit:
        raise Bad("owid_too_large", f"has more than {limit:,} {of}; take the chart out of the catalogue")


def _refuse_ragged(block: bytes, columns: int, first_row: int) -> None:
    """Every row must have as many cells as there are headings: polars fills up and cuts off in silence."""
    data = np.frombuffer(block, dtype=np.uint8)
    ends, commas = data == ord("\n"), data == ord(",")
    if b'"' in block:
        outside = ~np.logical_xor.accumulate(data == ord('"'))
        _refuse_stray_quotes(data, ends, outside, first_row)
        ends, commas = ends & outside, commas & outside
    ends, commas = np.flatnonzero(ends), np.flatnonzero(commas)
    counts = np.diff(np.searchsorted(commas, ends), prepend=0)
    blank = np.diff(ends, prepend=-1) == 1
    bad = np.flatnonzero((counts != columns - 1) & ~blank)
    if bad.size:
        where, cells = first_row + int(bad[0]), int(counts[bad[0]]) + 1
        raise Bad("owid_bad_row", f"row {where} has {cells} cells; there are {columns} headings")


def _refuse_stray_quotes(data: Bytes, ends: Flags, outside: Flags, first_row: int) -> None:
    """Quotation marks with a line end between them must enclose a cell, whole.

    Else they stand in two rows, and all that is between them would be taken for a name.
    """
    quotes = np.flatnonzero(data == ord('"'))
    broken = np.flatnonzero(ends & ~outside)
    after = np.searchsorted(quotes, broken)
    opening, closing = quotes[after - 1], quotes[after]
    before = np.where(opening > 0, data[opening - 1], ord("\n"))
    bad = ~np.isin(before, _AROUND_CELLS) | ~np.isin(data[closing + 1], _AROUND_CELLS)
    if bad.any():
        row = first_row + int(np.count_nonzero((ends & outside)[: opening[bad][0]]))
        raise Bad("owid_bad_row", f'row {row} has a " within a cell, and so has a later one')


def _cells(block: bytes, wanted: Wanted, first_row: int) -> pl.DataFrame:
    """The columns that are wanted, as text without white space around it; nothing where a cell is blank."""
    heading = ",".join(f"c{place}" for place in range(len(wanted.names))).encode() + b"\n"
    try:
        frame = pl.read_csv(
            heading + block,
            columns=[f"c{place}" for place in wanted.places],
            infer_schema=False,
            raise_if_empty=False,
            row_index_name=ROW,
            row_index_offset=first_row,
        )
    except pl.exceptions.PolarsError as error:
        raise _unreadable(block, first_row, error) from None
    texts = pl.col(pl.String).str.strip_chars()
    return frame.with_columns(pl.when(texts != "").then(texts))


def _unreadable(block: bytes, first_row: int, error: Exception) -> Bad:
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as wrong:
        row = first_row + block.count(b"\n", 0, wrong.start)
        return Bad("owid_not_csv", f"row {row} is not UTF-8 (byte {block[wrong.start]:#04x})")
    said = shown(str(error).partition("\n")[0])
    return Bad("owid_bad_row", f"the rows from {first_row} on can't be read as CSV ({said})")


def _numbers(cells: pl.DataFrame, wanted: Wanted) -> pl.DataFrame:
    """Rows that have a value, with time and values as numbers."""
    values = [f"c{place}" for place in wanted.values]
    cells = cells.filter(pl.any_horizontal(pl.col(values).is_not_null()))
    keys = wanted.keys
    name = pl.col(f"c{keys.entity}")
    _refuse(cells, name.is_null(), f"c{keys.entity}", wanted, "owid_bad_row", "has a value but no entity")
    code = pl.lit("") if keys.code is None else pl.col(f"c{keys.code}").fill_null("").str.to_uppercase()
    texts = [f"c{place}" for place in wanted.texts]
    parsed = [_value(cells, column, wanted) for column in values]
    return cells.select(
        name.alias("name"), code.alias("code"), _times(cells, wanted).alias(TIME), *texts, *parsed
    )


def _value(cells: pl.DataFrame, column: str, wanted: Wanted) -> pl.Series:
    number = pl.col(column).cast(pl.Float64, strict=False)
    is_number = number.is_finite().fill_null(False) & ~pl.col(column).str.contains(_BARE_POINT)
    wrong = pl.col(column).is_not_null() & ~is_number
    _refuse(cells, wrong, column, wanted, "owid_bad_number", "is no number")
    return cells.select(number).to_series()


def _times(cells: pl.DataFrame, wanted: Wanted) -> pl.Series:
    """Years, or days where the file has days."""
    column = f"c{wanted.keys.time}"
    text = pl.col(column)
    if _has_dates(cells, column):
        days = text.str.to_date("%Y-%m-%d", strict=False)
        wrong = (days.is_null() | ~text.str.contains(_DAY)).fill_null(True)
        _refuse(cells, wrong, column, wanted, "owid_bad_time", "is no date such as 2024-01-31")
        _refuse_far(cells, days.dt.year(), (1, LAST_YEAR), wanted)
        return cells.select(days).to_series()
    number = text.str.extract(_YEAR).cast(pl.Int32, strict=False)
    zero_day = wanted.zero_day
    what = "is no year" if zero_day is None else "is no number of days"
    _refuse(cells, number.is_null(), column, wanted, "owid_bad_time", what)
    _refuse_far(cells, number, (None, LAST_YEAR) if zero_day is None else _days(zero_day), wanted)
    years = cells.select(number).to_series()
    return years if zero_day is None else _since(zero_day, years)


def _refuse_far(cells: pl.DataFrame, number: pl.Expr, within: tuple[int | None, int], wanted: Wanted) -> None:
    """Raises ``Bad`` for times after ``LAST_YEAR``, and for dates before year 1, which Python has none of."""
    column, (first, last) = f"c{wanted.keys.time}", within
    _refuse(cells, number > last, column, wanted, "owid_bad_time", f"is after the year {LAST_YEAR}")
    if first is not None:
        _refuse(cells, number < first, column, wanted, "owid_bad_time", "is before the year 1")


def _days(zero_day: date) -> tuple[int, int]:
    """How many days after the zero day the first and the last day lie that are read."""
    return (date.min - zero_day).days, (date(LAST_YEAR, 12, 31) - zero_day).days


def _has_dates(cells: pl.DataFrame, column: str) -> bool:
    first = cells.select(pl.col(column).drop_nulls().first()).item()
    return bool(first) and "-" in first[1:]


def _since(zero_day: date, days: pl.Series) -> pl.Series:
    frame = days.to_frame(TIME)
    return frame.select(pl.lit(zero_day) + pl.duration(days=pl.col(TIME))).to_series()


def _refuse(cells: pl.DataFrame, wrong: pl.Expr, column: str, wanted: Wanted, kind: str, what: str) -> None:
    """Raises ``Bad`` for the first cell that is wrong, with its row, column and text."""
    bad = cells.filter(wrong)
    if bad.height:
        row, text = bad.row(0, named=True)[ROW], bad.row(0, named=True)[column]
        heading = wanted.names[int(column[1:])]
        said = f" {shown(text)}" if text is not None else ""
        raise Bad(kind, f"row {row}, column {shown(heading)}:{said} {what}")


def text_columns(block: bytes, wanted: Wanted) -> list[int]:
    """Those of the wanted value columns in which no cell of the block begins like a number."""
    cells = _cells(block, wanted, 2)
    like = cells.select(pl.col(f"c{p}").str.contains(_NUMBER_LIKE).any() for p in wanted.values)
    return [place for place in wanted.values if not like[f"c{place}"][0]]


def by_entity(
    numbers: Numbers, same: Sequence[int], column: str
) -> Iterator[tuple[int, tuple[int, ...], tuple[float, ...]]]:
    """Each entity's number, years and values, in the order of the file; ``same``: whom each number means.

    Raises ``Bad`` (``owid_duplicate``) for two values of one entity and year; one given twice is kept once.
    """
    merged = pl.Series(ENTITY, same, pl.UInt32)
    frame = numbers.frame.with_columns(merged.gather(numbers.frame[ENTITY]).alias(ENTITY))
    numbers.frame = frame.clear()
    frame = frame.sort(ENTITY, TIME, maintain_order=True)
    frame = _once(frame, numbers, same, column)
    lengths = frame.group_by(ENTITY, maintain_order=True).len()
    begin = 0
    for number, length in lengths.iter_rows():
        part = frame.slice(begin, length)
        begin += length
        yield number, tuple(part[TIME].to_list()), tuple(part[column].to_list())


def _once(frame: pl.DataFrame, numbers: Numbers, same: Sequence[int], column: str) -> pl.DataFrame:
    again = (pl.col(ENTITY) == pl.col(ENTITY).shift(1)) & (pl.col(TIME) == pl.col(TIME).shift(1))
    again = again.fill_null(False)
    differs = frame.with_columns(was=pl.col(column).shift(1)).filter(
        again & (pl.col(column) != pl.col("was"))
    )
    if differs.height:
        row = differs.row(0, named=True)
        names = [pair[0] for pair, whom in zip(numbers.entities, same, strict=True) if whom == row[ENTITY]]
        whose = " alias ".join(map(shown, dict.fromkeys(names)))
        two = " and ".join(repr(row[each]).removesuffix(".0") for each in ("was", column))
        raise Bad("owid_duplicate", f"has two values for {whose} in {row[TIME]}: {two}")
    return frame.filter(~again)


def newest(numbers: Numbers) -> pl.DataFrame:
    """The last row of each entity, in the order of the file."""
    frame = numbers.frame.sort(ENTITY, TIME, maintain_order=True)
    return frame.group_by(ENTITY, maintain_order=True).last()
