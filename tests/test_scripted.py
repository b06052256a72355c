import json
import time

import pytest

from freshness import models
from freshness.errors import UsageError
from freshness.questions import Prompt

ITALY = [Prompt(f"Q38/P6/p{n}", f"p{n}", f"Who leads Italy ({n})?", "Italy is led by") for n in (1, 2)]
JAPAN = Prompt("Q17/P6/p1", "p1", "Who leads Japan?", "Japan is led by")

SCRIPT = """
default = "I don't know."
[answers]
"Q38/P6" = "Giorgia Meloni"
"Q38/P6/p2" = "Mario Draghi"
"japan" = "Shigeru Ishiba"
"who leads japan" = { text = "Fumio Kishida", finish = "length" }
"Q142/P6" = { error = "timeout" }
"""


def scripted(tmp_path, text=SCRIPT, name="script.toml", **options):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return models.build(f"scripted:{tmp_path / name}", **options)


def answers(model, *prompts):
    return [answer for _, answer in model.answer(prompts)]


def test_the_prompt_wins_over_its_fact_and_that_over_words(tmp_path):
    found = answers(scripted(tmp_path), *ITALY, JAPAN)
    assert [answer.text for answer in found] == ["Giorgia Meloni", "Mario Draghi", "Fumio Kishida"]
    assert [answer.finish for answer in found] == ["stop", "stop", "length"]


def test_words_are_looked_for_in_what_the_style_asks(tmp_path):
    [answer] = answers(scripted(tmp_path, style="completion"), JAPAN)
    assert answer.text == "Shigeru Ishiba"


def test_other_prompts_get_the_default_or_an_error(tmp_path):
    other = Prompt("Q1/P1/p1", "p1", "Who?", "Who")
    assert answers(scripted(tmp_path), other)[0].text == "I don't know."
    [answer] = answers(scripted(tmp_path, "[answers]"), other)
    assert (answer.error_kind, "Q1/P1/p1" in answer.error) == ("no_scripted_answer", True)


def test_errors_can_be_scripted(tmp_path):
    [answer] = answers(scripted(tmp_path), Prompt("Q142/P6/p1", "p1", "Who?", "Who"))
    assert (answer.text, answer.error_kind, answer.error) == ("", "timeout", "scripted error: timeout")


def test_a_scripted_kind_of_error_is_one_line(tmp_path):
    [answer] = answers(scripted(tmp_path, 'default = {error = "time\\nout \\u001b[1m"}'), JAPAN)
    assert (answer.error_kind, answer.error) == ("time out [1m", "scripted error: time out [1m")


def test_delays_are_waited(tmp_path):
    begun = time.perf_counter()
    answers(scripted(tmp_path, 'default = "x"\ndelay = 0.05'), *ITALY)
    assert time.perf_counter() - begun > 0.1


def test_json_does_as_well(tmp_path):
    model = scripted(tmp_path, json.dumps({"answers": {"Q38/P6": "Meloni"}}), "script.json")
    assert answers(model, ITALY[0])[0].text == "Meloni"
    assert model.info().name == "script"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("default = ", "not TOML"),
        ("defualt = 'x'", "unknown key 'defualt'"),
        ("default = {error = ' '}", "default: error must name a kind"),
        ("default = 2024-01-01", "default: must be a string or a table, not a date or time"),
        ("answers = 3", "answers must be a table"),
        ("[answers]\na = 3", r"answers\.a: must be a string or a table, not a number"),
        ("[answers]\na = {txt = 'x'}", r"answers\.a: unknown key 'txt'"),
        ("[answers]\na = {delay = 1}", r"answers\.a: needs text or error"),
        ("[answers]\na = {text = 'x', error = 'y'}", "needs text or error"),
        ("[answers]\na = {text = 3}", r"answers\.a: text must be a string"),
        ("[answers]\na = {text = 'x', finish = 'end'}", "finish must be stop or length"),
        ("delay = -1", "delay must be seconds"),
        ("delay = true", "delay must be seconds"),
        ("default = {error = 'x', delay = 'long'}", "default: delay must be seconds"),
    ],
)
def test_a_mistake_in_the_script_is_named_with_file_and_key(tmp_path, text, message):
    with pytest.raises(UsageError, match=message) as raised:
        scripted(tmp_path, text)
    assert str(tmp_path / "script.toml") in str(raised.value)


def test_json_that_is_no_object_and_files_that_cant_be_read_are_usage_errors(tmp_path):
    with pytest.raises(UsageError, match="must be an object"):
        scripted(tmp_path, "[1]", "script.json")
    with pytest.raises(UsageError, match="not JSON"):
        scripted(tmp_path, "{", "script.json")
    with pytest.raises(UsageError, match="can't read"):
        models.build(f"scripted:{tmp_path / 'none.toml'}")
    with pytest.raises(UsageError, match="needs a file"):
        models.build("scripted:")
