"""Grammars of words: simple range concatenating grammars, their notation, checks, parser and pictures."""

from binyan.grammar.library import shipped_grammars
from binyan.grammar.notation import grammar_text, load_grammar, read_grammar
from binyan.grammar.parser import Parser, WordParses
from binyan.grammar.report import GrammarReport, check_grammar
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Leaf, Tree, parse_tree

__all__ = [
    "Grammar",
    "GrammarReport",
    "Leaf",
    "Parser",
    "Tree",
    "WordParses",
    "check_grammar",
    "grammar_text",
    "load_grammar",
    "parse_tree",
    "read_grammar",
    "shipped_grammars",
]
