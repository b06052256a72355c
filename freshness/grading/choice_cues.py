"""What the words around an option's letter or value say of it, as ``cues`` for names.

Patterns named BEFORE end at the option, those named AFTER begin behind it. English, and of other languages
the words for answer. Every repetition is bounded, for the text is a stranger's.
"""

from __future__ import annotations

from typing import Final

import regex


def _cue(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.I)


ANSWER: Final = (
    r"(?:answers?|antwort|antwoord|réponse|respuesta|resposta|risposta|ответ|svar|odpowiedź|cevap|jawaban|"
    r"الإجابة|الجواب|उत्तर|答案|答え|回答|정답|đáp[ ]án)"
)
"""The word for an answer."""
CHOOSING: Final = (
    rf"(?:{ANSWER}|select(?:ed|ing)?|choos(?:e|ing)|chose|chosen|pick(?:ed|ing)?|go(?:ing)?[ ]with|"
    rf"went[ ]with|"
    r"opt(?:ed)?[ ]for|vote(?:[ ]for)?|guess|say|think|believe|result|response|prediction|conclude|boxed|"
    r"key|"
    r"correct(?:[ ]one)?|therefore|thus|hence|so|closest[ ]to|matches|it['’]?s|(?<=it[ ])is|(?<=it[ ])was|"
    r"must[ ]be|should[ ]be|would[ ]be|will[ ]be|could[ ]be|can[ ]only[ ]be|leaves|is[ ]likely|"
    r"is[ ]probably|"
    r"####)"
)
"""Words that announce a choice."""
NAMING: Final = (
    rf"(?:{CHOOSING}|options?|choices?|alternative|letter|selection|opción|opção|opzione|选项|選項)"
)
"""Words behind which a letter alone names an option."""

