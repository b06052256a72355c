"""Where facts come from: each gives a ``Snapshot``."""
