import json
import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshness.history import (
    ChoiceFigures,
    KnownYears,
    Run,
    Summary,
    Trial,
    compare,
    figures,
    steps,
    summarise,
    tally_run,
    wilson,
)
from freshness.history.choices import LEAST_ANSWERS, MOST_INDICATORS, MOST_YEARS, Share, against_chance
from freshness.metrics.readings import ModelReading, Readings, SuiteReading
from freshness.metrics.samples import samples
from freshness.questions import CHOICE_KINDS, Answer, NumericKey, Prompt, Question
from freshness.verdicts import Judgement, Verdict

OPTIONS = {"comparative": ("Yes", "No"), "next_word": ()}


def question(number, kind="date", year=2000, category="health", indicator="life-expectancy", extra=False):
    options = OPTIONS.get(kind, ("1", "2", "3", "4"))
    key = NumericKey(
        kind, category, indicator, "", "France", "FRA", (year - 1, year), 1.0, ((year, 1.0),), options, "(a)"
    )
    fact, prompts = f"FRA/{indicator}", (Prompt("p", "p1", "?", ""),)
    numeric = key if not extra else NumericKey(**{**vars_of(key), "extra": True})
    return Question(f"q{number}", "numeric", category, fact, prompts, date(2024, 1, 1), (), numeric=numeric)


def vars_of(key):
    return {name: getattr(key, name) for name in key.__dataclass_fields__}


def trial(asked, verdict):
    judgement = verdict and Judgement(Verdict(verdict), "rule")
    answer = Answer("(a)") if verdict else Answer(error="down", error_kind="timeout")
    return Trial(asked.id, asked.group, asked.fact, "p1", "?", answer, judgement)


def added(*asked, known=None):
    questions = [one for one, _ in asked]
    return figures(questions, [trial(one, verdict) for one, verdict in asked], known)


def test_counts_stand_by_kind_category_year_and_indicator():
    found = added(
        (question(1), "correct"),
        (question(2, year=2001), "incorrect"),
        (question(3, "comparative", 2001, "food", "wheat-yields"), "not_available"),
    )
    none = {"correct": 0, "incorrect": 0, "not_available": 0}
    assert found.kinds == {
        "date": none | {"correct": 1, "incorrect": 1},
        "comparative": none | {"not_available": 1},
    }
    assert found.categories["food"] == none | {"not_available": 1}
    assert found.years == {"2000": none | {"correct": 1}, "2001": none | {"incorrect": 1, "not_available": 1}}
    assert found.indicators["comparative"]["wheat-yields"]["not_available"] == 1
    assert found.chance == {"date": 0.25, "comparative": 0.5}


def test_a_question_about_several_years_counts_for_the_newest():
    assert list(added((question(1, "window", 2015), "correct")).cells["window"]) == ["2015"]


def test_failed_prompts_and_questions_without_a_number_count_nowhere():
    plain = Question("q9", "current", "g", "f", (), date(2024, 1, 1), ())
    found = added((question(1), None), (plain, "correct"))
    assert (found.kinds, found.average(Verdict.CORRECT)) == ({}, None)


def test_open_answers_have_the_verdicts_of_claims():
    found = added((question(1, "next_word"), "outdated"))
    assert found.kinds["next_word"] == {
        "correct": 0,
        "outdated": 1,
        "irrelevant": 0,
        "refused": 0,
        "unreadable": 0,
    }
    assert found.chance == {"next_word": 0.0}


def test_extra_questions_count_in_no_share():
    found = added((question(1), "correct"), (question(2, extra=True), "incorrect"))
    assert found.extra == 1
    assert found.share("date", Verdict.CORRECT).value == 1.0


def extended():
    """A run of four questions: half of its sample is right, and so is all beside it."""
    asked = [(question(1), "correct"), (question(2), "incorrect")]
    beside = [(question(3, extra=True), "correct"), (question(4, extra=True), None)]
    questions, verdicts = zip(*asked, *beside, strict=True)
    day = datetime(2024, 6, 1, tzinfo=UTC)
    run = Run("r", "m", "numeric", date(2024, 6, 1), day, "bundled", day, "d", "1", status="finished")
    return replace(run, questions=questions, trials=tuple(map(trial, questions, verdicts)), finished_at=day)


