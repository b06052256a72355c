"""How much more the facts that `facts suggest` names tell of a cutoff than others do.

usage: python benchmarks/suggest.py [SHARED] [--models N] [--repeats N]

A model is asked about FIRST facts; then about MORE further ones: those suggested, those that changed most
often since 2010, or any. Printed is the mean width of the cutoff's 90 % interval, and how its binary
logarithm differs from that before and that with any facts (mean and standard error). N simulated models are
asked about the bundled facts. With SHARED (``dyknow/to_cases.py``) the recorded answers of real models are
taken as well, REPEATS times each with other facts at first.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from window import cases, judged

from freshness.facts import PartialDate
from freshness.sources.bundled import Bundled
from freshness.window import Answered, observations_from
from freshness.window.months import months
from freshness.window.posterior import cutoff_posterior
from freshness.window.suggest import Candidate, belief, information, narrowing

FIRST, MORE = 40, 20
SINCE = months(PartialDate(2010))
Say = Callable[[int], Answered]
"""What a model says of the fact with this number."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shared", type=Path, nargs="?")
    parser.add_argument("--models", type=int, default=20, metavar="N")
    parser.add_argument("--repeats", type=int, default=5, metavar="N")
    options = parser.parse_args()
    for name, known in (("up to a moment", up_to_a_moment), ("each change by itself", by_itself)):
        if options.models:
            table(f"simulated, {name}", simulated(options.models, known))
    if options.shared:
        table("recorded answers", recorded(options.shared, options.repeats))


def table(title: str, trials: Iterable[dict[str, float]]) -> None:
    widths: dict[str, list[float]] = defaultdict(list)
    for trial in trials:
        for name, width in trial.items():
            widths[name].append(width)
    logs = {name: np.log2(found) for name, found in widths.items()}
    print(f"\n{title}: {len(widths['before'])} times\n{'':18} months  log2 to before  log2 to any")
    for name, found in widths.items():
        ratios = "  ".join(mean(logs[name] - logs[base]) for base in ("before", "any"))
        print(f"{name:18} {np.mean(found):6.1f}  {ratios}")


def mean(found: np.ndarray) -> str:
    """With its standard error."""
    return f"{found.mean():+7.2f} ± {found.std() / np.sqrt(len(found)):.2f}"


def trial(
    random: np.random.Generator, candidates: Sequence[Candidate], say: Say, today: date
) -> dict[str, float]:
    """Widths in months: before, after each way of choosing, and what was expected of the one suggested."""
    order = [int(number) for number in random.permutation(len(candidates))]
    asked, left = order[:FIRST], order[FIRST:]
    evidence = observations_from(map(say, asked))
    joint = belief(evidence, today)[1]
    bits = information(joint, candidates)
    chosen = {
        "suggested": sorted(left, key=lambda number: -bits[number])[:MORE],
        "most changes": sorted(left, key=lambda number: -_changes(candidates[number]))[:MORE],
        "any": left[:MORE],
    }
    expected = narrowing(joint, [candidates[number] for number in chosen["suggested"]])
    widths = {"before": width(evidence, today), "expected of these": expected.expected}
    for name, numbers in chosen.items():
        widths[name] = width(evidence + observations_from(map(say, numbers)), today)
    return widths


def _changes(candidate: Candidate) -> int:
    return sum(months(day) > SINCE for day in candidate.changes)


def width(evidence: list, today: date) -> float:
    posterior = cutoff_posterior(evidence, months(PartialDate.from_date(today)))
    return posterior.quantile(0.95) - posterior.quantile(0.05)


def simulated(models: int, known: Callable[[np.random.Generator, np.ndarray], np.ndarray]):
    """Models of some cutoff from 2019 to 2024, asked about the bundled facts."""
    snapshot = Bundled().fetch()
    today, facts = snapshot.taken_at.date(), snapshot.facts
    candidates = [Candidate.of(fact.id, fact.values, today, fact.holders) for fact in facts]
    random = np.random.default_rng(7)
    for _ in range(models):
        chance = curve(random)
        says = {}
        for number, fact in enumerate(facts):
            begun = sorted((_begun(value), value.label) for value in fact.values)
            heard = known(random, chance(np.array([start for start, _ in begun])))
            matched = (begun[int(np.flatnonzero(heard)[-1])][1],) if heard.any() else ()
            says[number] = Answered(fact.values, today, matched, fact.holders)
        yield trial(random, candidates, says.__getitem__, today)


def _begun(value) -> float:
    return max(months(term.start) if term.start else -np.inf for term in value.intervals)


def curve(random: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    """How probably a model knows of a change, by its date in months."""
    cutoff = random.uniform(2019 * 12, 2025 * 12)
    half, shape = np.exp(random.uniform(0, np.log(24))), random.uniform(1.5, 4)
    plateau, floor = random.uniform(0.5, 0.97), np.exp(random.uniform(np.log(0.002), np.log(0.05)))

    def chance(at: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            fall = 1 / (1 + (half / np.maximum(cutoff - at, 0)) ** shape)
        return floor + (plateau - floor) * fall

    return chance


def up_to_a_moment(random: np.random.Generator, chance: np.ndarray) -> np.ndarray:
    """Who knows of a change knows of the earlier ones."""
    return chance > random.random()


def by_itself(random: np.random.Generator, chance: np.ndarray) -> np.ndarray:
    """Each change is heard of or not, whatever else is."""
    return chance > random.random(len(chance))


def recorded(shared: Path, repeats: int):
    """What real models said, three prompts a fact."""
    random = np.random.default_rng(7)
    for by_fact in cases(shared).values():
        said = [judged(asked) for asked in by_fact.values()]
        today = max(answer.as_of for answer in said)
        candidates = [Candidate.of(str(n), a.values, a.as_of, "one") for n, a in enumerate(said)]
        for _ in range(repeats):
            yield trial(random, candidates, said.__getitem__, today)


if __name__ == "__main__":
    main()
