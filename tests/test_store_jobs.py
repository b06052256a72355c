"""Jobs of the daemon: each slot once, whoever runs it and whatever becomes of him."""

import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from stores import DATABASES, NOW, hear, made_database, process

from freshness.history import Claim
from freshness.store import jobs, open_store
from freshness.store.jobs import LONGEST_ERROR
from freshness.store.lease import Owner

HOUR = timedelta(hours=1)
LEASE = timedelta(minutes=1)
RUN_OUT = timedelta(seconds=-1)


@pytest.fixture(params=DATABASES)
def url(request, tmp_path):
    return made_database(request.param, tmp_path)


@pytest.fixture
def store(url):
    with open_store(url, clock=lambda: NOW + 24 * HOUR) as opened:
        yield opened


def slot(number=0):
    return NOW + number * HOUR


def state(store, job="probe"):
    return next(one for one in store.job_states() if one.job == job)


def test_a_slot_is_claimed_once(store):
    claim = store.claim("probe", slot(), LEASE)
    assert (claim.job, claim.slot, claim.attempt) == ("probe", slot(), 1)
    assert store.claim("probe", slot(), LEASE) is None
    assert store.claim("other", slot(), LEASE) is not None, "jobs don't wait for each other"


def test_a_slot_that_succeeded_is_never_claimed_again(store):
    claim = store.claim("probe", slot(), LEASE)
    assert store.settle(claim, "succeeded", None, 3.0)
    assert store.claim("probe", slot(), LEASE) is None
    assert store.last_slot("probe") == slot()
    assert store.claim("probe", slot(1), LEASE).attempt == 1


@pytest.mark.parametrize("outcome", ["failed", "interrupted"])
def test_a_slot_that_did_not_succeed_can_be_claimed_again_until_a_newer_one_is(store, outcome):
    store.settle(store.claim("probe", slot(), LEASE), outcome, "no answer", 3.0)
    again = store.claim("probe", slot(), LEASE)
    assert again.attempt == 2
    store.settle(again, outcome, "no answer", 3.0)
    assert store.last_slot("probe") is None
    newer = store.claim("probe", slot(1), LEASE)
    assert newer.attempt == 1
    store.settle(newer, outcome, None, 3.0)
    assert store.claim("probe", slot(), LEASE) is None


def test_slots_are_run_in_order_and_one_at_a_time(store):
    claim = store.claim("probe", slot(1), LEASE)
    assert store.claim("probe", slot(2), LEASE) is None, "one is being run"
    store.settle(claim, "succeeded", None, 1.0)
    assert store.claim("probe", slot(0), LEASE) is None, "it was missed, and a newer one has been run"
    assert store.claim("probe", slot(2), LEASE) is not None


def test_a_slot_in_the_future_does_not_keep_those_before_it_once_the_clock_is_right(url):
    present = [slot(72)]
    with open_store(url, clock=lambda: present[0]) as store:
        store.settle(store.claim("probe", slot(-1), LEASE), "succeeded", None, 1.0)
        store.settle(store.claim("probe", slot(72), LEASE), "succeeded", None, 1.0)
        present[0] = slot()
        assert store.claim("probe", slot(-1), LEASE) is None, "it succeeded"
        assert state(store).slot == slot(72), "nothing was changed by the attempt"
        claim = store.claim("probe", slot(), LEASE)
        assert claim.attempt == 1
        found = state(store)
        assert (found.slot, found.last_success_at, found.outcomes) == (slot(), None, {"succeeded": 2})
        store.settle(claim, "failed", "no answer", 1.0)
        assert store.last_slot("probe") is None
        present[0] = slot(72)
        assert store.claim("probe", slot(72), LEASE).attempt == 1, "now it is time for it"


def test_machines_whose_clocks_are_apart_run_a_slot_no_more_than_twice(url):
    """One is a day ahead: its slots are not believed by the other, and each has its own done."""
    ran = []
    with (
        open_store(url, clock=lambda: slot()) as right,
        open_store(url, clock=lambda: slot(24)) as fast,
    ):
        for _ in range(5):
            for store, moment in ((fast, slot(24)), (right, slot())):
                claim = store.claim("probe", moment, LEASE)
                if claim:
                    ran.append(moment)
                    store.settle(claim, "succeeded", None, 1.0)
    assert sorted(ran) == [slot(), slot(24), slot(24)]


def test_the_same_moment_in_another_time_zone_is_the_same_slot(store):
    from datetime import timezone

    store.claim("probe", slot(), LEASE)
    elsewhere = slot().astimezone(timezone(timedelta(hours=5, minutes=45)))
    assert store.claim("probe", elsewhere, RUN_OUT) is None
    assert state(store).slot == slot()
    with pytest.raises(ValueError, match="has no time zone"):
        store.claim("probe", datetime(2026, 3, 8), LEASE)


