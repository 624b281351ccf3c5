"""The output layer of models with word classes: a prediction vector p gives each class, then each word of a class, a probability.

A word w scores p . r_w + b_w, a class c scores p . s_c + t_c. Shapes: B events, V words, K classes, d dimensions.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from binyan.text.vocabulary import BEGIN_ID, Vocabulary

Side = Literal["context", "target"]


class Targets:
    """What the model predicts: every word but <s>, in rows sorted by class, so that the words of a class are neighbours.

    Row r is the word `word_of[r]`; the class c has rows `first[c]` to `first[c + 1]`.
    """

    def __init__(self, class_of: NDArray[np.uint32] | None, vocabulary: Vocabulary) -> None:
        words = np.delete(np.arange(len(vocabulary), dtype=np.int64), BEGIN_ID)
        labels = np.zeros(len(words), np.int64) if class_of is None else class_of[words].astype(np.int64)
        _, labels = np.unique(labels, return_inverse=True)  # no class without words
        order = np.argsort(labels, kind="stable")
        self.word_of: NDArray[np.int64] = words[order]
        self.row_of: NDArray[np.int64] = np.full(len(vocabulary), -1, np.int64)
        self.row_of[self.word_of] = np.arange(len(words))
        self.class_of_row: NDArray[np.int64] = labels[order]
        self.first: NDArray[np.int64] = np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64)

    @property
    def rows(self) -> int:
        """Number of predicted words."""
        return len(self.word_of)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.first) - 1


class OutputLayer(nn.Module):
    """What the models share that predict words by vectors, normalised over the vocabulary, or over classes and within a class.

    A model gives it `b`, the biases of words by row, and, `with_classes`, `S` and `t`, vectors and biases of classes.
    """

    class_of_row: Tensor
    b: nn.Parameter
    S: nn.Parameter
    t: nn.Parameter

    def __init__(self, targets: Targets, with_classes: bool) -> None:
        super().__init__()
        self.targets, self.with_classes = targets, with_classes
        self.register_buffer("class_of_row", torch.from_numpy(targets.class_of_row), persistent=False)
        self.first: list[int] = targets.first.tolist()

    def set_biases(self, counts: NDArray[Any]) -> None:
        """Biases as log-unigrams with Laplace smoothing (thesis, section 4.4.1), from the counts of words by id."""
        rows = torch.from_numpy(np.asarray(counts, np.float64)[self.targets.word_of] + 1.0)
        with torch.no_grad():
            self.b.copy_(torch.log(rows / rows.sum()))
            if self.with_classes:
                sums = torch.zeros(self.targets.classes, dtype=rows.dtype).index_add_(0, self.class_of_row.cpu(), rows)
                self.t.copy_(torch.log(sums / sums.sum()))

    def log_prob(self, p: Tensor, rows: Tensor, target_vectors: Tensor) -> Tensor:  # (B, d), (B,), (V', d) -> (B,)
        """Natural log-probabilities of target rows, normalised exactly; differentiable."""
        if not self.with_classes:
            return torch.log_softmax(p @ target_vectors.T + self.b, 1).gather(1, rows[:, None])[:, 0]
        classes = self.class_of_row[rows]
        out = torch.log_softmax(p @ self.S.T + self.t, 1).gather(1, classes[:, None])[:, 0]
        order = torch.argsort(classes, stable=True)
        present, counts = torch.unique_consecutive(classes[order], return_counts=True)
        sizes = counts.tolist()
        within = []
        for c, pc, row in zip(
            present.tolist(), torch.split(p[order], sizes), torch.split(rows[order], sizes), strict=True
        ):
            first, last = self.first[c], self.first[c + 1]
            scores = torch.log_softmax(torch.addmm(self.b[first:last], pc, target_vectors[first:last].T), 1)
            within.append(scores.gather(1, (row - first)[:, None])[:, 0])
        return out + torch.empty_like(out).index_copy(0, order, torch.cat(within))

    def distribution(self, p: Tensor, target_vectors: Tensor) -> Tensor:  # (B, d) -> (B, V')
        """Natural log-probabilities of every row."""
        scores = p @ target_vectors.T + self.b
        if not self.with_classes:
            return torch.log_softmax(scores, 1)
        by_class = torch.log_softmax(p @ self.S.T + self.t, 1)
        parts = [
            torch.log_softmax(scores[:, first:last], 1) + by_class[:, c : c + 1]
            for c, (first, last) in enumerate(zip(self.first, self.first[1:], strict=False))
        ]
        return torch.cat(parts, 1)


class VectorNetwork(OutputLayer):
    """A network with vectors of context words, Q, and of predicted words, R, which may be sums of factor vectors."""

    shape: Any
    Q: nn.Parameter
    R: nn.Parameter
    unknown_row: int
    """The row of Q that is the surface form of <unk>."""

    @abstractmethod
    def first_morpheme(self, side: Side) -> int:
        """The row of Q ("context") or R ("target") that is the vector of the first morpheme."""

    predict: Any  # context vectors -> prediction vectors

    @abstractmethod
    def compiled(self) -> tuple[Tensor, Tensor]:
        """Composed context vectors, by word id, and target vectors, by row: with them all variants cost the same."""
