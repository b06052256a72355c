"""Which of the names in an answer is the answer.

Every mention is weighed by the words around it: denied or somebody's relative (out), said of the past,
plainly said, said of now. The strongest wins, then the first. Naming several without choosing, or
withholding, is no answer. English cues; a few of other languages where one word decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import regex

from freshness.grading import cues, words
from freshness.grading.refusals import is_foreign_refusal
from freshness.grading.scan import Mention
from freshness.grading.text import Reading, Token, fold, is_abbreviation

OPEN = 9999
"""The year in which what still runs ends."""
WINDOW = 90
"""Characters of context looked at on each side of a mention."""

_WORD = regex.compile(r"\w+")
_LAST_WORD = regex.compile(r"\p{L}+$")
_PREPOSITIONS = frozenset("in at on as for from to of by with per via under according based about".split())


class Weight(IntEnum):
    """How far a mention is the answer."""

    OUT = 0
    KIN = 1
    PAST = 2
    PLAIN = 3
    HEAD = 4
    ASSERTED = 5
    NOW = 6
    FINAL = 7


@dataclass(frozen=True, slots=True)
class Claim:
    """The mention that the answer commits to, or None and why. ``rule`` is a stable word."""

    mention: Mention | None
    rule: str


@dataclass(frozen=True, slots=True)
class Weighed:
    """A mention with its weight and the word for the cue that gave it."""

    mention: Mention
    weight: Weight
    cue: str


@dataclass(frozen=True, slots=True)
class _Context:
    """A mention and what stands around it: ``before`` and its last ``sentence`` and ``clause``, ``after`` and
    the ``rest`` of the mention's own sentence. ``asked``: the question's words; ``opens``: where the
    answer's first known name stands.
    """

    mention: Mention
    reading: Reading
    asked: frozenset[str]
    opens: int
    before: str
    sentence: str
    clause: str
    after: str
    rest: str


def commit(
    asked: frozenset[str], reading: Reading, mentions: Sequence[Mention], joint: frozenset[int]
) -> Claim:
    """The mention an answer commits to.

    ``joint``: values that hold together, so that naming them all is one answer.
    """
    live = _before_run_on(reading, mentions)
    if not live:
        return Claim(None, "no name found")
    weighed = [_weigh(_context(asked, reading, mention, live[0].first)) for mention in live]
    standing = [w for w in weighed if w.weight > Weight.OUT]
    if not standing:
        return Claim(None, weighed[0].cue)
    dated = _by_dates(reading, standing)
    if dated:
        return Claim(dated, "dated list")
    chosen = _strongest(reading, standing)
    if _is_uncommitted(reading, standing, chosen, joint):
        return Claim(None, "several named")
    return Claim(chosen.mention, chosen.cue)


def is_refusal(text: str) -> bool:
    """Whether an answer that commits to nothing says that it can't."""
    return cues.REFUSAL.search(text) is not None or is_foreign_refusal(text)


def _before_run_on(reading: Reading, mentions: Sequence[Mention]) -> Sequence[Mention]:
    """Mentions up to where a completion model goes on with a question of its own."""
    for match in cues.RUN_ON.finditer(reading.text):
        before = [m for m in mentions if reading.tokens[m.first].start < match.start()]
        if before:
            return before
    return mentions


def _context(asked: frozenset[str], reading: Reading, mention: Mention, opens: int) -> _Context:
    start, end = reading.tokens[mention.first].start, reading.tokens[mention.last].end
    before = reading.text[max(0, start - WINDOW) : start]
    after = reading.text[end : end + WINDOW]
    stop = cues.SENTENCE.search(after)
    return _Context(
        mention,
        reading,
        asked,
        opens,
        before,
        _behind_last(cues.SENTENCE, before),
        _behind_last(cues.CLAUSE, before),
        after,
        after[: stop.start()] if stop else after,
    )


def _behind_last(boundary: regex.Pattern[str], before: str) -> str:
    last = 0
    for match in boundary.finditer(before):
        if not _is_abbreviation(before, match.start()):
            last = match.end()
    return before[last:]


def _is_abbreviation(text: str, at: int) -> bool:
    word = _LAST_WORD.search(text[:at]) if text[at] == "." else None
    return word is not None and is_abbreviation(fold(word[0]))


def _weigh(around: _Context) -> Weighed:
    """How far the mention is the answer, by the first cue that speaks."""
    weight, cue = _out(around) or _now(around) or _past(around) or (Weight.PLAIN, "first named")
    if weight is Weight.PLAIN and _is_head(around):
        weight, cue = Weight.HEAD, "names it first"
    return Weighed(around.mention, weight, cue)


