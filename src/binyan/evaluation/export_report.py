"""How near an exported back-off model is to the model it stands for, and how it compares with Kneser-Ney of the same size."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from binyan.files import PathLike
from binyan.language_model import LanguageModel
from binyan.ngram.backoff import BackoffLanguageModel
from binyan.ngram.kneser_ney import DiscountWarning, KneserNey
from binyan.text import Corpus, read_sentences
from binyan.text.reading import Source

HISTORIES = 200  # after which distributions are compared


@dataclass(frozen=True)
class ExportReport:
    """What was written, and its figures; `perplexity` is by model, over the same events."""

    path: str
    bytes: int
    ngrams: list[int]
    how: str
    signature: str
    divergence: float | None = None
    perplexity: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {**vars(self), "size": sum(self.ngrams)}

    def __str__(self) -> str:
        by_length = " + ".join(f"{n:,}" for n in self.ngrams)
        lines = [
            f"{self.path}: {self.how}",
            f"{sum(self.ngrams):,} n-grams ({by_length}), {self.bytes / 1e6:,.1f} MB",
        ]
        if self.divergence is not None:
            lines.append(f"divergence from the model {self.divergence:.4f} nats per word")
        lines += [f"perplexity {value:.2f}  {name}" for name, value in self.perplexity.items()]
        return "\n".join([*lines, self.signature])


def export_report(
    model: LanguageModel,
    written: BackoffLanguageModel,
    path: PathLike,
    text: Source | None = None,
    development: Source | None = None,
) -> ExportReport:
    """The report on `written`, which `model.to_arpa` returned.

    With a `development` text: divergence and perplexities, and where `text` is given, or the model has kept its training text, that of a
    Kneser-Ney model of the same size, pruned in the same way.
    """
    path = Path(path)
    exact = written is model
    how = "exact" if exact else "approximates the model"
    if model.is_average:
        how = "approximates the average of samples"
    report = ExportReport(str(path), os.path.getsize(path), written.ngrams, how, str(written.signature()))
    if development is None:
        return report
    sentences = list(read_sentences(development, model.preparation))
    perplexity = {"exported": written.score_sentences(sentences).perplexity}
    if written.vocabulary != model.vocabulary:  # other events: no comparison
        return ExportReport(**{**vars(report), "perplexity": perplexity})
    closed = model.closed()
    perplexity["the model itself"] = closed.score_sentences(sentences).perplexity
    baseline = kneser_ney_of_size(model, sum(written.ngrams), written.order, text)
    if baseline is not None:
        perplexity["Kneser-Ney of the same size"] = baseline.score_sentences(sentences).perplexity
    far = 0.0 if exact and not model.is_average else divergence(closed, written, sentences)
    return ExportReport(**{**vars(report), "divergence": far, "perplexity": perplexity})


def kneser_ney_of_size(model: LanguageModel, size: int, order: int, text: Source | None) -> BackoffLanguageModel | None:
    """A Kneser-Ney model of at most `size` n-grams over the model's vocabulary; None where there is no text to train it on."""
    corpus = model.training_text() if text is None else Corpus.encode_text(text, model.vocabulary, model.preparation)
    if corpus is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscountWarning)
        whole = KneserNey(order=order).fit(corpus, progress=False)
    return whole.to_backoff(corpus, size=size) if sum(whole.ngrams) > size else whole


def divergence(
    model: LanguageModel, other: LanguageModel, sentences: list[list[str]], number: int = HISTORIES, seed: int = 1
) -> float:
    """The relative entropy of `other` from `model`, in nats per word, after histories drawn from sentences.

    Both have the same vocabulary and sum to one.
    """
    places = [(i, j) for i, sentence in enumerate(sentences) for j in range(len(sentence) + 1)]
    drawn = np.random.default_rng(seed).permutation(len(places))[:number]
    total = 0.0
    for i, j in (places[k] for k in drawn.tolist()):
        p, q = (m.distribution(m.state_after(sentences[i][:j])) for m in (model, other))
        at = p > 0
        total += float((p[at] * np.log(p[at] / np.maximum(q[at], 1e-300))).sum())
    return total / len(drawn)
