"""Kinds of question set: each is a file here and a line in the table of ``app.setup``."""
