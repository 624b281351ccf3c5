"""The log-bilinear family: gradients, sums to one, reductions between variants, files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")

from binyan import language_model  # noqa: E402
from binyan.clustering import brown  # noqa: E402
from binyan.errors import InputError, SettingsError  # noqa: E402
from binyan.log_bilinear.events import Events  # noqa: E402
from binyan.log_bilinear.factor_map import FactorMap  # noqa: E402
from binyan.log_bilinear.gradients import Rows, likelihood  # noqa: E402
from binyan.log_bilinear.language_model import LogBilinear  # noqa: E402
from binyan.log_bilinear.network import LogBilinearNetwork  # noqa: E402
from binyan.log_bilinear.noise_contrastive import contrast, noise_words  # noqa: E402
from binyan.log_bilinear.output import Targets  # noqa: E402
from binyan.log_bilinear.settings import VARIANTS, Shape, TrainingSettings, Variant  # noqa: E402
from binyan.log_bilinear.training import Trainer, score_events  # noqa: E402
from binyan.mixture import Mixture  # noqa: E402
from binyan.ngram.kneser_ney import KneserNey  # noqa: E402
from binyan.segmentation import Segmentation, SegmentationTable  # noqa: E402
from binyan.text import Corpus, VocabularyPolicy  # noqa: E402
from log_bilinear_world import CLASS_OF, CORPUS, DEVELOPMENT, MAP, TABLE, lm, text  # noqa: E402


def build(
    name: str, diagonal: bool = False, double: bool = True, word_map: FactorMap = MAP, seed: int = 3
) -> LogBilinearNetwork:
    shape = Shape(Variant.parse(name), 3, 5, diagonal)
    targets = Targets(CLASS_OF if shape.variant.classes else None, CORPUS.vocabulary)
    model = LogBilinearNetwork(shape, targets, word_map, seed, scale=0.5)
    return model.double() if double else model


def batch(model: LogBilinearNetwork, size: int = 40) -> tuple[torch.Tensor, torch.Tensor]:
    events = Events.of(CORPUS, model.shape.order)
    chosen = np.random.default_rng(2).permutation(len(events))[:size]
    rows = model.targets.row_of[events.words[chosen]]
    return torch.from_numpy(events.contexts[chosen]).long(), torch.from_numpy(rows)


@pytest.mark.parametrize("name", ["nlbl", "nlbl++", "nclbl", "nclbl+c", "nclbl++"])
def test_a_centred_sigmoid_is_the_same_model(name: str) -> None:
    model = build(name)
    model.centred = True
    events = Events.of(CORPUS, model.shape.order)
    before = score_events(model, events)
    model.uncentre()
    assert not model.centred
    assert np.allclose(score_events(model, events), before, rtol=0, atol=1e-12)


def test_variant_names() -> None:
    assert [str(Variant.parse(name)) for name in VARIANTS] == VARIANTS
    with pytest.raises(SettingsError, match="lbl--"):
        Variant.parse("lbl--")


def test_events_see_the_words_before_them() -> None:
    corpus = Corpus.read(["a b", "c"])
    a, b, c = (corpus.vocabulary[w] for w in "abc")
    events = Events.of(corpus, 3)
    assert events.contexts.tolist() == [[1, 1], [1, a], [a, b], [1, 1], [1, c]]
    assert events.words.tolist() == [a, b, 2, c, 2]


@pytest.mark.parametrize("name", [v for v in VARIANTS if "c" in v.split("+")[0]])
@pytest.mark.parametrize(("diagonal", "centred"), [(False, False), (True, False), (False, True)])
def test_gradient_by_hand_equals_autograd_and_finite_differences(name: str, diagonal: bool, centred: bool) -> None:
    model = build(name, diagonal)
    model.centred = centred
    contexts, rows = batch(model)

    def loss() -> torch.Tensor:
        context_vectors, target_vectors = model.compiled()
        return -model.log_prob(model.predict(context_vectors[contexts]), rows, target_vectors).sum()

    value, by_hand = likelihood(model, contexts, rows)
    expected = loss()
    assert value.item() == pytest.approx(expected.item(), rel=1e-12)
    expected.backward()
    random = np.random.default_rng(1)
    for parameter_name, p in model.named_parameters():
        gradient = by_hand[parameter_name]
        gradient = gradient.dense(len(p)) if isinstance(gradient, Rows) else gradient
        assert torch.allclose(gradient, p.grad, rtol=1e-9, atol=1e-10), parameter_name
        flat = p.data.view(-1)
        touched = gradient.reshape(-1).abs().argsort(descending=True)[:20].numpy()
        for i in random.choice(touched, 3):
            before = flat[i].item()
            with torch.no_grad():
                flat[i] = before + 1e-5
                up = loss().item()
                flat[i] = before - 1e-5
                down = loss().item()
                flat[i] = before
            assert gradient.reshape(-1)[i].item() == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", VARIANTS)
def test_distributions_sum_to_one(name: str) -> None:
    model = build(name)
    contexts, rows = batch(model)
    context_vectors, target_vectors = model.compiled()
    p = model.predict(context_vectors[contexts])
    everything = model.distribution(p, target_vectors)
    assert torch.allclose(everything.exp().sum(1), torch.ones(len(rows)).double(), atol=1e-12)
    assert torch.allclose(everything.gather(1, rows[:, None])[:, 0], model.log_prob(p, rows, target_vectors))


@pytest.mark.parametrize("prefix", ["lbl", "clbl", "nclbl"])
@pytest.mark.parametrize("plus", ["+c", "+o", "++"])
def test_additive_models_reduce_to_the_plain_one_with_the_identity_map(prefix: str, plus: str) -> None:
    simplex = FactorMap.from_segmentations(
        SegmentationTable(map(Segmentation.simplex, CORPUS.vocabulary.words[3:])), CORPUS.vocabulary
    )
    assert simplex.size == len(CORPUS.vocabulary)
    settings = TrainingSettings(epochs=1, batch=50, noise_samples=5)
    results = []
    for name in (prefix, prefix + plus):
        trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse(name), 3, 5), settings, simplex, CLASS_OF)
        results.append(trainer.run(progress=False).perplexity[0])
    assert results[0] == results[1]


def test_morphemes_leave_the_words_first_draws_as_they_are() -> None:
    plain, additive = build("clbl"), build("clbl++")
    assert torch.equal(plain.Q, additive.Q[: len(plain.Q)]) and torch.equal(plain.R, additive.R[: len(plain.R)])


def test_composed_vectors_equal_the_sparse_product() -> None:
    model = build("clbl++")
    matrix = np.zeros((MAP.words, MAP.size))
    for word in range(MAP.words):
        np.add.at(matrix[word], MAP.factors[MAP.offsets[word] : MAP.offsets[word + 1]], 1)
    assert matrix.sum() > 1.5 * MAP.words
    context_vectors, target_vectors = model.compiled()
    assert np.allclose(context_vectors.detach(), matrix @ model.Q.detach().numpy())
    order = model.targets.word_of
    columns = np.concatenate([order, np.arange(MAP.words, MAP.size)])
    assert np.allclose(target_vectors.detach(), matrix[order][:, columns] @ model.R.detach().numpy())
    g = torch.randn(len(order), 5, dtype=torch.float64)
    assert np.allclose(model.target_map.back(g), matrix[order][:, columns].T @ g.numpy())


def test_repeated_morphemes_count_twice() -> None:
    corpus = Corpus.read(["blabla"])
    found = FactorMap.from_segmentations(
        SegmentationTable([Segmentation.parse("blabla", "bla/X bla/X")]), corpus.vocabulary
    )
    assert found.factors[found.offsets[3] :].tolist() == [3, 4, 4]


@pytest.mark.parametrize("name", ["lbl", "lbl++", "nlbl+o"])
def test_noise_contrastive_gradient_against_finite_differences(name: str) -> None:
    model = build(name)
    contexts, rows = batch(model)
    log_unigram = torch.log_softmax(torch.randn(len(model.b), dtype=torch.float64), 0)
    noise = noise_words(log_unigram, len(rows), 7, torch.Generator().manual_seed(1))
    _, gradients = contrast(model, contexts, rows, noise, log_unigram)
    for parameter_name, p in model.named_parameters():
        g = gradients[parameter_name]
        g = (g.dense(len(p)) if isinstance(g, Rows) else g).reshape(-1)
        flat = p.data.view(-1)
        for i in g.abs().argsort(descending=True)[:4].tolist():
            before = flat[i].item()
            flat[i] = before + 1e-5
            up = contrast(model, contexts, rows, noise, log_unigram)[0].item()
            flat[i] = before - 1e-5
            down = contrast(model, contexts, rows, noise, log_unigram)[0].item()
            flat[i] = before
            assert g[i].item() == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6)


def test_noise_contrastive_estimation_approaches_the_likelihood_solution() -> None:
    """A bigram world whose conditional frequencies any order-2 model can meet; both should come near them."""
    random = np.random.default_rng(5)
    chances = random.dirichlet(np.full(5, 0.7), size=5)
    sentences = []
    for _ in range(400):
        word, sentence = 0, []
        for _ in range(8):
            word = int(random.choice(5, p=chances[word]))
            sentence.append(f"w{word}")
        sentences.append(sentence)
    corpus = Corpus.read(sentences)
    settings = TrainingSettings(step=0.3, l2=0.0, batch=200, epochs=12, patience=12)
    one_class = np.zeros(len(corpus.vocabulary), np.uint32)
    exact = Trainer(corpus, corpus, Shape(Variant.parse("clbl"), 2, 6), settings, None, one_class)
    contrasted = Trainer(corpus, corpus, Shape(Variant.parse("lbl"), 2, 6), settings)
    best = min(exact.run(progress=False).perplexity)
    near = min(contrasted.run(progress=False).perplexity)
    events = Events.of(corpus, 2)
    joint = np.zeros((len(corpus.vocabulary),) * 2)
    np.add.at(joint, (events.contexts[:, 0], events.words), 1)
    conditional = joint / np.maximum(1, joint.sum(1, keepdims=True))
    optimum = math.exp(-np.log(conditional[events.contexts[:, 0], events.words]).mean())
    assert optimum < best < 1.01 * optimum
    assert optimum < near < 1.03 * optimum


@pytest.mark.parametrize("name", ["lbl+o", "clbl", "nclbl++"])
def test_a_loaded_model_scores_bit_for_bit(name: str, tmp_path: Path) -> None:
    model = lm(name)
    model.save(tmp_path / "m")
    again = language_model.load(tmp_path / "m")
    held_out = [*text(10, 4), ["zaunen", "hofen", "unerhoert"]]
    one, other = model.score_sentences(held_out), again.score_sentences(held_out)
    assert np.array_equal(one.log_prob, other.log_prob) and np.array_equal(one.offsets, other.offsets)
    assert str(model.signature()) == str(again.signature())
    assert one.unknown.sum() == 2


@pytest.mark.parametrize("name", ["lbl++", "clbl+c", "nclbl"])
@pytest.mark.parametrize("extended", [False, True])
def test_single_scores_equal_batches_and_sum_to_one(name: str, extended: bool) -> None:
    model = lm(name)
    if extended:
        if not model.shape.variant.output:
            with pytest.raises(SettingsError, match=r"\+o or \+\+"):
                model.extended()
            return
        model = model.extended(rest=0.3)
        assert set(model.extension) == {"zaunen", "hofest", "baumst"} - set(CORPUS.vocabulary.words)
    held_out = [*text(5, 4), ["zaunen", "hofen", "unerhoert", "hofen"]]
    single, unknown = [], []
    for sentence in held_out:
        state = model.begin()
        for word in (*sentence, "</s>"):
            chances = model.distribution(state)
            unknown.append(math.log(chances[0]))
            assert chances.sum() == pytest.approx(1.0, abs=1e-9) and chances[1] == 0.0
            scored = model.score_word(state, word)
            assert math.exp(scored.log_prob) == pytest.approx(chances[model.vocabulary[word]], rel=1e-6)
            single.append(scored.log_prob)
            state = scored.state
            assert hash(state) is not None
    assert np.allclose(single, model.score_sentences(held_out).log_prob, atol=1e-5)
    parts = model.weigh_sentences(held_out)
    assert np.allclose(unknown, np.log(parts.unknown[0]), atol=1e-5)
    assert np.allclose(single, np.log(parts.share[0]), atol=1e-5)


def test_unseen_context_words_take_the_vectors_of_their_morphemes() -> None:
    model = lm("clbl++")
    state = model.score_word(model.begin(), "zaunen").state
    rows = model.composer.rows(["en/SUF"], "context")
    assert model.composer.context_rows("zaunen") == rows  # training had no <unk>
    assert state[-1] == "zaunen" and model.score_word(model.begin(), "unerhoert").state[-1] == 0
    assert not np.allclose(
        model.distribution(state), model.distribution(model.score_word(model.begin(), "unerhoert").state)
    )


@pytest.mark.parametrize("name", ["lbl", "clbl++", "nclbl+c"])
def test_mixtures_by_context_see_the_prediction_vector(name: str, tmp_path: Path) -> None:
    model, held_out = lm(name), [["hausen", "zaunen", "gehst"], ["fremd", "hofen"]]
    state, rows = model.begin(), model.weigh_sentences(held_out).features
    assert rows.shape == (7, 6)
    for word, row in zip((*held_out[0], "</s>"), rows, strict=False):
        assert np.allclose(model.weigh(state, word).features[0], row, atol=1e-6)
        state = model.score_word(state, word).state
    assert len(np.unique(rows.round(6), axis=0)) > 3
    mixture = Mixture([KneserNey(3).fit(CORPUS), model], by_context=True).fit(text(20, 1))
    assert mixture.distribution(mixture.begin()).sum() == pytest.approx(1)
    mixture.save(tmp_path / "m")
    again = language_model.load(tmp_path / "m")
    assert np.array_equal(again.score_sentences(held_out).log_prob, mixture.score_sentences(held_out).log_prob)


PRUNED = Corpus.read(
    [*text(), ["zaunen", "hausen"], ["hofen", "baumst", "fremd"]], policy=VocabularyPolicy(min_count=2)
)


def test_words_outside_the_vocabulary_are_unknown_with_morphemes() -> None:
    assert PRUNED.outside == ("zaunen", "baumst", "fremd")
    found = FactorMap.from_segmentations(TABLE, PRUNED.vocabulary, (*PRUNED.outside, "hausen", "zaunen"))
    assert found.outside == ("zaunen", "baumst", "hausen") and found.words == len(PRUNED.vocabulary)
    rows = [found.factors[a:b].tolist() for a, b in zip(found.offsets, found.offsets[1:], strict=False)]
    index = found.morpheme_index
    assert rows[found.words] == [0, index["en/SUF"]] and rows[found.words + 1] == [0, index["st/SUF"]]
    inside = FactorMap.from_segmentations(TABLE, PRUNED.vocabulary)
    assert found.inside.digest == inside.digest and found.inside.outside == ()

    events, closed = Events.of(PRUNED, 3, found.outside), Events.of(PRUNED, 3)
    assert (events.words == closed.words).all() and (events.words < found.words).all()
    assert (np.where(events.contexts < found.words, events.contexts, 0) == closed.contexts).all()
    assert events.contexts[-1].tolist() == [found.words + 1, 0]  # </s> after baumst, fremd
    assert events.contexts[-5].tolist() == [found.words, PRUNED.vocabulary.index["hausen"]]


@pytest.mark.parametrize("name", ["lbl+c", "clbl+c", "clbl++", "nclbl++", "clbl+o"])
@pytest.mark.parametrize("corpus", [PRUNED, CORPUS], ids=["with <unk>", "without"])
def test_training_and_scoring_see_the_same_context_words(name: str, corpus: Corpus, tmp_path: Path) -> None:
    held_out = [["zaunen", "hausen", "hofest"], ["hofen", "fremd", "gehst"], *text(5, 1)]
    settings = {"order": 3, "dim": 6, "epochs": 2, "batch": 50, "noise_samples": 10}
    classes = brown(corpus, 4) if Variant.parse(name).classes else None
    model = LogBilinear(name, classes=classes, word_map=TABLE, **settings).fit(corpus, held_out, progress=False)
    assert model.history is not None
    mean = model.score_sentences(held_out).log_prob.mean()
    assert math.exp(-mean) == pytest.approx(model.history.perplexity[model.history.best - 1], rel=1e-5)
    morphemes = model.composer.rows(["en/SUF"], "context")
    assert model.composer.context_rows("zaunen") == ([0, *morphemes] if morphemes and corpus is PRUNED else morphemes)
    model.save(tmp_path / "m")
    assert language_model.load(tmp_path / "m").score_sentences(held_out).log_prob.mean() == mean


def test_gradients_with_words_outside_the_vocabulary() -> None:
    found = FactorMap.from_segmentations(TABLE, PRUNED.vocabulary, PRUNED.outside)
    shape = Shape(Variant.parse("clbl++"), 3, 5)
    class_of = brown(PRUNED, 4).ids(PRUNED.vocabulary)
    model = LogBilinearNetwork(shape, Targets(class_of, PRUNED.vocabulary), found, 3, scale=0.5).double()
    events = Events.of(PRUNED, 3, found.outside)
    contexts, rows = torch.from_numpy(events.contexts[-12:]).long(), model.targets.row_of[events.words[-12:]]
    _, gradients = likelihood(model, contexts, torch.from_numpy(rows))
    context_vectors, target_vectors = model.compiled()
    assert (contexts >= found.words).any()
    loss = -model.log_prob(model.predict(context_vectors[contexts]), torch.from_numpy(rows), target_vectors).sum()
    loss.backward()
    by_hand = gradients["Q"]
    assert isinstance(by_hand, Rows) and torch.allclose(by_hand.dense(len(model.Q)), model.Q.grad)


def test_extension_gives_new_words_what_unknown_had() -> None:
    closed = lm("clbl++")
    open_ = closed.extended()
    before, after = closed.distribution(closed.begin()), open_.distribution(open_.begin())
    assert np.allclose(before[1:], after[1 : len(before)])
    assert after[0] + after[len(before) :].sum() == pytest.approx(before[0])
    assert len(set(np.round(after[len(before) :], 12))) > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 0}, "at least 1 dimension"),
        ({"order": 1}, "order is 2 or more"),
        ({"step": 0.0}, "step must be positive"),
    ],
)
def test_settings_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        lm("clbl++", **options)


def test_maps_and_classes_that_lack_words() -> None:
    with pytest.raises(InputError, match="no word of the vocabulary"):
        lm("clbl++", word_map=SegmentationTable([Segmentation.parse("Haus", "Haus/STM")]))
    other = brown(Corpus.read(["ganz andere worte"]), 2)
    with pytest.raises(InputError, match="have no class"):
        lm("clbl++", classes=other)
    partial = SegmentationTable([TABLE["hausen"]])
    assert FactorMap.from_segmentations(partial, CORPUS.vocabulary).size == len(CORPUS.vocabulary) + 2


def test_scores_of_events_are_normalised() -> None:
    model = build("clbl", double=False)
    events = Events.of(DEVELOPMENT, 3)
    scores = score_events(model, events)
    assert len(scores) == len(events) and scores.max() < 0
