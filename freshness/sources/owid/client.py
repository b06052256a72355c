"""Charts from a server: metadata first, and the numbers only when the publisher has new ones.

Paths and parameters as in Our World in Data's chart API: ``/grapher/SLUG.csv`` and ``.metadata.json``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import IO, Any, Final

from freshness.errors import UnavailableError
from freshness.series import Chart, Indicator, Vintage
from freshness.sources.owid import metadata, reading
from freshness.sources.owid.errors import Bad
from freshness.sources.owid.rows import Limits, refuse_other_kinds, refuse_page
from freshness.sources.owid.server import NOT_FOUND, Server

LIMITS: Final = Limits(bytes=512 * 2**20, values=5_000_000)
"""The most that is taken of a server."""


@dataclass(slots=True)
class _Page:
    """What was got of the chart asked for last: its indicators follow each other in a catalogue.

    ``asked``: by these indicators; ``failure``: why nothing, or nothing more, was got; it isn't tried again.
    ``failed``: how the address ends where that was, empty for the numbers.
    """

    slug: str
    asked: set[str] = field(default_factory=set)
    said: dict[str, Any] | None = None
    csv: IO[bytes] | None = None
    failure: Bad | UnavailableError | None = None
    failed: str = ""


class Owid:
    """Asks one server, one request at a time, from one thread.

    ``contact``: how its operator can reach whoever runs this; it goes into the User-Agent. ``deadline``:
    seconds for one request, from connecting to the last byte. ``attempts``: the most requests for one file.
    ``needed``: entities that an indicator must have, by its id. ``tell`` is given a line before each longer
    wait.

    Raises ``UsageError`` when ``base_url`` is no http(s) address, or a public one and there is no contact.
    """

    def __init__(
        self,
        base_url: str,
        contact: str = "",
        *,
        deadline: float = 300.0,
        limits: Limits = LIMITS,
        attempts: int = 4,
        needed: Mapping[str, Sequence[str]] | None = None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._server = Server(base_url, contact, deadline, attempts, tell)
        self._limits = limits
        self._needed = needed or {}
        self._page = _Page("")

    @property
    def requests(self) -> int:
        """How many were sent."""
        return self._server.requests

    def fetch(
        self, indicator: Indicator, known: Vintage | None = None, known_digest: str | None = None
    ) -> Chart | None:
        """The indicator's series as the server gives them now.

        None: the publisher names the same edition as ``known``, and its values (``known_digest``) are held.
        Raises ``ChartError`` for what is wrong with this chart, ``UnavailableError`` for a server that can't
        be reached or gives no answer.
        """
        try:
            page = self._page_of(indicator)
            if known and known_digest and _is_same(page.said, indicator, known):
                return None
            return reading.chart_from(
                indicator,
                self._numbers(page),
                page.said,
                datetime.now(UTC),
                self._needed.get(indicator.id, ()),
                self._limits,
            )
        except Bad as bad:
            where = f"{self._server.host}/grapher/{indicator.slug}{self._page.failed}"
            raise bad.of(indicator.id, where) from None

    def _page_of(self, indicator: Indicator) -> _Page:
        """The chart's page: a new one for another chart, and for an indicator that asks again."""
        page = self._page
        if page.slug != indicator.slug or indicator.id in page.asked:
            if page.csv:
                page.csv.close()
            self._page = page = _Page(indicator.slug)
            self._get_metadata(page)
        page.asked.add(indicator.id)
        if page.failure:
            raise page.failure
        return page

    def _numbers(self, page: _Page) -> IO[bytes]:
        if page.csv is None:
            try:
                # Nothing but the metadata can tell what a short name stands for.
                has_names = page.said is not None
                csv = self._get(page.slug, ".csv", self._limits.bytes, refuse_other_kinds, has_names)
            except (Bad, UnavailableError) as failure:
                page.failure = failure
                raise
            weakref.finalize(self, csv.close)
            page.csv = csv
        page.csv.seek(0)
        return page.csv

    def _get_metadata(self, page: _Page) -> None:
        """What there is: without it the catalogue's words have to do."""
        try:
            with self._get(page.slug, metadata.ENDING, metadata.MAX_BYTES, _refuse_page, True) as body:
                page.said = metadata.read(body.read())
        except (Bad, UnavailableError) as failure:
            if not (isinstance(failure, Bad) and failure.kind == NOT_FOUND):
                page.failure, page.failed = failure, metadata.ENDING

    def _get(
        self, slug: str, ending: str, max_bytes: int, check: Callable[[bytes], None], short_names: bool
    ) -> IO[bytes]:
        accept = "text/csv" if ending == ".csv" else "application/json"
        flags = {"v": "1", "csvType": "full", "useColumnShortNames": str(short_names).lower()}
        return self._server.get(slug + ending, accept, max_bytes, check, **flags)


def _refuse_page(start: bytes) -> None:
    refuse_page(start, "metadata")


def _is_same(said: Mapping[str, Any] | None, indicator: Indicator, known: Vintage) -> bool:
    """Whether the publisher names this very edition.

    It dates editions by the day, so that of one seen on its own day there may be another since.
    """
    words = metadata.words_for(said, indicator.column)
    now = metadata.vintage(said, words, indicator, datetime.now(UTC))
    settled = known.updated is not None and known.fetched_at.date() > known.updated
    return settled and replace(now, fetched_at=known.fetched_at) == known
