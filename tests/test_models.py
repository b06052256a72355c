import subprocess
import sys

import pytest

from freshness import models
from freshness.errors import UsageError
from freshness.models.text import clean, cut_at, one_line


@pytest.mark.parametrize("spec", ["", "gpt-4", "locl:x", "demo:", "demo:x", "local", "http", "ftp://h/v1#m"])
def test_an_unknown_spec_is_a_usage_error_that_lists_the_forms(spec):
    with pytest.raises(UsageError, match=r"unknown model .*recorded:FILE\.jsonl"):
        models.build(spec)
    assert not models.is_spec(spec)


@pytest.mark.parametrize(
    "spec", ["demo", "local:x", "http://h/v1#m", "https://h#m", "recorded:f", "scripted:f"]
)
def test_the_forms_of_a_spec_are_told_from_names(spec):
    assert models.is_spec(spec)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("style", "talk"),
        ("dtype", "int4"),
        ("batch_size", 0),
        ("max_new_tokens", 0),
        ("concurrency", -1),
        ("timeout", 0),
        ("deadline", -5.0),
        ("stop", ("",)),
    ],
)
def test_an_option_out_of_range_is_a_usage_error_that_names_it(option, value):
    with pytest.raises(UsageError, match=f"model option {option}"):
        models.ModelOptions(**{option: value})


def test_an_endpoint_needs_no_torch():
    code = "import sys; from freshness import models; models.build('http://h/v1#m'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"torch", "transformers"} & set(loaded.split())


def test_text_is_cleaned_of_what_breaks_files_and_terminals():
    assert clean("a\x00b\ud800c\nd") == "ab?c\nd"
    assert one_line("a\n\tb\x1b[0m\u202ec") == "a b [0m c"
    assert one_line("x" * 400) == "x" * 299 + "…"


def test_cutting_takes_the_first_stop_string_of_all():
    assert cut_at("a.b\nc", ["\n", "."]) == ("a", True)
    assert cut_at("abc", ["\n"]) == ("abc", False)
