"""Grammars: notation, checks, the shipped grammars, trees and their drawing."""
