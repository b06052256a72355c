import hashlib
import json
import math
import re
from collections import Counter
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric_world import AS_OF, chart, indicator, walk
from polars.testing import assert_frame_equal
from shared import SHARED, needs_shared

from freshness.errors import UsageError
from freshness.questions import CHOICE_KINDS
from freshness.series import Chart, Series, Vintage
from freshness.sources.bundled_series import BundledSeries
from freshness.suites import numeric
from freshness.suites.numeric import panel
from freshness.suites.numeric.english import named, possessive, was
from freshness.suites.numeric.numbers import pieces

ALL_KINDS = (*CHOICE_KINDS, "next_word")
COUNTS = {"date": 76, "comparative": 75, "window": 72, "range": 67, "minmax": 67, "trend": 67}
FRANCE = ("France", "FRA", 1947, walk(3))


def frame(*charts, as_of=AS_OF, **changed):
    return pl.concat(
        [
            pl.DataFrame(schema=pl.Schema(numeric.SCHEMA)),
            *numeric.generate(charts, as_of, numeric.Options(**changed)),
        ]
    )


def counts(found):
    return dict(found.group_by("kind").len().iter_rows())


def only(found, kind, **columns):
    (row,) = found.filter(kind=kind, **columns).iter_rows(named=True)
    return row


def key_text(row):
    return row["options"]["abcd".index(row["answer"][1])]


# --- what is asked


def test_a_complete_series_gives_as_many_questions_as_the_paper_says():
    assert counts(frame(chart(FRANCE))) == COUNTS


def test_years_with_gaps_are_not_bridged():
    values = walk(2, 30)
    values[12] = None
    # 12 years, a gap, 17 years.
    expected = {
        "date": 29,
        "comparative": 11 + 16,
        "window": 8 + 13,
        **dict.fromkeys(CHOICE_KINDS[3:], 3 + 8),
    }
    assert counts(frame(chart(("France", "FRA", 1980, values)))) == expected


@pytest.mark.parametrize("kind", CHOICE_KINDS[1:])
def test_a_series_too_short_for_a_kind_gives_none_of_it(kind):
    short = chart(("France", "FRA", 1980, walk(3, numeric.SPANS[kind] - 1)))
    assert kind not in counts(frame(short))
    assert counts(frame(chart(("France", "FRA", 1980, walk(3, numeric.SPANS[kind])))))[kind] == 1


def test_aggregates_projections_and_impossible_values_are_not_asked_about():
    values = walk(4, 80)
    values[10] = -3.0
    world = ("World", "OWID_WRL", 1947, walk(5))
    found = frame(chart(("France", "FRA", 1960, values), world, ("Europe", "", 1947, walk(5))))
    dates = found.filter(kind="date")
    assert set(found["entity"]) == {"France"}
    # Fetched in January 2026: 2025 is over.
    assert dates["years"].list.first().to_list() == [y for y in range(1960, 2026) if y != 1970]


def test_the_year_asked_on_is_not_known():
    found = frame(chart(FRANCE), as_of=date(2011, 12, 31))
    assert found["years"].list.max().max() == 2010


def test_years_can_be_bounded():
    found = frame(chart(FRANCE), first_year=1990, last_year=2000)
    assert (found["years"].list.min().min(), found["years"].list.max().max()) == (1990, 2000)
    assert counts(found)["date"] == 11


@pytest.mark.parametrize("charts", [(), (chart(),), (chart(("France", "FRA", 2030, [1.0])),)])
def test_nothing_known_gives_nothing(charts):
    assert not len(frame(*charts, kinds=ALL_KINDS))
    assert numeric.left_out(charts, AS_OF, numeric.Options()) == Counter()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"kinds": ("mean",)}, "no kind of question is called 'mean'"),
        ({"distractors": "hard"}, "no distractors are called 'hard'"),
        ({"first_year": 2000, "last_year": 1999}, "1999, lies before the first, 2000"),
    ],
)
def test_options_that_do_not_exist_are_refused(wrong, told):
    with pytest.raises(UsageError, match=told):
        numeric.Options(**wrong)


# --- what it is in words


