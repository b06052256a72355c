"""What orchestrators and Prometheus ask. Never about the models or sources: those may be down, we are not."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from freshness.app import exposition
from freshness.errors import FreshnessError
from freshness.web.api import PREFIX
from freshness.web.site import Site


def routes(site: Site) -> APIRouter:
    """``/livez``, ``/readyz`` and ``/metrics``."""
    router = APIRouter(include_in_schema=False)

    @router.get("/livez")
    async def livez() -> Response:
        # On the event loop itself: an answer shows that it turns, whatever the threads wait for.
        return PlainTextResponse("ok\n")

    @router.get("/readyz")
    async def readyz() -> Response:
        ready = {"database": await _reads(site), "scheduler": _runs(site)}
        missing = ", ".join(what for what, is_ready in ready.items() if not is_ready)
        return PlainTextResponse(f"not ready: {missing}\n" if missing else "ok\n", 503 if missing else 200)

    @router.get("/metrics")
    def metrics() -> Response:
        return _metrics(exposition.render(site.settings, site.store, site.service))

    return router


def needs_no_database(path: str) -> bool:
    """Whether what is there is answered whatever the database does."""
    return path in ("/livez", "/readyz", f"{PREFIX}/reload", f"{PREFIX}/openapi.json") or path.startswith(
        "/static/"
    )


def bare_metrics(site: Site) -> Response:
    """Those that can be told without the database, and that it can't be read."""
    return _metrics(exposition.render_without_history(site.service))


def _metrics(body: bytes) -> Response:
    return Response(body, media_type=exposition.CONTENT_TYPE)


async def _reads(site: Site) -> bool:
    try:
        await site.database.check()
    except FreshnessError:
        return False
    return True


def _runs(site: Site) -> bool:
    return site.service is None or site.service.ready()
