"""``recorded:FILE.jsonl``: answers that were collected elsewhere, one JSON object a line.

A line is ``{"fact": "Q38/P6", "prompt": "p1", "answer": "..."}`` or ``{"question": "...", "answer":
"..."}``; it may have both, and other keys; an answer of null is an empty one. Answers are joined by id,
else by the text of the question, never by their place in the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from freshness import strict
from freshness.errors import UsageError
from freshness.models.options import ModelOptions
from freshness.models.text import MAX_ANSWER_CHARS, clean
from freshness.protocols import ModelInfo
from freshness.questions import Answer, Prompt, Style


class RecordedModel:
    """Gives back what a file says; a prompt that the file doesn't have is an error of its own.

    ``info().details["unmatched_lines"]``, once asked: how many lines answer none of the prompts so far.
    """

    def __init__(self, path: Path, options: ModelOptions) -> None:
        self._path = path
        self._name = options.name or path.stem
        self._style: Style = "completion" if options.style == "completion" else "chat"
        self._lines, self._by_id, self._by_text = _read(path)
        self._asked: set[str] = set()

    def info(self) -> ModelInfo:
        count = len(self._by_id) + len(self._by_text)
        details: dict[str, Any] = {"kind": "recorded", "file": self._path.name, "answers": count}
        if self._asked:
            details["unmatched_lines"] = sum(self._asked.isdisjoint(keys) for keys in self._lines)
        return ModelInfo(self._name, self._name, self._style, details)

    def answer(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Answer]]:
        for index, prompt in enumerate(prompts):
            yield index, self._find(prompt)

    def _find(self, prompt: Prompt) -> Answer:
        texts = [_key(asked) for asked in (prompt.text("chat"), prompt.question, prompt.completion)]
        self._asked.update([prompt.id, *texts])
        text = self._by_id.get(prompt.id)
        for asked in texts:
            text = self._by_text.get(asked) if text is None else text
        if text is None:
            message = f"{self._path.name} has no answer to {prompt.id}"
            return Answer(error=message, error_kind="no_recorded_answer")
        return Answer(clean(text[:MAX_ANSWER_CHARS]), served_model=self._name)


def open_model(rest: str, options: ModelOptions) -> RecordedModel:
    """Reads the file; raises ``UsageError`` that names the file, line and key."""
    if not rest:
        raise UsageError("recorded: needs a file, as in recorded:answers.jsonl")
    return RecordedModel(Path(rest).expanduser(), options)


def _key(text: str) -> str:
    return " ".join(text.split())


def _read(path: Path) -> tuple[list[tuple[str, ...]], dict[str, str], dict[str, str]]:
    """What each line is found by (id, text), and the answers by id and by text."""
    lines: list[tuple[str, ...]] = []
    by_id: dict[str, str] = {}
    by_text: dict[str, str] = {}
    ambiguous: set[str] = set()
    for where, row in _rows(path):
        answer = _answer(row, where)
        keys = []
        has_id = "fact" in row and "prompt" in row
        if has_id:
            keys.append(f"{_string(row, 'fact', where)}/{_string(row, 'prompt', where)}")
            _add(by_id, keys[0], answer, where)
        if not has_id or "question" in row:
            keys.append(_key(_string(row, "question", where)))
            # The same words may ask about two facts; then only the ids can tell them apart.
            if has_id and by_text.get(keys[-1], answer) != answer:
                ambiguous.add(keys[-1])
            else:
                _add(by_text, keys[-1], answer, where)
        lines.append(tuple(keys))
    return lines, by_id, {text: answer for text, answer in by_text.items() if text not in ambiguous}


def _answer(row: dict[str, Any], where: str) -> str:
    return "" if row.get("answer", "") is None else _string(row, "answer", where)


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield f"{path}:{number}", _row(line, f"{path}:{number}")


def _row(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not a JSON object on one line ({error})") from error
    if not isinstance(row, dict):
        raise UsageError(f"{where}: must be a JSON object, not {strict.kind_of(row)}")
    return row


def _string(row: dict[str, Any], key: str, where: str) -> str:
    if key not in row:
        raise UsageError(f"{where}: {key} is missing; a line needs answer, and fact and prompt or question")
    if not isinstance(row[key], str):
        raise UsageError(f"{where}: {key} must be a string, not {strict.shown(row[key])}")
    return str(row[key])


def _add(answers: dict[str, str], key: str, answer: str, where: str) -> None:
    if answers.setdefault(key, answer) != answer:
        raise UsageError(f"{where}: a second, different answer for {strict.shown(key)}; keep one of them")
