"""Case and observation files: what is read, and how each fault is told."""

import io
import json
import sys
from datetime import date

import pytest
from shared import SHARED, needs_shared

from freshness.errors import UsageError
from freshness.files import MAX_FAULTS, MAX_LINE_BYTES, case_from_json, read_cases, read_records

CASE = {
    "question": "Who is the Prime Minister of Italy?",
    "answer": "Mario Draghi",
    "as_of": "2024-01-01",
    "values": [
        {"label": "Giorgia Meloni", "aliases": [], "start": "2022-10-22", "end": None},
        {"label": "Mario Draghi", "aliases": ["Draghi"], "start": "2021-02-13", "end": "2022-10-22"},
    ],
}


@pytest.fixture
def write(tmp_path):
    def write(*lines, name="cases.jsonl"):
        path = tmp_path / name
        path.write_bytes(b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines))
        return str(path)

    return write


def without(key):
    return {name: value for name, value in CASE.items() if name != key}


def test_case_is_read_with_its_line_kept(write):
    (case,) = read_cases([write({**CASE, "verdict_read": "outdated", "model": "m"})])
    assert (case.question, case.answer, case.as_of) == (CASE["question"], "Mario Draghi", date(2024, 1, 1))
    assert [value.label for value in case.values] == ["Giorgia Meloni", "Mario Draghi"]
    assert (case.model, case.group, case.fact, case.prompt, case.holders) == ("m", "all", None, None, None)
    assert case.raw["verdict_read"] == "outdated"


def test_files_are_read_in_order_and_blank_lines_skipped(write):
    first = write({**CASE, "answer": "a"}, b"", b"   ", {**CASE, "answer": "b"}, name="1.jsonl")
    second = write({**CASE, "answer": "c"}, b"", name="2.jsonl")
    assert [case.answer for case in read_cases([first, second])] == ["a", "b", "c"]


def test_byte_order_mark_and_windows_line_ends_do_no_harm(write):
    line = json.dumps(CASE).encode()
    assert len(read_cases([write(b"\xef\xbb\xbf" + line + b"\r", line + b"\r")])) == 2


def test_answer_that_is_null_or_empty_is_an_empty_answer(write):
    assert [c.answer for c in read_cases([write({**CASE, "answer": None}, {**CASE, "answer": ""})])] == [
        "",
        "",
    ]


@pytest.mark.parametrize(("text", "day"), [("2024", date(2024, 1, 1)), ("2024-05", date(2024, 5, 1))])
def test_date_of_a_year_or_month_means_its_first_day(write, text, day):
    (case,) = read_cases([write({**CASE, "as_of": text})])
    assert case.as_of == day


def test_standard_input_is_a_file_too(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(CASE).encode())))
    assert len(read_cases(["-"])) == 1


