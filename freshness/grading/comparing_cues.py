"""Words that compare two years or tell of a change between them, and what denies or breaks them.

English; every repetition is bounded, for the text is a stranger's.
"""

from __future__ import annotations

from typing import Final

import regex


def _cue(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.I)


_IS: Final = r"(?:is|are|was|were|be|been|went|go|goes|gone|going)"
_OF_A_YEAR: Final = (
    r"(?=[ ](?:in|during|for)[ ]|[ ]than[ ](?!\D{0,3}\d)|[ ]than[ ](?:in[ ])?\d{4}(?![\d.,]\d|\d)|\W*$|"
    r"[.,;!])"
)
"""Behind "more" and "less", which mean much else besides."""
WORDS: Final = _cue(
    rf"\b(?:(?P<more>higher|greater|larger|bigger|highest|greatest|largest|biggest|peak(?:ed|s)?|"
    rf"more{_OF_A_YEAR})|"
    rf"(?P<less>lower|smaller|fewer|lowest|smallest|bottomed|less{_OF_A_YEAR})|"
    r"(?P<over>exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|outstripp(?:ed|ing)|above)|(?P<under>below)|"
    r"(?P<up>increas(?:e|ed|es|ing)|rose|risen?|rises|rising|grew|grow|grows|grown|growing|climb(?:ed|s|ing)?|"
    rf"jump(?:ed|s)?|surged?|doubled|tripled|gain(?:ed|s)?|uptick|"
    rf"growth(?=[ ](?:in|from|between)\b)|{_IS}[ ]up|up[ ](?:from|on|by))|"
    r"(?P<down>decreas(?:e|ed|es|ing)|fell|fall|falls|fallen|falling|declin(?:e|ed|es|ing)|"
    r"drop(?:ped|s|ping)?|shrank|shrunk|shrinking|dip(?:ped|s)?|slid|slipped|plunged?|plummeted|"
    rf"contract(?:ed|ion)|reduc(?:ed|tion)|halved|slump(?:ed)?|{_IS}[ ]down|down[ ](?:from|on|by))|"
    r"(?P<same>(?:the[ ])?same(?=[ ](?:level|value|amount|figure|number|rate|as|in|for|both|"
    r"at)\b|\W*$|[.,;!])(?![ ](?:in|for|at)[ ](?:the[ ])?(?:time|way|reason))|"
    r"the[ ]same[ ](?P<thing>\w+)|"
    r"equal(?![ ]to[ ]\D{0,3}\d{1,3}(?!\d))|identical|unchanged|stagnant|"
    r"(?:did|has|have)[ ]?(?:not|n't)[ ]chang\w+|no[ ](?:\w+[ ])?(?:change|difference)|"
    r"neither(?:[ ]\w+){0,3}[ ](?:higher|lower))|"
    r"(?P<reverse>(?:the[ ])?other[ ]way[ ](?:a?round|about)|the[ ](?:opposite|reverse)|vice[ ]versa))\b|"
    r"(?P<over>>)|(?P<under><)"
)
"""Every word that says something of the two years."""
STOP: Final = _cue(r"[.!?](?=\s|$)|[\n;]")
SUPPOSED: Final = _cue(r"\b(?:whether|if)\b[^,;:]{0,120}$")
DENIED: Final = _cue(
    r"(?:\b(?:not(?![ ](?:only|just|sure|certain|surpris\w+)\b)|never|neither|hardly|without|false|untrue|"
    r"incorrect|unlikely|improbable|implausible|no(?![ ](?:doubt|question)\b))|"
    r"n't(?![ ](?:know|sure)\b))(?:[ ]\w+){0,5}[ ]$"
)
"""Denied: "was not significantly higher", "it isn't true that it was higher"."""
THAN: Final = _cue(r"\b(?:than|compared|relative[ ]to|versus|vs)\b")
THAN_IT: Final = _cue(r"\s*(?:than[ ](?:it|that|this|the[ ](?:other|first|one))\b|in[ ]comparison)")
BREAK: Final = _cue(r"[,:(]|\b(?:and|but|while|whereas|although|though)\b")
FROM: Final = _cue(r"\b(?:from|between)\b")
TO: Final = _cue(r"\bfrom\b.{0,60}\bto\b")
SINCE: Final = _cue(r"\b(?:since|after|from|following|beyond)[ ](?:the[ ])?(?:year[ ])?$")
UNTIL: Final = _cue(r"\b(?:before|until[ ]before)[ ](?:the[ ])?(?:year[ ])?$")
ONWARDS: Final = _cue(r"[ ]?(?:onwards?|forward|on)\b")
LEAD: Final = _cue(
    r"\W*(?:(?:no|nope|yes|answer|the[ ]answer|the[ ]year|it|was|is|in|for|i|would|say|d|s|think|believe|"
    r"probably|likely)\W+){0,6}"
)
TAIL: Final = _cue(r"(?:\W+(?:was|is|were|did|had|it|wins|won))?\W*")
SO: Final = _cue(
    r"\W*(?:(?:yes|no|nope|yeah|correct|indeed|right)\W+)?(?P<said>(?:it|they|this|that)"
    r"(?:[ ](?:was|were|is|are|did|has|had)|'s)(?P<not>[ ]?(?:not|n't))?"
    r"(?:[ ](?:so|the[ ]case|true|correct|right|(?P<untrue>false|untrue|incorrect|wrong)))?)\W*"
)
"""The question's own verb, as an answer."""
