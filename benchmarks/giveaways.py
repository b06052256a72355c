"""What guessing scores on questions about numbers: fair options, and the paper's.

usage: python benchmarks/giveaways.py [--questions N] [--seed N]

Guessers that know nothing (``tests/guessers.py``) choose among the options of questions about the bundled
series:
the largest number, the roundest, the odd one out and so on. Where several options are equal to a guesser it
gets its share. Chance is 25 %; the interval for N questions stands in the heading.
"""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # they are no package
from guessers import Read, guessers, scores

from freshness.sources.bundled_series import BundledSeries
from freshness.suites import numeric

KINDS = ("date", "window", "range", "minmax", "trend")
AS_OF = date(2026, 6, 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=20_000, metavar="N", help="of each kind, at most")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    half = 196 * np.sqrt(0.25 * 0.75 / given.questions)
    print(f"Percent right, fair / paper; {given.questions:,} questions a kind: 25.0 ± {half:.1f} by chance\n")
    table = {mode: earned(mode, given) for mode in ("fair", "paper")}
    print("| chosen | " + " | ".join(KINDS) + " |\n|---|" + "---|" * len(KINDS))
    for guesser in guessers("window"):
        cells = [cell(table, kind, guesser) for kind in KINDS]
        print(f"| {guesser} | " + " | ".join(cells) + " |")


def cell(table: dict[str, dict[tuple[str, str], float]], kind: str, guesser: str) -> str:
    if (kind, guesser) not in table["fair"]:
        return ""
    return " / ".join(f"{100 * table[mode][kind, guesser]:.1f}" for mode in ("fair", "paper"))


def earned(mode: str, given: argparse.Namespace) -> dict[tuple[str, str], float]:
    options = numeric.Options(seed=given.seed, distractors=mode)  # type: ignore[arg-type]
    asked = pl.concat(numeric.generate(BundledSeries().fetch().charts, AS_OF, options))
    found: dict[tuple[str, str], float] = {}
    for kind in KINDS:
        part = asked.filter(kind=kind)
        part = part.sample(min(given.questions, len(part)), seed=1)
        right = np.array(["abcd".index(letter[1]) for letter in part["answer"]])
        read = Read(kind, part["options"].to_list())
        found |= {(kind, name): scores(how(read), right).mean() for name, how in guessers(kind).items()}
    return found


if __name__ == "__main__":
    main()
