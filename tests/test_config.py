"""Settings: file, environment, and what is wrong with them."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from freshness.app import setup
from freshness.config import SUITES, Limits, Settings, load
from freshness.errors import UsageError

EXAMPLE = Path(__file__).parents[1] / "config.example.toml"


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "some.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_everything_works_without_a_config(elsewhere):
    settings = load(environ={"XDG_CONFIG_HOME": str(elsewhere)})
    assert settings == Settings()
    assert settings.store_url.startswith("sqlite:///")
    assert settings.store_url.endswith("freshness.db")


def test_example_is_valid_and_shows_every_key():
    settings = load(EXAMPLE, environ={})
    for section in ("wikidata", "owid", "numeric", "store", "facts", "server", "daemon", "logs"):
        shown = getattr(settings, section)
        assert shown.model_fields_set == set(type(shown).model_fields), section
    shown = set().union(*(model.model_fields_set for model in settings.models))
    assert shown == set(type(settings.models[0]).model_fields)
    assert set().union(*(m.limits.model_fields_set for m in settings.models)) == set(Limits.model_fields)


def test_example_states_the_defaults_where_it_does_not_say_example():
    shown, default = load(EXAMPLE, environ={}), Settings()
    assert shown.wikidata.endpoint == default.wikidata.endpoint
    assert shown.wikidata.max_age == default.wikidata.max_age == timedelta(days=7)
    assert shown.wikidata.timeout == default.wikidata.timeout == timedelta(seconds=65)
    assert shown.wikidata.languages == default.wikidata.languages
    assert shown.owid.base_url == default.owid.base_url
    assert shown.owid.charts == default.owid.charts == []
    assert shown.owid.timeout == default.owid.timeout == timedelta(minutes=5)
    assert shown.owid.max_age == default.owid.max_age == timedelta(days=30)
    for section in ("numeric", "store", "facts", "server", "daemon", "logs"):
        assert getattr(shown, section) == getattr(default, section)


def test_file_in_the_working_directory_comes_before_the_users(elsewhere):
    (elsewhere / "config" / "freshness").mkdir(parents=True)
    (elsewhere / "config" / "freshness" / "config.toml").write_text("[server]\nport = 1001\n")
    environ = {"XDG_CONFIG_HOME": str(elsewhere / "config")}
    assert load(environ=environ).server.port == 1001
    (elsewhere / "freshness.toml").write_text("[server]\nport = 1002\n")
    assert load(environ=environ).server.port == 1002


def test_environment_overrides_the_file(write):
    path = write('[store]\nurl = "sqlite:///a.db"\nkeep_answers = true\n[server]\nport = 1\n')
    settings = load(
        path,
        environ={
            "FRESHNESS_STORE__URL": "sqlite:///b.db",
            "FRESHNESS_STORE__KEEP_ANSWERS": "false",
            "FRESHNESS_SERVER__PORT": "9000",
            "FRESHNESS_WIKIDATA__LANGUAGES": "en, mul",
            "FRESHNESS_WIKIDATA__MAX_AGE": "12h",
            "FRESHNESS_WIKIDATA__TIMEOUT": "2m",
            "FRESHNESS_WIKIDATA__CONTACT": " https://example.org/me (team 7) ",
            "FRESHNESS_PORT_9464_TCP": "what Kubernetes sets for a service of this name",
            "FRESHNESS_API_KEY": "the key of an endpoint, which is no setting",
            "FRESHNESS_TOKEN": "what the daemon wants to see, which is no setting",
            "FRESHNESS_DAEMON__TIMEZONE": "Europe/Rome",
            "FRESHNESS_DAEMON__WORKERS": "4",
            "FRESHNESS_LOGS__FORMAT": "json",
            "FRESHNESS_WIKIDATA__REFRESH": "every 6h",
        },
    )
    assert settings.store_url == "sqlite:///b.db"
    assert settings.store.keep_answers is False
    assert settings.server.port == 9000
    assert settings.wikidata.languages == ["en", "mul"]
    assert settings.wikidata.max_age == timedelta(hours=12)
    assert settings.wikidata.timeout == timedelta(minutes=2)
    assert settings.wikidata.contact == "https://example.org/me (team 7)"
    assert (settings.daemon.timezone, settings.daemon.workers) == ("Europe/Rome", 4)
    assert settings.logs.format == "json"
    assert settings.wikidata.refresh == "every 6h"


@pytest.mark.parametrize(
    ("text", "kept"), [("true", True), ("no", False), ("90d", timedelta(days=90)), ("2w", timedelta(days=14))]
)
def test_answers_are_kept_always_never_or_for_a_time(text, kept, write, elsewhere):
    environ = {"FRESHNESS_STORE__KEEP_ANSWERS": text, "XDG_CONFIG_HOME": str(elsewhere)}
    assert load(environ=environ).store.keep_answers == kept
    if text not in ("true", "no"):
        assert load(write(f'[store]\nkeep_answers = "{text}"\n'), environ={}).store.keep_answers == kept


def test_settings_come_back_from_json_as_they_were():
    settings = load(EXAMPLE, environ={"FRESHNESS_STORE__KEEP_ANSWERS": "90d"})
    handed_on = json.loads(json.dumps(settings.model_dump(mode="json")))
    assert Settings.model_validate(handed_on) == settings.model_copy(update={"path": None})


MISTAKES = {
    "unknown key": (
        '[wikidata]\nendpont = "https://a.example"\n',
        "wikidata.endpont: unknown key; did you mean 'endpoint'?",
    ),
    "unknown key far from all": (
        "[store]\nzzz = 1\n",
        "store.zzz: unknown key; known here: url, keep_answers",
    ),
    "unknown section": ("[wikidta]\n", "wikidta: unknown key; did you mean 'wikidata'?"),
    "unknown key of a model": (
        '[[models]]\nname = "a"\nmodel = "demo"\nstlye = "chat"\n',
        "models[0].stlye: unknown key; did you mean 'style'?",
    ),
    "unknown limit": (
        '[[models]]\nname = "a"\nmodel = "demo"\nlimits = { timeot = "3s" }\n',
        "models[0].limits.timeot: unknown key; did you mean 'timeout'?",
    ),
    "key that is ours alone": ('path = "x"\n', "unknown key 'path'"),
    "missing model": ('[[models]]\nname = "a"\n', "models[0].model: is required"),
    "wrong kind": ('[server]\nport = "many"\n', "server.port: must be a whole number"),
    "out of range": ("[server]\nport = 65536\n", "server.port: should be less than or equal to 65535"),
    "duration without a unit": (
        "[wikidata]\nmax_age = 7\n",
        "wikidata.max_age: must be a number with a unit",
    ),
    "duration in words": ('[wikidata]\nmax_age = "a week"\n', "wikidata.max_age: 'a week' is no duration"),
    "cron with a field missing": ('[owid]\nrefresh = "0 4 * *"\n', "owid.refresh: '0 4 * *' is no cron line"),
    "contact that would begin another header": (
        '[wikidata]\ncontact = "a@example.org\\r\\nX-Evil: 1"\n',
        "wikidata.contact: must be plain ASCII on one line, since it goes into the User-Agent",
    ),
    "contact beyond ASCII": ('[wikidata]\ncontact = "Jürgen"\n', "wikidata.contact: must be plain ASCII"),
    "contact without end": (
        f'[wikidata]\ncontact = "{201 * "a"}"\n',
        "wikidata.contact: must have at most 200 characters",
    ),
    "language that would end its string": (
        "[wikidata]\nlanguages = ['en\") } #']\n",
        "wikidata.languages[0]: 'en\") } #' is no language code such as",
    ),
    "language with a line end": ('[wikidata]\nlanguages = ["en\\n"]\n', "is no language code"),
    "language in other letters": ('[wikidata]\nlanguages = ["еn"]\n', "is no language code"),
    "no time for a request": ('[wikidata]\ntimeout = "0s"\n', 'wikidata.timeout: must be from "1s" to "1h"'),
    "endless time for a request": ('[wikidata]\ntimeout = "2h"\n', 'wikidata.timeout: must be from "1s"'),
    "list of nothing": ("[wikidata]\nlanguages = []\n", "wikidata.languages: must not be empty"),
    "text for a list": ('[facts]\ncatalogues = "countries"\n', "facts.catalogues: must be a list, such as"),
    "cron out of range": (
        '[owid]\nrefresh = "0 25 * * *"\n',
        "owid.refresh: '0 25 * * *' is no cron line: '25' is no hour; it goes from 0 to 23",
    ),
    "unknown suite": (
        '[[models]]\nname = "a"\nmodel = "demo"\nsuites = ["curent"]\n',
        "models[0].suites[0]: unknown suite 'curent'; did you mean 'current'?",
    ),
    "near suite": (
        '[[models]]\nname = "a"\nmodel = "demo"\nsuites = ["nextword"]\n',
        "models[0].suites[0]: unknown suite 'nextword'; did you mean 'next-word'?",
    ),
    "distractors of a kind that is none": (
        '[numeric]\ndistractors = "unfair"\n',
        "numeric.distractors: should be 'fair' or 'paper'",
    ),
    "no questions": ("[numeric]\nquestions = 0\n", "numeric.questions: should be greater than or equal to 1"),
    "near key of numbers": (
        "[numeric]\nquestion = 5\n",
        "numeric.question: unknown key; did you mean 'questions'?",
    ),
    "charts that are no list": ('[owid]\ncharts = "health"\n', "owid.charts: must be a list"),
    "contact on two lines": (
        '[owid]\ncontact = "a@b.org\\r\\nX: y"\n',
        "owid.contact: must be plain ASCII on one line",
    ),
    "timeout of charts too short": ('[owid]\ntimeout = "0s"\n', 'owid.timeout: must be from "1s" to "1h"'),
    "address without a scheme": (
        '[owid]\nbase_url = "ourworld"\n',
        "owid.base_url: 'ourworld' is no http(s) address",
    ),
    "table where a value belongs": ("[store]\nurl = { a = 1 }\n", "store.url: must be text in quotes"),
    "value where a table belongs": ("store = 3\n", "store: must be a table of keys"),
    "two models of one name": (
        '[[models]]\nname = "a"\nmodel = "demo"\n[[models]]\nname = "a"\nmodel = "demo"\n',
        "two [[models]] are named 'a'",
    ),
    "name that reverses text": (
        '[[models]]\nname = "safe\u202egnp"\nmodel = "demo"\n',
        "models[0].name: has the control, direction or invisible character U+202E",
    ),
    "name of two lines": (
        '[[models]]\nname = "a\\nb"\nmodel = "demo"\n',
        "models[0].name: has the control, direction or invisible character U+000A",
    ),
    "name without an end": (f'[[models]]\nname = "{"a" * 201}"\nmodel = "demo"\n', "models[0].name: "),
    "duration without end": (
        '[daemon]\ndeadline = "999999d"\n',
        "daemon.deadline: '999999d' is longer than a hundred years",
    ),
    "deadline that nothing meets": (
        '[daemon]\ndeadline = "5s"\n',
        'daemon.deadline: must be from "1m" to "7d"',
    ),
    "zone that is none": (
        '[daemon]\ntimezone = "Mars/Base"\n',
        "daemon.timezone: 'Mars/Base' is no time zone such as",
    ),
    "zone that is a file": ('[daemon]\ntimezone = "../../etc/passwd"\n', "daemon.timezone: "),
    "zone that is a folder": ('[daemon]\ntimezone = "Europe"\n', "daemon.timezone: 'Europe' is no time zone"),
    "pace that is none": ('[owid]\nrefresh = "every day"\n', "owid.refresh: 'every day' is no cron line"),
    "pace too quick": ('[owid]\nrefresh = "every 5s"\n', "owid.refresh: 'every 5s' is no schedule: it goes"),
    "answers kept for an hour": (
        '[store]\nkeep_answers = "1h"\n',
        'store.keep_answers: must be at least "1d"',
    ),
    "answers kept for a number": (
        "[store]\nkeep_answers = 90\n",
        "store.keep_answers: must be true, false or",
    ),
    "no TOML": ("[wikidata\n", "is no valid TOML"),
}


@pytest.mark.parametrize(("text", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistake_is_named_with_file_and_key(write, text, message):
    path = write(text)
    with pytest.raises(UsageError) as caught:
        load(path, environ={})
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_models_name_is_any_text_that_is_seen(write):
    name = "نام\u200cمدل 👩\u200d🔬 <b>é</b> http://host/v1#m"
    path = write(f"[[models]]\nname = '{name}'\nmodel = 'demo'\n")
    assert load(path, environ={}).models[0].name == name


def test_languages_are_codes_in_any_case(write):
    path = write('[wikidata]\nlanguages = ["EN", "pt-BR", "zh-hant", "be-tarask", "en-x-q5"]\n')
    known = load(path, environ={}).wikidata.languages
    assert known == ["en", "pt-br", "zh-hant", "be-tarask", "en-x-q5"]


def test_every_fault_is_told_at_once(write):
    path = write("[wikidata]\nfoo = 1\n[server]\nport = -1\n")
    with pytest.raises(UsageError) as caught:
        load(path, environ={})
    assert len(str(caught.value).splitlines()) == 2


SECRETS = {
    "api_key of a model": '[[models]]\nname = "a"\nmodel = "demo"\napi_key = "sk-very-secret"\n',
    "key for its name": '[[models]]\nname = "a"\nmodel = "demo"\napi_key_env = "sk-very-secret"\n',
    "password in the database's address": '[store]\nurl = "postgresql+psycopg://me:sk-very-secret@db/f"\n',
    "token of the server": '[server]\ntoken = "sk-very-secret"\n',
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_secret_in_the_file_is_refused_and_not_repeated(write, text):
    with pytest.raises(UsageError, match="environment variable") as caught:
        load(write(text), environ={})
    assert "sk-very-secret" not in str(caught.value)


ENVIRONMENT_MISTAKES = {
    "unknown section": ("FRESHNESS_WIKIDTA__ENDPOINT", "x", "did you mean 'wikidata'?"),
    "unknown key": ("FRESHNESS_STORE__ULR", "x", "unknown key; did you mean 'url'?"),
    "models": ("FRESHNESS_MODELS__NAME", "x", "models are set in the config file"),
    "one underscore": ("FRESHNESS_STORE_URL", "x", "did you mean FRESHNESS_STORE__URL?"),
    "no section": ("FRESHNESS_FOO", "x", "a setting is FRESHNESS_SECTION__KEY"),
    "misspelt key": ("FRESHNESS_APIKEY", "x", "did you mean FRESHNESS_API_KEY?"),
    "no number": ("FRESHNESS_SERVER__PORT", "many", "must be a whole number"),
    "no truth value": ("FRESHNESS_STORE__KEEP_ANSWERS", "perhaps", "must be true, false or a duration"),
}


@pytest.mark.parametrize(
    ("variable", "value", "message"), ENVIRONMENT_MISTAKES.values(), ids=ENVIRONMENT_MISTAKES
)
def test_mistake_in_the_environment_names_the_variable(elsewhere, variable, value, message):
    with pytest.raises(UsageError) as caught:
        load(environ={variable: value, "XDG_CONFIG_HOME": str(elsewhere)})
    assert f"environment variable {variable}" in str(caught.value)
    assert message in str(caught.value)


def test_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"can't read the config file .*nowhere\.toml: No such file"):
        load(tmp_path / "nowhere.toml", environ={})


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"a = 1\n" * 200_000], ids=["not text", "too large"])
def test_file_that_is_no_config_is_refused(tmp_path, data):
    path = tmp_path / "odd.toml"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"odd\.toml"):
        load(path, environ={})


def test_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path):
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf[server]\r\nport = 1003\r\n")
    assert load(path, environ={}).server.port == 1003


def test_variable_that_a_model_names_for_its_key_is_no_setting(write):
    path = write('[[models]]\nname = "a"\nmodel = "http://h/v1#m"\napi_key_env = "FRESHNESS_BIG_KEY"\n')
    assert load(path, environ={"FRESHNESS_BIG_KEY": "sk-x"}).models[0].api_key_env == "FRESHNESS_BIG_KEY"


@pytest.mark.parametrize(
    "line",
    [
        "0 4 * * *",
        "*/15 0-23/2 1,15 * mon-fri",
        "59 23 31 12 7",
        "0 0 1 JAN,jul sun",
        "5/10 * * * 1-5",
        "0 0 30 2 mon",
        "every 6h",
        "every 90 m",
    ],
)
def test_schedule_of_every_form_is_taken(write, line):
    assert load(write(f'[owid]\nrefresh = "{line}"\n'), environ={}).owid.refresh == line


@pytest.mark.parametrize(
    "line",
    ["60 4 * * *", "0 4 0 * *", "0 4 32 * *", "0 4 * 13 *", "0 4 * * 8", "a b c d e", "0 4 * * fry",
     "0 9-5 * * *", "*/0 * * * *", "0 4, * * *", "0 -4 * * *", "0 4 * mon *", "@daily", "0 4 * * * *",
     "0 4 30 2 *", "0 4 31 4,6,9,11 *"],
)  # fmt: skip
def test_cron_line_that_would_never_or_wrongly_run_is_refused(write, line):
    with pytest.raises(UsageError, match=r"owid\.refresh: .* is no cron line"):
        load(write(f'[owid]\nrefresh = "{line}"\n'), environ={})


def test_suites_that_a_config_may_name_are_those_there_are():
    assert set(SUITES) == set(setup.SUITES)
