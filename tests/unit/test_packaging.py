"""The wheel, installed beside nothing else of ours: it has all its files, and says what to install where a part is missing.

The wheel is built in the build folder of the development install, so nothing is compiled again; dependencies are those of the
environment the tests run in.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

import binyan

ROOT = Path(__file__).resolve().parents[2]
GRAMMARS = sorted((ROOT / "src" / "binyan" / "grammar" / "library").iterdir())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
THESIS = ROOT / "src" / "binyan" / "experiments" / "thesis.toml"
STATIC = sorted(p for p in (ROOT / "src" / "binyan" / "explore" / "static").rglob("*") if p.is_file())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
    subprocess.run(command, check=True, timeout=900)
    [made] = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The folder of programs of an environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    paths = sysconfig.get_paths("venv", {"base": str(folder), "platbase": str(folder)})
    programs, site = Path(paths["scripts"]), Path(paths["purelib"])
    python = programs / "python"
    install = [sys.executable, "-m", "pip", "-q", "--python", python, "install", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True)
    # The folder itself, not its .pth files: those would bring the development install back.
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return programs


def run(bin_folder: Path, *command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COVERAGE"))}
    return subprocess.run(
        [str(bin_folder / command[0]), *command[1:]],
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_wheel_has_all_its_files(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"binyan/py.typed", "binyan/_core.pyi"} <= names
    assert any(re.fullmatch(r"binyan/_core\..*(so|pyd)", name) for name in names)
    assert len(GRAMMARS) > 10 and STATIC
    for path in (*GRAMMARS, *STATIC, THESIS):
        assert path.relative_to(ROOT / "src").as_posix() in names
    assert not [
        n for n in names if not n.startswith("binyan") or "test" in n.split("/")[-1] or n.endswith((".pyc", "~"))
    ]


def test_installed_wheel_works(installed, tmp_path):
    where = run(installed, "python", "-c", "import binyan; print(binyan.__file__)", cwd=tmp_path)
    assert where.stdout.startswith(str(installed.parent)), where.stderr
    assert run(installed, "binyan", "--version", cwd=tmp_path).stdout == f"binyan {binyan.__version__}\n"
    assert "root-template" in run(installed, "binyan", "grammar", "list", cwd=tmp_path).stdout
    (tmp_path / "words").write_text(
        "".join(f"{a}{b}\n" for a in ("walk", "talk", "jump") for b in ("", "s", "ed", "ing"))
    )
    learnt = run(installed, "binyan", "morph", "learn", "words", "--sweeps", "20", "--out", "m", "--json", cwd=tmp_path)
    assert '"signature": "model:adaptor-grammar' in learnt.stdout, learnt.stderr


def test_installed_wheel_passes_the_smoke_test(installed, tmp_path):
    """The program that tests the wheels of every system."""
    done = run(installed, "python", str(ROOT / "tests" / "smoke.py"), cwd=tmp_path)
    assert done.stdout.startswith(f"binyan {binyan.__version__} works"), done.stdout + done.stderr


# What is blocked, a command that needs it, the extra that has it.
PARTS = [
    ("torch", "lm train lbl --text words --dev words --out m", "neural"),
    ("optuna", "lm tune lbl --text words --dev words --study s", "neural"),
    ("fastapi", "explore m", "explore"),
    ("eflomal", "mt align --source words --target words --out a", "mt"),
    ("sacrebleu", "mt evaluate --hypothesis words --reference words", "mt"),
    ("morfessor", "wordmap learn --method flatcat --text words --out map.tsv", "morfessor"),
    ("distributed", "lm train hpylm --text words --out h --chains 2 --scheduler tcp://127.0.0.1:1", "cluster"),
]


@pytest.mark.parametrize(("module", "command", "extra"), PARTS, ids=[part[0] for part in PARTS])
def test_a_missing_part_is_named(module, command, extra, tmp_path):
    """Without the module a command ends with one line that says what to install; others go on working."""
    (tmp_path / "words").write_text("das haus ist alt\nder hof ist neu\n" * 5)
    (tmp_path / "sitecustomize.py").write_text(
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        "def without(name, path=None, target=None):\n"
        f"    return None if name.split('.')[0] == {module!r} else find(name, path, target)\n"
        "PathFinder.find_spec = without\n"
    )
    bin_folder = Path(sys.executable).parent
    environment = {"PYTHONPATH": str(tmp_path)}
    if extra == "explore":
        made = run(
            bin_folder,
            "binyan",
            *["lm", "train", "mkn", "--text", "words", "--order", "2", "--out", "m"],
            cwd=tmp_path,
            **environment,
        )
        assert made.returncode == 0, made.stderr
    done = run(bin_folder, "binyan", *command.split(), cwd=tmp_path, **environment)
    assert done.returncode == 6, done.stdout + done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("binyan: ") and f"binyan[{extra}]" in done.stderr
    assert "Traceback" not in done.stderr


def test_version_is_in_one_place():
    """The package has it; what repeats it for readers must agree, or, between releases, name the last one."""
    assert "version" in PROJECT["project"]["dynamic"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    last = re.search(r"^## \[(\d+\.\d+\.\d+)\] - ", changelog, re.M)[1]
    if ".dev" in binyan.__version__:
        assert "## [Unreleased]" in changelog
        assert _numbers(binyan.__version__.partition(".dev")[0]) > _numbers(last)
    else:
        assert binyan.__version__ == last
    assert f"version: {last}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"{{{last}}}" in (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))
