"""``freshness serve``: the service, the web beside it, and the signals that end or reload them."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from freshness.config import Settings, load
from freshness.daemon import logs
from freshness.daemon.service import Service
from freshness.daemon.signals import Signals, last_resort
from freshness.errors import StoreError, UsageError
from freshness.store import Store

if TYPE_CHECKING:
    import uvicorn

STOP_SECONDS: Final = 12.0
"""What a stop may take for the jobs: eight seconds of their own, and to write down how they ended."""

_BACKLOG: Final = 512
_CONNECTIONS: Final = 512
"""More are turned away: who holds connections open must not take the pages from the others for good."""

MakeApp = Callable[[Settings, Store, Service], Any]
"""Makes the ASGI application of the web side."""


def make_service(config: Path | None, server: Mapping[str, Any]) -> Service:
    """The service for this config file, with these keys of ``[server]`` over its own; sets up the log.

    Raises ``UsageError``.
    """

    def read() -> Settings:
        settings = load(config)
        return settings.model_copy(update={"server": settings.server.model_copy(update=server)})

    def set_up_logs(settings: Settings) -> None:
        logs.set_up(settings.logs.format, settings.logs.level, secrets=logs.secrets_of(settings))
        _warn_of_missing_keys(settings)

    set_up_logs(read())
    return Service(read, on_reload=set_up_logs)


def _warn_of_missing_keys(settings: Settings) -> None:
    # No error: the other models can be asked, and this one's job says the same when it is due.
    for model in settings.models:
        if model.api_key_env and not os.environ.get(model.api_key_env):
            logs.get().warning(
                "the variable that api_key_env names is not set", model=model.name, variable=model.api_key_env
            )


def listen(settings: Settings) -> socket.socket:
    """A socket that listens where the settings say; raises ``UsageError`` where that can't be had."""
    host, port = settings.server.host, settings.server.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        # A host that can't be found has a number of its own kind.
        found = not isinstance(error, socket.gaierror)
        why = (os.strerror(error.errno) if found and error.errno else error.strerror or str(error)).lower()
        raise UsageError(
            f"can't listen on {where}: {why}; choose another place with --host and --port, or in [server]"
        ) from None


def serve(
    service: Service,
    signals: Signals,
    say: Callable[[str], None],
    listening: socket.socket | None = None,
    make_app: MakeApp | None = None,
) -> None:
    """Keep the schedules, and show pages where there is a socket to, until a signal ends it.

    Raises ``StoreError`` for a database that can't be opened.
    """
    service.start()
    web = None
    try:
        if listening and make_app:
            web = _Web(make_app(service.settings, service.store, service), listening)
            _announce(_address(listening), service.settings, say)
        signals.wait(service.reload)
    finally:
        if not signals.end.is_set():  # an error ends it
            last_resort(1)
        if web:
            web.stop()
        service.stop(STOP_SECONDS)


def _announce(address: str, settings: Settings, say: Callable[[str], None]) -> None:
    """For people a line; who has the log read by a program gets nothing else on stderr."""
    if settings.logs.format == "json":
        logs.get().info("freshness serves", url=address)
    else:
        say(f"freshness serves {address}")


def run_once(service: Service, signals: Signals) -> list[str]:
    """Run all that is due, each job once; the names of those that did not succeed. Raises ``StoreError``."""
    service.open()
    service.keep_claims()
    stopping = threading.Thread(target=_stop_at_signal, args=(service, signals), daemon=True)
    stopping.start()
    begun: set[str] = set()
    try:
        while not signals.end.is_set():
            idle = service.wait(timeout=0.2)
            names = service.begin_due(leave_out=begun)
            if idle and not names:
                break
            begun.update(names)
    except StoreError:
        if not signals.end.is_set():  # else the stop has closed it under us
            raise
    service.wait()
    if signals.end.is_set():
        stopping.join()  # what it tells comes before what we do
    return sorted(name for name in begun if service.outcomes.get(name) != "succeeded")


def _stop_at_signal(service: Service, signals: Signals) -> None:
    signals.wait(reload=lambda: None)
    service.stop(STOP_SECONDS)


class _Web:
    """The web server, in a thread of its own."""

    def __init__(self, app: Any, listening: socket.socket) -> None:
        import uvicorn

        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=2,
            limit_concurrency=_CONNECTIONS,
            server_header=False,
        )
        self._server: uvicorn.Server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, name="web", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=3)


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    named = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{named}:{port}/"
