"""Where the names stand in an answer, and where words that look like them don't name anybody we know.

A longer personal or club name that isn't the value's blocks the shorter one inside it; an ordinary word
counts as a name only when it is written like one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import regex

from freshness.grading import words
from freshness.grading.names import Hit, Name, NameIndex, generation_of, is_particle
from freshness.grading.text import Token, fold

MAX_INSERTED = 2
"""Words that may stand between a given name and a surname: middle names, patronymics."""
MAX_MENTIONS = 300
"""More names than this are no answer to anything; the rest is not looked at."""
DISTINCTIVE_LENGTH = 10
"""Letters from which a single-word name is too rare to be somebody else's as well."""

_INVERTED = regex.compile(r"\s*,\s*")
_SENTENCE_END = regex.compile(r"[.!?:;\n]")
_LATIN = regex.compile(r"\p{Latin}")
_AFTER_SUBJECT = frozenset("is was has became becomes remains served serves took currently now who".split())
_INTERJECTED = frozenset("i we you it let my there yes no well sorry please that this".split())
_BEFORE_MONTH = frozenset("in since until till of from by last next early late mid on during this".split())
_PRINCES = frozenset("prince princess".split())
_NUMERALS = words.GENERATIONS | words.ROMAN | frozenset(words.ORDINALS)
_NOT_FOREIGN = (
    words.HONORIFICS
    | words.TITLES
    | words.FUNCTION_WORDS
    | words.GENERATIONS
    | words.MONTHS
    | words.PARTICLES
)


class Strength(IntEnum):
    """How surely words name a value."""

    WEAK = 1
    STRONG = 2
    FULL = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of an answer, ``first`` to ``last`` inclusive, that name one value or several that share them."""

    values: frozenset[int]
    first: int
    last: int
    strength: Strength
    generation: str = ""


@dataclass(frozen=True, slots=True)
class _Scan:
    """One answer against one index. ``quiet``: nothing is capitalised; ``shouting``: everything is."""

    index: NameIndex
    text: Sequence[Token]
    asked: frozenset[str]
    quiet: bool
    shouting: bool


@dataclass(slots=True)
class _Run:
    """Words from ``first`` to ``last`` that belong to one name.

    ``seen``: which of its words; ``respelled``: how many of them in another spelling; ``between``: first
    letters of the words in between that are none of its own.
    """

    name: Name
    first: int
    last: int
    seen: frozenset[int]
    matched: int = 1
    respelled: int = 0
    between: frozenset[str] = frozenset()


def find(index: NameIndex, text: Sequence[Token], asked: frozenset[str]) -> list[Mention]:
    """All mentions in order; where they overlap, the longest and surest. Blocked ones are left out.

    ``asked``: folded words of the question; they never make a name longer, nor are they another spelling.
    """
    shouting = all(token.raw.isupper() for token in text if len(token.key) > 1)
    scan = _Scan(index, text, asked, not any(token.capital for token in text), shouting)
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


def _hits(scan: _Scan, at: int) -> Sequence[Hit]:
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


def _grow(scan: _Scan, start: int, hit: Hit) -> _Run:
    """The longest run of this name's words from ``start``."""
    name = scan.index.names[hit.name]
    run = _Run(name, start, start + hit.width - 1, hit.places, respelled=int(not hit.exact))
    at, inserted = run.last + 1, 0
    skipped: frozenset[str] = frozenset()
    while at < len(scan.text) and inserted <= MAX_INSERTED and len(run.seen) < len(name.core):
        token = scan.text[at]
        turned = (
            not token.near
            and run.matched == 1
            and not inserted
            and _INVERTED.fullmatch(token.gap) is not None
        )
        if not token.near and not turned:
            break
        more = next((h for h in _hits(scan, at) if h.name == hit.name and not h.places & run.seen), None)
        if more is None:
            if at == len(scan.text) - 1 and run.matched >= 2 and _begins_word(run, token):
                # Cut off in the last word of a name that is otherwise there.
                run.last = at
                run.seen |= {len(name.core) - 1}
                break
            if turned or not _may_stand_between(token):
                break
            if not is_particle(token):
                skipped |= {token.key[0]}
            inserted += 1
            at += 1
            continue
        if turned and 0 not in more.places:
            # "Sunak, Rishi": a comma turns a name round, it does not join two.
            break
        run.seen |= more.places
        run.respelled += not more.exact
        run.matched += 1
        run.between |= skipped
        run.last = at + more.width - 1
        at, inserted = run.last + 1, 0
    return run


def _begins_word(run: _Run, token: Token) -> bool:
    last = run.name.core[-1]
    return len(token.key) >= 3 and last.startswith(token.key) and len(run.name.core) - 1 not in run.seen


def _may_stand_between(token: Token) -> bool:
    if token.joined or token.key in words.PARTICLES or (len(token.key) == 1 and token.raw[0].isupper()):
        return True
    return token.capital and token.key not in words.FUNCTION_WORDS and token.key not in words.TITLES


