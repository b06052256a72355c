"""What counts as a change or a revision, and what a bad answer of the source can't erase."""

from datetime import UTC, date, datetime, timedelta

import pytest

from freshness.changes import compare, reconcile
from freshness.changes.events import Effect, Event, newly_outdated
from freshness.changes.reconcile import REPLICA_DELAY
from freshness.errors import UnavailableError
from freshness.facts import Fact, Flaw, PartialDate, Rank, Snapshot, Subject, ValidityInterval, Value
from freshness.verdicts import Verdict

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
TODAY = NOW.date()


def value(label, start=None, end=None, rank="normal", item=None, aliases=()):
    return Value(label, aliases, (ValidityInterval.from_json(start, end),), Rank(rank), item)


def fact(*values, subject="Q38", holders="one", **more):
    return Fact("countries", Subject(subject, subject), "P6", values, holders, **more)


ADA = value("Ada", "2010", "2020-03-01")
BEA = value("Bea", "2020-03-01")
KNOWN = fact(ADA, BEA)


def events(before, after, then=TODAY, now=TODAY):
    return compare(before, then, after, now, NOW)


def event(before, after, **days):
    (only,) = events(before, after, **days)
    return only


class TestCompare:
    def test_the_same_is_no_event(self):
        assert events(KNOWN, fact(BEA, ADA)) == []

    def test_another_holder_is_a_change(self):
        found = event(KNOWN, fact(ADA, value("Bea", "2020-03-01", "2026-05-30"), value("Cleo", "2026-05-30")))
        assert (found.kind, found.was, found.now) == ("change", ("Bea",), ("Cleo",))

    def test_a_new_preferred_rank_that_moves_the_holder_is_a_change(self):
        both = [value("Bea", "2020-03-01"), value("Cleo", "2020-03-01")]
        found = event(fact(*both), fact(both[0], value("Cleo", "2020-03-01", rank="preferred")))
        assert (found.kind, found.was, found.now) == ("change", ("Bea", "Cleo"), ("Cleo",))

    def test_a_corrected_old_interval_is_a_revision(self):
        found = event(KNOWN, fact(value("Ada", "2011", "2020-03-01"), BEA))
        assert found.kind == "revision"
        assert (found.was, found.now) == (("Ada 2010 to 2020-03-01",), ("Ada 2011 to 2020-03-01",))

    def test_a_past_holder_who_was_missing_is_a_revision(self):
        found = event(fact(BEA), KNOWN)
        assert (found.kind, found.was, found.now) == ("revision", (), ("Ada 2010 to 2020-03-01",))

    def test_a_dissolved_office_is_a_revision_while_its_holder_has_no_end(self):
        found = event(KNOWN, fact(ADA, BEA, dissolved=PartialDate(2026, 5, 1)))
        assert (found.kind, found.now) == ("revision", ("dissolved on 2026-05-01",))

    def test_names_and_flaws_alone_are_no_event(self):
        renamed = fact(
            value("Ada A.", "2010", "2020-03-01", item="Q1", aliases=("A.",)),
            value("Bea", "2020-03-01", item="Q2"),
            flaws=(Flaw("several_dates", "x"),),
        )
        plain = fact(value("Ada", "2010", "2020-03-01", item="Q1"), value("Bea", "2020-03-01", item="Q2"))
        assert events(plain, renamed) == []

    def test_time_alone_changes_the_holder(self):
        planned = fact(value("Bea", "2020", "2026-05-30"), value("Cleo", "2026-05-30"))
        found = event(planned, planned, then=date(2026, 5, 20))
        assert (found.kind, found.was, found.now) == ("change", ("Bea",), ("Cleo",))

    def test_a_new_holder_without_a_name_is_a_change_told_by_the_item(self):
        left_out = Flaw("missing_label", "Q7 has no label", value("Q7", "2026-05-30", item="Q7"))
        found = event(KNOWN, fact(ADA, value("Bea", "2020-03-01", "2026-05-30"), flaws=(left_out,)))
        assert (found.kind, found.now) == ("change", ("Q7 (missing label)",))

    def test_a_merged_item_is_no_change(self):
        old = fact(value("Ada", "2010", "2020-03-01", item="Q1"), value("Bea", "2020-03-01", item="Q2"))
        new = fact(
            value("Ada", "2010", "2020-03-01", item="Q9"),
            value("Bea B.", "2020-03-01", None, "normal", "Q8", ("Bea",)),
        )
        assert events(old, new) == []
        # Who has the name by chance began on another day.
        other = fact(value("Ada", "2010", "2020-03-01", item="Q1"), value("Bea", "2026-05-01", item="Q7"))
        assert event(old, other).kind == "change"

    def test_a_change_and_a_revision_of_another_term_are_two_events(self):
        after = fact(
            value("Ada", "2011", "2020-03-01"),
            value("Bea", "2020-03-01", "2026-05-30"),
            value("Cleo", "2026-05-30"),
        )
        change, revision = events(KNOWN, after)
        assert (change.kind, change.was, change.now) == ("change", ("Bea",), ("Cleo",))
        assert (revision.kind, revision.was) == ("revision", ("Ada 2010 to 2020-03-01",))

    def test_a_vacant_office_is_a_change_to_nobody(self):
        found = event(KNOWN, fact(ADA, value("Bea", "2020-03-01", "2026-05-30")))
        assert (found.kind, found.was, found.now) == ("change", ("Bea",), ())

    def test_json_has_the_outdated_models_apart_from_those_judged_otherwise(self):
        effects = (
            Effect("a", "r1", "Bea", Verdict.CORRECT, Verdict.OUTDATED),
            Effect("b", "r2", "Cleo", Verdict.IRRELEVANT, Verdict.CORRECT),
        )
        told = Event("change", NOW, KNOWN, KNOWN, ("Bea",), ("Cleo",), effects).to_json()
        assert told["newly_outdated"] == [{"model": "a", "said": "Bea"}]
        assert told["judged_differently"] == [
            {"model": "b", "said": "Cleo", "before": "irrelevant", "after": "correct"}
        ]
        assert told["subject"] == {"id": "Q38", "name": "Q38"}
        assert (told["before"], told["after"], told["kind"]) == (["Bea"], ["Cleo"], "change")

    def test_outdated_facts_are_counted_by_model(self):
        outdated = Effect("a", "r1", "Bea", Verdict.CORRECT, Verdict.OUTDATED)
        events = [Event("change", NOW, KNOWN, KNOWN, (), (), (outdated,))] * 2
        assert newly_outdated(events) == {"a": 2}


