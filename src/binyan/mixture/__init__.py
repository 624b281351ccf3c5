"""Mixtures of language models, with fixed weights or weights by context."""

from binyan.mixture.mixture import Mixture, check

__all__ = ["Mixture", "check"]
