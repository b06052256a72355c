"""From an answer and a question's key to a judgement, purely.

``text`` cleans and cuts words, ``names`` takes labels apart, ``mentions`` finds them (``neighbours`` tell
what is somebody else), ``claims`` says which of them is the answer, ``timeline`` which values hold when,
``judge`` puts them together.

``choices`` and ``quantities`` judge answers about numbers: ``letters``, ``amounts``, ``nothing``, ``saying``,
``comparing`` and ``listing`` find the option named (``options`` takes them apart), ``numbers`` reads numbers
in any notation, ``figures`` says which of them is the answer, ``years`` and ``tying`` which year each is of.
"""

from freshness.grading.judge import JUDGE_VERSION, judge

__all__ = ["JUDGE_VERSION", "judge"]
