"""Numbers from question to report: what is asked, who answers, what is kept, as commands and below them."""

import json
import re
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from freshness.app import asking, past, probing, setup
from freshness.app.setup import Choice, Numbers
from freshness.app.snapshots import Talk
from freshness.cli.main import run
from freshness.cli.options import MOST_SEED
from freshness.config import load
from freshness.errors import Interrupted, UsageError
from freshness.questions import CHOICE_KINDS, Answer
from freshness.verdicts import Verdict

DAY = date(2024, 6, 1)
CSV = """Entity,Code,Year,Life expectancy
{rows}
"""
SAMPLED = {"questions": 60, "seed": 0, "distractors": "fair"}


@pytest.fixture(scope="module")
def charts(tmp_path_factory):
    """A directory with one chart: life expectancy of three countries and the world."""
    folder = tmp_path_factory.mktemp("charts")
    places = [
        ("France", "FRA", 66.4),
        ("Japan", "JPN", 60.2),
        ("Niger", "NER", 35.1),
        ("World", "OWID_WRL", 46.4),
    ]
    rows = [
        f"{name},{code},{year},{start + 0.37 * (year - 1950) + (year * 7 % 5) / 10:.4f}"
        for name, code, start in places
        for year in range(1950, 2023)
    ]
    (folder / "life-expectancy.csv").write_text(CSV.format(rows="\n".join(rows)))
    return str(folder)


@pytest.fixture
def settings(tmp_path):
    def settings(text="[numeric]\nquestions = 60\n"):
        path = tmp_path / "some.toml"
        path.write_text(text)
        return load(path, environ={"FRESHNESS_STORE__URL": f"sqlite:///{tmp_path}/h.db"})

    return settings


@pytest.fixture
def choice(charts):
    def choice(suite="numeric", limit=None, facts=("life-expectancy",), **numbers):
        return Choice(suite, facts, charts, DAY, limit, Numbers(**numbers))

    return choice


def gathered(settings, choice, notes=None):
    said = [] if notes is None else notes
    return asking.gather(settings(), choice, Talk(warn=said.append, note=said.append))


def scripted(tmp_path, answers, default=None, name="script.json"):
    """A model that gives these answers, by question id."""
    path = tmp_path / name
    path.write_text(json.dumps({"answers": answers} | ({"default": default} if default else {})))
    return f"scripted:{path}"


def probe(settings, model, choice, notes=None, **options):
    said = [] if notes is None else notes
    request = probing.Request(model, choice, **options)
    return probing.probe(settings(), request, advance=lambda *_: None, warn=said.append, note=said.append)


def perfect(questions):
    return {question.id: question.numeric.answer for question in questions}


def test_every_option_read_out_is_the_choice_of_that_option(settings):
    suite = setup.judging_suite("numeric")
    bundled = Choice("numeric", (), "bundled", date(2026, 11, 1), 600, Numbers())
    for question in gathered(settings, bundled).questions:
        for letter, option in zip("abcd", question.numeric.options, strict=False):
            judged = suite.judge(question, question.prompts[0], Answer(option))
            assert judged.matched == f"({letter}) {option}"


