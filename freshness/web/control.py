"""What starts work or changes state: only where a token is set, and only for who has it."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from freshness.web.api import MISSING, PREFIX, UNREADABLE, Problem
from freshness.web.site import Service

TOKEN_VARIABLE: Final = "FRESHNESS_TOKEN"

_DENIED: Final[dict[int | str, dict[str, Any]]] = {
    401: {"model": Problem, "description": "No token, or another one."}
}
_NOT_NOW: Final[dict[int | str, dict[str, Any]]] = {
    409: {"model": Problem, "description": "Refused as things are; the answer says why."}
}
_bearer = HTTPBearer(auto_error=False, description=f"What the daemon has in {TOKEN_VARIABLE}.")


@dataclass(frozen=True, slots=True)
class Accepted:
    """What was asked for happens."""

    accepted: str


def routes(service: Service, token: str) -> APIRouter:
    """Endpoints that want ``Authorization: Bearer`` with this token."""

    def check(given: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)]) -> None:
        offered = given.credentials if given else ""
        if not hmac.compare_digest(offered.encode(), token.encode()):
            raise HTTPException(401, "this needs the daemon's token", {"WWW-Authenticate": "Bearer"})

    router = APIRouter(
        prefix=PREFIX, tags=["daemon"], dependencies=[Depends(check)], responses={**_DENIED, **UNREADABLE}
    )

    @router.post("/jobs/{name:path}/run", status_code=202, responses={**MISSING, **_NOT_NOW})
    def run_job(name: str) -> Accepted:
        """Start a job now, as if it were due."""
        if name not in service.next_runs():
            raise HTTPException(404, "no such job")
        if not service.run_now(name):
            raise HTTPException(409, "it is being run")
        return Accepted(name)

    @router.post("/reload", status_code=202, responses=_NOT_NOW)
    def reload_config() -> Accepted:
        """Read the config again; a bad one is refused, and the old one stays."""
        if not service.reload():
            raise HTTPException(409, "the config was refused and the old one kept; the log says why")
        return Accepted("reload")

    return router
