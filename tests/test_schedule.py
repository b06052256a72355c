"""When jobs are due: cron lines as cron reads them, in any zone, over both changes of the clock."""

import json
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from apscheduler.triggers.cron import CronTrigger
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from freshness.cron import parse_cron
from freshness.daemon.schedule import Interval, parse

HOUR = timedelta(hours=1)
# Changes of an hour and of half an hour, at midnight, of a whole day (Apia, 2011), and none at all.
ZONES = """
UTC Europe/Helsinki Europe/Rome America/New_York Australia/Lord_Howe America/Sao_Paulo Africa/Cairo
Asia/Kathmandu Pacific/Apia Pacific/Chatham America/Santiago Africa/Casablanca Antarctica/Troll
""".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()


def utc(text):
    return datetime.fromisoformat(text).astimezone(UTC)


def field(low, high):
    number = st.integers(low, high)
    one = number.map(str)
    span = st.tuples(number, number).map(lambda pair: "{}-{}".format(*sorted(pair)))
    step = st.integers(1, high - low).map(lambda step: f"*/{step}")
    part = st.one_of(one, span, step)
    return st.one_of(st.just("*"), part, st.lists(part, min_size=1, max_size=3).map(",".join))


LINES = st.tuples(
    field(0, 59), field(0, 23), st.just("*"), st.just("*"), st.one_of(st.just("*"), field(0, 7))
)
# Half of them within two days of a change of the clock somewhere.
MOMENTS = st.one_of(
    st.datetimes(datetime(2008, 1, 1), datetime(2035, 1, 1)),
    st.builds(
        lambda year, month, minutes: datetime(year, *month) + timedelta(minutes=minutes),
        st.integers(2009, 2030),
        st.sampled_from([(3, 8), (3, 25), (4, 1), (9, 25), (10, 1), (10, 25), (11, 1), (12, 29)]),
        st.integers(0, 8 * 24 * 60),
    ),
).map(lambda moment: moment.replace(tzinfo=UTC))


@settings(max_examples=50, deadline=None)
@given(line=LINES.map(" ".join), zone=st.sampled_from(ZONES), begin=MOMENTS)
def test_slots_strictly_increase_whatever_the_clocks_do(line, zone, begin):
    schedule = parse(line, zone)
    moment, walked = begin, []
    for _ in range(25):
        following = schedule.next_slot(moment)
        assert following > moment
        walked.append(following)
        moment = following
    # Each walk there and back, and all at once, tell the same.
    assert schedule.slots(begin, walked[-1]) == walked
    assert [schedule.latest_slot(slot) for slot in walked] == walked
    assert schedule.latest_slot(walked[0] - timedelta(seconds=1)) <= begin


@settings(max_examples=30, deadline=None)
@given(line=LINES.map(" ".join), zone=st.sampled_from(ZONES), begin=MOMENTS)
def test_slot_is_where_the_clock_shows_it_or_just_after_a_gap(line, zone, begin):
    cron = parse_cron(line)
    for slot in parse(line, zone).slots(begin, begin + timedelta(days=2))[:100]:
        wall = slot.astimezone(ZoneInfo(zone))
        shown = cron.fits(wall.date()) and wall.hour in cron.hours and wall.minute in cron.minutes
        gap = wall.utcoffset() - (slot - timedelta(hours=25)).astimezone(ZoneInfo(zone)).utcoffset()
        assert shown or gap > timedelta(0)


@settings(max_examples=50, deadline=None)
@given(
    line=st.tuples(field(0, 59), field(0, 23), field(1, 28), field(1, 12), st.just("*")).map(" ".join),
    begin=MOMENTS,
)
def test_in_utc_it_agrees_with_apscheduler_where_that_reads_cron_lines_right(line, begin):
    theirs = CronTrigger.from_crontab(line, timezone=UTC)
    assert parse(line, "UTC").next_slot(begin) == theirs.get_next_fire_time(
        None, begin + timedelta(microseconds=1)
    )


@pytest.mark.parametrize(("number", "name"), [*enumerate(WEEKDAYS), (7, "sun")])
def test_weekdays_are_crons_where_apscheduler_counts_from_monday(number, name):
    slot = parse(f"0 4 * * {number}", "UTC").next_slot(utc("2026-11-29T00:00+00:00"))
    assert slot.strftime("%a").lower() == name
    assert slot == parse(f"0 4 * * {name}", "UTC").next_slot(utc("2026-11-29T00:00+00:00"))


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("1-5", "mon tue wed thu fri"),
        ("mon-fri", "mon tue wed thu fri"),
        ("5-7", "fri sat sun"),
        ("0-2", "sun mon tue"),
        ("*/2", "sun tue thu sat"),
        ("5/1", "fri sat"),
        ("7,3", "sun wed"),
        ("*", "sun mon tue wed thu fri sat"),
    ],
)
def test_ranges_of_weekdays(field, meant):
    line = parse_cron(f"0 0 * * {field}")
    assert line.weekdays == {WEEKDAYS.index(name) for name in meant.split()}


