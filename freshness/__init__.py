"""How old is what a model knows? Probe language models with time-sensitive facts."""

__version__ = "0.1.0"
