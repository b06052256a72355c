"""What every test gets: a home of its own, so that no test reads or writes the user's files."""

import os

import pytest

from freshness.cli.main import run


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory, monkeypatch):
    """Config, data and cache directories of the test's own, and no settings from outside."""
    home = tmp_path_factory.mktemp("home")
    for variable in [name for name in os.environ if name.startswith("FRESHNESS_")]:
        monkeypatch.delenv(variable)
    for variable, folder in (("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")):
        monkeypatch.setenv(variable, str(home / folder))
    return home


@pytest.fixture
def cli(capsys):
    """Runs a command: its exit code, what it printed, and what it said beside that."""

    def cli(*arguments):
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return cli
