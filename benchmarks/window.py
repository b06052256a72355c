"""Cutoffs estimated from public data against the cutoffs that vendors declare.

usage: python benchmarks/window.py [SHARED] [--coverage N]

SHARED: folder with ``cutoff/observations/*.jsonl``, ``cutoff/declared.json`` and ``dyknow/to_cases.py``.
``--coverage`` simulates N models of known cutoff as well and counts how often the 90 % interval holds it;
without a folder that is all there is, with 100 models unless N says otherwise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np

from freshness.facts import PartialDate, merge_terms, value_from_json
from freshness.grading import judge
from freshness.window import Answered, Observation, Status, WindowEstimate, estimate, observations_from
from freshness.window.months import months

Timed = tuple[str, WindowEstimate, float]
"""Model, estimate, seconds it took."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shared", type=Path, nargs="?")
    parser.add_argument("--coverage", type=int, default=0, metavar="N")
    options = parser.parse_args()
    if options.shared is None:
        coverage(options.coverage or 100)
        return
    declared = json.loads((options.shared / "cutoff/declared.json").read_text())
    table("observations", declared["observations"], observed(options.shared))
    table("recorded answers", declared["recorded_answers"], recorded(options.shared))
    if options.coverage:
        coverage(options.coverage)
        answered_coverage(options.coverage, options.shared)


def table(title: str, declared: dict[str, str], estimates: Iterator[Timed]) -> None:
    """One line a model, then the mean absolute error and how many intervals hold the declared month."""
    print(f"\n{title:26} {'declared':8} {'estimate':8} {'low':8} {'high':8} {'error':>5}  {'status':13} ms")
    errors, inside = [], 0
    for model, found, seconds in estimates:
        said, cutoff = declared.get(model), found.cutoff
        dates = [str(d) for d in (cutoff.estimate, cutoff.low, cutoff.high)] if cutoff else ["-"] * 3
        error = round(month(cutoff.estimate) - month(PartialDate.parse(said))) if cutoff and said else None
        if cutoff and said and error is not None:
            errors.append(abs(error))
            inside += dates[1] <= said <= dates[2]
        shown = "" if error is None else f"{error:+d}"
        row = " ".join(f"{cell:8}" for cell in (said or "-", *dates))
        print(f"{model:26} {row} {shown:>5}  {found.status:13} {1000 * seconds:.0f}")
    print(f"mean error {np.mean(errors):.2f} months over {len(errors)}; {inside} inside their interval")


def month(day: PartialDate) -> int:
    return day.year * 12 + (day.month or 1)


def observed(shared: Path) -> Iterator[Timed]:
    for path in sorted((shared / "cutoff/observations").glob("*.jsonl")):
        lines = [Observation.from_json(json.loads(line)) for line in path.read_text().splitlines()]
        started = time.perf_counter()
        yield lines[0][0], estimate([line for _, line in lines]), time.perf_counter() - started


def cases(shared: Path) -> dict[str, dict[str, list[dict]]]:
    """Recorded answers by model and fact."""
    script = [sys.executable, str(shared / "dyknow/to_cases.py")]
    facts: dict[str, dict[str, list[dict]]] = defaultdict(lambda: defaultdict(list))
    for line in subprocess.run(script, check=True, capture_output=True, text=True).stdout.splitlines():
        case = json.loads(line)
        facts[case["model"]][case["fact"]].append(case)
    return facts


def recorded(shared: Path) -> Iterator[Timed]:
    for model, by_fact in cases(shared).items():
        evidence = [judged(asked) for asked in by_fact.values()]
        started = time.perf_counter()
        asked = max(question.as_of for question in evidence)
        yield model, estimate(observations_from(evidence), asked), time.perf_counter() - started


def judged(asked: list[dict]) -> Answered:
    """One fact's answers, judged as `grade` does."""
    values = merge_terms(value_from_json(value) for value in asked[0]["values"])
    as_of = date.fromisoformat(asked[0]["as_of"])
    verdicts = [judge(case["answer"], values, as_of, question=case["question"]) for case in asked]
    matched = tuple(verdict.matched for verdict in verdicts if verdict.matched)
    return Answered(values, as_of, matched, question=asked[0]["question"])


