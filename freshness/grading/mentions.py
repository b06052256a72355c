"""Where the names stand in an answer: runs of words that belong to one name, and how surely they name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import regex

from freshness.grading import words
from freshness.grading.names import Hit, NameIndex, is_particle
from freshness.grading.neighbours import as_person, is_this_team, is_written_as_name, next_word
from freshness.grading.scan import Mention, Run, Scan, Strength
from freshness.grading.text import Token, fold

MAX_INSERTED = 2
"""Words that may stand between a given name and a surname: middle names, patronymics."""
MAX_MENTIONS = 300
"""More names than this are no answer to anything; the rest is not looked at."""
_INVERTED = regex.compile(r"\s*,\s*")
_LATIN = regex.compile(r"\p{Latin}")


def find(index: NameIndex, text: Sequence[Token], asked: frozenset[str]) -> list[Mention]:
    """All mentions in order; where they overlap, the longest and surest. Blocked ones are left out.

    ``asked``: folded words of the question; they never make a name longer, nor are they another spelling.
    """
    shouting = all(token.raw.isupper() for token in text if len(token.key) > 1)
    scan = Scan(index, text, asked, not any(token.capital for token in text), shouting)
    found: list[Mention] = []
    for start, token in enumerate(text):
        if token.dense:
            found.extend(_dense(index, token, start))
        for hit in _hits(scan, start):
            mention = _in_context(scan, _grow(scan, start, hit))
            if mention is not None:
                found.append(mention)
        if len(found) >= MAX_MENTIONS:
            break
    return _merge(found) if len(found) > 1 else found


def _hits(scan: Scan, at: int) -> Sequence[Hit]:
    """What the word at this place may stand for, alone or together with the next ("Jin ping")."""
    token = scan.text[at]
    hits: Sequence[Hit] = scan.index.hits(token)
    if hits and token.key in scan.asked and token.key not in scan.index.exact:
        hits = ()
    if at + 1 < len(scan.text) and token.capital and scan.text[at + 1].near:
        joined = scan.index.exact.get(token.key + scan.text[at + 1].key)
        if joined:
            return [*hits, *(replace(hit, width=2) for hit in joined)]
    return hits


def _grow(scan: Scan, start: int, hit: Hit) -> Run:
    """The longest run of this name's words from ``start``."""
    name = scan.index.names[hit.name]
    run = Run(name, start, start + hit.width - 1, hit.places, respelled=int(not hit.exact))
    at, inserted = run.last + 1, ""
    while at < len(scan.text) and len(inserted) <= MAX_INSERTED and len(run.seen) < len(name.core):
        token = scan.text[at]
        turned = not token.near and run.matched == 1 and not inserted and _INVERTED.fullmatch(token.gap)
        if not token.near and not turned:
            break
        more = next((h for h in _hits(scan, at) if h.name == hit.name and not h.places & run.seen), None)
        if more is not None and (not turned or 0 in more.places):
            # A comma turns a name round (surname, given name); it does not join two.
            _take(run, more, at, inserted)
            at, inserted = run.last + 1, ""
        elif more is None and not turned and _may_stand_between(token):
            inserted += " " if is_particle(token) else token.key[0]
            at += 1
        else:
            break
    _finish(scan, run)
    return run


def _take(run: Run, hit: Hit, at: int, inserted: str) -> None:
    run.seen |= hit.places
    run.respelled += not hit.exact
    run.matched += 1
    run.between |= frozenset(inserted) - {" "}
    run.last = at + hit.width - 1


def _finish(scan: Scan, run: Run) -> None:
    """What follows the run and is still its own: the rest of a compound, a last word that was cut off."""
    text, last = scan.text, len(run.name.core) - 1
    while run.last + 1 < len(text) and text[run.last + 1].joined and text[run.last + 1].key in run.name.own:
        run.last += 1
    if run.last == len(text) - 2 and run.matched >= 2 and last not in run.seen and text[-1].near:
        if len(text[-1].key) >= 3 and run.name.core[-1].startswith(text[-1].key):
            run.last += 1
            run.seen |= {last}


def _may_stand_between(token: Token) -> bool:
    if token.joined or token.key in words.PARTICLES or (len(token.key) == 1 and token.raw[0].isupper()):
        return True
    return token.capital and token.key not in words.FUNCTION_WORDS and token.key not in words.TITLES


