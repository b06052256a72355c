"""Which option does an answer choose, and is it the right one?

TempUN's three verdicts (section 4.3): correct, incorrect, not available. The letter is what was asked for: it
decides over a value beside it that is another option's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice, pairwise
from typing import Final

import regex

from freshness.grading import choice_cues, cues, words
from freshness.grading.comparing import stated
from freshness.grading.letters import Naming, letters
from freshness.grading.listing import Listing, listing
from freshness.grading.numbers import Plain, plain
from freshness.grading.options import Options, prepare
from freshness.grading.refusals import is_foreign_refusal, is_refusal
from freshness.grading.saying import said
from freshness.grading.text import Reading, read
from freshness.grading.value_rows import SEQUENCE
from freshness.verdicts import Judgement, Verdict

WINDOW: Final = 90
"""Characters of context looked at on each side."""
MAX_RUN_ONS: Final = 8
"""Questions that a model may ask itself before it has answered."""

_LETTERS: Final = frozenset({"letter", "counted"})
_RULED_OUT: Final = _LETTERS | {"value", "values"}
_FILLERS: Final = words.FUNCTION_WORDS | frozenset(
    "option choice letter answer correct final sure certainly ok okay".split()
)
_WORD: Final = regex.compile(r"[\p{L}\p{M}']+|\d+")
_OPTIONS: Final = regex.compile(r"(?:^|\s)[(\[]?[aA][)\].:]\s")
_OPEN_END: Final = regex.compile(r"\d[\d.,' ]{0,40}$")
"""A number that may have gone on: of a sequence that was cut off the ones before it count."""
_OWN_VALUE: Final = regex.compile(
    r"[ :,=–—-]{0,3}[-$€£]?\d(?:[\d.,' ]{0,30}\d)?"
    r"(?:[ ]?(?:%|(?!(?:no|not|nope|is|was|seems|looks|too|fits|matches)\b)[A-Za-z]{1,12}\b)){0,2}"
)


class Weight(IntEnum):
    """How far the naming of an option chooses it."""

    OUT = 0
    PLAIN = 1
    CHOSEN = 2
    FINAL = 3


@dataclass(frozen=True, slots=True)
class Weighed:
    """A naming with its weight and the word for the cue; ``head``: it opens the answer."""

    naming: Naming
    weight: Weight
    cue: str
    head: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The option chosen, or None and why. ``rule`` is a stable word."""

    naming: Naming | None
    rule: str


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
    choice = _choice(text, reading.text, prepared, _stem(question), cut_off)
    if choice.naming is None:
        return _nothing(choice, reading, cut_off)
    span = text.span(choice.naming.start, choice.naming.end)
    verdict = Verdict.CORRECT if choice.naming.option == _index(right) else Verdict.INCORRECT
    return Judgement(
        verdict, choice.rule, prepared.shown(choice.naming.option), answer[span[0] : span[1]], span
    )


def _index(right: str) -> int:
    """Which option a letter names: ``(b)`` is 1."""
    letter = right.strip().strip("()[]. ").casefold()
    return ord(letter) - ord("a") if len(letter) == 1 else -1


def _stem(question: str) -> str:
    """The question without the options that stand behind it."""
    listed = _OPTIONS.search(question)
    return question[: listed.start()] if listed else question


def _nothing(choice: Choice, reading: Reading, cut_off: bool) -> Judgement:
    """No option chosen: not available by what is said, else incorrect."""
    if not reading.tokens and choice.rule == "no option":
        return Judgement(Verdict.INCORRECT, "still thinking" if reading.unfinished else "empty")
    if choice.rule == "withheld" or (choice.rule != "none of them" and is_refusal(reading.text)):
        return Judgement(Verdict.NOT_AVAILABLE, "says it doesn't know")
    return Judgement(Verdict.INCORRECT, "cut off" if cut_off and choice.rule == "no option" else choice.rule)


