"""A real SPARQL server on loopback: oxigraph, from its wheel, in memory, one for all tests of a session."""

import contextlib
import shutil
import socket
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

_BINARY = shutil.which("oxigraph", path=sysconfig.get_path("scripts"))
_START_SECONDS = 20


@dataclass(frozen=True)
class Oxigraph:
    """`url` is the server's; its SPARQL endpoint is `endpoint`."""

    url: str

    @property
    def endpoint(self):
        return f"{self.url}/query"

    def load(self, triples):
        """Replaces all that the server holds by these N-Triples."""
        self._send("PUT", "/store?default", triples, "application/n-triples")

    def update(self, text):
        self._send("POST", "/update", text, "application/sparql-update")

    def _send(self, method, path, body, kind):
        headers = {"Content-Type": kind}
        request = urllib.request.Request(self.url + path, body.encode(), headers, method=method)
        try:
            urllib.request.urlopen(request, timeout=60).close()
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(error.read().decode()) from None


@contextlib.contextmanager
def oxigraph_running():
    """A server of one's own; a free port can be taken by another before the server has it, so it's tried thrice."""
    for _ in range(3):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [_BINARY, "serve", "--bind", f"127.0.0.1:{port}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            if _is_up(process, port):
                yield Oxigraph(f"http://127.0.0.1:{port}")
                return
        finally:
            process.terminate()
            process.wait(10)
    raise AssertionError("oxigraph did not start")


def _is_up(process, port):
    until = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        time.sleep(0.02)
    return False


@pytest.fixture(scope="session")
def oxigraph_process():
    if not _BINARY or not Path(_BINARY).exists():
        pytest.skip("the oxigraph wheel is not installed")
    with oxigraph_running() as server:
        yield server


@pytest.fixture
def oxigraph(oxigraph_process):
    """An empty server; import this and `oxigraph_process` into a test module to have it there."""
    oxigraph_process.load("")
    return oxigraph_process
