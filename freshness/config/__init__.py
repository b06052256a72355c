"""Settings: a TOML file and ``FRESHNESS_SECTION__KEY`` environment variables over it.

``config.example.toml`` shows every key. An unknown key is an error that names the file, the key and the
nearest known one; so is a secret written into the file: secrets come from the environment alone.
"""

from freshness.config.reading import load
from freshness.config.sections import Limits, ModelSettings, Settings
from freshness.config.values import SUITES

__all__ = ["SUITES", "Limits", "ModelSettings", "Settings", "load"]
