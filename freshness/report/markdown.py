"""The report as Markdown, ready for a paper, an issue or a notebook: the tables that DyKnow prints.

Table 1 (upper bound), table 4 (average) and table 5 (agreement), each with one row a model, or a group of a
single model. Whatever others wrote is escaped (``text.markdown``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from freshness.history import Counts, OutdatedFact, Tally
from freshness.report import words
from freshness.report.data import Report
from freshness.report.text import clean_end, clean_name, markdown, percent
from freshness.verdicts import CLAIMS

Cells = Sequence[str]


def render(report: Report) -> str:
    """The whole report, ending in a newline."""
    rows = _rows(report)
    parts = [f"# Freshness of {_title(report)}", _list(words.provenance(report.run)) if report.run else ""]
    parts += ["## Upper bound", _verdict_table(rows, lambda tally: tally.upper_bound, "questions")]
    parts += ["## Average over prompts", _verdict_table(rows, lambda tally: tally.average, "prompts")]
    parts += ["## Prompt agreement", _agreement_table(rows)]
    for model in report.models:
        said = words.findings(model)
        heading = "## Findings" if len(report.models) == 1 else f"## Findings: {_name(model.name)}"
        parts += [heading, _list(said)] if said else []
    if report.outdated:
        parts += [f"## Outdated facts ({len(report.outdated)})", _outdated_table(report.outdated)]
    parts.append(_note(f"{words.METHOD} {words.PUBLISHED}"))
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(report: Report) -> str:
    return _name(report.models[0].name) if len(report.models) == 1 else f"{len(report.models)} models"


def _rows(report: Report) -> dict[str, Tally]:
    if len(report.models) != 1:
        return {_name(model.name): model.tally for model in report.models}
    model = report.models[0]
    return {"**all**" if name == "all" else _name(name): tally for name, tally in model.parts().items()}


def _name(name: str) -> str:
    return markdown(clean_name(name))


def _verdict_table(rows: Mapping[str, Tally], counts: Callable[[Tally], Counts], unit: str) -> str:
    head = ["", unit, *(str(verdict) for verdict in CLAIMS), "irrelevant\\*"]
    return _table(head, [[name, *_verdict_cells(counts(tally))] for name, tally in rows.items()])


def _verdict_cells(counts: Counts) -> Cells:
    shares = [percent(counts.ratio(verdict)) for verdict in CLAIMS]
    return [f"{counts.total:,}", *shares, percent(counts.ratios()["irrelevant_as_published"])]


def _agreement_table(rows: Mapping[str, Tally]) -> str:
    cells = [
        [name, percent(a.ratio), str(a.same), str(a.named), str(a.silent), str(a.incomplete)]
        for name, a in ((name, tally.agreement) for name, tally in rows.items())
    ]
    return _table(["", "agreement", "same value", "any value", "no value", "prompt failed"], cells)


def _outdated_table(facts: Iterable[OutdatedFact]) -> str:
    head = ["question", "said", "untrue since", "for", "true now"]
    return _table(head, [_outdated_cells(fact) for fact in facts], numbers=False)


def _outdated_cells(fact: OutdatedFact) -> Cells:
    day, lag = words.since(fact)
    return [
        markdown(clean_end(fact.asked, 160)),
        markdown(fact.said, 100),
        day,
        lag,
        markdown(words.now(fact, 200)),
    ]


def _table(head: Cells, rows: Iterable[Cells], *, numbers: bool = True) -> str:
    """A table whose columns line up in the source too; all but the first to the right if ``numbers``."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(head))]
    rule = ["-" * (w - 1) + ":" if numbers and i else "-" * w for i, w in enumerate(widths)]
    return "\n".join(_line(row, widths, numbers) for row in [cells[0], rule, *cells[1:]])


def _line(row: Cells, widths: Sequence[int], numbers: bool) -> str:
    padded = [
        c.rjust(w) if numbers and i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def _list(lines: Iterable[words.Line]) -> str:
    return "\n".join(f"- {name}: {markdown(text, 400)}" for name, text in lines)


def _note(text: str) -> str:
    return f"<sub>{markdown(text, 1000)}</sub>"
