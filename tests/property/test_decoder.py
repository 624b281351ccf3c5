"""The decoder against every derivation of small random grammars: with a wide beam, cube pruning is exact."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binyan import _core
from binyan.language_model import LanguageModel
from binyan.ngram.kneser_ney import KneserNey
from binyan.translation import Decoder, DecoderSettings
from binyan.translation.rule_text import read_rules

WIDE = DecoderSettings(max_span=4, pop_limit=1_000_000, rule_limit=0)
TEXT = ["A B C A", "B B A", "C A B C", "A", "C C B A B", "B A C", "A B B C"] * 2


@pytest.fixture(scope="module")
def models():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so small a text takes the fallback discounts
        return [KneserNey(order=order).fit(TEXT) for order in (3, 2)]


class ThroughProtocol(LanguageModel):
    """Hides a back-off model, so that the decoder has to go through the protocol."""

    kind = "test"

    def __init__(self, model):
        self.model, self.order = model, model.order
        self.vocabulary, self.preparation = model.vocabulary, model.preparation

    def begin(self):
        return self.model.begin()

    def score_word(self, state, word):
        return self.model.score_word(state, word)

    def __getattr__(self, name):
        raise AssertionError(f"the decoder uses {name}")

    score_sentences = distribution = signature = contents = from_file = None


ThroughProtocol.__abstractmethods__ = frozenset()


@st.composite
def grammars(draw):
    """Rules over the words a, b, c with up to two gaps, as lines in cdec's format."""
    lines = set()
    for _ in range(draw(st.integers(1, 7))):
        shape = draw(st.sampled_from(["w", "ww", "Xw", "wX", "wXw", "XwX", "wXwX"]))
        left = [draw(st.sampled_from("abc")) if s == "w" else s for s in shape]
        gaps = itertools.count(1)
        left = [f"[X,{next(gaps)}]" if s == "X" else s for s in left]
        right = draw(st.lists(st.sampled_from("ABCD"), min_size=0 if "X" in shape else 1, max_size=2))
        for i in range(1, shape.count("X") + 1):
            right.insert(draw(st.integers(0, len(right))), f"[X,{i}]")
        lines.add((" ".join(left), " ".join(right)))
    values = st.floats(-3, 3).map(lambda x: round(x, 2))
    return [f"[X] ||| {s} ||| {t} ||| f={draw(values)} g={draw(values)}" for s, t in sorted(lines)]


def derivations(grammar, sentence, span):
    """Every derivation as (words, features, glue, pass-through, rules)."""
    rules = list(grammar.rules())

    def match(pattern, i, j):
        """Spans of the gaps of `pattern` over [i, j)."""
        if not pattern:
            return [[]] if i == j else []
        if isinstance(pattern[0], str):
            return match(pattern[1:], i + 1, j) if i < j and sentence[i] == pattern[0] else []
        return [[(i, k), *rest] for k in range(i + 1, j + 1) for rest in match(pattern[1:], k, j)]

    def of_x(i, j):
        found = []
        for rule in rules:
            for spans in match(rule.source, i, j):
                for parts in itertools.product(*(of_x(*s) for s in spans)):
                    words = [w for s in rule.target for w in (parts[s - 1][0] if isinstance(s, int) else [s])]
                    found.append(
                        (
                            words,
                            rule.features + sum(p[1] for p in parts),
                            0,
                            sum(p[3] for p in parts),
                            1 + sum(p[4] for p in parts),
                        )
                    )
        if j == i + 1 and not found:
            found.append(([sentence[i]], np.zeros(2, np.float32), 0, 1, 0))
        return found if j - i <= span else []

    def of_s(j):
        if j == 0:
            return [([], np.zeros(2, np.float32), -1, 0, 0)]
        return [
            (a[0] + b[0], a[1] + b[1], a[2] + 1, a[3] + b[3], a[4] + b[4])
            for k in range(max(0, j - span), j) for a in of_s(k) for b in of_x(k, j)
        ]  # fmt: skip

    return of_s(len(sentence))


