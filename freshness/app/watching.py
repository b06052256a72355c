"""After a run: does the same model still answer behind the name? What tells otherwise is an event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from freshness.app.judging import can_be_judged
from freshness.app.setup import open_history
from freshness.config import Settings
from freshness.history import ModelEvent, Run
from freshness.history.summaries import EventKind
from freshness.history.swaps import Aspect, Shift, Trace, renamed, shift, trace
from freshness.store import Store

MAX_RUNS: Final = 30
"""A run is held against at most so many before it: what they differ by is chance."""

MAX_ANSWERS: Final = 200_000
"""So many answers are read for it, however big the suite; two runs are read in any case."""

# The runs looked through for those that finished.
_LOOK_BACK: Final = 200

NEW_BEGINNING: Final[tuple[EventKind, ...]] = ("served_model_changed", "answers_shifted")
"""After these another model answers, and what was learned of the one before counts no more. A fingerprint
changes with the server too."""

NAMES: Final[dict[EventKind, Callable[[Trace], Counter[str]]]] = {
    "served_model_changed": lambda seen: seen.served,
    "fingerprint_changed": lambda seen: seen.fingerprints,
}


class _Watched(NamedTuple):
    run: Run
    trace: Trace


def watch(store: Store, run: Run) -> list[ModelEvent]:
    """Hold a finished run of the history against those before it; the new events, which are stored.

    So is what the run before it shows, if the process that asked that one was killed before it could be
    watched. Nothing for a run that did not finish, or that was watched. Raises ``StoreError``.
    """
    if run.status != "finished":
        return []
    seen = [*_past(store, run), _watched(store, run)]
    before = _compare(seen[:-1])
    if any(event.kind in NEW_BEGINNING for event in before):
        seen = seen[-2:]
    return [event for event in (*before, *_compare(seen)) if store.add_model_event(event)]


def _past(store: Store, run: Run) -> list[_Watched]:
    """The finished runs before this one in which the same model seems to have answered, the oldest first."""
    found: list[_Watched] = []
    answers = 0
    for head in _unchanged(store, run)[:MAX_RUNS]:
        if answers >= MAX_ANSWERS and len(found) > 1:
            break
        found.append(_watched(store, head))
        answers += found[-1].trace.answers
    return found[::-1]


def _watched(store: Store, head: Run) -> _Watched:
    return _Watched(head, trace(store.run(head.id, as_asked=True), can_be_judged))


def _unchanged(store: Store, run: Run) -> list[Run]:
    """The newest first, back to the last time that another model came."""
    before = [
        head
        for head in store.runs(run.model, run.suite, limit=_LOOK_BACK)
        if head.status == "finished" and head.started_at < run.started_at and head.id != run.id
    ]
    swap = next(iter(_swaps(store, run)), None)
    if swap is None:
        return before
    return [head for head in before if head.id == swap.run or head.started_at >= swap.seen_at]


def _swaps(store: Store, run: Run) -> list[ModelEvent]:
    """What told of another model before this run, the newest first."""
    events = store.model_events(run.model)
    return [
        event
        for event in events
        if event.kind in NEW_BEGINNING and event.run != run.id and event.seen_at <= run.started_at
    ]


def _compare(seen: Sequence[_Watched]) -> list[ModelEvent]:
    """What the last of these runs tells when it is held against the others."""
    if len(seen) < 2:
        return []
    *past, (run, new) = seen
    return list(_events(run, [old.trace for old in past], new))


def _events(run: Run, past: Sequence[Trace], new: Trace) -> Iterator[ModelEvent]:
    seen_at = run.finished_at or run.started_at
    for kind, names in NAMES.items():
        # Answers carry no name where all that came were errors, or the server gave none that day.
        named = [names(old) for old in past if names(old)]
        change = renamed(named[-1], names(new)) if named else None
        if change:
            yield ModelEvent(run.model, kind, seen_at, run.id, *change)
    if found := shift(past, new):
        yield ModelEvent(run.model, "answers_shifted", seen_at, run.id, *_shares(found), found.p_value)


_DIFFER: Final[dict[Aspect, str]] = {
    "said": "questions answered otherwise",
    "worded": "questions answered in other words",
}


def _shares(shifted: Shift) -> tuple[str, str]:
    """What was usual, and what was found."""
    count = shifted.count
    usual = f"{shifted.expected:.1%} of {_DIFFER[shifted.aspect]} from run to run"
    return usual, f"{count.rate:.1%} ({count.differing} of {count.questions}) since run {shifted.since}"


def signs(settings: Settings, model: str, runs: Collection[str]) -> dict[str, list[ModelEvent]]:
    """What told of another model in these runs (by id); raises ``StoreError``."""
    with open_history(settings) as store:
        events = store.model_events(model)
    return {run: [event for event in events if event.run == run] for run in runs}


def event_json(event: ModelEvent) -> dict[str, Any]:
    """One entry of ``events`` in ``history --format json``."""
    return {
        "kind": event.kind,
        "seen_at": event.seen_at.isoformat(),
        "before": event.before,
        "after": event.after,
        "p_value": event.p_value,
    }


def told(event: ModelEvent) -> str:
    """One line for people."""
    if event.kind == "answers_shifted":
        return f"{event.model} answers otherwise than before: {event.after}; usual are {event.before}"
    what = "calls itself" if event.kind == "served_model_changed" else "has the fingerprint"
    return f"{event.model} {what} {event.after!r}, before {event.before!r}: another model may be answering"
