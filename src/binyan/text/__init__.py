"""Text: reading, preparation (tokenisation and normalisation), atoms of words, vocabularies, corpora."""

from binyan.text.atoms import atoms
from binyan.text.corpus import Corpus
from binyan.text.preparation import Preparation
from binyan.text.reading import TaggedSentence, read_lines, read_sentences, read_tagged
from binyan.text.vocabulary import Vocabulary, VocabularyPolicy

__all__ = [
    "Corpus",
    "Preparation",
    "TaggedSentence",
    "Vocabulary",
    "VocabularyPolicy",
    "atoms",
    "read_lines",
    "read_sentences",
    "read_tagged",
]
