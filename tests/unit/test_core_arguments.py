"""Every function of the compiled core refuses arguments that do not fit, with an exception: nothing reads or writes past an array.

All calls run in one process of their own, which says what each of them did: a crash names the call that caused it.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

WORLD = """
import sys
import numpy as np
from binyan import _core

def u32(*values): return np.array(values, np.uint32)
def u64(*values): return np.array(values, np.uint64)
def i64(*values): return np.array(values, np.int64)
def f32(*values): return np.array(values, np.float32)
def f64(*values): return np.array(values, np.float64)
def u8(*values): return np.array(values, np.uint8)
def links(*rows): return np.array(rows, np.uint16).reshape(-1, 2)

HUGE = 2**32 - 1
words, offsets = u32(3, 4, 3, 5), u64(0, 2, 4)
tree = _core.ContextTree.build(words, offsets, 2, 6)
hpylm = _core.HPYLM(tree, 1); hpylm.initialise(True)
state = hpylm.state()
model, _ = _core.estimate_kneser_ney(tree, [], (0.5, 1.0, 1.5), u32())
parts = _core.CompoundTree(tree, u32(0, 1, 2, 3, 4, 3, 4), u32(0, 1, 2, 3, 4, 5, 7), 5)
compound = _core.CompoundHPYLM(parts, True, 1); compound.initialise(True)

def collected(columns):
    arrays = {name: np.zeros((rows, columns), np.float32) for name, rows in compound.sample_rows().items()}
    for column in range(columns): compound.collect(arrays, column)
    return arrays

query, wide = _core.CompoundQuery.of(parts, collected(1)), _core.CompoundQuery.of(parts, collected(3))
rules = [(0, [[(0, 0), (1, 0)]], [1, 1], 1.0), (1, [[(-1, 0)]], [], 1.0), (1, [[(-1, 1)]], [], 1.0)]
grammar = _core.CompiledGrammar(2, 2, 0, rules, [False, True])
forests = _core.WordForests(grammar, [[0, 1], [1, 1]], 1 << 24)
chain = _core.Chain(forests, [(0.5, 1.0, True, True)], 1, 0); chain.initialise(True)
trees = {k: v for k, v in chain.cached_trees().items() if k != "sizes"}
parser = _core.PosteriorParser(grammar, 1 << 24)
parser.add(chain.rule_counts.tolist(), [(0.5, 1.0, True, True)], **trees)
samples = _core.Samples(); samples.add(chain)
bigrams = _core.Bigrams(words, offsets, 6, 2)
pack = _core.TranslationGrammar.pack
translation = pack(u32(1, 2), u64(0, 1, 2), u32(3, 4), u64(0, 1, 2), f32(-1, -1), 1)
other = pack(u32(1), u64(0, 1), u32(3), u64(0, 1), f32(-1), 1)

def decoder_of(table):
    for features in range(20):
        try:
            return _core.Decoder(table, _core.DecoderModels([]), f32(*[1] * features), 10, 10, 10)
        except Exception:
            pass

