"""Settings: file, environment, and what is wrong with them."""

from datetime import timedelta
from pathlib import Path

import pytest

from freshness.config import Limits, Settings, load
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
    for section in ("wikidata", "owid", "store", "facts", "server"):
        shown = getattr(settings, section)
        assert shown.model_fields_set == set(type(shown).model_fields), section
    shown = set().union(*(model.model_fields_set for model in settings.models))
    assert shown == set(type(settings.models[0]).model_fields)
    assert set().union(*(m.limits.model_fields_set for m in settings.models)) == set(Limits.model_fields)


def test_example_states_the_defaults_where_it_does_not_say_example():
    shown, default = load(EXAMPLE, environ={}), Settings()
    assert shown.wikidata.endpoint == default.wikidata.endpoint
    assert shown.wikidata.max_age == default.wikidata.max_age == timedelta(days=7)
    assert shown.owid.base_url == default.owid.base_url
    assert (shown.store, shown.facts, shown.server) == (default.store, default.facts, default.server)


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
            "FRESHNESS_LOUD": "a variable without a section is none of ours",
        },
    )
    assert settings.store_url == "sqlite:///b.db"
    assert settings.store.keep_answers is False
    assert settings.server.port == 9000
    assert settings.wikidata.languages == ["en", "mul"]
    assert settings.wikidata.max_age == timedelta(hours=12)


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
    "wrong kind": ('[server]\nport = "many"\n', "server.port: should be a valid integer"),
    "out of range": ("[server]\nport = 0\n", "server.port: should be greater than or equal to 1"),
    "duration without a unit": (
        "[wikidata]\nmax_age = 7\n",
        "wikidata.max_age: must be a number with a unit",
    ),
    "duration in words": ('[wikidata]\nmax_age = "a week"\n', "wikidata.max_age: 'a week' is no duration"),
    "cron with a field missing": ('[owid]\nrefresh = "0 4 * *"\n', "owid.refresh: '0 4 * *' is no cron line"),
    "address without a scheme": (
        '[owid]\nbase_url = "ourworld"\n',
        "owid.base_url: 'ourworld' is no http(s) address",
    ),
    "table where a value belongs": ("[store]\nurl = { a = 1 }\n", "store.url: should be a valid string"),
    "value where a table belongs": ("store = 3\n", "store: should be a valid dictionary"),
    "two models of one name": (
        '[[models]]\nname = "a"\nmodel = "demo"\n[[models]]\nname = "a"\nmodel = "demo"\n',
        "two [[models]] are named 'a'",
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
    "no number": ("FRESHNESS_SERVER__PORT", "many", "should be a valid integer"),
    "no truth value": ("FRESHNESS_STORE__KEEP_ANSWERS", "perhaps", "should be a valid boolean"),
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
