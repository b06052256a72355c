"""How results look: tables for people, and the files that a report goes into."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from freshness.app import outputs
from freshness.app.asking import some
from freshness.app.keys import GONE, OTHER_SOURCE, QUARANTINED
from freshness.app.past import Regraded
from freshness.app.refreshing import Refreshed
from freshness.app.renewing import SERIES_GONE
from freshness.app.suggesting import Suggestions
from freshness.app.watching import told
from freshness.app.world import Known
from freshness.changes import Event
from freshness.changes.events import interval_text, newly_outdated
from freshness.changes.renewing import OwnKey
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.facts import Value
from freshness.history import Comparison, ModelEvent, Run, Step
from freshness.report import Report as Report
from freshness.report import listings, markdown, tables
from freshness.report.changes import changes_view
from freshness.report.fitting import Fitted
from freshness.report.html import write_html
from freshness.report.plots import check_format, write_plot
from freshness.report.suggestions import suggestions_view
from freshness.report.text import clean, clean_name, counted, seconds, word
from freshness.store import Space
from freshness.verdicts import Verdict
from freshness.window import WindowEstimate

NAME = 60


def report(shown: Report) -> RenderableType:
    return tables.report_view(shown)


def report_markdown(shown: Report) -> str:
    return markdown.render(shown)


def check_files(settings: Settings, html: Path | None, plot: Path | None, inputs: Sequence[str]) -> None:
    """Whether these files can be written, before anything is asked or judged; raises ``UsageError``.

    ``inputs``: what is read, and must not be overwritten; see ``outputs.check``.
    """
    if html:
        outputs.check(settings, html, inputs)
    if plot:
        check_format(plot)
        outputs.check(settings, plot, inputs)
    if html and plot and os.path.realpath(html) == os.path.realpath(plot):
        raise UsageError(f"--html and --plot both name {html}; give each a file of its own")


def write(shown: Report, html: Path | None, plot: Path | None, note: Callable[[str], None]) -> None:
    """The files asked for; raises ``UsageError`` or ``FreshnessError`` for one that can't be written."""
    if html:
        write_html(shown, html)
    if plot and not write_plot(shown.models, plot):
        answered = any(model.tally.upper_bound.total for model in shown.models)
        why = "no answer names a value with a known start" if answered else "there is no answer"
        note(f"nothing to plot into {plot}: {why}; no file was made")


def windows(estimates: Mapping[str, WindowEstimate]) -> RenderableType:
    """One row a model."""
    return tables.window_table({name: estimate.to_json() for name, estimate in estimates.items()}, {})


def history(steps: Sequence[Step]) -> RenderableType:
    return listings.history_view(steps)


def signs(found: Mapping[str, Sequence[ModelEvent]]) -> list[RenderableType]:
    """What told of another model behind the name, run by run; nothing where nothing did."""
    lines = [Text(f"run {run}: {clean(told(event), 400)}") for run, all_ in found.items() for event in all_]
    return ["", *lines] if lines else []


def comparison(first: Run, second: Run, compared: Comparison) -> RenderableType:
    return listings.compare_view(first, second, compared)


def regraded(runs: Sequence[Regraded]) -> RenderableType:
    """One row a run: how its answers stand, by verdict, and how many judgements are others."""
    if not runs:
        return Text("no such runs in the history")
    kept = "kept: these judgements count from now on"
    looked = "only looked at: the history stays as it is (--store keeps these judgements)"
    parts: list[RenderableType] = []
    for verdicts in dict.fromkeys(tuple(item.after.by_verdict) for item in runs):
        alike = [item for item in runs if tuple(item.after.by_verdict) == verdicts]
        parts += [_regraded(alike), ""]
    parts += [Text(line) for line in _own_keys(runs)]
    return Group(*parts, Text(kept if any(item.stored for item in runs) else looked, "dim"))


OWN_KEYS: Final = {
    OwnKey.BEYOND_OPTIONS: "no longer askable: revised beyond its options",
    OwnKey.UNIT_CHANGED: "counted in another unit now",
    OwnKey.VALUE_GONE: "no value for a year of it now",
    OwnKey.UNREADABLE: "its key was made in another way",
    SERIES_GONE: "its series is not known now",
    GONE: "its fact is not known now",
    QUARANTINED: "its fact is quarantined",
    OTHER_SOURCE: "asked by files of your own: --snapshot names them",
}
"""Why questions are judged by the keys that they were asked with, in words."""