def _out(around: _Context) -> tuple[Weight, str] | None:
    """Why this mention can't be the answer; None if it can."""
    if _is_echo(around):
        return Weight.OUT, "named in the question"
    if cues.is_withheld(around.sentence):
        return Weight.OUT, "withheld"
    if cues.LABELLED_PAST.search(around.before):
        return Weight.OUT, "predecessor"
    if cues.CORRECTED.search(around.after):
        return Weight.OUT, "corrected"
    for text, patterns in ((around.clause, cues.OUT_BEFORE), (around.rest, cues.OUT_AFTER)):
        for cue, pattern in patterns.items():
            if pattern.search(text):
                return Weight.OUT, cue
    if cues.DESCENT.search(around.clause):
        # Where nobody else is named, the answer still means the house this is about.
        return Weight.OUT if _stands_behind_another(around) else Weight.KIN, "kin"
    if _is_former(around):
        # "The chair is the former chair X" still answers X; "she beat the former chair X" does not.
        return Weight.PAST if _is_head(around) else Weight.OUT, "former"
    if around.after[len(around.rest) :][:1] == "?" and around.mention.first > 2:
        return Weight.OUT, "asked"
    return None


def _now(around: _Context) -> tuple[Weight, str] | None:
    """What says that the mention holds now, or is the very thing asked for."""
    if cues.FINAL.search(around.before):
        return Weight.FINAL, "final answer"
    elsewhere = _is_another_office(around)
    if not elsewhere:
        for cue, pattern in cues.NOW_BEFORE.items():
            if pattern.search(around.clause if cue == "current" else around.sentence):
                return Weight.NOW, cue
    for cue, pattern in cues.NOW_AFTER.items():
        if pattern.search(around.rest):
            return Weight.NOW, cue
    if not elsewhere and _is_asserted(around):
        return Weight.ASSERTED, "said to be it"
    return None


def _past(around: _Context) -> tuple[Weight, str] | None:
    """What says that the mention once held, or is about somebody else than the answer."""
    if _stands_behind_another(around):
        return Weight.OUT, "another name first"
    if cues.PAST_AFTER.search(around.rest) or cues.PAST_BEFORE.search(around.clause):
        return Weight.PAST, "said of the past"
    said = cues.PREDICATE.search(around.rest)
    if said and _are_other_offices(said[1], around.asked):
        return Weight.PAST, "another role"
    return None


def _is_another_office(around: _Context) -> bool:
    """The prime minister, or the president of elsewhere, is said to be X, where another one was asked for."""
    if cues.COPULA.search(around.clause) is None:
        return False
    places = cues.PLACE.findall(around.clause)
    elsewhere = bool(places) and not any(fold(place) in around.asked for place in places)
    return elsewhere or _are_other_offices(around.clause, around.asked)


def _are_other_offices(text: str, asked: frozenset[str]) -> bool:
    """Whether a text names offices, and none of them is the one asked for.

    Crowned heads are one office, and so are the words for a chief executive.
    """
    roles = cues.OFFICES.intersection(_WORD.findall(text.casefold()))
    if not roles or not asked & cues.OFFICES or roles & asked:
        return False
    return not any(roles & kind and asked & kind for kind in (cues.CROWNS, cues.CHIEFS))


def _is_asserted(around: _Context) -> bool:
    """The question's own word for what is asked, then "is", then the name."""
    said = cues.COPULA.search(around.clause)
    if said is None:
        return False
    subject = {word for word in _WORD.findall(around.clause[: said.start()].casefold()) if len(word) > 2}
    return bool((subject - words.FUNCTION_WORDS) & around.asked)


def _is_former(around: _Context) -> bool:
    """Whether a former role of the kind asked about stands right before the name."""
    former = cues.FORMER_ROLE.search(around.clause)
    if former is None:
        return False
    roles = cues.ROLE_WORDS | (around.asked - words.FUNCTION_WORDS)
    return roles.issuperset(_WORD.findall(former[1].casefold()))


def _is_echo(around: _Context) -> bool:
    """The question's own words said again: the name and the word before it stand there too."""
    text, mention = around.reading.tokens, around.mention
    if mention.first == 0:
        return False
    return all(token.key in around.asked for token in text[mention.first - 1 : mention.last + 1])


