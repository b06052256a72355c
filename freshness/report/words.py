"""The sentences that stand beside the tables, the same in every format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from freshness.facts import PartialDate
from freshness.history import OutdatedFact, Run, Tally, judgement_of
from freshness.history.choices import LEAST_ANSWERS, Against
from freshness.questions import NumericKey
from freshness.report.data import INDICATORS, INSTEAD, SAMPLE, ModelReport, Report, prompts_per_second
from freshness.report.references import SOURCE
from freshness.report.text import DASH, clean, clean_name, counted, duration, joined, percent, seconds, word
from freshness.series import CATEGORIES
from freshness.verdicts import Verdict

Line = tuple[str, str]
"""A short name and what is to be said under it; plain text, not yet escaped for its place."""

METHOD = (
    "Upper bound: the best answer that any prompt of a question brings. "
    "Average: every prompt counts. "
    "Agreement: all prompts name the same value, of the questions where any names one. "
    "Prompts that failed count nowhere."
)
PUBLISHED = "Irrelevant* adds up irrelevant, refused and unreadable, as DyKnow publishes it."

CHOOSING = (
    "In averages each kind weighs the same, as in TempUN's table 3. Intervals are Wilson's, 95%. "
    "Chance: what guessing would bring. Above or below it: too far for luck (5%, all rows of a table "
    f"together, by Holm's method); rows of fewer than {LEAST_ANSWERS} answers are not tested. "
    "Prompts that failed count nowhere."
)
REFERENCES = f"The models named: correct answers in {SOURCE}."
OPEN = (
    "Correct: within 1% of that year's value as it is known now, or within 5% where nothing older is nearer. "
    "Outdated: the value of an older year, or what an older edition of the data said. "
    "Prompts that failed count nowhere."
)

UNANSWERED = "No question of the sample was answered: there are no shares to show."
"""Stands where the figures of a run with numbers would be."""

AGAINST: Final[Mapping[Against, str]] = {
    "above": "above chance",
    "below": "below chance",
    "": "not told from chance",
}
"""Beside a share by itself; in a table the column is "against chance"."""

LETTERS = tuple(f"({letter})" for letter in "abcdefghijklmnopqrstuvwxyz")

_KNOWN = {
    "reaches_newest": "{estimate} or later",
    "at_chance": "no sign of any",
    "too_few": "too few answers",
}
_STATUS = {
    "before_range": "ends before the first event that was asked about",
    "after_range": "reaches past the last event that was asked about",
    "too_few": "can't be told: too little dated evidence",
    "inconsistent": "can't be told: older events are known no better than newer ones",
}


def provenance(run: Run) -> list[Line]:
    """Who was asked what, when, about which record of the world, and how."""
    served = f" ({clean_name(run.served_model, 60)})" if run.served_model not in ("", run.model) else ""
    how = [str(run.details[key]) for key in ("style", "dtype", "device") if run.details.get(key)]
    batch = run.details.get("batch_size")
    digest = f"digest {run.snapshot_digest[:12]}"
    sample = run.details.get(SAMPLE)
    world = ("series", "series") if sample else ("facts", "snapshot")
    lines = [
        ("model", f"{clean_name(run.model)}{served}"),
        ("asked", f"{run.started_at:%Y-%m-%d %H:%M} UTC, as of {run.as_of}, suite {run.suite}"),
        (world[0], f"{run.snapshot_source} {world[1]} of {run.snapshot_taken_at:%Y-%m-%d}, {digest}"),
        ("questions", _sample(sample) if sample else ""),
        ("how", ", ".join([*how, *([f"batch {batch}"] if batch else []), *_took(run)])),
    ]
    if run.details.get(INSTEAD):
        lines.insert(-1, ("note", str(run.details[INSTEAD])))
    if run.status != "finished":
        lines.append(("status", f"{run.status}: what follows is what was answered so far"))
    return [(name, clean(text, 400)) for name, text in lines if text]


def _sample(sample: Mapping[str, Any]) -> str:
    """How the questions of a run with numbers were chosen."""
    size, among = sample["questions"], sample["among"]
    told = [f"{size:,} of {among:,}, a stratified sample" if size < among else f"all {size:,}"]
    told += [f"of kind {', '.join(sample['kinds'])}"] if sample.get("kinds") else []
    told += [f"about {', '.join(sample['entities'])}"] if sample.get("entities") else []
    told += [f"seed {sample['seed']}"]
    return ", ".join([*told, *([f"{sample['distractors']} distractors"] if "distractors" in sample else [])])


def data(run: Run) -> list[Line]:
    """Whose data the questions are from: citation and licence of each indicator, as their publisher asks."""
    found = run.details.get(INDICATORS, {})
    return [(clean_name(name), clean(_cited(told), 600)) for name, told in sorted(found.items())]


def data_in_short(run: Run) -> list[Line]:
    """The same for a screen: edition, who made them, licence, and which indicators these are."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, told in sorted(run.details.get(INDICATORS, {}).items()):
        # Of a long citation the first sentence says whose data they are; what follows is their titles.
        short = dict(told) | {"citation": told.get("citation", "").partition(". “")[0], "vintage": ""}
        found.setdefault((told.get("vintage", ""), _cited(short)), []).append(clean_name(name))
    return [(vintage, f"{clean(text, 300)}: {', '.join(names)}") for (vintage, text), names in found.items()]