PROMPTS = {
    "date": "In 1950, what was France's life expectancy at birth (in years)?",
    "window": "From 1950 to 1954, what is the order of France's life expectancy at birth (in years) "
    "among the given options?",
    "range": "In the range of 1950-1959, what is the mean value of France's life expectancy at birth "
    "(in years)?",
    "minmax": "In the range of 1950-1959, what are the minimum and the maximum value of France's life "
    "expectancy at birth (in years)?",
    "trend": "In the range of 1950-1959, what is the rate of change in France's life expectancy at birth, "
    "from its 1950 to its 1959 value in percent of its 1950 value?",
    "next_word": "The life expectancy at birth of France in the year 1950, in years, is",
}


@pytest.mark.parametrize("kind", PROMPTS)
def test_questions_say_what_who_when_and_in_which_unit(kind):
    found = frame(chart(FRANCE), kinds=ALL_KINDS)
    assert only(found, kind, id=f"FRA/life-expectancy/{kind}/1950")["prompt"] == PROMPTS[kind]


def test_two_years_are_compared_in_either_order():
    found = frame(chart(FRANCE)).filter(kind="comparative")
    for row in found.iter_rows(named=True):
        one, other = row["years"]
        assert row["prompt"] == f"Was France's life expectancy at birth higher in {one} than in {other}?"
        value = {point["year"]: point["value"] for point in row["values"]}
        assert row["answer_value"] == [float(value[one] > value[other])]
        right = "Yes" if value[one] > value[other] else "No"
        assert row["answer"] == ("(a)" if row["options"][0] == right else "(b)")
        assert sorted(row["options"]) == ["No", "Yes"]
    assert 20 < found["options"].list.first().eq("No").sum() < 55
    turned = found.filter(pl.col("years").list.first() > pl.col("years").list.last())
    assert 20 < len(turned) < 55


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("date", r"N years"),
        ("range", r"N years"),
        ("minmax", r"N and N years"),
        ("window", r"In 1950, N; in 1951, N; in 1952, N; in 1953, N; in 1954, N \(years\)"),
        ("trend", r"-?\d\.\d+%"),
    ],
)
def test_options_have_their_unit_and_one_form(kind, form):
    row = only(frame(chart(FRANCE)), kind, id=f"FRA/life-expectancy/{kind}/1950")
    forms = {form.replace("N", rf"\d\d\.\d{{{count}}}") for count in (1, 2, 3)}
    assert any(all(re.fullmatch(one, option) for option in row["options"]) for one in forms), row["options"]


def test_an_indicator_without_a_unit_shows_bare_numbers():
    row = only(frame(chart(FRANCE, unit="")), "date", id="FRA/life-expectancy/date/1950")
    assert row["prompt"] == "In 1950, what was France's life expectancy at birth?"
    assert re.fullmatch(r"\d\d\.\d+", row["options"][0])


def test_a_phrase_in_the_plural_or_with_words_in_apposition_reads_well():
    found = frame(chart(FRANCE, phrase="deaths, counted by date,", unit=""), kinds=ALL_KINDS)
    prompts = {row["kind"]: row["prompt"] for row in found.iter_rows(named=True) if "/1950" in row["id"]}
    assert prompts["date"] == "In 1950, what were France's deaths, counted by date?"
    assert prompts["comparative"].startswith("Were France's deaths, counted by date, higher in 19")
    assert prompts["window"].endswith("France's deaths, counted by date, among the given options?")
    assert prompts["next_word"] == "The deaths, counted by date, of France in the year 1950 are"


@pytest.mark.parametrize(
    ("entity", "whose"),
    [
        ("France", "France's"),
        ("Honduras", "Honduras'"),
        ("United States", "the United States'"),
        ("United Kingdom", "the United Kingdom's"),
        ("Netherlands", "the Netherlands'"),
        ("Marshall Islands", "the Marshall Islands'"),
        ("Democratic Republic of Congo", "the Democratic Republic of Congo's"),
        ("Dominican Republic", "the Dominican Republic's"),
        ("United Arab Emirates", "the United Arab Emirates'"),
        ("Isle of Man", "the Isle of Man's"),
        ("Philippines", "the Philippines'"),
        ("Finland", "Finland's"),
        ("Micronesia (country)", "Micronesia's"),
        ("The Gambia", "The Gambia's"),
        ("Christmas Island", "Christmas Island's"),
    ],
)
def test_countries_own_things_in_english(entity, whose):
    assert possessive(entity) == whose
    assert whose.startswith(named(entity))


