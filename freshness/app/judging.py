"""Judging answers that were recorded elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from freshness.app.dating import date_answers
from freshness.app.setup import judging_suite
from freshness.files import Case, read_cases
from freshness.grading import judge
from freshness.grading.quantities import label_of, matched_year
from freshness.grading.timeline import asks_for_one, current_labels, infer_holders
from freshness.history import Run, Trial, outdated_facts
from freshness.questions import Answer, Prompt, Question
from freshness.report import ModelReport, Report
from freshness.store import NOT_KEPT
from freshness.suites.choosing import judge_by
from freshness.verdicts import CHOICES, Judgement


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with its judgement."""

    case: Case
    judgement: Judgement


def judge_files(paths: Iterable[str]) -> list[Judged]:
    """Every case of these files, judged; raises ``UsageError`` with every malformed line."""
    return [Judged(case, judge_case(case)) for case in read_cases(paths)]


def judge_case(case: Case) -> Judgement:
    """By the line's values, its series or its options."""
    if case.numeric is None:
        return judge(case.answer, case.values, case.as_of, question=case.question, holders=case.holders)
    return judge_by(case.numeric, Answer(case.answer), case.question, case.tolerances)


def lines(judged: Iterable[Judged]) -> list[dict[str, Any]]:
    """Each case's own line with what was judged, over keys of the same name."""
    return [item.case.raw | _judgement_json(item) for item in judged]


def _judgement_json(item: Judged) -> dict[str, Any]:
    judgement, key = item.judgement, item.case.numeric
    year = {"matched_year": matched_year(judgement)} if key and not key.options else {}
    return year | {
        "verdict": str(judgement.verdict),
        "matched": judgement.matched,
        "rule": judgement.rule,
        "mention": judgement.mention,
        "lag_days": judgement.lag_days,
        "lag_values": judgement.lag_values,
    }


def report(judged: Sequence[Judged]) -> Report:
    """The numbers of every model in these cases; what is outdated only where there is but one model.

    A model that chose among options as well as answered freely has two entries, ``NAME`` and
    ``NAME (choices)``: their verdicts are not the same and don't add up.
    """
    models: dict[tuple[str, bool], list[Judged]] = defaultdict(list)
    for item in judged:
        models[item.case.model, _chooses(item.case)].append(item)
    reports, outdated = [], []
    for (name, chose), members in models.items():
        questions, trials = _asked(members)
        shown = f"{name} (choices)" if chose and (name, False) in models else name
        reports.append(_model_report(shown, questions, trials, chose))
        outdated += outdated_facts(questions, trials, current)
    alone = len({name for name, _ in models}) == 1
    return Report(tuple(reports), outdated=tuple(outdated) if alone else ())


def _chooses(case: Case) -> bool:
    return case.numeric is not None and bool(case.numeric.options)


def _model_report(
    name: str, questions: Sequence[Question], trials: Sequence[Trial], chose: bool
) -> ModelReport:
    """One model's numbers; only what it said of facts dates its training data."""
    if chose:
        return ModelReport.of(name, trials, among=CHOICES)
    dated = [question for question in questions if question.numeric is None]
    known = {question.id for question in dated}
    dating = date_answers(dated, [trial for trial in trials if trial.question in known])
    return ModelReport.of(name, trials, window=dating.window, starts=dating.starts)


def can_be_judged(trial: Trial) -> bool:
    """Whether there is an answer, and its text was kept."""
    return trial.answer.error is None and NOT_KEPT not in trial.answer.flags


def judge_again(run: Run, questions: Iterable[Question]) -> dict[tuple[str, str], Judgement]:
    """The run's answers to these questions, by question id and prompt name, judged by the keys given here.

    Answers that can't be judged, and those to other questions, are left out.
    """
    suite = judging_suite(run.suite)
    asked = {question.id: (question, {p.name: p for p in question.prompts}) for question in questions}
    judged = {}
    for trial in run.trials:
        if trial.question in asked and can_be_judged(trial):
            question, prompts = asked[trial.question]
            judged[trial.question, trial.prompt] = suite.judge(question, prompts[trial.prompt], trial.answer)
    return judged


def current(question: Question) -> list[str]:
    """Labels that are true on the question's date; of a number its value in the year asked about."""
    if question.numeric is not None:
        return label_of(question.numeric.values, question.numeric.years[:1])
    return current_labels(question.values, question.as_of, question.holders)


def _asked(judged: Iterable[Judged]) -> tuple[list[Question], list[Trial]]:
    """One model's cases as questions with their prompts, and trials."""
    members: dict[str, list[Judged]] = defaultdict(list)
    for item in judged:
        members[_question_id(item.case)].append(item)
    questions, trials = [], []
    for key, items in members.items():
        prompts = _prompts(key, [item.case for item in items])
        questions.append(_question(key, items[0].case, prompts))
        trials += [_trial(key, prompt, item) for prompt, item in zip(prompts, items, strict=True)]
    return questions, trials


def _question_id(case: Case) -> str:
    # The same fact asked as of another day, or by another key, is another question.
    key = f"#{case.numeric.years or case.numeric.options}" if case.numeric else ""
    return f"{case.group}/{case.fact or case.question}@{case.as_of}{key}"


def _prompts(key: str, cases: Sequence[Case]) -> tuple[Prompt, ...]:
    """A name for each line: its own, made distinct; a line without one is a prompt by itself."""
    taken: Counter[str] = Counter()
    prompts = []
    for number, case in enumerate(cases, 1):
        name = case.prompt or f"line {number}"
        taken[name] += 1
        name = name if taken[name] == 1 else f"{name} ({taken[name]})"
        prompts.append(Prompt(f"{key}/{name}", name, case.question, case.question))
    return tuple(prompts)


def _question(key: str, case: Case, prompts: tuple[Prompt, ...]) -> Question:
    holders = case.holders or infer_holders(case.values, asks_for_one(case.question))
    fact = case.fact or case.question
    return Question(
        key, "recorded", case.group, fact, prompts, case.as_of, case.values, holders, numeric=case.numeric
    )


def _trial(key: str, prompt: Prompt, item: Judged) -> Trial:
    case = item.case
    fact = case.fact or case.question
    return Trial(key, case.group, fact, prompt.name, case.question, Answer(case.answer), item.judgement)