def _cited(told: Mapping[str, str]) -> str:
    edition = f"edition of {told['vintage']}" if told.get("vintage") else ""
    return joined(told.get("citation", ""), told.get("licence", ""), edition)


def _took(run: Run) -> list[str]:
    """How long it took, where that was measured, and how fast, where there was anything to wait for."""
    if run.seconds is None:
        return []
    rate = None if run.details.get("kind") in ("recorded", "scripted") else prompts_per_second(run)
    return [seconds(run.seconds), *([f"{rate:,.1f} prompts/s"] if rate else [])]


def method(report: Report, *, starred: bool = True) -> str:
    """How to read the numbers of this report; ``starred``: also what the starred column is."""
    told = [_method(model) for model in report.models] or [METHOD]
    has_star = starred and any(Verdict.IRRELEVANT in model.verdicts for model in report.models)
    return " ".join([*dict.fromkeys(told), *([PUBLISHED] if has_star else [])])


def _method(model: ModelReport) -> str:
    if model.choices is None:
        return METHOD
    return OPEN if Verdict.OUTDATED in model.verdicts else CHOOSING


def group(name: str) -> str:
    """A group's name; of categories of numbers as it reads: ``human rights``."""
    return word(name) if name in CATEGORIES else name


def right(key: NumericKey) -> str:
    """What is right: the option with its letter, or the value with its unit."""
    if key.options:
        return f"{key.answer} {key.options[LETTERS.index(key.answer)]}"
    values = key.answer_value if isinstance(key.answer_value, tuple) else (key.answer_value,)
    return f"{', '.join(_number(value) for value in values)} {key.unit}".strip()


def about(key: NumericKey) -> str:
    """A question about a number in short: ``France, life-expectancy, trend 2001–2010``."""
    first, last = min(key.years), max(key.years)
    years = f"{first}" if first == last else f"{first}{DASH}{last}"
    kind = f"{key.kind} " if key.options else ""
    return f"{clean(key.entity, 60)}, {clean_name(key.indicator)}, {kind}{years}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.5g}"


def older_number(fact: OutdatedFact) -> tuple[str, str, str, str]:
    """What was asked, what was said, of which year or edition that is, and what is right."""
    key, judgement = fact.question.numeric, judgement_of(fact.trial)
    if key is None:
        raise ValueError(f"{fact.question.id} is not about a number")
    said = clean(judgement.mention or fact.said, 60)
    return about(key), said, f"{clean(fact.said, 60)}, {word(judgement.rule)}", right(key)


class Known(Protocol):
    """The newest year known of an indicator, as ``history.KnownYears`` has it."""

    @property
    def status(self) -> str: ...
    @property
    def newest(self) -> int: ...
    @property
    def estimate(self) -> int | None: ...
    @property
    def low(self) -> int | None: ...
    @property
    def high(self) -> int | None: ...


