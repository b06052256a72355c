"""Cleaning an answer and cutting it into words."""

import pytest

from freshness.grading.text import MAX_CHARS, fold, read, split_dense, tokens


def keys(answer: str) -> list[str]:
    return [token.key for token in read(answer).tokens]


@pytest.mark.parametrize(
    ("word", "folded"),
    [("Erdoğan", "erdogan"), ("Erdog\u0306an", "erdogan"), ("Støre", "store"), ("İmamoğlu", "imamoglu"),
     ("Straße", "strasse"), ("Wałęsa", "walesa"), ("Путин", "putin"), ("O’Neill", "oneill")],
)  # fmt: skip
def test_words_are_folded_to_plain_letters(word, folded):
    assert fold(word) == folded


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("<think>Maybe A.</think>B", ["b"]),
        ("Maybe A.\n</think>\n\nB", ["b"]),
        ("<think>a <think>b</think> c</think> D", ["d"]),
        ("<THINKING>a</THINKING>B<thinking>c</thinking>", ["b"]),
        ("&lt;think&gt;a&lt;/think&gt;B", ["b"]),
        ("[THINK]a[/THINK]B", ["b"]),
        ("◁think▷a◁/think▷B", ["b"]),
        ("<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>B", ["b"]),
        ("B <think>and then", ["b"]),
        ("B <thi", ["b"]),
        ("B</s>", ["b"]),
    ],
)
def test_thoughts_are_not_read_however_broken_their_tags(answer, words):
    assert keys(answer) == words


def test_thinking_that_never_ends_is_told():
    assert read("<think>So far").unfinished
    assert not read("<think>So far</think>").unfinished


@pytest.mark.parametrize(
    "answer",
    [
        "[Ada](https://x.org/bo)",
        "<https://x.org/bo> Ada",
        "Ada www.x.org/bo",
        "Ada, bo@x.org",
        "<b>Ada</b>",
        "_Ada_",
    ],
)
def test_links_and_markup_are_not_read(answer):
    assert keys(answer) == ["ada"]


def test_spans_point_into_the_answer_as_given():
    answer = "<think>x</think> The mayor is [Ada](http://bo.example)!"
    token = read(answer).tokens[-1]

    assert answer[token.start : token.end] == "Ada"


def test_words_know_their_neighbours():
    _, long, bo = tokens("Ada Long. Bo")

    assert long.near
    assert not bo.near
    assert tokens("George W. Bush")[2].near
    assert tokens("Jae-in")[1].joined


@pytest.mark.parametrize(
    ("text", "key", "possessive"),
    [("Ada's", "ada", True), ("James' wife", "james", True), ("Ankara'da", "ankara", False),
     ("D'Alema", "dalema", False), ("P.S.G.", "psg", False)],
)  # fmt: skip
def test_apostrophes_and_points(text, key, possessive):
    token = tokens(text)[0]

    assert (token.key, token.possessive) == (key, possessive)


def test_known_names_are_cut_out_of_words_without_spaces():
    reading = split_dense(read("现任主席是习近平。"), ["习近平"])

    assert [token.raw for token in reading.tokens] == ["现任主席是", "习近平"]
    assert [reading.text[t.start : t.end] for t in reading.tokens] == ["现任主席是", "习近平"]


def test_only_the_beginning_of_a_huge_answer_is_read():
    assert len(read("a " * MAX_CHARS).tokens) == MAX_CHARS // 2
