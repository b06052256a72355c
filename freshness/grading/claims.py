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

from freshness.grading import words
from freshness.grading.mentions import Mention, Strength
from freshness.grading.text import Reading, Token

WINDOW = 90
"""Characters of context looked at on each side of a mention."""


class Weight(IntEnum):
    """How far a mention is the answer."""

    OUT = 0
    PAST = 1
    PLAIN = 2
    HEAD = 3
    ASSERTED = 4
    NOW = 5
    FINAL = 6


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


def _cue(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.I)


_ROLE = r"(?:[\w'’.-]+\s+){0,4}"
_CLAUSE = _cue(r"[.!?;:\n](?=\s|$)|\n|\bbut\b|\bsondern\b|\bsino\b|\bmais\b|—|–(?=\s)")
_SENTENCE = _cue(r"[.!?](?=\s|$)|\n")

_REPLACED = (
    r"(?:sostituit|succedut|remplac|succéd|reempla|sustitu|sucedid|substitu|abgelöst|ersetzt|gefolgt|opgevolgd|vervangen|digantikan)\w*"
    r"\s+(?:da|dal|dalla|par|por|pelo|pela|von|durch|door|oleh)"
)
_OUT_BEFORE = {
    "negated": _cue(
        r"(?:\b(?:no longer|not(?!\s+(?:only|just|merely|simply|sure|certain)\b)|never|neither|nor|rather than|instead of|other than|"
        r"unlike|except(?: for)?|nicht(?: mehr)?|ya no(?: es)?|n['’]est (?:pas|plus)|non è(?: più)?)\b|n['’]t\b)[^,;:.!?\n]{0,45}$"
    ),
    "predecessor": _cue(
        rf"\b(?:succeed(?:ed|ing|s)(?!\s+by\b)|replac(?:ed|ing|es)(?!\s+by\b)|predecessor,?|successor (?:to|of)|tak(?:es|en|ing) over from|took over from|"
        rf"preceded by|(?:defeat|beat|oust|topple|overthr[eo]w)(?:ed|en|ing|s)?|after|following|"
        rf"inherited\s{_ROLE}from|handed\s{_ROLE}by)\s+{_ROLE}$"
    ),
    "left": _cue(
        r"\b(?:left|leaving|departed|departure from|moved? from|moving from|transferred from|transfer from|switched from|turned down|rejected|"
        r"joined (?:\w+ ){0,3}from|signed (?:\w+ ){0,3}from|arrived from|loan(?:ed)? (?:spell )?(?:from|to)|drafted by|traded (?:by|from)|"
        r"against|rivals?|unlike)\s+(?:the\s+)?(?:\w+\s+){0,2}$"
    ),
    "not yet": _cue(r"\b(?:president|minister|chancellor)[\s-]elect\s+$"),
    "other script": _cue(r"(?:不是|并非|並非|不再是)$"),
    "kin": _cue(
        r"\b(?:son|daughter|wife|husband|widow|brother|sister|father|mother|nephew|niece|cousin|grandson|granddaughter)\s+of\b"
        r"(?:(?!\b(?:is|was)\b)[^.;\n]){0,60}$"
    ),
    "relative": _cue(
        r"\b(?:son|daughter|wife|husband|spouse|widow|widower|brother|sister|father|mother|uncle|aunt|nephew|niece|cousin|"
        r"grandson|granddaughter|grandfather|grandmother|child|heir|friend|ally|aide|adviser|advisor|deputy|rival|opponent|"
        r"critic|supporter|nominee|appointee|named after|married to|biography|assassination|death|resignation|"
        r"appointed by|nominated by|selected by|elected by|chosen by|sworn in by|endorsed by|advised by)\s+"
        rf"(?:(?:of|to|by|,)\s+)?{_ROLE}$"
    ),
    "speculation": _cue(
        r"\b(?:linked\s+(?:with|to)|rumou?red|(?:will|would|set\s+to|expected\s+to|going\s+to|plans?\s+to|wants?\s+to|likely\s+to)\s+(?:\w+\s+){0,2}?"
        r"(?:join|move|moving|sign|drive|play|replace|succeed)|targets?\s+for|interest\s+from|offers?\s+from)\b[^.,;\n]{0,50}$"
    ),
}
_LABELLED_PAST = _cue(r"(?:predecessor|previous|former)[\w ]*[\"'*_]*\s*[:=]\s*[\"'*_]*$")
_WITHHELD = _cue(
    r"\b(?:can(?:no|['’])?t|can\s+not|cannot|unable|not able|could(?: not|n['’]t)|do(?: not|n['’]t) know|not sure|unsure|uncertain|"
    r"unclear|no way|not certain|impossible)\b[^.!?\n]{0,90}\b(?:whether|if|that|who)\b[^.!?\n]*$"
)
_ROLE_WORDS = frozenset("president premier minister chancellor king queen monarch ceo chief executive officer chairman chairwoman "
    "chairperson chair head leader secretary general director governor manager coach club team holder incumbent pope emperor prime "
    "of the and vice".split())  # fmt: skip
