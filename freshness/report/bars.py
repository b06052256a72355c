"""A bar of shares that reads without colour: each verdict has its own shade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from freshness.history import Counts
from freshness.report.palette import VERDICTS
from freshness.report.text import word
from freshness.verdicts import CHOICES, CLAIMS, Verdict

COLOURS = {verdict: Style.parse(colour.terminal) for verdict, colour in VERDICTS.items()}
_SHADED = (*CLAIMS, *CHOICES[1:])
GLYPHS = dict(zip(_SHADED, "█▓▒░·▒░", strict=True))
ASCII_GLYPHS = dict(zip(_SHADED, "#=:.-:.", strict=True))
"""For terminals that can't show the others."""


def cells(counts: Counts, width: int) -> list[int]:
    """``width`` cells shared out by largest remainder, in the order of the verdicts; none when all is 0.

    What occurs at all gets a cell where there is room: a rare verdict must not vanish.
    """
    if not counts.total:
        return [0] * len(counts.by_verdict)
    exact = [number * width / counts.total for number in counts.by_verdict.values()]
    whole = [max(int(share), 1 if share else 0) for share in exact]
    while (missing := width - sum(whole)) > 0:
        whole[max(range(len(exact)), key=lambda i: exact[i] - whole[i])] += 1
    for _ in range(-missing):
        whole[whole.index(max(whole))] -= 1
    return whole


@dataclass(frozen=True, slots=True)
class Bar:
    """A rich renderable as wide as its column, ``least`` to ``most`` cells."""

    counts: Counts
    least: int = 8
    most: int = 40

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        glyphs = ASCII_GLYPHS if options.ascii_only else GLYPHS
        width = min(options.max_width, self.most)
        for verdict, n in zip(self.counts.by_verdict, cells(self.counts, width), strict=True):
            if n:
                yield Segment(glyphs[verdict] * n, COLOURS[verdict])

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(self.least, options.max_width), min(self.most, options.max_width))


@dataclass(frozen=True, slots=True)
class Legend:
    """Which shade is which verdict."""

    verdicts: Sequence[Verdict] = CLAIMS

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        glyphs = ASCII_GLYPHS if options.ascii_only else GLYPHS
        text = Text()
        for verdict in self.verdicts:
            text.append(f"{glyphs[verdict]} ", COLOURS[verdict]).append(f"{word(verdict)}  ", Style(dim=True))
        yield text
