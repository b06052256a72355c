"""Numbers that an answer reckons with: of "58.6 / 10 = 5.86" only what is behind the sign is its answer."""

from __future__ import annotations

from typing import Final

import regex

_SIGN: Final = regex.compile(r"[=≈]")
_START: Final = regex.compile(r"[=≈\n;:!?]|[.,](?=[ ])")
_OPERATION: Final = regex.compile(
    r"[\d%)}](?:[ ]?[\p{L}$€£²³]{1,12}(?:/[\p{L}]{1,12})?){0,3}[ ]?[-+*/×÷·–][ ({]{0,4}[-$€£]?[.]?\d|"
    r"\d[})][ ]?[{(]\d"
)
"""A sign between two numbers, which may have their units; a fraction of LaTeX."""
_RESULT: Final = regex.compile(r"[ ~≈({]{0,6}(?:boxed:[ ]?)?[-+$€£]{0,2}[ ]?\d")
REACH: Final = 300
"""Characters looked at before the sign."""


def reckonings(text: str) -> list[tuple[int, int]]:
    """Where the left sides of equations stand in a plain text, those that have a number on their right."""
    found = []
    for sign in _SIGN.finditer(text):
        if _RESULT.match(text, sign.end()) is None:
            continue
        low = max(0, sign.start() - REACH)
        for start in _START.finditer(text, low, sign.start()):
            low = start.end()
        if _OPERATION.search(text, low, sign.start()):
            found.append((low, sign.start()))
    return found
