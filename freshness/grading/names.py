"""Names as people write them, and where they stand in a text.

A name is compared as a set of folded words with positions: a given name with a surname names a person
whatever stands between them, a surname alone does so less surely, a given name alone does not. A team's
name is compared without its legal form, which only matters when it contradicts ("S.C." against "FC").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache

import regex
from rapidfuzz.distance import DamerauLevenshtein

from freshness.facts import Value
from freshness.grading import words
from freshness.grading.text import Token, fold, tokens

MAX_INSERTED = 2
"""Words that may stand between a given name and a surname: middle names, patronymics."""

DISTINCTIVE_LENGTH = 10
"""Letters from which a single-word name is too rare to be somebody else's as well."""

_PARENTHESES = regex.compile(r"\s*[(\[（][^()\[\]（）]*[)\]）]")
_PEERAGE = regex.compile(r"\b(?:baron(?:ess)?|viscount(?:ess)?|earl|duke|duchess|lord|marquess|count(?:ess)?)\s+", regex.I)
_OF_REALM = regex.compile(r"(?<=\w)\s+of\s+(?:the\s+)?\p{Lu}.*$")
_INVERTED = regex.compile(r"\s*,\s*")
_TEAM_QUESTION = regex.compile(
    r"\b(?:teams?|clubs?|squad|play(?:s|ing)?\s+(?:\w+\s+)?for|driv(?:es|ing)\s+for|rac(?:es|ing)\s+for|"
    r"sign(?:ed|s)?\s+(?:for|with)|franchise)\b",
    regex.I,
)
_SYLLABLE = (
    r"(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?"
    r"(?:iang|iong|uang|ueng|ang|eng|ing|ong|ian|iao|uai|uan|yeo|yeon|eon|eun|ae|eo|eu|oo|ui|"
    r"ai|ei|ao|ou|an|en|in|un|ia|ie|iu|ua|uo|ue|a|o|e|i|u|oi|on|yo|am|ok|ak|uk|im|um|eok|ung)"
)
_ONE = regex.compile(_SYLLABLE)
_ONE_OR_TWO = regex.compile(rf"(?:{_SYLLABLE}){{1,2}}")


class Strength(IntEnum):
    """How surely words name a value."""

    WEAK = 1
    STRONG = 2
    FULL = 3


@dataclass(frozen=True, slots=True)
class Name:
    """One label or alias taken apart.

    ``core``: its folded words in order, without particles or legal form; ``own``: all its words.
    """

    value: int
    core: tuple[str, ...]
    team: bool
    affixes: frozenset[str] = frozenset()
    generation: str = ""
    regnal: bool = False
    particles: bool = False
    surname_first: bool = False
    initials: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    alias: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of an answer that name one value, or several that share the words. ``first``..``last`` inclusive."""

    values: frozenset[int]
    first: int
    last: int
    strength: Strength
    generation: str = ""


@dataclass(slots=True)
class NameIndex:
    """All names of a question's values, by word."""

    names: list[Name] = field(default_factory=list)
    exact: dict[str, list[tuple[int, frozenset[int]]]] = field(default_factory=dict)
    near: dict[str, list[tuple[str, int, frozenset[int]]]] = field(default_factory=dict)
    dense: list[tuple[str, int]] = field(default_factory=list)
    forms: dict[int, frozenset[str]] = field(default_factory=dict)


def build_index(values: Sequence[Value], team: bool) -> NameIndex:
    """The index of a question's values. ``team``: they are teams, not people (``asks_for_team``)."""
    index = NameIndex()
    for number, value in enumerate(values):
        for text in dict.fromkeys((value.label, *value.aliases)):
            alias = text != value.label
            if text and not text.isascii() and any(token.dense for token in tokens(text)):
                index.dense.append((regex.sub(r"\s+", "", text), number))
            for name in _parse(text, number, team):
                _add(index, replace(name, alias=alias))
    return index


def asks_for_team(question: str) -> bool:
    """Whether the question's words ask for a team."""
    return _TEAM_QUESTION.search(question) is not None


def look_like_teams(values: Sequence[Value]) -> bool:
    """Whether most of the values' names carry legal forms of clubs."""
    formed = sum(1 for v in values if any(t.key in words.TEAM_KINDS for t in tokens(v.label) if t.raw[:1].isupper()))
    return 2 * formed > len(values)


