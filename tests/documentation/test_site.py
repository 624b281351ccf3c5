"""The documentation site builds without a warning, asks nothing of the network, and has every command and equation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_site(tmp_path):
    """One test, so that the site is built once."""
    site = build(tmp_path / "site")
    assert_pages_ask_nothing_of_the_network(site)
    assert_every_command_is_there(site)
    assert_the_results_are_there(site)
    assert_equations_are_mathematics(site)
    assert_reference_has_classes_and_their_methods(site)


def build(folder: Path) -> Path:
    pytest.importorskip("mkdocs", reason="the docs extra is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def assert_pages_ask_nothing_of_the_network(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source|video|audio)[^>]* src=\"?([^\"> ]+)", text)
        loaded += re.findall(r"<link[^>]* href=\"?([^\"> ]+)", text) + re.findall(r"url\(['\"]?([^)'\"]+)", text)
        outside = [address for address in loaded if re.match(r"(https?:)?//", address)]
        assert not outside, f"{page.name} loads {outside}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import )['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def assert_the_results_are_there(site):
    text = (site / "results" / "index.html").read_text(encoding="utf-8")
    assert "Table 3.3" in text and "Figure 5.5" in text
    for name in re.findall(r'<img[^>]* src="?([^"> ]+[.]svg)', text):
        assert (site / "results" / name).exists(), name


def assert_every_command_is_there(site):
    import typer.main

    from binyan.cli import app

    text = (site / "reference" / "commands.html").read_text(encoding="utf-8")

    def names(path, command):
        for name, child in getattr(command, "commands", {}).items():
            yield f"{path} {name}"
            yield from names(f"{path} {name}", child)

    listed = list(names("binyan", typer.main.get_command(app)))
    assert len(listed) > 40 and [name for name in listed if f">{name}<" not in text] == []
    assert "--scheduler" in text and "tcp://host:8786" in text


def assert_equations_are_mathematics(site):
    text = (site / "models.html").read_text(encoding="utf-8")
    assert text.count("<math") >= 8 and "\\frac" not in text and "```" not in text


def assert_reference_has_classes_and_their_methods(site):
    text = (site / "reference" / "python" / "ngram.html").read_text(encoding="utf-8")
    assert "binyan.ngram.hpylm.HPYLM.fit" in text and "Sample from the posterior" in text
