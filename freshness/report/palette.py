"""The colours of the verdicts, in one place for terminals, plots, the HTML report and the status pages.

Any two are told apart by people who see no red, no green or no blue as well, in light and in dark (tests
measure it), and what is written on one has a contrast of 4.5 at least.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from freshness.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Colour:
    """``light`` and ``dark``: on white and on near black paper, as ``#rrggbb``; ``on_…``: of text on it.

    ``terminal``: one of the eight names that each terminal has its own shade of, or a style.
    """

    light: str
    on_light: str
    dark: str
    on_dark: str
    terminal: str


_INK, _WHITE, _NIGHT = "#1f2933", "#ffffff", "#14181d"

VERDICTS: Final[Mapping[Verdict, Colour]] = {
    Verdict.CORRECT: Colour("#0b5d2c", _WHITE, "#8dcdb5", _NIGHT, "green"),
    Verdict.OUTDATED: Colour("#eeb12f", _INK, "#fdcf35", _NIGHT, "yellow"),
    Verdict.IRRELEVANT: Colour("#a3b4bf", _INK, "#5b5f63", _WHITE, "default"),
    Verdict.REFUSED: Colour("#356de4", _WHITE, "#2f6de4", _WHITE, "blue"),
    Verdict.UNREADABLE: Colour("#dde6ec", _INK, "#303438", _WHITE, "dim"),
    Verdict.INCORRECT: Colour("#ea683f", _INK, "#f6701c", _NIGHT, "red"),
    Verdict.NOT_AVAILABLE: Colour("#75138a", _WHITE, "#b083af", _NIGHT, "magenta"),
}

ERROR: Final = Colour("#b3261e", _WHITE, "#ff8a80", "#2b0a07", "red")
"""Of what brought no answer, and so has no verdict."""


def css() -> str:
    """Custom properties ``--NAME`` and ``--on-NAME`` in light and dark, and a class for each.

    Within ``.NAME`` they are ``--c`` and ``--on``. For a page that sets ``color-scheme: light dark``.
    """
    named = {**{str(verdict): colour for verdict, colour in VERDICTS.items()}, "error": ERROR}
    light = "".join(f" --{name}: {one.light}; --on-{name}: {one.on_light};" for name, one in named.items())
    dark = "".join(f" --{name}: {one.dark}; --on-{name}: {one.on_dark};" for name, one in named.items())
    classes = "\n".join(f".{name} {{ --c: var(--{name}); --on: var(--on-{name}); }}" for name in named)
    return f":root {{{light} }}\n@media (prefers-color-scheme: dark) {{ :root {{{dark} }} }}\n{classes}\n"
