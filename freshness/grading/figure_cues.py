"""What the words around a number say of it, as ``cues`` for names.

BEFORE ends at the number, AFTER begins behind it, LINK stands between two. English, and of other languages
the words for answer. Every repetition is bounded, for the text is a stranger's.
"""

from __future__ import annotations

from typing import Final, Literal

import regex

Bound = Literal["", "over", "under"]

APPROX: Final = (
    r"(?:(?:about|around|approximately|approx\.?|roughly|some|circa|ca\.?|nearly|almost|close[ ]to|~|≈)"
    r"[ ]?){0,2}"
)
LINK_TO: Final = regex.compile(
    r"[ ]?(?:-{1,2}|–|—|[~〜～]|to|up[ ]to|through|bis|à|a|до|到|至)[ ]?" + APPROX, regex.I
)
LINK_AND: Final = regex.compile(r"[ ]?(?:and|y|et|und|e|и)[ ]" + APPROX, regex.I)
PLUS_MINUS: Final = regex.compile(r"[ ]?(?:±|\+/-|\+-|plus[ ]or[ ]minus|plus/minus)[ ]?", regex.I)
BETWEEN: Final = regex.compile(r"\b(?:between|entre|zwischen|tra|fra|между)[ ]" + APPROX + "$", regex.I)
FROM: Final = regex.compile(r"\bfrom[ ]" + APPROX + "$", regex.I)
TO_ANOTHER: Final = regex.compile(r"[^.;\n]{0,60}?\bto[ ]" + APPROX + r"\D?\d", regex.I)
MOVED: Final = regex.compile(
    r"\b(?:ris|rose|grew|grow|increas|climb|jump|fell|fall|declin|decreas|dropp|went|go(?:ne|ing)?|chang|"
    r"mov|improv|up|down|shr[aiu]nk|doubl|tripl|quadrupl|halv)\w*\b"
    r"[^.;\n]{0,60}$",
    regex.I,
)
MOVED_FROM: Final = regex.compile(r"\b(?:up|down)[ ]from[ ]" + APPROX + r"[$€£]?$", regex.I)
TOTAL_BEFORE: Final = regex.compile(
    r"\b(?=[aiost])(?<!\bof[ ](?:a|the|its)[ ])(?:in[ ]total|total(?:s|l?ing|l?ed)?|altogether|overall|"
    r"in[ ]all|all[ ]told|"
    r"summing[ ](?:up[ ])?to|sums?[ ](?:up[ ])?to|adds?[ ]up[ ]to)\b"
    r"(?P<thing>(?:[ ]\w+){0,4})[ ]?[:=,]?[ ]?" + APPROX + "$",
    regex.I,
)
"""Before what parts come to; ``thing``: what is said of it, which should be what was asked for."""
TOTAL_AFTER: Final = regex.compile(
    r"[ (]{0,2}(?:in[ ]total|altogether|overall|all[ ]told)\b(?!\D{0,12}\d)", regex.I
)
LOSS: Final = regex.compile(
    r"\b(?:loss|outflow|deficit|decline|decrease|emigration|fall|drop)[ ](?:of|by)[ ]" + APPROX + "$",
    regex.I,
)
MONTHS: Final = regex.compile(r"(?:,[ ]?|[ ]and[ ]|[ ])" + APPROX, regex.I)
OVER: Final = regex.compile(
    r"(?:\b(?:over|above|more[ ]than|greater[ ]than|higher[ ]than|at[ ]least|exceed(?:s|ed|ing)?|"
    r"upwards?[ ]of|no[ ]less[ ]than|not[ ]less[ ]than|"
    r"in[ ]excess[ ]of|minimum[ ]of|beyond|surpass(?:es|ed|ing)?)|[>≥]=?)[ ]?$",
    regex.I,
)
UNDER: Final = regex.compile(
    r"(?:\b(?:under|below|less[ ]than|lower[ ]than|fewer[ ]than|smaller[ ]than|at[ ]most|up[ ]to|"
    r"no[ ]more[ ]than|not[ ]more[ ]than|maximum[ ]of)|[<≤]=?)[ ]?$",
    regex.I,
)
OUT_BEFORE: Final = {
    "negated": regex.compile(
        r"\b(?:not|never|no[ ]longer|isn['’]t|wasn['’]t|aren['’]t|rather[ ]than|instead[ ]of|neither|nor)[ ]"
        + APPROX
        + r"(?:[ ]?(?:the|exactly)[ ])?$",
        regex.I,
    ),
}
ASIDE_BEFORE: Final = regex.compile(
    r"\b(?:compar\w+[ ](?:to|with)|up[ ]from|down[ ]from|versus|vs\.?|against|previous(?:ly)?|earlier|"
    r"(?:world|global|eu|oecd|regional|"
    r"international|european|african|asian)[ ](?:\w+[ ])?(?:average|mean|median|total|figure)|worldwide|"
    r"globally|alone)\b(?:[^.;\n\d]|(?<!\d)\d{4}(?![\d,.])){0,30}$",
    regex.I,
)
ASIDE_AFTER: Final = regex.compile(r"[ ](?:higher|lower|more|less|greater)\b|[ ]?(?:→|->)[ ]?\D?\d", regex.I)
_PART: Final = r"(?:(?:wo)?men|(?:fe)?males?|boys|girls)"
PART: Final = frozenset("men women male males female females boys girls".split())
"""Of half of the people: not the answer, unless the question has the word."""
PART_BEFORE: Final = regex.compile(
    rf"\b{_PART}[ ]?(?::|=|-|was|is|at|about|lived|live)?[ ]?{APPROX}$", regex.I
)
PART_AFTER: Final = regex.compile(
    rf"[ ]?(?:(?:years?|yrs?|%|percent)[ ]?)?[(]?(?:(?:for|among|of|in)[ ])?{_PART}\b"
    rf"(?![ ]?(?::|=|-|was|is|at)?[ ]?{APPROX}\d)",
    regex.I,
)
FINAL: Final = regex.compile(
    r"(?:\b(?:final[ ]answer|answer|antwort|réponse|respuesta|resposta|risposta|result|"
    r"ответ)[ ]{0,3}(?:is\b|would[ ]be\b|:|=|->|→)|boxed:|####|答案(?:是|为)?[:]?)"
    r"[ '{(\[:]{0,8}(?:\w+[ ]){0,4}$",
    regex.I,
)
GUESSED: Final = regex.compile(
    r"\b(?:my[ ](?:best[ ])?(?:guess|estimate)|best[ ](?:guess|estimate)|i(?:['’]d|[ ]would)[ ](?:say|"
    r"estimate|guess)|i[ ](?:estimate|guess|believe|think)|therefore|"
    r"thus|hence)\b[^.;\n]{0,60}$",
    regex.I,
)
LISTED: Final = regex.compile(r"[ ]?(?:,|/|;|,?[ ]or|,?[ ]and)[ ]" + APPROX, regex.I)


def is_range(before: str, gap: str) -> bool:
    """Whether two numbers with this gap between them, the first behind ``before``, are a range's ends."""
    if BETWEEN.search(before) and LINK_AND.fullmatch(gap):
        return True
    if LINK_TO.fullmatch(gap) is None:
        return False
    # What went from one number to another ended at the other.
    return not (FROM.search(before) and MOVED.search(before))


def bound(text: str, start: int) -> Bound:
    """Whether the number that starts there is but the least or the most that it may be."""
    before = text[max(0, start - 30) : start]
    if OVER.search(before):
        return "over"
    return "under" if UNDER.search(before) else ""
