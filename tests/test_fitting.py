"""Tables on narrow terminals: what breaks, what stands below, and what is never lost."""

import re

import pytest
from rich.text import Text

from freshness.report.fitting import Fitted, Labelled, filled
from freshness.report.frames import lines, table
from tests.test_report import screen

UNITS = {"child-mortality": "deaths per 100 live births", "life": "years"}


def indicators():
    view = table()
    view.add_column("indicator", no_wrap=True)
    view.add_column("unit")
    for name in ("newest", "countries"):
        view.add_column(name, justify="right")
    view.add_column("from", no_wrap=True)
    for name, unit in UNITS.items():
        view.add_row(name, unit, "2023", "237", "owid 2026-11-30, failing")
    return view


@pytest.mark.parametrize("width", range(12, 120))
def test_no_word_breaks_where_there_is_room_for_it(width):
    out = screen(Fitted(indicators()), width)
    assert max(map(len, out.splitlines())) <= width
    whole = {"indicator", "countries", "newest", "deaths", "births", "237"}
    assert whole <= set(out.split()) | ({"child-mortality"} if width < 15 else set())


def test_a_column_that_wraps_gets_a_readable_width_or_the_rows_are_stacked():
    assert re.search(r"^child-mortality  deaths per 100 +2023", screen(Fitted(indicators()), 80), re.M)
    assert re.search(r"^unit +deaths per 100 live births *$", screen(Fitted(indicators()), 70), re.M)


def test_prose_gives_way_to_the_words_of_its_neighbours():
    view = table()
    view.add_column("name")
    view.add_column("why", ratio=3)
    view.add_column("model", ratio=1)
    view.expand = True
    view.add_row("electricity-from-hydropower", "it was " * 30, "scripted:of-a-long-name")
    out = screen(Fitted(view), 80)
    assert {"electricity-from-hydropower", "scripted:of-a-long-name"} <= set(out.split())


def test_headings_of_columns_that_stretch_are_never_cut():
    view = table()
    view.add_column("question", ratio=1)
    view.add_column(Text("http://localhost:8000/v1#organisation/model"), ratio=1)
    view.expand = True
    view.add_row("Who?", "Nobody")
    out = screen(Fitted(view), 40)
    assert "…" not in out
    head = out.partition("Who?")[0].replace("question", "")
    assert "".join(head.split()) == "http://localhost:8000/v1#organisation/model"


def test_a_row_begins_with_what_it_is_called_where_its_column_has_no_name():
    view = table()
    for name in ("", "n", "correct", "not available"):
        view.add_column(name, no_wrap=True)
    view.add_row("upper bound", "12", "50.0%", "0.0%")
    view.add_row("average", "36", "40.0%", "0.0%")
    told = [line.rstrip() for line in screen(Fitted(view), 30).splitlines()]
    assert told[0] == "upper bound"
    assert re.fullmatch(r"n +12", told[1])
    assert (told[4], told[5]) == ("", "average")


@pytest.mark.parametrize("width", [80, 20])
def test_labels_stay_whole_and_stand_above_what_has_no_room_beside_them(width):
    out = screen(lines([("questions", "24 of 425,949, a stratified sample"), ("how", "chat")]), width)
    assert {"questions", "how", "24", "425,949,", "stratified", "sample"} <= set(out.split())
    assert max(map(len, out.splitlines())) <= width
    assert (out.splitlines()[0].strip() == "questions") is (width == 20)


def test_nothing_labelled_is_nothing():
    assert screen(Labelled([]), 20).strip() == ""


@pytest.mark.parametrize(
    ("sizes", "room", "widths"),
    [
        ([(3, 10), (3, 10)], 30, [10, 10]),
        ([(3, 10), (3, 40)], 30, [10, 20]),
        ([(12, 12), (3, 40), (3, 40)], 28, [12, 8, 8]),
        ([(5, 5), (5, 50)], 4, [5, 5]),
        ([], 10, []),
    ],
)
def test_room_is_shared_out_evenly_between_least_and_whole(sizes, room, widths):
    assert filled(sizes, room) == widths


@pytest.mark.parametrize(
    ("least", "widths"), [((3, 3, 3), [7, 3, 3]), ((3, 8, 3), [3, 8, 3]), ((0, 0, 0), [7, 3, 3])]
)
def test_columns_that_stretch_share_by_their_weights_but_keep_what_they_need(least, widths):
    assert filled([(one, 99) for one in least], 14, [2, 1, 1]) == widths
