"""Saying that one doesn't know, or that there are no data: what numbers are refused with."""

from __future__ import annotations

from typing import Final

import regex

from freshness.grading import cues

_DATA: Final = (
    r"(?:data|datum|figures?|information|info|statistics|numbers?|values?|estimates?|records?|details|"
    r"answer)"
)
_NO_DATA: Final = regex.compile(
    rf"\b(?:no|not[ ]any|without[ ](?:any[ ])?|lack(?:s|ing)?(?:[ ]of)?|insufficient|"
    rf"not[ ]enough|too[ ]little|missing|limited)[ ](?:\w+[ ]){{0,3}}{_DATA}\b|"
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
    r"verify)(?:ing)?\b|"
    r"\bno[ ](?:clue|way[ ](?:to|of)[ ]know)|\bunanswerable\b|\bcan(?:no|['’]|"
    r"[ ]no)?t[ ](?:be[ ])?(?:answer|made|given|provided|established|inferred|said|"
    r"determine|calculate|comput|find|known|"
    r"decide|choose|select|pick)\w*|"
    r"\bkeine[ ](?:daten|angaben?|informationen)\b|\bno[ ](?:hay|tengo|dispongo\w*)\b|\b(?:pas|"
    r"aucune?)[ ](?:de[ ])?(?:donn[ée]es?|"
    r"informations?|id[ée]e)\b|\bnon[ ](?:ci[ ]sono|disponibil\w+|dispongo)\b|\bn[ãa]o[ ](?:h[áa]|sei|"
    r"disponho|tenho)\b|"
    r"\bнет[ ]данных\b|\bне[ ]знаю\b|没有数据|沒有數據|不知道|无法|"
    r"データ(?:が|は)?(?:あり|な)|わかりません|모르",
    regex.I,
)


def is_refusal(text: str) -> bool:
    """Whether an answer that commits to nothing says that it doesn't know, or that there are no data."""
    return cues.REFUSAL.search(text) is not None or _NO_DATA.search(text) is not None
