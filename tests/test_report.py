"""How reports read, and that nothing hostile gets through them."""

import errno
import html.parser
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from freshness.errors import UsageError
from freshness.facts import PartialDate, ValidityInterval, Value
from freshness.history import Counts, Run, Trial, compare, steps
from freshness.questions import Answer, Prompt, Question
from freshness.report import ModelReport, Report, figure, markdown, plots
from freshness.report import html as html_report
from freshness.report.bars import Bar, cells
from freshness.report.files import write_file
from freshness.report.listings import compare_view, history_view, unlike
from freshness.report.tables import report_view
from freshness.report.text import (
    clean,
    clean_block,
    clean_end,
    clean_name,
    counted,
    duration,
    excerpt,
    p_value,
    percent,
    seconds,
)
from freshness.report.text import markdown as escape
from freshness.verdicts import CLAIMS, Judgement, Verdict
from freshness.window import Cutoff, FiveNumbers, Status, WindowEstimate

AS_OF = date(2023, 12, 20)
DAY = datetime(2023, 12, 20, 9, 30, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script> [bold red]x[/] \x1b[31mred\x1b[0m \u202egnp.exe | `a` **b** \x07\r\nnext"


ESTIMATE = WindowEstimate(
    118,
    Status.ESTIMATED,
    Cutoff(*(PartialDate.parse(month) for month in ("2021-10", "2021-06", "2022-02"))),
    (PartialDate(2012, 3), PartialDate(2021, 4)),
)
TOO_FEW = WindowEstimate(3, Status.TOO_FEW)
BEFORE_RANGE = replace(ESTIMATE, status=Status.BEFORE_RANGE)
STARTS = FiveNumbers(
    300, *(PartialDate.parse(d) for d in ("1952-02", "2012-05", "2017-01", "2019-05", "2021-03"))
)


def question(name, *values, group="countries"):
    prompts = tuple(Prompt(f"{name}/{p}", p, f"Who leads {name}?", f"{name} is led by") for p in ("p1", "p2"))
    return Question(name, "current", group, name, prompts, AS_OF, values, "one", name)


def value(label, start, end):
    return Value(label, intervals=(ValidityInterval.from_json(start, end),))


ITALY = question(
    "Italy", value("Giorgia Meloni", "2022-10-22", None), value("Mario Draghi", "2021-02-13", "2022-10-22")
)
FRANCE = question("France", value("Emmanuel Macron", "2017-05-14", None))


# As another record has it: who leads is the same, since when is not.
REVISED = replace(FRANCE, values=(value("Emmanuel Macron", "2017-05-15", None),))


def trial(question, text, verdict, matched=None, span=None, lag=None, prompt="p1"):
    judgement = Judgement(
        verdict, "full_name", matched, text[slice(*span)] if span else None, span, lag, 1 if lag else None
    )
    asked = question.prompts[0].question
    return Trial(
        question.id, question.group, question.fact, prompt, asked, Answer(text, seconds=0.1), judgement
    )


def failed(question, prompt="p2"):
    answer = Answer(error="no answer within 30 s", error_kind="timeout")
    return Trial(question.id, question.group, question.fact, prompt, "Who?", answer, None)


DRAGHI = trial(ITALY, "It is Mario Draghi, I think.", Verdict.OUTDATED, "Mario Draghi", (6, 18), 424)
MACRON = trial(FRANCE, "Emmanuel Macron", Verdict.CORRECT, "Emmanuel Macron", (0, 15))


def run(*trials, **more):
    details = {"dtype": "float32", "batch_size": 32, "style": "chat", "versions": {"torch": "2.13.0"}}
    plain = Run("r1", "demo", "current", AS_OF, DAY, "bundled", DAY, "3fa9c17be2d04471", "judge-1")
    answered = replace(plain, seconds=0.5, status="finished", details=details, questions=(ITALY, FRANCE))
    return replace(answered, trials=trials, **more)


def report(*trials, window=ESTIMATE, **more):
    def current(question):
        return [v.label for v in question.values if v.holds(AS_OF.toordinal())]

    return Report.of_run(run(*trials, **more), current, window=window, starts=STARTS, declared="2021-09")


def screen(renderable, width=80, **options):
    console = Console(width=width, file=StringIO(), **options)
    console.print(renderable)
    return console.file.getvalue()


class TestText:
    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b]0;window title\x07after", "after"),
            ("\x1b]8;;http://evil\x1b\\link", "link"),
            ("\x9b2Jcleared", "cleared"),
            ("a\u202eb\u2066c\u200bd", "abcd"),
            ("two\r\nlines\tand a tab", "two lines and a tab"),
            ("progress\rbar", "progress bar"),
            ("\ud800lone surrogate", "lone surrogate"),
            ("\x00nul\x08\x7f", "nul"),
            ("می\u200cخواهم", "می\u200cخواهم"),
            ("नमस्ते Łódź 🙂", "नमस्ते Łódź 🙂"),
        ],
    )
    def test_clean_keeps_what_is_seen_and_drops_what_acts(self, text, kept):
        assert clean(text) == kept

    @given(st.text(), st.integers(2, 50))
    def test_clean_is_one_bounded_line_without_controls(self, text, limit):
        line = clean(text, limit)
        assert len(line) <= limit
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", line)

    def test_a_megabyte_is_cut_before_it_is_read(self):
        assert clean("x" * 5_000_000, 10) == "xxxxxxxxx…"

    def test_of_a_long_prompt_the_end_is_kept_where_its_question_stands(self):
        assert clean_end("You are helpful. " * 2000 + "Who leads Italy?", 20) == "…l. Who leads Italy?"
        assert clean_end("Who leads\nItaly?", 20) == "Who leads Italy?"

    def test_a_long_name_is_cut_in_its_middle(self):
        assert clean_name("local:/models/" + "x" * 100 + "/base", 20) == "local:/mo…xxxxx/base"
        assert clean_name("short\x1b[2J name", 20) == "short name"

    def test_a_block_keeps_lines_but_not_blank_ones(self):
        assert clean_block("one\r\n\r\n  two\x1b[2J\n\n") == "one\ntwo"

    def test_excerpt_marks_the_words_that_decided(self):
        assert excerpt("It is Mario Draghi, I think.", (6, 18)) == ("It is ", "Mario Draghi", ", I think.")

    def test_excerpt_of_a_long_answer_is_cut_around_the_mention(self):
        text = "a" * 500 + " Draghi " + "b" * 500
        before, mention, after = excerpt(text, (501, 507), around=20)
        assert (before[0], mention, after[-1]) == ("…", "Draghi", "…")
        assert len(before) + len(after) <= 42

    @pytest.mark.parametrize("span", [None, (3, 99), (-1, 2), (5, 5)])
    def test_excerpt_without_a_span_that_fits_is_the_beginning(self, span):
        assert excerpt("hello", span) == ("hello", "", "")

    @pytest.mark.parametrize(
        ("text", "escaped"),
        [
            ("a|b", r"a\|b"),
            ("<img src=x>", "&lt;img src=x&gt;"),
            ("[x](http://e)", r"\[x\](http&#58;//e)"),
            ("`$x$` *b* _i_ #1 !", r"\`\$x\$\` \*b\* \_i\_ \#1 \!"),
            ("&lt;", "&amp;lt;"),
            ("a\n| b |", r"a \| b \|"),
            ("ping @someone www.x.org", "ping @\u200bsomeone www&#46;x.org"),
        ],
    )
    def test_markdown_is_escaped(self, text, escaped):
        assert escape(text) == escaped

    @pytest.mark.parametrize(
        ("days", "words"),
        [
            (1, "1 day"),
            (59, "59 days"),
            (61, "2 months"),
            (424, "14 months"),
            (1648, "4.5 years"),
            (None, "unknown"),
        ],
    )
    def test_durations_read_as_people_say_them(self, days, words):
        assert duration(days) == words

    def test_numbers(self):
        assert (percent(0.57692), percent(None), percent(1.0)) == ("57.7%", "–", "100.0%")
        assert (seconds(0.42), seconds(41.2), seconds(200), seconds(None)) == (
            "0.4 s",
            "41 s",
            "3 min 20 s",
            "unknown",
        )
        assert (p_value(0.0004), p_value(0.0123)) == ("p < 0.001", "p = 0.012")
        assert (counted(1, "fact"), counted(1200, "fact")) == ("1 fact", "1,200 facts")