def snapshot(*facts, at=NOW):
    return Snapshot("wikidata", at, facts)


def settle(known, fetched, *, since=timedelta(days=9), earlier=(), at=NOW, **more):
    """What is known after ``fetched`` came ``since`` the fact was first seen as it is known."""
    first_seen = {f.id: at - since for f in known.facts} if known else {}
    return reconcile(known, fetched, seen_at=at, first_seen=first_seen, earlier=lambda fact: earlier, **more)


def whys(result):
    return [(kept.fact.id, kept.why) for kept in result.kept]


class TestReconcile:
    def test_the_first_look_is_taken_as_it_is(self):
        result = settle(None, snapshot(KNOWN, fact(subject="Q1")))
        assert (result.snapshot.facts, result.kept) == ((KNOWN, fact(subject="Q1")), ())

    def test_nothing_for_a_known_fact_is_no_news(self):
        result = settle(snapshot(KNOWN), snapshot(fact()))
        assert result.snapshot.facts == (KNOWN,)
        assert whys(result) == [("Q38/P6", "empty_result_for_known_fact")]
        assert result.unconfirmed == {"Q38/P6"}

    def test_nothing_but_statements_that_were_left_out_is_news(self):
        flawed = fact(flaws=(Flaw("unknown_value", "x", value("unknown", "2026")),))
        assert settle(snapshot(KNOWN), snapshot(flawed)).snapshot.facts == (flawed,)

    def test_nothing_for_most_of_them_is_a_fault_of_the_server(self):
        known = snapshot(*(fact(ADA, BEA, subject=f"Q{n}") for n in range(1, 6)))
        empty = snapshot(*(fact(*([BEA] if n < 3 else []), subject=f"Q{n}") for n in range(1, 6)))
        with pytest.raises(UnavailableError, match="gave nothing for 3 of 5 known facts"):
            settle(known, empty)

    def test_an_endpoint_that_knows_no_item_holds_no_wikidata(self):
        none = snapshot(*(fact(subject=f"Q{n}", flaws=(Flaw("no_item", "x"),)) for n in (1, 2)))
        with pytest.raises(UnavailableError, match="knows none of the 2 items asked for"):
            settle(None, none)

    def test_less_than_half_of_many_statements_is_suspicious(self):
        known = fact(*(value(f"H{n}", str(2000 + n), str(2001 + n)) for n in range(5)), BEA)
        few = fact(BEA, value("H4", "2004", "2005"))
        result = settle(snapshot(known), snapshot(few))
        assert (whys(result), result.snapshot.facts) == ([("Q38/P6", "suspicious_result")], (known,))
        taken = settle(snapshot(known), snapshot(few), accept={"Q38/P6", "Q30/P6"})
        assert (taken.snapshot.facts, taken.accepted) == ((few,), {"Q38/P6"})
        assert settle(snapshot(few), snapshot(few), accept={"Q38/P6"}).accepted == frozenset()

    def test_an_empty_result_can_be_accepted_too(self):
        result = settle(snapshot(KNOWN), snapshot(fact()), accept={"Q38/P6"})
        assert (result.snapshot.facts, result.kept) == ((fact(),), ())

    def test_half_of_few_statements_is_an_edit(self):
        assert settle(snapshot(KNOWN), snapshot(fact(BEA))).kept == ()

    def test_a_kept_fact_goes_by_the_catalogue_of_now(self):
        asked = Fact("leaders", Subject("Q38", "Italy"), "P6", (), "many")
        (kept,) = settle(snapshot(KNOWN), snapshot(asked)).snapshot.facts
        assert (kept.group, kept.subject.name, kept.holders) == ("leaders", "Italy", "many")
        assert kept.values == KNOWN.values

    def test_facts_not_asked_for_are_dropped_or_stay(self):
        other = fact(BEA, subject="Q1")
        known, fetched = snapshot(KNOWN, other), snapshot(KNOWN)
        assert settle(known, fetched).snapshot.facts == (KNOWN,)
        result = settle(known, fetched, keep=lambda fact: True)
        assert (result.snapshot.facts, whys(result)) == ((KNOWN, other), [("Q1/P6", "not_asked")])