@pytest.mark.parametrize(
    ("phrase", "verb"),
    [
        ("GDP per capita", "was"),
        ("annual emissions from fuels", "were"),
        ("share of emissions", "was"),
        ("access to clean fuels", "was"),
        ("deaths per 100,000 people", "were"),
        ("number of patents", "was"),
    ],
)
def test_verbs_agree(phrase, verb):
    assert was(phrase) == verb


def texts(values, decimals):
    return pl.select(pl.concat_str(pieces(np.array(values), np.array(decimals)))).to_series().to_list()


def as_python_writes(value, decimals):
    whole, fraction = divmod(abs(value), 10**decimals)
    return f"{'-' if value < 0 else ''}{whole:,}" + (f".{fraction:0{decimals}}" if decimals else "")


@settings(deadline=None)
@given(st.integers(-(10**18), 10**18), st.integers(0, 18))
def test_numbers_are_written_as_python_writes_them(value, decimals):
    found = texts([value, 0, 1234567], [decimals, 0, 3])
    assert found == [as_python_writes(value, decimals), "0", "1,234.567"]


def test_short_numbers_are_written_as_python_writes_them():
    cases = [(value, decimals) for value in range(-9999, 10000, 7) for decimals in range(5)]
    assert texts(*zip(*cases, strict=True)) == [as_python_writes(*case) for case in cases]


# --- what is right


def long_table(charts):
    """Every value that the sources gave, a row each: what the keys are computed from a second time."""
    rows = [(s.id, s.years, s.values) for one in charts for s in one.series]
    told = pl.DataFrame(
        rows, schema={"fact": pl.String, "year": pl.List(pl.Int32), "v": pl.List(pl.Float64)}, orient="row"
    )
    return told.explode("year", "v")


def recomputed(found, told):
    """The key of each question by polars, from the values behind it: a list of numbers."""
    asked = found.with_row_index("row").explode("years").rename({"years": "year"})
    v, first = pl.col("v"), pl.col("v").sort_by("year")
    keys = {
        "date": [v.first()],
        "comparative": [(v.first() > v.last()).cast(pl.Float64)],  # in the order asked
        "window": [first.get(n) for n in range(5)],
        "range": [v.mean()],
        "minmax": [v.min(), v.max()],
        "trend": [(first.last() - first.first()) / first.first() * 100],
    }
    kind = found["kind"][0]
    joined = asked.select("row", "fact", "year").join(
        told, on=["fact", "year"], how="left", maintain_order="left"
    )
    return joined.group_by("row", maintain_order=True).agg(pl.concat_list(keys[kind]).alias("key"))["key"]


def assert_keys(found, told):
    for (kind,), part in found.group_by("kind", maintain_order=True):
        expected = recomputed(part, told).explode()
        given = part["answer_value"].explode()
        wrong = (expected - given).abs() > 1e-12 * expected.abs().clip(1e-9)
        assert wrong.null_count() == 0
        assert not wrong.any(), f"{kind}: {part.filter(wrong).head(3)}"


def numbers(option, kind):
    bare = re.sub(r"(?<![^ (])[Ii]n -?\d+, ", "", option)
    found = re.findall(r"-?\d+(?:,\d{3})*(?:\.\d+)?", bare)[: {"window": 5, "minmax": 2}.get(kind, 1)]
    return [n.replace(",", "") for n in found]


def assert_shown(found):
    """The right option shows the key, rounded to its last digit, and no other does."""
    for row in found.filter(pl.col("kind") != "comparative").iter_rows(named=True):
        shown = [numbers(option, row["kind"]) for option in row["options"]]
        assert len({tuple(option) for option in shown}) == 4, row
        right = shown["abcd".index(row["answer"][1])]
        for text, value in zip(right, row["answer_value"], strict=True):
            plain = text.lstrip("-").rstrip("0") if "." not in text else text
            last = 10.0 ** (
                -len(text.partition(".")[2]) if "." in text else len(text.lstrip("-")) - len(plain)
            )
            assert abs(float(text) - value) <= max(0.5 * last, abs(value) * 5e-4) * (1 + 1e-9), row
        assert len({len(n.partition(".")[2]) for option in shown for n in option}) == 1, row


