"""The report on a terminal, best in 80 columns and more. Text goes in as ``Text``, never as markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from freshness.history import Counts, OutdatedFact, Tally
from freshness.report import words
from freshness.report.bars import Bar, Legend
from freshness.report.choice_tables import numbers_view
from freshness.report.data import ModelReport, Report
from freshness.report.fitting import Fitted, Hyphenated
from freshness.report.frames import lines as lines
from freshness.report.frames import table as table
from freshness.report.text import DASH, clean, clean_end, clean_name, percent, percent_range, word
from freshness.verdicts import Verdict

OUTDATED_ROWS = 20
"""As many outdated facts as fit a screen; the other formats have all."""


def report_view(report: Report, *, outdated_rows: int = OUTDATED_ROWS) -> RenderableType:
    """Everything ``probe`` and ``grade`` print: a single model in detail, several side by side."""
    parts: list[RenderableType] = []
    if report.run:
        parts += [lines(words.provenance(report.run)), ""]
    elif len(report.models) == 1:
        parts += [lines([("model", clean(report.models[0].name))]), ""]
    parts += _single(report.models[0]) if len(report.models) == 1 else _several(report.models)
    for part in report.outdated_parts():
        parts += ["", outdated_table(part, outdated_rows)]
    if cited := words.data_in_short(report.run) if report.run else []:
        parts += ["", Text("Data, by edition", "bold"), lines(cited)]
    return Group(*parts, "", Text(words.method(report), "dim"))


def _single(model: ModelReport) -> list[RenderableType]:
    said = words.findings(model)
    if model.choices is None:
        shares = share_table(model.parts(), "group")
        return [verdict_table(model.tally), "", shares, Legend(model.verdicts), "", lines(said)]
    shown = numbers_view(model, model.choices)
    return [*shown, "", lines(said)] if said else shown


def _several(models: Sequence[ModelReport]) -> list[RenderableType]:
    windows = {model.name: model.window.to_json() for model in models if model.window}
    declared = {model.name: model.declared for model in models if model.declared}
    errors = [(m.name, text) for m in models for name, text in words.findings(m) if name == "errors"]
    parts: list[RenderableType] = []
    for verdicts in dict.fromkeys(model.verdicts for model in models):
        alike = {model.name: model.tally for model in models if model.verdicts == verdicts}
        parts += [*([""] if parts else []), share_table(alike, "model"), Legend(verdicts)]
    if windows:
        parts += ["", window_table(windows, declared)]
    if errors:
        parts += ["", Text("Errors", "bold"), lines(errors)]
    return parts


def verdict_table(tally: Tally) -> RenderableType:
    """Upper bound with its interval, and average, by verdict: DyKnow's tables 1 and 4 for one model."""
    view = table()
    view.add_column("")
    view.add_column("n", justify="right")
    for verdict in tally.upper_bound.by_verdict:
        view.add_column(word(verdict), justify="right")
    view.add_row(Text("upper bound", "bold"), f"{tally.upper_bound.total:,}", *_shares(tally.upper_bound))
    intervals = tally.upper_bound.intervals().values()
    view.add_row(Text("  95% interval", "dim"), "", *(Text(percent_range(i), "dim") for i in intervals))
    view.add_row(Text("average", "bold"), f"{tally.average.total:,}", *_shares(tally.average))
    return Fitted(view)


def _shares(counts: Counts) -> list[str]:
    return [percent(counts.ratio(verdict)) for verdict in counts.by_verdict]


def share_table(rows: Mapping[str, Tally], what: str) -> RenderableType:
    """One row a group or model: upper bound as its paper prints it, agreement, and a bar."""
    shown = _published(next(iter(rows.values())).upper_bound) if rows else {}
    view = table()
    view.add_column(what)
    for head in ("n", *shown, "agree"):
        view.add_column(head, justify="right", no_wrap=True)
    view.add_column("", ratio=1)
    view.expand = True
    for name, tally in rows.items():
        counts = tally.upper_bound
        view.add_row(
            Text(clean_name(words.group(name)) or "(no name)", "bold" if name == "all" else ""),
            f"{counts.total:,}",
            *(percent(share) for share in _published(counts).values()),
            percent(tally.agreement.ratio),
            Bar(counts),
        )
    return Fitted(view)


def _published(counts: Counts) -> dict[str, float | None]:
    """The shares in the columns of the paper's table."""
    if Verdict.IRRELEVANT not in counts.by_verdict:
        return {word(verdict): counts.ratio(verdict) for verdict in counts.by_verdict}
    shares = {str(verdict): counts.ratio(verdict) for verdict in (Verdict.CORRECT, Verdict.OUTDATED)}
    return shares | {"irrelevant*": counts.ratios()["irrelevant_as_published"]}


def outdated_table(facts: Sequence[OutdatedFact], limit: int = OUTDATED_ROWS) -> RenderableType:
    """What was said, since when that is untrue, and what is true now; the longest outdated first."""
    if facts and facts[0].question.numeric:
        return _cut(_older_numbers(facts, limit), len(facts), limit)
    view = table(f"Outdated facts ({len(facts):,})")
    view.add_column("question", ratio=5)
    view.add_column("it said", ratio=3)
    view.add_column("untrue since", no_wrap=True)
    view.add_column("for", no_wrap=True)
    view.add_column("now", ratio=3)
    view.expand = True
    for fact in facts[:limit]:
        day, lag = words.since(fact)
        said = Text(clean(fact.said, 60), "yellow")
        view.add_row(Text(clean_end(fact.asked, 90)), said, day, lag, Text(words.now(fact), "green"))
    return _cut(view, len(facts), limit)


def _older_numbers(facts: Sequence[OutdatedFact], limit: int) -> Table:
    """What was said of which year, and of which other year that is."""
    view = table(f"Older values ({len(facts):,})")
    for head, ratio in (("asked", 4), ("it said", 3), ("which is", 3), ("right", 3)):
        view.add_column(head, ratio=ratio)
    view.expand = True
    for fact in facts[:limit]:
        asked, said, which, right = words.older_number(fact)
        view.add_row(Hyphenated(asked), Text(said, "yellow"), Text(which), Text(right, "green"))
    return view


def _cut(view: Table, rows: int, limit: int) -> RenderableType:
    """With a line below that tells how many are left out."""
    if rows <= limit:
        return Fitted(view)
    more = f"… and {rows - limit:,} more: --format json, --format markdown and --html have all"
    return Group(Fitted(view), Text(more, "dim"))


def window_table(models: Mapping[str, Mapping[str, Any]], declared: Mapping[str, str]) -> RenderableType:
    """One row a model, from ``WindowEstimate.to_json()``; where nothing was estimated its status says why."""
    view = table()
    view.add_column("model")
    view.add_column("evidence", justify="right")
    for head in ("cutoff", "90% interval", *(["declared"] if declared else []), "window"):
        view.add_column(head, no_wrap=True)
    for name, body in models.items():
        cutoff, window = body["cutoff"], body["window"]
        view.add_row(
            Text(clean_name(name)),
            f"{body['observations']:,}",
            _cutoff(body),
            f"{cutoff['low']}–{cutoff['high']}" if cutoff else DASH,
            *([declared.get(name, DASH)] if declared else []),
            f"{window['start']}–{window['end']}" if window else DASH,
        )
    return Fitted(view)


def _cutoff(body: Mapping[str, Any]) -> Text:
    if body["status"] == "estimated":
        return Text(body["cutoff"]["estimate"], "bold")
    return Text(body["status"].replace("_", " "), "dim")
