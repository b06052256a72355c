"""Runs with numbers as Markdown: TempUN's table 3 with chance, and its tables by category and year."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from freshness.history import Trial
from freshness.history.choices import ChoiceFigures, KnownYears
from freshness.report import choices, words
from freshness.report.choices import Line
from freshness.report.grid import grid
from freshness.report.references import references
from freshness.report.text import DASH, clean_name, markdown, percent, percent_range, word
from freshness.verdicts import Verdict


def sections(figures: ChoiceFigures) -> list[str]:
    """Headings and tables of a run with options."""
    parts = ["## By kind of question", kind_table(figures), markdown(words.REFERENCES)]
    parts += ["## By category", line_table(choices.categories(figures), "category")]
    parts += ["## By year", line_table(list(choices.spans(figures).values()), "years")]
    return parts


def open_sections(figures: ChoiceFigures, trials: Iterable[Trial]) -> list[str]:
    """Headings and tables of a run without options."""
    mean = choices.average(figures)
    lines = [*choices.categories(figures), *([replace(mean, name="all")] if mean else [])]
    parts = ["## By category", line_table(lines, "category"), "## What decided", rule_table(trials)]
    return [*parts, "## By year", line_table(list(choices.spans(figures).values()), "years")]


def kind_table(figures: ChoiceFigures) -> str:
    """One column a kind and their average, the paper's models below."""
    mean = choices.average(figures)
    columns = [*choices.kinds(figures), *([mean] if mean else [])]
    rows = [["n", *(f"{line.n:,}" for line in columns)]]
    for verdict in choices.verdicts(figures):
        shares = [line.shares[verdict] for line in columns]
        rows.append([f"**{word(verdict)}**", *(percent(share.value) for share in shares)])
        rows.append(["95% interval", *(percent_range((share.low, share.high)) for share in shares)])
        if verdict is Verdict.CORRECT:
            rows.append(["chance", *(percent(line.correct.chance) for line in columns)])
            rows.append(["against chance", *(line.against or DASH for line in columns)])
    for model in references():
        shown = [*(model.kinds["correct"].get(line.name) for line in columns[:-1]), model.average["correct"]]
        rows.append([f"*{markdown(model.name)}*", *(percent(share) for share in shown)])
    return grid(["", *(_head(line.name) for line in columns)], rows)


def _head(kind: str) -> str:
    letters = choices.PAPER_KINDS.get(kind)
    return f"{kind} ({letters})" if letters else word(kind)


def line_table(lines: Sequence[Line], what: str) -> str:
    """One row a line: correct with interval and chance, and the other verdicts."""
    others = [verdict for line in lines[:1] for verdict in line.shares if verdict is not Verdict.CORRECT]
    guessed = any(line.correct.chance for line in lines)
    starred = ["irrelevant\\*"] if Verdict.IRRELEVANT in others else []
    head = [what, "n", "correct", "95% interval"]
    head += [*(["chance", "against chance"] if guessed else []), *(word(verdict) for verdict in others)]
    rows = [
        [
            *_cells(line, guessed),
            *(percent(line.shares[verdict].value) for verdict in others),
            *(percent(choices.as_published(line)) for _ in starred),
        ]
        for line in lines
    ]
    return grid([*head, *starred], rows)


def _cells(line: Line, guessed: bool) -> list[str]:
    share = line.correct
    interval = percent_range((share.low, share.high))
    cells = [markdown(clean_name(word(line.name))), f"{line.n:,}", percent(share.value), interval]
    return cells + ([percent(share.chance), line.against or DASH] if guessed else [])


def rule_table(trials: Iterable[Trial]) -> str:
    """What decided open answers, and how often."""
    rows = [
        [markdown(word(rule)), word(verdict), f"{n:,}", percent(share)]
        for verdict, rule, n, share in choices.rules(trials)
    ]
    return grid(["decided by", "verdict", "n", "share"], rows)


def known_table(known: Mapping[str, KnownYears]) -> str:
    """The newest year known of each indicator."""
    rows = []
    for name, found in sorted(known.items()):
        told, interval = words.newest_known(found)
        rows.append([markdown(clean_name(name)), told, interval, str(found.newest), f"{found.questions:,}"])
    return grid(["indicator", "newest year known", "90% interval", "newest asked", "answers"], rows)
