import json

import pytest
from shared import SHARED, needs_shared

from freshness import models
from freshness.errors import UsageError
from freshness.questions import Prompt

ITALY = Prompt("Q38/P6/p1", "p1", "Who leads Italy?", "Italy is led by", "Name only.")
FRANCE = Prompt("Q142/P6/p1", "p1", "Who leads France?", "France is led by")
GERMANY = Prompt("Q183/P6/p1", "p1", "Who leads Germany?", "Germany is led by")


def recorded(tmp_path, *rows, **options):
    path = tmp_path / "answers.jsonl"
    path.write_text(
        "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8"
    )
    return models.build(f"recorded:{path}", **options)


def texts(model, *prompts):
    return [answer.text for _, answer in model.answer(prompts)]


def test_answers_are_joined_by_fact_and_prompt(tmp_path):
    model = recorded(
        tmp_path,
        {"fact": "Q142/P6", "prompt": "p1", "answer": "Macron"},
        "",
        {"fact": "Q38/P6", "prompt": "p1", "answer": "Meloni", "other": 1},
    )
    assert texts(model, ITALY, FRANCE) == ["Meloni", "Macron"]


@pytest.mark.parametrize(
    "question",
    ["Who leads Italy?", "Who leads  Italy? ", "Who leads Italy? Name only.", "Italy is led by"],
    ids=["question", "other spaces", "with the instruction", "completion"],
)
def test_answers_are_joined_by_what_was_asked(tmp_path, question):
    assert texts(recorded(tmp_path, {"question": question, "answer": "Meloni"}), ITALY) == ["Meloni"]


def test_the_id_wins_over_the_text(tmp_path):
    rows = [
        {"question": "Who leads Italy?", "answer": "by text"},
        {"fact": "Q38/P6", "prompt": "p1", "answer": "by id"},
    ]
    assert texts(recorded(tmp_path, *rows), ITALY) == ["by id"]


def test_a_case_line_is_found_by_its_question_though_its_fact_is_named_otherwise(tmp_path):
    row = {
        "fact": "Italy/head of government",
        "prompt": "p1",
        "question": "Who leads Italy?",
        "answer": "Meloni",
    }
    assert texts(recorded(tmp_path, row), ITALY) == ["Meloni"]


def test_the_same_words_about_two_facts_are_told_apart_by_id_alone(tmp_path):
    same = {"question": "Who leads?", "prompt": "p1"}
    model = recorded(
        tmp_path,
        {**same, "fact": "Q38/P6", "answer": "Meloni"},
        {**same, "fact": "Q142/P6", "answer": "Macron"},
    )
    asked = [Prompt(f"{fact}/p1", "p1", "Who leads?", "Led by") for fact in ("Q142/P6", "Q38/P6", "Q183/P6")]
    answers = [answer for _, answer in model.answer(asked)]
    assert [answer.text for answer in answers[:2]] == ["Macron", "Meloni"]
    assert answers[2].error_kind == "no_recorded_answer"


@needs_shared
def test_a_missing_answer_shifts_no_other(tmp_path):
    lines = (SHARED / "cases" / "eval_harness.jsonl").read_text(encoding="utf-8").splitlines()
    row = next(row for row in map(json.loads, lines) if row["id"] == "eh-05-pair-by-position")
    rows = [
        {"fact": fact, "prompt": "p1", "answer": answer} for fact, answer in row["input"]["answers"].items()
    ]
    model = recorded(tmp_path, *rows)
    asked = [Prompt(f"{fact}/p1", "p1", fact, fact) for fact in row["input"]["facts"]]
    found = {asked[index].question: None if a.error else a.text for index, a in model.answer(asked)}
    assert found == row["expected"]["joined"]


def test_a_prompt_without_a_recorded_answer_is_an_error_that_names_it(tmp_path):
    model = recorded(tmp_path, {"question": "Who leads Italy?", "answer": "Meloni"})
    answers = dict(model.answer([GERMANY, ITALY]))
    assert answers[0].error_kind == "no_recorded_answer"
    assert answers[0].error == "answers.jsonl has no answer to Q183/P6/p1"
    assert answers[1].text == "Meloni"


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_answer_is_an_answer(tmp_path, empty):
    [(_, answer)] = recorded(tmp_path, {"question": "Who leads Italy?", "answer": empty}).answer([ITALY])
    assert (answer.text, answer.error) == ("", None)


def test_lines_that_answer_no_prompt_are_counted(tmp_path):
    italy = {"question": "Who leads Italy?", "fact": "Italy", "prompt": "p1", "answer": "Meloni"}
    rows = [
        italy,
        italy,
        {"fact": "Q142/P6", "prompt": "p1", "answer": "Macron"},
        {"question": "Who leads Germny?", "answer": "Merz"},
    ]
    model = recorded(tmp_path, *rows)
    assert "unmatched_lines" not in model.info().details
    list(model.answer([ITALY]))
    assert model.info().details["unmatched_lines"] == 2
    list(model.answer([FRANCE, GERMANY]))
    assert model.info().details["unmatched_lines"] == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{not json", "not a JSON object"),
        ('["a"]', "must be a JSON object, not a list"),
        ("[" * 100_000, "not a JSON object"),
        ('{"question": "q"}', "answer is missing"),
        ('{"answer": "a"}', "question is missing"),
        ('{"answer": "a", "fact": "Q38/P6"}', "question is missing"),
        ('{"answer": 3, "question": "q"}', "answer must be a string, not 3"),
        ('{"answer": "a", "question": null}', "question must be a string, not null"),
        ('{"answer": "a", "fact": 1, "prompt": "p1"}', "fact must be a string, not 1"),
        ('{"answer": "other", "question": "ok"}', 'a second, different answer for "ok"'),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_key(tmp_path, line, message):
    with pytest.raises(UsageError, match=message) as raised:
        recorded(tmp_path, {"question": "ok", "answer": "fine"}, line)
    assert str(raised.value).startswith(f"{tmp_path / 'answers.jsonl'}:2: ")


def test_the_same_line_twice_is_no_conflict(tmp_path):
    row = {"question": "Who leads Italy?", "answer": "Meloni"}
    assert texts(recorded(tmp_path, row, row), ITALY) == ["Meloni"]


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"question": "\xff", "answer": "a"}\n')
    with pytest.raises(UsageError, match=r"a\.jsonl:1: not a JSON object"):
        models.build(f"recorded:{path}")


def test_a_file_that_cant_be_read_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match=r"can't read .*No such file"):
        models.build(f"recorded:{tmp_path / 'none.jsonl'}")
    with pytest.raises(UsageError, match=r"can't read .*directory"):
        models.build(f"recorded:{tmp_path}")
    with pytest.raises(UsageError, match="needs a file"):
        models.build("recorded:")


def test_info_names_the_model_as_told_or_after_the_file(tmp_path):
    row = {"question": "Who leads Italy?", "answer": "Meloni"}
    assert recorded(tmp_path, row).info().name == "answers"
    info = recorded(tmp_path, row, name="gpt2-xl", style="completion").info()
    assert (info.name, info.style) == ("gpt2-xl", "completion")