def _parse(text: str, value: int, team: bool) -> Iterator[Name]:
    """The names in a label or alias: itself, and what a title of nobility or an inverted order adds."""
    plain = _PARENTHESES.sub("", text).strip() or text
    if team:
        yield from _team(plain, value)
        return
    head, comma, tail = plain.partition(",")
    if comma and _looks_inverted(head, tail):
        head = f"{tail.strip()} {head}"
    elif peer := _PEERAGE.search(tail):
        last = [t.key for t in tokens(tail[peer.end() :].split(" of ")[0])]
        if last and head:
            yield from _person(f"{tokens(head)[0].raw} {last[0]}", value)
    yield from _person(head, value)


def _looks_inverted(head: str, tail: str) -> bool:
    """"Sunak, Rishi", but not "Facebook, Inc." or "Frederik X, King of Denmark"."""
    first, rest = tokens(head), tokens(tail)
    if len(first) != 1 or not 1 <= len(rest) <= 3 or not all(t.capital for t in rest):
        return False
    return not any(t.key in words.TITLES or t.key in words.HONORIFICS or t.raw.endswith(".") for t in rest) and not (
        rest[0].key in {"inc", "ltd", "llc", "corp", "co", "plc", "sa", "ag", "jr", "sr"}
    )


def _person(text: str, value: int) -> Iterator[Name]:
    realm = _OF_REALM.search(text)
    before = tokens(text[: realm.start()]) if realm else []
    parts = before if before and before[-1].key not in words.COLLECTIVES else tokens(text)
    bare = [t for t in parts if t.key not in words.HONORIFICS] or parts
    titled = len(bare) > 1 and bare[0].key in words.TITLES
    if titled and len(bare) > 2:
        bare = bare[1:]
    generation = bare[-1].key if len(bare) > 1 and bare[-1].key in words.GENERATIONS else ""
    regnal = len(bare) > 1 and any(t.key in words.ROMAN for t in bare[1:3]) and not (generation and len(bare) > 2)
    if generation and not regnal:
        bare = bare[:-1]
    core = [t for at, t in enumerate(bare) if not _is_particle(t) or (not at and t.key in words.GIVEN_PARTICLES)] or bare
    keys = tuple(t.key for t in core)
    # Initials ("H." in "Amin H. Nasser") name nobody; they are kept to tell people apart.
    initials = frozenset(k for k in keys[1:-1] if len(k) == 1)
    if len(keys) > 2:
        keys = (keys[0], *(k for k in keys[1:-1] if len(k) > 1), keys[-1])
    if not keys:
        return
    yield Name(
        value,
        keys,
        team=False,
        generation="" if regnal else _generation(generation),
        regnal=regnal,
        particles=len(core) < len(bare),
        surname_first=_is_surname_first(text, keys) and not titled,
        initials=initials,
        own=frozenset(t.key for t in tokens(text)),
    )


def _is_particle(token: Token) -> bool:
    return token.key in words.PARTICLES and (len(token.raw) > 1 or token.raw.islower())


def _generation(word: str) -> str:
    return {"junior": "jr", "senior": "sr"}.get(word, word)


def _is_surname_first(text: str, keys: Sequence[str]) -> bool:
    """Whether the first word is likely the family name: Moon Jae-in, Xi Jinping, Lee Hsien Loong.

    Romanised Chinese and Korean: one syllable, then one or two more, hyphened, apart or together.
    """
    if not 2 <= len(keys) <= 4 or not text.isascii() or keys[0] in words.NICKNAMES:
        return False
    given = _ONE_OR_TWO if len(keys) == 2 else _ONE
    return _ONE.fullmatch(keys[0]) is not None and all(given.fullmatch(key) for key in keys[1:])


def _team(text: str, value: int) -> Iterator[Name]:
    keys = [t.key for t in tokens(text)]
    low, high = 0, len(keys)
    while low < high and keys[low] in words.TEAM_AFFIXES:
        low += 1
    while high > low and keys[high - 1] in words.TEAM_AFFIXES:
        high -= 1
    inner = keys[low:high] or keys
    core = tuple(k for k in inner if k not in words.TEAM_PARTICLES or len(inner) == 1) or tuple(inner)
    outer = frozenset(keys[:low] + keys[high:]) if high > low else frozenset()
    if core:
        yield Name(value, core, True, outer, particles=len(core) < len(inner), own=frozenset(keys))
        initials = "".join(k[0] for k in core)
        if len(core) >= 3:
            yield Name(value, (initials,), True, outer)


