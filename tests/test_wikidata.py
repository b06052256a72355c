"""The Wikidata source against a real SPARQL server that holds RDF in Wikidata's own model."""

import random
from datetime import UTC, datetime

import pytest
from oxigraph_server import emptied
from rdflib.plugins.sparql import prepareQuery
from wikidata_rdf import NO_VALUE, UNKNOWN, At, World

from freshness.catalog import Catalog, Entry, Selector, Template
from freshness.errors import UnavailableError, UsageError
from freshness.facts import PartialDate, Rank, Subject
from freshness.quality import assess
from freshness.sources.sparql import SparqlClient, SparqlError
from freshness.sources.wikidata import Wikidata, lag, queries
from freshness.sources.wikidata.facts import MAX_STATEMENTS, NAMELESS

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
COUNTRIES = """PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT ?subject WHERE { ?subject wdt:P31 wd:Q6256 } ORDER BY ?subject"""


@pytest.fixture
def server():
    return emptied()


@pytest.fixture
def clients():
    """Those that asked, in order."""
    return []


@pytest.fixture
def fetch(server, clients):
    """Fetches the facts asked for, from a world put into the server."""

    def fetched(world, *asked, languages=("en",), selectors=(), client=SparqlClient, **more):
        server.load(world.ntriples())
        catalog = Catalog(tuple(map(entry, asked)), tuple(selectors))
        clients.append(client(server.endpoint))
        source = Wikidata(clients[-1], catalog, languages, now=lambda: NOW, **more)
        return source.fetch()

    return fetched


@pytest.fixture
def fetch_one(fetch):
    return lambda *arguments, **options: fetch(*arguments, **options).facts[0]


def entry(asked):
    """`Q38/P6 Italy`, with the name left out where it doesn't matter."""
    fact, _, name = asked.partition(" ")
    subject = fact.partition("/")[0]
    return Entry(fact, "group", Subject(subject, name or "Italy"), name or "Italy", "one", ())


def selector(query, group="chosen", prop="P6", template="Who leads {subject}?"):
    return Selector(group, prop, "one", query, (Template("p1", template, None),))


def italy(**options):
    """Italy and some people to lead it: Q1 is called P1 and so on."""
    world = World(**options).item("Q38", "Italy", kinds=("Q6256",))
    for number in range(1, 6):
        world.item(f"Q{number * 10}", f"Person {number}")
    return world


def terms(fact):
    """`Person 1 2020-01-01..2021`; a `?` is an end that is unknown, nothing an open one."""
    return [
        f"{value.label} {interval.start}..{'?' if interval.ended else interval.end or ''}"
        for value in fact.values
        for interval in value.intervals
    ]


def flaws(fact):
    return [flaw.kind for flaw in fact.flaws]


# Statements


def test_a_fact_has_all_its_statements_with_ranks_but_the_deprecated_ones(fetch_one):
    world = italy()
    world.statement("Q38", "P6", "Q10", start="2021-02-13", end="2022-10-22")
    world.statement("Q38", "P6", "Q20", start="2022-10-22", rank="preferred")
    world.statement("Q38", "P6", "Q30", start="2022-10-22", rank="deprecated")
    fact = fetch_one(world, "Q38/P6")
    assert terms(fact) == ["Person 1 2021-02-13..2022-10-22", "Person 2 2022-10-22.."]
    assert [(value.id, value.rank) for value in fact.values] == [
        ("Q10", Rank.NORMAL),
        ("Q20", Rank.PREFERRED),
    ]
    assert (fact.id, fact.group, fact.subject, fact.flaws) == ("Q38/P6", "group", Subject("Q38", "Italy"), ())


@pytest.mark.parametrize(
    ("date", "read"),
    [
        ("2021-02-13", "2021-02-13"),
        ("2021-02", "2021-02"),
        ("2021", "2021"),
        (At("2021-02-13T00:00:00Z", precision=None), "2021"),
        (At("2021-02-13T12:30:00Z", precision=14), "2021-02-13"),
        (At("-0043-03-15T00:00:00Z"), "-0043-03-15"),
        (At("-0043-01-01T00:00:00Z", 9), "-0043"),
        (At("2023-02-30T00:00:00Z"), "2023-02"),
        (At("2023-13-01T00:00:00Z"), "2023"),
        (At("2023-00-00T00:00:00Z"), "2023"),
        (At("1950-01-01T00:00:00Z", 7), "None"),
    ],
)
def test_a_start_is_as_exact_as_the_source_says(fetch_one, date, read):
    assert terms(fetch_one(italy().statement("Q38", "P6", "Q10", start=date), "Q38/P6")) == [
        f"Person 1 {read}.."
    ]


