"""One meaning of <unk>, <s> and </s>, and one score of a text, on every way into every model."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import binyan
from binyan import _core
from binyan.context_scorer import ContextScorer
from binyan.errors import InputError
from binyan.evaluation.perplexity import evaluate
from binyan.language_model import LanguageModel
from binyan.text.vocabulary import BEGIN, BEGIN_ID, END, END_ID, SPECIALS, UNKNOWN, UNKNOWN_ID
from binyan.translation.rescoring import Rescorer
from model_zoo import HELD_OUT, NAMES, OPEN, all_models, log_bilinear_models, ngram_models

CONTEXTS = [[], ["das"], ["das", "haus"], ["xyz", "haushof"], ["der", UNKNOWN]]
# Log-bilinear networks compute in 32-bit numbers, one by one and in batches in another order of additions.
SINGLE = {"lbl": 1e-5, "clbl++": 1e-5, "extended": 1e-5}


def model_of(name: str) -> LanguageModel:
    if name not in all_models():
        pytest.skip("the neural extra is not installed")
    return all_models()[name]


def state_after(model: LanguageModel, words: list[str]) -> object:
    state = model.begin()
    for word in words:
        state = model.score_word(state, word).state
    return state


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("context", CONTEXTS, ids=" ".join)
def test_special_words_mean_the_same_on_every_way_in(name: str, context: list[str]) -> None:
    model, near = model_of(name), SINGLE.get(name, 1e-6)
    state = state_after(model, context)
    chances = model.distribution(state)  # type: ignore[arg-type]
    assert chances[BEGIN_ID] == 0
    assert (chances.sum() < 1 + 1e-6) if name in OPEN else chances.sum() == pytest.approx(1, abs=1e-5)
    in_text = model.score_sentences([[*context, UNKNOWN]])
    of_unknown, of_end = (model.score_word(state, w) for w in (UNKNOWN, END))  # type: ignore[arg-type]
    assert of_unknown.unknown and in_text.unknown[len(context)] and not of_end.unknown
    assert math.exp(of_unknown.log_prob) == pytest.approx(chances[UNKNOWN_ID], rel=near)
    assert in_text.log_prob[len(context)] == pytest.approx(of_unknown.log_prob, abs=near)
    assert math.exp(of_end.log_prob) == pytest.approx(chances[END_ID], rel=near)
    ends = model.score_sentences([context]).log_prob[-1]
    assert ends == pytest.approx(of_end.log_prob, abs=near)
    parts = model.weigh(state, UNKNOWN)  # type: ignore[arg-type]
    assert parts.share.sum() == pytest.approx(chances[UNKNOWN_ID], rel=near)
    assert parts.unknown.sum() == pytest.approx(chances[UNKNOWN_ID], rel=near)
    whole = model.weigh(state).share.sum(0)  # type: ignore[arg-type]
    np.testing.assert_allclose(np.delete(whole, BEGIN_ID), np.delete(chances, BEGIN_ID), rtol=1e-5, atol=1e-9)
    listed = model.weigh_sentences([[*context, UNKNOWN]])
    assert listed.share.sum(0)[len(context)] == pytest.approx(chances[UNKNOWN_ID], rel=near)


@pytest.mark.parametrize("name", NAMES)
def test_boundaries_are_refused_on_every_way_in(name: str) -> None:
    model = model_of(name)
    with pytest.raises(InputError, match="<s> or </s>"):
        model.score_word(model.begin(), BEGIN)
    with pytest.raises(InputError, match="<s> or </s>"):
        model.weigh(model.begin(), BEGIN)
    for word in (BEGIN, END):
        ways = [
            lambda words: model.score_sentences([words]),
            lambda words: model.score_text([" ".join(words)]),
            lambda words: model.weigh_sentences([words]),
            model.score,
            model.explain,
            model.next_words,
        ]
        for way in ways:
            with pytest.raises(InputError, match="<s> or </s>"):
                way(["das", word, "haus"])


@pytest.mark.parametrize("name", NAMES)
def test_decoder_features_know_the_special_words(name: str) -> None:
    """Native features and those that call back agree with the model, <unk> counted as unknown."""
    from binyan.translation import Decoder, DecoderSettings
    from binyan.translation.rule_text import _pack

    model = model_of(name)
    rules = _pack([(("a",), ("das", "xyz"), {0: 0.0}), (("b",), ("haushof",), {0: 0.0})], ["f"], {})
    called = _core.CallbackFeature(
        model.order, *LanguageModel.decoder_words(model, rules.target.words), ContextScorer(model, rules.target.words)
    )
    assert called.words == len(rules.target.words)
    assert LanguageModel.decoder_words(model, [*SPECIALS, "das", "xyz"])[0].tolist() == [1, 0, 0, 0, 1]
    lists = Decoder(rules, [model], {"f": 1.0}, DecoderSettings(pop_limit=50)).k_best([["a", "b", "zzz"]], 4)
    for h in range(len(lists.score)):
        scores = model.score_sentences([list(lists.text(h))])
        assert lists.features[h, -2] == pytest.approx(scores.log_prob.sum(), abs=2e-3)
        assert lists.features[h, -1] == scores.unknown.sum()


@pytest.mark.parametrize("name", NAMES)
def test_a_text_has_one_score_on_every_way_in(name: str, tmp_path: object) -> None:
    model, near = model_of(name), 1e-4 if name in SINGLE else 1e-9
    by_sentence = model.score_text(HELD_OUT).sentence_log_prob
    assert [model.score(s) * math.log(10) for s in HELD_OUT] == pytest.approx(by_sentence, abs=near)
    assert [sum(e.log_prob for e in model.explain(s)) for s in HELD_OUT] == pytest.approx(
        by_sentence, abs=max(near, 2e-5)
    )
    evaluation = evaluate(model, HELD_OUT)
    assert [r["log10_prob"] * math.log(10) for r in evaluation.sentence_rows()] == pytest.approx(by_sentence, abs=near)
    events = sum(len(s.split()) + 1 for s in HELD_OUT)
    assert evaluation.perplexity == pytest.approx(math.exp(-by_sentence.sum() / events), rel=near)
    assert model.perplexity(HELD_OUT) == pytest.approx(evaluation.perplexity, rel=near)
    features = Rescorer(model).features(HELD_OUT)
    assert features[:, 0] == pytest.approx(by_sentence, abs=near)
    for row, sentence in zip(features, HELD_OUT, strict=True):
        assert row[1] == sum(not model.has_own_probability(word) for word in sentence.split())
    if not model.is_open:
        assert features[:, 1].tolist() == [r["unknown"] for r in evaluation.sentence_rows()]


PAIRS = list(combinations([n for n in NAMES if n not in ("extended", "by context")], 2))


@pytest.mark.parametrize("by_context", [False, True], ids=["fixed", "by context"])
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_mixture_has_one_event_space(one: str, other: str, by_context: bool) -> None:
    """Models of all kinds, in pairs: the mixture sums to one unless both are open in the same way."""
    models = [model_of(one), model_of(other)]
    if by_context:
        if not any(m.weigh(m.begin(), END).features.shape[1] for m in models):
            pytest.skip("neither model tells anything of a context")
        mixture = binyan.Mixture(models, by_context=True).fit(HELD_OUT, progress=False)
    else:
        mixture = binyan.Mixture(models, [0.3, 0.7])
    stays_open = one in OPEN and other in OPEN and not by_context
    assert mixture.is_open == stays_open and not mixture.closed().is_open
    assert ("open" in mixture.signature().fields) == stays_open
    assert ("renormalised" in mixture.signature().fields) == (
        any(n in OPEN or "hpylm+" in n or n == "mixture" for n in (one, other)) and not stays_open
    )
    for context in CONTEXTS:
        chances = mixture.distribution(state_after(mixture, context))  # type: ignore[arg-type]
        assert (chances.sum() < 1) if stays_open else chances.sum() == pytest.approx(1, abs=2e-6)
        assert mixture.closed().distribution(state_after(mixture, context)).sum() == pytest.approx(1, abs=2e-6)  # type: ignore[arg-type]
    scores = mixture.score_text(HELD_OUT).log_prob
    singly = [e.log_prob for s in HELD_OUT for e in mixture.explain(s)]
    np.testing.assert_allclose(singly, scores, atol=2e-5)


def test_a_mixture_of_extended_and_other_models_has_the_words_of_both() -> None:
    if not log_bilinear_models():
        pytest.skip("the neural extra is not installed")
    extended = log_bilinear_models()["extended"]
    mixture = binyan.Mixture([ngram_models()["mkn"], extended], [0.5, 0.5])
    assert set(mixture.vocabulary.words) == set(extended.vocabulary.words)
    for context in CONTEXTS:
        assert mixture.distribution(state_after(mixture, context)).sum() == pytest.approx(1, abs=2e-6)  # type: ignore[arg-type]


def test_an_open_mixture_comes_back_from_its_file_as_it_was(tmp_path: object) -> None:
    for name in ("open mixture", "mixture", "by context"):
        model = model_of(name)
        path = tmp_path / "m.binyan"  # type: ignore[operator]
        model.save(path)
        again = binyan.load(path)
        assert again.events == model.events and str(again.signature()) == str(model.signature())
        np.testing.assert_array_equal(again.score_text(HELD_OUT).log_prob, model.score_text(HELD_OUT).log_prob)