def _own_keys(runs: Sequence[Regraded]) -> list[str]:
    """How many questions of these runs no newer key could be had for, and why; the most frequent first."""
    total: Counter[str] = Counter()
    for item in runs:
        total.update(item.own_keys)
    if not total:
        return []
    number = total.total()
    they = "it was" if number == 1 else "they were"
    head = f"{counted(number, 'question')} judged by the key that {they} asked with (own key):"
    return [head, *(f"  {number:,}  {OWN_KEYS[why]}" for why, number in total.most_common()), ""]


def _regraded(runs: Sequence[Regraded]) -> RenderableType:
    """Runs whose answers get the same verdicts: the best two, and those that any of them got."""
    tallies = [counts.by_verdict for item in runs for counts in (item.before, item.after)]
    shown = [v for place, v in enumerate(tallies[0]) if place < 2 or any(tally[v] for tally in tallies)]
    has_own = any(item.own_keys for item in runs)
    heads = ("as of", "changed", *(word(verdict) for verdict in shown), *["own key"] * has_own)
    rows = [_regraded_cells(item, shown, has_own) for item in runs]
    view = tables.table()
    for name in ("run", "model"):
        view.add_column(name, no_wrap=True)
    for name in heads:
        view.add_column(name)
    for item, cells in zip(runs, rows, strict=True):
        view.add_row(item.run.id, Text(clean_name(item.run.model)), *cells)
    narrow = (_narrow(item, heads, cells) for item, cells in zip(runs, rows, strict=True))
    return Fitted(view, Group(*narrow))


def _regraded_cells(item: Regraded, shown: Sequence[Verdict], has_own: bool) -> list[str]:
    moves = ((item.before.by_verdict[verdict], item.after.by_verdict[verdict]) for verdict in shown)
    cells = [str(item.as_of), _changed(item)]
    cells += [str(now) if now == before else f"{before} to {now}" for before, now in moves]
    return cells + [str(sum(item.own_keys.values()))] * has_own


def _narrow(item: Regraded, heads: Sequence[str], cells: Sequence[str]) -> RenderableType:
    """Two lines and more: the run's id stays whole, to be copied."""
    told = "; ".join(f"{head} {cell}" for head, cell in zip(heads, cells, strict=True))
    if item.skipped:
        told = f"as of {item.as_of}; {_changed(item)}"
    head = Text(f"{item.run.id}  {clean_name(item.run.model)}", overflow="fold")
    return Group(head, Padding(Text(told), (0, 0, 0, 2)))


def _changed(item: Regraded) -> str:
    """How many judgements of the sample are others, and of the answers beside it."""
    if item.skipped:
        return f"skipped: {item.skipped}"
    beside = f", {item.changed_beside} beside" if item.changed_beside else ""
    return f"{item.changed - item.changed_beside} of {item.after.total}{beside}"


def space(found: Space) -> RenderableType:
    """One row a table, the biggest first, and the whole."""
    view = _columns("table", "rows", "bytes")
    for item in found.tables:
        view.add_row(item.table, f"{item.rows:,}", "" if item.size is None else f"{item.size:,}")
    told = [f"{found.size:,} bytes in all"]
    told += [f"{found.free:,} of them free"] if found.free else []
    told += [f"{found.log:,} more in the log beside it"] if found.log else []
    return Group(Fitted(view), "", Text("; ".join(told)))


def changes(events: Sequence[Event], since: date | None) -> RenderableType:
    return changes_view(events, since)


def refreshed(done: Refreshed) -> RenderableType:
    """How many facts there are now, what changed, and whom that made outdated."""
    snapshot, quarantined = done.snapshot, done.quarantined
    usable = len(snapshot.facts) - quarantined
    lines = [
        ("facts", f"{len(snapshot.facts):,} from {snapshot.source}, {snapshot.taken_at:%Y-%m-%d %H:%M} UTC"),
        ("usable", f"{usable:,}"),
        ("quarantined", f"{quarantined:,}" + ("; `freshness facts check` says why" if quarantined else "")),
        ("asked", f"{counted(done.requests, 'request')}, {seconds(done.seconds)}"),
    ]
    unconfirmed = sum(kept.why != "not_asked" for kept in done.kept)
    if unconfirmed:
        held = [f"{kept.fact.id} ({kept.why})" for kept in done.kept if kept.why != "not_asked"]
        lines.append(("kept as known", f"{counted(unconfirmed, 'fact')}: {clean(some(held), 300)}"))
    changed = counted(len(done.events), "event") if done.events else "nothing"
    lines.append(("changed", "there was nothing to compare with yet" if done.first else changed))
    outdated = newly_outdated(done.events)
    if outdated:
        told = [f"{clean_name(model)} ({counted(count, 'fact')})" for model, count in outdated.items()]
        lines.append(("newly outdated", ", ".join(told)))
    parts: list[RenderableType] = [tables.lines(lines)]
    return Group(*parts, "", changes_view(done.events)) if done.events else Group(*parts)


