"""Labels and aliases taken apart, and found again by any of their words.

A name is compared as a set of folded words with positions: a given name with a surname names a person
whatever stands between them, a surname alone does so less surely, a given name alone does not. A team's
name is compared without its legal form, which only matters when it contradicts ("S.C." against "FC").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import regex

from freshness.facts import Value
from freshness.grading import words
from freshness.grading.spelling import consonants, is_close, levelled, same_given_name, skeleton
from freshness.grading.text import Token, tokens

MAX_MEMO = 20_000
"""Words remembered per index with what they may name; then it starts afresh."""

_ABJAD = regex.compile(r"[^\p{Latin}\p{Cyrillic}\p{Greek}\p{Common}]")
_PARENTHESES = regex.compile(r"\s*[(\[（][^()\[\]（）]*[)\]）]")
_PEERAGE = regex.compile(
    r"\b(?:baron(?:ess)?|viscount(?:ess)?|earl|duke|duchess|lord|marquess|count(?:ess)?)\s+", regex.I
)
_OF_REALM = regex.compile(r"(?<=\w)\s+of\s+(?:the\s+)?\p{Lu}.*$")
_ABBREVIATED = {"saint": ("st",), "st": ("saint",), "sankt": ("st",), "mount": ("mt",), "fort": ("ft",)}
_GRAND = frozenset({"grand", "crown"})
_TIES = frozenset("de da do dos das di del al el bin ibn van von der".split())
_EXONYMS: dict[str, tuple[str, ...]] = {}
for _town, _own in words.EXONYMS.items():
    for _name in _own.split():
        _EXONYMS[_town] = (*_EXONYMS.get(_town, ()), _name)
        _EXONYMS[_name] = (*_EXONYMS.get(_name, ()), _town)
_COMPANY_FORMS = frozenset("inc ltd llc corp co plc sa ag jr sr".split())
_TEAM_QUESTION = regex.compile(
    r"\b(?:teams?|clubs?|squad|play(?:s|ing)?\s+(?:\w+\s+)?for|driv(?:es|ing)\s+for|rac(?:es|ing)\s+for|"
    r"sign(?:ed|s)?\s+(?:for|with)|franchise)\b",
    regex.I,
)
_SYLLABLE = (
    r"(?:zh|ch|sh|hs|ts|kw|gw|ng|[bpmfdtnlgkhjqxrzcsyw])?"
    r"(?:iang|iong|uang|oong|eong|yeon|ang|eng|ing|ong|ung|ian|ien|iao|uai|uan|yeo|eon|eun|eok|wan|"
    r"ae|eo|eu|oo|ee|ew|oh|ah|uh|ui|ai|ei|ao|ou|an|en|in|un|on|am|im|um|ia|ie|iu|ua|uo|ue|oi|yo|ok|ak|uk|"
    r"a|o|e|i|u)"
)
_ONE = regex.compile(_SYLLABLE)
_ONE_OR_TWO = regex.compile(rf"(?:{_SYLLABLE}){{1,2}}")


@dataclass(frozen=True, slots=True)
class Name:
    """One label or alias taken apart.

    ``core``: its folded words in order, without particles or legal form; ``own``: all its words;
    ``titled``: a title is part of it ("Queen Ada"), so that only the whole names anybody; ``articled``: an
    Arabic article stands before its last word; ``bound``: positions that a following particle ties to the
    next word.
    """

    value: int
    core: tuple[str, ...]
    team: bool
    affixes: frozenset[str] = frozenset()
    generation: str = ""
    regnal: bool = False
    titled: bool = False
    articled: bool = False
    surname_first: bool = False
    initials: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    bound: frozenset[int] = frozenset()
    alias: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A word that may stand for words of a name: which ones, and whether it is spelled as we know it."""

    name: int
    places: frozenset[int]
    exact: bool
    width: int = 1