class TestAsking:
    def test_sample_is_as_large_as_the_config_or_the_limit_says(self, settings, choice):
        assert len(gathered(settings, choice()).questions) == 60
        assert len(gathered(settings, choice(limit=7)).questions) == 7

    def test_same_choice_asks_the_same_and_another_seed_another(self, settings, choice):
        first, second, other = (gathered(settings, choice(seed=seed)) for seed in (None, 0, 1))
        assert first.questions == second.questions
        assert first.questions != other.questions

    def test_larger_sample_holds_the_smaller_one(self, settings, choice):
        small, large = (gathered(settings, choice(limit=n)).questions for n in (12, 48))
        assert {q.id for q in small} <= {q.id for q in large}

    def test_all_kinds_are_asked_unless_some_are_named(self, settings, choice):
        kinds = {q.numeric.kind for q in gathered(settings, choice()).questions}
        assert kinds == set(CHOICE_KINDS)
        two = gathered(settings, choice(kinds=("trend", "date")))
        assert {q.numeric.kind for q in two.questions} == {"date", "trend"}
        assert two.details["sample"]["kinds"] == ["date", "trend"]

    def test_run_keeps_how_questions_were_chosen_and_whose_data_they_are(self, settings, choice):
        details = gathered(settings, choice(entities=("france", "JPN"))).details
        assert details["sample"] == SAMPLED | {
            "among": details["sample"]["among"],
            "entities": ["france", "JPN"],
        }
        assert details["sample"]["among"] > 400
        assert set(details["indicators"]["life-expectancy"]) == {"title", "citation", "licence", "vintage"}

    def test_entities_are_countries_by_name_or_code(self, settings, choice):
        asked = gathered(settings, choice(entities=("france", "jpn"))).questions
        assert {q.numeric.code for q in asked} == {"FRA", "JPN"}
        joined = gathered(settings, choice(entities=("france, jpn",))).questions
        assert [q.id for q in joined] == [q.id for q in asked]

    @pytest.mark.parametrize(
        ("given", "codes"),
        [
            (("Republic of the Niger",), {"NER"}),
            (("Niger, Republic of the",), {"NER"}),
            (("France, Niger, Republic of the, jpn",), {"FRA", "NER", "JPN"}),
            (("Niger , Japan,",), {"NER", "JPN"}),
        ],
    )
    def test_a_name_with_a_comma_is_one_name_where_there_is_such_a_country(
        self, settings, choice, monkeypatch, given, codes
    ):
        usual = {"republic of the niger": "NER", "niger republic of the": "NER"}
        monkeypatch.setattr("freshness.catalog.countries._codes", lambda: usual)
        assert {q.numeric.code for q in gathered(settings, choice(entities=given)).questions} == codes

    @pytest.mark.parametrize("name", ["Lands, Far, And, Away, All", "Far,Away"])
    def test_a_country_of_a_file_is_named_whole(self, settings, choice, charts, tmp_path, name):
        folder = tmp_path / "files"
        shutil.copytree(charts, folder)
        file = folder / "life-expectancy.csv"
        file.write_text(file.read_text().replace("Niger,", f'"{name}",'))
        asked = gathered(settings, replace(choice(entities=(name,)), snapshot=str(folder))).questions
        assert {(q.numeric.entity, q.numeric.code) for q in asked} == {(name, "NER")}

    def test_aggregates_are_never_asked_about(self, settings, choice):
        asked = gathered(settings, choice(limit=10_000)).questions
        assert {q.numeric.code for q in asked} == {"FRA", "JPN", "NER"}

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"entities": ("Frence",)}, "no country 'Frence' in the .* series; did you mean France?"),
            ({"entities": ("FRB",)}, "no country 'FRB' in the .* series; did you mean FRA?"),
            ({"entities": ("Congo, Dem. Rep.",)}, "no country 'Congo, Dem. Rep.' in "),
            ({"entities": ("World",)}, "no country 'World'"),
            ({"kinds": ("dates",)}, "suite numeric has no questions of kind 'dates'; did you mean 'date'?"),
            ({"kinds": ("next_word",)}, "suite numeric has no questions of kind 'next_word'"),
            ({"facts": ("no-such-chart",)}, "no-such-chart"),
        ],
        ids=[
            "near name",
            "near code",
            "not here",
            "aggregate",
            "near kind",
            "other suite's kind",
            "no chart",
        ],
    )
    def test_what_is_not_there_is_told(self, settings, choice, wrong, said):
        with pytest.raises(UsageError, match=said):
            gathered(settings, choice(**wrong))

    def test_nothing_to_ask_says_why(self, settings, choice, charts):
        early = Choice("numeric", ("life-expectancy",), charts, date(1940, 1, 1))
        with pytest.raises(
            UsageError, match=r"nothing to ask: no question can be made from the .* as of 1940-01-01"
        ):
            gathered(settings, early)

    def test_facts_have_no_kinds(self, settings):
        current = Choice("current", (), "bundled", DAY, None, Numbers(kinds=("date",)))
        with pytest.raises(UsageError, match="they belong to --suite numeric"):
            gathered(settings, current)

    def test_old_series_are_warned_about(self, settings, choice, charts):
        notes = []
        gathered(settings, Choice("numeric", ("life-expectancy",), charts, date(2999, 1, 1)), notes)
        assert re.search(r"series were last checked on .*; newer years are not asked about", notes[0])

    def test_next_word_questions_are_open(self, settings, choice):
        asked = gathered(settings, choice("next-word"))
        assert {(q.suite, q.numeric.kind, q.numeric.options) for q in asked.questions} == {
            ("next-word", "next_word", ())
        }
        assert "distractors" not in asked.details["sample"]


