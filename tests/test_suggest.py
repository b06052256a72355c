import io
import json
from datetime import date
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from freshness.app import probing, suggesting
from freshness.app.setup import Choice
from freshness.config import load
from freshness.errors import UsageError
from freshness.facts import Fact, PartialDate, Precision, Subject, ValidityInterval, Value
from freshness.grading.timeline import current_labels
from freshness.report.suggestions import suggestions_view
from freshness.sources.bundled import Bundled
from freshness.window import Answered, Observation, WindowEstimate, observations_from
from freshness.window.estimate import Status
from freshness.window.months import months
from freshness.window.posterior import cutoff_posterior
from freshness.window.suggest import (
    Candidate,
    Narrowing,
    Suggestion,
    Suggestions,
    belief,
    information,
    narrowing,
)

TODAY = date(2024, 1, 1)
NOW = months(PartialDate.from_date(TODAY))


def value(label, *terms):
    return Value(label, (), tuple(ValidityInterval.from_json(start, end) for start, end in terms))


def office(*starts):
    """One holder after the other, from these dates on."""
    return [value(f"v{n}", (start, end)) for n, (start, end) in enumerate(pairwise((*starts, None)))]


def candidate(values, holders="one", as_of=TODAY):
    return Candidate.of("Q1/P6", values, as_of, holders)


def day(position):
    year, month = divmod(position, 12)
    return PartialDate(int(year), int(month) + 1, min(28, int(month % 1 * 31) + 1))


def dated(cutoff=2021 * 12, n=60):
    """Evidence of a model that knows nearly all up to half a year before its cutoff."""
    at = np.linspace(2016 * 12, 2023.5 * 12, n)
    return [Observation(day(t), bool(t < cutoff - 6) or i % 9 == 0) for i, t in enumerate(at)]


@pytest.fixture(scope="module")
def known():
    """What is known of a model whose knowledge ends about the middle of 2020."""
    window, joint = belief(dated(), TODAY)
    assert window.status == "estimated"
    return joint


def bits(joint, *candidates):
    return [float(b) for b in information(joint, candidates)]


# --- what a fact's record is


def test_a_candidate_is_read_off_the_successive_holders():
    found = candidate(office("2010-02-01", "2015-03-01", "2020-04-01"))
    assert [str(m) for m in found.moments] == ["2010-02-01", "2015-03-01", "2020-04-01"]
    assert found.spans == ((0, 1), (1, 2), (2, 3))
    assert found.holding == (1, 1, 1)
    assert found.changes == found.moments


def test_what_lies_after_the_day_is_left_out():
    assert candidate(office("2010", "2030")).changes == (PartialDate(2010),)
    ends_later = candidate([value("a", ("2010", "2030"))])
    assert (ends_later.moments, ends_later.spans) == ((PartialDate(2010),), ((0, 1),))


def test_a_value_that_came_back_holds_but_is_no_evidence():
    found = candidate([value("a", ("2010", "2012"), ("2016", None)), value("b", ("2012", "2016"))])
    assert found.spans == ((1, 2),)
    assert found.holding == (1, 1, 1)


def test_a_start_that_nobody_recorded_comes_first():
    found = candidate([value("a", (None, "2012-01-01")), value("b", ("2012-01-01", None))])
    assert found.moments == (None, PartialDate(2012, 1, 1))
    assert found.changes == (PartialDate(2012, 1, 1),)


def test_the_evidence_of_a_name_is_what_a_judged_answer_would_give():
    values = office("2010-02-01", "2015-03", "2020-04-01")
    found = candidate(values)
    for span, named in zip(found.spans, values, strict=True):
        assert list(found.evidence(span)) == observations_from(
            [Answered(tuple(values), TODAY, (named.label,), "one")]
        )


# --- how much it tells


def test_a_fact_that_never_changed_tells_nothing(known):
    steady = candidate(office("1953-01-01")), candidate([value("a", (None, None))])
    assert bits(known, *steady) == pytest.approx([0, 0], abs=1e-5)


def test_facts_without_values_and_no_facts_at_all_tell_nothing(known):
    assert bits(known, candidate([])) == [0]
    assert bits(known) == []


def test_a_change_in_the_uncertain_months_tells_more_than_an_old_or_a_late_one(known):
    old, within, late = (
        candidate(office("2005-01-01", d)) for d in ("2012-06-01", "2020-04-01", "2023-11-01")
    )
    before, amid, after = bits(known, old, within, late)
    assert amid > 5 * before
    assert amid > 2 * after


def test_facts_that_changed_often_come_out_on_top(known):
    once = candidate(office("2005-01-01", "2020-03-01"))
    yearly = candidate(office(*(f"{year}-03-01" for year in range(2010, 2024))))
    monthly = candidate(office("2010-01-01", *(f"2020-{month:02d}-01" for month in range(1, 13))))
    one, some, many = bits(known, once, yearly, monthly)
    assert one < some < many


