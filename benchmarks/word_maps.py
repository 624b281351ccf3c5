"""What makes a word map good for a language model: CLBL++ with maps of several kinds on the same text, classes and events.

    python benchmarks/word_maps.py --data eltec --out results --languages cs hu --tokens 100000

Each language needs LANGUAGE.train.txt.xz and LANGUAGE.dev.txt.xz. Perplexity is measured on two development texts: what follows the training
text in the same novels, and other novels. The analyses of each grammar are kept as JSON, each result too: a run that was interrupted goes on with
what is missing. `word_maps.md` has the table of all that was measured.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from statistics import mean

from weighted_factors import SHARES, shares_of_factors

from binyan import LogBilinear
from binyan.clustering import WordClasses, brown
from binyan.files import replacing
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.recipe import plan
from binyan.log_bilinear.settings import Shape, TrainingSettings
from binyan.morphology.analysis import Analysis
from binyan.morphology.frozen_grammar import analysis_factors, is_analysable
from binyan.morphology.morphology import Morphology
from binyan.segmentation import morfessor
from binyan.segmentation.factor_table import FactorTable
from binyan.segmentation.letter_factors import LetterFactors
from binyan.text import Corpus, Preparation, VocabularyPolicy, read_sentences

Sentences = list[list[str]]
Factors = list[str]
Ranked = dict[str, list[tuple[float, Factors]]]  # the analyses of a word, most probable first

MOST_ANALYSES = 4
LEAST_PROBABILITY = 0.15  # of a second analysis
BASE = "affixes"


@dataclass
class Texts:
    """Training text, two development texts, and the folder where all that is found out about them is kept."""

    folder: Path
    train: Sentences
    developments: dict[str, Sentences]

    @classmethod
    def of(cls, folder: Path, data: Path, language: str, tokens: int, held_out: int) -> Texts:
        """Read and prepare them."""
        folder.mkdir(parents=True, exist_ok=True)
        preparation = Preparation(tokenise=language, lowercase=True, digits=True)
        novels = (list(s) for s in read_sentences(data / f"{language}.train.txt.xz", preparation) if s)
        train, same = first(novels, tokens), first(novels, held_out)
        other = (list(s) for s in read_sentences(data / f"{language}.dev.txt.xz", preparation) if s)
        return cls(folder, train, {"in domain": same, "other novels": first(other, held_out)})

    @cached_property
    def both(self) -> Sentences:
        """Both development texts, by which training stops."""
        return [sentence for text in self.developments.values() for sentence in text]

    @cached_property
    def corpus(self) -> Corpus:
        """The training text, encoded."""
        return Corpus.read(self.train, policy=VocabularyPolicy(kappa=0.2))

    @cached_property
    def classes(self) -> WordClasses:
        """The word classes of all models."""
        path = self.folder / "classes.paths"
        if not path.exists():
            brown(self.corpus, None, progress=False).write(path)
        return WordClasses.read(path)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each word is in the training text, the most frequent first."""
        counted = Counter(word for sentence in self.train for word in sentence)
        return Counter(dict(sorted(counted.items(), key=lambda item: (-item[1], item[0]))))

    @property
    def words(self) -> list[str]:
        """All words that can be analysed, those of the development texts too."""
        return list(filter(is_analysable, dict.fromkeys([*self.counts, *(w for s in self.both for w in s)])))

    def analyses(self, grammar: str, sweeps: int) -> Ranked:
        """What a grammar says of every word, learnt once."""
        path = self.folder / f"{grammar}.{sweeps}.analyses"
        if path.exists():
            return json.loads(path.read_text())
        how = {"sweeps": sweeps, "burn_in": sweeps * 4 // 5, "chains": 1, "snapshots": 1, "seed": 1}
        morphology = Morphology(grammar, unit="grapheme", **how)
        morphology.fit(list(filter(is_analysable, self.counts)), progress=False)
        ranked = {word: ranked_analyses(morphology, word) for word in self.words}
        with replacing(path) as part:
            part.write_text(json.dumps(ranked, ensure_ascii=False))
        return ranked


def first(sentences: Iterator[list[str]], tokens: int) -> Sentences:
    """Sentences from where the iterator is, until they have so many tokens."""
    taken, count = [], 0
    for sentence in sentences:
        taken.append(sentence)
        count += len(sentence)
        if count >= tokens:
            break
    return taken


def ranked_analyses(morphology: Morphology, word: str) -> list[tuple[float, Factors]]:
    """The factors of the most probable analyses of a word, with their probabilities, which are sums over trees."""
    sums: dict[tuple[str, ...], float] = {}
    for tree, probability in morphology.posterior.trees(word, 200 if morphology.posterior.is_known(word) else 3):
        factors = analysis_factors(Analysis(word, tree, probability, morphology.grammar))
        sums[factors] = sums.get(factors, 0.0) + probability
    best = sorted(sums.items(), key=lambda item: -item[1])
    return [(p / sum(sums.values()), list(f)) for f, p in islice(best, MOST_ANALYSES)]


# The maps that are compared: each gives every word its factors.


def by_grammar(grammar: str = BASE, sweeps: int = 60) -> Callable[[Texts], dict[str, Factors]]:
    """The most probable analysis of each word."""
    return lambda texts: {w: a[0][1] for w, a in texts.analyses(grammar, sweeps).items() if a}


def two_best(texts: Texts) -> dict[str, Factors]:
    """The factors of the best analysis and those that the second one adds, where it is probable enough."""
    ranked = texts.analyses(BASE, 60)
    return {
        w: list(
            dict.fromkeys(f for p, factors in a[:2] if factors is a[0][1] or p >= LEAST_PROBABILITY for f in factors)
        )
        for w, a in ranked.items()
    }


def weighted(analyses: int) -> Callable[[Texts], dict[str, Factors]]:
    """The factors of so many analyses, each as often as it has shares: its vector counts by its posterior expectation."""

    def factors_of(texts: Texts) -> dict[str, Factors]:
        rows = {}
        for word, ranked in texts.analyses(BASE, 60).items():
            expected: Counter[str] = Counter()
            total = sum(p for p, _ in ranked[:analyses])
            for p, factors in ranked[:analyses]:
                for factor in factors:
                    expected[factor] += p / total  # type: ignore[assignment]
            rows[word] = [factor for factor, p in expected.items() for _ in range(round(SHARES * p))]
        return rows

    return factors_of


def without_labels(texts: Texts) -> dict[str, Factors]:
    """The same string as prefix, stem and suffix is one factor."""
    return {w: [f.rpartition("/")[0] for f in factors] for w, factors in by_grammar()(texts).items()}


def with_sequences(texts: Texts) -> dict[str, Factors]:
    """With a sequence of several suffixes, or prefixes, as one more factor."""
    return {w: [*f, *sequence(f, "pre"), *sequence(f, "suf")] for w, f in by_grammar()(texts).items()}


def sequence(factors: Iterable[str], label: str) -> list[str]:
    """The sequence of all parts with a label, where there are several."""
    parts = [f.removesuffix(f"/{label}") for f in factors if f.endswith(f"/{label}")]
    return ["".join(parts) + f"/{label}s"] if len(parts) > 1 else []


def whole(factors_of: Callable[[Texts], dict[str, Factors]]) -> Callable[[Texts], dict[str, Factors]]:
    """Each factor of a map with all its shares."""
    return lambda texts: {w: [f for f in factors for _ in range(SHARES)] for w, factors in factors_of(texts).items()}


def letters(which: str = "first=5 last=2,3") -> Callable[[Texts], dict[str, Factors]]:
    """The first five and the last two and three letters, or others."""
    return lambda texts: {word: list(LetterFactors.parse(which)(word)) for word in texts.words}


def by_morfessor(texts: Texts) -> dict[str, Factors]:
    """Morfessor's map, as `--map morfessor` has it."""
    table = morfessor.learn(texts.counts, texts.words, seed=1, progress=False)
    return {word: table.factors(word) for word in table}


def union(*maps: Callable[[Texts], dict[str, Factors]]) -> Callable[[Texts], dict[str, Factors]]:
    """The factors of several maps, those of each map its own."""

    def joined(texts: Texts) -> dict[str, Factors]:
        rows: dict[str, Factors] = {}
        for number, factors_of in enumerate(maps):
            for word, factors in factors_of(texts).items():
                rows.setdefault(word, []).extend(f if number == 0 else f"{number}:{f}" for f in factors)
        return rows

    return joined


MAPS: dict[str, Callable[[Texts], dict[str, Factors]] | None] = {
    "none (CLBL)": None,
    "affixes": by_grammar(),
    "affixes and letters": union(by_grammar(), letters()),
    "affixes and letters, first=4,6 last=1,2,3,4": union(by_grammar(), letters("first=4,6 last=1,2,3,4")),
    "affixes and letters, ngrams=3": union(by_grammar(), letters("ngrams=3")),
    "affixes and letters, ngrams=4 last=2,3": union(by_grammar(), letters("ngrams=4 last=2,3")),
    "affixes, 20 sweeps": by_grammar(sweeps=20),
    "affixes, without labels": without_labels,
    "affixes, two best analyses": two_best,
    "affixes, one analysis in shares": weighted(1),  # the same model as `affixes`, which checks the weights
    "affixes, four best analyses weighted": weighted(MOST_ANALYSES),
    "affixes, four best analyses weighted, and letters": union(weighted(MOST_ANALYSES), whole(letters())),
    "affixes, sequences too": with_sequences,
    "letters": letters(),
    "morfessor": by_morfessor,
    "compound": by_grammar("compound"),
    "affixes and compound": union(by_grammar(), by_grammar("compound")),
}


IN_SHARES = {  # the map that has the same factors on average, whose recipe they take
    "affixes, one analysis in shares": "affixes",
    "affixes, four best analyses weighted": "affixes",
    "affixes, four best analyses weighted, and letters": "affixes and letters",
}


def measure(texts: Texts, language: str, name: str) -> dict:
    """Train a model with a map, and its perplexity on both development texts."""
    recipe = recipe_of(texts, IN_SHARES[name]) if name in IN_SHARES else {}
    with shares_of_factors(len(texts.corpus.vocabulary)) if name in IN_SHARES else nullcontext():
        return measure_model(texts, language, name, recipe)


def recipe_of(texts: Texts, name: str) -> dict[str, float]:
    """The step size and the penalty that a map has by default."""
    factor_map = FactorMap.from_segmentations(word_map_of(texts, name), texts.corpus.vocabulary)
    chosen = plan(TrainingSettings(), Shape(), texts.corpus, factor_map)
    return {"step": chosen.step, "l2": chosen.l2}


def word_map_of(texts: Texts, name: str) -> FactorTable | None:
    """A map by its name."""
    factors_of = MAPS[name]
    return None if factors_of is None else FactorTable(without_bare_words(factors_of(texts)))


def measure_model(texts: Texts, language: str, name: str, recipe: dict[str, float]) -> dict:
    """Train a model with a map and what is given of the recipe."""
    started = time.process_time()
    word_map = word_map_of(texts, name)
    learnt = time.process_time()
    model = LogBilinear("clbl" if word_map is None else "clbl++", classes=texts.classes, word_map=word_map, **recipe)
    model.fit(texts.corpus, texts.both, progress=False)
    result = {"language": language, "map": name, "map_seconds": learnt - started}
    result["seconds"] = time.process_time() - learnt
    factor_map = model.factor_map
    result["factors"], result["per_word"] = len(factor_map.morphemes), len(factor_map.factors) / factor_map.words - 1
    return result | {part: model.perplexity(text) for part, text in texts.developments.items()}


def without_bare_words(rows: dict[str, Factors]) -> dict[str, Factors]:
    """A factor that is the bare word itself adds nothing to the word."""
    return {word: [f for f in factors if f and f != word] for word, factors in rows.items()}


def table(folder: Path) -> str:
    """All that was measured, as Markdown: perplexity in and out of domain, and the mean change of both against `affixes`."""
    results = {(r["language"], r["map"]): r for r in map(json.loads, (p.read_text() for p in folder.glob("*/*.json")))}
    languages = sorted({language for language, _ in results})
    lines = ["| map | " + " | ".join(languages) + " | change, % |", "|---" * (len(languages) + 1) + "|---:|"]
    for name in MAPS:
        cells, changes = [], []
        for language in languages:
            one, base = results.get((language, name)), results.get((language, BASE))
            cells.append(f"{one['in domain']:.1f} / {one['other novels']:.1f}" if one else "–")
            if one and base:
                changes += [math.log(one[part] / base[part]) for part in ("in domain", "other novels")]
        change = f"{100 * (math.exp(mean(changes)) - 1):+.2f}" if changes else "–"
        lines.append(f"| {name} | {' | '.join(cells)} | {change} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure what is missing and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--languages", nargs="+", default=["cs", "ru", "hu", "de", "fr"])
    parser.add_argument("--maps", nargs="+", default=list(MAPS), choices=list(MAPS))
    parser.add_argument("--tokens", type=int, default=100_000)
    parser.add_argument("--held-out", type=int, default=30_000, help="tokens of each development text")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for language in options.languages:
        texts = Texts.of(options.out / language, options.data, language, options.tokens, options.held_out)
        for name in options.maps:
            path = texts.folder / f"{name}.json"
            if not path.exists():
                result = measure(texts, language, name)
                with replacing(path) as part:
                    part.write_text(json.dumps(result, indent=1))
                print(*(f"{v:.2f}" if isinstance(v, float) else v for v in result.values()), flush=True)
    (options.out / "word_maps.md").write_text(table(options.out))
    print(table(options.out))


if __name__ == "__main__":
    main()
