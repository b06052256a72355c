"""The daemon's jobs, as the settings name them; rebuilt from them at each start and reload."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from freshness.config import Settings
from freshness.daemon.schedule import Schedule, parse
from freshness.history.jobs import probe_job

PRUNE_AT: Final = "17 3 * * *"
"""When answers that were kept long enough go: daily, at an hour when little else happens."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is done when. ``name`` stands for it in the history and in metrics; ``kind``: see ``child``.

    ``deadline``: what takes longer is stopped. ``model`` and ``suite``: of a probe.
    """

    name: str
    kind: str
    schedule: Schedule
    deadline: timedelta
    model: str = ""
    suite: str = ""


def jobs_of(settings: Settings) -> list[Job]:
    """In the order in which they begin where several are due at once: first what the others build on."""
    zone, deadline = settings.daemon.timezone, settings.daemon.deadline
    jobs = []
    if settings.wikidata.refresh:
        jobs.append(Job("refresh:wikidata", "refresh", parse(settings.wikidata.refresh, zone), deadline))
    if settings.owid.refresh:
        jobs.append(Job("refresh:owid", "refresh_series", parse(settings.owid.refresh, zone), deadline))
    for model in settings.models:
        if model.schedule:
            schedule = parse(model.schedule, zone)
            for suite in dict.fromkeys(model.suites):
                name = probe_job(model.name, suite)
                jobs.append(Job(name, "probe", schedule, deadline, model.name, suite))
    if not isinstance(settings.store.keep_answers, bool):
        jobs.append(Job("prune", "prune", parse(PRUNE_AT, zone), deadline))
    return jobs
