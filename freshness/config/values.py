"""What a key of the config may hold, and what is wrong with what it may not."""

from __future__ import annotations

import difflib
import re
import unicodedata
from datetime import timedelta
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from freshness.cron import parse_cron

_DURATION = re.compile(r"(\d{1,7})\s*([smhdw])", re.ASCII)
_EVERY = re.compile(r"every\s+(\d{1,7})\s*([smhdw])", re.ASCII)
_LONGEST = timedelta(days=36525)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A language as in "en", "pt-br" or "zh-hant": what may stand in a query (BCP 47, and Wikidata's own codes).
_LANGUAGE = re.compile(r"[a-z]{2,8}(-[a-z0-9]{1,8}){0,4}", re.IGNORECASE | re.ASCII)
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # Persian and Indic names need them
_MAX_CONTACT_CHARS = 200
SUITES = ("current", "numeric", "next-word")
"""The kinds of questions that a model's ``suites`` may name."""


def _duration(raw: object) -> object:
    if not isinstance(raw, str):
        raise ValueError('must be a number with a unit in quotes, such as "7d", "12h" or "30m"')
    match = _DURATION.fullmatch(raw.strip())
    if not match:
        raise ValueError(f'{raw!r} is no duration; write "7d", "12h" or "30m"')
    if _time(match) > _LONGEST:
        raise ValueError(f"{raw!r} is longer than a hundred years")
    return _time(match)


def _time(match: re.Match[str]) -> timedelta:
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _schedule(raw: str) -> str:
    match = _EVERY.fullmatch(raw.strip())
    if not match:
        parse_cron(raw)
    elif not timedelta(minutes=1) <= _time(match) <= timedelta(days=366):
        raise ValueError(f'{raw!r} is no schedule: it goes from "every 1m" to "every 366d"')
    return raw.strip()


def _kept_answers(raw: object) -> object:
    """True, False, or how long."""
    if isinstance(raw, bool | timedelta):
        return raw
    try:
        kept = _duration(raw)
    except ValueError:
        raise ValueError('must be true, false or a duration in quotes, such as "90d"') from None
    if not isinstance(kept, timedelta) or kept < timedelta(days=1):
        raise ValueError('must be at least "1d", since what was just asked is judged again; or false')
    return kept


def _within(low: timedelta, high: timedelta, told: str) -> AfterValidator:
    def check(raw: timedelta) -> timedelta:
        if not low <= raw <= high:
            raise ValueError(f"must be from {told}")
        return raw

    return AfterValidator(check)


def _timezone(raw: str) -> str:
    try:
        ZoneInfo(raw)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f'{raw[:60]!r} is no time zone such as "UTC" or "Europe/Rome"') from None
    return raw


def _name(raw: str) -> str:
    # It is shown, logged and exported everywhere; what moves or hides text would make it look like another.
    for char in raw:
        if unicodedata.category(char) in _HIDDEN and char not in _JOINERS:
            raise ValueError(
                f"has the control, direction or invisible character U+{ord(char):04X}; use visible ones alone"
            )
    return raw


def _web_address(raw: str) -> str:
    if not re.fullmatch(r"https?://[^\s/]+\S*", raw):
        # What stands before an @ may be a password.
        shown = "it" if "@" in raw else repr(raw)
        raise ValueError(f"{shown} is no http(s) address")
    return raw


def _contact(raw: str) -> str:
    # It goes into a header, where a line end would begin another one.
    if not (raw.isascii() and raw.isprintable()):
        raise ValueError("must be plain ASCII on one line, since it goes into the User-Agent")
    if len(raw) > _MAX_CONTACT_CHARS:
        raise ValueError(f"must have at most {_MAX_CONTACT_CHARS} characters: a mail or web address")
    return raw.strip()


def _language(raw: str) -> str:
    if not _LANGUAGE.fullmatch(raw):
        raise ValueError(f'{raw[:40]!r} is no language code such as "en" or "pt-br"')
    return raw.lower()


def _env_name(raw: str) -> str:
    # A value that can't be a variable's name is probably the key itself: don't show it.
    if not _ENV_NAME.fullmatch(raw):
        raise ValueError("must be the name of an environment variable that holds the key, not the key")
    return raw


def _suite(raw: str) -> str:
    if raw not in SUITES:
        raise ValueError(f"unknown suite {raw!r}; {near(raw, list(SUITES))}")
    return raw


# Written back as it is read, so that settings can be handed on as JSON.
_AS_TEXT = PlainSerializer(lambda time: f"{int(time.total_seconds())}s", when_used="json")
_KEPT_AS_TEXT = PlainSerializer(
    lambda kept: kept if isinstance(kept, bool) else f"{int(kept.total_seconds())}s", when_used="json"
)

ModelName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_name)]
Duration = Annotated[timedelta, BeforeValidator(_duration), _AS_TEXT]
ScheduleText = Annotated[str, AfterValidator(_schedule)]
RequestTime = Annotated[Duration, _within(timedelta(seconds=1), timedelta(hours=1), '"1s" to "1h"')]
Grace = Annotated[Duration, _within(timedelta(seconds=1), timedelta(days=31), '"1s" to "31d"')]
Deadline = Annotated[Duration, _within(timedelta(minutes=1), timedelta(days=7), '"1m" to "7d"')]
KeptAnswers = Annotated[bool | timedelta, BeforeValidator(_kept_answers), _KEPT_AS_TEXT]
TimeZone = Annotated[str, AfterValidator(_timezone)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
Contact = Annotated[str, AfterValidator(_contact)]
Language = Annotated[str, AfterValidator(_language)]
EnvName = Annotated[str, AfterValidator(_env_name)]
SuiteName = Annotated[str, AfterValidator(_suite)]


def near(key: str, known: list[str]) -> str:
    """A hint at the key that was meant, or at all that are known."""
    close = difflib.get_close_matches(key.lower(), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(known)}"
