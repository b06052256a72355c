"""Tallies, what is outdated, and comparisons."""

import json
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from shared import SHARED, needs_shared

from freshness.facts import ValidityInterval, Value
from freshness.history import (
    Run,
    Trial,
    compare,
    judgement_of,
    mcnemar,
    outcomes,
    outdated_facts,
    pairs,
    steps,
    tally,
    tally_groups,
    wilson,
)
from freshness.questions import Answer, Prompt, Question
from freshness.verdicts import CLAIMS, Judgement, Verdict

C, O, I, R, U = CLAIMS  # noqa: E741 - one letter a verdict keeps the tables below readable
AS_OF = date(2023, 12, 20)


def trial(question, verdict, matched=None, lag=None, *, prompt="p1", group="countries", lag_values=None):
    judgement = Judgement(verdict, "rule", matched, matched, lag_days=lag, lag_values=lag_values)
    return Trial(question, group, question, prompt, f"{question}?", Answer(matched or "text"), judgement)


def failed(question, kind="timeout", *, prompt="p1"):
    answer = Answer(error="no answer within 30 s", error_kind=kind)
    return Trial(question, "countries", question, prompt, f"{question}?", answer, None)


def asked(*verdicts, question="q"):
    return [trial(question, verdict, prompt=f"p{n}") for n, verdict in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("verdicts", "best"),
    [
        ([I, O, C], C),
        ([I, R, O], O),
        ([R, I, U], I),
        ([U, R, U], R),
        ([U, U, U], U),
    ],
)
def test_upper_bound_takes_the_best_prompt(verdicts, best):
    counts = tally(asked(*verdicts)).upper_bound
    assert counts.by_verdict == {v: int(v is best) for v in CLAIMS}


def test_average_counts_prompts_whatever_their_question():
    trials = asked(C, O, I, question="a") + asked(C, C, R, question="b")
    assert tally(trials).average.ratios() == {
        "correct": 0.5,
        "outdated": pytest.approx(1 / 6),
        "irrelevant": pytest.approx(1 / 6),
        "refused": pytest.approx(1 / 6),
        "unreadable": 0.0,
        "irrelevant_as_published": pytest.approx(1 / 3),
    }


def test_errors_are_in_no_denominator():
    result = tally([trial("a", C), failed("a", prompt="p2"), failed("b", "http_429")])
    assert result.upper_bound.total == 1
    assert result.average.ratio(C) == 1.0
    assert dict(result.failed_prompts) == {"timeout": 1, "http_429": 1}
    assert result.failed_questions == 1


def test_no_data_is_not_zero():
    body = tally([failed("a")]).to_json()
    assert body["upper_bound"]["correct"] is None
    assert body["upper_bound_interval_95"]["correct"] is None
    assert body["agreement"] is None
    assert body["lag"]["median_days"] is None


def test_a_tally_keeps_counts_and_the_names_of_its_rules():
    body = tally(asked(C, I, C, O, I)).to_json()
    assert body["counts"]["average"] == {
        "correct": 2,
        "outdated": 1,
        "irrelevant": 2,
        "refused": 0,
        "unreadable": 0,
    }
    assert body["rules"] == {
        "upper_bound": "best_of_prompts",
        "average": "mean_over_prompts",
        "agreement": "same_value_where_any_named",
    }
    assert json.loads(json.dumps(body)) == body | {
        "upper_bound_interval_95": {k: list(v) for k, v in body["upper_bound_interval_95"].items()}
    }


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(CLAIMS))))
def test_ratios_add_up_to_one_and_the_upper_bound_is_no_worse_than_the_average(rows):
    result = tally([trial(question, verdict) for question, verdict in rows])
    if not rows:
        assert result.upper_bound.ratio(C) is None
        return
    for counts in (result.upper_bound, result.average):
        assert sum(counts.ratio(v) for v in CLAIMS) == pytest.approx(1)
    questions = {question for question, _ in rows}
    by_question = [tally([trial(q, v) for q, v in rows if q == name]) for name in questions]
    assert all(t.upper_bound.ratio(C) >= t.average.ratio(C) for t in by_question)


class TestAgreement:
    def test_all_prompts_name_the_same_value(self):
        trials = [trial("q", C, "Meloni", prompt=p) for p in ("p1", "p2", "p3")]
        assert tally(trials).agreement.ratio == 1.0

    def test_same_verdict_with_different_values_is_no_agreement(self):
        trials = [trial("q", O, "Draghi"), trial("q", O, "Conte", prompt="p2")]
        assert tally(trials).agreement.ratio == 0.0

    def test_a_prompt_that_names_nothing_disagrees_with_one_that_names_something(self):
        trials = [trial("q", O, "Draghi"), trial("q", R, prompt="p2")]
        assert tally(trials).agreement.ratio == 0.0

    def test_a_question_nobody_named_a_value_for_says_nothing(self):
        agreement = tally([trial("q", I), trial("q", I, prompt="p2")]).agreement
        assert (agreement.ratio, agreement.silent) == (None, 1)

    def test_a_question_with_a_failed_prompt_is_left_out_and_counted(self):
        agreement = tally([trial("q", C, "Meloni"), failed("q", prompt="p2")]).agreement
        assert (agreement.ratio, agreement.incomplete) == (None, 1)

    def test_one_prompt_can_agree_with_no_other(self):
        assert tally([trial("q", C, "Meloni")]).agreement.named == 0