def test_every_key_of_the_bundled_series_is_what_polars_computes():
    charts = BundledSeries().fetch().charts
    found = frame(*charts)
    assert set(counts(found)) == set(CHOICE_KINDS)
    assert_keys(found, long_table(charts))
    assert_shown(found.sample(1500, seed=1))


def from_csv(about, path):
    rows = pl.read_csv(path, schema_overrides={about.column: pl.Float64}, infer_schema_length=0)
    rows = rows.select("Entity", "Code", pl.col("Year").cast(pl.Int64), v=about.column).drop_nulls("v")
    found = rows.group_by("Entity", "Code", maintain_order=True).agg("Year", "v").iter_rows()
    read = tuple(Series(about.id, name, code or "", tuple(years), tuple(v)) for name, code, years, v in found)
    return Chart(about, Vintage(datetime.fromisoformat("2026-08-13T00:00:00Z")), read)


@needs_shared
@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("life-expectancy", "Life expectancy"),
        ("annual-co2-emissions-per-country", "Annual CO₂ emissions"),
        ("human-rights-index-vdem", "hri"),
    ],
)
def test_every_key_of_the_real_files_is_what_polars_computes(name, column):
    about = indicator(name)
    about = type(about)(name, "health", "", "figure", "units", name, column, 0.0)
    read = from_csv(about, SHARED / "owid" / "grapher" / f"{name}.csv")
    found = frame(read)
    assert_keys(found, long_table([read]))
    left = Counter()
    for (kind, _), count in numeric.left_out([read], AS_OF, numeric.Options()).items():
        left[kind] += count
    complete = Counter()
    for one in read.known(AS_OF):
        years = {y for y in one.years if y >= 1947}
        for kind in CHOICE_KINDS:
            complete[kind] += sum(all(y + n in years for n in range(numeric.SPANS[kind])) for y in years)
    assert {kind: counts(found)[kind] + left[kind] for kind in CHOICE_KINDS} == complete


def test_a_mean_of_ten_equal_numbers_is_that_number():
    row = frame(chart(("France", "FRA", 1950, [0.1234] * 10)), kinds=("range",)).row(0, named=True)
    assert sum([0.1234] * 10) / 10 != 0.1234  # as it would be, added up plainly
    assert row["answer_value"] == [0.1234]


# --- what is not asked


def left_out(values, kinds=CHOICE_KINDS, **changed):
    options = numeric.Options(kinds=kinds)
    told = chart(("F", "FRA", 1950, values), **changed)
    return dict(numeric.left_out([told], AS_OF, options))


@pytest.mark.parametrize(
    ("values", "kind", "reason"),
    [
        ([0.0], "date", "zero"),
        ([0.0] * 10, "minmax", "zero"),
        ([3.0], "date", "too_few_digits"),
        ([1e19], "date", "too_large"),
        ([5.0, 5.0], "comparative", "equal_values"),
        ([0.0, *walk(1, 9)], "trend", "first_value_not_above_zero"),
        ([4.2345] * 10, "trend", "zero"),
        ([42.0, *walk(1, 8), 84.0], "trend", "too_few_digits"),
    ],
)
def test_what_has_no_fair_question_is_left_out_and_counted(values, kind, reason):
    assert left_out(values, (kind,)) == {(kind, reason): 1}


def test_at_a_bound_there_is_no_room_for_options():
    assert left_out([99.99], ("date",), highest=100.0) == {("date", "at_bound"): 1}
    assert left_out([99.9876], ("date",), highest=100.0) == {}
    assert left_out([89.8765], ("date",), highest=100.0) == {}


def test_what_is_left_out_is_counted_while_generating():
    told = chart(("France", "FRA", 1950, [0.0, *walk(1, 20), 7.0, 7.0]))
    found = Counter()
    list(numeric.generate([told], AS_OF, numeric.Options(), found))
    assert found == numeric.left_out([told], AS_OF, numeric.Options())
    assert found["comparative", "equal_values"] == 1


# --- the same anywhere


