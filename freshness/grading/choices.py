"""Which option does an answer choose, and is it the right one?

TempUN's three verdicts (section 4.3): correct, incorrect, not available. The letter is what was asked for: it
decides over a value beside it that is another option's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Final

import regex

from freshness.grading import cues, words
from freshness.grading.comparing import stated
from freshness.grading.letters import ANNOUNCERS, Naming, letters
from freshness.grading.numbers import plain
from freshness.grading.options import Options, bones, prepare
from freshness.grading.refusals import is_refusal
from freshness.grading.saying import said
from freshness.grading.text import read
from freshness.verdicts import Judgement, Verdict

WINDOW: Final = 90
"""Characters of context looked at on each side."""


class Weight(IntEnum):
    """How far the naming of an option chooses it."""

    OUT = 0
    PLAIN = 1
    CHOSEN = 2
    FINAL = 3


@dataclass(frozen=True, slots=True)
class _Weighed:
    naming: Naming
    weight: Weight
    cue: str
    head: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The option chosen, or None and why. ``rule`` is a stable word."""

    naming: Naming | None
    rule: str


_LETTER: Final = r"[(\[]?[A-Za-z][)\]]?"
_IN_A_ROW: Final = (
    rf"(?:(?:options?|choices?|answers?)[ ])?(?:{_LETTER}[ ]?(?:,|/|,?[ ]?(?:or|and|nor))[ ]?){{0,8}}"
)
_OUT_BEFORE: Final = regex.compile(
    r"\b(?:not|n['’]t(?:[ ]be)?|cannot[ ]be|never|neither|nor|(?:eliminat|exclud|discard|reject|dismiss)\w*|"
    r"rul(?:e|es|ed|ing)[ ]out|rather[ ]than|"
    r"instead[ ]of|unlike|other[ ]than|except(?:[ ]for)?|higher[ ]than|lower[ ]than|closer[ ]than|"
    r"compared[ ](?:to|with))[ ](?:the[ ]|both[ ]|either[ ]|be[ ])?"
    rf"{_IN_A_ROW}$",
    regex.I,
)
_OUT_AFTER: Final = regex.compile(
    rf"(?:[ ]?(?:,|/|,?[ ]?(?:or|and|nor))[ ]?{_LETTER}){{0,8}}[ ,:–—-]*(?:which[ ])?(?:(?:is|are|was|were|"
    rf"seems?|appears?|looks?|would[ ]be|can|could|"
    r"has|have|does|do|may[ ]be|might[ ]be)[ ]?)?(?:also[ ]|clearly[ ]|probably[ ]|obviously[ ]|far[ ]|"
    r"definitely[ ]|very[ ]|a[ ](?:bit|little)[ ]|slightly[ ]|much[ ]|just[ ])*"
    r"(?:not\b|n['’]t\b|wrong\b|incorrect\b|too[ ]\w+|unlikely|implausible|impossible|eliminated|"
    r"ruled[ ]out|excluded|close\b(?!st)|false\b|off\b|cannot|"
    r"unrealistic|higher\b|lower\b|out\b|✗|✘|❌)",
    regex.I,
)
_CHOSEN_AFTER: Final = regex.compile(
    r"[ ,:–—-]*(?:which[ ])?(?:is|was|must[ ]be|has[ ]to[ ]be|seems?|appears?(?:[ ]to[ ]be)?|"
    r"looks?(?:[ ]to[ ]be)?|would[ ]be)[ ]?(?:the[ ]|most[ ]|probably[ ]|likely[ ]|clearly[ ])*"
    r"(?:correct|right|answer|closest|best|accurate|likely|plausible|true|one)\b|[ ,]*(?:fits|matches)\b|"
    r"[ (,–—-]*(?:✓|✔|✅|☑|←|<-|👈)|[ ]?\(correct\)",
    regex.I,
)
_FINAL: Final = regex.compile(
    r"(?:\b(?:final|correct|right|best)[ ](?:answer|option|choice|one)\b|\b(?:answer|antwort|réponse|"
    r"respuesta|resposta|risposta|ответ)\b|答案|boxed:|####|"
    r"\b(?:therefore|thus|hence|in[ ]conclusion|conclude)\b)"
    r"[^.!?;\n(]{0,40}?[ '\[{(:=\n-]*(?:(?:option|choice|letter)[ ])?(?:[A-Z]:[ ])?$",
    regex.I,
)
_REALLY_FINAL: Final = regex.compile(r"\bfinal\b[^.!?\n]{0,40}$", regex.I)
_CHOSEN_BEFORE: Final = regex.compile(
    rf"(?:\b{ANNOUNCERS}\b|\bis|[:=→])[ ,:]*(?:that[ ]|it['’]s[ ]|it[ ]is[ ]|the[ ]|probably[ ]|is[ ]|"
    rf"answer[ ]|most[ ]|likely[ ])*(?:(?:option|choice|letter)[ ])?$",
    regex.I,
)
_TURN: Final = regex.compile(
    r"\b(?:actually|wait|no,|sorry|correction|on[ ]second[ ]thought|however|instead|rather|but|so|therefore|"
    r"thus|hence|finally|final|in[ ]conclusion|"
    r"let[ ]me[ ]re\w+|i[ ]was[ ]wrong|my[ ]mistake)\b",
    regex.I,
)
_IN_ROW: Final = regex.compile(
    r"[ ]*(?:,|/|&|\||,?[ ]*\b(?:or|and|nor)\b)[ ]*(?:maybe[ ]|perhaps[ ]|possibly[ ])?(?:option[ ]|"
    r"choice[ ])?",
    regex.I,
)
_FILLERS: Final = words.FUNCTION_WORDS | frozenset(
    "option choice letter answer correct final sure certainly ok okay".split()
)
_WORD: Final = regex.compile(r"[\p{L}\p{M}']+|\d+")
_QUESTION: Final = regex.compile(r"\n[^\n?]{8,300}\?[ ]*\n?[ ]*[(\[]?[aA][)\].:]")
_MARKS: Final = regex.compile(r"✓|✔|✅|☑|←|<-|👈|\bcorrect\b", regex.I)
_NONE: Final = regex.compile(r"\bnone[ ]of[ ](?:the|these|them|those)\b|\bneither\b", regex.I)