def _is_head(around: _Context) -> bool:
    """Whether nothing but the question's own words, articles and titles stands before it."""
    return all(
        not token.gap.strip(" \t*_\"'`([{:") and _is_filler(around.asked, token)
        for token in around.reading.tokens[: around.mention.first]
    )


def _is_filler(asked: frozenset[str], token: Token) -> bool:
    key = token.key
    return key in asked or key in words.FUNCTION_WORDS or key in words.TITLES or key in words.HONORIFICS


def _stands_behind_another(around: _Context) -> bool:
    """The answer opens with somebody else's full name; what follows is about them.

    "Ada Long. She worked under X", not "In this country, X".
    """
    text, asked, opens = around.reading.tokens, around.asked, around.opens
    low = 0
    while low < opens and _is_filler(asked, text[low]) and not (low and text[low].gap.strip(" *_\"'")):
        low += 1
    high = low
    while high < opens and text[high].capital and (high == low or text[high].near):
        if _is_filler(asked, text[high]) and text[high].key not in words.TITLES:
            break
        high += 1
    if high == low or high >= opens:
        return False
    before = text[low - 1].key if low else ""
    titled = before in words.TITLES or before in words.HONORIFICS
    if before in _PREPOSITIONS or (high - low < 2 and not titled):
        return False
    return text[high].gap.lstrip(" *_\"')")[:1] in (".", ",", "(", "\n") or text[high].key in ("who", "was")


def _strongest(reading: Reading, standing: Sequence[Weighed]) -> Weighed:
    """The first of the greatest weight; what the answer opens with yields only within its own sentence."""
    head = next((w for w in standing if w.weight is Weight.HEAD), None)
    if head is not None:
        stop = cues.SENTENCE.search(reading.text, reading.tokens[head.mention.last].end)
        limit = stop.start() if stop else len(reading.text)
        standing = [
            w for w in standing if w.weight is Weight.FINAL or reading.tokens[w.mention.first].start < limit
        ]
    best = max(w.weight for w in standing)
    return next(w for w in standing if w.weight == best)


def _by_dates(reading: Reading, standing: Sequence[Weighed]) -> Mention | None:
    """Of a list with years the entry that still runs, else the one that ended last; None for no such list."""
    spans = [(span, w.mention) for w in standing if (span := _span(reading, w.mention)) is not None]
    if len({mention.values for _, mention in spans}) < 2 or any(w.weight >= Weight.NOW for w in standing):
        return None
    return max(spans, key=lambda entry: entry[0])[1]


def _span(reading: Reading, mention: Mention) -> tuple[int, int] | None:
    """The years an answer gives beside a name, as (end, start); ``OPEN`` where they run on."""
    start, end = reading.tokens[mention.first].start, reading.tokens[mention.last].end
    after = reading.text[end : end + WINDOW]
    ranged = cues.RANGE_AFTER.match(after)
    if ranged and ranged["end"] is not None:
        return _year(ranged["end"]), int(ranged["start"])
    if ranged and "(" in after[: ranged.start("start")]:
        return int(ranged["start"]), int(ranged["start"])
    if since := cues.SINCE_AFTER.match(after):
        return OPEN, int(since["start"])
    if until := cues.UNTIL_AFTER.match(after):
        return int(until["end"]), 0
    prior = cues.RANGE_BEFORE.search(reading.text[max(0, start - WINDOW) : start])
    return (_year(prior["end"]), int(prior["start"])) if prior else None


def _year(text: str) -> int:
    return int(text) if text.isdigit() else OPEN


def _is_uncommitted(
    reading: Reading, standing: Sequence[Weighed], chosen: Weighed, joint: frozenset[int]
) -> bool:
    """Several values in a row, without one being singled out."""
    if chosen.weight >= Weight.NOW and chosen.cue != "current":
        return False
    at = next(n for n, w in enumerate(standing) if w is chosen)
    low = high = at
    while low and _in_a_row(reading, standing[low - 1].mention, standing[low].mention):
        low -= 1
    while high + 1 < len(standing) and _in_a_row(reading, standing[high].mention, standing[high + 1].mention):
        high += 1
    named = {w.mention.values for w in standing[low : high + 1]}
    return len(named) > 1 and not all(values & joint for values in named)


def _in_a_row(reading: Reading, first: Mention, second: Mention) -> bool:
    """Whether only commas, bullets or "and" stand between; a bare line break starts something new."""
    between = reading.text[reading.tokens[first.last].end : reading.tokens[second.first].start]
    return between.strip(" \t") not in ("", "\n", "\n\n") and cues.LINK.fullmatch(between) is not None