def test_lag_counts_each_outdated_fact_once_by_its_least_outdated_answer():
    trials = [
        trial("a", O, "Conte", 1000, prompt="p1", lag_values=2),
        trial("a", O, "Draghi", 400, prompt="p2", lag_values=1),
        trial("b", O, "May", 200, lag_values=3),
        trial("c", O, "Nobody knows when"),
        trial("d", C, "Meloni"),
    ]
    assert tally(trials).lag.to_json() == {
        "facts": 3,
        "median_days": 300,
        "max_days": 400,
        "median_values": 2,
        "max_values": 3,
    }


def test_groups_are_tallied_apart():
    trials = [trial("a", C), trial("b", I, group="athletes"), trial("c", C)]
    groups = tally_groups(trials)
    assert {name: t.upper_bound.ratio(C) for name, t in groups.items()} == {"countries": 1.0, "athletes": 0.0}


def test_a_failed_trial_has_no_judgement_to_ask_for():
    with pytest.raises(ValueError, match="p1 of q failed"):
        judgement_of(failed("q"))


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_interval_agrees_with_scipy(successes, n):
    successes = min(successes, n)
    expected = stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert wilson(successes, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.integers(0, 80), st.integers(0, 80))
def test_mcnemar_agrees_with_the_binomial_test(only_a, only_b):
    n = only_a + only_b
    expected = stats.binomtest(only_a, n).pvalue if n else 1.0
    assert mcnemar(only_a, only_b) == pytest.approx(expected)


def test_mcnemar_of_ten_thousand_pairs_does_not_overflow():
    assert 0 < mcnemar(4900, 5100) < 0.05
    assert mcnemar(0, 10_000) == 0.0


class TestCompare:
    def test_joins_by_question_and_never_by_position(self):
        a = [trial("pm_uk", C, "Keir Starmer"), trial("pm_fr", O, "Attal"), trial("pm_de", C, "Merz")]
        b = [trial("pm_de", C, "Friedrich Merz"), trial("pm_uk", O, "Sunak")]
        result = compare(a, b)
        assert (result.both, result.questions, result.unpaired) == (1, 2, 1)
        assert [(p.a.question, p.b.question) for p in result.only_a] == [("pm_uk", "pm_uk")]

    def test_a_question_that_failed_on_one_side_is_unpaired(self):
        result = compare([trial("a", C)], [failed("a")])
        assert (result.questions, result.unpaired) == (0, 1)
        assert result.p_value == 1.0

    def test_json_says_what_differs(self):
        body = compare([trial("a", C, "Meloni")], [trial("a", O, "Draghi")]).to_json()
        assert body["only_a_correct"] == 1
        assert body["p_value"] == 1.0
        assert body["differing"] == [
            {
                "fact": "a",
                "group": "countries",
                "question": "a",
                "a": {"verdict": "correct", "matched": "Meloni"},
                "b": {"verdict": "outdated", "matched": "Draghi"},
            }
        ]


def run(day, *trials, **more):
    started = datetime(2023, 12, day, tzinfo=UTC)
    return Run(
        f"r{day}", "m", "current", AS_OF, started, "bundled", started, "d", "judge-1", trials=trials, **more
    )


class TestSteps:
    def test_runs_are_put_in_order_of_time_and_the_first_has_no_changes(self):
        later, first = run(9, trial("a", C)), run(2, trial("a", O, "Draghi"))
        found = steps([later, first])
        assert [step.run.id for step in found] == ["r2", "r9"]
        assert found[0].newly_correct == ()
        assert [pair.a.judgement.matched for pair in found[1].newly_correct] == ["Draghi"]

    def test_tells_newly_outdated_from_lost(self):
        before = run(1, trial("a", C), trial("b", C), trial("c", I), trial("d", C))
        after = run(2, trial("a", O), trial("b", R), trial("c", O), failed("d"))
        step = steps([before, after])[1]
        assert [pair.b.question for pair in step.newly_outdated] == ["a", "c"]
        assert [pair.b.question for pair in step.lost] == ["b"]

    def test_json_carries_the_run_and_its_tally(self):
        body = steps([run(1, trial("a", C))])[0].to_json()
        assert (body["run"], body["upper_bound"]["correct"], body["newly_outdated"]) == ("r1", 1.0, [])


