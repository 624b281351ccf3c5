"""Reading one rule of a grammar file: recursive descent over its tokens."""

from __future__ import annotations

from typing import Literal

import regex

from binyan.grammar.ast import (
    Alternative,
    Any,
    ArgumentPart,
    Given,
    GrammarText,
    Group,
    Item,
    Left,
    LetterClass,
    Repetition,
    Use,
)

_TOKEN = regex.compile(
    r"""(?P<space>\s+)
      | (?P<arrow>->|→)
      | (?P<any><any(?:\s+(?P<filter>of|but)\s+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'))?\s*>)
      | (?P<class><\p{L}[\p{L}\p{N}_-]*>)
      | (?P<quoted>'[^']*'|"[^"]*")
      | (?P<settings>\[[^\]]*\])
      | (?P<eps>(?:eps|ε)(?![\w(]))
      | (?P<name>@?[\p{L}_][\p{L}\p{N}_]*)
      | (?P<mark>[+*?|(),])
    """,
    regex.VERBOSE,
)
_VARIABLES = regex.compile(r"""'[^']*'|"[^"]*"|<\p{L}[\p{L}\p{N}_-]*>|\p{L}\p{M}*\d*|\s+|.""")


DEEPEST_BRACKETS = 50
"""How deep brackets may stand inside one another on the right side of a rule."""


