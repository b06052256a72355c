"""Runs with numbers on the HTML page, as plain values that its template places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from freshness.history.choices import ChoiceFigures, Share
from freshness.report import choices, words
from freshness.report.choices import Line
from freshness.report.data import ModelReport
from freshness.report.figure import ticks
from freshness.report.references import references
from freshness.report.text import DASH, clean, clean_name, percent, percent_range, word
from freshness.verdicts import Verdict


def cards(model: ModelReport, figures: ChoiceFigures) -> list[tuple[str, str, str]]:
    """Name, figure and small print of the average over the kinds; dashes where nothing was answered."""
    mean = choices.average(figures)
    if mean is None:
        return [(word(verdict), DASH, "no answers") for verdict in model.verdicts]
    told = [(word(verdict), percent(share.value), _range(share)) for verdict, share in mean.shares.items()]
    if mean.correct.chance:
        told.append(("chance", percent(mean.correct.chance), words.AGAINST[mean.against]))
    return told


def _range(share: Share) -> str:
    return f"{percent_range((share.low, share.high))} (95%)"


def section(model: ModelReport, figures: ChoiceFigures) -> dict[str, Any]:
    """What the page says of one model's numbers."""
    choosing = model.is_choosing
    return {
        "unanswered": "" if figures.kinds else words.UNANSWERED,
        "choosing": choosing,
        "kinds": _kinds(figures) if choosing else None,
        "references": words.REFERENCES if choosing else "",
        "categories": [_row(line, choosing) for line in choices.categories(figures)],
        "verdicts": [str(verdict) for verdict in choices.verdicts(figures)],
        "picture": _picture(figures, choosing),
        "rules": [] if choosing else _rules(model),
        "known": [_known(name, figures) for name in sorted(figures.known)],
    }


def _kinds(figures: ChoiceFigures) -> dict[str, Any]:
    """The cells of TempUN's table 3."""
    mean = choices.average(figures)
    columns = [*choices.kinds(figures), *([mean] if mean else [])]
    rows = [("n", "", [f"{line.n:,}" for line in columns])]
    for verdict in choices.verdicts(figures):
        shares = [line.shares[verdict] for line in columns]
        rows.append((word(verdict), "all", [percent(share.value) for share in shares]))
        rows.append(("95% interval", "soft", [percent_range((s.low, s.high)) for s in shares]))
        if verdict is Verdict.CORRECT:
            rows.append(("chance", "soft", [percent(line.correct.chance) for line in columns]))
            rows.append(("against chance", "soft", [line.against or DASH for line in columns]))
    for model in references():
        scored = [*(model.kinds["correct"].get(line.name) for line in columns[:-1]), model.average["correct"]]
        rows.append((model.name, "paper", [percent(share) for share in scored]))
    heads = [(word(line.name), choices.PAPER_KINDS.get(line.name, "")) for line in columns]
    return {"heads": heads, "rows": rows}


def _row(line: Line, choosing: bool) -> dict[str, Any]:
    x, bar = 0.0, []
    for verdict, share in line.shares.items():
        width = 100 * share.value
        if width:
            bar.append((str(verdict), round(x, 3), round(width, 3), percent(share.value)))
        x += width
    papers = [found for model in references() if (found := model.of_category(line.name)) is not None]
    return {
        "name": clean_name(word(line.name)),
        "n": f"{line.n:,}",
        "bar": bar,
        "shares": [percent(share.value) for share in line.shares.values()],
        "interval": percent_range((line.correct.low, line.correct.high)),
        "chance": percent(line.correct.chance) if choosing else "",
        "against": line.against or DASH if choosing else "",
        "paper": percent_range((min(papers), max(papers))) if papers and choosing else "",
    }


def _rules(model: ModelReport) -> list[tuple[str, str, str, str]]:
    found = choices.rules(model.counted_trials)
    return [
        (clean(word(rule), 60), str(verdict), f"{n:,}", percent(share)) for verdict, rule, n, share in found
    ]


def _known(name: str, figures: ChoiceFigures) -> tuple[str, str, str, str, str]:
    found = figures.known[name]
    return clean_name(name), *words.newest_known(found), str(found.newest), f"{found.questions:,}"


def _picture(figures: ChoiceFigures, choosing: bool) -> dict[str, Any] | None:
    """The shares by year, in per cent of the axes; None where there is nothing to draw."""
    spans = choices.spans(figures)
    if not spans:
        return None
    low, high = min(first for first, _ in spans) - 0.5, max(last for _, last in spans) + 0.5
    drawn = choices.drawn(figures)

    def place(year: float) -> float:
        return round(100 * (year - low) / (high - low), 2)

    return {
        "ticks": [(year, place(year)) for year in ticks(low, high)],
        "levels": [(f"{level}%", 100 - level) for level in (0, 25, 50, 75, 100)],
        "spans": [
            {
                "name": line.name,
                "told": _told(line, drawn),
                "chance": (place(first - 0.5), place(last + 0.5), _down(line.correct.chance)),
                "dots": _dots(line, drawn, place((first + last) / 2)),
            }
            for (first, last), line in spans.items()
        ],
        "paper": [(model.name, _down(model.average["correct"])) for model in references()]
        if choosing
        else [],
        "drawn": [str(verdict) for verdict in drawn],
        "chance": choosing,
    }


def _down(share: float) -> float:
    """From the top of the picture, in per cent of its height."""
    return round(100 * (1 - share), 2)


def _dots(line: Line, drawn: Sequence[Verdict], x: float) -> list[dict[str, Any]]:
    """One a verdict, beside each other."""
    return [
        {
            "verdict": str(verdict),
            "x": round(x + 0.9 * (number - (len(drawn) - 1) / 2), 2),
            "y": _down(line.shares[verdict].value),
            "high": _down(line.shares[verdict].high),
            "low": _down(line.shares[verdict].low),
        }
        for number, verdict in enumerate(drawn)
    ]


def _told(line: Line, drawn: Sequence[Verdict]) -> str:
    """The same for those who don't see the picture."""
    shares = ", ".join(f"{word(verdict)} {percent(line.shares[verdict].value)}" for verdict in drawn)
    return f"{line.name}: {shares}, of {line.n:,}"
