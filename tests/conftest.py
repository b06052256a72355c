"""What every test gets: a home of its own, so that no test reads or writes the user's files."""

import os

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory, monkeypatch):
    """Config, data and cache directories of the test's own, and no settings from outside."""
    home = tmp_path_factory.mktemp("home")
    for variable in [name for name in os.environ if name.startswith("FRESHNESS_")]:
        monkeypatch.delenv(variable)
    for variable, folder in (("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")):
        monkeypatch.setenv(variable, str(home / folder))
    return home