def _choice(plain_text: Plain, raw: str, options: Options, question: str, cut_off: bool) -> Choice:
    """The option that a text chooses; ``raw``: the same with its marks."""
    text = plain_text.text
    if cut_off and options.width() >= SEQUENCE:
        text = _OPEN_END.sub("…", text)
    named = letters(text, len(options.texts))
    text = _before_run_on(text, named, options, question)
    named = [naming for naming in named if naming.end <= len(text)]
    listed = listing(plain_text, raw, named, options)
    values = [naming for naming in _by_value(text, options, question) if not listed.covers(naming)]
    if cut_off:
        named, values = _whole(text, named), _whole(text, values)
    alone = [value for value in values if not any(_are_beside(text, letter, value) for letter in named)]
    weighed = _without_nothing(_weighed(text, [*named, *alone], listed, question))
    if cut_off:
        # It may still have been weighing them when it was stopped.
        weighed = [entry for entry in weighed if entry.weight is not Weight.PLAIN]
    choice = _chosen(text, weighed, len(options.texts))
    if choice.naming is None:
        return Choice(None, "none of them") if choice_cues.NONE_OF_THEM.search(text) else choice
    against = any(v.option != choice.naming.option and _are_beside(text, choice.naming, v) for v in values)
    return Choice(choice.naming, "letter over value") if against else choice


def _without_nothing(weighed: list[Weighed]) -> list[Weighed]:
    """Without "none" and "no deaths" where a letter or a number stands too: they are what was asked for."""
    plainer = [entry for entry in weighed if entry.naming.how != "nothing"]
    return plainer if any(entry.weight > Weight.OUT for entry in plainer) else weighed


def _before_run_on(text: str, named: Sequence[Naming], options: Options, question: str) -> str:
    """The text up to where a completion model goes on with a question of its own, once it has answered."""
    for pattern in (cues.RUN_ON, choice_cues.RUN_ON):
        for match in islice(pattern.finditer(text), MAX_RUN_ONS):
            before = text[: match.start()]
            if any(n.end <= match.start() for n in named) or _by_value(before, options, question):
                text = before
                break
    return text


def _by_value(text: str, options: Options, question: str) -> list[Naming]:
    found = said(text, options, question)
    return found + stated(text, options, question) if options.kind == "yes or no" else found


def _whole(text: str, namings: Sequence[Naming]) -> list[Naming]:
    """Without what may have gone on at the end of a text that was cut off."""
    end = len(text.rstrip())
    return [n for n in namings if n.end < end or not (n.bare or n.how in ("value", "values", "nothing"))]


def _are_beside(text: str, letter: Naming, value: Naming) -> bool:
    """Whether letter and value say one thing: "(b) 81.9", "81.9 years, which is option (b)"."""
    first, second = (letter, value) if letter.start < value.start else (value, letter)
    gap = text[first.end : second.start]
    return (
        letter.how in _LETTERS
        and value.how not in _LETTERS
        and len(gap) <= 40
        and "\n\n" not in gap
        and choice_cues.BESIDE.fullmatch(gap) is not None
    )


def _weighed(text: str, namings: Sequence[Naming], listed: Listing, question: str) -> list[Weighed]:
    asked = frozenset(word.casefold() for word in _WORD.findall(question))
    found = [
        Weighed(naming, Weight.OUT, "listed") if listed.covers(naming) else _weigh(text, naming, asked)
        for naming in namings
    ]
    if listed.marked is not None:
        found.append(Weighed(listed.marked, Weight.CHOSEN, "marked"))
    return sorted(found, key=lambda entry: entry.naming.start)


def _weigh(text: str, naming: Naming, asked: frozenset[str]) -> Weighed:
    before = text[max(0, naming.start - WINDOW) : naming.start]
    after = text[naming.end : naming.end + WINDOW]
    own = _OWN_VALUE.match(after) if naming.how in _LETTERS else None
    behind = after[own.end() :] if own else after
    sentence = cues.last_sentence(before)
    if cues.is_withheld(sentence) or _is_unknown(text, naming, sentence):
        return Weighed(naming, Weight.OUT, "withheld")
    if choice_cues.OUT_BEFORE.search(sentence) or (_says_of_it(naming, behind) and _is_out(behind)):
        return Weighed(naming, Weight.OUT, "negated")
    if cues.CORRECTED.search(after):
        return Weighed(naming, Weight.OUT, "corrected")
    if choice_cues.FIRST_THOUGHT.search(sentence):
        return Weighed(naming, Weight.PLAIN, naming.how)
    head = _is_head(text[: naming.start], asked)
    if choice_cues.FINAL.search(before):
        return Weighed(naming, Weight.FINAL, naming.how, head)
    if head or choice_cues.CHOSEN_AFTER.match(behind) or choice_cues.CHOSEN_BEFORE.search(sentence):
        return Weighed(naming, Weight.CHOSEN, naming.how, head)
    return Weighed(naming, Weight.PLAIN, naming.how)


