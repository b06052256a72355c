"""Words and numbers as people read them, and hostile text made harmless.

What a model, a source or a user sends ends up on terminals, in Markdown and in HTML. It is stripped of what
can move a cursor, reverse a line or hide, bounded in length, and escaped for the place where it is shown.
"""

from __future__ import annotations

import re
import unicodedata

DASH = "–"
"""Stands where there is no data: no data is not zero."""

_SCANNED = 20_000
_ESCAPES = re.compile(  # ECMA-48: control sequences, strings such as window titles and links, single shifts
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]"
)
_MARKDOWN = re.compile(r"([\\`*_\[\]{}|~#!$])")
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # Persian and Indic names need them


def clean(text: str, limit: int = 200) -> str:
    """One line without control, bidirectional and invisible characters, at most ``limit`` characters."""
    return shorten(" ".join(_visible(text).split()), limit)


def clean_block(text: str) -> str:
    """The same, with line breaks kept (not blank lines) and no bound of its own: the caller cuts first."""
    lines = (" ".join(line.split()) for line in _visible(text).splitlines())
    return "\n".join(line for line in lines if line)


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters; what is cut ends in an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def clean_name(text: str, limit: int = 120) -> str:
    """As ``clean``, but what is too long is cut in its middle: names often differ at their ends."""
    line = clean(text, _SCANNED)
    if len(line) <= limit:
        return line
    tail = limit // 2
    return f"{line[: limit - tail - 1]}…{line[-tail:]}"


def clean_end(text: str, limit: int = 200) -> str:
    """As ``clean``, but of a long text the end: a prompt has its question there, after instructions."""
    line = clean(text[-_SCANNED:], _SCANNED)
    return line if len(line) <= limit else "…" + line[1 - limit :].lstrip()


def excerpt(text: str, span: tuple[int, int] | None, around: int = 160) -> tuple[str, str, str]:
    """What stands before, in and after ``span`` (offsets in ``text``), cut to ``around`` characters a side.

    Each part is harmless as in ``clean_block``. Without a span that fits, the beginning and two empty parts.
    """
    if span is None or not 0 <= span[0] < span[1] <= len(text):
        return shorten(clean_block(text[: 4 * around]), 2 * around), "", ""
    start, end = span[0], min(span[1], span[0] + around)
    before, after = text[max(0, start - around) : start], text[end : end + around]
    return (
        "…" * (start > around) + _edge(before, "before"),
        clean_block(text[start:end]),
        _edge(after, "after") + "…" * (end + around < len(text)),
    )


def _edge(text: str, side: str) -> str:
    """Keeps the one space that parts the text from the mention."""
    block = clean_block(text)
    space = " " if block and text[-1 if side == "before" else 0].isspace() else ""
    return block + space if side == "before" else space + block


def _visible(text: str) -> str:
    text = _ESCAPES.sub("", text[:_SCANNED]).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char if _harmless(char) else " " if char == "\t" else "" for char in text)


def _harmless(char: str) -> bool:
    return char == "\n" or char in _JOINERS or unicodedata.category(char) not in _HIDDEN


def markdown(text: str, limit: int = 200) -> str:
    """One line for a Markdown table cell: no markup, no HTML, no link, no mention comes of it."""
    text = _MARKDOWN.sub(r"\\\1", clean(text, limit))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # GitHub links bare addresses and pings bare handles; neither survives these.
    return text.replace("://", "&#58;//").replace("www.", "www&#46;").replace("@", "@\u200b")


def percent(ratio: float | None) -> str:
    """``57.7%``; a dash for no data."""
    return DASH if ratio is None else f"{100 * ratio:.1f}%"


def percent_range(interval: tuple[float, float] | None) -> str:
    """``49–66%``; a dash for no data."""
    return DASH if interval is None else f"{100 * interval[0]:.0f}–{100 * interval[1]:.0f}%"


def duration(days: float | None) -> str:
    """Days up to two months, months up to two years, then years with one decimal."""
    if days is None:
        return "unknown"
    if days < 60:
        return counted(round(days), "day")
    if days < 730:
        return counted(round(days / 30.44), "month")
    return f"{days / 365.25:.1f} years"


def word(name: str) -> str:
    """A verdict's, kind's or category's name as it reads: ``not available``, ``human rights``."""
    return name.replace("_", " ")


def joined(*parts: str) -> str:
    """``A (2025); CC BY 4.0``: what is said in one line, without full stops between; no empty parts."""
    return "; ".join(part.rstrip(".") for part in parts if part)


def counted(n: int, noun: str) -> str:
    """``1 fact``, ``1,200 facts``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def seconds(value: float | None) -> str:
    """``0.4 s``, ``12 s``, ``3 min 20 s``."""
    if value is None:
        return "unknown"
    if value < 60:
        return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def p_value(p: float) -> str:
    """``p = 0.012``; below a thousandth only that."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
