"""Runs with numbers for tests of reports: questions with keys and answers with judgements, made up."""

from dataclasses import replace
from datetime import UTC, date, datetime

from freshness.history import Run, Trial
from freshness.history.choices import KnownYears, figures
from freshness.questions import CHOICE_KINDS, Answer, NumericKey, Prompt, Question
from freshness.report import Report
from freshness.verdicts import Judgement, Verdict

AS_OF = date(2024, 6, 1)
DAY = datetime(2024, 6, 1, 9, 30, tzinfo=UTC)
INDICATORS = {"health": "life-expectancy", "economy": "gdp-per-capita", "climate": "annual-co2"}
YEARS = range(1950, 2023, 6)
KNOWN = {
    "life-expectancy": KnownYears("estimated", 2022, 120, 2015, 2011, 2017),
    "gdp-per-capita": KnownYears("reaches_newest", 2022, 90, 2022, 2019, 2022),
    "annual-co2": KnownYears("at_chance", 2022, 60),
}
SPANS = {"date": 1, "comparative": 2, "window": 5, "range": 10, "minmax": 10, "trend": 10, "next_word": 1}


def question(kind, category, year, entity="France", code="FRA"):
    indicator = INDICATORS[category]
    years = tuple(range(year - SPANS[kind] + 1, year + 1))
    options = (
        ("Yes", "No") if kind == "comparative" else tuple(f"{n} years" for n in (70.1, 72.4, 79.9, 81.2))
    )
    asked = f"In {year}, what was {entity}'s {indicator}?"
    values = tuple((y, 60 + (y - 1950) / 4) for y in years)
    key = NumericKey(
        kind, category, indicator, "years", entity, code, years, values[-1][1], values,
        () if kind == "next_word" else options, "" if kind == "next_word" else "(b)",
    )  # fmt: skip
    name = f"{code}/{indicator}/{kind}/{years[0]}"
    suite = "next-word" if kind == "next_word" else "numeric"
    prompt = Prompt(f"{name}/p1", "p1", asked, asked, "Answer with the letter alone.")
    return Question(name, suite, category, f"{code}/{indicator}", (prompt,), AS_OF, (), numeric=key)


def trial(question, text, verdict, matched=None, rule="letter"):
    judgement = Judgement(verdict, rule, matched, text[:3] or None, (0, 3) if text else None)
    asked = question.prompts[0].text("chat")
    return Trial(
        question.id, question.group, question.fact, "p1", asked, Answer(text, seconds=0.1), judgement
    )


def choosing(right=lambda question, number: number % 3 == 0):
    """Questions of all kinds, categories and years, with a trial each: right, not available or wrong."""
    asked = [
        question(kind, category, year) for kind in CHOICE_KINDS for category in INDICATORS for year in YEARS
    ]
    trials = []
    for number, item in enumerate(asked):
        if right(item, number):
            trials.append(trial(item, "(b) 72.4 years", Verdict.CORRECT, "(b) 72.4 years"))
        elif number % 5 == 0:
            trials.append(trial(item, "I have no data.", Verdict.NOT_AVAILABLE, rule="refusal"))
        else:
            trials.append(trial(item, "(c) 79.9 years", Verdict.INCORRECT, "(c) 79.9 years"))
    return asked, trials


def run(questions, trials, **more):
    suite = questions[0].suite if questions else "numeric"
    sample = {"questions": len(questions), "among": 712_345, "seed": 0, "distractors": "fair"}
    cited = {"citation": "UN WPP (2024)", "licence": "CC BY 4.0", "vintage": "2024-07-11"}
    details = {"style": "chat", "sample": sample, "indicators": dict.fromkeys(INDICATORS.values(), cited)}
    plain = Run("r1", "demo", suite, AS_OF, DAY, "bundled", DAY, "3fa9c17be2d04471", "judge-1")
    answered = replace(plain, seconds=12.5, status="finished", details=details, questions=tuple(questions))
    return replace(answered, trials=tuple(trials), **more)


def report(questions, trials, known=KNOWN, **more):
    counted = figures(questions, trials, known)
    return Report.of_run(run(questions, trials, **more), lambda _: ["62.4 years (2012)"], choices=counted)
