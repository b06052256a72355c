"""CSV files in pieces of whole rows, whatever their size: a file is never in memory as a whole.

Line ends are made one (LF) and a byte order mark is taken off on the way. What begins like a web page, JSON
or an archive is told from CSV at once.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from freshness.sources.owid.errors import Bad, shown

CHUNK: Final = 4 * 2**20
"""So many bytes are read at a time."""

MAX_ROW: Final = 2**20
"""A row of more bytes is none."""

MAX_COLUMNS: Final = 2000

_BOM = b"\xef\xbb\xbf"
_NEWLINE, _QUOTE = b"\n", b'"'
_FIRST_ROW = re.compile(rb'(?:[^"\n]++|"[^"]*+")*+\n')
_TITLE = re.compile(rb"<title[^>]*>([^<]{1,200})", re.IGNORECASE)
_OTHER_KINDS = {
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"PAR1": "a Parquet file",
    b"%PDF": "a PDF",
    b"\xff\xfe": "text in UTF-16, not UTF-8",
    b"\xfe\xff": "text in UTF-16, not UTF-8",
}
_TRIES = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is read: bytes of a file, values (cells with a number), and entities that have any."""

    bytes: int = 2 * 2**30
    values: int = 50_000_000
    entities: int = 100_000


def open_rows(stream: IO[bytes], limits: Limits) -> tuple[tuple[str, ...], Iterator[bytes]]:
    """The headings, and the rows in blocks that each end with a line end.

    Raises ``Bad``: ``owid_not_csv``, ``owid_bad_row`` or ``owid_too_large``; so does the iterator.
    """
    blocks = _blocks(_chunks(stream, limits.bytes))
    first = next(filter(None, map(bytes.lstrip, blocks)), b"")
    refuse_other_kinds(first)
    end = _end_of_first_row(first)
    return _headings(first[:end]), _rest(first[end:], blocks)


def _rest(first: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from blocks


def _chunks(stream: IO[bytes], limit: int) -> Iterator[bytes]:
    """What the stream gives, up to the limit, with one kind of line end."""
    total = 0
    held = b""
    while data := stream.read(CHUNK):
        if not total:
            data = data.removeprefix(_BOM)
        total += len(data)
        if total > limit:
            raise Bad("owid_too_large", f"is larger than {limit / 2**20:g} MiB")
        # A CR at the end may be the first half of CR LF.
        data = held + data
        held = b"\r" if data.endswith(b"\r") else b""
        yield data.removesuffix(held).replace(b"\r\n", _NEWLINE).replace(b"\r", _NEWLINE)
    if held:
        yield _NEWLINE


def _blocks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    kept = b""
    for chunk in chunks:
        kept += chunk
        end = _end_of_rows(kept)
        if len(kept) - end > MAX_ROW:
            raise _endless(kept[end:])
        if end:
            yield kept[:end]
            kept = kept[end:]
    if kept.count(_QUOTE) % 2:
        raise _endless(kept)
    if kept:
        yield kept if kept.endswith(_NEWLINE) else kept + _NEWLINE


def _end_of_rows(data: bytes) -> int:
    """Where the last whole row ends; 0 if there is none. A line end between quotation marks ends no row."""
    end = data.rfind(_NEWLINE) + 1
    for _ in range(_TRIES):
        if data.count(_QUOTE, 0, end) % 2 == 0:
            return end
        # The last mark before it opens what the line end stands in.
        end = data.rfind(_NEWLINE, 0, data.rfind(_QUOTE, 0, end)) + 1
    return 0


def _endless(data: bytes) -> Bad:
    begins = shown(data[:60].decode("utf-8", "replace"))
    if data.count(_QUOTE) % 2:
        return Bad("owid_bad_row", f'the row that begins {begins} has a " that is never closed')
    return Bad("owid_not_csv", f"has a row of more than {MAX_ROW} bytes, which begins {begins}")


def refuse_other_kinds(data: bytes) -> None:
    """Raises ``Bad`` (``owid_not_csv``) for what begins unlike CSV."""
    start = data[:4096].removeprefix(_BOM).lstrip()
    if not start:
        raise Bad("owid_not_csv", "is empty")
    for magic, kind in _OTHER_KINDS.items():
        if start.startswith(magic):
            raise Bad("owid_not_csv", f"is no CSV but {kind}")
    refuse_page(start, "CSV")
    if start.startswith((b"{", b"[")):
        raise Bad("owid_not_csv", f"is no CSV but JSON: {shown(start[:60].decode('utf-8', 'replace'))}")
    if b"\0" in start:
        raise Bad("owid_not_csv", "is no CSV but binary data")


def refuse_page(data: bytes, wanted: str) -> None:
    """Raises ``Bad`` for what begins like HTML; the message tells the page's title."""
    start = data[:4096].removeprefix(_BOM).lstrip()
    if start.startswith(b"<"):
        title = _TITLE.search(start)
        said = f" ({shown(title[1].decode('utf-8', 'replace').strip())})" if title else ""
        raise Bad("owid_not_csv", f"is no {wanted} but a web page{said}")


def _end_of_first_row(data: bytes) -> int:
    found = _FIRST_ROW.match(data)
    if not found or found.end() > MAX_ROW:
        raise _endless(data)
    return found.end()


def _headings(row: bytes) -> tuple[str, ...]:
    try:
        names = next(csv.reader([row.decode("utf-8").rstrip("\n")]))
    except UnicodeDecodeError as error:
        raise Bad("owid_not_csv", f"row 1 is not UTF-8 ({error.reason})") from None
    except csv.Error as error:
        raise Bad("owid_not_csv", f"row 1 is no row of headings ({error})") from None
    if len(names) > MAX_COLUMNS:
        text = f"has {len(names)} columns; {MAX_COLUMNS:,} are allowed"
        raise Bad("owid_too_large", f"{text}; take the chart out of the catalogue")
    return tuple(" ".join(name.split()) for name in names)