graph = decoder_of(translation).hypergraph(u32(2), u32(4))
statistics = i64(*[1] * _core.BLEU_WIDTH)
index = _core.WordIndex(b"a\\nb")
"""

CALLS = """
_core.bleu_statistics(u32(1, 2), u64(0, 5), u32(0), u32(1), u64(0, 1), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(2, 0), u32(0), u32(1), u64(0, 1), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(), u32(0), u32(1), u64(0, 1), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(0, 1, 2), u32(0), u32(1), u64(0, 1), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(0, 2), u32(), u32(1), u64(0, 1), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(0, 2), u32(HUGE), u32(1), u64(0, 1), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(0, 2), u32(1), u32(1), u64(0, 1), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(0, 2), u32(0), u32(1), u64(0, 9), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(0, 2), u32(0), u32(1), u64(), u64(0, 1))
_core.bleu_statistics(u32(1, 2), u64(0, 2), u32(0), u32(1), u64(0, 1), u64(0, 9))
_core.bleu_statistics(u32(1, 2), u64(0, 2), u32(0), u32(1), u64(0, 1), u64())
_core.consensus(u32(1, 2), u64(0, 1, 9), u32(0, 0), f64(1, 2))
_core.consensus(u32(1, 2), u64(0, 2, 1), u32(0, 0), f64(1, 2))
_core.consensus(u32(1, 2), u64(0, 1, 2), u32(0), f64(1, 2))
_core.consensus(u32(1, 2), u64(0, 1, 2), u32(0, 0), f64(1))
_core.consensus(u32(), u64(), u32(), f64())
_core.search_line(f64(1), statistics, u64(0, 9), f64(1), f64(1))
_core.search_line(f64(1), statistics, u64(9, 1), f64(1), f64(1))
_core.search_line(f64(1), statistics, u64(), f64(1), f64(1))
_core.search_line(f64(1), statistics, u64(0, 1), f64(1), f64())
_core.search_line(f64(1), statistics, u64(0, 1), f64(1), f64(1, 2, 3))
_core.search_line(f64(), statistics, u64(0, 1), f64(), f64())
_core.search_line(f64(), i64(), u64(0, 2**62), f64(), f64())
_core.search_line(f64(1), i64(1, 2), u64(0, 1), f64(1), f64(1))
_core.bleu_at(f64(1), statistics, u64(0, 9), f64(1))
_core.bleu_at(f64(1), statistics, u64(0, 1), f64(1, 2))
_core.bleu_at(f64(), i64(), u64(0, 2**62), f64())
_core.Bigrams(words, u64(0, 9), 6, 2)
_core.Bigrams(words, u64(4, 0), 6, 2)
_core.Bigrams(words, u64(), 6, 2)
_core.Bigrams(words, offsets, 4, 2)
_core.Bigrams(words, offsets, 6, 6)
_core.Bigrams(words, offsets, -1, 2)
bigrams.average_mutual_information(u32(0, 0, 0), 1)
bigrams.average_mutual_information(u32(0, 0, 0, 0, 0, HUGE), 1)
bigrams.average_mutual_information(u32(9, 9, 9, 9, 9, 9), 9)
_core.BrownClustering(bigrams, 0)
_core.BrownClustering(bigrams, 100)
_core.BrownClustering(bigrams, 2).finish()
_core.BrownClustering(bigrams, 2).class_of()
_core.ContextTree.build(words, u64(0, 9), 2, 6)
_core.ContextTree.build(words, u64(4, 0), 2, 6)
_core.ContextTree.build(words, u64(), 2, 6)
_core.ContextTree.build(words, offsets, 0, 6)
_core.ContextTree.build(words, offsets, 2, 2)
tree.entries(9)
tree.contexts(HUGE)
tree.level(2)
tree.direct(0, 99)
tree.find_entry(1, 99, 0)
tree.find_child(0, HUGE, 0)
_core.HPYLM(tree, 1).sweep()
_core.HPYLM(tree, 1).step()
_core.HPYLM(None, 1)
hpylm.initialise(True)
hpylm.customers(0, 99)
hpylm.table_sizes(9, 0)
hpylm.collect({}, 0)
hpylm.collect({name: np.zeros((1, 1), np.float32) for name in hpylm.sample_rows()}, 0)
hpylm.collect({name: np.zeros((rows, 1), np.float32) for name, rows in hpylm.sample_rows().items()}, 1)
hpylm.restore({})
hpylm.restore(state | {"tables.0": u32()})
hpylm.restore(state | {"tables.1": u32(*[HUGE] * tree.entries(1))})
hpylm.restore(state | {"random": u64(1)})
hpylm.restore(state | {"hyperparameters": f64(0.5)})
setattr(hpylm, "hyperparameters", [])
setattr(hpylm, "hyperparameters", [(2.0, 1.0), (0.5, 1.0)])
_core.estimate_kneser_ney(tree, [0, 0, 0, 0], (0.5, 1.0, 1.5), u32(99))
_core.BackoffModel(1, u32(), u32(), u32(), f32(), u32(), u32(), u32(), f32())
_core.BackoffModel(0, u32(0, 1), u32(0), u32(0), f32(0), u32(0, 1), u32(0), u32(0), f32(0))
_core.BackoffModel(**({"columns": 1} | dict(model.arrays) | {"next": u32(*[HUGE] * len(model.arrays["next"]))}))
_core.BackoffModel(**({"columns": 1} | dict(model.arrays) | {"first_entry": u32(*[HUGE] * len(model.arrays["first_entry"]))}))
_core.BackoffModel.freeze(tree, 1, f32(), [], [])
_core.BackoffModel.freeze(tree, 1, f32(*[-1] * 6), [f32()], [f32()])
_core.BackoffModel.freeze(tree, 0, f32(), [f32()], [f32()])
model.context(HUGE)
model.score(HUGE, 0)
model.score(0, HUGE)
model.score(-1, 0)
model.distribution(HUGE)
model.masses(u32(HUGE))
model.shares(u32(0), u32())
model.shares(u32(0), u32(HUGE))
model.score_sentences(u32(HUGE), u64(0, 1))
model.score_sentences(u32(3), u64(0, 9))
model.score_sentences(u32(3), u64(1, 0))
model.score_sentences(u32(3), u64())
_core.arpa_lines(model, _core.WordIndex(b"a"), 0, 1)
_core.arpa_lines(model, _core.WordIndex(b"a\\nb\\nc\\nd\\ne\\nf"), 0, HUGE)
_core.CompoundTree(tree, u32(0), u32(0, 9), 1)
_core.CompoundTree(tree, u32(), u32(), 0)
_core.CompoundTree(tree, u32(0, 1, 2, 3, 4, 9), u32(0, 1, 2, 3, 4, 5, 6), 5)
parts.head_entries(9)
parts.head_level(HUGE)
_core.CompoundHPYLM(parts, True, 1).sweep()
_core.CompoundHPYLM(parts, True, 1).step()
compound.initialise(True)
compound.restore({})
setattr(compound, "hyperparameters", [])
setattr(compound, "shortening", [])
compound.collect({name: np.zeros((1, 1), np.float32) for name in compound.sample_rows()}, 0)
_core.CompoundQuery.of(parts, {})
_core.CompoundQuery.of(parts, {name: np.zeros((1, 1), np.float32) for name in compound.sample_rows()})
query.context(2**60)
query.word(99)
query.compound([])
query.compound([99])
query.score(2**60, query.word(3), False)
wide.score(0, query.word(3), False)
wide.explain(0, query.word(3))
query.distribution(2**60, True)
query.vocabulary_mass(2**60)
query.modifier_probability(99, 0)
query.score_sentences(u32(99), u64(0, 1), [], False)
query.score_sentences(u32(3), u64(0, 9), [], False)
_core.CompoundFeature(wide, [query.word(3)], u8(0), False)
_core.CompoundFeature(query, [query.word(3)], u8(), False)
_core.CompoundFeature(wide, [], u8(), False).extend([query.word(3)], u8(0))
_core.CompiledGrammar(2, 2, 9, rules, [False, True])
_core.CompiledGrammar(2, 2, 0, rules, [])
_core.CompiledGrammar(1, 1, 0, [(0, [[(5, 0)]], [], 1.0)], [False])
_core.CompiledGrammar(1, 1, 0, [(0, [[(-1, 9)]], [], 1.0)], [False])
_core.CompiledGrammar(1, 1, 0, [(9, [[(-1, 0)]], [], 1.0)], [False])
_core.CompiledGrammar(1, 1, 0, [(0, [[(0, 0)]], [9], 1.0)], [False])
_core.WordForests(grammar, [[99]], 1 << 24)
forests.parses(99)
_core.Chain(forests, [], 1, 0)
_core.Chain(forests, [(2.0, 1.0, True, True)], 1, 0)
_core.Chain(forests, [(0.5, float("nan"), True, True)], 1, 0)
chain.derivation(99)
chain.restore(u64())
chain.restore(u64(*[2**63] * 50))
chain.restore(chain.state()[:-1])
samples.restore(u32(HUGE, HUGE, HUGE), grammar)
parser.best([99], 1, 1)
parser.log_probability([99])
parser.add([], [(0.5, 1.0, True, True)], **trees)
parser.add(chain.rule_counts.tolist(), [], **trees)
parser.add(chain.rule_counts.tolist(), [(0.5, 1.0, True, True)], **(trees | {"ends": u64(*[99] * len(trees["ends"]))}))
parser.add(chain.rule_counts.tolist(), [(0.5, 1.0, True, True)], **(trees | {"rules": u32(*[99] * len(trees["rules"]))}))
parser.add(chain.rule_counts.tolist(), [(0.5, 1.0, True, True)], **(trees | {"adapted": u32(*[9] * len(trees["adapted"]))}))
_core.Parser(grammar, chain.rule_counts.tolist(), [(0.5, 1.0, True, True)], **(trees | {"tables": u32(*[99] * len(trees["tables"]))}))
_core.Parser(grammar, chain.rule_counts.tolist(), [(0.5, 1.0, True, True)], **trees).log_probability([99])
_core.Parser(grammar, chain.rule_counts.tolist(), [(0.5, 1.0, True, True)], **trees).log_probability([])
_core.symmetrise(links([0, 0]), u64(0, 9), links([0, 0]), u64(0, 1), "union")
_core.symmetrise(links([0, 0]), u64(0, 1), links([0, 0]), u64(0, 1), "sideways")
_core.symmetrise(links([0, 0]), u64(0, 1), links([0, 0]), u64(0, 1, 1), "union")
_core.PatternFilter(u32(1), u64(0, 9), 10, 5, 2)
_core.RuleCounter(10, 5, 2, 1, 10, None).add(u32(1), u64(0, 1), u32(1), u64(0, 1), links([9, 9]), u64(0, 1), 0, 1)
_core.RuleCounter(10, 5, 2, 1, 10, None).add(u32(1), u64(0, 1), u32(1), u64(0, 1), links([0, 0]), u64(0, 1), 0, 9)
_core.RuleCounter(10, 5, 2, 1, 10, None).add(u32(1), u64(0, 1), u32(1), u64(0, 1), links([0, 0]), u64(0, 1), 1, 0)
pack(u32(1), u64(0, 9), u32(3), u64(0, 1), f32(-1), 1)
pack(u32(1), u64(0, 1), u32(3), u64(0, 1), f32(), 1)
pack(u32(1), u64(0, 1), u32(3), u64(0, 1, 1), f32(-1), 1)
pack(u32(1), u64(0, 1), u32(_core.SECOND_GAP), u64(0, 1), f32(-1), 1)
_core.TranslationGrammar(1, u32(), u32(), u32(), u32(), f32(), u32(), u32())
_core.TranslationGrammar(**({"feature_count": 1} | dict(translation.arrays) | {"first_child": u32(*[HUGE] * len(translation.arrays["first_child"]))}))
translation.restricted(u32(1), u64(0, 9), 10)
translation.count_matches(u32(1), u64(0, 1), 0, 9, 10)
translation.count_matches(u32(1), u64(0, 1), 1, 0, 10)
translation.divide(9, u32(*[1] * translation.nodes))
translation.divide(0, u32())
_core.Decoder(translation, _core.DecoderModels([]), f32(), 10, 10, 10)
_core.SpanRules(u32(), u64(), f32(), 1, u32(), u64())
_core.SpanRules(u32(1), u64(0, 9), f32(1), 1, u32(), u64(0))
_core.SpanRules(u32(1), u64(0, 1), f32(1), HUGE, u32(), u64(0))
_core.SpanRules(u32(1), u64(0, 1), f32(1), 1, u32(0, 1), u64(0, 1))
_core.SpanRules(u32(1), u64(0, 1), f32(1), 1, u32(0, 1, HUGE), u64(0, 1))
_core.SpanRules(u32(1), u64(0, 1), f32(1), 1, u32(2, 1, 0), u64(0, 1))
decoder_of(translation).translate(u32(1), u32(0), u64(0, 1), 1, False, 1, _core.SpanRules(u32(1), u64(0, 1), f32(1), 1, u32(0, 9, 0), u64(0, 1)))
decoder_of(translation).translate(u32(1), u32(0), u64(0, 1), 1, False, 1, _core.SpanRules(u32(1), u64(0, 1), f32(1), 1, u32(0, 1, 0), u64(0, 1)), 7)
decoder_of(translation).hypergraph(u32(1), u32(0), _core.SpanRules(u32(1), u64(0, 1), f32(1, 1), 2, u32(0, 1, 0), u64(0, 1)))
decoder_of(other).k_best(graph, 1)
decoder_of(other).derivations(graph, 1)
decoder_of(other).edge_features(graph, u32(0))
decoder_of(translation).edge_features(graph, u32(99))
decoder_of(other).edge_targets(graph, u32(0))
decoder_of(translation).edge_targets(graph, u32(99))
decoder_of(translation).hypergraph(u32(), u32())
decoder_of(translation).hypergraph(u32(1), u32())
decoder_of(translation).translate(u32(1), u32(1), u64(0, 9))
graph.node(99)
graph.edge(99)
_core.BackoffFeature(model, u32(HUGE))
_core.BackoffFeature(model, u32()).extend(u32(HUGE))
_core.CallbackFeature(0, u8(), print)
_core.OpenFeature(_core.BackoffFeature(model, u32(0, 1)), f32(), f64())
_core.OpenFeature(_core.BackoffFeature(model, u32(1)), f32(), f64())
_core.OpenFeature(_core.BackoffFeature(model, u32(0)), f32(), f64(float("inf")))
_core.OpenFeature(_core.BackoffFeature(model, u32(0)), f32(), f64(0)).extend(f32(0), (u32(HUGE),))
_core.OpenFeature(_core.BackoffFeature(model, u32(0)), f32(), f64(0)).extend(f32(0), (u32(),))
_core.LogBilinearFeature(2, 2, False, f32(), f32(), f32(), f32(), f32(), u32(), u32(), 0, u8())
_core.LogBilinearFeature(0, 0, False, f32(), f32(), f32(), f32(), f32(), u32(0), u32(9), 9, u8(0))
_core.WordIndex(b"a\\na")
_core.WordIndex(3)
index.encode("text", 0, 10)
_core.Random(-1)
setattr(_core.Random(1), "state", [1, 2])
"""

HARMLESS = """
_core.bleu_statistics(i64(-1), u64(0, 1), u32(0), u32(1), u64(0, 1), u64(0, 1))
decoder_of(pack(u32(), u64(0, 0), u32(3), u64(0, 1), f32(-1), 1)).hypergraph(u32(2), u32(4))
_core.Random(1).below(0)
translation.count_matches(u32(1), u64(0, 1), 0, 1, HUGE)
translation.restricted(u32(1), u64(0, 1), HUGE)
_core.PatternFilter(u32(1, 2), u64(0, 2), HUGE, HUGE, 2)
parser.best([0, 1], 0, 0)
samples.of(99)
samples.merge(samples)
chain.sweep(0.0)
chain.sweep(float("nan"))
_core.Chain(forests, [(0.5, 1.0, True, True)], 1, 0).sweep()
index.encode(b"a b c\\n", 0, 0)
_core.Bigrams(u32(), u64(0), 3, 2)
_core.consensus(u32(), u64(0), u32(), f64())
_core.bleu_statistics(u32(), u64(0), u32(), u32(), u64(0), u64(0))
"""


def outcomes(calls: str) -> list[tuple[str, str]]:
    """Each call with the exception it raised, or nothing; the last is incomplete where the process died."""
    listed = calls.strip().splitlines()
    loop = """
for call in CALLS:
    print(call, end="\\t", flush=True)
    try:
        exec(call)
        print("", flush=True)
    except Exception as error:
        print(f"{type(error).__name__}", flush=True)
"""
    process = subprocess.run(
        [sys.executable, "-c", f"{WORLD}\nCALLS = {listed!r}\n{loop}"], capture_output=True, text=True, timeout=300
    )
    done = process.stdout.splitlines()
    assert process.returncode == 0, (
        f"{done[-1:] or 'nothing was called'}: {process.returncode} {process.stderr[-2000:]}"
    )
    pairs = [tuple(line.split("\t")) for line in done]
    assert [call for call, _ in pairs] == listed
    return pairs  # type: ignore[return-value]


def test_arguments_that_do_not_fit_are_refused() -> None:
    silent = [call for call, error in outcomes(CALLS) if not error]
    assert not silent


def test_odd_arguments_are_harmless() -> None:
    assert outcomes(HARMLESS)


@pytest.mark.parametrize("name", ["bleu_statistics", "consensus", "search_line", "bleu_at", "Bigrams", "symmetrise"])
def test_the_functions_are_in_the_table(name: str) -> None:
    assert f"_core.{name}(" in CALLS
