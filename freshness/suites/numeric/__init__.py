"""TempUN's suite: multiple choice about yearly numbers, and the beginnings of sentences that end in one.

``generate`` makes all questions that charts allow, vectorised; everything else is a view of it.
Importing this brings polars and numpy.
"""

from freshness.suites.numeric.asked import Older, question_json, questions
from freshness.suites.numeric.generation import SCHEMA, LeftOut, generate, left_out
from freshness.suites.numeric.options import SPANS, Distractors, Options
from freshness.suites.numeric.parquet import Written, write_parquet
from freshness.suites.numeric.sampling import Sample, sample
from freshness.suites.numeric.selection import Selection, select

__all__ = [
    "SCHEMA",
    "SPANS",
    "Distractors",
    "LeftOut",
    "Older",
    "Options",
    "Sample",
    "Selection",
    "Written",
    "generate",
    "left_out",
    "question_json",
    "questions",
    "sample",
    "select",
    "write_parquet",
]