def test_a_claim_holds_for_its_lease_and_as_long_as_it_is_renewed(url):
    present = [datetime.now(UTC)]
    with open_store(url, clock=lambda: present[0]) as store:
        claim = store.claim("probe", slot(), LEASE)
        assert store.renew(claim, LEASE)
        assert store.claim("probe", slot(), LEASE) is None
        assert state(store).running
        assert store.last_slot("probe") == slot()
        assert store.renew(claim, RUN_OUT), "the last of it"
        assert not state(store).running
        assert store.last_slot("probe") is None


def test_a_claim_that_ran_out_is_taken_over_and_its_old_owner_changes_nothing_more(store):
    lost = store.claim("probe", slot(), RUN_OUT)
    taken = store.claim("probe", slot(), LEASE)
    assert taken.attempt == 2
    assert not store.renew(lost, LEASE)
    assert not store.settle(lost, "succeeded", None, 1.0)
    assert state(store).running
    assert state(store).outcomes == {"interrupted": 1}
    assert store.settle(taken, "succeeded", None, 1.0)
    assert state(store).outcomes == {"interrupted": 1, "succeeded": 1}


def test_a_claim_that_ran_out_and_that_nobody_took_can_be_renewed_and_settled(store):
    claim = store.claim("probe", slot(), RUN_OUT)
    assert store.renew(claim, RUN_OUT)
    assert store.settle(claim, "succeeded", None, 1.0)
    assert store.last_slot("probe") == slot()


def test_a_newer_slot_takes_over_from_a_dead_owner_of_an_older_one(store):
    dead = store.claim("probe", slot(), RUN_OUT)
    assert store.claim("probe", slot(1), LEASE).attempt == 1
    assert not store.settle(dead, "succeeded", None, 1.0)
    found = state(store)
    assert (found.slot, found.attempt, found.last_outcome) == (slot(1), 1, "interrupted")
    assert "is gone" in found.last_error


def test_a_claim_is_settled_once(store):
    claim = store.claim("probe", slot(), LEASE)
    assert store.settle(claim, "failed", "x", 1.0)
    assert not store.settle(claim, "succeeded", None, 1.0)
    assert not store.renew(claim, LEASE)
    assert state(store).outcomes == {"failed": 1}


def test_an_unknown_claim_changes_nothing(store):
    invented = Claim("probe", slot(), 1, "token")
    assert not store.renew(invented, LEASE)
    assert not store.settle(invented, "succeeded", None, 1.0)
    claim = store.claim("probe", slot(), LEASE)
    assert not store.settle(replace(claim, token="another"), "succeeded", None, 1.0)
    assert state(store).running


def test_leases_are_timed_by_the_databases_own_clock_where_it_has_one(url):
    """A machine whose clock is a day fast takes nobody's slot."""
    with open_store(url, clock=lambda: datetime.now(UTC)) as store:
        claim = store.claim("probe", slot(), LEASE)
    fast = Owner("another machine", 1, "another token")
    with open_store(url, clock=lambda: datetime.now(UTC) + timedelta(days=1)) as store:
        from freshness.store.engine import writing

        with writing(store._engine) as session:
            times = jobs.times(session, store._clock())
            taken = jobs.claim(session, "probe", slot(), LEASE, fast, times)
        assert (taken is None) == url.startswith("postgresql")
        assert store.renew(claim, LEASE) == url.startswith("postgresql")


# What is known of a job


def test_a_jobs_state_adds_up_all_its_runs(url):
    present = [NOW]
    with open_store(url, clock=lambda: present[0]) as store:
        for number, (outcome, seconds) in enumerate(
            [("succeeded", 2.0), ("failed", 70.0), ("failed", 0.5), ("interrupted", 8000.0)]
        ):
            present[0] = slot(number)
            claim = store.claim("probe", slot(number), LEASE)
            present[0] += timedelta(minutes=5)
            store.settle(claim, outcome, None if outcome == "succeeded" else f"why {number}", seconds)
        found = state(store)
    assert found.outcomes == {"succeeded": 1, "failed": 2, "interrupted": 1}
    assert (found.failures_in_a_row, found.last_outcome, found.last_error) == (2, "interrupted", "why 3")
    assert (found.last_slot, found.slot) == (slot(0), slot(3))
    assert found.last_success_at == slot(0) + timedelta(minutes=5)
    assert (found.last_started_at, found.last_finished_at) == (slot(3), slot(3) + timedelta(minutes=5))
    assert found.seconds_sum == 8072.5
    assert (found.seconds["1.0"], found.seconds["5.0"], found.seconds["7200.0"]) == (1, 2, 3)
    assert found.seconds["+Inf"] == 4


def test_a_success_ends_a_row_of_failures(store):
    for number, outcome in enumerate(["failed", "failed", "succeeded"]):
        store.settle(store.claim("probe", slot(number), LEASE), outcome, None, 1.0)
    assert (state(store).failures_in_a_row, state(store).last_error) == (0, None)


def test_errors_are_kept_short_and_without_secrets(store):
    claim = store.claim("probe", slot(), LEASE)
    store.settle(claim, "failed", "http://me:hunter2@host/\x00" + "x" * 10_000, 1.0)
    error = state(store).last_error
    assert error.startswith("http://host/\N{REPLACEMENT CHARACTER}xxx")
    assert len(error) == LONGEST_ERROR


