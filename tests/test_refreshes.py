"""What a refresh brings is stored whole, with what was kept, what changed, and who was made outdated."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import event as sql_event
from stores import DATABASES, ITALY, NOW, italy, made_database, snapshot, spans

from freshness.changes import Effect, Event
from freshness.facts import Fact, Flaw, PartialDate, Subject, Value
from freshness.store import open_store
from freshness.verdicts import Verdict

HOUR = timedelta(hours=1)


@pytest.fixture(params=DATABASES)
def store(request, tmp_path):
    with open_store(made_database(request.param, tmp_path), clock=lambda: NOW) as opened:
        yield opened


def at(hours):
    return NOW + hours * HOUR


def fact(name, number=142, **more):
    value = Value(name, (), spans(("2020", None)))
    return Fact("countries", Subject(f"Q{number}", f"Land {number}"), "P35", (value,), **more)


def refresh(store, hours, *facts, unconfirmed=(), events=(), seen_at=None):
    """Save a refresh as one who compared it with the newest snapshot."""
    known = store.latest_snapshot("wikidata")
    return store.save_refresh(
        snapshot(*facts, taken_at=at(hours)),
        at(hours) if seen_at is None else seen_at,
        known=known.digest if known else None,
        unconfirmed=unconfirmed,
        events=events,
    )


def changed(before, after, hours=1, kind="change", effects=()):
    was, now = (tuple(value.label for value in one.values) for one in (before, after))
    return Event(kind, at(hours), before, after, was, now, effects)


def last_seen(store, subject="Q38", property_id="P6"):
    return store.fact_history(subject, property_id)[-1].last_seen


def test_a_fact_keeps_its_office_its_end_and_its_flaws(store):
    left_out = Value("Q5", (), spans(("2019", "unknown")))
    flaws = (Flaw("missing_label", "no name", left_out), Flaw("undated", "no dates\x00\ud800"))
    odd = fact("A", office="President of X", dissolved=PartialDate(2022, 5), flaws=flaws)
    assert refresh(store, 0, odd, italy())
    assert store.latest_snapshot().facts == (odd, italy())
    assert store.fact_as_observed("Q142", "P35", at(1)).fact == odd


# What the caller compared with


def test_the_first_refresh_knows_of_none_before(store):
    assert not store.save_refresh(snapshot(), NOW, known="0" * 64)
    assert store.sizes().rows["snapshots"] == 0
    assert store.save_refresh(snapshot(), NOW, known=None)
    assert store.latest_snapshot() == snapshot()


def test_a_refresh_that_was_compared_with_an_older_snapshot_is_not_stored(store):
    refresh(store, 0, italy())
    known = store.latest_snapshot().digest
    refresh(store, 1, italy(), fact("A"))
    before = store.sizes().rows
    event = changed(italy(), italy(ITALY[1]))
    for stale in (known, None):
        assert not store.save_refresh(snapshot(fact("B")), at(2), known=stale, events=[event])
    assert store.sizes().rows == before
    assert store.latest_snapshot() == snapshot(italy(), fact("A"), taken_at=at(1))


def test_another_sources_snapshot_is_no_hindrance(store):
    store.save_snapshot(snapshot(source="bundled"), NOW)
    assert store.save_refresh(snapshot(), at(1), known=None)
    assert store.latest_snapshot("bundled") == snapshot(source="bundled")


def test_what_the_database_cannot_hold_does_not_stop_the_next_refresh(store):
    assert refresh(store, 0, fact("A\x00\ud800"))
    assert refresh(store, 1, fact("A\x00\ud800"))
    assert refresh(store, 2, fact("B"))


# What was seen when


def test_the_same_facts_again_are_the_same_snapshot(store):
    refresh(store, 0, italy())
    before = store.sizes().rows
    assert refresh(store, 1, italy())
    assert store.sizes().rows == before
    assert store.latest_snapshot().taken_at == at(1)
    assert store.seen("wikidata") == {"Q38/P6": (at(0), at(1))}


def test_a_fact_that_was_kept_was_last_seen_when_the_source_last_gave_it(store):
    refresh(store, 0, italy(), fact("A"))
    refresh(store, 1, italy(), fact("A"), unconfirmed={"Q38/P6"})
    refresh(store, 2, italy(), fact("B"), unconfirmed={"Q38/P6"})
    refresh(store, 3, italy(), fact("B"), unconfirmed=["Q38/P6", "Q142/P35"])
    assert store.seen("wikidata") == {"Q38/P6": (at(0), at(0)), "Q142/P35": (at(2), at(2))}
    kept = store.fact_as_observed("Q38", "P6", at(3))
    assert (kept.first_seen, kept.last_seen, kept.taken_at) == (at(0), at(0), at(0))


def test_a_kept_fact_that_the_source_gives_again_is_confirmed(store):
    refresh(store, 0, italy())
    refresh(store, 1, italy(), unconfirmed={"Q38/P6"})
    assert last_seen(store) == at(0)
    refresh(store, 2, italy())
    assert last_seen(store) == at(2)
    refresh(store, 3, italy(), unconfirmed={"Q38/P6"})
    assert last_seen(store) == at(2)
    refresh(store, 4, italy(), fact("A"))
    assert last_seen(store) == at(4)


@pytest.mark.parametrize("now", [italy(), fact("A")], ids=["not_before", "not_now"])
def test_only_what_was_and_is_there_can_be_kept(store, now):
    refresh(store, 0, fact("A"))
    before = store.sizes().rows
    with pytest.raises(ValueError, match="Q38/P6 can't be kept"):
        refresh(store, 1, now, unconfirmed={"Q38/P6"})
    assert store.sizes().rows == before
    assert store.latest_snapshot().taken_at == at(0)


def test_a_fact_that_left_and_came_back_is_seen_twice(store):
    refresh(store, 0, italy(), fact("A"))
    refresh(store, 1, fact("A"))
    refresh(store, 2, italy(), fact("A"))
    refresh(store, 3, italy(), fact("B"))
    assert store.seen("wikidata") == {"Q38/P6": (at(2), at(3)), "Q142/P35": (at(3), at(3))}
    times = [(seen.first_seen, seen.last_seen) for seen in store.fact_history("Q38", "P6")]
    assert times == [(at(0), at(0)), (at(2), at(3))]
    # What was known is not forgotten while the source doesn't give it.
    assert store.fact_as_observed("Q38", "P6", at(1.5)).first_seen == at(0)


def test_seen_agrees_with_the_history_of_each_fact(store):
    rounds = ["AAA", "AB", "ABA", "BBA", "BBAC", "BBACD", "BACD"]
    for hours, names in enumerate(rounds):
        facts = [fact(name, number) for number, name in enumerate(names)]
        refresh(store, hours, *facts, unconfirmed={"Q0/P35"} if hours == 4 else ())
    seen = store.seen("wikidata")
    assert len(seen) == 4
    for number in range(4):
        last = store.fact_history(f"Q{number}", "P35")[-1]
        assert seen[f"Q{number}/P35"] == (last.first_seen, last.last_seen)


def test_seen_counts_one_sources_snapshots_only(store):
    refresh(store, 0, italy())
    store.save_snapshot(snapshot(fact("A"), source="bundled"), at(1))
    refresh(store, 2, italy(), fact("A"))
    assert store.seen("wikidata") == {"Q38/P6": (at(0), at(2)), "Q142/P35": (at(2), at(2))}
    assert store.seen("bundled") == {"Q142/P35": (at(1), at(1))}
    assert store.seen("owid") == {}


def test_a_fact_that_stands_twice_in_a_snapshot_counts_where_it_stands_first(store):
    first, second = fact("A"), fact("B")
    refresh(store, 0, first, second, first)
    assert store.fact_as_observed("Q142", "P35", NOW).fact == first
    assert store.seen("wikidata") == {"Q142/P35": (NOW, NOW)}


def test_two_subjects_of_one_name_have_a_history_each(store):
    country = Fact("countries", Subject("Q230", "Georgia"), "P6", (Value("A"),))
    state = Fact("states", Subject("Q1428", "Georgia"), "P6", (Value("B"),))
    refresh(store, 0, country, state)
    refresh(store, 1, country, state, italy())
    assert {seen.fact for seen in store.fact_history("Georgia", "P6")} == {country, state}
    assert [seen.fact for seen in store.fact_history("Q230", "P6")] == [country]


def test_a_snapshot_that_came_later_does_not_speak_for_the_past(store):
    refresh(store, 0, fact("live"))
    bundled = snapshot(fact("bundled"), source="bundled", taken_at=at(5))
    store.save_snapshot(bundled, at(6))
    refresh(store, 10, fact("live"), italy())
    labels = [store.fact_as_observed("Q142", "P35", at(h)).fact.values[0].label for h in (1, 7, 10)]
    assert labels == ["live", "bundled", "live"]


def test_times_never_run_backwards(store):
    refresh(store, 2, fact("A"))
    event = changed(fact("A"), fact("B"), hours=1)
    refresh(store, 2, fact("B"), seen_at=at(1), events=[event])
    assert store.seen("wikidata") == {"Q142/P35": (at(2), at(2))}
    assert [one.seen_at for one in store.events()] == [at(2)]


# Events


def test_an_event_comes_back_as_it_was(store):
    effects = (
        Effect("m", "r1", "Draghi", Verdict.CORRECT, Verdict.OUTDATED),
        Effect("n", "r2", "Meloni", Verdict.IRRELEVANT, Verdict.CORRECT),
    )
    before = italy(ITALY[1])
    after = italy(*ITALY)
    happened = [
        Event("change", at(1), before, after, ("Mario Draghi",), ("Giorgia Meloni",), effects),
        Event("revision", at(1), fact("A"), fact("A", office="X"), (), ("A 2020 to now",)),
    ]
    refresh(store, 0, before, fact("A"))
    refresh(store, 1, after, fact("A", office="X"), events=happened)
    assert store.events() == happened


def test_events_are_stored_with_their_snapshot_and_share_its_facts(store):
    refresh(store, 0, fact("A"))
    refresh(store, 1, fact("B"), events=[changed(fact("A"), fact("B"))])
    rows = store.sizes().rows
    assert (rows["events"], rows["facts"], rows["snapshots"]) == (1, 2, 2)


def test_the_newest_events_come_first_those_of_one_refresh_in_its_order(store):
    for hours, names in enumerate(["AA", "BB", "CC", "DD"]):
        facts = [fact(name, number) for number, name in enumerate(names)]
        before = store.latest_snapshot("wikidata")
        happened = [changed(*pair, hours) for pair in zip(before.facts, facts, strict=True)] if before else []
        refresh(store, hours, *facts, events=happened)

    def told(**wanted):
        return [(event.now[0], event.after.subject.id) for event in store.events(**wanted)]

    assert told() == [(name, number) for name in "DCB" for number in ("Q0", "Q1")]
    assert told(since=at(2)) == [(name, number) for name in "DC" for number in ("Q0", "Q1")]
    assert told(limit=3) == [("D", "Q0"), ("D", "Q1"), ("C", "Q0")]
    assert told(since=at(2), limit=1) == [("D", "Q0")]
    assert told(since=at(9)) == []


def test_loading_events_takes_as_many_queries_for_one_as_for_hundreds(store):
    facts = [fact("A", number) for number in range(300)]
    now = [fact("B", number) for number in range(300)]
    refresh(store, 0, *facts)
    refresh(store, 1, *now, events=[changed(*pair) for pair in zip(facts, now, strict=True)])
    statements = []
    sql_event.listen(store._engine, "before_cursor_execute", lambda *about: statements.append(about[2]))
    assert len(store.events(limit=1)) == 1
    for_one = len(statements)
    assert len(store.events()) == 300
    assert len(statements) == 2 * for_one


def test_what_models_said_is_stored_without_secrets_and_in_any_text(store):
    effect = Effect("http://me:hunter2@host/v1#m", "r1", "A\x00\ud800", Verdict.CORRECT, Verdict.OUTDATED)
    refresh(store, 0, fact("A"))
    refresh(store, 1, fact("B"), events=[changed(fact("A"), fact("B"), effects=(effect,))])
    (stored,) = store.events()[0].effects
    assert (stored.model, stored.said) == ("http://host/v1#m", "A\ufffd\ufffd")


def test_a_moment_without_a_zone_is_refused(store):
    naive = datetime(2026, 1, 1)
    with pytest.raises(ValueError, match="has no time zone"):
        store.events(since=naive)
    for known in (None, snapshot().digest):
        with pytest.raises(ValueError, match="has no time zone"):
            store.save_refresh(snapshot(), naive, known=known)
        store.save_snapshot(snapshot(), NOW)
    assert store.seen("wikidata") == {"Q38/P6": (NOW, NOW)}
