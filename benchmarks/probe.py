"""The demo model asked by freshness and by lm-evaluation-harness: the same prompts, side by side.

usage: python benchmarks/probe.py [--prompts N] [--rounds N] [--dtype D] [--batch N] [--rival-batch N ...]

Both load the same files in the same number format, render the same chat template, and answer greedily
with the same token limit, in one process and so on the same threads. A first pass of each warms up; the
harness gets one for each batch size, and the fastest is kept. Then they take turns. Only answering is
timed: questions in, texts out. At last the answers are compared, some in float32 as well: there the batch
should not change them. Needs ``pip install -e '.[local,bench]'`` and the demo model.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from platformdirs import user_cache_path

from freshness.catalog import load as load_catalog
from freshness.models import build
from freshness.models.demo import find_gguf, prepare
from freshness.questions import Prompt
from freshness.sources.bundled import Bundled
from freshness.suites.current import CurrentSuite

BATCH = 120
"""As ``make demo`` asks."""
RIVAL_BATCHES = (32, 64, 120)
FLOAT32_SHARE = 3
"""One prompt in so many is asked again in float32, which is slow."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A loaded model. ``answer`` gives one text a prompt, in their order."""

    answer: Callable[[Sequence[Prompt]], list[str]]
    batch: int
    load_seconds: float


@dataclass(frozen=True, slots=True)
class Pass:
    """All prompts answered once: seconds by the clock, and of all cores together."""

    texts: list[str]
    wall: float
    cpu: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prompts", type=int, default=120, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--dtype", choices=("auto", "bfloat16", "float32"), default="auto")
    parser.add_argument("--batch", type=int, default=BATCH, metavar="N")
    parser.add_argument("--rival-batch", type=int, nargs="+", default=RIVAL_BATCHES, metavar="N")
    options = parser.parse_args()
    prompts = chosen(options.prompts)
    ours, details = load_ours(options.dtype, options.batch)
    describe(details, len(prompts))
    timed(ours, prompts)
    rival = fastest(details, prompts, options.rival_batch)
    print(f"loading: freshness {ours.load_seconds:.1f} s, lm-eval {rival.load_seconds:.1f} s")
    report_equal(details["dtype"], *compare(ours, rival, prompts, options.rounds))
    if details["dtype"] != "float32":
        compare_in_float32(prompts[::FLOAT32_SHARE], ours.batch, rival.batch)