_FORMER_ROLE = _cue(r"\b(?:former|ex|previous|erstwhile|then|outgoing|late)[\s-]+((?:[\w'’.-]+[\s,-]+){0,6})$")
_OUT_AFTER = {
    "negated": _cue(
        r"^[,\s]*(?:who\s+)?(?:(?:is|was|are|has|does|did|ist|est|es)\s*(?:n['’]t\b|(?:now\s+)?no longer\b|not\b(?!\s+(?:only|just))|never\b|nicht mehr\b)|"
        r"no longer\b|ya no\b|n['’]est plus\b)"
    ),
    "speculation": _cue(
        r"^[^.;\n]{0,40}?\b(?:takes?|taking)\s+office\s+(?:on|in|next)\b|"
        r"^\s*(?:may|might|could|would|will|wants?|hopes?|plans?|is\s+(?:expected|likely|set|poised|running|tipped|rumou?red|a candidate)|"
        r"was\s+(?:expected|considered|rumou?red)|to\s+(?:return|become|succeed|replace))\b"
        r"(?!\s+(?:be|remain|still be|continue to be)\s+(?:the|president|prime))"
    ),
    "denied later": _cue(r"^[^.;\n]{0,40}?\bbut\s+(?:he|she|they)\s+(?:has|have|had|is|was|are)\s*(?:not\b|n['’]t\b|no longer\b)"),
    "other script": _cue(r"^\s*(?:이|가)?\s*아니라|^では(?:な|あ)|^じゃな|^\s*(?:\w+)?의\s*후임|^的(?:继任|繼任)|^の後任"),
    "relative": _cue(
        r"^['’]?s?['’]?\s+(?:\w+\s+){0,2}(?:son|daughter|wife|husband|spouse|widow|brother|sister|father|mother|successor|predecessor|"
        r"deputy|chief of staff|aide|adviser|advisor|rival|opponent|vice president|running mate|cabinet|government|administration|party)\b"
    ),
    "left office": _cue(
        r"^\s*(?:has\s+|had\s+)?(?:resigned|stepped\s+down|left\s+office|died|was\s+(?:ousted|removed|deposed|overthrown|voted\s+out|dismissed|sacked|fired))\b"
        r"(?![^.\n]*\b(?:returned|came\s+back|reinstated|is\s+still|remains)\b)"
    ),
    "superseded": _cue(
        rf"^[^.;\n]{{0,60}}?\b{_REPLACED}\s+\S|"
        r"^[^.;\n]{0,60}?\b(?:(?:was|were|has been|is|got|being)\s+(?:\w+\s+)?(?:succeeded|replaced|followed|ousted|overthrown|defeated)"
        r"(?:\s+\w+){0,4}?\s+by|(?:gave|made)\s+way\s+to|handed?\s+(?:over\s+)?(?:power\s+|the\s+\w+\s+)?(?:over\s+)?to)\s+\S"
    ),
}
_NOW_BEFORE = {
    "successor": _cue(
        rf"\b{_REPLACED}\s+{_ROLE}$|\bwurde\s+(?:\w+\s+){{0,3}}von\s+{_ROLE}$|"
        r"\b(?:(?:succeeded|replaced|followed|ousted|defeated)\s+(?:\w+\s+){0,5}?by|(?:gave|made) way to|handed?\s+(?:\w+\s+){0,3}to|"
        r"new(?:ly elected)?|successor(?:,|\s+is|\s+was)?)\s+" + _ROLE + "$"
    ),
    "moved to": _cue(
        r"\b(?:signed\s+(?:for|with)|completed\s+(?:a|his|her)\s+(?:move|transfer)\s+to)\s+(?:the\s+)?$|\b(?:left|leaving|moved?|moving|transferred|switched|joined|swapped|exchanged|traded|departed)\b[^.;\n]{0,70}?\b(?:for|to|with|join(?:ed|ing)?)\s+(?:the\s+)?$"
    ),
    "current": _cue(
        r"\b(?:current|currently|now|today|nowadays|incumbent|sitting|at present|presently|present|actual|aktuell(?:e[rn]?)?|actuellement)\b[^.;\n]{0,70}$"
    ),
}
_NOW_AFTER = {
    "current": _cue(
        r"^[\s,(*_\"']*(?:who\s+)?(?:is|has been|remains|became|serves as|took over|took office|assumed|now|currently)?\s*(?:is\s+)?"
        r"(?:the\s+|now\s+|currently\s+|still\s+)*(?:current|incumbent|sitting|took over|now in office|in office now|present(?:ly)?)\b"
    ),
    "took over": _cue(r"^[\s,]*(?:who\s+)?(?:has\s+)?(?:since\s+)?(?:took|taken)\s+(?:over|office|the helm)"),
}
_PAST_AFTER = _cue(
    r"^[\s,*_]*(?:who\s+)?(?:was\b(?!\s+(?:re-?)?(?:elected|appointed|sworn|inaugurated|named|born|chosen|crowned|installed|confirmed)\b)|served\b|held\b|ruled\b|led\b|had been\b|(?:has\s+)?(?:resigned|left|stepped down|retired|died|lost)\b|"
    r"\(?\s*(?:until|till|to)\s+\w*\s*\d{4}|until\b)"
)
_PAST_BEFORE = _cue(r"\b(?:was|were|used to be|until|till|formerly|previously|originally)\s+" + _ROLE + "$")
_PREDICATE = _cue(r"^,?\s*(?:who\s+)?(?:is|serves as|acts as|works as|remains)\s+((?:[\w'’-]+\s*){1,6})")
_CROWNS = frozenset("monarch king queen emperor empress sovereign".split())
_CHIEFS = frozenset("ceo chief".split())
_OFFICES = _CROWNS | _CHIEFS | frozenset("president premier minister chancellor chairman chairwoman chairperson chair "
    "secretary director governor manager coach founder speaker deputy".split())  # fmt: skip
