"""The application: routes, errors and guards put together."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import partial
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from freshness import __version__
from freshness.config import Settings
from freshness.errors import FreshnessError
from freshness.store import Store
from freshness.web import api, control, health, html
from freshness.web.database import Database
from freshness.web.guard import Guard, Unchanged, allowed_hosts
from freshness.web.patience import Patience
from freshness.web.rendering import page
from freshness.web.site import Service, Site

LOG: Final = logging.getLogger("freshness.web")
RETRY_SECONDS: Final = 5


def make_app(
    settings: Settings,
    store: Store,
    service: Service | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
) -> FastAPI:
    """The daemon's pages, API, metrics and health checks.

    ``settings.server.host`` must be the address that it listens on: on the loopback only loopback names are
    answered. ``FRESHNESS_TOKEN`` in ``environ`` opens the endpoints that change something; without it, or
    without a ``service`` to do it, there are none.
    """
    app = FastAPI(
        title="freshness",
        version=__version__,
        description="How old is what the models know?",
        openapi_url=f"{api.PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # it would name whatever host the request does
    )
    site = Site(settings, store, service, Database(store.ping))
    for router in (html.routes(site), api.routes(site), health.routes(site)):
        app.include_router(router)
    token = environ.get(control.TOKEN_VARIABLE, "").strip()
    if service is not None and token:
        app.include_router(control.routes(service, token))
    _add_errors(app)
    app.add_middleware(Unchanged)
    app.add_middleware(
        Patience,
        database=site.database,
        is_spared=health.needs_no_database,
        unreadable=partial(_silent, site),
    )
    app.add_middleware(Guard, hosts=allowed_hosts(settings.server.host), broken=_broken)
    return app


def _add_errors(app: FastAPI) -> None:
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(FreshnessError, _unreadable)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _told(request, error.status_code, str(error.detail), error.headers)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = (f"{fault['loc'][-1]}: {fault['msg']}" for fault in error.errors())
    return _told(request, 422, "; ".join(faults))


def _unreadable(request: Request, error: Exception) -> Response:
    # The message names files and hosts: it is for the log, not for whoever asks.
    LOG.error("a page could not be made: %s", error, extra={"path": request.scope["path"]})
    told = "what this shows can't be read just now; the daemon's log says why"
    return _told(request, 503, told, {"Retry-After": str(RETRY_SECONDS)})


def _silent(site: Site, request: Request, error: Exception) -> Response:
    # Metrics tell it as one of themselves.
    return health.bare_metrics(site) if request.scope["path"] == "/metrics" else _unreadable(request, error)


def _broken(request: Request, error: Exception) -> Response:
    return _told(request, 500, "something went wrong here; the daemon's log says what")


def _told(request: Request, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """As JSON below the API, as a page elsewhere."""
    if request.scope["path"].startswith("/api/"):
        return JSONResponse({"error": text}, status, headers)
    answer = page("error.html.j2", status, code=status, text=text)
    answer.headers.update(headers or {})
    return answer