def judge_choice(
    answer: str,
    options: Sequence[str],
    right: str,
    *,
    unit: str = "",
    question: str = "",
    cut_off: bool = False,
) -> Judgement:
    """The verdict on an answer that was to choose one of these options, with the option it chose.

    ``options`` without their letters; ``right``: the letter of the right one, ``(b)``. ``unit``: of their
    numbers, where they don't show it. ``question`` is the prompt as asked. ``cut_off``: the model was
    stopped by a limit. Never raises for any answer.
    """
    prepared = prepare(tuple(options), unit)
    reading = read(answer)
    text = plain(reading.text)
    choice = choose(text.text, reading.text, prepared, question, cut_off)
    if choice.naming is None:
        rule = choice.rule
        if not reading.tokens and rule == "no option":
            return Judgement(Verdict.INCORRECT, "still thinking" if reading.unfinished else "empty")
        if is_refusal(reading.text) and rule != "none of them":
            return Judgement(Verdict.NOT_AVAILABLE, "says it doesn't know")
        return Judgement(Verdict.INCORRECT, "cut off" if cut_off and rule == "no option" else rule)
    span = text.span(choice.naming.start, choice.naming.end)
    verdict = Verdict.CORRECT if choice.naming.option == _index(right) else Verdict.INCORRECT
    return Judgement(
        verdict, choice.rule, prepared.shown(choice.naming.option), answer[span[0] : span[1]], span
    )


def _index(right: str) -> int:
    """Which option a letter names: ``(b)`` is 1."""
    letter = right.strip().strip("()[]. ").casefold()
    return ord(letter) - ord("a") if len(letter) == 1 else -1


