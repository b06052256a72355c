"""What events did to models, added up, without a look at the facts."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import String, cast
from sqlmodel import Session, col, select

from freshness.store.tables import EventRow
from freshness.verdicts import Verdict


def newly_outdated(session: Session) -> dict[str, int]:
    """How many facts became outdated, by model: once for each refresh that saw it, by whatever events.

    Numbers are left out: a revision of a past year's figure is an edit of the record and no change of the
    world, one edition revises thousands of them at once, and of choices none is ever outdated. What it does
    to answers stands in the series' events and, once they are judged again, in the model's shares.
    """
    columns = col(EventRow.snapshot_id), col(EventRow.after_fact_id), col(EventRow.effects)
    # Most events touch no model's answers; those aren't read.
    touching = cast(EventRow.effects, String) != "[]"
    outdated = {
        (snapshot, fact, effect["model"])
        for snapshot, fact, effects in session.exec(select(*columns).where(touching))
        for effect in effects
        if _outdates(effect)
    }
    return dict(Counter(model for _, _, model in outdated))


def _outdates(effect: dict[str, str]) -> bool:
    return (effect["before"], effect["after"]) == (Verdict.CORRECT, Verdict.OUTDATED)