class TestJson:
    def test_models_have_the_promised_shape(self):
        body = report(DRAGHI, MACRON).to_json()
        model = json.loads(json.dumps(body))["models"]["demo"]
        assert (model["questions"], model["prompts"]) == (2, 2)
        assert model["upper_bound"]["correct"] == 0.5
        assert model["upper_bound"]["irrelevant_as_published"] == 0.0
        assert model["window"]["cutoff"]["estimate"] == "2021-10"
        assert model["starts"]["median"] == "2017-01"
        assert model["groups"]["countries"]["average"]["outdated"] == 0.5

    def test_the_run_says_how_to_ask_the_same_again(self):
        body = report(DRAGHI, MACRON, served_model="smollm2-135m").to_json()["run"]
        assert body["served_model"] == "smollm2-135m"
        assert (body["dtype"], body["batch"]) == ("float32", 32)
        assert body["snapshot"] == {
            "source": "bundled",
            "taken_at": DAY.isoformat(),
            "digest": "3fa9c17be2d04471",
        }
        assert (body["seconds"], body["prompts_per_second"]) == (0.5, 4.0)

    def test_outdated_and_trials(self):
        body = report(DRAGHI, failed(ITALY)).to_json()
        assert body["outdated"][0]["said"] == "Mario Draghi"
        assert body["outdated"][0]["since"] == "2022-10-22"
        assert body["outdated"][0]["now"] == ["Giorgia Meloni"]
        good, bad = body["trials"]
        assert (good["verdict"], good["matched"], good["lag_days"], good["error"]) == (
            "outdated",
            "Mario Draghi",
            424,
            None,
        )
        assert (bad["verdict"], bad["answer"], bad["error"]) == (None, None, "no answer within 30 s")

    def test_without_a_run_there_are_only_models(self):
        assert list(Report((ModelReport.of("m", [MACRON]),)).to_json()) == ["models"]