def choose(text: str, raw: str, options: Options, question: str, cut_off: bool) -> Choice:
    """The option that a plain text chooses; ``raw``: the same before its marks were taken off."""
    named = letters(text, len(options.texts))
    text = _before_run_on(text, named)
    namings = [naming for naming in named if naming.end <= len(text)]
    values = said(text, options, question)
    if options.kind == "yes or no":
        values += stated(text, options, question)
    if cut_off:
        end = len(text.rstrip())
        namings = [n for n in namings if not (n.bare and n.end >= end)]
        values = [n for n in values if n.end < end or n.how == "yes or no"]
    listed = _listed(text, namings, options)
    inside = list(listed.values())
    values = [v for v in values if not any(low <= v.start < high for low, high in inside)]
    values, contradicted = _beside_letters(text, namings, values)
    asked = frozenset(word.casefold() for word in _WORD.findall(question))
    weighed = [
        _weigh(text, naming, values, asked)
        if naming.start not in listed
        else _Weighed(naming, Weight.OUT, "listed")
        for naming in namings
    ]
    marked = _marked(text, namings, listed)
    if marked is not None:
        weighed.append(_Weighed(marked, Weight.CHOSEN, "marked"))
    weighed += [_weigh(text, value, values, asked) for value in values]
    weighed.sort(key=lambda w: w.naming.start)
    if cut_off:
        weighed = [w for w in weighed if w.weight is not Weight.PLAIN]
    chosen = _chosen(text, weighed, options)
    if chosen.naming is not None and chosen.naming.start in contradicted:
        return Choice(chosen.naming, "letter over value")
    if chosen.naming is None and _NONE.search(text):
        return Choice(None, "none of them")
    return chosen


def _before_run_on(text: str, named: Sequence[Naming]) -> str:
    """The text up to where a completion model goes on with a question of its own, once it has answered."""
    for pattern in (cues.RUN_ON, _QUESTION):
        for match in pattern.finditer(text):
            before = text[: match.start()]
            if len(before.strip()) and (
                any(n.start < match.start() for n in named)
                or regex.search(r"\d|\b(?:yes|no)\b", before, regex.I)
            ):
                if match.start() > 0 and not _opens_with_question(before):
                    text = before
                    break
    return text


def _opens_with_question(before: str) -> bool:
    """Whether what stands before is itself but a question said again."""
    return "?" in before and not regex.search(r"\?\s*\S", before)


def _listed(text: str, namings: Sequence[Naming], options: Options) -> dict[int, tuple[int, int]]:
    """Where the options are said again one after the other, without a choice; spans by their starts."""
    found: dict[int, tuple[int, int]] = {}
    for one, two in pairwise(namings):
        between = _MARKS.sub("", text[one.end : two.start])
        if two.option == one.option + 1 and _is_copy(between, options.words[one.option]):
            found[one.start] = (one.start, two.start)
            stop = text.find("\n", two.end)
            own = two.end + len(options.texts[two.option]) + 4
            found.setdefault(two.start, (two.start, min(own, stop if stop >= 0 else len(text))))
    return found


def _is_copy(between: str, option: str) -> bool:
    bare = bones(between)
    return bool(bare) and (option.startswith(bare) or bare.startswith(option))


def _marked(text: str, namings: Sequence[Naming], listed: dict[int, tuple[int, int]]) -> Naming | None:
    """The only entry of a list with a tick, or called correct."""
    found = [
        n
        for n in namings
        if n.start in listed and _MARKS.search(text[listed[n.start][0] : listed[n.start][1]])
    ]
    return found[0] if len(found) == 1 else None


def _beside_letters(
    text: str, namings: Sequence[Naming], values: Sequence[Naming]
) -> tuple[list[Naming], set[int]]:
    """Values without those that only go with a letter beside them; where letter and value contradict."""
    kept, contradicted = [], set()
    for value in values:
        beside = next((n for n in namings if _are_beside(text, n, value)), None)
        if beside is None:
            kept.append(value)
        elif beside.option != value.option:
            contradicted.add(beside.start)
    return kept, contradicted


def _are_beside(text: str, letter: Naming, value: Naming) -> bool:
    first, second = (letter, value) if letter.start < value.start else (value, letter)
    gap = text[first.end : second.start]
    return (
        len(gap) <= 24
        and regex.fullmatch(
            r"[\s.,:;=–—|'(-]*(?:is|which is|option|or option|with|at|about|approximately|"
            r"i\.e\.)?[\s.,:'(-]*",
            gap,
            regex.I,
        )
        is not None
        and "\n\n" not in gap
    )


