"""The sections of the config with their keys and defaults."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field

from freshness.config.values import (
    Contact,
    Deadline,
    Duration,
    EnvName,
    Grace,
    KeptAnswers,
    Language,
    ModelName,
    RequestTime,
    ScheduleText,
    SuiteName,
    TimeZone,
    WebAddress,
)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class WikidataSettings(_Section):
    """``[wikidata]``: where facts are fetched from. ``contact`` goes into the User-Agent.

    ``timeout`` is for one request, from connecting to its last byte.
    """

    endpoint: WebAddress = "https://query.wikidata.org/sparql"
    contact: Contact = ""
    languages: list[Language] = Field(default=["en"], min_length=1, max_length=20)
    timeout: RequestTime = timedelta(seconds=65)
    max_age: Duration = timedelta(days=7)
    refresh: ScheduleText | None = None


class OwidSettings(_Section):
    """``[owid]``: where series are fetched from. ``contact`` goes into the User-Agent.

    ``charts``: which ones, as categories, ids of indicators or files; none: all that are built in.
    ``timeout`` is for one chart, from connecting to its last byte.
    """

    base_url: WebAddress = "https://ourworldindata.org"
    contact: Contact = ""
    charts: list[str] = []
    timeout: RequestTime = timedelta(minutes=5)
    max_age: Duration = timedelta(days=30)
    refresh: ScheduleText | None = None


class NumericSettings(_Section):
    """``[numeric]``: what the suites of numbers ask: so many ``questions`` a run, drawn with ``seed``."""

    questions: int = Field(default=600, ge=1, le=1_000_000)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    distractors: Literal["fair", "paper"] = "fair"


class StoreSettings(_Section):
    """``[store]``: the database, and whether raw answers stay in it, or for how long."""

    url: str = ""
    keep_answers: KeptAnswers = True


class FactsSettings(_Section):
    """``[facts]``: catalogues by built-in name or file; none: all that are built in."""

    catalogues: list[str] = []


class ServerSettings(_Section):
    """``[server]``: where the daemon listens; port 0: any that is free."""

    host: str = "127.0.0.1"
    port: int = Field(default=9464, ge=0, le=65535)


class DaemonSettings(_Section):
    """``[daemon]``: when jobs run and for how long.

    ``timezone`` is that of cron lines. ``grace``: a job that starts later than that is counted as missed.
    ``deadline``: what takes longer is stopped. ``workers``: so many jobs at once.
    """

    timezone: TimeZone = "UTC"
    grace: Grace = timedelta(hours=1)
    deadline: Deadline = timedelta(hours=2)
    workers: int = Field(default=2, ge=1, le=64)


class LogSettings(_Section):
    """``[logs]``: how the daemon tells what it does, on stderr."""

    format: Literal["console", "json"] = "console"
    level: Literal["debug", "info", "warning", "error"] = "info"


class Limits(_Section):
    """``[models.limits]``: how hard and how long a model is asked; None leaves it to the model's kind."""

    concurrency: int | None = Field(default=None, ge=1, le=256)
    batch_size: int | None = Field(default=None, ge=1, le=4096)
    timeout: Duration | None = None
    max_new_tokens: int | None = Field(default=None, ge=1, le=4096)


class ModelSettings(_Section):
    """``[[models]]``: a model under a name of the user's own."""

    name: ModelName
    model: str = Field(min_length=1)
    style: Literal["auto", "chat", "completion"] = "auto"
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    api_key_env: EnvName | None = None
    schedule: ScheduleText | None = None
    suites: list[SuiteName] = Field(default=["current"], min_length=1)
    limits: Limits = Limits()


class Settings(_Section):
    """All of it. ``path`` is the file that was read, None without one."""

    wikidata: WikidataSettings = WikidataSettings()
    owid: OwidSettings = OwidSettings()
    numeric: NumericSettings = NumericSettings()
    store: StoreSettings = StoreSettings()
    facts: FactsSettings = FactsSettings()
    server: ServerSettings = ServerSettings()
    daemon: DaemonSettings = DaemonSettings()
    logs: LogSettings = LogSettings()
    models: list[ModelSettings] = []
    path: Annotated[Path | None, Field(exclude=True)] = None

    @property
    def store_url(self) -> str:
        """The database's URL: SQLite in the user's data directory unless set."""
        return self.store.url or f"sqlite:///{platformdirs.user_data_path('freshness') / 'freshness.db'}"