def _in_context(scan: _Scan, run: _Run) -> Mention | None:
    """The mention that a run makes, unless its neighbours make it another name or it is no name here."""
    strength = _strength(scan, run)
    if strength is None:
        return None
    text = scan.text
    single = run.first == run.last
    if single and text[run.first].key in scan.asked and strength is Strength.WEAK:
        return None
    before = text[run.first - 1] if run.first and text[run.first].near else None
    after = None if text[run.last].possessive else _next(scan, run.last)
    if single and not _is_written_as_name(scan, run.first, before, after):
        return None
    mention = Mention(frozenset({run.name.value}), run.first, run.last, strength)
    if run.name.team:
        return mention if _is_this_team(scan, run, before, after) else None
    return _as_person(scan, run, mention, before, after)


def _strength(scan: _Scan, run: _Run) -> Strength | None:
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


def _part_of_person(run: _Run, written: Sequence[Token]) -> Strength | None:
    name, last = run.name, len(run.name.core) - 1
    if name.regnal:
        # A first name alone is any monarch's of that name.
        return Strength.WEAK if 0 in run.seen and len(run.seen) > 1 else None
    if len(run.seen) >= 2:
        # Words put in between need the last name behind them, or it is somebody else's name.
        if last not in run.seen and max(run.seen) in name.bound:
            return None
        inserted = len(written) - run.matched - sum(is_particle(token) for token in written)
        return Strength.STRONG if inserted <= 0 or last in run.seen else None
    if 0 in run.seen:
        return Strength.WEAK if name.surname_first else None
    if name.surname_first or (last not in run.seen and (name.alias or len(name.core) < 4)):
        # A word from the middle of a name is seldom what somebody goes by.
        return None
    return Strength.WEAK


def _transliterated(written: Iterable[Token]) -> bool:
    """Written in another script: its spelling here is ours, not the writer's."""
    return any(not token.raw.isascii() and not _LATIN.search(token.raw) for token in written)


def _part_of_team(run: _Run) -> Strength | None:
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


def _is_written_as_name(scan: _Scan, at: int, before: Token | None, after: Token | None) -> bool:
    """A lone word counts as a name when it is written like one."""
    token, whole = scan.text[at], len(scan.text) == 1
    if token.dense or not token.raw[0].isalpha():
        return True
    if len(token.key) == 1:
        return token.raw.isupper() and (whole or before is None or not before.gap.endswith("\n"))
    if not token.capital:
        return scan.quiet and len(scan.text) <= 6 and (whole or token.key not in words.ORDINARY)
    if token.key in words.MONTHS and _is_month(before, after):
        return False
    if token.key in words.LANGUAGES and before is not None and before.key == "in":
        return False
    if token.key not in words.ORDINARY or whole:
        return True
    if (at == 0 or _SENTENCE_END.search(token.gap) is not None) and not _is_subject(
        scan.text[at + 1 : at + 3]
    ):
        return False
    return not scan.shouting or before is None or before.key not in words.FUNCTION_WORDS


def _is_subject(following: Sequence[Token]) -> bool:
    """Whether an ordinary word that opens a sentence goes on like a person: "Grant is", not "Grant me"."""
    if not following:
        return True
    after = following[0]
    if not after.near:
        return after.key not in _INTERJECTED
    if after.key == "and":
        return len(following) > 1 and following[1].capital
    return after.key in _AFTER_SUBJECT or (after.capital and after.key not in words.FUNCTION_WORDS)


def _is_month(before: Token | None, after: Token | None) -> bool:
    if after is not None and after.raw[0].isdigit():
        return True
    return before is not None and (before.raw[0].isdigit() or before.key in _BEFORE_MONTH)


def _is_foreign(scan: _Scan, token: Token | None) -> bool:
    """A capitalised word that belongs to no known name, role or sentence: part of somebody else's name."""
    if token is None or not token.raw[0].isupper() or scan.shouting:
        return False
    return token.key not in scan.asked and token.key not in _NOT_FOREIGN


def _as_person(
    scan: _Scan, run: _Run, mention: Mention, before: Token | None, after: Token | None
) -> Mention | None:
    """The mention of a person, unless the words around it belong to somebody else's name."""
    name = run.name
    # A title that is part of the name as we know it counts as a second word of it.
    titled = before is not None and before.key in name.own and before.key in words.HONORIFICS
    alone = len(run.seen) == 1 and not titled
    if after is not None and (after.joined or after.key in words.THINGS):
        # Only a part of a compound that the name does not have, or something called after its bearer.
        return None
    if alone and not _may_stand_alone(scan, run, before):
        return None
    if (
        after is not None
        and after.key in _NUMERALS
        and (after.raw[0].isupper() or after.key in words.GENERATIONS)
    ):
        numeral = words.ORDINALS.get(after.key, generation_of(after.key))
        if not _fits_numeral(scan.index, name, numeral, alone):
            return None
        mention = replace(mention, generation="" if name.regnal else numeral)
        after = _next(scan, run.last + 1)
    if len(name.core) == 1 and len(name.core[0]) >= DISTINCTIVE_LENGTH:
        return mention
    if alone and before is not None and before.key in _PRINCES and before.key not in name.own:
        return None
    if _is_foreign(scan, after) and (alone or mention.strength < Strength.FULL):
        return None
    return None if _is_of_elsewhere(scan, run, after) else mention