def full_features(derivation, models):
    words, own, glue, copies, rules = derivation
    values = [*own, glue, copies, len(words), rules]
    for model in models:
        scores = model.score_sentences([words])
        values += [max(-1e9, scores.log_prob.sum()), scores.unknown.sum()]
    return np.array(values, float)


WEIGHTS = {"f": 0.7, "g": -0.4, "Glue": -0.3, "PassThrough": -2.0, "Words": 0.6, "Rules": 0.1, "LanguageModel1": 0.8,
           "Unknown1": -0.5, "LanguageModel2": 0.3, "Unknown2": 0.2}  # fmt: skip


def check(lines, sentence, models, in_decoder, tmp_path):
    path = tmp_path / "grammar"
    path.write_text("\n".join(lines))
    grammar = read_rules(path)
    if grammar.features != ("f", "g"):
        return
    weights = {k: v for k, v in WEIGHTS.items() if not k[-1].isdigit() or int(k[-1]) <= len(models)}
    decoder = Decoder(grammar, in_decoder, weights, WIDE)
    vector = np.array([weights[name] for name in decoder.feature_names])
    every = sorted(
        (full_features(d, models) @ vector for d in derivations(grammar, sentence, WIDE.max_span)), reverse=True
    )
    if len(every) > 3000:
        return
    lists = decoder.k_best([sentence], len(every) + 10)
    np.testing.assert_allclose(lists.score, every, atol=2e-3)
    np.testing.assert_allclose(lists.features @ vector, lists.score, atol=2e-3)
    # Distinct translations: the best derivation of each, best first.
    best: dict[tuple[str, ...], float] = {}
    for h in range(len(lists.score)):
        best.setdefault(lists.text(h), lists.score[h])
    distinct = decoder.k_best([sentence], len(best) + 5, distinct=True)
    assert len(distinct.score) == len({distinct.text(h) for h in range(len(distinct.score))}) == len(best)
    np.testing.assert_allclose(distinct.score, list(best.values()), atol=1e-4)
    # The features of each hypothesis are those of its string.
    at = list(decoder.feature_names).index("LanguageModel1")
    for h in range(min(20, len(lists.score))):
        scores = models[0].score_sentences([lists.text(h)])
        assert lists.features[h, at] == pytest.approx(scores.log_prob.sum(), abs=2e-3)
        assert lists.features[h, at + 1] == scores.unknown.sum()


SENTENCES = st.lists(st.sampled_from("abcx"), min_size=1, max_size=5)


@given(lines=grammars(), sentence=SENTENCES)
def test_all_derivations(models, tmp_path_factory, lines, sentence):
    check(lines, sentence, models, models, tmp_path_factory.mktemp("g"))


@given(lines=grammars(), sentence=SENTENCES)
def test_all_derivations_through_the_protocol(models, tmp_path_factory, lines, sentence):
    check(lines, sentence, models, [ThroughProtocol(m) for m in models], tmp_path_factory.mktemp("g"))


def test_hypergraph_scores_are_consistent(models, tmp_path):
    (tmp_path / "g").write_text(
        "[X] ||| a [X,1] ||| [X,1] A ||| f=1 g=0\n[X] ||| b ||| B ||| f=0 g=1\n[X] ||| b ||| C C ||| f=0.5 g=1\n"
    )
    decoder = Decoder(read_rules(tmp_path / "g"), models, WEIGHTS, WIDE)
    graph = decoder.hypergraph(list("abab"))
    for e in range(graph.edges):
        head, tails, rule, score = graph.edge(e)
        assert all(t < head for t in tails)
        assert rule == _core.GOAL or rule in (_core.GLUE_FIRST, _core.GLUE_JOIN, _core.PASS_THROUGH) or rule < 3
        assert graph.node(head)[2] >= score + sum(graph.node(t)[2] for t in tails) - 1e-4
    assert graph.node(graph.nodes - 1)[:2] == (0, 4)
    assert graph.node(graph.nodes - 1)[2] == pytest.approx(decoder.translate([list("abab")])[0].score, abs=1e-5)
