"""A job in a process of its own: its memory comes back, and one that hangs or dies takes nothing along.

The child gets its task as one JSON line on stdin, which stays open: when we are gone, it reads the end of it
and stops too. On stdout it tells, a JSON object a line, what is to be logged, how far it is, and at last how
it went (see ``child``). Whatever a library prints goes to stderr. No secret is in its arguments.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO, Any, Final, Protocol

from freshness.config import Settings
from freshness.daemon.jobs import Job
from freshness.history import Outcome

COMMAND: Final = (sys.executable, "-m", "freshness.daemon.child")
PATIENCE: Final = timedelta(seconds=10)
"""How long a job that was told to stop, or has told its end, may take for it."""

HASTE: Final = timedelta(seconds=8)
"""The same when the daemon itself has to stop, within 15 s."""

LONGEST_LINE: Final = 64 * 1024
_LOOK_SECONDS: Final = 0.2
_HEAR_SECONDS: Final = 2.0
_LAST_WORDS: Final = 20

Tell = Callable[[Mapping[str, Any]], None]
"""Is told each message of the child."""


@dataclass(frozen=True, slots=True)
class Task:
    """One attempt at one slot of a job, with the settings that it goes by."""

    job: Job
    slot: datetime
    attempt: int
    settings: Settings

    def to_json(self) -> dict[str, Any]:
        return {
            "job": self.job.name,
            "kind": self.job.kind,
            "model": self.job.model,
            "suite": self.job.suite,
            "slot": self.slot.isoformat(),
            "attempt": self.attempt,
            "settings": self.settings.model_dump(mode="json"),
        }


@dataclass(frozen=True, slots=True)
class Result:
    """How it went; ``error`` says in a line why it didn't."""

    outcome: Outcome
    error: str | None = None


class Run(Protocol):
    """Runs a task to its end, or until ``stop`` is set; raises nothing that a job could be blamed for."""

    def __call__(self, task: Task, stop: threading.Event, tell: Tell) -> Result: ...


def run_child(task: Task, stop: threading.Event, tell: Tell, *, command: Sequence[str] = COMMAND) -> Result:
    """Run it in a child process; see ``Run``. One that outlives its deadline or ``stop`` is ended, by force
    after ``PATIENCE`` or ``HASTE``, with all that it has started, but for what has left its process group.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return Result("failed", f"can't start {command[0]}: {error.strerror}")
    child = _Child(process, task, tell)
    try:
        why = child.wait(task.job.deadline.total_seconds(), stop)
    finally:
        child.end()
    return child.result(why)


class _Child:
    """A process that runs, with the threads that feed it and listen to it."""

    def __init__(self, process: subprocess.Popen[bytes], task: Task, tell: Tell) -> None:
        self._process = process
        self._deadline = task.job.deadline
        self._tell = tell
        self._told: Result | None = None
        self._told_at: float | None = None
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)
        line = json.dumps(task.to_json()).encode() + b"\n"
        self._feeding = _thread("feed", lambda: self._feed(line))
        self._listening = _thread("listen", self._listen)
        self._overhearing = _thread("overhear", self._overhear)

    def wait(self, seconds: float, stop: threading.Event) -> str:
        """Until it ends, by itself ("") or because it had to: ``deadline`` or ``stop``.

        One that has told how it went and then doesn't end is waited for no longer than ``PATIENCE``.
        """
        end = time.monotonic() + seconds
        while not self._has_ended():
            if stop.wait(_LOOK_SECONDS):
                self._ask_to_stop(HASTE)
                return "stop"
            if time.monotonic() > end:
                self._ask_to_stop(PATIENCE)
                return "deadline"
            if self._told_at is not None and time.monotonic() > self._told_at + PATIENCE.total_seconds():
                break
        return ""

    def _has_ended(self) -> bool:
        """It is not reaped by this: so long its number is no other's, and its group can be killed."""
        if not hasattr(os, "waitid"):  # macOS, before Python 3.13
            return self._process.poll() is not None
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _ask_to_stop(self, patience: timedelta) -> None:
        self._signal(signal.SIGTERM)
        end = time.monotonic() + patience.total_seconds()
        while not self._has_ended() and time.monotonic() < end:
            time.sleep(_LOOK_SECONDS)

    def end(self) -> None:
        """Nothing of it is left in its process group, and all that it told was heard."""
        self._signal(signal.SIGKILL)
        self._process.wait()
        # On a busy machine the last words take their time.
        self._listening.join(_HEAR_SECONDS if self._told else PATIENCE.total_seconds())
        self._overhearing.join(_HEAR_SECONDS)
        self._feeding.join(_HEAR_SECONDS)
        # What has left the group may still hold the pipes, and a pipe can't be closed while one waits for it.
        if self._process.stdin and not self._feeding.is_alive():
            with suppress(OSError):
                self._process.stdin.close()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def result(self, why: str) -> Result:
        """How it went, by its own word where that counts."""
        told = self._told
        if told and told.outcome == "succeeded":
            return told
        if why == "deadline":
            return Result("failed", f"stopped at its deadline of {self._deadline}")
        if why == "stop":
            return Result("interrupted", "the daemon stopped")
        return told or Result("failed", self._died())

    def _died(self) -> str:
        code = self._process.returncode
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        hint = "; was memory short?" if code == -signal.SIGKILL else ""
        words = f": {self._last_words[-1]}" if self._last_words else ""
        return f"its process ended {how} before it was done{hint}{words}"

    def _feed(self, line: bytes) -> None:
        stdin = self._process.stdin
        with suppress(OSError, ValueError):
            if stdin:
                stdin.write(line)
                stdin.flush()

    def _listen(self) -> None:
        for line in _lines(self._process.stdout):
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            if isinstance(message.get("result"), dict):
                self._told = _result(message["result"])
                self._told_at = time.monotonic()
            else:
                self._tell(message)

    def _overhear(self) -> None:
        for line in _lines(self._process.stderr):
            text = line.decode("utf-8", "replace").strip()
            if text:
                self._last_words.append(text[:500])
                self._tell({"level": "debug", "event": "job wrote", "text": text})


def _result(raw: Mapping[str, Any]) -> Result:
    outcome = raw.get("outcome")
    error = raw.get("error")
    if outcome not in ("succeeded", "failed", "interrupted"):
        return Result("failed", "its process told no outcome")
    return Result(outcome, None if error is None else str(error))


def _lines(pipe: IO[bytes] | None) -> Iterator[bytes]:
    """Lines, and pieces of those that are too long, until the other end is closed; then this one is too."""
    if pipe is None:
        return
    with pipe, suppress(OSError, ValueError):
        while line := pipe.readline(LONGEST_LINE):
            yield line


def _thread(name: str, work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread
