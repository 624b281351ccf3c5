"""Every command has a one-call Python equivalent: the table of docs/python.md is complete, and its calls exist."""

from __future__ import annotations

import inspect
import pydoc
import re
from pathlib import Path

import pytest
import typer.main

from binyan.cli import app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `binyan ([^`]+)`([^|]*) \| `([^`]+)` \|$", PAGE, re.M)


def commands(path, command):
    children = getattr(command, "commands", None)
    if not children:
        yield " ".join(path), command
        return
    for name, child in children.items():
        yield from commands((*path, name), child)


COMMANDS = dict(commands((), typer.main.get_command(app)))


def test_every_command_is_in_the_table():
    listed = {name for name, _, _ in ROWS}
    for first, others, _ in ROWS:
        group = first.rsplit(" ", 1)[0]
        listed |= {f"{group} {name}" for name in re.findall(r"`([^`]+)`", others)}
    log_bilinear = {name for name in COMMANDS if re.fullmatch(r"lm train n?c?lbl(\+[+co])?", name)}
    assert listed | log_bilinear == set(COMMANDS) and len(log_bilinear) == 16


@pytest.mark.parametrize("call", sorted({call for _, _, call in ROWS}))
def test_the_call_exists_and_says_what_it_does(call):
    if call.startswith(("binyan.LogBilinear", "binyan.log_bilinear", "binyan.Recurrent")):
        pytest.importorskip("torch")
    if call.startswith(("binyan.explore", "binyan.studio")):
        pytest.importorskip("fastapi")
    found = pydoc.locate(call)
    if found is None:  # behind a name of the lazy front door
        import binyan

        found = binyan
        for name in call.split(".")[1:]:
            found = getattr(found, name)
    assert callable(found) and inspect.getdoc(found)


def test_commands_are_thin():
    """A command reads its options, makes one call and prints: what is longer belongs into the library."""
    import ast

    folder = Path(__file__).resolve().parents[2] / "src" / "binyan" / "cli"
    long = []
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            inner = any(isinstance(child, ast.FunctionDef) for child in ast.walk(node) if child is not node)
            if isinstance(node, ast.FunctionDef) and not inner:
                docstring = node.body[0].end_lineno if ast.get_docstring(node) else node.body[0].lineno - 1
                if node.end_lineno - docstring > 25:
                    long.append(f"{path.name}: {node.name} has {node.end_lineno - docstring} lines")
    assert not long
