import json
import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from shared import SHARED, needs_shared

from freshness.catalog import load
from freshness.errors import UsageError
from freshness.facts import Snapshot
from freshness.sources.bundled import Bundled
from freshness.sources.snapshot_file import SnapshotFile
from freshness.suites.current import missing


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Bundled().fetch()


def single(snapshot):
    return [fact for fact in snapshot.facts if fact.holders == "one"]


def current(fact, snapshot):
    day = snapshot.taken_at.date().toordinal()
    return [value.label for value in fact.values if value.holds(day)]


def test_it_is_dated_and_named(snapshot):
    assert snapshot.source == "bundled"
    assert datetime(2026, 6, 1, tzinfo=UTC) < snapshot.taken_at < datetime(2026, 11, 1, tzinfo=UTC)
    assert snapshot.digest == Bundled().fetch().digest


def test_it_has_more_than_a_hundred_facts_in_each_of_the_four_groups(snapshot):
    assert len(snapshot.facts) >= 150
    groups = {fact.group for fact in snapshot.facts}
    assert groups == {"countries", "athletes", "companies", "organisations"}


def test_the_built_in_catalogues_ask_about_all_that_it_holds(snapshot):
    absent = missing(load(), snapshot)
    assert absent.unasked == absent.quarantined == ()
    holders = {entry.fact: entry.holders for entry in load().entries}
    assert all(holders[fact.id] == fact.holders for fact in snapshot.facts)


def test_an_office_for_one_has_exactly_one_holder_now(snapshot):
    assert {fact.id: now for fact in single(snapshot) if len(now := current(fact, snapshot)) != 1} == {}


def test_an_office_for_several_has_a_holder_now(snapshot):
    shared = [fact for fact in snapshot.facts if fact.holders == "many"]
    assert shared
    assert all(current(fact, snapshot) for fact in shared)


def test_no_two_holders_of_one_office_overlap(snapshot):
    for fact in single(snapshot):
        terms = [interval for value in fact.values for interval in value.intervals]
        spans = sorted((term.start.first, term.end.first if term.end else 10**9) for term in terms)
        assert all(end <= start for (_, end), (start, _) in pairwise(spans)), fact.id


def test_values_come_in_the_order_of_their_first_start(snapshot):
    for fact in snapshot.facts:
        starts = [min(i.start.first for i in value.intervals) for value in fact.values]
        assert starts == sorted(starts), fact.id


def test_each_term_starts_before_it_ends_and_none_after_the_snapshot(snapshot):
    taken = snapshot.taken_at.date().toordinal()
    for fact in snapshot.facts:
        for interval in (i for value in fact.values for i in value.intervals):
            assert interval.start.first <= taken, fact.id
            assert interval.end is None or interval.start.first < interval.end.first, fact.id


def test_names_are_clean_and_ids_are_ids(snapshot):
    for fact in snapshot.facts:
        for value in fact.values:
            names = (value.label, *value.aliases)
            assert all(name == name.strip() and name for name in names)
            assert len(set(names)) == len(names), value
            assert value.id is None or re.fullmatch(r"Q[1-9]\d*", value.id)


def test_the_same_person_has_the_same_id_and_aliases_everywhere(snapshot):
    known = {}
    for value in (value for fact in snapshot.facts for value in fact.values):
        assert known.setdefault(value.label, (value.id, value.aliases)) == (value.id, value.aliases)
    ids = [identity for identity, _ in known.values() if identity]
    assert len(set(ids)) == len(ids)


def test_no_alias_names_two_values_of_one_fact(snapshot):
    for fact in snapshot.facts:
        names = [name.casefold() for value in fact.values for name in (value.label, *value.aliases)]
        assert len(set(names)) == len(names), fact.id


def test_most_facts_have_changed_since_2000(snapshot):
    changed = [fact for fact in snapshot.facts if len(fact.values) > 1]
    assert len(changed) >= 0.95 * len(snapshot.facts)


@needs_shared
@pytest.mark.parametrize(
    ("date", "fact", "holder"),
    [
        ("2024-04-09", "Q27/P6", "Simon Harris"),
        ("2024-07-05", "Q145/P6", "Keir Starmer"),
        ("2024-09-05", "Q142/P6", "Michel Barnier"),
        ("2024-10-01", "Q17/P6", "Shigeru Ishiba"),
        ("2024-10-14", "Q483915/P169", "Elliott Hill"),
        ("2025-03-14", "Q16/P6", "Mark Carney"),
        ("2025-05-06", "Q183/P6", "Friedrich Merz"),
        ("2025-10-21", "Q17/P6", "Sanae Takaichi"),
        ("2026-02-18", "Q419/P35", "José María Balcázar"),
    ],
)
def test_listed_changes_of_office_are_in_it_to_the_day(snapshot, date, fact, holder):
    text = (SHARED / "wikidata" / "office_changes_2024_2026.jsonl").read_text(encoding="utf-8")
    changes = map(json.loads, text.splitlines())
    assert any(c["date"] == date and holder.split()[-1] in c["fact"] for c in changes)
    value = next(v for f in snapshot.facts if f.id == fact for v in f.values if v.label == holder)
    assert date in [str(interval.start) for interval in value.intervals]