def test_day_of_the_month_or_of_the_week_is_enough_where_both_are_given():
    slots = parse("0 0 13 * fri", "UTC").slots(utc("2026-02-28T00:00+00:00"), utc("2026-03-31T00:00+00:00"))
    assert [slot.day for slot in slots] == [6, 13, 20, 27]
    slots = parse("0 0 10 * fri", "UTC").slots(utc("2026-02-28T00:00+00:00"), utc("2026-03-31T00:00+00:00"))
    assert [slot.day for slot in slots] == [6, 10, 13, 20, 27]


@needs_shared
def test_repeated_hour_does_not_loop():
    cases = [json.loads(line) for line in (SHARED / "cases/apscheduler.jsonl").read_text().splitlines()]
    case = next(case for case in cases if case["id"] == "sch-04-dst-loop")
    schedule = parse(case["input"]["trigger"]["cron"], case["input"]["trigger"]["timezone"])
    assert schedule.next_slot(utc(case["input"]["now"])) == utc(case["expected"]["next_fire"])


def test_pace_goes_on_through_the_hour_that_comes_twice():
    slots = parse("30 * * * *", "Europe/Helsinki").slots(
        utc("2017-10-29T02:00+03:00"), utc("2017-10-29T05:00+02:00")
    )
    assert {after - before for before, after in pairwise(slots)} == {HOUR}
    assert len(slots) == 4


def test_time_of_day_comes_once_though_its_hour_comes_twice():
    slots = parse("30 3 * * *", "Europe/Helsinki").slots(
        utc("2017-10-28T00:00+03:00"), utc("2017-10-31T00:00+02:00")
    )
    assert [slot.isoformat() for slot in slots] == [
        "2017-10-28T00:30:00+00:00",
        "2017-10-29T00:30:00+00:00",
        "2017-10-30T01:30:00+00:00",
    ]


@pytest.mark.parametrize("line", ["30 3 * * *", "30 3,4 * * *", "30 3 26 3 *", "30 3 * * 0"])
def test_time_that_the_clock_leaves_out_comes_after_the_gap_and_once(line):
    slots = parse(line, "Europe/Helsinki").slots(utc("2017-03-26T00:00+02:00"), utc("2017-03-27T00:00+03:00"))
    assert [slot.isoformat() for slot in slots] == ["2017-03-26T01:30:00+00:00"]


def test_day_that_a_zone_left_out_loses_no_nightly_job():
    slots = parse("0 4 * * *", "Pacific/Apia").slots(
        utc("2011-12-28T00:00-10:00"), utc("2012-01-02T00:00+14:00")
    )
    # 30 December did not come there: its job falls on the moment of the next day's.
    assert [slot.isoformat() for slot in slots] == [
        "2011-12-28T14:00:00+00:00",
        "2011-12-29T14:00:00+00:00",
        "2011-12-30T14:00:00+00:00",
        "2011-12-31T14:00:00+00:00",
    ]


def test_rare_days_are_found():
    leap = parse("0 4 29 2 *", "UTC")
    assert leap.next_slot(utc("2026-01-01T00:00+00:00")).date() == date(2028, 2, 29)
    assert leap.latest_slot(utc("2026-01-01T00:00+00:00")).date() == date(2024, 2, 29)


@pytest.mark.parametrize("text", ["every 6h", "every 90m", "every 1d", "every 2 w"])
def test_interval_is_the_same_on_every_machine(text):
    now = utc("2026-11-29T17:23:45+00:00")
    one, other = parse(text, "UTC"), parse(text, "Asia/Kathmandu")
    assert one.latest_slot(now) == other.latest_slot(now) <= now < one.next_slot(now) == other.next_slot(now)
    assert one.latest_slot(one.next_slot(now)) == one.next_slot(now)
    assert (one.next_slot(now) - datetime(1970, 1, 1, tzinfo=UTC)) % one.every == timedelta(0)
    assert one.slots(now, now + 3 * one.every) == [one.next_slot(now) + n * one.every for n in range(3)]


def test_interval_of_nothing_is_refused():
    with pytest.raises(ValueError, match="longer than nothing"):
        Interval(timedelta(0))