_LETTER: Final = r"[(\[]?[A-Za-z][)\]]?"
_VALUE: Final = r"-?\d[\d.,]{0,20}(?:[ ]?(?:%|[A-Za-z]{1,12}))?"
_LISTED: Final = (
    rf"(?:(?:options?|choices?|answers?)[ ])?(?:(?:{_LETTER}|{_VALUE})[ ]?(?:,|/|,?[ ]?(?:or|and|"
    rf"nor))[ ]?){{0,8}}"
)
_VERB: Final = (
    r"(?:which[ ])?(?:is|are|was|were|seems?|appears?|looks?|would[ ]be|can|could|has|have|does|do|may[ ]be|"
    r"might[ ]be)"
)
_VERY: Final = (
    r"(?:(?:also|clearly|probably|obviously|far|definitely|very|a[ ]bit|a[ ]little|slightly|much|just|"
    r"likely)[ ])"
    r"{0,3}"
)
OUT_BEFORE: Final = _cue(
    r"(?:n['’]t(?:[ ]be)?|\b(?:not|cannot[ ]be|never|neither|nor|"
    r"(?:eliminat|exclud|discard|reject|dismiss)\w*|"
    r"rul(?:e|es|ed|ing)[ ]out|rather[ ]than|instead[ ]of|unlike|other[ ]than|except(?:[ ]for)?|"
    r"higher[ ]than|"
    r"lower[ ]than|closer[ ]than|compared[ ](?:to|with)))[ ](?:the[ ]|both[ ]|either[ ]|be[ ])?"
    rf"{_LISTED}$"
)
OUT_AFTER: Final = _cue(
    rf"(?:[ ]?(?:,|/|,?[ ]?(?:or|and|nor))[ ]?{_LETTER}){{0,8}}[ ,:–—-]{{0,4}}"
    rf"(?:{_VERB}[ ]?{_VERY}(?:not|n['’]t)\b|cannot\b|would[ ](?:be[ ](?:for|if)|have[ ]been)\b|"
    rf"(?:{_VERB}[ ])?(?:all[ ])?{_VERY}(?:wrong|incorrect|"
    rf"too[ ]\w+|"
    r"unlikely|implausible|impossible|eliminated|ruled[ ]out|excluded|close(?!st)|false|off|unrealistic|"
    r"higher|lower|"
    r"out)\b|✗|✘|❌)|[ ]?\?[ ]{0,3}(?:no\b|nope\b|not\b)"
    rf"|[ ]?(?:\.{{1,4}}|[…,;!–—-])[ ]{{0,3}}(?:no|nope)[ ]?[,.:;…–—-]{{1,3}}[ ]{{0,3}}"
    rf"(?:(?:it['’]s|option|choice)[ ]){{0,2}}{_LETTER}(?=[ ]?(?:[.,;:!\n]|$)|[ ]\d)"
)
_UNKNOWN: Final = (
    r"(?:i|we)[ ](?:really[ ]|honestly[ ]|simply[ ])?(?:(?:do[ ]?(?:not|n['’]t)|don['’]t)[ ](?:know|have)|"
    r"have[ ]no|can(?:not|['’]t|[ ]not)[ ](?:say|tell|answer|know|determine)|am[ ]not[ ]sure|lack)\b|"
    r"\bno[ ]idea\b"
)
UNKNOWN_BEFORE: Final = _cue(rf"(?:{_UNKNOWN})[^.!?\n,;]{{0,40}}[,;]?[ ]$")
"""Not knowing, in one breath with the yes or no behind it."""
CHOSEN_BEFORE: Final = _cue(
    rf"(?:\b{CHOOSING}|\bis|[:=→])[ ,:]*(?:(?:that|it['’]s|it[ ]is|the|probably|is|answer|most|"
    rf"likely)[ ]){{0,4}}"
    r"(?:(?:option|choice|letter)[ ])?$"
)
CHOSEN_AFTER: Final = _cue(
    r"[ ,:–—-]{0,4}(?:which[ ])?(?:is|was|must[ ]be|has[ ]to[ ]be|seems?|appears?(?:[ ]to[ ]be)?|"
    r"looks?(?:[ ]to[ ]be)?|would[ ]be)[ ](?:(?:the|most|more|probably|likely|clearly)[ ]){0,3}"
    r"(?:correct|right|answer|closest|best|better|accurate|likely|plausible|true|one)\b|[ ,]{0,3}(?:fits|"
    r"matches)\b|"
    r"[ (,–—-]{0,4}(?:✓|✔|✅|☑|←|<-|👈)|[ ]?\(correct\)"
)
FINAL: Final = _cue(
    rf"(?:\b(?:final|correct|right|best)[ ](?:answer|option|choice|one)\b|{ANSWER}|boxed:|####|"
    r"\b(?:therefore|thus|hence|in[ ]conclusion|conclude)\b)"
    r"[^.!?;\n(]{0,40}?[ '\[{(:=\n-]*(?:(?:option|choice|letter)[ ])?(?:[A-Z]:[ ])?$"
)
"""The answer is announced. What the words mean in full is left to what stands between."""
FIRST_THOUGHT: Final = _cue(
    r"\b(?:initially|at[ ]first|originally|my[ ](?:first|initial|original)[ ]\w+[ ]was|"
    r"was[ ](?:going|about|tempted|inclined)[ ]to)\b[^.!?;,\n]{0,40}$"
)
"""What was thought before: it counts where nothing else is chosen."""
REALLY_FINAL: Final = _cue(r"\bfinal\b[^.!?\n]{0,40}$")
TURN: Final = _cue(
    r"\b(?:actually|wait|no,|sorry|correction|on[ ]second[ ]thought|however|instead|rather|but|so|therefore|"
    r"thus|"
    r"hence|finally|final|in[ ]conclusion|let[ ]me[ ]re\w+|i[ ]was[ ]wrong|my[ ]mistake)\b"
)
"""A turn of thought: what comes behind it takes back what stood before."""
ROW: Final = _cue(
    r"[ ]*(?:,|/|&|\||-|–|,?[ ]*\b(?:or|and|nor|to|through)\b)[ ]*"
    r"(?:(?:maybe|perhaps|possibly|option|choice)[ ]){0,2}"
)
"""What stands between options of which none is chosen."""
BESIDE: Final = _cue(
    r"[\s.,:;=–—|'(-]*(?:(?:is|which|that|option|choice|answer|or|with|at|about|approximately|so|i\.e\.|the|"
    r"it['’]s|"
    r"to|corresponds|corresponding|matches|matching)[\s.,:'(-]+){0,4}"
)
"""What stands between a letter and the value that goes with it."""
SAID_BETWEEN: Final = _cue(
    r"\b(?:no|nope|not|but|though|although|however|while|whereas|wait|actually|rather|instead|because|since|so|"
    r"is|are|was|were|seems?|looks?|which)\b"
)
"""Words by which an answer says something of an option, where a list would only go on."""
TICK: Final = _cue(r"✓|✔|✅|☑|←|<-|👈|\bcorrect\b")
NONE_OF_THEM: Final = _cue(
    r"\bnone[ ]of[ ](?:the|these|them|those)\b|\bneither\b|\ball[ ](?:wrong|incorrect)\b|"
    r"\b(?:answer|option|value)s?\b[^.\n]{0,30}\bnot[ ](?:listed|among|one[ ]of|included|in[ ]the|shown|"
    r"present)\b|"
    r"\b(?:options?|choices)\b[^.\n]{0,40}\bdo(?:es)?[ ]?(?:not|n['’]t)[ ](?:include|contain|match|list|"
    r"have)\b"
)
RUN_ON: Final = _cue(r"\n[^\n?]{8,400}\?[ ]*\n?[ ]*[(\[]?a[)\].:]")
"""A question of its own with options, on a new line."""
EMPHASIS: Final = regex.compile(r"(?:\*\*|__)[ ]{0,2}\Z")
