"""How runs with numbers read: TempUN's table 3 with chance, and that nothing hostile gets through."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest

from freshness.history import compare, steps
from freshness.history.choices import KnownYears, figures
from freshness.questions import CHOICE_KINDS
from freshness.report import ModelReport, Report, choices, markdown, plots, words
from freshness.report import html as html_report
from freshness.report.bars import Bar, Legend
from freshness.report.fitting import Hyphenated
from freshness.report.listings import compare_view, history_view, unlike
from freshness.report.references import references
from freshness.report.tables import report_view
from freshness.report.text import percent
from freshness.report.words import newest_known, right
from freshness.series import CATEGORIES
from freshness.verdicts import CHOICES, Verdict
from tests import test_report
from tests.numeric_runs import INDICATORS, KNOWN, YEARS, choosing, question, report, run, trial
from tests.test_report import HOSTILE, MACRON, Page, screen

OPEN_ANSWERS = [
    ("62.4", Verdict.CORRECT, "62.4 (2012)", "within_1_percent"),
    ("60", Verdict.OUTDATED, "60 (2001)", "older_year"),
    ("I don't know", Verdict.REFUSED, None, "refusal"),
]


def open_run():
    asked = [question("next_word", category, year) for category in INDICATORS for year in YEARS]
    return asked, [trial(item, *OPEN_ANSWERS[number % 3]) for number, item in enumerate(asked)]


def squeezed(text):
    return re.sub(r"\s+", " ", text)


def test_the_words_beside_chance_are_the_same_in_every_format():
    shown = report(*choosing(lambda question, number: True))
    page = html_report.render(shown)
    for told in (screen(report_view(shown), 80), markdown.render(shown), page):
        assert told.count("against chance") >= 2
        assert "against it" not in told
    assert "above chance" in page


def test_pictures_of_choices_show_what_is_not_available_though_nothing_was():
    asked, trials = choosing(lambda question, number: True)
    assert choices.drawn(figures(asked, trials)) == [Verdict.CORRECT, Verdict.NOT_AVAILABLE]
    asked, trials = open_run()
    given = [trial for trial in trials if trial.judgement.verdict is not Verdict.REFUSED]
    assert choices.drawn(figures(asked, given)) == [Verdict.CORRECT, Verdict.OUTDATED]


class TestReferences:
    def test_averages_are_those_of_the_kinds(self):
        for model in references():
            for verdict, average in model.average.items():
                shares = [model.kinds[verdict][kind] for kind in CHOICE_KINDS]
                assert sum(shares) / 6 == pytest.approx(average, abs=0.0002)

    def test_shares_of_a_kind_add_up_but_where_the_paper_leaves_some_out(self):
        for model in references():
            for kind in CHOICE_KINDS:
                total = sum(
                    model.kinds[verdict][kind] for verdict in ("correct", "incorrect", "not_available")
                )
                assert total == pytest.approx(1, abs=0.025), (model.name, kind)

    def test_every_category_has_every_kind(self):
        for model in references():
            assert tuple(model.categories) == CATEGORIES
            assert all(set(shares) == set(CHOICE_KINDS) for shares in model.categories.values())

    def test_unknown_category_has_no_reference(self):
        assert references()[0].of_category("sport") is None


class TestLines:
    def test_kinds_come_in_the_papers_order_whatever_was_asked_first(self):
        asked, trials = choosing()
        counted = figures(asked, trials[::-1])
        assert [line.name for line in choices.kinds(counted)] == list(choices.PAPER_KINDS)

    def test_average_weighs_each_kind_the_same(self):
        asked = [question("date", "health", year) for year in YEARS] + [question("trend", "health", 2000)]
        trials = [trial(item, "(b)", Verdict.CORRECT, "(b)") for item in asked[:-1]]
        trials.append(trial(asked[-1], "(a)", Verdict.INCORRECT, "(a)"))
        assert choices.average(figures(asked, trials)).correct.value == 0.5

    def test_chance_is_left_out_of_the_interval_or_nothing_is_said(self):
        asked, all_right = choosing(lambda question, number: True)
        assert {line.against for line in choices.kinds(figures(asked, all_right))} == {"above"}
        asked, none_right = choosing(lambda question, number: False)
        assert {line.against for line in choices.kinds(figures(asked, none_right))} == {"below"}
        asked, guessed = choosing(lambda question, number: number % (2 if "comp" in question.id else 4) == 0)
        assert {line.against for line in choices.kinds(figures(asked, guessed))} == {""}

    def test_spans_end_with_the_newest_year_asked_about(self):
        asked, trials = choosing()
        spans = choices.spans(figures(asked, trials), 10)
        assert list(spans)[-1] == (2020, max(YEARS))
        assert list(spans.values())[-1].name == f"2020–{max(YEARS)}"
        assert sum(line.n for line in spans.values()) == len(trials)

    def test_one_year_is_named_by_itself(self):
        asked, trials = choosing()
        assert [line.name for line in choices.spans(figures(asked, trials), 1).values()] == [
            str(year) for year in YEARS
        ]

    def test_failed_prompts_count_nowhere(self):
        asked, trials = choosing()
        failed = [replace(trials[0], judgement=None, answer=replace(trials[0].answer, error="x"))]
        assert choices.average(figures(asked, failed + trials[1:])).n == len(trials) - 1

    def test_nothing_judged_is_no_line(self):
        nothing = figures([], [])
        assert choices.average(nothing) is None
        assert (choices.kinds(nothing), choices.categories(nothing), choices.spans(nothing)) == ([], [], {})

    @pytest.mark.parametrize(
        ("found", "told"),
        [
            (KnownYears("estimated", 2022, 9, 2015, 2011, 2017), ("2015", "2011–2017")),
            (KnownYears("estimated", 2022, 9, 2021, 2019, 2022), ("2021", "2019 or later")),
            (
                KnownYears("reaches_newest", 2022, 9, 2022, 2020, 2022),
                ("2022 or later", "2020 or later"),
            ),
            (KnownYears("at_chance", 2022, 9), ("no sign of any", "")),
            (KnownYears("too_few", 2022, 9), ("too few answers", "")),
        ],
        ids=lambda value: value.status if isinstance(value, KnownYears) else "",
    )
    def test_newest_year_known_in_words(self, found, told):
        assert newest_known(found) == told

    @pytest.mark.parametrize(("kind", "told"), [("date", "(b) 72.4 years"), ("comparative", "(b) No")])
    def test_right_option_is_told_with_its_text(self, kind, told):
        assert right(question(kind, "health", 2000).numeric) == told

    def test_right_value_of_an_open_question_has_its_unit(self):
        assert right(question("next_word", "health", 2000).numeric) == "72.5 years"


class TestJson:
    def test_has_the_shares_with_intervals_and_chance(self):
        body = report(*choosing()).to_json()
        model = body["models"]["demo"]
        json.dumps(body, allow_nan=False)
        assert list(model["upper_bound"]) == [str(verdict) for verdict in CHOICES]
        assert list(model["kinds"]) == list(choices.PAPER_KINDS)
        date = model["kinds"]["date"]
        assert date["correct"] + date["incorrect"] + date["not_available"] == pytest.approx(1)
        low, high = date["interval_95"]["correct"]
        assert low < date["correct"] < high
        assert (date["chance"], model["kinds"]["comparative"]["chance"]) == (0.25, 0.5)
        assert model["chance"] == {kind: 0.5 if kind == "comparative" else 0.25 for kind in CHOICE_KINDS}
        assert set(model["categories"]) == set(INDICATORS)
        assert set(model["years"]) == {str(year) for year in YEARS}
        assert model["newest_years_known"]["life-expectancy"]["estimate"] == 2015

    def test_trials_carry_kind_options_and_key(self):
        (first, *_) = report(*choosing()).to_json()["trials"]
        assert (first["kind"], first["key"], len(first["options"])) == ("date", "(b)", 4)
        assert first["options"][1] == "72.4 years"

    def test_perfect_and_silent_models(self):
        asked, trials = choosing(lambda question, number: True)
        assert report(asked, trials).to_json()["models"]["demo"]["average_over_kinds"]["correct"] == 1.0
        silent = [trial(item, "I have no data.", Verdict.NOT_AVAILABLE, rule="refusal") for item in asked]
        body = report(asked, silent).to_json()["models"]["demo"]
        assert body["average_over_kinds"]["not_available"] == 1.0
        assert body["upper_bound"]["not_available"] == 1.0

    def test_without_numbers_nothing_is_added(self):
        assert "kinds" not in Report((ModelReport.of("m", [MACRON]),)).to_json()["models"]["m"]


def unanswered(kind):
    """A run of one kind of question that nothing came back from."""
    asked = [question(kind, category, year) for category in INDICATORS for year in YEARS]
    return asked, [test_report.failed(item, "p1") for item in asked]


class TestWithoutAnswers:
    @pytest.mark.parametrize(("kind", "heading"), [("trend", "kind of question"), ("next_word", "category")])
    def test_every_format_shows_the_suite_that_was_asked(self, kind, heading, tmp_path):
        shown = report(*unanswered(kind), known={})
        page, text = html_report.render(shown), screen(report_view(shown))
        for told in (page, text, markdown.render(shown)):
            assert words.UNANSWERED in told
            assert "decided by" not in told
        assert f"<h2>By {heading}</h2>" in page
        assert f"## By {heading}\n\n{words.UNANSWERED}" in markdown.render(shown)
        assert page.count('<span class="small">no answers</span>') == len(shown.models[0].verdicts)
        assert not plots.write_plot(shown.models, tmp_path / "x.svg")

    @pytest.mark.parametrize(
        ("kind", "heads"), [("date", "correct +chance +n/a"), ("next_word", "correct +outdated")]
    )
    def test_the_history_has_the_columns_of_its_suite(self, kind, heads):
        text = screen(history_view(steps([run(*unanswered(kind))])), 100)
        assert re.search(rf"^run +when +n +{heads} +changed", text, re.M)
        assert re.search(r"09:30 +0 +– +–", text)


def test_categories_read_alike_on_the_whole_page():
    asked = [question("date", "health", year) for year in YEARS]
    asked = [replace(item, group="human_rights") for item in asked]
    page = html_report.render(report(asked, [trial(item, "(b)", Verdict.CORRECT) for item in asked]))
    assert f"<summary>human rights ({len(asked)})</summary>" in page
    assert "human_rights" not in page


def test_groups_of_other_suites_keep_their_names():
    assert (words.group("human_rights"), words.group("my_own")) == ("human rights", "my_own")


class TestTerminal:
    @pytest.mark.parametrize("width", [80, 120])
    def test_fits_and_shows_every_share_with_chance_and_the_papers_models(self, width):
        text = screen(report_view(report(*choosing())), width)
        assert max(map(len, text.splitlines())) <= width
        for line in choices.kinds(figures(*choosing())):
            assert percent(line.correct.value) in text
        assert re.search(r"^ +DB +CP +WB +MM +RB +TB *$", text, re.M)
        assert re.search(r"chance +25% +50% +25% +25% +25% +25% +29%", text)
        for model in references():
            assert re.search(
                rf"^{re.escape(model.name)} +{percent(model.kinds['correct']['date'])}", text, re.M
            )

    def test_narrow_terminal_keeps_every_number(self):
        text = screen(report_view(report(*choosing())), 40)
        assert max(map(len, text.splitlines())) <= 40
        for line in choices.kinds(figures(*choosing())):
            told = squeezed(text.partition(f"{line.name} (")[2].partition("(95%")[0])
            letters = choices.PAPER_KINDS[line.name]
            assert told == f"{letters}) n {line.n}; correct {percent(line.correct.value)} "
        for model in references():
            assert f"{model.name}: date {percent(model.kinds['correct']['date'])}, " in squeezed(text)

    def test_says_how_questions_were_drawn_and_whose_data_they_are(self):
        text = squeezed(screen(report_view(report(*choosing())), 120))
        assert "234 of 712,345, a stratified sample, seed 0, fair distractors" in text
        assert "2024-07-11 UN WPP (2024); CC BY 4.0: annual-co2, gdp-per-capita, life-expectancy" in text

    def test_every_share_can_be_a_hundred_per_cent_on_80_columns(self):
        asked, trials = choosing(lambda question, number: True)
        text = screen(report_view(report(asked, trials)), 80)
        assert max(map(len, text.splitlines())) <= 80
        assert re.search(r"^mistral-instruct +37\.2% +42\.9% +19\.8%", text, re.M)
        assert re.search(r"95% interval( +91–100){6} +98–100", text)

    def test_open_answers_have_dyknows_verdicts_and_what_decided(self):
        text = screen(report_view(report(*open_run())))
        assert re.search(r"category +n +correct +95% +outdated +irrelevant\*", text)
        assert re.search(r"within 1 percent +correct +13 +33\.3%", text)
        assert re.search(r"older year +outdated +13 +33\.3%", text)
        assert "chance" not in text.split("Outdated facts")[0]

    @pytest.mark.parametrize("width", [80, 120])
    def test_no_id_is_broken_but_at_its_hyphens(self, width):
        long = "military-spending-as-a-share-of-gdp-sipri"
        asked, trials = open_run()
        asked = [replace(one, numeric=replace(one.numeric, indicator=long)) for one in asked]
        lines = screen(report_view(report(asked, trials, {long: KNOWN["annual-co2"]})), width).splitlines()
        assert any(line.startswith(f"{long}  no sign of any") for line in lines)
        first = next(n for n, line in enumerate(lines) if line.startswith("Older values"))
        room = lines[first + 1].index("it said")
        asked_column = squeezed(" ".join(line[:room].rstrip() for line in lines[first + 2 :]))
        assert f"France, {long}, 1950" in asked_column.replace("- ", "-")

    def test_a_name_without_room_breaks_where_it_must(self):
        for name in ("x" * 30, "life-expectancy", "国内総生産-" * 4, ""):
            for width in (4, 9, 30):
                lines = screen(Hyphenated(name), width).splitlines()
                assert "".join(line.strip() for line in lines) == name
        assert screen(Hyphenated("of life-expectancy"), 16).split() == ["of", "life-expectancy"]

    def test_hostile_names_and_citations_are_text(self):
        asked, trials = choosing()
        cited = {HOSTILE: {"citation": HOSTILE, "licence": HOSTILE, "vintage": "2024-07-11"}}
        shown = report(asked, trials, model=HOSTILE, details={"indicators": cited})
        text = screen(report_view(shown), 100)
        assert "\x1b" not in text
        assert "\u202e" not in text
        page = Page(html_report.render(shown))
        assert "script" not in {tag for tag, _ in page.tags}
        assert "<script" not in markdown.render(shown)

    def test_bars_of_choices_read_without_colour(self):
        counts = ModelReport.of("m", choosing()[1], among=CHOICES).tally.upper_bound
        text = screen(Bar(counts), 40, color_system=None).strip()
        assert set(text) == set("█▒░")
        assert "not available" in screen(Legend(CHOICES))

    def test_questions_beside_the_sample_are_told_and_count_nowhere(self):
        asked, trials = choosing()
        extra = replace(asked[0], numeric=replace(asked[0].numeric, extra=True))
        text = squeezed(screen(report_view(report([extra, *asked[1:]], trials)), 120))
        assert "1 question about the newest years" in text
        assert f"n {len(asked) // 6 - 1} " in text


class TestSeveral:
    def test_models_of_different_suites_stand_in_tables_of_their_own(self):
        choosers = ModelReport.of("chooser", choosing()[1], among=CHOICES)
        talkers = ModelReport.of("talker", [MACRON])
        both = Report((choosers, talkers))
        text = screen(report_view(both), 100)
        assert re.search(r"model +n +correct +incorrect +not available", text)
        assert re.search(r"model +n +correct +outdated +irrelevant\*", text)
        written = squeezed(markdown.render(both))
        assert "| chooser | 234 |" in written
        assert "| talker | 1 |" in written
        Page(html_report.render(both))

    def test_outdated_facts_and_older_numbers_are_told_apart(self):
        asked, trials = open_run()
        numbers = report(asked, trials).outdated
        facts = test_report.report(test_report.DRAGHI).outdated
        mixed = Report((ModelReport.of("m", trials),), outdated=(*numbers, *facts))
        text = screen(report_view(mixed), 100)
        assert "Outdated facts (1)" in text
        assert f"Older values ({len(numbers)})" in text
        assert re.search(r"France, life-expectancy, 1956 +60 +60 \(2001\), older year", text)
        assert "## Older values" in markdown.render(mixed)
        Page(html_report.render(mixed))


class TestMarkdown:
    def test_has_the_papers_table_and_every_row_as_many_cells(self):
        text = markdown.render(report(*choosing()))
        for heading in ("By kind of question", "By category", "By year", "Newest years known", "Data"):
            assert f"\n## {heading}\n" in text
        for grid in re.findall(r"(?:^\|.*\n)+", text, re.M):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in grid.splitlines()}) == 1
        assert "| date (DB) | comparative (CP) |" in squeezed(text)

    def test_the_star_is_as_on_the_terminal(self):
        told = markdown.render(report(*open_run()))
        share = re.search(r"\| all +\|.* ([\d.]+%) \|$", told, re.M).group(1)
        assert re.search(rf"^all .* {share} ", screen(report_view(report(*open_run()))), re.M)
        assert "irrelevant\\*" in told
        assert told.count("Irrelevant\\* adds up") == 1

    def test_open_answers_have_no_chance(self):
        text = markdown.render(report(*open_run()))
        assert "## What decided" in text
        assert "against chance" not in text


class TestHtml:
    def test_is_one_well_formed_page_with_a_picture_told_in_words(self):
        text = html_report.render(report(*choosing()))
        page = Page(text)
        assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe"}
        labels = [attributes["aria-label"] for tag, attributes in page.tags if "aria-label" in attributes]
        assert any("2020–2022: correct 33.3%" in label for label in labels)
        assert "UN WPP (2024)" in text
        assert "right: (b) 72.4 years" in text

    def test_open_answers(self):
        text = html_report.render(report(*open_run()))
        Page(text)
        assert "What decided" in text
        assert "chance-key" not in text.split("</style>")[1]


class TestPlot:
    pytest.importorskip("matplotlib")

    @pytest.mark.parametrize("made", [choosing, open_run], ids=["choices", "open"])
    def test_same_run_gives_the_same_picture(self, made, tmp_path):
        models = report(*made()).models
        for name in ("one.svg", "two.svg"):
            assert plots.write_plot(models, tmp_path / name)
        one, two = ((tmp_path / name).read_bytes() for name in ("one.svg", "two.svg"))
        assert one == two
        assert one.startswith(b"<?xml")

    def test_nothing_judged_is_no_file(self, tmp_path):
        asked, _ = choosing()
        assert not plots.write_plot(report(asked, []).models, tmp_path / "p.svg")
        assert list(tmp_path.iterdir()) == []


class TestListings:
    def test_history_has_the_average_over_kinds_beside_chance(self):
        runs = [run(*choosing()), run(*choosing(lambda question, number: number % 4 == 0), id="r2")]
        runs[1] = replace(runs[1], started_at=runs[0].started_at + timedelta(days=1))
        text = screen(history_view(steps(runs)), 80)
        assert re.search(r"run +when +n +correct +chance +n/a +changed", text)
        assert re.search(r"^r1 .* 234 +33\.3% +29% ", text, re.M)
        assert "newly correct since the run before" in text

    def test_compared_questions_are_named_in_short(self):
        asked, trials = choosing()
        listed = replace(asked[0].prompts[0], question="In 1950, what was it?\n(a) 1 year\n(b) 2 years")
        first = run([replace(asked[0], prompts=(listed,)), *asked[1:]], trials)
        second = run(first.questions, choosing(lambda question, number: False)[1], id="r2")
        text = squeezed(screen(compare_view(first, second, compare(first.trials, second.trials)), 140))
        assert "France, life-expectancy, date 1950" in text
        assert "(a) 1 year" not in text

    def test_other_samples_are_not_like_with_like(self):
        first = run(*choosing())
        other = replace(first, details=first.details | {"sample": first.details["sample"] | {"seed": 1}})
        assert unlike(first, other) == ["asked different samples of questions: seed 0 and 1"]
        assert unlike(first, first) == []

    def test_editions_that_give_what_both_were_asked_the_same_values_do_not_matter(self):
        first = run(*choosing())
        key = first.questions[0].numeric
        others = {
            "same": key,
            "rounded otherwise": replace(key, values=tuple((y, v * (1 + 1e-12)) for y, v in key.values)),
            "other options": replace(key, options=key.options[::-1], answer="(c)"),
            "revised": replace(key, values=tuple((y, v + 1) for y, v in key.values)),
            "once otherwise": replace(key, older=((1950, 1.0, "2020-01-01"),)),
        }
        told = {}
        for name, other in others.items():
            questions = (replace(first.questions[0], numeric=other), *first.questions[1:])
            told[name] = unlike(first, replace(first, questions=questions, snapshot_digest=name))
        assert [name for name, said in told.items() if said] == ["revised", "once otherwise"]
        assert "judged by different snapshots" in told["revised"][0]

    def test_history_shows_what_samples_differ_in_and_no_change_where_nothing_was_asked_again(self):
        asked, trials = choosing()
        first = run(asked, trials)
        later = first.started_at + timedelta(days=1)
        sample = first.details["sample"] | {"seed": 1, "kinds": ["date"]}
        other = replace(
            run(asked[:1], trials[:1], id="r2", started_at=later),
            details=first.details | {"sample": sample | {"questions": 1}},
        )
        text = screen(history_view(steps([first, other])), 100)
        assert re.search(r"run +size +seed +kinds", text)
        assert re.search(r"^r1 +234 +0 +all *$", text, re.M)
        assert re.search(r"^r2 +1 +1 +date *$", text, re.M)
        assert re.search(r"^r1 .* –", text, re.M)
        assert "+0 -0" not in screen(history_view(steps([first])), 100)
