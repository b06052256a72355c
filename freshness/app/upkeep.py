"""Is everything in order: config, catalogues, facts, database; and each endpoint, when asked to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from freshness import store
from freshness.app import refreshing, series_failing, series_refreshing, series_views, setup, snapshots
from freshness.app.snapshots import Talk
from freshness.config import Settings, load
from freshness.errors import FreshnessError, StoreError, UsageError
from freshness.questions import Prompt
from freshness.report.text import counted
from freshness.sources.bundled import Bundled
from freshness.sources.wikidata import lag
from freshness.suites.current import missing


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``fault`` is empty where it is in order."""

    what: str
    state: str = ""
    fault: str = ""

    def __str__(self) -> str:
        """What was looked at and what was found, without saying twice what it is."""
        told = self.fault or self.state
        return told if told.startswith((f"{self.what} ", f"{self.what}: ")) else f"{self.what}: {told}"


def check(config: Path | None, *, online: bool = False) -> Iterator[Finding]:
    """Look at everything without touching the network; ``online``: ask each endpoint once."""
    try:
        settings = load(config)
    except FreshnessError as error:
        yield from (Finding("config", fault=line) for line in str(error).splitlines())
        return
    yield Finding("config", str(settings.path) if settings.path else "none; defaults")
    catalogue = _look("catalogue", lambda: _catalogue(settings))
    yield catalogue
    yield _look("snapshot", lambda: _snapshot(settings, whole=not catalogue.fault))
    yield _look("wikidata", lambda: _wikidata(settings, online))
    charts = _look("charts", lambda: _charts(settings))
    yield charts
    if not charts.fault:
        yield _look("series", lambda: _series(settings))
        yield _look("owid", lambda: _owid(settings, online))
    yield _look("database", lambda: _database(settings))
    for model in settings.models:
        yield _look(f"model {model.name}", partial(_model, settings, model.name, online))


def _look(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(what, look())
    except FreshnessError as error:
        return Finding(what, fault=" ".join(str(error).split()))


def _catalogue(settings: Settings) -> str:
    catalog = setup.catalog(settings, ())
    chosen = dict.fromkeys(selector.group for selector in catalog.selectors)
    listed = dict.fromkeys(entry.group for entry in catalog.entries)
    told = [f"{counted(len(catalog.entries), 'fact')} in {', '.join(listed)}"] if listed else []
    return "; ".join([*told, *([f"chosen by a query: {', '.join(chosen)}"] if chosen else [])])


def _snapshot(settings: Settings, whole: bool) -> str:
    """``whole``: whether there is a catalogue that can be compared with it."""
    snapshot = snapshots.find(settings, "latest").snapshot if whole else Bundled().fetch()
    told = f"{snapshot.source}, {snapshot.taken_at:%Y-%m-%d}, {counted(len(snapshot.facts), 'fact')}"
    if not whole:
        return told
    gaps = missing(setup.catalog(settings, ()), snapshot, datetime.now(UTC).date())
    if gaps.quarantined:
        told += f", {len(gaps.quarantined)} quarantined"
    if gaps.unknown:
        told += f"; {len(gaps.unknown)} of the catalogue not in it (`freshness refresh` fetches them)"
    return told


def _wikidata(settings: Settings, online: bool) -> str:
    """Whether the live source can be asked; ``online``: ask it how old its data are."""
    try:
        client = refreshing.make_client(settings)
    except UsageError:
        return "not asked, since no wikidata.contact is set; the bundled facts need none"
    if not online:
        return "configured"
    updated = lag(client)
    if updated is None:
        return "answers, and doesn't tell how old its data are"
    return f"answers, with data of {updated:%Y-%m-%d %H:%M} UTC"


def _charts(settings: Settings) -> str:
    asked = series_refreshing.indicators(settings, ())
    categories = dict.fromkeys(indicator.category for indicator in asked)
    return f"{counted(len(asked), 'indicator')} in {', '.join(categories)}"


def _series(settings: Settings) -> str:
    """What there is to ask about numbers, and why the last refresh did not take some of them."""
    views = series_views.listed(settings, "latest", (), Talk())
    here = [view for view in views if view.chart]
    told = f"{counted(len(here), 'indicator')} with series"
    if len(here) < len(views):
        told += f", {len(views) - len(here)} without (`freshness refresh owid` fetches them)"
    faults = [view.indicator.id for view in views if view.fault]
    if faults:
        names = series_failing.names(faults, series_failing.FEW)
        told += f"; not taken at the last refresh: {names} (`freshness series list` says why)"
    return told


def _owid(settings: Settings, online: bool) -> str:
    """Whether charts can be asked for; ``online``: ask for the first."""
    from freshness.sources.owid import ChartError

    try:
        client = series_refreshing.make_client(settings)
    except UsageError:
        return "not asked, since no owid.contact is set; the bundled series need none"
    if not online:
        return "configured"
    first = series_refreshing.indicators(settings, ())[0]
    try:
        chart = client.fetch(first)
    except ChartError as error:
        return f"answers, but: {error}"
    return f"answers, with {first.id} of {chart.vintage.label()}" if chart else "answers"


def _database(settings: Settings) -> str:
    version = store.current(settings.store_url)
    if version is None:
        return "none yet; the first probe makes it"
    if version != store.schema_version():
        store.check_known(settings.store_url, version)
        return f"schema {version}; `freshness db upgrade` brings it to {store.schema_version()}"
    with store.open_store(settings.store_url, create=False) as history:
        sizes = history.sizes()
    held = f"{counted(sizes.rows['runs'], 'run')}, {counted(sizes.rows['trials'], 'answer')}"
    return f"schema {version}, {held}, {sizes.size:,} bytes"


def _model(settings: Settings, name: str, online: bool) -> str:
    model = setup.model(settings, name, {}).model
    if not online:
        return "configured"
    prompt = Prompt("check", "check", "What is the capital of France?", "The capital of France is")
    ((_, answer),) = model.answer([prompt])
    if answer.error:
        raise FreshnessError(answer.error)
    return f"answers as {answer.served_model or model.info().served}"


def database_version(settings: Settings) -> tuple[str | None, str]:
    """The schema version of the database (None without one), and the one that this program uses."""
    return store.current(settings.store_url), store.schema_version()


def database_advice(settings: Settings) -> str:
    """What to do about a database of another version than this program's."""
    version = store.current(settings.store_url)
    try:
        if version is not None:
            store.check_known(settings.store_url, version)
    except StoreError as error:
        return str(error)
    return f"this version uses {store.schema_version()}; `freshness db upgrade` brings the database there"


def upgrade_database(settings: Settings) -> str:
    """Bring the database to the present schema; its version. Raises ``StoreError``."""
    return store.upgrade(settings.store_url)