def test_all_that_adds_up_answers_counts_the_sample_alone():
    run = extended()
    told = summarise(run, cutoff=None, window=None)
    counts = {"correct": 1, "incorrect": 1, "not_available": 0}
    assert told.upper_bound == told.average == told.groups["health"] == counts
    assert (told.questions, told.prompts, told.beside, told.answered) == (2, 2, 1, 3)
    assert told.errors == {"timeout": 1}, "what failed is told of all that was asked"
    assert tally_run(run).upper_bound.to_json() == counts
    (step,) = steps([run])
    assert step.tally.upper_bound.to_json() == counts
    assert step.choices.average(Verdict.CORRECT).value == 0.5
    told_ratios = (one for one in samples(readings(told)) if one.name == "answers_ratio")
    found = {one.labels: one.value for one in told_ratios}
    assert found["m", "numeric", "all", "correct"] == found["m", "numeric", "health", "correct"] == 0.5


def test_runs_are_compared_by_their_samples():
    run = extended()
    other = replace(run, id="r2", trials=tuple(trial(one, "incorrect") for one in run.questions))
    compared = compare(run.sample, other.sample)
    assert (compared.questions, len(compared.only_a), compared.unpaired) == (2, 1, 0)
    later = replace(other, started_at=run.started_at + timedelta(days=1))
    first, second = steps([run, later])
    assert (first.paired, second.paired) == (0, 2)


def test_each_kind_weighs_the_same_in_the_average():
    asked = [(question(n), "correct" if n < 30 else "incorrect") for n in range(40)]
    asked += [(question(100 + n, "comparative"), "incorrect") for n in range(10)]
    found = added(*asked).average(Verdict.CORRECT)
    assert (found.value, found.chance) == (0.375, 0.375)
    # 4 / (1/40 + 1/10) = 32 answers tell as much.
    assert (found.low, found.high) == wilson(12, 32)


def test_the_share_of_one_kind_has_wilsons_interval():
    asked = [(question(n), "correct" if n < 7 else "incorrect") for n in range(20)]
    found = added(*asked).share("date", Verdict.CORRECT)
    assert (found.value, *wilson(7, 20), found.chance) == pytest.approx(found[:1] + found[1:3] + (0.25,))


def test_a_category_a_year_and_an_indicator_have_their_own_chance():
    found = added((question(1), "correct"), (question(2, "comparative", category="food"), "correct"))
    assert found.of_category("food", Verdict.CORRECT).chance == 0.5
    assert found.of_year("2000", Verdict.CORRECT).chance == 0.375
    assert found.of_indicator("life-expectancy", Verdict.CORRECT).chance == 0.375
    assert found.of_category("migration", Verdict.CORRECT) is None


def test_what_is_kept_is_bounded():
    many = 3 * max(MOST_YEARS, MOST_INDICATORS)
    asked = [(question(n, year=2024 - n, indicator=f"i{n}"), "correct") for n in range(many)]
    found = added(*asked)
    assert len(found.years) == MOST_YEARS
    assert min(map(int, found.years)) == 2025 - MOST_YEARS
    assert len(found.indicators["date"]) == MOST_INDICATORS
    assert found.kinds["date"]["correct"] == many


def test_a_sample_of_600_is_kept_in_a_few_kilobytes():
    asked = [
        (
            question(n, CHOICE_KINDS[n % 6], 1947 + n % 76, f"category {n % 8}", f"indicator-{n % 8}"),
            "correct",
        )
        for n in range(600)
    ]
    assert len(json.dumps(added(*asked).to_json())) < 12_000


VERDICTS = {True: ["correct", "outdated", "refused"], False: ["correct", "incorrect", "not_available"]}


@st.composite
def runs(draw):
    asked = []
    kinds = draw(st.sampled_from([CHOICE_KINDS, ("next_word",)]))  # a suite has one vocabulary
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(kinds))
        verdict = draw(st.sampled_from(VERDICTS[kind == "next_word"]))
        asked.append((question(number, kind, draw(st.integers(1990, 1995))), verdict))
    return asked


