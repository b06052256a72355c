"""The way from questions to trials, with models that fail in every way they can."""

import threading
from datetime import date

import pytest

from freshness.errors import UnavailableError
from freshness.facts import Value
from freshness.pipeline import BATCH, probe
from freshness.protocols import ModelInfo
from freshness.questions import Answer, Prompt, Question
from freshness.verdicts import Judgement, Verdict


class Equality:
    """A suite whose judge compares whole answers."""

    name = "equality"

    def questions(self, snapshot, as_of):
        return []

    def judge(self, question, prompt, answer):
        right = answer.text == question.values[0].label
        return Judgement(Verdict.CORRECT if right else Verdict.IRRELEVANT, "equality")


class Parrot:
    """A model that gives what it is told to for each prompt's id, ``yes`` without being told."""

    def __init__(self, answers=None, style="chat"):
        self.answers = answers or {}
        self.style = style
        self.asked = []

    def info(self):
        return ModelInfo("parrot", "parrot", self.style)

    def answer(self, prompts):
        for index in reversed(range(len(prompts))):
            self.asked.append(prompts[index].id)
            told = self.answers.get(prompts[index].id, "yes")
            if isinstance(told, BaseException):
                raise told
            if told is not None:
                yield index, told if isinstance(told, Answer) else Answer(told)


def question(name, prompts=2):
    paraphrases = tuple(
        Prompt(f"{name}/p{n}", f"p{n}", f"{name}?", f"{name} is", "Say it.") for n in range(1, prompts + 1)
    )
    return Question(name, "equality", "group", name, paraphrases, date(2024, 1, 1), (Value("yes"),))


class Sink:
    def __init__(self):
        self.batches = []

    def __call__(self, trials):
        self.batches.append(list(trials))

    @property
    def trials(self):
        return {(t.question, t.prompt): t for batch in self.batches for t in batch}


def test_each_answer_goes_to_its_own_prompt_whatever_the_order():
    sink = Sink()
    probe(Equality(), [question("a"), question("b")], Parrot({"a/p2": "no"}), sink)
    verdicts = {key: str(trial.judgement.verdict) for key, trial in sink.trials.items()}
    assert verdicts == {
        ("a", "p1"): "correct",
        ("a", "p2"): "irrelevant",
        ("b", "p1"): "correct",
        ("b", "p2"): "correct",
    }


@pytest.mark.parametrize(("style", "asked"), [("chat", "a? Say it."), ("completion", "a is")])
def test_trial_keeps_the_text_that_the_model_got(style, asked):
    sink = Sink()
    probe(Equality(), [question("a", prompts=1)], Parrot(style=style), sink)
    assert sink.trials["a", "p1"].asked == asked


def test_failing_prompt_is_an_error_without_a_verdict_and_the_rest_goes_on():
    sink = Sink()
    model = Parrot({"a/p2": Answer(error="timed out", error_kind="timeout")})
    probe(Equality(), [question("a")], model, sink)
    assert sink.trials["a", "p2"].judgement is None
    assert sink.trials["a", "p2"].answer.error_kind == "timeout"
    assert sink.trials["a", "p1"].judgement.verdict is Verdict.CORRECT


def test_empty_text_is_an_answer_and_is_judged():
    sink = Sink()
    probe(Equality(), [question("a", prompts=1)], Parrot({"a/p1": ""}), sink)
    assert sink.trials["a", "p1"].judgement is not None


def test_prompt_that_the_model_passes_over_is_an_error():
    sink = Sink()
    probe(Equality(), [question("a")], Parrot({"a/p1": None}), sink)
    assert sink.trials["a", "p1"].answer.error_kind == "no_answer"


def test_answer_that_comes_twice_counts_once():
    class Echo(Parrot):
        def answer(self, prompts):
            for index, answer in super().answer(prompts):
                yield index, answer
                yield index, Answer("no")

    sink = Sink()
    probe(Equality(), [question("a")], Echo(), sink)
    assert [len(batch) for batch in sink.batches] == [2]
    assert all(trial.judgement.verdict is Verdict.CORRECT for trial in sink.trials.values())


def test_answered_prompts_are_not_asked_again():
    model, sink = Parrot(), Sink()
    probe(Equality(), [question("a"), question("b")], model, sink, answered={("a", "p1"), ("b", "p2")})
    assert sorted(model.asked) == ["a/p2", "b/p1"]
    assert sorted(sink.trials) == [("a", "p2"), ("b", "p1")]


def test_model_is_left_alone_when_all_is_answered():
    model, sink = Parrot(), Sink()
    probe(Equality(), [question("a")], model, sink, answered={("a", "p1"), ("a", "p2")})
    assert (model.asked, sink.batches) == ([], [])


@pytest.mark.parametrize(
    "end", [KeyboardInterrupt(), UnavailableError("gone"), RuntimeError("a bug")], ids=repr
)
def test_what_was_answered_before_the_end_reaches_the_sink(end):
    sink = Sink()
    with pytest.raises(type(end)):
        probe(Equality(), [question("a"), question("b")], Parrot({"a/p1": end}), sink)
    assert sorted(sink.trials) == [("a", "p2"), ("b", "p1"), ("b", "p2")]


def test_model_is_told_to_stop_when_the_sink_fails():
    closed = []

    class Closing(Parrot):
        def answer(self, prompts):
            try:
                yield from super().answer(prompts)
            finally:
                closed.append(True)

    def full(trials):
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        probe(Equality(), [question("a", prompts=BATCH + 5)], Closing(), full)
    assert closed == [True]


def test_trials_leave_in_small_batches():
    sink = Sink()
    probe(Equality(), [question("a", prompts=BATCH * 2 + 3)], Parrot(), sink, clock=lambda: 0.0)
    assert [len(batch) for batch in sink.batches] == [BATCH, BATCH, 3]


def test_slow_answers_leave_one_by_one():
    seconds = iter(range(100))
    sink = Sink()
    probe(Equality(), [question("a", prompts=3)], Parrot(), sink, clock=lambda: float(next(seconds)))
    assert [len(batch) for batch in sink.batches] == [1, 1, 1]


class Hesitating(Parrot):
    """Answers one prompt at once and waits with the next until it is told to go on."""

    def __init__(self):
        super().__init__()
        self.go_on = threading.Event()

    def answer(self, prompts):
        for number, answered in enumerate(super().answer(prompts)):
            if number:
                assert self.go_on.wait(60), "the answer before this one should have left long ago"
            yield answered


def test_an_answer_leaves_while_the_model_is_busy_with_the_next():
    model, sink = Hesitating(), Sink()

    def keep(trials):
        sink(trials)
        model.go_on.set()

    probe(Equality(), [question("a")], model, keep)
    assert [len(batch) for batch in sink.batches] == [1, 1]


def test_a_sink_that_fails_while_the_model_is_busy_ends_the_run():
    model = Hesitating()

    def full(trials):
        model.go_on.set()
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        probe(Equality(), [question("a", prompts=5)], model, full)
    assert len(model.asked) < 5
