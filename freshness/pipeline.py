"""Put questions to a model and judge what comes back.

::

    questions -> prompts not yet answered -> model.answer -> suite.judge -> trials -> sink

Knows no config and no database: trials leave through ``sink`` in small batches as they come, so that an
interruption loses nothing that was answered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Sequence

from freshness.history import Trial
from freshness.protocols import Model, Suite
from freshness.questions import Answer, Prompt, Question

Sink = Callable[[Sequence[Trial]], None]
Asked = tuple[Question, Prompt]

BATCH = 32
FLUSH_SECONDS = 1.0


def probe(
    suite: Suite,
    questions: Sequence[Question],
    model: Model,
    sink: Sink,
    *,
    answered: Collection[tuple[str, str]] = (),
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Ask every prompt that is not in ``answered`` (pairs of question id and prompt name).

    A prompt that fails is a trial with an error and no judgement; the rest goes on. Whatever is raised
    (``UnavailableError`` from the model, ``KeyboardInterrupt``), ``sink`` has got the trials before it.
    """
    asked = [(q, p) for q in questions for p in q.prompts if (q.id, p.name) not in answered]
    batch: list[Trial] = []
    flushed = clock()
    trials = _trials(suite, asked, model)
    try:
        for trial in trials:
            batch.append(trial)
            if len(batch) >= BATCH or clock() - flushed >= FLUSH_SECONDS:
                ready, batch, flushed = batch, [], clock()
                sink(ready)
    finally:
        if batch:
            sink(batch)
        trials.close()


def _trials(suite: Suite, asked: Sequence[Asked], model: Model) -> Generator[Trial, None, None]:
    waiting = dict(enumerate(asked))
    if not asked:
        return
    for index, answer in model.answer([prompt for _, prompt in asked]):
        if index in waiting:
            yield _trial(suite, *waiting.pop(index), model, answer)
    for question, prompt in waiting.values():
        silence = Answer(error="the model gave no answer to this prompt", error_kind="no_answer")
        yield _trial(suite, question, prompt, model, silence)


def _trial(suite: Suite, question: Question, prompt: Prompt, model: Model, answer: Answer) -> Trial:
    judgement = None if answer.error is not None else suite.judge(question, prompt, answer)
    asked = prompt.text(model.info().style)
    return Trial(question.id, question.group, question.fact, prompt.name, asked, answer, judgement)
