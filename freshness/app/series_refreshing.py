"""Following the numbers: fetch the charts again, and say what was revised and whose answers that touches."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from freshness.app import series_failing, setup
from freshness.app.judging import judge_again
from freshness.app.renewing import Renewing
from freshness.app.series_citing import cited
from freshness.app.series_failing import UNAVAILABLE
from freshness.app.setup import Advance, Say, silent
from freshness.catalog import charts as catalog
from freshness.changes import Effect, SeriesEvent
from freshness.changes.events import newly_outdated
from freshness.changes.revisions import compare, doubt, older_values, pair_up
from freshness.config import Settings
from freshness.errors import FreshnessError, Interrupted, UnavailableError, UsageError
from freshness.history import Run
from freshness.series import Chart, Indicator, SeriesSnapshot, digest_of
from freshness.store import SeriesFault, Store

if TYPE_CHECKING:
    from freshness.sources.owid import Owid

SOURCE: Final = "owid"
SUSPICIOUS: Final = "suspicious_result"
ASKING: Final = ("numeric", "next-word")
"""The suites whose answers are judged by series."""

TRIES: Final = 5
"""So often a chart is compared again because another process stored one meanwhile."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to refresh: ``charts``: only these (categories, ids, files; none: all of the config's).

    ``accept``: indicators whose suspicious chart is to be taken. ``keep``: store what was seen.
    ``only``: of the charts those with these ids; None: all.
    """

    charts: tuple[str, ...] = ()
    accept: frozenset[str] = frozenset()
    keep: bool = True
    only: frozenset[str] | None = None


@dataclass(slots=True)
class SeriesRefreshed:
    """What a refresh of the charts brought.

    ``charts``: all that were fetched or confirmed, as they are known now; ``changed``: which of them have
    other numbers than before; ``new``: those of ``changed`` that were never fetched before; ``reworded``:
    which have the same numbers, and other words about them (the edition's date, for one). ``failed``: what
    could not be fetched or was not taken, and why; ``kept``: which of those were fetched before and stay in
    use as they were. ``accepted``: those whose chart was suspicious and taken all the same. ``events``: what
    changed in series that were known before.
    """

    charts: list[Chart] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    reworded: list[str] = field(default_factory=list)
    events: list[SeriesEvent] = field(default_factory=list)
    failed: list[SeriesFault] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    accepted: set[str] = field(default_factory=set)
    requests: int = 0
    seconds: float = 0.0

    @property
    def faults(self) -> list[str]:
        """What the user should act on, a sentence for all charts that fail alike."""
        return series_failing.told(self.failed)

    def to_json(self) -> dict[str, Any]:
        """``refresh owid --format json``. Seconds of wall time."""
        return {
            "source": SOURCE,
            "charts": [self._chart_json(chart) for chart in self.charts],
            "changes": [event.to_json() for event in self.events],
            "newly_outdated": newly_outdated(self.events),
            "failed": [
                {
                    "indicator": fault.indicator,
                    "warning": fault.kind,
                    "text": fault.text,
                    "kept": fault.indicator in self.kept,
                }
                for fault in self.failed
            ],
            "faults": self.faults,
            "requests": self.requests,
            "seconds": round(self.seconds, 3),
        }

    def _chart_json(self, chart: Chart) -> dict[str, Any]:
        return {
            "indicator": chart.indicator.id,
            "vintage": chart.vintage.label(),
            "digest": digest_of(chart),
            "series": len(chart.series),
            "changed": chart.indicator.id in self.changed,
            "reworded": chart.indicator.id in self.reworded,
            "citation": chart.vintage.credit,
            "licence": chart.vintage.licence or None,
        }


def indicators(settings: Settings, names: Sequence[str]) -> tuple[Indicator, ...]:
    """What these names stand for (joined by commas or not), else those of the config; ``UsageError``."""
    return catalog.load(chosen(settings, names))


def chosen(settings: Settings, names: Sequence[str]) -> list[str]:
    """These names of charts (joined by commas or not), else those of the config; none: the built-in ones."""
    return setup.split_names(names, "--facts") or settings.owid.charts


def make_client(settings: Settings, names: Sequence[str] = (), note: Say = silent) -> Owid:
    """Raises ``UsageError`` when the server wants to know who asks and no contact is set.

    ``names``: of charts, for the entities that these must have. ``note`` is told of each wait.
    """
    from freshness.sources.owid import Owid

    live = settings.owid
    return Owid(
        live.base_url,
        live.contact or settings.wikidata.contact,
        deadline=live.timeout.total_seconds(),
        needed=catalog.needed(chosen(settings, names)),
        tell=note,
    )


def refresh(
    settings: Settings, wish: Wish | None = None, *, advance: Advance = silent, note: Say = silent
) -> SeriesRefreshed:
    """Fetch every chart of the config, and store each as it comes, with what changed in it.

    A chart that fails is told of in the result; the others go on, and what was known of it is kept. Raises
    ``UsageError`` (config, catalogue, contact), ``UnavailableError`` where not one chart could be reached,
    ``StoreError``. ``Interrupted`` for Ctrl-C: what was stored before stays.
    """
    begun = time.monotonic()
    wish = wish or Wish()
    asked = indicators(settings, wish.charts)
    wish = replace(wish, accept=_accepted(settings, wish, asked))
    asked = tuple(one for one in asked if wish.only is None or one.id in wish.only)
    done = SeriesRefreshed()
    try:
        _fetch_all(settings, asked, wish, done, advance, note)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; the charts that were fetched are kept") from None
    for name in sorted(wish.accept - done.accepted):
        note(f"--accept {name} had no effect: no suspicious chart of it came")
    done.seconds = time.monotonic() - begun
    return done


def _accepted(settings: Settings, wish: Wish, asked: Sequence[Indicator]) -> frozenset[str]:
    """What ``accept`` names, by id; raises ``UsageError`` for what is not asked for."""
    names = setup.split_names(sorted(wish.accept), "--accept")
    try:
        return frozenset(catalog.named(name, asked).id for name in names)
    except UsageError as error:
        fetched = {one.id.casefold() for one in asked}
        others = {one.id.casefold(): one.id for one in (*indicators(settings, ()), *catalog.load())}
        for name in names:
            if name.casefold() in others.keys() - fetched:
                where = "--facts" if wish.charts else "the charts of the config"
                told = f"{others[name.casefold()]} is not among {where}, and isn't fetched; name it there"
                raise UsageError(f"--accept: {told}") from None
        raise UsageError(f"--accept: {error}") from None


def _fetch_all(
    settings: Settings,
    asked: Sequence[Indicator],
    wish: Wish,
    done: SeriesRefreshed,
    advance: Advance,
    note: Say,
) -> None:
    client = make_client(settings, wish.charts, note)
    if not wish.keep and not setup.has_history(settings):
        _each(_Job(settings, client, wish, None), asked, done, advance)
        return
    with setup.open_history(settings, create=wish.keep) as store:
        _each(_Job(settings, client, wish, store), asked, done, advance)


@dataclass(frozen=True, slots=True)
class _Job:
    """What the refresh of one chart needs; ``store`` None: nothing is known and nothing is kept."""

    settings: Settings
    client: Owid
    wish: Wish
    store: Store | None


def _each(job: _Job, asked: Sequence[Indicator], done: SeriesRefreshed, advance: Advance) -> None:
    unreachable: list[UnavailableError] = []
    for number, indicator in enumerate(asked):
        advance(number, len(asked))
        try:
            _take(job, indicator, done)
        except UnavailableError as error:
            unreachable.append(error)
            _fail(job, done, indicator, UNAVAILABLE, str(error))
    advance(len(asked), len(asked))
    done.requests = job.client.requests
    states = job.store.indicator_states() if job.store else []
    held = {state.indicator.id for state in states if state.source == SOURCE}
    done.kept += [fault.indicator for fault in done.failed if fault.indicator in held]
    if asked and len(unreachable) == len(asked):
        raise unreachable[0]


def _take(job: _Job, indicator: Indicator, done: SeriesRefreshed) -> None:
    """Fetch one chart and settle it; what is wrong with it is put down. Raises ``UnavailableError``."""
    from freshness.sources.owid import ChartError

    known = _known(job.store, indicator)
    is_same = known is not None and known[0].indicator == indicator
    try:
        # One that was defined anew has to be read anew, though its publisher has nothing new.
        fetched = job.client.fetch(indicator, *_told(known) if is_same else (None, None))
    except ChartError as error:
        _fail(job, done, indicator, error.kind, str(error))
        return
    if known and (fetched is None or _is_known(fetched, known)):
        _confirm(job, indicator)
        done.charts.append(known[0])
    elif fetched:
        _settle(job, known, cited(fetched, known and known[0]), done)


_Known = tuple[Chart, str] | None
"""A chart as it was known, and its digest."""


def _known(store: Store | None, indicator: Indicator) -> _Known:
    return store.latest_chart(SOURCE, indicator.id) if store else None


def _is_known(fetched: Chart, known: tuple[Chart, str]) -> bool:
    """Whether these are a dated edition's numbers, come without a word about them: it is that edition."""
    said, was = fetched.vintage, known[0].vintage
    untold = not said.citation and said.updated is None
    return untold and was.updated is not None and known[1] == digest_of(fetched)


def _told(known: _Known) -> tuple[Any, Any]:
    return (None, None) if known is None else (known[0].vintage, known[1])


def _confirm(job: _Job, indicator: Indicator) -> None:
    if job.store and job.wish.keep:
        job.store.confirm_chart(SOURCE, indicator.id, datetime.now(UTC))


def _fail(job: _Job, done: SeriesRefreshed, indicator: Indicator, kind: str, text: str) -> None:
    fault = SeriesFault(SOURCE, indicator.id, datetime.now(UTC), kind, " ".join(text.split()))
    done.failed.append(fault)
    if job.store and job.wish.keep:
        job.store.add_series_fault(fault)


def _settle(job: _Job, known: _Known, fetched: Chart, done: SeriesRefreshed) -> None:
    """Compare with what is known and store it, again when another process was faster."""
    indicator = fetched.indicator
    for _ in range(TRIES):
        before = known[0] if known else None
        why = doubt(before, fetched)
        if why and indicator.id in job.wish.accept:
            done.accepted.add(indicator.id)
        elif why:
            kept = f"{indicator.id}: {why}; what was known is kept ({SUSPICIOUS}); "
            _fail(job, done, indicator, SUSPICIOUS, f"{kept}if it is right: --accept {indicator.id}")
            return
        events = list(_events(job.store, before, fetched))
        if _keep(job, known, fetched, events):
            _put_down(done, known, fetched, events)
            return
        known = _known(job.store, indicator)
    raise FreshnessError(f"{indicator.id}: other processes stored {TRIES} editions meanwhile; try again")


def _put_down(done: SeriesRefreshed, known: _Known, fetched: Chart, events: Sequence[SeriesEvent]) -> None:
    """A chart that was taken, and in what it is another than the one that was known."""
    indicator = fetched.indicator.id
    done.charts.append(fetched)
    if known is None:
        done.new.append(indicator)
    if known is None or known[1] != digest_of(fetched):
        done.changed.append(indicator)
        done.events += events
    elif replace(known[0].vintage, fetched_at=fetched.vintage.fetched_at) != fetched.vintage:
        done.reworded.append(indicator)


def _keep(job: _Job, known: _Known, fetched: Chart, events: Sequence[SeriesEvent]) -> bool:
    if job.store is None or not job.wish.keep:
        return True
    digest = known[1] if known else None
    return job.store.save_chart(fetched, SOURCE, datetime.now(UTC), known=digest, events=events)


def _events(store: Store | None, before: Chart | None, now: Chart) -> Iterator[SeriesEvent]:
    """What happened to the series, each with what it does to the models' stored answers."""
    events = compare(before, now, datetime.now(UTC))
    revised = {event.series for event in events if event.kind == "revision"}
    if before is None or not revised or store is None:
        yield from events
        return
    effects = _effects(store, before, now, revised)
    for event in events:
        told = effects.get(event.series, ()) if event.kind == "revision" else ()
        yield replace(event, effects=tuple(told))


def _effects(store: Store, before: Chart, now: Chart, revised: set[str]) -> Mapping[str, list[Effect]]:
    """By series: each model's last answers about it that are judged differently by the new vintage."""
    older = {
        one.id: older_values(one, [(was, before.vintage)]) for was, one in pair_up(before, now) if was and one
    }
    known = Renewing(SeriesSnapshot(SOURCE, datetime.now(UTC), (now,), older))
    found: dict[str, list[Effect]] = {}
    for suite in ASKING:
        for run in store.runs_about(sorted(revised), suite):
            for fact, effect in _moved(run, known):
                found.setdefault(fact, []).append(effect)
    return found


def _moved(run: Run, now: Renewing) -> Iterator[tuple[str, Effect]]:
    renewed = now.renewed(run.questions, run.as_of)
    judged = judge_again(run, renewed)
    facts = {question.id: question.fact for question in renewed}
    for trial in run.trials:
        after = judged.get((trial.question, trial.prompt))
        was = trial.judgement
        if was and after and was.verdict is not after.verdict:
            said = after.matched or was.matched or after.mention or ""
            yield facts[trial.question], Effect(run.model, run.id, said, was.verdict, after.verdict)