class TestTables:
    def test_fits_80_columns(self):
        text = screen(report_view(report(DRAGHI, MACRON, failed(FRANCE))))
        assert max(map(len, text.splitlines())) <= 80
        assert "50.0%" in text
        assert "Giorgia Meloni" in re.sub(r"\s+", " ", text)

    def test_reads_without_colour_and_without_unicode_bars(self):
        text = screen(Bar(Counts.of([Verdict.CORRECT, Verdict.OUTDATED])), 40, color_system=None)
        assert text.strip() == "█" * 20 + "▓" * 20

    def test_says_what_is_missing(self):
        text = screen(report_view(report(failed(ITALY, "p1"), failed(ITALY), window=TOO_FEW)), 120)
        assert "2 prompts failed (timeout 2) and count nowhere; 1 question got no answer at all" in text
        assert "can't be told: too little dated evidence" in text
        assert "–" in text

    def test_markup_of_a_model_is_text(self):
        hostile = trial(ITALY, HOSTILE, Verdict.OUTDATED, HOSTILE, None, 5)
        text = screen(report_view(report(hostile, model="[red]m[/red]\x1b[2J")), 200, force_terminal=False)
        assert "[red]m[/red]" in text
        assert "\x1b" not in text
        assert "\u202e" not in text

    @pytest.mark.parametrize("width", [40, 80, 160])
    def test_names_are_never_cut_and_no_column_is_dropped(self, width):
        names = [f"org/a-very-long-model-name-{'x' * 30}-{end}" for end in ("instruct", "base")]
        models = tuple(ModelReport.of(name, [MACRON], window=ESTIMATE) for name in names)
        text = screen(report_view(Report(models)), width)
        assert max(map(len, text.splitlines())) <= width
        squeezed = re.sub(r"\s", "", text)
        if width > 80:
            assert all(text.count(name) == 2 for name in names)
        if width == 40:
            assert all(squeezed.count(head) >= 2 for head in ("agree", "irrelevant*", "cutoff"))
            assert squeezed.count("100.0%") == 2
        assert all(head in squeezed for head in ("agree", "irrelevant*", "90%interval"))
        assert "…" not in text

    def test_one_model_on_a_narrow_terminal_keeps_every_number(self):
        text = screen(report_view(report(DRAGHI, MACRON, failed(FRANCE))), 40)
        assert max(map(len, text.splitlines())) <= 40
        for verdict in CLAIMS:
            assert re.search(rf"{verdict} +\d", text)
        assert re.search(r"untrue since +2022-10-22", text)

    def test_says_that_a_run_was_interrupted(self):
        assert "interrupted: what follows is what was answered so far" in screen(
            report_view(report(MACRON, status="interrupted")), 120
        )

    def test_a_single_group_keeps_its_name(self):
        one, two = report(MACRON), report(MACRON, trial(replace(ITALY, group="all"), "x", Verdict.REFUSED))
        for render in (lambda r: screen(report_view(r)), markdown.render, html_report.render):
            assert "countries" in render(one)
            assert "all (group)" in render(two)
        assert not re.search(r"^all ", screen(report_view(one)), re.M)
        assert re.search(r"^all +2 ", screen(report_view(two)), re.M)

    def test_only_what_was_measured_stands_in_the_head(self):
        assert "float32, batch 32, 0.5 s, 2.0 prompts/s" in screen(report_view(report(MACRON)), 120)
        unmeasured = screen(report_view(report(MACRON, seconds=None, details={"style": "chat"})), 120)
        assert re.search(r"how +chat *\n", unmeasured)
        recorded = report(MACRON, details={"kind": "recorded"})
        assert re.search(r"how +0\.5 s *\n", screen(report_view(recorded), 120))

    def test_long_lists_of_outdated_facts_say_how_many_are_left_out(self):
        facts = report(DRAGHI).outdated * 30
        text = screen(report_view(replace(report(DRAGHI), outdated=facts)))
        assert "… and 10 more" in text

    def test_a_single_model_without_a_run_is_named(self):
        assert re.match(r"model +vicuna", screen(report_view(Report((ModelReport.of("vicuna", [MACRON]),)))))

    def test_several_models_stand_side_by_side(self):
        models = tuple(
            ModelReport.of(n, [MACRON, failed(ITALY)], window=ESTIMATE, declared="2021-09") for n in "ab"
        )
        text = screen(report_view(Report(models)), 100)
        assert text.count("2021-06–2022-02") == 2
        assert text.count("1 prompt failed (timeout 1)") == 2

    def test_a_model_without_a_cutoff_says_why(self):
        models = tuple(ModelReport.of(n, [MACRON], window=BEFORE_RANGE) for n in "ab")
        text = screen(report_view(Report(models)))
        assert "before range" in text
        assert "2021-10" not in text
        assert figure.rows(models) == []


