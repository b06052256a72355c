"""Who can be asked: one file for a kind of model, one line for it in ``KINDS``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from freshness.errors import UsageError
from freshness.models.options import ModelOptions
from freshness.protocols import Model

KINDS = {
    "demo": "freshness.models.demo",
    "local": "freshness.models.local",
    "http": "freshness.models.endpoint",
    "https": "freshness.models.endpoint",
    "recorded": "freshness.models.recorded",
    "scripted": "freshness.models.scripted",
}
FORMS = "demo, local:DIR_OR_HUB_ID, http(s)://HOST/v1#MODEL, recorded:FILE.jsonl, scripted:FILE"

__all__ = ["FORMS", "KINDS", "ModelOptions", "build", "is_spec"]


def is_spec(text: str) -> bool:
    """Whether a text has the form of a model spec, so that it can't be a name from the config."""
    kind, colon, _ = text.partition(":")
    return kind in KINDS and (bool(colon) != (kind == "demo"))


def build(spec: str, **options: Any) -> Model:
    """The model that a spec names; ``options`` are the fields of ``ModelOptions``.

    Nothing heavy is loaded and nothing contacted before the first ``info`` or ``answer``; small files
    (recorded, scripted) are read at once. Raises ``UsageError`` for a spec, option or file that is
    wrong, ``UnavailableError`` for a directory that is not there.
    """
    if not is_spec(spec):
        raise UsageError(f"unknown model {spec!r}; use a name from the config, or {FORMS}")
    kind, _, rest = spec.partition(":")
    module = import_module(KINDS[kind])
    target = spec if kind in ("http", "https") else rest
    model: Model = module.open_model(target, ModelOptions(**options))
    return model
