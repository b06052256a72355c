"""From an answer and a question's values to a judgement, purely.

``text`` cleans and cuts words, ``names`` takes labels apart, ``mentions`` finds them (``neighbours`` tell
what is somebody else), ``claims`` says which of them is the answer, ``timeline`` which values hold when,
``judge`` puts them together.
"""

from freshness.grading.judge import JUDGE_VERSION, judge

__all__ = ["JUDGE_VERSION", "judge"]