def _revised(row):
    """A third more in France: none of the options; the order and the rates stay."""
    name, code, year, value = row.split(",")
    return f"{name},{code},{year},{float(value) * 1.35:.4f}" if code == "FRA" else row


class TestProbing:
    def test_perfect_model_scores_all_on_every_kind(self, settings, choice, tmp_path):
        asked = gathered(settings, choice()).questions
        report = probe(settings, scripted(tmp_path, perfect(asked)), choice())
        body = report.to_json()["models"][report.run.model]
        assert {kind["correct"] for kind in body["kinds"].values()} == {1.0}
        assert body["average_over_kinds"]["correct"] == 1.0

    @pytest.mark.parametrize("says", ["the value", "the value alone", "a sentence"])
    def test_value_of_the_right_option_is_the_right_option(self, settings, choice, tmp_path, says):
        asked = [q for q in gathered(settings, choice()).questions if q.numeric.kind in ("date", "range")]
        answers = {}
        for question in asked:
            option = question.numeric.options["abcd".index(question.numeric.answer[1])]
            number = option.partition(" ")[0]
            answers[question.id] = {"the value": option, "the value alone": number}.get(
                says, f"It was {option}."
            )
        report = probe(
            settings, scripted(tmp_path, answers), choice(kinds=("date", "range"), limit=len(asked))
        )
        matched = [trial for trial in report.run.trials if trial.question in answers]
        assert matched
        assert {trial.judgement.verdict for trial in matched} == {Verdict.CORRECT}

    def test_refusing_model_has_nothing_available(self, settings, choice, tmp_path):
        report = probe(settings, scripted(tmp_path, {}, "I don't have data on that."), choice())
        assert report.models[0].tally.upper_bound.ratios() == {
            "correct": 0.0,
            "incorrect": 0.0,
            "not_available": 1.0,
        }

    def test_open_answers_are_right_older_or_neither(self, settings, choice, tmp_path):
        asked = gathered(settings, choice("next-word")).questions
        right = {q.id: f"{q.numeric.answer_value:.2f} years" for q in asked}
        report = probe(settings, scripted(tmp_path, right), choice("next-word"))
        assert report.models[0].tally.upper_bound.ratio(Verdict.CORRECT) == 1.0
        late = [q for q in asked if q.numeric.years[0] >= 1990]
        older = {q.id: f"{dict(q.numeric.values)[q.numeric.years[0] - 20]:.3f} years" for q in late}
        report = probe(settings, scripted(tmp_path, older, "no idea", "older.json"), choice("next-word"))
        outdated = {t.question for t in report.run.trials if t.judgement.verdict is Verdict.OUTDATED}
        assert outdated == {q.id for q in late}
        assert report.outdated[0].to_json()["lag_values"] == 20

    def test_interrupted_run_goes_on_with_the_same_sample(self, settings, choice, tmp_path, monkeypatch):
        monkeypatch.setattr("freshness.pipeline.BATCH", 4)
        model = scripted(tmp_path, {}, "(a)")

        def interrupt(done, total):
            if done >= 8:
                raise KeyboardInterrupt

        with pytest.raises(Interrupted):
            probing.probe(
                settings(), probing.Request(model, choice()), advance=interrupt, warn=print, note=print
            )
        notes = []
        report = probe(settings, model, choice(), notes)
        assert notes[0].startswith("going on with the run of ")
        assert len(report.run.trials) == 60
        assert report.run.details["sample"]["questions"] == 60
        other = probe(settings, model, choice(seed=1), notes)
        assert other.run.id != report.run.id

    def test_history_compares_runs_and_keeps_the_keys(self, settings, choice, tmp_path):
        asked = gathered(settings, choice()).questions
        good, bad = scripted(tmp_path, perfect(asked)), scripted(tmp_path, {}, "(a)", "bad.json")
        kept = [probe(settings, model, choice()).run for model in (good, bad)]
        first, second, compared = past.side_by_side(settings(), good, bad, "numeric")
        assert (first.id, second.id) == tuple(run.id for run in kept)
        assert len(compared.only_a) + compared.both == 60
        assert first.questions == kept[0].questions
        (step,) = past.history(settings(), good, "numeric", 5)
        assert step.tally.upper_bound.ratio(Verdict.CORRECT) == 1.0

    def test_every_share_is_one_of_the_sample(self, settings, choice, tmp_path):
        """The same figure by report, history, comparison, summary and regrade; what is beside has no part."""
        asked = gathered(settings, choice(limit=200)).questions
        beside = {question.id for question in asked if question.numeric.extra}
        assert 0 < len(beside) < 100
        good, bad = (
            scripted(
                tmp_path,
                {name: right if (name in beside) is odd else "(z)" for name, right in perfect(asked).items()},
                name=f"{odd}.json",
            )
            for odd in (False, True)
        )
        reports = [probe(settings, model, choice(limit=200)) for model in (good, bad)]
        size = 200 - len(beside)
        for report, model, right in zip(reports, (good, bad), (1.0, 0.0), strict=True):
            assert report.models[0].to_json()["upper_bound"]["correct"] == right
            assert report.models[0].to_json()["average_over_kinds"]["correct"] == right
            (step,) = past.history(settings(), model, None, 5)
            assert past.history_json(step)["upper_bound"]["correct"] == right
            assert past.history_json(step)["average_over_kinds"]["correct"] == right
            assert step.tally.upper_bound.total == size
            (done,) = past.regrade(settings(), model, None, keep=False)
            assert (
                done.before.by_verdict[Verdict.CORRECT]
                == done.after.by_verdict[Verdict.CORRECT]
                == right * size
            )
        _, _, compared = past.side_by_side(settings(), good, bad, None)
        assert (compared.questions, len(compared.only_a), compared.unpaired) == (size, size, 0)

    def test_what_newer_numbers_give_no_key_for_is_told_with_the_reason(
        self, settings, choice, charts, tmp_path, cli, monkeypatch
    ):
        asked = gathered(settings, choice()).questions
        probe(settings, scripted(tmp_path, perfect(asked)), choice())
        rows = Path(charts, "life-expectancy.csv").read_text().splitlines()
        revised = tmp_path / "revised"
        revised.mkdir()
        (revised / "life-expectancy.csv").write_text(
            "\n".join(_revised(row) for row in rows if "NER" not in row)
        )
        (done,) = past.regrade(settings(), None, None, keep=True, snapshot=str(revised), suite="numeric")
        moved = [
            q for q in asked if q.numeric.code == "FRA" and q.numeric.kind not in ("trend", "comparative")
        ]
        gone = [q for q in asked if q.numeric.code == "NER"]
        assert done.own_keys == {"beyond_options": len(moved), "series_gone": len(gone)}
        assert done.to_json()["no_longer_askable"] == len(moved) > 0
        assert done.after.by_verdict[Verdict.CORRECT] == 60, "what can't be asked any more is left as judged"
        monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")
        code, out, _ = cli("regrade", "--as-of", str(DAY), "--snapshot", str(revised))
        assert code == 0
        assert re.search(rf"own key {len(moved) + len(gone)}\b", " ".join(out.split()))
        said = f"{len(moved) + len(gone)} questions judged by the key that they were asked with (own key):"
        assert said in out
        assert re.search(rf"^ +{len(moved)}  no longer askable: revised beyond its options *$", out, re.M)
        assert re.search(rf"^ +{len(gone)}  its series is not known now *$", out, re.M)

    def test_nothing_is_kept_without_the_history(self, settings, choice, tmp_path):
        probe(settings, scripted(tmp_path, {}, "(a)"), choice(), store=False)
        assert not (tmp_path / "h.db").exists()


