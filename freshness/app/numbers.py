"""Questions about numbers: from which series, which of them, and what is left out."""

from __future__ import annotations

import difflib
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from freshness.app import outputs, series
from freshness.app.setup import Asked, Choice, Say
from freshness.app.snapshots import Talk
from freshness.catalog import countries
from freshness.config import Settings
from freshness.errors import UsageError
from freshness.questions import CHOICE_KINDS, NumericKind
from freshness.report import INDICATORS, SAMPLE
from freshness.report.text import clean, counted, seconds, word
from freshness.series import NO_LICENCE, SeriesSnapshot

if TYPE_CHECKING:  # polars and numpy come with it
    from freshness.suites.numeric import LeftOut, Options

SUITES: Final[Mapping[str, tuple[NumericKind, ...]]] = {"numeric": CHOICE_KINDS, "next-word": ("next_word",)}
"""The kinds of questions that each suite of numbers can ask."""

OLD: Final = timedelta(days=400)
"""Yearly numbers get a year older every year: what is older than a bit more than that lacks a year."""

MOST_PARTS: Final = 4
"""A country's name has fewer commas than that."""

MOST_CITED: Final = 500
"""So many characters of an indicator's citation are kept with a run."""


def gather(settings: Settings, choice: Choice, talk: Talk, keep: bool) -> Asked:
    """A stratified sample, as large as ``choice.limit`` says, else the config; see ``asking.gather``."""
    from freshness.suites import numeric

    options = _options(settings, choice)
    found = _find(settings, choice, talk, keep)
    _warn_if_old(found.snapshot, choice, talk.warn)
    size = choice.limit or settings.numeric.questions
    drawn = numeric.sample(found.snapshot, choice.as_of, options, size)
    if not drawn.questions:
        raise UsageError(_why_nothing(found.snapshot, choice, drawn.left_out))
    details = {
        SAMPLE: _told(choice, options, len(drawn.questions), drawn.among),
        INDICATORS: _cited(found.snapshot, {q.numeric.indicator for q in drawn.questions if q.numeric}),
    }
    return Asked(drawn.questions, found.snapshot, found.instead, details)


def lines(settings: Settings, choice: Choice, talk: Talk) -> Iterator[dict[str, Any]]:
    """Every question as it is made, or with ``choice.limit`` a sample; see ``asking.lines``.

    When all are made a note tells how many others were left out, and why.
    """
    from freshness.suites import numeric

    if choice.limit is not None:
        return map(numeric.question_json, gather(settings, choice, talk, True).questions)
    options = _options(settings, choice)
    snapshot = _find(settings, choice, talk, True).snapshot
    _warn_if_old(snapshot, choice, talk.warn)
    return _all(snapshot, choice, options, talk.note)


def _all(snapshot: SeriesSnapshot, choice: Choice, options: Options, note: Say) -> Iterator[dict[str, Any]]:
    from freshness.suites import numeric

    left_out: LeftOut = Counter()
    count = 0
    for question in numeric.questions(snapshot.charts, choice.as_of, options, snapshot.older, left_out):
        count += 1
        yield numeric.question_json(question)
    if not count:
        raise UsageError(_why_nothing(snapshot, choice, left_out))
    note(f"{counted(count, 'question')}{_left_out(left_out)}")


def write_parquet(settings: Settings, choice: Choice, path: Path, talk: Talk) -> None:
    """Every question into a Parquet file; a note tells how many, how fast, and what is left out.

    Raises ``UsageError`` for a suite without numbers, a limit, and a path that can't be written.
    """
    from freshness.suites import numeric
    from freshness.suites.numeric.parquet import check_file

    if choice.suite not in SUITES:
        raise UsageError(f"--parquet is for numbers: use --suite {' or '.join(SUITES)}")
    if choice.limit is not None:
        raise UsageError("--parquet writes every question; leave --limit out")
    outputs.check(settings, path, [choice.snapshot, *choice.facts])
    check_file(path)
    options = _options(settings, choice)
    snapshot = _find(settings, choice, talk, True).snapshot
    begun = time.monotonic()
    written = numeric.write_parquet(snapshot.charts, choice.as_of, options, path)
    took = time.monotonic() - begun
    rate = f"{seconds(took)}, {written.questions / took:,.0f} a second" if took else seconds(took)
    talk.note(f"{counted(written.questions, 'question')} in {path} ({rate}){_left_out(written.left_out)}")


def _options(settings: Settings, choice: Choice) -> Options:
    from freshness.suites.numeric import Options

    wanted, there = choice.numbers, SUITES[choice.suite]
    for kind in wanted.kinds:
        if kind not in there:
            near = difflib.get_close_matches(kind, there, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(there)}"
            raise UsageError(f"suite {choice.suite} has no questions of kind {kind!r}; {hint}")
    return Options(
        seed=settings.numeric.seed if wanted.seed is None else wanted.seed,
        kinds=tuple(kind for kind in there if kind in wanted.kinds) or there,
        distractors=wanted.distractors or settings.numeric.distractors,
    )