def _is_of_elsewhere(scan: _Scan, run: _Run, after: Token | None) -> bool:
    """Whether a first name is told apart by a place that is not the value's: "Karl of Elsewhere"."""
    if not (len(run.name.core) == 1 or run.name.regnal) or after is None or after.key != "of":
        return False
    place = next((token for token in scan.text[run.last + 2 : run.last + 4] if token.key != "the"), None)
    return _is_foreign(scan, place) and place is not None and place.key not in scan.index.own[run.name.value]


def _next(scan: _Scan, at: int) -> Token | None:
    return scan.text[at + 1] if at + 1 < len(scan.text) and scan.text[at + 1].near else None


def _may_stand_alone(scan: _Scan, run: _Run, before: Token | None) -> bool:
    """Whether one word of a name may name its bearer, for what stands before it."""
    name, key = run.name, scan.text[run.first].key
    if before is None:
        return len(name.core) == 1 or len(key) > 2
    if (
        len(name.core) > 1
        and len(key) <= 2
        and before.key not in words.TITLES
        and before.key not in words.HONORIFICS
    ):
        return False
    if before.key in words.PARTICLES and run.first >= 2 and before.near:
        owner = scan.text[run.first - 2]
        if before.key == "of":
            return not (owner.capital and owner.key in words.OWNERS)
        if len(name.core) > 1 and _is_foreign(scan, owner):
            return False  # the surname of somebody else: "Eve van der Long"
    initials = _initials(scan, run.first)
    if initials:
        # "M." is also how French says Mr.
        return len(name.core) == 1 or bool(initials & {name.core[0][0], "m", *name.initials})
    return (len(name.core) == 1 and len(name.core[0]) >= DISTINCTIVE_LENGTH) or not _is_foreign(scan, before)


def _initials(scan: _Scan, at: int) -> frozenset[str]:
    """The initials right before a word: "D. A." or "D.A."."""
    found: set[str] = set()
    while at and scan.text[at].near:
        at -= 1
        token = scan.text[at]
        if not token.raw[0].isupper() or not (len(token.key) == 1 or "." in token.raw):
            break
        found |= set(token.key)
    return frozenset(found)


def _fits_numeral(index: NameIndex, name: Name, numeral: str, alone: bool) -> bool:
    """Whether "II", "the Third" or "Jr." right after the name may belong to it."""
    if numeral in words.ROMAN and index.numerals.get(name.value):
        return numeral in index.numerals[name.value]
    if numeral in words.ROMAN and name.core[0] in words.TITLES:
        return numeral == "i"
    if name.regnal or (len(name.core) == 1 and numeral in words.ROMAN):
        return numeral in name.core or (numeral == "i" and not name.regnal)
    if alone and len(name.core) > 1 and numeral in words.ROMAN and numeral != name.generation:
        return False
    return not name.generation or numeral == name.generation


def _is_this_team(scan: _Scan, run: _Run, before: Token | None, after: Token | None) -> bool:
    """Whether the words around leave it that team: no other legal form, reserve side or longer name."""
    own = scan.index.forms[run.name.value]
    for token in (before, after):
        if token is not None and token.raw.isupper() and token.key in words.TEAM_KINDS:
            if own and words.TEAM_KINDS[token.key] not in own:
                return False
    if after is not None and after.key in words.RESERVES and after.raw[0].isupper():
        return False
    if after is not None and after.joined:
        after = None
    if _makes_longer(scan, run, after) or _has_place_behind(scan, run, after):
        return False
    if run.first != run.last or before is None or before.key in run.name.own:
        return True
    if before.capital and before.key in words.GENERIC_TEAM_WORDS:
        return False
    acronym = before.raw.isupper() and len(before.key) > 1 and not scan.shouting
    return not _makes_longer(scan, run, before) and (not acronym or _is_team_talk(before))


def _has_place_behind(scan: _Scan, run: _Run, after: Token | None) -> bool:
    """Whether the town behind the name tells a namesake apart: "Racing de Elsewhere"."""
    if after is None or after.key not in ("de", "del", "do", "da") or run.last + 2 >= len(scan.text):
        return False
    return _makes_longer(scan, run, scan.text[run.last + 2])


def _makes_longer(scan: _Scan, run: _Run, token: Token | None) -> bool:
    if token is None or token.key in run.name.own or token.raw.isupper() or not _is_foreign(scan, token):
        return False
    return not _is_team_talk(token)


def _is_team_talk(token: Token) -> bool:
    return token.key in words.TEAM_CONTEXT or token.key in words.TEAM_AFFIXES


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
