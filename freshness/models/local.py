"""``local:DIR_OR_HUB_ID``: a causal language model of transformers, on this machine.

This file finds the model and cuts the work into batches; ``engine`` holds all that needs torch.
"""

from __future__ import annotations

import logging
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from freshness.errors import UnavailableError, UsageError
from freshness.models.options import ModelOptions
from freshness.models.text import one_line
from freshness.protocols import ModelInfo
from freshness.questions import Answer, Prompt

if TYPE_CHECKING:
    from freshness.models.engine import Engine

log = logging.getLogger(__name__)

_Row = tuple[int, list[int]]  # a prompt's index and its token ids

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where weights are: a directory or hub id, the GGUF file in it, if it is one.

    ``title``: what to call them instead; ``revision``: the commit they are of.
    """

    source: str
    gguf: str | None = None
    title: str | None = None
    revision: str | None = None

    def __str__(self) -> str:
        return self.title or (f"{self.source}/{self.gguf}" if self.gguf else self.source)


# Weights in other formats, and second copies of them, are never used.
_NEEDED = ["*.json", "*.safetensors", "*.jinja", "*.model", "*.txt"]
_NOT_NEEDED = ["*/*", "consolidated*"]


class LocalModel:
    """Loads on first use, then answers in batches, the longest prompts first.

    ``find`` gives the checkpoint; it may take its time, and is called once.
    """

    def __init__(self, find: Callable[[], Checkpoint], name: str, options: ModelOptions) -> None:
        self._find = find
        self._name = name
        self._options = options
        self._engine: Engine | None = None

    def info(self) -> ModelInfo:
        engine = self._load()
        return ModelInfo(self._name, engine.served, engine.style, engine.details)

    def answer(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Answer]]:
        engine = self._load()
        rows: list[_Row] = []
        for index, prompt in enumerate(prompts):
            try:
                rows.append((index, engine.encode(prompt)))
            except ValueError as error:
                yield index, Answer(error=one_line(str(error)), error_kind="prompt_unfit")
        # Rows of like length need little padding, and a batch that needs too much memory shows at once.
        rows.sort(key=lambda row: -len(row[1]))
        for batch in _even(rows, self._options.batch_size):
            yield from _answer_batch(engine, batch)

    def _load(self) -> Engine:
        if self._engine is None:
            # Threads that spin while waiting for each other steal the cores from themselves as soon as
            # anything else runs: up to 8 times slower on two busy cores. Read when torch is first imported.
            if "OMP_WAIT_POLICY" not in os.environ:
                os.environ.setdefault("GOMP_SPINCOUNT", "1000")
            checkpoint = self._find()
            try:
                from freshness.models.engine import load
            except ImportError as error:
                raise UnavailableError(
                    f"local models need {error.name}: pip install 'freshness[local]'"
                ) from error
            self._engine = load(checkpoint, self._options)
        return self._engine


def _even(rows: Sequence[_Row], size: int) -> Iterator[Sequence[_Row]]:
    """Batches of at most ``size``, all about as large: a small last one costs nearly as much."""
    batches = math.ceil(len(rows) / size)
    for n in range(batches):
        yield rows[n * len(rows) // batches : (n + 1) * len(rows) // batches]


def _answer_batch(engine: Engine, rows: Sequence[_Row]) -> Iterator[tuple[int, Answer]]:
    """The batch's answers. A batch that fails is halved until only the prompt at fault fails."""
    started = time.perf_counter()
    failure = ""
    try:
        outputs = engine.generate([ids for _, ids in rows])
    except (RuntimeError, MemoryError, ValueError, IndexError) as error:
        failure = one_line(f"{type(error).__name__}: {error}")
    # Halving outside of the handler lets go of the traceback, and of the memory that its frames hold.
    if failure and len(rows) > 1:
        log.warning("a batch of %d prompts failed, trying halves: %s", len(rows), failure)
        half = len(rows) // 2
        yield from _answer_batch(engine, rows[:half])
        yield from _answer_batch(engine, rows[half:])
    elif failure:
        kind = "out_of_memory" if "memory" in failure.lower() else "generation_failed"
        yield rows[0][0], Answer(error=failure, error_kind=kind)
    else:
        seconds = (time.perf_counter() - started) / len(rows)
        for (index, _), output in zip(rows, outputs, strict=True):
            yield index, engine.to_answer(output, seconds)


