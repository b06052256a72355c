"""TempUN's suite: multiple choice about yearly numbers, and the beginnings of sentences that end in one.

``generate`` makes all questions that charts allow, vectorised; everything else is a view of it.
Importing this brings polars and numpy.
"""

from freshness.suites.numeric.asked import Older, question_json, questions
from freshness.suites.numeric.generation import SCHEMA, LeftOut, generate, left_out
from freshness.suites.numeric.options import SPANS, Distractors, Options
from freshness.suites.numeric.sampling import Sample, sample

__all__ = [
    "SCHEMA",
    "SPANS",
    "Distractors",
    "LeftOut",
    "Older",
    "Options",
    "Sample",
    "generate",
    "left_out",
    "question_json",
    "questions",
    "sample",
]
