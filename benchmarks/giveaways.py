"""What guessing scores on questions about numbers: fair options, and the paper's.

usage: python benchmarks/giveaways.py [--questions N] [--seed N] [--learn]

Guessers that know nothing (``tests/guessers.py``) choose among the options of questions about the bundled
series:
the largest number, the roundest, the odd one out and so on. Where several options are equal to a guesser it
gets its share. Chance is 25 %; the interval for N questions stands in the heading.

``--learn`` (needs scikit-learn) trains trees on what all guessers see, on the questions about half of the
countries, and asks them about the others: on all indicators, without life expectancy, and on numbers that
wander at random, of which none is more usual than another.
"""

from __future__ import annotations

import argparse
import random
import sys
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # they are no package
from guessers import Read, guessers, scores
from numeric_world import chart, walk

from freshness.series import Chart
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
    parser.add_argument("--learn", action="store_true", help="trees instead of guessers")
    given = parser.parse_args()
    if given.learn:
        learn(given)
        return
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


def learn(given: argparse.Namespace) -> None:
    options = numeric.Options(seed=given.seed)
    bundled = BundledSeries().fetch().charts
    plain = [chart for chart in bundled if chart.indicator.id != "life-expectancy"]
    sets = {"all": bundled, "without life expectancy": plain, "wandering": [wandering()]}
    print("Percent right (in the surest tenth), and the interval by chance\n")
    print("| trees on | " + " | ".join(KINDS) + " |\n|---|" + "---|" * len(KINDS))
    for name, charts in sets.items():
        asked = pl.concat(numeric.generate(charts, AS_OF, options))
        cells = [learned(asked.filter(kind=kind), kind, given.questions) for kind in KINDS]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def wandering() -> Chart:
    drawn = random.Random(1)
    told = [
        (
            f"C{n}",
            f"{chr(65 + n // 26)}{chr(65 + n % 26)}A",
            1950,
            walk(n, 70, 10 ** drawn.uniform(0, 4), 0.05),
        )
        for n in range(400)
    ]
    return chart(*told)


def learned(part: pl.DataFrame, kind: str, most: int) -> str:
    from sklearn.ensemble import HistGradientBoostingClassifier

    part = part.sample(min(2 * most, len(part)), seed=1)
    right = np.array(["abcd".index(letter[1]) for letter in part["answer"]])
    seen = features(Read(kind, part["options"].to_list()), kind)
    codes = sorted(set(part["code"]))
    taught = np.isin(part["code"].to_numpy(), codes[::2])
    is_key = (np.arange(4) == right[:, None])[taught].ravel()
    trees = HistGradientBoostingClassifier(max_iter=120, learning_rate=0.06, min_samples_leaf=60)
    trees.fit(seen[taught].reshape(-1, seen.shape[2]), is_key)
    chances = trees.predict_proba(seen[~taught].reshape(-1, seen.shape[2]))[:, 1].reshape(-1, 4)
    hit = scores(chances, right[~taught])
    surest = np.argsort(np.sort(chances, axis=1)[:, 2] - chances.max(axis=1))[: len(hit) // 10]
    half = 196 * np.sqrt(0.25 * 0.75 / len(hit))
    return f"{100 * hit.mean():.1f} ({100 * hit[surest].mean():.0f}) ± {half:.1f}"


def features(read: Read, kind: str) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """Of each option what the guessers see of it, against the other three; and how far apart all are."""
    found = []
    for measure in guessers(kind).values():
        score = measure(read).astype(float)
        scale = np.abs(score).max(axis=1, keepdims=True)
        found += [(score - score.mean(axis=1, keepdims=True)) / np.where(scale > 0, scale, 1)]
        found += [np.argsort(np.argsort(score, axis=1), axis=1).astype(float)]
    sizes = np.sort(np.abs(read.numbers).max(axis=2), axis=1)
    steps = np.diff(np.log(np.maximum(sizes, 1e-12)), axis=1)
    found += [np.repeat(step[:, None], 4, axis=1) for step in steps.T]
    found += [np.log10(np.maximum(np.abs(read.numbers).max(axis=2), 1e-12)) % 1]
    return np.stack(found, axis=2)


if __name__ == "__main__":
    main()
