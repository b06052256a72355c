"""The daemon: what is due, who runs it, what becomes of it, and what it is told meanwhile."""

import json
import shutil
import sys
import textwrap
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url
from stores import DATABASES, made_database

from freshness.config import Settings, load
from freshness.daemon.due import begins_late, due_slot, next_run, passed_over, retry_at, turn
from freshness.daemon.jobs import Job, jobs_of
from freshness.daemon.reach import Reach
from freshness.daemon.runner import Result, Task, run_child
from freshness.daemon.schedule import Interval, parse
from freshness.daemon.service import Service
from freshness.errors import StoreError, UsageError
from freshness.history import JobState
from freshness.store import open_store

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
SLOT = datetime(2026, 11, 29, 4, tzinfo=UTC)
DAILY = Job("probe:a:current", "probe", parse("0 4 * * *", "UTC"), HOUR, "a", "current")


def state(slot=SLOT, **more):
    told = {
        "job": DAILY.name,
        "slot": slot,
        "attempt": 1,
        "running": False,
        "last_slot": None,
        "last_started_at": slot,
        "last_finished_at": None,
        "last_success_at": None,
        "last_outcome": None,
        "last_error": None,
        "failures_in_a_row": 0,
        "outcomes": {},
        "seconds": {},
        "seconds_sum": 0.0,
    }
    return JobState(**(told | more))


def failed(at, times=1, slot=SLOT):
    return state(slot, last_outcome="failed", last_finished_at=at, failures_in_a_row=times)


# What is due


def test_job_that_never_ran_is_due_for_its_newest_slot():
    assert due_slot(DAILY, None, SLOT + 9 * HOUR) == SLOT


def test_slot_that_succeeded_is_not_due_until_the_next():
    done = state(last_slot=SLOT, last_outcome="succeeded", last_finished_at=SLOT + HOUR)
    assert due_slot(DAILY, done, SLOT + 23 * HOUR) is None
    assert due_slot(DAILY, done, SLOT + 24 * HOUR) == SLOT + 24 * HOUR


def test_of_many_slots_in_which_nobody_was_there_the_newest_alone_is_due():
    done = state(last_slot=SLOT, last_outcome="succeeded")
    now = SLOT + 77 * HOUR
    assert due_slot(DAILY, done, now) == SLOT + 72 * HOUR
    # Two were left out, and the third begins five hours late.
    assert passed_over(DAILY, done, SLOT + 72 * HOUR) == 2
    assert begins_late(done, SLOT + 72 * HOUR, now, HOUR)
    assert not begins_late(done, SLOT + 72 * HOUR, now, 6 * HOUR)


def test_job_that_runs_somewhere_is_not_due():
    assert due_slot(DAILY, state(running=True, last_slot=SLOT), SLOT + 30 * HOUR) is None


def test_job_whose_holder_died_is_due_at_once():
    assert due_slot(DAILY, state(), SLOT + MINUTE) == SLOT


def test_interrupted_job_is_due_at_once():
    stopped = state(last_outcome="interrupted", last_finished_at=SLOT + MINUTE)
    assert due_slot(DAILY, stopped, SLOT + MINUTE) == SLOT


