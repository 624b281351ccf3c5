"""The likelihood over a sample of words: exact where the sample holds all, its normaliser unbiased, its gradient autograd's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")

from binyan.log_bilinear.gradients import Rows  # noqa: E402
from binyan.log_bilinear.network import LogBilinearNetwork  # noqa: E402
from binyan.log_bilinear.output import Targets  # noqa: E402
from binyan.log_bilinear.sampled_softmax import WordSample, WordSampler, sampled_likelihood  # noqa: E402
from binyan.log_bilinear.settings import Shape, TrainingSettings, Variant  # noqa: E402
from binyan.log_bilinear.training import Trainer  # noqa: E402
from log_bilinear_world import CORPUS, DEVELOPMENT, MAP  # noqa: E402

TARGETS = Targets(None, CORPUS.vocabulary)
COUNTS = np.arange(TARGETS.rows)[::-1].copy()
CONTEXTS = torch.tensor([[3, 4], [5, 6], [7, 3], [1, 8]])
ROWS = torch.tensor([0, TARGETS.rows - 1, 4, 4])


def network(name: str = "lbl") -> LogBilinearNetwork:
    return LogBilinearNetwork(Shape(Variant.parse(name), 3, 5), TARGETS, MAP, scale=0.7).double()


def draw(size: int, seed: int = 1) -> WordSample:
    sample = WordSampler(COUNTS, size, torch.device("cpu")).draw(torch.Generator().manual_seed(seed))
    return WordSample(sample.rows, sample.log_weight.double())


@pytest.mark.parametrize("name", ["lbl", "lbl++", "nlbl+o"])
@pytest.mark.parametrize("size", [6, 1000])
def test_gradients_are_those_of_autograd(name: str, size: int) -> None:
    model, sample = network(name), draw(size)
    loss, gradients = sampled_likelihood(model, CONTEXTS, ROWS, sample)
    q, R = model.context_map(model.Q)[CONTEXTS], model.target_map(model.R)
    scores = model.predict(q) @ R.T + model.b
    weight = torch.zeros(len(ROWS), TARGETS.rows, dtype=torch.float64)
    weight[:, sample.rows] = sample.log_weight.exp()
    weight[torch.arange(len(ROWS)), ROWS] = 1.0
    own = scores[torch.arange(len(ROWS)), ROWS]
    expected = ((weight * scores.exp()).sum(1).log() - own).sum()
    expected.backward()  # type: ignore[no-untyped-call]
    assert float(loss) == pytest.approx(float(expected.detach()), abs=1e-10)
    for parameter_name, parameter in model.named_parameters():
        g = gradients[parameter_name]
        assert torch.allclose(g.dense(len(parameter)) if isinstance(g, Rows) else g, parameter.grad, atol=1e-10)


def test_a_sample_of_all_words_gives_the_likelihood() -> None:
    model = network()
    p = model.predict(model.context_map(model.Q)[CONTEXTS])
    exact = -float(model.log_prob(p, ROWS, model.target_map(model.R)).sum())
    assert float(sampled_likelihood(model, CONTEXTS, ROWS, draw(TARGETS.rows))[0]) == pytest.approx(exact, abs=1e-10)


def test_the_estimated_normaliser_is_unbiased() -> None:
    """The mean over all samples there are, for a word that is always in the sample and one that may be outside."""
    model = network()
    sampler = WordSampler(COUNTS, 6, torch.device("cpu"))
    assert len(sampler.frequent) == sampler.drawn == 3 and len(sampler.rare) == TARGETS.rows - 3
    scores = (model.predict(model.context_map(model.Q)[CONTEXTS]) @ model.R.T + model.b).detach()
    for event, row in enumerate(ROWS.tolist()):
        own, estimates = float(scores[event, row]), []
        for chosen in itertools.combinations(sampler.rare.tolist(), 3):
            rows, order = torch.sort(torch.tensor([*sampler.frequent.tolist(), *chosen]))
            weight = torch.where(order < 3, 0.0, math.log(len(sampler.rare) / 3)).double()
            loss, _ = sampled_likelihood(
                model, CONTEXTS[event : event + 1], ROWS[event : event + 1], WordSample(rows, weight)
            )
            estimates.append(math.exp(float(loss) + own))
        assert np.mean(estimates) == pytest.approx(float(scores[event].exp().sum()), rel=1e-6)


def test_training_on_a_sample_comes_near_training_on_all_words() -> None:
    def perplexity(**settings: int) -> float:
        chosen = TrainingSettings(batch=20, epochs=4, **settings)
        trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("lbl"), 3, 6), chosen)
        return min(trainer.run(progress=False).perplexity)

    exact = perplexity(softmax_words=1000)
    assert perplexity(softmax_words=8) < 1.1 * exact
