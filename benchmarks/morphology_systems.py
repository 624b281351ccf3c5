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
from binyan.grammar.library import shipped_grammars
from binyan.grammar.notation import read_grammar
from binyan.grammar.rules import Grammar
from binyan.segmentation import Segmentation
from binyan.segmentation.morfessor import learn

# The grammar PrStSu+SM of MorphAGram (Eskander et al. 2020): affixes in sequences, and sub-morphs below all morphs.
MORPHAGRAM = """
Word -> Prefix? Stem Suffix?
@Prefix -> PrefixMorph+
@Suffix -> SuffixMorph+
@PrefixMorph | @Stem | @SuffixMorph -> SubMorph+
@SubMorph -> _Char+
_Char -> <any>
role prefix PrefixMorph
role stem Stem
role suffix SuffixMorph
"""
KNOWN_WORDS = 50
# Morfessor as it comes, and with the corpus weight that is best on the analysed words of the development half.
CORPUS_WEIGHTS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
SYSTEMS = ("morfessor", "morfessor-tuned", "morphagram", "thesis", "auto", "known")
CANDIDATE = "grammar:"
# The grammar chosen for a list by the first seed; the other seeds learn by it, and choose nothing themselves.
_chosen: dict[tuple[str, str], Grammar] = {}


@dataclass(frozen=True)
class Analysed:
    """What a system says of words: segmentations, roots, the seconds it took to learn and say it, and which grammar it used."""

    segmentations: Mapping[str, Segmentation]
    roots: Mapping[str, str] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    grammar: str = ""
    signature: str = ""


@dataclass(frozen=True)
class Learning:
    """How grammars learn: sweeps, chains and threads of each run."""

    sweeps: int
    chains: int
    threads: int | None = None


def candidates() -> list[str]:
    """The systems that learn by one shipped grammar each; the thesis's second readings (`-apart`) are left out."""
    return [f"{CANDIDATE}{grammar.name}" for grammar in shipped_grammars() if not grammar.name.endswith("-apart")]


def analyse(system: str, gold_file: GoldFile, words: GoldWords, learning: Learning, seed: int) -> Analysed | None:
    """Learn from the words and analyse the report half; None where this version of Binyan lacks the system."""
    begin, cpu = time.perf_counter(), time.process_time()
    if system.startswith("morfessor"):
        weight, table = _morfessor(words, CORPUS_WEIGHTS if system == "morfessor-tuned" else (1.0,), seed)
        seconds = time.process_time() - cpu, time.perf_counter() - begin
        return Analysed(table, {}, *seconds, f"Baseline, corpus weight {weight:g}", f"seed:{seed}")
    model = _model(system, gold_file, words, learning, seed)
    if model is None:
        return None
    model.fit(words.learn, progress=False, threads=learning.threads)
    if system in ("auto", "known"):
        _chosen[gold_file.name, system] = model.grammar
    segmentations = _segmentations(model, words.report)
    roots = {w.word: root for w in words.report if words.has_roots and (root := model.root(w.word, 3))}
    seconds = time.process_time() - cpu, time.perf_counter() - begin
    return Analysed(segmentations, roots, *seconds, model.grammar.name, str(model.signature()))


def _morfessor(words: GoldWords, weights: Sequence[float], seed: int) -> tuple[float, Mapping[str, Segmentation]]:
    """The weight with the best F1 on the development half, and what Morfessor says with it."""
    options = {"method": "baseline", "dampening": "types", "seed": seed, "progress": False}
    tables = {w: learn(dict.fromkeys(words.learn, 1), corpus_weight=w, **options) for w in weights}
    best = max(weights, key=lambda w: score_segmentation(tables[w], words.development).f1)
    return best, tables[best]


def _model(system: str, gold_file: GoldFile, words: GoldWords, learning: Learning, seed: int) -> Morphology | None:
    settings = {"sweeps": learning.sweeps, "chains": learning.chains, "seed": seed}
    if system in ("auto", "known"):
        try:
            known = {"known": _known_file(words.known(KNOWN_WORDS))} if system == "known" else {}
            return Morphology(_chosen.get((gold_file.name, system), "auto"), **settings, **known)
        except (BinyanError, TypeError) as error:
            print(f"{system}: {error}", file=sys.stderr)
            return None
    return Morphology(_grammar(system, gold_file), **settings)


def _grammar(system: str, gold_file: GoldFile) -> Grammar | str:
    if system == "morphagram":
        return read_grammar(MORPHAGRAM, "morphagram")
    return gold_file.thesis if system == "thesis" else system.removeprefix(CANDIDATE)


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
