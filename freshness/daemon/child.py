"""In a job's own process: ``python -m freshness.daemon.child``, its task on stdin (see ``runner``)."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from types import FrameType
from typing import Any, Final, NoReturn, TextIO

from freshness.app import past, probing, pruning, refreshing, series, setup, watching
from freshness.app.summaries import ensure_summaries
from freshness.config import Settings
from freshness.errors import FreshnessError, Interrupted
from freshness.history import Run
from freshness.store import Store

PROGRESS_SECONDS: Final = 2.0
"""So often it is told how far a job is."""

_LOOK_BACK: Final = 10

LONGEST_WAIT_TO_DIE: Final = 10.0
"""Seconds until a process whose daemon is gone ends itself by force."""


@dataclass(frozen=True, slots=True)
class Given:
    """The task as it was read; ``slot``: the moment that the schedule named."""

    job: str
    kind: str
    model: str
    suite: str
    slot: datetime
    attempt: int
    settings: Settings

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Given:
        names = ("job", "kind", "model", "suite", "attempt")
        settings = Settings.model_validate(raw["settings"])
        return cls(
            **{name: raw[name] for name in names}, slot=datetime.fromisoformat(raw["slot"]), settings=settings
        )


class Voice:
    """What the job says to the daemon: an object a line, from any thread."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._told_at = 0.0

    def say(self, **message: Any) -> None:
        # A daemon that is gone hears nothing; the end of stdin tells of that.
        with self._lock, suppress(OSError, ValueError):
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()

    def log(self, level: str, event: str, **fields: Any) -> None:
        self.say(level=level, event=event, **fields)

    def note(self, text: str) -> None:
        self.log("info", "job said", text=text)

    def warn(self, text: str) -> None:
        self.log("warning", "job warned", text=text)

    def advance(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._told_at >= PROGRESS_SECONDS:
            self._told_at = now
            self.say(done=done, total=total)


def refresh(given: Given, voice: Voice) -> None:
    """Fetch, and judge what the models said last by what is known now."""
    done = refreshing.refresh(given.settings, refreshing.Wish(), advance=voice.advance, note=voice.note)
    for fault in done.faults:
        voice.warn(fault)
    facts, changes = len(done.snapshot.facts), len(done.events)
    voice.log("info", "facts refreshed", facts=facts, changes=changes, requests=done.requests)
    # An earlier attempt may have stored the changes and not have come so far.
    if done.events or given.attempt > 1:
        _judge_again(given, voice)


def refresh_series(given: Given, voice: Voice) -> None:
    """Fetch the charts, and judge what the models said last by what is known now.

    Where one chart fails, the others are taken; raises ``FreshnessError`` where none of them could be.
    """
    done = series.refresh(given.settings, advance=voice.advance, note=voice.note)
    for fault in done.faults:
        voice.warn(fault)
    told = {"charts": len(done.charts), "failed": len(done.failed), "changes": len(done.events)}
    voice.log("info", "series refreshed", **told, requests=done.requests)
    if done.changed or given.attempt > 1:
        _judge_again(given, voice, numbers=True)
    if done.failed and not done.charts:
        first = done.failed[0].text
        raise FreshnessError(f"none of {len(done.failed)} charts could be taken; the first: {first}")


def _judge_again(given: Given, voice: Voice, *, numbers: bool = False) -> None:
    judged = past.rejudge_latest(given.settings, numbers=numbers)
    voice.log("info", "judged again", runs=len(judged), answers=sum(run.changed for run in judged))


def probe(given: Given, voice: Voice) -> None:
    """Ask the model, or go on where an earlier attempt stopped; and look if it is the same one as before."""
    with setup.open_history(given.settings, create=True) as store:
        ensure_summaries(store)
        run, day = _done(given, store), _day(given, store)
        for event in watching.watch(store, run) if run else ():
            voice.warn(watching.told(event))
    if run is None:
        _ask(given, day, voice)


def _ask(given: Given, day: date, voice: Voice) -> None:
    """Ask; raises ``FreshnessError`` where no prompt got an answer."""
    choice = setup.Choice(given.suite, (), "latest", day)
    slot = {"job": given.job, "slot": given.slot.isoformat()}
    request = probing.Request(given.model, choice, details=slot)
    report = probing.probe(given.settings, request, advance=voice.advance, warn=voice.warn, note=voice.note)
    assert report.run is not None
    errors = Counter(trial.answer.error_kind for trial in report.run.trials if trial.answer.error)
    answers = len(report.run.trials) - errors.total()
    voice.log("info", "model asked", run=report.run.id, answers=answers, errors=errors.total())
    if errors and not answers:
        kinds = ", ".join(f"{kind} {count}" for kind, count in errors.most_common())
        raise FreshnessError(f"none of {errors.total()} prompts got an answer ({kinds})")


def _done(given: Given, store: Store) -> Run | None:
    """The run of an attempt at this slot that was killed after it was done and before it could tell."""
    if given.attempt == 1:
        return None
    slot = given.slot.isoformat()
    figures = {told.run: told for told in store.summaries(given.model, given.suite, limit=_LOOK_BACK)}
    for run in store.runs(given.model, given.suite, limit=_LOOK_BACK):
        if run.status == "finished" and run.details.get("slot") == slot and run.id in figures:
            # One to which nobody answered is no success, and is asked again.
            return run if figures[run.id].answered else None
    return None


def _day(given: Given, store: Store) -> date:
    """Today; for a run that is gone on with, the day that it asks about."""
    for run in store.runs(given.model, given.suite, limit=1):
        if run.status != "finished" and given.slot <= run.started_at <= datetime.now(UTC):
            return run.as_of
    return datetime.now(UTC).date()


def prune(given: Given, voice: Voice) -> None:
    """Let go of the texts of answers that were kept long enough."""
    done = pruning.prune(given.settings, now=datetime.now(UTC))
    voice.log("info", "pruned", answers=done.answers, jobs=done.jobs)


Work = Callable[[Given, Voice], None]
KINDS: Final[Mapping[str, Work]] = {
    "refresh": refresh,
    "refresh_series": refresh_series,
    "probe": probe,
    "prune": prune,
}
"""What each kind of job does; it raises ``FreshnessError`` where that fails."""


def main(kinds: Mapping[str, Work] = KINDS) -> NoReturn:
    """Read the task, do it, tell how it went, and end."""
    voice = Voice(_own_stdout())
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)
    try:
        task = json.loads(sys.stdin.readline())
        threading.Thread(target=_end_with_the_daemon, name="daemon gone", daemon=True).start()
        outcome, error = _do(lambda: kinds[task["kind"]](Given.from_json(task), voice), voice)
    except KeyboardInterrupt:
        outcome, error = "interrupted", None
    _heed_no_more()  # how it went is to be told whole
    voice.say(result={"outcome": outcome, "error": error})
    sys.stdout.flush()
    sys.exit(outcome != "succeeded")


def _do(work: Callable[[], None], voice: Voice) -> tuple[str, str | None]:
    """Outcome and error."""
    try:
        work()
    except (Interrupted, KeyboardInterrupt):
        return "interrupted", None
    except FreshnessError as error:
        return "failed", " ".join(str(error).split())
    except Exception as error:
        import traceback

        voice.log("error", "unexpected error", traceback=traceback.format_exc()[-8000:])
        return "failed", f"unexpected {type(error).__name__}: {' '.join(str(error).split())[:500]}"
    return "succeeded", None


def _own_stdout() -> TextIO:
    """Stdout for ourselves alone: what libraries print there goes to stderr."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def _interrupt(number: int, frame: FrameType | None) -> None:
    _heed_no_more()  # once is enough: another one would break into the tidying up
    raise KeyboardInterrupt


def _heed_no_more() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)


def _end_with_the_daemon() -> None:
    """Stop as if told to when the daemon, which holds the other end of stdin, is gone."""
    # Not by sys.stdin: who holds its lock when the interpreter ends has the process aborted.
    with suppress(OSError):
        while os.read(0, 4096):
            pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LONGEST_WAIT_TO_DIE)
    os.killpg(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