def _add(index: NameIndex, name: Name) -> None:
    number = len(index.names)
    index.names.append(name)
    kinds = frozenset(words.TEAM_KINDS[affix] for affix in name.affixes if affix in words.TEAM_KINDS)
    index.forms[name.value] = index.forms.get(name.value, frozenset()) | kinds
    for position, key in enumerate(name.core):
        place = frozenset({position})
        for variant in {key, *_variants(key, position, name)}:
            index.exact.setdefault(variant, []).append((number, place))
        if len(key) >= 3 and not key.isdigit():
            index.near.setdefault(skeleton(key), []).append((key, number, place))
        # "Jae-in" is also written "Jaein": neighbours joined.
        if position and not name.team:
            joined = name.core[position - 1] + key
            index.exact.setdefault(joined, []).append((number, frozenset({position - 1, position})))


def _variants(key: str, position: int, name: Name) -> Iterator[str]:
    if name.team:
        if key == "united":
            yield "utd"
        return
    if position == 0 and len(name.core) > 1:
        yield from _same_given_name(key)
    if name.regnal and key in words.ROMAN:
        yield from (word for word, roman in words.ORDINALS.items() if roman == key)
    if "oe" in key or "ue" in key or "ae" in key:
        yield key.replace("oe", "o").replace("ue", "u").replace("ae", "a")


@lru_cache(maxsize=4096)
def _same_given_name(key: str) -> frozenset[str]:
    """Short forms and the names they are short for: James, Jim, Jimmy."""
    long = frozenset(words.NICKNAMES.get(key, "").split()) | {key}
    short = {nick for nick, full in words.NICKNAMES.items() if long & set(full.split())}
    return frozenset(short | long) - {key}


@lru_cache(maxsize=65_536)
def skeleton(key: str) -> str:
    """What stays of a word whichever way it was transliterated: its consonants, alike ones made one.

    The last letter is kept when it is a vowel that can tell two names apart (Mario, Maria).
    """
    text = key
    for pattern, plain in _TRANSLITERATION:
        text = pattern.sub(plain, text)
    ending = "" if not text or text[-1] not in "aeou" else text[-1]
    body = text[0] + _VOWELS.sub("", text[1:]) if text else ""
    body = ("-" + body[1:]) if body and body[0] in "aeiou" else body
    return _DOUBLED.sub(r"\1", body) + ending


_VOWELS = regex.compile(r"[aeiou]")
_DOUBLED = regex.compile(r"(.)\1+")
_TRANSLITERATION = tuple(
    (regex.compile(pattern), plain)
    for pattern, plain in (
        (r"dj", "j"),
        (r"(?<=.)(?:iyy|iya|ii|iy|yi|yy|ij|ey|ei|ay|ai|y|j)$", "i"),
        (r"shch|sch|sh|tsch|tch|cz|ch", "s"),
        (r"kh|gh|ck|cq|q|c|g", "k"),
        (r"ph", "f"),
        (r"dh", "d"),
        (r"th", "t"),
        (r"zh", "z"),
        (r"ts|tz", "z"),
        (r"x", "ks"),
        (r"w", "v"),
        (r"(?<=[bcdfklmnprstvz])h|h$", ""),
        (r"y|j", "i"),
        (r"(?<=.)ou|oo", "u"),
    )
)


def _close(key: str, known: str, given: bool) -> bool:
    """Whether two words with one skeleton are two spellings of one name."""
    if key == known:
        return True
    if key[0] != known[0] and {key[0], known[0]} not in _SAME_INITIALS:
        return False
    distance = DamerauLevenshtein.distance(key, known, score_cutoff=3)
    return distance <= (1 if len(known) <= 4 else 2 if len(known) <= 8 else 3)


_SAME_INITIALS = [set(pair) for pair in ("kq", "kg", "gq", "kc", "cq", "vw", "iy", "jy", "zs", "sc", "ei", "ey", "xz", "ae", "ou", "td", "fp", "ij", "zt", "ch", "tc")]