def test_holders_who_came_back_tell_less(known):
    apart = office("2015-01-01", "2019-06-01", "2020-06-01")
    back = [value("a", ("2015-01-01", "2019-06-01"), ("2020-06-01", None)), apart[1]]
    different, again = bits(known, candidate(apart), candidate(back))
    assert 0 < again < different


def test_of_joint_holders_the_name_tells_less(known):
    alone = candidate(office("2015-01-01", "2020-03-01"))
    stayed = value("c", ("2015-01-01", None))
    both = candidate([*office("2015-01-01", "2020-03-01"), stayed], "many")
    one, joint = bits(known, alone, both)
    assert 0 < joint < one


@pytest.mark.parametrize(("exact", "rough"), [("2020-07-16", "2020-07"), ("2020-07-01", "2020")])
def test_a_rough_date_tells_less_than_its_middle_day(known, exact, rough):
    day, whole = bits(known, candidate(office("2005", exact)), candidate(office("2005", rough)))
    assert 0 < whole < day


def test_the_bits_are_those_of_the_whole_sum_over_cutoffs_and_parameters(known):
    """Against the definition, without any of the short cuts."""
    dates = ("2016-01-01", "2019-10-01", "2020-08-01")
    table, cells = known.table(Precision.DAY), known.cells
    cutoffs = np.arange(cells.count)
    heard = []
    for text in dates:
        cell = cells.index(np.array([months(PartialDate.parse(text))]))[0]
        heard.append(table[cells.count - 1 + cutoffs - cell])
    heard.append(np.zeros_like(heard[0]))
    total = 0.0
    for earlier, later in pairwise(heard):
        joint = (known.weights * (earlier - later)).sum(axis=1)
        prior, named = known.weights.sum(axis=1), joint.sum()
        there = joint > 0
        total += (joint[there] * np.log2(joint[there] / named / prior[there])).sum()
    assert bits(known, candidate(office(*dates)))[0] == pytest.approx(total, rel=1e-9)


def test_many_facts_at_once_are_told_as_one_by_one(known):
    some = [candidate(office("2005-01-01", f"20{year}-05-01")) for year in range(10, 24)]
    one_by_one = [bits(known, c)[0] for c in some]
    assert bits(known, *(some * 90)) == pytest.approx(one_by_one * 90)


BOUNDS = st.none() | st.builds(PartialDate, st.integers(1990, 2026), st.none() | st.integers(1, 12))
TERMS = st.builds(ValidityInterval, BOUNDS, BOUNDS, st.just(False))
VALUES = st.lists(st.lists(TERMS, min_size=1, max_size=3), max_size=5)


@settings(max_examples=60, deadline=None)
@given(VALUES, st.sampled_from(["one", "many"]))
def test_any_record_tells_something_between_nothing_and_which_value_it_is(known, raw, holders):
    values = [Value(f"v{n}", (), tuple(terms)) for n, terms in enumerate(raw)]
    found = bits(known, candidate(values, holders))[0]
    assert 0 <= found <= np.log2(len(values) + 1) + 1e-9


# --- what is known beforehand


def test_of_a_model_never_asked_any_cutoff_of_ten_years_is_as_likely():
    window, joint = belief([], TODAY)
    assert window == WindowEstimate(0, Status.TOO_FEW)
    cutoffs = joint.cutoffs()
    assert NOW - 120 < cutoffs.quantile(0.05) < NOW - 100
    assert NOW - 12 < cutoffs.quantile(0.95) <= NOW + 1
    assert cutoffs.quantile(0.5) == pytest.approx(NOW - 60, abs=6)


def test_a_few_answers_count_though_they_give_no_estimate():
    few = [Observation(day(2021 * 12 + n), False) for n in range(4)]
    few += [Observation(day(2018 * 12 + n), True) for n in range(4)]
    window, joint = belief(few, TODAY)
    assert window.status == "too_few"
    never = belief([], TODAY)[1].cutoffs()
    assert joint.cutoffs().quantile(0.95) < never.quantile(0.95) - 12
    assert joint.cutoffs().quantile(0.05) > never.quantile(0.05) + 12


