"""Templates to pages: autoescaped, with the words that the reports use for numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from freshness import __version__
from freshness.app.pages import curves, figures, words
from freshness.app.pages.fleet import NUMBERS
from freshness.series import NO_LICENCE
from freshness.verdicts import Verdict, verdicts_of

STATIC: Final = {"style.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml"}
"""What lies beside the templates, with its type."""

STATES: Final = {
    "ok": "ok",
    "outdated": "outdated",
    "swapped": "swapped",
    "failing": "failing",
    "never_asked": "never asked",
    "not_registered": "not registered",
    "missing": "no numbers yet",
}


def page(template: str, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page that a browser may keep, and asks about each time whether it is still the same."""
    body = environment().get_template(template).render(**shown)
    cache_control = "private, no-cache" if status == 200 else "no-store"
    return HTMLResponse(body, status, {"Cache-Control": cache_control})


@cache
def environment() -> Environment:
    """Jinja's environment, made once; a template that names what is not there fails."""
    made = Environment(
        loader=PackageLoader("freshness.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "clean": words.clean,
        "name": words.clean_name,
        "percent": words.percent,
        "duration": words.duration,
        "seconds": words.seconds,
        "counted": words.counted,
        "joined": _joined,
        "day": _day,
        "moment": _moment,
        "iso": datetime.isoformat,
        "quoted": quoted,
        "path": _path,
        "query": _query,
        "word": words.word,
        "range": words.percent_range,
        "against": words.AGAINST.__getitem__,
        "newest_known": words.newest_known,
        "number": words.number,
        "share": _share,
        "grouped": _grouped,
    }
    made.globals |= {
        "figures": figures,
        "curves": curves,
        "verdicts_of": _verdicts,
        "states": STATES,
        "number_suites": NUMBERS,
        "version": __version__,
        "style": f"/static/style.css?{_digest('style.css')}",
        "icon": f"/static/icon.svg?{_digest('icon.svg')}",
        "DASH": words.DASH,
        "NO_LICENCE": NO_LICENCE,
        "unanswered": words.UNANSWERED,
    }
    return made


@cache
def static(name: str) -> bytes:
    """A file of ``STATIC``; the style begins with the verdicts' colours."""
    begins = words.css().encode() if name == "style.css" else b""
    return begins + files("freshness.web").joinpath("static", name).read_bytes()


def _digest(name: str) -> str:
    return hashlib.sha256(static(name)).hexdigest()[:12]


def quoted(text: str) -> str:
    """Any text as one part of a path: a model's name may be an address with slashes."""
    return quote(text, safe="")


def _path(text: str) -> str:
    return quote(text)


def _query(asked: Mapping[str, str], **more: object) -> str:
    return urlencode({key: value for key, value in {**asked, **more}.items() if value != ""})


def _verdicts(*suites: str) -> list[str]:
    """The verdicts that any of these suites gives, best first."""
    given = {verdict for suite in suites for verdict in verdicts_of(suite)}
    return [str(verdict) for verdict in Verdict if verdict in given]


def _joined(parts: Iterable[str]) -> str:
    return words.joined(*parts)


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


def _share(counts: Mapping[str, int], verdict: str) -> float | None:
    total = sum(counts.values())
    return counts.get(verdict, 0) / total if total else None


def _grouped(rows: Iterable[Any], name: str) -> list[tuple[str, list[Any]]]:
    """The rows by what this attribute says, in order of first mention (Jinja's ``groupby`` sorts)."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(getattr(row, name), []).append(row)
    return list(found.items())
