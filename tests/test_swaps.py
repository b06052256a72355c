"""Another model behind the same name: how often it is a false alarm, what is seen, what is stored."""

import random
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import numeric_runs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom
from shared import SHARED, needs_shared
from stores import (
    DATABASES,
    NOW,
    TODAY,
    failed,
    made_database,
    question,
    questions,
    run,
    trials,
)

from freshness.app import watching
from freshness.app.judging import can_be_judged, judge_files
from freshness.history import noise
from freshness.history.noise import Count, Noise, Prior
from freshness.history.swaps import (
    ALARM,
    LIMITS,
    MIN_QUESTIONS,
    Line,
    Trace,
    difference,
    renamed,
    shift,
    trace,
)
from freshness.questions import Answer
from freshness.store import NOT_KEPT, open_store
from freshness.verdicts import Judgement, Verdict

QUESTIONS = 130


# How much differs by chance


@settings(deadline=None)
@given(st.integers(1, 300), st.data(), st.floats(0.05, 80), st.floats(0.05, 80))
def test_the_tail_agrees_with_scipy(n, data, a, b):
    x = data.draw(st.integers(0, n))
    assert noise._tail(Count(x, n), a, b) == pytest.approx(betabinom.sf(x - 1, n, a, b), rel=1e-6, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 50), max_size=6), st.integers(1, 50))
def test_p_values_are_probabilities_that_fall_with_the_count(seen, n):
    learned = Noise.of([Count(x, 50) for x in seen], Prior(0.5, 2))
    p_values = [learned.p_value(Count(x, n)) for x in range(n + 1)]
    assert p_values[0] == pytest.approx(1)
    assert all(0 <= q <= p + 1e-9 <= 1 + 1e-9 for p, q in pairwise(p_values))


def test_what_is_expected_is_what_was_seen():
    for rate in (0.01, 0.1, 0.5, 0.9):
        learned = Noise.of([Count(round(rate * 1000), 1000)] * 20, Prior(0.5, 2))
        assert learned.mean == pytest.approx(rate, rel=0.05)


def test_days_that_differ_among_themselves_allow_more_than_days_that_are_alike():
    steady = Noise.of([Count(13, 130)] * 12, Prior(0.5, 2))
    changing = Noise.of([Count(3, 130), Count(23, 130)] * 6, Prior(0.5, 2))
    assert changing.p_value(Count(33, 130)) > 10 * steady.p_value(Count(33, 130))


def test_a_model_that_nothing_is_known_of_may_do_nearly_anything():
    for limits in LIMITS.values():
        assert Noise.of([], limits.prior).p_value(Count(120, 130)) > ALARM


# Runs that differ


def traced(number, said, worded=None, **changes):
    """A run's trace: what was said and how it was worded, by question."""
    worded = said if worded is None else worded
    lines = {
        f"q{n}": Line(b"", repr(one).encode(), None if two is None else repr(two).encode())
        for n, (one, two) in enumerate(zip(said, worded, strict=True))
    }
    plain = Trace(f"r{number}", "j", (), len(said), lines, Counter(), Counter())
    return replace(plain, **changes)


def steady(runs, n=QUESTIONS):
    return [traced(number, range(n)) for number in range(runs)]


def differing(count, n=QUESTIONS):
    """A run whose first answers are others."""
    return traced("x", [*[-1] * count, *range(count, n)])


def test_one_odd_answer_of_a_model_that_never_changed_is_no_swap():
    assert shift(steady(30), differing(1)) is None
    assert shift(steady(30, MIN_QUESTIONS), differing(2, MIN_QUESTIONS)) is None


def test_many_are():
    found = shift(steady(10), differing(40))
    assert found.count == Count(40, QUESTIONS)
    assert found.p_value < 1e-6
    assert found.expected < 0.01
    assert found.since in ("r0", "r9")


def test_a_shift_that_is_certain_and_tiny_is_none():
    many = 5000
    assert shift(steady(10, many), differing(round(0.05 * many), many)) is None
    assert shift(steady(10, many), differing(round(0.20 * many), many)) is not None


