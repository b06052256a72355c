"""A headless Chromium that is told what to do through a pipe: no driver, no port."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager

import pytest

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed")

_FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars
--disable-background-networking --disable-component-update --disable-dev-shm-usage --mute-audio""".split()


class Page:
    """One tab; what it asked for, and what went wrong in it, is kept in ``requests`` and ``complaints``."""

    def __init__(self, out, into):
        self._out = out
        self._in = into
        self._left = b""
        self._number = 0
        self._session = None
        self._arrived = []
        self.requests = []
        self.complaints = []

    def open_tab(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._receive()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _receive(self):
        while b"\0" not in self._left:
            arrived = self._in.read1(1 << 20)
            assert arrived, "chromium ended"
            self._left += arrived
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def _note(self, event):
        method, told = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Log.entryAdded":
            self.complaints.append(told["entry"]["text"])
        elif method in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
            self.complaints.append(json.dumps(told))
        elif method == "Page.loadEventFired":
            self._arrived.append(told)

    def show(self, address, *, width=1280, dark=False, script=True):
        """Load a page at that width, in light or dark, with or without JavaScript."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self._arrived.clear()
        self.call("Page.navigate", url=address)
        while not self._arrived:
            self._note(self._receive())

    def find(self, expression):
        """What a JavaScript expression gives in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=9)

    def picture(self, path):
        """The whole page, as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser():
    """A page in a browser of its own."""
    ours_in, theirs_out = os.pipe()
    theirs_in, ours_out = os.pipe()
    with tempfile.TemporaryDirectory(prefix="chromium", ignore_cleanup_errors=True) as profile:
        # Chromium reads from descriptor 3 and writes to 4.
        line = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        command = [
            "bash",
            "-c",
            line,
            PROGRAM,
            *_FLAGS,
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
        ]
        process = subprocess.Popen(
            command, pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            with os.fdopen(ours_out, "wb") as out, os.fdopen(ours_in, "rb") as into:
                page = Page(out, into)
                page.open_tab()
                yield page
        finally:
            process.kill()
            process.wait()
