"""From an answer and a question's values to a judgement, purely."""
