"""Yearly numbers: what is measured, of whom, and the vintage that it came from.

TempUN's instances ⟨country, issue, [(year, value), ...]⟩ (section 3), kept with where they are from.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final, Literal, get_args

from freshness.errors import UsageError

Category = Literal[
    "climate", "food", "health", "human_rights", "innovation", "migration", "economy", "peace_and_war"
]
"""TempUN's eight (table 1), in its order."""

CATEGORIES: Final[tuple[str, ...]] = get_args(Category)

_COUNTRY: Final = re.compile(r"[A-Z]{3}|OWID_KOS")
"""Countries' codes: those of ISO 3166-1's form, and of Kosovo, a country of today to which ISO gives none."""

NO_LICENCE: Final = "licence not given"
"""What is shown where nothing said under which licence the data are."""


@dataclass(frozen=True, slots=True)
class Indicator:
    """What one column of one chart measures. ``id`` is the chart's slug, or ``slug/column`` of several.

    ``phrase`` stands in prompts after the entity ("France's ..."): "life expectancy at birth". ``unit`` in
    words, empty for a bare number. ``lowest`` and ``highest``: what is possible at all; None: no limit.
    ``column``: the header of the values in the chart's file. ``subcategory``: TempUN's (table 1).
    """

    id: str
    category: str
    subcategory: str
    phrase: str
    unit: str
    slug: str
    column: str
    lowest: float | None = None
    highest: float | None = None

    @property
    def topic(self) -> str:
        """The phrase by itself, without the comma that a question may need after it."""
        return self.phrase.rstrip(", ")

    @property
    def title(self) -> str:
        """The topic as titles begin: "Life expectancy at birth"."""
        return self.topic[:1].upper() + self.topic[1:]

    def allows(self, value: float) -> bool:
        """Whether the value is possible; what is not (a negative count) is never asked about."""
        above = self.lowest is None or value >= self.lowest
        return above and (self.highest is None or value <= self.highest)


def is_country(code: str) -> bool:
    """Whether this is the code of a country of today, and of no aggregate or state that is gone."""
    return bool(_COUNTRY.fullmatch(code))


@dataclass(frozen=True, slots=True)
class Series:
    """One indicator for one entity: ``years`` ascending (astronomical, 0 is 1 BCE), one value for each.

    ``code``: ISO 3166-1 alpha-3 for countries; ``OWID_...`` or empty for aggregates and states that are gone
    (and ``OWID_KOS`` for Kosovo). Years without a value are left out.
    """

    indicator: str
    entity: str
    code: str
    years: tuple[int, ...]
    values: tuple[float, ...]

    @property
    def id(self) -> str:
        """``FRA/life-expectancy``; the entity's name where it has no code."""
        return f"{self.code or self.entity}/{self.indicator}"

    @property
    def is_country(self) -> bool:
        """False for aggregates (continents, income groups, the world) and for states that are gone."""
        return is_country(self.code)

    @property
    def points(self) -> dict[int, float]:
        """The values by year, ascending."""
        return dict(zip(self.years, self.values, strict=True))

    def value(self, year: int) -> float | None:
        """That year's value; nothing is carried over from another year."""
        return self.points.get(year)

    def until(self, year: int) -> Series:
        """Without what lies after that year."""
        kept = bisect_right(self.years, year)
        return replace(self, years=self.years[:kept], values=self.values[:kept])


