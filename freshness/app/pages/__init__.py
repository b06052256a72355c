"""What the status page and the API show, read from the history; nothing here writes.

Each function takes a ``Look`` and gives plain dataclasses, which are the API's JSON as they stand. Texts that
others wrote are harmless and bounded in them; ``None`` is always "no data", which is another thing than zero.
"""

from freshness.app.pages.changing import Change, changes
from freshness.app.pages.facts import FactLine, FactPage, fact, facts
from freshness.app.pages.fleet import Fleet, Standing, fleet, standings
from freshness.app.pages.jobs import Job, jobs
from freshness.app.pages.looking import Daemon, KnownFacts, KnownSeries, Look, Slice
from freshness.app.pages.models import ModelPage, model
from freshness.app.pages.runs import RunPage, run, runs
from freshness.app.pages.series import IndicatorLine, SeriesPage, indicator, indicators

__all__ = [
    "Change",
    "Daemon",
    "FactLine",
    "FactPage",
    "Fleet",
    "IndicatorLine",
    "Job",
    "KnownFacts",
    "KnownSeries",
    "Look",
    "ModelPage",
    "RunPage",
    "SeriesPage",
    "Slice",
    "Standing",
    "changes",
    "fact",
    "facts",
    "fleet",
    "indicator",
    "indicators",
    "jobs",
    "model",
    "run",
    "runs",
    "standings",
]