def test_the_first_runs_raise_no_alarm_whatever_they_say():
    assert shift([], differing(QUESTIONS)) is None
    assert shift(steady(1), differing(100)) is None


def test_too_few_questions_in_common_are_no_evidence():
    assert shift(steady(10, MIN_QUESTIONS - 1), differing(MIN_QUESTIONS - 1, MIN_QUESTIONS - 1)) is None


def test_other_words_for_the_same_values_are_a_shift_of_a_model_that_kept_to_its_words():
    other = traced("x", range(QUESTIONS), [-1] * 50 + list(range(50, QUESTIONS)))
    assert shift(steady(10), other).aspect == "worded"


def test_a_model_that_is_worded_anew_each_time_is_judged_by_what_it_says():
    draws = iter(range(10**6))
    past = [traced(n, range(QUESTIONS), [next(draws) for _ in range(QUESTIONS)]) for n in range(10)]
    same = traced("x", range(QUESTIONS), [next(draws) for _ in range(QUESTIONS)])
    other = traced("x", [-1] * 60 + list(range(60, QUESTIONS)), [next(draws) for _ in range(QUESTIONS)])
    assert shift(past, same) is None
    assert shift(past, other).aspect == "said"


def test_a_drift_in_small_steps_is_seen_once_it_adds_up():
    past = steady(8)
    for step in range(1, 25):
        new = differing(2 * step)
        if shift(past, new):
            break
        past.append(new)
    assert shift([past[-1]], new) is None, "the step alone is too small"
    assert 5 <= step <= 12


def test_runs_that_were_asked_in_another_way_are_not_compared():
    after = traced("x", [-1] * QUESTIONS, setup=("another model", 64, None))
    assert shift(steady(10), after) is None


def test_another_judge_leaves_the_words_to_compare():
    other_judge = traced("x", [-1] * QUESTIONS, range(QUESTIONS), judge="j2")
    assert difference(steady(1)[0], other_judge, "said") == Count(0, 0)
    assert difference(steady(1)[0], other_judge, "worded") == Count(0, QUESTIONS)


# Runs as traces


def one_run(*asked, said="Mario Draghi", number="r1", **changes):
    answers = [
        replace(t, judgement=Judgement(Verdict.OUTDATED, "mention", said), answer=Answer(said))
        for t in trials(asked)
    ]
    return run(number, questions=tuple(asked), trials=tuple(answers), **changes)


def compared(a, b, aspect="said"):
    return difference(trace(a, can_be_judged), trace(b, can_be_judged), aspect)


def test_a_question_differs_when_any_of_its_prompts_does():
    a = one_run(*questions(3))
    first, *rest = a.trials
    other = replace(first, judgement=Judgement(Verdict.CORRECT, "mention", "Giorgia Meloni"))
    assert compared(a, replace(a, trials=(other, *rest))) == Count(1, 3)


def test_a_fact_that_changed_does_not_count():
    a = one_run(question(0), question(1))
    b = one_run(question(0), question(1, values=question().values[:1]), said="Giorgia Meloni")
    assert compared(a, b) == Count(1, 1)


def chosen(option="(b) 72.4 years", number="r1", **key):
    """A run of one question with options."""
    asked = numeric_runs.question("date", "health", 2011)
    asked = replace(asked, numeric=replace(asked.numeric, **key))
    said = numeric_runs.trial(asked, option, Verdict.CORRECT, option)
    return replace(numeric_runs.run([asked], [said]), id=number)


def test_choices_differ_by_the_option_chosen():
    assert compared(chosen(), chosen()) == Count(0, 1)
    assert compared(chosen(), chosen("(c) 79.9 years")) == Count(1, 1)


def test_other_options_are_another_question():
    assert compared(chosen(), chosen(options=("1 year", "2 years", "3 years", "4 years"))) == Count(0, 0)
    assert compared(chosen(), chosen(answer="(c)")) == Count(0, 0)


