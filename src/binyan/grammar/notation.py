"""Reading and writing grammars: a name, a file, or text, in Binyan's notation or that of py-cfg or py-srcag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from binyan.errors import GrammarError, InputError
from binyan.grammar.ast import GrammarText, RoleMark
from binyan.grammar.checks import Origin, check
from binyan.grammar.expansion import expand, symbol_name
from binyan.grammar.library import library_text, shipped_grammars
from binyan.grammar.morphagram import morph_roles
from binyan.grammar.problems import InvalidGrammar, Problem
from binyan.grammar.py_cfg import read_imported, recognise
from binyan.grammar.roles import BY_NAME, traditional_roles
from binyan.grammar.rules import Adaptation, Grammar
from binyan.grammar.syntax import read_text

_DEEPEST_INCLUDES = 20


def load_grammar(name_or_path: str | Path) -> Grammar:
    """A shipped grammar by name (see `binyan.grammar.library`), or a grammar file."""
    source, text = grammar_text(name_or_path)
    return read_grammar(text, source)


def grammar_text(name_or_path: str | Path) -> tuple[str, str]:
    """Where a grammar is from, and its text."""
    shipped = library_text(str(name_or_path))
    if shipped is not None:
        return str(name_or_path), shipped
    path = Path(name_or_path)
    try:
        return str(path), path.read_text(encoding="utf-8")
    except FileNotFoundError:
        near = get_close_matches(str(name_or_path), [g.name for g in shipped_grammars()], 3, 0.6)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise GrammarError(
            f"no grammar is called {name_or_path} and no file is there; {meant}`binyan grammar list` shows the names"
        ) from None
    except IsADirectoryError:
        raise GrammarError(f"{path} is a folder, not a grammar file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text, so it is no grammar file") from None
    except (OSError, ValueError) as error:
        raise GrammarError(f"{str(path)[:80]!r} cannot be read as a grammar file: {error}") from error


def read_grammar(text: str, source: str = "grammar") -> Grammar:
    """The grammar of a text, checked. Raises InvalidGrammar with every problem, each with its rule and line."""
    grammar, problems = examine_grammar(text, source, thorough=False)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or grammar is None:
        raise InvalidGrammar(errors)
    return grammar


def examine_grammar(text: str, source: str = "grammar", thorough: bool = True) -> tuple[Grammar | None, list[Problem]]:
    """The grammar of a text, as far as it can be read, and all its problems, warnings included.

    `thorough` adds the search for duplicate derivations, which may take a second.
    """
    form = recognise(text)
    whole = GrammarText(source)
    name = Path(source).stem if source.endswith(".grammar") else Path(source).name
    if form == "binyan":
        whole = _with_includes(text, source, ())
        rules, statements, unusable = expand(whole)
        origins = [Origin(s.source, s.line, s.text) for s in statements]
        problems = [*whole.problems, *unusable, *_roles_without_rules(whole)]
        start = whole.start or (whole.statements[0].lefts[0].name if whole.statements else None)
        start = None if start is None else symbol_name(start)
        adapted = {symbol_name(symbol): Adaptation(a, b) for symbol, (a, b) in whole.marks.items()}
        roles: Mapping[str, str] = {symbol: mark.role for symbol, mark in whole.roles.items()}
    else:
        imported = read_imported(text, source, form)
        rules, problems, start, adapted = imported.rules, imported.problems, imported.start, imported.adapted
        roles = morph_roles({rule.lhs for rule in rules}) or BY_NAME
        lines = ["", *text.splitlines()]
        origins = [Origin(source, rule.line, lines[rule.line].strip()) for rule in rules]
    if start is None:
        problems.append(Problem("no-rules", "there is not one rule; a rule is written Left -> Right", source=source))
        return None, problems
    grammar = Grammar(name, start, tuple(rules), adapted, roles, frozenset(whole.assumed), whole.letters)
    unread = any(problem.severity == "error" for problem in problems)
    problems += check(grammar, origins, incomplete=unread, thorough=thorough)
    return grammar, sorted(problems, key=lambda problem: (problem.line, problem.code))


def _with_includes(text: str, source: str, above: tuple[str, ...]) -> GrammarText:
    """A file with the statements of the grammars it includes before its own."""
    own = read_text(text, source)
    if not own.roles:
        _assume_roles(own)
    whole = GrammarText(source, start=own.start, problems=list(own.problems))
    for name, line in own.includes:
        if name in above:
            chain = " includes ".join((*above[above.index(name) :], name))
            whole.problems.append(
                Problem("include", f"a grammar includes itself: {chain}", f"include {name}", line, source)
            )
            continue
        if len(above) > _DEEPEST_INCLUDES:
            message = f"grammars include one another more than {_DEEPEST_INCLUDES} deep"
            whole.problems.append(Problem("include", message, f"include {name}", line, source))
            continue
        beside = Path(source).parent / name
        try:
            where, content = grammar_text(name if library_text(name) is not None else beside)
        except GrammarError as error:
            whole.problems.append(Problem("include", str(error), f"include {name}", line, source))
            continue
        if recognise(content) != "binyan":
            message = f"{where} is a grammar of another tool; only Binyan's own notation can be included"
            whole.problems.append(Problem("include", message, f"include {name}", line, source))
            continue
        included = _with_includes(content, where, (*above, name))
        whole.statements += included.statements
        whole.marks |= included.marks
        whole.roles |= included.roles
        whole.assumed |= included.assumed
        whole.letters |= included.letters
        whole.problems += included.problems
        whole.start = (
            whole.start or included.start or (included.statements[0].lefts[0].name if included.statements else None)
        )
    whole.statements += own.statements
    whole.letters |= own.letters
    for symbol, setting in own.marks.items():
        if setting != (None, None) or symbol not in whole.marks:
            whole.marks[symbol] = setting
    for symbol, mark in own.roles.items():
        if symbol not in own.assumed or symbol not in whole.roles:
            whole.roles[symbol] = mark
    whole.assumed = {symbol for symbol in (*whole.assumed, *own.assumed) if not whole.roles[symbol].line}
    return whole


def _assume_roles(text: GrammarText) -> None:
    """Roles by traditional names, in a file without a `role` line."""
    roles = traditional_roles(left.name for statement in text.statements for left in statement.lefts)
    text.roles = {symbol: RoleMark(role, "", 0, text.source) for symbol, role in roles.items()}
    text.assumed = set(roles)


def _roles_without_rules(text: GrammarText) -> Iterator[Problem]:
    defined = {left.name for statement in text.statements for left in statement.lefts}
    for symbol, mark in text.roles.items():
        if symbol not in defined:
            near = get_close_matches(symbol, defined, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            message = f"{symbol} has the role {mark.role} and no rule{hint}"
            yield Problem("role-undefined", message, mark.text, mark.line, mark.source)
