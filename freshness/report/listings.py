"""Terminal tables of the commands beside the report: ``compare`` and ``history``."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from freshness.history import Comparison, Counts, Pair, Run, Step, Trial, judged_alike, judgement_of
from freshness.report.bars import COLOURS, Bar
from freshness.report.choices import Line, average, in_thousandths
from freshness.report.data import SAMPLE
from freshness.report.fitting import Fitted, Hyphenated
from freshness.report.tables import lines, table
from freshness.report.text import DASH, clean, clean_end, clean_name, counted, p_value, percent, word
from freshness.report.words import about
from freshness.verdicts import Verdict, verdicts_of

ROWS = 25
"""As many differing questions as fit a screen; JSON has all."""

ID = 64
"""Ids are never cut in practice; a hostile one is."""


def compare_view(a: Run, b: Run, comparison: Comparison) -> RenderableType:
    """``compare A B``: the four-way count, the paired test, and the questions that tell them apart."""
    names = labels(a, b)
    counts = [
        ("a", _whose(a)),
        ("b", _whose(b)),
        ("both correct", str(comparison.both)),
        (f"only {names[0]}", str(len(comparison.only_a))),
        (f"only {names[1]}", str(len(comparison.only_b))),
        ("neither", str(comparison.neither)),
        (
            "paired test",
            f"{p_value(comparison.p_value)} (McNemar, exact, {counted(comparison.questions, 'question')})",
        ),
    ]
    if comparison.unpaired:
        counts.append(
            ("left out", f"{counted(comparison.unpaired, 'question')} that only one of them answered")
        )
    counts += [("note", text) for text in unlike(a, b)]
    differing = (*comparison.only_a, *comparison.only_b)
    parts: list[RenderableType] = [lines(counts)]
    if differing:
        parts += ["", pair_table(differing, *names, asked(b))]
    return Group(*parts)


def labels(a: Run, b: Run) -> tuple[str, str]:
    """What the two sides are called: by their models, and by their runs where that is one model."""
    if a.model != b.model:
        return clean_name(a.model), clean_name(b.model)
    return _by_run(a), _by_run(b)


def _by_run(run: Run) -> str:
    return f"{clean_name(run.model)} ({clean(run.id, ID)})"


def _whose(run: Run) -> str:
    when = f"asked {run.started_at:%Y-%m-%d %H:%M} UTC, as of {run.as_of}"
    return f"{clean_name(run.model)}, run {clean(run.id, ID)}, {when}"


def unlike(a: Run, b: Run) -> list[str]:
    """Why two runs are not like with like, in sentences; empty when they are."""
    told = []
    if a.as_of != b.as_of:
        told.append(f"asked as of different dates: {a.as_of} and {b.as_of}")
    if differing := _samples_differ((a, b)):
        how = (f"{name} {' and '.join(words)}" for name, words in differing.items())
        told.append(f"asked different samples of questions: {', '.join(how)}")
    if not judged_alike(a, b):
        told.append(f"judged by different snapshots: {' and '.join(_snapshots((a, b)))}")
    if a.judge != b.judge:
        told.append(
            f"judged by different versions: {clean(a.judge, 40)} and {clean(b.judge, 40)}; see regrade"
        )
    return told


_SAMPLE_WORDS = {"questions": "size", "among": "drawn from"}


def _samples_differ(runs: Sequence[Run]) -> dict[str, list[str]]:
    """By what was told of each sample, what differs among the runs: a word for each of them."""
    samples = [run.details.get(SAMPLE) or {} for run in runs]
    names = dict.fromkeys(name for sample in samples for name in sample)
    words = {name: [_sample_word(sample.get(name)) for sample in samples] for name in names}
    told = {_SAMPLE_WORDS.get(name, name): found for name, found in words.items() if len(set(found)) > 1}
    # How many there were to draw from follows from the others.
    return {name: found for name, found in told.items() if name != _SAMPLE_WORDS["among"] or len(told) == 1}


def _sample_word(value: object) -> str:
    if isinstance(value, list):
        return clean(", ".join(map(str, value)), 120)
    return "all" if value is None else f"{value:,}" if isinstance(value, int) else clean(str(value), 40)


_MOMENTS = ("%Y-%m-%d", "%Y-%m-%d %H:%M UTC", "%Y-%m-%d %H:%M:%S UTC")


def _snapshots(runs: Sequence[Run]) -> list[str]:
    """What each was judged by, with as much of the time as it takes to tell different ones apart."""
    digests = [run.snapshot_digest for run in runs]
    for moment in _MOMENTS:
        told = [f"{clean(run.snapshot_source, 40)} of {run.snapshot_taken_at:{moment}}" for run in runs]
        if len(set(zip(told, digests, strict=True))) == len(set(told)):
            return told
    return [f"{text} ({clean(digest[:8])})" for text, digest in zip(told, digests, strict=True)]


def asked(run: Run) -> dict[str, str]:
    """What a person would call each question, by its id: its first prompt; of numbers what they are."""
    called = ((question, question.numeric) for question in run.questions if question.prompts)
    return {question.id: about(key) if key else question.prompts[0].question for question, key in called}


def pair_table(pairs: Sequence[Pair], a: str, b: str, names: Mapping[str, str]) -> RenderableType:
    """One row a question: what either side said of it. ``names``: questions by id."""
    view = table()
    view.add_column("question", ratio=4)
    view.add_column(Text(a), ratio=3)
    view.add_column(Text(b), ratio=3)
    view.expand = True
    for pair in pairs[:ROWS]:
        question = names.get(pair.b.question, pair.b.question)
        view.add_row(Hyphenated(clean_end(question, 90)), _said(pair.a), _said(pair.b))
    if len(pairs) <= ROWS:
        return Fitted(view)
    return Group(Fitted(view), Text(f"… and {len(pairs) - ROWS:,} more: --format json has all", "dim"))


def _said(trial: Trial) -> Text:
    judgement = judgement_of(trial)
    matched = (
        f"{clean(judgement.matched, 40)} ({word(judgement.verdict)})"
        if judgement.matched
        else word(judgement.verdict)
    )
    return Text(matched, COLOURS[judgement.verdict])


_HEADS = ("n", "correct", "outdated", "agree", "changed")


def history_view(steps: Sequence[Step]) -> RenderableType:
    """``history MODEL``: one row a run, and under the table what changed between the last two."""
    rows = [_step_row(step) for step in steps]
    view = table()
    view.add_column("run", no_wrap=True)
    view.add_column("when", no_wrap=True)
    for head in dict.fromkeys(head for row in rows for head in row.shares) or _HEADS:
        view.add_column(head, justify="right", no_wrap=True)
    view.add_column("", ratio=1)
    view.expand = True
    for row in rows:
        view.add_row(*row.head, *row.shares.values(), Bar(row.counts))
    changes = [*_settings([step.run for step in steps]), *_changes(steps[-1])] if steps else []
    return Group(Fitted(view), *changes)


def _settings(runs: Sequence[Run]) -> list[RenderableType]:
    """Where runs are not like the ones before: in what they differ, and a note that it matters."""
    found = [unlike(a, b) for a, b in itertools.pairwise(runs)]
    if not any(found):
        return []
    is_alike = all(judged_alike(a, b) for a, b in itertools.pairwise(runs))
    columns = {
        "as of": [str(run.as_of) for run in runs],
        "judged by": [] if is_alike else _snapshots(runs),
        "judge": [clean(run.judge, 40) for run in runs],
    }
    differing = {head: told for head, told in columns.items() if len(set(told)) > 1} | _samples_differ(runs)
    view = table("Not all of these runs are alike")
    for head in ("run", *differing):
        view.add_column(head, no_wrap=head == "run")
    for row in zip((clean(run.id, ID) for run in runs), *differing.values(), strict=True):
        view.add_row(*map(Text, row))
    where = sum(bool(told) for told in found)
    note = f"A change may come from that and not from the model ({counted(where, 'time')} among these runs)."
    last = [f"The last two runs were {told}." for told in found[-1]]
    return ["", Fitted(view), Text(" ".join([note, *last]), "dim")]


@dataclass(frozen=True, slots=True)
class _Row:
    """One run of the history: ``shares`` by the heads of their columns."""

    head: tuple[Text, str]
    shares: Mapping[str, str]
    counts: Counts


def _step_row(step: Step) -> _Row:
    mark = "" if step.run.status == "finished" else f" ({step.run.status})"
    head = Text(clean(step.run.id, ID)), f"{step.run.started_at:%Y-%m-%d %H:%M}{mark}"
    gone = len(step.newly_outdated) + len(step.lost)
    # Of a first run, and of one that asked other questions, there is no change to tell.
    changed = {"changed": f"+{len(step.newly_correct)} -{gone}" if step.paired else DASH}
    if step.choices:
        mean = average(step.choices)
        bar = in_thousandths(mean) if mean else step.tally.upper_bound
        return _Row(head, _number_shares(mean, step.run.suite) | changed, bar)
    counts = step.tally.upper_bound
    shares = {
        "n": f"{counts.total:,}",
        **{word(verdict): percent(counts.ratio(verdict)) for verdict in tuple(counts.by_verdict)[:2]},
        "agree": percent(step.tally.agreement.ratio),
    }
    return _Row(head, shares | changed, counts)


def _number_shares(mean: Line | None, suite: str) -> dict[str, str]:
    """Of a run with numbers, as its report has them: each kind weighs the same; None: nothing answered."""
    found = {verdict: percent(mean.shares[verdict].value if mean else None) for verdict in verdicts_of(suite)}
    shares = {"n": f"{mean.n:,}" if mean else "0", "correct": found[Verdict.CORRECT]}
    if Verdict.OUTDATED in found:
        return shares | {"outdated": found[Verdict.OUTDATED]}
    chance = f"{100 * mean.correct.chance:.0f}%" if mean else DASH
    return shares | {"chance": chance, "n/a": found[Verdict.NOT_AVAILABLE]}


def _changes(step: Step) -> list[RenderableType]:
    kinds = (
        ("newly correct", step.newly_correct),
        ("newly outdated", step.newly_outdated),
        ("lost", step.lost),
    )
    parts: list[RenderableType] = []
    for title, changed in kinds:
        if changed:
            heading = Text(f"{title} since the run before ({len(changed)})", "bold")
            parts += ["", heading, pair_table(changed, "before", "now", asked(step.run))]
    return parts
