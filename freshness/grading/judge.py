"""Was what the answer commits to true, is it still, as of a date?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from freshness.facts import Holders, Value
from freshness.grading import timeline as timelines
from freshness.grading.claims import Claim, commit, is_refusal
from freshness.grading.mentions import find
from freshness.grading.names import NameIndex, asks_for_team, build_index, look_like_teams
from freshness.grading.scan import Mention
from freshness.grading.text import Reading, read, split_dense, tokens
from freshness.grading.timeline import State, Timeline
from freshness.verdicts import Judgement, Verdict

JUDGE_VERSION = "4"
"""Changes whenever a judgement may: stored judgements name the version they were made with."""
MAX_QUESTION = 400
"""Characters of a prompt, from its end, that are the question: what stands before may be a whole chat."""
MAX_KEYS = 4096


@dataclass(frozen=True, slots=True)
class _Key:
    """What a question's answers are held against, prepared once for all of them."""

    index: NameIndex
    timeline: Timeline


def judge(
    answer: str,
    values: Sequence[Value],
    as_of: date,
    *,
    question: str = "",
    holders: Holders | None = None,
    subject: str = "",
    cut_off: bool = False,
) -> Judgement:
    """The verdict on one answer (DyKnow section 3), with the words and the rule that decided it.

    ``question`` is the prompt as asked: its words are not the answer's. ``subject`` adds words that
    belong to the question. ``holders`` None is inferred from the values. ``cut_off``: the model was
    stopped by a limit. Never raises for any text.
    """
    asked, team, one_office = _of_question(question, subject)
    key = _key(tuple(values), team, holders, one_office)
    reading = split_dense(read(answer), [text for text, _ in key.index.dense])
    day = as_of.toordinal()
    mentions = find(key.index, reading.tokens, asked)
    claim = commit(asked, reading, mentions, key.timeline.current(day))
    if claim.mention is None:
        return _nothing(claim, reading, key.index, asked, cut_off)
    return _held_against(key.timeline, claim, reading, answer, day)


@lru_cache(maxsize=4096)
def _of_question(question: str, subject: str) -> tuple[frozenset[str], bool, bool]:
    """The question's own words, whether it asks for a team, and for an office of one holder."""
    asked = frozenset(token.key for token in tokens(f"{question[-MAX_QUESTION:]} {subject}"))
    return asked, asks_for_team(question), timelines.asks_for_one(question)


_RECENT: dict[tuple[int, bool, Holders | None, bool], tuple[tuple[Value, ...], _Key]] = {}


def _key(values: tuple[Value, ...], team: bool, holders: Holders | None, one_office: bool) -> _Key:
    """The prepared key; a tuple seen before is known by its identity, which is cheaper than its hash."""
    quick = (id(values), team, holders, one_office)
    known = _RECENT.get(quick)
    if known is not None and known[0] is values:
        return known[1]
    key = _prepared(values, team, holders, one_office)
    if len(_RECENT) >= MAX_KEYS:
        _RECENT.clear()
    # Holding on to the tuple keeps its id from being given to another.
    _RECENT[quick] = (values, key)
    return key


@lru_cache(maxsize=1024)
def _prepared(values: tuple[Value, ...], team: bool, holders: Holders | None, one_office: bool) -> _Key:
    known = holders or timelines.infer_holders(values, one_office)
    return _Key(build_index(values, team or look_like_teams(values)), timelines.build(values, known))


def _nothing(
    claim: Claim, reading: Reading, index: NameIndex, asked: frozenset[str], cut_off: bool
) -> Judgement:
    """No commitment: refused, unreadable or irrelevant."""
    if reading.unfinished and not reading.tokens:
        return Judgement(Verdict.UNREADABLE, "still thinking")
    if not reading.tokens:
        return Judgement(Verdict.UNREADABLE, "empty")
    if claim.rule == "withheld" or is_refusal(reading.text):
        return Judgement(Verdict.REFUSED, "withheld" if claim.rule == "withheld" else "says it doesn't know")
    if cut_off and claim.rule == "no name found" and _is_beginning(reading, index, asked):
        return Judgement(Verdict.UNREADABLE, "cut off")
    return Judgement(Verdict.IRRELEVANT, claim.rule)


def _is_beginning(reading: Reading, index: NameIndex, asked: frozenset[str]) -> bool:
    """Whether the answer stops within a name: its last words begin one of the known names."""
    last = reading.tokens[-1]
    if not last.capital or last.key in asked or reading.text.rstrip()[-1:] in ".!?":
        return False
    return any(part.startswith(last.key) for name in index.names for part in name.core)


def _held_against(timeline: Timeline, claim: Claim, reading: Reading, answer: str, day: int) -> Judgement:
    mention = claim.mention
    assert mention is not None
    value = _which(timeline, mention, day)
    state = timeline.state(value, day)
    start, end = reading.tokens[mention.first].start, reading.tokens[mention.last].end
    words = answer[start:end]
    if state is State.NO_FACT:
        return Judgement(Verdict.IRRELEVANT, "deprecated value", None, words, (start, end))
    if state is State.FUTURE:
        return Judgement(Verdict.IRRELEVANT, "not yet true", None, words, (start, end))
    label = timeline.values[value].label
    if state is State.CURRENT:
        return Judgement(Verdict.CORRECT, claim.rule, label, words, (start, end))
    days, values = timeline.lag(value, day)
    return Judgement(Verdict.OUTDATED, claim.rule, label, words, (start, end), days, values)


def _which(timeline: Timeline, mention: Mention, day: int) -> int:
    """Of several values that share the words: the one that holds, else the latest before the date.

    "Sr." means the earlier and "Jr." the later of them.
    """
    if len(mention.values) == 1:
        return next(iter(mention.values))
    known = [v for v in mention.values if timeline.state(v, day) is not State.NO_FACT] or list(mention.values)
    if mention.generation == "sr":
        return min(known, key=lambda v: min(t.start for t in timeline.terms if t.value == v))
    current = timeline.current(day)
    return max(
        known, key=lambda v: (v in current and mention.generation != "jr", timeline.last_start(v, day), -v)
    )
