"""Charts of Our World in Data: which numbers to ask about, and in which words.

A file is a list of ``[[chart]]`` tables (see ``docs/owid.md``); the built-in one is ``charts.toml`` here.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from freshness.catalog import reading
from freshness.errors import UsageError
from freshness.series import CATEGORIES, Category, Indicator

_MAX_CHARTS = 2000
_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,149}"
_PATTERNS = {
    "slug": "must be a chart's name alone, as in .../grapher/life-expectancy: letters, digits, - and _",
    "id": "must be the slug, or slug/word for one of several columns: letters, digits, - and _",
}


def _on_one_line(text: str) -> str:
    """These words end up in prompts, tables and pages."""
    line = " ".join(text.split())
    if not line.isprintable():
        raise ValueError("must be without control characters")
    return line


Line = AfterValidator(_on_one_line)
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300), Line]
Number = Annotated[float, Field(allow_inf_nan=False)]


class _Table(BaseModel):
    model_config = reading.STRICT


class _Chart(_Table):
    slug: Annotated[str, StringConstraints(pattern=rf"^{_NAME}$")]
    column: Text
    category: Category
    subcategory: Text
    phrase: Text
    unit: Annotated[str, StringConstraints(strip_whitespace=True, max_length=100), Line]
    id: Annotated[str, StringConstraints(pattern=rf"^({_NAME}(/[A-Za-z0-9_-]{{1,80}})?)?$")] = ""
    lowest: Number | None = None
    highest: Number | None = None
    entities: Annotated[list[Text], Field(max_length=1000)] = []
    checked: bool = True

    def indicator(self) -> Indicator:
        known = self.model_dump(exclude={"id", "entities", "checked"})
        return Indicator(id=self.id or self.slug, **known)


class _File(_Table):
    chart: Annotated[list[_Chart], Field(min_length=1, max_length=_MAX_CHARTS)]


def load(names: Sequence[str] = ()) -> tuple[Indicator, ...]:
    """Indicators of the built-in list (no names), picked from it, or from files, in the order of the names.

    A name is a category, an indicator's id or a chart's slug of the built-in list (in any case), else a TOML
    file. What two names bring is in it once.

    Raises ``UsageError`` (file, chart, key) for a file that is unreadable or no list of charts, and for an id
    that stands for two things.
    """
    found: dict[str, Indicator] = {}
    for where, chart in _charts(names):
        indicator = chart.indicator()
        if found.setdefault(indicator.id, indicator) != indicator:
            raise UsageError(f"catalogue {where}: {indicator.id} is there already, with another meaning")
    return tuple(found.values())


def needed(names: Sequence[str] = ()) -> Mapping[str, tuple[str, ...]]:
    """The entities that an indicator must have, by its id; names as for ``load``."""
    wanted: dict[str, dict[str, None]] = {}
    for _, chart in _charts(names):
        if chart.entities:
            wanted.setdefault(chart.indicator().id, {}).update(dict.fromkeys(chart.entities))
    return {indicator: tuple(entities) for indicator, entities in wanted.items()}


def named(name: str, among: Sequence[Indicator]) -> Indicator:
    """The one of these indicators with this id, in any case; raises ``UsageError`` with the nearest one."""
    by_id = {indicator.id.casefold(): indicator for indicator in among}
    wanted = name.strip().casefold()
    if wanted in by_id:
        return by_id[wanted]
    near = difflib.get_close_matches(wanted, by_id, n=1)
    hint = f"did you mean {by_id[near[0]].id}?" if near else "see `freshness series list`"
    raise UsageError(f"no indicator {name!r:.100} is asked about; {hint}")


def _charts(names: Sequence[str]) -> Iterator[tuple[str, _Chart]]:
    """Each chart, with the name that brought it."""
    if not names:
        yield from (("built-in", chart) for chart in _built_in())
    for name in names:
        yield from ((name, chart) for chart in _picked(name) or _read(name))


def _picked(name: str) -> list[_Chart]:
    wanted = name.strip().casefold()
    category = wanted.replace(" ", "_").replace("-", "_")
    return [
        c
        for c in _built_in()
        if category == c.category or wanted in (c.slug.casefold(), c.indicator().id.casefold())
    ]


def _read(name: str) -> Iterable[_Chart]:
    ids = [name for c in _built_in() for name in (c.slug, c.indicator().id)]
    near = difflib.get_close_matches(name.lower(), [*CATEGORIES, *ids], n=1)
    hint = f"did you mean {near[0]}?" if near else f"give a file, a chart or one of {', '.join(CATEGORIES)}"
    charts = _parse(name, reading.file_text(name, hint))
    ids = [chart.indicator().id for chart in charts]
    twice = next((one for number, one in enumerate(ids) if one in ids[:number]), None)
    if twice:
        raise UsageError(f"catalogue {name}: {twice} is there twice; give an id such as {twice}/WORD to one")
    return charts


@functools.cache
def _built_in() -> tuple[_Chart, ...]:
    return _parse("charts.toml", files(__package__).joinpath("charts.toml").read_text("utf-8"))


def _parse(name: str, text: str) -> tuple[_Chart, ...]:
    charts = tuple(reading.parse(name, text, _File, {"chart": _Chart}, _PATTERNS).chart)
    for chart in charts:
        if chart.id and chart.id.partition("/")[0] != chart.slug:
            raise UsageError(f"catalogue {name}: chart {chart.id}: id {_PATTERNS['id']}")
        if chart.lowest is not None and chart.highest is not None and chart.lowest > chart.highest:
            raise UsageError(f"catalogue {name}: chart {chart.slug}: lowest is above highest")
    return charts
