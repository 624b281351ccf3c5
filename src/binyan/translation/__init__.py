"""Translation with these language models: alignment, hierarchical rules, decoding, tuning, n-best rescoring."""

from binyan.translation.alignment import Alignments, align, symmetrise
from binyan.translation.bitext import Bitext, BitextSettings
from binyan.translation.bitext_cleaning import CleaningReport, CleaningSettings
from binyan.translation.decoder import Decoder, DecoderSettings, Hypothesis, TranslationSettings
from binyan.translation.derivation import DerivationStep, ExplainedTranslation, Explainer, Explanation
from binyan.translation.lattice_rescoring import LatticeRescorer
from binyan.translation.new_word_decoder import NewWordDecoder
from binyan.translation.new_word_learning import NewWordRecipe, learn_new_words
from binyan.translation.new_words import NewWords, NewWordSettings
from binyan.translation.rescoring import Rescorer
from binyan.translation.rule_extraction import ExtractionLimits, extract_rules
from binyan.translation.rule_table import RuleTable, TranslationRule
from binyan.translation.rule_text import read_rules, write_rules
from binyan.translation.system_folder import SystemSettings
from binyan.translation.translator import Translation, Translator
from binyan.translation.tuning import TunedWeights, TuningReport, TuningSettings, tune

__all__ = [
    "Alignments",
    "Bitext",
    "BitextSettings",
    "CleaningReport",
    "CleaningSettings",
    "Decoder",
    "DecoderSettings",
    "DerivationStep",
    "ExplainedTranslation",
    "Explainer",
    "Explanation",
    "ExtractionLimits",
    "Hypothesis",
    "LatticeRescorer",
    "NewWordDecoder",
    "NewWordRecipe",
    "NewWordSettings",
    "NewWords",
    "Rescorer",
    "RuleTable",
    "SystemSettings",
    "Translation",
    "TranslationRule",
    "TranslationSettings",
    "Translator",
    "TunedWeights",
    "TuningReport",
    "TuningSettings",
    "align",
    "extract_rules",
    "learn_new_words",
    "read_rules",
    "symmetrise",
    "tune",
    "write_rules",
]
