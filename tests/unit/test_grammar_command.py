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


def test_parse_draws_the_analyses_of_a_word(tmp_path: Path) -> None:
    grammar = tmp_path / "ktb.grammar"
    grammar.write_text("Word(abcde) -> R(a,c,e) T(b,d)\nR('k','t','b') -> eps\nT('i','A') -> eps\n", encoding="utf-8")
    picture, page = tmp_path / "kitAb.svg", tmp_path / "kitAb.html"
    result = run.invoke(app, ["grammar", "parse", str(grammar), "kitAb", "--svg", str(picture), "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "1 derivation(s), log probability 0.000" in result.output
    assert "(Word (R 0=k 2=t 4=b) (T 1=i 3=A))" in result.output and "0=k  1=i" in result.output
    assert picture.read_text(encoding="utf-8").startswith("<svg") and "<bdi" in page.read_text(encoding="utf-8")
    told = json.loads(run.invoke(app, ["grammar", "parse", "tpl", "kitAb", "--n-best", "3", "--json"]).output)
    assert len(told["analyses"]) == 3 and told["derivations"] > 3
    assert sum(a["share"] for a in told["analyses"]) <= 1


def test_a_word_that_cannot_be_parsed_is_told(tmp_path: Path) -> None:
    grammar = tmp_path / "one.grammar"
    grammar.write_text("Word -> 'a'\n", encoding="utf-8")
    result = run.invoke(app, ["grammar", "parse", str(grammar), "b"])
    assert result.exit_code != 0 and "cannot be parsed" in str(result.exception)


def test_an_empty_word_is_told() -> None:
    result = run.invoke(app, ["grammar", "parse", "tpl", ""])
    assert result.exit_code != 0 and "the word is empty" in str(result.exception)