def _is_out(behind: str) -> bool:
    return choice_cues.OUT_AFTER.match(behind) is not None


def _says_of_it(naming: Naming, behind: str) -> bool:
    """Whether what follows may be said of the option; behind "No," it is said of the matter."""
    return naming.how not in ("yes or no", "comparison") or not behind.lstrip().startswith(",")


def _is_unknown(text: str, naming: Naming, sentence: str) -> bool:
    """Whether a yes or no goes with not knowing ("I don't know, no", "No, I have no data"), or begins it."""
    if naming.how != "yes or no":
        return False
    if choice_cues.UNKNOWN_BEFORE.search(cues.asserted(sentence)):
        return True
    after = cues.first_breath(text[naming.end : naming.end + WINDOW])
    word = text[naming.start : naming.end]
    return is_refusal(after) or is_foreign_refusal(word + after, at_once=True)


def _is_head(before: str, asked: frozenset[str]) -> bool:
    """Whether nothing but fillers and the question's own words stands before it, in its sentence."""
    if len(before) > 400 or cues.SENTENCE.search(before.strip()):
        return False
    return all(word.casefold() in asked or word.casefold() in _FILLERS for word in _WORD.findall(before))


def _chosen(text: str, weighed: Sequence[Weighed], count: int) -> Choice:
    standing = [entry for entry in weighed if entry.weight > Weight.OUT]
    if not standing:
        return _by_elimination(weighed, count)
    singled = _singled_out(text, standing)
    if not singled:
        return Choice(None, "several options")
    best = max(entry.weight for entry in singled)
    chosen = _one_of(text, [entry for entry in singled if entry.weight == best])
    return Choice(None, "several options") if chosen is None else Choice(chosen.naming, chosen.cue)


def _by_elimination(weighed: Sequence[Weighed], count: int) -> Choice:
    """What is left when all others were ruled out."""
    ruled_out = [
        entry.naming for entry in weighed if entry.cue == "negated" and entry.naming.how in _RULED_OUT
    ]
    left = set(range(count)) - {naming.option for naming in ruled_out}
    if len(left) == 1:
        last = ruled_out[-1]
        return Choice(Naming(left.pop(), last.start, last.end, "elimination"), "elimination")
    if any(entry.cue == "withheld" for entry in weighed):
        return Choice(None, "withheld")
    listed = {entry.naming.option for entry in weighed if entry.cue == "listed"}
    return Choice(None, "several options" if len(listed) > 1 else "no option")


def _one_of(text: str, strongest: Sequence[Weighed]) -> Weighed | None:
    """Of several equally strong: the last after a turn of thought, what opens the answer, a letter, or "
    "none.
    """
    if len({entry.naming.option for entry in strongest}) == 1:
        return strongest[0]
    final = [entry for entry in strongest if _is_really_final(text, entry.naming)]
    if final:
        return final[-1]
    if choice_cues.TURN.search(text[strongest[-2].naming.end : strongest[-1].naming.start]):
        return strongest[-1]
    if strongest[0].head and strongest[0].weight is Weight.CHOSEN:
        return strongest[0]
    spelled = [entry for entry in strongest if entry.naming.how in _LETTERS]
    return spelled[0] if len({entry.naming.option for entry in spelled}) == 1 else None


def _is_really_final(text: str, naming: Naming) -> bool:
    return choice_cues.REALLY_FINAL.search(text[max(0, naming.start - WINDOW) : naming.start]) is not None


def _singled_out(text: str, standing: Sequence[Weighed]) -> list[Weighed]:
    """Without those that only "or", commas and the like part from another option."""
    in_row = {
        id(entry)
        for one, two in pairwise(standing)
        if one.naming.option != two.naming.option and _is_row(text[one.naming.end : two.naming.start])
        for entry in (one, two)
    }
    return [entry for entry in standing if id(entry) not in in_row]


def _is_row(gap: str) -> bool:
    return not gap.strip(" ") or choice_cues.ROW.fullmatch(gap) is not None
