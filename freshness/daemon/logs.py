"""The daemon's log on stderr: one event a line, for people or as JSON, times in UTC.

Nothing in it can move a cursor or begin another line, be endless, or sign anybody in: every text is scrubbed
and escaped, whoever wrote it. What models answer is no matter of a log.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from freshness.config import Settings
from freshness.store.scrub import scrub

LONGEST: Final = 2000
"""Characters of one field."""

LONGEST_TRACEBACK: Final = 8000
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SECRET: Final = re.compile(r"(?:^|_)(?:api_?key|token|secret|password|passwd|authorization)$", re.IGNORECASE)
_SHORTEST_SECRET: Final = 6
# What they tell at info of each step is told here, in our own words.
_QUIET: Final = ("apscheduler", "uvicorn", "httpx", "httpcore", "alembic", "sqlalchemy", "asyncio")

_OURS: Final[tuple[Processor, ...]] = (
    structlog.stdlib.add_log_level,
    structlog.processors.format_exc_info,
)

Format = Literal["console", "json"]
Logger = structlog.stdlib.BoundLogger


def set_up(style: Format, level: str, *, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Send all that is logged, by us or by a library, to ``stream`` (stderr) in this form.

    ``secrets``: texts that are starred out wherever they turn up. May be called again.
    """
    out = sys.stderr if stream is None else stream
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_OURS, structlog.stdlib.ExtraAdder()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
                _Taming(tuple(secrets)),
                _renderer(style, out),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    # It warns of each turn that takes longer than the time between two; we count what that misses.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)


def get() -> Logger:
    """The daemon's logger; what it is told goes where Python's own logging goes."""
    logger: Logger = structlog.wrap_logger(
        logging.getLogger("freshness.daemon"),
        processors=[
            structlog.stdlib.filter_by_level,
            *_OURS,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    return logger


def secrets_of(settings: Settings, environ: Mapping[str, str] | None = None) -> list[str]:
    """What the environment holds that signs somebody in; too short to be a secret is left out."""
    environ = os.environ if environ is None else environ
    names = {
        "FRESHNESS_TOKEN",
        "FRESHNESS_API_KEY",
        *(m.api_key_env for m in settings.models if m.api_key_env),
    }
    values = {environ.get(name, "") for name in names}
    return sorted((v for v in values if len(v) >= _SHORTEST_SECRET), key=len, reverse=True)


def tame(text: str, longest: int = LONGEST) -> str:
    """One line without control characters or secrets, cut where it is too long."""
    # Scrubbed before the last cut, which could part a password from the sign that tells it is one.
    text = scrub(text[: 2 * longest])
    return _CONTROL.sub(_escaped, text if len(text) <= longest else f"{text[:longest]}...")


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


class _Taming:
    """Makes every field of an event harmless."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self._secrets = secrets

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        if "exception" in event:  # a name that the console's renderer writes over many lines
            event["traceback"] = self._plain(event.pop("exception"), LONGEST_TRACEBACK)
        front = {key: event.pop(key) for key in ("time", "level", "event") if key in event}
        return {key: self._field(key, value) for key, value in (front | dict(event)).items()}

    def _field(self, key: str, value: Any) -> Any:
        if _SECRET.search(key):
            return "***"
        return self._plain(value, LONGEST_TRACEBACK if key == "traceback" else LONGEST)

    def _plain(self, value: Any, longest: int) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        text = str(value)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return tame(text, longest)


def _renderer(style: Format, out: TextIO) -> Processor:
    if style == "json":
        return structlog.processors.JSONRenderer(sort_keys=False, ensure_ascii=False)
    colours = out.isatty() and "NO_COLOR" not in os.environ
    return structlog.dev.ConsoleRenderer(
        colors=colours, timestamp_key="time", sort_keys=False, pad_event_to=24
    )
