"""Word and morpheme vectors of a trained model: composition, neighbours, exchange formats (section 4.4.5).

The vector of a word is [q~; r~], context and target side concatenated, each the sum of the word's factors. A word outside the
vocabulary has the sum of its known morphemes, and that of <unk> only where none is known.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, SettingsError
from binyan.log_bilinear.factor_map import factors_of
from binyan.log_bilinear.language_model import LogBilinearLM
from binyan.log_bilinear.morpheme_guess import guess_morphemes
from binyan.segmentation import SegmentationTable
from binyan.text.vocabulary import SPECIALS, UNKNOWN

Side = Literal["both", "context", "target"]


class Vectors:
    """The vectors of `model`. `post_hoc` segments words outside the vocabulary; by default the model's own map does.

    `compose`: whether such words are composed of morphemes at all; without, they are <unk>. `guess`: whether a word that the
    map lacks is taken apart into morphemes the model knows.
    """

    def __init__(
        self,
        model: LogBilinearLM,
        side: Side = "both",
        post_hoc: SegmentationTable | None = None,
        compose: bool = True,
        guess: bool = False,
    ) -> None:
        if side not in ("both", "context", "target"):
            raise SettingsError(f"vectors are of 'both' sides, or of 'context' or 'target', not {side!r}")
        self.model, self.side, self.compose, self.guess = model, side, compose, guess
        self.post_hoc = post_hoc if post_hoc is not None else model.segmentations
        self.vocabulary = model.closed_vocabulary
        targets = model.model.targets
        q = model.context_vectors.numpy()[: len(self.vocabulary)]
        r = np.zeros_like(q)
        r[targets.word_of] = model.target_vectors.numpy()
        self.matrix: NDArray[np.float32] = self._sides(q, r)
        morphemes = model.word_map.morphemes
        self.morphemes: tuple[str, ...] = morphemes if model.model.shape.variant.additive else ()
        self.morpheme_matrix = self._morpheme_matrix()

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def _sides(self, q: NDArray[np.float32], r: NDArray[np.float32]) -> NDArray[np.float32]:
        return {"both": np.concatenate([q, r], axis=1), "context": q, "target": r}[self.side]

    def _morpheme_matrix(self) -> NDArray[np.float32]:
        parts = []
        for factors, additive in (
            (self.model.model.Q, self.model.model.shape.variant.context),
            (self.model.model.R, self.model.model.shape.variant.output),
        ):
            count = len(self.morphemes)
            rows = factors.detach().numpy()[len(factors) - count :] if additive else None
            parts.append(rows if rows is not None else np.zeros((count, factors.shape[1]), np.float32))
        return self._sides(parts[0], parts[1])

    def known_morphemes(self, word: str) -> list[str]:
        """The morphemes of `word`, by the post hoc map, that have vectors."""
        if self.compose and self.guess and word not in self.post_hoc:
            return guess_morphemes(word, self._uses, self._links)
        if not self.compose or word not in self.post_hoc:
            return []
        return [m for m in factors_of(self.post_hoc, word) if m in self.model.word_map.morpheme_index]

    @cached_property
    def _uses(self) -> dict[str, int]:
        """How many words have each morpheme. Where morphemes have no labels, as the parts of compounds, whole words may be parts
        too, as if used once."""
        word_map = self.model.word_map
        uses = np.bincount(word_map.factors, minlength=word_map.size)[word_map.words :]
        found = dict(zip(self.morphemes, uses.tolist(), strict=True)) if self.morphemes else {}
        if found and not any("/" in name for name in found):
            found |= {w: 1 for w in self.vocabulary.words[3:] if len(w) > 3 and w not in found}
        return found

    @cached_property
    def _links(self) -> frozenset[str]:
        """The linking elements of the model's word map."""
        table = self.model.segmentations
        return frozenset(part.text for word in table for part in table[word] if part.linking)

    def __contains__(self, word: str) -> bool:
        """Whether `word` has a vector of its own or of its morphemes."""
        return word in self.vocabulary or bool(self.known_morphemes(word))

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """The vector of any word."""
        if word in self.vocabulary:
            return self.matrix[self.vocabulary.index[word]]
        parts = self.known_morphemes(word)
        if parts:
            return np.asarray(np.sum([self._part(name) for name in parts], axis=0))
        return self.matrix[self.vocabulary.index[UNKNOWN]]

    def _part(self, name: str) -> NDArray[np.float32]:
        """The vector of a morpheme, or of a word that is part of a guess."""
        place = self.model.word_map.morpheme_index.get(name)
        return self[name] if place is None else self.morpheme_matrix[place - len(self.vocabulary)]

    def morpheme(self, name: str) -> NDArray[np.float32]:
        """The vector of a morpheme, written with its label: un/PRE."""
        if name not in self.morphemes:
            near = [m for m in self.morphemes if m.split("/")[0] == name.split("/")[0]][:5]
            hint = f"; there is {', '.join(near)}" if near else "; write it with its label, as un/PRE"
            raise InputError(f"the model has no morpheme {name!r}{hint}")
        return self.morpheme_matrix[self.morphemes.index(name)]

    def nearest(self, query: str, number: int = 10, morphemes: bool = False) -> list[tuple[str, float]]:
        """The words (or the morphemes) nearest to a word (or a morpheme) by cosine, without itself."""
        if morphemes:
            return self.neighbours(self.morpheme(query), number, True, {query})
        if query not in self:
            raise InputError(f"{query!r} is outside the vocabulary and none of its morphemes is known")
        return self.neighbours(self[query], number, False, {query})

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

    def table(self, morphemes: bool = False) -> tuple[Sequence[str], NDArray[np.float32]]:
        """Names and vectors of all words but <s>, or of all morphemes."""
        if morphemes:
            return self.morphemes, self.morpheme_matrix
        keep = [i for i, w in enumerate(self.vocabulary.words) if w != "<s>"]
        return [self.vocabulary.words[i] for i in keep], self.matrix[keep]

    def write_text(self, path: str | os.PathLike[str], morphemes: bool = False) -> None:
        """Write in the text format of word2vec: a line with count and dimension, then a word and its numbers a line."""
        names, matrix = self.table(morphemes)
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"{len(names)} {self.dim}\n")
            for name, row in zip(names, matrix, strict=True):
                out.write(f"{name} {' '.join(f'{x:.6g}' for x in row)}\n")

    def write_safetensors(self, path: str | os.PathLike[str], morphemes: bool = False) -> None:
        """Write a safetensors file: the tensor `vectors`, and the words, one a line, in the metadata."""
        from safetensors.numpy import save_file

        names, matrix = self.table(morphemes)
        save_file(
            {"vectors": np.ascontiguousarray(matrix)},
            Path(path),
            {"words": "\n".join(names), "side": self.side, "signature": str(self.model.signature())},
        )


def unit(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length one; zero rows stay zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1))


def read_text(path: str | os.PathLike[str]) -> tuple[list[str], NDArray[np.float32]]:
    """Read the text format of word2vec."""
    from binyan.text.reading import read_lines

    names: list[str] = []
    rows: list[NDArray[np.float32]] = []
    dim = 0
    for number, line in read_lines(path):
        fields = line.split(" ")
        if number == 1:
            if len(fields) != 2:
                raise InputError(f"{path}:1: a word2vec text file begins with the count and the dimension")
            dim = int(fields[1])
            continue
        if len(fields) != dim + 1:
            raise InputError(f"{path}:{number}: {len(fields) - 1} numbers where the first line says {dim}")
        names.append(fields[0])
        rows.append(np.array(fields[1:], np.float32))
    return names, np.stack(rows) if rows else np.zeros((0, dim), np.float32)
