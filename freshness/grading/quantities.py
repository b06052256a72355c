"""Was the number that an answer commits to right, was it once, or is it another?

It is held against the year asked about, then against what earlier vintages gave for that year, then
against older years.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import regex

from freshness.grading.figures import Commitment, commit
from freshness.grading.numbers import plain
from freshness.grading.reading_figures import Figure, scope
from freshness.grading.refusals import is_refusal
from freshness.grading.text import Reading, read
from freshness.verdicts import Judgement, Verdict

DAYS_A_YEAR: Final = 365.2425
MAX_DECIMALS: Final = 6
_YEAR: Final = regex.compile(r" \((-?\d+)(?:, vintage [^()]*)?\)$")
_EPSILON: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Known:
    """One value of the series: ``vintage`` is empty for the newest."""

    year: int
    value: float
    vintage: str = ""

    def label(self) -> str:
        """``56 (2015)``, or ``56 (2015, vintage 2020-01-01)``."""
        vintage = f", vintage {self.vintage}" if self.vintage else ""
        return f"{self.value:.15g} ({self.year}{vintage})"


@dataclass(frozen=True, slots=True)
class _Series:
    """What an answer is held against.

    ``before``: older years, and what earlier vintages gave for them and for the year asked about. ``floor``:
    half of the last digit that the series shows.
    """

    asked: Known | None
    before: tuple[Known, ...]
    newer: tuple[Known, ...]
    floor: float
    year: int


TOLERANCES: Final = (0.01, 0.05)
"""How far off an answer may be that is the value, and one that is near it, as parts of the value."""


def judge_quantity(
    answer: str,
    values: Sequence[tuple[int, float]],
    year: int,
    *,
    unit: str = "",
    older: Sequence[tuple[int, float, str]] = (),
    tolerances: tuple[float, float] = TOLERANCES,
    question: str = "",
    cut_off: bool = False,
) -> Judgement:
    """The verdict on a number said freely, with the year (and vintage) it matches: ``56 (2015)``.

    ``values``: (year, value) as the newest vintage gives the series; ``older``: (year, value, vintage) as
    earlier ones did. ``tolerances``: how far off the answer may be, as parts of the value: to be that value,
    and to pass for it where no older value is nearer. ``unit``: the series'. ``question``: its words and
    numbers are not the answer's. ``cut_off``: the model was stopped by a limit. Never raises for any text.
    """
    reading = read(answer)
    text = plain(reading.text)
    claim = commit(text.text, scope(values, year, unit, question), cut_off)
    if claim.figure is None:
        return _nothing(claim, reading)
    span = text.span(claim.figure.start, claim.figure.end)
    series = _series(values, year, older)
    found = _held_against(series, claim.figure, tolerances)
    if found[1] is None and claim.figure.maybe_share:
        found = _as_share(series, claim.figure, tolerances[0]) or found
    return _judgement(found, claim.figure, year, answer, span)


def label_of(values: Sequence[tuple[int, float]], years: Iterable[int]) -> list[str]:
    """The values of these years as ``judge_quantity`` labels them; years without one are left out."""
    known = dict(values)
    return [Known(year, known[year]).label() for year in years if year in known]


def matched_year(judgement: Judgement) -> int | None:
    """The year of the value that the answer matched; None where it matched none."""
    found = _YEAR.search(judgement.matched or "")
    return int(found[1]) if found else None


def _nothing(claim: Commitment, reading: Reading) -> Judgement:
    """No commitment: refused, unreadable or irrelevant."""
    if not reading.tokens:
        return Judgement(Verdict.UNREADABLE, "still thinking" if reading.unfinished else "empty")
    if claim.rule == "withheld" or is_refusal(reading.text):
        return Judgement(Verdict.REFUSED, "withheld" if claim.rule == "withheld" else "says it doesn't know")
    if claim.rule == "cut off":
        return Judgement(Verdict.UNREADABLE, "cut off")
    return Judgement(Verdict.IRRELEVANT, claim.rule)


def _series(
    values: Sequence[tuple[int, float]], year: int, older: Sequence[tuple[int, float, str]]
) -> _Series:
    known = [Known(at, value) for at, value in values if math.isfinite(value)]
    vintages = [Known(*entry) for entry in older if math.isfinite(entry[1])]
    decimals = max((_decimals(entry.value) for entry in known), default=0)
    return _Series(
        next((entry for entry in known if entry.year == year), None),
        tuple(entry for entry in [*known, *vintages] if (entry.year, not entry.vintage) < (year, True)),
        tuple(entry for entry in known if entry.year > year),
        0.5 * 10.0**-decimals,
        year,
    )


def _decimals(value: float) -> int:
    """How many decimals the value shows, up to a few."""
    text = f"{value:.{MAX_DECIMALS}f}".rstrip("0")
    return len(text.partition(".")[2])


def _held_against(
    series: _Series, figure: Figure, tolerances: tuple[float, float]
) -> tuple[str, Known | None]:
    """The rule that decided, and the value it found."""
    near, far = tolerances
    asked = series.asked
    if asked and _matches(figure, asked, near, series.floor):
        return f"within_{100 * near:g}_percent", asked
    if asked and _is_rounded(figure, asked, far):
        return "rounded", asked
    once = _nearest(figure, series.before, near, series.floor)
    if once is None and asked and not figure.bound and _matches(figure, asked, far, series.floor):
        # Less than that off an older value, strictly.
        once = _nearest(figure, series.before, _off(figure, asked) * (1 - 1e-6), 0.0)
        if once is None:
            return f"within_{100 * far:g}_percent", asked
    if once is not None:
        return "older_vintage" if once.vintage else "older_year", once
    if _nearest(figure, series.newer, near, series.floor):
        return "newer_year", None
    return _why_none(figure), None


def _as_share(series: _Series, figure: Figure, near: float) -> tuple[str, Known | None] | None:
    """What a part of one comes to in percent, where that is a value of the series: 0.65 for 65 %."""
    percents = replace(figure, low=100 * figure.low, high=100 * figure.high, step=100 * figure.step)
    found = _held_against(series, percents, (near, near))
    return found if found[1] is not None else None


def _why_none(figure: Figure) -> str:
    if figure.high > figure.low:
        return "wide range"
    return "only a bound" if figure.bound else "another number"


def _matches(figure: Figure, known: Known, tolerance: float, floor: float) -> bool:
    """Whether both ends lie within the tolerance, or within the digits that the series shows.

    A bound is the value when it lies on its right side.
    """
    if figure.bound and (figure.low > known.value) == (figure.bound == "over") and figure.low != known.value:
        return False
    allowed = max(tolerance * abs(known.value), 0.0 if figure.bound else floor) + _EPSILON * abs(known.value)
    return all(abs(end - known.value) <= allowed for end in (figure.low, figure.high))


def _is_rounded(figure: Figure, known: Known, tolerance: float) -> bool:
    """Whether the answer is the value, rounded to the two or more digits that it shows."""
    if figure.high > figure.low or figure.bound or abs(figure.low) < 10 * figure.step - _EPSILON:
        return False
    off = abs(figure.low - known.value)
    return off <= figure.step / 2 * (1 + _EPSILON) and off <= tolerance * abs(known.value)


def _nearest(figure: Figure, among: Iterable[Known], tolerance: float, floor: float) -> Known | None:
    """The value that it matches: of the year that it names itself, else the nearest, else the newest."""
    found = [known for known in among if _matches(figure, known, tolerance, floor)]
    return min(
        found,
        key=lambda known: (known.year != figure.year, _off(figure, known), -known.year, bool(known.vintage)),
        default=None,
    )


def _off(figure: Figure, known: Known) -> float:
    """How far off it is, as a part of the value."""
    off = max(abs(figure.low - known.value), abs(figure.high - known.value))
    return off / abs(known.value) if known.value else (math.inf if off else 0.0)


def _judgement(
    found: tuple[str, Known | None], figure: Figure, year: int, answer: str, span: tuple[int, int]
) -> Judgement:
    rule, known = found
    words = answer[span[0] : span[1]]
    if known is None:
        return Judgement(Verdict.IRRELEVANT, rule, None, words, span)
    if not rule.startswith("older"):
        return Judgement(Verdict.CORRECT, rule, known.label(), words, span)
    lag = year - known.year
    days = round(lag * DAYS_A_YEAR) if lag else None
    return Judgement(Verdict.OUTDATED, rule, known.label(), words, span, days, lag or None)
