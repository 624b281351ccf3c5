"""Models inside the decoder score a translation as they score its string: log-bilinear arrays, HPYLM+c."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import binyan
from binyan import _core
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.text import Vocabulary
from binyan.translation import Decoder, DecoderSettings, read_rules

GRAMMAR = """\
[X] ||| a ||| haus ||| f=0.1
[X] ||| a ||| haustür ||| f=0.2
[X] ||| b ||| die tür ||| f=0.3
[X] ||| b [X,1] ||| [X,1] neu hof ||| f=0.1
[X] ||| c ||| haushof ||| f=0.2
[X] ||| [X,1] c [X,2] ||| [X,2] das [X,1] ||| f=0.4
"""
SENTENCES = [list("abcab"), list("bacxb"), list("cc"), list("abacabacabac")]


@pytest.fixture
def grammar(tmp_path):
    (tmp_path / "g").write_text(GRAMMAR)
    return read_rules(tmp_path / "g")


class Arrays(np.ndarray):
    """An array that answers to a tensor's methods."""

    def detach(self):
        return self

    def numpy(self):
        return np.asarray(self)


def tensor(x):
    return np.asarray(x, np.float32).view(Arrays)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("sigmoid", [True, False])
def test_log_bilinear_scores(grammar, diagonal, sigmoid):
    """The core's class-factored probabilities against numpy, for the words of every hypothesis."""
    pytest.importorskip("torch")
    from binyan.log_bilinear.decoder_feature import decoder_feature, decoder_words

    random = np.random.default_rng(3)
    words = ["<unk>", "<s>", "</s>", "haus", "hof", "tür", "die", "das", "haustür", "haushof"]
    order, dim, first = 3, 4, [0, 2, 5, 9]
    word_of = [0, 2, 3, 4, 5, 6, 7, 8, 9]
    row_of = np.full(len(words), -1)
    row_of[word_of] = range(9)
    Q, R, b, S, t = (random.normal(size=s) for s in [(10, dim), (9, dim), 9, (3, dim), 3])
    C = random.normal(size=(order - 1, dim) if diagonal else (order - 1, dim, dim))
    targets = SimpleNamespace(row_of=row_of)
    shape = SimpleNamespace(dim=dim, variant=SimpleNamespace(classes=True, nonlinear=sigmoid))
    lbl = SimpleNamespace(
        Q=tensor(Q), C=tensor(C), b=tensor(b), S=tensor(S), t=tensor(t), first=first, targets=targets, shape=shape
    )
    model = SimpleNamespace(
        network=lbl, order=order, extension=(), vocabulary=Vocabulary(words[3:]), context_vectors=tensor(Q), target_vectors=tensor(R),
        composer=SimpleNamespace(context_rows=lambda word: [4, 5] if word == "x" else []),
    )  # fmt: skip

    def vector(word):
        return Q[[4, 5]].sum(0) if word == "x" else Q[words.index(word) if word in words else 0]

    def log_prob(context, word):
        p = sum(vector(w) * c if diagonal else vector(w) @ c for w, c in zip(context, C, strict=True))
        p = 1 / (1 + np.exp(-p)) if sigmoid else p
        row = row_of[words.index(word) if word in words else 0]
        c = np.searchsorted(first, row, side="right") - 1
        own = slice(first[c], first[c + 1])
        log_softmax = lambda x: x - np.log(np.exp(x).sum())  # noqa: E731
        return log_softmax(S @ p + t)[c] + log_softmax(R[own] @ p + b[own])[row - first[c]]

    model.decoder_feature = lambda vocabulary: decoder_feature(model, vocabulary)
    model.decoder_words = lambda vocabulary: decoder_words(model, vocabulary)
    decoder = Decoder(grammar, [model], {"f": 1.0}, DecoderSettings(pop_limit=300))
    lists = decoder.k_best(SENTENCES, 30)
    at = decoder.feature_names.index("LanguageModel1")
    for h in range(len(lists.score)):
        padded = ["<s>", "<s>", *lists.text(h), "</s>"]
        expected = sum(log_prob(padded[i - 2 : i], padded[i]) for i in range(2, len(padded)))
        assert lists.features[h, at] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("variant", ["clbl", "clbl++", "nclbl+c", "lbl"])
def test_trained_log_bilinear_scores(grammar, variant):
    """The whole way from a trained model, with words outside its vocabulary composed of their morphemes."""
    pytest.importorskip("torch")
    from binyan import LogBilinear

    text = ["das haus", "die haustür", "die tür", "das haus das haus", "die haustür neu", "hof neu"] * 3
    table = SegmentationTable.from_bytes("haustür\thaus tür\nhaushof\thaus hof\n".encode())
    classes, word_map = 3 if "c" in variant.split("+")[0] else None, table if "+" in variant else None
    model = LogBilinear(variant, order=3, dim=5, classes=classes, word_map=word_map, epochs=2, batch=8).fit(text, text)
    assert "haushof" not in model.vocabulary
    decoder = Decoder(grammar, [model], {"f": 1.0}, DecoderSettings(pop_limit=300))
    lists = decoder.k_best(SENTENCES, 30)
    at = decoder.feature_names.index("LanguageModel1")
    for h in range(len(lists.score)):
        scores = model.score_sentences([list(lists.text(h))])
        assert lists.features[h, at] == pytest.approx(scores.log_prob.sum(), abs=2e-3)


