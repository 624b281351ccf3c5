"""What morphology_lists.py compares: programs and grammars that analyse the words of a list, learnt from the list alone."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gold_lists import GoldFile, GoldWords

from binyan import Morphology
from binyan.errors import BinyanError, InputError
from binyan.evaluation.gold import GoldWord
from binyan.evaluation.segmentation import score_segmentation
from binyan.grammar.composition import candidates as recipes
from binyan.grammar.notation import load_grammar, read_grammar
from binyan.grammar.rules import Grammar
from binyan.morphology.choice import compose
from binyan.segmentation import Segmentation
from binyan.segmentation.morfessor import learn

KNOWN_WORDS = 50
# Morfessor as it comes, and with the corpus weight that is best on the analysed words of the development half.
CORPUS_WEIGHTS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
SYSTEMS = ("morfessor", "morfessor-tuned", "morphagram", "thesis", "auto", "known")
CHOOSING = ("auto", "known")
CANDIDATE = "candidate:"
# The grammar chosen for a list by the first seed; the other seeds learn by it, and choose nothing themselves.
_chosen: dict[tuple[str, str], Grammar] = {}
# Morfessor's corpus weight that the first seed found best for a list.
_tuned: dict[str, float] = {}
# The grammars that the choice compares, by list.
_composed: dict[str, dict[str, Grammar]] = {}


@dataclass(frozen=True)
class Analysed:
    """What a system says of words: segmentations, roots, the seconds it took to learn and say it, and which grammar it used.

    `chosen` is the text of the grammar where the system chose it.
    """

    segmentations: Mapping[str, Segmentation]
    roots: Mapping[str, str] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    grammar: str = ""
    signature: str = ""
    chosen: str = ""


@dataclass(frozen=True)
class Learning:
    """How grammars learn: sweeps, chains and threads of each run."""

    sweeps: int
    chains: int
    threads: int | None = None


def candidates() -> list[str]:
    """The systems that learn by one of the grammars that the automatic choice compares."""
    return [f"{CANDIDATE}{recipe.name}" for recipe in recipes()]


def recall_choice(system: str, gold_file: GoldFile, name: str, text: str) -> None:
    """Let further seeds of a system learn by the grammar that its first seed chose in an earlier run."""
    if text:
        _chosen.setdefault((gold_file.name, system), read_grammar(text, name))


def analyse(system: str, gold_file: GoldFile, words: GoldWords, learning: Learning, seed: int) -> Analysed | None:
    """Learn from the words and analyse the report half; None where this version of Binyan lacks the system."""
    begin, cpu = time.perf_counter(), time.process_time()
    if system.startswith("morfessor"):
        tuned = system == "morfessor-tuned"
        weights = [_tuned[gold_file.name]] if gold_file.name in _tuned else CORPUS_WEIGHTS
        weight, table = _morfessor(words, weights if tuned else [1.0], seed)
        if tuned:
            _tuned[gold_file.name] = weight
        seconds = time.process_time() - cpu, time.perf_counter() - begin
        return Analysed(table, {}, *seconds, f"Baseline, corpus weight {weight:g}", f"seed:{seed}")
    model = _model(system, gold_file, words, learning, seed)
    if model is None:
        return None
    model.fit(words.learn, progress=False, threads=learning.threads)
    if system in CHOOSING:
        _chosen[gold_file.name, system] = model.grammar
    segmentations = _segmentations(model, words.report)
    roots = {w.word: root for w in words.report if words.has_roots and (root := model.root(w.word, 3))}
    seconds = time.process_time() - cpu, time.perf_counter() - begin
    chosen = model.choice.grammar if model.choice is not None else ""
    return Analysed(segmentations, roots, *seconds, model.grammar.name, str(model.signature()), chosen)


def _morfessor(words: GoldWords, weights: Sequence[float], seed: int) -> tuple[float, Mapping[str, Segmentation]]:
    """The weight with the best F1 on the development half, and what Morfessor says with it."""
    options = {"method": "baseline", "dampening": "types", "seed": seed, "progress": False}
    tables = {w: learn(dict.fromkeys(words.learn, 1), corpus_weight=w, **options) for w in weights}
    best = max(weights, key=lambda w: score_segmentation(tables[w], words.development).f1)
    return best, tables[best]


def _model(system: str, gold_file: GoldFile, words: GoldWords, learning: Learning, seed: int) -> Morphology | None:
    settings = {"sweeps": learning.sweeps, "chains": learning.chains, "seed": seed}
    if system in CHOOSING:
        try:
            known = {"known": _known_file(words.known(KNOWN_WORDS))} if system == "known" else {}
            return Morphology(_chosen.get((gold_file.name, system), "auto"), **settings, **known)
        except (BinyanError, TypeError) as error:
            print(f"{system}: {error}", file=sys.stderr)
            return None
    return Morphology(_grammar(system, gold_file, words), **settings)


def _grammar(system: str, gold_file: GoldFile, words: GoldWords) -> Grammar:
    if system.startswith(CANDIDATE):
        if gold_file.name not in _composed:
            _composed[gold_file.name] = compose(words.learn)
        return _composed[gold_file.name][system.removeprefix(CANDIDATE)]
    return load_grammar(gold_file.thesis if system == "thesis" else system)


def _known_file(words: Sequence[GoldWord]) -> Path:
    """The analyses of words as a person would write them: word, segments, root."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", delete=False, encoding="utf-8") as out:
        for word in words:
            parts = " ".join(part.labelled for part in word.segmentations[0])
            out.write(f"{word.word}\t{parts}\t{word.roots[0] if word.roots else '_'}\n")
    return Path(out.name)


def _segmentations(model: Morphology, gold: Sequence[GoldWord]) -> dict[str, Segmentation]:
    found = {}
    for word in gold:
        try:
            found[word.word] = model.segment(word.word).contiguous()
        except InputError:
            continue
    return found
