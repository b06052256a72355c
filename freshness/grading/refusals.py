"""Saying that one doesn't know, or that there are no data: what numbers are refused with.

English at length. Of German, Spanish, French, Italian, Portuguese, Russian, Chinese, Japanese and Korean the
turns that say it most: no data, data not available, unknown, I don't know, I can't say. Every repetition is
bounded, for the text is a stranger's.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import regex

from freshness.grading import cues

_DATA: Final = (
    r"(?:data|datum|figures?|information|info|statistics|numbers?|values?|estimates?|records?|details|"
    r"answer)"
)
_NO_DATA: Final = regex.compile(
    rf"\b(?:no|not[ ]any|without[ ](?:any[ ])?|lack(?:s|ing)?(?:[ ]of)?|insufficient|"
    rf"not[ ]enough|too[ ]little|missing|limited)[ ](?:(?!(?:in|from|by|per|to)[ ])\w+[ ]){{0,3}}{_DATA}\b|"
    r"\b(?:unclear|uncertain|unsure|unknown)[ ](?:whether|if|which|what|how)\b|"
    r"\b(?:nothing|little)[ ]is[ ]known\b|\b(?:no[ ]?one|nobody)[ ]knows\b|"
    r"\bnone[ ](?:is[ ]|are[ ])?available\b|"
    rf"n['’]t[ ](?:\w+[ ])?enough[ ](?:\w+[ ]){{0,2}}{_DATA}\b|"
    rf"\b{_DATA}\b[^.!?\n]{{0,60}}\b(?:not|n['’]t|un|never)[ -]?(?:\w+[ ]){{0,2}}?(?:available|provided|"
    rf"given|known|reported|"
    rf"recorded|published|collected|found|exist|included|sufficient|specified|disclosed|accessible|"
    rf"listed)\b|"
    rf"\b{_DATA}\b[^.!?\n]{{0,40}}\b(?:unavailable|unknown|missing|lacking|insufficient|inaccessible)\b|"
    r"^\W*(?:(?:it[ ]is|it['’]s|that[ ]is)[ ])?(?:not[ ](?:(?:publicly|currently|readily|"
    r"yet)[ ])?(?:available|known|applicable|sure|"
    r"enough[ ]info\w*)|unavailable|unknown|unsure|"
    r"undetermined|n/?a|null|no[ ]data|idk|dunno|insufficient[ ]\w+)\W*$|"
    r"\b(?:is|are|was|were|remains?)[ ](?:currently[ ]|yet[ ])?(?:not[ ](?:(?:publicly|currently|readily|"
    r"yet)[ ])?(?:available|known|reported|"
    r"provided|recorded)|unavailable|"
    r"unknown|undetermined)\b|"
    r"\b(?:impossible|not[ ]possible|difficult|hard)[ ](?:for[ ]me[ ])?to[ ](?:say|tell|know|determine|"
    r"answer|give|provide|calculate|"
    r"estimate)\b|"
    r"\b(?:lack|without)[ ](?:\w+[ ]){0,2}(?:access|knowledge|information)\b|\bbeyond[ ]my[ ](?:knowledge|"
    r"training)\b|"
    r"\bnot[ ](?:in|part[ ]of|within)[ ]my[ ](?:knowledge|training)\b|\bunable[ ]to\b|\bi[ ]?(?:['’]m|"
    r"[ ]am)[ ]not[ ](?:sure|certain)\b|"
    r"\bi(?:['’]d|['’]ll|[ ]would|[ ]will)?[ ](?:first[ ])?(?:need|have)[ ](?:access[ ]to|to[ ](?:be[ ]able|"
    r"check|look|consult|see|verify|access|search|know|find|review))\b|"
    r"\b(?:please|(?:you|one)[ ](?:should|can|could|may|might(?:[ ]want[ ]to)?|would[ ](?:have|need)[ ]to|"
    r"need[ ]to)|(?:i[ ])?(?:recommend|suggest|advise))[ ](?:check|consult|refer|look|visit|see|"
    r"verify)(?:ing)?\b|\bplease[ ](?:provide|share|specify|supply|give)\b|"
    r"\bno[ ](?:clue|way[ ](?:to|of)[ ]know)|\bunanswerable\b|\bcan(?:no|['’]|"
    r"[ ]no)?t[ ](?:be[ ])?(?:answer|made|given|provided|established|inferred|said|"
    r"determine|calculate|comput|find|known|"
    r"decide|choose|select|pick)\w*",
    regex.I,
)


class _Language(NamedTuple):
    """Patterns of a language that writes with spaces.

    ``data``: words for data; ``none``: what says before them that there are none. ``denied``: not available,
    behind such a word or alone; ``unknowing``: not knowing, or not being able to tell.
    """

    data: str
    none: str
    denied: str
    unknowing: str


_SPACED: Final = (
    _Language(  # German
        r"daten|angaben?|informationen|zahlen|werte?",
        r"keine[nr]?|ohne|nicht genug|nicht genügend",
        r"nicht (?:\w+ )?(?:verfügbar|bekannt|vorhanden|vor|ausreichend)|unbekannt|unzureichend",
        r"weiß (?:ich )?(?:es |das )?(?:leider )?nicht|kann (?:\w+ ){0,3}nicht|keine ahnung",
    ),
    _Language(  # Spanish
        r"datos?|informaci[óo]n|cifras?|estad[íi]sticas?",
        r"no (?:hay|tengo|existen?|dispongo de|se dispone de|cuento con)|sin|ning[úu]n[oa]?",
        r"no (?:\w+ ){0,2}(?:disponibles?|conocid\w+|suficientes?)|desconocid\w+|insuficientes?",
        r"no (?:lo )?sé|no (?:lo )?puedo|no tengo (?:acceso|idea)",
    ),
    _Language(  # French
        r"donn[ée]es?|informations?|chiffres?|statistiques?",
        r"(?:pas|plus) (?:assez )?d(?:e |['’])|aucune?|sans",
        r"pas (?:\w+ )?(?:disponibles?|connu\w*|accessibles?|suffisantes?)|non (?:disponibles?|connu\w*)|"
        r"indisponibles?|inconnu\w*|manqu\w+|insuffisant\w*",
        r"(?:ne (?:le |la )?|n['’]en )sa(?:is|it|vons) (?:pas|rien)|ne (?:\w+ )?peux pas|"
        r"(?:pas d['’]|aucune )idée|j?e? ?l['’]ignore",
    ),
    _Language(  # Italian
        r"dat[oi]|informazion[ei]|cifre|statistiche",
        r"non (?:ci sono|ho|esistono|dispongo di|abbiamo)|nessun[oa]?|senza",
        r"non (?:\w+ ){0,2}(?:disponibil\w|not[oiae]|sufficient[ei])|indisponibil\w|sconosciut\w|"
        r"insufficient[ei]",
        r"non (?:lo )?so|non (?:lo )?posso|non saprei",
    ),
    _Language(  # Portuguese
        r"dados?|informaç(?:ão|ões)|estatísticas?|n[úu]meros?",
        r"n[ãa]o (?:h[áa]|tenho|existem|disponho de|temos)|sem|nenhuma?",
        r"n[ãa]o (?:\w+ ){0,2}(?:dispon[íi]ve(?:l|is)|conhecid\w+|suficientes?)|indispon[íi]ve(?:l|is)|"
        r"desconhecid\w+|insuficientes?",
        r"n[ãa]o (?:o )?(?:sei|posso|consigo)|n[ãa]o tenho (?:acesso|ideia|certeza)",
    ),
    _Language(  # Russian
        r"данн\w+|информаци\w+|сведени\w+|статистик\w+",
        r"нет|без|не име\w+|недостаточно|отсутств\w+",
        r"недоступн\w*|отсутств\w+|неизвестн\w*|недостаточн\w*|не (?:\w+ )?(?:доступн\w*|известн\w*)",
        r"не (?:знаю|могу)",
    ),
)
_UNSPACED: Final = (
    # Chinese
    r"(?:[没沒无無]有?|暂无|暫無|缺[乏少])[^。.!?\n]{0,6}(?:数据|數據|[资資]料|信息|資訊)|"
    r"(?:数据|數據|[资資]料|信息|資訊)[^。.!?\n]{0,8}(?:不可[用得]|不[详詳明足]|不存在|未知|缺[失乏])|"
    r"不知道|不清楚|无法|無法|^\W*(?:未知|不[详詳明])\W*$",
    # Japanese
    r"(?:データ|情報|資料)[がはもを]?(?:利用|入手|取得|提供|確認|存在)?[がはも]?(?:ありません|ございません|"
    r"な[いくし]|(?:でき|し)(?:ません|ない)|不[足明])|[分わ]か(?:りません|らない)|知(?:りません|らない)|^\W*不明\W*$",
    # Korean
    r"(?:데이터|자료|정보)[가이는은를을도]?\s?(?:\p{L}{1,12}\s){0,2}없|모르|모릅|[알할]\s?수\s?없",
)


def _pattern(language: _Language) -> str:
    data, none, denied, unknowing = language
    return (
        rf"\b(?:{none})[ ]?(?:\w+[ ]){{0,2}}(?:{data})\b|\b(?:{data})\b[^.!?\n]{{0,40}}\b(?:{denied})\b|"
        rf"^\W*(?:\w+[ ’']){{0,2}}(?:{denied})\W*$|\b(?:{unknowing})\b"
    )


_ELSEWHERE: Final = regex.compile("|".join([*map(_pattern, _SPACED), *_UNSPACED]), regex.I)


def is_refusal(text: str) -> bool:
    """Whether an answer that commits to nothing says that it doesn't know, or that there are no data."""
    return (
        cues.REFUSAL.search(text) is not None or _NO_DATA.search(text) is not None or is_foreign_refusal(text)
    )


def is_foreign_refusal(text: str, at_once: bool = False) -> bool:
    """The same in one of nine other languages; ``at_once``: with its first word ("No hay datos")."""
    found = _ELSEWHERE.match(text) if at_once else _ELSEWHERE.search(text)
    return found is not None
