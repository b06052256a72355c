from collections import Counter
from datetime import UTC, datetime

import pytest
from numeric_world import AS_OF, chart, walk

from freshness.questions import CHOICE_KINDS
from freshness.series import SeriesSnapshot
from freshness.suites import numeric
from freshness.suites.numeric import sampling


def world(count=6):
    codes = [f"A{chr(65 + n)}{chr(65 + n)}" for n in range(count)]
    charts = tuple(
        chart(
            *[(code, code, 1960, walk(n, 60)) for n, code in enumerate(codes)], name=name, category=category
        )
        for name, category in (("life", "health"), ("crops", "food"), ("deaths", "health"))
    )
    older = {"AAA/life": ((1990, 12.5, "2020-01-01"),)}
    return SeriesSnapshot("test", datetime(2026, 1, 1, tzinfo=UTC), charts, older)


WORLD = world()


def drawn(size, **changed):
    return numeric.sample(WORLD, AS_OF, numeric.Options(**changed), size)


def test_a_sample_is_of_that_size_and_of_questions_that_there_are():
    everything = {q.id: q for q in numeric.questions(WORLD.charts, AS_OF, numeric.Options(), WORLD.older)}
    found = drawn(200)
    assert len(found.questions) == 200
    assert found.among == len(everything)
    for question in found.questions:
        plain = everything[question.id]
        assert question.prompts == plain.prompts
        assert question.numeric.options == plain.numeric.options
    assert found.left_out == numeric.left_out(WORLD.charts, AS_OF, numeric.Options())


def test_the_same_seed_draws_the_same_and_more_hold_fewer():
    small, large = ({q.id for q in drawn(size).questions} for size in (150, 400))
    assert small == {q.id for q in drawn(150).questions}
    assert small < large
    assert small != {q.id for q in drawn(150, seed=1).questions}


def test_all_kinds_and_categories_are_drawn_alike():
    base = [q.numeric for q in drawn(240).questions if not q.numeric.extra]
    kinds = Counter(key.kind for key in base)
    assert max(kinds.values()) - min(kinds.values()) <= 1
    assert set(kinds) == set(CHOICE_KINDS)
    categories = Counter(key.category for key in base)
    assert abs(categories["health"] - categories["food"]) <= len(CHOICE_KINDS)


def test_who_says_that_the_later_year_is_higher_is_right_half_the_time():
    codes = [f"A{chr(65 + n)}{chr(65 + n)}" for n in range(20)]
    grows = [[v * 1.004**k for k, v in enumerate(walk(n, 60))] for n in range(len(codes))]
    told = chart(*[(code, code, 1960, values) for code, values in zip(codes, grows, strict=True)])
    growing = SeriesSnapshot("test", WORLD.taken_at, (told,))

    def rising(size):
        found = numeric.sample(growing, AS_OF, numeric.Options(kinds=("comparative",)), size).questions
        keys = [q.numeric for q in found]
        values = [(dict(key.values), key) for key in keys]
        return sum(told[max(key.years)] > told[min(key.years)] for told, key in values) / len(keys)

    assert rising(10**6) > 0.6
    assert abs(rising(400) - 0.5) < 0.03


def test_extra_questions_are_about_the_newest_years():
    extra = [q.numeric for q in drawn(300).questions if q.numeric.extra]
    assert extra
    assert min(max(key.years) for key in extra) > 2019 - 15


def test_more_than_there_are_is_all_there_is():
    found = drawn(10**6)
    assert len(found.questions) == found.among
    assert not any(q.numeric.extra for q in found.questions)


def test_nothing_known_gives_an_empty_sample():
    nothing = SeriesSnapshot("test", WORLD.taken_at, (chart(),))
    assert numeric.sample(nothing, AS_OF, numeric.Options(), 10).questions == ()


def test_open_questions_carry_what_earlier_vintages_gave():
    found = drawn(10**6, kinds=("next_word",)).questions
    about = {q.id: q.numeric.older for q in found}
    assert about["AAA/life/next_word/1990"] == WORLD.older["AAA/life"]
    assert about["ABB/life/next_word/1990"] == ()


@pytest.mark.parametrize("size", [1, 50])
def test_only_what_is_drawn_is_put_into_words(monkeypatch, size):
    worded = []
    plain = sampling.frame
    monkeypatch.setattr(sampling, "frame", lambda keys, as_of: worded.append(len(keys)) or plain(keys, as_of))
    assert len(drawn(size).questions) == size
    assert sum(worded) == size