@given(st.lists(st.sampled_from(CLAIMS), max_size=400), st.integers(5, 60))
def test_bars_are_as_wide_as_asked_and_show_every_verdict_that_occurs(verdicts, width):
    shared = cells(Counts.of(verdicts), width)
    assert sum(shared) == (width if verdicts else 0)
    assert [n > 0 for n in shared] == [v in verdicts for v in CLAIMS]


class TestListings:
    def test_compare_shows_the_test_and_what_differs(self):
        other = trial(ITALY, "Giorgia Meloni", Verdict.CORRECT, "Giorgia Meloni")
        a, b = run(DRAGHI, MACRON), run(other, MACRON, model="newer")
        text = screen(compare_view(a, b, compare(a.trials, b.trials)), 120)
        assert re.search(r"only newer +1 *\n", text)
        assert "p = 1.000 (McNemar, exact, 2 questions)" in text
        assert re.search(r"Who leads Italy\? +Mario Draghi \(outdated\) +Giorgia Meloni \(correct\)", text)

    def test_sides_of_one_model_are_told_apart_by_their_runs(self):
        a, b = run(DRAGHI), run(DRAGHI, id="r2")
        text = screen(compare_view(a, b, compare(a.trials, b.trials)), 120)
        assert re.search(r"only demo \(r1\) +0 *\n *only demo \(r2\) +0", text)
        assert "demo, run r2, asked 2023-12-20 09:30 UTC, as of 2023-12-20" in text

    def test_compare_says_when_it_is_not_like_with_like(self):
        other = {"snapshot_digest": "other", "questions": (ITALY, REVISED)}
        a, b = run(MACRON), run(MACRON, as_of=date(2024, 1, 1), judge="judge-2", **other)
        assert len(unlike(a, b)) == 3
        assert unlike(a, a) == []
        assert "different dates: 2023-12-20 and 2024-01-01" in screen(
            compare_view(a, b, compare([], [])), 120
        )

    @pytest.mark.parametrize(
        ("later", "told"),
        [
            ({"days": 1}, "2023-12-20 and facts of 2023-12-21"),
            ({"minutes": 5}, "2023-12-20 00:00 UTC and facts of 2023-12-20 00:05 UTC"),
            ({"seconds": 5}, "2023-12-20 00:00:00 UTC and facts of 2023-12-20 00:00:05 UTC"),
            ({}, "2023-12-20 00:00:00 UTC (aaaaaaaa) and facts of 2023-12-20 00:00:00 UTC (bbbbbbbb)"),
        ],
    )
    def test_snapshots_that_differ_are_told_apart(self, later, told):
        taken_at = datetime(2023, 12, 20, tzinfo=UTC)
        a = run(MACRON, snapshot_source="facts", snapshot_taken_at=taken_at, snapshot_digest="a" * 8)
        b = replace(a, id="r2", snapshot_taken_at=taken_at + timedelta(**later), snapshot_digest="b" * 8)
        b = replace(b, questions=(ITALY, REVISED))
        assert unlike(a, b) == [f"judged by different snapshots: facts of {told}"]
        assert told.split(" and ")[0] in " ".join(screen(history_view(steps([a, b])), 200).split())

    def test_snapshots_that_judge_what_both_were_asked_alike_do_not_matter(self):
        a = run(MACRON)
        b = run(MACRON, id="r2", questions=(FRANCE,), snapshot_digest="other", snapshot_taken_at=DAY)
        c = replace(b, id="r3", questions=(replace(ITALY, values=()), FRANCE))
        assert unlike(a, b) == unlike(b, c) == []
        assert "alike" not in screen(history_view(steps([a, b, c])), 200)
        moved = replace(b, as_of=date(2024, 1, 1))
        assert "judged by" not in screen(history_view(steps([a, moved])), 200)

    def test_one_snapshot_that_was_taken_twice_does_not_pass_for_two(self):
        taken_at = datetime(2023, 12, 20, tzinfo=UTC)
        a = run(MACRON, snapshot_source="facts", snapshot_taken_at=taken_at, snapshot_digest="a" * 8)
        b = replace(a, id="r2", snapshot_taken_at=taken_at + timedelta(days=1))
        c = replace(
            b, id="r3", snapshot_digest="b" * 8, snapshot_taken_at=b.snapshot_taken_at + timedelta(hours=1)
        )
        c = replace(c, questions=(ITALY, REVISED))
        told = " ".join(screen(history_view(steps([a, b, c])), 200).split())
        assert "facts of 2023-12-21 00:00 UTC" in told
        assert "facts of 2023-12-21 01:00 UTC" in told

    def test_history_shows_each_run_and_the_latest_changes(self):
        first = run(trial(ITALY, "Mario Draghi", Verdict.CORRECT, "Mario Draghi"), MACRON)
        second = run(DRAGHI, MACRON, started_at=DAY.replace(day=21), id="r2")
        text = screen(history_view(steps([first, second])), 100)
        assert re.search(r"r2 +2023-12-21 09:30 +2 +50\.0% +50\.0% .*\+0 -1", text)
        assert "newly outdated since the run before (1)" in text

    def test_history_says_when_runs_are_not_like_with_like(self):
        later = {"started_at": DAY.replace(day=21), "id": "r2"}
        same, moved = run(MACRON, **later), run(MACRON, **later, as_of=date(2024, 1, 1), judge="judge-2")
        assert "alike" not in screen(history_view(steps([run(MACRON), same])))
        text = screen(history_view(steps([run(MACRON), moved])))
        assert re.search(r"^run +as of +judge *$", text, re.M)
        assert re.search(r"r1 +2023-12-20 +judge-1", text)
        assert re.search(r"r2 +2024-01-01 +judge-2", text)
        said = " ".join(text.split())
        assert "A change may come from that and not from the model (1 time among these runs)" in said
        assert "The last two runs were asked as of different dates: 2023-12-20 and 2024-01-01." in said

    def test_no_history_is_an_empty_table(self):
        assert "correct" in screen(history_view([]))

    def test_many_changes_are_cut(self):
        questions = [question(f"Q{n}") for n in range(40)]
        first = run(*(trial(q, "x", Verdict.CORRECT) for q in questions))
        second = run(*(trial(q, "x", Verdict.REFUSED) for q in questions), started_at=DAY.replace(day=21))
        assert "… and 15 more" in screen(history_view(steps([first, second])))