def open_model(rest: str, options: ModelOptions) -> LocalModel:
    """Raises ``UnavailableError`` when a directory or file is not there or holds no model."""
    checkpoint = locate(rest)
    is_here = Path(checkpoint.source).is_dir()
    find = (lambda: checkpoint) if is_here else (lambda: fetch(checkpoint.source, options.revision))
    return LocalModel(find, options.name or Path(rest).name, options)


def locate(rest: str) -> Checkpoint:
    """The checkpoint that ``local:REST`` means: a directory, a GGUF file, a directory with one, a hub id."""
    if not rest:
        raise UsageError("local: needs a directory, a .gguf file or a hub id, as in local:./my-model")
    path = Path(rest).expanduser()
    if path.is_dir():
        return _in_directory(path)
    if path.is_file():
        if path.suffix.lower() != ".gguf":
            raise UnavailableError(f"{path} is no GGUF file; name the directory that holds config.json")
        return Checkpoint(str(path.parent), path.name)
    if _HUB_ID.fullmatch(rest) and path.suffix.lower() != ".gguf":
        return Checkpoint(rest)
    raise UnavailableError(f"no such model directory or file: {path}")


def _in_directory(path: Path) -> Checkpoint:
    files = sorted(file.name for file in path.glob("*.gguf"))
    if (path / "config.json").is_file() and (any(path.glob("*.safetensors")) or not files):
        return Checkpoint(str(path))
    if len(files) == 1:
        return Checkpoint(str(path), files[0])
    if files:
        raise UsageError(f"{path} holds {len(files)} GGUF files; name one, as in local:{path / files[0]}")
    raise UnavailableError(f"{path} holds neither config.json nor a .gguf file")


_OUT_OF_REACH = "the Hugging Face hub can't be reached to fetch it; check the name and the network"


def _refusal(error: Exception, hub_id: str) -> str:
    """Why the hub gives no model: the library's own words take a paragraph."""
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    if isinstance(error, GatedRepoError):  # is a RepositoryNotFoundError too
        return f"accept its terms at https://huggingface.co/{hub_id}, and set HF_TOKEN"
    if isinstance(error, RevisionNotFoundError):
        return "it has no such revision"
    if isinstance(error, RepositoryNotFoundError):
        return "no model has this name, or it is private and needs HF_TOKEN"
    return one_line(str(error), 120)


def fetch(hub_id: str, revision: str | None) -> Checkpoint:
    """A model of the Hugging Face hub, from there or from its cache where the hub is out of reach.

    Raises ``UnavailableError``. One look-up for the whole model: transformers on its own retries each
    file for half a minute.
    """
    try:
        import huggingface_hub as hub
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
        from huggingface_hub.utils.tqdm import disable_progress_bars
    except ImportError as error:
        raise UnavailableError(f"local models need {error.name}: pip install 'freshness[local]'") from error
    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        folder = hub.snapshot_download(
            hub_id, revision=revision, allow_patterns=_NEEDED, ignore_patterns=_NOT_NEEDED
        )
    except (OSError, ValueError, HfHubHTTPError) as error:
        unreached = isinstance(error, LocalEntryNotFoundError)
        raise UnavailableError(
            f"{hub_id} is no directory here, and "
            + (
                _OUT_OF_REACH
                if unreached
                else f"the Hugging Face hub does not give it: {_refusal(error, hub_id)}"
            )
        ) from error
    return Checkpoint(folder, title=hub_id, revision=Path(folder).name)
