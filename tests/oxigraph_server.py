"""A real SPARQL server on loopback: oxigraph, from its wheel, in memory, one for all tests of a session."""

import atexit
import contextlib
import functools
import shutil
import socket
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request
from dataclasses import dataclass

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
def running():
    """A server of one's own. A free port can be taken before the server has it, so it is tried thrice."""
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
            return process.poll() is None
        time.sleep(0.02)
    return False


@functools.cache
def _shared():
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(running())


def emptied():
    """The one server of all tests, with nothing in it; skips the test where the wheel isn't installed."""
    if not _BINARY:
        pytest.skip("the oxigraph wheel is not installed")
    server = _shared()
    server.load("")
    return server
