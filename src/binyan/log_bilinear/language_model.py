"""Log-bilinear models behind the one language-model protocol.

Composed vectors are compiled once, so the additive models score as fast as the plain ones. A context word outside the
vocabulary has <unk> as its surface form and those of its morphemes that the model knows, in training as here.

The event space can be extended (`extended`): words outside the vocabulary that the map segments share the probability of
<unk> with the rest of all unknown words, by a softmax over p . r~_w with r~_w the sum of the known morphemes of w:

    P(w | h) = P(<unk> | h) exp(s_w) / (sum over extension words v of exp(s_v) + exp(s_rest)),

where s_w = p . r~_w + log((1 - rest) / E), s_rest = p . (mean of the r~) + log(rest), E is the number of extension words and
`rest` the prior share of words outside the extension too. <unk> keeps the last term; all sums to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from binyan.errors import InputError, SettingsError
from binyan.language_model import END, LanguageModel, MixtureParts, Scores, State, Step, WordScore
from binyan.log_bilinear.events import Events
from binyan.log_bilinear.factor_map import FactorMap, factors_of
from binyan.log_bilinear.network import LogBilinearNetwork, Shape, Targets
from binyan.log_bilinear.training import TrainingHistory
from binyan.model_file import ModelFile, Section
from binyan.segmentation import SegmentationTable
from binyan.signature import Signature
from binyan.text import Preparation, Vocabulary
from binyan.text.vocabulary import BEGIN_ID, UNKNOWN, UNKNOWN_ID

_CACHED_CONTEXTS = 10_000
_SCORED_AT_ONCE = 8192


@dataclass
class _Prediction:
    """What a context gives every word: p, and log-probabilities of classes and within classes, these as they are asked for."""

    p: NDArray[np.float32]
    by_class: NDArray[np.float64]
    within: dict[int, NDArray[np.float64]] = field(default_factory=dict)


class LogBilinearLM(LanguageModel):
    """A trained log-bilinear model. A state is the last n - 1 words: ids, or the word itself where it is outside the vocabulary
    but has known morphemes."""

    kind = "log-bilinear"
    history: TrainingHistory | None = None  # of the training that just made it

    def __init__(
        self,
        model: LogBilinearNetwork,
        word_map: FactorMap,
        class_of: NDArray[np.uint32] | None,
        vocabulary: Vocabulary,
        preparation: Preparation,
        fields: dict[str, Any],
        counts: NDArray[np.int64],
        segmentations: SegmentationTable | None = None,
        extension: Sequence[str] = (),
        rest: float = 0.5,
    ) -> None:
        self.model = model.cpu().eval()
        self.word_map, self.class_of, self.fields, self.counts = word_map, class_of, fields, counts
        self.closed_vocabulary = vocabulary
        self.vocabulary = Vocabulary([*vocabulary.words[3:], *extension]) if extension else vocabulary
        self.preparation, self.order = preparation, model.shape.order
        self.segmentations = segmentations if segmentations is not None else SegmentationTable()
        self.extension, self.rest = tuple(extension), rest
        self._cache: dict[State, _Prediction] = {}
        with torch.no_grad():
            context, self.target_vectors = (v.detach() for v in model.compiled())
            new = [self._context_vector(w) for w in self.extension]
            self.context_vectors = torch.cat([context, *(context[:1] if v is None else v[None] for v in new)])
        self._extension_vectors, self._extension_bias = self._extension_scores()

    def _extension_scores(self) -> tuple[Tensor, Tensor]:
        """Vectors and biases of the extension words and, last, of the rest."""
        dim = self.model.shape.dim
        if not self.extension:
            return torch.zeros(1, dim), torch.zeros(1)
        with torch.no_grad():
            zero = torch.zeros(dim)
            rows = [self.morpheme_rows(self.known_morphemes(w), "target") for w in self.extension]
            stacked = torch.stack([self.model.R[r].sum(0) if r else zero for r in rows])
            bias = torch.full((len(stacked) + 1,), float(np.log((1 - self.rest) / len(stacked))))
            bias[-1] = float(np.log(self.rest))
            return torch.cat([stacked, stacked.mean(0, keepdim=True)]), bias

    def known_morphemes(self, word: str) -> list[str]:
        """The morphemes of `word` in the model's map that the model has vectors for."""
        return [m for m in factors_of(self.segmentations, word) if m in self.word_map.morpheme_index]

    def morpheme_rows(self, morphemes: Iterable[str], side: str) -> list[int]:
        """Rows of the factor matrix Q ("context") or R ("target") for morphemes; none where that side has no morphemes."""
        additive = self.model.shape.variant.context if side == "context" else self.model.shape.variant.output
        surface = self.word_map.words if side == "context" else self.model.targets.rows
        return [f - self.word_map.words + surface for f in self.word_map.known(morphemes)] if additive else []

    def context_rows(self, word: str) -> list[int]:
        """Rows of Q whose sum is the vector of a context word outside the vocabulary: <unk>, where training had it, and known
        morphemes; none where there are no such morphemes."""
        rows = self.morpheme_rows(self.known_morphemes(word), "context")
        return [UNKNOWN_ID, *rows] if rows and self.counts[UNKNOWN_ID] else rows

    def _context_vector(self, word: str) -> Tensor | None:
        rows = self.context_rows(word)
        return self.model.Q[rows].sum(0) if rows else None

    def extended(self, words: Iterable[str] | None = None, rest: float = 0.5) -> LogBilinearLM:
        """The model with further words as events: those given, or all of the word map, that are outside the vocabulary and have
        known morphemes. `rest`: the prior share that remains for words outside the extension too."""
        if not self.model.shape.variant.output:
            raise SettingsError(
                f"{self.model.shape.variant} has no morphemes in its target vectors; train with +o or ++"
            )
        if not 0 < rest < 1:
            raise SettingsError(f"the share of the rest is between 0 and 1, not {rest}")
        chosen = dict.fromkeys(words if words is not None else self.segmentations)
        new = [w for w in chosen if w not in self.closed_vocabulary and self.known_morphemes(w)]
        if not new:
            raise InputError(
                "no word outside the vocabulary has known morphemes; give the model a word map that has them"
            )
        return LogBilinearLM(
            self.model,
            self.word_map,
            self.class_of,
            self.closed_vocabulary,
            self.preparation,
            self.fields,
            self.counts,
            self.segmentations,
            new,
            rest,
        )

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return (BEGIN_ID,) * (self.order - 1)

    def _context_word(self, word: str) -> int | str:
        number = self.vocabulary.index.get(word)
        if number is not None:
            return number
        return word if self.context_rows(word) else UNKNOWN_ID

    def _predict(self, state: State) -> _Prediction:
        found = self._cache.get(state)
        if found is None:
            with torch.no_grad():
                q = [
                    self.context_vectors[w] if isinstance(w, int) else self._context_vector(w)
                    for w in state  # type: ignore[attr-defined]
                ]
                p = self.model.predict(torch.stack([v for v in q if v is not None])[None])
                by_class = np.zeros(1)
                if self.model.shape.variant.classes:
                    by_class = torch.log_softmax((p @ self.model.S.T + self.model.t).double(), 1)[0].numpy()
            found = _Prediction(p[0].numpy(), by_class)
            if len(self._cache) >= _CACHED_CONTEXTS:
                self._cache.clear()
            self._cache[state] = found
        return found

    def _within(self, prediction: _Prediction, c: int) -> NDArray[np.float64]:
        """Log-probabilities of the words of class c."""
        if c not in prediction.within:
            first, last = self.model.first[c], self.model.first[c + 1]
            scores = self.target_vectors[first:last].numpy() @ prediction.p + self.model.b.detach()[first:last].numpy()
            prediction.within[c] = _log_softmax(scores.astype(np.float64))
        return prediction.within[c]

    def _extension_log_probs(self, prediction: _Prediction) -> NDArray[np.float64]:
        """Log-shares of P(<unk> | h): the extension words, then the rest."""
        return _log_softmax(
            (self._extension_vectors.numpy() @ prediction.p + self._extension_bias.numpy()).astype(np.float64)
        )

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""
        number = self.vocabulary[word]
        prediction = self._predict(state)
        row = int(self.model.targets.row_of[number if number < len(self.closed_vocabulary) else 0])
        if row < 0:
            raise InputError("<s> is never predicted; it stands only before a sentence")
        c = int(self.model.targets.class_of_row[row])
        log_prob = prediction.by_class[c] + self._within(prediction, c)[row - self.model.first[c]]
        if self.extension and (number == 0 or number >= len(self.closed_vocabulary)):
            place = -1 if number == 0 else number - len(self.closed_vocabulary)
            log_prob += self._extension_log_probs(prediction)[place]
        after = (*state[1:], self._context_word(word))  # type: ignore[index]
        return WordScore(after, float(log_prob), 0, number == 0)

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        context_vectors, events, offsets = self._events(sentences)
        words = np.where(events.words < len(self.vocabulary.index), events.words, 0)
        log_prob = self._log_probs(context_vectors, events.contexts, words)
        return Scores(log_prob, np.zeros(len(words), np.uint8), words == 0, offsets)

    def weigh(self, state: State, word: str | None = None) -> MixtureParts:
        """One part; the features are the prediction vector p of the context: what kind of word the model expects."""
        return replace(super().weigh(state, word), features=self._predict(state).p[None].astype(np.float64))

    @torch.no_grad()
    def weigh_sentences(self, sentences: Iterable[Sequence[str]]) -> MixtureParts:
        """The part of every event of prepared sentences."""
        context_vectors, events, _ = self._events(sentences)
        words = np.where(events.words < len(self.vocabulary.index), events.words, 0)
        chances, unknown = (
            np.exp(self._log_probs(context_vectors, events.contexts, w)) for w in (words, np.zeros_like(words))
        )
        contexts = torch.from_numpy(events.contexts).long().split(_SCORED_AT_ONCE)
        p = torch.cat([self.model.predict(context_vectors[c]) for c in contexts])
        return MixtureParts.whole(chances, unknown, p.double().numpy())

    def _events(self, sentences: Iterable[Sequence[str]]) -> tuple[Tensor, Events, NDArray[np.uint64]]:
        """Context vectors with those of unseen words behind them, events by their ids, and where sentences begin."""
        index, extra = self.vocabulary.index, dict[str, int]()
        vectors: list[Tensor] = []
        ids: list[int] = []
        offsets = [0]
        for sentence in sentences:
            for word in sentence:
                number = index.get(word) if word not in extra else extra[word]
                if number is None:
                    composed = self._context_vector(word)
                    number = UNKNOWN_ID if composed is None else len(index) + len(vectors)
                    extra[word] = number
                    if composed is not None:
                        vectors.append(composed.detach())
                ids.append(number)
            offsets.append(len(ids))
        if any(i in (1, 2) for i in ids):
            raise InputError(
                "the text holds <s> or </s> as words; sentence boundaries are added by the model: remove them"
            )
        events = Events.of_ids(np.array(ids, np.int32), np.array(offsets, np.uint64), self.order)
        context_vectors = torch.cat([self.context_vectors, torch.stack(vectors)]) if vectors else self.context_vectors
        return context_vectors, events, np.array([end + i for i, end in enumerate(offsets)], np.uint64)

    @torch.no_grad()
    def _log_probs(
        self, context_vectors: Tensor, contexts: NDArray[np.int32], words: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        closed = len(self.closed_vocabulary)
        rows = torch.from_numpy(self.model.targets.row_of[np.where(words < closed, words, 0)])
        places = torch.from_numpy(np.where(words == 0, len(self.extension), words.astype(np.int64) - closed))
        size = _SCORED_AT_ONCE if self.model.shape.variant.classes else 1024
        parts = []
        for start in range(0, len(words), size):
            here = slice(start, start + size)
            p = self.model.predict(context_vectors[torch.from_numpy(contexts[here]).long()])
            scores = self.model.log_prob(p, rows[here], self.target_vectors)
            if self.extension:
                outside = (places[here] >= 0).nonzero()[:, 0]
                shares = torch.log_softmax(p[outside] @ self._extension_vectors.T + self._extension_bias, 1)
                scores[outside] += shares.gather(1, places[here][outside][:, None])[:, 0]
            parts.append(scores.double())
        return torch.cat(parts).numpy() if parts else np.zeros(0)

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id; sums to one."""
        prediction = self._predict(state)
        parts = [prediction.by_class[c] + self._within(prediction, c) for c in range(self.model.targets.classes)]
        out = np.zeros(len(self.vocabulary))
        out[self.model.targets.word_of] = np.exp(np.concatenate(parts))
        if self.extension:
            shares = np.exp(self._extension_log_probs(prediction))
            out[len(self.closed_vocabulary) :] = out[0] * shares[:-1]
            out[0] *= shares[-1]
        return out

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """The class, the word within it and, for a word outside the vocabulary, its share of <unk>."""
        number = self.vocabulary[word]
        outside = number == 0 or number >= len(self.closed_vocabulary)
        row = int(self.model.targets.row_of[0 if outside else number])
        c = int(self.model.targets.class_of_row[row])
        prediction = self._predict(state)
        within = float(np.exp(self._within(prediction, c)[row - self.model.first[c]]))
        shown = UNKNOWN if outside else word
        morphemes = self.known_morphemes(word)
        made = f"{shown} = {' + '.join([shown, *morphemes])}" if morphemes and not outside else shown
        if not self.model.shape.variant.classes:
            steps = [Step("word", made, within)]
        else:
            steps = [
                Step("class", self._class_name(c), float(np.exp(prediction.by_class[c]))),
                Step("word in class", made, within),
            ]
        if outside and self.extension:
            place = -1 if number == 0 else number - len(self.closed_vocabulary)
            share = float(np.exp(self._extension_log_probs(prediction)[place]))
            steps.append(Step("unknown word", " + ".join(morphemes) or "any other", share))
        return tuple(steps)

    def _class_name(self, c: int) -> str:
        """The number of a class with its most frequent words."""
        words = self.model.targets.word_of[self.model.first[c] : self.model.first[c + 1]]
        often = sorted(words.tolist(), key=lambda w: -self.counts[w])[:3]
        return f"{c}: {' '.join(self.vocabulary.words[w] for w in often)}{' …' if len(words) > 3 else ''}"

    def training_counts(self) -> NDArray[np.int64]:
        """How often each word of the vocabulary was predicted in training, by id."""
        return np.concatenate([self.counts, np.zeros(len(self.extension), self.counts.dtype)])

    def signature(self) -> Signature:
        """How the model was made."""
        shape = self.model.shape
        fields = {"model": str(shape.variant), "order": self.order, "dim": shape.dim}
        fields["position"] = "diagonal" if shape.diagonal else "full"
        return Signature(fields | self.fields).extended(
            extension=len(self.extension) or None, rest=self.rest if self.extension else None
        )

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        meta = {
            "shape": self.model.shape.to_dict(),
            "preparation": self.preparation.to_dict(),
            "fields": self.fields,
            "rest": self.rest,
        }
        sections: dict[str, Section] = {
            "vocabulary": self.closed_vocabulary.to_bytes(),
            "counts": self.counts,
            "segmentations": self.segmentations.to_bytes(),
            "extension": "\n".join(self.extension).encode(),
            **self.word_map.sections(),
        }
        if self.class_of is not None:
            sections["classes"] = self.class_of
        for name, p in self.model.named_parameters():
            sections[f"parameter/{name}"] = p.detach().numpy()
        return meta, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> LogBilinearLM:
        """The inverse of `contents`."""
        vocabulary = Vocabulary.from_bytes(file.blob("vocabulary"))
        class_of = file.array("classes") if "classes" in file.sections else None
        word_map = FactorMap.from_file(file)
        shape = Shape.from_dict(file.meta["shape"])
        model = LogBilinearNetwork(shape, Targets(class_of if shape.variant.classes else None, vocabulary), word_map)
        with torch.no_grad():
            for name, p in model.named_parameters():
                p.copy_(torch.from_numpy(file.array(f"parameter/{name}")))
        extension = file.blob("extension").decode()
        return cls(
            model,
            word_map,
            class_of,
            vocabulary,
            Preparation.from_dict(file.meta["preparation"]),
            file.meta["fields"],
            file.array("counts"),
            SegmentationTable.from_bytes(file.blob("segmentations")),
            extension.split("\n") if extension else (),
            file.meta["rest"],
        )


def _log_softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    shifted = scores - scores.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


__all__ = ["END", "LogBilinearLM"]
