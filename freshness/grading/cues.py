"""What the words around a name say of it: patterns, looked for right before or right after the name.

English, and of other languages the turns where one word decides. Patterns named BEFORE end at the name,
those named AFTER begin behind it; the keys are the words that a judgement gives as its rule. Every
repetition is bounded, for the text is a stranger's.
"""

from __future__ import annotations

import regex


def _cue(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.I)


_ROLE = r"(?:[\w'’.-]+\s+){0,4}"
CLAUSE = _cue(r"[.!?;:\n](?=\s|$)|\n|\bbut\b|\bsondern\b|\bsino\b|\bmais\b|—|–(?=\s)")
SENTENCE = _cue(r"[.!?](?=\s|$)|\n")

_REPLACED = (
    r"(?:sostituit|succedut|remplac|succéd|reempla|sustitu|sucedid|substitu|abgelöst|ersetzt|gefolgt|"
    r"opgevolgd|vervangen|digantikan)\w*"
    r"\s+(?:da|dal|dalla|par|por|pelo|pela|von|durch|door|oleh)"
)
OUT_BEFORE = {
    "negated": _cue(
        r"(?:\b(?:no longer|not(?!\s+(?:only|just|merely|simply|sure|certain)\b)|never|neither|nor|"
        r"rather than|instead of|other than|"
        r"unlike|except(?: for)?|nicht(?: mehr)?|ya no(?: es)?|n['’]est (?:pas|plus)|non è(?: più)?)\b|"
        r"n['’]t\b)[^,;:.!?\n]{0,45}$"
    ),
    "predecessor": _cue(
        rf"\b(?:succeed(?:ed|ing|s)(?!\s+by\b)|replac(?:ed|ing|es)(?!\s+by\b)|predecessor,?|"
        rf"successor (?:to|of)|tak(?:es|en|ing) over from|took over from|"
        rf"preceded by|(?:defeat|beat|oust|topple|overthr[eo]w)(?:ed|en|ing|s)?|after|following|"
        rf"inherited\s{_ROLE}from|handed\s{_ROLE}by)\s+{_ROLE}$"
    ),
    "left": _cue(
        r"\b(?:left|leaving|departed|departure from|moved? from|moving from|transferred from|"
        r"transfer from|switched from|turned down|rejected|"
        r"joined (?:\w+ ){0,3}from|signed (?:\w+ ){0,3}from|arrived from|loan(?:ed)? (?:spell )?(?:from|"
        r"to)|drafted by|traded (?:by|from)|"
        r"against|rivals?|unlike)\s+(?:the\s+)?(?:\w+\s+){0,2}$"
    ),
    "not yet": _cue(r"\b(?:president|minister|chancellor)[\s-]elect\s+$"),
    "other script": _cue(r"(?:不是|并非|並非|不再是)$"),
    "relative": _cue(
        r"\b(?:wife|husband|spouse|widow|widower|father|mother|uncle|aunt|grandfather|grandmother|friend|"
        r"ally|aide|adviser|advisor|"
        r"deputy|rival|opponent|"
        r"critic|supporter|nominee|appointee|named after|married to|biography|assassination|death|"
        r"resignation|"
        r"appointed by|nominated by|selected by|elected by|chosen by|sworn in by|endorsed by|advised by)\s+"
        rf"(?:(?:of|to|by|,)\s+)?{_ROLE}$"
    ),
    "speculation": _cue(
        r"\b(?:linked\s+(?:with|to)|rumou?red|(?:will|would|set\s+to|expected\s+to|going\s+to|plans?\s+to|"
        r"wants?\s+to|likely\s+to)\s+(?:\w+\s+){0,2}?"
        r"(?:join|move|moving|sign|drive|play|replace|succeed)|targets?\s+for|interest\s+from|"
        r"offers?\s+from)\b[^.,;\n]{0,50}$"
    ),
}
CORRECTED = _cue(r"^[\s.,…-]*(?:sorry|wait|correction|scratch that|no, (?:sorry|wait|actually))\b")
PLACE = regex.compile(r"\bof\s+(?:\p{Ll}+\s+){0,2}(\p{Lu}[\p{L}\p{M}]+)")
DESCENT = _cue(
    r"\b(?:son|daughter|brother|sister|grandson|granddaughter|nephew|niece|cousin|child|heir)\s+(?:of|to)\b"
    r"(?:(?!\b(?:is|was)\b)[^.;\n]){0,60}$"
)
LABELLED_PAST = _cue(r"(?:predecessor|previous|former)[\w ]*[\"'*_]*\s*[:=]\s*[\"'*_]*$")
WITHHELD = _cue(
    r"\b(?:can(?:no|['’])?t|can\s+not|cannot|unable|not able|could(?: not|n['’]t)|do(?: not|n['’]t) know|"
    r"not sure|unsure|uncertain|"
    r"unclear|no way|not certain|impossible)\b[^.!?\n]{0,90}\b(?:whether|if|that(?!\s*[,;:–—-])|who)\b"
    r"[^.!?\n]*$"
)
TURN = _cue(
    r"\b(?:although|though|while)\b[^.!?;,\n]{0,80}\b(?:that|this|it)(?:\s+\w+){0,3},|"
    r"\b(?:but|however|nevertheless|nonetheless|although|though|even so|that said|if i (?:had|have) to|"
    r"(?:my|best) (?:best |own |educated )?(?:guess|estimate|answer|bet))\b|"
    r"[,;–—-]\s*(?:still|yet|i(?:['’](?:d|ll)|\s+(?:would|will|think|believe|guess|lean|suspect)))\b"
)
ROLE_WORDS = frozenset(
    "president premier minister chancellor king queen monarch ceo chief executive officer chairman "
    "chairwoman chairperson chair head leader secretary general director governor manager coach club team "
    "holder incumbent pope emperor prime of the and vice".split()
)
FORMER_ROLE = _cue(
    r"\b(?|(?:former|ex|previous|erstwhile|outgoing)[\s-]+((?:[\w'’.-]+[\s,-]+){0,6})|"
    r"(?:then|late)[\s-]+((?:[\w'’.-]+[\s,-]+){1,6}))$"
)
OUT_AFTER = {
    "negated": _cue(
        r"^[,\s]*(?:who\s+)?(?:(?:is|was|are|has|does|did|ist|est|es)\s*(?:n['’]t\b|"
        r"(?:now\s+)?no longer\b|not\b(?!\s+(?:only|just))|never\b|nicht mehr\b)|"
        r"no longer\b|ya no\b|n['’]est plus\b)"
    ),
    "speculation": _cue(
        r"^[^.;\n]{0,40}?\b(?:takes?|taking)\s+(?:office|over)\s+(?:on|in|next)\b|"
        r"^\s*(?:may|might|could|would|will|wants?|hopes?|plans?|is\s+(?:expected|likely|set|poised|"
        r"running|tipped|rumou?red|a candidate)|"
        r"was\s+(?:expected|considered|rumou?red)|to\s+(?:return|become|succeed|replace))\b"
        r"(?!\s+(?:be|remain|still be|continue to be)\s+(?:the|president|prime))"
    ),
    "denied later": _cue(
        r"^[^.;\n]{0,40}?\bbut\s+(?:he|she|they)\s+(?:has|have|had|is|was|are)\s*(?:not\b|n['’]t\b|"
        r"no longer\b)"
    ),
    "other script": _cue(
        r"^\s*(?:이|가)?\s*아니라|^では(?:な|あ)|^じゃな|^\s*(?:\w+)?의\s*후임|^的(?:继任|繼任)|^の後任"
    ),
    "relative": _cue(
        r"^['’]?s?['’]?\s+(?:\w+\s+){0,2}(?:son|daughter|wife|husband|spouse|widow|brother|sister|father|"
        r"mother|successor|predecessor|"
        r"deputy|chief of staff|aide|adviser|advisor|rival|opponent|vice president|running mate|cabinet|"
        r"government|administration|party)\b"
    ),
    "let go": _cue(r"^\s+(?:released|sold|traded|waived|loaned|let\s+\w+\s+go|parted\s+ways)\b"),
    "left office": _cue(
        r"^\s*(?:has\s+|had\s+)?(?:resigned|stepped\s+down|left\s+office|died|was\s+(?:ousted|removed|"
        r"deposed|overthrown|voted\s+out|dismissed|sacked|fired))\b"
        r"(?![^.\n]*\b(?:returned|came\s+back|reinstated|is\s+still|remains)\b)"
    ),
    "superseded": _cue(
        rf"^[^.;\n]{{0,60}}?\b{_REPLACED}\s+\S|"
        r"^[^.;\n]{0,60}?\b(?:(?:was|were|has been|is|got|being)\s+(?:\w+\s+)?(?:succeeded|replaced|"
        r"followed|ousted|overthrown|defeated)"
        r"(?:\s+\w+){0,4}?\s+by|(?:gave|made)\s+way\s+to|handed?\s+(?:over\s+)?(?:power\s+|"
        r"the\s+\w+\s+)?(?:over\s+)?to)\s+\S"
    ),
}
NOW_BEFORE = {
    "successor": _cue(
        rf"\b{_REPLACED}\s+{_ROLE}$|\bwurde\s+(?:\w+\s+){{0,3}}von\s+{_ROLE}$|"
        r"\b(?:(?:succeeded|replaced|followed|ousted|defeated)\s+(?:\w+\s+){0,5}?by|(?:gave|made) way to|"
        r"handed?\s+(?:[\w'’]+\s+){0,6}to|"
        r"new(?:ly elected)?|successor(?:,|\s+is|\s+was)?)\s+" + _ROLE + "$"
    ),
    "plays for": _cue(
        r"\b(?:plays?|playing|drives?|driving|races?|racing|rides?|riding)\s+(?:\w+\s+){0,2}?for\s+(?:the\s+)?$"
    ),
    "moved to": _cue(
        r"\b(?:signed\s+(?:for|with)|completed\s+(?:a|his|her)\s+(?:move|transfer)\s+to)\s+(?:the\s+)?$|"
        r"\b(?:left|leaving|moved?|moving|transferred|switched|joined|swapped|exchanged|traded|"
        r"departed)\b[^.;\n]{0,70}?\b(?:for|to|with|join(?:ed|ing)?)\s+(?:the\s+)?$"
    ),
    "current": _cue(
        r"\b(?:current|currently|now|today|nowadays|incumbent|sitting|at present|presently|present|actual|"
        r"aktuell(?:e[rn]?)?|actuellement)\b[^.;\n]{0,70}$"
    ),
}
NOW_AFTER = {
    "current": _cue(
        r"^[\s,(*_\"']*(?:who\s+)?(?:is|has been|remains|became|serves as|took over|took office|assumed|"
        r"now|currently)?\s*(?:is\s+)?"
        r"(?:the\s+|now\s+|currently\s+|still\s+)*(?:current|incumbent|sitting|took over|now in office|"
        r"in office now|present(?:ly)?)\b"
    ),
    "took over": _cue(r"^[\s,]*(?:who\s+)?(?:has\s+)?(?:since\s+)?(?:took|taken)\s+(?:over|office|the helm)"),
    "remains": _cue(r"^\s*(?:still\s+)?remains?\b"),
    "since": _cue(
        r"^[\s,]*(?:who\s+)?has\s+(?:held|been|served|led|occupied|headed|run)\b[^.;\n]{0,50}\bsince\b"
    ),
}
PAST_AFTER = _cue(
    r"^[\s,*_]*(?:who\s+)?(?:was\b(?!\s+(?:re-?)?(?:elected|appointed|sworn|inaugurated|named|born|chosen|"
    r"crowned|installed|confirmed)\b)|served\b|held\b|ruled\b|led\b|had been\b|(?:has\s+)?(?:resigned|"
    r"left|stepped down|retired|died|lost)\b|"
    r"\(?\s*(?:until|till|to)\s+\w*\s*\d{4}|until\b)"
)
PAST_BEFORE = _cue(r"\b(?:was|were|used to be|until|till|formerly|previously|originally)\s+" + _ROLE + "$")
PREDICATE = _cue(r"^,?\s*(?:who\s+)?(?:is|serves as|acts as|works as|remains)\s+((?:[\w'’-]+\s*){1,6})")
CROWNS = frozenset("monarch king queen emperor empress sovereign".split())
CHIEFS = frozenset("ceo chief".split())
OFFICES = (
    CROWNS
    | CHIEFS
    | frozenset(
        "president premier minister chancellor chairman chairwoman chairperson chair secretary director "
        "governor manager coach founder speaker deputy".split()
    )
)
COPULA = _cue(r"\b(?:is|ist|est|es|è|é)\s+(?:the\s+|now\s+|currently\s+|called\s+|named\s+)*$")
FINAL = _cue(
    r"\b(?:final\s+answer|answer|antwort|réponse|respuesta)[\"'*_`\s]*(?:is\b|:|=|"
    r"->)[\s\"'*_`:{(\[]*(?:\(?[A-Fa-f1-9][).:]\s*)?(?:the\s+)?(?:[\w.]+\s+){0,3}$"
)
LINK = regex.compile(
    r"(?:[\s,;/&•*_\"'`\[\]{}|>-]|\band\b|\bor\b|\bund\b|\bou\b|\by\b|\bthe\b|\bthen\b|\d{1,2}[.)])*", regex.I
)
RANGE_AFTER = _cue(
    r"^[ \t,:*_\"'|-]*\(?\s*(?:in office\s*:?\s*)?(?:from\s+|"
    r"since\s+)?(?:[a-z]{3,9}\.?\s+)?(?:\d{1,2},?\s+)?(?P<start>\d{4})"
    r"(?:\s*(?:-|–|—|to|until|till|through)\s*(?:[a-z]{3,9}\.?\s+)?(?:\d{1,2},?\s+)?(?P<end>\d{4}|present|"
    r"now|today|current|date|incumbent|\)|\||$))?"
)
SINCE_AFTER = _cue(r"^[\s,(*_]*(?:\w+\s+){0,4}?since\s+(?:\w+\s+){0,2}(?P<start>\d{4})")
UNTIL_AFTER = _cue(r"^[\s,(*_]*(?:until|till|to)\s+(?:\w+\s+){0,2}(?P<end>\d{4})")
RANGE_BEFORE = _cue(
    r"(?P<start>\d{4})\s*(?:-|–|—|to|until)\s*(?P<end>\d{4}|present|now|today|"
    r")\s*[:,)\-–—]*\s*(?:\w+\s+){0,2}$"
)
RUN_ON = regex.compile(
    r"\n[ \t]*+(?:#+[ \t]*)?(?:Q|Question|User|Human|Prompt|Input|Instruction|Exercise|"
    r"Assistant)\s*\d*\s*[:.)]|[.!?][ ]{1,2}Question[ ]?\d{0,2}:",
    regex.I,
)
REFUSAL = _cue(
    r"\b(?:i\s+)?(?:do(?: not|n['’]t)|did(?: not|n['’]t))\s+(?:\w+\s+)?(?:know|have|recall|possess)\b|"
    r"\bi(?:['’]m| am)\s+(?:\w+\s+)?(?:sorry|unable|not able|not sure|unsure|uncertain|not aware)\b|"
    r"\b(?:cannot|can['’]?t|can not|unable to|not able to|could(?: not|n['’]t)|"
    r"won['’]t)\s+(?:\w+\s+)?(?:provide|answer|confirm|verify|determine|say|tell|help|access|give|assist|"
    r"be determined|share|browse|find|identify|name)\b|"
    r"\bno\s+(?:idea|information|knowledge|data|access|answer|record)\b|\b(?:is|are)\s+(?:unknown|"
    r"not known|unclear|not (?:publicly )?available)\b|"
    r"\bas an? (?:ai|language model)\b|\bknowledge cut-?off\b|\breal-time (?:information|data)\b|"
    r"\bnot certain\b|^\W*(?:unknown|n/?a|none|not available|no answer)\W*$"
)


def last_sentence(before: str) -> str:
    """What stands behind the last end of a sentence."""
    return _behind_last(SENTENCE, before)


def asserted(sentence: str) -> str:
    """What stands behind the last turn of thought: "I can't verify that, but" takes nothing back."""
    return _behind_last(TURN, sentence)


def first_breath(after: str) -> str:
    """What is said before the sentence ends or the thought turns."""
    stops = (match.start() for match in (SENTENCE.search(after), TURN.search(after)) if match)
    return after[: min(stops, default=len(after))]


def is_withheld(sentence: str) -> bool:
    """Whether what stands behind these words is only what can't be told: "I can't say whether"."""
    return WITHHELD.search(asserted(sentence)) is not None


def _behind_last(boundary: regex.Pattern[str], text: str) -> str:
    last = 0
    for match in boundary.finditer(text):
        last = match.end()
    return text[last:]
