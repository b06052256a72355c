"""The figures that are kept of each run: made when it ends, and again whenever it was judged again."""

from __future__ import annotations

from freshness.app.dating import date_answers
from freshness.history import Run, Summary, summarise
from freshness.store import Store
from freshness.window import Status


def summary_of(run: Run) -> Summary:
    """The figures of a run with its questions and trials, with what they tell of its training data."""
    dating = date_answers(run.questions, run.trials)
    found = dating.window
    # Outside the dates asked about, a bound of the cutoff is the prior's: nothing to draw or to alert by.
    cutoff = found.cutoff if found.status is Status.ESTIMATED else None
    window = found.window
    return summarise(
        run,
        cutoff=(str(cutoff.low), str(cutoff.estimate), str(cutoff.high)) if cutoff else None,
        window=(str(window[0]), str(window[1])) if window else None,
        known_years=dating.known_years,
    )


def ensure_summaries(store: Store) -> int:
    """Make the figures that are missing or overtaken, those of a process that was killed too; how many.

    A run that moves on meanwhile is left to the next time. Raises ``StoreError``.
    """
    return sum(keep(store, store.run(run_id)) for run_id in store.runs_without_summary())


def keep(store: Store, run: Run) -> bool:
    """Keep the figures of a run; False when it has moved on since it was read."""
    return run.status != "running" and store.save_summary(summary_of(run))