@pytest.mark.parametrize("genids", [True, False], ids=["genid", "blank"])
@pytest.mark.parametrize(
    ("qualifiers", "read"),
    [
        ({"start": "2020-01-01", "end": UNKNOWN}, "2020-01-01..?"),
        ({"start": UNKNOWN, "end": "2020-01-01"}, "None..2020-01-01"),
        ({"start": UNKNOWN}, "None.."),
        ({"start": "2014-08-28", "end": NO_VALUE}, "2014-08-28.."),
        ({"end": NO_VALUE}, "None.."),
        ({"point": "2020"}, "2020..?"),
        ({"point": "2020", "start": "2019"}, "2019.."),
        ({"start": "2020-01-01", "end": At("1900-01-01T00:00:00Z", 7)}, "2020-01-01..?"),
        ({"start": "2020-01-01", "end": At("2020-01-01T00:00:00Z", 8)}, "2020-01-01.."),
        ({"start": "2020-01-01", "end": "2019-12-31"}, "2020-01-01..?"),
        ({"start": "2020-05-01", "end": "2020"}, "2020-05-01..2020"),
    ],
    ids=str,
)
def test_unknown_missing_and_rough_bounds(fetch_one, genids, qualifiers, read):
    world = italy(genids=genids).statement("Q38", "P6", "Q10", **qualifiers)
    fact = fetch_one(world, "Q38/P6")
    assert terms(fact) == [f"Person 1 {read}"]
    assert "undated" not in flaws(fact)


def test_a_statement_without_any_date_is_kept_and_told(fetch_one):
    world = italy().statement("Q38", "P6", "Q10").statement("Q38", "P6", "Q10")
    fact = fetch_one(world, "Q38/P6")
    assert terms(fact) == ["Person 1 None.."]
    assert [(f.kind, f.text, f.value) for f in fact.flaws] == [
        ("undated", "Person 1 has neither start nor end", None)
    ]


def test_of_several_dates_on_one_statement_the_later_counts(fetch_one):
    starts, ends = ["2007-05-16", "2007-05-06"], ["2012-05-06", "2012-05-15"]
    fact = fetch_one(italy().statement("Q38", "P6", "Q10", start=starts, end=ends), "Q38/P6")
    assert terms(fact) == ["Person 1 2007-05-16..2012-05-15"]
    assert [f.text for f in fact.flaws] == [
        "Person 1 has several start dates: 2007-05-16 was taken, not 2007-05-06",
        "Person 1 has several end dates: 2012-05-15 was taken, not 2012-05-06",
    ]


@pytest.mark.parametrize("genids", [True, False], ids=["genid", "blank"])
def test_unknown_value_and_no_value_are_no_names(fetch_one, genids):
    world = italy(genids=genids)
    world.statement("Q38", "P6", UNKNOWN, start="2020-01-01", end="2021-01-01")
    world.statement("Q38", "P6", NO_VALUE, start="2022-01-01")
    fact = fetch_one(world, "Q38/P6")
    assert fact.values == ()
    assert flaws(fact) == ["unknown_value", "no_value"]
    left_out = [flaw.value for flaw in fact.flaws]
    assert [value.label for value in left_out] == ["unknown", "no value"]
    assert [str(value.intervals[0].start) for value in left_out] == ["2020-01-01", "2022-01-01"]
    assert not assess(fact, NOW.date()).usable


def test_one_who_came_twice_has_two_terms(fetch_one):
    world = italy()
    world.statement("Q38", "P6", "Q10", start="2016-01-01", end="2018-01-01")
    world.statement("Q38", "P6", "Q20", start="2018-01-01", end="2020-01-01")
    world.statement("Q38", "P6", "Q10", start="2020-01-01", rank="preferred")
    fact = fetch_one(world, "Q38/P6")
    assert [(value.label, len(value.intervals), value.rank) for value in fact.values] == [
        ("Person 1", 2, Rank.PREFERRED),
        ("Person 2", 1, Rank.NORMAL),
    ]


