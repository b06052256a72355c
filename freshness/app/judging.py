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
from freshness.grading.timeline import asks_for_one, current_labels, infer_holders
from freshness.history import Run, Trial, outdated_facts
from freshness.questions import Answer, Prompt, Question
from freshness.report import ModelReport, Report
from freshness.store import NOT_KEPT
from freshness.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with its judgement."""

    case: Case
    judgement: Judgement


def judge_files(paths: Iterable[str]) -> list[Judged]:
    """Every case of these files, judged; raises ``UsageError`` with every malformed line."""
    return [Judged(case, judge_case(case)) for case in read_cases(paths)]


def judge_case(case: Case) -> Judgement:
    return judge(case.answer, case.values, case.as_of, question=case.question, holders=case.holders)


def lines(judged: Iterable[Judged]) -> list[dict[str, Any]]:
    """Each case's own line with what was judged, over keys of the same name."""
    return [item.case.raw | _judgement_json(item.judgement) for item in judged]


def _judgement_json(judgement: Judgement) -> dict[str, Any]:
    return {
        "verdict": str(judgement.verdict),
        "matched": judgement.matched,
        "rule": judgement.rule,
        "mention": judgement.mention,
        "lag_days": judgement.lag_days,
        "lag_values": judgement.lag_values,
    }


def report(judged: Sequence[Judged]) -> Report:
    """The numbers of every model in these cases; what is outdated only where there is but one model."""
    models: dict[str, list[Judged]] = defaultdict(list)
    for item in judged:
        models[item.case.model].append(item)
    reports, outdated = [], []
    for name, members in models.items():
        questions, trials = _asked(members)
        dating = date_answers(questions, trials)
        reports.append(ModelReport.of(name, trials, window=dating.window, starts=dating.starts))
        outdated = outdated_facts(questions, trials, current)
    return Report(tuple(reports), outdated=tuple(outdated) if len(models) == 1 else ())


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
    """Labels that are true on the question's date."""
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
    # The same fact asked as of another day is another question.
    return f"{case.group}/{case.fact or case.question}@{case.as_of}"


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
    return Question(key, "recorded", case.group, fact, prompts, case.as_of, case.values, holders)


def _trial(key: str, prompt: Prompt, item: Judged) -> Trial:
    case = item.case
    fact = case.fact or case.question
    return Trial(key, case.group, fact, prompt.name, case.question, Answer(case.answer), item.judgement)