@dataclass(slots=True)
class NameIndex:
    """All names of a question's values, by word: as written, levelled, by skeleton, by consonants."""

    names: list[Name] = field(default_factory=list)
    exact: dict[str, list[Hit]] = field(default_factory=dict)
    levelled: dict[str, list[Hit]] = field(default_factory=dict)
    skeletons: dict[str, list[tuple[str, Hit]]] = field(default_factory=dict)
    abjad: dict[str, list[Hit]] = field(default_factory=dict)
    dense: list[tuple[str, int]] = field(default_factory=list)
    forms: dict[int, set[str]] = field(default_factory=dict)
    own: dict[int, set[str]] = field(default_factory=dict)
    numerals: dict[int, set[str]] = field(default_factory=dict)
    memo: dict[str, tuple[Hit, ...]] = field(default_factory=dict)

    def hits(self, token: Token) -> tuple[Hit, ...]:
        """What the word may stand for; spelled as we know it, else in another spelling."""
        known = self.memo.get(token.raw)
        if known is None:
            if len(self.memo) >= MAX_MEMO:
                self.memo.clear()
            known = self.memo[token.raw] = tuple(self.exact.get(token.key) or self._respelled(token))
        return known

    def _respelled(self, token: Token) -> Iterator[Hit]:
        key = token.key
        if len(key) < 3:
            return
        if _ABJAD.match(token.raw):
            bare = consonants(key[1:] if token.raw.startswith("ال") else key)
            yield from (replace(hit, exact=len(bare) >= 4) for hit in self.abjad.get(bare, ()))
            return
        alike = self.levelled.get(levelled(key)) if len(key) >= 5 else None
        if alike:
            yield from alike
            return
        yield from (hit for known, hit in self.skeletons.get(skeleton(key), ()) if is_close(key, known))


def build_index(values: Sequence[Value], team: bool) -> NameIndex:
    """The index of a question's values. ``team``: they are teams, not people (``asks_for_team``)."""
    index = NameIndex()
    for number, value in enumerate(values):
        for text in dict.fromkeys((value.label, *value.aliases)):
            if not text.isascii() and any(token.dense for token in tokens(text)):
                index.dense.append((regex.sub(r"\s+", "", text), number))
            for name in _parse(text, number, team):
                _add(index, replace(name, alias=text != value.label))
    return index


def _add(index: NameIndex, name: Name) -> None:
    number = len(index.names)
    index.names.append(name)
    kinds = (words.TEAM_KINDS[affix] for affix in name.affixes if affix in words.TEAM_KINDS)
    index.forms.setdefault(name.value, set()).update(kinds)
    index.own.setdefault(name.value, set()).update(name.own)
    if name.regnal:
        index.numerals.setdefault(name.value, set()).update(words.ROMAN.intersection(name.core))
    for position, key in enumerate(name.core):
        hit = Hit(number, frozenset({position}), exact=True)
        for variant in {key, *_variants(key, position, name)}:
            index.exact.setdefault(variant, []).append(hit)
        if len(key) >= 5 and not key.isdigit():
            index.levelled.setdefault(levelled(key), []).append(hit)
        if len(key) >= 3 and not key.isdigit():
            index.abjad.setdefault(consonants(key), []).append(hit)
            for bones in _skeletons(key, surname=not name.team and position == len(name.core) - 1):
                index.skeletons.setdefault(bones, []).append((key, replace(hit, exact=False)))
        if position == 0 and len(key) == 1:
            for initial in name.initials:
                index.exact.setdefault(key + initial, []).append(hit)
        if position and not name.team:
            # What a hyphen joins is also written as one word.
            joined = Hit(number, frozenset({position - 1, position}), exact=True)
            index.exact.setdefault(name.core[position - 1] + key, []).append(joined)


def asks_for_team(question: str) -> bool:
    """Whether the question's words ask for a team."""
    return _TEAM_QUESTION.search(question) is not None


def look_like_teams(values: Sequence[Value]) -> bool:
    """Whether most of the values' names carry legal forms of clubs."""
    formed = sum(
        1 for v in values if any(t.key in words.TEAM_KINDS for t in tokens(v.label) if t.raw[:1].isupper())
    )
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
    """Whether a comma turned a name round: "Long, Ada", but not "Long, Inc." or "Karl X, King of ..."."""
    first, rest = tokens(head), tokens(tail)
    if len(first) != 1 or not 1 <= len(rest) <= 3 or not all(t.capital for t in rest):
        return False
    return not any(
        t.key in words.TITLES or t.key in words.HONORIFICS or t.raw.endswith(".") for t in rest
    ) and (rest[0].key not in _COMPANY_FORMS)


