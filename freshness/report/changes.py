"""Terminal tables of what changed in the world, and whom that outdated."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rich.console import Group, RenderableType
from rich.text import Text

from freshness.changes import Effect, Event
from freshness.report.fitting import Fitted
from freshness.report.tables import table
from freshness.report.text import DASH, clean, clean_name, counted

NAME = 60
ROWS = 50
"""As many events as one cares to scroll through; JSON has all."""
MODELS = 5
"""So many models are named beside an event."""


def changes_view(events: Sequence[Event], since: date | None = None) -> RenderableType:
    """One row an event, the newest first, with the models that it made outdated.

    ``since``: from which day on these are all there are.
    """
    if not events:
        return Text(f"no changes on record since {since}" if since else "no changes on record")
    view = table()
    view.add_column("seen", no_wrap=True)
    view.add_column("kind", no_wrap=True)
    view.add_column("fact", ratio=3)
    view.add_column("before", ratio=3)
    view.add_column("now", ratio=3)
    view.add_column("models", ratio=3)
    view.expand = True
    for event in events[:ROWS]:
        view.add_row(
            f"{event.seen_at:%Y-%m-%d %H:%M}",
            Text(event.kind, "bold" if event.kind == "change" else "dim"),
            Text(f"{clean(event.after.subject.name, NAME)} {clean_name(event.after.property)}"),
            _listed(event.was, "yellow" if event.kind == "change" else ""),
            _listed(event.now, "green" if event.kind == "change" else ""),
            _models(event.effects),
        )
    parts: list[RenderableType] = [Fitted(view)]
    if len(events) > ROWS:
        parts.append(Text(f"… and {len(events) - ROWS:,} more: --format json has all", "dim"))
    kinds = [counted(sum(e.kind == kind for e in events), kind) for kind in ("change", "revision")]
    return Group(*parts, "", Text(" and ".join(kinds), "dim"))


def _listed(labels: Sequence[str], style: str) -> Text:
    return Text("; ".join(clean(label, NAME) for label in labels) or DASH, style if labels else "dim")


def _models(effects: Sequence[Effect]) -> Text:
    """Whom it made outdated, and whose answers are judged differently otherwise."""
    told = [
        f"{clean_name(effect.model, 40)} ({effect.before}, now {effect.after})"
        for effect in sorted(effects, key=lambda effect: not effect.newly_outdated)
    ]
    more = [f"and {len(told) - MODELS} more"] if len(told) > MODELS else []
    return Text(", ".join([*told[:MODELS], *more]) or DASH, "" if told else "dim")