def test_a_series_that_goes_on_leaves_its_choices_to_compare_and_not_its_open_answers():
    longer = {"values": ((2011, 75.25), (2012, 76.0))}
    assert compared(chosen(), chosen(**longer)) == Count(0, 1)
    open_ended = {"options": (), "answer": "", "kind": "next_word"}
    assert compared(chosen(**open_ended), chosen(**open_ended)) == Count(0, 1)
    assert compared(chosen(**open_ended), chosen(**open_ended | longer)) == Count(0, 0)


def test_the_same_questions_on_another_day_do():
    assert compared(one_run(question()), one_run(question(as_of=TODAY + timedelta(9)))) == Count(0, 1)


def test_another_wording_of_the_question_does_not():
    a = one_run(question())
    b = replace(a, trials=tuple(replace(t, asked=f"Please: {t.asked}") for t in a.trials))
    assert compared(a, b) == Count(0, 0)


def test_a_question_with_a_failed_prompt_does_not():
    a = one_run(*questions(2))
    lost = replace(a, trials=(failed(0, "p1"), *a.trials[1:]))
    assert compared(a, lost) == Count(0, 1)


def test_refusing_in_other_words_is_saying_the_same():
    def refusing(text):
        a = one_run(question())
        no = Judgement(Verdict.REFUSED, "refusal")
        return replace(a, trials=tuple(replace(t, judgement=no, answer=Answer(text)) for t in a.trials))

    a, b = refusing("I don't know."), refusing("I can't tell.")
    assert compared(a, b) == Count(0, 1)
    assert compared(a, b, "worded") == Count(1, 1)
    assert compared(a, one_run(question())) == Count(1, 1)


def test_capitals_and_blanks_are_no_other_words():
    assert compared(one_run(question()), one_run(question(), said="  mario\n DRAGHI "), "worded") == Count(
        0, 1
    )


def test_answers_whose_text_was_not_kept_can_still_be_compared_by_what_they_said():
    a = one_run(question())
    dropped = [replace(t, answer=Answer(flags=(NOT_KEPT,))) for t in a.trials]
    b = replace(a, trials=tuple(dropped))
    assert compared(a, b) == Count(0, 1)
    assert compared(a, b, "worded") == Count(0, 0)


def test_hostile_answers_are_compared_like_any_other():
    hostile = "\ud800\x00" + "‮" + "x" * 10**6
    assert compared(one_run(question(), said=hostile), one_run(question(), said=hostile), "worded") == Count(
        0, 1
    )


# Names


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"a": 3}, {"a": 5}, None),
        ({"a": 3}, {"b": 3}, ("a", "b")),
        ({"a": 3}, {}, None),
        ({}, {"b": 3}, None),
        ({"a": 60, "b": 40}, {"a": 45, "b": 55}, None),
        ({"a": 99, "b": 1}, {"b": 100}, ("a", "b")),
        ({"a": 100}, {"a": 70, "b": 30}, None),
        ({"a": 70, "b": 30}, {"b": 100}, ("a", "b")),
        ({"a": 100}, {"b": 99, "c": 1}, ("a", "b")),
    ],
)
def test_a_name_that_changed_is_told_from_several_servers_behind_one(before, after, told):
    assert renamed(Counter(before), Counter(after)) == told


# How often it is wrong, and how often right. The figures in docs/swaps.md come from the slow ones.


def daily(kind, rng, n=QUESTIONS):
    """A model that stays the same: a function that gives what it says on another day."""
    sampled = [rng.betavariate(0.3, 1.2) for _ in range(n)]
    unstable = [0.3 if rng.random() < 0.15 else 0.002 for _ in range(n)]
    elsewhere = [rng.random() < 0.06 for _ in range(n)]
    rates = {"steady": [0.005] * n, "batches": unstable, "sampled": sampled, "wild": [0.6] * n}
    words = {"steady": 0.02, "batches": 0.2, "sampled": 0.9, "wild": 1.0, "machines": 0.05, "moods": 0.4}

    def day(number):
        factor = rng.choice([0.3, 1, 1, 2.5]) if kind == "moods" else 1
        other_machine = kind == "machines" and rng.random() < 0.3
        said = [
            rng.randrange(1, 4) if rng.random() < factor * rate else 0
            for rate in rates.get(kind, [0.1 if kind == "moods" else 0.004] * n)
        ]
        said = [9 if other_machine and there else one for one, there in zip(said, elsewhere, strict=True)]
        worded = [(one, rng.random() if rng.random() < words[kind] else 0) for one in said]
        return traced(number, said, worded)

    return day