def test_two_holders_at_once_are_both_there(fetch_one):
    world = italy().statement("Q38", "P35", "Q20", start="2020-01-01")
    world.statement("Q38", "P35", "Q10", start="2020-01-01")
    assert terms(fetch_one(world, "Q38/P35")) == ["Person 1 2020-01-01..", "Person 2 2020-01-01.."]


def test_of_too_many_statements_the_newest_are_read(fetch_one):
    world = italy()
    for number in range(MAX_STATEMENTS + 2):
        world.statement("Q38", "P6", "Q10", start=str(1000 + number), end=str(1001 + number))
    fact = fetch_one(world, "Q38/P6")
    assert [str(interval.start) for interval in fact.values[0].intervals][::499] == ["1002", "1501"]
    assert [f.text for f in fact.flaws] == ["502 statements; only the 500 newest were read"]


def test_a_value_that_is_text_is_passed_over(fetch_one):
    fact = fetch_one(italy().statement("Q38", "P6", '"Somebody"', start="2020"), "Q38/P6")
    assert (fact.values, fact.flaws) == ((), ())


# Names


def test_a_label_that_is_there_for_all_languages_is_used(fetch_one):
    world = italy().item("Q42", {"mul": "Douglas Adams", "fr": "Douglas Noël Adams"}, {"mul": ["DNA"]})
    value = fetch_one(world.statement("Q38", "P6", "Q42", start="1978"), "Q38/P6").values[0]
    assert (value.label, value.aliases) == ("Douglas Adams", ("DNA",))


def test_the_first_language_that_has_a_label_gives_it_and_the_others_are_aliases(fetch_one):
    labels = {"en": "Munich", "de": "München", "fr": "Munich-sur-Isar", "mul": "Minga"}
    world = italy().item("Q42", labels, {"de": ["Monaco di Baviera"], "fr": ["Ville"], "en": ["Munich"]})
    world.statement("Q38", "P6", "Q42", start="1978")
    value = fetch_one(world, "Q38/P6", languages=("pl", "DE", "en")).values[0]
    assert (value.label, value.aliases) == ("München", ("Munich", "Minga", "Monaco di Baviera"))


@pytest.mark.parametrize("label", [None, {"fr": "Quelqu'un"}, "Q104772361", "  "])
def test_what_has_no_name_is_left_out_and_told(fetch_one, label):
    world = italy().item("Q104772361", label, ["Q104772361", "Somebody"])
    fact = fetch_one(world.statement("Q38", "P6", "Q104772361", start="2020"), "Q38/P6")
    assert fact.values == ()
    (flaw,) = fact.flaws
    assert (flaw.kind, flaw.text) == ("missing_label", "Q104772361 has no label in en, mul")
    assert (flaw.value.id, flaw.value.label, terms(fact)) == ("Q104772361", "Q104772361", [])


def test_names_with_commas_stay_whole(fetch_one):
    aliases = ["Lula", "Luiz Inácio Lula da Silva", "Silva, Luiz Inácio Lula da"]
    world = italy().item("Q37181", "Lula da Silva", aliases)
    value = fetch_one(world.statement("Q38", "P6", "Q37181", start="2023"), "Q38/P6").values[0]
    assert sorted(value.aliases) == sorted(aliases)


# Kinds


def test_what_is_no_person_is_left_out_of_an_office(fetch_one):
    world = italy().item("Q30185", "mayor", kinds=("Q4164871",)).item("Q4164871", "position", kinds=())
    world.item("Q77", "Nobody Knows", kinds=()).item("Q78", "Human After All", kinds=("Q4164871", "Q5"))
    for year, value in enumerate(("Q30185", "Q77", "Q78"), 2020):
        world.statement("Q38", "P6", value, start=str(year))
    fact = fetch_one(world, "Q38/P6")
    assert terms(fact) == ["Nobody Knows 2021..", "Human After All 2022.."]
    (flaw,) = fact.flaws
    assert (flaw.kind, flaw.text) == ("wrong_kind", "mayor (Q30185) is no person but position (Q4164871)")
    assert (flaw.value.label, flaw.value.id, str(flaw.value.intervals[0].start)) == (
        "mayor",
        "Q30185",
        "2020",
    )


