"""The report as Markdown, ready for a paper, an issue or a notebook: the tables that DyKnow prints.

Table 1 (upper bound), table 4 (average) and table 5 (agreement), each with one row a model, or a group of a
single model; of runs with numbers those that TempUN prints (``choice_markdown``). Whatever others wrote is
escaped (``text.markdown``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from freshness.history import Counts, OutdatedFact, Tally
from freshness.history.choices import ChoiceFigures
from freshness.report import choice_markdown, words
from freshness.report.data import ModelReport, Report
from freshness.report.grid import grid
from freshness.report.text import clean_end, clean_name, markdown, percent, word
from freshness.verdicts import Verdict

Cells = Sequence[str]


def render(report: Report) -> str:
    """The whole report, ending in a newline."""
    parts = [f"# Freshness of {_title(report)}", _list(words.provenance(report.run)) if report.run else ""]
    parts += _shares(report.models)
    for model in report.models:
        said = words.findings(model)
        heading = "## Findings" if len(report.models) == 1 else f"## Findings: {_name(model.name)}"
        parts += [heading, _list(said)] if said else []
    for part in report.outdated_parts():
        what = "Older values" if part[0].question.numeric else "Outdated facts"
        parts += [f"## {what} ({len(part)})", _outdated_table(part)]
    cited = words.data(report.run) if report.run else []
    parts += ["## Data", _list(cited)] if cited else []
    parts.append(_note(words.method(report)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(report: Report) -> str:
    return _name(report.models[0].name) if len(report.models) == 1 else f"{len(report.models)} models"


def _shares(models: Sequence[ModelReport]) -> list[str]:
    """How the answers are shared out among the verdicts: a single model in detail, several side by side."""
    figures = models[0].choices if len(models) == 1 else None
    if figures:
        return _numbers(models[0], figures)
    rows = _rows(models)
    parts = []
    for verdicts in dict.fromkeys(tuple(tally.upper_bound.by_verdict) for tally in rows.values()):
        parts += _tables({n: t for n, t in rows.items() if tuple(t.upper_bound.by_verdict) == verdicts})
    return parts


def _numbers(model: ModelReport, figures: ChoiceFigures) -> list[str]:
    if not figures.kinds:
        parts = ["## By kind of question" if model.is_choosing else "## By category", words.UNANSWERED]
    elif model.is_choosing:
        parts = choice_markdown.sections(figures)
    else:
        parts = choice_markdown.open_sections(figures, model.counted_trials)
    known = choice_markdown.known_table(figures.known) if figures.known else ""
    return [*parts, *(["## Newest years known", known] if known else [])]


def _tables(rows: Mapping[str, Tally]) -> list[str]:
    parts = ["## Upper bound", _verdict_table(rows, lambda tally: tally.upper_bound, "questions")]
    parts += ["## Average over prompts", _verdict_table(rows, lambda tally: tally.average, "prompts")]
    return [*parts, "## Prompt agreement", _agreement_table(rows)]


def _rows(models: Sequence[ModelReport]) -> dict[str, Tally]:
    if len(models) != 1:
        return {_name(model.name): model.tally for model in models}
    parts = models[0].parts().items()
    return {"**all**" if name == "all" else _name(words.group(name)): tally for name, tally in parts}


def _name(name: str) -> str:
    return markdown(clean_name(name))


def _verdict_table(rows: Mapping[str, Tally], counts: Callable[[Tally], Counts], unit: str) -> str:
    shares = {name: counts(tally) for name, tally in rows.items()}
    verdicts = next((tuple(found.by_verdict) for found in shares.values()), ())
    starred = ["irrelevant\\*"] if Verdict.IRRELEVANT in verdicts else []
    head = ["", unit, *(word(verdict) for verdict in verdicts), *starred]
    return grid(head, [[name, *_verdict_cells(found)] for name, found in shares.items()])


def _verdict_cells(counts: Counts) -> Cells:
    return [f"{counts.total:,}", *(percent(share) for share in counts.ratios().values())]


def _agreement_table(rows: Mapping[str, Tally]) -> str:
    cells = [
        [name, percent(a.ratio), str(a.same), str(a.named), str(a.silent), str(a.incomplete)]
        for name, a in ((name, tally.agreement) for name, tally in rows.items())
    ]
    return grid(["", "agreement", "same value", "any value", "no value", "prompt failed"], cells)


def _outdated_table(facts: Sequence[OutdatedFact]) -> str:
    if facts[0].question.numeric:
        rows = [[markdown(cell) for cell in words.older_number(fact)] for fact in facts]
        return grid(["asked", "said", "which is", "right"], rows, numbers=False)
    head = ["question", "said", "untrue since", "for", "true now"]
    return grid(head, [_outdated_cells(fact) for fact in facts], numbers=False)


def _outdated_cells(fact: OutdatedFact) -> Cells:
    day, lag = words.since(fact)
    return [
        markdown(clean_end(fact.asked, 160)),
        markdown(fact.said, 100),
        day,
        lag,
        markdown(words.now(fact, 200)),
    ]


def _list(lines: Iterable[words.Line]) -> str:
    return "\n".join(f"- {markdown(name)}: {markdown(text, 600)}" for name, text in lines)


def _note(text: str) -> str:
    return f"<sub>{markdown(text, 1000)}</sub>"