def newest_known(found: Known) -> tuple[str, str]:
    """The newest year known in words, and its interval; the latter empty where there is none."""
    told = _KNOWN.get(found.status, "{estimate}").format(estimate=found.estimate)
    if found.low is None or found.high is None:
        return told, ""
    open_end = found.high >= found.newest
    return told, f"{found.low} or later" if open_end else f"{found.low}{DASH}{found.high}"


def findings(model: ModelReport) -> list[Line]:
    """Agreement, lag, window and errors of one model; only what there is something to say about."""
    lines = [("agreement", _agreement(model.tally))]
    lines.append(("older values", _older(model.tally)) if model.choices else ("lag", _lag(model.tally)))
    if model.window:
        lines.append(("training data", window_sentence(model.window.to_json(), model.declared)))
    if model.choices and model.choices.extra:
        more = counted(model.choices.extra, "question")
        lines.append(("beside", f"{more} about the newest years, for the newest year known alone"))
    if model.tally.failed_prompts:
        lines.append(("errors", _errors(model.tally)))
    return [(name, text) for name, text in lines if text]


def _agreement(tally: Tally) -> str:
    agreement = tally.agreement
    if not agreement.named:
        return ""
    named = f"{agreement.same} of {counted(agreement.named, 'question')}"
    text = f"{percent(agreement.ratio)} ({named} that any prompt named a value for)"
    return text + (f"; {agreement.incomplete} left out, a prompt failed" if agreement.incomplete else "")


def _older(tally: Tally) -> str:
    """How far back the older values lie that open answers gave."""
    lag = tally.lag.to_json()
    if not tally.lag.values:
        return ""
    span = f"median {lag['median_values']:g} years, longest {lag['max_values']:g}"
    return f"{span}, before the year asked about ({counted(len(tally.lag.values), 'answer')})"


def _lag(tally: Tally) -> str:
    lag = tally.lag
    if not lag.facts:
        return ""
    if not lag.days:
        return f"{counted(lag.facts, 'outdated fact')}, since nobody recorded when"
    body = lag.to_json()
    text = f"median {duration(body['median_days'])}, longest {duration(body['max_days'])}"
    if lag.values:
        text += f"; median {counted_values(body['median_values'])} behind"
    return f"{text} ({counted(lag.facts, 'outdated fact')})"


def counted_values(n: float | None) -> str:
    """``1 value``, ``2.5 values``."""
    return "1 value" if n == 1 else f"{n:g} values"


def window_sentence(body: Mapping[str, Any], declared: str | None = None) -> str:
    """What is known of a training window, from ``WindowEstimate.to_json()``."""
    cutoff, window = body.get("cutoff"), body.get("window")
    parts = []
    if window:
        parts.append(f"mostly {window['start']} to {window['end']}")
    if cutoff:
        parts.append(f"cutoff {cutoff['estimate']} (90% interval {cutoff['low']} to {cutoff['high']})")
    if body["status"] in _STATUS:
        parts.append(_STATUS[body["status"]])
    if declared:
        parts.append(f"declared {declared}")
    return "; ".join(parts)


def _errors(tally: Tally) -> str:
    kinds = ", ".join(f"{clean(kind, 40)} {n}" for kind, n in sorted(tally.failed_prompts.items()))
    text = f"{counted(sum(tally.failed_prompts.values()), 'prompt')} failed ({kinds}) and count nowhere"
    if tally.failed_questions:
        text += f"; {counted(tally.failed_questions, 'question')} got no answer at all"
    return text


def since(fact: OutdatedFact) -> tuple[str, str]:
    """Since when a value is untrue, and how long that is: ``("2022-10-22", "14 months")``."""
    days = judgement_of(fact.trial).lag_days
    return _when(fact.since), duration(days) if days is not None else "unknown"


def _when(day: PartialDate | None) -> str:
    return str(day) if day else "unknown"


def now(fact: OutdatedFact, limit: int = 80) -> str:
    """What is true now; an office can be vacant, and then nothing is."""
    return clean(", ".join(fact.now), limit) if fact.now else "vacant or unknown"