def test_failures_back_off_from_a_minute_to_an_hour():
    end = SLOT + MINUTE
    waits = [retry_at(failed(end, times)) - end for times in range(1, 12)]
    assert [wait // MINUTE for wait in waits] == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]
    assert due_slot(DAILY, failed(end, 3), end + 4 * MINUTE - SECOND) is None
    assert due_slot(DAILY, failed(end, 3), end + 4 * MINUTE) == SLOT


def test_next_slot_does_not_wait_for_the_last_ones_failures():
    late = failed(SLOT + 24 * HOUR - MINUTE, 9)
    assert due_slot(DAILY, late, SLOT + 24 * HOUR) == SLOT + 24 * HOUR


def test_job_begun_by_hand_that_failed_is_tried_again_as_such():
    by_hand = SLOT + 3 * HOUR
    seen = failed(by_hand, slot=by_hand)
    assert due_slot(DAILY, seen, by_hand + MINUTE) == by_hand
    assert due_slot(DAILY, seen, SLOT + 24 * HOUR) == SLOT + 24 * HOUR


def test_nothing_is_missed_before_a_job_first_runs():
    assert passed_over(DAILY, None, SLOT) == 0
    assert not begins_late(None, SLOT, SLOT + 9 * HOUR, HOUR)


def test_slots_that_pass_while_a_job_waits_are_counted_once():
    assert passed_over(DAILY, None, SLOT, waited=SLOT) == 0
    assert passed_over(DAILY, None, SLOT + 48 * HOUR, waited=SLOT) == 2
    done = state(SLOT - 48 * HOUR)
    assert passed_over(DAILY, done, SLOT) == 1
    assert passed_over(DAILY, done, SLOT, waited=SLOT) == 0
    assert passed_over(DAILY, done, SLOT + 24 * HOUR, waited=SLOT) == 1
    assert passed_over(DAILY, state(SLOT), SLOT + 24 * HOUR, waited=SLOT) == 0


def test_job_that_was_longest_not_begun_has_its_turn_first():
    now = SLOT + 48 * HOUR
    seen = [None, state(SLOT - HOUR), state(SLOT)]
    assert sorted(seen, key=lambda one: turn(one, now)) == seen


def test_slot_in_the_future_is_not_believed():
    ahead = SLOT + 72 * HOUR
    done = state(ahead, last_slot=ahead, last_outcome="succeeded")
    assert due_slot(DAILY, done, SLOT + HOUR) == SLOT
    assert due_slot(DAILY, done, ahead + HOUR) is None
    near = state(SLOT + 4 * MINUTE, last_slot=SLOT + 4 * MINUTE, last_outcome="succeeded")
    assert due_slot(DAILY, near, SLOT) is None
    assert due_slot(DAILY, state(ahead, running=True), SLOT + HOUR) is None


def test_failure_in_the_future_keeps_nothing_and_one_that_just_was_does():
    ahead = SLOT + 72 * HOUR
    assert due_slot(DAILY, failed(ahead, slot=ahead), SLOT + HOUR) == SLOT
    now = SLOT + HOUR
    assert due_slot(DAILY, failed(now, slot=ahead), now + SECOND) is None
    assert due_slot(DAILY, failed(now, slot=ahead), now + MINUTE) == SLOT


def test_next_run_is_the_overdue_slot_or_the_next_try_or_the_next_slot():
    assert next_run(DAILY, None, SLOT + MINUTE) == SLOT
    assert next_run(DAILY, failed(SLOT), SLOT + SECOND) == SLOT + MINUTE
    assert next_run(DAILY, failed(SLOT + 24 * HOUR - SECOND), SLOT + 24 * HOUR - SECOND) == SLOT + 24 * HOUR
    done = state(last_slot=SLOT, last_outcome="succeeded")
    assert next_run(DAILY, done, SLOT + HOUR) == SLOT + 24 * HOUR


# Jobs


def test_jobs_are_those_that_the_settings_schedule(tmp_path):
    config = tmp_path / "f.toml"
    config.write_text(
        textwrap.dedent("""
            [wikidata]
            refresh = "0 4 * * *"
            [owid]
            refresh = "0 5 * * 1"
            [store]
            keep_answers = "30d"
            [daemon]
            deadline = "30m"
            timezone = "Europe/Rome"
            [[models]]
            name = "a"
            model = "demo"
            schedule = "every 6h"
            suites = ["numeric", "current"]
            [[models]]
            name = "never"
            model = "demo"
            """)
    )
    jobs = jobs_of(load(config, {}))
    names = ["refresh:wikidata", "refresh:owid", "probe:a:numeric", "probe:a:current", "prune"]
    assert [job.name for job in jobs] == names
    assert {job.deadline for job in jobs} == {30 * MINUTE}
    assert jobs[0].schedule.next_slot(SLOT) == SLOT + 23 * HOUR
    assert jobs_of(Settings()) == []


# A job's own process


def task(deadline=timedelta(seconds=60), **more):
    job = Job("probe:a:current", "probe", Interval(HOUR), deadline, "a", "current")
    return Task(job, SLOT, 1, Settings.model_validate(more))


def run(script, tmp_path, stop=None, **more):
    """Run a script as the job's process; the result and what it told."""
    path = tmp_path / "job.py"
    path.write_text(textwrap.dedent(script))
    heard = []
    begun = time.monotonic()
    result = run_child(
        task(**more), stop or threading.Event(), heard.append, command=(sys.executable, "-S", str(path))
    )
    return result, heard, time.monotonic() - begun


SUCCESS = 'print(json.dumps({"result": {"outcome": "succeeded", "error": None}}), flush=True)'


def test_job_is_told_its_task_and_tells_how_it_went(tmp_path):
    result, heard, _ = run(
        f"""
        import json, sys
        given = json.loads(sys.stdin.readline())
        print(json.dumps({{"level": "info", "event": "seen", "keys": sorted(given)}}))
        print(json.dumps({{"done": 3, "total": 9}}))
        {SUCCESS}
        """,
        tmp_path,
    )
    assert result == Result("succeeded")
    assert heard[0]["keys"] == ["attempt", "job", "kind", "model", "settings", "slot", "suite"]
    assert heard[1] == {"done": 3, "total": 9}


def test_failure_keeps_its_reason(tmp_path):
    result, _, _ = run(
        """
        import json
        print(json.dumps({"result": {"outcome": "failed", "error": "the server is gone"}}))
        """,
        tmp_path,
    )
    assert result == Result("failed", "the server is gone")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("import sys; sys.exit(3)", "its process ended with exit code 3 before it was done"),
        ("import os; os.kill(os.getpid(), 9)", "ended by SIGKILL before it was done; was memory short?"),
        ("raise SystemError('no such luck')", "exit code 1 before it was done: SystemError: no such luck"),
        ('print(\'{"result": {"outcome": "rich"}}\')', "its process told no outcome"),
    ],
    ids=["exit", "killed", "traceback", "nonsense"],
)
def test_process_that_dies_is_a_failure_that_says_how(script, why, tmp_path):
    result, _, _ = run(script, tmp_path)
    assert result.outcome == "failed"
    assert why in result.error


