"""Arabic language models with roots and templates from our own grammar, vocalised and not.

    python benchmarks/arabic_language_model.py --data tashkeela_ar --out results
    python benchmarks/arabic_language_model.py --data tashkeela_ar --out results --test

The folder needs train.txt.xz, dev.txt.xz and test.txt.xz, vocalised text. Every model has the same vocabulary, classes and events, and is trained
as its command does by default. Training stops, and mixtures are fitted, on the development text; the first call measures that text alone, and
`--test` measures the test text once, by the models that were kept. A run that was interrupted goes on with what is missing, word maps included.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from binyan import HPYLM, KneserNey, LogBilinear, Mixture, load
from binyan.clustering import WordClasses, brown
from binyan.files import replacing
from binyan.language_model import LanguageModel
from binyan.morphology.map_sources import MapLearner
from binyan.segmentation.factor_table import FactorTable, WordAnalyser
from binyan.text import Corpus, Preparation, VocabularyPolicy, read_sentences

Sentences = list[list[str]]
POLICY = VocabularyPolicy(kappa=0.2)  # the share of words seen once that the vocabulary leaves out
MARKS = {"unvocalised": "", "vocalised": "-vocalised"}  # how the grammars of roots and templates are named
NOT_PARTS = ("root=", "template=")
SINGLE = {
    "mkn": "",
    "hpylm": "",
    "clbl": "",
    "clbl++ morfessor": "morfessor",
    "clbl++ affixes": "affixes",
    "clbl++ root-template": "root-template{}",
    "clbl++ root-template-affixes": "root-template{}-affixes",
    "clbl++ root-template, parts only": "root-template{}",
}
MIXTURES = {
    "hpylm with clbl": ("hpylm", "clbl"),
    "hpylm with clbl++ morfessor": ("hpylm", "clbl++ morfessor"),
    "hpylm with the best clbl++": ("hpylm", ""),
}


class PartsOnly:
    """An analyser of words without their roots and templates."""

    def __init__(self, analyser: WordAnalyser) -> None:
        self.analyser = analyser

    def factors(self, word: str) -> tuple[str, ...]:
        """Prefixes, stem and suffixes of a word."""
        return without_roots(self.analyser.factors(word))

    def to_bytes(self) -> bytes:
        """Nothing: the models that are compared so are not kept with their analyser."""
        return b""


def without_roots(factors: Iterable[str]) -> tuple[str, ...]:
    """The factors that spell the word."""
    return tuple(f for f in factors if not f.startswith(NOT_PARTS))


@dataclass
class Trial:
    """The texts of one spelling, the models that are trained on them, and the folder of both."""

    folder: Path
    marks: str
    train: Corpus
    classes: WordClasses
    dev: Sentences

    @classmethod
    def of(cls, folder: Path, marks: str, data: Path, tokens: int) -> Trial:
        """Read and prepare the texts; word classes are kept in the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        train = first(texts(data, "train", marks), tokens)
        corpus = Corpus.read(train, policy=POLICY)
        path = folder / "classes.paths"
        if not path.exists():
            brown(corpus, None, progress=False).write(path)
        return cls(folder, marks, corpus, WordClasses.read(path), texts(data, "dev", marks))

    def train_model(self, name: str) -> LanguageModel:
        """A model of the table, trained."""
        if name in MIXTURES:
            parts = [part or self.best() for part in MIXTURES[name]]
            return Mixture([load(self.model_path(part)) for part in parts], by_context=True).fit(self.dev)
        if name == "mkn":
            return KneserNey().fit(self.train, progress=False)
        if name == "hpylm":
            return HPYLM(sweeps=70, burn_in=50, samples=10).fit(self.train, progress=False)
        grammar = SINGLE[name].format(MARKS[self.marks])
        word_map = MapLearner(grammar, self.folder).factors(self.train, 1, False) if grammar else None
        if name.endswith("parts only") and isinstance(word_map, FactorTable) and word_map.analyser:
            rows = {word: without_roots(factors) for word, factors in word_map.items()}
            word_map = FactorTable(rows, word_map.letters, PartsOnly(word_map.analyser), word_map.origin)
        model = LogBilinear("clbl++" if grammar else "clbl", classes=self.classes, word_map=word_map)
        return model.fit(self.train, self.dev, progress=False)

    def model_path(self, name: str) -> Path:
        """The file of a model."""
        return self.folder / f"{name}.binyan"

    def result_path(self, name: str) -> Path:
        """The file of what was measured of a model."""
        return self.folder / f"{name}.json"

    def best(self) -> str:
        """The clbl++ with the lowest perplexity on the development text."""
        measured = [
            n for n in SINGLE if n.startswith("clbl++") and not n.endswith("only") and self.model_path(n).exists()
        ]
        return min(measured, key=lambda n: json.loads(self.result_path(n).read_text())["dev"])

    def measure(self, name: str, test: Sentences | None) -> None:
        """Train a model unless that is done, and measure it; a model of parts alone is measured at once."""
        path = self.result_path(name)
        result = json.loads(path.read_text()) if path.exists() else {}
        model = None
        if "dev" not in result:
            started = time.process_time()
            model = self.train_model(name)
            result = {"marks": self.marks, "model": name, "seconds": time.process_time() - started}
            result |= {"dev": model.perplexity(self.dev), "about": model.description}
            if not name.endswith("only"):
                model.save(self.model_path(name))
        if test is not None and "test" not in result:
            model = model or (load(self.model_path(name)) if self.model_path(name).exists() else self.train_model(name))
            result["test"] = model.perplexity(test)
        with replacing(path) as part:
            part.write_text(json.dumps(result, indent=1, ensure_ascii=False))
        print(
            self.marks, name, *(f"{k} {result[k]:.2f}" for k in ("dev", "test", "seconds") if k in result), flush=True
        )


