"""Numbers in free text: found, read and told from years, ranks and other digits that measure nothing."""

from freshness.grading.numbers.finding import find
from freshness.grading.numbers.number import Number, Reading
from freshness.grading.numbers.plain import Plain, plain

__all__ = ["Number", "Plain", "Reading", "find", "plain"]