def find(index: NameIndex, text: Sequence[Token], asked: frozenset[str]) -> list[Mention]:
    """All mentions in order; where they overlap, the longest and surest. Blocked ones are left out.

    ``asked``: folded words of the question; they never make a name longer, nor are they another spelling.
    """
    found: list[Mention] = []
    shouting = all(token.raw.isupper() for token in text if len(token.key) > 1)
    quiet = not any(token.capital for token in text)
    for start, token in enumerate(text):
        if token.dense:
            found.extend(_find_dense(index, token, start))
        for number, places, exact, width in _hits(index, text, start, asked):
            mention = _grow(index, text, start, index.names[number], places, exact, width, asked, quiet, shouting)
            if mention:
                found.append(mention)
    return _merge(found)


def _hits(
    index: NameIndex, text: Sequence[Token], at: int, asked: frozenset[str]
) -> Iterator[tuple[int, frozenset[int], bool, int]]:
    """Names that have this word (or this and the next, written apart): number, positions, exact, words used."""
    key = text[at].key
    hits = index.exact.get(key)
    if hits:
        for number, places in hits:
            yield number, places, True, 1
    elif len(key) >= 3 and key not in asked:
        near = index.near.get(skeleton(key))
        if near:
            for known, number, places in near:
                if _close(key, known, 0 in places):
                    yield number, places, False, 1
    if at + 1 < len(text) and text[at].capital and text[at + 1].near:
        for number, places in index.exact.get(key + text[at + 1].key, ()):
            yield number, places, True, 2


def _grow(
    index: NameIndex,
    text: Sequence[Token],
    start: int,
    name: Name,
    places: frozenset[int],
    exact: bool,
    width: int,
    asked: frozenset[str],
    quiet: bool,
    shouting: bool,
) -> Mention | None:
    """The longest run of this name's words from ``start``, if it names the value."""
    seen = set(places)
    last = start + width - 1
    fuzzy = 0 if exact else 1
    matched = 1
    at = last + 1
    inserted = 0
    inverted = False
    while at < len(text) and inserted <= MAX_INSERTED:
        token = text[at]
        near = token.near
        if not near and not (matched == 1 and not inserted and _INVERTED.fullmatch(token.gap)):
            break
        hit = _position(index, text, at, name, seen, asked)
        if hit is None:
            if not near or not _may_stand_between(token):
                break
            inserted += 1
            at += 1
            continue
        positions, is_exact, used = hit
        if not near:
            # "Sunak, Rishi": a comma turns a name round, it does not join two.
            if 0 not in positions:
                break
            inverted = True
        seen |= positions
        fuzzy += not is_exact
        matched += 1
        last = at + used - 1
        at = last + 1
        inserted = 0
    article = bool(start) and text[start].near and _is_particle(text[start - 1])
    strength = _strength(name, seen, text[start : last + 1], fuzzy, matched, article)
    if strength is None:
        return None
    if inverted and 0 not in seen:
        return None
    mention = Mention(frozenset({name.value}), start, last, strength)
    return _in_context(index, text, mention, name, seen, asked, quiet, shouting)


def _position(
    index: NameIndex, text: Sequence[Token], at: int, name: Name, seen: set[int], asked: frozenset[str]
) -> tuple[frozenset[int], bool, int] | None:
    for number, places, exact, width in _hits(index, text, at, asked):
        if index.names[number] is name and not places & seen:
            return places, exact, width
    return None


def _may_stand_between(token: Token) -> bool:
    if token.joined or token.key in words.PARTICLES or (len(token.key) == 1 and token.raw[0].isupper()):
        return True
    return token.capital and token.key not in words.FUNCTION_WORDS and token.key not in words.TITLES


def _strength(
    name: Name, seen: set[int], run: Sequence[Token], fuzzy: int, matched: int, article: bool
) -> Strength | None:
    """How surely these words of the name name the value; None when they don't.

    Another spelling is only believed of a full name: two words, or one with its article ("Al-Nasser"),
    and of a team's one-word name that is written with an article where we know it.
    """
    size = len(name.core)
    if fuzzy and matched < 2 and not _transliterated(run) and not (name.particles and (article or name.team)):
        return None
    if name.team:
        return _team_strength(name, seen)
    if len(seen) == size:
        return Strength.FULL
    if name.regnal:
        # "Elizabeth" alone is any Elizabeth; the judge asks for a title beside it.
        return Strength.WEAK if 0 in seen else None
    if len(seen) >= 2:
        # "Pham Vinh Minh" is not Pham Minh Chinh: words put in between need the last name behind them.
        return Strength.STRONG if len(run) <= matched or size - 1 in seen or _only_particles(run, matched) else None
    if 0 in seen:
        return Strength.WEAK if name.surname_first else None
    if name.surname_first or (name.alias and size - 1 not in seen):
        # A word from the middle of a full birth name is not what somebody goes by.
        return None
    return Strength.WEAK