TINY = (
    chart(("France", "FRA", 1990, walk(7, 14)), ("United States", "USA", 1995, walk(8, 11, 7.4))),
    chart(
        ("France", "FRA", 2000, walk(9, 12, 3.9e8, 0.3)), name="emissions", unit="tonnes", phrase="emissions"
    ),
)
DIGEST = "da6840986880e5098aae80036b01a4f64cfcc3826881b34f657367d9a61f150a"


def lines(found):
    return [json.dumps(row, default=str) for row in found.sort("id").iter_rows(named=True)]


def test_the_same_seed_gives_the_same_text_on_any_machine():
    found = "\n".join(lines(frame(*TINY, seed=3, kinds=ALL_KINDS)))
    assert hashlib.sha256(found.encode()).hexdigest() == DIGEST


def test_another_seed_gives_other_options_for_the_same_questions():
    one, other = frame(*TINY, seed=1), frame(*TINY, seed=2)
    both = one.join(other, on="id").filter(pl.col("kind") != "comparative")
    assert len(both) > 80
    assert (both["options"].list.sort() != both["options_right"].list.sort()).mean() > 0.9


def test_options_depend_neither_on_order_nor_on_what_else_is_asked(monkeypatch):
    expected = lines(frame(*TINY))
    assert lines(frame(*reversed(TINY))) == expected
    apart = [Chart(one.indicator, one.vintage, (s,)) for one in TINY for s in reversed(one.series)]
    assert lines(frame(*apart)) == expected
    by_kind = pl.concat([frame(*TINY, kinds=(kind,)) for kind in reversed(CHOICE_KINDS)])
    assert lines(by_kind) == expected
    monkeypatch.setattr(panel, "_CELLS", 1)
    assert lines(frame(*TINY)) == expected


def test_order_of_options_and_place_by_size_are_independent():
    found = frame(chart(*[(f"C{n}", f"A{chr(65 + n)}A", 1947, walk(n)) for n in range(20)]), kinds=("date",))
    pairs = Counter()
    for row in found.iter_rows(named=True):
        sizes = [float(numbers(option, "date")[0]) for option in row["options"]]
        letter = "abcd".index(row["answer"][1])
        pairs[letter, sorted(sizes).index(sizes[letter])] += 1
    expected = len(found) / 16
    assert len(pairs) == 16
    chi2 = sum((count - expected) ** 2 / expected for count in pairs.values())
    assert chi2 < 37.7  # 15 degrees of freedom, one in a thousand


# --- the paper's distractors


def test_the_papers_formula_only_ever_adds():
    found = frame(chart(FRANCE), distractors="paper")
    assert counts(found) == COUNTS
    for row in found.filter(kind="date").iter_rows(named=True):
        sizes = sorted(float(numbers(option, "date")[0]) for option in row["options"])
        value = row["answer_value"][0]
        assert abs(sizes[0] - value) <= 0.005
        assert sizes[-1] <= value + 10 ** math.floor(math.log10(value + 1)) + 0.005


def test_the_papers_formula_is_extended_to_any_number():
    values = [0.0, -5.5, 1e-12, 1e-300, 1e18, 3.0, 3.0, 3.0, -1e6, 12.0]
    found = frame(chart(("F", "FRA", 1950, values), lowest=None), distractors="paper")
    assert counts(found)["date"] == 10
    assert counts(found)["comparative"] == 9
    for row in found.filter(pl.col("kind") != "comparative").iter_rows(named=True):
        assert len(set(row["options"])) == 4


# --- odd series

