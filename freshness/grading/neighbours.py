"""What the words around a name make of it: another name, an ordinary word, a namesake.

A longer personal or club name that isn't the value's blocks the shorter one inside it; an ordinary word
counts as a name only when it is written like one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import regex

from freshness.grading import words
from freshness.grading.names import Name, NameIndex, generation_of
from freshness.grading.scan import Mention, Run, Scan, Strength
from freshness.grading.text import Token

DISTINCTIVE_LENGTH = 10
"""Letters from which a single-word name is too rare to be somebody else's as well."""

_SENTENCE_END = regex.compile(r"[.!?:;\n]")
_AFTER_SUBJECT = frozenset("is was has became becomes remains served serves took currently now who".split())
_INTERJECTED = frozenset("i we you it let my there yes no well sorry please that this".split())
_BEFORE_MONTH = frozenset("in since until till of from by last next early late mid on during this".split())
_SON_OF = frozenset("bin ibn ben bint binti ould".split())
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


def is_written_as_name(scan: Scan, at: int, before: Token | None, after: Token | None) -> bool:
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
    if token.key in words.ORDINARY and before is not None and before.key == "the":
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


def _is_foreign(scan: Scan, token: Token | None) -> bool:
    """A capitalised word that belongs to no known name, role or sentence: part of somebody else's name."""
    if token is None or not token.raw[0].isupper() or scan.shouting:
        return False
    return token.key not in scan.asked and token.key not in _NOT_FOREIGN


def as_person(
    scan: Scan, run: Run, mention: Mention, before: Token | None, after: Token | None
) -> Mention | None:
    """The mention of a person, unless the words around it belong to somebody else's name."""
    # A title that is part of the name as we know it counts as a second word of it.
    titled = before is not None and before.key in run.name.own and before.key in words.HONORIFICS
    alone = len(run.seen) == 1 and not titled
    if not _fits_before(scan, run, before, alone):
        return None
    if after is not None and (after.joined or after.key in words.THINGS):
        # Only a part of a compound that the name does not have, or something called after its bearer.
        return None
    if after is not None and _is_numeral(after):
        numeral = words.ORDINALS.get(after.key, generation_of(after.key))
        if not _fits_numeral(scan.index, run.name, numeral, alone):
            return None
        mention = replace(mention, generation="" if run.name.regnal else numeral)
        after = next_word(scan, run.last + 1)
    if not _is_distinctive(run.name) and not _fits_after(scan, run, mention, after, alone):
        return None
    if not run.name.regnal and run.name.generation != mention.generation:
        # "Ada Long" is first of all whoever has just that name, "Ada Long Jr." whoever has that.
        mention = replace(mention, strength=min(mention.strength, Strength.STRONG))
    return mention


def _fits_before(scan: Scan, run: Run, before: Token | None, alone: bool) -> bool:
    if alone:
        return _may_stand_alone(scan, run, before)
    if 0 not in run.seen and _is_foreign(scan, before):
        return False
    is_son = before is not None and before.key in _SON_OF and run.first > 1
    return not (is_son and _is_foreign(scan, scan.text[run.first - 2]))


def _fits_after(scan: Scan, run: Run, mention: Mention, after: Token | None, alone: bool) -> bool:
    # A whole name may go on (a second surname), a part of one or a monarch's does not.
    open_ended = (
        not alone and mention.strength is Strength.FULL and not scan.index.numerals.get(run.name.value)
    )
    if after is not None and after.key in words.ARTICLES:
        # An Arabic name that goes on with another surname.
        behind = next_word(scan, run.last + 1)
        return behind is None or not behind.joined or not _is_foreign(scan, behind)
    return (open_ended or not _is_foreign(scan, after)) and not _is_of_elsewhere(scan, run, after)


def _is_numeral(token: Token) -> bool:
    return token.key in words.GENERATIONS or (token.key in _NUMERALS and token.raw[0].isupper())


def _is_distinctive(name: Name) -> bool:
    return len(name.core) == 1 and len(name.core[0]) >= DISTINCTIVE_LENGTH


def _is_of_elsewhere(scan: Scan, run: Run, after: Token | None) -> bool:
    """Whether a first name is told apart by a place that is not the value's: "Karl of Elsewhere"."""
    if not (len(run.name.core) == 1 or run.name.regnal) or after is None or after.key != "of":
        return False
    place = next((token for token in scan.text[run.last + 2 : run.last + 4] if token.key != "the"), None)
    return _is_foreign(scan, place) and place is not None and place.key not in scan.index.own[run.name.value]


def next_word(scan: Scan, at: int) -> Token | None:
    return scan.text[at + 1] if at + 1 < len(scan.text) and scan.text[at + 1].near else None


def _may_stand_alone(scan: Scan, run: Run, before: Token | None) -> bool:
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
    if before.key in _PRINCES and before.key not in name.own:
        return False
    return _is_distinctive(name) or not _is_foreign(scan, before)


def _initials(scan: Scan, at: int) -> frozenset[str]:
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


def is_this_team(scan: Scan, run: Run, before: Token | None, after: Token | None) -> bool:
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
    if (_makes_longer(scan, run, after) and not _is_team_behind(scan, run)) or _has_place_behind(
        scan, run, after
    ):
        return False
    if run.first != run.last or before is None or before.key in run.name.own:
        return True
    if before.capital and before.key in words.GENERIC_TEAM_WORDS:
        return False
    town = "".join(word[0] for at, word in enumerate(run.name.core) if at not in run.seen)
    if before.key == town:
        return True  # the town by its initials: "NY Comets"
    acronym = before.raw.isupper() and len(before.key) > 1 and not scan.shouting
    return not _makes_longer(scan, run, before) and (not acronym or _is_team_talk(before))


def _is_team_behind(scan: Scan, run: Run) -> bool:
    """Sponsors between a team's name and "Formula One Team"."""
    for token in scan.text[run.last + 1 : run.last + 6]:
        if not token.near or not token.capital:
            return False
        if token.key in ("team", "f1", "formula", "racing"):
            return True
    return False


def _has_place_behind(scan: Scan, run: Run, after: Token | None) -> bool:
    """Whether the town behind the name tells a namesake apart: "Racing de Elsewhere"."""
    if after is None or after.key not in ("de", "del", "do", "da") or run.last + 2 >= len(scan.text):
        return False
    return _makes_longer(scan, run, scan.text[run.last + 2])


def _makes_longer(scan: Scan, run: Run, token: Token | None) -> bool:
    if token is None or token.key in run.name.own or token.raw.isupper() or not _is_foreign(scan, token):
        return False
    return not _is_team_talk(token)


def _is_team_talk(token: Token) -> bool:
    return token.key in words.TEAM_CONTEXT or token.key in words.TEAM_AFFIXES
