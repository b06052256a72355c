"""What orchestrators and Prometheus ask. Never about the models or sources: those may be down, we are not."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from freshness.errors import FreshnessError
from freshness.web.site import Site


def routes(site: Site) -> APIRouter:
    """``/livez``, ``/readyz`` and ``/metrics``."""
    router = APIRouter(include_in_schema=False)

    @router.get("/livez")
    async def livez() -> Response:
        # On the event loop itself: an answer shows that it turns, whatever the threads wait for.
        return PlainTextResponse("ok\n")

    @router.get("/readyz")
    def readyz() -> Response:
        missing = [
            what
            for what, is_ready in (("database", _reads(site)), ("scheduler", _runs(site)))
            if not is_ready
        ]
        return PlainTextResponse(
            f"not ready: {', '.join(missing)}\n" if missing else "ok\n", 503 if missing else 200
        )

    @router.get("/metrics")
    def metrics() -> Response:
        from freshness.app import exposition

        body = exposition.render(site.settings, site.store, site.service)
        return Response(body, media_type=exposition.CONTENT_TYPE)

    return router


def _reads(site: Site) -> bool:
    try:
        site.store.models()
    except FreshnessError:
        return False
    return True


def _runs(site: Site) -> bool:
    return site.service is None or site.service.ready()
