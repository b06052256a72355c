"""Which process is asking a run's questions, so that two never ask the same run at once.

A process that was killed tells nobody. On its own machine it is seen to be gone at once; from another
machine its claim has to run out.
"""

from __future__ import annotations

import hashlib
import os
import platform
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final

LEASE: Final = timedelta(minutes=15)
"""How long a claim holds after the last trial was stored."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process: where it runs, its number there, and a token that no other process ever has."""

    host: str
    pid: int
    token: str

    @classmethod
    def this_process(cls) -> Owner:
        return cls(_host(), os.getpid(), _token(os.getpid()))


def may_be_alive(owner: Owner, until: datetime, me: Owner, now: datetime) -> bool:
    """Whether the owner may still be asking: its claim has not run out, and it isn't known to be gone."""
    if now >= until:
        return False
    if owner.token == me.token or owner.host != me.host:
        return True
    # The same number but another token: a process before us, as in a container that was restarted.
    return owner.pid != me.pid and _exists(owner.pid)


@cache
def _token(pid: int) -> str:
    # For each process number, so that a forked child gets one of its own.
    return uuid.uuid4().hex


@cache
def _host() -> str:
    """The machine, with the namespace in which process numbers mean something (containers)."""
    try:
        return f"{platform.node()} {_machine()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return f"{platform.node()} {_machine()}"


def _machine() -> str:
    """What tells two machines of one name apart, where there is such a thing."""
    try:
        # Not to be shown to others as it stands, says machine-id(5).
        return hashlib.sha256(b"freshness" + Path("/etc/machine-id").read_bytes()).hexdigest()[:8]
    except OSError:
        return "-"


def _exists(pid: int) -> bool:
    if os.name == "nt":  # signal 0 would end the process there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
