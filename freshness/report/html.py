"""The report as one HTML file: no script, nothing loaded from anywhere, readable on a phone and in the dark.

Everything is escaped by Jinja's autoescape; a content security policy forbids what might slip through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from freshness.history import Counts, OutdatedFact, Tally, Trial, judgement_of
from freshness.report import choice_html, palette, words
from freshness.report.data import ModelReport, Report
from freshness.report.figure import Row, extent, rows, ticks
from freshness.report.files import write_file
from freshness.report.text import (
    DASH,
    clean,
    clean_end,
    clean_name,
    duration,
    excerpt,
    percent,
    percent_range,
    word,
)
from freshness.verdicts import Verdict

ASKED = 900
"""Characters of a prompt: four options of five numbers each have their place."""

TRIALS_SHOWN = 3_000
"""So many answers a phone can still scroll; JSON has all."""


def write_html(report: Report, path: Path) -> None:
    """Writes the page whole or not at all; raises ``UsageError`` for a path that can't be written."""
    write_file(path, render(report).encode())


def render(report: Report) -> str:
    """The page."""
    environment = Environment(
        loader=PackageLoader("freshness.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["word"] = word
    return environment.get_template("report.html.j2").render(_page(report))


def _page(report: Report) -> dict[str, Any]:
    trials = [(model, trial) for model in report.models for trial in model.trials]
    verdicts = list(dict.fromkeys(verdict for model in report.models for verdict in model.verdicts))
    single = report.models[0] if len(report.models) == 1 else None
    return {
        "palette": palette.css(),
        "title": f"How fresh is {clean_name(single.name)}?"
        if single
        else f"How fresh are {len(report.models)} models?",
        "provenance": words.provenance(report.run) if report.run else [],
        "cards": _cards(single) if single else [],
        "numbers": choice_html.section(single, single.choices) if single and single.choices else None,
        "data": words.data(report.run) if report.run else [],
        "shares": _share_rows(report.models, verdicts),
        "shares_by": "group" if single else "model",
        "averages": [_average_row(m.name, m.tally, verdicts) for m in report.models],
        "verdicts": [str(verdict) for verdict in verdicts],
        "findings": [(clean_name(m.name), words.findings(m)) for m in report.models],
        "window": _window(report.models),
        "outdated": [_outdated_part(part) for part in report.outdated_parts()],
        "groups": _answers(trials[:TRIALS_SHOWN], single is None, _rights(report)),
        "left_out": max(0, len(trials) - TRIALS_SHOWN),
        "all_in": "json" if report.run else "jsonl",
        "declared": any(model.declared for model in report.models),
        "method": words.method(report, starred=False),
    }


def _cards(model: ModelReport) -> list[tuple[str, str, str]]:
    """Name, figure and small print of what matters most."""
    if model.choices:
        return choice_html.cards(model, model.choices) + _cutoff_card(model)
    bound, lag = model.tally.upper_bound, model.tally.lag.to_json()
    intervals = bound.intervals()
    cards = [
        (
            word(verdict),
            percent(bound.ratio(verdict)),
            f"{percent_range(intervals[str(verdict)])} (95%)",
        )
        for verdict in model.verdicts[:2]
    ]
    agreement = model.tally.agreement
    cards.append(("agreement", percent(agreement.ratio), f"{agreement.same} of {agreement.named} questions"))
    if lag["median_days"] is not None:
        cards.append(("median lag", duration(lag["median_days"]), f"longest {duration(lag['max_days'])}"))
    return cards + _cutoff_card(model)


def _cutoff_card(model: ModelReport) -> list[tuple[str, str, str]]:
    body = model.window.to_json() if model.window else {}
    if body.get("status") != "estimated":
        return []
    cutoff = body["cutoff"]
    return [("training cutoff", cutoff["estimate"], f"{cutoff['low']} to {cutoff['high']} (90%)")]


def _share_rows(models: Sequence[ModelReport], verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """A single model by group, several side by side."""
    if len(models) == 1:
        return [_share_row(name, tally, verdicts) for name, tally in models[0].parts().items()]
    return [_share_row(model.name, model.tally, verdicts) for model in models]


def _share_row(name: str, tally: Tally, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "name": clean_name(words.group(name)) or "(no name)",
        "n": tally.upper_bound.total,
        "shares": _shares(tally.upper_bound, verdicts),
        "agreement": percent(tally.agreement.ratio),
        "bar": _bar(tally.upper_bound),
    }


def _average_row(name: str, tally: Tally, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    shares = _shares(tally.average, verdicts)
    return {"name": clean_name(name), "n": tally.average.total, "shares": shares}


def _shares(counts: Counts, verdicts: Sequence[Verdict]) -> list[str]:
    """A dash for what this model's suite never says."""
    return [percent(counts.ratio(v)) if v in counts.by_verdict else DASH for v in verdicts]


@dataclass(frozen=True, slots=True)
class _Segment:
    verdict: str
    x: float
    width: float
    text: str


def _bar(counts: Counts) -> list[_Segment]:
    """The parts of a bar in per cent of its width; a label only where it fits."""
    segments, x = [], 0.0
    for verdict in counts.by_verdict:
        width = 100 * (counts.ratio(verdict) or 0.0)
        if width:
            segments.append(_Segment(str(verdict), round(x, 3), round(width, 3), percent(width / 100)))
        x += width
    return segments


def _window(models: Sequence[ModelReport]) -> dict[str, Any] | None:
    """The window picture in per cent of the axis; None when there is nothing to draw."""
    drawn = rows(models)
    if not drawn:
        return None
    low, high = extent(drawn)
    return {
        "ticks": [(year, _place(year, low, high)) for year in ticks(low, high)],
        "rows": [_placed(row, low, high) for row in drawn],
    }


def _placed(row: Row, low: float, high: float) -> dict[str, Any]:
    return {
        "name": row.name,
        "box": [_place(year, low, high) for year in row.box] if row.box else None,
        "cutoff": [_place(year, low, high) for year in row.cutoff] if row.cutoff else None,
        "declared": _place(row.declared, low, high) if row.declared is not None else None,
        "cut_at": row.cut_at(low),
    }


def _place(year: float, low: float, high: float) -> float:
    return round(100 * (max(low, year) - low) / (high - low), 2)


def _outdated_part(part: Sequence[OutdatedFact]) -> dict[str, Any]:
    """What is outdated with the heads of its table."""
    heads = ("Outdated facts", "untrue since", "true now")
    if part[0].question.numeric:
        heads = ("Older values", "which is", "right")
    return {"title": heads[0], "since": heads[1], "now": heads[2], "rows": [_outdated(fact) for fact in part]}


def _outdated(fact: OutdatedFact) -> dict[str, Any]:
    if fact.question.numeric:
        return _older_number(fact)
    day, lag = words.since(fact)
    return {
        "question": clean_end(fact.asked, 160),
        "said": clean(fact.said, 100),
        "since": day,
        "lag": lag,
        "now": words.now(fact, 200),
        "answer": _excerpt(fact.trial),
        "rule": judgement_of(fact.trial).rule,
    }


def _older_number(fact: OutdatedFact) -> dict[str, Any]:
    asked, said, which, right = words.older_number(fact)
    rule = judgement_of(fact.trial).rule
    answer = _excerpt(fact.trial)
    return {
        "question": asked,
        "said": said,
        "since": which,
        "lag": "",
        "now": right,
        "answer": answer,
        "rule": rule,
    }


def _excerpt(trial: Trial) -> tuple[str, str, str]:
    return excerpt(trial.answer.text, trial.judgement.span if trial.judgement else None)


def _rights(report: Report) -> dict[str, str]:
    """What would have been right, by question id, of runs with numbers."""
    asked = report.run.questions if report.run else ()
    return {question.id: clean(words.right(question.numeric), 120) for question in asked if question.numeric}


def _answers(
    trials: Iterable[tuple[ModelReport, Trial]], several: bool, rights: Mapping[str, str]
) -> dict[str, list[dict[str, Any]]]:
    """Answers by group; by model and group where there are several models."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for model, trial in trials:
        group = clean(words.group(trial.group), 60) or "(no name)"
        name = f"{clean_name(model.name)}: {group}" if several else group
        groups.setdefault(name, []).append(_answer(trial) | {"right": rights.get(trial.question, "")})
    return groups


def _answer(trial: Trial) -> dict[str, Any]:
    judgement = trial.judgement
    return {
        "asked": clean_end(trial.asked, ASKED),
        "answer": _excerpt(trial),
        "error": clean(trial.answer.error or "no answer", 300) if judgement is None else None,
        "verdict": str(judgement.verdict) if judgement else "error",
        "matched": clean(judgement.matched or "", 100) if judgement else "",
        "rule": clean(judgement.rule, 60) if judgement else clean(trial.answer.error_kind or "", 60),
    }
