"""The direction of dependencies, and the size of modules."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "binyan"
MODULES = sorted(PACKAGE.rglob("*.py"))

LONGEST = 400
MODELS = (
    "ngram",
    "log_bilinear",
    "recurrent",
    "grammar",
    "morphology",
    "clustering",
    "mixture",
    "best_model",
    "open_vocabulary",
    "sampling",
    "language_model",
    "model",
)
LATER = ("evaluation", "experiments", "explore", "serving", "studio", "translation", "cli")
# folder or module -> what it must not import
FORBIDDEN = {
    "text": ("segmentation", "model_file", *MODELS, *LATER),
    **{model: LATER for model in MODELS},
    "segmentation": ("ngram", "log_bilinear", "recurrent", *LATER),
    "evaluation": ("translation", "experiments", "explore", "studio", "cli"),
    "translation": ("experiments", "explore", "studio", "cli"),
    "experiments": ("explore", "studio", "cli"),
    "explore": ("serving", "studio", "cli"),
    "serving": ("studio", "cli"),
    "studio": ("cli", "experiments"),
}
# Only files under these paths may import PyTorch.
NEURAL = ("log_bilinear/", "recurrent/")


def imported(path: Path) -> set[str]:
    """All modules a file imports, also inside functions; `from a import b` gives a and a.b. Type-checking blocks count."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_there_is_something_to_check():
    assert len(MODULES) > 20 and "binyan.text" in imported(PACKAGE / "evaluation" / "perplexity.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_one_way(path):
    place = path.relative_to(PACKAGE)
    names = imported(path)
    for forbidden in FORBIDDEN.get(place.parts[0].removesuffix(".py"), ()):
        wrong = [n for n in names if re.match(rf"binyan\.{forbidden}(\.|$)", n)]
        assert not wrong, f"{place} must not import {wrong[0]}"
    if not str(place).startswith(NEURAL):
        assert not [n for n in names if n.split(".")[0] == "torch"], f"{place} imports PyTorch"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_modules_are_short(path):
    assert len(path.read_text().splitlines()) <= LONGEST


def test_core_is_free_of_python():
    sources = [*(ROOT / "core").rglob("*.[ch]pp")]
    assert sources
    for path in sources:
        text = path.read_text()
        assert not re.search(r'#include\s*[<"](Python\.h|pybind11|nanobind)', text), path
        assert not re.search(r"std::(cout|cerr|clog)|\bf?printf\(", text), f"{path} writes to the terminal"
        assert len(text.splitlines()) <= LONGEST, path
