"""The daemon, and a Prometheus that scrapes it, for a look on one machine without containers.

usage: python deploy/laptop/serve.py [--config FILE] [--prometheus-port PORT] [-- ARGUMENT ...]

What stands after -- goes to ``freshness serve``. Both listen on 127.0.0.1 alone and end together: by Ctrl-C,
by SIGTERM, or since one of them ended. The history is that of the config; what Prometheus wrote goes with it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

HERE = Path(__file__).parent
RULES = HERE.parent / "prometheus" / "rules"
PORTS = 10
"""So many ports from the wanted one on are tried: a Prometheus installed as a service has the first."""

STOP_SECONDS = 20
"""What a daemon may take to stop (15 s), and some."""

Process = subprocess.Popen[bytes]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--config", type=Path, default=HERE / "freshness.toml")
    parser.add_argument("--prometheus-port", type=int, default=9090)
    parser.add_argument("rest", nargs="*", help="for freshness serve")
    options = parser.parse_args()
    stopping = on_signals()
    with tempfile.TemporaryDirectory(prefix="freshness-") as folder, contextlib.ExitStack() as running:
        prometheus = start_prometheus(Path(folder), options.config, options.prometheus_port)
        if prometheus:
            running.enter_context(ended(prometheus))
        daemon = start([*freshness(options.config), "serve", *options.rest])
        running.enter_context(ended(daemon))
        return wait(daemon, prometheus, stopping)


def on_signals() -> threading.Event:
    """An event that is set when somebody wants us to stop."""
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    return stopping


def freshness(config: Path) -> list[str]:
    return [sys.executable, "-m", "freshness", "--config", str(config)]


def start(command: list[str], **options: int) -> Process:
    """In a session of its own: Ctrl-C comes to us alone, and we end the others in order."""
    return subprocess.Popen(command, start_new_session=True, **options)


@contextlib.contextmanager
def ended(process: Process) -> Iterator[None]:
    """End it at the end: asked first, then killed."""
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait(daemon: Process, prometheus: Process | None, stopping: threading.Event) -> int:
    """Until one of them ends, or somebody wants us to; the exit code."""
    while not stopping.wait(0.2):
        if daemon.poll() is not None:
            return daemon.returncode
        if prometheus and prometheus.poll() is not None:
            tell(f"Prometheus ended with exit code {prometheus.returncode}; so do we")
            return 1
    return 0


def start_prometheus(folder: Path, config: Path, wanted: int) -> Process | None:
    """None, and why, where there is none."""
    program = shutil.which("prometheus")
    if not program:
        how = "Debian, Ubuntu: apt install prometheus; macOS: brew install prometheus"
        tell(f"no prometheus here ({how}); the daemon runs without it")
        return None
    port = free_port(wanted)
    if port is None:
        tell(f"ports {wanted} to {wanted + PORTS - 1} are taken; the daemon runs without Prometheus")
        return None
    settings = folder / "prometheus.yml"
    settings.write_text(json.dumps(prometheus_settings(address_of(config))), encoding="utf-8")
    tell(f"Prometheus: http://127.0.0.1:{port}/ (the alerts: /alerts)")
    command = [program, f"--config.file={settings}", f"--storage.tsdb.path={folder / 'data'}"]
    quiet = ["--log.level=error", f"--web.listen-address=127.0.0.1:{port}"]
    return start([*command, *quiet])


def prometheus_settings(address: str) -> dict[str, object]:
    """YAML reads JSON."""
    # Our own label "job" (probe:MODEL:SUITE) stays as it is.
    job = {"job_name": "freshness", "honor_labels": True, "static_configs": [{"targets": [address]}]}
    often = {"scrape_interval": "5s", "evaluation_interval": "5s"}
    return {"global": often, "rule_files": [str(RULES / "*.yaml")], "scrape_configs": [job]}


def address_of(config: Path) -> str:
    """Where the daemon of this config listens."""
    from freshness.app import setup

    server = setup.settings(config).server
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(server.host, server.host)
    return f"{host}:{server.port}"


def free_port(wanted: int) -> int | None:
    for port in range(wanted, wanted + PORTS):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    return None


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
