"""Checks on what people write by hand, and plain words for what is wrong with it.

``facts`` reads leniently, since it reads what this program itself wrote, in this version or another. Here
a misspelt key that would be passed over is an error that names the near one, and so is a term that ends
before it begins: either would quietly turn right answers into wrong ones.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from freshness.facts import Value, value_from_json

MAX_FAULTS = 5
"""So many faults of one line or fact are told at once."""

_VALUE_KEYS = ("id", "label", "aliases", "start", "end", "rank", "intervals")
_INTERVAL_KEYS = ("start", "end")
_FAULT_CHARS = 200
_NEAR = 0.82
"""How alike two keys are when one is the other misspelt: "alias" is, "qid" is not "id"."""

T = TypeVar("T")


class SeveralFaults(ValueError):
    """All that is wrong with a line; the message, of one line, tells the first few."""

    def __init__(self, faults: Sequence[str]) -> None:
        told = [shortened(fault, _FAULT_CHARS) for fault in faults[:MAX_FAULTS]]
        more = len(faults) - len(told)
        super().__init__("; ".join([*told, f"and {more} more"] if more else told))
        self.faults = faults


class Faults:
    """Gathers ``ValueError`` messages, so that one reading tells all that is wrong with a line."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def get(self, read: Callable[..., T], *arguments: Any, **options: Any) -> T | None:
        """What ``read`` gives; None where it raised ``ValueError``."""
        try:
            return read(*arguments, **options)
        except SeveralFaults as error:
            self._found += error.faults
        except ValueError as error:
            self._found.append(str(error))
        return None

    def check(self) -> None:
        """Raises ``SeveralFaults`` if there was any."""
        if self._found:
            raise SeveralFaults(self._found)


def shortened(text: str, limit: int) -> str:
    """The text, cut to so many characters."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def shown(value: object) -> str:
    """A value from JSON as JSON, cut short."""
    return shortened(json.dumps(value, ensure_ascii=True), 40)


def kind_of(value: object) -> str:
    """What kind of JSON value it is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds: Mapping[type, str] = {str: "a string", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")


def did_you_mean(name: str, known: Collection[str]) -> str:
    """``did you mean 'x'?``, or all that are known where none is near."""
    near = difflib.get_close_matches(name.lower(), known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"


def refuse_unknown(raw: Mapping[str, Any], known: Collection[str], of: str = "") -> None:
    """Raises ``ValueError`` that names the first key that is not known, and the near one."""
    for key in raw:
        if key not in known:
            whose = f" of {shortened(of, 60)}" if of else ""
            name = shortened(key, 40)
            raise ValueError(f"unknown key {name!r}{whose}; {did_you_mean(name, known)}")


def refuse_misspelt(raw: Mapping[str, Any], known: Collection[str], of: str) -> None:
    """Raises ``ValueError`` for a key that looks like a known one which is not there; others are let pass.

    Values come from exports that carry more than we read, and an extra key does no harm.
    """
    absent = [key for key in known if key not in raw]
    for key in raw:
        near = [] if key in known else difflib.get_close_matches(key.lower(), absent, n=1, cutoff=_NEAR)
        if near:
            name = shortened(key, 40)
            raise ValueError(f"unknown key {name!r} of {shortened(of, 60)}; did you mean {near[0]!r}?")


def values(raw: object) -> tuple[Value, ...]:
    """A list of values, each as in ``facts.value_from_json``; raises ``ValueError`` with every fault."""
    if not isinstance(raw, list):
        raise ValueError(f"values must be a list, not {kind_of(raw)}")
    faults = Faults()
    read = [faults.get(_numbered, number, value) for number, value in enumerate(raw)]
    faults.check()
    return tuple(value for value in read if value)


def _numbered(number: int, raw: Any) -> Value:
    try:
        return _value(raw)
    except ValueError as error:
        raise ValueError(f"values[{number}]: {error}") from None


def _value(raw: Any) -> Value:
    value = value_from_json(raw)
    refuse_misspelt(raw, _VALUE_KEYS, value.label)
    if value.id is not None and not isinstance(value.id, str):
        raise ValueError(
            f"id of {shortened(value.label, 60)} must be a string or null, not {shown(value.id)}"
        )
    if "intervals" in raw:
        for span in raw["intervals"]:
            refuse_unknown(span, _INTERVAL_KEYS, f"an interval of {value.label}")
        if raw.get("start") is not None or raw.get("end") is not None:
            whose = shortened(value.label, 60)
            raise ValueError(f"{whose} has start or end beside intervals; put them into an interval")
    _refuse_backwards(value)
    return value


def _refuse_backwards(value: Value) -> None:
    for interval in value.intervals:
        start, end = interval.start, interval.end
        if start and end and end.last < start.first:
            whose = shortened(value.label, 60)
            raise ValueError(f"a term of {whose} ends ({end}) before it starts ({start})")


def one_of(raw: object, key: str, choices: Iterable[str]) -> str:
    """The string if it is one of these; raises ``ValueError`` that names the key."""
    known = list(choices)
    if not isinstance(raw, str) or raw not in known:
        raise ValueError(f"{key} must be {' or '.join(json.dumps(name) for name in known)}, not {shown(raw)}")
    return raw