@dataclass(frozen=True, slots=True)
class Vintage:
    """One edition of an indicator's data, and what its publisher says of it.

    ``updated``, ``next_update``: the publisher's dates (None: it names none). ``citation`` and ``licence``
    are to be shown with every figure; empty: nothing gave them. ``cited_from``: where both are known from if
    this edition came without ("the edition of 2025-10-22"). ``fetched_at``: when we first saw it.
    """

    fetched_at: datetime
    title: str = ""
    unit: str = ""
    updated: date | None = None
    next_update: date | None = None
    citation: str = ""
    licence: str = ""
    cited_from: str = ""

    @property
    def credit(self) -> str:
        """The citation as it is to be shown, with where it is known from."""
        return f"{self.citation} (as cited in {self.cited_from})" if self.cited_from else self.citation

    @property
    def last_year(self) -> int:
        """The last year that is over for sure: what this edition gives for later ones is a projection."""
        return (self.updated or self.fetched_at.date()).year - 1

    def label(self) -> str:
        """How it is named: the publisher's date, else ours."""
        return (self.updated or self.fetched_at.date()).isoformat()

    def to_json(self) -> dict[str, str | None]:
        """Plain JSON, times in ISO 8601; ``from_json`` reads it."""
        return {
            "title": self.title,
            "unit": self.unit,
            "updated": self.updated.isoformat() if self.updated else None,
            "next_update": self.next_update.isoformat() if self.next_update else None,
            "fetched_at": self.fetched_at.isoformat(),
            "citation": self.citation,
            "licence": self.licence,
            "cited_from": self.cited_from or None,
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Vintage:
        """What ``to_json`` wrote."""
        updated, next_update = (
            date.fromisoformat(raw[name]) if raw[name] else None for name in ("updated", "next_update")
        )
        return cls(
            datetime.fromisoformat(raw["fetched_at"]),
            raw["title"],
            raw["unit"],
            updated,
            next_update,
            raw["citation"],
            raw["licence"],
            raw.get("cited_from") or "",
        )


@dataclass(frozen=True, slots=True)
class Chart:
    """One indicator with all its series, as one vintage gave them."""

    indicator: Indicator
    vintage: Vintage
    series: tuple[Series, ...] = ()

    def known(self, as_of: date) -> list[Series]:
        """Countries' series without projections, without what is impossible, and without later years.

        The year of ``as_of`` is not over, so that nobody can know its value.
        """
        last = min(self.vintage.last_year, as_of.year - 1)
        return [self._possible(series.until(last)) for series in self.series if series.is_country]

    def find(self, entity: str) -> Series | None:
        """The first series with this code or entity's name, in any case; None for an empty one."""
        wanted = entity.strip().casefold()
        known = (s for s in self.series if wanted in (s.code.casefold(), s.entity.casefold()))
        return next(known, None) if wanted else None

    def _possible(self, series: Series) -> Series:
        if all(map(self.indicator.allows, series.values)):
            return series
        kept = {year: value for year, value in series.points.items() if self.indicator.allows(value)}
        return replace(series, years=tuple(kept), values=tuple(kept.values()))


@dataclass(frozen=True, slots=True)
class SeriesSnapshot:
    """All charts as one source gave them; ``taken_at`` (aware): when the newest of them was last seen so.

    ``older``: values that an earlier vintage gave for a series' year and this one no longer does, by series
    id: ``(year, value, vintage label)``.
    """

    source: str
    taken_at: datetime
    charts: tuple[Chart, ...] = ()
    older: Mapping[str, tuple[tuple[int, float, str], ...]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of indicators and values, in hex: the same series give the same digest."""
        hashed = hashlib.sha256()
        for chart in sorted(self.charts, key=lambda chart: chart.indicator.id):
            hashed.update(digest_of(chart).encode())
        return hashed.hexdigest()

    def chart(self, indicator: str) -> Chart:
        """By the indicator's id; raises ``UsageError`` when there is none."""
        for chart in self.charts:
            if chart.indicator.id == indicator:
                return chart
        raise UsageError(f"no indicator {indicator} in the {self.source} series; see `freshness series list`")


def digest_of(chart: Chart) -> str:
    """SHA-256 of a chart's indicator and values, whatever the vintage says of itself."""
    hashed = hashlib.sha256(_canonical(asdict(chart.indicator)))
    for series in sorted(chart.series, key=lambda series: (series.code, series.entity)):
        hashed.update(_canonical([series.entity, series.code, series.years, series.values]))
    return hashed.hexdigest()


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def by_category(charts: Iterable[Chart]) -> dict[str, list[Chart]]:
    """In TempUN's order; categories without a chart are left out."""
    found: dict[str, list[Chart]] = {category: [] for category in CATEGORIES}
    for chart in charts:
        found.setdefault(chart.indicator.category, []).append(chart)
    return {category: members for category, members in found.items() if members}