def teams():
    """A player whose teams are clubs and side teams, all of them named to mislead."""
    world = World().item("Q28967995", "Erling Haaland")
    world.item("Q476028", "association football club", kinds=())
    world.item("Q1194951", "national sports team", kinds=())
    world.item("Q100", "Q100", kinds=(), below=("Q101",)).item("Q101", kinds=(), below=("Q1194951",))
    world.item("Q102", "national under-21 association football team", kinds=())
    world.item("Q2412834", "reserve team", kinds=()).item("Q103", "National Football League team", kinds=())
    world.item("Q104", {"de": "Jugendmannschaft"}, kinds=())
    named = {
        "Norway": ("Q100",),
        "Norway U21": ("Q102",),
        "Barcelona Athletic": ("Q476028", "Q2412834"),
        "Club Nacional": ("Q476028",),
        "Boca Juniors Academy": ("Q476028", "Q104"),
        "Kansas City": ("Q103",),
        "Unsorted": (),
    }
    for number, (name, kinds) in enumerate(named.items(), 2001):
        world.item(f"Q{number}", name, kinds=kinds)
        world.statement("Q28967995", "P54", f"Q{number}", start=str(number))
    return world


def test_national_youth_and_reserve_teams_are_told_by_their_kind(fetch_one):
    fact = fetch_one(teams(), "Q28967995/P54 Erling Haaland")
    left = [value.label for value in fact.values]
    assert left == ["Club Nacional", "Boca Juniors Academy", "Kansas City", "Unsorted"]
    assert fact.flaws == ()


# Subjects


def test_a_merged_subject_keeps_the_catalogues_id(fetch_one):
    world = italy().redirect("Q9038", "Q9039").redirect("Q9039", "Q9040").redirect("Q9040", "Q38")
    fact = fetch_one(world.statement("Q38", "P6", "Q10", start="2020"), "Q9038/P6")
    assert (fact.id, terms(fact), fact.flaws) == ("Q9038/P6", ["Person 1 2020.."], ())


def test_redirects_are_followed_over_three_steps_and_no_more(fetch_one):
    world = italy().statement("Q38", "P6", "Q10", start="2020")
    for step in range(9031, 9035):
        world.redirect(f"Q{step}", f"Q{step + 1}" if step < 9034 else "Q38")
    assert flaws(fetch_one(world, "Q9031/P6")) == ["no_item"]
    fact = fetch_one(world, "Q9032/P6 France")
    assert (terms(fact), flaws(fact)) == (["Person 1 2020.."], ["label_mismatch"])


def test_what_is_listed_by_two_ids_of_one_item_stays_two_facts(fetch):
    world = italy().redirect("Q9038", "Q38").statement("Q38", "P6", "Q10", start="2020")
    facts = fetch(world, "Q9038/P6", "Q38/P6").facts
    assert [(fact.id, terms(fact)) for fact in facts] == [
        ("Q9038/P6", ["Person 1 2020.."]),
        ("Q38/P6", ["Person 1 2020.."]),
    ]


def test_merged_values_are_one_person(fetch_one):
    world = italy().redirect("Q9010", "Q10")
    world.statement("Q38", "P6", "Q9010", start="2016", end="2018").statement(
        "Q38", "P6", "Q10", start="2020"
    )
    fact = fetch_one(world, "Q38/P6")
    assert [(value.id, len(value.intervals)) for value in fact.values] == [("Q10", 2)]


def test_redirects_in_a_loop_end(fetch_one, clients):
    world = italy().redirect("Q7001", "Q7002").redirect("Q7002", "Q7001").redirect("Q7003", "Q7003")
    world.statement("Q38", "P6", "Q7001", start="2020")
    assert flaws(fetch_one(world, "Q38/P6")) == ["missing_label"]
    assert flaws(fetch_one(world, "Q7003/P6")) == ["no_item"]
    assert clients[-1].requests == 2  # it, and its statements


def test_an_item_that_does_not_exist_is_told(fetch):
    gone, fine = fetch(italy(), "Q999/P6", "Q38/P6").facts
    assert (gone.values, flaws(gone)) == ((), ["no_item"])
    assert (fine.values, fine.flaws) == ((), ())


def test_an_id_that_is_somebody_elses_is_loud(fetch_one):
    world = italy().item("Q36033", "Mitsubishi Motors", ["MMC"], kinds=("Q4830453",))
    (flaw,) = fetch_one(world, "Q36033/P169 Mitsubishi Electric").flaws
    said = "Q36033 is Mitsubishi Motors on Wikidata, but Mitsubishi Electric in the catalogue"
    assert (flaw.kind, flaw.text) == ("label_mismatch", said)


