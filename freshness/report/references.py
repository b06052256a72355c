"""What TempUN's models scored, to be shown beside a run's own figures; it stands in ``tempun.toml``.

Theirs were other questions: cut once from Our World in Data, with distractors that are always larger than the
right option. They tell where models stood, not what would be par.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Any, Final

SOURCE: Final = "TempUN (Beniwal et al.), zero-shot, table 3; on its own questions"
"""How the figures are named wherever they are shown."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One of the paper's models; shares between 0 and 1.

    ``kinds``: by verdict, then by kind (its table 3); ``average``: by verdict, over the kinds, as printed;
    ``categories``: of correct answers, by category, then by kind (its tables 20 to 55).
    """

    name: str
    kinds: Mapping[str, Mapping[str, float]]
    average: Mapping[str, float]
    categories: Mapping[str, Mapping[str, float]]

    def of_category(self, category: str) -> float | None:
        """Correct, the mean over the kinds; None for a category that the paper hasn't."""
        found = self.categories.get(category)
        return fmean(found.values()) if found else None


@cache
def references() -> tuple[Reference, ...]:
    """The paper's models, in its order."""
    text = files("freshness.report").joinpath("tempun.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    return tuple(_reference(model, content["kinds"]) for model in content["models"])


def _reference(model: Mapping[str, Any], kinds: list[str]) -> Reference:
    verdicts = ("correct", "incorrect", "not_available")
    return Reference(
        model["name"],
        {verdict: _shares(kinds, model[verdict]) for verdict in verdicts},
        {verdict: model["average"][verdict] / 100 for verdict in verdicts},
        {category: _shares(kinds, listed) for category, listed in model["categories"].items()},
    )


def _shares(kinds: list[str], percents: list[float]) -> dict[str, float]:
    return {kind: percent / 100 for kind, percent in zip(kinds, percents, strict=True)}
