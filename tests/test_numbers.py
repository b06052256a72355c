"""Numbers in free text: every notation is read as what it means, and what measures nothing is told apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshness.grading.numbers import find, plain, units
from freshness.grading.numbers.roles import Role, roles


def values(text):
    return [number.value for number in find(plain(text).text)]


def meanings(text):
    (number,) = find(plain(text).text)
    return {reading.value for reading in number.readings}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1234567.5", 1234567.5),
        ("1,234,567.5", 1234567.5),
        ("1.234.567,5", 1234567.5),
        ("1 234 567,5", 1234567.5),
        ("1\u202f234\u202f567.5", 1234567.5),
        ("1'234'567.5", 1234567.5),
        ("12,34,567.5", 1234567.5),
        ("18841,141.42", 18841141.42),
        ("0,123", 0.123),
        (".5", 0.5),
        ("81,9", 81.9),
        ("1.2e9", 1.2e9),
        ("1.2 × 10^9", 1.2e9),
        ("1.2x10⁹", 1.2e9),
        ("$1.2 \\times 10^{-3}$", 1.2e-3),
        ("43{,}846", 43846),
        ("4.2 thousand million", 4.2e9),
        ("3 lakh", 3e5),
        ("3.5 crore", 3.5e7),
        ("7 Mrd.", 7e9),
        ("5 mil millones", 5e9),
        ("2 billones", 2e12),
        ("1 million 200 thousand", 1.2e6),
        ("eighty-one point nine", 81.9),
        ("two million three hundred and four thousand and five", 2304005),
        ("half a million", 5e5),
        ("one and a half billion", 1.5e9),
        ("a hundred", 100),
        ("one in four", 0.25),
        ("2 out of 5", 0.4),
        ("two-thirds", 2 / 3),
        ("−5", -5),
        ("(–5)", -5),
        ("minus five", -5),
        ("negative 5.5", -5.5),
        ("$-5", -5),
        ("-$5", -5),
        ("٣٫٥", 3.5),
        ("３．５", 3.5),
        ("8345.7万", 83457000),
    ],
)
def test_a_number_is_read_in_any_notation(text, value):
    assert values(text) == [pytest.approx(value)]


@pytest.mark.parametrize(
    "text",
    [
        *("COVID-19", "G20", "CO2", "1.2.3", "12.05.2023", "9" * 400, "5" * 5000 + ".0", "nineteen ninety"),
        *("H₂O", "several million people", "(in thousands)", "million tonnes"),
    ],
)
def test_digits_in_names_versions_and_dates_are_no_numbers(text):
    assert values(text) == []


def test_three_digits_behind_one_mark_may_mean_two_things():
    assert meanings("43.846") == {43.846, 43846}
    assert meanings("43,846") == {43846, 43.846}
    assert meanings("43.8467") == {43.8467}
    assert values("43.846")[0] == 43.846
    assert values("43,846")[0] == 43846


def test_entries_of_a_list_without_spaces_are_numbers_of_their_own():
    assert values("47,49,48,50,51") == [47, 49, 48, 50, 51]
    assert values("1947,1948") == [1947, 1948]


GROUPED = {
    "comma": lambda digits: f"{digits:,}",
    "point": lambda digits: f"{digits:,}".replace(",", "."),
    "space": lambda digits: f"{digits:,}".replace(",", " "),
    "thin space": lambda digits: f"{digits:,}".replace(",", "\u2009"),
    "apostrophe": lambda digits: f"{digits:,}".replace(",", "’"),
    "none": str,
}


@given(st.integers(0, 10**15), st.sampled_from(sorted(GROUPED)))
def test_any_whole_number_in_any_grouping_reads_back(number, grouping):
    assert number in meanings(GROUPED[grouping](number))


@given(
    st.integers(0, 10**9),
    st.integers(1, 99),
    st.sampled_from(
        [("comma", "."), ("point", ","), ("space", ","), ("space", "."), ("apostrophe", "."), ("none", ",")]
    ),
)
def test_any_decimal_number_in_any_notation_reads_back(whole, decimals, notation):
    grouping, mark = notation
    expected = float(f"{whole}.{decimals:02d}")
    found = meanings(f"{GROUPED[grouping](whole)}{mark}{decimals:02d}")
    assert any(value == pytest.approx(expected, rel=1e-12) for value in found)


SCALES = {
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "M": 1e6,
    "Mio": 1e6,
    "bn": 1e9,
    "billion": 1e9,
    "crore": 1e7,
}


@given(
    st.integers(1, 9999), st.integers(0, 99), st.sampled_from(sorted(SCALES)), st.sampled_from(["", "-", "−"])
)
def test_any_scaled_number_reads_back(whole, decimals, scale, sign):
    expected = float(f"{whole}.{decimals:02d}") * SCALES[scale] * (-1 if sign else 1)
    found = meanings(f"it was {sign}{whole}.{decimals:02d} {scale}")
    assert any(value == pytest.approx(expected) for value in found)


ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen".split()
ONES += "fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def in_words(number):
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")
    for size, word in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            return f"{in_words(number // size)} {word}" + (f" and {in_words(rest)}" if rest else "")
    raise AssertionError(number)


@given(st.integers(0, 10**11))
def test_any_number_in_words_reads_back(number):
    assert values(in_words(number)) == [number]


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader_and_numbers_stand_where_they_are(text):
    simple = plain(text)
    last = 0
    for number in find(simple.text):
        assert last <= number.start < number.end <= len(simple.text)
        start, end = simple.span(number.start, number.end)
        assert 0 <= start < end <= len(text)
        last = number.end


@given(st.text(alphabet="0123456789.,' -–+%$eE×^()\n", max_size=60))
def test_no_chain_of_digits_and_marks_breaks_the_reader(text):
    found = find(plain(text).text)
    assert len(roles(plain(text).text, found)) == len(found)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("in 2015", Role.YEAR),
        ("(2015)", Role.YEAR),
        ("2015: ", Role.YEAR),
        ("the 1990s", Role.YEAR),
        ("ranked 12", Role.RANK),
        ("3rd", Role.RANK),
        ("#7", Role.RANK),
        ("12 May", Role.DATE),
        ("62% (out of 100)", Role.WHOLE),
        ("deaths per 100,000 people", Role.WHOLE),
        ("as said [4]", Role.NOTE),
        ("grew by 3%", Role.CHANGE),
        ("a 3% increase", Role.CHANGE),
        ("I am 90% sure", Role.SURENESS),
        ("people aged 15", Role.AGE),
        ("children under 5", Role.AGE),
        ("Table 3", Role.LABEL),
        ("in 2015 US$", Role.LABEL),
        ("dollars of 2011", Role.LABEL),
        ("over the past 10 years", Role.SPAN),
        ("call 089-123-4567", Role.JUNK),
        ("in 2015 $9", Role.VALUE),
        ("13.7% (2020-22", Role.DATE),
        ("it is based on 2022 data", Role.YEAR),
        ("a 2012 study", Role.YEAR),
        ("58.6 / 10 = 5.86", Role.VALUE),
        ("62 percent", Role.VALUE),
        ("2015 dollars a head", Role.VALUE),
    ],
)
def test_what_measures_nothing_is_told_apart(text, role):
    simple = plain(text).text
    assert roles(simple, find(simple))[-1] is role


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("58.6 / 10 = 5.86", [5.86]),
        ("(115.3 - 75.8) / 75.8 × 100 ≈ 52.1 %", [52.1]),
        ("\\[ \\frac{115.3 - 75.8}{75.8} = 0.521 \\]", [0.521]),
        ("It is 9.7 million people × 2 t = 19.4 Mt", [19.4]),
        ("4 + 5 = 9; the mean is 9 / 2 = 4.5", [9, 4.5]),
        ("81.9, 5 - 3 = 2", [81.9, 2]),
        ("x = 5.86", [5.86]),
        ("82 = the highest", [82]),
        ("82.1 - 81.9", [82.1, 81.9]),
        ("5.86 = 58.6 / 9", [5.86, 58.6]),
    ],
)
def test_what_is_reckoned_with_is_told_from_what_it_comes_to(text, left):
    simple = plain(text).text
    numbers = find(simple)
    kinds = roles(simple, numbers)
    assert [n.value for n, kind in zip(numbers, kinds, strict=True) if kind is Role.VALUE] == left


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("Emissions (Mt): 596", "Mt"),
        ("Emissions (in million tonnes of CO2)\n2023: 596", "million tonnes"),
        ("Population (in thousands)", "thousand"),
        ("life expectancy (years)", "years"),
    ],
)
def test_a_unit_given_once_is_that_of_the_numbers_behind_it(text, unit):
    found, wanted = units.heading(text), units.of_indicator(unit)
    assert (found.measures, found.factor, found.scaled) == (wanted.measures, wanted.factor, wanted.scaled)


@pytest.mark.parametrize("text", ["596 (Mt)", "(see below)", "Population (density per km²)", "no brackets"])
def test_other_brackets_give_no_unit(text):
    assert units.heading(text) is None


@pytest.mark.parametrize(
    ("said", "wanted", "factor"),
    [
        (" kt", "tonnes", 1e3),
        (" Mt of CO2", "million tonnes", 1.0),
        (" MtCO2e", "tonnes", 1e6),
        (" kg/ha", "tonnes per hectare", 1e-3),
        (" kg per hectare", "tonnes per hectare", 1e-3),
        (" GWh", "terawatt-hours", 1e-3),
        (" per 1,000 live births", "deaths per 100 live births", 0.1),
        (" deaths per 1,000 live births", "%", 0.1),
        (" hectares", "square kilometres", 0.01),
        (" dollars", "international dollars of 2011", 1.0),
        (" apples", "tonnes", 1.0),
        (" widgets", "", 1.0),
    ],
)
def test_units_are_converted_where_both_are_known(said, wanted, factor):
    assert units.factor(units.read(said, 0), units.of_indicator(wanted), scaled=False) == pytest.approx(
        factor
    )


@pytest.mark.parametrize(
    ("said", "wanted"),
    [(" tonnes per 1,000 people", "%"), (" euros", "US dollars"), (" GW", "terawatt-hours"), (" years", "%")],
)
def test_units_that_measure_something_else_contradict(said, wanted):
    assert units.factor(units.read(said, 0), units.of_indicator(wanted), scaled=False) is None
