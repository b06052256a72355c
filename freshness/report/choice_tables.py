"""Runs with numbers on a terminal: TempUN's table 3 for one model, and what stands behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from freshness.history import Trial
from freshness.history.choices import ChoiceFigures, KnownYears, Share
from freshness.report import choices, words
from freshness.report.bars import Bar, Legend
from freshness.report.choices import Line
from freshness.report.data import ModelReport
from freshness.report.fitting import Fitted
from freshness.report.frames import table
from freshness.report.references import references
from freshness.report.text import DASH, clean_name, percent, percent_range, word
from freshness.verdicts import Verdict

TERMINAL_SPAN: Final = 10
"""Years in a row of the table by year."""

_COLOURS: Final = {"above": "green", "below": "red", "": "dim"}


def numbers_view(model: ModelReport, figures: ChoiceFigures) -> list[RenderableType]:
    """What its suite has to tell, with or without options, and the newest years known."""
    if not figures.kinds:
        parts: list[RenderableType] = [Text(words.UNANSWERED)]
    elif model.is_choosing:
        parts = choices_view(figures)
    else:
        parts = open_view(figures, model.counted_trials)
    return parts + (["", known_table(figures.known)] if figures.known else [])


def choices_view(figures: ChoiceFigures) -> list[RenderableType]:
    """By kind beside chance and the paper's models, by category and by year."""
    parts: list[RenderableType] = [kind_table(figures)]
    parts += ["", line_table(choices.categories(figures), "category"), Legend(choices.verdicts(figures))]
    return [*parts, "", line_table(list(choices.spans(figures, TERMINAL_SPAN).values()), "years")]


def open_view(figures: ChoiceFigures, trials: Iterable[Trial]) -> list[RenderableType]:
    """Numbers without options: DyKnow's verdicts by category, and which rule decided."""
    mean = choices.average(figures)
    lines = [*choices.categories(figures), *([replace(mean, name="all")] if mean else [])]
    return [open_table(lines), Legend(choices.verdicts(figures)), "", rule_table(trials)]


def open_table(lines: Sequence[Line]) -> RenderableType:
    """One row a category: correct with its interval, and the other verdicts."""
    view = table()
    view.add_column("category", no_wrap=True)
    for head in ("n", "correct", "95%", "outdated", "irrelevant*"):
        view.add_column(head, justify="right", no_wrap=True)
    view.add_column("", ratio=1)
    view.expand = True
    for line in lines:
        view.add_row(
            Text(clean_name(word(line.name)), "bold" if line.name == "all" else ""),
            f"{line.n:,}",
            percent(line.correct.value),
            Text(percent_range(_interval(line.correct)), "dim"),
            percent(line.shares[Verdict.OUTDATED].value),
            percent(choices.as_published(line)),
            Bar(choices.in_thousandths(line), least=4),
        )
    return Fitted(view)


def kind_table(figures: ChoiceFigures) -> RenderableType:
    """One column a kind, in the paper's order, and their average; the paper's models below."""
    mean = choices.average(figures)
    columns = [*choices.kinds(figures), *([mean] if mean else [])]
    view = table()
    view.add_column("", no_wrap=True)
    for line in columns:
        view.add_column(line.name, justify="right", no_wrap=True)
    view.add_row("", *(Text(choices.PAPER_KINDS.get(line.name, ""), "dim") for line in columns))
    view.add_row("n", *(f"{line.n:,}" for line in columns))
    for verdict in choices.verdicts(figures):
        view.add_row(Text(word(verdict), "bold"), *(percent(line.shares[verdict].value) for line in columns))
        ranges = (percent_range(_interval(line.shares[verdict])).rstrip("%") for line in columns)
        view.add_row(Text("  95% interval", "dim"), *(Text(text, "dim") for text in ranges))
        if verdict is Verdict.CORRECT:
            view.add_row(Text("  chance", "dim"), *(Text(_chance(line), "dim") for line in columns))
            view.add_row(Text("  against chance", "dim"), *(_against(line) for line in columns))
    view.add_row()
    for name, shares in _references(columns):
        view.add_row(Text(name, "dim"), *(Text(share, "dim") for share in shares))
    return Group(Fitted(view, _narrow(columns)), Text(words.REFERENCES, "dim"))