def _only_particles(run: Sequence[Token], matched: int) -> bool:
    return len(run) - sum(_is_particle(t) for t in run) <= matched


def _transliterated(run: Iterable[Token]) -> bool:
    """Written in another script: its spelling here is ours, not the writer's."""
    return any(not t.raw.isascii() and not regex.search(r"\p{Latin}", t.raw) for t in run)


def _team_strength(name: Name, seen: set[int]) -> Strength | None:
    size = len(name.core)
    if len(seen) == size:
        return Strength.FULL
    if len(seen) > 1:
        return None
    at = next(iter(seen))
    generic = name.core[at] in words.GENERIC_TEAM_WORDS
    if at == size - 1 and not generic:
        return Strength.WEAK
    if at == 0 and size == 2 and not generic and name.core[1] not in words.GENERIC_TEAM_WORDS:
        return Strength.WEAK
    return None


def _in_context(
    index: NameIndex,
    text: Sequence[Token],
    mention: Mention,
    name: Name,
    seen: set[int],
    asked: frozenset[str],
    quiet: bool,
    shouting: bool,
) -> Mention | None:
    """The mention, unless its neighbours make it another name, or ordinary words are no name here."""
    single = mention.first == mention.last
    if single and text[mention.first].key in asked and mention.strength is Strength.WEAK:
        return None
    before = text[mention.first - 1] if mention.first and text[mention.first].near else None
    after = text[mention.last + 1] if mention.last + 1 < len(text) and text[mention.last + 1].near else None
    if text[mention.last].possessive:
        after = None
    if single and not _is_written_as_name(text, mention.first, before, after, name, quiet, shouting):
        return None
    if name.team:
        return mention if _team_stands(index, mention, name, before, after, asked) else None
    return _person_stands(text, mention, name, seen, before, after, asked, shouting)


def _is_written_as_name(
    text: Sequence[Token], at: int, before: Token | None, after: Token | None, name: Name, quiet: bool, shouting: bool
) -> bool:
    """A lone word counts as a name when it is written like one."""
    token = text[at]
    if token.dense or not token.raw[0].isalpha():
        return True
    if len(token.key) == 1:
        return token.raw.isupper() and (len(text) == 1 or (before is None or not before.gap.endswith("\n")))
    if not token.capital:
        return quiet and len(text) <= 6 and (token.key not in words.ORDINARY or len(text) == 1)
    if token.key in words.MONTHS and _is_month(before, after):
        return False
    if token.key not in words.ORDINARY or len(text) == 1:
        return True
    starts = at == 0 or regex.search(r"[.!?:;\n]", token.gap) is not None
    if starts and after is not None and not after.capital and after.key not in _AFTER_SUBJECT:
        return False
    return not shouting or before is None or before.key not in words.FUNCTION_WORDS


_AFTER_SUBJECT = frozenset("is was has became becomes remains served serves took currently now and who".split())


def _is_month(before: Token | None, after: Token | None) -> bool:
    if after is not None and after.raw[0].isdigit():
        return True
    if before is None:
        return False
    return before.raw[0].isdigit() or before.key in {
        "in", "since", "until", "till", "of", "from", "by", "last", "next", "early", "late", "mid", "on", "during", "this"
    }  # fmt: skip


def _is_foreign(asked: frozenset[str], token: Token | None) -> bool:
    """A capitalised word that belongs to no known name, role or sentence: part of somebody else's name."""
    if token is None or not token.capital or token.raw[0].isdigit() or token.dense:
        return False
    key = token.key
    return not (
        key in asked
        or key in words.HONORIFICS
        or key in words.TITLES
        or key in words.FUNCTION_WORDS
        or key in words.GENERATIONS
        or key in words.MONTHS
        or key in words.PARTICLES
    )


