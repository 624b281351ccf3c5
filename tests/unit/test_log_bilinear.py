"""The log-bilinear family: gradients, sums to one, reductions between variants, files, training that resumes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")
torch.set_num_threads(1)

from binyan import language_model  # noqa: E402
from binyan.clustering import brown  # noqa: E402
from binyan.errors import InputError, ModelFileError, SettingsError  # noqa: E402
from binyan.log_bilinear.estimation import train  # noqa: E402
from binyan.log_bilinear.events import Events  # noqa: E402
from binyan.log_bilinear.gradients import Rows, likelihood  # noqa: E402
from binyan.log_bilinear.language_model import LogBilinearLM  # noqa: E402
from binyan.log_bilinear.model import LogBilinear, Shape, Targets, Variant  # noqa: E402
from binyan.log_bilinear.noise_contrastive import contrast, noise_words  # noqa: E402
from binyan.log_bilinear.training import Trainer, TrainingError, TrainingSettings, score_events  # noqa: E402
from binyan.log_bilinear.word_map import WordMap  # noqa: E402
from binyan.segmentation import Segmentation, SegmentationTable  # noqa: E402
from binyan.text import Corpus  # noqa: E402

VARIANTS = [n + c + "lbl" + plus for n in ("", "n") for c in ("", "c") for plus in ("", "+c", "+o", "++")]


def text(sentences: int = 60, seed: int = 0) -> list[list[str]]:
    """Words of a stem and a suffix, the suffix agreeing with that of the word before."""
    random = np.random.default_rng(seed)
    out = []
    for _ in range(sentences):
        suffix = random.choice(["en", "st", "t"])
        out.append([f"{random.choice(['haus', 'hof', 'geh', 'lauf'])}{suffix}" for _ in range(random.integers(2, 6))])
    return out


def word_map_of(words: list[str]) -> SegmentationTable:
    rows = []
    for w in words:
        for suffix in ("en", "st", "t"):
            if w.endswith(suffix):
                rows.append(Segmentation.parse(w, f"{w[: -len(suffix)]}/STM {suffix}/SUF"))
                break
    return SegmentationTable(rows)


CORPUS = Corpus.read(text())
DEVELOPMENT = Corpus.encode(text(20, 1), CORPUS.vocabulary)
TABLE = word_map_of([*CORPUS.vocabulary.words[3:], "zaunen", "hofest", "baumst"])
MAP = WordMap.from_segmentations(TABLE, CORPUS.vocabulary)
CLASSES = brown(CORPUS, 4)
CLASS_OF = CLASSES.ids(CORPUS.vocabulary)


def build(
    name: str, diagonal: bool = False, double: bool = True, word_map: WordMap = MAP, seed: int = 3
) -> LogBilinear:
    shape = Shape(Variant.parse(name), 3, 5, diagonal)
    targets = Targets(CLASS_OF if shape.variant.classes else None, CORPUS.vocabulary)
    model = LogBilinear(shape, targets, word_map, seed, scale=0.5)
    return model.double() if double else model


def batch(model: LogBilinear, size: int = 40) -> tuple[torch.Tensor, torch.Tensor]:
    events = Events.of(CORPUS, model.shape.order)
    chosen = np.random.default_rng(2).permutation(len(events))[:size]
    rows = model.targets.row_of[events.words[chosen]]
    return torch.from_numpy(events.contexts[chosen]).long(), torch.from_numpy(rows)


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
@pytest.mark.parametrize("diagonal", [False, True])
def test_gradient_by_hand_equals_autograd_and_finite_differences(name: str, diagonal: bool) -> None:
    model = build(name, diagonal)
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
    simplex = WordMap.from_segmentations(
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
    found = WordMap.from_segmentations(
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


def lm(name: str = "clbl++", **more: object) -> LogBilinearLM:
    settings = TrainingSettings(epochs=2, batch=50, noise_samples=10, step=0.1, l2=2.0)
    options: dict[str, object] = {
        "order": 3,
        "dim": 6,
        "classes": CLASSES,
        "segmentations": TABLE,
        "settings": settings,
    }
    return train(CORPUS, text(20, 1), name, progress=False, **(options | more))  # type: ignore[arg-type]


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
        if not model.model.shape.variant.output:
            with pytest.raises(SettingsError, match=r"\+o or \+\+"):
                model.extended()
            return
        model = model.extended(rest=0.3)
        assert set(model.extension) == {"zaunen", "hofest", "baumst"} - set(CORPUS.vocabulary.words)
    held_out = [*text(5, 4), ["zaunen", "hofen", "unerhoert", "hofen"]]
    single = []
    for sentence in held_out:
        state = model.begin()
        for word in (*sentence, "</s>"):
            chances = model.next_words(state)
            assert chances.sum() == pytest.approx(1.0, abs=1e-9) and chances[1] == 0.0
            scored = model.score(state, word)
            assert math.exp(scored.log_prob) == pytest.approx(chances[model.vocabulary[word]], rel=1e-6)
            single.append(scored.log_prob)
            state = scored.state
            assert hash(state) is not None
    assert np.allclose(single, model.score_sentences(held_out).log_prob, atol=1e-5)


def test_unseen_context_words_take_the_vectors_of_their_morphemes() -> None:
    model = lm("clbl++")
    state = model.score(model.begin(), "zaunen").state
    expected = model.model.Q[model.morpheme_rows(["en/SUF"], "context")].sum(0)
    assert torch.equal(model._composed("zaunen", model.model.Q, None), expected)
    assert state[-1] == "zaunen" and model.score(model.begin(), "unerhoert").state[-1] == 0
    assert not np.allclose(model.next_words(state), model.next_words(model.score(model.begin(), "unerhoert").state))


def test_extension_gives_new_words_what_unknown_had() -> None:
    closed = lm("clbl++")
    open_ = closed.extended()
    before, after = closed.next_words(closed.begin()), open_.next_words(open_.begin())
    assert np.allclose(before[1:], after[1 : len(before)])
    assert after[0] + after[len(before) :].sum() == pytest.approx(before[0])
    assert len(set(np.round(after[len(before) :], 12))) > 1


@pytest.mark.parametrize("name", ["clbl++", "lbl"])
def test_a_falling_step_size_reaches_nothing_and_resumes(name: str, tmp_path: Path) -> None:
    def trainer(epochs: int = 3) -> Trainer:
        settings = TrainingSettings(epochs=epochs, batch=50, patience=9, noise_samples=5, decay=True)
        return Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse(name), 3, 5), settings, MAP, CLASS_OF)

    steps: list[float] = []
    unbroken = trainer()
    update = unbroken.optimiser.update
    unbroken.optimiser.update = lambda g, share, shrink: (steps.append(shrink), update(g, share, shrink))  # type: ignore[method-assign, assignment, return-value]
    unbroken.run(progress=False)
    batches = math.ceil(CORPUS.events / 50)
    assert len(steps) == 3 * batches and steps[0] == 1
    done = [epoch + 50 * i / CORPUS.events for epoch in range(3) for i in range(batches)]
    assert steps == pytest.approx([1 - d / 3 for d in done])

    class Stopped(Exception): ...

    def stop(_: object) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        trainer().run(tmp_path / "state", progress=False, after_epoch=stop)
    with pytest.raises(ModelFileError, match="another run"):
        trainer(4).run(tmp_path / "state")
    resumed = trainer()
    assert resumed.run(tmp_path / "state", progress=False).perplexity == unbroken.course.perplexity
    for one, other in zip(unbroken.model.parameters(), resumed.model.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", ["clbl++", "lbl"])
def test_resumed_training_equals_unbroken(name: str, tmp_path: Path) -> None:
    def trainer(epochs: int) -> Trainer:
        settings = TrainingSettings(epochs=epochs, batch=50, patience=9, noise_samples=5)
        return Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse(name), 3, 5), settings, MAP, CLASS_OF)

    unbroken = trainer(4)
    unbroken.run(progress=False)
    trainer(2).run(tmp_path / "state", progress=False)
    resumed = trainer(4)
    course = resumed.run(tmp_path / "state", progress=False)
    assert course.perplexity == unbroken.course.perplexity and course.loss == unbroken.course.loss
    for one, other in zip(unbroken.model.parameters(), resumed.model.parameters(), strict=True):
        assert torch.equal(one, other)
    with pytest.raises(ModelFileError, match="another run"):
        Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse(name), 3, 5), TrainingSettings(step=0.5), MAP, CLASS_OF).run(
            tmp_path / "state"
        )


def test_training_stops_at_the_best_epoch() -> None:
    settings = TrainingSettings(step=0.5, l2=0.0, batch=20, epochs=30, patience=2)
    trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl"), 3, 8), settings, None, CLASS_OF)
    course = trainer.run(progress=False)
    assert course.epochs == course.best + 2 < 30
    assert trainer.development_perplexity() == min(course.perplexity)


def test_a_diverging_run_keeps_the_last_good_state(tmp_path: Path) -> None:
    settings = TrainingSettings(batch=50, epochs=3, patience=9)
    trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl"), 3, 5), settings, None, CLASS_OF)

    def spoil(_: object) -> None:
        with torch.no_grad():
            trainer.model.C.fill_(math.nan)

    with pytest.raises(TrainingError, match=r"lower the step size \(now 0.06\)"):
        trainer.run(tmp_path / "state", progress=False, after_epoch=spoil)
    again = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl"), 3, 5), settings, None, CLASS_OF)
    again.restore(tmp_path / "state")
    assert again.course.epochs == 1 and math.isfinite(again.development_perplexity())


def test_training_learns_and_morphemes_help() -> None:
    plain, additive = lm("clbl"), lm("clbl++")
    held_out = text(40, 9)
    uniform = len(CORPUS.vocabulary)
    assert plain.score_sentences(held_out).perplexity < uniform / 1.5
    assert additive.score_sentences(held_out).perplexity < plain.score_sentences(held_out).perplexity


def test_penalty_of_rare_rows_is_unbiased() -> None:
    """Over an epoch the penalty of a row is lambda theta, however rarely the row is touched."""
    settings = TrainingSettings(batch=10, epochs=1, l2=1.0)
    trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl++"), 3, 5), settings, MAP, CLASS_OF)
    share = trainer.optimiser.touch_share["Q"]
    touches = torch.zeros_like(share)
    events = len(trainer.events)
    passes = 30
    for seed in range(passes):
        order = torch.from_numpy(np.random.default_rng(seed).permutation(events))
        for start in range(0, events, 10):
            chosen = order[start : start + 10]
            _, gradients = likelihood(trainer.model, trainer._contexts[chosen].long(), trainer._rows[chosen])
            touches[gradients["Q"].index] += len(chosen) / events / share[gradients["Q"].index]
    seen = touches > 0
    assert torch.allclose(touches[seen] / passes, torch.ones(int(seen.sum())), atol=0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 0}, "at least 1 dimension"),
        ({"order": 1}, "order is 2 or more"),
        ({"segmentations": None}, "word map"),
        ({"settings": TrainingSettings}, "step must be positive"),
    ],
)
def test_settings_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        if options.get("settings") is TrainingSettings:
            options["settings"] = TrainingSettings(step=0.0)
        lm("clbl++", **options)


def test_maps_and_classes_that_lack_words() -> None:
    with pytest.raises(InputError, match="no word of the vocabulary"):
        lm("clbl++", segmentations=SegmentationTable([Segmentation.parse("Haus", "Haus/STM")]))
    other = brown(Corpus.read(["ganz andere worte"]), 2)
    with pytest.raises(InputError, match="have no class"):
        lm("clbl++", classes=other)
    partial = SegmentationTable([TABLE["hausen"]])
    assert WordMap.from_segmentations(partial, CORPUS.vocabulary).size == len(CORPUS.vocabulary) + 2


def test_scores_of_events_are_normalised() -> None:
    model = build("clbl", double=False)
    events = Events.of(DEVELOPMENT, 3)
    scores = score_events(model, events)
    assert len(scores) == len(events) and scores.max() < 0
