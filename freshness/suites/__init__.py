"""Kinds of question set, by name. A new one is a file here and a line in the table."""

from freshness.suites.current import CurrentSuite

SUITES = {"current": CurrentSuite}
