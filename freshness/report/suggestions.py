"""Terminal table of the facts that would tell most about a model's cutoff."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from freshness.facts import PartialDate
from freshness.report.fitting import Fitted
from freshness.report.tables import lines, table
from freshness.report.text import DASH, clean, clean_name, counted
from freshness.window.suggest import Narrowing, Suggestion, Suggestions

NAME = 60
DATES = 4
"""So many of a fact's latest changes are shown; JSON has all."""

_LEGEND = (
    "bits: what the answer is expected to tell about the cutoff, each fact for itself; what several tell "
    "overlaps."
)


def suggestions_view(found: Suggestions) -> RenderableType:
    """What is known of the model, one row a fact, and what asking would do to the interval."""
    head = [("model", clean_name(found.model)), ("cutoff", _cutoff(found))]
    head += [("note", clean(note, 400)) for note in found.notes]
    parts: list[RenderableType] = [lines(head), "", _table(found.facts), ""]
    if found.narrowing:
        parts.append(Text(_narrowing(found.narrowing)))
    shown = f"{counted(len(found.facts), 'fact')} of {found.candidates:,}."
    return Group(*parts, Text(f"{shown} {_LEGEND}", "dim"))


def _cutoff(found: Suggestions) -> str:
    status = str(found.window.status).replace("_", " ")
    cutoff = found.window.cutoff
    if cutoff is None:
        return f"not known ({status})" if found.runs else "not known (never asked)"
    return f"{cutoff.estimate}, 90% interval {cutoff.low}{DASH}{cutoff.high} ({status})"


def _table(facts: Sequence[Suggestion]) -> RenderableType:
    view = table()
    view.add_column("bits", justify="right", no_wrap=True)
    view.add_column("subject", ratio=3)
    view.add_column("property", no_wrap=True)
    view.add_column("group", ratio=2)
    view.add_column("changed", ratio=4)
    view.expand = True
    for item in facts:
        subject = f"{clean(item.fact.subject.name, NAME)} ({clean_name(item.fact.subject.id, NAME)})"
        view.add_row(
            Text("asked" if item.asked else f"{item.bits:.2f}", "dim" if item.asked else ""),
            Text(subject),
            Text(clean_name(item.fact.property, NAME)),
            Text(clean(item.fact.group, NAME)),
            Text(_dates(item.changes)),
        )
    return Fitted(view)


def _dates(changes: Sequence[PartialDate]) -> str:
    earlier = f"{len(changes) - DATES} earlier, " if len(changes) > DATES else ""
    return earlier + ", ".join(map(str, changes[-DATES:])) if changes else DASH


def _narrowing(expected: Narrowing) -> str:
    asked = "this fact" if expected.facts == 1 else f"these {expected.facts} facts"
    return (
        f"Asking about {asked} would narrow the interval from {expected.now:.0f} to about "
        f"{expected.expected:.0f} months (half of the simulated answers: {expected.low:.0f} to "
        f"{expected.high:.0f}). Real models' answers are less regular, and narrow it less."
    )
