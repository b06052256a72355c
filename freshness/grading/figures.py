"""Which of an answer's numbers is its answer.

As in ``claims``: every number is weighed by the words around it, the strongest wins, then the first. Years,
ranks and the like are none (``numbers.roles``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from freshness.grading import cues, figure_cues, words
from freshness.grading.numbers import Number, find, units
from freshness.grading.numbers.roles import Role, roles
from freshness.grading.reading_figures import ODD, WINDOW, WORD, Figure, Scope, Weight, oddness, read_figures
from freshness.grading.tying import tie
from freshness.grading.years import explicit

SAME: Final = 0.01
"""Numbers that differ by no more than this part are one, said twice."""
_FILLERS: Final = words.FUNCTION_WORDS | frozenset(
    "about around approximately approx roughly some circa ca nearly almost close over usd us dollars years "
    "year number value figure "
    "estimated total exactly reported recorded average stood level amounted equal equals sure known".split()
)


@dataclass(frozen=True, slots=True)
class Commitment:
    """The number that an answer commits to, or None and why. ``rule`` is a stable word."""

    figure: Figure | None
    rule: str


def commit(text: str, known: Scope, cut_off: bool) -> Commitment:
    """The number that a plain text commits to."""
    numbers = find(text)
    if heading := units.heading(text):
        known = replace(known, heading=heading)
    asked = {known.year, *(int(word) for word in known.asked if word.isdecimal() and len(word) == 4)}
    kinds = roles(text, numbers, asked)
    said = [number for number, kind in zip(numbers, kinds, strict=True) if kind is Role.VALUE]
    if cut_off and said and _may_go_on(text, said[-1]):
        said.pop()
        if not said:
            return Commitment(None, "cut off")
    figures = read_figures(text, [n for n in said if n.value not in known.numbers], known)
    # A number of the question counts where there is no other.
    figures = figures or read_figures(text, said, known)
    if not figures:
        return Commitment(None, "another unit" if said else "no number")
    figures = _before_run_on(text, figures)
    spans = [(figure.start, figure.end) for figure in figures]
    of_year = tie(text, spans, explicit(text, numbers, kinds), known.year, known.now)
    weighed = _by_size([_weigh(text, figure, of_year.get(figure.start), known) for figure in figures], known)
    return _chosen(text, [figure for figure in weighed if figure.weight > Weight.OUT], weighed[0].cue)


def _may_go_on(text: str, number: Number) -> bool:
    """Whether more digits, or a scale word, may have followed where the text was cut off."""
    return not number.percent and not number.scaled and number.end >= len(text.rstrip(" \n.,'"))


def _before_run_on(text: str, figures: list[Figure]) -> list[Figure]:
    """Figures up to where a completion model goes on with a question of its own."""
    for match in cues.RUN_ON.finditer(text):
        before = [figure for figure in figures if figure.start < match.start()]
        if before:
            return before
    return figures


def _by_size(figures: Sequence[Figure], known: Scope) -> list[Figure]:
    """What is a hundred times too large or small is beside the point where something else isn't."""
    if not any(figure.weight > Weight.OUT and oddness(figure.low, known) < ODD for figure in figures):
        return list(figures)
    return [
        replace(figure, weight=min(figure.weight, Weight.ASIDE))
        if oddness(figure.low, known) >= ODD
        else figure
        for figure in figures
    ]


def _weigh(text: str, figure: Figure, year: int | None, known: Scope) -> Figure:
    """With the year that it is said to be of, and how far it is the answer."""
    weight, cue = _weight(text, replace(figure, year=year), known)
    return replace(figure, year=year, weight=weight, cue=cue)


