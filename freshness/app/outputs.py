"""Where files may be written: never over what is read, nor over the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from freshness.config import Settings
from freshness.report.files import check_target
from freshness.store import places_of


def check(settings: Settings, path: Path, inputs: Iterable[str] = ()) -> None:
    """Whether a file can be written there, asked before any work is done; raises ``UsageError``.

    ``inputs``: what the options name, alone or joined by commas: files that are read, and whatever else.
    """
    read = [part for text in (*inputs, *_configured(settings)) for part in _parts(text)]
    check_target(path, read, places_of(settings.store_url))


def _configured(settings: Settings) -> Iterator[str]:
    """The config's file, and all that it may name files in."""
    if settings.path:
        yield str(settings.path)
    yield from settings.facts.catalogues
    yield from settings.owid.charts
    yield from (model.model for model in settings.models)


def _parts(text: str) -> Iterator[str]:
    """All that a text may name: itself, what is joined in it by commas, and the file of a model."""
    for name in dict.fromkeys((text, *(part.strip() for part in text.split(",")))):
        yield name
        yield name.partition(":")[2]
