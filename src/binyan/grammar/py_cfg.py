"""Grammar files of other tools: Mark Johnson's py-cfg, and bothameister/py-srcag, friendly and preprocessed.

All three write `[w [a [b]]] X --> Y Z`: w is the Dirichlet weight of the rule, a and b belong to X. A symbol with a = 1 is
not adapted; one without a is adapted with a and b learnt. The formats differ in how discontiguity is written::

    py-cfg              Word --> Prefix Stem          a symbol without a rule is a terminal (see also morphagram.py)
    py-srcag            Stem(abc) --> R3(a,c) T1(b)   T(x) --> eps is a terminal
    py-srcag (final)    Stem (((0 0) (0 2)) ((0 1))) --> R3 T1    where each argument on the right goes on the left
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import regex

from binyan.grammar.ast import Alternative, Given, GrammarText, Left, Statement, Use
from binyan.grammar.expansion import expand
from binyan.grammar.morphagram import ANY_CHARACTER, decoded
from binyan.grammar.problems import Problem
from binyan.grammar.rules import ANY, Adaptation, Rule, Variable

Format = Literal["binyan", "py-cfg", "py-srcag", "py-srcag-final"]

_LINE = regex.compile(r"\s*(?P<numbers>(?:[-+]?[\d.]+(?:[eE][-+]?\d+)?\s+){0,3})(?P<left>.*?)\s*-->\s*(?P<right>.*)")
_FINAL = regex.compile(r"(?P<name>\S+)\s+\((?P<map>\(.*\))\)")
_DIGITS = 9  # of an index; a longer one is refused because the arguments below it are missing
_PREDICATE = regex.compile(r"(?P<name>\w+)\((?P<arguments>.+)\)")


def recognise(text: str) -> Format:
    """The format of a grammar's text. Binyan's own unless the rules have the long arrow."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    long_arrows = [line for line in lines if "-->" in line]
    if len(long_arrows) * 2 <= len(lines):
        return "binyan"
    if any(_FINAL.fullmatch(m["left"]) for line in long_arrows if (m := _LINE.match(line))):
        return "py-srcag-final"
    if any(_PREDICATE.fullmatch(m["left"]) for line in long_arrows if (m := _LINE.match(line))):
        return "py-srcag"
    return "py-cfg"


@dataclass
class ImportedGrammar:
    """What a file of another tool holds."""

    start: str | None
    rules: list[Rule]
    adapted: dict[str, Adaptation]
    problems: list[Problem]


@dataclass(frozen=True)
class _Line:
    number: int
    content: str
    weight: float
    a: float | None
    b: float | None
    left: str
    right: str


def read_imported(text: str, source: str, form: Format) -> ImportedGrammar:
    """Read a grammar of another tool. Problems are collected, never raised."""
    problems: list[Problem] = []
    lines: list[_Line] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        content = regex.sub(r"(^|\s)#.*", "", raw) if form != "py-cfg" else regex.sub(r"^\s*(#|//).*", "", raw)
        if not content.strip():
            continue
        match = _LINE.fullmatch(content.strip())
        if match is None or not match["left"]:
            problems.append(
                Problem("syntax", f"not a rule of {form}: [w [a [b]]] X --> Y Z", raw.strip(), number, source)
            )
            continue
        numbers = [_number(n) for n in match["numbers"].split()]
        if not all(map(math.isfinite, numbers)):
            problems.append(Problem("syntax", "w, a and b are finite numbers", raw.strip(), number, source))
            continue
        weight = numbers[0] if numbers and numbers[0] > 0 else 1.0  # as these tools do with weights of 0 and below
        a = numbers[1] if len(numbers) > 1 else None
        b = numbers[2] if len(numbers) > 2 else None
        lines.append(_Line(number, raw.strip(), weight, a, b, match["left"], match["right"].strip()))
    reader = {"py-cfg": _read_cfg, "py-srcag": _read_friendly, "py-srcag-final": _read_final}[form]
    rules, start = reader(lines, source, problems)
    adapted = _last_adapted if form == "py-cfg" else _adapted
    return ImportedGrammar(start, rules, adapted(lines, source, problems), problems)


