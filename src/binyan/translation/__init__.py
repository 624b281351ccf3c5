"""Translation with these language models: alignment, hierarchical rules, decoding, tuning, n-best rescoring."""

from binyan.translation.alignment import Alignments, align, symmetrise
from binyan.translation.bitext import Bitext
from binyan.translation.decoder import Decoder, DecoderSettings, Hypothesis
from binyan.translation.grammar import ExtractionLimits, Grammar
from binyan.translation.grammar_text import read_grammar, write_grammar
from binyan.translation.tuning import Tuned, TuningSettings, tune

__all__ = [
    "Alignments",
    "Bitext",
    "Decoder",
    "DecoderSettings",
    "ExtractionLimits",
    "Grammar",
    "Hypothesis",
    "Tuned",
    "TuningSettings",
    "align",
    "read_grammar",
    "symmetrise",
    "tune",
    "write_grammar",
]
