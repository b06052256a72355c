"""Questions about numbers into a Parquet file: how many a second on one core, and in how much memory.

usage: python benchmarks/numeric.py [--questions N ...] [--distractors fair|paper] [--folder DIR]

Synthetic charts of 200 countries with 76 complete years each, as TempUN_s asks for, so that all six kinds
come in the paper's numbers: 424 questions or a few less from each series. Each line is a process of its own,
held on one core where the system allows it, with one thread for polars. Charts are made one by one while they
are read, as from a store; the seconds for that are in the rate, and stand apart too. Peak memory is the
process's own, with Python and all libraries. The file is deleted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

SIZES = (100_000, 1_000_000, 10_000_000)
COUNTRIES, FIRST, YEARS = 200, 1947, 76
A_SERIES = 76 + 75 + 72 + 3 * 67
AS_OF = date(2026, 1, 1)
FETCHED = datetime(2025, 12, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--distractors", choices=("fair", "paper"), default="fair")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the file is written")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.questions[0], given.distractors, Path(given.folder))))
        return
    print(
        "| questions | seconds | for charts | a second | a second of processor time | memory, MB | file, MB |"
    )
    print("|---|---|---|---|---|---|---|")
    for size in given.questions:
        print(line(in_a_process(size, given)), flush=True)


def in_a_process(size: int, given: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", "--questions", str(size)]
    command += ["--distractors", given.distractors, "--folder", given.folder]
    environment = os.environ | {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def line(told: dict[str, Any]) -> str:
    seconds, processor, count = told["seconds"], told["processor"], told["questions"]
    rates = f"{count / seconds:,.0f} | {count / processor:,.0f}"
    return (
        f"| {count:,} | {seconds:.1f} | {told['charts']:.1f} | {rates} "
        f"| {told['memory'] / 1e6:,.0f} | {told['file'] / 1e6:,.1f} |"
    )


def measured(size: int, distractors: str, folder: Path) -> dict[str, Any]:
    """In this process: writes the file and deletes it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    from freshness.suites import numeric

    options = numeric.Options(distractors=distractors)  # type: ignore[arg-type]
    spent: list[float] = []
    path = folder / f"numeric-benchmark-{os.getpid()}.parquet"
    begun, processor = time.perf_counter(), time.process_time()
    try:
        written = numeric.write_parquet(timed(charts(size), spent), AS_OF, options, path)
        seconds, processor = time.perf_counter() - begun, time.process_time() - processor
        file = path.stat().st_size
    finally:
        path.unlink(missing_ok=True)
    return {
        "questions": written.questions,
        "seconds": seconds,
        "processor": processor,
        "charts": sum(spent),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "file": file,
    }


def timed(charts: Iterator[Any], spent: list[float]) -> Iterator[Any]:
    """The same charts, with the seconds that making them took."""
    while True:
        begun = time.perf_counter()
        chart = next(charts, None)
        spent.append(time.perf_counter() - begun)
        if chart is None:
            return
        yield chart


def charts(questions: int) -> Iterator[Any]:
    """As many as give about so many questions: values wander by 3 % a year around 50."""
    import numpy as np

    from freshness.series import Chart, Indicator, Series, Vintage

    drawn = np.random.default_rng(0)
    years = tuple(range(FIRST, FIRST + YEARS))
    left = max(round(questions / A_SERIES), 1)
    for number in range((left - 1) // COUNTRIES + 1):
        name = f"chart-{number}"
        about = Indicator(name, "health", "", "life expectancy at birth", "years", name, "value", 0.0)
        count = min(COUNTRIES, left - number * COUNTRIES)
        values = 50 * np.exp(np.cumsum(drawn.normal(0, 0.03, (count, YEARS)), axis=1))
        codes = [f"{chr(65 + n // 26)}{chr(65 + n % 26)}A" for n in range(count)]
        told = (
            Series(name, f"Country {c}", c, years, tuple(v))
            for c, v in zip(codes, values.tolist(), strict=True)
        )
        yield Chart(about, Vintage(FETCHED), tuple(told))


if __name__ == "__main__":
    main()