def false_alarms(kind, models, days):
    """Alarms and runs of models that never change."""
    alarms = runs = 0
    for model in range(models):
        day = daily(kind, random.Random(f"{kind} {model}"))
        past = [day(0)]
        for number in range(1, days):
            new = day(number)
            found = shift(past, new)
            alarms += found is not None
            runs += 1
            past = [new] if found else [*past, new][-watching.MAX_RUNS :]
    return alarms, runs


KINDS = ("steady", "batches", "sampled", "wild", "machines", "moods")


def test_models_that_stay_the_same_raise_no_alarm():
    alarms = {kind: false_alarms(kind, models=2, days=12)[0] for kind in KINDS}
    assert sum(alarms.values()) == 0, alarms


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms_are_rarer_than_one_run_in_a_thousand(kind):
    alarms, runs = false_alarms(kind, models=250, days=21)
    print(f"{kind}: {alarms} false alarms in {runs} runs")
    # What one in a thousand leaves room for: fifteen of 5,000 have a chance of 2 in 10,000.
    assert alarms <= 3 * ALARM * runs


# Choices: a letter says all, so that answers are worded otherwise as often as they say something else.

CHOICES, PER_KIND = 600, 100


def choosing(kind, rng):
    """A model that chooses the same but for near ties: a function that gives its letters on another day.

    There, ``agreement`` less than 1 is another model, which chooses the same in that share of the questions.
    """
    margins = [rng.gauss(0, 1) for _ in range(CHOICES)]
    spread = {"few ties": 0.01, "ties": 0.05, "drifting kinds": 0.05, "two letters": 0.3}[kind]
    own, common = (0 if kind == "drifting kinds" else spread), (0 if kind == "ties" else spread)

    def day(number, agreement=1.0):
        # What moves a near tie (another batch, another machine) may move all of a kind the same way.
        moved = [rng.gauss(0, common) for _ in range(CHOICES // PER_KIND)]
        letters = [margin + moved[n // PER_KIND] + rng.gauss(0, own) > 0 for n, margin in enumerate(margins)]
        return traced(number, [one if rng.random() < agreement else "another" for one in letters])

    return day


TIES = ("few ties", "ties", "drifting kinds", "two letters")


def false_alarms_of_choices(kind, models, days):
    alarms = runs = 0
    for model in range(models):
        day = choosing(kind, random.Random(f"{kind} {model}"))
        past = [day(0)]
        for number in range(1, days):
            new = day(number)
            found = shift(past, new)
            alarms += found is not None
            runs += 1
            past = [new] if found else [*past, new]
    return alarms, runs


def swaps_of_choices_seen(kind, agreement, runs, swaps):
    found = 0
    for number in range(swaps):
        day = choosing(kind, random.Random(f"{kind} {agreement} {runs} {number}"))
        past = [day(n) for n in range(runs)]
        found += shift(past, day(runs, agreement)) is not None
    return found


def test_models_that_choose_the_same_but_for_ties_raise_no_alarm():
    alarms = {kind: false_alarms_of_choices(kind, models=1, days=8)[0] for kind in TIES}
    assert sum(alarms.values()) == 0, alarms


def test_another_model_that_chooses_otherwise_is_seen_at_once():
    assert swaps_of_choices_seen("ties", agreement=0.4, runs=6, swaps=3) == 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", TIES)
def test_false_alarms_of_choices_are_rarer_than_one_run_in_a_thousand(kind):
    alarms, runs = false_alarms_of_choices(kind, models=100, days=21)
    print(f"{kind}: {alarms} false alarms in {runs} runs")
    # Eight of 2,000 have a chance of 1 in 1,000.
    assert alarms <= 4 * ALARM * runs


@pytest.mark.slow
@pytest.mark.parametrize("kind", TIES)
@pytest.mark.parametrize("agreement", [0.4, 0.7, 0.85])
def test_the_power_against_swaps_of_models_that_choose_is_as_told(kind, agreement):
    shares = {runs: swaps_of_choices_seen(kind, agreement, runs, swaps=40) / 40 for runs in (2, 4, 6, 11, 21)}
    print(f"{kind}, {agreement:.0%} alike: {shares}")
    if agreement == 0.4:
        assert shares[11] >= 0.95


def recorded(folder, *names):
    """What DyKnow's models said and how, by question and prompt, from their recorded answers."""
    path = folder / "cases.jsonl"
    script = [sys.executable, str(SHARED / "dyknow/to_cases.py"), *names]
    path.write_text(subprocess.run(script, capture_output=True, text=True, check=True).stdout)
    models = defaultdict(lambda: defaultdict(dict))
    for one in judge_files([str(path)]):
        said = one.judgement.matched or str(one.judgement.verdict)
        models[one.case.model][one.case.group, one.case.fact][one.case.prompt] = said, one.case.answer
    return models


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("dyknow"))


@pytest.fixture(scope="module")
def few_models(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("dyknow"), "gpt-3.5-turbo-1106", "vicuna-7b-v1.5")


# How often a prompt's answer is that of another model by chance, and how often it is worded anew.
NOISE = {"none": (0, 0), "low": (0.01, 0.1), "medium": (0.05, 0.4), "high": (0.2, 1.0)}


def speak(models, name, noise, rng, number):
    """One run of a recorded model, with noise."""
    others = [other for other in models if other != name]
    said, worded = [], []
    for asked, prompts in models[name].items():
        answers = [
            models[rng.choice(others)][asked][prompt] if rng.random() < noise[0] else answer
            for prompt, answer in prompts.items()
        ]
        said.append([what for what, _ in answers])
        worded.append([(text, rng.random() if rng.random() < noise[1] else 0) for _, text in answers])
    return traced(number, said, worded)


def swapped(kind, before, after, noise):
    """Who answers after the swap, and with what noise."""
    if kind == "another model":
        return after, noise
    if kind == "quantised":  # a few facts lost, and half of the answers in other words
        return before, (noise[0] + 0.02, max(noise[1], 0.45))
    return before, (noise[0] + 0.15, 1.0)  # sampled at a higher temperature


def seen(models, kind, level, runs, swaps):
    """How many swaps are seen by the first run after them, of a model that was asked so often before."""
    found = 0
    for number in range(swaps):
        rng = random.Random(f"{kind} {level} {runs} {number}")
        before, after = rng.sample(sorted(models), 2)
        past = [speak(models, before, NOISE[level], rng, n) for n in range(runs)]
        name, noise = swapped(kind, before, after, NOISE[level])
        found += shift(past, speak(models, name, noise, rng, runs)) is not None
    return found


@needs_shared
@pytest.mark.parametrize("kind", ["another model", "quantised", "temperature"])
def test_swaps_of_a_greedy_model_are_seen_at_once(few_models, kind):
    assert seen(few_models, kind, "none", runs=6, swaps=3) == 3


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize(
    ("kind", "level", "least"),
    [
        ("another model", "none", 1.0),
        ("another model", "low", 0.98),
        ("another model", "medium", 0.85),
        ("another model", "high", 0.5),
        ("quantised", "none", 1.0),
        ("quantised", "low", 0.85),
        ("temperature", "none", 1.0),
        ("temperature", "low", 0.95),
    ],
)
def test_the_power_against_swaps_is_as_told(models, kind, level, least):
    shares = {runs: seen(models, kind, level, runs, swaps=40) / 40 for runs in (2, 4, 6, 11, 21)}
    print(f"{kind}, noise {level}: {shares}")
    assert shares[6] >= least
    assert shares[21] >= least


# What is stored


@pytest.fixture(params=DATABASES)
def store(request, tmp_path):
    with open_store(made_database(request.param, tmp_path)) as store:
        yield store


def ask(store, number, *, said="Mario Draghi", asked=MIN_QUESTIONS + 5, status="finished", **answer):
    """A run on the day of that number in which everything is answered alike."""
    begun = NOW + timedelta(days=number)
    mine = run(f"r{number}", started_at=begun, as_of=begun.date())
    asked = questions(asked, as_of=mine.as_of)
    store.start_run(mine, asked)
    judgement = Judgement(Verdict.OUTDATED, "mention", said)
    answers = [
        replace(t, judgement=judgement, answer=replace(t.answer, text=said, **answer)) for t in trials(asked)
    ]
    store.add_trials(mine.id, answers)
    store.finish_run(mine.id, begun + timedelta(minutes=1), status)
    return store.run(mine.id)


def test_a_model_that_stays_the_same_has_no_events(store):
    assert [watching.watch(store, ask(store, day)) for day in range(4)] == [[]] * 4
    assert store.model_events() == []


def test_a_shift_is_stored_once_with_what_was_usual_and_what_was_found(store):
    for day in range(5):
        ask(store, day)
    other = ask(store, 5, said="Giorgia Meloni")
    (event,) = watching.watch(store, other)
    assert (event.kind, event.run, event.seen_at) == ("answers_shifted", "r5", other.finished_at)
    assert event.before == "0.6% of questions answered otherwise from run to run"
    assert event.after == "100.0% (25 of 25) since run r4"
    assert event.p_value < ALARM
    assert watching.watch(store, other) == []
    assert store.model_events("m") == [event]


def test_a_name_or_fingerprint_that_changed_is_an_event(store):
    watching.watch(store, ask(store, 0))
    events = watching.watch(store, ask(store, 1, served_model="m-2", fingerprint="fp-2"))
    assert [(e.kind, e.before, e.after, e.p_value) for e in events] == [
        ("served_model_changed", "m-1", "m-2", None),
        ("fingerprint_changed", "fp", "fp-2", None),
    ]


def test_a_server_that_gives_no_name_for_a_day_did_not_change_it(store):
    watching.watch(store, ask(store, 0))
    assert watching.watch(store, ask(store, 1, served_model=None, fingerprint=None)) == []
    assert watching.watch(store, ask(store, 2)) == []
    (event,) = watching.watch(store, ask(store, 3, served_model="m-2"))
    assert event.before == "m-1"


def test_after_a_swap_the_new_model_is_what_is_usual(store):
    for day, said in enumerate([*["Mario Draghi"] * 5, *["Giorgia Meloni"] * 5, *["Mario Draghi"] * 2]):
        ran = ask(store, day, said=said)
        if day >= 5:
            watching.watch(store, ran)
    assert [event.run for event in store.model_events()] == ["r10", "r5"]


def test_a_run_that_did_not_finish_is_no_sign(store):
    watching.watch(store, ask(store, 0))
    broken = ask(store, 1, served_model="m-2", status="failed")
    assert watching.watch(store, broken) == []
    assert watching.watch(store, ask(store, 2)) == []


def test_a_run_that_was_never_watched_is_watched_with_the_next(store):
    for day in range(5):
        ask(store, day)
    ask(store, 5, said="Giorgia Meloni")  # killed before it could watch
    events = watching.watch(store, ask(store, 6, said="Giorgia Meloni"))
    assert [(event.kind, event.run) for event in events] == [("answers_shifted", "r5")]


def test_the_runs_read_are_bounded(store, monkeypatch):
    monkeypatch.setattr(watching, "MAX_ANSWERS", 100)
    for day in range(6):
        ask(store, day)
    read = []
    monkeypatch.setattr(watching, "trace", lambda *given: read.append(given) or trace(*given))
    watching.watch(store, ask(store, 6))
    assert len(read) == 3  # two of 75 answers each, and the new one


def test_an_event_is_told_in_a_line(store):
    watching.watch(store, ask(store, 0))
    (event,) = watching.watch(store, ask(store, 1, served_model="m-2"))
    assert watching.told(event) == "m calls itself 'm-2', before 'm-1': another model may be answering"