def _person_stands(
    text: Sequence[Token],
    mention: Mention,
    name: Name,
    seen: set[int],
    before: Token | None,
    after: Token | None,
    asked: frozenset[str],
    shouting: bool,
) -> Mention | None:
    alone = len(seen) == 1
    generation = ""
    if after is not None and after.joined:
        # The last word is only a part of a compound that the name does not have.
        return None
    if alone and len(name.core) > 1 and len(text[mention.first].key) <= 2 and not _has_title(before):
        return None
    if alone and before is not None and before.key == "of" and mention.first >= 2:
        if text[mention.first - 2].key in words.COLLECTIVES and text[mention.first - 2].capital:
            return None
    if after is not None and after.key in (words.GENERATIONS | words.ROMAN | set(words.ORDINALS)):
        if after.raw[0].isupper() or after.key in words.GENERATIONS:
            numeral = words.ORDINALS.get(after.key, _generation(after.key))
            if alone and len(name.core) > 1 and not name.regnal and numeral in words.ROMAN - {name.generation}:
                return None
            if name.regnal or (len(name.core) == 1 and numeral in words.ROMAN):
                return mention if numeral in name.core or (numeral == "i" and not name.regnal) else None
            generation = numeral
            after = None
    if generation and name.generation and generation != name.generation:
        return None
    if name.regnal and len(seen) < 2 and not (before is not None and before.key in words.SOVEREIGNS):
        return None
    if alone and before is not None and len(before.key) == 1 and before.raw[0].isupper():
        if len(name.core) > 1 and before.key != name.core[0][0] and before.key not in name.initials and before.key != "m":
            return None
        before = None
    distinctive = len(name.core) == 1 and len(name.core[0]) >= DISTINCTIVE_LENGTH
    if alone and not shouting and not distinctive and _is_foreign(asked, before):
        return None
    if distinctive:
        after = None
    if not shouting and _is_foreign(asked, after) and (alone or mention.strength < Strength.FULL):
        return None
    if len(name.core) == 1 and after is not None and after.key == "of" and mention.last + 2 < len(text):
        if _is_foreign(asked, text[mention.last + 2]) and text[mention.last + 2].key not in name.own:
            return None
    return Mention(mention.values, mention.first, mention.last, mention.strength, generation)


def _has_title(token: Token | None) -> bool:
    return token is not None and (token.key in words.TITLES or token.key in words.HONORIFICS)


def _team_stands(
    index: NameIndex,
    mention: Mention,
    name: Name,
    before: Token | None,
    after: Token | None,
    asked: frozenset[str],
) -> bool:
    own = index.forms[name.value]
    for token in (before, after):
        if token is not None and token.raw.isupper() and token.key in words.TEAM_KINDS:
            if own and words.TEAM_KINDS[token.key] not in own:
                return False
    if after is not None and after.key in words.RESERVES and after.raw[0].isupper():
        return False
    single = mention.first == mention.last
    if after is not None and after.joined:
        after = None
    for token in (before, after):
        if token is None or token.key in name.own:
            continue
        if (single or token is after) and _is_foreign(asked, token):
            if token.key not in words.TEAM_CONTEXT and token.key not in words.TEAM_AFFIXES and not token.raw.isupper():
                return False
            if token is before and token.key in words.GENERIC_TEAM_WORDS:
                return False
    return True


def _find_dense(index: NameIndex, token: Token, at: int) -> Iterator[Mention]:
    """Names in scripts written without spaces: as a part of the word, or of its transliteration."""
    spelled = fold(token.raw)
    for text, value in index.dense:
        if text in token.raw:
            yield Mention(frozenset({value}), at, at, Strength.FULL)
    for name in index.names:
        whole = "".join(name.core)
        if len(name.core) > 1 and len(whole) >= 6 and whole in spelled:
            yield Mention(frozenset({name.value}), at, at, Strength.STRONG)


def _merge(found: list[Mention]) -> list[Mention]:
    """Overlaps settled: the longest, then the surest wins; equals share the mention."""
    order = sorted(found, key=lambda m: (m.first - m.last, -m.strength, m.first))
    kept: list[Mention] = []
    for mention in order:
        clash = next((k for k in kept if k.first <= mention.last and mention.first <= k.last), None)
        if clash is None:
            kept.append(mention)
        elif (clash.first, clash.last, clash.strength) == (mention.first, mention.last, mention.strength):
            kept[kept.index(clash)] = Mention(
                clash.values | mention.values, clash.first, clash.last, clash.strength, clash.generation or mention.generation
            )
    return sorted(kept, key=lambda m: m.first)