_COPULA = _cue(r"\b(?:is|ist|est|es|è|é)\s+(?:the\s+|now\s+|currently\s+|called\s+|named\s+)*$")
_FINAL = _cue(r"\b(?:final\s+answer|answer|antwort|réponse|respuesta)[\"'*_`\s]*(?:is\b|:|=|->)[\s\"'*_`:{(\[]*(?:\(?[A-Fa-f1-9][).:]\s*)?(?:the\s+)?(?:[\w.]+\s+){0,3}$")
_LINK = regex.compile(r"(?:[\s,;/&•*_\"'`\[\]{}|>-]|\band\b|\bor\b|\bund\b|\bou\b|\by\b|\bthe\b|\bthen\b|\d{1,2}[.)])*", regex.I)
_RANGE_AFTER = _cue(
    r"^[\s,:*_\"'|-]*\(?\s*(?:in office\s*:?\s*)?(?:from\s+|since\s+)?(?:[a-z]{3,9}\.?\s+)?(?:\d{1,2},?\s+)?(?P<start>\d{4})"
    r"(?:\s*(?:-|–|—|to|until|till|through)\s*(?:[a-z]{3,9}\.?\s+)?(?:\d{1,2},?\s+)?(?P<end>\d{4}|present|now|today|current|date|incumbent|\)|$))?"
)
_SINCE_AFTER = _cue(r"^[\s,(*_]*(?:\w+\s+){0,4}?since\s+(?:\w+\s+){0,2}(?P<start>\d{4})")
_UNTIL_AFTER = _cue(r"^[\s,(*_]*(?:until|till|to)\s+(?:\w+\s+){0,2}(?P<end>\d{4})")
_RANGE_BEFORE = _cue(r"(?P<start>\d{4})\s*(?:-|–|—|to|until)\s*(?P<end>\d{4}|present|now|today|)\s*[:,)\-–—]*\s*(?:\w+\s+){0,2}$")
_RUN_ON = regex.compile(
    r"\n[ \t]*+(?:#+[ \t]*)?(?:Q|Question|User|Human|Prompt|Input|Instruction|Exercise|Assistant)\s*\d*\s*[:.)]", regex.I
)
_REFUSAL = _cue(
    r"\b(?:i\s+)?(?:do(?: not|n['’]t)|did(?: not|n['’]t))\s+(?:\w+\s+)?(?:know|have|recall|possess)\b|\bi(?:['’]m| am)\s+(?:\w+\s+)?(?:sorry|unable|not able|not sure|unsure|uncertain|not aware)\b|"
    r"\b(?:cannot|can['’]?t|can not|unable to|not able to|could(?: not|n['’]t)|won['’]t)\s+(?:\w+\s+)?(?:provide|answer|confirm|verify|determine|say|tell|help|access|give|assist|be determined|share|browse|find|identify|name)\b|"
    r"\bno\s+(?:idea|information|knowledge|data|access|answer|record)\b|\b(?:is|are)\s+(?:unknown|not known|unclear|not (?:publicly )?available)\b|"
    r"\bas an? (?:ai|language model)\b|\bknowledge cut-?off\b|\breal-time (?:information|data)\b|\bnot certain\b|^\W*(?:unknown|n/?a|none|not available|no answer)\W*$|"
    r"\bweiß (?:ich )?(?:es )?nicht\b|\bno (?:lo )?sé\b|\bje ne sais pas\b|\bnon lo so\b"
)