@given(runs())
def test_figures_survive_their_json(asked):
    known = {"life-expectancy": KnownYears("estimated", 2022, 10, 2019, 2017, 2021)}
    found = added(*asked, known=known if asked else None)
    assert ChoiceFigures.from_json(json.loads(json.dumps(found.to_json()))) == found


@given(runs())
def test_an_interval_holds_its_share(asked):
    found = added(*asked)
    for verdict in Verdict:
        share = found.average(verdict)
        assert share is None or 0 <= share.low <= share.value <= share.high <= 1


def test_the_newest_years_known_are_those_that_can_be_said():
    known = {
        "life-expectancy": KnownYears("estimated", 2022, 10, 2019, 2017, 2021),
        "wheat-yields": KnownYears("too_few", 2022, 1),
    }
    found = added((question(1), "correct"), (question(2, indicator="wheat-yields"), "correct"), known=known)
    assert found.newest_years == {"life-expectancy": 2019}


NOW = datetime(2024, 6, 1, 9, 30, tzinfo=UTC)


def summary(*asked, suite="numeric", known=None):
    run = Run(
        id="r1", model="m", suite=suite, as_of=NOW.date(), started_at=NOW, snapshot_source="bundled",
        snapshot_taken_at=NOW, snapshot_digest="", judge="1", status="finished",
        questions=tuple(one for one, _ in asked), trials=tuple(trial(*pair) for pair in asked),
    )  # fmt: skip
    return summarise(run, cutoff=None, window=None, known_years=known)


def test_a_summary_keeps_the_figures_of_numbers():
    known = {"life-expectancy": KnownYears("reaches_newest", 2022, 10, 2022, 2019, 2022)}
    found = summary((question(1), "correct"), known=known)
    assert found.choices.newest_years == {"life-expectancy": 2022}
    assert Summary.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_a_summary_of_another_suite_or_from_before_has_none():
    plain = Question("q9", "current", "g", "f", (), date(2024, 1, 1), ())
    assert summary((plain, "correct"), suite="current").choices is None
    before = summary((question(1), "correct")).to_json()
    del before["choices"]
    assert Summary.from_json(before).choices is None


def readings(told):
    return Readings((ModelReading(told.model, (SuiteReading(told.suite, told),)),))


def share(right, answers, chance=0.25):
    low, high = wilson(right, answers)
    return Share(right / answers, low, high, chance, answers)


class TestAgainstChance:
    def test_a_row_is_marked_where_it_would_be_alone_and_not_among_many(self):
        odd = share(29, 80)  # 36 % instead of 25 %: p = 0.02
        assert odd.low > odd.chance
        assert against_chance({"a": odd}) == {"a": "above"}
        rows = {str(number): share(20, 80) for number in range(7)} | {"a": odd}
        assert set(against_chance(rows).values()) == {""}

    def test_rows_far_from_chance_are_marked_among_any_number(self):
        rows = {str(number): share(20, 80) for number in range(100)}
        marks = against_chance(rows | {"good": share(48, 80), "bad": share(2, 80)})
        assert (marks["good"], marks["bad"]) == ("above", "below")
        assert {marks[str(number)] for number in range(100)} == {""}

    def test_a_mark_is_never_within_the_interval(self):
        for right in range(81):
            one = share(right, 80)
            mark = against_chance({"a": one})["a"]
            assert (mark != "") == (not one.low <= one.chance <= one.high)

    @pytest.mark.parametrize("answers", [1, 5, LEAST_ANSWERS - 1])
    def test_few_answers_tell_nothing(self, answers):
        assert against_chance({"a": share(answers, answers)}) == {"a": ""}

    def test_open_answers_have_no_chance_to_be_held_against(self):
        assert against_chance({"a": share(40, 80, chance=0.0)}) == {"a": ""}

    def test_no_rows_are_no_marks(self):
        assert against_chance({}) == {}

    def test_of_tables_of_mere_guesses_one_in_twenty_has_a_mark(self):
        """800 tables of eight rows with 80 guesses each; four standard errors of 5 % are 3 %."""
        draw = random.Random(7)
        tables = [
            {str(row): share(sum(draw.random() < 0.25 for _ in range(80)), 80) for row in range(8)}
            for _ in range(800)
        ]
        marked = sum(any(against_chance(table).values()) for table in tables)
        assert 0.02 < marked / len(tables) < 0.08
