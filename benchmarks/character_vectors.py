"""Recurrent models whose input vectors come from the characters of a word, against sums of morpheme vectors.

    python benchmarks/character_vectors.py --texts language_models/1m --out results --languages cs hu --tokens 200000

Vectors from characters are made as in Kim et al. (2016): filters of one to six characters, the maximum of each over the word, a highway
layer; here a linear layer then makes the number of dimensions that of the other models. The texts are those of `language_model_table.py`, of which the
first tokens are learnt from. Training, classes and events are the same for all; perplexity is that of the development text, in domain and
other novels together, which training stops by. A run that was interrupted goes on with what is missing.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from binyan import Recurrent
from binyan.clustering import brown
from binyan.files import replacing
from binyan.log_bilinear.gradients import Gradients, class_likelihood
from binyan.log_bilinear.training_data import TrainingData
from binyan.recurrent.gradients import Dropout, Minibatch
from binyan.recurrent.network import Hidden, RecurrentNetwork
from binyan.recurrent.optimiser import Adam
from binyan.recurrent.training import RecurrentTrainer
from binyan.text import Corpus, VocabularyPolicy
from binyan.text.vocabulary import BEGIN_ID

FILTERS = {1: 25, 2: 50, 3: 75, 4: 100, 5: 125, 6: 150}  # width: how many; the small model of Kim et al.
CHARACTER_DIM = 15
LONGEST = 24  # characters of a word, with a sign before and after it
AT_ONCE = 4000  # words
MODELS = ("lstm", "lstm+c", "lstm++", "characters", "characters and words")


class CharacterVectors(nn.Module):
    """The vector of each word from its characters."""

    characters: Tensor

    def __init__(self, words: list[str], dim: int) -> None:
        super().__init__()
        alphabet = {c: i for i, c in enumerate(sorted({c for word in words for c in word}), start=3)}  # 0 pads
        rows = [[1, *(alphabet[c] for c in word[: LONGEST - 2]), 2] for word in words]
        padded = [row + [0] * (LONGEST - len(row)) for row in rows]
        self.register_buffer("characters", torch.tensor(padded), persistent=False)
        self.embedding = nn.Embedding(len(alphabet) + 3, CHARACTER_DIM, padding_idx=0)
        self.filters = nn.ModuleList(nn.Conv1d(CHARACTER_DIM, n, width) for width, n in FILTERS.items())
        size = sum(FILTERS.values())
        self.highway, self.gate, self.out = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, dim)
        nn.init.constant_(self.gate.bias, -2.0)

    def forward(self, words: Tensor) -> Tensor:  # (N,) -> (N, d)
        """The vectors of words, by number."""
        letters = self.embedding(self.characters[words]).transpose(1, 2)
        h = torch.cat([torch.tanh(f(letters)).amax(2) for f in self.filters], dim=1)
        gate = torch.sigmoid(self.gate(h))
        return self.out(gate * torch.relu(self.highway(h)) + (1 - gate) * h)


class CharacterNetwork(RecurrentNetwork):
    """A network whose input vectors come from characters; with `own`, each word's own vector is added, and tied to the predicted ones."""

    def use_characters(self, words: list[str], own: bool) -> None:
        """Take these words, in the order of input rows, with their characters."""
        torch.manual_seed(self.seed)
        self.own = own
        self.spelled = CharacterVectors(words, self.shape.dim)

    def input_vectors(self, rows: Tensor) -> Tensor:
        """The vectors of input rows."""
        vectors = self.spelled(rows)
        return vectors + self.Q[rows] if self.own else vectors

    @torch.no_grad()
    def compiled(self) -> tuple[Tensor, Tensor]:
        """The vectors of all input words, by word id, and of predicted words, by row."""
        rows = torch.from_numpy(self.input_row_of)
        return torch.cat([self.input_vectors(part) for part in rows.split(AT_ONCE)]), self.R[: self.targets.rows]