# Before, then another holder, then an older copy of the data.
OLD = fact(value("Olaf", "2021-12-08"))
NEW = fact(value("Olaf", "2021-12-08", "2025-05-06"), value("Friedrich", "2025-05-06"))


class TestReplicas:
    def test_what_was_on_record_just_before_is_an_older_copy(self):
        result = settle(snapshot(NEW), snapshot(OLD), since=timedelta(minutes=5), earlier=[OLD, NEW])
        assert (whys(result), result.snapshot.facts) == ([("Q38/P6", "flipped_back")], (NEW,))

    def test_a_holder_who_was_seen_to_be_past_is_an_older_copy_even_if_it_was_never_on_record(self):
        assert whys(settle(snapshot(NEW), snapshot(OLD), since=timedelta(minutes=5)))

    def test_a_past_holder_who_holds_it_again_for_longer_is_back(self):
        assert settle(snapshot(NEW), snapshot(OLD), since=REPLICA_DELAY, earlier=[OLD]).kept == ()

    def test_a_third_holder_within_the_delay_is_news(self):
        third = fact(value("Olaf", "2021-12-08", "2025-05-06"), value("Vera", "2025-05-07"))
        result = settle(snapshot(NEW), snapshot(third), since=timedelta(minutes=5), earlier=[OLD])
        assert result.snapshot.facts == (third,)

    def test_a_revision_that_flips_back_is_an_older_copy(self):
        first, then = KNOWN, fact(value("Ada", "2011", "2020-03-01"), BEA)
        result = settle(snapshot(then), snapshot(first), since=timedelta(minutes=5), earlier=[first])
        assert whys(result) == [("Q38/P6", "flipped_back")]

    def test_four_polls_of_two_copies_make_one_event(self):
        """The bug report's polls, after one that still had the old holder."""
        start = datetime(2025, 5, 6, 9, 0, tzinfo=UTC)
        polls = [(0, OLD), (60, NEW), (65, OLD), (80, NEW)]
        known, first, seen, events = None, {}, [], []
        for minutes, polled in polls:
            at = start + timedelta(minutes=minutes)
            fetched = snapshot(polled, at=at)
            now = reconcile(
                known, fetched, seen_at=at, first_seen=first, earlier=lambda fact: list(seen)
            ).snapshot
            if known:
                events += compare(known.facts[0], at.date(), now.facts[0], at.date(), at)
            if known is None or now.facts != known.facts:
                first = {"Q38/P6": at}
                seen.append(now.facts[0])
            known = now
        assert [(e.was, e.now) for e in events] == [(("Olaf",), ("Friedrich",))]