def _person(text: str, value: int) -> Iterator[Name]:
    realm = _OF_REALM.search(text)
    before = tokens(text[: realm.start()]) if realm else []
    parts = before if before and before[-1].key not in words.COLLECTIVES else tokens(text)
    bare = list(parts)
    while len(bare) > 1 and bare[0].key in words.HONORIFICS:
        bare = bare[1:]
    while len(bare) > 2 and (bare[0].key in words.TITLES or bare[0].key in _GRAND):
        bare = bare[1:]
    titled = len(bare) > 1 and bare[0].key in words.TITLES
    generation = bare[-1].key if len(bare) > 1 and bare[-1].key in words.GENERATIONS else ""
    regnal = (
        len(bare) > 1 and any(t.key in words.ROMAN for t in bare[1:3]) and not (generation and len(bare) > 2)
    )
    if generation and not regnal:
        bare = bare[:-1]
    core = [
        t for at, t in enumerate(bare) if not is_particle(t) or (not at and t.key in words.GIVEN_PARTICLES)
    ] or bare
    keys = tuple(t.key for t in core)
    tied = {t.key for t, after in pairwise(bare) if after.key in _TIES}
    # Initials name nobody; they are kept to tell people apart.
    initials = frozenset(k for k in keys[1:-1] if len(k) == 1)
    if len(keys) > 2:
        keys = (keys[0], *(k for k in keys[1:-1] if len(k) > 1), keys[-1])
    if not keys:
        return
    yield Name(
        value,
        keys,
        team=False,
        generation="" if regnal else generation_of(generation),
        regnal=regnal,
        titled=titled,
        articled=len(bare) > 1 and bare[-2].key in words.ARTICLES,
        surname_first=_is_surname_first(text, keys) and not titled,
        initials=initials,
        own=frozenset(t.key for t in tokens(text)),
        bound=frozenset(at for at, key in enumerate(keys) if key in tied),
    )


def is_particle(token: Token) -> bool:
    """Whether the word is a small one inside a name; a lone capital is an initial."""
    return token.key in words.PARTICLES and (len(token.raw) > 1 or token.raw.islower())


def generation_of(word: str) -> str:
    """Short for a word that tells father from son."""
    return {"junior": "jr", "senior": "sr"}.get(word, word)


def _is_surname_first(text: str, keys: Sequence[str]) -> bool:
    """Whether the first word is likely the family name.

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
        yield Name(
            value,
            core,
            True,
            outer,
            articled=inner[0] in words.ARTICLES and len(inner) > 1,
            own=frozenset(keys),
        )
        initials = "".join(k[0] for k in core)
        if len(core) >= 3:
            yield Name(value, (initials,), True, outer)


def _skeletons(key: str, surname: bool) -> Iterator[str]:
    """A long surname's last vowel may change between languages (-enko, -enka); a given name's may not."""
    bones = skeleton(key)
    yield bones
    if key[0] == "j":
        yield skeleton("zh" + key[1:])
    if "kh" in key:
        yield skeleton(key.replace("kh", "ch"))  # as German and Polish write it
    if surname and len(key) >= 7 and bones[-1] in "aeou":
        yield from (bones[:-1] + vowel for vowel in "aeou" if vowel != bones[-1])


def _variants(key: str, position: int, name: Name) -> Iterator[str]:
    yield from _ABBREVIATED.get(key, ())
    yield from _EXONYMS.get(key, ())
    if name.team:
        if key == "united":
            yield "utd"
        if (
            position == 0
            and len(name.core) == 2
            and len(key) >= 7
            and name.core[1] in words.GENERIC_TEAM_WORDS
        ):
            yield key[:3]
        if key.endswith("er") and len(key) >= 7:
            yield key[:-2]  # German: the people of the town
        return
    if position == 0 and len(name.core) > 1:
        yield from same_given_name(key)
    if name.regnal and key in words.ROMAN:
        yield from (word for word, roman in words.ORDINALS.items() if roman == key)
    if "oe" in key or "ue" in key or "ae" in key:
        yield key.replace("oe", "o").replace("ue", "u").replace("ae", "a")
