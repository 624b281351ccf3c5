"""What MorphAGram adds to grammars of py-cfg: terminals in hexadecimal digits, marks for the edges of words, names of morphs.

MorphAGram (Eskander et al. 2020) writes every character as the digits of its UTF-16 form, with the byte order mark: `fffe3004` is а. A grammar
that was not yet joined with an alphabet has the symbol Char without a rule, which stands for every character.
"""

from __future__ import annotations

from collections.abc import Collection

import regex

from binyan.grammar.roles import traditional_roles
from binyan.grammar.word_edges import WORD_END, WORD_START

EDGES = {"^^^": WORD_START, "$$$": WORD_END}
ANY_CHARACTER = "Char"

_HEX = regex.compile(r"fffe(?:[0-9a-fA-F]{4}){1,2}")
# The symbols that MorphAGram splits words on, and those above them, which then are no morphs.
_MORPHS = {"PrefixMorph": "prefix", "SuffixMorph": "suffix", "Morph": "stem", "M1": "stem", "M2": "suffix"}
_SEQUENCES = {"Prefix": "PrefixMorph", "Suffix": "SuffixMorph"}


def decoded(token: str) -> str | None:
    """The character that a token of MorphAGram stands for; None for any other token.

    >>> decoded("fffe3004"), decoded("^^^"), decoded("face")
    ('а', '\\x02', None)
    """
    if token in EDGES:
        return EDGES[token]
    if not _HEX.fullmatch(token):
        return None
    try:
        return bytes.fromhex(token).decode("utf-16")
    except UnicodeDecodeError:
        return None


def decoded_word(line: str) -> str | None:
    """The word of a line of MorphAGram's list, `^^^ fffe3004 fffe3104 $$$`; None for any other line.

    >>> decoded_word("^^^ fffe3004 fffe3104 $$$")
    'аб'
    """
    characters = [decoded(token) for token in line.split()]
    if not characters or any(c is None for c in characters) or set(characters) <= {WORD_START, WORD_END}:
        return None
    return "".join(c for c in characters if c and c not in (WORD_START, WORD_END))


def morph_roles(symbols: Collection[str]) -> dict[str, str] | None:
    """The roles of the symbols of a grammar of MorphAGram; None where they are known by their traditional names."""
    roles = {symbol: role for symbol, role in _MORPHS.items() if symbol in symbols}
    if not roles:
        return None
    others = traditional_roles(symbols)
    return roles | {s: role for s, role in others.items() if _SEQUENCES.get(s) not in roles}
