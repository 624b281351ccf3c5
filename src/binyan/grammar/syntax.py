"""Reading the text of a grammar file into statements. What each statement means is in `expansion`.

A rule is `Left -> items | items`, close to the thesis (section 5.5)::

    Word -> Pre* Stem Suf*                 repetition: * any number, + at least one, ? at most one
    @Pre | @Suf -> Char+                   several left sides; @ marks an adapted symbol
    @R3[a=0.5, b=10](a,b,c) -> ...         its discount and concentration, if they are not to be learnt
    @Stem(abcde) -> R3(a,c,e) T2(b,d)      variables: a comma in Left starts a new argument
    @Stem -> R3(*) T2(*) [w=0.1]           every order-preserving way to share out the variables; weight of each rule
    Char -> <any> | <any of "aeiou"> | <any but "aeiou">    one rule for each character of the data
    Root -> <consonant> | <weak>           one rule for each letter of a class, see `letters`
    Infix -> 'um' | 'in'                   given characters
    Circumfix('ke','an') -> eps            given characters with a gap
    @Stem(ab) -> R3(a,'w',b) | R3(a,b,b)   letters that the word does not show, letters it shows once

Other lines are `start Symbol`, `include NAME`, `adapt Symbol ...` (the mark @, apart from a rule) and `role ROLE Symbol ...`
(what symbols stand for, see `roles`), and `letters CLASS a e i ...` (the letters of a class). `#` starts a comment; a line that starts with | continues a rule; a symbol that starts with
an underscore is left out of trees.
"""

from __future__ import annotations

from difflib import get_close_matches

import regex

from binyan.grammar.ast import GrammarText, RoleMark, Statement
from binyan.grammar.letters import class_line
from binyan.grammar.problems import Problem
from binyan.grammar.roles import ROLES
from binyan.grammar.rule_reader import RuleReader, UnreadableLine

_COMMENT = regex.compile(r"""^((?:[^#'"]|'[^']*'|"[^"]*")*)#.*$""")


def read_text(text: str, source: str) -> GrammarText:
    """Read a grammar in Binyan's own notation. Problems are collected, never raised."""
    grammar = GrammarText(source)
    for line, content in _logical_lines(text):
        try:
            _read_line(content, line, grammar)
        except UnreadableLine as error:
            grammar.problems.append(Problem(error.code, str(error), content, line, source))
    return grammar


def _logical_lines(text: str) -> list[tuple[int, str]]:
    lines: list[tuple[int, str]] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        content = _COMMENT.sub(r"\1", raw.lstrip("\ufeff")).strip()
        if not content:
            continue
        if content.startswith("|") and lines:
            lines[-1] = (lines[-1][0], f"{lines[-1][1]} {content}")
        else:
            lines.append((number, content))
    return lines


def _read_line(content: str, line: int, grammar: GrammarText) -> None:
    words = content.split()
    if words[0] in ("start", "include", "adapt", "role", "letters") and not regex.search(r"->|→", content):
        if words[0] == "adapt":
            RuleReader(content.removeprefix("adapt"), grammar).marks()
            return
        if words[0] == "role":
            _read_roles(content, line, grammar)
            return
        if words[0] == "letters":
            _read_letters(words[1:], grammar)
            return
        if len(words) != 2:
            raise UnreadableLine("syntax", f"'{words[0]}' takes one name")
        if words[0] == "include":
            grammar.includes.append((words[1], line))
        elif grammar.start is not None:
            raise UnreadableLine("two-starts", f"the start symbol is already {grammar.start}")
        else:
            grammar.start = words[1]
        return
    reader = RuleReader(content, grammar)
    lefts = reader.lefts()
    alternatives = reader.alternatives()
    grammar.statements.append(Statement(lefts, alternatives, content, line, grammar.source))


def _read_letters(words: list[str], grammar: GrammarText) -> None:
    try:
        name, letters = class_line(words)
    except ValueError as error:
        raise UnreadableLine("letters", str(error)) from None
    if name in grammar.letters:
        raise UnreadableLine("letters", f"the letters of the class {name} are given twice")
    grammar.letters[name] = letters


def _read_roles(content: str, line: int, grammar: GrammarText) -> None:
    role, *symbols = [*content.split()[1:], ""]
    if role not in ROLES:
        near = get_close_matches(role, ROLES, 1)
        hint = f"did you mean {near[0]}?" if near else f"roles are {', '.join(ROLES)}"
        raise UnreadableLine("unknown-role", f"there is no role {role!r}; {hint}")
    if not symbols[:-1]:
        raise UnreadableLine("syntax", f"'role {role}' takes the symbols that have the role")
    for symbol in symbols[:-1]:
        if symbol.startswith("_"):
            raise UnreadableLine(
                "role-hidden", f"{symbol} is left out of trees, as its underscore says, and can have no role"
            )
        before = grammar.roles.setdefault(symbol, RoleMark(role, content, line, grammar.source))
        if before.role != role:
            raise UnreadableLine("two-roles", f"{symbol} already has the role {before.role} (line {before.line})")