def _weight(text: str, figure: Figure, known: Scope) -> tuple[Weight, str]:
    before, after = text[max(0, figure.start - WINDOW) : figure.start], text[figure.end : figure.end + WINDOW]
    sentence = cues.last_sentence(before)
    for cue, pattern in figure_cues.OUT_BEFORE.items():
        if pattern.search(sentence):
            return Weight.OUT, cue
    if cues.is_withheld(sentence):
        return Weight.OUT, "withheld"
    if cues.CORRECTED.search(after):
        return Weight.OUT, "corrected"
    if _is_part(sentence, after) and not known.asked & figure_cues.PART:
        return Weight.OUT, "of a part"
    if figure_cues.FINAL.search(before):
        return Weight.FINAL, "final answer"
    if _is_aside(sentence, after):
        # What something rose from in the year asked about is its value then, and the other one another's.
        is_asked = figure.year == known.year and figure_cues.MOVED_FROM.search(sentence) is not None
        if is_asked or figure.year != known.year:
            return (Weight.BEGAN, "of the year asked about") if is_asked else (Weight.ASIDE, "compared with")
    if figure.year is not None and figure.year != known.year:
        return Weight.OTHER_YEAR, "of another year"
    if _is_head(text[: figure.start], known):
        return Weight.HEAD, "opens the answer"
    if figure_cues.GUESSED.search(sentence):
        return Weight.GUESSED, "guessed"
    if _is_total(sentence, after, known):
        return Weight.TOTAL, "in total"
    return (Weight.ASKED_YEAR, "of the year asked about") if figure.year else (Weight.PLAIN, "first named")


def _is_aside(sentence: str, after: str) -> bool:
    """Whether something else is compared with it, or it is where a change began."""
    if figure_cues.ASIDE_BEFORE.search(sentence) or figure_cues.ASIDE_AFTER.match(after):
        return True
    if figure_cues.FROM.search(sentence) is None:
        return False
    return figure_cues.MOVED.search(sentence) is not None or figure_cues.TO_ANOTHER.match(after) is not None


def _is_total(sentence: str, after: str, known: Scope) -> bool:
    """Whether it is said to be what the parts of the thing asked for come to."""
    before = figure_cues.TOTAL_BEFORE.search(sentence)
    if before is None:
        return figure_cues.TOTAL_AFTER.match(after) is not None
    return all(word in known.asked or word in _FILLERS for word in before["thing"].casefold().split())


def _is_part(sentence: str, after: str) -> bool:
    """Whether it is said of men or of women alone."""
    before = figure_cues.PART_BEFORE.search(sentence)
    return before is not None or figure_cues.PART_AFTER.match(after) is not None


def _is_head(before: str, known: Scope) -> bool:
    """Whether nothing but the question's own words and fillers stands before it, in its sentence."""
    if len(before) > 400 or cues.SENTENCE.search(before.strip()):
        return False
    found = (word.casefold() for word in WORD.findall(before))
    return all(word in known.asked or word in _FILLERS or word == str(known.year) for word in found)


def _chosen(text: str, standing: Sequence[Figure], why_none: str) -> Commitment:
    """The strongest, then the first that is no bound; of other years' the latest."""
    if not standing:
        return Commitment(None, why_none)
    best = max(figure.weight for figure in standing)
    strongest = [figure for figure in standing if figure.weight == best]
    chosen = next((figure for figure in strongest if not figure.bound), strongest[0])
    if best is Weight.OTHER_YEAR:
        chosen = max(strongest, key=lambda figure: (figure.year or 0, -figure.start))
    if best not in (Weight.OTHER_YEAR, Weight.TOTAL) and _is_uncommitted(text, chosen, standing):
        return Commitment(None, "several numbers")
    return Commitment(chosen, chosen.cue)


def _is_uncommitted(text: str, chosen: Figure, standing: Sequence[Figure]) -> bool:
    """Whether it stands in a row of others, with only commas and "or" between."""
    at = next(n for n, figure in enumerate(standing) if figure is chosen)
    near = [(standing[n], standing[n + 1]) for n in (at - 1, at) if 0 <= n < len(standing) - 1]
    return any(
        figure_cues.LISTED.fullmatch(text[one.end : two.start]) is not None
        and not (_are_close(one, two) or _allows(one, two) or _allows(two, one))
        for one, two in near
    )


def _allows(bound: Figure, other: Figure) -> bool:
    """Whether one is only a bound, and the other lies within it: "more than a third, 35 %"."""
    if bound.bound == "over":
        return other.low >= bound.low
    return bound.bound == "under" and other.high <= bound.high


def _are_close(one: Figure, two: Figure) -> bool:
    return abs(one.low - two.low) <= SAME * max(abs(one.low), abs(two.low))