def test_extended_log_bilinear_scores(grammar):
    """Words that share <unk> by their morphemes, and the rest of all unknown words."""
    pytest.importorskip("torch")
    model = log_bilinear().extended(["haushof", "haustürhof"])
    assert model.extension == ("haushof", "haustürhof")
    decoder = Decoder(grammar, [model], {"f": 1.0}, DecoderSettings(pop_limit=300))
    assert type(decoder._target.features[0]) is _core.LogBilinearFeature
    lists = decoder.k_best([*SENTENCES, *(s.split() for s in COPIED)], 20)
    at = decoder.feature_names.index("LanguageModel1")
    for h in range(len(lists.score)):
        scores = model.score_sentences([list(lists.text(h))])
        assert lists.features[h, at] == pytest.approx(scores.log_prob.sum(), abs=2e-3)
        assert lists.features[h, at + 1] == scores.unknown.sum()


@pytest.mark.parametrize("renormalised", [False, True])
@pytest.mark.parametrize("order", [1, 3])
def test_inflection_model_scores(grammar, renormalised, order):
    text = ["das haus", "die haustür", "die tür", "das haus das haus", "die haustür neu", "das hoftür", "hof"] * 3
    table = {"haustür": "haus tür", "hoftür": "hof tür", "haushof": "haus hof"}
    model = binyan.InflectionHPYLM(order=order, segmentation=table, sweeps=6, samples=2).fit(text).opened()
    model.tell_parts([Segmentation.parse("neutür", "neu tür"), Segmentation.parse("haustür", "h austür")])
    model = model.closed() if renormalised else model
    assert model.has_own_probability("neutür") != renormalised and "neutür" not in model.vocabulary
    assert model.parts_of("haustür") == ("haus", "tür")
    decoder = Decoder(grammar, [model], {"f": 1.0}, DecoderSettings(pop_limit=300))
    assert type(decoder._target.features[0]) is _core.InflectionFeature
    lists = decoder.k_best([*SENTENCES, *(s.split() for s in (*COPIED, "a neutür b"))], 20)
    at = decoder.feature_names.index("LanguageModel1")
    for h in range(len(lists.score)):
        scores = model.score_sentences([list(lists.text(h))])
        assert lists.features[h, at] == pytest.approx(scores.log_prob.sum(), abs=1e-3)
        assert lists.features[h, at + 1] == scores.unknown.sum()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("calibration", ["none", "to the training text", "by length"])
@pytest.mark.parametrize("kind", ["mkn", "hpylm", "hpylm+i", "clbl++", "mixture"])
def test_open_vocabulary_scores(grammar, kind, calibration):
    """Every string has a probability in the decoder too, whatever the model behind it."""
    text = ["das haus", "die haustür", "die tür", "das haus das haus", "die haustür neu", "das hoftür", "hof"] * 3
    held_out = ["das hoftor", "die tür neu", "die haustüren"] if calibration == "by length" else None
    model = binyan.OpenVocabulary(closed_model(kind, text), calibrated=calibration != "none").fit(text, held_out)
    assert model.calibration.is_none == (calibration == "none")
    decoder = Decoder(grammar, [model], {"f": 1.0}, DecoderSettings(pop_limit=300))
    assert type(decoder._target.features[0]) is _core.OpenFeature
    at = decoder.feature_names.index("LanguageModel1")
    for sentence in [*SENTENCES, *(s.split() for s in COPIED)]:  # new words come one after the other
        lists = decoder.k_best([sentence], 20)
        for h in range(len(lists.score)):
            scores = model.score_sentences([list(lists.text(h))])
            assert lists.features[h, at] == pytest.approx(scores.log_prob.sum(), abs=2e-3)
            assert lists.features[h, at + 1] == scores.unknown.sum()


def closed_model(kind, text):
    """A model that is trained, or is to be."""
    if kind == "clbl++":
        pytest.importorskip("torch")
        return log_bilinear()
    table = {"haustür": "haus tür", "hoftür": "hof tür", "haushof": "haus hof"}
    kinds = {
        "mkn": lambda: binyan.KneserNey(order=3),
        "hpylm": lambda: binyan.HPYLM(order=3, sweeps=6),
        "hpylm+i": lambda: binyan.InflectionHPYLM(order=3, segmentation=table, sweeps=6, samples=2),
        "mixture": lambda: models()["mixture"],
    }
    return kinds[kind]()


