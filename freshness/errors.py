"""Every error that freshness raises on purpose, and the exit code it ends with.

::

    FreshnessError            1  it ran, and something is wrong that the user should act on
    ├── UsageError            2  a bad argument, config key, catalogue or input file line
    ├── UnavailableError      3  a model or a source could not be reached or loaded
    ├── Interrupted         130  the user stopped it; what was done before is kept
    └── StoreError            2  the database can't be used: newer version, not a database, no rights, gone
        └── StoreWriteError   1  a write failed: disk full, held by another process

A message is one line: what is wrong, where (file and line, key, host and status), and what to do.
A prompt that fails is no exception at all: it is an ``Answer`` with an ``error`` (see ``questions``).
"""


class FreshnessError(Exception):
    """Base of all expected failures; ``exit_code`` is what the command line ends with."""

    exit_code = 1


class UsageError(FreshnessError):
    """A bad argument, config key, catalogue entry or input line."""

    exit_code = 2


class UnavailableError(FreshnessError):
    """A model or a source could not be reached or loaded."""

    exit_code = 3


class Interrupted(FreshnessError):
    """The user stopped it with Ctrl-C; the message says what was kept."""

    exit_code = 130


class StoreError(FreshnessError):
    """The database can't be used: newer schema, not a database, no rights; its file or server is gone."""

    exit_code = 2


class StoreWriteError(StoreError):
    """Writing to the database failed half-way: what was committed before is kept."""

    exit_code = 1
