"""What is known before learning: analyses of words, morphemes, roots and classes of letters."""

from binyan.morphology.knowledge.applied import AppliedKnowledge, apply_knowledge
from binyan.morphology.knowledge.knowledge import Contradiction, Knowledge, KnowledgeSettings
from binyan.morphology.knowledge.known_words import KnownWord, read_known_words
from binyan.morphology.knowledge.morphemes import KnownMorpheme, read_affixes, read_roots

__all__ = [
    "AppliedKnowledge",
    "Contradiction",
    "Knowledge",
    "KnowledgeSettings",
    "KnownMorpheme",
    "KnownWord",
    "apply_knowledge",
    "read_affixes",
    "read_known_words",
    "read_roots",
]