class TestSuites:
    """Which suite is meant where none is named."""

    @pytest.fixture
    def ask(self, settings, choice, tmp_path):
        def ask(suite, name="m.json"):
            model = scripted(tmp_path, {}, "(a)", name)
            facts = Choice("current", ("countries",), "bundled", DAY, 2) if suite == "current" else None
            return model, probe(settings, model, facts or choice(suite, limit=10)).run

        return ask

    def test_the_only_one_that_was_asked_is_taken_and_told(self, settings, ask):
        model, run = ask("numeric")
        notes = []
        (step,) = past.history(settings(), model, None, 5, notes.append)
        assert (step.run.id, notes) == (run.id, [f"suite numeric: the only one with runs of {model}"])

    def test_of_several_one_has_to_be_named_unless_one_is_current(self, settings, ask):
        model, _ = ask("numeric")
        ask("next-word")
        with pytest.raises(
            UsageError, match=r"name one with --suite; .*: runs with suite next-word and numeric"
        ):
            past.history(settings(), model, None, 5)
        assert past.history(settings(), model, "next-word", 5)[0].run.suite == "next-word"
        ask("current")
        assert past.history(settings(), model, None, 5, pytest.fail)[0].run.suite == "current"

    def test_one_that_was_not_asked_is_told_with_those_that_were(self, settings, ask):
        model, _ = ask("numeric")
        for suite, told in (
            ("current", "it has runs with suite numeric"),
            ("nowhere", "unknown suite 'nowhere'"),
        ):
            with pytest.raises(UsageError, match=told):
                past.history(settings(), model, suite, 5)
            with pytest.raises(UsageError, match=told):
                past.regrade(settings(), model, None, keep=False, suite=suite)

    def test_two_models_are_compared_by_one_that_both_were_asked(self, settings, ask):
        a, _ = ask("numeric", "a.json")
        ask("next-word", "a.json")
        b, _ = ask("numeric", "b.json")
        c, _ = ask("next-word", "c.json")
        assert [run.suite for run in past.side_by_side(settings(), a, b, None)[:2]] == ["numeric", "numeric"]
        with pytest.raises(
            UsageError, match=r"no suite in common; .*b.json: runs with suite numeric; .*c.json"
        ):
            past.side_by_side(settings(), b, c, None)

    def test_runs_by_id_bring_their_suite(self, settings, ask):
        _, numbers = ask("numeric", "a.json")
        _, words = ask("next-word", "a.json")
        b, _ = ask("numeric", "b.json")
        assert past.side_by_side(settings(), numbers.id, b, None)[1].suite == "numeric"
        with pytest.raises(UsageError, match="of next-word: they ask other questions"):
            past.side_by_side(settings(), numbers.id, words.id, None)

    def test_only_one_is_judged_again_where_it_is_named(self, settings, ask):
        ask("numeric")
        _, words = ask("next-word")
        done = past.regrade(settings(), None, None, keep=False, suite="next-word")
        assert [one.run.id for one in done] == [words.id]


