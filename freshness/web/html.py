"""The pages for people."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from freshness.app import pages
from freshness.app.pages import figures
from freshness.app.pages.facts import Wanted, groups
from freshness.app.pages.runs import Wanted as WantedAnswers
from freshness.series import CATEGORIES, Category
from freshness.web.bounds import IndicatorName, KindName, Limit, Name, Offset, VerdictName, Words
from freshness.web.rendering import STATIC, page, static
from freshness.web.site import Site

# A form sends what was left empty as an empty text.
State = Annotated[Literal["", "usable", "quarantined"], Query()]
Group = Annotated[str, Query(max_length=200)]
Entity = Annotated[str, Query(max_length=200)]
CategoryName = Annotated[Literal["", Category], Query()]


def routes(site: Site) -> APIRouter:
    """All pages, and the two files that they load."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @router.get("/")
    def fleet_page() -> Response:
        return page("fleet.html.j2", fleet=pages.fleet(site.look()))

    @router.get("/models/{name:path}")
    def model_page(name: str, suite: Name = None) -> Response:
        found = pages.model(site.look(), name, suite)
        if found is None:
            raise HTTPException(404, "no such model was registered or asked")
        return page("model.html.j2", model=found, window=figures.window(found))

    @router.get("/facts")
    def facts_page(
        q: Words = "", state: State = "", group: Group = "", offset: Offset = 0, limit: Limit = 100
    ) -> Response:
        look = site.look()
        wanted = Wanted(None if state == "" else state, group or None, q)
        shown = pages.facts(look, wanted, offset, limit)
        asked = {"q": q, "state": state, "group": group}
        return page("facts.html.j2", facts=shown, asked=asked, groups=groups(look))

    @router.get("/facts/{fact_id:path}")
    def fact_page(fact_id: str) -> Response:
        look = site.look()
        found = pages.fact(look, fact_id)
        if found is None:
            raise HTTPException(404, "no such fact is known")
        return page("fact.html.j2", fact=found, timeline=figures.timeline(found, look.now.date()))

    @router.get("/series")
    def series_page(category: CategoryName = "", offset: Offset = 0, limit: Limit = 100) -> Response:
        shown = pages.indicators(site.look(), category or None, offset, limit)
        return page("series.html.j2", series=shown, category=category, categories=CATEGORIES)

    @router.get("/series/{name:path}")
    def indicator_page(name: str, entity: Entity = "") -> Response:
        found = pages.indicator(site.look(), name, entity or None)
        if found is None:
            raise HTTPException(404, "no such indicator is asked about")
        return page("indicator.html.j2", series=found, wanted=entity)

    @router.get("/changes")
    def changes_page(offset: Offset = 0, limit: Limit = 50) -> Response:
        return page("changes.html.j2", changes=pages.changes(site.look(), None, offset, limit))

    @router.get("/runs/{run_id}")
    def run_page(
        run_id: str,
        verdict: VerdictName = None,
        kind: KindName = None,
        indicator: IndicatorName = None,
        offset: Offset = 0,
        limit: Limit = 100,
    ) -> Response:
        found = pages.run(site.look(), run_id, WantedAnswers(verdict, kind, indicator), offset, limit)
        if found is None:
            raise HTTPException(404, "no such run is in the history")
        asked = {"verdict": verdict, "kind": kind, "indicator": indicator}
        return page("run.html.j2", run=found, asked={key: one for key, one in asked.items() if one})

    @router.get("/jobs")
    def jobs_page() -> Response:
        look = site.look()
        return page("jobs.html.j2", jobs=pages.jobs(look), has_daemon=look.daemon is not None)

    @router.get("/static/{name}")
    def static_file(name: str) -> Response:
        if name not in STATIC:
            raise HTTPException(404, "no such file")
        # Its address carries a digest of what is in it.
        keep = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(static(name), headers=keep, media_type=STATIC[name])

    return router
