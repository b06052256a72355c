import json
from datetime import date

import pytest
from numeric_world import AS_OF, chart, walk

from freshness.series import CATEGORIES
from freshness.suites.numeric import select

CODES = [f"A{chr(65 + n)}{chr(65 + m)}" for n in range(5) for m in range(5)]


def countries(count, years, step=0.01, first=1947):
    return [(code, code, first, walk(n, years, step=step)) for n, code in enumerate(CODES[:count])]


def health(*charts, as_of=AS_OF):
    return next(chosen for chosen in select(charts, as_of).categories if chosen.category == "health")


def test_of_those_with_76_years_the_most_changing_is_chosen():
    calm = chart(*countries(12, 76, 0.01), name="calm")
    wild = chart(*countries(12, 76, 0.05), name="wild")
    wilder_but_short = chart(*countries(12, 40, 0.2, first=1983), name="short")
    chosen = health(calm, wild, wilder_but_short)
    assert (chosen.indicator, chosen.relaxed) == ("wild", "")
    assert "of 2 charts with 76 continuous years" in chosen.why
    assert [c.indicator for c in chosen.candidates] == ["wild", "short", "calm"]
    assert [(c.countries, c.longest) for c in chosen.candidates] == [(12, 76), (0, 40), (12, 76)]


@pytest.mark.parametrize("factor", [1000, 1e-6])
def test_how_much_it_changes_does_not_depend_on_the_unit(factor):
    plain = countries(12, 76)
    scaled = [(*rest, [v * factor for v in values]) for *rest, values in plain]
    one, other = health(chart(*plain)), health(chart(*scaled))
    assert one.candidates[0].change == other.candidates[0].change > 0


def test_zero_and_the_sign_leave_changes_bounded():
    told = [(code, code, 1947, [0.0, 5.0, 0.0, -3.0] * 19) for code in CODES[:12]]
    assert health(chart(*told, lowest=None)).candidates[0].change == 1
    flat = [(code, code, 1947, [0.0] * 76) for code in CODES[:12]]
    assert health(chart(*flat)).candidates[0].change == 0


@pytest.mark.parametrize(
    ("told", "relaxed"),
    [
        (countries(12, 62, first=1961), "60 continuous years instead of 76"),
        (countries(12, 12, first=2000), "10 continuous years instead of 76"),
        (countries(3, 76), "3 countries instead of 10"),
        (
            [*countries(2, 12), *countries(25, 5)[2:]],
            "10 continuous years instead of 76 and 2 countries instead of 10",
        ),
    ],
)
def test_what_is_relaxed_is_said(told, relaxed):
    assert health(chart(*told)).relaxed == relaxed


def test_years_after_2022_and_before_1947_do_not_count():
    late = chart(*countries(12, 70, first=1955), name="late")
    assert health(late).candidates[0].longest == 68
    early = chart(*countries(12, 80, first=1940), name="early")
    assert health(early).candidates[0].longest == 73
    assert health(late, as_of=date(2000, 5, 5)).candidates[0].longest == 45


def test_a_gap_breaks_continuous_years():
    values = walk(1)
    values[30] = None
    assert health(chart(*[(code, code, 1947, values) for code in CODES[:12]])).candidates[0].longest == 45


def test_every_category_has_an_entry():
    found = select([chart(*countries(12, 76)), chart(*countries(1, 5), name="few", category="food")], AS_OF)
    assert [chosen.category for chosen in found.categories] == list(CATEGORIES)
    assert found.indicators == ("life-expectancy",)
    why = {chosen.category: chosen.why for chosen in found.categories}
    assert why["food"] == "no chart has ten continuous years of any country"
    assert why["climate"] == "no chart is there"
    told = json.loads(json.dumps(found.to_json()))
    assert told["rule"] == {"first_year": 1947, "last_year": 2022, "years": 76, "countries": 10}
    assert told["categories"][2]["indicator"] == "life-expectancy"


def test_order_of_charts_does_not_matter():
    charts = [chart(*countries(12, 76, step), name=f"c{step}") for step in (0.01, 0.03, 0.02)]
    assert health(*charts) == health(*reversed(charts))