def test_a_subject_without_a_label_in_our_languages_cannot_be_checked(fetch_one):
    world = World().item("Q38", {"fr": "Italie"}, kinds=("Q6256",))
    (flaw,) = fetch_one(world, "Q38/P6").flaws
    assert flaw.kind == "unchecked_name"
    assert flaw.text == "Q38 has no label in en, mul: whether it is Italy could not be checked"


def test_the_office_is_the_one_held_now(fetch_one):
    held = [
        {"value": "Q500", "rank": "deprecated"},
        {"value": "Q501", "end": "1946"},
        {"value": "Q502"},
        {"value": "Q503", "rank": "preferred"},
    ]
    world = italy()
    for office, name in zip(held, ("Doge", "King of Italy", "Regent", "President of Italy"), strict=True):
        world.item(office["value"], name)
    assert fetch_one(world.item("Q38", kinds=(), P1906=held), "Q38/P35").office == "President of Italy"


def test_of_offices_that_all_have_ended_the_last_one_counts(fetch_one):
    held = [
        {"value": "Q501", "end": "1990"},
        {"value": "Q502", "end": "2018-07-09"},
        {"value": "Q503", "end": "1950"},
    ]
    world = italy().item("Q501", "A").item("Q502", "B").item("Q503", "C")
    assert fetch_one(world.item("Q38", kinds=(), P1313=held), "Q38/P6").office == "B"


def test_an_office_that_was_dissolved_is_told(fetch_one):
    world = World().item("Q43", "Turkey", kinds=("Q6256",), P1313="Q502")
    world.item("Q502", "Prime Minister of Turkey", kinds=(), dissolved="2018-07-09").item(
        "Q10", "Binali Yıldırım"
    )
    world.statement("Q43", "P6", "Q10", start="2016-05-24", end="2018-07-09")
    fact = fetch_one(world, "Q43/P6 Turkey")
    assert (fact.office, fact.dissolved) == ("Prime Minister of Turkey", PartialDate(2018, 7, 9))
    assert not assess(fact, NOW.date()).usable


def test_one_dissolved_office_of_two_dissolves_nothing(fetch_one):
    world = italy().item("Q38", kinds=(), P1313=[{"value": "Q501", "end": "1946"}, {"value": "Q502"}])
    world.item("Q501", "Old", dissolved="1946").item("Q502", "New")
    assert fetch_one(world, "Q38/P6").dissolved is None


def test_when_all_offices_are_dissolved_the_last_end_counts(fetch_one):
    world = italy().item("Q38", kinds=(), P1313=[{"value": "Q501", "end": "1946"}, {"value": "Q502"}])
    world.item("Q501", "Old", dissolved="1946").item("Q502", "New", dissolved="2018")
    assert fetch_one(world, "Q38/P6").dissolved == PartialDate(2018)


def test_a_subject_that_was_dissolved_is_told_with_the_earliest_date(fetch_one):
    world = (
        italy()
        .item("Q38", kinds=(), dissolved="2015-06")
        .statement("Q38", "P576", At("2016-01-01T00:00:00Z"))
    )
    world.statement("Q38", "P576", At("1999-01-01T00:00:00Z"), rank="deprecated")
    assert fetch_one(world, "Q38/P6").dissolved == PartialDate(2015, 6)


# Selectors


def test_a_selector_gives_a_fact_for_each_of_its_subjects(fetch, clients):
    world = italy().item("Q142", "France", kinds=("Q6256",)).statement("Q142", "P6", "Q10", start="2020")
    chosen = fetch(world, selectors=[selector(COUNTRIES), selector(COUNTRIES, prop="P35")]).facts
    assert [(fact.id, fact.group, fact.subject.name) for fact in chosen] == [
        ("Q142/P6", "chosen", "France"),
        ("Q38/P6", "chosen", "Italy"),
        ("Q142/P35", "chosen", "France"),
        ("Q38/P35", "chosen", "Italy"),
    ]
    assert terms(chosen[0]) == ["Person 1 2020.."]
    assert clients[0].requests == 4  # the query once for both groups


@pytest.mark.parametrize("listed", ["Q38/P6", "Q9038/P6"], ids=["same id", "merged id"])
def test_what_is_listed_is_not_chosen_again(fetch, listed):
    world = italy().redirect("Q9038", "Q38")
    assert [(f.id, f.group) for f in fetch(world, listed, selectors=[selector(COUNTRIES)]).facts] == [
        (listed, "group")
    ]