FAULTS = {
    "no JSON": (b'{"question": ', "is no JSON"),
    "two objects": (b"{} {}", "is no JSON: Extra data at column 4"),
    "no object": (b"[1]", "must be a JSON object, not a list"),
    "not UTF-8": (b'{"question": "\xff"}', "is not UTF-8 at byte 14"),
    "not a number": (b'{"question": NaN}', "NaN is no JSON number"),
    "key twice": (b'{"answer": "a", "answer": "b"}', "answer comes twice"),
    "nested": (b"[" * 200_000, "is nested too deeply"),
    "number of many digits": (b'{"answer": ' + b"9" * 10_000 + b"}", "digits"),
    "no question": (without("question"), "question is missing"),
    "no answer": (without("answer"), "answer is missing"),
    "no date": (without("as_of"), "as_of is missing"),
    "no values": (without("values"), "values is missing"),
    "blank question": ({**CASE, "question": " "}, "question must not be blank"),
    "answer is a number": ({**CASE, "answer": 7}, "answer must be a string, not 7"),
    "answer is a list": ({**CASE, "answer": ["x"] * 99}, 'answer must be a string, not ["x", "x"'),
    "date in words": ({**CASE, "as_of": "today"}, "as_of: 'today' is no date"),
    "date that does not exist": ({**CASE, "as_of": "2023-02-30"}, "as_of: 2023-02 has no day 30"),
    "date before the common era": ({**CASE, "as_of": "-0044"}, "as_of must lie in the years 1 to 9999"),
    "date too late": ({**CASE, "as_of": "12024"}, "as_of must lie in the years 1 to 9999"),
    "date is a number": ({**CASE, "as_of": 2024}, "as_of must be a string, not 2024"),
    "values is an object": ({**CASE, "values": {}}, "values must be a list"),
    "value is a string": ({**CASE, "values": ["Draghi"]}, "values[0]: a value must be an object"),
    "value without a label": ({**CASE, "values": [{"label": ""}]}, "values[0]: label must be"),
    "aliases as a string": (
        {**CASE, "values": [{"label": "Joe Biden", "aliases": "Biden"}]},
        "values[0]: aliases must be a list of strings",
    ),
    "start in words": (
        {**CASE, "values": [{"label": "x", "start": "May"}]},
        "values[0]: start: 'May' is no date",
    ),
    "end is a number": (
        {**CASE, "values": [{"label": "x", "end": 2020}]},
        "values[0]: end must be a date string",
    ),
    "unknown rank": ({**CASE, "values": [{"label": "x", "rank": "best"}]}, "values[0]: rank must be"),
    "misspelt key of a value": (
        {**CASE, "values": [{"label": "Joe Biden", "alias": ["Biden"]}]},
        "values[0]: unknown key 'alias' of Joe Biden; did you mean 'aliases'?",
    ),
    "term that ends before it starts": (
        {**CASE, "values": [{"label": "x"}, {"label": "Joe Biden", "start": "2021-01-20", "end": "2020"}]},
        "values[1]: a term of Joe Biden ends (2020) before it starts (2021-01-20)",
    ),
    "nothing": ({}, "question is missing; answer is missing; as_of is missing; values is missing"),
    "several values": (
        {**CASE, "values": [{"label": ""}] * 9},
        "values[4]: label must be a string that is not blank; and 4 more",
    ),
    "holders": ({**CASE, "holders": "two"}, 'holders must be "one" or "many", not "two"'),
    "model is a number": ({**CASE, "model": 3}, "model must be a string, not 3"),
}


@pytest.mark.parametrize(("line", "message"), FAULTS.values(), ids=FAULTS)
def test_malformed_line_is_told_with_file_line_and_key(write, line, message):
    path = write(CASE, line)
    with pytest.raises(UsageError) as caught:
        read_cases([path])
    assert str(caught.value).startswith(f"{path}:2: ")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 500


def test_all_faults_are_told_up_to_a_limit(write):
    few = write(without("answer"), CASE, without("values"), name="few.jsonl")
    with pytest.raises(UsageError) as caught:
        read_cases([few])
    assert [line.rsplit(": ", 1)[0] for line in str(caught.value).splitlines()] == [f"{few}:1", f"{few}:3"]
    many = write(*[without("answer")] * 100, name="many.jsonl")
    with pytest.raises(UsageError) as caught:
        read_cases([many])
    assert len(str(caught.value).splitlines()) == MAX_FAULTS + 1


def test_line_without_an_end_is_bounded(tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"x" * (MAX_LINE_BYTES + 100))
    with pytest.raises(UsageError, match=r"long\.jsonl:1: the line is longer than"):
        read_cases([str(path)])


def test_answer_of_a_megabyte_is_read(write):
    (case,) = read_cases([write({**CASE, "answer": "x" * 1_000_000})])
    assert len(case.answer) == 1_000_000


@pytest.mark.parametrize(("name", "reason"), [("nowhere.jsonl", "No such file"), (".", "Is a directory")])
def test_file_that_cannot_be_read_is_named(tmp_path, name, reason):
    path = str(tmp_path / name)
    with pytest.raises(UsageError) as caught:
        read_cases([path])
    assert str(caught.value).startswith(f"can't read {path}: {reason}")


def test_records_go_through_the_given_parser(write):
    path = write({"n": 1}, {"n": 2})
    assert read_records([path], lambda raw: raw["n"] * 10) == [10, 20]


@needs_shared
def test_shared_observations_are_readable():
    paths = sorted(str(path) for path in (SHARED / "cutoff" / "observations").glob("*.jsonl"))
    assert len(read_records(paths, lambda raw: raw["known"])) > 1000


def test_a_value_may_carry_more_than_is_read_but_no_misspelt_key():
    raw = {"question": "Who?", "answer": "A", "as_of": "2024-01-01"}
    case = case_from_json(raw | {"values": [{"label": "A", "qid": "Q1", "point_in_time": None}]})
    assert case.values[0].label == "A"
    with pytest.raises(ValueError, match="unknown key 'alias' of A; did you mean 'aliases'"):
        case_from_json(raw | {"values": [{"label": "A", "alias": ["B"]}]})
