"""Binyan: probabilistic models that see inside words."""

__version__ = "0.1.0"