def _references(columns: Sequence[Line]) -> Iterator[tuple[str, list[str]]]:
    """The paper's models with what each got right in these columns, the last of which is the average."""
    for model in references():
        kinds = (model.kinds["correct"].get(line.name) for line in columns[:-1])
        yield model.name, [percent(share) for share in (*kinds, model.average["correct"])]


def _narrow(columns: Sequence[Line]) -> RenderableType:
    """A kind at a time, in sentences that wrap."""
    told: list[RenderableType] = []
    for line in columns:
        letters = choices.PAPER_KINDS.get(line.name)
        told.append(Text(f"{word(line.name)} ({letters})" if letters else word(line.name), "bold"))
        shares = [_told(line, verdict) for verdict in line.shares]
        told.append(Padding(Text(f"n {line.n:,}; {'; '.join(shares)}"), (0, 0, 0, 2)))
    told.append("")
    for name, scored in _references(columns):
        pairs = zip(columns, scored, strict=True)
        told.append(
            Text(f"{name}: {', '.join(f'{word(line.name)} {share}' for line, share in pairs)}", "dim")
        )
    return Group(*told)


def _told(line: Line, verdict: Verdict) -> str:
    share = line.shares[verdict]
    told = f"{word(verdict)} {percent(share.value)} (95%: {percent_range(_interval(share))})"
    if verdict is not Verdict.CORRECT:
        return told
    return f"{told}, chance {_chance(line)}{f', {line.against} chance' if line.against else ''}"


def line_table(lines: Sequence[Line], what: str) -> RenderableType:
    """One row a line: correct with interval and chance, what is not available, and a bar."""
    view = table()
    view.add_column(what, no_wrap=True)
    for head in ("n", "correct", "95%", "chance", "against chance", "n/a"):
        view.add_column(head, justify="right", no_wrap=True)
    view.add_column("", ratio=1)
    view.expand = True
    for line in lines:
        view.add_row(
            Text(clean_name(word(line.name))),
            f"{line.n:,}",
            percent(line.correct.value),
            Text(percent_range(_interval(line.correct)), "dim"),
            Text(_chance(line), "dim"),
            _against(line),
            percent(line.shares[Verdict.NOT_AVAILABLE].value),
            Bar(choices.in_thousandths(line), least=4),
        )
    return Fitted(view)


def known_table(known: Mapping[str, KnownYears]) -> RenderableType:
    """One row an indicator: the newest year that the model knows it for."""
    view = table()
    view.add_column("indicator", no_wrap=True)
    view.add_column("newest year known", no_wrap=True)
    view.add_column("90%", no_wrap=True)
    view.add_column("n", justify="right", no_wrap=True)
    for name, found in sorted(known.items()):
        told, interval = words.newest_known(found)
        said = Text(told, "" if found.estimate else "dim")
        view.add_row(Text(clean_name(name)), said, interval, f"{found.questions:,}")
    return Fitted(view)


def rule_table(trials: Iterable[Trial]) -> RenderableType:
    """How many open answers each rule decided, by verdict: within 1 %, within 5 %, of an older year ..."""
    view = table()
    view.add_column("decided by")
    view.add_column("verdict", no_wrap=True)
    for head in ("n", "share"):
        view.add_column(head, justify="right", no_wrap=True)
    for verdict, rule, n, share in choices.rules(trials):
        view.add_row(Text(clean_name(word(rule))), Text(word(verdict)), f"{n:,}", percent(share))
    return Fitted(view)


def _interval(share: Share) -> tuple[float, float]:
    return share.low, share.high


def _chance(line: Line) -> str:
    return f"{100 * line.correct.chance:.0f}%"


def _against(line: Line) -> Text:
    return Text(line.against or DASH, _COLOURS[line.against])
