"""The same for programs: JSON under ``/api/v1``, described in OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Depends, Request, Response
from starlette.exceptions import HTTPException

from freshness.app import pages
from freshness.app.pages.facts import Wanted
from freshness.app.pages.runs import Wanted as WantedAnswers
from freshness.app.pages.words import clean
from freshness.history import Summary
from freshness.series import Category
from freshness.web.bounds import (
    FactState,
    IndicatorName,
    KindName,
    Limit,
    Name,
    Offset,
    Since,
    VerdictName,
    Words,
    aware,
)
from freshness.web.site import Site

PREFIX: Final = "/api/v1"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, in a line."""

    error: str


UNREADABLE: Final[dict[int | str, dict[str, Any]]] = {
    503: {"model": Problem, "description": "The history can't be read just now."}
}
REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    422: {"model": Problem, "description": "A parameter is out of bounds."}
}
MISSING: Final[dict[int | str, dict[str, Any]]] = {
    404: {"model": Problem, "description": "There is none of that name."}
}


def routes(site: Site) -> APIRouter:
    """What can be read."""
    router = APIRouter(
        prefix=PREFIX,
        dependencies=[Depends(_may_be_kept), Depends(_check_known)],
        responses={**UNREADABLE, **REFUSED},
    )

    @router.get("/fleet", tags=["models"])
    def get_fleet() -> pages.Fleet:
        """All models at a glance, the state of the facts, and the latest changes."""
        return pages.fleet(site.look())

    @router.get("/models", tags=["models"])
    def get_models(offset: Offset = 0, limit: Limit = 50) -> pages.Slice[pages.Standing]:
        """How each model stands in each suite."""
        return pages.Slice.of(pages.standings(site.look()), offset, limit)

    @router.get("/models/{name:path}", tags=["models"], responses=MISSING)
    def get_model(name: str, suite: Name = None) -> pages.ModelPage:
        """One model: its runs, what suggests a swap, and every fact that it is behind on."""
        return _found(pages.model(site.look(), name, suite), "model")

    @router.get("/runs", tags=["runs"])
    def get_runs(
        model: Name = None, suite: Name = None, offset: Offset = 0, limit: Limit = 50
    ) -> pages.Slice[Summary]:
        """The runs that ended, the newest first."""
        return pages.runs(site.look(), model, suite, offset, limit)

    @router.get("/runs/{run_id}", tags=["runs"], responses=MISSING)
    def get_run(
        run_id: str,
        verdict: VerdictName = None,
        kind: KindName = None,
        indicator: IndicatorName = None,
        offset: Offset = 0,
        limit: Limit = 50,
    ) -> pages.RunPage:
        """One run and its answers."""
        wanted = WantedAnswers(verdict, kind, indicator)
        return _found(pages.run(site.look(), run_id, wanted, offset, limit), "run")

    @router.get("/facts", tags=["facts"])
    def get_facts(
        q: Words = "", state: FactState = None, group: Name = None, offset: Offset = 0, limit: Limit = 50
    ) -> pages.Slice[pages.FactLine]:
        """The facts as last observed."""
        return pages.facts(site.look(), Wanted(state, group, q), offset, limit)

    @router.get("/facts/{fact_id:path}", tags=["facts"], responses=MISSING)
    def get_fact(fact_id: str) -> pages.FactPage:
        """One fact (``Q38/P6``): its holders, what is amiss with it, and what each model answers."""
        return _found(pages.fact(site.look(), fact_id), "fact")

    @router.get("/series", tags=["numbers"])
    def get_series(
        category: Category | None = None, offset: Offset = 0, limit: Limit = 50
    ) -> pages.Slice[pages.IndicatorLine]:
        """The indicators that models are asked about, each with its edition."""
        return pages.indicators(site.look(), category, offset, limit)

    @router.get("/series/{name:path}", tags=["numbers"], responses=MISSING)
    def get_indicator(name: str, entity: Name = None) -> pages.SeriesPage:
        """One indicator: what was revised, who knows it; with ``entity`` (code or name) that series."""
        return _found(pages.indicator(site.look(), name, entity), "indicator")

    @router.get("/changes", tags=["facts", "numbers"])
    def get_changes(since: Since = None, offset: Offset = 0, limit: Limit = 50) -> pages.Slice[pages.Change]:
        """What changed of facts and numbers, the newest first, and which models that outdated.

        Of numbers one entry stands for all series of an indicator that an edition changed in the same way.
        """
        return pages.changes(site.look(), aware(since), offset, limit)

    @router.get("/jobs", tags=["daemon"])
    def get_jobs(offset: Offset = 0, limit: Limit = 50) -> pages.Slice[pages.Job]:
        """What the daemon does when, and how it went."""
        return pages.Slice.of(pages.jobs(site.look()), offset, limit)

    return router


def _may_be_kept(response: Response) -> None:
    """By a client that asks each time whether it is still the same."""
    response.headers["Cache-Control"] = "private, no-cache"


def _check_known(request: Request) -> None:
    """A parameter that nobody reads is a mistake: what comes back would not be what was asked for."""
    known = {parameter.alias for parameter in request.scope["route"].dependant.query_params}
    for name in request.query_params:
        if name not in known:
            raise HTTPException(422, f"{clean(name, 40)}: there is no such parameter here")


def _found(found: T | None, what: str) -> T:
    if found is None:
        raise HTTPException(404, f"no such {what}")
    return found