class UnreadableLine(Exception):
    """Why a line cannot be read; `code` names the kind of problem."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class RuleReader:
    """Recursive descent over the tokens of one rule."""

    def __init__(self, content: str, grammar: GrammarText) -> None:
        self.grammar = grammar
        self.depth = 0
        self.tokens: list[tuple[str, str, bool]] = []  # kind, text, whether white space stands before it
        place, spaced = 0, True
        while place < len(content):
            match = _TOKEN.match(content, place)
            if match is None:
                raise UnreadableLine(
                    "syntax",
                    f"cannot read {content[place : place + 12]!r}; characters of words are written in quotes",
                )
            if match.lastgroup != "space":
                kind = next(k for k in _KINDS if match[k] is not None)
                self.tokens.append((kind, match[0], spaced))
            spaced = match["space"] is not None
            place = match.end()
        self.place = 0

    def peek(self) -> tuple[str, str, bool]:
        """The next token: its kind, its text, and whether white space stands before it."""
        return self.tokens[self.place] if self.place < len(self.tokens) else ("end", "", True)

    def take(self) -> tuple[str, str, bool]:
        """The next token, which is used up."""
        token = self.peek()
        self.place += 1
        return token

    def lefts(self) -> tuple[Left, ...]:
        """The left sides of a rule, up to its arrow."""
        lefts: list[Left] = []
        while True:
            kind, text, _ = self.take()
            if kind != "name":
                raise UnreadableLine("syntax", f"a rule starts with a symbol, not {text!r}")
            name = self.symbol(text)
            arguments = self.raw_arguments()
            lefts.append(Left(name, None if arguments is None else self.left_arguments(arguments)))
            kind, text, _ = self.take()
            if kind == "arrow":
                return tuple(lefts)
            if text != "|":
                raise UnreadableLine("no-arrow", "a rule needs an arrow: Left -> Right")

    def marks(self) -> None:
        """The symbols of an `adapt` line."""
        while True:
            kind, text, _ = self.take()
            if kind == "end":
                return
            if kind != "name":
                raise UnreadableLine("syntax", f"'adapt' takes symbols, not {text!r}")
            self.symbol("@" + text.removeprefix("@"))

    def symbol(self, text: str) -> str:
        """Note the mark and settings of a symbol, and give its name."""
        name = text.removeprefix("@")
        a = b = None
        kind, settings, spaced = self.peek()
        if kind == "settings" and not spaced:
            self.take()
            values = _settings(settings, ("a", "b"))
            a, b = values.get("a"), values.get("b")
            if not text.startswith("@"):
                raise UnreadableLine("settings", f"a and b belong to an adapted symbol: write @{name}{settings}")
            if a is not None and not 0 <= a < 1:
                raise UnreadableLine(
                    "settings", f"the discount a of {name} is {a:g}; it must be at least 0 and below 1"
                )
            if b is not None and (b < 0 or (b == 0 and not a)):
                raise UnreadableLine("settings", f"the concentration b of {name} is {b:g}; it must be above 0")
        if text.startswith("@"):
            known = self.grammar.marks.get(name)
            if known not in (None, (None, None)) and (a, b) not in ((None, None), known):
                raise UnreadableLine("settings", f"a and b of {name} are set twice, to different values")
            if known in (None, (None, None)):
                self.grammar.marks[name] = (a, b)
        return name

    def raw_arguments(self) -> list[str] | None:
        """The text of each argument, if an argument list follows at once."""
        if self.peek()[1] != "(" or self.peek()[2]:
            return None
        self.take()
        arguments = [""]
        while True:
            kind, text, spaced = self.take()
            if kind in ("end", "arrow"):
                raise UnreadableLine("brackets", "a bracket is not closed")
            if text == ")":
                return arguments
            if text == ",":
                arguments.append("")
            elif text == "(":
                raise UnreadableLine("brackets", "an argument list holds variables, no further brackets")
            else:
                arguments[-1] += (" " if spaced else "") + text

    def left_arguments(self, raw: list[str]) -> tuple[tuple[ArgumentPart, ...], ...]:
        """Variables and given characters of the arguments of a left side."""
        return tuple(tuple(_variables(argument)) for argument in raw)

    def alternatives(self) -> tuple[Alternative, ...]:
        """The right sides of a rule."""
        alternatives = []
        while True:
            items = self.items()
            weight = 1.0
            if self.peek()[0] == "settings":
                weight = _settings(self.take()[1], ("w",)).get("w", 1.0)
                if not weight > 0:
                    raise UnreadableLine("weight", f"a weight is a Dirichlet parameter above 0, not {weight:g}")
            if not items and not self.saw_eps:
                raise UnreadableLine(
                    "empty", "nothing stands on the right side; write eps where all characters stand on the left"
                )
            alternatives.append(Alternative(tuple(items), weight, not items))
            kind, text, _ = self.take()
            if kind == "end":
                return tuple(alternatives)
            if text != "|":
                raise UnreadableLine("syntax", f"{text!r} is not expected here")

    def items(self) -> list[Item]:
        """What stands on one right side, or in brackets."""
        items: list[Item] = []
        self.saw_eps = False
        while True:
            kind, text, _ = self.peek()
            if kind == "eps":
                self.take()
                self.saw_eps = True
                continue
            if kind == "name":
                self.take()
                name = self.symbol(text)
                raw = self.raw_arguments()
                arguments = None if raw is None else self.right_arguments(raw)
                items.append(Use(name, arguments, self.repetition()))
            elif kind == "quoted":
                self.take()
                if len(text) == 2:
                    raise UnreadableLine("syntax", "quotes without a character between them")
                items.append(Given(text[1:-1], self.repetition()))
            elif kind == "any":
                self.take()
                match = _TOKEN.match(text)
                assert match is not None
                chars = match["double"] if match["double"] is not None else match["single"]
                of = chars if match["filter"] == "of" else None
                but = (chars or "") if match["filter"] == "but" else ""
                items.append(Any(of, but, self.repetition()))
            elif kind == "class":
                self.take()
                items.append(LetterClass(text[1:-1], self.repetition()))
            elif text == "(":
                items.append(self.group())
            else:
                if self.saw_eps and items:
                    raise UnreadableLine("syntax", "eps stands alone on a right side")
                return items

    def group(self) -> Group:
        """Items in brackets."""
        self.take()
        self.depth += 1
        if self.depth > DEEPEST_BRACKETS:
            raise UnreadableLine("brackets", f"brackets stand more than {DEEPEST_BRACKETS} deep inside one another")
        alternatives = [tuple(self.items())]
        while self.peek()[1] == "|":
            self.take()
            alternatives.append(tuple(self.items()))
        if self.take()[1] != ")":
            raise UnreadableLine("brackets", "a bracket is not closed")
        if not all(alternatives):
            raise UnreadableLine("empty", "brackets, or one of the alternatives in them, are empty")
        self.depth -= 1
        return Group(tuple(alternatives), self.repetition())

    def right_arguments(self, raw: list[str]) -> tuple[tuple[ArgumentPart, ...], ...] | Literal["*"]:
        """The arguments of a symbol on the right: variables, and characters the word does not show; "*" for sharing."""
        if [argument.strip() for argument in raw] == ["*"]:
            return "*"
        arguments: list[tuple[ArgumentPart, ...]] = []
        for argument in raw:
            parts = _variables(argument)
            if sum(isinstance(part, str) for part in parts) > 1:
                raise UnreadableLine(
                    "right-argument",
                    f"each argument on the right has at most one variable, not {argument.strip()!r} "
                    f"(join variables on the left)",
                )
            arguments.append(tuple(parts))
        return tuple(arguments)

    def repetition(self) -> Repetition:
        """The mark of repetition that follows at once, if any."""
        text, spaced = self.peek()[1:]
        if text in ("?", "*", "+") and not spaced:
            self.take()
            return text  # type: ignore[return-value]
        return ""


_KINDS = ("space", "arrow", "any", "class", "quoted", "settings", "eps", "name", "mark")


def _variables(argument: str) -> list[ArgumentPart]:
    """Variables of one argument: letters, each with digits of its own if need be; quoted parts are characters, <vowel> a class."""
    parts: list[ArgumentPart] = []
    for part in _VARIABLES.findall(argument):
        if part.isspace():
            continue
        if part[0] in "'\"" and len(part) > 2:
            parts.append(Given(part[1:-1]))
        elif part[0] == "<" and len(part) > 2:
            parts.append(LetterClass(part[1:-1]))
        elif part[0].isalpha():
            parts.append(part)
        else:
            raise UnreadableLine("variable", f"{part!r} is not a variable; variables are letters such as a, b, c1")
    if not parts:
        raise UnreadableLine("variable", "an argument is empty; each holds at least one variable")
    return parts


def _settings(text: str, allowed: tuple[str, ...]) -> dict[str, float]:
    values: dict[str, float] = {}
    for part in regex.split(r"[\s,]+", regex.sub(r"\s*=\s*", "=", text[1:-1].strip())):
        match = regex.fullmatch(r"(\w+)=([-+.\deE]+)", part)
        try:
            if match is None or match[1] not in allowed:
                raise ValueError
            values[match[1]] = float(match[2])
        except ValueError:
            example = ", ".join(f"{name}=1" for name in allowed)
            raise UnreadableLine("settings", f"cannot read the settings {text}; write them as [{example}]") from None
    return values
