"""Chains with knowledge against exact posteriors of tiny worlds: enumerate all trees, keep those that agree, compare frequencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from binyan import _core
from binyan.grammar.compiled import Compiled
from binyan.grammar.notation import read_grammar
from binyan.grammar.tree_segments import roots, segmentation
from binyan.morphology.knowledge import Knowledge, KnowledgeSettings, apply_knowledge
from binyan.morphology.word_list import WordList
from reference.parser import Derivation, ReferenceAdaptor, enumerate_derivations
from statistical.test_adaptor_chain import chi_square, closed_form, parameters

CONTIGUOUS = "W -> Stem Suf | Stem\n@Stem[a=0.4, b=0.7] -> Char+\n@Suf[a=0.2, b=1.5] -> Char+\nChar -> 'x' | 'y'"
# Cached sequences of affixes have the parts inside them, so caches hold trees that do not agree.
SEQUENCES = (
    "Word -> Stem Sufs | Stem\n@Sufs[a=0.4, b=0.6] -> Suf+\n@Suf[a=0.2, b=0.9] -> Char | Char Char\n"
    "@Stem[a=0.3, b=0.5] -> Char+\nChar -> 'x' | 'y'\nrole stem Stem\nrole suffix Suf"
)
ROOTS = (
    "W -> Stem Suf | Stem\n@Stem[a=0.3, b=0.8](abc) -> R2(a,c) T1(b)\n@Stem(abc) -> R2(a,b) T1(c)\n@Stem -> Char+\n"
    "@R2[a=0.25, b=0.6](a,b) -> Char(a) Char(b)\nT1 -> Char\nSuf -> Char\nChar -> 'x' | 'y'\n"
    "role stem Stem\nrole root R2\nrole template T1\nrole suffix Suf"
)
WORLDS: dict[str, tuple[str, list[str], dict, list[str]]] = {
    "whole": (CONTIGUOUS, ["xyx", "yxy", "xyx"], {"yxy": "y/stem xy/suf"}, []),
    "part": (CONTIGUOUS, ["xyxy", "xyx"], {"xyxy": "? y/suf"}, []),
    "borders": (CONTIGUOUS, ["xyxy", "xyx"], {"xyxy": "x~yxy", "xyx": "xy|x"}, []),
    "sequence": (SEQUENCES, ["xyx", "yyx", "yx"], {"xyx": "x/stem y/suf x/suf"}, []),
    "one suffix of a sequence": (SEQUENCES, ["xyyx", "yyx"], {"xyyx": "? x/suf"}, []),
    "root": (ROOTS, ["xyx", "xyxy", "xyx"], {"xyxy": ("_", "xx")}, []),
    "root and analysis": (ROOTS, ["xyx", "xyxy"], {"xyxy": ("xyx/stem y/suf", "xx;xy")}, []),
    "morphemes": (CONTIGUOUS, ["xyx", "yx"], {}, ["-x\t2", "-yx\t1"]),
    "many copies": (CONTIGUOUS, ["yx", "xx"], {}, ["-x\t7"]),
    "everything": (SEQUENCES, ["xyx", "yyx"], {"xyx": "xy|x"}, ["-x\t2", "y/stem\t1"]),
    "shared stem": (CONTIGUOUS, ["xyx", "xyy", "xxy"], {"xyx": "=xyy"}, []),
    "shared stem in a sequence": (SEQUENCES, ["xyx", "xy"], {"xyx": [("xyx", "? x/suf"), ("xyx", "=xy")]}, []),
}


def world(name: str):
    text, words, known, affixes = WORLDS[name]
    compiled = Compiled(read_grammar(text), "xy")
    rows = [
        row for word, said in known.items() for row in (said if isinstance(said, list) else [(word, *_columns(said))])
    ]
    settings = KnowledgeSettings(known=rows or None, affixes=affixes or None, affix_strength=1)
    # A list may have a word twice here, each time with a tree of its own; what is known is said of the first.
    listed = WordList(tuple(words), tuple(1 for _ in words))
    applied = apply_knowledge(Knowledge.read(settings), compiled, listed)
    assert not applied.contradictions
    return compiled, words, applied


def _columns(said):
    return (said,) if isinstance(said, str) else said


def start(compiled: Compiled, words: list[str], applied, sequential: bool = True) -> _core.Chain:
    forests = _core.WordForests(
        compiled.core, [compiled.encode(list(w)) for w in words], 1 << 28,
        applied.labels, applied.evidence, [seed.numbers for seed in applied.seeds], applied.shared_stems,
    )  # fmt: skip
    chain = _core.Chain(forests, compiled.adaptors(), 5, 0)
    chain.initialise(sequential)
    return chain


def exact(compiled: Compiled, words: list[str], applied, agrees: Callable[[tuple[Derivation, ...]], bool]) -> dict:
    """The posterior of the trees of the words given that they agree, known morphemes seated first, all seatings summed over."""
    grammar = compiled.grammar
    adaptor = ReferenceAdaptor(grammar, parameters(grammar))
    choices = []
    for seed in applied.seeds:
        of_symbol = read_only_start(grammar, seed.symbol)
        choices += [enumerate_derivations(of_symbol, tuple("".join(seed.strings)))] * seed.copies
    seeds = len(choices)
    choices += [enumerate_derivations(grammar, tuple(word)) for word in words]
    weights: Counter = Counter()

    def seat(i: int, chosen: tuple[Derivation, ...], probability: float) -> None:
        if i == len(choices):
            if agrees(chosen[seeds:]):
                weights[tuple(tuple(d.rules()) for d in chosen[seeds:])] += probability
            return
        for d in choices[i]:
            for p, _ in adaptor.ways(d):
                seat(i + 1, (*chosen, d), probability * p)

    seat(0, (), 1.0)
    total = sum(weights.values())
    return {trees: w / total for trees, w in weights.items()}


def read_only_start(grammar, symbol):
    from dataclasses import replace

    return replace(grammar, start=symbol)


def agreement(compiled: Compiled, name: str) -> Callable[[tuple[Derivation, ...]], bool]:
    """Whether trees agree, told from their segmentations and roots alone."""
    grammar, words = compiled.grammar, WORLDS[name][1]

    def parts(d: Derivation) -> list[tuple[str, str]]:
        return [(p.text, p.label) for p in segmentation(compiled.tree(d.rules()), grammar.segment_labels).parts]

    def root(d: Derivation) -> list[str]:
        return roots(compiled.tree(d.rules()), grammar)

    def stem(d: Derivation) -> str:
        return next(text for text, label in parts(d) if label == "stem")

    def ends(d: Derivation) -> set[int]:
        lengths = [len(text) for text, _ in parts(d)]
        return {sum(lengths[: i + 1]) for i in range(len(lengths))}

    tests = {
        "whole": lambda t: parts(t[words.index("yxy")]) == [("y", "stem"), ("xy", "suf")],
        "part": lambda t: parts(t[0])[-1] == ("y", "suf"),
        "borders": lambda t: 1 not in ends(t[0]) and 2 in ends(t[1]),
        "sequence": lambda t: parts(t[0]) == [("x", "stem"), ("y", "suf"), ("x", "suf")],
        "one suffix of a sequence": lambda t: parts(t[0])[-1] == ("x", "suf"),
        "root": lambda t: root(t[1]) == ["xx"],
        "root and analysis": lambda t: (
            parts(t[1]) == [("xyx", "stem"), ("y", "suf")] and root(t[1]) in (["xx"], ["xy"])
        ),
        "morphemes": lambda t: True,
        "many copies": lambda t: True,
        "everything": lambda t: 2 in ends(t[0]),
        "shared stem": lambda t: stem(t[0]) == stem(t[1]),
        "shared stem in a sequence": lambda t: parts(t[0])[-1] == ("x", "suf") and stem(t[0]) == stem(t[1]),
    }
    return tests[name]


@pytest.mark.parametrize("relabel, joint", [(False, 0.0), (True, 0.0), (True, 1.0)])
@pytest.mark.parametrize("name", WORLDS)
def test_frequencies_equal_the_exact_posterior(name: str, relabel: bool, joint: float) -> None:
    compiled, words, applied = world(name)
    expected = exact(compiled, words, applied, agreement(compiled, name))
    chain = start(compiled, words, applied, sequential=relabel)
    draws, counts = 6_000, Counter()
    for _ in range(draws):
        for _ in range(4):
            chain.sweep(relabel=relabel, hyperparameters=False, joint=joint)
        counts[tuple(tuple(chain.derivation(i)) for i in range(len(words)))] += 1
    chain.check()
    assert chi_square(counts, expected, draws) > 1e-4


@pytest.mark.parametrize("name", ["sequence", "everything", "shared stem in a sequence"])
def test_joint_probability_and_state(name: str) -> None:
    compiled, words, applied = world(name)
    chain = start(compiled, words, applied)
    for _ in range(20):
        chain.sweep(relabel=True)
        assert chain.log_joint == pytest.approx(closed_form(compiled, chain), rel=1e-9)
    again = start(compiled, words, applied)
    again.restore(chain.state())
    for _ in range(5):
        chain.sweep(relabel=True)
        again.sweep(relabel=True)
    assert (chain.state() == again.state()).all()


def test_known_morphemes_are_customers_of_their_restaurants() -> None:
    compiled, words, applied = world("morphemes")
    chain = start(compiled, words, applied)
    chain.sweep()
    customers = dict(zip(compiled.adapted_symbols, (n for _, _, n, _ in chain.adaptors), strict=True))
    used = sum("Suf" in str(compiled.tree(chain.derivation(i)).discbracket()) for i in range(len(words)))
    assert customers == {"Stem": len(words), "Suf": 3 + used}
