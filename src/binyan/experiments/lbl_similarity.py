"""Word similarity (section 4.4.5): vectors learnt from the most text at hand, and how they order pairs of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from binyan.evaluation.similarity import evaluate_similarity, read_pairs
from binyan.experiments import eltec
from binyan.experiments.lbl_models import map_method, model, trained
from binyan.experiments.prepared import first_tokens, prepared_text
from binyan.experiments.study import Experiment, Outcome, Workshop
from binyan.text import Corpus, VocabularyPolicy, read_sentences

# language -> the sets of pairs, with their names in the thesis's table
SETS: Mapping[str, Mapping[str, str]] = {
    "en": {"en-rw": "RW", "en-ws353": "WS_en", "en-rg65": "RG_en"},
    "de": {"de-gur350": "Gur_de", "de-zg222": "ZG_de"},
    "es": {"es-ws353": "WS_es"},
    "fr": {"fr-rg65": "RG_fr"},
}
TOKENS = 2_000_000  # taken from each text: more gives better vectors, and takes longer
# Every minibatch moves all target vectors, of which there are many; words seen once are too many to learn morphemes from.
CHANGED = {"batch": 20_000, "step": 0.1, "l2": 30.0}
CHANGED_MAP = {"map_min_count": 2}


def experiments() -> list[Experiment]:
    """Vectors of words alone, and of words and morphemes."""
    return [
        Experiment(f"lbl/similarity-{language}/{kind}", _settings(language), _model(kind), "similarity")
        for language in SETS
        for kind in ("clbl", "clbl++")
    ]


def measure(experiment: Experiment, workshop: Workshop) -> Outcome:
    """Spearman's rho on each set, times 100 as in the thesis; of additive models with words outside the vocabulary composed, and without."""
    from binyan.log_bilinear.vectors import Vectors

    data, language = experiment.data, experiment.data["language"]
    pairs = {name: read_pairs(workshop.source(f"similarity/{name}.tsv"), lowercase=True) for name in SETS[language]}
    policy = VocabularyPolicy(kappa=data["kappa"])
    corpus = Corpus.read(_sentences(data, workshop), policy=policy, progress=workshop.progress)
    development = list(read_sentences(_prepared(data["development"], language, workshop)))
    method, table = map_method(experiment.model), None
    if method is not None:
        more = (w for listed in pairs.values() for pair in listed for w in (pair.one, pair.other))
        table = eltec.learnt_map(data, method, _sentences(data, workshop), more, workshop)
    lm, figures = trained(experiment, workshop, corpus, development, table)
    rho: dict[str, dict[str, Any]] = {}
    for compose in (True, False) if method is not None else (False,):
        vectors = Vectors(lm, compose=compose, guess=False)
        found = {
            name: evaluate_similarity(listed, vectors.similarity, vectors.__contains__)
            for name, listed in pairs.items()
        }
        how = "composed" if compose else "not composed"
        rho[how] = {name: {**result.to_dict(), "rho": 100 * result.rho} for name, result in found.items()}
    sizes = {"training_tokens": len(corpus.words), "vocabulary_size": len(corpus.vocabulary)}
    return Outcome({"similarity": rho, **sizes, **figures}, str(lm.signature()))


def _model(kind: str) -> dict[str, Any]:
    return {**model(kind), **CHANGED, **(CHANGED_MAP if "+" in kind else {})}


def _settings(language: str) -> dict[str, Any]:
    return {
        "texts": f"parallel/europarl/par4.train.{language}.xz+text/eltec/{language}.train.txt.xz",
        "development": f"parallel/europarl/par4.dev.{language}.xz",
        "language": language,
        "tokens_each": TOKENS,
        "kappa": 0.2,
    }


def _prepared(path: str, language: str, workshop: Workshop) -> Path:
    return prepared_text(
        workshop.source(path), eltec.preparation(language), workshop.prepared, progress=workshop.progress
    )


def _sentences(data: Mapping[str, Any], workshop: Workshop) -> Iterator[list[str]]:
    """The first tokens of each text, whole sentences."""
    for path in data["texts"].split("+"):
        yield from first_tokens(read_sentences(_prepared(path, data["language"], workshop)), data["tokens_each"])