def coverage(models: int) -> None:
    """Models whose knowledge follows other curves than the estimator's own are drawn as well."""
    print(f"\n{models} simulated models, 280 events over 30 months")
    for name, curve in (("log-logistic", log_logistic), ("linear", linear), ("exponential", exponential)):
        random = np.random.default_rng(7)
        drawn = [simulated(random, curve) for _ in range(models)]
        summary(name, drawn)


def summary(name: str, drawn: list[tuple[float, WindowEstimate]]) -> None:
    told = [(truth, found.cutoff) for truth, found in drawn if found.status is Status.ESTIMATED]
    errors = [abs(months(cutoff.estimate) - truth) for truth, cutoff in told if cutoff]
    held = [month_in(truth, cutoff.low, cutoff.high) for truth, cutoff in told if cutoff]
    print(f"{name:13} {len(told)} estimated, error {np.mean(errors):.2f}, held {np.mean(held):.3f}")


def month_in(position: float, low: PartialDate, high: PartialDate) -> bool:
    return months(low) - 0.5 <= position < months(high) + 0.5


def log_logistic(random: np.random.Generator, age: np.ndarray, half: float) -> np.ndarray:
    odds = (age / half) ** random.uniform(1.5, 4)
    return odds / (1 + odds)


def linear(random: np.random.Generator, age: np.ndarray, half: float) -> np.ndarray:
    return np.minimum(age / (2 * half), 1)


def exponential(random: np.random.Generator, age: np.ndarray, half: float) -> np.ndarray:
    return 1 - 2 ** (-age / half)


def simulated(random: np.random.Generator, curve) -> tuple[float, WindowEstimate]:
    start = 2024 * 12
    truth, half = start + random.uniform(4, 28), np.exp(random.uniform(np.log(0.5), np.log(8)))
    plateau, floor = random.uniform(0.5, 0.99), np.exp(random.uniform(np.log(0.002), np.log(0.05)))
    dates = start + random.uniform(0, 30, 280)
    chance = floor + (plateau - floor) * curve(random, np.maximum(truth - dates, 0), half)
    known = random.random(280) < chance
    return truth, estimate([Observation(day(at), bool(k)) for at, k in zip(dates, known, strict=True)])


def answered_coverage(models: int, shared: Path) -> None:
    """Models that name for each recorded fact who held it when their knowledge of it ends."""
    asked = [judged(cases_of_fact) for cases_of_fact in next(iter(cases(shared).values())).values()]
    random = np.random.default_rng(7)
    summary("facts", [simulated_answers(random, asked) for _ in range(models)])


def simulated_answers(random: np.random.Generator, asked: list[Answered]) -> tuple[float, WindowEstimate]:
    truth = random.uniform(2017 * 12, 2023 * 12 + 8)
    half, shape = np.exp(random.uniform(0, np.log(40))), random.uniform(1.5, 4)
    said = []
    for question in asked:
        known_until = truth - half * (1 / random.random() - 1) ** (-1 / shape)
        names = [named(random, question, known_until) for _ in range(3) if random.random() < 0.8]
        said.append(replace(question, matched=tuple(name for name in names if name)))
    return truth, estimate(observations_from(said), asked[0].as_of)


def named(random: np.random.Generator, question: Answered, at: float) -> str | None:
    """Who held it then; one answer in 33 is anybody."""
    if random.random() < 0.03:
        return question.values[random.integers(len(question.values))].label
    begun = [
        (months(term.start), value.label)
        for value in question.values
        for term in value.intervals
        if term.start and months(term.start) <= at
    ]
    return max(begun)[1] if begun else None


def day(position: float) -> PartialDate:
    year, rest = divmod(position, 12)
    return PartialDate(int(year), int(rest) + 1, min(28, int(rest % 1 * 31) + 1))


if __name__ == "__main__":
    main()