def test_a_chosen_subject_without_a_name_is_told_and_has_no_values(fetch_one):
    world = (
        World()
        .item("Q38", kinds=("Q6256",))
        .item("Q10", "Person 1")
        .statement("Q38", "P6", "Q10", start="2020")
    )
    fact = fetch_one(world, selectors=[selector(COUNTRIES)])
    assert (fact.subject, fact.values, flaws(fact)) == (Subject("Q38", NAMELESS), (), ["missing_label"])


def test_an_office_without_a_name_is_told_where_the_prompts_need_it(fetch):
    world = (
        italy()
        .item("Q142", "France", kinds=("Q6256",), P1313="Q502")
        .item("Q502", "Prime Minister of France")
    )
    facts = fetch(world, selectors=[selector(COUNTRIES, template="Who is the {office}?")]).facts
    assert [(fact.office, flaws(fact)) for fact in facts] == [
        ("Prime Minister of France", []),
        (None, ["no_office_name"]),
    ]


@pytest.mark.parametrize(
    ("query", "error", "said"),
    [
        ("SELECT ?subject { ?subject a <urn:nothing> }", UnavailableError, r"found no \?subject"),
        ('SELECT ("Italy" AS ?subject) {}', UsageError, 'must be an item .* not "Italy"'),
        ("SELECT (<http://www.wikidata.org/entity/P6> AS ?subject) {}", UsageError, "must be an item"),
        ("SELECT (<http://evil.example/entity/Q6> AS ?subject) {}", UsageError, "must be an item"),
        ("SELECT (1 AS ?item) {}", UsageError, "not nothing"),
        ("SELECT ?subject {", UsageError, "chosen"),
    ],
)
def test_a_selector_that_chooses_no_items_is_named(fetch, query, error, said):
    with pytest.raises(error, match=said) as raised:
        fetch(italy(), selectors=[selector(query)])
    assert "catalogue group 'chosen' P6, select: " in str(raised.value)


def test_a_selector_without_a_limit_is_refused(fetch):
    world = World()
    for number in range(1, 1002):
        world.item(f"Q{number}", kinds=("Q6256",))
    with pytest.raises(UsageError, match="1001 subjects, more than 1000; add a LIMIT"):
        fetch(world, selectors=[selector(COUNTRIES)])


def test_a_selectors_failed_request_names_the_group(fetch):
    def tiny(endpoint):
        return SparqlClient(endpoint, max_bytes=10)

    with pytest.raises(SparqlError, match="'chosen'") as raised:
        fetch(italy(), selectors=[selector(COUNTRIES)], client=tiny)
    assert raised.value.kind == "too_large"


# Requests


def many_facts():
    """130 facts of 7 properties with ten values each; some subjects are merged, one value is no person."""
    world = World()
    world.item("Q476028", "association football club", kinds=()).item("Q5", "human", kinds=())
    asked = []
    for number in range(130):
        prop = ("P6", "P35", "P169", "P488", "P3975", "P54", "P286")[number % 7]
        subject, old = f"Q{10_000 + number}", f"Q{20_000 + number}"
        world.item(subject, f"Subject {number}", kinds=("Q6256",))
        asked.append(f"{subject}/{prop} Subject {number}")
        if number % 10 == 0:
            world.redirect(old, subject)
            asked[-1] = f"{old}/{prop} Subject {number}"
        for year in range(10):
            value = f"Q{100_000 + 10 * number + year}"
            kind = "Q476028" if prop == "P54" or (number, year) == (0, 0) else "Q5"
            world.item(value, f"Value {number} {year}", [f"V{number}.{year}"], kinds=(kind,))
            world.statement(
                subject, prop, value, start=str(2010 + year), end=str(2011 + year), name=f"{year}"
            )
    return world, asked


def test_a_hundred_and_thirty_facts_take_at_most_twelve_requests(fetch, clients):
    progress = []
    world, asked = many_facts()
    snapshot = fetch(world, *asked, advance=lambda *step: progress.append(step))
    assert [fact.id for fact in snapshot.facts] == [line.partition(" ")[0] for line in asked]
    assert [len(fact.values) for fact in snapshot.facts] == [9] + 129 * [10]
    assert flaws(snapshot.facts[0]) == ["wrong_kind"]
    assert clients[0].requests <= 12
    assert [done for done, _ in progress] == list(range(1, clients[0].requests + 1))
    assert progress[-1] == (clients[0].requests, clients[0].requests)
    assert all(done <= total for done, total in progress)


