"""Demonstration data made by small grammars of our own, seeded: German-like text with compounds, Semitic-like words."""

from binyan.demo.german import GermanText, german_text
from binyan.demo.semitic import SemiticWord, semitic_words

__all__ = ["GermanText", "SemiticWord", "german_text", "semitic_words"]
