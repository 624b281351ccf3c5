"""The command `binyan grammar`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from binyan.cli import app

run = CliRunner()


def test_list_names_the_grammars_of_the_thesis() -> None:
    shown = run.invoke(app, ["grammar", "list"]).output
    names = {line.split()[0] for line in shown.splitlines()}
    assert {
        "concat",
        "mconcat",
        "mconcat-hier",
        "tpl",
        "tpl3ch",
        "tpl+t4",
        "tplr4",
        "mtpl",
        "mtpl3ch",
        "mtpl+t4",
    } <= names
    assert {"infix", "circumfix", "compound"} <= names
    assert {entry["name"] for entry in json.loads(run.invoke(app, ["grammar", "list", "--json"]).output)} == names


def test_show_gives_text_that_can_be_checked(tmp_path: Path) -> None:
    text = run.invoke(app, ["grammar", "show", "tpl"]).output
    (tmp_path / "mine.grammar").write_text(text, encoding="utf-8")
    result = run.invoke(app, ["grammar", "check", str(tmp_path / "mine.grammar")])
    assert result.exit_code == 0 and "50 rules" in result.output and "no errors" in result.output
    expanded = run.invoke(app, ["grammar", "show", "tpl", "--expanded"]).output
    assert len(expanded.splitlines()) == 50 and "1\t@Stem(abcd) -> R3(a,b,d) T1(c)" in expanded


def test_check_fails_on_errors_and_if_asked_on_warnings(tmp_path: Path) -> None:
    bad = tmp_path / "bad.grammar"
    bad.write_text("Word -> Stem\nStem(ab) -> Char(a)\n", encoding="utf-8")
    result = run.invoke(app, ["grammar", "check", str(bad)])
    assert (
        result.exit_code == 5 and "bad.grammar:2: error: the variable b stands on the left and never" in result.output
    )
    bad.write_text("Word -> 'a'\nStem -> 'b'\n", encoding="utf-8")
    assert run.invoke(app, ["grammar", "check", str(bad)]).exit_code == 0
    assert run.invoke(app, ["grammar", "check", str(bad), "--strict"]).exit_code == 5
    told = json.loads(run.invoke(app, ["grammar", "check", str(bad), "--json"]).output)
    assert told["format"] == "binyan" and told["faults"][0]["code"] == "unreachable"
