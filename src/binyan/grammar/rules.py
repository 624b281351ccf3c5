"""A grammar as a value: simple range concatenating rules, their Dirichlet weights, which symbols are adapted.

A rule such as Stem(abcde) -> R3(a,c,e) T2(b,d) is
Rule("Stem", ((V(0,0), V(1,0), V(0,1), V(1,1), V(0,2)),), ("R3", "T2")) with V = Variable(child, argument).
A context-free rule is the case where every symbol has one argument. Simple means that each argument of each
right-hand symbol occurs exactly once on the left; no argument is empty.

What a right-hand symbol derives may differ from what the word shows (silent, doubled or changed letters): such an argument is
not on the left but an `Underlying` of the rule. Stem(abc) -> R3(a,'w',c) T1(b) has V(0,0), V(1,0), V(0,2) on the left and
Underlying(0, 1, ("w",)).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from binyan.errors import GrammarError
from binyan.grammar.letters import class_name, is_class, letters_of_class
from binyan.grammar.roles import BY_NAME, ROLES, WITHIN_STEMS, traditional_roles
from binyan.grammar.script_letters import guessed_letters

if TYPE_CHECKING:
    from binyan.grammar.parser import WordParses

ANY = "\0any"
"""The terminal that stands for "any atom of the data" until `Grammar.with_terminals` fills it in; the atoms it leaves out
may follow, each after a NUL (see `any_but`)."""

HIDDEN = "§"
"""The first character of every symbol that Binyan adds (Kleene operators); trees leave such nodes out."""


def any_but(atoms: Iterable[str]) -> str:
    """The placeholder for any atom of the data but these."""
    return ANY + "".join(f"\0{atom}" for atom in atoms)


def is_any(atom: str) -> bool:
    """Whether a terminal is a placeholder."""
    return atom == ANY or atom.startswith(ANY + "\0") or is_class(atom)


def left_out(placeholder: str) -> frozenset[str]:
    """The atoms a placeholder does not stand for."""
    return frozenset(placeholder.removeprefix(ANY).split("\0")[1:])


class Variable(NamedTuple):
    """Argument `argument` of right-hand symbol `child`, both counted from 0; a free variable where `child` is FREE."""

    child: int
    argument: int


FREE = -2
"""In place of the child of a variable that is no whole argument by itself, only a part of underlying ones."""


class Underlying(NamedTuple):
    """Argument `argument` of right-hand symbol `child`, which the left side does not show as it is.

    `parts` are atoms and at most one variable of the left side.
    """

    child: int
    argument: int
    parts: tuple[Variable | str, ...]


@dataclass(frozen=True)
class Rule:
    """Simple range concatenating rule; `weight` is its Dirichlet pseudo-count, `line` its place in a file."""

    lhs: str
    arguments: tuple[tuple[Variable | str, ...], ...]
    rhs: tuple[str, ...]
    weight: float = 1.0
    line: int = 0
    underlying: tuple[Underlying, ...] = ()

    @property
    def arity(self) -> int:
        """How many arguments the left-hand symbol has."""
        return len(self.arguments)

    def rhs_arity(self, child: int) -> int:
        """How many arguments right-hand symbol `child` has in this rule."""
        used = [e.argument for a in self.arguments for e in a if isinstance(e, Variable) and e.child == child]
        return max([*used, *(u.argument for u in self.underlying if u.child == child)], default=-1) + 1

    def __str__(self) -> str:
        if not self.rhs and len(self.arguments) == 1:
            return f"{self.lhs} -> {' '.join(_terminal(str(e)) for e in self.arguments[0])}"
        letters: dict[Variable, str] = {}
        left = []
        for argument in self.arguments:
            text = ""
            for e in argument:
                if isinstance(e, Variable):
                    text += letters.setdefault(e, _letter(len(letters)))
                else:
                    text += _terminal(e)
            left.append(text)
        right = []
        texts = {
            (u.child, u.argument): " ".join(
                letters.get(part, "?") if isinstance(part, Variable) else _terminal(part) for part in u.parts
            )
            for u in self.underlying
        }
        for child, symbol in enumerate(self.rhs):
            places = [(child, i) for i in range(self.rhs_arity(child))]
            names = (texts.get(place) or letters.get(Variable(*place), "?") for place in places)
            right.append(f"{symbol}({','.join(names)})")
        return f"{self.lhs}({','.join(left)}) -> {' '.join(right)}".rstrip()


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"x{i}"


def _terminal(atom: str) -> str:
    if is_class(atom):
        return f"<{class_name(atom)}>"
    if is_any(atom):
        return f'<any but "{"".join(sorted(left_out(atom)))}">' if left_out(atom) else "<any>"
    return f'"{atom}"' if "'" in atom else f"'{atom}'"


@dataclass(frozen=True)
class Adaptation:
    """How an adapted symbol is adapted. None means sampled: a ~ Beta(1,1), b ~ Gamma(shape 0.1, scale 10)."""

    a: float | None = None
    b: float | None = None

    def __post_init__(self) -> None:
        if self.a is not None and not 0.0 <= self.a < 1.0:
            raise GrammarError(f"the discount a of an adapted symbol lies in [0, 1), not {self.a}")
        if self.b is not None and self.b + (self.a or 0.0) <= 0.0:
            raise GrammarError(f"the concentration b of an adapted symbol must exceed -a, not {self.b}")


@dataclass(frozen=True, repr=False)
class Grammar:
    """Rules in order, the start symbol (of one argument), the adapted symbols, and what symbols stand for.

    `roles` has the roles of symbols (see `binyan.grammar.roles`); where none are given, symbols have the roles of their traditional
    names. `assumed` are the symbols whose role was not declared but follows from their name. `letters` has the letters of the classes
    that rules name, such as `<vowel>`.

    >>> grammar = Grammar.load("concat")
    >>> grammar
    <Grammar concat: 10 rules of 6 symbols>
    >>> grammar.parse("ab").derivations
    3.0
    >>> grammar.role("Suf")
    'suffix'
    """

    name: str
    start: str
    rules: tuple[Rule, ...]
    adapted: Mapping[str, Adaptation] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=lambda: BY_NAME)
    assumed: frozenset[str] = frozenset()
    letters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.roles is BY_NAME:
            roles = traditional_roles(self.symbols)
            object.__setattr__(self, "roles", roles)
            object.__setattr__(self, "assumed", frozenset(roles))

    def __repr__(self) -> str:
        symbols = {rule.lhs for rule in self.rules}
        return f"<Grammar {self.name}: {len(self.rules):,} rules of {len(symbols)} symbols>"

    @classmethod
    def load(cls, name_or_path: str | Path) -> Grammar:
        """A shipped grammar by its name (`binyan grammar list` shows them), or a grammar file."""
        from binyan.grammar.notation import load_grammar

        return load_grammar(name_or_path)

    @classmethod
    def from_text(cls, text: str, name: str = "grammar") -> Grammar:
        """The grammar of a text in Binyan's notation, or that of py-cfg or py-srcag. Raises InvalidGrammar."""
        from binyan.grammar.notation import read_grammar

        return read_grammar(text, name)

    def parse(self, word: str, n: int = 1, full: bool = True) -> WordParses:
        """The `n` most probable analyses of a word by the prior alone; nothing is learnt.

        Without `full`, the trees leave out symbols of single characters.
        """
        from binyan.grammar.parser import parse_word

        return parse_word(self, word, n, full)

    def expanded(self) -> str:
        """Every rule on a line of its own, with its weight."""
        marks = ("@" if rule.lhs in self.adapted else "" for rule in self.rules)
        return "".join(f"{rule.weight:g}\t{mark}{rule}\n" for rule, mark in zip(self.rules, marks, strict=True))

    def same_rules(self, other: Grammar) -> bool:
        """Whether two grammars have the same start, rules, weights, adaptors and letters, wherever these stand in their files."""
        mine, theirs = ([(r.lhs, r.arguments, r.rhs, r.weight, r.underlying) for r in g.rules] for g in (self, other))
        mine_too, theirs_too = ((g.start, g.adapted, dict(g.letters)) for g in (self, other))
        return mine == theirs and mine_too == theirs_too

    def role(self, symbol: str) -> str | None:
        """The role of a symbol; None where it has none."""
        return self.roles.get(symbol)

    def with_role(self, *roles: str) -> frozenset[str]:
        """The symbols that have one of these roles."""
        return frozenset(symbol for symbol, role in self.roles.items() if role in roles)

    @cached_property
    def segment_labels(self) -> Mapping[str, str]:
        """The symbols along which words are split, with the labels of their parts.

        They are the symbols with a role, where that of a root or template was declared; else those adapted but for the start symbol.
        """
        labels = {
            symbol: ROLES[role]
            for symbol, role in self.roles.items()
            if role not in WITHIN_STEMS or symbol not in self.assumed
        }
        return labels or {symbol: symbol for symbol in self.adapted if symbol != self.start}

    @staticmethod
    def hidden(symbol: str) -> bool:
        """Whether Binyan added the symbol; such nodes are left out of the trees a user sees."""
        return symbol.startswith(HIDDEN)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """All symbols, the start first, then in order of first use."""
        seen = dict.fromkeys([self.start])
        for rule in self.rules:
            seen.update(dict.fromkeys((rule.lhs, *rule.rhs)))
        return tuple(seen)

    @cached_property
    def rules_of(self) -> Mapping[str, tuple[int, ...]]:
        """The indices of the rules of each left-hand symbol."""
        places: dict[str, list[int]] = {s: [] for s in self.symbols}
        for i, rule in enumerate(self.rules):
            places[rule.lhs].append(i)
        return {s: tuple(r) for s, r in places.items()}

    def arity(self, symbol: str) -> int:
        """How many arguments the symbol has (by its first rule)."""
        rules = self.rules_of.get(symbol, ())
        return self.rules[rules[0]].arity if rules else 0

    @cached_property
    def terminals(self) -> frozenset[str]:
        """Every atom that a rule names, without placeholders."""
        return frozenset(
            e
            for r in self.rules
            for a in (*r.arguments, *(u.parts for u in r.underlying))
            for e in a
            if not isinstance(e, Variable) and not is_any(e)
        )

    @property
    def has_underlying(self) -> bool:
        """Whether a rule has letters that the word does not show."""
        return any(rule.underlying for rule in self.rules)

    @property
    def open_terminals(self) -> bool:
        """Whether a rule still holds a placeholder."""
        return any(_places(rule) for rule in self.rules)

    @cached_property
    def letter_classes(self) -> frozenset[str]:
        """The classes of letters that rules name, whether or not their letters are given."""
        return frozenset(class_name(place) for rule in self.rules for place in _places(rule) if is_class(place))

    def with_letters(self, letters: Mapping[str, Iterable[str]]) -> Grammar:
        """The grammar with the letters of classes that its rules name, such as {"vowel": "aeiou"}.

        Classes given before stay; those of the same name are replaced. Without a class "consonant", every letter is a consonant that is
        no vowel.

        >>> grammar = Grammar.from_text("Word -> V+ | C+\\nV -> <vowel>\\nC -> <consonant>").with_letters({"vowel": "ae"})
        >>> [str(rule) for rule in grammar.with_terminals("abc").rules[-3:]]
        ["V -> 'a'", "C -> 'b'", "C -> 'c'"]
        """
        return replace(self, letters={**self.letters, **{name: tuple(atoms) for name, atoms in letters.items()}})

    def with_terminals(self, atoms: Iterable[str]) -> Grammar:
        """Replace each rule that holds a placeholder by one rule of the same weight for each atom, sorted.

        Classes of letters that are not given are those of the script, where these are known (`binyan.grammar.script_letters`).
        """
        ordered = sorted(set(atoms))
        if any(name not in self.letters for name in self.letter_classes):
            guessed = guessed_letters(frozenset(ordered))
            if guessed:
                return replace(self, letters={**guessed, **self.letters})._filled_with(ordered)
        return self._filled_with(ordered)

    def _filled_with(self, ordered: list[str]) -> Grammar:
        rules: list[Rule] = []
        for rule in self.rules:
            places = _places(rule)
            if not places:
                rules.append(rule)
                continue
            if rule.underlying:
                rules += self._filled(rule, ordered)
                continue
            if len(places) > 1:
                raise GrammarError(
                    f"line {rule.line}: {rule} holds more than one open terminal; use a symbol such as Char"
                )
            for atom in self._stood_for(places[0], ordered):
                filled = tuple(tuple(atom if e == places[0] else e for e in a) for a in rule.arguments)
                rules.append(replace(rule, arguments=filled))
        return replace(self, rules=tuple(rules))

    def _filled(self, rule: Rule, ordered: list[str]) -> Iterator[Rule]:
        """A rule with letters that the word does not show: every choice of letters, but none where a class has no letter here."""

        def options(part: Variable | str) -> list[Variable | str]:
            if isinstance(part, Variable) or not is_any(part):
                return [part]
            if is_class(part) and not frozenset(self.letters.get(class_name(part), "")) & frozenset(ordered):
                return []
            return [*self._stood_for(part, ordered)]

        def choices(parts: tuple[Variable | str, ...]) -> list[tuple[Variable | str, ...]]:
            return list(product(*map(options, parts)))

        for arguments in product(*map(choices, rule.arguments)):
            for hidden in product(*(choices(u.parts) for u in rule.underlying)):
                filled = (u._replace(parts=parts) for u, parts in zip(rule.underlying, hidden, strict=True))
                yield replace(rule, arguments=arguments, underlying=tuple(filled))

    def _stood_for(self, placeholder: str, ordered: list[str]) -> list[str]:
        if not is_class(placeholder):
            return [atom for atom in ordered if atom not in left_out(placeholder)]
        members = letters_of_class(class_name(placeholder), self.letters, ordered, self.name)
        return [atom for atom in ordered if atom in members]


def _places(rule: Rule) -> list[str]:
    parts = (*rule.arguments, *(u.parts for u in rule.underlying))
    return [e for argument in parts for e in argument if isinstance(e, str) and is_any(e)]