def test_answers_that_contradict_each_other_are_left_out():
    rising = [Observation(PartialDate(2020 + n // 12, n % 12 + 1), n >= 24) for n in range(48)]
    window, joint = belief(rising, TODAY)
    assert window.status == "inconsistent"
    assert joint.cutoffs().quantile(0.5) == belief([], TODAY)[1].cutoffs().quantile(0.5)


def test_what_is_known_is_what_is_reported():
    window, joint = belief(dated(), TODAY)
    middle = joint.cutoffs().quantile(0.5)
    assert int(middle) == int(months(window.cutoff.estimate))


# --- what asking would do


def test_asking_what_never_changed_leaves_the_interval_as_it_is(known):
    expected = narrowing(known, [candidate(office("1953-01-01"))] * 5, draws=4)
    assert expected.facts == 5
    assert [expected.low, expected.expected, expected.high] == pytest.approx([expected.now] * 3, rel=0.01)


def test_asking_what_tells_narrows_it_and_the_seed_decides_the_draws():
    joint = belief([], TODAY)[1]
    telling = [
        candidate(office(*(f"{year}-{n % 12 + 1:02d}" for year in range(2010, 2024)))) for n in range(20)
    ]
    expected = narrowing(joint, telling, seed=3, draws=8)
    assert expected.low <= expected.expected <= expected.high
    assert expected.expected < 0.5 * expected.now
    assert narrowing(joint, telling, seed=3, draws=8) == expected
    assert narrowing(joint, telling, seed=4, draws=8) != expected


def test_suggested_facts_narrow_the_interval_more_than_any_others():
    """Eight simulated models: answers to 15 suggested facts, and to 15 that were drawn."""
    random = np.random.default_rng(11)
    pool = [office(*_starts(random)) for _ in range(150)]
    candidates = [candidate(values) for values in pool]
    gained = np.array([_gained(random, pool, candidates) for _ in range(8)])
    suggested, drawn = gained.mean(axis=0)
    # Binary logarithm of the width after to that before.
    assert suggested < drawn - 0.15
    assert suggested < -0.3


def _starts(random):
    often = np.exp(random.uniform(np.log(8), np.log(150)))
    at = 2008 * 12 + np.cumsum(random.exponential(often, 40) + 0.5)
    return ["2005-01-01", *(str(day(t)) for t in at[at < NOW - 1][:20])]


def _gained(random, pool, candidates):
    cutoff, half = random.uniform(2018.5 * 12, 2022 * 12), np.exp(random.uniform(0, np.log(12)))

    def say(number):
        reach = cutoff - half * (1 / random.uniform(0.1, 1) - 1) ** 0.5
        begun = [v.label for v in pool[number] if months(v.intervals[0].start) <= reach]
        return Answered(tuple(pool[number]), TODAY, tuple(begun[-1:]), "one")

    order = random.permutation(len(pool))
    evidence = observations_from(say(n) for n in order[:25])
    worth = information(belief(evidence, TODAY)[1], candidates)
    best = sorted(order[25:], key=lambda n: -worth[n])[:15]
    widths = [_width(evidence + observations_from(say(n) for n in asked)) for asked in (best, order[25:40])]
    return np.log2(np.array(widths) / _width(evidence))


def _width(evidence):
    posterior = cutoff_posterior(evidence, NOW)
    return posterior.quantile(0.95) - posterior.quantile(0.05)


# --- from the history


DAY = date(2026, 6, 1)


@pytest.fixture
def configured(tmp_path):
    environ = {"FRESHNESS_STORE__URL": f"sqlite:///{tmp_path}/h.db"}
    path = tmp_path / "some.toml"
    path.write_text("")
    return load(path, environ=environ)


def probe(configured, tmp_path, script, facts=(), limit=None, name="m.toml"):
    (tmp_path / name).write_text(script)
    request = probing.Request(f"scripted:{tmp_path / name}", Choice("current", facts, "bundled", DAY, limit))
    probing.probe(configured, request, advance=lambda *_: None, warn=lambda _: None, note=lambda _: None)
    return request.model


def suggest(configured, model, facts=(), limit=20):
    return suggesting.suggest(configured, model, facts, "bundled", DAY, limit)


def test_a_model_never_asked_is_suggested_what_changed_often_and_the_note_says_so(configured):
    found = suggest(configured, "nobody", limit=5)
    assert (found.runs, found.window.status, len(found.facts)) == ((), "too_few", 5)
    assert "no finished run in the history (asked so far: none yet)" in found.notes[0]
    assert [row.bits for row in found.facts] == sorted((row.bits for row in found.facts), reverse=True)
    assert all(sum(months(d) > 2016 * 12 for d in row.changes) >= 3 for row in found.facts)
    assert found.narrowing.now > 90


def test_what_was_asked_already_comes_last_and_is_marked(configured, tmp_path):
    model = probe(configured, tmp_path, 'default = "Giorgia Meloni"', limit=8)
    found = suggest(configured, model, limit=1000)
    assert len(found.runs) == 1
    assert [row.asked for row in found.facts] == [False] * (len(found.facts) - 8) + [True] * 8
    assert found.candidates == len(found.facts)


def test_earlier_runs_about_other_facts_count_too(configured, tmp_path):
    model = probe(configured, tmp_path, 'default = "x"', ("countries",), 5)
    probe(configured, tmp_path, 'default = "x"', ("companies",), 3)
    found = suggest(configured, model, limit=1000)
    assert len(found.runs) == 2
    assert sum(row.asked for row in found.facts) == 8


def test_where_all_was_asked_a_note_says_so(configured, tmp_path):
    model = probe(configured, tmp_path, 'default = "x"', ("organisations",))
    found = suggest(configured, model, ("organisations",))
    assert found.narrowing is None
    assert any("asked about all of these already" in note for note in found.notes)


def test_a_prompt_that_failed_is_no_answer(configured, tmp_path):
    model = probe(configured, tmp_path, 'answers = { "Q1/P1" = "x" }', ("countries",), 5)
    found = suggest(configured, model, ("countries",), limit=1000)
    assert not any(row.asked for row in found.facts)


def as_of(day):
    """A script that names for each bundled fact who held it on that day."""
    names = {}
    for fact in Bundled().fetch().facts:
        held = current_labels(fact.values, day, fact.holders)
        if held:
            names[fact.id] = held[0]
    table = ", ".join(f"{json.dumps(key)} = {json.dumps(name)}" for key, name in names.items())
    return f'default = "I do not know."\nanswers = {{ {table} }}\n'


def test_a_model_that_knows_a_day_is_suggested_what_changed_about_it(configured, tmp_path):
    known = date(2021, 1, 1)
    model = probe(configured, tmp_path, as_of(known), limit=90)
    found = suggest(configured, model, limit=5)
    assert (found.window.status, found.notes) == ("estimated", ())
    at = months(PartialDate.from_date(known))
    assert all(any(abs(months(d) - at) < 24 for d in row.changes) for row in found.facts)
    assert 0 < found.narrowing.expected <= found.narrowing.now < 40


def test_where_a_bound_is_the_priors_no_width_is_told(configured, tmp_path):
    model = probe(configured, tmp_path, as_of(DAY), limit=40)
    found = suggest(configured, model, limit=5)
    assert found.window.status == "after_range"
    assert found.narrowing is None
    assert "its cutoff lies after what it was asked about" in found.notes[0]


def test_a_catalogue_of_which_nothing_is_known_is_a_usage_error(configured, tmp_path):
    path = tmp_path / "other.toml"
    path.write_text(
        '[[group]]\nname = "g"\nproperty = "P6"\nprompts = ["Who leads {subject}?"]\n'
        'subjects = [{ id = "Q999999999", name = "Nowhere" }]\n'
    )
    with pytest.raises(UsageError, match="nothing to ask"):
        suggest(configured, "nobody", (str(path),))


# --- how it looks


FACT = Fact("countries", Subject("Q38", "Ita\x1b[31mly"), "P6", ())
ROW = Suggestion(FACT, 0.25678, tuple(PartialDate(year) for year in range(2015, 2023)), False)
FOUND = Suggestions(
    "m", WindowEstimate(0, Status.TOO_FEW), (), 130, (ROW,), Narrowing(1, 40.04, 20.06, 15, 30), ("A note.",)
)


def shown(found, width=120):
    console = Console(file=io.StringIO(), width=width)
    console.print(suggestions_view(found))
    return console.file.getvalue()


def test_json_has_all():
    assert json.loads(json.dumps(FOUND.to_json())) == {
        "model": "m",
        "window": {"observations": 0, "cutoff": None, "status": "too_few", "window": None},
        "runs": [],
        "candidates": 130,
        "interval_months": {"facts": 1, "now": 40.0, "expected": 20.1, "low": 15, "high": 30},
        "facts": [
            {
                "fact": "Q38/P6",
                "group": "countries",
                "subject": {"id": "Q38", "name": "Ita\x1b[31mly"},
                "property": "P6",
                "bits": 0.2568,
                "changes": ["2015", "2016", "2017", "2018", "2019", "2020", "2021", "2022"],
                "asked": False,
            }
        ],
        "notes": ["A note."],
    }


def test_the_table_tells_what_to_ask_and_what_it_would_bring():
    text = " ".join(shown(FOUND).split())
    assert "0.26 Italy (Q38) P6 countries 4 earlier, 2019, 2020, 2021, 2022" in text
    assert "\x1b" not in text
    assert "narrow the interval from 40 to about 20 months" in text
    assert "not known (never asked)" in text
    assert "A note." in text


def test_what_was_asked_shows_no_bits():
    asked = Suggestions("m", FOUND.window, ("r1",), 1, (Suggestion(FACT, 0.3, (), True),), None)
    text = " ".join(shown(asked).split())
    assert "asked Italy" in text
    assert "0.30" not in text
    assert "not known (too few)" in text


@pytest.mark.parametrize("width", [20, 40, 80])
def test_narrow_terminals_lose_nothing(width):
    assert "".join("2022".split()) in "".join(shown(FOUND, width).split())