class CharacterTrainer(RecurrentTrainer):
    """The same training for such a network."""

    network: CharacterNetwork

    def __init__(self, data: TrainingData, model: Recurrent, own: bool) -> None:
        super().__init__(data, model.shape, model.training)
        network = CharacterNetwork(model.shape, self.network.targets, self.factor_map, model.training.seed)
        words = list(data.corpus.vocabulary)
        order = [*network.targets.word_of.tolist(), BEGIN_ID]
        network.use_characters([words[i] for i in order], own)
        network.set_biases(self.counts)
        self.network, self.optimiser = network, Adam(network, model.training.step)
        self.best = {name: p.detach().clone() for name, p in network.named_parameters()}
        self._good = {name: value.detach().clone() for name, value in self.state.items()}

    def _sentences(self, chosen: Any, dropout: Dropout) -> tuple[float, int]:
        hidden, total, number = None, 0.0, 0
        for inputs, events, places in self.sentences.stretches(chosen, self.settings.steps_back):
            rows = self.network.targets.row_of[self.sentences.events[places]]
            batch = Minibatch(*(torch.from_numpy(a) for a in (self.network.input_row_of[inputs], events, rows)))
            loss, gradients, hidden = likelihood(self.network, batch, hidden, dropout)
            self.optimiser.update(self._clipped(gradients, len(rows)), self._shrink())
            total, number = total + float(loss), number + len(rows)
        return total, number


def likelihood(
    network: CharacterNetwork, batch: Minibatch, hidden: Hidden | None, dropout: Dropout
) -> tuple[Tensor, Gradients, Hidden]:
    """The loss of a minibatch, its gradients by parameter name, and the hidden state after it."""
    unique, place = torch.unique(batch.inputs, return_inverse=True)
    vectors = nn.functional.embedding(place, network.input_vectors(unique))
    states, last = network.recur(dropout(vectors), hidden)
    p = network.out(dropout(states).flatten(0, 1).index_select(0, batch.events))
    classes = network.class_of_row[batch.rows]
    order = torch.argsort(classes, stable=True)
    loss, dp, output = class_likelihood(
        network, p.detach()[order], batch.rows[order], classes[order], network.R.detach()
    )
    others = ("b", "S", "t", "Q", "R")
    inner = [(name, w) for name, w in network.named_parameters() if name not in others]
    inner += [("Q", network.Q)] if network.own else []
    found = torch.autograd.grad(p, [w for _, w in inner], torch.empty_like(dp).index_copy_(0, order, dp))
    gradients: Gradients = {name: g for (name, _), g in zip(inner, found, strict=True)}
    gradients |= {name: output[name] for name in ("b", "S", "t")}
    if network.own:
        gradients["Q"] = gradients["Q"] + output["R"]
    else:
        gradients["R"] = output["R"]
    return loss, gradients, tuple(h.detach() for h in last)


def measure(name: str, text: list[list[str]], dev: list[list[str]]) -> dict[str, Any]:
    """Train a model; its perplexity on the development text after each epoch, and its minutes of processor time."""
    corpus = Corpus.read(text, policy=VocabularyPolicy(kappa=0.2))
    classes = brown(corpus, None, progress=False)
    started = time.process_time()
    if name.startswith("lstm"):
        history = Recurrent(name, classes=classes).fit(corpus, dev, progress=False).history
    else:
        own = name.endswith("words")
        model = Recurrent("lstm", classes=classes, tied=own)
        history = CharacterTrainer(model._data(corpus, dev, False), model, own).run(progress=False)
    assert history is not None
    return {"perplexity": history.perplexity, "cpu_minutes": (time.process_time() - started) / 60}


def first(path: Path, tokens: int) -> list[list[str]]:
    """The first tokens of a prepared text, whole sentences."""
    sentences, count = [], 0
    with path.open() as lines:
        for line in lines:
            if count >= tokens:
                break
            sentences.append(line.split())
            count += len(sentences[-1]) + 1
    return sentences


def main() -> None:
    """Measure what is missing, and print a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--languages", nargs="+", default=["cs", "hu"])
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--tokens", type=int, default=200_000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for language in options.languages:
        folder = options.out / f"{language}-{options.tokens}"
        folder.mkdir(parents=True, exist_ok=True)
        text = first(options.texts / language / "train.txt", options.tokens)
        dev = [s for part in ("in", "out") for s in first(options.texts / language / f"dev.{part}.txt", 10_000)]
        for name in options.models:
            path = folder / f"{name}.json"
            if not path.exists():
                with replacing(path) as part:
                    part.write_text(json.dumps(measure(name, text, dev)))
            result = json.loads(path.read_text())
            epochs = " ".join(f"{p:.1f}" for p in result["perplexity"])
            print(f"{language} {name}: {min(result['perplexity']):.1f}, {result['cpu_minutes']:.1f} minutes ({epochs})")


if __name__ == "__main__":
    main()
