"""What a request may ask for: bounded, so that no address reads the whole history."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import HTTPException, Query

Limit = Annotated[int, Query(ge=1, le=200, description="So many at most.")]
Offset = Annotated[int, Query(ge=0, le=10_000, description="Leave out so many first.")]
Words = Annotated[str, Query(max_length=200, description="In the subject's name, the id or a holder's name.")]
Name = Annotated[str | None, Query(min_length=1, max_length=200)]
FactState = Annotated[Literal["usable", "quarantined"] | None, Query()]
VerdictName = Annotated[
    Literal[
        "correct",
        "outdated",
        "irrelevant",
        "refused",
        "unreadable",
        "incorrect",
        "not_available",
        "error",
    ]
    | None,
    Query(),
]
KindName = Annotated[
    Literal["date", "comparative", "window", "range", "minmax", "trend", "next_word"] | None,
    Query(description="Of questions about numbers: only those of this kind."),
]
IndicatorName = Annotated[
    str | None,
    Query(min_length=1, max_length=200, description="Of questions about numbers: only this indicator's."),
]
Since = Annotated[
    datetime | None, Query(description="Only what was seen since; UTC unless it says otherwise.")
]


def aware(moment: datetime | None) -> datetime | None:
    """In UTC, also where it doesn't say; ``HTTPException`` for what lies outside the calendar there."""
    if moment is None or moment.tzinfo is None:
        return moment and moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise HTTPException(422, "since: there is no such moment in UTC") from None