odd = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=64),
    st.floats(-1e6, 1e6),
    st.integers(-50, 50).map(float),
    st.sampled_from([0.0, -0.0, 1e-12, 1e18, 9.9996, 99.995, 1.0, 100.0, 5e-324]),
)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.one_of(odd, st.none()), min_size=1, max_size=14),
    st.sampled_from([(None, None), (0.0, None), (0.0, 100.0), (-100.0, 100.0)]),
    st.sampled_from(["fair", "paper"]),
)
def test_odd_series_give_sound_questions_or_none(values, bounds, distractors):
    told = chart(("France", "FRA", 1980, values), lowest=bounds[0], highest=bounds[1])
    out = Counter()
    options = numeric.Options(kinds=ALL_KINDS, distractors=distractors)
    asked = list(numeric.questions([told], AS_OF, options, None, out))
    assert len({q.id for q in asked}) == len(asked)
    (known,) = told.known(AS_OF)
    per_kind = Counter(q.numeric.kind for q in asked)
    for kind in ALL_KINDS:
        left = sum(n for (k, _), n in out.items() if k == kind)
        span = range(numeric.SPANS[kind])
        complete = sum(all(y + n in known.years for n in span) for y in known.years)
        assert per_kind[kind] + left == complete
    for question in asked:
        key = question.numeric
        json.dumps(numeric.question_json(question), allow_nan=False)
        assert (
            len(set(key.options)) == len(key.options) == {"comparative": 2, "next_word": 0}.get(key.kind, 4)
        )
        if distractors == "fair" and len(key.options) == 4:
            shown = [numbers(option, key.kind) for option in key.options]
            # One form: as many decimals, and the same sign but for a zero.
            for place in range(len(shown[0])):
                assert len({len(n[place].partition(".")[2]) for n in shown}) == 1
                assert len({float(n[place]) < 0 for n in shown if float(n[place])}) <= 1
            for option in shown:
                assert all(told.indicator.allows(float(n)) or key.kind == "trend" for n in option)


# --- as questions and lines


def test_a_question_carries_its_key_and_prompts_in_both_styles():
    asked = {q.id: q for q in numeric.questions([chart(FRANCE)], AS_OF, numeric.Options())}
    question = asked["FRA/life-expectancy/date/1950"]
    key, prompt = question.numeric, question.prompts[0]
    assert (question.suite, question.group, question.fact) == ("numeric", "health", "FRA/life-expectancy")
    assert (prompt.id, prompt.name) == ("FRA/life-expectancy/date/1950/p1", "p1")
    options = [f"({letter}) {option}" for letter, option in zip("abcd", key.options, strict=True)]
    body = "\n".join([PROMPTS["date"], *options])
    assert prompt.text("chat") == f"{body}\nAnswer with the letter of the right option alone."
    assert prompt.text("completion") == f"{body}\nAnswer:"
    assert key.values == ((1950, key.answer_value),)
    assert key.years == (1950,)


def test_an_open_question_carries_the_whole_series_and_what_earlier_vintages_gave():
    older = {"FRA/life-expectancy": ((1950, 39.0, "2024-01-01"), (1900, 1.0, "2024-01-01"))}
    told = chart(("France", "FRA", 1940, walk(1, 20)))
    options = numeric.Options(kinds=("next_word",))
    asked = {q.id: q for q in numeric.questions([told], AS_OF, options, older)}
    question = asked["FRA/life-expectancy/next_word/1950"]
    key, prompt = question.numeric, question.prompts[0]
    assert question.suite == "next-word"
    assert (key.options, key.answer, key.chance) == ((), "", 0)
    assert [year for year, _ in key.values] == list(range(1940, 1960))
    assert dict(key.values)[1950] == key.answer_value
    assert key.older == ((1950, 39.0, "2024-01-01"),)
    assert prompt.text("completion") == PROMPTS["next_word"]
    assert prompt.text("chat") == f"{PROMPTS['date']} Answer with the number alone."
    assert "FRA/life-expectancy/next_word/1946" not in asked


def test_lines_are_as_the_interface_says():
    asked = {q.numeric.kind: q for q in numeric.questions([chart(FRANCE)], AS_OF, numeric.Options())}
    line = numeric.question_json(asked["window"])
    names = (
        "id suite kind category indicator unit entity code years prompt options answer answer_value values"
    )
    assert list(line)[:14] == names.split()
    first = line["years"][0]
    assert line["answer_value"] == [line["values"][str(first + n)] for n in range(5)]
    assert line["prompt"].endswith("among the given options?")
    assert numeric.question_json(asked["comparative"])["answer_value"] in (True, False)
    assert isinstance(numeric.question_json(asked["range"])["answer_value"], float)


def test_a_frame_of_questions_has_one_schema():
    for found in numeric.generate([chart(FRANCE)], AS_OF, numeric.Options(kinds=ALL_KINDS)):
        assert_frame_equal(found.head(0), pl.DataFrame(schema=pl.Schema(numeric.SCHEMA)))