GOOD = {
    "format": 1,
    "source": "mine",
    "taken_at": "2026-01-01T00:00:00+00:00",
    "facts": [
        {
            "group": "g",
            "subject": {"id": "Q1", "name": "S"},
            "property": "P1",
            "values": [
                {"label": "A", "intervals": [{"start": "2020", "end": "2021"}]},
                {"label": "B", "intervals": [{"start": "2021", "end": None}]},
                {"label": "A", "intervals": [{"start": "2019", "end": "unknown"}]},
            ],
        }
    ],
}


def write(tmp_path, raw):
    path = tmp_path / "facts.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw), encoding="utf-8")
    return path


def changed(**keys):
    return {**GOOD, **keys}


def with_fact(**keys):
    return changed(facts=[{**GOOD["facts"][0], **keys}])


def test_an_own_file_is_named_by_its_path_and_terms_are_merged(tmp_path):
    path = write(tmp_path, GOOD)
    snapshot = SnapshotFile(path).fetch()
    assert snapshot.source == str(path)
    first, second = snapshot.facts[0].values
    assert (first.label, len(first.intervals), second.label) == ("A", 2, "B")
    assert first.intervals[1].ended


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an object"),
        (changed(format=2), "format 2, but this version reads 1"),
        ({k: v for k, v in GOOD.items() if k != "taken_at"}, "taken_at is missing"),
        (changed(more=1), "unknown key 'more'"),
        (changed(taken_at="2026-01-01"), "taken_at must be a time with a zone"),
        (changed(taken_at=5), "taken_at must be a time with a zone"),
        (changed(facts={}), "facts must be a list"),
        (changed(facts=["x"]), r"facts\[0\]: must be an object"),
        (changed(facts=GOOD["facts"] * 2), r"facts\[1\] \(Q1/P1\): Q1/P1 comes twice"),
        (changed(taken=1), "unknown key 'taken'; did you mean 'taken_at'?"),
        (with_fact(holders="two"), r'facts\[0\] \(Q1/P1\): holders must be "one" or "many", not "two"'),
        (with_fact(group=""), r"facts\[0\] \(Q1/P1\): group must be a string"),
        (with_fact(subject={"id": "Q1"}), r"facts\[0\] \(Q1/P1\): subject\.name is missing"),
        (with_fact(subject=3), r"facts\[0\]: subject must be an object with id and name, not a number"),
        (with_fact(values=3), r"\(Q1/P1\): values must be a list, not a number"),
        (with_fact(valeus=[]), r"facts\[0\] \(Q1/P1\): unknown key 'valeus'; did you mean 'values'\?"),
        (with_fact(subject={"id": "Q1", "nam": "S"}), "unknown key 'nam' of subject; did you mean 'name'?"),
        (with_fact(group=1, property=None), "group must be a string .*; property is missing"),
        (changed(facts=[{"group": "g"}]), r"facts\[0\]: subject, property, values are missing"),
        (with_fact(values=[{"label": " "}]), r"values\[0\]: label must be a string"),
        (
            with_fact(values=[{"label": "A", "id": 3}]),
            r"values\[0\]: id of A must be a string or null, not 3",
        ),
        (with_fact(values=[{"label": "A", "start": "May"}]), r"values\[0\]: start: 'May' is no date"),
        (
            with_fact(values=[{"label": "A", "alias": ["B"]}]),
            r"\(Q1/P1\): values\[0\]: unknown key 'alias' of A; did you mean 'aliases'\?",
        ),
        (
            with_fact(values=[{"label": "A", "intervals": [{"form": "2020", "end": None}]}]),
            r"values\[0\]: unknown key 'form' of an interval of A; known here: start, end",
        ),
        (
            with_fact(values=[{"label": "A", "intervals": [{"start": "2021-05", "end": "2020-06-01"}]}]),
            r"values\[0\]: a term of A ends \(2020-06-01\) before it starts \(2021-05\)",
        ),
        (
            with_fact(values=[{"label": "A", "start": "2020", "intervals": []}]),
            r"values\[0\]: A has start or end beside intervals",
        ),
    ],
)
def test_a_faulty_file_is_told_with_file_and_key(tmp_path, raw, said):
    path = write(tmp_path, raw)
    with pytest.raises(UsageError, match=said) as caught:
        SnapshotFile(path).fetch()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_term_within_one_year_known_by_its_year_alone_is_no_fault(tmp_path):
    term = {"start": "2020-05-01", "end": "2020"}
    fact = (
        SnapshotFile(write(tmp_path, with_fact(values=[{"label": "A", "intervals": [term]}])))
        .fetch()
        .facts[0]
    )
    assert fact.values[0].intervals[0].to_json() == term


def test_what_facts_show_prints_is_read(tmp_path, snapshot):
    printed = {**snapshot.facts[0].to_json(), "state": "usable", "reasons": [], "current": [], "snapshot": {}}
    assert SnapshotFile(write(tmp_path, changed(facts=[printed]))).fetch().facts == snapshot.facts[:1]


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        SnapshotFile(tmp_path / "none.json").fetch()