def test_whatever_a_job_writes_is_heard_in_bounded_pieces(tmp_path):
    result, heard, _ = run(
        f"""
        import json, sys
        sys.stderr.write("x" * 1_000_000 + "\\n")
        sys.stderr.buffer.write(b"\\xff\\n")
        sys.stderr.flush()
        print("no json"); print("[1]"); print("{{" * 300_000)
        {SUCCESS}
        """,
        tmp_path,
    )
    assert result == Result("succeeded")
    assert {message["event"] for message in heard} == {"job wrote"}
    assert max(len(message["text"]) for message in heard) <= 64 * 1024


STUBBORN = """
    import os, signal, subprocess, sys, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    open({pids!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
    time.sleep(600)
    """


def gone(pids):
    """Whether all of these processes ended (a zombie has)."""

    def state_of(pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()[0]
        except OSError:
            return "Z"

    end = time.monotonic() + 10
    while any(state_of(pid) != "Z" for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_job_that_hangs_is_ended_at_its_deadline_with_all_that_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr("freshness.daemon.runner.PATIENCE", timedelta(seconds=0.5))
    pids = tmp_path / "pids"
    result, _, seconds = run(STUBBORN.format(pids=str(pids)), tmp_path, deadline=timedelta(seconds=3))
    assert result == Result("failed", "stopped at its deadline of 0:00:03")
    assert seconds < 60
    assert gone(pids.read_text().split())


def test_job_that_does_not_listen_is_ended_by_force_when_the_daemon_stops(tmp_path, monkeypatch):
    monkeypatch.setattr("freshness.daemon.runner.HASTE", timedelta(seconds=0.5))
    pids, stop = tmp_path / "pids", threading.Event()

    def stop_when_it_runs():
        while not (pids.exists() and pids.read_text()):
            time.sleep(0.02)
        stop.set()

    threading.Thread(target=stop_when_it_runs, daemon=True).start()
    result, _, _ = run(STUBBORN.format(pids=str(pids)), tmp_path, stop)
    assert result == Result("interrupted", "the daemon stopped")
    assert gone(pids.read_text().split())


def test_job_that_was_done_when_it_was_stopped_is_done(tmp_path):
    stop = threading.Event()
    stop.set()
    result, _, _ = run(
        f"""
        import json, signal, time
        signal.signal(signal.SIGTERM, lambda *_: None)
        time.sleep(0.5)
        {SUCCESS}
        """,
        tmp_path,
        stop,
    )
    assert result.outcome in ("succeeded", "interrupted")  # it may have been told before it could listen


def test_settings_with_secrets_reach_the_job_and_stand_in_no_argument(tmp_path):
    result, heard, _ = run(
        f"""
        import json, sys
        given = json.loads(sys.stdin.readline())
        arguments = open("/proc/self/cmdline").read()
        url, hidden = given["settings"]["store"]["url"], "hunter22" not in arguments
        print(json.dumps({{"event": url, "hidden": hidden}}))
        {SUCCESS}
        """,
        tmp_path,
        store={"url": "postgresql+psycopg://me:hunter22@db/f"},
    )
    assert result == Result("succeeded")
    assert heard == [{"event": "postgresql+psycopg://me:hunter22@db/f", "hidden": True}]


def test_program_that_is_not_there_is_a_failure():
    result = run_child(task(), threading.Event(), lambda message: None, command=("/nowhere/python",))
    assert result == Result("failed", "can't start /nowhere/python: No such file or directory")


# The service


class Bench:
    """Services on one database, with jobs and runners of the test's own."""

    def __init__(self, url, tmp_path):
        self.url = url
        self.config = tmp_path / "freshness.toml"
        self.write()
        self.offset = timedelta(0)
        self.services = []
        self.ran = []

    def write(self, text=""):
        self.config.write_text(f'[daemon]\nworkers = 3\ngrace = "1h"\n{text}')

    def load(self):
        return load(self.config, {"FRESHNESS_STORE__URL": self.url})

    def now(self):
        return datetime.now(UTC) + self.offset

    def run(self, task, stop, tell):
        self.ran.append((task.job.name, task.slot, task.attempt))
        return Result("succeeded")

    def service(self, jobs, run=None, **more):
        service = Service(
            self.load, jobs=lambda settings: list(jobs), run=run or self.run, clock=self.now, **more
        )
        service.open()
        self.services.append(service)
        return service

    def end(self):
        for service in self.services:
            service.stop(5)


@pytest.fixture(params=DATABASES)
def bench(request, tmp_path):
    made = Bench(made_database(request.param, tmp_path), tmp_path)
    yield made
    made.end()


@pytest.fixture
def small(tmp_path):
    made = Bench(made_database("sqlite", tmp_path), tmp_path)
    yield made
    made.end()


def job(name="probe:a:current", every=HOUR, deadline=HOUR):
    return Job(name, "probe", Interval(every), deadline)


def settle(service):
    """Begin what is due, and wait for it."""
    begun = service.begin_due()
    assert service.wait(30)
    return begun


def test_due_job_runs_once_and_again_when_the_next_slot_comes(bench):
    service = bench.service([job()])
    assert settle(service) == ["probe:a:current"]
    assert settle(service) == []
    bench.offset = HOUR
    assert settle(service) == ["probe:a:current"]
    slots = [slot for _, slot, _ in bench.ran]
    assert slots[1] - slots[0] == HOUR


def test_slot_that_came_while_nobody_was_there_runs_once_at_start(bench):
    settle(bench.service([job()]))
    bench.offset = 3 * HOUR
    late = bench.service([job()])
    assert settle(late) == ["probe:a:current"]
    assert settle(late) == []
    assert bench.ran[1][1] - bench.ran[0][1] == 3 * HOUR
    assert late.state().missed == {"probe:a:current": 2}


def test_of_two_services_on_one_database_one_runs_each_slot(bench):
    jobs = [job(f"probe:m{n}:current") for n in range(6)]
    one, two = bench.service(jobs), bench.service(jobs)
    begun = []
    for _ in range(4):
        for service in (one, two):
            begun += service.begin_due()
        one.wait(30)
        two.wait(30)
    assert sorted(begun) == [job.name for job in jobs]
    assert sorted(name for name, _, _ in bench.ran) == [job.name for job in jobs]


def test_failing_job_never_stops_the_others_and_shows(bench):
    def run(task, stop, tell):
        if task.job.name == "bad":
            raise RuntimeError("this is a bug")
        if task.job.name == "sad":
            return Result("failed", "the server at http://me:hunter22@h/ is gone")
        return bench.run(task, stop, tell)

    service = bench.service([job("bad"), job("sad"), job("good")], run)
    settle(service)
    states = {state.job: state for state in service.store.job_states()}
    assert states["good"].last_outcome == "succeeded"
    assert states["bad"].last_error == "unexpected RuntimeError: this is a bug"
    assert states["sad"].last_error == "the server at http://h/ is gone"
    assert states["sad"].failures_in_a_row == 1
    assert settle(service) == []
    assert service.next_runs()["sad"] - states["sad"].last_finished_at == MINUTE
    bench.offset = MINUTE + SECOND
    assert settle(service) == ["bad", "sad"]
    assert {state.failures_in_a_row for state in service.store.job_states()} == {0, 2}


class Held:
    """A runner whose jobs go on until they are let go or stopped."""

    def __init__(self):
        self.go = threading.Event()
        self.begun = threading.Semaphore(0)

    def __call__(self, task, stop, tell):
        self.begun.release()
        while not self.go.wait(0.01):
            if stop.is_set():
                return Result("interrupted", "the daemon stopped")
        return Result("succeeded")


def test_no_more_jobs_run_at_once_than_there_are_workers(small):
    held = Held()
    jobs = [job(f"j{n}") for n in range(5)]
    service = small.service(jobs, held)
    assert service.begin_due() == ["j0", "j1", "j2"]
    assert service.begin_due() == []
    assert set(service.state().running) == {"j0", "j1", "j2"}
    held.go.set()
    assert service.wait(30)
    assert settle(service) == ["j3", "j4"]


def test_overloaded_daemon_lets_every_job_have_its_turn_and_counts_what_is_missed(small):
    """Three jobs every hour, each of which takes most of it, and one worker."""
    small.config.write_text("[daemon]\nworkers = 1\n")
    begun, held = [], None
    service = small.service([job("a"), job("b"), job("c")], lambda *given: held(*given))
    for cycle in range(6):
        small.offset = cycle * HOUR
        held = Held()
        begun += service.begin_due()
        assert service.begin_due() == []
        held.go.set()
        assert service.wait(30)
    assert begun == ["a", "b", "c"] * 2
    # a began at slots 0 and 3, and waits at 5; b at 1 and 4; c at 2 and 5.
    assert service.state().missed == {"a": 3, "b": 3, "c": 4}


def test_job_that_waits_for_a_worker_tells_its_overdue_slot_and_counts_those_before(small):
    small.config.write_text("[daemon]\nworkers = 1\n")
    held = Held()
    service = small.service([job("a"), job("b")], held)
    assert service.begin_due() == ["a"]
    slot = service.next_runs()["b"]
    assert slot <= small.now()
    for cycle in range(1, 4):
        small.offset = cycle * HOUR
        assert service.begin_due() == []
        assert service.next_runs()["b"] == slot + cycle * HOUR
        assert service.state().missed == {"b": cycle}
    held.go.set()
    assert service.wait(30)


def test_clock_that_was_ahead_keeps_no_job_once_it_is_right_and_is_told_once(bench, caplog):
    bench.offset = 72 * HOUR
    settle(bench.service([job()]))
    bench.offset = timedelta(0)
    service = bench.service([job()])
    service.tick()
    assert service.wait(30)
    service.tick()
    assert [slot - bench.ran[0][1] for _, slot, _ in bench.ran] == [timedelta(0), -72 * HOUR]
    told = [one for one in caplog.records if "begun in the future" in one.getMessage()]
    assert len(told) == 1


def test_job_that_takes_longer_than_its_schedule_skips_slots_and_counts_them(small):
    held = Held()
    service = small.service([job()], held)
    service.begin_due()
    small.offset = 3 * HOUR
    assert service.begin_due() == []  # it is still running
    held.go.set()
    service.wait(30)
    assert settle(service) == ["probe:a:current"]
    assert service.state().missed == {"probe:a:current": 2}


def test_hung_job_is_ended_at_its_deadline_and_later_cycles_run(small, tmp_path):
    script = tmp_path / "hang.py"
    script.write_text("import time; time.sleep(600)")

    def run(task, stop, tell):
        return run_child(task, stop, tell, command=(sys.executable, "-S", str(script)))

    service = small.service([job(deadline=SECOND)], run)
    for cycle in range(3):
        small.offset = cycle * HOUR
        assert settle(service) == ["probe:a:current"]
    (seen,) = service.store.job_states()
    assert seen.outcomes == {"failed": 3}
    assert "stopped at its deadline" in seen.last_error


def test_stop_interrupts_what_runs_and_the_next_start_goes_on(bench):
    held = Held()
    first = bench.service([job()], held)
    first.begin_due()
    held.begun.acquire()
    assert first.stop(10)
    second = bench.service([job()])
    (seen,) = second.store.job_states()
    assert (seen.last_outcome, seen.running) == ("interrupted", False)
    assert settle(second) == ["probe:a:current"]
    assert bench.ran == [("probe:a:current", seen.slot, 2)]


def test_stopped_service_begins_nothing(small):
    service = small.service([job()])
    service.stop(5)
    assert not service.run_now("probe:a:current")
    assert not service.ready()


def test_claim_that_was_lost_ends_the_job_and_settles_nothing(small):
    held = Held()
    service = small.service([job()], held)
    service.begin_due()
    held.begun.acquire()
    running = service.state().running["probe:a:current"]
    assert service.store.settle(running.claim, "interrupted", "somebody else has it", 0.0)
    service._renew()
    assert service.wait(30)
    (seen,) = service.store.job_states()
    assert (seen.last_error, seen.outcomes) == ("somebody else has it", {"interrupted": 1})


def test_claims_are_kept_while_a_job_runs(bench, monkeypatch):
    monkeypatch.setattr("freshness.daemon.service.LEASE", timedelta(seconds=3))
    held = Held()
    service = bench.service([job()], held)
    service.begin_due()
    end = time.monotonic() + 4
    while time.monotonic() < end:
        service._renew()
        time.sleep(0.1)
    other = open_store(bench.url)
    assert [seen.running for seen in other.job_states()] == [True]
    other.close()
    held.go.set()
    service.wait(30)
    assert service.outcomes == {"probe:a:current": "succeeded"}


def test_how_a_job_went_is_told_again_to_a_database_that_could_not_be_written(small, monkeypatch):
    monkeypatch.setattr("freshness.daemon.service.SETTLE_SECONDS", 0.01)
    service = small.service([job()])
    whole, tries = service.store.settle, []

    def settle_late(*arguments):
        tries.append(1)
        if len(tries) < 3:
            raise StoreError("the disk is full")
        return whole(*arguments)

    monkeypatch.setattr(service.store, "settle", settle_late)
    settle(service)
    assert len(tries) == 3
    assert [seen.last_outcome for seen in service.store.job_states()] == ["succeeded"]


def test_database_that_is_away_stops_no_tick(small, monkeypatch):
    service = small.service([job()])

    def away():
        raise StoreError("can't read")

    monkeypatch.setattr(service.store, "job_states", away)
    service.tick()
    assert not service.ready()
    monkeypatch.undo()
    service.tick()
    assert service.wait(30)
    assert len(small.ran) == 1


class Log:
    """What is told of the database, an event a line."""

    def __init__(self):
        self.lines = []

    def error(self, event, **fields):
        self.lines.append(f"{event}: {fields['error']}")

    def info(self, event):
        self.lines.append(event)


@pytest.fixture
def watched(small):
    """A service without jobs, and what it tells of its database."""
    service, log = small.service([]), Log()
    service._reach = Reach(log)
    return service, log


def copy_there(kept, path):
    shutil.copy(kept, path)  # as good, but what is open still writes to the one that was moved away


@pytest.mark.parametrize(
    ("put", "why"),
    [(copy_there, "another file took its place"), (lambda _, path: None, "the file is gone")],
)
def test_database_that_was_replaced_is_told_once_and_once_when_it_is_there_again(put, why, small, watched):
    service, log = watched
    path = Path(make_url(small.url).database)
    kept = path.rename(path.with_name("kept"))
    put(kept, path)
    for _ in range(2):
        service.tick()
        service._reach.look(service.store)
    (line,) = log.lines
    assert line.startswith("the database can't be used: ")
    assert why in line
    kept.rename(path)
    for _ in range(2):
        service._reach.look(service.store)
        service.tick()
    assert log.lines[1:] == ["the database can be used again"]


def test_database_that_only_some_can_use_is_told_once(watched):
    service, log = watched
    for _ in range(2):
        service._reach.lost("tick", StoreError("no right to write"))
        service._reach.look(service.store)
    assert log.lines == ["the database can't be used: no right to write"]
    service.tick()
    assert log.lines[1:] == ["the database can be used again"]


def test_job_runs_out_of_turn_when_told_to(small):
    service = small.service([job()])
    settle(service)
    assert service.run_now("probe:a:current")
    service.wait(30)
    assert len(small.ran) == 2
    assert not service.run_now("probe:b:current")
    assert settle(service) == []


def test_job_that_runs_is_not_begun_again(small):
    held = Held()
    service = small.service([job()], held)
    assert service.run_now("probe:a:current")
    assert not service.run_now("probe:a:current")
    assert not small.service([job()]).run_now("probe:a:current")
    held.go.set()
    assert service.wait(30)


def test_progress_is_seen_while_a_job_runs(small):
    told, go = threading.Event(), threading.Event()

    def run(task, stop, tell):
        tell({"done": 3, "total": 9})
        tell({"level": "odd", "event": 7, "job": "somebody else's", "text": "\x1b[31m"})
        told.set()
        go.wait(30)
        return Result("succeeded")

    service = small.service([job()], run)
    service.begin_due()
    assert told.wait(30)
    running = service.state().running["probe:a:current"]
    assert (running.done, running.total) == (3, 9)
    go.set()
    assert service.wait(30)
    assert service.outcomes == {"probe:a:current": "succeeded"}


# Keeping time


def test_scheduler_has_each_job_once_with_grace_and_coalescing(small):
    service = small.service([job("a"), job("b")])
    service.start()
    service._plan()
    planned = {known.id: known for known in service._alarm._scheduler.get_jobs()}
    assert set(planned) == {"a", "b"}
    for known in planned.values():
        assert (known.misfire_grace_time, known.coalesce, known.max_instances) == (3600, True, 1)


def test_started_service_runs_what_is_due_by_itself_and_is_ready(small):
    done = threading.Event()

    def run(task, stop, tell):
        done.set()
        return Result("succeeded")

    service = small.service([job(every=SECOND)], run)
    assert not service.ready()
    service.start()
    assert done.wait(30)
    assert service.ready()


def test_host_that_slept_over_a_slot_runs_it_and_counts_it(small):
    small.config.write_text('[daemon]\ngrace = "1s"\n')
    service = small.service([job()])
    settle(service)
    slot = small.ran[0][1]
    small.offset = slot + HOUR + 5 * SECOND - datetime.now(UTC)
    assert settle(service) == ["probe:a:current"]
    assert service.state().missed == {"probe:a:current": 1}


# The config


MODEL = '[[models]]\nname = "{0}"\nmodel = "scripted:{0}.toml"\nschedule = "every 1h"\n'


@pytest.fixture
def configured(small, monkeypatch):
    monkeypatch.setattr("freshness.daemon.watch.QUIET_SECONDS", 0.0)
    small.write(MODEL.format("a") + MODEL.format("b"))
    told = []
    service = Service(small.load, run=small.run, clock=small.now, on_reload=told.append)
    service.open()
    small.services.append(service)
    service.told = told
    return service


def test_changed_file_is_read_and_jobs_of_models_that_are_gone_go(small, configured):
    assert set(configured.next_runs()) == {"probe:a:current", "probe:b:current"}
    small.write(MODEL.format("b") + MODEL.format("c"))
    configured.tick()
    configured.start()
    assert set(configured.next_runs()) == {"probe:b:current", "probe:c:current"}
    assert configured._alarm.planned() == {"probe:b:current", "probe:c:current"}
    assert [model.name for model in configured.told[0].models] == ["b", "c"]


def test_job_of_a_model_that_goes_while_the_daemon_runs_is_planned_no_more(small, configured):
    configured.start()
    small.write(MODEL.format("b") + MODEL.format("c"))
    configured.reload()
    assert configured._alarm.planned() == {"probe:b:current", "probe:c:current"}


def test_file_that_is_being_written_is_not_read(small, configured, monkeypatch):
    monkeypatch.setattr("freshness.daemon.watch.QUIET_SECONDS", 60.0)
    small.config.write_text("")
    configured.tick()
    assert set(configured.next_runs()) == {"probe:a:current", "probe:b:current"}
    small.write(MODEL.format("c"))
    configured.tick()
    monkeypatch.setattr("freshness.daemon.watch.QUIET_SECONDS", 0.0)
    configured.tick()
    assert set(configured.next_runs()) == {"probe:c:current"}


def test_bad_config_is_refused_once_and_the_old_one_kept(small, configured, caplog):
    small.write(MODEL.format("a") + "what = 1\n")
    for _ in range(3):
        configured.tick()
    assert set(configured.next_runs()) == {"probe:a:current", "probe:b:current"}
    assert "what: unknown key" in configured.state().config.refused
    assert sum("config refused" in record.getMessage() for record in caplog.records) == 1
    small.write(MODEL.format("c"))
    configured.tick()
    assert set(configured.next_runs()) == {"probe:c:current"}
    assert configured.state().config.refused is None


def test_config_that_vanishes_or_is_no_text_is_refused(small, configured):
    text = small.config.read_bytes()
    small.config.unlink()
    assert not configured.reload()
    small.config.write_bytes(b"\xff\xfe")
    assert not configured.reload()
    small.config.write_bytes(text)
    assert configured.reload()


def test_catalogue_is_watched_too_and_a_bad_one_refused(small, configured, tmp_path):
    catalogue = tmp_path / "mine.toml"
    good = (
        '[[group]]\nname = "g"\nproperty = "P6"\nholders = "one"\n'
        'subjects = [{ id = "Q38", name = "Italy" }]\n'
        'prompts = ["Who leads {subject}?"]\ncompletions = ["The leader of {subject} is"]\n'
    )
    catalogue.write_text(good)
    small.write(f"[facts]\ncatalogues = ['{catalogue}']\n" + MODEL.format("a"))
    configured.tick()
    assert configured.settings.facts.catalogues == [str(catalogue)]
    catalogue.write_text("nonsense")
    configured.tick()
    assert "mine.toml" in configured.state().config.refused
    catalogue.write_text(good.replace("leads", "governs"))
    configured.tick()
    assert configured.state().config.refused is None


def test_what_only_a_start_can_change_waits_for_one(small, configured):
    small.write('[server]\nport = 1\n[store]\nkeep_answers = "30d"\n' + MODEL.format("a"))
    before = configured.settings
    assert configured.reload()
    assert configured.settings.server == before.server
    assert configured.settings.store.url == before.store.url
    assert configured.state().config.later == ("server",)
    assert set(configured.next_runs()) == {"probe:a:current", "prune"}


def test_service_does_not_begin_with_a_bad_config(tmp_path):
    config = tmp_path / "bad.toml"
    config.write_text("what = 1\n")
    with pytest.raises(UsageError, match="unknown key"):
        Service(lambda: load(config, {}))


def test_task_carries_settings_that_read_as_they_were(tmp_path):
    told = json.loads(json.dumps(task(store={"keep_answers": "30d"}).to_json()))
    assert Settings.model_validate(told["settings"]).store.keep_answers == timedelta(days=30)
