"""Kinds of question set: who judges each stands in ``app.setup``, what it asks in ``app.asking``."""
