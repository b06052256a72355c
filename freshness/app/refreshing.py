"""Following the world: ask the source again, and say what changed and which models that made outdated."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from freshness.app import setup
from freshness.app.judging import judge_again
from freshness.app.setup import Advance, Say, silent
from freshness.catalog import Catalog
from freshness.changes import Effect, Event, Kept, Reconciled, compare, reconcile, renaming
from freshness.changes.events import called, newly_outdated
from freshness.config import Settings
from freshness.errors import FreshnessError, Interrupted, UsageError
from freshness.facts import Fact, Snapshot
from freshness.history import Run, Trial, outcomes
from freshness.quality import assess
from freshness.sources.sparql import SparqlClient
from freshness.sources.wikidata import SOURCE as SOURCE
from freshness.sources.wikidata import Wikidata
from freshness.store import Store

LOUD: Final = ("no_item", "label_mismatch")
"""Flaws that only a mended catalogue ends."""

CLOCKS_DIFFER: Final = timedelta(minutes=5)
"""A snapshot from further in the future was not taken by another process just now."""

TRIES: Final = 5
"""So often a snapshot is compared again because another process stored one meanwhile."""


_Settled = tuple[Snapshot | None, Reconciled, tuple[Event, ...]]
"""What was known, what is known now, and what happened in between."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh brought.

    ``snapshot``: what is known now; ``kept``: facts of which the source told nothing usable; ``events``:
    what changed; ``first``: there was nothing to compare with; ``as_of``: the day that "current" means.
    """

    snapshot: Snapshot
    kept: tuple[Kept, ...]
    events: tuple[Event, ...]
    first: bool
    requests: int
    seconds: float
    as_of: date

    @property
    def quarantined(self) -> int:
        return sum(not assess(fact, self.as_of).usable for fact in self.snapshot.facts)

    @property
    def faults(self) -> list[str]:
        """What the user should act on, a sentence each."""
        wrong = [
            f"{fact.id}: {flaw.text}; correct the id or the name in the catalogue"
            for fact in self.snapshot.facts
            for flaw in fact.flaws
            if flaw.value is None and flaw.kind in LOUD
        ]
        doubted = [
            f"{kept.fact.id} ({kept.fact.subject.name}): {kept.text}; what was known is kept ({kept.why}); "
            f"if it is right: --accept {kept.fact.id}"
            for kept in self.kept
            if kept.why in ("empty_result_for_known_fact", "suspicious_result")
        ]
        return wrong + doubted

    def to_json(self) -> dict[str, Any]:
        """``refresh --format json``. Seconds of wall time."""
        quarantined = self.quarantined
        return {
            "source": self.snapshot.source,
            "taken_at": self.snapshot.taken_at.isoformat(),
            "digest": self.snapshot.digest,
            "facts": len(self.snapshot.facts),
            "usable": len(self.snapshot.facts) - quarantined,
            "quarantined": quarantined,
            "first": self.first,
            "changes": [event.to_json() for event in self.events],
            "newly_outdated": newly_outdated(self.events),
            "kept": [
                {"fact": kept.fact.id, "warning": kept.why, "text": kept.text}
                for kept in self.kept
                if kept.why != "not_asked"
            ],
            "faults": self.faults,
            "requests": self.requests,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Wish:
    """What to refresh: ``facts``: only these catalogues (none: all of the config's), the rest stays as known.

    ``accept``: facts (``Q38/P6``) whose suspicious result is to be taken. ``keep``: store what was seen.
    """

    facts: tuple[str, ...] = ()
    accept: frozenset[str] = frozenset()
    keep: bool = True


def refresh(settings: Settings, wish: Wish, *, advance: Advance, note: Say) -> Refreshed:
    """Ask Wikidata for every fact of the catalogues, and store what was seen and what changed, or nothing.

    Raises ``UsageError`` (config, catalogue, contact), ``UnavailableError`` (the source), ``StoreError``;
    then all is as it was. ``Interrupted`` for Ctrl-C.
    """
    begun = time.monotonic()
    catalog = setup.catalog(settings, wish.facts)
    client = make_client(settings, note)
    try:
        fetched = fetch(settings, client, catalog, advance)
        _check_accepted(wish, fetched)
        known, result, events = _compare(settings, catalog, fetched, wish, note)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; what was known is as it was") from None
    for name in sorted(wish.accept - result.accepted):
        note(f"--accept {name} had no effect: nothing about its answer was suspicious")
    seconds = time.monotonic() - begun
    return Refreshed(
        result.snapshot, result.kept, events, known is None, client.requests, seconds, _today(fetched)
    )


def _check_accepted(wish: Wish, fetched: Snapshot) -> None:
    unknown = wish.accept - {fact.id for fact in fetched.facts}
    if unknown:
        raise UsageError(
            f"--accept {min(unknown)}: no such fact was asked for; write SUBJECT/PROPERTY, such as Q38/P6"
        )


def _compare(settings: Settings, catalog: Catalog, fetched: Snapshot, wish: Wish, note: Say) -> _Settled:
    if not wish.keep and not setup.has_history(settings):
        return None, Reconciled(fetched), ()
    with setup.open_history(settings, create=wish.keep) as store:
        return _settle(store, catalog, fetched, wish, note)


def make_client(settings: Settings, note: Say = silent) -> SparqlClient:
    """Raises ``UsageError`` when the endpoint wants to know who asks and no contact is set.

    ``note`` is told of each wait.
    """
    live = settings.wikidata
    deadline = live.timeout.total_seconds()
    return SparqlClient(live.endpoint, contact=live.contact, deadline=deadline, tell=note)


def fetch(settings: Settings, client: SparqlClient, catalog: Catalog, advance: Advance) -> Snapshot:
    """What Wikidata says of the catalogue's facts now; raises ``UnavailableError``, ``UsageError``."""
    languages = tuple(settings.wikidata.languages)
    return Wikidata(client, catalog, languages, advance=advance).fetch()


def _today(snapshot: Snapshot) -> date:
    return snapshot.taken_at.astimezone(UTC).date()


def _settle(store: Store, catalog: Catalog, fetched: Snapshot, wish: Wish, note: Say) -> _Settled:
    """Compare with what is known and store it, again when another process was faster."""
    for _ in range(TRIES):
        known = store.latest_snapshot(SOURCE)
        seen_at = datetime.now(UTC)
        if known and known.taken_at > fetched.taken_at:
            taken = f"{known.taken_at:%Y-%m-%d %H:%M} UTC"
            if known.taken_at <= seen_at + CLOCKS_DIFFER:
                note(f"another refresh was faster ({taken}); its facts stay")
                return known, Reconciled(known), ()
            note(f"the last refresh is dated {taken}, which is to come: a clock is wrong, or was")
        result = _reconcile(store, catalog, known, fetched, wish, seen_at)
        events = tuple(_events(store, known, result.snapshot, seen_at))
        digest = known.digest if known else None
        if not wish.keep or store.save_refresh(
            result.snapshot, seen_at, known=digest, unconfirmed=result.unconfirmed, events=events
        ):
            return known, result, events
    raise FreshnessError(f"other processes stored {TRIES} snapshots meanwhile; nothing was stored: try again")


def _reconcile(
    store: Store,
    catalog: Catalog,
    known: Snapshot | None,
    fetched: Snapshot,
    wish: Wish,
    seen_at: datetime,
) -> Reconciled:
    def earlier(fact: Fact) -> Iterator[Fact]:
        history = store.fact_history(fact.subject.id, fact.property)
        return (seen.fact for seen in history if seen.source == SOURCE)

    def keep(fact: Fact) -> bool:
        # Asked for were some catalogues only; what their queries no longer choose is gone all the same.
        return bool(wish.facts) and catalog.selector(fact) is None

    first_seen = {fact: first for fact, (first, _) in store.seen(SOURCE).items()} if known else {}
    return reconcile(
        known,
        fetched,
        seen_at=seen_at,
        first_seen=first_seen,
        earlier=earlier,
        accept=wish.accept,
        keep=keep,
    )


def _events(store: Store, known: Snapshot | None, now: Snapshot, seen_at: datetime) -> Iterator[Event]:
    """What happened to the facts that were known, each with what it does to the models' stored answers."""
    if known is None:
        return
    today = _today(now)
    looks = list(_looks(store, known, now))
    found = [event for was, then, fact in looks for event in compare(was, then, fact, today, seen_at)]
    told = {event.after.id for event in found}
    names = [
        renaming(was, fact, seen_at)
        for was, _, fact in looks
        if fact.id not in told and called(was) != called(fact)
    ]
    about = dict.fromkeys(event.after.id for event in (*found, *names))
    runs = store.runs_about(list(about)) if about else []
    days = {fact.id: then for _, then, fact in looks}
    judged: set[str] = set()
    for event in (*found, *names):
        # A change and a revision of one fact judge the same answers: they are told once.
        effects = (
            () if event.after.id in judged else tuple(_effects(event, runs, days[event.after.id], today))
        )
        judged.add(event.after.id)
        if effects or event.after.id in told:
            yield replace(event, effects=effects)


def _looks(store: Store, known: Snapshot, now: Snapshot) -> Iterator[tuple[Fact, date, Fact]]:
    """Each fact as it was last known, on which day, and as it is; also if it was not asked for a while."""
    before = {fact.id: fact for fact in known.facts}
    for fact in now.facts:
        if fact.id in before:
            yield before[fact.id], _today(known), fact
            continue
        history = store.fact_history(fact.subject.id, fact.property)
        last = [seen for seen in history if seen.source == SOURCE][-1:]
        if last:
            yield last[0].fact, last[0].last_seen.astimezone(UTC).date(), fact


def _effects(event: Event, runs: Iterable[Run], then: date, today: date) -> Iterator[Effect]:
    """How each model's last answers about this fact are judged before and after."""
    for model, run in _newest_about(event.after.id, runs).items():
        was, now = _best(run, event.before, then), _best(run, event.after, today)
        if was and now and was.judgement and now.judgement:
            before, after = was.judgement, now.judgement
            said = after.matched or before.matched or after.mention or ""
            if before.verdict is not after.verdict:
                yield Effect(model, run.id, said, before.verdict, after.verdict)


def _newest_about(fact: str, runs: Iterable[Run]) -> dict[str, Run]:
    newest: dict[str, Run] = {}
    for run in runs:
        if any(question.fact == fact for question in run.questions):
            known = newest.get(run.model)
            if known is None or run.started_at > known.started_at:
                newest[run.model] = run
    return newest


def _best(run: Run, fact: Fact, day: date) -> Trial | None:
    """The run's best answer about the fact, judged by this record of it as of that day."""
    about = (question for question in run.questions if question.fact == fact.id)
    judged = judge_again(run, (replace(question, values=fact.values, as_of=day) for question in about))
    trials = [
        replace(trial, judgement=judged[trial.question, trial.prompt])
        for trial in run.trials
        if (trial.question, trial.prompt) in judged
    ]
    return next(iter(outcomes(trials).values()), None)


def changes(settings: Settings, since: date | None, limit: int | None = None) -> list[Event]:
    """What changed, the newest first; ``since``: seen on that day or later. Raises ``StoreError``."""
    begun = datetime.combine(since, datetime.min.time(), UTC) if since else None
    with setup.open_history(settings) as store:
        return store.events(begun, limit)


def states(facts: Collection[Fact], as_of: date) -> Mapping[str, Counter[str]]:
    """How many facts are usable and quarantined, by group."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for fact in facts:
        counts[fact.group][assess(fact, as_of).state] += 1
    return counts