def test_the_same_record_gives_the_same_digest_in_whatever_order_rows_come(fetch):
    class Shuffling(SparqlClient):
        def select(self, query):
            rows = super().select(query)
            random.shuffle(rows)
            return rows

    world = teams()
    labels = {"en": "Italy", "fr": "Italie", "mul": "Italia"}
    world.item("Q38", labels, [f"Land {n}" for n in range(9)], P1313=[{"value": "Q10"}, {"value": "Q20"}])
    for number in range(1, 5):
        world.item(f"Q{number * 10}", f"Person {number}", [f"P{number}{n}" for n in range(5)])
        for _ in range(2):
            world.statement("Q38", "P6", f"Q{number * 10}", start=["2020", "2021"], end=["2022", UNKNOWN])
    asked = ("Q38/P6", "Q28967995/P54 Erling Haaland")
    digests = {
        fetch(world, *asked, languages=("en", "fr"), client=client).digest
        for client in (SparqlClient, *4 * [Shuffling])
    }
    assert len(digests) == 1


def test_a_request_that_fails_ends_it_all(fetch):
    class Failing(SparqlClient):
        def __init__(self, endpoint, fine):
            super().__init__(endpoint)
            self.fine = fine

        def select(self, query):
            if self.requests == self.fine:
                raise SparqlError("stalled", "host: stalled")
            return super().select(query)

    world = teams()
    for fine in range(4):
        with pytest.raises(SparqlError, match="stalled"):
            fetch(world, "Q28967995/P54 Erling Haaland", client=lambda url, fine=fine: Failing(url, fine))
    whole = fetch(world, "Q28967995/P54 Erling Haaland", client=lambda url: Failing(url, 4))
    assert len(whole.facts[0].values) == 4


def test_it_is_dated_when_the_fetch_began(server):
    clock = iter([NOW])
    snapshot = Wikidata(SparqlClient(server.endpoint), Catalog(()), now=lambda: next(clock)).fetch()
    assert (snapshot.source, snapshot.taken_at, snapshot.facts) == ("wikidata", NOW, ())


@pytest.mark.parametrize("language", ['en") } #', "", "e n", "x" * 40])
def test_a_language_that_is_none_is_refused(server, language):
    with pytest.raises(UsageError, match=r"wikidata\.languages"):
        Wikidata(SparqlClient(server.endpoint), Catalog(()), (language,))


@pytest.mark.parametrize("fact", ["Q38 } #/P6", "Q3٣/P6", "Q38/P6; DROP"])
def test_an_id_that_is_none_never_reaches_a_query(server, fact):
    subject = fact.partition("/")[0]
    asked = Entry(fact, "group", Subject(subject, "Italy"), "Italy", "one", ())
    with pytest.raises(UsageError, match="'group'"):
        Wikidata(SparqlClient(server.endpoint), Catalog((asked,)))


def test_a_chosen_groups_property_is_checked_too(server):
    with pytest.raises(UsageError, match="property such as P6"):
        Wikidata(SparqlClient(server.endpoint), Catalog((), (selector(COUNTRIES, prop="P6 }"),)))


def test_the_queries_are_standard_sparql():
    wanted = {"P6": ["Q38", "Q142"], "P54": ["Q615"]}
    asked = [
        queries.describe(["Q38", "Q142"], ["en", "pt-br", "mul"]),
        queries.kinds(["Q476028"], ["Q1194951"]),
        queries.statements(wanted),
        queries.LAG,
    ]
    for text in asked:
        assert prepareQuery(text).algebra.name == "SelectQuery"
        assert not any(word in text for word in ("SERVICE", "hint:", "bd:"))


def test_lag_is_when_the_endpoint_last_took_over_an_edit(server):
    client = SparqlClient(server.endpoint)
    assert lag(client) is None
    modified = "<http://www.wikidata.org> <http://schema.org/dateModified>"
    kind = "<http://www.w3.org/2001/XMLSchema#dateTime>"
    moments = ("2026-11-30T11:58:01Z", "2026-11-29T00:00:00Z", "yesterday")
    server.load("".join(f'{modified} "{moment}"^^{kind} .\n' for moment in moments))
    assert lag(client) == datetime(2026, 11, 30, 11, 58, 1, tzinfo=UTC)
