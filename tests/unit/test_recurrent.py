"""Recurrent models: gradients, normalisation, states, and the protocol of language models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import binyan
from binyan import KneserNey, Mixture
from binyan.errors import SettingsError
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.gradients import Rows
from binyan.log_bilinear.output import Targets
from binyan.recurrent import Recurrent
from binyan.recurrent.batches import Sentences
from binyan.recurrent.gradients import Dropout, Minibatch, likelihood
from binyan.recurrent.network import RecurrentNetwork
from binyan.recurrent.scorer import score_sentences
from binyan.recurrent.settings import VARIANTS, RecurrentShape, RecurrentVariant
from binyan.text import Corpus
from binyan.text.vocabulary import BEGIN_ID, END_ID, UNKNOWN_ID
from log_bilinear_world import CLASS_OF, CLASSES, CORPUS, MAP, TABLE, text, torch

SENTENCES = Sentences.of(CORPUS)
SMALL = {"dim": 4, "hidden": 5, "epochs": 2, "batch": 40, "step": 0.02, "dropout": 0.2}


def lm(name: str = "lstm++", **more: object) -> Recurrent:
    """A small model called `name`, trained on the text."""
    word_map = TABLE if RecurrentVariant.parse(name).additive else None
    options: dict[str, object] = {**SMALL, "classes": CLASSES, "word_map": word_map}
    return Recurrent(name, **(options | more)).fit(CORPUS, text(20, 1), progress=False)


def network_of(
    name: str = "lstm++", factor_map: FactorMap = MAP, class_of: np.ndarray | None = CLASS_OF, **more: object
) -> RecurrentNetwork:
    shape = RecurrentShape(variant=RecurrentVariant.parse(name), **({"dim": 3, "hidden": 4} | more))
    network = RecurrentNetwork(shape, Targets(class_of, CORPUS.vocabulary), factor_map, seed=3).double()
    network.set_biases(SENTENCES.counts(len(CORPUS.vocabulary)))
    return network


def minibatches(network: RecurrentNetwork, chosen: list[int], steps: int = 100) -> list[Minibatch]:
    out = []
    for inputs, events, places in SENTENCES.stretches(np.array(chosen), steps):
        arrays = network.input_row_of[inputs], events, network.targets.row_of[SENTENCES.events[places]]
        out.append(Minibatch(*map(torch.from_numpy, arrays)))
    return out


def test_variant_names() -> None:
    assert [str(RecurrentVariant.parse(name)) for name in VARIANTS] == list(VARIANTS)
    with pytest.raises(SettingsError, match="lstm"):
        RecurrentVariant.parse("lstm+x")


def test_sentences_have_inputs_and_events() -> None:
    corpus = Corpus.read(["a b a", "b"])
    a, b = corpus.vocabulary["a"], corpus.vocabulary["b"]
    sentences = Sentences.of(corpus)
    assert sentences.inputs.tolist() == [BEGIN_ID, a, b, a, BEGIN_ID, b]
    assert sentences.events.tolist() == [a, b, a, END_ID, b, END_ID]
    assert sentences.offsets.tolist() == [0, 4, 6]


def test_batches_have_each_sentence_once_and_little_padding() -> None:
    batches = SENTENCES.batches(40, np.random.default_rng(1))
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(SENTENCES)))
    lengths = np.diff(SENTENCES.offsets)
    assert all(lengths[b].sum() <= 40 for b in batches)
    padded = sum(len(b) * int(lengths[b].max()) for b in batches)
    assert padded < 1.2 * lengths.sum()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("lstm", {}),
        ("lstm++", {}),
        ("lstm+c", {}),
        ("lstm+o", {"layers": 2}),
        ("lstm++", {"tied": False}),
        ("lstm+c", {"tied": False, "cell": "gru"}),
        ("lstm++", {"class_of": None}),
    ],
)
def test_gradients_against_finite_differences(name: str, options: dict[str, object]) -> None:
    network = network_of(name, **options)
    [batch] = minibatches(network, [0, 1, 2, 3])
    loss, gradients, _ = likelihood(network, batch)
    assert set(gradients) == {n for n, _ in network.named_parameters()}
    scores = -sum(score_sentences(network, SENTENCES)[SENTENCES.offsets[0] : SENTENCES.offsets[4]])
    assert float(loss) == pytest.approx(scores, rel=1e-9)
    random, step = np.random.default_rng(1), 1e-5
    for parameter_name, parameter in network.named_parameters():
        gradient = gradients[parameter_name]
        dense = gradient.dense(len(parameter)) if isinstance(gradient, Rows) else gradient
        assert dense.shape == parameter.shape
        flat = parameter.detach().view(-1)
        for i in random.choice(len(flat), min(6, len(flat)), replace=False):
            ends = []
            for sign in (1, -1):
                flat[i] += sign * step
                ends.append(float(likelihood(network, batch)[0]))
                flat[i] -= sign * step
            assert float(dense.reshape(-1)[i]) == pytest.approx((ends[0] - ends[1]) / 2 / step, abs=1e-6)


def test_stretches_of_sentences_carry_the_hidden_state() -> None:
    network = network_of()
    [whole] = minibatches(network, [0, 1, 2])
    hidden, total = None, 0.0
    for batch in minibatches(network, [0, 1, 2], steps=2):
        loss, _, hidden = likelihood(network, batch, hidden)
        total += float(loss)
    assert total == pytest.approx(float(likelihood(network, whole)[0]), rel=1e-9)


def test_dropout_leaves_out_a_share_and_keeps_the_mean() -> None:
    kept = Dropout(0.25, 1, torch.device("cpu"))(torch.ones(3, 100, 200))
    assert sorted(set(kept.flatten().tolist())) == pytest.approx([0.0, 4 / 3])
    assert float(kept.mean()) == pytest.approx(1.0, abs=0.02)
    assert not torch.equal(kept[0], kept[2])


@pytest.mark.parametrize("options", [{}, {"classes": 1}, {"cell": "gru"}, {"layers": 2, "tied": False}])
@pytest.mark.parametrize("name", ["lstm", "lstm++"])
def test_distributions_sum_to_one_and_agree_with_scores(name: str, options: dict[str, object]) -> None:
    model = lm(name, **options)
    states = [model.state_after(s) for s in ([], ["hausen"], ["hofest", "gehst", "hofen"])]
    several = model.distributions(states)
    for state, row in zip(states, several, strict=True):
        one = model.distribution(state)
        assert one.sum() == pytest.approx(1.0, abs=1e-6) and one[BEGIN_ID] == 0
        assert row == pytest.approx(one, abs=1e-6)
        for word in ("hausen", "laufst", "</s>", "<unk>"):
            assert np.exp(model.score_word(state, word).log_prob) == pytest.approx(
                one[model.vocabulary[word]], abs=1e-7
            )


@pytest.mark.parametrize("name", VARIANTS)
def test_single_words_equal_batches_also_when_states_were_dropped(name: str) -> None:
    model = lm(name)
    sentences = [*text(5, 2), ["zaunen", "hausen", "neu", "hofest"], []]
    scores = model.score_sentences(sentences)
    for limit in (2**20, 0):
        model.scorer.cache.limit = limit
        single = []
        for sentence in sentences:
            state = model.begin()
            for word in (*sentence, "</s>"):
                scored = model.score_word(state, word)
                single.append(scored.log_prob)
                state = scored.state
                assert hash(state) is not None
        assert single == pytest.approx(scores.log_prob, abs=1e-5)
    one_by_one = np.concatenate([model.score_sentences([s]).log_prob for s in sentences])
    assert one_by_one == pytest.approx(scores.log_prob, abs=1e-5)


def test_words_before_the_last_one_count() -> None:
    model = lm(epochs=4)
    near = model.distribution(model.state_after(["hausen", "hofst"]))
    assert np.abs(near - model.distribution(model.state_after(["lauft", "hofst"]))).max() > 1e-6


@pytest.mark.parametrize("name", ["lstm+c", "lstm+o", "lstm++"])
def test_additive_models_reduce_to_the_plain_one_with_a_map_that_adds_nothing(name: str) -> None:
    nothing = {w: w for w in CORPUS.vocabulary.own_words}
    plain, additive = lm("lstm"), lm(name, word_map=nothing)
    assert additive.history is not None and plain.history is not None
    assert additive.history.perplexity == plain.history.perplexity
    assert additive.score("hausen hofen") == plain.score("hausen hofen")


def test_unseen_words_before_take_the_vectors_of_their_morphemes() -> None:
    model = lm("lstm++")
    assert model.state_after(["zaunen"]) == ("zaunen",)
    assert model.state_after(["neu"]) == (UNKNOWN_ID,)
    vector = model.composer.context_vector("zaunen")
    suffix = model.network.Q[model.composer.rows(["en/SUF"], "context")].sum(0)
    assert torch.equal(vector, suffix)
    after = [model.distribution(model.state_after([w])) for w in ("zaunen", "neu")]
    assert np.abs(after[0] - after[1]).max() > 1e-6


def test_training_sees_the_words_outside_as_scoring_does() -> None:
    """The development perplexity of training is that of the finished model, words outside the vocabulary included."""
    corpus = Corpus.read([*text(), ["zaunen", "hofest"]], policy=binyan.text.VocabularyPolicy(min_count=2))
    development = [*text(10, 1), ["zaunen", "hausen"], ["baumst", "hofst"]]
    model = Recurrent("lstm++", **SMALL, word_map=TABLE).fit(corpus, development, progress=False)
    assert model.history is not None
    assert model.perplexity(development) == pytest.approx(min(model.history.perplexity), rel=1e-6)


@pytest.mark.parametrize("options", [{}, {"tied": False}, {"cell": "gru", "layers": 2}])
def test_a_loaded_model_scores_bit_for_bit(options: dict[str, object], tmp_path: Path) -> None:
    model = lm("lstm++", **options)
    model.save(tmp_path / "m.binyan")
    loaded = binyan.load(tmp_path / "m.binyan")
    assert isinstance(loaded, Recurrent)
    assert loaded.signature() == model.signature() and loaded.history == model.history
    sentences = [*text(5, 2), ["zaunen", "neu"]]
    assert (loaded.score_sentences(sentences).log_prob == model.score_sentences(sentences).log_prob).all()


def test_extension_gives_new_words_what_unknown_had() -> None:
    model = lm("lstm++")
    wider = model.extended(["zaunen", "baumst", "xyz"])
    assert wider.extension == ("zaunen", "baumst")
    state = wider.state_after(["hausen"])
    chances = wider.distribution(state)
    assert chances.sum() == pytest.approx(1.0, abs=1e-6)
    before = model.distribution(model.state_after(["hausen"]))
    assert chances[UNKNOWN_ID] + chances[len(before) :].sum() == pytest.approx(before[UNKNOWN_ID], rel=1e-5)
    with pytest.raises(SettingsError, match=r"\+o or \+\+"):
        lm("lstm+c").extended(["zaunen"])


@pytest.mark.filterwarnings("ignore:.*discounts:UserWarning")
def test_mixtures_by_context_see_the_prediction_vector(tmp_path: Path) -> None:
    model = lm("lstm++")
    mixture = Mixture([KneserNey(3).fit(CORPUS), model], by_context=True).fit(text(20, 1), progress=False)
    assert model.weigh(model.begin()).features.shape == (1, 4)
    state = mixture.state_after(["hausen"])
    assert mixture.distribution(state).sum() == pytest.approx(1.0, abs=1e-6)
    mixture.save(tmp_path / "mixture.binyan")
    assert binyan.load(tmp_path / "mixture.binyan").score("hausen hofst") == mixture.score("hausen hofst")


def test_parts_for_mixtures_agree() -> None:
    model = lm("lstm++")
    sentence = ["hausen", "hofst"]
    states = [model.state_after(sentence[:i]) for i in range(3)]
    events = model.weigh_sentences([sentence])
    for i, (state, word, each) in enumerate(zip(states, [*sentence, "</s>"], model.weigh_each(states), strict=True)):
        one = model.weigh(state, word)
        assert events.features[i] == pytest.approx(one.features[0], abs=1e-6)
        assert each.features[0] == pytest.approx(one.features[0], abs=1e-6)
        assert events.share[0, i] == pytest.approx(one.share[0, 0], abs=1e-7)
        assert each.share[0, model.vocabulary[word]] == pytest.approx(one.share[0, 0], abs=1e-7)


def test_a_backoff_model_and_vectors_can_be_made_of_it(tmp_path: Path) -> None:
    model = lm("lstm++")
    written = model.to_arpa(tmp_path / "m.arpa", CORPUS, progress=False)
    assert written.perplexity(text(20, 1)) == pytest.approx(model.perplexity(text(20, 1)), rel=0.2)
    assert model.vectors["zaunen"].shape == (8,)
    assert model.parts_of("hausen") == ("haus/STM", "en/SUF")
    assert [s.name for s in model.explain("hausen")[0].steps] == ["class", "word in class"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cell": "rnn"}, "lstm or gru"),
        ({"hidden": 0}, "hidden"),
        ({"dropout": 1.0}, "dropout"),
        ({"minutes": 0.0}, "minutes"),
        ({"variant": "lstm", "word_map": TABLE}, "no morphemes"),
    ],
)
def test_settings_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Recurrent(**({"variant": "lstm"} | options))