def test_models_are_told_the_parts_of_new_words(grammar):
    """A word that no table has is scored by its parts once these are told, and as an unknown word before."""
    told = Segmentation.parse("türhaus", "tür haus")
    compound = models()["hpylm+g"]
    before = compound.score_word(compound.begin(), "türhaus").log_prob
    assert not compound.has_own_probability("türhaus")
    compound.tell_parts([told])
    assert compound.has_own_probability("türhaus") and compound.parts_of("türhaus") == ("haus", "tür")
    assert compound.score_word(compound.begin(), "türhaus").log_prob != pytest.approx(before)
    decoder = Decoder(grammar, [compound], {"f": 1.0})
    lists = decoder.k_best([["türhaus", "a"]], 5)
    at = decoder.feature_names.index("LanguageModel1")
    for h in range(len(lists.score)):
        expected = compound.score_sentences([list(lists.text(h))]).log_prob.sum()
        assert lists.features[h, at] == pytest.approx(expected, abs=1e-3)
    pytest.importorskip("torch")
    neural = log_bilinear()
    neural.tell_parts([told])
    assert neural.extended(["türhaus", "xyz"]).extension == ("türhaus",)


@pytest.mark.parametrize("renormalised", [False, True])
def test_compound_model_scores(grammar, renormalised):
    from binyan.ngram.compound import CompoundHPYLM
    from binyan.sampling import Schedule

    text = ["das haus", "die haustür", "die tür", "das haus das haus", "die haustür neu", "das hoftor", "hof"] * 3
    table = SegmentationTable.from_bytes("haustür\thaus tür\nhoftor\thof tor\nhaushof\thaus hof\n".encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CompoundHPYLM(order=3, segmentation=table, schedule=Schedule(sweeps=6, samples=2), both_ways=False).fit(
            text
        )
    if renormalised:
        model = model.closed()
    decoder = Decoder(grammar, [model], {"f": 1.0}, DecoderSettings(pop_limit=300))
    assert type(decoder) is Decoder and "haushof" not in model.vocabulary
    lists = decoder.k_best(SENTENCES, 30)
    at = decoder.feature_names.index("LanguageModel1")
    for h in range(len(lists.score)):
        scores = model.score_sentences([list(lists.text(h))])
        assert lists.features[h, at] == pytest.approx(scores.log_prob.sum(), abs=1e-3)
        assert lists.features[h, at + 1] == scores.unknown.sum()


COPIED = [
    "a haushof b",
    "x a y",
    "haustürhof c",
    "y b haushof z",
    "hoftor x a",
]  # words no rule knows, one after the other


def models():
    """Every way into the decoder: native features, and calls of `score_word`."""
    text = ["das haus", "die haustür", "die tür", "das haus das haus", "die haustür neu", "das hoftor", "hof"] * 3
    table = SegmentationTable.from_bytes("haustür\thaus tür\nhoftor\thof tor\nhaushof\thaus hof\n".encode())
    mkn = binyan.KneserNey(order=3).fit(text)
    compound = binyan.CompoundHPYLM(order=3, segmentation=table, sweeps=6).fit(text)
    mixture = binyan.Mixture([mkn, binyan.KneserNey(order=2).fit(text)]).fit(text)
    return {"mkn": mkn, "hpylm+g": compound, "closed": compound.closed(), "mixture": mixture}


def log_bilinear():
    text = ["das haus", "die haustür", "die tür", "das haus das haus", "die haustür neu", "hof neu"] * 3
    table = SegmentationTable.from_bytes("haustür\thaus tür\nhaushof\thaus hof\nhaustürhof\thaus tür hof\n".encode())
    return binyan.LogBilinear("clbl++", order=3, dim=5, classes=3, word_map=table, epochs=2, batch=8).fit(text, text)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ["mkn", "hpylm+g", "closed", "mixture", "clbl++"])
def test_sentences_one_by_one_score_as_all_at_once(grammar, kind):
    """A decoder that meets new words in each sentence, against one that has them all from the first."""
    if kind == "clbl++":
        pytest.importorskip("torch")
    model = log_bilinear() if kind == "clbl++" else models()[kind]
    sentences = [s.split() for s in COPIED]
    growing, whole = (Decoder(grammar, [model], {"f": 1.0}, DecoderSettings(pop_limit=300)) for _ in range(2))
    expected = whole.k_best(sentences, 20)
    at = 0
    for sentence in sentences:
        lists = growing.k_best([sentence], 20)
        for h in range(len(lists.score)):
            assert lists.text(h) == expected.text(at)
            np.testing.assert_allclose(lists.features[h], expected.features[at], atol=1e-5)
            at += 1
    assert at == len(expected.score)


def test_log_bilinear_arrays_are_checked():
    one = np.zeros(1, np.float32)
    ids = np.zeros(1, np.uint32)
    with pytest.raises(Exception, match="do not fit together"):
        _core.LogBilinearFeature(3, 2, False, one, one, one, one, one, ids, ids, 0, np.zeros(1, np.uint8))
