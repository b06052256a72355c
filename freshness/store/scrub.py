"""No secret reaches the database: user names and passwords in addresses, keys in their queries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from freshness.store.types import storable

_USERINFO = re.compile(r"(?<=://)[^/?#\s\"'<>]*@")
_QUERY = re.compile(
    r"([?&](?:[\w.-]*(?:key|token|secret|password|passwd|signature|sig|auth|credential)s?)=)[^&#\s\"'<>]*",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE)
_SECRET_NAME = re.compile(r"(?:^|_)(?:api_?key|token|secret|password|passwd|authorization)$", re.IGNORECASE)


def scrub(text: str) -> str:
    """The text without what signs somebody in: ``http://me:pw@host/v1?api_key=x`` and ``Bearer x``."""
    text = _USERINFO.sub("", text)
    text = _QUERY.sub(r"\1***", text)
    return _BEARER.sub(r"\1 ***", text)


def scrub_all(value: Any) -> Any:
    """Any value as plain JSON, its strings scrubbed, those under a secret's name starred out."""
    if isinstance(value, str):
        return scrub(storable(value))
    if isinstance(value, Mapping):
        return {
            str(key): "***" if _SECRET_NAME.search(str(key)) and isinstance(item, str) else scrub_all(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [scrub_all(item) for item in value]
    plain = value is None or isinstance(value, bool | int) or (isinstance(value, float) and isfinite(value))
    return value if plain else scrub(str(value))
