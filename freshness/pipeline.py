"""Put questions to a model and judge what comes back.

::

    questions -> prompts not yet answered -> model.answer -> suite.judge -> trials -> sink

Knows no config and no database: trials leave through ``sink`` in small batches as they come, so that an
interruption loses nothing that was answered, and a killed process what came in its last fifth of a second.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Generator, Sequence

from freshness.history import Trial
from freshness.protocols import Model, Suite
from freshness.questions import Answer, Prompt, Question

Sink = Callable[[Sequence[Trial]], None]
Asked = tuple[Question, Prompt]

BATCH = 32
FLUSH_SECONDS = 0.2


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
    ``sink`` is called from a second thread too, never from both at once; what it raises there is raised
    here with the next trial.
    """
    asked = [(q, p) for q in questions for p in q.prompts if (q.id, p.name) not in answered]
    trials = _trials(suite, asked, model)
    batches = _Batches(sink, clock)
    try:
        for trial in trials:
            batches.add(trial)
    finally:
        try:
            batches.close()
        finally:
            trials.close()


class _Batches:
    """Trials on their way to the sink: none waits longer than ``FLUSH_SECONDS``, whatever the model does."""

    def __init__(self, sink: Sink, clock: Callable[[], float]) -> None:
        self._sink = sink
        self._clock = clock
        self._lock = threading.Lock()
        self._batch: list[Trial] = []
        self._flushed = clock()
        self._failure: BaseException | None = None
        self._closed = threading.Event()
        self._ticking = threading.Thread(target=self._tick, name="flush", daemon=True)
        self._ticking.start()

    def add(self, trial: Trial) -> None:
        """Raises what the sink raises, or raised meanwhile."""
        with self._lock:
            self._raise_failure()
            self._batch.append(trial)
            if len(self._batch) >= BATCH or self._clock() - self._flushed >= FLUSH_SECONDS:
                self._flush()

    def close(self) -> None:
        """Send what is left; raises as ``add`` does."""
        self._closed.set()
        self._ticking.join()
        self._raise_failure()
        self._flush()

    def _tick(self) -> None:
        while self._failure is None and not self._closed.wait(FLUSH_SECONDS):
            with self._lock:
                try:
                    self._flush()
                except BaseException as error:  # it is for the thread that waits for the trials
                    self._failure = error

    def _flush(self) -> None:
        if self._batch:
            ready, self._batch, self._flushed = self._batch, [], self._clock()
            self._sink(ready)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure


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
