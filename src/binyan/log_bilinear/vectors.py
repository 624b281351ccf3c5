"""Word and morpheme vectors of a trained model: composition, neighbours, measures, exchange formats (thesis, section 4.4.5).

The vector of a word is [q~; r~], context and target side concatenated, each the sum of the word's factors. A word outside the
vocabulary has the sum of its known morphemes, and that of <unk> only where none is known.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.files import PathLike, replacing, write_bytes
from binyan.log_bilinear.factor_map import factors_of
from binyan.log_bilinear.morpheme_guess import guess_morphemes
from binyan.log_bilinear.settings import VectorSettings
from binyan.log_bilinear.similarity import SimilarityResult, WordPair, evaluate_similarity, read_pairs
from binyan.settings import gather, takes_settings
from binyan.text.vocabulary import BEGIN_ID, SPECIALS, UNKNOWN_ID

if TYPE_CHECKING:
    from binyan.log_bilinear.vector_model import VectorLanguageModel

_SHORTEST_PART = 4  # letters of a word that may be guessed as a part of another


@dataclass(frozen=True)
class WordMorphemes:
    """The morphemes of a word that have vectors, and where they come from.

    `origin`: the "vocabulary" (the word has a vector of its own, which holds them), the "word map", a "guess", or "none" (the word
    is <unk>).
    """

    word: str
    morphemes: tuple[str, ...]
    origin: Literal["vocabulary", "word map", "guess", "none"]

    def __str__(self) -> str:
        return f"{self.word} = {' + '.join(self.morphemes) or '?'} ({self.origin})"


class Vectors:
    """The vectors of a model, by word: of any word, as `vectors["unreadable"]`, also outside the vocabulary.

    `word_map` segments words outside the vocabulary; by default the model's own map does. `guess`: a word that the map lacks is
    guessed to be made of morphemes the model knows; `morphemes_of` says which happened. Without `compose` all such words are
    <unk>. `side`: "both" sides of the model concatenated, or its "context" or "target" vectors.
    """

    @takes_settings(VectorSettings)
    def __init__(self, model: VectorLanguageModel, **settings: Any) -> None:
        [self.settings] = gather("Vectors", settings, VectorSettings)
        self.model, self.vocabulary = model, model.closed_vocabulary
        self._table = self.settings.table if self.settings.table is not None else model.segmentations
        q = model.context_vectors.numpy()[: len(self.vocabulary)]
        r = np.zeros_like(q)
        r[model.network.targets.word_of] = model.target_vectors.numpy()
        self.matrix: NDArray[np.float32] = self._sides(q, r)
        self.morphemes: tuple[str, ...] = model.factor_map.morphemes if model.shape.variant.additive else ()
        self.morpheme_matrix = self._morpheme_matrix()

    @takes_settings(VectorSettings)
    def using(self, **settings: Any) -> Vectors:
        """The vectors of the same model with other settings."""
        [changed] = gather("Vectors", {"settings": self.settings, **settings}, VectorSettings)
        return self if changed == self.settings else Vectors(self.model, settings=changed)

    @property
    def words(self) -> list[str]:
        """The words of the vocabulary."""
        return self.vocabulary.own_words

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Vectors of {len(self):,} words and {len(self.morphemes):,} morphemes, {self.dim} dimensions>"

    def _sides(self, q: NDArray[np.float32], r: NDArray[np.float32]) -> NDArray[np.float32]:
        return {"both": np.concatenate([q, r], axis=1), "context": q, "target": r}[self.settings.side]

    def _morpheme_matrix(self) -> NDArray[np.float32]:
        network, variant, count = self.model.network, self.model.shape.variant, len(self.morphemes)
        none = np.zeros((count, network.shape.dim), np.float32)
        q, r = (factors.detach().numpy()[len(factors) - count :] for factors in (network.Q, network.R))
        return self._sides(q if variant.context else none, r if variant.output else none)

    # Words.

    def morphemes_of(self, word: str) -> WordMorphemes:
        """The morphemes of any word, and where they come from."""
        in_table = [m for m in factors_of(self._table, word) if m in self.model.factor_map.morpheme_index]
        if word in self.vocabulary:
            return WordMorphemes(word, tuple(in_table), "vocabulary")
        if self.settings.compose and in_table:
            return WordMorphemes(word, tuple(in_table), "word map")
        can_guess = self.settings.compose and self.settings.guess and word not in self._table
        guess = guess_morphemes(word, self._uses, self._links) if can_guess else []
        return WordMorphemes(word, tuple(guess), "guess" if guess else "none")

    def known_morphemes(self, word: str) -> list[str]:
        """The morphemes of a word that have vectors."""
        return list(self.morphemes_of(word).morphemes)

    @cached_property
    def _uses(self) -> dict[str, int]:
        """How many words have each morpheme.

        Where morphemes have no labels, as the parts of compounds, whole words may be parts too, as if used once.
        """
        uses = dict(self.model.factor_map.uses) if self.morphemes else {}
        if uses and not any("/" in name for name in uses):
            uses |= {w: 1 for w in self.words if len(w) >= _SHORTEST_PART and w not in uses}
        return uses

    @cached_property
    def _links(self) -> frozenset[str]:
        """The linking elements of the model's word map."""
        return self.model.segmentations.links

    def __contains__(self, word: str) -> bool:
        """Whether `word` has a vector of its own or of its morphemes."""
        return self.morphemes_of(word).origin != "none"

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """The vector of any word."""
        if word in self.vocabulary:
            return np.asarray(self.matrix[self.vocabulary[word]])
        parts = self.morphemes_of(word).morphemes
        if parts:
            return np.asarray(np.sum([self._part(name) for name in parts], axis=0))
        return np.asarray(self.matrix[UNKNOWN_ID])

    def _part(self, name: str) -> NDArray[np.float32]:
        """The vector of a morpheme, or of a word that is part of a guess."""
        place = self.model.factor_map.morpheme_index.get(name)
        return self[name] if place is None else np.asarray(self.morpheme_matrix[place - len(self.vocabulary)])

    def morpheme(self, name: str) -> NDArray[np.float32]:
        """The vector of a morpheme, written with its label: un/PRE."""
        if name not in self.morphemes:
            near = [m for m in self.morphemes if m.split("/")[0] == name.split("/")[0]][:5]
            hint = f"; there is {', '.join(near)}" if near else "; write it with its label, as un/PRE"
            raise InputError(f"the model has no morpheme {name!r}{hint}")
        return np.asarray(self.morpheme_matrix[self.morphemes.index(name)])

    # Neighbours.

    def most_similar(
        self, positive: str | Sequence[str], negative: Sequence[str] = (), topn: int = 10, morphemes: bool = False
    ) -> list[tuple[str, float]]:
        """The words nearest to a word by cosine, itself left out.

        As in gensim, several words and words to be subtracted may be given. With `morphemes`, morphemes near morphemes (un/PRE).
        """
        positive = [positive] if isinstance(positive, str) else positive
        vector = self.morpheme if morphemes else self._vector_of_known
        signed = [(vector(name), 1) for name in positive] + [(vector(name), -1) for name in negative]
        if not signed:
            raise InputError("name at least one word to look for neighbours of")
        total = signed[0][0] if len(signed) == 1 else np.sum([sign * unit(v[None])[0] for v, sign in signed], axis=0)
        return self.neighbours(total, topn, morphemes, {*positive, *negative})

    def _vector_of_known(self, word: str) -> NDArray[np.float32]:
        if word not in self:
            raise InputError(f"{word!r} is outside the vocabulary and none of its morphemes is known")
        return self[word]

    def neighbours(
        self, vector: NDArray[np.float32], number: int = 10, morphemes: bool = False, skip: Collection[str] = ()
    ) -> list[tuple[str, float]]:
        """The words (or the morphemes) nearest to any vector by cosine, without those in `skip`."""
        names = self.morphemes if morphemes else self.vocabulary.words
        cosines = (self._morpheme_units if morphemes else self._units) @ unit(vector[None])[0]
        left_out = {*skip, *SPECIALS}
        order = [i for i in np.argsort(-cosines, kind="stable")[: number + len(left_out)] if names[i] not in left_out]
        return [(names[i], float(cosines[i])) for i in order[:number]]

    @cached_property
    def _units(self) -> NDArray[np.float32]:
        return unit(self.matrix)

    @cached_property
    def _morpheme_units(self) -> NDArray[np.float32]:
        return unit(self.morpheme_matrix)

    def similarity(self, one: str, other: str) -> float:
        """The cosine of two words' vectors."""
        return float((unit(self[one][None]) @ unit(self[other][None]).T)[0, 0])

    # Measures, drawings and files.

    def evaluate(self, pairs: PathLike | Sequence[WordPair], guess: bool = False) -> SimilarityResult:
        """Spearman's rank correlation of cosines with people's scores of word pairs: a file of word, word, score per line, or pairs.

        Words that the word map lacks are <unk> unless `guess`, so that the figure is one of the map.
        """
        name = None
        if isinstance(pairs, (str, os.PathLike)):
            name = Path(pairs).name
            pairs = read_pairs(pairs, self.model.preparation.lowercase)
        signature = self.model.signature().extended(
            pairs=name,
            side=self.settings.side,
            compose="yes" if self.settings.compose else "no",
            guess="yes" if guess else None,
        )
        vectors = self.using(guess=guess)
        return evaluate_similarity(pairs, vectors.similarity, vectors.__contains__, str(signature))

    def plot(self, path: PathLike, number: int = 300, *, morphemes: bool | None = None, seed: int = 1) -> int:
        """Draw a map of vectors by t-SNE, and return how many it shows.

        It has the `number` most used morphemes, or words where the model has no morphemes or `morphemes` is False. The file is a page
        that needs nothing else where its name ends in .html, or a .png, .svg or .pdf picture.
        """
        from binyan.log_bilinear import vector_map

        return vector_map.plot(self, path, number, bool(self.morphemes) if morphemes is None else morphemes, seed)

    def table(self, morphemes: bool = False) -> tuple[Sequence[str], NDArray[np.float32]]:
        """Names and vectors of all words but <s>, or of all morphemes."""
        if morphemes:
            return self.morphemes, self.morpheme_matrix
        keep = [i for i in range(len(self.vocabulary)) if i != BEGIN_ID]
        return [self.vocabulary.words[i] for i in keep], self.matrix[keep]

    def save_word2vec(self, path: PathLike, morphemes: bool = False) -> None:
        """Write the text format of word2vec: a line with count and dimension, then one line per word with its numbers."""
        names, matrix = self.table(morphemes)
        with replacing(path) as part, open(part, "w", encoding="utf-8") as out:
            out.write(f"{len(names)} {self.dim}\n")
            for name, row in zip(names, matrix, strict=True):
                out.write(f"{name} {' '.join(f'{x:.6g}' for x in row)}\n")

    def save_safetensors(self, path: PathLike, morphemes: bool = False) -> None:
        """Write a safetensors file: the tensor `vectors`, and the words, one per line, in the metadata."""
        from safetensors.numpy import save

        names, matrix = self.table(morphemes)
        metadata = {"words": "\n".join(names), "side": self.settings.side, "signature": str(self.model.signature())}
        write_bytes(path, save({"vectors": np.ascontiguousarray(matrix)}, metadata))


def unit(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length one; zero rows stay zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1))


def read_word2vec(path: PathLike) -> tuple[list[str], NDArray[np.float32]]:
    """Read the text format of word2vec."""
    from binyan.text.reading import read_lines

    names: list[str] = []
    rows: list[NDArray[np.float32]] = []
    dim = 0
    for number, line in read_lines(path):
        fields = line.split(" ")
        try:
            if number == 1:
                dim = _dimension(fields)
                continue
            if len(fields) != dim + 1:
                raise ValueError(f"{len(fields) - 1} numbers where the first line says {dim}")
            row = np.array(fields[1:], np.float32)
            if not np.isfinite(row).all():
                raise ValueError("a number that is not finite")
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from error
        names.append(fields[0])
        rows.append(row)
    return names, np.stack(rows) if rows else np.zeros((0, dim), np.float32)


def _dimension(fields: list[str]) -> int:
    """From the first line of a word2vec text file: how many words, how many numbers per word."""
    if len(fields) != 2 or not all(field.isascii() and field.isdigit() and len(field) < 10 for field in fields):
        raise ValueError("a word2vec text file begins with the count and the dimension")
    return int(fields[1])
