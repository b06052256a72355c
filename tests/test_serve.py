"""The endpoint model against a real OpenAI-compatible server that is not ours."""

import importlib.util
import os
import socket
import subprocess
import sys
import time

import httpx
import pytest

from freshness import models
from freshness.errors import UnavailableError
from freshness.questions import Prompt

pytestmark = pytest.mark.slow

COUNTRIES = ["Italy", "France", "Japan", "Brazil"]
ASKED = [
    Prompt(f"{country}/P6/{name}", name, question.format(country), beginning.format(country), "Name only.")
    for country in COUNTRIES
    for name, question, beginning in (
        ("p1", "Who is the head of government of {}?", "The head of government of {} is"),
        ("p2", "Who currently heads the government of {}?", "The government of {} is headed by"),
    )
]


@pytest.fixture(scope="module")
def directory():
    """The demo model's files, converted if this machine has none yet."""
    if missing := [
        name for name in ("fastapi", "uvicorn", "openai") if importlib.util.find_spec(name) is None
    ]:
        pytest.skip(f"`transformers serve` needs {missing[0]}")
    try:
        model = models.build("demo", dtype="float32")
    except UnavailableError as error:
        pytest.skip(str(error))
    return model._find().source


@pytest.fixture(scope="module")
def server(directory):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    transformers = [sys.executable, "-m", "transformers.cli.transformers", "serve", directory]
    options = ["--dtype", "float32", "--device", "cpu", "--host", "127.0.0.1", "--port", str(port)]
    # One thread: two that wait for each other are many times slower on a machine that is busy.
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([*transformers, *options], env=environment)
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1#{directory}"
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(url, process):
    for _ in range(240):
        assert process.poll() is None, "the server ended before it answered"
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.5)
    pytest.fail("the server did not come up in two minutes")


@pytest.mark.parametrize("style", ["chat", "completion"])
def test_a_served_model_answers_as_the_local_one(server, directory, style):
    options = {"style": style, "max_new_tokens": 16}
    remote = models.build(server, concurrency=1, timeout=120.0, **options)
    local = models.build(f"local:{directory}", dtype="float32", **options)
    over_http = dict(remote.answer(ASKED))
    here = dict(local.answer(ASKED))
    assert [answer.error for answer in over_http.values()] == [None] * len(ASKED)
    assert [over_http[n].text for n in range(len(ASKED))] == [here[n].text for n in range(len(ASKED))]
    assert [over_http[n].finish for n in range(len(ASKED))] == [here[n].finish for n in range(len(ASKED))]
