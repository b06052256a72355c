"""What a model or a server sends is made harmless here, before anyone stores or prints it."""

from __future__ import annotations

from collections.abc import Iterable

MAX_ANSWER_CHARS = 20_000
MAX_MESSAGE_CHARS = 300


def clean(text: str) -> str:
    """The text without what no database or UTF-8 file takes: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def one_line(text: str, limit: int = MAX_MESSAGE_CHARS) -> str:
    """The text on one line of at most ``limit`` characters, control characters replaced by blanks."""
    head = clean(text[: 8 * limit])
    line = " ".join("".join(char if char.isprintable() else " " for char in head).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def cut_at(text: str, stops: Iterable[str]) -> tuple[str, bool]:
    """The text up to the first of the stop strings, and whether there was one."""
    places = [place for stop in stops if (place := text.find(stop)) >= 0]
    return (text[: min(places)], True) if places else (text, False)