def _weigh(text: str, naming: Naming, values: Sequence[Naming], asked: frozenset[str]) -> _Weighed:
    before = text[max(0, naming.start - WINDOW) : naming.start]
    after = text[naming.end : naming.end + WINDOW]
    sentence = _sentence(before)
    if cues.WITHHELD.search(sentence):
        return _Weighed(naming, Weight.OUT, "withheld")
    if _OUT_BEFORE.search(sentence) or _OUT_AFTER.match(_behind_value(after)):
        return _Weighed(naming, Weight.OUT, "negated")
    if cues.CORRECTED.search(after):
        return _Weighed(naming, Weight.OUT, "corrected")
    head = _is_head(text[: naming.start], asked)
    if _FINAL.search(before):
        return _Weighed(naming, Weight.FINAL, naming.how, head)
    if head or _CHOSEN_AFTER.match(_behind_value(after)) or _CHOSEN_BEFORE.search(sentence):
        return _Weighed(naming, Weight.CHOSEN, naming.how, head)
    return _Weighed(naming, Weight.PLAIN, naming.how)


def _behind_value(after: str) -> str:
    """What follows the option's own text: its numbers and unit are passed over."""
    match = regex.match(r"[ ]?[-$€£]?\d[\d.,' ]{0,30}(?:[ ]?(?:%|[A-Za-z]{1,8}\b))?", after)
    return after[match.end() :] if match else after


def _sentence(before: str) -> str:
    last = 0
    for match in cues.SENTENCE.finditer(before):
        last = match.end()
    return before[last:]


def _is_head(before: str, asked: frozenset[str]) -> bool:
    """Whether nothing but fillers and the question's own words stands before it, in its sentence."""
    if len(before) > 400 or cues.SENTENCE.search(before.strip()):
        return False
    return all(word.casefold() in asked or word.casefold() in _FILLERS for word in _WORD.findall(before))


def _chosen(text: str, weighed: Sequence[_Weighed], options: Options) -> Choice:
    standing = [w for w in weighed if w.weight > Weight.OUT]
    if not standing:
        return _by_elimination(weighed, len(options.texts))
    best = max(w.weight for w in standing)
    strongest = [w for w in standing if w.weight == best]
    if best is Weight.PLAIN:
        strongest = [w for w in strongest if w.naming.how == "letter"] or strongest
    chosen = _one_of(text, strongest)
    if chosen is None or _stands_in_row(text, chosen, standing):
        return Choice(None, "several options")
    return Choice(chosen.naming, chosen.cue)


def _by_elimination(weighed: Sequence[_Weighed], count: int) -> Choice:
    """What is left when all others were ruled out."""
    out = {w.naming.option for w in weighed if w.cue == "negated" and w.naming.how in ("letter", "counted")}
    left = set(range(count)) - out
    if len(left) == 1 and out:
        last = [w.naming for w in weighed if w.cue == "negated"][-1]
        return Choice(Naming(left.pop(), last.start, last.end, "elimination"), "elimination")
    rule = (
        "several options" if len({w.naming.option for w in weighed if w.cue == "listed"}) > 1 else "no option"
    )
    return Choice(None, rule)


def _one_of(text: str, strongest: Sequence[_Weighed]) -> _Weighed | None:
    """Of several equally strong: the last after a turn of thought, the one that opens the answer, or "
    "none.
    """
    if len({w.naming.option for w in strongest}) == 1:
        return strongest[0]
    really = [
        w for w in strongest if _REALLY_FINAL.search(text[max(0, w.naming.start - WINDOW) : w.naming.start])
    ]
    if really:
        return really[-1]
    last = strongest[-1]
    previous = strongest[-2]
    if _TURN.search(text[previous.naming.end : last.naming.start]):
        return last
    heads = [w for w in strongest if w.head]
    if heads:
        return heads[0]
    spelled = {w.naming.option for w in strongest if w.naming.how == "letter"}
    if len(spelled) == 1:
        return next(w for w in strongest if w.naming.how == "letter")
    return None


def _stands_in_row(text: str, chosen: _Weighed, standing: Sequence[_Weighed]) -> bool:
    """Whether only "or", commas and the like part it from another option."""
    at = next(n for n, w in enumerate(standing) if w is chosen)
    pairs = [(standing[n].naming, standing[n + 1].naming) for n in (at - 1, at) if 0 <= n < len(standing) - 1]
    return any(
        one.option != two.option and _IN_ROW.fullmatch(text[one.end : two.start]) is not None
        for one, two in pairs
    )
