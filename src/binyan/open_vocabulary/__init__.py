"""Open vocabularies: every string has a probability, by a model of spelling behind any language model."""

from binyan.open_vocabulary.calibration import Calibration
from binyan.open_vocabulary.model import OpenVocabulary

__all__ = ["Calibration", "OpenVocabulary"]
