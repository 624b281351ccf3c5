"""What the symbols of a grammar stand for: `role prefix Pre` in a grammar file. Code asks for roles, never for names of symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import regex

ROLES: Mapping[str, str] = {
    "prefix": "pre",
    "stem": "stem",
    "suffix": "suf",
    "infix": "inf",
    "circumfix": "circ",
    "reduplicant": "redup",
    "clitic": "clitic",
    "root": "root",
    "template": "template",
}
"""Every role with the label that parts of words have for it, which gold files use, too."""

WITHIN_STEMS = frozenset({"root", "template"})
"""Roles of what is laced together inside a stem."""

BY_NAME: Mapping[str, str] = MappingProxyType({})
"""In place of the roles of a grammar: symbols have the roles of their traditional names."""

_TRADITIONAL = {
    "Pre": "prefix",
    "Prefix": "prefix",
    "Stem": "stem",
    "Suf": "suffix",
    "Suffix": "suffix",
    "Inf": "infix",
    "Infix": "infix",
    "Circ": "circumfix",
    "Circumfix": "circumfix",
    "Red": "reduplicant",
}
_ROOT = regex.compile(r"R(?:[2-9]|[1-9]\d+)")
_TEMPLATE = regex.compile(r"T\d+")


def traditional_roles(symbols: Iterable[str]) -> dict[str, str]:
    """The roles that symbols have by their names in a grammar file without a `role` line: Pre, Stem, R3, T2 and the like.

    >>> traditional_roles(["Word", "Pre", "R3", "R1", "T2"])
    {'Pre': 'prefix', 'R3': 'root', 'T2': 'template'}
    """
    roles = {}
    for symbol in symbols:
        if symbol in _TRADITIONAL:
            roles[symbol] = _TRADITIONAL[symbol]
        elif _ROOT.fullmatch(symbol):
            roles[symbol] = "root"
        elif _TEMPLATE.fullmatch(symbol):
            roles[symbol] = "template"
    return roles