def checked(bad: Sequence[Known], count: int) -> RenderableType:
    """The quarantined facts, each with its reasons and the page where they can be mended."""
    origin = dict.fromkeys(f"{item.source}, {item.taken_at:%Y-%m-%d}" for item in bad)
    if not bad:
        return Text(f"all {counted(count, 'fact')} can be asked about")
    view = _columns("fact", "why it is not asked about")
    for item in bad:
        name = clean(item.fact.subject.name, NAME)
        fact = Text(f"{name} {clean_name(item.fact.property)}\n{clean(item.fact.group, NAME)}")
        fact.stylize("dim", len(fact.plain) - len(clean(item.fact.group, NAME)))
        why = Text("\n".join(clean(reason, 300) for reason in item.quality.reasons))
        if item.link:
            why.append(f"\n{clean(item.link, 120)}", "dim")
        view.add_row(fact, why)
    told = f"{len(bad):,} of {counted(count, 'fact')} quarantined; {clean('; '.join(origin), 200)}"
    return Group(Fitted(view), "", Text(told, "dim"))


def suggestions(found: Suggestions) -> RenderableType:
    return suggestions_view(found)


def facts(known: Sequence[Known]) -> RenderableType:
    """One row a fact: what is true now."""
    if not known:
        return Text("no facts")
    view = _columns("group", "subject", "property", "now", "values")
    for item in known:
        subject = Text(f"{clean(item.fact.subject.name, NAME)} ({clean_name(item.fact.subject.id, NAME)})")
        now = Text(clean(", ".join(item.current) or "nothing known"))
        if not item.quality.usable:
            kinds = dict.fromkeys(reason.partition(":")[0] for reason in item.quality.reasons)
            now = Text(f"quarantined: {clean(', '.join(kinds))}", "yellow")
        view.add_row(
            _text(item.fact.group), subject, _text(item.fact.property), now, str(len(item.fact.values))
        )
    origin = dict.fromkeys(f"{item.source}, {item.taken_at:%Y-%m-%d}" for item in known)
    return Group(
        Fitted(view), "", Text(f"{counted(len(known), 'fact')}; {clean('; '.join(origin), 200)}", "dim")
    )


def fact(known: Known) -> RenderableType:
    """One fact: every value with its terms."""
    view = _columns("value", "terms", "also called", "rank")
    for value in known.fact.values:
        view.add_row(
            _value(value, known.current),
            Text("; ".join(interval_text(interval) for interval in value.intervals)),
            Text(clean(", ".join(value.aliases))),
            str(value.rank),
        )
    head = f"{known.fact.subject.name} ({known.fact.subject.id}) {known.fact.property}"
    said = tables.lines([(name, clean(text, 400)) for name, text in _about(known) if text])
    return Group(Text(clean(head, 120), "bold"), Fitted(view), "", said)


def _about(known: Known) -> list[tuple[str, str]]:
    """What there is to say of a fact beside its values."""
    seen = known.seen
    lines = [
        ("true now", ", ".join(known.current) or "nothing known"),
        ("office", known.fact.office or ""),
        ("dissolved", str(known.fact.dissolved or "")),
        ("from", f"{known.source}, {known.taken_at:%Y-%m-%d}"),
        ("seen so", f"{seen[0]:%Y-%m-%d %H:%M} to {seen[1]:%Y-%m-%d %H:%M} UTC" if seen else ""),
        ("page", known.link or ""),
    ]
    reasons = [("quarantined", reason) for reason in known.quality.reasons]
    return [*lines, *reasons, *(("note", mark) for mark in known.quality.marks)]


def _value(value: Value, current: Sequence[str]) -> Text:
    return Text(clean(value.label, NAME), "bold" if value.label in current else "")


def _columns(*names: str) -> Table:
    view = tables.table()
    for name in names:
        view.add_column(name)
    return view


def _text(text: str) -> Text:
    return Text(clean(text, NAME))
