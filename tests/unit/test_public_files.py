"""What a public project has around its code: workflows, hooks, templates, changelog and policies, which agree with each other."""

from __future__ import annotations

import re
import subprocess
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed (the docs extra has it)")

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(p for p in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if p.name != "config.yml")
HEADINGS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def python_versions() -> list[str]:
    """Those of the classifiers."""
    pattern = re.compile(r"Programming Language :: Python :: (3\.\d+)")
    return [match[1] for line in PROJECT["project"]["classifiers"] if (match := pattern.fullmatch(line))]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_workflows_may_only_read_and_use_released_actions(path):
    workflow = parsed(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "permissions" not in job and job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/none@v1"))
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_workflows_test_every_supported_python_on_every_system():
    versions = python_versions()
    assert versions[0] == PROJECT["project"]["requires-python"].removeprefix(">=") and len(versions) >= 4
    matrix = parsed(ROOT / ".github" / "workflows" / "test.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == versions
    assert [os.partition("-")[0] for os in matrix["os"]] == ["ubuntu", "macos", "windows"]
    assert {row["os"] for row in matrix["include"]} == set(matrix["os"])
    known = set(PROJECT["project"]["optional-dependencies"])
    assert all(set(row["extras"].split(",")) <= known for row in matrix["include"])


def test_wheels_are_built_and_tested_for_every_supported_python():
    settings = PROJECT["tool"]["cibuildwheel"]
    assert settings["build"] == [f"cp{version.replace('.', '')}-*" for version in python_versions()]
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    [script] = re.findall(r"\{project\}/(\S+)", settings["test-command"])
    assert (ROOT / script).is_file()
    systems = parsed(ROOT / ".github" / "workflows" / "wheels.yml")["jobs"]["wheels"]["strategy"]["matrix"]["os"]
    assert {name.partition("-")[0] for name in systems} == {"ubuntu", "macos", "windows"}


def test_hooks_use_the_pinned_tools():
    """A commit is formatted by the versions that lint it."""
    pins = dict(line.split("==") for line in read("constraints.txt").split())
    hooks = [hook for repo in parsed(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert {"ruff-check", "ruff-format", "clang-format", "end-of-file-fixer"} <= {hook["id"] for hook in hooks}
    for hook in hooks:
        [(tool, version)] = [pin.split("==") for pin in hook["additional_dependencies"]]
        assert pins.get(tool, version) == version, f"{hook['id']} uses {tool} {version}, constraints.txt {pins[tool]}"


@pytest.mark.parametrize("path", FORMS, ids=lambda p: p.stem)
def test_issue_forms_ask_for_what_is_needed(path):
    form = parsed(path)
    assert form["name"] and form["description"]
    fields = {field["id"]: field for field in form["body"]}
    assert {"version", "example"} <= set(fields) and all(field["attributes"]["label"] for field in fields.values())
    if path.stem == "bug_report":
        assert {"command", "signature"} <= set(fields)
        assert all(fields[name]["validations"]["required"] for name in ("version", "command", "example"))


def test_changelog_has_the_form_of_keep_a_changelog():
    text = read("CHANGELOG.md")
    sections = re.split(r"^## ", text, flags=re.M)[1:]
    assert sections[0].startswith("[Unreleased]\n")
    releases = [re.match(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)\n", section) for section in sections[1:]]
    assert releases and all(releases)
    numbers = [tuple(int(n) for n in release[1].split(".")) for release in releases if release]
    dates = [date.fromisoformat(release[2]) for release in releases if release]
    assert numbers == sorted(set(numbers), reverse=True) and dates == sorted(dates, reverse=True)
    for section in sections:
        assert set(re.findall(r"^### (.*)$", section, re.M)) <= HEADINGS
        name = section[1 : section.index("]")]
        assert re.search(rf"^\[{re.escape(name)}\]: https://\S+$", text, re.M), f"no link for {name}"


def test_policies_are_pages_of_the_site():
    pages = {page for part in _without_tags("mkdocs.yml")["nav"] for page in _pages(part)}
    assert {"versions.md", "changelog.md", "security.md", "contributing.md"} <= pages
    policy = read("docs/versions.md")
    assert all(
        f"## {heading}" in policy for heading in ("The Python interface", "The command line", "Files", "Deprecation")
    )
    assert "not authenticated" in read("SECURITY.md")


def _without_tags(name: str) -> Any:
    return yaml.safe_load(re.sub(r"!!python/\S+", "", read(name)))


def _pages(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    return [page for item in (part.values() if isinstance(part, dict) else part) for page in _pages(item)]


def test_addresses_agree():
    """Package, citation and changelog name one home."""
    urls = PROJECT["project"]["urls"]
    assert {"Homepage", "Documentation", "Source", "Changelog", "Issues"} <= set(urls)
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["repository-code"] == urls["Source"] and citation["url"] == urls["Documentation"]
    for name in ("CHANGELOG.md", "SECURITY.md", ".github/ISSUE_TEMPLATE/config.yml"):
        addresses = re.findall(r"https://github\.com/[^/\s]+/[^/\s)]+", read(name))
        assert addresses and set(addresses) == {urls["Source"]}, name


def test_golden_files_keep_their_bytes():
    """Git changes no line ends in what is compared byte for byte, also in a working copy on Windows."""
    names = [p.relative_to(ROOT).as_posix() for p in (ROOT / "tests" / "golden").rglob("*") if p.is_file()]
    data = [name for name in names if not name.endswith((".py", ".pyc"))]
    try:
        listed = subprocess.run(
            ["git", "check-attr", "text", "--", *data], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a working copy of a Git repository")
    assert len(listed) == len(data) > 10 and all(line.endswith("text: unset") for line in listed)
