"""``scripted:FILE``: fixed answers from a TOML or JSON file, for tests and examples.

::

    default = "I don't know."            # without it, other prompts are errors
    delay = 0.0                          # seconds before each answer
    [answers]
    "Q38/P6" = "Giorgia Meloni"          # all prompts of a fact
    "Q38/P6/p2" = "Mario Draghi"         # one prompt
    "Japan" = { text = "Shigeru Ishiba", delay = 0.5 }       # words in the question
    "Q142/P6" = { error = "timeout" }    # an error of this kind

The prompt's id wins over the fact's, that over the longest words found in the question.
"""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from datetime import time as time_of_day
from pathlib import Path
from typing import Any

from freshness import strict
from freshness.errors import UsageError
from freshness.models.options import ModelOptions
from freshness.models.text import clean, one_line
from freshness.protocols import ModelInfo
from freshness.questions import Answer, Prompt, Style

_TOP_KEYS = {"default", "delay", "answers"}
_ENTRY_KEYS = {"text", "error", "delay", "finish"}
_MAX_KIND = 100


@dataclass(frozen=True, slots=True)
class _Line:
    answer: Answer
    delay: float


class ScriptedModel:
    """Says what the file says, in the order it is asked."""

    def __init__(self, name: str, style: Style, lines: Mapping[str, _Line], default: _Line | None) -> None:
        self._name = name
        self._style = style
        self._lines = lines
        self._default = default

    def info(self) -> ModelInfo:
        return ModelInfo(self._name, self._name, self._style, {"kind": "scripted", "lines": len(self._lines)})

    def answer(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Answer]]:
        for index, prompt in enumerate(prompts):
            line = self._find(prompt)
            if line is None:
                message = f"the script has no answer to {prompt.id} and no default"
                yield index, Answer(error=message, error_kind="no_scripted_answer")
                continue
            time.sleep(line.delay)
            yield index, line.answer

    def _find(self, prompt: Prompt) -> _Line | None:
        for key in (prompt.id, prompt.id.removesuffix(f"/{prompt.name}")):
            if key in self._lines:
                return self._lines[key]
        asked = prompt.text(self._style).casefold()
        found = [key for key in self._lines if key.casefold() in asked]
        return self._lines[max(found, key=len)] if found else self._default


def open_model(rest: str, options: ModelOptions) -> ScriptedModel:
    """Reads the file; raises ``UsageError`` that names the file and key."""
    if not rest:
        raise UsageError("scripted: needs a file, as in scripted:answers.toml")
    path = Path(rest).expanduser()
    script = _load(path)
    _known_keys(script, _TOP_KEYS, str(path))
    delay = _delay(script, str(path), 0.0)
    answers = script.get("answers", {})
    if not isinstance(answers, dict):
        raise UsageError(f"{path}: answers must be a table")
    name = options.name or path.stem
    lines = {key: _line(raw, f"{path}: answers.{key}", delay, name) for key, raw in answers.items()}
    default = _line(script["default"], f"{path}: default", delay, name) if "default" in script else None
    return ScriptedModel(name, "completion" if options.style == "completion" else "chat", lines, default)


def _load(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        script = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise UsageError(f"{path}: not {kind}: {error}") from error
    if not isinstance(script, dict):
        raise UsageError(f"{path}: must be an object with default and answers")
    return script


def _line(raw: object, where: str, delay: float, name: str) -> _Line:
    entry = {"text": raw} if isinstance(raw, str) else raw
    if not isinstance(entry, dict):
        raise UsageError(f"{where}: must be a string or a table, not {_kind(raw)}")
    _known_keys(entry, _ENTRY_KEYS, where)
    if ("text" in entry) == ("error" in entry):
        raise UsageError(f"{where}: needs text or error, and not both")
    key = "text" if "text" in entry else "error"
    if not isinstance(entry[key], str):
        raise UsageError(f"{where}: {key} must be a string")
    finish = entry.get("finish", "stop")
    if finish not in ("stop", "length"):
        raise UsageError(f"{where}: finish must be stop or length, not {finish!r:.40}")
    seconds = _delay(entry, where, delay)
    if key == "error":
        kind = one_line(entry["error"], _MAX_KIND)
        if not kind:
            raise UsageError(f"{where}: error must name a kind, such as timeout")
        return _Line(Answer(error=f"scripted error: {kind}", error_kind=kind), seconds)
    return _Line(Answer(clean(entry["text"]), finish=finish, seconds=seconds, served_model=name), seconds)


def _delay(entry: Mapping[str, Any], where: str, default: float) -> float:
    delay = entry.get("delay", default)
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not 0 <= delay <= 3600:
        raise UsageError(f"{where}: delay must be seconds from 0 to 3600, not {delay!r:.40}")
    return float(delay)


def _kind(raw: object) -> str:
    """What kind of value, in words; TOML has dates besides what JSON has."""
    return "a date or time" if isinstance(raw, date | time_of_day) else strict.kind_of(raw)


def _known_keys(entry: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(entry) - known)
    if unknown:
        raise UsageError(
            f"{where}: unknown key {unknown[0]!r}; {strict.did_you_mean(unknown[0], sorted(known))}"
        )
