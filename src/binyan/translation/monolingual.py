"""Text in the target language beyond the bitext, and whether it is in that language at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from binyan.errors import InputError
from binyan.files import PathLike
from binyan.signature import digest
from binyan.text import Preparation
from binyan.translation.bitext import Bitext, read_words

_FREQUENT = 100  # words of the bitext by which a language is known
_LEAST_SHARE = (
    0.08  # of a text of the same language that these words make up; across domains it was 16 per cent and more
)
_JUDGED = 500  # words that a text must have to be judged


def read_monolingual(paths: Sequence[PathLike], preparation: Preparation, bitext: Bitext) -> list[list[str]]:
    """The prepared sentences of target texts. Raises InputError for one that is in another language."""
    texts = []
    for path in paths:
        sentences = [sentence for sentence in read_words(path, preparation) if sentence]
        if not sentences:
            raise InputError(f"{path}: holds no sentence")
        check_language(sentences, bitext, str(path))
        texts += sentences
    return texts


def check_language(sentences: Iterable[Sequence[str]], bitext: Bitext, name: str) -> None:
    """Raise InputError unless the frequent words of the bitext's target side are frequent in a text, and more so than the source's."""
    counts = _word_counts(sentences)
    target, source = (share_of_frequent(counts, _word_counts(side)) for side in (bitext.target, bitext.source))
    if counts.total() < _JUDGED or target >= max(_LEAST_SHARE, source):
        return
    shares = f"{100 * target:.1f} per cent of its words, those of the source side {100 * source:.1f}"
    language = "the source language" if source >= _LEAST_SHARE else "another language, or in another case"
    raise InputError(
        f"{name}: the {_FREQUENT} most frequent words of the bitext's target side are {shares}: it is in {language}; "
        "give text in the target language, in the same case"
    )


def share_of_frequent(text: Counter[str], model: Counter[str]) -> float:
    """The share of a text that the most frequent words of another make up, words without letters left out."""
    frequent = [word for word, _ in model.most_common(_FREQUENT)]
    return sum(text[word] for word in frequent) / max(text.total(), 1)


def text_digest(sentences: Iterable[Sequence[str]]) -> str:
    """Digits that stand for the sentences."""
    return digest("\n".join(map(" ".join, sentences)).encode())


def _word_counts(sentences: Iterable[Sequence[str]]) -> Counter[str]:
    return Counter(word for sentence in sentences for word in sentence if any(letter.isalpha() for letter in word))