def chosen(count: int) -> list[Prompt]:
    """``count`` prompts of the bundled facts, spread evenly over all groups."""
    facts = Bundled().fetch()
    questions = CurrentSuite(load_catalog()).questions(facts, facts.taken_at.date())
    every = [prompt for question in questions for prompt in question.prompts]
    count = min(count, len(every))
    return [every[number * len(every) // count] for number in range(count)]


def load_ours(dtype: str, batch: int) -> tuple[Contender, dict[str, Any]]:
    """As ``freshness probe demo`` loads it, and what it says of itself.

    Comes before the harness: it sets how threads wait, which torch reads when it is first imported.
    """

    def load() -> Any:
        model = build("demo", dtype=dtype, batch_size=batch)
        model.info()
        return model

    model, seconds = second_time(load)

    def answer(prompts: Sequence[Prompt]) -> list[str]:
        answers = dict(model.answer(prompts))
        return [answers[number].text for number in range(len(prompts))]

    return Contender(answer, batch, seconds), model.info().details


def load_rival(details: dict[str, Any], batch: int) -> Contender:
    """The same files and settings in the class behind ``lm_eval --model hf``."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = prepare(find_gguf(), user_cache_path("freshness")).source
    same = {"device": details["device"], "dtype": details["dtype"]}
    model, seconds = second_time(lambda: HFLM(folder, batch_size=batch, **same))
    settings = {"until": [], "max_gen_toks": details["max_new_tokens"], "do_sample": False}

    def request(number: int, prompt: Prompt) -> Instance:
        text = model.apply_chat_template([{"role": "user", "content": prompt.text("chat")}])
        return Instance("generate_until", {}, (text, settings), number)

    def answer(prompts: Sequence[Prompt]) -> list[str]:
        requests = [request(number, prompt) for number, prompt in enumerate(prompts)]
        return list(model.generate_until(requests, disable_tqdm=True))

    return Contender(answer, batch, seconds)


def second_time(load: Callable[[], Any]) -> tuple[Any, float]:
    """Loaded, and the seconds it took when files were cached and libraries imported."""
    load()
    started = time.perf_counter()
    model = load()
    return model, time.perf_counter() - started


def fastest(details: dict[str, Any], prompts: Sequence[Prompt], batches: Sequence[int]) -> Contender:
    """The harness at the batch size that needs the least of the cores: the clock is moved by others."""
    tried = [load_rival(details, batch) for batch in batches]
    costs = [timed(rival, prompts).cpu for rival in tried]
    shown = ", ".join(f"{batch}: {cost:.1f} s" for batch, cost in zip(batches, costs, strict=True))
    print(f"lm-eval by batch size, processor time: {shown}")
    return tried[costs.index(min(costs))]


def timed(contender: Contender, prompts: Sequence[Prompt]) -> Pass:
    wall, cpu = time.perf_counter(), time.process_time()
    texts = contender.answer(prompts)
    return Pass(texts, time.perf_counter() - wall, time.process_time() - cpu)


def describe(details: dict[str, Any], prompts: int) -> None:
    import torch

    print(
        f"{prompts} prompts, at most {details['max_new_tokens']} tokens each, {details['dtype']} on "
        f"{details['device']}, {torch.get_num_threads()} threads; torch {details['torch']}, "
        f"transformers {details['transformers']}"
    )


def compare(
    ours: Contender, rival: Contender, prompts: Sequence[Prompt], rounds: int
) -> tuple[list[str], list[str]]:
    """The last texts of both, after ``rounds`` passes of each by turns; prints the table."""
    print(f"\nprompts/s   freshness ({ours.batch})  lm-eval ({rival.batch})  ratio  by processor time")
    pairs = []
    for number in range(1, rounds + 1):
        a, b = timed(ours, prompts), timed(rival, prompts)
        pairs.append((a, b))
        rates = f"{len(prompts) / a.wall:14.1f}  {len(prompts) / b.wall:13.1f}"
        print(f"round {number:<3} {rates}  {b.wall / a.wall:5.2f}  {b.cpu / a.cpu:17.2f}")
    print_ratios("ratio", [b.wall / a.wall for a, b in pairs])
    print_ratios("by processor time", [b.cpu / a.cpu for a, b in pairs])
    return pairs[-1][0].texts, pairs[-1][1].texts


def print_ratios(title: str, ratios: list[float]) -> None:
    middle = statistics.median(ratios)
    print(f"{title}: {middle:.2f} in the median, from {min(ratios):.2f} to {max(ratios):.2f} (1: as fast)")


def compare_in_float32(prompts: Sequence[Prompt], batch: int, rival_batch: int) -> None:
    ours, details = load_ours("float32", batch)
    report_equal("float32", ours.answer(prompts), load_rival(details, rival_batch).answer(prompts))


def report_equal(dtype: str, ours: list[str], rival: list[str]) -> None:
    """How many answers are the same, and the first that is not."""
    pairs = [(a.strip(), b.strip()) for a, b in zip(ours, rival, strict=True)]
    different = [pair for pair in pairs if pair[0] != pair[1]]
    print(f"equal answers in {dtype}: {len(pairs) - len(different)} of {len(pairs)}")
    for a, b in different[:1]:
        print(f"  freshness: {a[:160]!r}\n  lm-eval:   {b[:160]!r}")


if __name__ == "__main__":
    main()
