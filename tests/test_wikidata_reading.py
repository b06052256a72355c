"""How answers are read, without a server: dates, names, kinds, and rows that nobody asked for."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshness.facts import Fact, PartialDate
from freshness.sources.sparql import Term
from freshness.sources.wikidata import dates, facts, kinds, names, rows
from freshness.sources.wikidata.dates import Bound

TODAY = date(2026, 11, 30)
ENTITY = "http://www.wikidata.org/entity/"
RANK = "http://wikiba.se/ontology#NormalRank"


def iri(value):
    return Term("uri", value)


def text(value, lang="en"):
    return Term("literal", value, lang)


# Dates


@pytest.mark.parametrize(
    ("raw", "precision", "read", "fault"),
    [
        ("2021-02-13T00:00:00Z", 11, "2021-02-13", None),
        ("+2021-02-13T00:00:00Z", 11, "2021-02-13", None),
        ("2021-02-13", 11, "2021-02-13", None),
        ("2021-02-13T00:00:00Z", 10, "2021-02", None),
        ("2021-00-00T00:00:00Z", 9, "2021", None),
        ("2021-02-00T00:00:00Z", 10, "2021-02", None),
        ("2021-02-00T00:00:00Z", 11, "2021-02", "impossible_date"),
        ("2023-02-30T00:00:00Z", 11, "2023-02", "impossible_date"),
        ("2023-00-10T00:00:00Z", 11, "2023", "impossible_date"),
        ("2023-13-10T00:00:00Z", 10, "2023", "impossible_date"),
        ("2024-02-29T00:00:00Z", 11, "2024-02-29", None),
        ("-0043-03-15T00:00:00Z", 11, "-0043-03-15", None),
        ("0000-01-01T00:00:00Z", 9, "0000", None),
        ("12021-01-01T00:00:00Z", 9, "12021", None),
        ("-13798000000-01-01T00:00:00Z", 3, "None", "impossible_date"),
        ("1950-01-01T00:00:00Z", 7, "None", "rough_date"),
        ("somewhen", 11, "None", "impossible_date"),
        ("٢٠٢١-02-13T00:00:00Z", 11, "None", "impossible_date"),
        ("", 11, "None", "impossible_date"),
        ("9" * 5000, 11, "None", "impossible_date"),
    ],
)
def test_a_date_is_read_as_exactly_as_makes_sense(raw, precision, read, fault):
    moment = dates.moment(raw, precision, TODAY)
    assert (str(moment.date), moment.fault) == (read, fault)
    assert len(moment.text) <= 40


@pytest.mark.parametrize(
    ("year", "precision", "over"),
    [(2010, 8, True), (2020, 8, False), (1900, 7, True), (2000, 7, False), (1000, 6, True), (2001, 6, False)],
)
def test_a_rough_end_is_over_when_all_it_can_mean_is(year, precision, over):
    assert dates.moment(f"{year}-01-01T00:00:00Z", precision, TODAY).over is over


@pytest.mark.parametrize(
    ("raw", "over"), [("-9999999-01-01T00:00:00Z", True), ("9999999-01-01T00:00:00Z", False)]
)
def test_a_year_out_of_all_bounds_is_long_over_or_far_off(raw, over):
    assert dates.moment(raw, 11, TODAY).over is over


def test_a_decade_ends_with_its_ninth_year():
    assert dates.moment("2010-01-01T00:00:00Z", 8, date(2020, 1, 1)).over


@given(st.text(), st.integers(0, 99))
def test_no_text_makes_a_date_fail(raw, precision):
    dates.moment(raw, precision, TODAY)


@given(st.integers(-999_999, 999_999), st.integers(0, 99), st.integers(0, 99), st.integers(0, 14))
def test_what_is_read_can_be_written_and_read_again(year, month, day, precision):
    sign, digits = ("-", -year) if year < 0 else ("", year)
    read = dates.moment(f"{sign}{digits:04d}-{month:02d}-{day:02d}T00:00:00Z", precision, TODAY).date
    assert read is None or (PartialDate.parse(str(read)) == read and read.year == year)


def bound(*raws, times=(), unknown=False):
    return Bound(set(raws), {(f"{day}T00:00:00Z", 11) for day in times}, unknown)


@pytest.mark.parametrize(
    ("start", "end", "endless", "read", "noted"),
    [
        (bound(times=["2020-01-01"]), bound(unknown=True), False, ("2020-01-01", "unknown"), []),
        (bound(times=["2020-01-01"], unknown=True), bound(), False, ("2020-01-01", None), ["several_dates"]),
        (bound(), bound(times=["2021-01-01"]), True, (None, "2021-01-01"), ["several_dates"]),
        (bound(), bound(times=["2021-01-01"], unknown=True), False, (None, "2021-01-01"), ["several_dates"]),
        (bound(), bound("nonsense"), False, (None, "unknown"), ["impossible_date"]),
        (
            bound(times=["2020-01-02"]),
            bound(times=["2020-01-01"]),
            False,
            ("2020-01-02", "unknown"),
            ["impossible_date"],
        ),
        (bound(times=["2020-01-01"]), bound(times=["2020-01-01"]), False, ("2020-01-01", "2020-01-01"), []),
        (bound("2020-05-05T00:00:00Z"), bound(), False, ("2020", None), []),
        (
            bound("2019-05-05T00:00:00Z", times=["2020-01-01"]),
            bound(),
            False,
            ("2020-01-01", None),
            ["several_dates"],
        ),
        (bound("2020-01-01T00:00:00Z", times=["2020-01-01"]), bound(), False, ("2020-01-01", None), []),
    ],
)
def test_a_statements_interval(start, end, endless, read, noted):
    interval, notes = dates.interval(start, end, bound(), endless, TODAY)
    assert tuple(interval.to_json().values()) == read
    assert [kind for kind, _ in notes] == noted


def test_a_usable_date_goes_before_a_rough_one():
    start = Bound(times={("2000-01-01T00:00:00Z", 7), ("1999-05-03T00:00:00Z", 11)})
    interval, notes = dates.interval(start, Bound(), Bound(), False, TODAY)
    assert (str(interval.start), notes[0][0]) == ("1999-05-03", "several_dates")


def test_a_point_in_time_that_nobody_knows_makes_no_claim_about_now():
    interval, _ = dates.interval(Bound(), Bound(), bound(unknown=True), False, TODAY)
    assert not interval.is_open


def test_many_dates_make_no_endless_text():
    days = [f"2020-01-{day:02d}" for day in range(1, 31)]
    _, notes = dates.interval(bound(times=days), Bound(), Bound(), False, TODAY)
    assert notes[0][1].endswith("2020-01-04, 2020-01-05 and 24 more")


# Names


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  Giorgia \n Meloni\t", "Giorgia Meloni"),
        ("Jose\u0301", "José"),
        ("Me\u202eloni\u200f\x00\x1b", "Meloni"),
        ("\ufeffJo\u200bhn\u00ad", "John"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("lone \ud800 half", "lone half"),
        ("Q42", None),
        ("\u200eq42 ", None),
        ("  \u200b ", None),
        ("", None),
        ("x" * 251, None),
        ("x" * 250, "x" * 250),
        ("Quincy 42", "Quincy 42"),
    ],
)
def test_names_are_cleaned_or_none(raw, clean):
    assert names.clean(raw) == clean


def test_at_most_a_hundred_aliases_are_kept():
    label, aliases = names.choose({"en": ["Name"]}, [f"Alias {n:03d}" for n in range(150)], ("en", "mul"))
    assert (label, len(aliases), aliases[0], aliases[-1]) == ("Name", 100, "Alias 000", "Alias 099")


def test_without_a_label_there_are_no_aliases_either():
    assert names.choose({"fr": ["Nom"]}, ["Alias"], ("en", "mul")) == (None, ())


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Italy", ["italy"]),
        ("Cote d'Ivoire", ["Côte d’Ivoire"]),
        ("Walmart", ["Walmart Inc."]),
        ("Alphabet Inc.", ["Alphabet"]),
        ("Walt Disney Company", ["The Walt Disney Company"]),
        ("Netherlands", ["Kingdom", "the Netherlands"]),
        ("Ajax", ["AFC Ajax"]),
        ("Liverpool", ["Liverpool F.C."]),
        ("SSC Napoli", ["S.S.C. Napoli"]),
        ("Real Madrid", ["Real Madrid CF"]),
        ("Paris Saint-Germain", ["Paris Saint-Germain F.C."]),
        ("Brighton", ["Brighton Football Club"]),
        ("U.S. Steel", ["US Steel"]),
        ("Coca-Cola", ["Coca Cola Company"]),
        ("ExxonMobil", ["Exxon Mobil"]),
        ("Company", ["The Company"]),
        ("日本", ["日本"]),
    ],
)
def test_a_name_that_fits(name, known):
    assert names.fits(name, known)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Italy", ["France", "Italia"]),
        ("Mitsubishi Electric", ["Mitsubishi Motors", "Mitsubishi"]),
        ("Apple", ["Pineapple"]),
        ("Italy", ["Kingdom of Italy"]),
        ("Mexico", ["New Mexico", "Mexico City"]),
        ("Mitsubishi", ["Mitsubishi Motors"]),
        ("Carlos Sainz", ["Carlos Sainz Jr."]),
        ("Real Madrid", ["Real Madrid Castilla"]),
        ("A", ["A B"]),
        ("Inc.", ["Alphabet Inc."[:8]]),
        ("Italy", []),
        ("...", ["!!!"]),
    ],
)
def test_a_name_that_does_not_fit(name, known):
    assert not names.fits(name, known)


# Kinds


@pytest.mark.parametrize(
    "label",
    [
        "national sports team",
        "national association football team",
        "men's national association football team",
        "women's national under-17 association football team",
        "national rugby league team",
        "national rugby union team",
        "national basketball squad",
        "Association football team (national)",
        "under-21 football team",
        "U21 side",
        "U-23 football team",
        "youth sports team",
        "junior ice hockey team",
        "reserve team",
        "reserves",
        "Olympic football team",
        "football academy",
        "B team",
        "B-team in football",
        "football team B",
        "second team",
        "sub-21 football team",
        "farm team",
        "development squad",
        "representative team",
    ],
)
def test_kinds_of_side_teams(label):
    assert kinds.is_side_team([label], set())


@pytest.mark.parametrize(
    "label",
    [
        "association football club",
        "basketball team",
        "National Football League team",
        "National Basketball Association team",
        "Women's National Basketball Association team",
        "National Hockey League franchise",
        "National Rugby League team",
        "national basketball league club",
        "National League baseball team",
        "team of the National Conference",
        "Formula One team",
        "multinational sports team",
        "international cricket team",
        "professional sports team",
        "club team",
        "national monument",
        "Olympic sports club",
        "farm",
    ],
)
def test_kinds_of_clubs(label):
    assert not kinds.is_side_team([label], set())


@pytest.mark.parametrize("side", kinds.SIDE_TEAMS)
def test_a_kind_below_that_of_side_teams_is_one(side):
    assert kinds.is_side_team(["club"], {side, "Q476028"})
    assert not kinds.is_side_team(["club"], {"Q476028"})


# Rows


@pytest.mark.parametrize(
    ("term", "item"),
    [
        (iri(f"{ENTITY}Q38"), "Q38"),
        (iri("https://www.wikidata.org/entity/Q38"), "Q38"),
        (iri(f"{ENTITY}P38"), None),
        (iri(f"{ENTITY}L38"), None),
        (iri(f"{ENTITY}Q38-x"), None),
        (iri(f"{ENTITY}Q038"), None),
        (iri(f"{ENTITY}statement/Q38-1"), None),
        (iri(f"{ENTITY}Q3٣"), None),
        (iri("http://evil.example/entity/Q38"), None),
        (text(f"{ENTITY}Q38"), None),
        (None, None),
    ],
)
def test_only_an_items_iri_is_an_item(term, item):
    assert rows.item_id(term) == item


def statement_rows(statement="st1", subject="Q38", prop="P6", value="Q1"):
    main = {"p": text(prop), "s": iri(ENTITY + subject), "st": iri(statement), "rank": iri(RANK)}
    return [
        {"st": iri(statement), "q": text("start"), "t": text("2020-01-01T00:00:00Z"), "prec": text("11")},
        main | {"v": iri(ENTITY + value)},
    ]


def test_rows_that_belong_to_nothing_asked_for_are_passed_over():
    asked = {("Q38", "P6")}
    mine = statement_rows()
    others = [
        *statement_rows("st2", subject="Q666"),
        *statement_rows("st3", prop="P666"),
        {"st": iri("st9"), "q": text("end"), "raw": text("2021-01-01T00:00:00Z")},
        {"q": text("end")},
        {"st": iri("st1"), "q": text("haunted")},
        {"st": iri("st1"), "q": text("start")},
        {"s": iri(ENTITY + "Q38"), "p": text("P6"), "st": iri("st4")},
        {"s": iri(ENTITY + "Q38"), "p": text("P6"), "st": iri("st5"), "rank": iri("best")},
        {"s": iri(ENTITY + "Q38"), "p": text("P6"), "st": text("st6"), "rank": iri(RANK)},
        {},
    ]
    alone = rows.statements(mine, asked, TODAY)
    assert rows.statements([*others, *mine, *others], asked, TODAY) == alone
    assert [str(s.interval.start) for s in alone["Q38", "P6"]] == ["2020-01-01"]


def test_a_precision_that_is_none_leaves_the_year():
    start, main = statement_rows()
    for precision in (text("eleven"), text("9" * 99), text("-1")):
        found = rows.statements([start | {"prec": precision}, main], {("Q38", "P6")}, TODAY)
        assert str(found["Q38", "P6"][0].interval.start) == "2020"


def test_a_statement_given_two_values_is_read_the_same_way_in_any_order():
    first, second = statement_rows(value="Q1"), statement_rows(value="Q2")
    second[1]["rank"] = iri("http://wikiba.se/ontology#PreferredRank")
    one = rows.statements([*first, *second], {("Q38", "P6")}, TODAY)
    other = rows.statements([*second, *first], {("Q38", "P6")}, TODAY)
    assert one == other
    assert [statement.value for statement in one["Q38", "P6"]] == ["Q1"]


def test_item_rows_that_nobody_asked_for_are_passed_over():
    mine = {"item": iri(ENTITY + "Q38"), "what": text("label"), "text": text("Italy")}
    others = [
        mine | {"item": iri(ENTITY + "Q666")},
        mine | {"item": iri("http://evil.example/")},
        mine | {"what": text("password")},
        {"item": iri(ENTITY + "Q38"), "what": text("label")},
        {"item": iri(ENTITY + "Q38"), "what": text("kind"), "to": iri("http://evil.example/")},
        {"item": iri(ENTITY + "Q38"), "what": text("P1313"), "to": text("office")},
        {"item": iri(ENTITY + "Q38"), "what": text("dissolved")},
        {"item": iri(ENTITY + "Q38"), "what": text("dissolved"), "t": text("then")},
        {"item": iri(ENTITY + "Q38")},
        {},
    ]
    assert rows.items([*others, mine], ["Q38"], ("en",), TODAY) == {"Q38": rows.Item("Italy")}


def test_a_server_cannot_make_us_ask_about_endless_kinds_and_offices():
    item = {"item": iri(ENTITY + "Q38")}
    many = [
        item | {"what": text(what), "to": iri(f"{ENTITY}Q{n}"), "st": iri(f"st{n}")}
        for what in ("kind", "P1313")
        for n in range(1, 500)
    ]
    found = rows.items(many, ["Q38"], ("en",), TODAY)["Q38"]
    assert (len(found.kinds), found.kinds[4]) == (rows.MAX_KINDS, "Q5")
    assert len(found.offices["P1313"]) == rows.MAX_OFFICES


def test_a_fact_that_was_read_can_be_written_and_read_again():
    found = rows.statements(statement_rows(), {("Q38", "P6")}, TODAY)
    known = facts.Known({"Q1": rows.Item("Giorgia Meloni", ("Meloni",), ("Q5",)), "Q38": rows.Item("Italy")})
    asked = facts.Asked("countries", "Q38", "Italia", "P6", "one", needs_office=True)
    fact = facts.build(asked, facts.record(found["Q38", "P6"]), known, ("en", "mul"), TODAY)
    assert [flaw.kind for flaw in fact.flaws] == ["label_mismatch", "no_office_name"]
    assert Fact.from_json(fact.to_json()) == fact
