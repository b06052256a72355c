"""How many answers a second one core judges, and how right the verdicts are.

usage: python benchmarks/grading.py [CASES.jsonl] [--repeat N]

CASES are `grade` lines (see docs/cli.md), those of the tests when none are named. Where a line carries
`verdict_read` or `verdict`, what a reader said of it, agreement is printed as well, per model. Reading the
file is not timed; preparing each question's names is.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from freshness.facts import Value, merge_terms, value_from_json
from freshness.grading import judge
from freshness.verdicts import Judgement, Verdict

CASES = Path(__file__).resolve().parents[1] / "tests/data/answers.jsonl"
NO_ANSWER = (Verdict.IRRELEVANT, Verdict.REFUSED, Verdict.UNREADABLE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", type=Path, nargs="?", default=CASES)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.cases.read_text().split("\n") if line.strip()]
    rates = []
    judgements: list[Judgement] = []
    for _ in range(options.repeat):
        # Fresh tuples each time: nothing prepared for an earlier round is found again by identity.
        values = _values(rows)
        started = time.process_time()
        judgements = list(_judge_all(rows, values))
        rates.append(len(rows) / (time.process_time() - started))
    print(f"{len(rows)} answers, {len(set(map(id, values)))} facts, {os.cpu_count()} cores here, one used")
    print(f"answers a second: {statistics.median(rates):,.0f} (from {min(rates):,.0f} to {max(rates):,.0f})")
    _print_agreement(rows, judgements)


def _values(rows: list[dict]) -> list[tuple[Value, ...]]:
    known: dict[str, tuple[Value, ...]] = {}
    keys = [json.dumps(row["values"]) for row in rows]
    for key in keys:
        if key not in known:
            known[key] = merge_terms(value_from_json(value) for value in json.loads(key))
    return [known[key] for key in keys]


def _judge_all(rows: list[dict], values: list[tuple[Value, ...]]) -> Iterator[Judgement]:
    for row, known in zip(rows, values, strict=True):
        yield judge(row["answer"], known, date.fromisoformat(row["as_of"]), question=row["question"])


def _print_agreement(rows: list[dict], judgements: list[Judgement]) -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for row, judgement in zip(rows, judgements, strict=True):
        # A reader who could not tell wrote null.
        read = row.get("verdict_read", row.get("verdict"))
        if read is None:
            continue
        said = "irrelevant" if judgement.verdict in NO_ANSWER else str(judgement.verdict)
        total[row.get("model", "")] += 1
        right[row.get("model", "")] += said == read
    for model in sorted(total) if len(total) > 1 else ():
        print(f"{model:30} {right[model] / total[model]:8.2%} of {total[model]}")
    if total:
        print(f"{'all':30} {sum(right.values()) / sum(total.values()):8.2%} of {sum(total.values())}")


if __name__ == "__main__":
    main()