class TestCommands:
    @pytest.fixture
    def cli(self, capsys, tmp_path, monkeypatch, charts):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("FRESHNESS_STORE__URL", f"sqlite:///{tmp_path}/h.db")

        def cli(*arguments):
            capsys.readouterr()
            common = ("--suite", "numeric", "--snapshot", charts, "--facts", "life-expectancy")
            code = run([*map(str, arguments), *common, "--as-of", str(DAY)])
            captured = capsys.readouterr()
            return code, captured.out, captured.err

        return cli

    def test_every_question_is_printed_with_its_key_and_the_rest_told(self, cli):
        code, out, err = cli("questions", "--kind", "date", "--kind", "comparative", "--entity", "FRA")
        lines = [json.loads(line) for line in out.splitlines()]
        assert code == 0
        assert {line["kind"] for line in lines} == {"date", "comparative"}
        assert sum(line["kind"] == "date" for line in lines) == 73
        assert err == f"{len(lines)} questions\n"
        assert set(lines[0]) >= {
            "id", "suite", "kind", "category", "indicator", "unit", "entity", "code", "years", "prompt",
            "options", "answer", "answer_value", "values",
        }  # fmt: skip

    def test_same_seed_prints_the_same_lines(self, cli):
        arguments = ("questions", "--limit", 25, "--seed", 3)
        assert cli(*arguments) == cli(*arguments)
        assert cli(*arguments)[1] != cli("questions", "--limit", 25, "--seed", 4)[1]

    def test_sample_is_what_a_probe_of_that_size_asks(self, cli, tmp_path):
        printed = [json.loads(line)["id"] for line in cli("questions", "--limit", 30)[1].splitlines()]
        model = scripted(tmp_path, {}, "(a)")
        asked = json.loads(cli("probe", model, "--limit", 30, "--format", "json")[1])
        assert [trial["question"] for trial in asked["trials"]] == printed

    def test_report_names_its_sample_its_chance_and_its_source(self, cli, tmp_path):
        code, out, _ = cli("probe", scripted(tmp_path, {}, "(a)"), "--limit", 30, "--html", "r.html")
        assert code == 0
        assert re.search(r"30 of [\d,]+, a stratified sample, seed 0, fair distractors", out)
        assert re.search(r"chance +25% +50%", out)
        assert "By kind of question" in (tmp_path / "r.html").read_text()

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("questions", "--kind", "mean"), "suite numeric has no questions of kind 'mean'; known: date,"),
            (("questions", "--distractors", "unfair"), "'unfair' is not one of"),
            (("questions", "--seed", "-1"), "Invalid value for '--seed'"),
            (("questions", "--seed", "2147483648"), "less than or equal to 2147483647"),
            (("questions", "--kind", ""), "--kind names nothing"),
            (("questions", "--kind", "date, mean"), "no questions of kind 'mean'"),
            (("questions", "--entity", " , "), "--entity names nothing"),
            (("questions", "--facts", ""), "--facts names nothing"),
            (("questions", "--parquet", "q.parquet", "--limit", "5"), "leave --limit out"),
            (("questions", "--parquet", "nowhere/q.parquet"), "there is no directory nowhere"),
        ],
        ids=[
            "kind", "distractors", "seed", "large seed", "no kind", "one of two kinds", "no entity",
            "no facts", "parquet with limit", "parquet nowhere",
        ],
    )  # fmt: skip
    def test_wrong_options_are_one_line(self, cli, arguments, said):
        code, out, err = cli(*arguments)
        assert (code, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1

    def test_seeds_are_those_that_the_config_takes(self, settings):
        assert settings(f"[numeric]\nseed = {MOST_SEED}\n").numeric.seed == MOST_SEED
        with pytest.raises(UsageError, match="seed"):
            settings(f"[numeric]\nseed = {MOST_SEED + 1}\n")

    def test_chart_that_is_read_is_never_overwritten(self, cli, charts, tmp_path):
        before = Path(charts, "life-expectancy.csv").read_bytes()
        for option in ("--html", "--parquet"):
            command = "probe" if option == "--html" else "questions"
            model = [scripted(tmp_path, {}, "(a)")] if command == "probe" else []
            code, _, err = cli(command, *model, option, f"{charts}/life-expectancy.csv")
            assert (code, "and would be lost" in err) == (2, True)
        assert Path(charts, "life-expectancy.csv").read_bytes() == before

    def test_parquet_holds_what_is_printed(self, cli, tmp_path):
        import polars

        code, out, err = cli("questions", "--entity", "FRA", "--parquet", "q.parquet")
        assert (code, out) == (0, "")
        rows = polars.read_parquet(tmp_path / "q.parquet")
        assert re.fullmatch(rf"{len(rows):,} questions in q\.parquet \(.*\).*\n", err)
        lines = [json.loads(line) for line in cli("questions", "--entity", "FRA")[1].splitlines()]
        assert [(line["id"], line["answer"], line["prompt"]) for line in lines] == list(
            rows.select("id", "answer", "prompt").iter_rows()
        )

    def test_parquet_is_for_numbers(self, cli, capsys):
        code = run(["questions", "--suite", "current", "--parquet", "q.parquet"])
        assert (code, "--parquet is for numbers" in capsys.readouterr().err) == (2, True)