def test_jobs_are_listed_by_name(store):
    for name in ("probe:b", "prune", "probe:a"):
        store.claim(name, slot(), LEASE)
    assert [one.job for one in store.job_states()] == ["probe:a", "probe:b", "prune"]
    assert store.last_slot("nobody's") is None


def test_what_was_pruned_is_not_run_again(store):
    """The rows of old slots may go: the job itself remembers how far it got."""
    from sqlalchemy import delete

    from freshness.store.engine import writing
    from freshness.store.tables import JobRunRow

    store.settle(store.claim("probe", slot(), LEASE), "succeeded", None, 1.0)
    with writing(store._engine) as session:
        session.execute(delete(JobRunRow))
    assert store.claim("probe", slot(), LEASE) is None
    assert store.last_slot("probe") == slot()
    assert store.claim("probe", slot(1), LEASE).attempt == 1


# Many at once


def claim_all(pipe, url, number):
    """Try for every slot of some jobs as it comes due, run each that we get, and tell which."""
    mine = []
    pipe.recv()
    with open_store(url) as store:
        for one in range(number):
            name, moment = f"job {one % 5}", slot(one // 5)
            while (store.last_slot(name) or NOW - HOUR) < moment:
                claim = store.claim(name, moment, LEASE)
                if claim is None:
                    time.sleep(0.01)  # another has it
                    continue
                mine.append((name, moment))
                store.settle(claim, "succeeded", None, 0.01)
    pipe.send(mine)


def claim_and_hang(pipe, url, lease):
    with open_store(url) as store:
        pipe.send(store.claim("probe", slot(), lease))
        pipe.recv()


def test_many_processes_run_each_slot_once(url):
    number = 20
    with ExitStack() as stack:
        pipes = [stack.enter_context(process(claim_all, url, number))[1] for _ in range(3)]
        for pipe in pipes:
            pipe.send("go")
        had = [one for pipe in pipes for one in hear(pipe)]
    assert sorted(had) == sorted((f"job {one % 5}", slot(one // 5)) for one in range(number))
    with open_store(url) as store:
        assert [one.outcomes for one in store.job_states()] == [{"succeeded": number // 5}] * 5


def test_threads_of_one_process_don_t_share_a_claim(store):
    found = []
    start = threading.Barrier(8)

    def work():
        start.wait()
        found.append(store.claim("probe", slot(), LEASE))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(claim is not None for claim in found) == 1


def test_a_process_that_was_killed_loses_its_slot_at_once_on_its_own_machine(url):
    with open_store(url) as store, process(claim_and_hang, url, timedelta(hours=1)) as (child, pipe):
        assert hear(pipe).attempt == 1
        assert store.claim("probe", slot(), LEASE) is None
        child.kill()
        child.join()
        assert not state(store).running
        assert store.claim("probe", slot(), LEASE).attempt == 2


# Any order of events


class Slots(RuleBasedStateMachine):
    """Two daemons that claim, renew, settle and die in any order; each slot succeeds at most once."""

    def __init__(self):
        super().__init__()
        import tempfile
        from pathlib import Path

        self.folder = tempfile.TemporaryDirectory()
        self.now = NOW + 24 * HOUR
        address = made_database("sqlite", Path(self.folder.name))
        self.store = open_store(address, clock=lambda: self.now)
        self.held = []
        self.succeeded = []

    @rule(number=st.integers(0, 5), seconds=st.integers(-5, 60))
    def claim(self, number, seconds):
        claim = self.store.claim("probe", slot(number), timedelta(seconds=seconds))
        if claim is not None:
            assert all(slot(number) >= done for done in self.succeeded)
            assert slot(number) not in self.succeeded
            self.held.append(claim)

    @rule(seconds=st.integers(0, 90))
    def wait(self, seconds):
        self.now += timedelta(seconds=seconds)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), outcome=st.sampled_from(["succeeded", "failed", "interrupted"]))
    def settle(self, data, outcome):
        claim = data.draw(st.sampled_from(self.held))
        latest = claim == self.held[-1]
        settled = self.store.settle(claim, outcome, None, 1.0)
        assert latest or not settled
        if settled and outcome == "succeeded":
            assert claim.slot not in self.succeeded
            self.succeeded.append(claim.slot)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def renew(self, data):
        claim = data.draw(st.sampled_from(self.held))
        assert claim == self.held[-1] or not self.store.renew(claim, timedelta(seconds=30))

    @invariant()
    def counts_are_those_of_what_happened(self):
        for found in self.store.job_states():
            assert found.outcomes.get("succeeded", 0) == len(self.succeeded)
            assert found.slot == self.held[-1].slot
            assert sum(found.outcomes.values()) in (len(self.held), len(self.held) - 1)

    def teardown(self):
        self.store.close()
        self.folder.cleanup()


TestSlots = Slots.TestCase
TestSlots.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
