"""The shared cases about reading Wikidata, each put into RDF or rows and read by the source's own code."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from oxigraph_server import emptied
from shared import SHARED, needs_shared
from wikidata_rdf import NO_VALUE, UNKNOWN, At, World

from freshness.catalog import Catalog, Entry
from freshness.changes import compare, reconcile
from freshness.facts import Fact, PartialDate, Snapshot, Subject, ValidityInterval, Value
from freshness.quality import assess
from freshness.sources.sparql import SparqlClient
from freshness.sources.wikidata import Wikidata
from freshness.sources.wikidata.dates import moment

pytestmark = needs_shared
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def case(number):
    lines = (SHARED / "cases" / "wikidata.jsonl").read_text("utf-8").splitlines()
    found = [one for one in map(json.loads, lines) if one["id"].startswith(f"wd-{number}-")]
    assert len(found) == 1
    return found[0]["input"], found[0]["expected"]


@pytest.fixture
def read():
    """The fact that a world of the case tells about subject Q1, property P6."""
    server = emptied()

    def fetched(world, languages=("en",)):
        server.load(world.item("Q1", "Subject", kinds=("Q6256",)).ntriples())
        entry = Entry("Q1/P6", "g", Subject("Q1", "Subject"), "Subject", "one", ())
        source = Wikidata(SparqlClient(server.endpoint), Catalog((entry,)), tuple(languages), now=lambda: NOW)
        return source.fetch().facts[0]

    return fetched


def rows_of(raw):
    return raw["sparql_json"]["results"]["bindings"]


def item_of(term):
    return term["value"].rpartition("/")[2]


def plain(fact):
    return [
        {"label": value.label, "start": str(value.intervals[0].start), "end": str(value.intervals[0].end)}
        for value in fact.values
    ]


def test_mul_label(read):
    raw, expected = case("07")
    (row,) = rows_of(raw)
    labels = {"mul": row["labelMul"]["value"]}
    world = World().item(item_of(row["item"]), labels).statement("Q1", "P6", item_of(row["item"]), "2020")
    assert [value.label for value in read(world, raw["languages"]).values] == [expected["label"]]


def test_id_as_label(read):
    raw, expected = case("08")
    (row,) = rows_of(raw)
    item, shown = item_of(row["item"]), row["itemLabel"]["value"]
    world = World().item(item, {"en": shown, "mul": shown}).statement("Q1", "P6", item, "2020")
    fact = read(world, raw["languages"])
    assert bool(fact.values) is expected["value_usable_for_matching"]
    assert [(flaw.kind, flaw.value.id) for flaw in fact.flaws] == [(expected["warning"], expected["qid"])]


def test_aliases_with_commas(read):
    raw, expected = case("10")
    world = World().item("Q2", "Lula da Silva", raw["altLabel_rows"]).statement("Q1", "P6", "Q2", "2023")
    (value,) = read(world).values
    assert sorted(value.aliases) == sorted(expected["aliases"])
    assert not set(expected["must_not_contain"]) & {value.label, *value.aliases}


@pytest.mark.parametrize("genids", [True, False], ids=["genid", "blank"])
def test_unknown_value(read, genids):
    raw, expected = case("11")
    (row,) = rows_of(raw)
    world = World(genids).statement("Q1", "P6", UNKNOWN, At(row["start"]["value"]))
    fact = read(world)
    assert list(fact.values) == expected["values"]
    assert [flaw.kind for flaw in fact.flaws] == ["unknown_value"]  # the case's unknown_value_skipped
    assert row["value"]["value"] not in json.dumps(fact.to_json())


def test_no_value_as_end(read):
    raw, expected = case("13")
    qualifiers = raw["entity_json_qualifiers"]
    start = qualifiers["P580"][0]["datavalue"]["value"]
    assert qualifiers["P582"][0]["snaktype"] == "novalue"
    world = World().item("Q2", "Somebody")
    world.statement("Q1", "P6", "Q2", At(start["time"].lstrip("+"), start["precision"]), NO_VALUE)
    (interval,) = read(world).values[0].intervals
    assert interval.to_json() == {"start": expected["start"], "end": expected["end"]}
    assert interval.is_open is expected["still_current"]


def test_year_precision(read):
    raw, expected = case("14")
    (row,) = rows_of(raw)
    start = At(row["start"]["value"], int(row["startPrecision"]["value"]))
    item = item_of(row["value"])
    world = World().item(item, row["valueLabel"]["value"]).statement("Q1", "P6", item, start)
    begun = read(world).values[0].intervals[0].start
    assert begun.first == date.fromisoformat(expected["start_earliest"]).toordinal()
    assert begun.last == date.fromisoformat(expected["start_latest"]).toordinal()
    for day, certain in expected["certain_at"].items():
        assert (begun.last <= date.fromisoformat(day).toordinal()) is certain


def test_before_the_common_era(read):
    raw, expected = case("16")
    assert expected["both_mean"] == "44 BCE"
    assert str(moment(raw["rdf"], raw["json"]["precision"], NOW.date()).date) == "-0043"
    world = World().item("Q2", "Caesar").statement("Q1", "P6", "Q2", At(raw["rdf"], 9))
    assert read(world).values[0].intervals[0].start.year == -43


def test_cartesian_qualifiers(read):
    raw, expected = case("17")
    rows = rows_of(raw)
    starts, ends = ([At(t) for t in sorted({row[k]["value"] for row in rows})] for k in ("start", "end"))
    label = rows[0]["valueLabel"]["value"]
    assert len({row["stmt"]["value"] for row in rows}) == expected["statements"]
    fact = read(World().item("Q329", label).statement("Q1", "P6", "Q329", starts, ends))
    assert plain(fact) == expected["values"]
    assert [flaw.kind for flaw in fact.flaws] == ["several_dates", "several_dates"]
    assert "2007-05-06" in fact.flaws[0].text
    assert "2012-05-06" in fact.flaws[1].text


@pytest.mark.parametrize("number", ["19", "20"])
def test_ranks(read, number):
    raw, expected = case(number)
    world = World()
    for place, statement in enumerate(raw["statements"], 2):
        world.item(f"Q{place}", statement["value"])
        world.statement("Q1", "P6", f"Q{place}", statement["start"], statement["end"], rank=statement["rank"])
    assert [value.label for value in read(world).values] == expected["loaded"]


def test_a_holder_that_is_no_person(read):
    raw, expected = case("26")
    (row,) = rows_of(raw)
    item, kind = item_of(row["value"]), item_of(row["valueClass"])
    world = World().item(item, row["valueLabel"]["value"], kinds=(kind,)).statement("Q1", "P6", item, "2020")
    fact = read(world)
    assert list(fact.values) == expected["values"]
    assert [flaw.kind for flaw in fact.flaws] == ["wrong_kind"]  # the case's value_not_of_expected_class


def office_of(*terms, **more):
    values = tuple(Value(label, (), (ValidityInterval.from_json(start, end),)) for label, start, end in terms)
    return Fact("g", Subject("Q1", "Subject"), "P6", values, **more)


def test_nothing_for_a_known_fact_erases_nothing():
    raw, expected = case("22")
    assert rows_of(raw) == []
    known = office_of(*((f"H{n}", str(2000 + n), str(2001 + n)) for n in range(raw["previous"]["values"])))
    result = reconcile(
        Snapshot("wikidata", NOW, (known,)),
        Snapshot("wikidata", NOW, (office_of(),)),
        seen_at=NOW,
        first_seen={},
        earlier=lambda fact: (),
    )
    assert (result.snapshot.facts == (known,)) is expected["previous_facts_kept"]
    assert [kept.why for kept in result.kept] == [expected["warning"]]


def test_polls_of_servers_that_differ_for_a_while():
    raw, expected = case("23")
    polls = [(datetime.fromisoformat(poll["t"]), poll["current"]) for poll in raw["polls"]]
    (first, new), (_, old), _ = polls
    before = office_of((old, "2021-12-08", None))
    after = office_of((old, "2021-12-08", str(first.date())), (new, str(first.date()), None))
    # Whoever sees a change had seen something before.
    known, since, seen, events = before, first - timedelta(days=30), [before], []
    for at, current in polls:
        fetched = Snapshot("wikidata", at, (after if current == new else before,))
        (now,) = reconcile(
            Snapshot("wikidata", since, (known,)),
            fetched,
            seen_at=at,
            first_seen={known.id: since},
            earlier=lambda fact: list(seen),
        ).snapshot.facts
        events += compare(known, at.date(), now, at.date(), at)
        if now != known:
            known, since = now, at
            seen.append(now)
    assert len(events) == expected["change_events"]
    assert known == after


def test_an_abolished_office_is_not_asked_about():
    raw, expected = case("25")
    position, as_of = raw["position"], date.fromisoformat(raw["as_of"])
    terms = [(value["label"], value["start"], value["end"]) for value in raw["values"]]
    dissolved = PartialDate.parse(position["dissolved"])
    quality = assess(office_of(*terms, office=position["label"], dissolved=dissolved), as_of)
    assert quality.usable is expected["askable_at_as_of"]
    # "position_dissolved", in the word that our properties have for it.
    assert quality.reasons[0].startswith(f"office_dissolved: {position['label']} was dissolved on")