def question(name, *values):
    prompts = (Prompt(f"{name}/p1", "p1", f"Who leads {name}?", f"{name} is led by"),)
    return Question(name, "current", "countries", name, prompts, AS_OF, values, "one", name)


def value(label, start, end):
    return Value(label, intervals=(ValidityInterval.from_json(start, end),))


ITALY = question(
    "Italy",
    value("Meloni", "2022-10-22", None),
    value("Draghi", "2021-02-13", "2022"),
    value("Conte", "2018", None),
)


def outdated_since(said, until):
    lag = (AS_OF - until).days
    [found] = outdated_facts([ITALY], [trial("Italy", O, said, lag)], lambda q: ["Meloni"])
    return str(found.since)


class TestOutdated:
    def test_says_what_was_said_since_when_it_is_untrue_and_what_is_true_now(self):
        lag = (AS_OF - date(2022, 10, 22)).days
        [found] = outdated_facts([ITALY], [trial("Italy", O, "Draghi", lag)], lambda q: ["Meloni"])
        assert found.to_json() == {
            "fact": "Italy",
            "group": "countries",
            "question": "Who leads Italy?",
            "said": "Draghi",
            "mention": "Draghi",
            "since": "2022-10-22",
            "lag_days": 424,
            "lag_values": None,
            "now": ["Meloni"],
        }

    def test_since_is_no_more_exact_than_the_record(self):
        assert outdated_since("Draghi", date(2022, 7, 2)) == "2022"

    def test_an_end_that_is_missing_is_the_start_of_the_next(self):
        assert outdated_since("Conte", date(2021, 2, 13)) == "2021-02-13"

    def test_an_end_that_no_bound_explains_is_the_day_itself(self):
        assert outdated_since("Conte", date(2020, 5, 5)) == "2020-05-05"

    def test_an_end_that_nobody_recorded_stays_unknown(self):
        [found] = outdated_facts([ITALY], [trial("Italy", O, "Conte")], lambda q: [])
        assert (found.since, found.to_json()["since"], found.now) == (None, None, ())

    def test_a_lag_from_before_the_common_era_has_no_day(self):
        [found] = outdated_facts([ITALY], [trial("Italy", O, "Numa", 800_000)], lambda q: [])
        assert found.since is None

    def test_a_fact_some_prompt_gets_right_is_not_outdated(self):
        trials = [trial("Italy", O, "Draghi", 9), trial("Italy", C, "Meloni", prompt="p2")]
        assert outdated_facts([ITALY], trials, lambda q: []) == []

    def test_the_longest_outdated_comes_first_and_the_unknown_last(self):
        questions = [question(name, value("X", "2000", "2001")) for name in "abc"]
        trials = [trial("a", O, "X"), trial("b", O, "X", 10), trial("c", O, "X", 99)]
        found = outdated_facts(questions, trials, lambda q: [])
        assert [fact.question.id for fact in found] == ["c", "b", "a"]

    def test_a_question_that_was_never_answered_is_not_listed(self):
        assert outdated_facts([ITALY], [failed("Italy")], lambda q: []) == []


def test_the_best_of_several_outdated_answers_is_the_latest():
    best = outcomes([trial("a", O, "May", 900), trial("a", O, "Sunak", 100), trial("a", O, "?")])
    assert best["a"].judgement.matched == "Sunak"
    assert [p.a.judgement.matched for p in pairs(best.values(), [trial("a", I)])] == ["Sunak"]


PUBLISHED = {  # DyKnow, tables 1 and 4: correct, outdated, irrelevant in per cent
    "gpt2-xl": ((26, 42, 32), (15, 24, 61)),
    "gpt-3.5-turbo-1106": ((57, 35, 8), (56, 35, 9)),
    "Meta-Llama-3-8B": ((57, 36, 7), (37, 34, 29)),
    "t5-3b": ((11, 21, 68), (5, 12, 83)),
}


@needs_shared
@pytest.mark.parametrize("model", PUBLISHED)
def test_published_labels_add_up_to_the_published_tables(model):
    rows = [
        json.loads(line) for line in (SHARED / "dyknow/answers" / f"{model}.jsonl").read_text().splitlines()
    ]
    result = tally(
        trial(f"{r['subject']}/{r['attribute']}", Verdict(r["paper_verdict"]), prompt=r["prompt"])
        for r in rows
        if r["prompt"] != "generic"
    )
    for counts, published in zip((result.upper_bound, result.average), PUBLISHED[model], strict=True):
        assert counts.total in (130, 390)
        assert [100 * counts.ratio(v) for v in (C, O, I)] == pytest.approx(published, abs=1.05)