class TestMarkdown:
    def test_has_the_papers_tables(self):
        text = markdown.render(report(DRAGHI, MACRON))
        for heading in ("Upper bound", "Average over prompts", "Prompt agreement", "Outdated facts (1)"):
            assert f"\n## {heading}\n" in text
        assert re.search(
            r"\| Who leads Italy\? +\| Mario Draghi \| 2022-10-22 +\| 14 months \| Giorgia Meloni \|", text
        )

    def test_every_row_has_as_many_cells_as_its_head(self):
        hostile = trial(replace(ITALY, group=HOSTILE), HOSTILE, Verdict.OUTDATED, HOSTILE, None, 5)
        text = markdown.render(report(hostile, MACRON, failed(FRANCE), model=HOSTILE))
        tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
        for table in tables:
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
        assert "<script" not in text
        assert "\x1b" not in text

    def test_several_models_have_a_row_each(self):
        text = markdown.render(
            Report(tuple(ModelReport.of(n, [MACRON], window=ESTIMATE) for n in ("a", "b")))
        )
        assert text.startswith("# Freshness of 2 models\n")
        assert "## Findings: b" in text
        assert text.endswith("\n")


class Page(html.parser.HTMLParser):
    """Tags, links and text of a page; insists that tags close in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.marked = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "mark":
            self.marked.append(data)


class TestHtml:
    def test_is_one_well_formed_file_that_loads_nothing(self):
        text = html_report.render(report(DRAGHI, MACRON, failed(FRANCE)))
        page = Page(text)
        names = {name for _, attributes in page.tags for name in attributes}
        assert not names & {"src", "href", "onclick", "onload", "style"}
        assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe"}
        assert "url(" not in text
        assert "@import" not in text
        assert "default-src 'none'" in text
        assert "prefers-color-scheme: dark" in text

    def test_marks_the_words_that_decided(self):
        assert Page(html_report.render(report(DRAGHI))).marked == ["Mario Draghi", "Mario Draghi"]

    def test_a_hostile_answer_is_text(self):
        hostile = replace(ITALY, group=HOSTILE)
        start = HOSTILE.index("<script>")
        answered = trial(hostile, HOSTILE, Verdict.OUTDATED, HOSTILE, (start, start + 8), 5)
        run_ = report(answered, failed(FRANCE), model=HOSTILE, served_model=HOSTILE)
        text = html_report.render(run_)
        page = Page(text)
        assert "script" not in {tag for tag, _ in page.tags}
        assert "<script>" in page.marked
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text)

    def test_a_run_without_any_answer_is_still_a_page(self):
        Page(html_report.render(report(failed(ITALY), window=None)))
        Page(html_report.render(Report((ModelReport.of("m", []),))))

    def test_several_models_share_one_picture(self):
        models = tuple(ModelReport.of(n, [MACRON], window=ESTIMATE, starts=STARTS) for n in ("a", "b"))
        text = html_report.render(Report(models))
        assert "How fresh are 2 models?" in text
        assert text.count('class="diamond"') == 2

    def test_recorded_answers_are_shown_too_by_model(self):
        models = tuple(ModelReport.of(n, [MACRON, DRAGHI]) for n in ("a", "b"))
        text = html_report.render(Report(models))
        assert text.count("<details>") == 2
        assert "<summary>b: countries (2)</summary>" in text
        assert "It is <mark>Mario Draghi</mark>, I think." in text

    def test_a_declared_cutoff_is_explained_where_there_is_one(self):
        declared = ModelReport.of("m", [MACRON], starts=STARTS, declared="2021-09")
        assert "Dotted: " in html_report.render(Report((declared,)))
        assert "Dotted: " not in html_report.render(Report((replace(declared, declared=None),)))

    def test_is_written_whole(self, tmp_path):
        target = tmp_path / "report.html"
        html_report.write_html(report(MACRON), target)
        assert target.read_text().endswith("</html>\n") or target.read_text().endswith("</html>")

    def test_thousands_of_answers_are_cut_and_counted(self):
        text = html_report.render(report(*[MACRON] * (html_report.TRIALS_SHOWN + 7)))
        assert "7 more answers are left out" in text


class TestFigure:
    def test_a_year_is_drawn_at_its_middle(self):
        assert figure.year(PartialDate(2020)) == pytest.approx(2020.5, abs=0.01)
        assert figure.year(PartialDate(2020, 1, 1)) == 2020.0

    def test_one_ancient_term_does_not_squeeze_the_rest(self):
        [row] = figure.rows([ModelReport.of("m", [], starts=STARTS)])
        low, high = figure.extent([row])
        assert (low, high) == (2000, 2022)
        assert row.cut_at(low) == 1952
        assert row.cut_at(1900) is None

    def test_a_cutoff_alone_sets_the_axis(self):
        [row] = figure.rows([ModelReport.of("m", [], window=ESTIMATE)])
        assert figure.extent([row]) == (2021, 2023)

    @given(st.integers(-50, 2500), st.integers(1, 2500))
    def test_ticks_are_few_round_and_inside(self, low, span):
        found = figure.ticks(low, low + span, 8)
        assert len(found) <= 8
        assert all(low <= tick <= low + span for tick in found)

    def test_nothing_known_is_no_row(self):
        assert figure.rows([ModelReport.of("m", [MACRON], window=TOO_FEW)]) == []


class TestPlot:
    pytest.importorskip("matplotlib")
    MODELS = (ModelReport.of("a $x_1$ 名前", [], window=ESTIMATE, starts=STARTS, declared="2021-09"),)

    def test_the_same_input_gives_the_same_svg(self, tmp_path):
        for name in ("one.svg", "two.svg"):
            plots.write_plot(self.MODELS, tmp_path / name)
        one, two = ((tmp_path / n).read_bytes() for n in ("one.svg", "two.svg"))
        assert one == two
        assert b"<dc:date>" not in one

    def test_png(self, tmp_path):
        plots.write_plot(self.MODELS, tmp_path / "window.PNG")
        assert (tmp_path / "window.PNG").read_bytes().startswith(b"\x89PNG")

    def test_other_endings_are_refused(self, tmp_path):
        with pytest.raises(UsageError, match=r"window.pdf: the name must end in .png or .svg"):
            plots.write_plot(self.MODELS, tmp_path / "window.pdf")

    def test_nothing_to_draw_is_no_file_and_said(self, tmp_path):
        assert not plots.write_plot([ModelReport.of("m", [MACRON])], tmp_path / "w.svg")
        assert list(tmp_path.iterdir()) == []

    def test_without_matplotlib_it_says_what_to_install(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(UsageError, match=r"pip install 'freshness\[plot\]'"):
            plots.write_plot(self.MODELS, tmp_path / "w.svg")


class TestFiles:
    def test_replaces_the_old_file_in_one_step_and_leaves_nothing_else(self, tmp_path):
        target = tmp_path / "r.html"
        target.write_text("old")
        write_file(target, b"new")
        assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("r.html", "new")]

    def test_follows_a_link_to_the_file_behind_it(self, tmp_path):
        (tmp_path / "real").write_text("old")
        (tmp_path / "link").symlink_to("real")
        write_file(tmp_path / "link", b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == "new"

    @pytest.mark.parametrize("path", ["missing/r.html", "file/r.html", "."])
    def test_a_path_that_cannot_be_written_is_one_line(self, tmp_path, path):
        (tmp_path / "file").write_text("")
        with pytest.raises(UsageError, match=r"^can't write .*; nothing was left there$"):
            write_file(tmp_path / path, b"x")

    def test_writes_into_a_pipe(self, tmp_path):
        read, write = os.pipe()
        try:
            write_file(Path(f"/dev/fd/{write}"), b"through")
            assert os.read(read, 99) == b"through"
        finally:
            os.close(read)
            os.close(write)

    def test_a_full_disk_leaves_the_old_file(self, tmp_path):
        target = tmp_path / "r.html"
        target.write_text("old")
        code = (
            "import resource, signal; from pathlib import Path\n"
            "from freshness.errors import FreshnessError; from freshness.report.files import write_file\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            f"try: write_file(Path({str(target)!r}), b'x' * 5000)\n"
            "except FreshnessError as error: print(type(error).__name__, error)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert (
            done.stdout
            == f"FreshnessError can't write {target}: {os.strerror(errno.EFBIG)}; nothing was left there\n"
        )
        assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("r.html", "old")]


def test_a_report_of_text_loads_no_plotting_library():
    code = (
        "import sys, freshness.report.tables, freshness.report.markdown; print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