def _find(settings: Settings, choice: Choice, talk: Talk, keep: bool) -> series.Found:
    found = series.find(settings, choice.snapshot, choice.facts, talk, keep=keep)
    return replace(found, snapshot=_of_entities(found.snapshot, choice.numbers.entities))


def _of_entities(snapshot: SeriesSnapshot, names: Collection[str]) -> SeriesSnapshot:
    """Only the countries of these names and codes, joined by commas or not.

    Raises ``UsageError`` for one that is in no chart.
    """
    if not names:
        return snapshot
    known = {
        name.casefold(): (name, one.code)
        for chart in snapshot.charts
        for one in chart.series
        if one.is_country
        for name in (one.entity, one.code)
    }
    codes = {name: code for name, (_, code) in known.items()}
    wanted: set[str] = set()
    for name in (part for text in names for part in _parts(text, codes)):
        code = _code(name, codes)
        if code is None:
            near = difflib.get_close_matches(name.casefold(), known, n=1)
            hint = f"; did you mean {known[near[0]][0]}?" if near else ""
            raise UsageError(f"no country {clean(name, 60)!r} in the {snapshot.source} series{hint}")
        wanted.add(code)
    charts = (
        replace(chart, series=tuple(one for one in chart.series if one.code in wanted))
        for chart in snapshot.charts
    )
    return replace(snapshot, charts=tuple(chart for chart in charts if chart.series))


def _code(name: str, codes: Mapping[str, str]) -> str | None:
    """The country of this code or name, also a former or another usual one; ``codes``: those there are."""
    usual = countries.code_of(name)
    return codes.get(name.casefold()) or codes.get(usual.casefold())


def _parts(text: str, codes: Mapping[str, str]) -> Iterator[str]:
    """What is joined by commas, but for names that have some themselves: the longest that is one wins."""
    if text.strip().casefold() in codes:
        yield text.strip()
        return
    parts = [part.strip() for part in text.split(",") if part.strip()]
    while parts:
        joined = (", ".join(parts[:length]) for length in range(min(len(parts), MOST_PARTS), 1, -1))
        is_one = (name for name in joined if name.casefold() in codes or countries.code_of(name))
        name = next(is_one, parts[0])
        yield name
        del parts[: name.count(",") + 1]


def _warn_if_old(snapshot: SeriesSnapshot, choice: Choice, warn: Say) -> None:
    age = choice.as_of - snapshot.taken_at.date()
    if age > OLD:
        known = f"the {snapshot.source} series were last checked on {snapshot.taken_at:%Y-%m-%d}"
        warn(f"{known}, {age.days} days before {choice.as_of}; newer years are not asked about")


def _told(choice: Choice, options: Options, size: int, among: int) -> dict[str, Any]:
    """How the questions were chosen, for the run."""
    told: dict[str, Any] = {"questions": size, "among": among, "seed": options.seed}
    if choice.suite == "numeric":
        told["distractors"] = options.distractors
    if options.kinds != SUITES[choice.suite]:
        told["kinds"] = list(options.kinds)
    if choice.numbers.entities:
        told["entities"] = [clean(name, 60) for name in choice.numbers.entities]
    return told


def _cited(snapshot: SeriesSnapshot, asked: Collection[str]) -> dict[str, dict[str, str]]:
    """Whose data they are: citation and licence of each indicator asked about."""
    return {
        chart.indicator.id: {
            "title": clean(chart.vintage.title, 200),
            "citation": clean(chart.vintage.credit, MOST_CITED),
            "licence": clean(chart.vintage.licence or NO_LICENCE, 100),
            "vintage": chart.vintage.label(),
        }
        for chart in snapshot.charts
        if chart.indicator.id in asked
    }


def _left_out(found: LeftOut) -> str:
    """How many more there might be, and why there are not."""
    reasons: Counter[str] = Counter()
    for (_, reason), number in found.items():
        reasons[reason] += number
    told = ", ".join(f"{word(reason)} {number:,}" for reason, number in reasons.most_common())
    return f"; {reasons.total():,} left out ({told}; why: docs/numeric-questions.md)" if told else ""


def _why_nothing(snapshot: SeriesSnapshot, choice: Choice, left_out: LeftOut) -> str:
    where = f"the {clean(snapshot.source, 60)} series as of {choice.as_of}"
    about = f" about {', '.join(choice.numbers.entities)}" if choice.numbers.entities else ""
    return f"nothing to ask: no question{about} can be made from {where}{_left_out(left_out)}"