def commit(asked: frozenset[str], reading: Reading, mentions: Sequence[Mention], joint: frozenset[int]) -> Claim:
    """The mention an answer commits to. ``joint``: values that hold together, so that naming them all is one answer."""
    live = _before_run_on(reading, mentions)
    if not live:
        return Claim(None, "no name found")
    weighed = [_weigh(asked, reading, live, at) for at in range(len(live))]
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


def _strongest(reading: Reading, standing: Sequence[Weighed]) -> Weighed:
    """The first of the greatest weight; what the answer opens with yields only within its own sentence."""
    head = next((w for w in standing if w.weight is Weight.HEAD), None)
    if head is not None:
        end = reading.tokens[head.mention.last].end
        stop = _SENTENCE.search(reading.text, end)
        limit = stop.start() if stop else len(reading.text)
        standing = [
            w for w in standing if w.weight is Weight.FINAL or reading.tokens[w.mention.first].start < limit
        ]
    best = max(w.weight for w in standing)
    return next(w for w in standing if w.weight == best)


def is_refusal(text: str) -> bool:
    """Whether an answer that commits to nothing says that it can't."""
    return _REFUSAL.search(text) is not None


def _before_run_on(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Mentions up to where a completion model goes on with a question of its own."""
    for match in _RUN_ON.finditer(reading.text):
        before = [m for m in mentions if reading.tokens[m.first].start < match.start()]
        if before:
            return before
    return list(mentions)


def _weigh(asked: frozenset[str], reading: Reading, mentions: Sequence[Mention], at: int) -> Weighed:
    mention = mentions[at]
    start, end = reading.tokens[mention.first].start, reading.tokens[mention.last].end
    before = reading.text[max(0, start - WINDOW) : start]
    after = reading.text[end : end + WINDOW]
    out = _out(asked, reading, mention, before, after)
    if out:
        return Weighed(mention, Weight.OUT, out)
    clause = _tail(before, _CLAUSE)
    sentence = _tail(before, _SENTENCE)
    if _is_former(asked, clause):
        # "The president is the former president X" still answers X; "He beat the former president X" does not.
        head = _is_head(asked, reading, mention)
        return Weighed(mention, Weight.PAST if head else Weight.OUT, "former")
    if _FINAL.search(before):
        return Weighed(mention, Weight.FINAL, "final answer")
    elsewhere = _is_another_office(asked, clause)
    for cue, pattern in _NOW_BEFORE.items():
        if not elsewhere and pattern.search(sentence if cue != "current" else clause):
            return Weighed(mention, Weight.NOW, cue)
    follow = _head(after)
    for cue, pattern in _NOW_AFTER.items():
        if pattern.search(follow):
            return Weighed(mention, Weight.NOW, cue)
    if not elsewhere and _is_asserted(asked, clause):
        return Weighed(mention, Weight.ASSERTED, "said to be it")
    if _stands_behind_another(asked, reading, mentions[0].first):
        return Weighed(mention, Weight.OUT, "another name first")
    if _PAST_AFTER.search(follow) or _PAST_BEFORE.search(clause):
        return Weighed(mention, Weight.PAST, "said of the past")
    if _has_other_role(asked, follow):
        return Weighed(mention, Weight.PAST, "another role")
    if _is_head(asked, reading, mention):
        return Weighed(mention, Weight.HEAD, "names it first")
    return Weighed(mention, Weight.PLAIN, "first named")


def _is_another_office(asked: frozenset[str], clause: str) -> bool:
    """"... the current Prime Minister is X", where the president was asked for."""
    said = _COPULA.search(clause)
    roles = set(regex.findall(r"\w+", clause.casefold())) & _OFFICES if said else set()
    return bool(roles) and not _same_office(roles, asked)


def _same_office(roles: set[str], asked: frozenset[str]) -> bool:
    """Whether some role said is one asked for; crowned heads are one office, and so are words for the chief executive."""
    if not asked & (_OFFICES | _CROWNS):
        return True
    return any(roles & kind and asked & kind for kind in ({role} for role in roles)) or any(
        roles & kind and asked & kind for kind in (_CROWNS, _CHIEFS)
    )


def _has_other_role(asked: frozenset[str], follow: str) -> bool:
    """"X serves as executive chair", when somebody else's role was asked about."""
    said = _PREDICATE.search(follow)
    roles = set(regex.findall(r"\w+", said[1].casefold())) & _OFFICES if said else set()
    return bool(roles) and not _same_office(roles, asked)


def _is_asserted(asked: frozenset[str], clause: str) -> bool:
    """"... the capital is X", with the question's own word for what is asked."""
    said = _COPULA.search(clause)
    if said is None:
        return False
    subject = {word for word in regex.findall(r"\w+", clause[: said.start()].casefold()) if len(word) > 2}
    return bool((subject - words.FUNCTION_WORDS) & asked)


def _is_former(asked: frozenset[str], clause: str) -> bool:
    """Whether a former role of the kind asked about stands right before the name."""
    former = _FORMER_ROLE.search(clause)
    return former is not None and all(
        word in _ROLE_WORDS or word in asked - words.FUNCTION_WORDS for word in regex.findall(r"\w+", former[1].casefold())
    )


def _tail(before: str, boundary: regex.Pattern[str]) -> str:
    last = 0
    for match in boundary.finditer(before):
        if not _is_abbreviation(before, match.start()):
            last = match.end()
    return before[last:]


def _head(after: str) -> str:
    match = _SENTENCE.search(after)
    return after[: match.start()] if match else after


def _is_abbreviation(text: str, at: int) -> bool:
    """A full stop after an initial or a short title ends no sentence: "George W. Bush", "Mr. Sunak"."""
    word = regex.search(r"(\p{L}+)$", text[:at])
    return text[at] == "." and word is not None and (len(word[1]) == 1 or word[1].casefold() in words.HONORIFICS)


def _out(
    asked: frozenset[str], reading: Reading, mention: Mention, before: str, after: str
) -> str:
    """Why this mention can't be the answer; empty if it can."""
    if _is_echo(asked, reading, mention):
        return "named in the question"
    clause = _tail(before, _CLAUSE)
    sentence = _tail(before, _SENTENCE)
    if _WITHHELD.search(sentence):
        return "withheld"
    if _LABELLED_PAST.search(before):
        return "predecessor"
    for cue, pattern in _OUT_BEFORE.items():
        if pattern.search(clause):
            return cue
    follow = _head(after)
    for cue, pattern in _OUT_AFTER.items():
        if pattern.search(follow):
            return cue
    if follow is not after and after[len(follow) : len(follow) + 1] == "?" and mention.first > 2:
        return "asked"
    return ""


def _is_echo(asked: frozenset[str], reading: Reading, mention: Mention) -> bool:
    """The question's own words said again: the name with the word before it stands there too."""
    run = [t.key for t in reading.tokens[mention.first : mention.last + 1]]
    if not all(key in asked for key in run):
        return False
    around = reading.tokens[max(0, mention.first - 1) : mention.first]
    return len(around) == 1 and around[0].key in asked


def _is_head(asked: frozenset[str], reading: Reading, mention: Mention) -> bool:
    """Whether nothing but the question's own words, articles and titles stands before it."""
    for token in reading.tokens[: mention.first]:
        if token.gap.strip(" \t*_\"'`([{:") or not _is_filler(asked, token):
            return False
    return True


def _is_filler(asked: frozenset[str], token: Token) -> bool:
    key = token.key
    return key in asked or key in words.FUNCTION_WORDS or key in words.TITLES or key in words.HONORIFICS


def _stands_behind_another(asked: frozenset[str], reading: Reading, opens: int) -> bool:
    """The answer opens with somebody else's full name; what follows is about them. ``opens``: the first known name.

    "The Los Angeles Clippers. He was drafted by the Toronto Raptors", not "In the United Kingdom, ...".
    """
    text = reading.tokens
    at = 0
    while at < opens and _is_filler(asked, text[at]) and not (text[at].gap.strip(" *_\"'") and at):
        at += 1
    end = at
    while end < opens and text[end].capital and (end == at or text[end].near) and not _is_filler(asked, text[end]):
        end += 1
    if end == at or end >= opens:
        return False
    titled = at > 0 and (text[at - 1].key in words.TITLES or text[at - 1].key in words.HONORIFICS)
    if end - at < 2 and not titled:
        return False
    if at and text[at - 1].key in _PREPOSITIONS:
        return False
    stop = text[end].gap.lstrip(" *_\"')")
    return stop[:1] in (".", ",", "(", "\n") or text[end].key in ("who", "was")


_PREPOSITIONS = frozenset("in at on as for from to of by with per via under according based about".split())


def _year(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 9999


def _by_dates(reading: Reading, standing: Sequence[Weighed]) -> Mention | None:
    """Of a list with years the entry that still runs, else the one that ended last; None for no such list."""
    spans: list[tuple[int, int, Mention]] = []
    for weighed in standing:
        span = _span(reading, weighed.mention)
        if span is None:
            continue
        spans.append((span[1], span[0], weighed.mention))
    if len({m.values for _, _, m in spans}) < 2 or any(w.weight >= Weight.NOW for w in standing):
        return None
    return max(spans, key=lambda s: (s[0], s[1]))[2]


def _span(reading: Reading, mention: Mention) -> tuple[int, int] | None:
    start, end = reading.tokens[mention.first].start, reading.tokens[mention.last].end
    after = reading.text[end : end + WINDOW]
    ranged = _RANGE_AFTER.match(after)
    if ranged and ranged["end"] is not None:
        return int(ranged["start"]), _year(ranged["end"])
    if ranged and "(" in after[: ranged.start("start")]:
        return int(ranged["start"]), int(ranged["start"])
    since = _SINCE_AFTER.match(_head(after))
    if since:
        return int(since["start"]), 9999
    until = _UNTIL_AFTER.match(after)
    if until:
        return 0, int(until["end"])
    prior = _RANGE_BEFORE.search(reading.text[max(0, start - 40) : start])
    return (int(prior["start"]), _year(prior["end"])) if prior else None


def _is_uncommitted(
    reading: Reading, standing: Sequence[Weighed], chosen: Weighed, joint: frozenset[int]
) -> bool:
    """Several values in a row, without one being singled out. ``joint``: values that hold together."""
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
    return between.strip(" \t") not in ("", "\n", "\n\n") and _LINK.fullmatch(between) is not None


__all__ = ["Claim", "Strength", "Weight", "commit", "is_refusal"]
