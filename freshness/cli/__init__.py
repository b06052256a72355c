"""The command line: arguments in, text out. What a command does stands in ``freshness.app``."""

from freshness.cli.main import main

__all__ = ["main"]