def _last_adapted(lines: list[_Line], source: str, problems: list[Problem]) -> dict[str, Adaptation]:
    """As py-cfg: a and b of a symbol are those that its rules give last; a symbol is adapted unless that a is 1."""
    settings: dict[str, tuple[float | None, float | None]] = {}
    for line in lines:
        a, b = settings.get(line.left, (None, None))
        if line.a is not None and a is not None and a != line.a:
            message = (
                f"a of {line.left} was {a:g} in an earlier rule and is {line.a:g} here; the last is taken, as by py-cfg"
            )
            problems.append(Problem("settings", message, line.content, line.number, source, "warning"))
        if (line.a is not None and line.a < 0) or (line.b is not None and line.b <= 0):
            message = f"a of {line.left} lies between 0 and 1, and b above 0"
            problems.append(Problem("settings", message, line.content, line.number, source))
            continue
        settings[line.left] = a if line.a is None else line.a, b if line.b is None else line.b
    plain = {name for name, (a, _) in settings.items() if a is not None and a >= 1}
    for name in sorted(plain & {line.left for line in lines if line.a is None}):
        first = next(line for line in lines if line.left == name and line.a is not None and line.a >= 1)
        message = f"{name} is not adapted in this rule (a = 1), so it is not in its other rules either, as in py-cfg"
        problems.append(Problem("settings", message, first.content, first.number, source, "warning"))
    return {name: Adaptation(a, b) for name, (a, b) in settings.items() if name not in plain}


def _adapted(lines: list[_Line], source: str, problems: list[Problem]) -> dict[str, Adaptation]:
    adapted: dict[str, Adaptation] = {}
    plain: dict[str, _Line] = {}
    for line in lines:
        name = _name(line.left)
        if line.right == "eps" or (line.a is not None and line.a >= 1):
            plain.setdefault(name, line)
            continue
        setting = Adaptation(line.a, line.b)
        if adapted.setdefault(name, setting) != setting and setting != Adaptation():
            message = f"a and b of {name} are set twice, to different values"
            problems.append(Problem("settings", message, line.content, line.number, source))
    for name in sorted(set(adapted) & set(plain)):
        message = f"{name} is not adapted in this rule (a = 1), and is in another"
        problems.append(Problem("settings", message, plain[name].content, plain[name].number, source))
    return adapted


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _name(left: str) -> str:
    match = _FINAL.fullmatch(left) or _PREDICATE.fullmatch(left)
    return match["name"] if match else left


def _unescape(symbol: str) -> str:
    return str(regex.sub(r"\\(.)", r"\1", symbol))


def _read_cfg(lines: list[_Line], source: str, problems: list[Problem]) -> tuple[list[Rule], str | None]:
    defined = {line.left for line in lines}
    rules: dict[tuple[str, str], Rule] = {}
    repeated: list[_Line] = []
    open_at = 0
    for line in lines:
        tokens = line.right.split()
        if not tokens:
            problems.append(Problem("empty", f"{line.left} derives nothing", line.content, line.number, source))
            continue
        if ANY_CHARACTER in tokens and ANY_CHARACTER not in defined:
            open_at = open_at or line.number
        symbols = defined | {ANY_CHARACTER} if open_at else defined
        rhs = tuple(token for token in tokens if token in symbols)
        children = iter(range(len(rhs)))
        argument = tuple(Variable(next(children), 0) if token in symbols else _terminal(token) for token in tokens)
        key = line.left, " ".join(tokens)
        weight = line.weight + (rules[key].weight if key in rules else 0.0)
        repeated += [line] if key in rules else []
        rules[key] = Rule(line.left, (argument,), rhs, weight, rules[key].line if key in rules else line.number)
    if repeated:
        message = f"{_rules(len(repeated))} there before; the weights are added, as by py-cfg"
        problems.append(Problem("repeated", message, repeated[0].content, repeated[0].number, source, "warning"))
    if open_at:
        message = f"{ANY_CHARACTER} has no rule: it stands for every character of the words, as in MorphAGram"
        problems.append(Problem("open", message, "", open_at, source, "warning"))
        rules[ANY_CHARACTER, ""] = Rule(ANY_CHARACTER, ((ANY,),), (), 1.0, open_at)
    return list(rules.values()), lines[0].left if lines else None