def _in_context(scan: Scan, run: Run) -> Mention | None:
    """The mention that a run makes, unless its neighbours make it another name or it is no name here."""
    strength = _strength(scan, run)
    if strength is None:
        return None
    text = scan.text
    single = run.first == run.last
    if single and text[run.first].key in scan.asked and strength is Strength.WEAK:
        return None
    before = text[run.first - 1] if run.first and text[run.first].near else None
    after = None if text[run.last].possessive else next_word(scan, run.last)
    if single and not is_written_as_name(scan, run.first, before, after):
        return None
    mention = Mention(frozenset({run.name.value}), run.first, run.last, strength)
    if run.name.team:
        return mention if is_this_team(scan, run, before, after) else None
    return as_person(scan, run, mention, before, after)


def _strength(scan: Scan, run: Run) -> Strength | None:
    """How surely the run's words name the value; None when they don't.

    Another spelling is only believed of a full name: two words, or one with its Arabic article,
    and of a team's one-word name that is written with an article where we know it.
    """
    written = scan.text[run.first : run.last + 1]
    if run.respelled and run.matched < 2 and not _transliterated(written):
        article = (
            run.first > 0 and scan.text[run.first].near and scan.text[run.first - 1].key in words.ARTICLES
        )
        last = len(run.name.core) - 1 in run.seen
        if not (run.name.articled and last and (article or run.name.team)):
            return None
    initials = run.name.initials
    if initials and run.between - initials:
        return None  # the words between are not what the initials stand for
    if len(run.seen) == len(run.name.core):
        return Strength.STRONG if initials and run.between and run.between != initials else Strength.FULL
    if run.name.team:
        return _part_of_team(run)
    return _part_of_person(run, written)


def _part_of_person(run: Run, written: Sequence[Token]) -> Strength | None:
    name, last = run.name, len(run.name.core) - 1
    if name.titled:
        return None
    if name.regnal:
        # A first name alone is any monarch's of that name.
        return Strength.WEAK if 0 in run.seen and len(run.seen) > 1 else None
    if name.surname_first:
        # Family name first: its syllables stand together, so that half of them are somebody else's.
        return Strength.WEAK if run.seen == {0} else None
    if len(run.seen) >= 2:
        # Words put in between need the last name behind them, or it is somebody else's name.
        if last not in run.seen and max(run.seen) in name.bound:
            return None
        inserted = len(written) - run.matched - sum(is_particle(token) for token in written)
        return Strength.STRONG if inserted <= 0 or last in run.seen else None
    if 0 in run.seen:
        return None
    if last not in run.seen and (name.alias or len(name.core) < 4):
        # A word from the middle of a name is seldom what somebody goes by.
        return None
    return Strength.WEAK


def _transliterated(written: Iterable[Token]) -> bool:
    """Written in another script: its spelling here is ours, not the writer's."""
    return any(not token.raw.isascii() and not _LATIN.search(token.raw) for token in written)


def _part_of_team(run: Run) -> Strength | None:
    """The last word, or the first of two, of a team's name, unless many teams have it."""
    core = run.name.core
    if len(run.seen) > 1:
        return None
    at = next(iter(run.seen))
    if core[at] in words.GENERIC_TEAM_WORDS:
        return None
    if at == len(core) - 1 or (at == 0 and len(core) == 2 and core[1] not in words.GENERIC_TEAM_WORDS):
        return Strength.WEAK
    return None


def _dense(index: NameIndex, token: Token, at: int) -> Iterator[Mention]:
    """Names in scripts without spaces: the word itself (see ``split_dense``), or its transliteration."""
    spelled = fold(token.raw)
    for text, value in index.dense:
        if text == token.raw:
            yield Mention(frozenset({value}), at, at, Strength.FULL)
    for name in index.names:
        whole = "".join(name.core)
        if len(name.core) > 1 and len(whole) >= 6 and whole in spelled:
            yield Mention(frozenset({name.value}), at, at, Strength.STRONG)


def _merge(found: list[Mention]) -> list[Mention]:
    """Overlaps settled: the longest, then the surest wins; equals share the mention."""
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m.first - m.last, -m.strength, m.first)):
        at = next(
            (n for n, k in enumerate(kept) if k.first <= mention.last and mention.first <= k.last), None
        )
        if at is None:
            kept.append(mention)
        elif (kept[at].first, kept[at].last, kept[at].strength) == (
            mention.first,
            mention.last,
            mention.strength,
        ):
            generation = kept[at].generation or mention.generation
            kept[at] = replace(kept[at], values=kept[at].values | mention.values, generation=generation)
    return sorted(kept, key=lambda m: m.first)
