"""Charts from a folder: ``SLUG.csv``, and ``SLUG.metadata.json`` where there is one, as downloaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from freshness.errors import UsageError
from freshness.series import Chart, Indicator
from freshness.sources.owid import metadata as meta
from freshness.sources.owid.errors import Bad, ChartError
from freshness.sources.owid.reading import LIMITS, opened, read_chart
from freshness.sources.owid.rows import Limits

_FIRST_YEAR = 2000


def charts(
    path: Path,
    indicators: Iterable[Indicator],
    needed: Mapping[str, Sequence[str]] | None = None,
    limits: Limits = LIMITS,
) -> tuple[list[Chart], list[ChartError]]:
    """Of the indicators those that have a file in the folder, and what is wrong with the others' files.

    ``needed``: entities that an indicator must have, by its id. A vintage is from the day that the metadata
    name as the day of download, else from the file's own date. Raises ``UsageError`` for what is no folder,
    and when there is no file of any of the indicators.
    """
    if not path.is_dir():
        raise UsageError(f"{path}: no folder of charts (SLUG.csv, SLUG.metadata.json)")
    read: list[Chart] = []
    wrong: list[ChartError] = []
    wanted = list(indicators)
    for indicator in wanted:
        file = path / f"{indicator.slug}.csv"
        if file.exists():
            try:
                read.append(_chart(indicator, file, (needed or {}).get(indicator.id, ()), limits))
            except ChartError as error:
                wrong.append(error)
    if wanted and not read and not wrong:
        raise UsageError(f"{path}: no chart of the catalogue is in this folder; one would be {file.name}")
    return read, wrong


def _chart(indicator: Indicator, file: Path, entities: Sequence[str], limits: Limits) -> Chart:
    said = _metadata(indicator, file.with_suffix(meta.ENDING))
    return read_chart(indicator, file, said, _downloaded(file, said), entities=entities, limits=limits)


def _metadata(indicator: Indicator, file: Path) -> dict[str, Any] | None:
    if not file.exists():
        return None
    try:
        with opened(file, meta.MAX_BYTES) as stream:
            return meta.read(stream.read(meta.MAX_BYTES))
    except Bad as bad:
        raise bad.of(indicator.id, str(file)) from None


def _downloaded(file: Path, said: Mapping[str, Any] | None) -> datetime:
    now = datetime.now(UTC)
    day = meta.day((said or {}).get("dateDownloaded"))
    if day and day <= now.date():
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    # Archives made to be the same everywhere date their files to 1970 or 1980.
    return written if written.year >= _FIRST_YEAR else now