def _rules(count: int) -> str:
    return "this rule was" if count == 1 else f"this rule and {count - 1} others were"


def _terminal(token: str) -> str:
    return decoded(token) or _unescape(token)


def _read_friendly(lines: list[_Line], source: str, problems: list[Problem]) -> tuple[list[Rule], str | None]:
    """Translated into statements of Binyan's notation; what has no rule is the class of characters, as `-T` makes it."""
    text = GrammarText(source)
    names = {_name(line.left) for line in lines}
    undefined: dict[str, int] = {}
    for line in lines:
        left = _PREDICATE.fullmatch(line.left)
        name = left["name"] if left else line.left
        if line.right == "eps":
            if left is None:
                problems.append(Problem("empty", f"{name} derives nothing", line.content, line.number, source))
                continue
            atoms = tuple((Given(atom),) for atom in left["arguments"].split(","))
            statement = Statement(
                (Left(name, atoms),), (Alternative((), line.weight, True),), line.content, line.number, source
            )
        else:
            uses = []
            for part in line.right.split():
                use = _PREDICATE.fullmatch(part)
                arguments = (
                    None if use is None else "*" if use["arguments"] == "*" else tuple(use["arguments"].split(","))
                )
                uses.append(Use(use["name"] if use else part, arguments))  # type: ignore[arg-type]
                if uses[-1].name not in names:
                    undefined.setdefault(uses[-1].name, line.number)
            lefts = None if left is None else tuple(tuple(argument) for argument in left["arguments"].split(","))
            statement = Statement(
                (Left(name, lefts),), (Alternative(tuple(uses), line.weight),), line.content, line.number, source
            )
        text.statements.append(statement)
    rules, _, unusable = expand(text)
    problems.extend(unusable)
    if len(undefined) == 1 and all(rule.rhs for rule in rules):
        [(symbol, number)] = undefined.items()
        rules.append(Rule(symbol, ((ANY,),), (), 1.0, number))
    return rules, _name(lines[0].left) if lines else None


def _read_final(lines: list[_Line], source: str, problems: list[Problem]) -> tuple[list[Rule], str | None]:
    names = {_name(line.left) for line in lines}
    rules = []
    for line in lines:
        match = _FINAL.fullmatch(line.left)
        rhs = tuple(line.right.split())
        if match is None:
            problems.append(
                Problem("syntax", "the left side has no index map (((0 0)) ...)", line.content, line.number, source)
            )
            continue
        children = regex.findall(r"\((?:\([0-9]+ [0-9]+\)\s*)+\)", match["map"])
        places: dict[tuple[int, int], Variable | str] = {}
        for child, inside in enumerate(children):
            for argument, (i, j) in enumerate(regex.findall(r"\(([0-9]+) ([0-9]+)\)", inside)):
                terminal = len(rhs) == 1 and rhs[0] not in names
                place = int(i[:_DIGITS]), int(j[:_DIGITS])
                places[place] = _unescape(rhs[0]) if terminal else Variable(child, argument)
        if len(children) != len(rhs):
            message = f"the index map is for {len(children)} symbols, the right side has {len(rhs)}"
            problems.append(Problem("arity", message, line.content, line.number, source))
            continue
        arity = 1 + max((i for i, _ in places), default=0)
        if not places or len({i for i, _ in places}) != arity:
            message = "the index map leaves out an argument of the left side"
            problems.append(Problem("arity", message, line.content, line.number, source))
            continue
        arguments = tuple(tuple(places[k] for k in sorted(places) if k[0] == i) for i in range(arity))
        symbols = rhs if any(isinstance(v, Variable) for v in places.values()) else ()
        rules.append(Rule(match["name"], arguments, symbols, line.weight, line.number))
    return rules, _name(lines[0].left) if lines else None