def texts(data: Path, part: str, marks: str) -> Sentences:
    """The sentences of a text, with or without the vowels and other marks."""
    preparation = Preparation(strip_marks=marks == "unvocalised")
    return [list(sentence) for sentence in read_sentences(data / f"{part}.txt.xz", preparation) if sentence]


def first(sentences: Sentences, tokens: int) -> Sentences:
    """The first sentences, until they have so many tokens."""
    taken, count = [], 0
    for sentence in sentences:
        if count >= tokens:
            break
        taken.append(sentence)
        count += len(sentence)
    return taken


def table(folder: Path) -> str:
    """All that was measured, as Markdown: development and test perplexity for both spellings, and the change against CLBL."""
    results = {(r["marks"], r["model"]): r for r in map(json.loads, (p.read_text() for p in folder.glob("*/*.json")))}
    columns = [(marks, part) for marks in MARKS for part in ("dev", "test")]
    lines = [
        "| model | " + " | ".join(f"{marks}, {part}" for marks, part in columns) + " |",
        "|---" + "|---:" * 4 + "|",
    ]
    for name in (*SINGLE, *MIXTURES):
        cells = []
        for marks, part in columns:
            value, base = (results.get((marks, n), {}).get(part) for n in (name, "clbl"))
            change = f" ({100 * (value / base - 1):+.1f})" if value and base and name != "clbl" else ""
            cells.append(f"{value:.1f}{change}" if value else "–")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure what is missing and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=100_000)
    parser.add_argument("--marks", nargs="+", default=list(MARKS), choices=list(MARKS))
    parser.add_argument("--models", nargs="+", default=[*SINGLE, *MIXTURES], choices=[*SINGLE, *MIXTURES])
    parser.add_argument("--test", action="store_true", help="measure the test text too, once all choices are made")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for marks in options.marks:
        trial = Trial.of(options.out / marks, marks, options.data, options.tokens)
        test = texts(options.data, "test", marks) if options.test else None
        for name in options.models:
            trial.measure(name, test)
    (options.out / "arabic_language_model.md").write_text(table(options.out))
    print(table(options.out))


if __name__ == "__main__":
    main()
