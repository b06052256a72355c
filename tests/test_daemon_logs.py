"""The daemon's log: one event a line, no secrets, nothing that moves a cursor, whoever wrote it."""

import io
import json
import logging

import pytest

from freshness.config import Settings
from freshness.daemon import logs


@pytest.fixture(autouse=True)
def as_before():
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


@pytest.fixture(params=["json", "console"])
def told(request):
    """What is written in that form, after a call of ``set_up``."""
    return _Told(request.param)


class _Told:
    def __init__(self, style, level="debug", **more):
        self.style = style
        self.out = io.StringIO()
        logs.set_up(style, level, stream=self.out, **more)

    def lines(self):
        return self.out.getvalue().splitlines()


HOSTILE = 'a\nb\r\x1b[31m\x07\x85\u2028\u202e\ud800"><script>'
# What goes through the library is captured by pytest too, which hands it on between processes as UTF-8.
ENCODABLE = HOSTILE.replace("\ud800", "")


@pytest.mark.parametrize(
    "write",
    [
        lambda: logs.get().info("event", text=HOSTILE),
        lambda: logs.get().info(HOSTILE),
        lambda: logs.get().bind(job=HOSTILE).warning("event"),
        lambda: logging.getLogger("freshness.models").warning("said %s", ENCODABLE),
        lambda: logging.getLogger("freshness.web").error("page", extra={"path": ENCODABLE}),
    ],
    ids=["field", "event", "bound", "library", "extra"],
)
def test_hostile_text_stays_on_its_line(told, write):
    write()
    (line,) = told.lines()
    assert line.isprintable()
    assert "<script>" in line  # shown as it is: escaping it is the reader's matter


@pytest.mark.parametrize("size", [10_000, 1_000_000])
def test_line_is_bounded(told, size):
    logs.get().info("event", text="x" * size)
    (line,) = told.lines()
    assert len(line) < logs.LONGEST + 300


def test_traceback_is_a_field_of_one_line(told):
    try:
        raise ValueError("no\nluck")
    except ValueError:
        logs.get().exception("it failed")
        logging.getLogger("freshness.web").exception("it failed")
    assert len(told.lines()) == 2
    assert all("ValueError: no" in line and "test_daemon_logs.py" in line for line in told.lines())


@pytest.mark.parametrize(
    ("fields", "hidden"),
    [
        ({"url": "postgresql+psycopg://me:hunter22@db/f"}, "hunter22"),
        ({"url": "https://h/v1?api_key=hunter22"}, "hunter22"),
        ({"error": "401: Bearer hunter22hunter22"}, "hunter22"),
        ({"api_key": "hunter22"}, "hunter22"),
        ({"anything": "it said hunter22 to me"}, "hunter22"),
        ({"url": "x" * (2 * logs.LONGEST - 20) + "http://me:hunter23hunter23hunter23@h/"}, "hunter23"),
    ],
    ids=["address", "query", "bearer", "name", "known", "cut"],
)
@pytest.mark.parametrize("style", ["json", "console"])
def test_secrets_are_starred_out(style, fields, hidden):
    told = _Told(style, secrets=["hunter22"])
    logs.get().error("event", **fields)
    assert hidden not in told.out.getvalue()


def test_json_line_has_time_level_event_and_fields():
    told = _Told("json")
    logs.get().bind(job="probe:a:current").warning("slots missed", missed=3, ratio=0.5, done=None, yes=True)
    line = json.loads(told.lines()[0])
    assert list(line)[:3] == ["time", "level", "event"]
    assert line["time"].endswith("Z")
    assert line | {"time": ""} == {
        "time": "",
        "level": "warning",
        "event": "slots missed",
        "job": "probe:a:current",
        "missed": 3,
        "ratio": 0.5,
        "done": None,
        "yes": True,
    }


def test_level_counts_for_us_and_for_libraries():
    told = _Told("json", "warning")
    logs.get().info("hidden")
    logging.getLogger("freshness.models").info("hidden")
    logs.get().error("seen")
    assert [json.loads(line)["event"] for line in told.lines()] == ["seen"]


@pytest.mark.parametrize("name", ["apscheduler.scheduler", "uvicorn.error", "httpx"])
def test_libraries_that_tell_each_step_are_quiet(name):
    told = _Told("json", "info")
    logging.getLogger(name).info("each step")
    logging.getLogger(name).error("this matters")
    assert [json.loads(line)["event"] for line in told.lines()] == ["this matters"]


def test_secrets_are_those_that_the_settings_name_in_the_environment():
    settings = Settings.model_validate(
        {"models": [{"name": "a", "model": "http://h/v1#m", "api_key_env": "BIG_KEY"}]}
    )
    environ = {
        "BIG_KEY": "sk-123456",
        "FRESHNESS_TOKEN": "tok-en",
        "FRESHNESS_API_KEY": "abc",
        "OTHER": "xyzxyz",
    }
    assert logs.secrets_of(settings, environ) == ["sk-123456", "tok-en"]
