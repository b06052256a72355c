"""What events did to models, added up, without a look at the facts."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import String, cast
from sqlmodel import Session, col, select

from freshness.store.tables import EventRow
from freshness.verdicts import Verdict


def newly_outdated(session: Session) -> dict[str, int]:
    """How many facts changes made outdated, by model: one that two events outdated counts twice."""
    # Most events touch no model's answers; those aren't read.
    touching = cast(col(EventRow.effects), String) != "[]"
    counts: Counter[str] = Counter()
    for effects in session.exec(select(EventRow.effects).where(touching)):
        counts.update({effect["model"] for effect in effects if _outdates(effect)})
    return dict(counts)


def _outdates(effect: dict[str, str]) -> bool:
    return (effect["before"], effect["after"]) == (Verdict.CORRECT, Verdict.OUTDATED)
